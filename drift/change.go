package drift

import (
	"fmt"
	"slices"

	"watershed/page"
)

// Kind is the kind of a change.
type Kind uint8

// The kinds.
const (
	Unchanged Kind = iota // same payload, or the same text and links
	Links                 // its links changed, and no other text
	Edited                // part of its text changed
	Rewritten             // more than half of its text changed
	Moved                 // it is under another address
	Gone                  // its server says that there is no such page
	Failed                // it could not be had
	Unlinked              // nothing asked for it: no page of its site links to it any more
	Unreached             // the run ended before its turn, as at a limit
	LeftOut               // a replica, for which another page stands, or kept out by robots.txt or the like
	Outside               // it no longer belongs to the site, or the harvest has the site no more
	Born                  // it was not there before
	Reached               // it was known before, and not had: outside, over a limit, or lost
	kinds
)

var kindNames = [...]string{
	"unchanged", "links", "edited", "rewritten", "moved", "gone", "failed",
	"unlinked", "unreached", "left out", "outside", "born", "reached",
}

func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// MarshalText implements encoding.TextMarshaler, for JSON.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (k *Kind) UnmarshalText(text []byte) error {
	i := slices.Index(kindNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is no kind of change", text)
	}
	*k = Kind(i)
	return nil
}

// Change is the change of one page.
type Change struct {
	Kind Kind     `json:"kind"`
	URL  page.URL `json:"url"`          // of the older harvest; of a page that was born, its own
	To   page.URL `json:"to,omitempty"` // where it moved, or what stands for it
	Site string   `json:"site"`
	// Resemblance of the text before and after, 0 to 1; below 0 where it is not known.
	Resemblance float64 `json:"resemblance"`
	How         string  `json:"how,omitempty"`    // of a move: redirect, payload or resemblance
	Status      int     `json:"status,omitempty"` // of what is gone or failed
}
