// Package soft404 recognises pages that answer with success and say that there is no such page.
//
// When pages of a directory are alike, a Guard asks for two siblings that nobody can have made:
// addresses of the directory with random names. A directory that answers both with pages that are
// alike has soft errors, and pages below it that resemble the answers as much as these resemble
// each other are such errors. (Error pages often repeat the address; a page that only shares menus
// with them resembles them less.) A page whose text is mostly that of all pages resembles them, too:
// it is no error where it leads to what neither answer leads to, or has another title than both. A
// directory whose server says 404 has none, and is not asked again. At most Options.Probes
// directories of a host are asked.
//
// Bharat, Broder, Dean and Henzinger (A Comparison of Techniques to Find Mirrored Hosts, 2000) meet
// such pages as false mirrors; the random sibling is from Bar-Yossef, Broder, Kumar and Tomkins,
// Sic transit gloria telae, 2004, section 3.
package soft404

import (
	"cmp"
	"fmt"
	"iter"
	"net/url"
	"strings"

	"github.com/zeebo/xxh3"

	"watershed/page"
	"watershed/replica/sketch"
)

// Options of a Guard. The zero value has the documented defaults.
type Options struct {
	// Alike is the resemblance of two pages of a directory from which on it is asked, and the least
	// of the two answers. Default 0.5.
	Alike float64
	// Slack is how much less a page may resemble an answer than the answers each other. Default
	// 0.08, two standard errors of a sketch of 128 values.
	Slack float64
	// Probes is how many directories of a host are asked at most. Default 16.
	Probes int
	// Directories is how many directories that were not asked are remembered, with two pages each;
	// those of which nothing came for longest are forgotten. Default 16384, some 32 MiB.
	Directories int
	// Seed makes the random names. Equal seeds ask for equal names.
	Seed uint64
}

// Guard learns visits in their order. It keeps the answers of the directories that were asked, and
// two sketches, some 2 KB, of each other directory that may still be: of at most
// Options.Directories. Of each directory with seeds it keeps 16 bytes. It is not safe for concurrent
// use.
type Guard struct {
	opts   Options
	dirs   map[string]*directory   // asked
	probes map[page.URL]*directory // asked for and not answered
	asked  map[page.Host]int
	wants  []page.URL
	// entries are the pages to which the first seed of a directory leads, by the directory's hash
	entries map[uint64]page.Key

	recent, older map[string]*recent // by directory; older are those that are forgotten next
	spare         *sketch.Sketch     // to read the next one into
}

// directory is one that was asked.
type directory struct {
	name   uint64         // its hash
	answer *sketch.Sketch // to the random siblings; nil while there is none
	least  float64        // resemblance with it that makes an error; 0 while only one has answered
	title  string         // of both; "" for none
	links  map[uint64]bool
}

// mostLinks is how many names of links are kept of a directory; where it has more, they tell nothing.
const mostLinks = 1 << 10

// recent are the last pages of a directory that were not errors.
type recent struct {
	pages [2]*sketch.Sketch
	next  int
}

// New makes a Guard that has seen nothing.
func New(o Options) *Guard {
	o.Alike, o.Slack = cmp.Or(o.Alike, .5), cmp.Or(o.Slack, .08)
	o.Probes, o.Directories = cmp.Or(o.Probes, 16), cmp.Or(o.Directories, 1<<14)
	return &Guard{
		opts: o, dirs: map[string]*directory{}, probes: map[page.URL]*directory{}, asked: map[page.Host]int{},
		entries: map[uint64]page.Key{}, recent: map[string]*recent{}, spare: new(sketch.Sketch),
	}
}

// Wants gives the random siblings that came to be wanted since the last call.
func (g *Guard) Wants() []page.URL {
	wants := g.wants
	g.wants = nil
	return wants
}

// Asked reports a random sibling that was asked for and not answered.
func (g *Guard) Asked(u page.URL) bool { return g.probes[u] != nil }

// Learn takes over a visit and reports whether its page is an error although it answered with
// success. It keeps nothing of the visit.
func (g *Guard) Learn(v *page.Visit) (soft bool) {
	probed := g.probes[v.URL]
	delete(g.probes, v.URL)
	_, text := v.Shown()
	if !v.OK() || len(text) == 0 {
		return probed != nil && v.Undrawn() // a shell answers for all that its scripts draw
	}
	g.enter(v)
	name := v.URL.Directory()
	_, known := g.dirs[name]
	spent := known || g.asked[v.URL.Host()] >= g.opts.Probes
	if probed == nil && spent && len(g.answers(v.URL)) == 0 {
		return false // nothing hangs on what it says
	}
	s := g.spare
	if s.Decode(text) != nil {
		return false // of another version: nothing can be said
	}
	if probed != nil {
		g.answered(probed, s, v)
		return true
	}
	for _, d := range g.answers(v.URL) {
		if !g.isEntry(v.URL, d) && sketch.Reaches(d.answer, s, d.least) && !d.differs(v) {
			return true
		}
	}
	if !spent {
		g.compare(v.URL, name, s)
	}
	return false
}

