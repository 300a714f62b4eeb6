package judge

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"watershed/page"
)

// Truth is a web whose links and logical sites are known, to judge boundaries by. Only HTML pages
// belong to a site; all other URLs count as dead, for a link that leads to no page tells nothing of
// a boundary.
type Truth struct {
	urls  []page.URL
	site  []int32 // by page: index into sites, -1 for what is no HTML page
	links [][]int32
	sums  map[int32]payload // where the tables tell them
	sites []TruthSite
	byURL map[page.URL]int32
}

// payload of a page.
type payload struct {
	digest page.Digest
	size   int64
}

// TruthSite is one logical website: an entry page and all its pages.
type TruthSite struct {
	Name string
	// multi: several hosts; ord: a host of its own; tenant: a directory of a host shared; and
	// others
	Class string
	pages []int32
}

// Entry is the page from which the site is to be found.
func (t *Truth) Entry(s TruthSite) page.URL { return t.urls[s.pages[0]] }

// Sites gives all sites, in the order of the tables.
func (t *Truth) Sites() []TruthSite { return t.sites }

// Pages is the number of HTML pages of a site.
func (s TruthSite) Pages() int { return len(s.pages) }

// ReadTruthFrom reads sites.tsv and links.tsv, in one of two forms. A test web's begin with a "#"
// line: url, site, group, place, html (1 or 0), bytes, digest and src, dst, kind, of which the kinds
// a (anchor), m (refresh) and f (frame) join pages; entry pages and classes are found out. Without
// it they are url, site, class, the entry page of a site first, and src, dst. Texts that are no URLs
// are left out.
func ReadTruthFrom(sites, links io.Reader) (*Truth, error) {
	t := &Truth{byURL: make(map[page.URL]int32)}
	r := truthReader{t: t, id: make(map[string]int32), site: make(map[string]int32)}
	if err := r.read(sites, "sites.tsv", r.addPage); err != nil {
		return nil, err
	}
	if err := r.read(links, "links.tsv", r.addLink); err != nil {
		return nil, err
	}
	for i := range t.links {
		slices.Sort(t.links[i])
		t.links[i] = slices.Compact(t.links[i])
	}
	if r.plain {
		t.classify()
	}
	if len(t.sites) == 0 {
		return nil, errors.New("sites.tsv names no site")
	}
	return t, nil
}

type truthReader struct {
	t     *Truth
	id    map[string]int32
	site  map[string]int32
	plain bool // the test web's own tables
}

