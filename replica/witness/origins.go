package witness

import (
	"cmp"
	"iter"
	"math"
	"math/bits"
	"regexp"
	"strings"
	"time"

	"github.com/zeebo/xxh3"
	"golang.org/x/net/publicsuffix"
	"golang.org/x/text/language"

	"watershed/page"
)

// Origins gathers from visits which of several places with the same pages was the first to publish
// them. A place is a directory, or a host as the directory of all its pages. It is not safe for
// concurrent use. It takes some 100 bytes for each host and each host of another registrable domain to
// which it leads, and 40 for each directory of pages, or to which such links lead, up to deepest below
// its host.
type Origins struct {
	seeds  map[page.Host]int    // by their order, from 1
	says   map[page.Host]int    // how many hosts name it as theirs, less those that it names
	leads  map[[2]page.Host]int // pages of a host that lead to another one
	linked map[uint64]uint64    // a directory's domains that lead to it: see Linked
	dated  map[uint64]int64     // the earliest date of a directory's pages, in seconds since 1970
	met    map[page.Host]int64  // when the crawl met it
	domain map[page.Host]string
	hosts  hosts
	seen   map[[2]page.Host]bool // who names whom
}

// deepest bounds in how many directories a page is counted.
const deepest = 6

// NewOrigins makes one that knows of seeds alone, which it prefers.
func NewOrigins(seeds []page.URL) *Origins {
	o := &Origins{
		seeds: map[page.Host]int{}, says: map[page.Host]int{}, leads: map[[2]page.Host]int{},
		linked: map[uint64]uint64{}, dated: map[uint64]int64{}, met: map[page.Host]int64{},
		domain: map[page.Host]string{}, hosts: hosts{}, seen: map[[2]page.Host]bool{},
	}
	for i, u := range seeds {
		o.seeds[u.Host()] = cmp.Or(o.seeds[u.Host()], i+1)
	}
	return o
}

// places are the directories of a URL that are told apart, each as a number.
func places(u page.URL) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		depth := 0
		for dir := range u.Directories() {
			if depth++; depth > deepest || !yield(place(dir)) {
				return
			}
		}
	}
}

// place is the number of a directory, whichever its scheme is.
func place(dir string) uint64 {
	_, rest, _ := strings.Cut(dir, "://")
	return xxh3.HashString(rest)
}

// Learn takes over a visit, of which it keeps no memory. Cost: linear in its links.
func (o *Origins) Learn(v *page.Visit) {
	h := o.hosts.own(v.URL.Host())
	if t := v.Time.UnixMilli(); o.met[h] == 0 || t < o.met[h] {
		o.met[h] = t
	}
	if t, err := time.Parse(httpDate, v.LastModified); err == nil {
		for x := range places(v.URL) {
			if d, known := o.dated[x]; !known || t.Unix() < d {
				o.dated[x] = t.Unix()
			}
		}
	}
	led := map[page.Host]bool{}
	for i := range v.Links {
		l := &v.Links[i]
		to := l.URL.Host()
		if to == h {
			continue
		}
		to = o.hosts.own(to)
		switch {
		case (l.Kind == page.Canonical || l.Kind == page.Redirect && (v.Status == 301 || v.Status == 308)) &&
			l.URL.PathQuery() == v.URL.PathQuery():
			if p := [2]page.Host{h, to}; !o.seen[p] {
				o.seen[p] = true
				o.says[h]--
				o.says[to]++
			}
		case l.Kind.Joins() && o.registrable(h) != o.registrable(to):
			bit := uint64(1) << (xxh3.HashString(o.registrable(h)) % 64)
			for x := range places(l.URL) {
				o.linked[x] |= bit
			}
			if !led[to] {
				led[to] = true
				o.leads[[2]page.Host{h, to}]++
			}
		}
	}
}

func (o *Origins) registrable(h page.Host) string {
	d, known := o.domain[h]
	if !known {
		d = h.Registrable()
		o.domain[h] = d
	}
	return d
}

// httpDate is the form of dates that RFC 9110, section 5.6.7, has servers send.
const httpDate = "Mon, 02 Jan 2006 15:04:05 GMT"

// Linked is how many registrable domains lead to a place that is not theirs, as counted by a bit for
// each (Whang, Vander-Zanden, Taylor, A linear-time probabilistic counting algorithm, 1990): 64 bits
// tell 20 within 2, and 270 at most.
func (o *Origins) Linked(dir page.URL) int {
	const most = 64
	set := float64(min(bits.OnesCount64(o.linked[place(string(dir))]), most-1))
	return int(math.Round(-most * math.Log(1-set/most)))
}

