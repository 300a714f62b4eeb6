package flow

import (
	"cmp"
	"strings"

	"watershed/graph"
)

// PaperSeparators are the characters that cut a URL into tokens (Senellart 2003, figure 6). The dot
// is not among them: a host is one token, and so is the scheme.
const PaperSeparators = "/:?=&#;"

// Granularity is what the edit distance between two URLs counts.
type Granularity int

const (
	// Tokens are the maximal substrings without a separator.
	Tokens Granularity = iota
	// Characters are Unicode code points. The σ of the paper, 7.24, is of the size that characters
	// give: on real sites tokens give 0.75 to 2.1, characters 8 to 21.
	Characters
)

// Addresses holds the URLs of vertices as lists of numbers, one number for each distinct token. It
// takes four bytes a token and eight a vertex, beside the tokens themselves once each. It is not
// safe for concurrent use.
type Addresses struct {
	granularity Granularity
	separators  string
	numbers     map[string]uint32
	elements    []uint32
	spans       []span // by vertex
}

type span struct{ from, to uint32 }

// NewAddresses returns an empty collection; no separators mean those of the paper.
func NewAddresses(g Granularity, separators string) *Addresses {
	separators = cmp.Or(separators, PaperSeparators)
	return &Addresses{granularity: g, separators: separators, numbers: make(map[string]uint32)}
}

// Set gives u its URL. A vertex without one has the empty list.
func (a *Addresses) Set(u graph.ID, url string) {
	for len(a.spans) <= int(u) {
		a.spans = append(a.spans, span{})
	}
	from := uint32(len(a.elements))
	if a.granularity == Characters {
		for _, c := range url {
			a.elements = append(a.elements, uint32(c))
		}
	} else {
		a.addTokens(url)
	}
	a.spans[u] = span{from, uint32(len(a.elements))}
}

func (a *Addresses) addTokens(url string) {
	for url != "" {
		end := strings.IndexAny(url, a.separators)
		if end < 0 {
			end = len(url)
		}
		if end > 0 {
			a.elements = append(a.elements, a.number(url[:end]))
		}
		url = url[min(end+1, len(url)):]
	}
}

// number is the number of a token, a new one if it was never seen.
func (a *Addresses) number(token string) uint32 {
	k, ok := a.numbers[token]
	if !ok {
		k = uint32(len(a.numbers))
		a.numbers[strings.Clone(token)] = k
	}
	return k
}

// list is the URL of u.
func (a *Addresses) list(u graph.ID) []uint32 {
	if int(u) >= len(a.spans) {
		return nil
	}
	s := a.spans[u]
	return a.elements[s.from:s.to]
}

// Distance is the edit distance between the URLs of u and v, or limit+1 if it is more than limit.
func (a *Addresses) Distance(e *Editor, u, v graph.ID, limit int) int {
	return e.Distance(a.list(u), a.list(v), limit)
}
