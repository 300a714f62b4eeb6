package corpus

import (
	"errors"
	"runtime"

	"watershed/crawler/extract"
)

const (
	maxBody     = 8 << 20 // of a decoded payload, in bytes
	mostWorkers = 16
)

// Options says which captures are taken from a corpus, and how. The zero value is the documented
// default of each field.
type Options struct {
	// All gives every capture of a URL, not the chosen one alone.
	All bool
	// Posts gives the answers to POST, too, under the address that was asked for.
	Posts bool
	// Text gives the visible text of HTML pages.
	Text bool
	// Body gives decoded payloads, of whatever kind.
	Body bool
	// Extract says how pages are read for links.
	Extract extract.Options
	// Workers is how many pages are read at a time; 0 means one a processor. The result does not
	// depend on it.
	Workers int
	// Damaged is called for each file and record that could not be read. It is called from one
	// goroutine at a time; nil is silent.
	Damaged func(Damage)
}

// Validate tells what is wrong with the options.
func (o Options) Validate() error {
	if o.Workers < 0 {
		return errors.New("corpus: a limit is below 0")
	}
	return o.Extract.Validate()
}

func (o Options) withDefaults() Options {
	if o.Workers == 0 {
		o.Workers = min(runtime.GOMAXPROCS(0), mostWorkers)
	}
	return o
}
