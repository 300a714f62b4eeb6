package sitemap

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"watershed/graph"
	"watershed/page"
)

// sayings keeps a sample of the texts of links and titles, by the directory of the page to which
// they belong: a few texts of links that come from outside the directory, and a few titles. Links
// from other hosts come before those of the same, and of one place (a host's top directory) the
// same text is kept once, the one met first, so that a template does not fill the sample; among
// equals a hash decides. Beyond mostSayings directories those of the highest grade are given up,
// for good: see grade.
//
// A link costs a hash, and O(1) amortised for directories that are given up. A directory takes 0.5
// KiB at most, and all together 50 MiB at most; titles and texts are 10 to 20 bytes mostly.
type sayings struct {
	dirs map[dirID]*said
	kept int // directories of this grade and more are not kept; 0 is no bound

	words *vocabulary // nil when anything was learned since
}

// vocabulary tells which parts of the web, hosts' top directories, are called what: terms of link
// texts and titles, and link texts as a whole.
type vocabulary struct {
	with  map[string][]dirID // ascending
	parts map[dirID]bool     // all of which anything is said
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

// learn takes over the texts of an answered page on others and on itself; its links are those that
// the web has read last.
func (s *sayings) learn(w *web, id graph.ID, v *page.Visit) {
	if s.dirs == nil {
		s.dirs = make(map[dirID]*said)
	}
	s.words = nil
	if v.Title != "" {
		s.title(w, id, v)
	}
	from := w.dir[id]
	root := w.dirs.nodes[from].root
	place := xxh3.HashString(w.dirs.path(w.dirs.top(from)))
	var k *said // of the directory before: many links lead to the same one
	last := noDir
	for i := range v.Links {
		l := &v.Links[i]
		to := w.linked[i]
		if l.Text == "" || !l.Kind.Joins() || l.NoFollow || to == graph.None {
			continue
		}
		d := w.dir[to]
		same := w.dirs.nodes[d].root == root
		if same && w.dirs.contains(d, from) {
			continue // from inside the directory
		}
		text := clip(l.Text)
		rank := xxh3.HashStringSeed(text, place)>>1 | uint64(b2i(same))<<63
		if d != last {
			k, last = s.at(w, d, false), d
		}
		if k != nil {
			k.links = keep(k.links, saying{rank, id, to, text}, mostLinkTexts)
		}
	}
}

// title keeps the title of a page, if its URL is one of the shortest of its directory; of a page that
// was drawn since, the title that it has by now.
func (s *sayings) title(w *web, id graph.ID, v *page.Visit) {
	rank := uint64(len(v.URL))<<48 | uint64(v.URL.Key())>>16
	if k := s.at(w, w.dir[id], true); k != nil {
		k.titles = slices.DeleteFunc(k.titles, func(x saying) bool { return x.from == id })
		k.titles = keep(k.titles, saying{rank, id, id, clip(v.Title)}, mostTitles)
	}
}

// at gives the texts kept of a directory, nil for a directory that is given up. titled tells that
// it has a page with a title.
func (s *sayings) at(w *web, d dirID, titled bool) *said {
	k := s.dirs[d]
	if k != nil {
		return k
	}
	if s.kept > 0 && w.dirs.grade(d, titled) >= s.kept {
		return nil
	}
	k = new(said)
	s.dirs[d] = k
	if len(s.dirs) > mostSayings {
		s.shrink(w)
	}
	return k
}

// grade says how soon a directory is given up, the highest first: the deepest; then hosts' roots of
// which no page has told a title, which a single page may name by the thousand; then the other
// roots. A hash takes half of the roots, then half of those left, and so on.
func (t *directories) grade(d dirID, titled bool) int {
	if n := &t.nodes[d]; n.depth > 0 {
		return 2*rootGrades + int(n.depth)
	}
	grade := rootGrades - bits.LeadingZeros64(xxh3.HashString(string(t.host(d))))
	if !titled {
		grade += rootGrades
	}
	return grade
}

// rootGrades is how many grades the hash of a host has, 1 to rootGrades with the zeros before its
// first one.
const rootGrades = 65

// shrink gives up the directories of the highest grades until at most half of what may be kept is
// left: so it costs O(1) for each that came since the last time.
func (s *sayings) shrink(w *web) {
	var count []int // by grade
	for d, k := range s.dirs {
		grade := w.dirs.grade(d, len(k.titles) > 0)
		if grade >= len(count) {
			count = append(count, make([]int, grade+1-len(count))...)
		}
		count[grade]++
	}
	s.kept = len(count)
	for left := len(s.dirs); left > mostSayings/2; {
		s.kept--
		left -= count[s.kept]
	}
	for d, k := range s.dirs {
		if w.dirs.grade(d, len(k.titles) > 0) >= s.kept {
			delete(s.dirs, d)
		}
	}
}

// keep adds a saying to a list by rank, at most so many; of equal rank, which is the same text from
// the same place, the first stays.
func keep(list []saying, x saying, most int) []saying {
	i, again := slices.BinarySearchFunc(list, x, func(a, b saying) int { return cmp.Compare(a.rank, b.rank) })
	if again || i == most {
		return list
	}
	list = list[:min(len(list), most-1)]
	x.text = strings.Clone(x.text) // it is a part of a page
	return slices.Insert(list, i, x)
}

// clip cuts a text to mostTextBytes, between characters, and shows that it did.
func clip(text string) string {
	if len(text) <= mostTextBytes {
		return text
	}
	const cut = "…"
	return strings.ToValidUTF8(text[:mostTextBytes-len(cut)], "") + cut
}

// vocabulary is made anew when anything was learned since the last time. It costs O(texts kept).
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
	for _, part := range slices.Sorted(maps.Keys(byPart)) {
		for t := range byPart[part] {
			v.with[t] = append(v.with[t], part)
		}
	}
	s.words = v
	return v
}
