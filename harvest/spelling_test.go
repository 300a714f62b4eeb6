package harvest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"watershed/archive"
	"watershed/page"
	"watershed/report"
	"watershed/sitemap"
)

// TestSitemapSpelled: a site map that robots.txt names is asked for as it is spelled there.
func TestSitemapSpelled(t *testing.T) {
	w := &web{pages: map[string]string{
		"a.example/":              "text",
		"a.example/robots.txt":    "Sitemap: http://a.example/s%c3%afte.xml\n",
		"a.example/s%c3%afte.xml": `<urlset><url><loc>http://a.example/listed</loc></url></urlset>`,
		"a.example/listed":        "text",
	}}
	site := sitemap.Site{Name: "A", Seeds: []page.URL{"http://a.example/"}, Boundary: sitemap.HostOnly}
	d := run(t, Folder(t.TempDir()), w.start(t, site))
	if got := captured(t, d); got["http://a.example/listed"] == "" {
		t.Errorf("what the site map lists is not among %v", got)
	}
}

// URLs are asked for and recorded as pages spell them, each once; a server that redirects to its
// own spelling is followed, and found by any spelling; and so it is in a recrawl.
func TestSpellings(t *testing.T) {
	w := &web{pages: map[string]string{
		"a.example/":                   links("/%d0%bf/", "/%D0%bf/", "/%C3", "/%e9", "/%7euser"),
		"a.example/%d0%bf/":            links("%d1%84.html", "/%D0%BF/"),
		"a.example/%d0%bf/%d1%84.html": "<p>below a page in lower case",
		"a.example/%C3":                "-> /%c3",
		"a.example/%c3":                "<p>only in lower case",
		"a.example/%e9":                "-> /%E9",
		"a.example/%E9":                "-> /%e9",
		"a.example/%7euser":            "-> /home/%c3%a4",
		"a.example/home/%c3%a4":        "<p>behind a redirect",
	}}
	p := w.start(t, sitemap.Site{Name: "A", Seeds: []page.URL{"http://a.example/"}, Boundary: sitemap.Domain})
	folder := Folder(t.TempDir())
	first := run(t, folder, p)
	want := []string{
		"/ 200", "/%7euser 301", "/%C3 301", "/%E9 301", "/%E9 301", "/%c3 200", "/%d0%bf/ 200",
		"/%d0%bf/%d1%84.html 200", "/%e9 301", "/%e9 301", "/%e9 301", "/home/%c3%a4 200",
	}
	if got := pathsOf(w); !slices.Equal(got, want) {
		t.Errorf("asked for\n%q, want\n%q", got, want)
	}
	recorded := captured(t, first)
	for _, x := range want {
		path, _, _ := strings.Cut(x, " ")
		if _, ok := recorded["http://a.example"+path]; !ok {
			t.Errorf("no record of %s among %v", path, recorded)
		}
	}
	index, err := archive.OpenIndex(first.Run.Index())
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close() //nolint:errcheck // it was only read
	for _, x := range []struct{ url, spelled string }{
		{"http://a.example/%D0%BF/", "http://a.example/%d0%bf/"},
		{"http://a.example/home/%C3%A4", "http://a.example/home/%c3%a4"},
	} {
		n := 0
		for e, err := range index.URL(page.URL(x.url)) {
			if n++; err != nil || e.URL != x.spelled {
				t.Errorf("%s: %+v, %v", x.url, e, err)
			}
		}
		if n != 1 {
			t.Errorf("%s: found %d times", x.url, n)
		}
	}
	states := map[page.URL]string{}
	for _, x := range first.Maps[0].Members.All() {
		states[x.URL] = x.State
	}
	for _, u := range []page.URL{"http://a.example/%C3", "http://a.example/%D0%BF/"} {
		if states[u] != "fetched" {
			t.Errorf("%s is %q in the map", u, states[u])
		}
	}
	w.requests = nil
	run(t, folder, p)
	again := pathsOf(w)
	if len(again) != len(want) {
		t.Errorf("recrawl asked for %q", again)
	}
	for _, x := range again {
		if path, status, _ := strings.Cut(x, " "); status == "200" {
			t.Errorf("%s was fetched whole though it had not changed", path)
		}
	}
}

