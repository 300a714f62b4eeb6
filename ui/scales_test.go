package ui

import (
	"bytes"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"watershed/harvest"
	"watershed/page"
	"watershed/sitemap"
)

// scaledMap is a map of a site with scales, from α 1 on, each down to half of it. pages gives how
// many pages come in at each.
func scaledMap(pages []int, own int) *sitemap.Map {
	m := &sitemap.Map{
		Site: "scaled", Boundary: "logical", Seeds: []page.URL{"http://s.example/"}, Converged: true,
		Scale:  own,
		Blocks: []sitemap.Block{{Name: "s.example/", With: -1}, {Name: "far.example/<b>"}},
	}
	var members, wider []sitemap.Member
	least := 1.0
	n, known := 0, 0
	for k, more := range pages {
		most := least
		if least = most / 2; k == own {
			m.Certificate = &sitemap.Certificate{Alpha: least, Toll: 500_000}
		}
		for range more {
			p := sitemap.Member{
				URL: page.URL(fmt.Sprintf("http://s.example/p%07d", n)), Why: sitemap.WhyFlow,
				State: "fetched", Block: k % 2, Scale: k,
			}
			n++
			if k > own {
				p.State = "known"
				known++
				wider = append(wider, p)
			} else {
				members = append(members, p)
			}
		}
		m.Scales = append(m.Scales, sitemap.Scale{
			Least: least, Most: most, Pages: n, Known: known,
			Cut: 90_000_000,
		})
	}
	m.Members, m.Wider = sitemap.MembersOf(members...), sitemap.MembersOf(wider...)
	for k := range m.Scales {
		m.Scales[k].Fetches = m.Fetches(m.Scales[k].Least)
	}
	return m
}

// changeMembers changes the pages of a map and of its wider scales, by their indices.
func changeMembers(m *sitemap.Map, change func(i int, p *sitemap.Member)) {
	for _, list := range []*sitemap.Members{&m.Members, &m.Wider} {
		var all []sitemap.Member
		for i, p := range list.All() {
			change(i, &p)
			all = append(all, p)
		}
		*list = sitemap.MembersOf(all...)
	}
}

