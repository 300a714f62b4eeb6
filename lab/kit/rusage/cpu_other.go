//go:build !unix

package rusage

import "time"

// CPU cannot be told here.
func CPU() time.Duration { return 0 }
