package catalog

import (
	"errors"
	"fmt"

	"watershed/replica/cluster"
	"watershed/replica/collection"
)

// DefaultMemory bounds the buffers of the sorts, in bytes.
const DefaultMemory = 128 << 20

// Options say how copies are found. The zero value has the documented defaults.
type Options struct {
	// Cluster says which documents are linked; its own defaults are the paper's. MemoryBytes is set from Memory.
	Cluster cluster.Options
	// Collection says what a replicated collection is. NewSorter is set to sorts in the catalog's folder.
	Collection collection.Options
	// Memory bounds the buffers of the sorts, in bytes. Default DefaultMemory, at least 4 MiB.
	Memory int
	// ReadOnly opens a catalog that exists, for questions: it needs no right to write there, and several processes may ask at a time.
	ReadOnly bool
}

// Validate reports the first value that has no meaning.
func (o Options) Validate() error {
	if o.Memory != 0 && o.Memory < 4<<20 {
		return errors.New("catalog: sorts need 4 MiB of memory")
	}
	if err := o.Cluster.Validate(); err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	if err := o.Collection.Validate(); err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	return nil
}

func (o Options) withDefaults() Options {
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	o.Cluster.MemoryBytes = o.Memory
	return o
}
