package ui

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"watershed/archive"
	"watershed/harvest"
	"watershed/harvest/decision"
	"watershed/page"
	"watershed/replay"
	"watershed/sitemap"
)

// region is a place or a whole host of a site's picture, as the panel beside it tells of it.
type region struct {
	Place             // its URLs at the scale that is looked at
	Whole   bool      // it is a host with all its places
	Address page.URL  // that was asked for and lies there; "" where the region itself was
	About   string    // why that is in or out
	Says    string    // why the region is, in a sentence
	Pages   []exhibit // five at most
	Blocks  []sitemap.Block
	Crosses float64 // capacity of the links that are cut and lead there

	Rule     string             // that has its pages, "" for none
	Decision *decision.Decision // by hand on that rule, nil for none
	Wider    *decision.Decision // by another rule, which holds for its first page, else nil
}

// exhibit is a page that a panel shows.
type exhibit struct {
	URL                    page.URL
	Title, View, Thumbnail string // "" where there is none

	at time.Time
}

// Bounds of a panel.
const (
	exhibits     = 5
	regionBlocks = 3
	regionPages  = 20_000 // of each list of the map that are looked at
)

// hostPrefix begins the addresses of a place's host.
func hostPrefix(prefix string) string {
	begin := strings.Index(prefix, "://") + len("://")
	if end := strings.IndexByte(prefix[begin:], '/'); end >= 0 {
		return prefix[:begin+end+1]
	}
	return prefix
}

// directory is a place without its host.
func directory(prefix string) string {
	path := "/" + prefix[len(hostPrefix(prefix)):]
	if text, err := url.PathUnescape(path); err == nil && utf8.ValidString(text) {
		return text // as people write it
	}
	return path
}

// Name is the region without the scheme of its addresses.
func (r *region) Name() string {
	_, name, _ := strings.Cut(r.Prefix, "://")
	return name
}

// Does reports what was decided by hand on the region, "" for nothing.
func (r *region) Does() string {
	if r.Decision == nil {
		return ""
	}
	return r.Decision.Do
}

// regionAt is the region that an address names, or in which it lies.
func (m *SiteModel) regionAt(s *Server, q *query, x *siteMap) (*region, error) {
	host, prefix := placeOf([]byte(m.Region))
	r := &region{Place: Place{Host: string(host), Prefix: string(prefix)}}
	if r.Prefix != m.Region || !strings.HasPrefix(m.Region, "http") || r.Host == "" {
		u, is := address(strings.TrimSpace(m.Region))
		if !is {
			return nil, badRequest("This is no address of a web page.")
		}
		host, prefix = placeOf([]byte(u))
		r.Host, r.Prefix, r.Address = string(host), string(prefix), u
		r.About = x.Explain(u).String()
	}
	r.Whole = r.Prefix == hostPrefix(r.Prefix) && r.Address == ""
	for i := range m.all {
		if p := &m.all[i]; p.Prefix == r.Prefix || r.Whole && p.Host == r.Host {
			r.join(p)
			r.Crosses += x.crosses[p.Prefix]
		}
	}
	r.Rule = blockRule(r.Name())
	x.tell(r, m.chosen)
	for _, d := range m.decisions.About(x.Site, page.URL(r.Prefix)) {
		if r.Decision == nil && d.Rule.String() == r.Rule {
			r.Decision = &d
		} else if r.Wider == nil {
			r.Wider = &d
		}
	}
	return r, r.exhibit(s, q)
}

// join adds the URLs of a place.
func (p *Place) join(other *Place) {
	in, out := other.parts()
	for _, part := range append(in, out...) {
		p.add(part.class, part.n)
	}
}

// tally counts by what is told of pages, and gives what most have.
type tally[T cmp.Ordered] map[T]int

func (t tally[T]) first() (most T) {
	for x, n := range t {
		if n > t[most] || n == t[most] && x < most {
			most = x
		}
	}
	return most
}

// within gives what lies in a region, out of what follows its prefix in a list by URL.
func within[T any](r *region, list iter.Seq2[int, T], url func(T) page.URL) iter.Seq[T] {
	return func(yield func(T) bool) {
		seen := 0
		for _, x := range list {
			u := url(x)
			if seen++; seen > regionPages || !strings.HasPrefix(string(u), r.Prefix) {
				return
			}
			if _, prefix := placeOf([]byte(u)); (r.Whole || string(prefix) == r.Prefix) && !yield(x) {
				return
			}
		}
	}
}

