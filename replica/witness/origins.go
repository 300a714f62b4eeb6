package witness

import (
	"cmp"
	"math"
	"regexp"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"
	"golang.org/x/text/language"

	"watershed/page"
)

// Origins gathers from visits which of several hosts with the same pages was the first to publish
// them. It is not safe for concurrent use. It takes some 50 bytes for each host to which another
// registrable domain links, and each such domain.
type Origins struct {
	seeds  map[page.Host]int // by their order, from 1
	says   map[page.Host]int // how many hosts name it as theirs, less those that it names
	linked map[page.Host]map[string]struct{}
	domain map[page.Host]string
	first  map[page.Host]moments
	seen   map[[2]page.Host]bool // who names whom
}

// moments are times in seconds since 1970; 0 for unknown.
type moments struct {
	written int64 // the earliest that its pages tell
	met     int64 // when the crawl met it
}

// NewOrigins makes one that knows of seeds alone, which it prefers.
func NewOrigins(seeds []page.URL) *Origins {
	o := &Origins{
		seeds: map[page.Host]int{}, says: map[page.Host]int{}, seen: map[[2]page.Host]bool{},
		linked: map[page.Host]map[string]struct{}{}, domain: map[page.Host]string{},
		first: map[page.Host]moments{},
	}
	for i, u := range seeds {
		o.seeds[u.Host()] = cmp.Or(o.seeds[u.Host()], i+1)
	}
	return o
}

// Learn takes over a visit, which stays the caller's.
func (o *Origins) Learn(v *page.Visit) {
	h := v.URL.Host()
	m := o.first[h]
	if t, err := time.Parse(httpDate, v.LastModified); err == nil &&
		(m.written == 0 || t.Unix() < m.written) {
		m.written = t.Unix()
	}
	if t := v.Time.UnixMilli(); m.met == 0 || t < m.met {
		m.met = t
	}
	o.first[h] = m
	for i := range v.Links {
		l := &v.Links[i]
		to := l.URL.Host()
		switch {
		case to == h:
		case (l.Kind == page.Canonical || l.Kind == page.Redirect && (v.Status == 301 || v.Status == 308)) &&
			l.URL.PathQuery() == v.URL.PathQuery():
			if p := [2]page.Host{h, to}; !o.seen[p] {
				o.seen[p] = true
				o.says[h]--
				o.says[to]++
			}
		case l.Kind.Joins() && o.registrable(h) != o.registrable(to):
			if o.linked[to] == nil {
				o.linked[to] = map[string]struct{}{}
			}
			o.linked[to][o.registrable(h)] = struct{}{}
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

// Linked is how many registrable domains link to a host that is not theirs.
func (o *Origins) Linked(h page.Host) int { return len(o.linked[h]) }

// Seeds is below 0 where host a has a seed and host b has none.
func (o *Origins) Seeds(a, b page.Host) int { return compareBool(o.seeds[b] > 0, o.seeds[a] > 0) }

// Compare is below 0 where what lies below the directory a is rather the original than that below b,
// and 0 where nothing tells: by seeds; by canonical names and lasting redirects of their hosts; by
// links from outside, of which one place has n and the other m, where one has clearly more; by names
// such as mirror.example.org, jp.example.org and example.org/mirrors/; and by the dates that pages
// tell, where both hosts have such.
func (o *Origins) Compare(a, b page.URL, n, m int) int {
	h, k := a.Host(), b.Host()
	x, y := o.first[h].written, o.first[k].written
	if x == 0 || y == 0 {
		x, y = 0, 0
	}
	return cmp.Or(o.Seeds(h, k), cmp.Compare(o.says[k], o.says[h]), clearlyMore(m, n),
		compareBool(namedCopy(a, b), namedCopy(b, a)), cmp.Compare(x, y))
}

// Order is below 0 where host a was met before b: as an earlier seed, or by an earlier visit.
func (o *Origins) Order(a, b page.Host) int {
	const none = math.MaxInt
	return cmp.Or(cmp.Compare(cmp.Or(o.seeds[a], none), cmp.Or(o.seeds[b], none)),
		cmp.Compare(o.first[a].met, o.first[b].met))
}

// clearlyMore compares two counts of links: 0 unless one is at least twice the other and they differ
// by more than two standard errors of numbers of rare events, whose roots have one of a half each.
func clearlyMore(n, m int) int {
	if max(n, m) < 2*min(n, m) || math.Abs(math.Sqrt(float64(n))-math.Sqrt(float64(m))) < math.Sqrt2 {
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

// namedCopy reports a place whose name says that it is a copy of another one: by the kind of its host,
// or a directory for such, or by a country before the name of the other host, as jp.example.org beside
// www.example.org.
func namedCopy(u, of page.URL) bool {
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
