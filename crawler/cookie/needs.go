package cookie

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"

	"watershed/page"
)

// Bounds. A domain may rely on 50 cookies (RFC 6265, 6.1), and servers read a field of 8 KiB
// (LimitRequestFieldSize of Apache): no trail and no domain has more, which takes 40 KiB
// at most: all together 480 MiB where all hosts mean harm.
const (
	maxCookies = 50
	maxField   = 8 << 10
	maxTrails  = 1 << 12
	maxDomains = 1 << 13
	// leastSession is the shortest value that is looked for in links, in bytes: those of ColdFusion have
	// eight digits.
	leastSession = 8
	// maxGates is how often gates give a domain cookies of new names: scripts may go on so for ever.
	maxGates = 3
	// maxOffers is how often in a row pages of a domain are asked for with offered cookies in vain. An offer
	// of use has a page that is not offered again: there are at most as many as pages.
	maxOffers = 2
)

// Needs knows which cookies hosts need. It is safe for concurrent use, as long as no URL is asked for
// twice at once. A nil Needs needs none.
type Needs struct {
	mu     sync.Mutex
	trails map[page.URL]trail // by the URL that is asked for next
	order  []turn             // that trails led to, the oldest first; some have ended
	turns  uint64             // so far
	kept   map[string]*jar    // by registrable domain
}

// turn is the URL that a trail led to; a later one may lead there, too.
type turn struct {
	to page.URL
	at uint64
}

// trail is what redirects have set up to a URL.
type trail struct {
	from   page.URL // the redirect before
	circle bool     // it was answered by a redirect before, or as the pages before it
	like   uint64   // the name of that answer, 0 for none
	at     uint64   // its turn
	all    []crumb
}

// crumb is a cookie and the place that set it.
type crumb struct {
	at     *url.URL
	cookie *http.Cookie
}

func crumbOf(u page.URL, c *http.Cookie) crumb {
	return crumb{Place(page.URL(strings.Clone(place(u)))), c}
}

// place is a URL without its query, of which cookies know nothing.
func place(u page.URL) string {
	text, _, _ := strings.Cut(string(u), "?")
	return text
}

// domain is where the cookie may be sent.
func (c crumb) domain() string { return page.Host(c.at.Host).Registrable() }

// size is what a cookie takes, in bytes: at least what it takes of a field.
func (c crumb) size() int {
	return len(c.cookie.Name) + len(c.cookie.Value) + len(c.cookie.Domain) + len(c.cookie.Path) +
		len(c.at.Path) + len("=; ")
}

// jar is the cookies that a domain needs.
type jar struct {
	*cookiejar.Jar
	sizes  map[string]int       // by name
	since  map[string]time.Time // by name, too
	all    int
	gates  int // that gave cookies of new names
	offers int // since the last that was of use
}

// New makes the needs of a crawl that knows none.
func New() *Needs { return &Needs{trails: map[page.URL]trail{}, kept: map[string]*jar{}} }

func newJar() *jar {
	// the error is always nil, as the documentation says
	j, _ := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	return &jar{Jar: j, sizes: map[string]int{}, since: map[string]time.Time{}}
}

// put keeps a cookie, and reports one of a name that was not kept before.
func (j *jar) put(c crumb) (added bool) {
	before, has := j.sizes[c.cookie.Name]
	if j.all+c.size()-before > maxField || !has && len(j.sizes) >= maxCookies {
		return false
	}
	j.all += c.size() - before
	j.sizes[c.cookie.Name] = c.size()
	if !has {
		j.since[c.cookie.Name] = time.Now()
	}
	j.SetCookies(c.at, []*http.Cookie{c.cookie})
	return !has
}

