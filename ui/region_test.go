package ui

import (
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"watershed/page"
	"watershed/sitemap"
)

const siteAt = "/harvests/gemo/sites/000-gemo"

// TestRegion looks at the panels of a place, of a host, of an address, and of what the map does not
// have.
func TestRegion(t *testing.T) {
	d := newDesk(t)
	d.enter()
	for _, c := range []struct {
		region     string
		want, none []string
	}{
		{
			"http://www.gemo.example/verso/",
			[]string{
				"<h2><bdi>www.gemo.example/verso/</bdi></h2>", "belongs</span>", "1 address belongs",
				"1 not captured",
				"It shares its links with the site.", "The links decide.",
			},
			[]string{"The whole host", "Let it decide"},
		},
		{
			"http://www.gemo.example/",
			[]string{"The whole host. ", "3 addresses belong", "1 not captured"},
			[]string{"<strong>The address"},
		},
		{
			"http://other.example/a/",
			[]string{
				"outside</span>", "Only cited.", "1 page is outside",
				"explain?url=http%3A%2F%2Fother",
				"Share of links both ways 0.100",
			},
			[]string{"address belongs"},
		},
		{
			"http://www.gemo.example/verso/x",
			[]string{
				"<h2><bdi>www.gemo.example/verso/</bdi></h2>", "<strong>The address:",
				"lies below the seed http://www.gemo.example/",
			},
			nil,
		},
		{"http://near.example/b", []string{"captured as context"}, []string{"address belongs"}},
		{"http://nowhere.example/", []string{"not on the map</span>", "Nothing of it is on this map."}, nil},
	} {
		target := siteAt + "?region=" + url.QueryEscape(c.region)
		text := d.get(target)
		wellKept(t, target, text)
		_, panel, _ := strings.Cut(text, `<aside id="region"`)
		panel, _, _ = strings.Cut(panel, "</aside>")
		for _, want := range c.want {
			if !strings.Contains(panel, want) {
				t.Errorf("%s has no %q:\n%s", c.region, want, panel)
			}
		}
		for _, none := range c.none {
			if strings.Contains(panel, none) {
				t.Errorf("%s has %q", c.region, none)
			}
		}
	}
	for _, odd := range []string{"gemo", "ftp://a/", "http://"} {
		d.text(d.do("GET", siteAt+"?region="+url.QueryEscape(odd), nil, nil), http.StatusBadRequest)
	}
}

