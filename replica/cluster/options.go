package cluster

import (
	"cmp"
	"fmt"
)

// Options say what is linked, and with how much memory. The zero value is the paper's clustering,
// or that which a store has.
type Options struct {
	// Threshold is the estimated resemblance from which documents are linked. Default 0.5. Source:
	// Broder et al., 1997, section 7. It may be changed in a store that exists: see
	// Store.Recluster.
	Threshold float64

	// Containment, if above zero, links documents also when one's estimated containment in the
	// other reaches it; -1 takes it back in a store that has it. Source: section 6.1.
	Containment float64

	// MaxDocuments is the number of different sketches from which on a shingle is too common: one
	// that is in more is ignored and listed. Default 1000. Source: section 5.1. It is settled when
	// a store is begun.
	MaxDocuments int

	// MinSample is the least number of shingles that a resemblance must rest on, the union of the
	// two samples, unless both are the whole sets. Default 1, as in the paper; 16 makes the
	// standard error at most 1/8.
	MinSample int

	// Super, if not zero, links documents that have at least so many super shingles in common,
	// instead of comparing sketches: 1 is the paper's mode, which needs no pairs at all; 2 of 6 is
	// later practice. Source: section 5.3. It is settled when a store is begun; similar documents
	// cannot be asked of such a store, and there is no evidence but the count.
	Super int

	// MemoryBytes bounds the buffers of the sorts. Default 512 MiB, at least 1 MiB.
	MemoryBytes int

	// Rank orders the members of a cluster, the representative first. Default Earliest.
	Rank Rank

	// Phase, if set, is called when a phase begins, by the goroutine that called Add.
	Phase func(Phase)
}

const (
	defaultThreshold = 0.5
	defaultMax       = 1000
	defaultMemory    = 512 << 20
	minMemory        = 1 << 20
)

// Validate tells the first field that has no meaning.
func (o Options) Validate() error {
	switch {
	case !(o.Threshold >= 0 && o.Threshold <= 1):
		return fmt.Errorf("threshold %g: must be above 0, at most 1", o.Threshold)
	case !(o.Containment >= 0 && o.Containment <= 1 || o.Containment == -1):
		return fmt.Errorf("containment %g: must be 0 to 1, or -1 for never", o.Containment)
	case o.MaxDocuments < 0 || o.MaxDocuments == 1 || o.MaxDocuments > 1<<20:
		return fmt.Errorf("max documents %d: must be 2 to 2^20", o.MaxDocuments)
	case o.MinSample < 0:
		return fmt.Errorf("min sample %d: must not be negative", o.MinSample)
	case o.Super < 0 || o.Super > 255:
		return fmt.Errorf("super %d: must be 0 to 255", o.Super)
	case o.MemoryBytes != 0 && o.MemoryBytes < minMemory:
		return fmt.Errorf("memory %d bytes: must be at least %d", o.MemoryBytes, minMemory)
	}
	return nil
}

// of takes over from a store what is not given.
func (o Options) of(st *state) Options {
	if st.Generation == 0 {
		return o
	}
	o.Threshold, o.Containment = cmp.Or(o.Threshold, st.Threshold), cmp.Or(o.Containment, st.Containment)
	o.MaxDocuments, o.MinSample, o.Super = cmp.Or(o.MaxDocuments, st.MaxDocuments),
		cmp.Or(o.MinSample, st.MinSample), cmp.Or(o.Super, st.Super)
	return o
}

func (o Options) withDefaults() Options {
	o.Containment = max(o.Containment, 0)
	if o.Threshold == 0 {
		o.Threshold = defaultThreshold
	}
	if o.MaxDocuments == 0 {
		o.MaxDocuments = defaultMax
	}
	if o.MinSample == 0 {
		o.MinSample = 1
	}
	if o.MemoryBytes == 0 {
		o.MemoryBytes = defaultMemory
	}
	if o.Rank == nil {
		o.Rank = earliest
	}
	return o
}

// Phase is a part of the work, a row of the paper's cost table.
type Phase uint8

// The phases, in order.
const (
	Reading Phase = iota
	Duplicates
	ShingleMerging
	PairFormation
	PairMerging
	Formation
	phases
)

var phaseNames = [phases]string{
	"Sketching", "Duplicate elimination", "Shingle merging", "ID-ID pair formation", "ID-ID merging",
	"Cluster formation",
}

// String is the name in the paper's table (section 7).
func (p Phase) String() string {
	if p < phases {
		return phaseNames[p]
	}
	return fmt.Sprintf("phase %d", uint8(p))
}

// Parallel says whether the paper's table calls the phase parallelisable: most of it can be done on
// many machines at once.
func (p Phase) Parallel() bool { return p == Reading || p == ShingleMerging || p == PairMerging }

// Stats counts what an addition did.
type Stats struct {
	Documents uint64 // documents added
	Postings  uint64 // ⟨shingle, document⟩ kept, of all sweeps
	Common    uint64 // shingles that are ignored, of all sweeps
	Pairs     uint64 // ⟨document, document, count⟩ kept, of all sweeps
	Clusters  uint64
	Members   uint64 // documents in clusters
	Identical uint64 // clusters of identical documents only
}
