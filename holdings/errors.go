package holdings

import "errors"

// ErrNotHeld says that no run of the harvest has a capture of a URL, nor of one that stands for it.
var ErrNotHeld = errors.New("not in this archive")
