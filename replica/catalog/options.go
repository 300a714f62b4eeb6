package catalog

import (
	"cmp"
	"errors"
	"fmt"

	"watershed/internal/disk"
	"watershed/replica/cluster"
	"watershed/replica/collection"
	"watershed/replica/sketch"
)

// defaultMemory bounds the buffers of the sorts, in bytes.
const defaultMemory = 128 << 20

// Options say how copies are found. The zero value has the documented defaults.
type Options struct {
	// Cluster says which documents are linked; what is zero is as the catalog has it, in a new one
	// the paper's default. MemoryBytes is set from Memory.
	Cluster cluster.Options
	// Collection defines a replicated collection. Dir and Memory are set to the
	// catalog's.
	Collection collection.Options
	// Sketch says how the documents' sketches are made. The catalog makes none; it keeps the
	// options for callers who ask it with a text of their own. Zero means the options of the
	// catalog, in a new one the defaults. Other options than those it was begun with are
	// an error.
	Sketch sketch.Options
	// SuperLength, if not zero, makes the super shingles that Cluster.Super counts as the paper
	// does: each run of so many values of the sketch, in order, is one. Zero: as the catalog has
	// it, in a new one the six of each sketch. Another one than it was begun with is an error.
	// Source: Broder et al., 1997, section 5.3, which leaves the number open.
	SuperLength int
	// Memory bounds the buffers of the sorts, in bytes. Default defaultMemory, at least 4 MiB.
	Memory int
	// Disk is where the catalog is written; nil for the machine's own file system.
	Disk disk.FS
}

// Validate reports the first value that has no meaning.
func (o Options) Validate() error {
	if o.Memory != 0 && o.Memory < 4<<20 {
		return errors.New("catalog: sorts need 4 MiB of memory")
	}
	if o.SuperLength < 0 || o.SuperLength > 0 && o.Cluster.Super == 0 {
		return errors.New("catalog: a length of super shingles says something only where these are compared")
	}
	if err := o.Sketch.Validate(); err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	if err := o.Cluster.Validate(); err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	if err := o.Collection.Validate(); err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	return nil
}

// linking are those of its options that a catalog keeps.
func (o *Options) linking() linking {
	x := &o.Cluster
	return linking{x.Threshold, x.Containment, x.MaxDocuments, x.MinSample, x.Super}
}

// settle takes over the options that a catalog has, and leaves in its manifest those in force.
func (o *Options) settle(m *manifest) error {
	if o.Sketch == (sketch.Options{}) {
		o.Sketch = m.Sketch
	}
	o.SuperLength = cmp.Or(o.SuperLength, m.SuperLength)
	x, y := &o.Cluster, &m.Cluster
	x.Threshold, x.Containment = cmp.Or(x.Threshold, y.Threshold), cmp.Or(x.Containment, y.Containment)
	x.MaxDocuments, x.MinSample = cmp.Or(x.MaxDocuments, y.MaxDocuments), cmp.Or(x.MinSample, y.MinSample)
	x.Super = cmp.Or(x.Super, y.Super)
	m.Cluster = o.linking()
	if len(m.Sweeps) > 0 && (o.Sketch != m.Sketch || o.SuperLength != m.SuperLength) {
		return errors.New("the catalog was begun with other sketches")
	}
	return nil
}

func (o Options) withDefaults() Options {
	if o.Memory == 0 {
		o.Memory = defaultMemory
	}
	o.Disk = disk.Or(o.Disk)
	o.Cluster.MemoryBytes = o.Memory
	return o
}
