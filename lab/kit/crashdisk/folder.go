package crashdisk

import (
	"os"
	"testing"

	"watershed/internal/disk"
)

// roomBytes is what a file system in memory must have free to be used.
const roomBytes = 2 << 30

// Folder gives an empty folder for the time of a test, in memory where the machine has a file
// system there: thousands of small files are made in a fiftieth of the time, and syncing them costs
// nothing.
func Folder(t testing.TB) string {
	t.Helper()
	const memory = "/dev/shm"
	if free, told := disk.Free(memory); !told || free < roomBytes {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp(memory, "crashdisk-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