func (r *truthReader) read(f io.Reader, name string, add func(fields []string) error) error {
	in := bufio.NewReaderSize(f, 1<<20)
	for line := 1; ; line++ {
		text, err := in.ReadString('\n')
		if text = strings.TrimRight(text, "\r\n"); text != "" {
			if text[0] == '#' {
				r.plain = true
			} else if err := add(strings.Split(text, "\t")); err != nil {
				return fmt.Errorf("%s:%d: %w", name, line, err)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
	}
}

func (r *truthReader) addPage(f []string) error {
	if len(f) < 3 || r.plain && len(f) < 5 {
		return fmt.Errorf("%d columns", len(f))
	}
	if r.plain && f[4] != "1" {
		return nil
	}
	if _, twice := r.id[f[0]]; twice {
		return nil
	}
	k, ok := r.site[f[1]]
	if !ok {
		k = int32(len(r.t.sites))
		r.site[f[1]] = k
		r.t.sites = append(r.t.sites, TruthSite{Name: f[1], Class: f[2]})
	}
	if id := r.vertex(f[0]); id >= 0 {
		r.t.site[id] = k
		r.t.sites[k].pages = append(r.t.sites[k].pages, id)
		return r.addPayload(id, f)
	}
	return nil
}

// addPayload takes over the size and the digest of a page, where a test web's table tells them.
// Only whether two digests are equal matters, so their text stands for them.
func (r *truthReader) addPayload(id int32, f []string) error {
	if !r.plain || len(f) < 7 || f[6] == "" {
		return nil
	}
	size, err := strconv.ParseInt(f[5], 10, 64)
	if err != nil {
		return fmt.Errorf("bytes: %w", err)
	}
	if r.t.sums == nil {
		r.t.sums = make(map[int32]payload)
	}
	r.t.sums[id] = payload{page.SumDigest([]byte(f[6])), size}
	return nil
}

func (r *truthReader) addLink(f []string) error {
	if len(f) < 2 || r.plain && len(f) < 3 {
		return fmt.Errorf("%d columns", len(f))
	}
	if r.plain && f[2] != "a" && f[2] != "m" && f[2] != "f" {
		return nil
	}
	from, ok := r.id[f[0]]
	if !ok && r.plain {
		return nil
	}
	if !ok {
		from = r.vertex(f[0])
	}
	target, _, _ := strings.Cut(f[1], "#")
	if to := r.vertex(target); from >= 0 && to >= 0 && from != to {
		r.t.links[from] = append(r.t.links[from], to)
	}
	return nil
}

// vertex numbers a URL, -1 for a text that is no URL.
func (r *truthReader) vertex(text string) int32 {
	if id, ok := r.id[text]; ok {
		return id
	}
	u, err := page.ParseURL(text)
	if err != nil {
		r.id[text] = -1
		return -1
	}
	id, ok := r.id[string(u)]
	if !ok {
		id = int32(len(r.t.urls))
		r.t.urls = append(r.t.urls, u)
		r.t.site = append(r.t.site, -1)
		r.t.links = append(r.t.links, nil)
		r.t.byURL[u] = id
		r.id[string(u)] = id
	}
	r.id[text] = id
	return id
}

// classify gives every site its class and puts its entry page first.
func (t *Truth) classify() {
	onHost := make(map[page.Host]map[int32]bool) // sites by host
	within := make([]int, len(t.urls))           // links from pages of the same site
	for u := range t.urls {
		if t.site[u] < 0 {
			continue
		}
		h := t.urls[u].Host()
		if onHost[h] == nil {
			onHost[h] = make(map[int32]bool)
		}
		onHost[h][t.site[u]] = true
		for _, v := range t.links[u] {
			if t.site[v] == t.site[u] {
				within[v]++
			}
		}
	}
	for k := range t.sites {
		s := &t.sites[k]
		hosts := t.hostsOf(s)
		t.sortByEntry(s, hosts[0], within)
		shared := false
		for _, h := range hosts {
			shared = shared || len(onHost[h]) > 1
		}
		s.Class = t.class(s, len(hosts), shared)
	}
}

// hostsOf gives the hosts of a site, the one with most pages first, among equals the one met first.
func (t *Truth) hostsOf(s *TruthSite) []page.Host {
	count := make(map[page.Host]int)
	var hosts []page.Host
	for _, u := range s.pages {
		h := t.urls[u].Host()
		if count[h]++; count[h] == 1 {
			hosts = append(hosts, h)
		}
	}
	slices.SortStableFunc(hosts, func(a, b page.Host) int { return cmp.Compare(count[b], count[a]) })
	return hosts
}

// sortByEntry puts pages that look like entry pages first, and the first of twelve from which
// nearly as much of the site can be reached as from any of them before all.
func (t *Truth) sortByEntry(s *TruthSite, main page.Host, within []int) {
	index := func(u page.URL) int {
		return b2i(!strings.HasSuffix(string(u), "/") && !strings.Contains(string(u), "index"))
	}
	slices.SortStableFunc(s.pages, func(a, b int32) int {
		u, v := t.urls[a], t.urls[b]
		return cmp.Or(
			cmp.Compare(b2i(u.Host() != main), b2i(v.Host() != main)),
			cmp.Compare(b2i(len(t.links[a]) == 0), b2i(len(t.links[b]) == 0)),
			cmp.Compare(strings.Count(string(u), "/"), strings.Count(string(v), "/")),
			cmp.Compare(index(u), index(v)),
			cmp.Compare(within[b], within[a]),
			cmp.Compare(len(u), len(v)))
	})
	first := s.pages[:min(12, len(s.pages))]
	reach := make([]int, len(first))
	for i, u := range first {
		reach[i] = len(t.reach(u, func(v int32) bool { return t.site[v] == t.site[u] }))
	}
	most := slices.Max(reach)
	i := slices.IndexFunc(reach, func(n int) bool { return float64(n) >= .9*float64(most) })
	entry := s.pages[i]
	copy(s.pages[1:i+1], s.pages[:i])
	s.pages[0] = entry
}

func (t *Truth) class(s *TruthSite, hosts int, shared bool) string {
	kind, _, _ := strings.Cut(s.Name, ":")
	for _, k := range []string{"portal", "blog", "trap", "ext"} {
		if hosts == 1 && strings.HasPrefix(s.Name, k) {
			return kind
		}
	}
	switch u := t.urls[s.pages[0]]; {
	case hosts > 1:
		return "multi"
	case !shared:
		return "ord"
	case u.Directory() == string(u.Root()):
		return "root"
	}
	return "tenant"
}

// reach is a crawl: what links lead to from a page through pages that ok lets in.
func (t *Truth) reach(from int32, ok func(int32) bool) []int32 {
	return t.reachFrom([]int32{from}, ok)
}

// reachFrom is the same from several pages, which are distinct.
func (t *Truth) reachFrom(from []int32, ok func(int32) bool) []int32 {
	seen := make(map[int32]bool)
	list := slices.Clone(from)
	for _, u := range from {
		seen[u] = true
	}
	for i := 0; i < len(list); i++ {
		for _, v := range t.links[list[i]] {
			if !seen[v] && ok(v) {
				seen[v] = true
				list = append(list, v)
			}
		}
	}
	return list
}

// visit is what a fetch of the page brings.
func (t *Truth) visit(u int32) *page.Visit {
	v := &page.Visit{URL: t.urls[u], Status: 404}
	if t.site[u] >= 0 {
		v.Status, v.MIME = 200, "text/html"
		v.Digest, v.Size = t.sums[u].digest, t.sums[u].size
		v.Links = make([]page.Link, len(t.links[u]))
		for i, to := range t.links[u] {
			v.Links[i] = page.Link{URL: t.urls[to], Kind: page.Navigation}
		}
	}
	return v
}

// visitOf is what a fetch of any URL brings.
func (t *Truth) visitOf(u page.URL) *page.Visit {
	if v, ok := t.byURL[u]; ok {
		return t.visit(v)
	}
	return &page.Visit{URL: u, Status: 404}
}
