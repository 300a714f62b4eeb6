package judge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"watershed/graph"
	"watershed/page"
)

// Spelling rewrites the URLs of a truth, to judge boundaries where a URL says little.
type Spelling uint8

const (
	AsIs   Spelling = iota
	Flat            // the path becomes one name: http://host/a/b.html is http://host/a-b.html
	Hashed          // the path becomes a number: http://host/9a3f…
	spellings
)

var spellingNames = [spellings]string{"as-is", "flat", "hashed"}

func (s Spelling) String() string {
	if s >= spellings {
		return fmt.Sprintf("Spelling(%d)", uint8(s))
	}
	return spellingNames[s]
}

// Respell gives the same truth with other URLs: hosts, links, sites, entry pages and classes stay.
// The truth itself does not change.
func (t *Truth) Respell(s Spelling) *Truth {
	if s == AsIs {
		return t
	}
	c := &Truth{
		urls: make([]page.URL, len(t.urls)), site: t.site, links: t.links, sums: t.sums,
		sites: t.sites, byURL: make(map[page.URL]int32, len(t.urls)),
	}
	for v, u := range t.urls {
		name := fmt.Sprintf("%016x", uint64(u.Key()))
		if s == Flat {
			name = flatName(u)
		}
		spelt := u.Root() + page.URL(name)
		for _, twice := c.byURL[spelt]; twice; _, twice = c.byURL[spelt] {
			spelt += "-" // two paths that differ in separators alone
		}
		c.urls[v] = spelt
		c.byURL[spelt] = int32(v)
	}
	return c
}

// flatName is path and query as one name of letters that need no escape.
func flatName(u page.URL) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '.' || r == '_' || r == '~', '0' <= r && r <= '9', 'a' <= r && r <= 'z',
			'A' <= r && r <= 'Z':
			return r
		}
		return '-'
	}, strings.Trim(u.PathQuery(), "/"))
}

// large reports whether a site has more pages than the links of its entry page can pay for:
// out-degree over toll.
func (e *Evaluation) large(s TruthSite) bool {
	o := e.Options.WithDefaults()
	return int64(len(s.pages))*o.Toll() > int64(len(e.Truth.links[s.pages[0]]))*graph.Unit
}

// sortedKeys gives the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