func writeMap(t testing.TB, path string, m *sitemap.Map) {
	t.Helper()
	var b bytes.Buffer
	if err := m.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestScales looks at a site of 3 pages at scale 0, 2 more at its own, and 4 more at a wider one
// that are not fetched.
func TestScales(t *testing.T) {
	d := newDesk(t)
	d.enter()
	const at = "/harvests/gemo/sites/001-scaled"
	for query, wants := range map[string][]string{
		"": {
			"<strong>5 pages belong</strong>.", "Wider</a> 4 pages join", "Narrower</a> 2 pages leave: ",
			`001-scaled?at=0.177">0.125`, "The map is drawn at α 0.25.",
		},
		"?at=0.2": {
			"<strong>9 pages belong</strong> at this boundary", "Narrower</a> 4 pages leave",
			"/scales/surt?at=0.2\"", "Draw the boundary here",
		},
		"?at=0.6": {
			"<strong>3 pages belong</strong> at this boundary",
			"Wider</a> 2 pages join: far.example/&lt;b&gt;",
		},
	} {
		text := d.get(at + query)
		for _, want := range wants {
			if !strings.Contains(strings.NewReplacer("<bdi>", "", "</bdi>", "").Replace(text), want) {
				t.Errorf("%s%s has no %q", at, query, want)
			}
		}
		wellKept(t, at+query, text)
	}
	x, err := readSiteMap(filepath.Join(d.folder.Run(1).Site(1, "scaled"), "map.json"))
	if err != nil {
		t.Fatal(err)
	}
	// 90 a page at toll 0.5·0.125/0.25, less the nothing that is known already.
	if rows := x.dialAt(2, nil).Rows; rows[0].More != -2 || rows[2].More != 4 || rows[2].Fetches != 360 {
		t.Errorf("%+v", rows)
	}
	for _, odd := range []string{"none", "NaN", "-1", "0", "5", "1e-9", "Inf"} {
		d.text(d.do("GET", at+"?at="+odd, nil, nil), http.StatusBadRequest)
		d.text(d.do("GET", at+"/scales/surt?at="+odd, nil, nil), http.StatusBadRequest)
	}
	if text := d.get("/harvests/gemo/sites/000-gemo"); strings.Contains(text, "All boundaries") {
		t.Error("a map without scales has boundaries")
	}
	d.text(d.do("GET", "/harvests/gemo/sites/000-gemo?at=0.1", nil, nil), http.StatusBadRequest)
}

// TestScaleFiles holds what is exported against what the map at the scale writes.
func TestScaleFiles(t *testing.T) {
	d := newDesk(t)
	d.enter()
	x, err := readSiteMap(filepath.Join(d.folder.Run(1).Site(1, "scaled"), "map.json"))
	if err != nil {
		t.Fatal(err)
	}
	wide, err := x.At(.2)
	if err != nil {
		t.Fatal(err)
	}
	mime := map[string]string{
		"surt": "text/plain; charset=utf-8", "regex": "text/plain; charset=utf-8",
		"csv": "text/csv; charset=utf-8", "urls": "text/plain; charset=utf-8", "json": "application/json",
	}
	for form, lines := range map[string]int{"surt": 0, "regex": 0, "csv": 1 + 9, "urls": 9, "json": 0} {
		r := d.do("GET", "/harvests/gemo/sites/001-scaled/scales/"+form+"?at=0.2", nil, nil)
		text := d.text(r, http.StatusOK)
		if n := strings.Count(text, "\n"); n == 0 || lines > 0 && n != lines {
			t.Errorf("%s has %d lines", form, n)
		}
		if !strings.Contains(r.Header.Get("Content-Disposition"), "attachment") ||
			r.Header.Get("Content-Type") != mime[form] {
			t.Errorf("%s: %v", form, r.Header)
		}
	}
	var b bytes.Buffer
	if err := wide.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if got := d.get("/harvests/gemo/sites/001-scaled/scales/json?at=0.2"); got != b.String() {
		t.Errorf("the map is another: %s", got)
	}
	if n := strings.Count(d.get("/harvests/gemo/sites/001-scaled/scales/urls"), "\n"); n != 5 {
		t.Errorf("the map's own scale has %d URLs", n)
	}
	d.text(d.do("GET", "/harvests/gemo/sites/001-scaled/scales/exe", nil, nil), http.StatusNotFound)
	d.text(d.do("GET", "/harvests/gemo/sites/..%2f001-scaled/scales/surt", nil, nil), http.StatusNotFound)
}

// TestCountScales holds what the dial tells of all scales against the map at each, which is made in
// another way.
func TestCountScales(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pages := rapid.SliceOfN(rapid.IntRange(0, 4), 1, 6).Draw(t, "pages")
		pages[0]++
		own := rapid.IntRange(0, len(pages)-1).Draw(t, "own")
		m := scaledMap(pages, own)
		m.Blocks[1] = sitemap.Block{Name: "s.example/own/", Known: rapid.IntRange(0, 2).Draw(t, "known")}
		x := &siteMap{Map: m}
		x.countBlocks()
		x.countBelow()
		for k := range m.Scales {
			at, err := m.At(middle(&m.Scales[k]))
			if err != nil {
				t.Fatal(err)
			}
			if at.Scale != k || m.Scales[k].Pages != at.Members.Len() {
				t.Fatalf("scale %d (%d): %d pages, want %d", k, at.Scale, m.Scales[k].Pages, at.Members.Len())
			}
			d := x.dialAt(k, nil)
			if !slices.Equal(d.Out, at.LeftBelow()) && k != own { // the test's map counts no Inside
				t.Fatalf("scale %d: %v are below the seed, want %v", k, d.Out, at.LeftBelow())
			}
			for _, s := range d.Near {
				more := s.ScaleRow.Pages - at.Members.Len()
				if s.Wider != (s.Index > k) || max(more, -more) != s.Pages {
					t.Fatalf("from scale %d to %d %d pages change, told are %d", k, s.Index, more, s.Pages)
				}
			}
			if len(d.Near) != b2i(k > 0)+b2i(k < len(m.Scales)-1) {
				t.Fatalf("scale %d has %d steps", k, len(d.Near))
			}
		}
	})
}

// newBenchDesk is a desk with one site.
func newBenchDesk(b *testing.B, m *sitemap.Map) *desk {
	b.Helper()
	folder := harvest.Folder(filepath.Join(b.TempDir(), "large"))
	writeMap(b, filepath.Join(folder.Run(1).Site(0, "large"), "map.json"), m)
	s, err := New(Options{Harvests: []Harvest{{Name: "large", Folder: folder}}, Secret: testSecret})
	if err != nil {
		b.Fatal(err)
	}
	d := &desk{t: b, server: s, handler: s.handler(), folder: folder}
	d.enter()
	return d
}

// BenchmarkScales asks for the widest scale of a site of 100,000 pages with 2,000 scales.
func BenchmarkScales(b *testing.B) {
	pages := make([]int, 40)
	for i := range pages {
		pages[i] = 2500
	}
	m := scaledMap(pages, 20)
	var scales []sitemap.Scale
	for _, c := range m.Scales { // fifty short ones for each
		for i := range 50 {
			s := c
			ratio := c.Least / c.Most
			s.Most, s.Least = c.Most*math.Pow(ratio, float64(i)/50), c.Most*math.Pow(ratio, float64(i+1)/50)
			scales = append(scales, s)
		}
	}
	changeMembers(m, func(i int, p *sitemap.Member) { p.Scale = p.Scale*50 + i%50 })
	m.Scales, m.Scale = scales, 20*50+49
	d := newBenchDesk(b, m)
	at := fmt.Sprintf("?at=%g", scales[len(scales)-1].Least)
	b.Run("read", func(b *testing.B) { // once, when the first page is asked for
		for b.Loop() {
			if _, err := readSiteMap(filepath.Join(d.folder.Run(1).Site(0, "large"), "map.json")); err !=
				nil {
				b.Fatal(err)
			}
		}
	})
	for _, page := range []string{"", "/scales/surt"} {
		b.Run("page"+page, func(b *testing.B) {
			for b.Loop() {
				d.get("/harvests/large/sites/000-large" + page + at)
			}
		})
	}
}
