package archive

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"watershed/internal/disk"
)

// Options say how a Writer writes. The zero value of each field but Dir stands for the default told
// beside it.
type Options struct {
	Dir    string  // folder of the files, made if it is not there; required
	Disk   disk.FS // that files are made on; nil is the machine's
	Prefix string  // of file names, letters, digits, ".", "_" and "-" only; "watershed"

	MaxBytes int64 // a file that has reached it takes no further batch; 1e9 (WARC 1.1, Annex C)
	Level    int   // of gzip, 1 fast to 9 small; 6

	MemoryBytes int64 // a batch whose members take more goes through a temporary file; 4 MiB

	// write beside each file what Compact asks of it, NAME.register, so that it need not unzip the
	// file
	Register bool

	Host string // in file names and the warcinfo; the machine's name
	Info Info   // what the warcinfo of each file says
}

// Defaults of Options.
const (
	defaultPrefix      = "watershed"
	defaultMaxBytes    = 1_000_000_000
	defaultLevel       = 6
	defaultMemoryBytes = 4 << 20
)

// Validate reports every option that makes no sense.
func (o Options) Validate() error {
	var errs []error
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(o.Dir == "", "archive: Dir is empty")
	bad(cleanName(o.Prefix) != o.Prefix,
		"archive: Prefix %q has other characters than letters, digits, \".\", \"_\", \"-\"", o.Prefix)
	bad(o.MaxBytes < 0, "archive: MaxBytes %d is negative", o.MaxBytes)
	bad(o.Level < 0 || o.Level > 9, "archive: Level %d is not in 1…9", o.Level)
	bad(o.MemoryBytes < 0, "archive: MemoryBytes %d is negative", o.MemoryBytes)
	return errors.Join(errs...)
}

func (o Options) withDefaults() Options {
	o.Prefix = cmp.Or(o.Prefix, defaultPrefix)
	o.MaxBytes = cmp.Or(o.MaxBytes, defaultMaxBytes)
	o.Level = cmp.Or(o.Level, defaultLevel)
	o.MemoryBytes = cmp.Or(o.MemoryBytes, defaultMemoryBytes)
	o.Disk = disk.Or(o.Disk)
	if o.Host == "" {
		o.Host, _ = os.Hostname() // a machine without a name is "unnamed" below
	}
	o.Host = cmp.Or(cleanName(o.Host), "unnamed")
	return o
}

// cleanName makes s safe as a part of a file name everywhere: other characters than letters,
// digits, ".", "_" and "-" become "-".
func cleanName(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '-'
	}, s)
}
