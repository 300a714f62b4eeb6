package ui

import (
	"bytes"
	"encoding/json"
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
		Scale: own, Proposed: len(pages) - 1,
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
	const at = "/harvests/gemo/sites/001-scaled/scales"
	own := d.get(at)
	for _, want := range []string{
		"<svg class=\"scales\"", "Nothing joins or leaves.",
		"5 pages belong, as on the map", "with 1 required file.", "Wider</a> 4 pages join",
		"Narrower</a> 2 pages leave: ", "the map: α 0.25, 5 pages", "proposed: 9 pages",
		"scales?at=0.177", "/scales/surt?at=0.25",
	} {
		if !strings.Contains(own, want) {
			t.Errorf("the page of the map's own scale has no %q", want)
		}
	}
	wellKept(t, at, own)
	wider := d.get(at + "?at=0.2")
	for _, want := range []string{
		"4 pages join; 4 of all were not fetched", "Pages that join", "p0000008",
		"s.example/", "9 pages belong", "with 0 required files",
		"set boundary.alpha to 0.2", "here: α 0.2, 9 pages",
	} {
		if !strings.Contains(wider, want) {
			t.Errorf("the page of a wider scale has no %q", want)
		}
	}
	wellKept(t, at, wider)
	narrower := d.get(at + "?at=0.6")
	for _, want := range []string{
		"2 pages leave. Nothing is to be fetched", "Pages that leave", "p0000003",
		"far.example/&lt;b&gt;", "3 pages belong", "with 1 required file",
	} {
		if !strings.Contains(narrower, want) {
			t.Errorf("the page of a narrower scale has no %q", want)
		}
	}
	var m ScalesModel
	if err := json.Unmarshal([]byte(d.get(apiRoot+at+"?at=0.2")), &m); err != nil {
		t.Fatal(err)
	}
	// 90 a page at toll 0.5·0.2/0.25, less the nothing that is known already.
	if m.Fetches != 225 || m.Joined != 4 || m.Left != 0 || m.Chosen != 2 || len(m.Changed) != 4 ||
		m.Changed[0].Since != .25 || m.Scales[0].More != -2 || m.Scales[2].More != 4 {
		t.Errorf("%+v", m)
	}
	for _, odd := range []string{"none", "NaN", "-1", "0", "5", "1e-9", "Inf"} {
		d.text(d.do("GET", at+"?at="+odd, nil, nil), http.StatusBadRequest)
		d.text(d.do("GET", at+"/surt?at="+odd, nil, nil), http.StatusBadRequest)
	}
	if text := d.get("/harvests/gemo/sites/000-gemo/scales"); !strings.Contains(text, "has no scales") {
		t.Error("a map without scales is not told")
	}
	d.text(d.do("GET", "/harvests/gemo/sites/000-gemo/scales?at=0.1", nil, nil), http.StatusBadRequest)
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

// TestCountScales holds the counts of all scales against the map at each, which is made in another
// way.
func TestCountScales(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pages := rapid.SliceOfN(rapid.IntRange(0, 4), 1, 6).Draw(t, "pages")
		pages[0]++
		own := rapid.IntRange(0, len(pages)-1).Draw(t, "own")
		m := scaledMap(pages, own)
		m.Blocks[1] = sitemap.Block{Name: "s.example/own/", Known: rapid.IntRange(0, 2).Draw(t, "known")}
		requisites := rapid.SliceOfNDistinct(rapid.IntRange(0, 30), 0, 12, rapid.ID[int]).Draw(t,
			"requisites")
		slices.Sort(requisites) // as all lists of a map
		for _, i := range requisites {
			r := sitemap.Requisite{
				URL:   page.URL(fmt.Sprintf("http://s.example/p%07d", i)),
				Scale: rapid.IntRange(0, len(pages)-1).Draw(t, "scale"),
			}
			x := siteMap{Map: m}
			if k, ok := x.memberScale(r.URL); r.Scale > own || ok && k <= own {
				m.Needed = append(m.Needed, r)
			} else {
				m.Requisites = append(m.Requisites, r)
			}
		}
		x := &siteMap{Map: m}
		x.countScales()
		for k := range m.Scales {
			at, err := m.At(middle(&m.Scales[k]))
			if err != nil {
				t.Fatal(err)
			}
			if at.Scale != k || x.pagesAt[k] != at.Members.Len() || x.requisitesAt[k] != len(at.Requisites) {
				t.Fatalf("scale %d (%d): %d pages and %d requisites, want %d and %d", k, at.Scale,
					x.pagesAt[k], x.requisitesAt[k], at.Members.Len(), len(at.Requisites))
			}
			c := ScalesModel{Chosen: k}
			c.compare(x)
			if at.Members.Len()-m.Members.Len() != c.Joined-c.Left {
				t.Fatalf("scale %d: %d joined, %d left", k, c.Joined, c.Left)
			}
			d := x.dialAt(middle(&m.Scales[k]), k, nil)
			if !slices.Equal(d.out, at.LeftBelow()) && k != own { // the test's map counts no Inside
				t.Fatalf("scale %d: %v are below the seed, want %v", k, d.out, at.LeftBelow())
			}
			for _, s := range d.near {
				more := s.ScaleRow.Pages - x.pagesAt[k]
				if s.Wider != (s.Index > k) || max(more, -more) != s.Pages {
					t.Fatalf("from scale %d to %d %d pages change, told are %d", k, s.Index, more, s.Pages)
				}
			}
			if len(d.near) != b2i(k > 0)+b2i(k < len(m.Scales)-1) {
				t.Fatalf("scale %d has %d steps", k, len(d.near))
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
	m.Scales, m.Scale, m.Proposed = scales, 20*50+49, len(scales)-1
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
	for _, page := range []string{"scales", "scales/surt"} {
		b.Run(page, func(b *testing.B) {
			for b.Loop() {
				d.get("/harvests/large/sites/000-large/" + page + at)
			}
		})
	}
}