// pathsOf are the requests that a web was sent, "path status", in order; robots.txt and favicon
// left out.
func pathsOf(w *web) (list []string) {
	for _, r := range w.requests {
		if path := strings.TrimPrefix(r, "a.example"); !strings.HasPrefix(path, "/robots.txt") &&
			!strings.HasPrefix(path, "/favicon") {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}

// TestRedirectsAmongSpellings: however a server redirects among the spellings of a URL, and though
// it redirects a first visit elsewhere than a second one, directly or through other URLs, the
// capture that a patient reader would come to is made; where he would come to none, the first URL of
// the circle is told as lost. The server is asked no more often than such a reader asks.
func TestRedirectsAmongSpellings(t *testing.T) {
	fewer(t, 5) // of which -short draws one
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		w := &web{pages: map[string]string{}}
		drawn := func(i int, label string) string { return spelling(i, rapid.IntRange(0, 7).Draw(rt, label)) }
		other := func(i, k int) string { return fmt.Sprintf("/%d/%d", i, k) }
		to := func(i int) string {
			if k := rapid.IntRange(0, 31).Draw(rt, "through"); k < 8 {
				return other(i, k)
			}
			return drawn(i, "to")
		}
		var starts []string
		for i := range 12 {
			starts = append(starts, drawn(i, "linked"))
			for k := range 8 {
				w.pages["a.example"+spelling(i, k)] = rapid.SampledFrom([]string{
					"<p>an answer", "-> ", "-> ", "-> ", "once -> ", "once -> ",
				}).Draw(rt, "answer") + to(i)
				w.pages["a.example"+other(i, k)] = "-> " + to(i)
			}
		}
		w.pages["a.example/"] = links(starts...)
		p := w.start(t, sitemap.Site{
			Name: "A", Seeds: []page.URL{"http://a.example/"},
			Boundary: sitemap.Domain,
		})
		d := run(t, Folder(filepath.Join(t.TempDir(), fmt.Sprint(n))), p)
		recorded, lost := captured(t, d), map[page.URL]bool{}
		for _, x := range d.Ending.Lost {
			lost[x.URL] = x.What == "page"
		}
		for i, start := range starts {
			of := []page.URL{parsed(rt, start)}
			for k := range 8 {
				of = append(of, parsed(rt, other(i, k)))
			}
			w.checkRedirects(rt, start, of, recorded, lost)
		}
		if ended := d.Ending.Ended; ended != report.Complete && len(lost) == 0 ||
			ended == report.Complete && len(lost) > 0 {
			rt.Errorf("%s with %d lost", ended, len(lost))
		}
	})
}

// checkRedirects holds what became of the URLs to which a start may lead against what a reader
// meets who comes from there.
func (w *web) checkRedirects(t *rapid.T, start string, of []page.URL, recorded map[string]string,
	lost map[page.URL]bool,
) {
	end, been, circle := w.follow(start, mostRedirects)
	if _, has := recorded["http://a.example"+end]; end != "" && !has {
		t.Errorf("from %s a reader comes to %q, which is not captured", start, end)
	}
	var round, told, want []page.URL
	for _, path := range circle {
		round = append(round, parsed(t, path))
	}
	for _, path := range been { // the first URL of the circle is the one that failed
		if u := parsed(t, path); slices.Contains(round, u) {
			want = []page.URL{u}
			break
		}
	}
	for _, u := range of {
		if lost[u] {
			told = append(told, u)
		}
	}
	// A page that redirects once may end a chain in which a reader has given up: a crawl has the answers of
	// those that he comes to again, and gets there with fewer requests.
	if later, _, _ := w.follow(start, 2*mostRedirects); end == "" && len(told) == 0 && later != "" {
		if _, has := recorded["http://a.example"+later]; has {
			want = nil
		}
	}
	if !slices.Equal(told, want) {
		t.Errorf("from %s by %q to %q: lost are %q, want %q", start, been, end, told, want)
	}
	asked := 0
	for _, x := range pathsOf(w) {
		if path, _, _ := strings.Cut(x, " "); slices.Contains(of, parsed(t, path)) {
			asked++
		}
	}
	if asked > len(been) {
		t.Errorf("from %s: %d requests, a reader makes %d: %q", start, asked, len(been), been)
	}
}

