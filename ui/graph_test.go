package ui

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"watershed/harvest"
	"watershed/page"
	"watershed/sitemap"
)

func (d *desk) graph(target string) GraphModel {
	d.t.Helper()
	var m GraphModel
	if err := json.Unmarshal([]byte(d.get(apiRoot+target)), &m); err != nil {
		d.t.Fatal(err)
	}
	return m
}

// TestGraph looks at the graph of a site of three blocks: its groups, the pages of one, and what a
// hostile web put in.
func TestGraph(t *testing.T) {
	d := newDesk(t)
	d.enter()
	const at = "/harvests/gemo/sites/000-gemo/graph"
	m := d.graph(at)
	if !m.Complete || len(m.Nodes) != 3 || m.Known != 3 || m.Tied != 3 ||
		m.Nodes[0].Label != "the seed's own directory" ||
		!m.Nodes[0].Seed || m.Nodes[0].MCL.In != 1 {
		t.Fatalf("%+v", m)
	}
	parts := fmt.Sprint(m.Nodes[0].Parts, m.Nodes[1].Parts, m.Nodes[2].Parts)
	if want := "[{0 inside 1} {0 missing 1}] [{-1 outside 1}] [{-1 excluded 1} {-1 pruned 1}]"; parts !=
		want {
		t.Errorf("parts %s, want %s", parts, want)
	}
	for _, e := range m.Edges {
		if m.Nodes[e.From].Label == "the seed's own directory" && m.Nodes[e.To].Label == "other.example/" &&
			(e.Links != 1 || e.Cut != .012) {
			t.Errorf("%+v", e)
		}
	}
	pages := d.graph(at + "?open=0")
	if len(pages.Nodes) != 4 || pages.Open.Name != "prefix" || pages.Open.Links != 1 ||
		pages.Nodes[0].URL != "http://www.gemo.example/" || pages.Nodes[0].Cut != .012 ||
		len(pages.Edges) != 4 {
		t.Errorf("%+v", pages)
	}
	if byName := d.graph(at + "?block=prefix"); byName.Open == nil || byName.Open.Number != 0 {
		t.Error("a block is not found by its name")
	}
	if text := d.get(at + "?block=prefix"); !strings.Contains(text, `/graph">All its blocks`) ||
		!strings.Contains(text, `/graph?open=1"`) {
		t.Error("the name of the block stays in addresses that lead elsewhere")
	}
	if narrow := d.graph(at + "?open=0&prefix=http://www.gemo.example/verso/"); narrow.Known != 1 {
		t.Errorf("%d pages below a prefix", narrow.Known)
	}
	for _, target := range []string{at, at + "?open=0", at + "?open=2", at + "?open=0&prefix=http://none/"} {
		text := d.get(target)
		wellKept(t, target, text)
		if len(text) > 200_000 {
			t.Errorf("%s has %d bytes", target, len(text))
		}
	}
	for _, n := range append(m.Nodes, d.graph(at+"?open=2").Nodes...) {
		if strings.ContainsAny(n.Label, "\u202e\a\n") || len(n.Label) > 1000 {
			t.Errorf("label %.200q", n.Label)
		}
	}
	if text := d.get(at); !strings.Contains(text, "kept out by a rule</td>") &&
		!strings.Contains(text, "left out as a copy</td>") {
		t.Error("the table does not tell the kinds")
	}
	for _, odd := range []string{"?open=4", "?open=-1", "?open=x", "?block=none"} {
		d.text(d.do("GET", at+odd, nil, nil), http.StatusNotFound)
	}
	d.text(d.do("GET", at+"?at=1", nil, nil), http.StatusBadRequest)
	d.text(d.do("GET", at+"?page=0", nil, nil), http.StatusBadRequest)
}

