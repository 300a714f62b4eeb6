package harvest

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"watershed/archive"
	"watershed/page"
	"watershed/sitemap"
)

// TestWhatIsWantedIsFetched asks for URLs that nothing links to, and wants that the next run
// fetches them and what they need, by the rules of the harvest, and that its archive keeps them.
func TestWhatIsWantedIsFetched(t *testing.T) {
	w := &web{pages: map[string]string{
		"a.example/":           `<a href="/b">b</a><img src="/held.gif">`,
		"a.example/b":          "text",
		"a.example/held.gif":   "held",
		"a.example/robots.txt": "User-agent: *\nDisallow: /no/",
		"cdn.example/x.html": `<img src="y.gif"><img src="http://a.example/held.gif">` +
			`<a href="/far">far</a>`,
		"cdn.example/y.gif": "y",
		"cdn.example/moved": "-> http://cdn.example/z.gif",
		"cdn.example/z.gif": "z",
		"cdn.example/out/x": "x",
	}}
	site := sitemap.Site{Name: "a", Seeds: []page.URL{"http://a.example/"}, Boundary: sitemap.HostOnly}
	rule, err := page.ParseRule("prefix:http://cdn.example/out/")
	if err != nil {
		t.Fatal(err)
	}
	site.Exclude = []page.Rule{rule}
	plan := w.start(t, site)
	folder := Folder(filepath.Join(t.TempDir(), "h"))
	run(t, folder, plan)
	if w.asked("cdn.example/x.html") > 0 {
		t.Fatal("what nothing names was fetched")
	}

	const lower = "http://cdn.example/%d0%bf"
	want := []Wanted{
		{URL: "http://cdn.example/x.html", For: "http://a.example/b"},
		{URL: "http://cdn.example/moved"},
		{URL: "http://cdn.example/gone"},
		{URL: "http://cdn.example/%D0%BF", Spelled: page.URL("http://cdn.example/%D0%BF").Spelling(lower)},
		{URL: "http://a.example/no/x"},
		{URL: "http://cdn.example/out/x"},
	}
	if err := errors.Join(folder.Want(want), folder.Want(want[1:3])); err != nil {
		t.Fatal(err)
	}
	if list, err := folder.Wanted(); err != nil || len(list) != len(want) {
		t.Fatalf("%v %v", list, err)
	}
	held := w.asked("a.example/held.gif")
	plan.Extend = true
	d := run(t, folder, plan)

	for key, times := range map[string]int{
		"cdn.example/x.html": 1, "cdn.example/y.gif": 1, "cdn.example/moved": 1, "cdn.example/z.gif": 1,
		"cdn.example/gone": 1, "cdn.example/%d0%bf": 1,
		"a.example/no/x": 0, "cdn.example/out/x": 0, "cdn.example/far": 0, "a.example/held.gif": held,
	} {
		if n := w.asked(key); n != times {
			t.Errorf("%s was asked for %d times, want %d", key, n, times)
		}
	}
	urls := indexed(t, d.Run)
	for _, u := range []string{
		"http://cdn.example/x.html", "http://cdn.example/y.gif",
		"http://cdn.example/z.gif", "http://cdn.example/moved",
	} {
		if !slices.Contains(urls, u) {
			t.Errorf("the archive has no %s, only %v", u, urls)
		}
	}
	if list, err := folder.Wanted(); err != nil || len(list) != 0 {
		t.Errorf("%v still waits, %v", list, err)
	}
}

// TestWantedSurvivesAnInterruption stops the run that fetches what is wanted, and wants that the
// one that goes on keeps it.
func TestWantedSurvivesAnInterruption(t *testing.T) {
	w := &web{pages: map[string]string{"a.example/": "a", "cdn.example/x.gif": "x"}}
	plan := w.start(t, sitemap.Site{
		Name: "a", Seeds: []page.URL{"http://a.example/"},
		Boundary: sitemap.HostOnly,
	})
	folder := Folder(filepath.Join(t.TempDir(), "h"))
	run(t, folder, plan)
	if err := folder.Want([]Wanted{{URL: "http://cdn.example/x.gif"}}); err != nil {
		t.Fatal(err)
	}
	plan.Extend = true
	h, err := Open(folder, plan)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(h.Crawl(t.Context()), h.Close()); err != nil { // and no delivery
		t.Fatal(err)
	}
	if list, err := folder.Wanted(); err != nil || len(list) != 1 {
		t.Fatalf("%v, %v: taken away before it was delivered", list, err)
	}
	d := run(t, folder, plan)
	if n := w.asked("cdn.example/x.gif"); n != 1 || d.Kept < 1 {
		t.Errorf("asked for %d times, %d kept", n, d.Kept)
	}
	if urls := indexed(t, d.Run); !slices.Contains(urls, "http://cdn.example/x.gif") {
		t.Errorf("the archive has only %v", urls)
	}
}

// indexed are the URLs of a run's index.
func indexed(t *testing.T, run Run) (urls []string) {
	t.Helper()
	f, err := os.Open(run.Index())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	for in := archive.NewEntries(f); ; {
		e, err := in.Next()
		if errors.Is(err, io.EOF) {
			return urls
		}
		if err != nil {
			t.Fatal(err)
		}
		urls = append(urls, e.URL)
	}
}

// TestWantedBeyondALimit: what was asked for and not fetched because of a limit waits for the next run.
func TestWantedBeyondALimit(t *testing.T) {
	w := &web{pages: map[string]string{
		"a.example/": "a", "cdn.example/x.gif": "x", "cdn.example/y.gif": "y", "cdn.example/z.gif": "z",
	}}
	plan := w.start(t, sitemap.Site{
		Name: "a", Seeds: []page.URL{"http://a.example/"},
		Boundary: sitemap.HostOnly,
	})
	folder := Folder(filepath.Join(t.TempDir(), "h"))
	run(t, folder, plan)
	if err := folder.Want([]Wanted{
		{URL: "http://cdn.example/x.gif", By: "anna"},
		{URL: "http://cdn.example/y.gif", By: "anna"},
		{URL: "http://cdn.example/z.gif", By: "anna"},
	}); err != nil {
		t.Fatal(err)
	}
	plan.Extend = true
	plan.Frontier.HostLimits.Pages = 2
	run(t, folder, plan)
	list, err := folder.Wanted()
	if err != nil || len(list) != 1 || list[0].By != "anna" ||
		w.asked(strings.TrimPrefix(string(list[0].URL), "http://")) > 0 {
		t.Fatalf("%+v waits, %v", list, err)
	}
	plan.Frontier.HostLimits.Pages = 0
	run(t, folder, plan)
	for _, key := range []string{"cdn.example/x.gif", "cdn.example/y.gif", "cdn.example/z.gif"} {
		if n := w.asked(key); n != 1 {
			t.Errorf("%s was asked for %d times", key, n)
		}
	}
	if list, err := folder.Wanted(); err != nil || len(list) > 0 {
		t.Errorf("%+v waits, %v", list, err)
	}
}
