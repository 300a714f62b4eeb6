package prove

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// Outcome is what a test of one path came to. The names are those of Bharat and Broder 1999,
// section 3.2, whose list of them is lost; their table and thresholds leave no other reading.
type Outcome uint8

// The outcomes.
const (
	Open Outcome = iota // not decided yet
	SF                  // source failure: the path does not work where it was known
	TF                  // target failure: it does not work on the other side
	FM                  // fingerprint match: the same bytes
	FS                  // full similarity: the same text
	HS                  // high similarity
	TS                  // trace similarity
	NS                  // no similarity
	// not testable: robots.txt forbids it, it was out of reach, or it has no text; says nothing
	NT
	outcomes
)

var outcomeNames = [outcomes]string{"--", "SF", "TF", "FM", "FS", "HS", "TS", "NS", "NT"}

func (o Outcome) String() string {
	if o < outcomes {
		return outcomeNames[o]
	}
	return fmt.Sprintf("outcome %d", uint8(o))
}

// MarshalText implements encoding.TextMarshaler, for JSON.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// Counts are numbers of tests by their outcome.
type Counts [outcomes]int

// MarshalJSON gives an object of the outcomes that occurred.
func (c Counts) MarshalJSON() ([]byte, error) {
	named := map[Outcome]int{}
	for o, n := range c {
		if n > 0 {
			named[Outcome(o)] = n
		}
	}
	return json.Marshal(named)
}

// Tally counts the outcomes of the tests of a pair.
type Tally struct {
	Count Counts  `json:"count"`
	Sum   float64 `json:"sum"` // of the resemblances where both pages were had

	Root         Outcome `json:"root"`         // of the front pages, which is among those counted
	RootLikeness float64 `json:"rootLikeness"` // their resemblance

	From [2]Side `json:"from"` // the tests of paths known at A, and at B, the root not among them
}

// Side counts the tests of the paths that are known on one side of a pair. A path known on both
// counts on both.
type Side struct {
	Valid int `json:"valid"` // that work there
	Held  int `json:"held"`  // of these, that the other side has, too
	Alike int `json:"alike"` // of these, highly similar

	// part of the paths known of this side that are known of the other side, too, tested or not
	Listed      float64 `json:"listed"`
	ListedValid int     `json:"listedValid"` // of Valid, those
	ListedHeld  int     `json:"listedHeld"`  // of Held, those
}

// share estimates the part of the valid paths that the other side has; 0 where none was tested.
// Paths that are known of both sides and those that are not are two strata, whose sizes the lists
// tell: tests only say how much of each is there (W. Cochran, Sampling Techniques, 3rd ed. 1977,
// section 5.3).
func (s Side) share() float64 {
	if s.Valid == 0 {
		return 0
	}
	all := float64(s.Held) / float64(s.Valid)
	both, one := all, all
	if s.ListedValid > 0 {
		both = float64(s.ListedHeld) / float64(s.ListedValid)
	}
	if n := s.Valid - s.ListedValid; n > 0 {
		one = float64(s.Held-s.ListedHeld) / float64(n)
	}
	return s.Listed*both + (1-s.Listed)*one
}

// holds reports that the other side has a part of the valid paths, less the standard error of as
// many tests.
func (s Side) holds(part float64) bool {
	return s.share() >= part-math.Sqrt(part*(1-part)/float64(max(1, s.Valid)))-1e-9
}

func (s *Side) add(o Outcome, listed bool) {
	s.Valid++
	if listed {
		s.ListedValid++
	}
	if o != TF {
		s.Held++
		if listed {
			s.ListedHeld++
		}
	}
	if o == FM || o == FS || o == HS {
		s.Alike++
	}
}

// compared is the number of tests in which both pages were had.
func (t *Tally) compared() int {
	return t.Count[FM] + t.Count[FS] + t.Count[HS] + t.Count[TS] + t.Count[NS]
}

// similar is the number of tests in which both pages were highly similar or better.
func (t *Tally) similar() int { return t.Count[FM] + t.Count[FS] + t.Count[HS] }

// valid is the number of tests that say something of the path: those that did not fail at the
// source.
func (t *Tally) valid() int { return t.compared() + t.Count[TF] }

// Mean is the mean resemblance of the pages that were compared, 0 where none was.
func (t *Tally) Mean() float64 {
	if n := t.compared(); n > 0 {
		return min(t.Sum/float64(n), 1)
	}
	return 0
}

// String lists the outcomes that occurred: "FM 12, HS 3, TF 2".
func (t *Tally) String() string {
	var parts []string
	for _, o := range []Outcome{FM, FS, HS, TS, NS, TF, SF, NT, Open} {
		if n := t.Count[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", o, n))
		}
	}
	return strings.Join(parts, ", ")
}
