package harvest

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"watershed/harvest/copies"
	"watershed/internal/disk"
	"watershed/page"
	"watershed/replica"
	"watershed/replica/sketch"
	"watershed/sitemap"
)

// known counts the requests for the pages that the other host has; the guard against soft errors
// asks for others.
func (w *web) known() (n int) {
	for _, path := range []string{"a2", "b2", "c2", "only"} {
		n += w.asked("m.site.example/" + path)
	}
	return n
}

// sameTexts is a site whose second host has three pages of the first one's text, from one of which
// alone a page of its own is linked.
func sameTexts() (*web, sitemap.Site) {
	link := func(to string) string { return `<a href="` + to + `">on</a>` }
	w := &web{pages: map[string]string{
		"www.site.example/": links("/a", "/b", "/own", "http://m.site.example/a2",
			"http://m.site.example/b2", "http://m.site.example/c2") + prose(1),
		"www.site.example/a":   link("/") + prose(2),
		"www.site.example/b":   link("/") + prose(3),
		"m.site.example/a2":    link("/only") + prose(2),
		"m.site.example/b2":    link("/a2") + prose(3),
		"m.site.example/c2":    link("/a2") + prose(3),
		"m.site.example/only":  link("/a2") + prose(4),
		"www.site.example/own": link("/") + prose(5),
	}}
	return w, sitemap.Site{Name: "A", Seeds: []page.URL{"http://www.site.example/"}, Boundary: sitemap.Domain}
}

// TestSinglesStory: pages of the same text in two runs are left out of the third, what they alone
// lead to is not; and when what stands for one changes, it is fetched again.
func TestSinglesStory(t *testing.T) {
	w, site := sameTexts()
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Find, p.Replicas.Confirm, p.Replicas.Singles = true, true, 1
	p.Replicas.Options = replica.Options{Sample: -1, MinSample: -1}
	folder := Folder(t.TempDir())
	for range 2 {
		w.forget()
		run(t, folder, p)
		if n := w.known(); n != 4 {
			t.Errorf("a run before it is known twice asked for %d pages, want 4", n)
		}
	}
	w.forget()
	d := run(t, folder, p)
	if n := w.known(); n != 1 || w.asked("m.site.example/only") != 1 {
		t.Errorf("the third run asked for %d pages of the other host, and %d times for the one of its own", n,
			w.asked("m.site.example/only"))
	}
	checkLedger(t, d, 3)
	if got := captured(t, d); got["http://m.site.example/only"] == "" {
		t.Error("a page that only a page left out links to is not in the archive")
	}
	if text := notes(t, d)["http://m.site.example/a2"]; text["leftOut"] != "copy" ||
		text["representative"] != "http://www.site.example/a" {
		t.Errorf("the record of what is left out says %v", text)
	}

	w.pages["www.site.example/a"] = links("/") + prose(6)
	for _, when := range []string{"in the run that sees the change", "in the next"} {
		w.forget()
		run(t, folder, p)
		if w.asked("m.site.example/a2") != 1 || w.asked("m.site.example/b2") != 0 {
			t.Errorf("%s a page whose stand has changed was asked for %d times, and another one %d times",
				when, w.asked("m.site.example/a2"), w.asked("m.site.example/b2"))
		}
	}
}

// TestRobotsAreNoSingles: robots.txt of two hosts with the same words is no sample of their pages.
func TestRobotsAreNoSingles(t *testing.T) {
	w, site := sameTexts()
	for _, host := range []string{"www", "m"} {
		w.pages[host+".site.example/robots.txt"] = "# " + prose(7) + "\nUser-agent: *\nDisallow: /none\n"
	}
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Find, p.Replicas.Confirm, p.Replicas.Singles, p.Replicas.SingleRuns = true, true, 1, 1
	p.Replicas.Options = replica.Options{Sample: -1, MinSample: 1}
	folder := Folder(t.TempDir())
	for range 4 {
		run(t, folder, p)
		list, err := copies.ReadSingles(folder.Copies())
		check(t, err)
		if len(list) != 3 {
			t.Errorf("the list of single pages is %v", list)
		}
		w.forget()
	}
	run(t, folder, p)
	if n := w.known(); n != 2 { // a sample, and the page that no other has
		t.Errorf("asked for %d pages", n)
	}
}