// TestGraphWithoutLinks draws what the map alone names, and reads the links once they are there; a
// damaged file is told of.
func TestGraphWithoutLinks(t *testing.T) {
	d := newDesk(t)
	d.enter()
	const at = "/harvests/gemo/sites/000-gemo/graph"
	path := filepath.Join(d.folder.Run(1).Site(0, "gemo"), harvest.ChartFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if m := d.graph(at); m.Complete || len(m.Nodes) != 3 || m.Tied != 2 {
		t.Errorf("%d nodes, %d tied, %+v", len(m.Nodes), m.Tied, m.Edges)
	}
	if !strings.Contains(d.get(at), "has left no file of its links") {
		t.Error("the page does not say that links are missing")
	}
	write(t, path, text)
	if m := d.graph(at); !m.Complete || m.Tied != 3 {
		t.Errorf("%+v", m)
	}
	write(t, path, text[:len(text)/2])
	d.text(d.do("GET", at, nil, nil), http.StatusInternalServerError)
}

// TestGraphAtScales slides over a site of nine pages in two blocks, and checks each node against
// the map at that scale.
func TestGraphAtScales(t *testing.T) {
	d := newDesk(t)
	d.enter()
	x, err := readSiteMap(filepath.Join(d.folder.Run(1).Site(1, "scaled"), "map.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at   string
		want int
	}{{"0.6", 3}, {"0.3", 5}, {"0.2", 9}} {
		for _, open := range []string{"", "&open=0", "&open=1"} {
			m := d.graph("/harvests/gemo/sites/001-scaled/graph?at=" + c.at + open)
			var site SiteModel
			text := d.get(apiRoot + "/harvests/gemo/sites/001-scaled?at=" + c.at)
			if err := json.Unmarshal([]byte(text), &site); err != nil || site.At != m.At {
				t.Fatal(err, site.At)
			}
			belong := 0
			for i := range m.Nodes {
				belong += graphRow{&m.Nodes[i], m.Stop}.Belong()
			}
			inside := 0
			for _, p := range site.Places {
				inside += p.Inside + p.Missing
			}
			wide, err := x.At(m.At)
			if err != nil {
				t.Fatal(err)
			}
			if requisites := x.requisitesAt[m.Stops[m.Stop].Index]; inside != wide.Members.Len()+requisites {
				t.Errorf("at %s the treemap has %d pages and requisites, the map %d and %d", c.at, inside,
					wide.Members.Len(), requisites)
			}
			if open == "" && belong != c.want {
				t.Errorf("at %s %d pages belong, want %d", c.at, belong, c.want)
			}
		}
	}
	text := d.get("/harvests/gemo/sites/001-scaled/graph?at=0.2")
	for _, want := range []string{
		"9 pages belong", "4 more than on the map at α 0.25; 4 were not fetched",
		"asks for 360 pages more", `type="range"`, "Narrower</a> 4 pages leave",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// TestGraphRings checks, on maps at random, that what belongs at a stop lies on the rings within:
// of two nodes the one that comes in first is never on a ring further out.
func TestGraphRings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := scaledMap(rapid.SliceOfN(rapid.IntRange(1, 9), 1, 8).Draw(t, "pages"), 0)
		changeMembers(m, func(_ int, p *sitemap.Member) { p.Block = rapid.IntRange(-1, 1).Draw(t, "block") })
		c := &sitemap.Chart{}
		for _, list := range []sitemap.Members{m.Members, m.Wider} {
			for _, p := range list.All() {
				c.Pages = append(c.Pages, sitemap.Charted{URL: p.URL})
			}
		}
		for i := range c.Pages {
			if j := rapid.IntRange(0, len(c.Pages)-1).Draw(t, "link"); j != i {
				c.Pages[i].To = []uint32{uint32(j)}
			}
		}
		g := newSiteChart(&siteMap{Map: m, turns: turnsOf(m)}, c)
		for _, open := range []string{"", "0"} {
			x, err := g.drawn(open, "")
			if err != nil {
				t.Fatal(err)
			}
			last := -1
			for _, n := range x.Nodes {
				if len(n.Parts) > 0 && n.Parts[0].At < last {
					t.Fatalf("%s comes in at %d, after %d", n.Label, n.Parts[0].At, last)
				}
				last = n.Parts[0].At
			}
			for _, e := range x.Edges {
				if e.From == e.To || e.Links == 0 {
					t.Fatalf("%+v", e)
				}
			}
		}
	})
}

// TestPlacesAt holds the treemap's counts at every scale of maps at random against a count of each
// page.
func TestPlacesAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := scaledMap(rapid.SliceOfN(rapid.IntRange(1, 5), 1, 5).Draw(t, "pages"), 0)
		changeMembers(m, func(_ int, p *sitemap.Member) {
			if p.Scale <= m.Scale {
				p.State = rapid.SampledFrom([]string{"fetched", "known", "redirect"}).Draw(t, "state")
				p.Why = rapid.SampledFrom([]sitemap.Why{sitemap.WhyFlow, sitemap.WhyRule}).Draw(t, "why")
			}
		})
		for _, p := range m.Wider.All() {
			if rapid.Bool().Draw(t, "linked") {
				m.Outside = append(m.Outside, sitemap.Outsider{URL: p.URL, Reason: "outOfBoundary"})
			}
		}
		m.Outside = append(m.Outside, sitemap.Outsider{URL: "http://z.example/", Reason: "rule"})
		x := &siteMap{Map: m, turns: turnsOf(m)}
		for k := range m.Scales {
			want := map[string]int{kindExcluded: 1}
			outside := map[page.URL]bool{}
			for _, o := range m.Outside[:len(m.Outside)-1] {
				outside[o.URL] = true
			}
			for _, list := range []sitemap.Members{m.Members, m.Wider} {
				for _, p := range list.All() {
					switch {
					case p.Scale <= k:
						want[memberKind(&p)]++
					case outside[p.URL]:
						want[kindOutside]++
					}
				}
			}
			got := map[string]int{}
			for _, p := range x.placesAt(k) {
				in, out := p.parts()
				for _, part := range append(in, out...) {
					if part.n != 0 {
						got[part.class] += part.n
					}
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("scale %d: %v, want %v", k, got, want)
			}
		}
	})
}
