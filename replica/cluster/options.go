package cluster

import (
	"cmp"
	"fmt"
)

// Options say what is linked, and with how much memory. The zero value is the paper's clustering.
type Options struct {
	// Threshold is the estimated resemblance from which documents are linked. Default 0.5. Source:
	// Broder et al., 1997, section 7.
	Threshold float64

	// Containment, if above zero, links documents also when one's estimated containment in the
	// other reaches it. Below zero is as zero. Source: section 6.1.
	Containment float64

	// MaxDocuments is the number of different sketches from which on a shingle is too common: one
	// that is in more is ignored. Default 1000. Source: section 5.1.
	MaxDocuments int

	// MinSample is the least number of shingles that a resemblance must rest on, the union of the
	// two samples, unless both are the whole sets. Default 1, as in the paper; 16 makes the
	// standard error at most 1/8.
	MinSample int

	// Super, if not zero, links documents that have at least so many super shingles in common,
	// instead of comparing sketches: 1 is the paper's mode, which needs no pairs at all; 2 of 6 is
	// later practice. Source: section 5.3.
	Super int

	// MemoryBytes bounds the buffers of the sorts. Default 512 MiB, at least 1 MiB.
	MemoryBytes int

	// Phase, if set, is called when a phase begins, by the goroutine that called Find.
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

func (o Options) withDefaults() Options {
	o.Threshold = cmp.Or(o.Threshold, defaultThreshold)
	o.MaxDocuments = cmp.Or(o.MaxDocuments, defaultMax)
	o.MinSample = cmp.Or(o.MinSample, 1)
	o.MemoryBytes = cmp.Or(o.MemoryBytes, defaultMemory)
	return o
}

// Phase is a part of the work, a row of the paper's cost table.
type Phase uint8

// The phases, in order. Shingles are merged and become pairs in one pass.
const (
	Reading Phase = iota
	Duplicates
	PairFormation
	PairMerging
	Formation
	phases
)

var phaseNames = [phases]string{
	"Sketching", "Duplicate elimination", "Shingle merging, ID-ID pair formation", "ID-ID merging",
	"Cluster formation",
}

// String is the name in the paper's table (section 7).
func (p Phase) String() string {
	if p < phases {
		return phaseNames[p]
	}
	return fmt.Sprintf("phase %d", uint8(p))
}

// Stats counts what Find did.
type Stats struct {
	Documents uint64
	Postings  uint64 // ⟨shingle, document⟩ that were compared
	Common    uint64 // shingles that were ignored
	Pairs     uint64 // pairs of documents with a shingle in common
	Clusters  uint64
	Members   uint64 // documents in clusters
}