// TestSinglesSample: a sample is fetched nevertheless, and an unreadable list is told.
func TestSinglesSample(t *testing.T) {
	w, site := sameTexts()
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Find, p.Replicas.Confirm, p.Replicas.Singles, p.Replicas.SingleRuns = true, true, 1, 1
	folder := Folder(t.TempDir())
	run(t, folder, p)
	w.forget()
	d := run(t, folder, p)
	if n := w.known(); n != 4 { // the sample is three pages at least
		t.Errorf("asked for %d pages", n)
	}
	checkLedger(t, d, 0)
	old := "# watershed copies 1\nask\thttp://a.example/\n" // of an earlier version
	check(t, os.WriteFile(folder.Copies(), []byte(old), 0o666))
	h, err := Open(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	check(t, h.Close())
	for _, text := range []string{
		"copy", "# watershed copies 1" + "\ncopy\thttp://a.example/",
		"# watershed copies 1" + "\nask\tHTTP://a.example",
		"# watershed copies 1" + "\ncopy\thttp://a.example/\thttp://b.example/\tx\t1",
	} {
		if err := os.WriteFile(folder.Copies(), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if h, err := Open(folder, p); err == nil || !strings.Contains(err.Error(), "copies.tsv: line ") {
			t.Errorf("%q: %v", text, err)
			if h != nil {
				_ = h.Close() // the test has failed already
			}
		}
	}
}

// TestSinglesWithinReplica: of pages that the rule of a replica stands badly for, those of the same
// text are fetched once.
func TestSinglesWithinReplica(t *testing.T) {
	w := &web{pages: map[string]string{
		"www.site.example/": links("/a", "/b", "/c", "http://m.site.example/a", "http://m.site.example/b",
			"http://m.site.example/c"),
		"m.site.example/a": links("/b") + prose(1),
		"m.site.example/b": links("/a") + prose(9),
		"m.site.example/c": links("/a") + prose(9),
	}}
	for i, path := range []string{"a", "b", "c"} {
		w.pages["www.site.example/"+path] = links("/") + prose(1+i)
	}
	p := w.start(t, sitemap.Site{
		Name: "A", Seeds: []page.URL{"http://www.site.example/"},
		Boundary: sitemap.Domain,
	})
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Find, p.Replicas.Confirm, p.Replicas.Singles, p.Replicas.SingleRuns = true, true, 1, 1
	p.Replicas.Options = replica.Options{Sample: -1, MinSample: -1}
	folder := Folder(t.TempDir())
	p.Replicas.Find = false
	run(t, folder, p)
	err := folder.EditTable(func(table *replica.Table) error {
		return table.Put(replica.Entry{
			From: "m.site.example", To: "www.site.example",
			State: replica.Confirmed, Method: "collection",
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Replicas.Find = true
	for _, c := range []int{1, 0} { // the list is made by the first of the two runs
		w.forget()
		d := run(t, folder, p)
		got := [3]int{w.asked("m.site.example/a"), w.asked("m.site.example/b"), w.asked("m.site.example/c")}
		if want := [3]int{0, 1, c}; got != want {
			t.Errorf("the pages of the replica were asked for %v times, want %v", got, want)
		}
		checkLedger(t, d, 2-c)
	}
}

// TestSinglesTheOriginalLacks: of pages that two copies have and their original has not, those of the
// same text are fetched once, though each waits for its original at first, and where no other single
// pages are left out. There the samples of the copy show that it goes its own way in these, too.
func TestSinglesTheOriginalLacks(t *testing.T) {
	for _, singles := range []float64{0, 1} {
		t.Run(fmt.Sprint(singles), func(t *testing.T) { testOriginalLacks(t, singles) })
	}
}

func testOriginalLacks(t *testing.T, singles float64) {
	w := &web{pages: map[string]string{}}
	var all []string
	for _, host := range []string{"www", "n", "m"} {
		for i := range 9 {
			path := fmt.Sprintf("%s.site.example/c%d", host, i)
			if i < 6 || host != "www" {
				w.pages[path] = links("/") + prose(i)
				all = append(all, "http://"+path)
			}
		}
		w.pages[host+".site.example/"] = links("http://www.site.example/") + prose(10+int(host[0]))
	}
	w.pages["www.site.example/"] = links(all...)
	p := w.start(t, sitemap.Site{
		Name: "A", Seeds: []page.URL{"http://www.site.example/"}, Boundary: sitemap.Domain,
	})
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Options = replica.Options{Sample: -1, MinSample: -1}
	folder := Folder(t.TempDir())
	run(t, folder, p)
	err := folder.EditTable(func(table *replica.Table) (err error) {
		for _, from := range []string{"m.site.example", "n.site.example"} {
			err = errors.Join(err, table.Put(replica.Entry{
				From: from, To: "www.site.example", State: replica.Confirmed, Method: "collection",
			}))
		}
		return err
	})
	check(t, err)
	p.Replicas.Find, p.Replicas.Confirm, p.Replicas.Singles, p.Replicas.SingleRuns = true, true, singles, 1
	run(t, folder, p) // which makes the list
	w.forget()
	d := run(t, folder, p)
	for i := range 9 {
		m, n := w.asked(fmt.Sprintf("m.site.example/c%d", i)), w.asked(fmt.Sprintf("n.site.example/c%d", i))
		if want := i / 6; m+n != want {
			t.Errorf("page %d was asked for %d and %d times of its copies, want %d in all", i, m, n, want)
		}
	}
	checkLedger(t, d, 15)
	stand, other := "m.site.example/", "n.site.example/"
	if w.asked(stand+"c7") == 0 {
		stand, other = other, stand
	}
	w.pages[stand+"c7"] = links("/") + prose(77) + "<p>rewritten</p>"
	delete(w.pages, stand+"c8")
	w.forget()
	d = run(t, folder, p)
	a, b, c := w.asked(other+"c6"), w.asked(other+"c7"), w.asked(other+"c8")
	if a != 0 || b != 1 || c != 1 {
		t.Errorf("pages of which the stand is as it was, has changed, and has gone were asked for "+
			"%d, %d and %d times", a, b, c)
	}
	checkLedger(t, d, 13)
	if singles > 0 {
		return
	}
	w.pages["n.site.example/c6"] = links("/") + prose(78)
	p.Replicas.Options = replica.Options{Sample: 1}
	run(t, folder, p)
	table, err := ReadTable(folder.Replicas())
	check(t, err)
	if e, _ := table.Get("n.site.example"); e.Evidence.Tested != 7 || e.Evidence.Agreed != 6 {
		t.Errorf("%+v", e)
	}
}

// TestSinglesOfDrifted: a sample has ended a copy. Of pages that it and its original have single ones are
// left out of the copy, though it has more pages of its own.
func TestSinglesOfDrifted(t *testing.T) {
	w := &web{pages: map[string]string{}}
	home := ""
	for i := range 9 {
		if w.pages[fmt.Sprintf("%s/c%d", copyHost, i)] = prose(i); i < 6 {
			w.pages[fmt.Sprintf("%s/c%d", original, i)] = prose(i)
		}
		home += links(fmt.Sprintf("/c%d", i))
	}
	w.pages[original+"/"], w.pages[copyHost+"/"] = home+links("http://"+copyHost+"/"), home
	p := w.start(t, sitemap.Site{
		Name: "A", Seeds: []page.URL{"http://" + original + "/"}, Boundary: sitemap.Domain,
	})
	p.Crawl.Sketch = new(sketch.Options)
	folder := Folder(t.TempDir())
	run(t, folder, p)
	check(t, folder.EditTable(func(table *replica.Table) error {
		return table.Put(replica.Entry{
			From: copyHost, To: original, State: replica.Reopened, Method: "collection", By: "sample",
		})
	}))
	p.Replicas.Find, p.Replicas.Confirm, p.Replicas.Singles, p.Replicas.SingleRuns = true, true, 1, 1
	run(t, folder, p)
	list, err := copies.ReadSingles(folder.Copies())
	check(t, err)
	for u, single := range list {
		if u.Host() != copyHost || single.Stand.Host() != original {
			t.Errorf("%s is left out for %s", u, single.Stand)
		}
	}
	if len(list) != 6 {
		t.Errorf("%d pages are left out, not 6", len(list))
	}
}

// TestFilesBesideSingles: pages of an original that have the same words are left out, but for one,
// and so are those of its copy, which no run captured. The pictures of all of them are had.
func TestFilesBesideSingles(t *testing.T) {
	w, folder, p := mirroredOnce(t)
	const n = 12
	for _, host := range []string{original, copyHost} {
		w.pages[host+"/c1"] += links("/new/0")
		for i := range n {
			at := fmt.Sprintf("%s/new/%d", host, i)
			w.pages[at] = links(fmt.Sprintf("/new/%d", i+1)) + prose(300) +
				fmt.Sprintf(`<img src="/new/%d.png">`, i)
			w.pages[at+".png"] = fmt.Sprint("a picture of ", host, i)
		}
	}
	p.Replicas.Find, p.Replicas.Confirm, p.Replicas.Singles, p.Replicas.SingleRuns = true, true, .8, 1
	p.Replicas.Aliases = []string{copyHost + " = " + original}
	for range 2 {
		d := run(t, folder, p)
		got := captured(t, d)
		for i := range n {
			if at := fmt.Sprintf("http://%s/new/%d.png", copyHost, i); got[at] == "" {
				t.Errorf("run %d lacks %s", d.Run.Number(), at)
			}
		}
	}
}

// TestNewFilesBesideSingles: a page that is left out by itself and what stands for it get a picture of
// the same name each. Both are had.
func TestNewFilesBesideSingles(t *testing.T) {
	w := &web{pages: map[string]string{}}
	var all []string
	at := func(dir string, i int) string { return fmt.Sprintf("%s%sc%d", original, dir, i) }
	for _, dir := range []string{"/one/", "/two/"} {
		for i := range 8 {
			w.pages[at(dir, i)] = links("/") + prose(i)
			all = append(all, "http://"+at(dir, i))
		}
	}
	w.pages[original+"/"] = links(all...)
	p := w.start(t, sitemap.Site{
		Name: "A", Boundary: sitemap.Domain, Seeds: []page.URL{"http://" + original + "/"},
	})
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Find, p.Replicas.Confirm, p.Replicas.Singles, p.Replicas.SingleRuns = true, true, .8, 1
	p.Replicas.Options = replica.Options{Sample: -1, MinSample: -1}
	folder := Folder(t.TempDir())
	run(t, folder, p)
	for _, u := range all {
		u = strings.TrimPrefix(u, "http://")
		w.pages[u] += fmt.Sprintf(`<img src="%s.png">`, u[strings.LastIndex(u, "/")+1:])
		w.pages[u+".png"] = "a picture of " + u
	}
	d := run(t, folder, p)
	got, lines := captured(t, d), leftLines(t, d.Run)
	if len(lines) < 7 {
		t.Errorf("%d pages are left out", len(lines))
	}
	for _, u := range all {
		if got[u+".png"] == "" {
			t.Errorf("the run lacks %s.png", u)
		}
	}
}

// TestPicturesOfSingles: pages with the same words under names that have nothing in common are left out
// for one of them, until all of them show a picture of their own.
func TestPicturesOfSingles(t *testing.T) {
	w := &web{pages: map[string]string{}}
	var all []string
	for i := range 8 {
		w.pages[fmt.Sprintf("%s/c%d", original, i)] = links("/") + prose(1)
		all = append(all, fmt.Sprintf("/c%d", i))
	}
	w.pages[original+"/"] = links(all...)
	p := w.start(t, sitemap.Site{
		Name: "A", Boundary: sitemap.Domain, Seeds: []page.URL{"http://" + original + "/"},
	})
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Find, p.Replicas.Confirm, p.Replicas.Singles, p.Replicas.SingleRuns = true, true, .8, 1
	p.Replicas.Options = replica.Options{Sample: -1, MinSample: -1}
	folder := Folder(t.TempDir())
	run(t, folder, p)
	if left := leftLines(t, run(t, folder, p).Run); len(left) != 7 {
		t.Errorf("%d pages of 8 are left out", len(left))
	}
	for _, at := range all {
		w.pages[original+at] += fmt.Sprintf(`<img src="/pictures%s.png">`, at)
		w.pages[original+"/pictures"+at+".png"] = "a picture of " + at
	}
	got := captured(t, run(t, folder, p))
	for _, at := range all {
		if got["http://"+original+"/pictures"+at+".png"] == "" {
			t.Errorf("the run lacks the picture of %s", at)
		}
	}
}

// TestSinglesAgainstTable: where the list of single pages and the table say of two pages that each
// stands for the other one, the list is right, and the page that it names is fetched.
func TestSinglesAgainstTable(t *testing.T) {
	w, folder, p := mirroredOnce(t)
	const own, twin = "www.site.example/c1", "m.site.example/c1"
	err := copies.WriteSingles(disk.OS{}, folder.Copies(), map[page.URL]copies.Single{
		"http://" + own: {Stand: "http://" + twin, Resemblance: 1, Runs: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Replicas.Aliases = []string{"m.site.example = www.site.example"}
	p.Replicas.Singles, p.Replicas.Options = .5, replica.Options{Sample: -1, MinSample: -1}
	w.forget()
	d := run(t, folder, p)
	if a, b := w.asked(own), w.asked(twin); a != 0 || b != 1 {
		t.Errorf("the two pages were asked for %d and %d times", a, b)
	}
	checkLedger(t, d, 10) // the page, and the other pages of the mirror but its entry page, which is a seed
}

// TestRecallOfTwin: where the page that stands for one of a replica changes, the run that sees it
// fetches the replica's page.
func TestRecallOfTwin(t *testing.T) {
	w, site := mirrored()
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Options = replica.Options{Sample: -1, MinSample: -1}
	folder := Folder(t.TempDir())
	run(t, folder, p)
	err := folder.EditTable(func(table *replica.Table) error {
		return table.Put(replica.Entry{
			From: "m.site.example", To: "www.site.example",
			State: replica.Confirmed, Method: "collection",
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	w.pages["www.site.example/c3"] = links("/") + prose(333) + "<p>rewritten</p>"
	w.forget()
	d := run(t, folder, p)
	if n := w.onHost("m.site.example"); n != 1 || w.asked("m.site.example/c3") != 1 {
		t.Errorf("the mirror was asked for %d pages, %d times for the one whose stand has changed", n,
			w.asked("m.site.example/c3"))
	}
	if got := captured(t, d); got["http://m.site.example/c3"] == "" {
		t.Error("the page whose stand has changed is not in the archive")
	}
}

// some are the first words of prose.
func some(n, words int) string {
	text := strings.Fields(strings.TrimSuffix(strings.TrimPrefix(prose(n), "<p>"), "</p>"))
	return "<p>" + strings.Join(text[:words], " ") + "</p>"
}

// TestRecallThroughChain: a page that stands for one of a replica is left out itself for a third
// one of its text; when that changes, the run fetches those of the two that are no longer like it.
func TestRecallThroughChain(t *testing.T) {
	w := &web{pages: map[string]string{
		"www.site.example/":  links("/c", "http://m.site.example/c", "http://new.site.example/c"),
		"www.site.example/c": links("/") + some(1, 120) + some(2, 120),
		"m.site.example/c":   links("/c") + some(1, 120) + some(2, 120) + some(4, 120),
		"new.site.example/c": links("/") + some(1, 120) + some(2, 120),
	}}
	p := w.start(t, sitemap.Site{
		Name:  "A",
		Seeds: []page.URL{"http://www.site.example/", "http://new.site.example/c"}, Boundary: sitemap.Domain,
	})
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Find, p.Replicas.Confirm, p.Replicas.Singles, p.Replicas.SingleRuns = true, true, .5, 1
	p.Replicas.Rule.Resemblance = .5
	p.Replicas.Options = replica.Options{Sample: -1, MinSample: -1}
	folder := Folder(t.TempDir())
	p.Replicas.Find = false
	run(t, folder, p)
	err := folder.EditTable(func(table *replica.Table) error {
		return table.Put(replica.Entry{
			From: "m.site.example", To: "www.site.example",
			State: replica.Confirmed, Method: "collection", Evidence: replica.Evidence{Resemblance: 1},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Replicas.Find = true
	for _, want := range [][3]int{{1, 0, 1}, {0, 0, 1}, {0, 1, 1}} { // the first makes the list
		w.forget()
		d := run(t, folder, p)
		got := [3]int{
			w.asked("www.site.example/c"), w.asked("m.site.example/c"),
			w.asked("new.site.example/c"),
		}
		if got != want {
			t.Fatalf("the page, that of the replica and what stands for both were asked for %v "+
				"times, want %v", got, want)
		}
		if want[0]+want[1] == 0 {
			checkLedger(t, d, 2)
			for _, u := range []string{"http://www.site.example/c", "http://m.site.example/c"} {
				if text := notes(t, d)[u]; text["representative"] != "http://new.site.example/c" {
					t.Errorf("the record of %s says %v", u, text)
				}
			}
			w.pages["new.site.example/c"] = links("/c") + some(1, 120) + some(2, 36)
		}
	}
}
