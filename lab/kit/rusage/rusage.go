// Package rusage tells what this process has used, for measurements: processor time, because on a
// machine that others use, too, the clock says little, and memory.
package rusage

import (
	"fmt"
	"os"
	"strings"
)

// Peak is the most memory that this process held at once, in bytes; 0 where the system does not
// tell it as Linux does. The rusage of the system is not asked: what it tells outlives exec, so
// that it may be the peak of whoever started this process.
func Peak() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 { // another line is no error
			return kib << 10
		}
	}
	return 0
}
