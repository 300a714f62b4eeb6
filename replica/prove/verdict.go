package prove

import (
	"fmt"
	"strings"

	"watershed/replica"
)

// Pair is two hosts, or two directories, named as in a replica.Entry.
type Pair struct {
	A string `json:"a"`
	B string `json:"b"`
}

// sorted is the pair with the lesser name first, by which it is looked up.
func (p Pair) sorted() Pair { return Pair{min(p.A, p.B), max(p.A, p.B)} }

func (p Pair) String() string { return p.A + " = " + p.B }

// Class is what a pair is found to be.
type Class uint8

// The classes of Bharat and Broder 1999, section 3.2, Table 1, and two more.
const (
	Undetermined  Class = iota // nothing could be compared, or too little
	Level1                     // same structure, identical content
	Level2                     // same structure, equivalent content
	Level3                     // same structure, similar content
	Level4                     // part of the structure, similar content
	Level5                     // same structure, related content
	Mirror                     // Method Mirroring: mirrors, of no level
	Mismatch                   // not similar
	DNSFailure                 // one of the host names has no address
	ServerFailure              // one of the servers was out of reach
	classes
)

var classNames = [classes]string{
	"undetermined", "level 1", "level 2", "level 3", "level 4", "level 5",
	"mirror", "mismatch", "DNS failure", "server failure",
}

func (c Class) String() string {
	if c < classes {
		return classNames[c]
	}
	return fmt.Sprintf("class %d", uint8(c))
}

// MarshalText implements encoding.TextMarshaler, for JSON.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler, for JSON.
func (c *Class) UnmarshalText(text []byte) error {
	for i, name := range classNames {
		if name == string(text) {
			*c = Class(i)
			return nil
		}
	}
	return fmt.Errorf("prove: no class is called %q", text)
}

// Replicates reports that one may stand for the other: level 1 to 5, or a mirror of no level.
func (c Class) Replicates() bool { return c >= Level1 && c <= Mirror }

// whole reports that each may stand for the other altogether: levels 1 to 3, or a mirror of no
// level. The relation is taken for transitive.
func (c Class) whole() bool { return c >= Level1 && c <= Level3 || c == Mirror }

// Level is that of a replica.Entry, 0 where there is none.
func (c Class) Level() int {
	if c >= Level1 && c <= Level5 {
		return int(c)
	}
	return 0
}

// Verdict is what a pair was found to be.
type Verdict struct {
	Pair
	Class    Class `json:"class"`
	Inferred bool  `json:"inferred"` // from the verdicts of other pairs, without a test
	// the replica that was tested in place of one that was out of reach; else ""
	Through string `json:"through,omitempty"`
	// Trees are the directories that were tested in place of two hosts, "" where these were tested
	// as a whole: nearly all of what both are known to have lies in them, and B has more besides.
	Trees Pair  `json:"trees,omitzero"`
	Tally Tally `json:"tally"`
}

// Entry is the verdict as a proposed entry of the table. The function prefer says which name stands:
// below 0 for the first.
func (v *Verdict) Entry(prefer func(a, b string) int) replica.Entry {
	x := v.Pair
	if v.Trees.A != "" {
		x = v.Trees
	}
	from, to, side := x.B, x.A, v.Tally.From[1]
	if prefer(v.A, v.B) > 0 {
		from, to, side = x.A, x.B, v.Tally.From[0]
	}
	e := replica.Entry{From: from, To: to, Level: v.Class.Level(), Method: "test", Note: v.Note()}
	e.Evidence = v.evidence(side)
	return e
}

// evidence is what the table keeps of the tests.
func (v *Verdict) evidence(side Side) replica.Evidence {
	return replica.Evidence{
		Tested: v.Tally.valid(), Agreed: v.Tally.similar(), Resemblance: v.Tally.Mean(),
		Containment: side.share(),
	}
}

// Note tells on what the verdict rests, in a line.
func (v *Verdict) Note() string {
	parts := []string{v.Class.String()}
	if v.Inferred {
		parts = append(parts, "inferred")
	}
	if v.Through != "" {
		parts = append(parts, "tested through "+v.Through)
	}
	if v.Trees.A != "" {
		parts = append(parts, "of "+v.Trees.String())
	}
	if t := v.Tally.String(); t != "" {
		parts = append(parts, t)
	}
	return strings.Join(parts, "; ")
}

// Refutes reports that the pair is no copy, and need not be proposed again: pages besides the front
// page were compared, or are missing, and fewer than half of them agree. A mismatch for less, such
// as one page that is missing or a front page of its own, is left open.
func (v *Verdict) Refutes() bool {
	t := v.Tally.besides()
	return v.Class == Mismatch && (v.Inferred || t.valid() > 0 && 2*t.similar() < t.valid())
}

// Safe reports that nothing but what the other side has too would be lost if the replica that Entry
// names were left out, and that leaving it out spares something: the levels 1 to 3; and level 4
// where the other side has nearly all of the replica's paths, and each page compared but the front
// page was highly similar. Two hosts that have a directory in common are of level 4, too.
func (v *Verdict) Safe() bool {
	t := v.Tally.besides()
	side := t.From[0]
	if t.From[1].share() > side.share() {
		side = t.From[1]
	}
	held := side.Valid > 0 && side.holds(wholeShare)
	return v.Class.whole() || v.Class == Level4 && t.Count[NS]+t.Count[TS] == 0 && held
}

// wholeShare is the part of a partial mirror's own paths that the other side must have for it to be
// left out as a whole: the default of Options.Structure.
const wholeShare = .9
