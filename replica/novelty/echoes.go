package novelty

import (
	"iter"
	"strings"

	"watershed/page"
)

// echoes knows which addresses with a query only say again what their host has said: the same list in
// another order, the same file at each of its revisions, a form to which each page leads. They are known by
// patterns. Where the last pages of a pattern have brought nothing, the rest is left out.
//
// A page brings something if any piece of its text was not had before, or none that only few pages had and
// the whole is another than each before it: a record may be made of words that others have, too. So does a
// page that was the first to name an address of which that is true.
type echoes struct {
	had      [2]counts // how often each thing was had; what was of old alone is in the second
	patterns map[uint64]*echo
	found    map[uint64]arrival // by address
}

// arrival is how an address was found.
type arrival struct {
	by     page.URL // the page that was the first to name it
	brings bool
}

// echo is what the pages of a pattern have brought.
type echo struct {
	idle    int  // the last pages, that brought nothing
	brought bool // some before them did
	firsts  int  // addresses that had a word which none of the pattern had, when they were found
	refused bool // some since it was asked last whether they are to be fetched after all
}

// Bounds of what is known. Where addresses or patterns are too many, all is forgotten, and of what was had
// the older half: then it is new once more.
const (
	mostFound = 1 << 18
	mostHad   = 1 << 23    // counters
	learnt    = wordFactor // marks words of addresses that were not only found
)

// learn takes over the text of a page; and whether it brings something whatever that says. A piece that more
// than few pages had is of their frame, and tells nothing. It gives how many pieces, and rows of numbers,
// are new to the host.
func (e *echoes) learn(u page.URL, said pieces, brings bool, few int) (fresh, rows int) {
	host, copies := uint64(page.URL("said "+string(u.Host())).Key()), false
	for _, p := range said.each {
		n := e.count(p ^ host)
		if n == 0 {
			fresh++
		}
		copies = copies || n <= few && p&1 != 0
	}
	for _, p := range said.rows {
		if e.count(p^host) == 0 {
			rows++
		}
	}
	brings = brings || fresh+rows > 0
	brings = e.count(said.whole^host^wordSeed) == 0 && !copies || brings
	for l := range patternsOf(u) {
		e.of(l).idle++
		for w := range wordsIn(u) {
			e.count(l.key ^ w ^ learnt)
		}
	}
	const furthest = 64 // more are the pages of a long chain, each of which says something itself
	for n := 0; brings && n < furthest; n++ {
		for l := range patternsOf(u) {
			p := e.of(l)
			p.idle, p.brought = 0, true
		}
		a, ok := e.found[uint64(u.Key())]
		e.found[uint64(u.Key())] = arrival{a.by, true}
		if !ok { // nobody knows what led to it, as for a seed, or after a restart
			clear(e.patterns)
		}
		if a.brings || a.by == "" {
			break
		}
		u = a.by
	}
	return fresh, rows
}

// of gives what the pages of a pattern have brought.
func (e *echoes) of(l level) *echo {
	p := e.patterns[l.key]
	if p == nil {
		if len(e.patterns) >= mostFound {
			clear(e.patterns)
		}
		p = &echo{}
		e.patterns[l.key] = p
	}
	return p
}

// foundBy notes that a page was the first to name an address.
func (e *echoes) foundBy(u, by page.URL) {
	if len(e.found) >= mostFound {
		clear(e.found)
	}
	e.found[uint64(u.Key())] = arrival{by: by}
	for l := range patternsOf(u) {
		first := 0
		for w := range wordsIn(u) {
			if e.count(l.key^w) == 0 {
				first = 1
			}
		}
		e.of(l).firsts += first
	}
}