func parsed(t *rapid.T, path string) page.URL {
	u, _, err := page.ParseSpelled("http://a.example" + path)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// spelling is one of eight of a path.
func spelling(path, k int) string {
	pick := func(bit int, lower string) string {
		if k>>bit&1 == 1 {
			return strings.ToUpper(lower)
		}
		return lower
	}
	return fmt.Sprintf("/%d%%%s/%%%s%%%s", path, pick(0, "c3"), pick(1, "d0"), pick(2, "bf"))
}

// mostRedirects is how many redirects in a row a reader's browser follows.
const mostRedirects = 20

// follow is the path at which a reader who comes to a web for the first time arrives, and the paths
// that he asked for on the way; "" where so many redirects lead to none, with the paths of the circle
// in which he goes round.
func (w *web) follow(path string, redirects int) (end string, been, circle []string) {
	for range redirects + 1 {
		text := w.pages["a.example"+path]
		again := slices.Contains(been, path)
		been = append(been, path)
		to, once := strings.CutPrefix(text, "once -> ")
		if once && again || !once && !strings.HasPrefix(text, "-> ") {
			return path, been, nil
		}
		path = strings.TrimPrefix(to, "-> ")
	}
	for i, before := range slices.Backward(been) {
		if before == path {
			return "", been, been[i:]
		}
	}
	return "", been, been
}

// TestOtherSpellings: a page that the site links by two spellings is fetched once, and the index has
// a line for each; where one spelling is not found, the other one is asked for.
func TestOtherSpellings(t *testing.T) {
	w := &web{pages: map[string]string{
		"a.example/":        links("/%d0%bf/", "/%D0%B1", "/later"),
		"a.example/later":   links("/%D0%BF/", "/%d0%b1", "/%c3%a4", "/%C3%a4"),
		"a.example/%d0%bf/": "<p>written in lower case",
		"a.example/%d0%b1":  "<p>only in lower case",
	}}
	p := w.start(t, sitemap.Site{Name: "A", Seeds: []page.URL{"http://a.example/"}, Boundary: sitemap.Domain})
	d := run(t, Folder(t.TempDir()), p)
	want := []string{
		"/ 200", "/%C3%a4 404", "/%D0%B1 404", "/%c3%a4 404", "/%d0%b1 200", "/%d0%bf/ 200", "/later 200",
	}
	if got := pathsOf(w); !slices.Equal(got, want) {
		t.Errorf("asked for\n%q, want\n%q", got, want)
	}
	text, err := os.ReadFile(d.Run.Index())
	if err != nil {
		t.Fatal(err)
	}
	other := `{"url": "http://a.example/%D0%BF/", `
	if strings.Count(string(text), other) != 1 ||
		strings.Count(string(text), `, "recordedAs": "http://a.example/%d0%bf/"}`) != 1 ||
		strings.Count(string(text), "recordedAs") != 1 {
		t.Errorf("want one line with %q in\n%s", other, text)
	}
	index, err := archive.OpenIndex(d.Run.Index())
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close() //nolint:errcheck // it was only read
	n := 0
	for e, err := range index.URL("http://a.example/%D0%BF/") {
		if n++; err != nil || e.URL != "http://a.example/%d0%bf/" {
			t.Errorf("%+v, %v", e, err)
		}
	}
	if n != 1 {
		t.Errorf("a capture was found %d times", n)
	}
}

// TestFilesSpelled: the files of a run and explanations name addresses as they were asked for or, of
// what was left out, linked to; what reads them finds a page by its name.
func TestFilesSpelled(t *testing.T) {
	w := &web{pages: map[string]string{
		"a.example/":           links("/%d0%bf/", "/gone%d0%b1", "http://b.example/%d0%b2"),
		"a.example/%d0%bf/":    "<p>written in lower case",
		"b.example/%d0%b2":     "<p>elsewhere",
		"a.example/gone%d0%b1": "-> /gone%d0%b1",
	}}
	site := sitemap.Site{Name: "A", Seeds: []page.URL{"http://a.example/"}, Boundary: sitemap.HostOnly}
	p, folder := w.start(t, site), Folder(t.TempDir())
	d := run(t, folder, p)
	dir := d.Run.Site(0, "A")
	for name, want := range map[string][]string{
		filepath.Join(dir, "pages.csv"):     {"/%d0%bf/,member", "/gone%d0%b1,", "/%d0%b2,outside"},
		filepath.Join(dir, "sitemap.xml"):   {"/%d0%bf/<"},
		filepath.Join(dir, "map.json"):      {`/%d0%bf/"`, `/gone%d0%b1"`, `/%d0%b2"`},
		d.Run.path("logs", "skipped.jsonl"): {`{"url":"http://a.example/gone%d0%b1"`, `/%d0%b2"`},
	} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range want {
			if !strings.Contains(string(text), x) {
				t.Errorf("%s lacks %q:\n%s", name, x, text)
			}
		}
		if strings.Contains(string(text), "%D0%B") {
			t.Errorf("%s has another spelling:\n%s", name, text)
		}
	}
	f, err := os.Open(filepath.Join(dir, "map.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	m, err := sitemap.ReadMap(f)
	if err != nil {
		t.Fatal(err)
	}
	if _, found := m.Members.Find("http://a.example/%D0%BF/"); !found {
		t.Error("the map that was read has no page by its name")
	}
	if x := m.Explain("http://b.example/%D0%B2"); x.Reason != "outOfBoundary" {
		t.Errorf("outside is %+v", x)
	}
	e, err := Examine(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close() //nolint:errcheck // likewise
	for _, u := range []page.URL{"http://a.example/%D0%BF/", "http://b.example/%D0%B2"} {
		x, err := e.Explain(u, 0)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := x.Text(&text); err != nil || strings.Contains(text.String(), string(u)) ||
			x.URL == u || strings.Contains(x.Advice, string(u)) {
			t.Errorf("%s: %+v, %v:\n%s", u, x, err, text.String())
		}
	}
}

// TestBarInPath: what has a vertical bar in its path is asked for as Chromium does, too, once, and no
// line of the index names what was not asked for.
func TestBarInPath(t *testing.T) {
	w := &web{pages: map[string]string{
		"a.example/":          links("/a|b?c|d", "/e|f", "/e%7Cf", "/g|h") + `<img src="/i|j.png">`,
		"a.example/e|f":       "<p>with another",
		"a.example/e%7Cf":     "<p>with an escape",
		"a.example/i|j.png":   "an image",
		"a.example/i%7Cj.png": "an image",
	}}
	for _, at := range []string{"a|b", "a%7Cb", "a|b?c|d", "a%7Cb?c|d"} {
		w.pages["a.example/"+at] = "<p>with a bar"
	}
	p := w.start(t, sitemap.Site{Name: "A", Seeds: []page.URL{"http://a.example/"}, Boundary: sitemap.Domain})
	text, err := os.ReadFile(run(t, Folder(t.TempDir()), p).Run.Index())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(text)) {
		_, rest, ok := strings.Cut(line, `"url": "http://a.example/`)
		if ok && !strings.Contains(line, "robots") {
			got = append(got, rest[:strings.Index(rest, `"`)])
		}
	}
	want := []string{
		"", "a%7Cb?c|d", "a|b?c|d", "e%7Cf", "e|f", "g|h", "i%7Cj.png", "i|j.png",
	}
	slices.Sort(got) // two spellings have one key
	if !slices.Equal(got, want) || strings.Contains(string(text), "recordedAs") {
		t.Errorf("have %q, want %q, in\n%s", got, want, text)
	}
}