// TestVerdict decides on a region: the picture and the panel say so at once, and another region's
// panel that it has a wider decision.
func TestVerdict(t *testing.T) {
	d := newDesk(t)
	d.enter()
	back := "sites/000-gemo?region=http%3A%2F%2Fwww.gemo.example%2F"
	rule := url.Values{
		"csrf": {d.form()}, "do": {"out"}, "site": {"gemo"}, "rule": {"prefix:www.gemo.example/"},
		"back": {back},
	}
	r := d.post("/harvests/gemo/decisions", rule, nil)
	if at := r.Header.Get("Location"); r.StatusCode != http.StatusSeeOther ||
		at != "/harvests/gemo/"+back+"#region" {
		t.Fatalf("status %d, leads to %s", r.StatusCode, at)
	}
	text := d.get("/harvests/gemo/" + back)
	for _, want := range []string{
		">left out</text>", "- do: out\n  site: gemo\n  rule: <bdi>prefix:www.gemo.example/</bdi>",
		`value="out" aria-pressed="true"`, "Let it decide",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	text = d.get(siteAt + "?region=http://www.gemo.example/verso/")
	if !strings.Contains(text, "A wider decision holds here: <bdi>out</bdi>") {
		t.Error("the wider decision is not told of")
	}
}

// TestShore folds hosts that the site only links to, and makes the boundary thicker where more was
// cut; what was cut is by hand: log2(1+3) is 2, so that the line is 2 + 2·2 wide.
func TestShore(t *testing.T) {
	p := sitePicture{
		width: mapWidth, land: landHeight,
		crosses: map[string]float64{"http://h7.example/x/": 3}, others: "/others",
		decided: func(string) string { return "" },
		link:    func(prefix string) (string, error) { return "/r?" + prefix, nil },
		places:  []Place{{Host: "own.example", Prefix: "http://own.example/a/", Inside: 5, Outside: 1}},
	}
	for i := range 20 {
		host := fmt.Sprintf("h%d.example", i)
		p.places = append(p.places, Place{Host: host, Prefix: "http://" + host + "/x/", Outside: 1})
	}
	if _, err := p.draw(); err != nil {
		t.Fatal(err)
	}
	text := p.b.String()
	for _, want := range []string{
		`href="/r?http://own.example/a/"`, ">15 other hosts</text>", `href="/others"`, ">15 URLs</text>",
		`href="/r?http://h7.example/x/"`, `stroke-width="6.0"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the picture has no %q", want)
		}
	}
	if n := strings.Count(text, "<a "); n != 1+1+shoreHosts+1 {
		t.Errorf("%d regions", n)
	}
	if n := strings.Count(text, `class="coast"`); n != 1+shoreHosts+1 {
		t.Errorf("%d parts of the boundary", n)
	}
}

// TestDialWarns tells of a place below the seed that a narrower boundary leaves out, before the dial
// goes there.
func TestDialWarns(t *testing.T) {
	d := newDesk(t)
	d.enter()
	m := scaledMap([]int{2, 3, 4}, 1)
	m.Seeds = []page.URL{"http://s.example/"}
	m.Blocks = []sitemap.Block{
		{Name: "prefix", Known: 2, Inside: 2, With: -1},
		{Name: "s.example/museum/", Known: 3, Inside: 3, Why: "a site of its own"},
		{Name: "t.example/", Known: 4},
	}
	changeMembers(m, func(_ int, p *sitemap.Member) { p.Block = p.Scale })
	writeMap(t, filepath.Join(d.folder.Run(1).Site(1, "scaled"), "map.json"), m)
	for target, want := range map[string]string{
		"":         "1 place below the seed falls outside</strong>: <bdi>s.example/museum/</bdi>",
		"?at=0.7":  "1 place below the seed comes in</strong>: <bdi>s.example/museum/</bdi>",
		"?at=0.2":  "4 pages leave",
		"?at=0.71": "1 place below the seed is outside of this boundary",
	} {
		text := d.get("/harvests/gemo/sites/001-scaled" + target)
		if !strings.Contains(text, want) {
			t.Errorf("at %q there is no %q", target, want)
		}
		if !strings.Contains(text, "boundary 1 of 3; 1 place below the seed outside") {
			t.Errorf("at %q the dial does not say it of the narrowest", target)
		}
	}
	text := d.get("/harvests/gemo/sites/001-scaled?at=0.2")
	if strings.Contains(text, "falls outside</strong>") {
		t.Error("a step that leaves the place in warns of it")
	}
}

// TestFold: places that are too many for the picture are drawn as one, so that its areas and counts
// are those of the whole site; what happened to them, too.
func TestFold(t *testing.T) {
	const more = 50
	p := &sitePicture{
		width: mapWidth, land: landHeight, past: map[string]*placePast{},
		decided: func(string) string { return "" }, link: func(string) (string, error) { return "", nil },
	}
	for i := range placeRows + more {
		x := Place{Host: "a.example", Prefix: fmt.Sprintf("http://a.example/%03d/", i), Inside: 7}
		p.places, p.past[x.Prefix] = append(p.places, x), &placePast{bars: [5]int{2}, still: 2}
	}
	for _, want := range []string{
		"<title>50 smaller directories: 100 born; 250 as before<",
		"<title>50 smaller directories: 350 inside<",
	} {
		if _, err := p.draw(); err != nil {
			t.Fatal(err)
		}
		if drawn := p.b.String(); !strings.Contains(drawn, want) {
			t.Errorf("%q is not drawn", want)
		}
		p.b.Reset()
		p.past = nil
	}
}
