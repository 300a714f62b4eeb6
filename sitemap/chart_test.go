package sitemap

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"watershed/page"
)

// chartSurvey surveys a web told as the links of its pages; a link of one page "=" is a redirect. A
// page that is not told does not exist.
func chartSurvey(t testing.TB, site Site, web map[page.URL][]page.URL) *Survey {
	t.Helper()
	s, err := NewSurvey([]Site{site}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for wants := s.Wants(); len(wants) > 0; wants = s.Wants() {
		for _, w := range wants {
			v := page.Visit{URL: w.URL, Status: 404}
			if to, ok := web[w.URL]; ok {
				v.Status = 200
				kind := page.Navigation
				if len(to) == 2 && to[0] == "=" {
					v.Status, kind, to = 302, page.Redirect, to[1:]
				}
				for _, u := range to {
					v.Links = append(v.Links, page.Link{URL: u, Kind: kind})
				}
			}
			s.Learn(&v)
		}
	}
	return s
}

// drawn draws a site, and reads the chart below the map.
func drawn(t testing.TB, s *Survey, site string) (*Map, *Chart) {
	t.Helper()
	var lines bytes.Buffer
	m, err := s.Draw(site, &lines)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ReadChart(&lines)
	if err != nil {
		t.Fatal(err)
	}
	return m, c
}

// TestChart holds the links of a chart against those of the web: those between pages of the map,
// redirects followed, an excluded target too.
func TestChart(t *testing.T) {
	exclude, err := page.ParseRule("prefix:http://a.example/no/")
	if err != nil {
		t.Fatal(err)
	}
	include, err := page.ParseRule("url:http://a.example/far")
	if err != nil {
		t.Fatal(err)
	}
	s := chartSurvey(t, Site{
		Name: "a", Seeds: []page.URL{"http://a.example/"},
		Include: []page.Rule{include}, Exclude: []page.Rule{exclude},
	}, map[page.URL][]page.URL{
		"http://a.example/": {
			"http://a.example/1", "http://a.example/old", "http://a.example/no/1",
			"http://b.example/", "http://a.example/",
		},
		"http://a.example/1":   {"http://a.example/", "http://a.example/gone"},
		"http://a.example/old": {"=", "http://a.example/1"},
		"http://a.example/far": {"=", "http://b.example/far"}, // nobody links to it
		"http://b.example/":    {"http://b.example/x"},
	})
	m, c := drawn(t, s, "a")
	if again, _ := s.Map("a"); again.Members.Len() != m.Members.Len() ||
		len(again.Outside) != len(m.Outside) {
		t.Error("Draw and Map draw other maps")
	}
	var got strings.Builder
	for _, x := range c.Pages {
		fmt.Fprintf(&got, "%s", x.URL)
		for _, v := range x.To {
			fmt.Fprintf(&got, " %s", c.Pages[v].URL)
		}
		got.WriteString("\n")
	}
	const want = `http://a.example/ http://a.example/1 http://a.example/no/1 http://b.example/
http://a.example/1 http://a.example/ http://a.example/gone
http://a.example/far http://b.example/far
http://a.example/gone
http://a.example/no/1
http://a.example/old http://a.example/1
http://b.example/
http://b.example/far
`
	if got.String() != want {
		t.Errorf("the chart is\n%swant\n%s", &got, want)
	}
	for _, list := range []Members{m.Members, m.Wider} {
		for _, x := range list.All() {
			if c.Find(x.URL) < 0 {
				t.Errorf("%s is not in the chart", x.URL)
			}
		}
	}
	// The chart tells of a page the same as the survey, which has all links.
	for _, u := range []page.URL{
		"http://a.example/", "http://a.example/1", "http://a.example/no/1",
		"http://b.example/", "http://b.example/x", "http://a.example/old", "http://b.example/far",
	} {
		want, err := s.Explain("a", u, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := m.Explain(u)
		c.Tell(m, &got)
		if c.Find(u) < 0 {
			if got.LinkedBy != nil {
				t.Errorf("%s is told of and not charted", u)
			}
			continue
		}
		if fmt.Sprint(got.Cluster, got.LinkedBy) != fmt.Sprint(want.Cluster, want.LinkedBy) {
			t.Errorf("%s: %v %v, want %v %v", u, got.Cluster, got.LinkedBy, want.Cluster, want.LinkedBy)
		}
	}
	far, err := s.Explain("a", "http://b.example/far", 0)
	if text := far.String() + strings.Join(far.Details(), " "); err != nil ||
		!strings.Contains(text, "the redirect http://a.example/far leads to it") ||
		!strings.Contains(text, "and 1 redirect leads to it") {
		t.Errorf("%s %v", text, err)
	}
	if _, err := s.Draw("none", nil); err == nil {
		t.Error("a map of no site")
	}
}

// TestChartLines writes charts and reads them.
func TestChartLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "pages")
		c := &Chart{}
		for i := range n {
			x := Charted{URL: page.URL(fmt.Sprintf("http://h.example/%02d%s", i,
				rapid.SampledFrom([]string{"", `","to":[1]}`, "<&\u2028"}).Draw(t, "odd")))}
			x.Cluster = rapid.SampledFrom([]Cluster{"", ClusterIn, ClusterOut}).Draw(t, "cluster")
			x.Moved = rapid.Bool().Draw(t, "redirect")
			x.To = rapid.SliceOfNDistinct(rapid.Uint32Range(0, uint32(n-1)), 0, n, rapid.ID[uint32]).Draw(t,
				"to")
			slices.Sort(x.To)
			c.Pages = append(c.Pages, x)
		}
		var b bytes.Buffer
		if err := c.WriteLines(&b); err != nil {
			t.Fatal(err)
		}
		got, err := ReadChart(&b)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got.Pages) != fmt.Sprint(c.Pages) {
			t.Fatalf("%v, want %v", got.Pages, c.Pages)
		}
	})
}

func TestReadChartRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":       "",
		"no JSON":       "x\n",
		"other version": `{"version":2,"pages":0}`,
		"no number":     `{"version":1}`,
		"negative":      `{"version":1,"pages":-1}`,
		"too few":       `{"version":1,"pages":2}` + "\n" + `{"url":"http://a/"}`,
		"too many":      `{"version":1,"pages":0}` + "\n" + `{"url":"http://a/"}`,
		"out of order": `{"version":1,"pages":2}` + "\n" + `{"url":"http://b/"}` + "\n" +
			`{"url":"http://a/"}`,
		"twice": `{"version":1,"pages":2}` + "\n" + `{"url":"http://a/"}` + "\n" +
			`{"url":"http://a/"}`,
		"link to nowhere": `{"version":1,"pages":1}` + "\n" + `{"url":"http://a/","to":[1]}`,
		"links of no order": `{"version":1,"pages":2}` + "\n" + `{"url":"http://a/","to":[1,0]}` + "\n" +
			`{"url":"http://b/"}`,
		"link that is a text": `{"version":1,"pages":2}` + "\n" + `{"url":"http://a/","to":["1"]}` + "\n" +
			`{"url":"http://b/"}`,
		"links that are an empty text": `{"version":1,"pages":1}` + "\n" + `{"url":"http://a/","to":""}`,
		"link that is none":            `{"version":1,"pages":1}` + "\n" + `{"url":"http://a/","to":[-1]}`,
	} {
		if c, err := ReadChart(strings.NewReader(text)); err == nil {
			t.Errorf("%s is read as %v", name, c.Pages)
		}
	}
}

// BenchmarkReadChart reads a chart of 100,000 pages with 20 links each.
func BenchmarkReadChart(b *testing.B) {
	c := &Chart{}
	for i := range 100_000 {
		x := Charted{
			URL:     page.URL(fmt.Sprintf("http://host.example/directory/page-%06d.html", i)),
			Cluster: ClusterIn,
		}
		for j := range 20 {
			x.To = append(x.To, uint32((i*7919+j*4877)%100_000))
		}
		slices.Sort(x.To)
		x.To = slices.Compact(x.To)
		c.Pages = append(c.Pages, x)
	}
	var text bytes.Buffer
	if err := c.WriteLines(&text); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadChart(bytes.NewReader(text.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
}