// Fields adds the cookies that a URL is asked for with to the fields of its request; via is the URL on
// which it was found first. Cookies that the fields have already, as a browser sends them, stay.
func (n *Needs) Fields(h http.Header, u, via page.URL) http.Header {
	if n == nil {
		return h
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	var list []*http.Cookie
	if t := n.trails[u]; t.circle || t.from == via {
		j := newJar()
		for _, c := range t.all {
			j.put(c)
		}
		list = j.Cookies(Place(u))
	}
	if j := n.kept[u.Host().Registrable()]; j != nil {
		list = append(list, j.Cookies(Place(u))...)
	}
	has := func(c *http.Cookie) bool {
		return slices.ContainsFunc(h["Cookie"], func(line string) bool {
			return strings.Contains("; "+line, "; "+c.Name+"=")
		})
	}
	var more []*http.Cookie
	for _, c := range list {
		if !has(c) && !slices.ContainsFunc(more, func(m *http.Cookie) bool { return m.Name == c.Name }) {
			more = append(more, c)
		}
	}
	if len(more) == 0 {
		return h
	}
	if h = h.Clone(); h == nil {
		h = http.Header{}
	}
	h["Cookie"] = []string{strings.Join(append(h["Cookie"], Field(more)), "; ")}
	return h
}

// Answered learns from an answer; like names those that are alike, as for Offer. It reports that the page is
// to be asked for again, which may tells to be possible, since its links are of a session that nobody goes on
// with; the visit loses these.
func (n *Needs) Answered(v *page.Visit, like uint64, h http.Header, may func() bool) (again bool) {
	if n == nil {
		return false
	}
	set := Set(h)
	set = set[:min(len(set), maxCookies)]
	n.mu.Lock()
	defer n.mu.Unlock()
	t := n.trails[v.URL]
	delete(n.trails, v.URL)
	for _, c := range set {
		if has := n.session(v, c); has != nil && (again || may()) {
			v.Links, again = slices.DeleteFunc(v.Links, has), true
		}
	}
	switch to := v.Redirected(); {
	case again:
	case to != nil:
		for _, c := range set {
			t.all = append(t.all, crumbOf(v.URL, c))
		}
		t.from, t.circle, t.like = v.URL, false, 0
		n.follow(to.URL, t)
	case t.circle && v.OK() && (like != t.like || like == 0):
		for _, c := range t.all {
			n.keep(c)
		}
		if j := n.kept[v.URL.Host().Registrable()]; j != nil {
			j.offers = 0
		}
	}
	return again
}

// Offer has the pages of a row be asked for with the cookies that another page of their host sets, u,
// which is still given: they were answered alike, by a redirect to one place, for instance. Where it sets
// none, those that it was asked for with may count again, as of a session that is begun anew under its old
// name. Offer reports whether they are to be asked for once more: not where there is no cookie, nor where
// that was in vain before.
func (n *Needs) Offer(u page.URL, h http.Header, row []page.URL, like uint64) bool {
	if n == nil || len(row) == 0 {
		return false
	}
	set, domain := Set(h), u.Host().Registrable()
	n.mu.Lock()
	defer n.mu.Unlock()
	j := n.kept[domain]
	if len(set) == 0 && j != nil {
		set = j.Cookies(Place(u))
		for _, c := range set {
			c.Path = "/" // it may be sent to all that is asked for with it
		}
	}
	if len(set) == 0 {
		return false
	}
	if j = n.jarOf(domain); j == nil || j.offers >= maxOffers {
		return false
	}
	t := trail{circle: true, like: like}
	for _, c := range set {
		t.all = append(t.all, crumbOf(u, c))
	}
	t.all = slices.Clip(t.all) // each page of the row has a trail of its own
	j.offers++
	for r, old := range n.trails { // those of rows before wait for their turn
		if old.circle && old.like == like && r.Host().Registrable() == domain {
			old.all = t.all
			n.trails[r] = old
		}
	}
	for _, r := range row {
		n.follow(r, t)
	}
	return true
}

// follow has a trail lead to a URL, with its last cookies as far as they may be sent.
func (n *Needs) follow(to page.URL, t trail) {
	sum := 0
	t.all = t.all[max(0, len(t.all)-maxCookies):]
	for i, c := range slices.Backward(t.all) {
		if sum += c.size(); sum > maxField {
			t.all = slices.Clone(t.all[i+1:])
			break
		}
	}
	if len(t.all) == 0 {
		return
	}
	n.turns++
	t.at = n.turns
	n.trails[to] = t
	if n.order = append(n.order, turn{to, t.at}); len(n.order) > maxTrails {
		if first := n.order[0]; n.trails[first.to].at == first.at {
			delete(n.trails, first.to)
		}
		n.order = n.order[1:]
	}
}

// Trails reports that cookies go along with the redirect of a visit.
func (n *Needs) Trails(v *page.Visit) bool {
	l := v.Redirected()
	if n == nil || l == nil {
		return false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.trails[l.URL].all) > 0
}

// Circle tells that the redirect of a visit leads back to a URL, which is asked for again; like is
// what it was answered with, as for Offer, 0 for a redirect.
func (n *Needs) Circle(v *page.Visit, to page.URL, like uint64) {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	l := v.Redirected()
	if l == nil {
		return
	}
	t := n.trails[l.URL]
	delete(n.trails, l.URL)
	t.circle, t.like = true, like
	n.follow(to, t)
}

// Gate keeps the cookies that a page had in a browser when its scripts wanted to load it once more. It
// reports that the page, as it was asked for at a time, was asked for without some of them.
func (n *Needs) Gate(u page.URL, at time.Time, cookies []*http.Cookie) (without bool) {
	if n == nil {
		return false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	domain, added := u.Host().Registrable(), false
	for _, c := range cookies {
		j := n.kept[domain]
		if has := j != nil && j.sizes[c.Name] > 0; !Sendable(c.Name, c.Value) ||
			!has && j != nil && j.gates >= maxGates {
			continue
		}
		added = n.keep(crumbOf(u, c)) || added
	}
	j := n.kept[domain]
	if added {
		j.gates++
	}
	return j != nil && slices.ContainsFunc(cookies, func(c *http.Cookie) bool {
		return j.since[c.Name].After(at)
	})
}

// session keeps a cookie that a visit's answer set, if the answer has its value in links: whoever sends the
// cookie gets others. The function tells these links from the rest; it is nil where there is nothing new.
// A value that stands in the answer's own URL was not made by the answer.
func (n *Needs) session(v *page.Visit, c *http.Cookie) (has func(page.Link) bool) {
	at, domain := crumbOf(v.URL, c), v.URL.Host().Registrable()
	if j := n.kept[domain]; j != nil && j.sizes[c.Name] > 0 {
		j.put(at)
		return nil
	}
	if len(c.Value) < leastSession || strings.Contains(string(v.URL), c.Value) {
		return nil
	}
	has = func(l page.Link) bool {
		u := string(l.URL)
		return (strings.Contains(u, "="+c.Value) || strings.Contains(u, "(S("+c.Value)) &&
			l.URL.Host().Registrable() == domain
	}
	if !slices.ContainsFunc(v.Links, has) || !n.keep(at) {
		return nil
	}
	return has
}

// keep has a domain's URLs be asked for with a cookie; it reports one of a new name.
func (n *Needs) keep(c crumb) (added bool) {
	j := n.jarOf(c.domain())
	return j != nil && j.put(c)
}

// jarOf is the jar of a domain; nil if too many have one.
func (n *Needs) jarOf(domain string) *jar {
	if n.kept[domain] == nil && len(n.kept) < maxDomains {
		n.kept[domain] = newJar()
	}
	return n.kept[domain]
}