// refuses gives the pattern by which an address only repeats, "" for none: three times as many of its last
// pages brought nothing as it has addresses with a new word, and no fewer than least; none of the words of
// this one is new; and no other pattern of it, unless that is a wider one, has brought something of late. So
// nothing is kept out of what a site has a page of for each of its things. Of a pattern that repeats, some
// addresses go on for a while, as a sample.
func (e *echoes) refuses(u page.URL, least int) string {
	const sample, rounds = 32, 3
	for l := range patternsOf(u) {
		p := e.patterns[l.key]
		if p == nil {
			continue
		}
		enough := max(least, rounds*p.firsts)
		if p.idle < enough || p.idle < 2*enough && u.Key()%sample == 0 {
			continue
		}
		if !e.spares(u, l) {
			p.refused = true
			return l.String()
		}
	}
	return ""
}

// spares reports that an address is to be fetched although one of its patterns only repeats.
func (e *echoes) spares(u page.URL, repeats level) bool {
	const late = 2 * trialsOfKind
	for w := range wordsIn(u) {
		if e.times(repeats.key^w^learnt) == 0 {
			return true
		}
	}
	for l := range patternsOf(u) {
		wider := strings.HasPrefix(repeats.path, l.path) && (l.with == "" || l.with == repeats.with)
		if p := e.patterns[l.key]; p != nil && !wider && p.brought && p.idle < late {
			return true
		}
	}
	return false
}

// reconsiders reports, once, that a pattern has brought something since addresses of it were refused.
func (e *echoes) reconsiders() (some bool) {
	for _, p := range e.patterns {
		if p.refused && p.idle == 0 {
			p.refused, some = false, true
		}
	}
	return some
}

// wordsIn are the parts of which a program makes its addresses: the path, and each argument with its value.
func wordsIn(u page.URL) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		cut := func(r rune) bool { return r == '?' || r == '&' || r == ';' }
		for w := range strings.FieldsFuncSeq(string(u), cut) {
			if !yield(uint64(page.URL(w).Key())) {
				return
			}
		}
	}
}

// level is a pattern of addresses.
type level struct {
	key               uint64
	path, names, with string
}

func (l level) String() string { return l.path + "?" + l.names + l.with }

// patternsOf gives the patterns of an address with a query: its path, and each directory above that, with the
// names of the arguments; and the path, and the host, with these and each argument with its value.
func patternsOf(u page.URL) iter.Seq[level] {
	const mostArguments = 8
	return func(yield func(level) bool) {
		path, query, _ := strings.Cut(string(u), "?")
		if query == "" {
			return
		}
		names, root := arguments(query), len(u.Root())
		of := func(path, with string) bool {
			return yield(level{uint64(page.URL(path + "?" + names + with).Key()), path, names, with})
		}
		whole := numberless(path, root)
		more := of(whole, "")
		for dir := whole; more && len(dir) > root; {
			dir = dir[:strings.LastIndexByte(strings.TrimSuffix(dir, "/"), '/')+1]
			more = of(dir, "")
		}
		n := 0
		for arg := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' }) {
			if n++; !more || n > mostArguments {
				return
			}
			more = of(whole, " with "+arg) && of(whole[:root], " with "+arg)
		}
	}
}

// counts counts in a fixed space how often something was had, up to 255. It may take one thing for
// another, rarely.
type counts struct {
	cells []uint8
	used  int
}

func (c *counts) of(x uint64) (a, b *uint8) {
	if c.cells == nil {
		c.cells = make([]uint8, mostHad)
	}
	return &c.cells[x>>1%mostHad], &c.cells[x>>32%mostHad]
}

// times tells how often something was had.
func (e *echoes) times(x uint64) (n int) {
	for i := range e.had {
		a, b := e.had[i].of(x)
		n = max(n, int(min(*a, *b)))
	}
	return n
}

// count is times, and counts once more.
func (e *echoes) count(x uint64) (n int) {
	n = e.times(x)
	a, b := e.had[0].of(x)
	had := min(*a, *b)
	for _, c := range [2]*uint8{a, b} {
		if *c == 0 {
			e.had[0].used++
		}
		if *c == had && had < 1<<8-1 {
			*c = had + 1
		}
	}
	if e.had[0].used > mostHad/2 {
		e.had[0], e.had[1] = counts{}, e.had[0]
	}
	return n
}
