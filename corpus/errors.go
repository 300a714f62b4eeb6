package corpus

import (
	"errors"
	"fmt"
)

// ErrNothing says that no page can be read from the given files.
var ErrNothing = errors.New("nothing can be read")

// Damage is a place that could not be read; the bytes around it are read all the same.
type Damage struct {
	File   string // path, inside a package with that of the package before it
	Offset int64  // of a WARC record or member; of a link list or index the line, counted from 1
	Err    error
}

func (d Damage) String() string { return fmt.Sprintf("%s at %d: %v", d.File, d.Offset, d.Err) }