// tell fills in why the pages of a region are in or out at a scale, the blocks that they lie in, and
// which pages are shown: those with the shortest addresses of what belongs or, where nothing does,
// those to which most pages link.
func (x *siteMap) tell(r *region, scale int) {
	whys, reasons, blocks := tally[sitemap.Why]{}, tally[string]{}, tally[int]{}
	var pages, others []exhibit
	for _, list := range []sitemap.Members{x.Members, x.Wider} {
		for p := range within(r, list.From(r.Prefix), func(p sitemap.Member) page.URL { return p.URL }) {
			if p.Scale > scale {
				reasons["outOfBoundary"]++
				continue
			}
			whys[p.Why]++
			blocks[p.Block]++
			if p.State == "fetched" {
				pages = append(pages, exhibit{URL: p.URL})
			}
		}
	}
	linked := map[page.URL]int{}
	first := sort.Search(len(x.Outside), func(i int) bool { return string(x.Outside[i].URL) >= r.Prefix })
	outside := slices.All(x.Outside[first:])
	for p := range within(r, outside, func(p sitemap.Outsider) page.URL { return p.URL }) {
		reasons[p.Reason]++
		if len(whys) == 0 {
			blocks[p.Block]++
		}
		linked[p.URL] = p.Links
		others = append(others, exhibit{URL: p.URL})
	}
	slices.SortStableFunc(pages, func(a, b exhibit) int { return cmp.Compare(len(a.URL), len(b.URL)) })
	slices.SortStableFunc(others, func(a, b exhibit) int { return linked[b.URL] - linked[a.URL] })
	if len(pages) == 0 {
		pages = others
	}
	r.Pages = pages[:min(len(pages), exhibits)]
	for len(blocks) > 0 && len(r.Blocks) < regionBlocks {
		k := blocks.first()
		if k >= 0 && k < len(x.Map.Blocks) {
			r.Blocks = append(r.Blocks, x.Map.Blocks[k])
		}
		delete(blocks, k)
	}
	r.Says = r.sentence(whys.first(), reasons.first())
}

// sentence says why the region is in or out, by why most of its pages are.
func (r *region) sentence(why sitemap.Why, reason string) string {
	block := ""
	if len(r.Blocks) > 0 && r.Blocks[0].Name != seedBlock {
		block = r.Blocks[0].Why
	}
	switch {
	case r.URLs() == 0:
		return "Nothing of it is on this map."
	case r.Inside+r.Pinned+r.Missing+r.Pruned == 0 && r.Requisite > 0:
		return "Pages of the site cannot be shown without these files."
	case r.Belong() > 0 && why == sitemap.WhyRule:
		return "A rule takes it in."
	case r.Belong() > 0 && why == sitemap.WhyFlow:
		return sentence("it " + cmp.Or(strings.TrimPrefix(block, "it "), "shares its links with the site"))
	case r.Belong() > 0:
		return sentence(sitemap.Says(fmt.Sprint(why)))
	case reason == "rule":
		return "A rule keeps it out."
	case reason == "outOfBoundary" && block != "":
		return sentence(block)
	case reason == "":
		return "It was captured as context."
	}
	return sentence(sitemap.Says(reason))
}

// exhibit fills in the titles of a region's pages and where each is shown, as far as the run that is
// looked at has captured them.
func (r *region) exhibit(s *Server, q *query) (err error) {
	titles, err := s.titlesOf(q.run)
	if err != nil {
		return err
	}
	x, err := archive.OpenIndex(q.run.Index())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	root := s.replayRoot(q.request, q.harvest.Name)
	for i := range r.Pages {
		p := &r.Pages[i]
		p.Title = titles[string(p.URL)]
		for e, err := range x.URL(p.URL) {
			if err != nil {
				return err
			}
			if p.at, err = e.Time(); err != nil {
				return err
			}
		}
		if root == "" || p.at.IsZero() {
			continue
		}
		p.View = root + replay.Address("view", p.URL, p.at)
		if p.Thumbnail, err = thumbnail(x, root, string(p.URL), p.at); err != nil {
			return err
		}
	}
	return nil
}

// titlesOf are the titles of a run's pages by URL, as far as its package tells them.
func (s *Server) titlesOf(run harvest.Run) (map[string]string, error) {
	files, err := replay.Files(run)
	if err != nil {
		return nil, err
	}
	for _, path := range slices.Backward(files) {
		if filepath.Ext(path) == ".wacz" {
			return s.titles.get(path, readTitles)
		}
	}
	return nil, nil
}

// thumbnail is where the small picture of a capture is, "" where it has none.
func thumbnail(x *archive.Index, root, address string, at time.Time) (string, error) {
	u, err := page.ParseURL(address)
	if err != nil {
		return "", nil
	}
	has, err := archive.HasDrawn(x, archive.DrawnThumbnail, address)
	if err != nil || !has {
		return "", err
	}
	return root + replay.PictureAddress("thumbnail", u, at), nil
}
