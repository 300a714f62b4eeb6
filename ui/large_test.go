package ui

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"watershed/harvest"
	"watershed/lab/kit/browser"
	"watershed/page"
	"watershed/sitemap"
)

// Size of the large site.
const (
	largePages  = 100_000
	largeBlocks = 1500
	largeScales = 400
)

// largeSite makes a map of 100,000 pages in 1,500 blocks, of which the prefix has 30,000 and the
// others fall off as 1/rank. Blocks come in at one scale after the other; the last half of the pages
// belongs at wider scales or at none.
func largeSite() *sitemap.Map {
	m := &sitemap.Map{
		Site: "large", Boundary: "logical", Seeds: []page.URL{"http://h0000.example/"},
		Converged: true, Scale: largeScales / 2,
	}
	pages := 0
	harmonic := 0.0
	for k := 2; k <= largeBlocks; k++ {
		harmonic += 1 / float64(k)
	}
	counts := make([]int, largeScales)
	var members, wider []sitemap.Member
	for k := range largeBlocks {
		n := largePages * 3 / 10
		if k > 0 {
			n = max(1, int(float64(largePages)*.7/harmonic/float64(k+1)))
		}
		since := (k * 7) % (largeScales + largeScales/4) // some never come
		if k == 0 {
			since = 0
		}
		b := sitemap.Block{
			Name: fmt.Sprintf("h%04d.example/", k), Known: n, With: -1,
			Why: "shares its links with the site",
		}
		if k > 0 {
			b.Share, b.With = 1/float64(1+since), 0
		}
		m.Blocks = append(m.Blocks, b)
		for i := 0; i < n && pages < largePages; i++ {
			u := page.URL(fmt.Sprintf("http://h%04d.example/d%02d/page-%06d.html", k, i%20, i))
			pages++
			p := sitemap.Member{URL: u, Why: sitemap.WhyFlow, State: "fetched", Block: k, Scale: since}
			if since > m.Scale {
				p.State = "known"
			}
			switch {
			case since <= m.Scale:
				members = append(members, p)
			default:
				m.Outside = append(m.Outside, sitemap.Outsider{
					URL: u, Reason: "outOfBoundary", Block: k,
					Links: 1, From: "http://h0000.example/d00/page-000000.html",
				})
				if since < largeScales {
					wider = append(wider, p)
				}
			}
			if since < largeScales {
				counts[since]++
			}
		}
	}
	m.Members, m.Wider = sitemap.MembersOf(members...), sitemap.MembersOf(wider...)
	slices.SortFunc(m.Outside, func(a, b sitemap.Outsider) int { return cmp.Compare(a.URL, b.URL) })
	for i := range 300 {
		from, to := m.Members.At(i*97%m.Members.Len()), &m.Outside[i*89%len(m.Outside)]
		m.Cut = append(m.Cut, sitemap.CutEdge{
			From: from.URL, To: to.URL, Block: -1,
			Capacity: int64(1000 * (i + 1)),
		})
	}
	pages = 0
	for k := range largeScales {
		most := math.Pow(1e-4, float64(k)/largeScales)
		least := math.Pow(1e-4, float64(k+1)/largeScales)
		pages += counts[k]
		m.Scales = append(m.Scales, sitemap.Scale{Least: least, Most: most, Pages: pages, Cut: 90_000_000})
		if k == m.Scale {
			m.Certificate = &sitemap.Certificate{Alpha: least, Toll: 500_000}
		}
	}
	return m
}

// newLargeDesk is a desk with the large site.
func newLargeDesk(t testing.TB) *desk {
	t.Helper()
	m := largeSite()
	folder := harvest.Folder(filepath.Join(t.TempDir(), "large"))
	dir := folder.Run(1).Site(0, "large")
	writeMap(t, filepath.Join(dir, "map.json"), m)
	s, err := New(Options{Harvests: []Harvest{{Name: "large", Folder: folder}}, Secret: testSecret})
	if err != nil {
		t.Fatal(err)
	}
	return &desk{t: t, server: s, handler: s.handler(), folder: folder}
}

// TestLargeBrowser measures the map of 100,000 pages in headless Chromium (testdata/large.cjs),
// prints the figures, and fails where the first paint takes 2 s, also of a map that nobody has
// read, or a step of the dial keeps the page busy for 100 ms. It wants a machine that does nothing
// else, and runs where DESK_LARGE is set:
//
//	DESK_LARGE=1 go test ./ui -run LargeBrowser -v
func TestLargeBrowser(t *testing.T) {
	if os.Getenv("DESK_LARGE") == "" {
		t.Skip("DESK_LARGE is not set")
	}
	launch := browser.Launch(t)
	d := newLargeDesk(t)
	var out []byte
	whileServed(t, d.server, func(link string) {
		out = browser.Output(t, nil, "testdata/large.cjs", launch, link, "/harvests/large/sites/000-large")
	})
	var figures map[string]float64
	if err := json.Unmarshal(out, &figures); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		t.Logf("%-40s %8.1f", name, figures[name])
	}
	for name, most := range map[string]float64{
		"site, unread, first paint, ms": 2000,
		"site, first paint, ms":         2000,
		"site, work of the page, ms":    500, "site, dial, work of the page, ms": 100,
	} {
		if got, ok := figures[name]; !ok || got > most {
			t.Errorf("%s: %g, at most %g are wanted", name, got, most)
		}
	}
}

// TestLargeRegion: to tell of a host reads each of its pages once, however many it has.
func TestLargeRegion(t *testing.T) {
	m := largeSite()
	x := &siteMap{Map: m}
	for _, scale := range []int{0, largeScales} {
		host := Place{Host: "h0000.example", Prefix: "http://h0000.example/"}
		told := testing.AllocsPerRun(1, func() { x.tell(&region{Place: host, Whole: true}, scale) })
		if most := 3.0 * regionPages; told > most { // a URL, and its exhibit in a list that grows
			t.Errorf("scale %d: %.0f allocations, at most %.0f are wanted", scale, told, most)
		}
	}
}

// BenchmarkSite asks for the page of a site of 100,000 pages: read from its file, at another scale,
// and with a region's panel.
func BenchmarkSite(b *testing.B) {
	d := newLargeDesk(b)
	d.enter()
	const at = "/harvests/large/sites/000-large"
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			d.server.maps = newCache[*siteMap](4)
			d.get(at)
		}
	})
	b.Logf("%d bytes", len(d.get(at)))
	for name, target := range map[string]string{
		"page": at, "scale": at + "?at=0.005", "region": at + "?region=http://h0000.example/d03/",
		"host": at + "?region=http://h0000.example/",
	} {
		d.get(target)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				d.get(target)
			}
		})
	}
}