// Seeds is below 0 where host a has a seed and host b has none.
func (o *Origins) Seeds(a, b page.Host) int { return compareBool(o.seeds[b] > 0, o.seeds[a] > 0) }

// Compare is below 0 where what lies below the directory a is rather the original than that below b,
// and 0 where nothing tells: by seeds; by canonical names and lasting redirects of their hosts; by the
// pages of each host that lead to the other, for a copy goes on naming its original, where one has
// clearly more; by the domains that lead to each place, likewise; by names such as mirror.example.org,
// jp.example.org, example.org/mirrors/ and, of places of one host, example.org/archive/2019/; and by the
// dates that pages tell, where both places have such: but fewer domains that lead to a place say more
// than an earlier date, for that may be one of an older edition.
func (o *Origins) Compare(a, b page.URL) int {
	h, k := a.Host(), b.Host()
	x, y := o.dated[place(string(a))], o.dated[place(string(b))]
	if x == 0 || y == 0 {
		x, y = 0, 0
	}
	dated := cmp.Compare(x, y)
	if dated != 0 {
		dated = cmp.Or(more(o.Linked(b), o.Linked(a), 1), dated)
	}
	return cmp.Or(o.Seeds(h, k), cmp.Compare(o.says[k], o.says[h]),
		more(o.leads[[2]page.Host{h, k}], o.leads[[2]page.Host{k, h}], 2), more(o.Linked(b), o.Linked(a), 2),
		compareBool(namedCopy(a, b), namedCopy(b, a)), dated)
}

// Order is below 0 where host a was met before b: as an earlier seed, or by an earlier visit.
func (o *Origins) Order(a, b page.Host) int {
	const none = math.MaxInt
	return cmp.Or(cmp.Compare(cmp.Or(o.seeds[a], none), cmp.Or(o.seeds[b], none)),
		cmp.Compare(o.met[a], o.met[b]))
}

// more compares two counts of links: 0 unless one is at least twice the other and they differ by more
// than so many standard errors of numbers of rare events, whose roots have one of a half each.
func more(n, m int, errors float64) int {
	far := math.Abs(math.Sqrt(float64(n))-math.Sqrt(float64(m))) >= errors/math.Sqrt2
	if max(n, m) < 2*min(n, m) || !far {
		return 0
	}
	return cmp.Compare(n, m)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// copyName matches names that hosts of copies have: mirror.example.org, ftp.example.org,
// www2.example.org.
var copyName = regexp.MustCompile(`mirror|(^|[.-])(ftp|rsync|cache|copy|backup|www\d)\d*[.-]`)

// copyPath matches paths below which copies lie: /pub/mirrors/example/.
var copyPath = regexp.MustCompile(`/mirrors?/`)

// viewPath matches paths below which a host has its own pages once more.
var viewPath = regexp.MustCompile(`/(archives?|old|print|printable|mobile|amp)/`)

// namedCopy reports a place whose name says that it is a copy of another one: by the kind of its host,
// or a directory for such, or by a country before the name of the other host, as jp.example.org beside
// www.example.org. On one host, where all this says nothing, it is the place in more directories:
// /archive/2019/news/ beside /news/.
func namedCopy(u, of page.URL) bool {
	if u.Host() == of.Host() {
		p, q := strings.ToLower(u.PathQuery()), strings.ToLower(of.PathQuery())
		x, y := viewPath.MatchString(p), viewPath.MatchString(q)
		return x && !y || x == y && strings.Count(p, "/") > strings.Count(q, "/")
	}
	if copyName.MatchString(strings.ToLower(string(u.Host()))) ||
		copyPath.MatchString(strings.ToLower(u.PathQuery())) {
		return true
	}
	label, rest, _ := strings.Cut(bare(u.Host()), ".")
	return rest == bare(of.Host()) && isCountry(label)
}

// bare is the name of a host, without www before it.
func bare(h page.Host) string { return strings.TrimPrefix(strings.ToLower(string(h)), "www.") }

// isCountry reports the domain of a country that is no code of a language (ISO 639-1): it.example.org
// is rather the Italian edition, or a department, than a mirror in Italy.
func isCountry(label string) bool {
	if len(label) != 2 {
		return false
	}
	if _, err := language.ParseBase(label); err == nil {
		return false
	}
	_, listed := publicsuffix.PublicSuffix(label)
	return listed
}
