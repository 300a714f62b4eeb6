package sitemap

import (
	"cmp"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"watershed/graph"
	"watershed/page"
)

// sayings keeps a sample of what links and titles say, by the directory of the page that they speak of: a few texts of links
// that come from outside the directory, and a few titles. Links from other hosts come before those of the same, and of one
// place (a host's top directory) the same text is kept once, the one met first, so that a template does not fill the sample;
// among equals a hash decides. Beyond mostSayings directories the deepest are given up, for good.
//
// A link costs a hash. A directory takes 0.5 KiB at most, and all together 50 MiB at most; titles and texts are 10 to 20
// bytes mostly.
type sayings struct {
	dirs   map[dirID]*said
	deeper uint16 // directories of this depth and more are not kept; 0 is no bound

	words *vocabulary // nil when anything was learned since
}

// vocabulary tells which parts of the web, hosts' top directories, are called what: terms of link texts and titles, and link
// texts as a whole.
type vocabulary struct {
	with  map[string][]dirID
	parts map[dirID]bool // all of which anything is said
}

type said struct {
	links  []saying // by rank, at most mostLinkTexts
	titles []saying // the shortest URLs first, at most mostTitles
}

// saying is one text.
type saying struct {
	rank     uint64
	from, to graph.ID
	text     string
}

const (
	mostSayings   = 1 << 16 // directories
	mostLinkTexts = 8       // of a directory
	mostTitles    = 2
	mostTextBytes = 64 // of a text that is kept
)

// learn takes over what a page that answered says of others and of itself.
func (s *sayings) learn(w *web, id graph.ID, v *page.Visit) {
	if s.dirs == nil {
		s.dirs = make(map[dirID]*said)
	}
	s.words = nil
	if v.Title != "" {
		s.title(w, id, v.Title)
	}
	from := w.dir[id]
	root := w.dirs.nodes[from].root
	place := xxh3.HashString(w.dirs.path(w.dirs.top(from)))
	for i := range v.Links {
		l := &v.Links[i]
		if l.Text == "" || !l.Kind.Joins() || l.NoFollow || l.URL == v.URL {
			continue
		}
		to := w.find(l.URL)
		if to == graph.None {
			continue
		}
		d := w.dir[to]
		same := w.dirs.nodes[d].root == root
		if same && w.dirs.contains(d, from) {
			continue // from inside the directory
		}
		text := clip(l.Text)
		rank := xxh3.HashStringSeed(text, place)>>1 | uint64(b2i(same))<<63
		if k := s.at(w, d); k != nil {
			k.links = keep(k.links, saying{rank, id, to, text}, mostLinkTexts)
		}
	}
}

// title keeps the title of a page, if its URL is one of the shortest of its directory.
func (s *sayings) title(w *web, id graph.ID, text string) {
	u := w.text[id]
	rank := uint64(len(u))<<48 | uint64(u.Key())>>16
	if k := s.at(w, w.dir[id]); k != nil {
		k.titles = keep(k.titles, saying{rank, id, id, clip(text)}, mostTitles)
	}
}

// at gives what is kept of a directory, nil for one that is too deep.
func (s *sayings) at(w *web, d dirID) *said {
	depth := w.dirs.nodes[d].depth
	if s.deeper > 0 && depth >= s.deeper {
		return nil
	}
	k := s.dirs[d]
	if k == nil {
		k = new(said)
		s.dirs[d] = k
		if len(s.dirs) > mostSayings {
			s.shrink(w)
		}
	}
	return k
}

// shrink gives up the deepest directories until half of what may be kept is left, or only hosts' roots.
func (s *sayings) shrink(w *web) {
	var byDepth []int
	for d := range s.dirs {
		depth := int(w.dirs.nodes[d].depth)
		for len(byDepth) <= depth {
			byDepth = append(byDepth, 0)
		}
		byDepth[depth]++
	}
	s.deeper = uint16(len(byDepth))
	for left := len(s.dirs); left > mostSayings/2 && s.deeper > 1; {
		s.deeper--
		left -= byDepth[s.deeper]
	}
	for d := range s.dirs {
		if w.dirs.nodes[d].depth >= s.deeper {
			delete(s.dirs, d)
		}
	}
}

// keep adds a saying to a list by rank, at most so many; of equal rank, which is the same text from the same place, the first
// stays.
func keep(list []saying, x saying, most int) []saying {
	i, again := slices.BinarySearchFunc(list, x, func(a, b saying) int { return cmp.Compare(a.rank, b.rank) })
	if again || i == most {
		return list
	}
	list = list[:min(len(list), most-1)]
	x.text = strings.Clone(x.text) // it is a part of a page
	return slices.Insert(list, i, x)
}

// clip cuts a text to mostTextBytes, between characters.
func clip(text string) string {
	if len(text) <= mostTextBytes {
		return text
	}
	return strings.ToValidUTF8(text[:mostTextBytes], "")
}

// vocabulary is made anew when anything was learned since the last time. It costs O(what is kept).
func (w *web) vocabulary() *vocabulary {
	s := &w.sayings
	if s.words != nil {
		return s.words
	}
	v := &vocabulary{with: make(map[string][]dirID), parts: make(map[dirID]bool)}
	byPart := make(map[dirID]map[string]bool)
	for d, k := range s.dirs {
		part := w.dirs.top(d)
		if byPart[part] == nil {
			byPart[part] = make(map[string]bool)
		}
		for _, list := range [][]saying{k.links, k.titles} {
			for _, x := range list {
				v.parts[part] = true
				byPart[part][folded(x.text)] = true
				for _, t := range terms(x.text) {
					byPart[part][t] = true
				}
			}
		}
	}
	for part, said := range byPart {
		for t := range said {
			v.with[t] = append(v.with[t], part)
		}
	}
	s.words = v
	return v
}