// enter takes the page to which a seed leads for the entry of the directories in which it lies, where
// no seed came before.
func (g *Guard) enter(v *page.Visit) {
	if strings.Trim(v.Hops, "R") != "" {
		return
	}
	for name := range v.URL.Directories() {
		if hash := xxh3.HashString(name); g.entries[hash] == 0 {
			g.entries[hash] = v.URL.Key()
		}
	}
}

// isEntry reports the page that a server may well give in place of any in a directory: the home page
// of the host, or the first seed's. Seeds that come after it may be dead, as those of a list.
func (g *Guard) isEntry(u page.URL, d *directory) bool {
	return u.PathQuery() == "/" || g.entries[d.name] == u.Key()
}

// compare asks the directory of a page if that is like one of the last ones there, and else
// remembers it.
func (g *Guard) compare(u page.URL, name string, s *sketch.Sketch) {
	r := g.recentOf(name)
	for _, old := range r.pages {
		if old != nil && sketch.Reaches(old, s, g.opts.Alike) {
			g.ask(u, name)
			delete(g.recent, name)
			return
		}
	}
	r.pages[r.next], g.spare = s, cmp.Or(r.pages[r.next], new(sketch.Sketch))
	r.next = (r.next + 1) % len(r.pages)
}

// recentOf gives the last pages of a directory. When half of the directories that may be kept have
// come anew, those of which nothing came meanwhile are forgotten.
func (g *Guard) recentOf(name string) *recent {
	r := g.recent[name]
	if r != nil {
		return r
	}
	if r = g.older[name]; r == nil {
		r = &recent{}
	}
	if len(g.recent) >= max(1, g.opts.Directories/2) {
		g.recent, g.older = map[string]*recent{}, g.recent
	}
	delete(g.older, name)
	g.recent[strings.Clone(name)] = r // it is a part of a page's URL
	return r
}

// answers gives the directories, that of a page and those above it, of which it is known what they
// answer to a random sibling.
func (g *Guard) answers(u page.URL) (list []*directory) {
	if g.asked[u.Host()] == 0 {
		return nil
	}
	name, root := u.Directory(), len(u.Root())
	for {
		if d := g.dirs[name]; d != nil && d.least > 0 {
			list = append(list, d)
		}
		if len(name) <= root {
			return list
		}
		name = page.URL(name[:len(name)-1]).Directory()
	}
}

// answered takes the answer to a random sibling.
func (g *Guard) answered(d *directory, s *sketch.Sketch, v *page.Visit) {
	for names := range leads(v) {
		if len(d.links) < mostLinks {
			d.links[names[0]], d.links[names[1]] = true, true
		}
	}
	if d.answer == nil {
		d.answer, g.spare, d.title = s, new(sketch.Sketch), strings.Clone(v.Title)
		return
	}
	if d.title != v.Title {
		d.title = ""
	}
	if r := alike(d.answer, s); r >= g.opts.Alike {
		d.least = max(g.opts.Alike, r-g.opts.Slack)
	}
}

// differs reports a page that is none of the answers by its title or by where it leads.
func (d *directory) differs(v *page.Visit) bool {
	if d.title != "" && v.Title != "" && v.Title != d.title {
		return true
	}
	if len(d.links) >= mostLinks {
		return false
	}
	for names := range leads(v) {
		if !d.links[names[0]] && !d.links[names[1]] {
			return true
		}
	}
	return false
}

// leads gives the names of the pages of its host that a page leads to, but for itself and those whose address
// has its own: of each by the whole address, and by that from the page's directory on.
func leads(v *page.Visit) iter.Seq[[2]uint64] {
	return func(yield func([2]uint64) bool) {
		for i := range v.Links {
			l := &v.Links[i]
			if l.Kind != page.Navigation || l.URL.Host() != v.URL.Host() || v.URL.PathQuery() != "/" &&
				strings.Contains(unescaped(string(l.URL)), unescaped(v.URL.PathQuery())) {
				continue
			}
			below := strings.TrimPrefix(string(l.URL), v.URL.Directory())
			if !yield([2]uint64{xxh3.HashString(string(l.URL)), xxh3.HashString(below)}) {
				return
			}
		}
	}
}

func unescaped(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// ask wants the random siblings of a directory.
func (g *Guard) ask(u page.URL, name string) {
	name = strings.Clone(name) // as in recentOf
	d := &directory{name: xxh3.HashString(name), links: map[uint64]bool{}}
	g.dirs[name] = d
	g.asked[page.Host(strings.Clone(string(u.Host())))]++
	for i := range uint64(2) {
		random := xxh3.HashStringSeed(name, 2*g.opts.Seed+i)
		probe, err := page.ParseURL(fmt.Sprintf("%s%016x.html", name, random))
		if err != nil {
			return // never: the directory is that of a URL
		}
		g.probes[probe] = d
		g.wants = append(g.wants, probe)
	}
}

// alike is the estimated resemblance; 0 for what cannot be compared.
func alike(a, b *sketch.Sketch) float64 {
	r, err := sketch.Resemblance(a, b)
	if err != nil {
		return 0
	}
	return r.Value
}
