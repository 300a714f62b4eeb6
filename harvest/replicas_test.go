package harvest

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"watershed/archive"
	"watershed/harvest/copies"
	"watershed/harvest/decision"
	"watershed/internal/disk"
	"watershed/page"
	"watershed/replica"
	"watershed/replica/sketch"
	"watershed/sitemap"
)

// prose is text of its own for each number, long enough to be compared.
func prose(n int) string {
	var b strings.Builder
	for i := range 120 {
		fmt.Fprintf(&b, "w%d ", (i*i+n*7919+i*n)%997)
	}
	return "<p>" + b.String() + "</p>"
}

// mirrored is a site of some chapters and its mirror; the home page links to all of both.
func mirrored() (*web, sitemap.Site) {
	w := &web{pages: map[string]string{}}
	var all []string
	for i := range 10 {
		path := fmt.Sprintf("/c%d", i)
		w.pages["www.site.example"+path] = links("/") + prose(i)
		w.pages["m.site.example"+path] = links("/") + prose(i) + "<p>from the mirror</p>"
		all = append(all, path, "http://m.site.example"+path)
	}
	w.pages["www.site.example/"] = links(all...)
	w.pages["m.site.example/"] = links(all...)
	return w, sitemap.Site{Name: "A", Seeds: []page.URL{"http://www.site.example/"}, Boundary: sitemap.Domain}
}

// mirroredIn has a site and its mirror in a directory of their hosts, of which both are seeds.
func mirroredIn(dir string) (*web, sitemap.Site) {
	w, site := mirrored()
	pages, in := map[string]string{}, strings.NewReplacer(`"/`, `"`+dir, ".example/", ".example"+dir)
	for at, text := range w.pages {
		pages[in.Replace(at)] = in.Replace(text)
	}
	w.pages = pages
	site.Seeds = []page.URL{"http://" + original + page.URL(dir), "http://" + copyHost + page.URL(dir)}
	return w, site
}

// mirroredOnce has harvested a site and its mirror, both from the entry page on, with sketches.
func mirroredOnce(t *testing.T) (*web, Folder, Plan) {
	t.Helper()
	w, site := mirrored()
	site.Seeds = append(site.Seeds, "http://m.site.example/")
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	folder := Folder(t.TempDir())
	run(t, folder, p)
	return w, folder, p
}

// onHost counts the pages of a host that were asked for since the requests were last forgotten.
func (w *web) onHost(host string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.requests {
		if strings.HasPrefix(r, host+"/") && !strings.Contains(r, "robots.txt") {
			n++
		}
	}
	return n
}

func (w *web) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests = nil
}

// A mirror is left out from the first harvest on, sampled in the second, fetched again in the third
// because it has drifted; and what it alone still has is fetched from it.
func TestMirrorStory(t *testing.T) {
	w, site := mirrored()
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Aliases = []string{"m.site.example = www.site.example"}
	folder := Folder(t.TempDir())

	d := run(t, folder, p)
	if n := w.onHost("m.site.example"); n != 6 {
		t.Errorf("the first harvest asked the mirror for %d pages, not for a sample of 6", n)
	}
	checkLedger(t, d, 5)
	state(t, folder, replica.Pruned)

	w.forget()
	w.pages["m.site.example/new"] = links("/") + prose(77)
	w.pages["www.site.example/"] += links("http://m.site.example/new")
	d = run(t, folder, p)
	if n := w.onHost("m.site.example"); n != 8 {
		t.Errorf("the second harvest asked the mirror for %d pages: the entry page, the new page that it "+
			"alone has, and because of that the 4 that were never captured and 2 others were to be", n)
	}
	if w.asked("m.site.example/new") != 1 {
		t.Error("a page that the mirror alone has was not fetched")
	}
	if e := state(t, folder, replica.Pruned); e.Evidence.Tested != 8 || e.Evidence.Agreed != 7 {
		t.Errorf("evidence %+v", e.Evidence)
	}
	checkLedger(t, d, 4)

	w.forget()
	p.Replicas.Aliases = nil // the harvest's own table goes on
	for i := range 10 {
		w.pages[fmt.Sprintf("m.site.example/c%d", i)] = links("/") + prose(100+i)
	}
	d = run(t, folder, p)
	e := state(t, folder, replica.Reopened)
	if e.By != "sample" || !strings.Contains(e.Note, "1 of 3") {
		t.Errorf("reopened by %q: %q", e.By, e.Note)
	}
	got := captured(t, d)
	for i := range 10 {
		if u := fmt.Sprintf("http://m.site.example/c%d", i); got[u] == "" {
			t.Errorf("%s has drifted and was not captured", u)
		}
	}
	checkLedger(t, d, 0)
}

// TestCopyThatHasMore: new pages of a mirror in a directory that its original never had do not speak
// against the mirror; new pages beside those that both have do.
func TestCopyThatHasMore(t *testing.T) {
	for _, c := range []struct {
		dir  string
		want replica.State
	}{{"/more/", replica.Pruned}, {"/", replica.Reopened}} {
		w, site := mirrored()
		for i := range 4 {
			path := fmt.Sprintf("m.site.example/more/%d", i)
			w.pages[path] = links("/") + prose(50+i)
			w.pages["m.site.example/"] += links("http://" + path)
		}
		site.Seeds = append(site.Seeds, "http://m.site.example/")
		p := w.start(t, site)
		p.Crawl.Sketch = new(sketch.Options)
		folder := Folder(t.TempDir())
		run(t, folder, p)
		for i := range 2 {
			path := fmt.Sprintf("m.site.example%snew%d", c.dir, i)
			w.pages[path] = links("/") + prose(70+i)
			w.pages["m.site.example/"] += links("http://" + path)
		}
		p.Replicas.Aliases = []string{"m.site.example = www.site.example"}
		w.forget()
		run(t, folder, p)
		state(t, folder, c.want)
		for i := range 2 {
			if path := fmt.Sprintf("m.site.example%snew%d", c.dir, i); w.asked(path) != 1 {
				t.Errorf("%s was not fetched", path)
			}
		}
	}
}

// TestDriftNextDoor: where one copy has drifted, another one is looked at beyond its own sample.
func TestDriftNextDoor(t *testing.T) {
	for drifts, want := range map[bool]int{false: 4, true: 10} {
		w, site := mirrored()
		for i := range 10 {
			path := fmt.Sprintf("/c%d", i)
			w.pages["n.site.example"+path] = w.pages["m.site.example"+path]
			w.pages["www.site.example/"] += links("http://n.site.example" + path)
		}
		p := w.start(t, site)
		p.Crawl.Sketch = new(sketch.Options)
		folder := Folder(t.TempDir())
		run(t, folder, p)
		p.Replicas.Aliases = []string{
			"m.site.example = www.site.example", "n.site.example = www.site.example",
		}
		for i := range 10 {
			if drifts {
				w.pages[fmt.Sprintf("m.site.example/c%d", i)] = links("/") + prose(100+i)
			}
		}
		w.forget()
		run(t, folder, p)
		if n := w.onHost("n.site.example"); n != want {
			t.Errorf("another copy drifts: %v; %d pages of this one were compared, want %d", drifts, n, want)
		}
	}
}

// TestCopiesOfWhatNobodyCaptured: pages of two copies that no run has of their original are fetched of
// one copy, but for samples, as long as the original does not have them; else it stands for both.
func TestCopiesOfWhatNobodyCaptured(t *testing.T) {
	for has, most := range map[bool]int{false: 13, true: 6} {
		w, site := mirrored()
		for i := range 20 {
			path := fmt.Sprintf("/c%d", i)
			for _, host := range []string{"m.site.example", "n.site.example"} {
				w.pages[host+path] = links("/") + prose(i)
				w.pages["www.site.example/"] += links("http://" + host + path)
			}
		}
		p := w.start(t, site)
		p.Crawl.Sketch = new(sketch.Options)
		folder := Folder(t.TempDir())
		run(t, folder, p)
		p.Replicas.Aliases = []string{
			"m.site.example = www.site.example", "n.site.example = www.site.example",
		}
		fetched := 0
		for i := 10; i < 20 && has; i++ {
			w.pages[fmt.Sprintf("www.site.example/c%d", i)] = links("/") + prose(i)
		}
		w.forget()
		run(t, folder, p)
		for i := 10; i < 20; i++ {
			path := fmt.Sprintf(".site.example/c%d", i)
			fetched += w.asked("m"+path) + w.asked("n"+path)
			if w.asked("www"+path)+w.asked("m"+path) == 0 {
				t.Errorf("the original has %s: %v; nobody has it any more", path, has)
			}
		}
		if fetched > most {
			t.Errorf("the original has them: %v; %d of 20 pages were fetched, want %d at most", has, fetched,
				most)
		}
	}
}

// TestChainOfCopies: pages that only pages left out lead to, each to the next, are asked for or have
// a line in the ledger, however long the chain is.
func TestChainOfCopies(t *testing.T) {
	w := &web{pages: map[string]string{}}
	const original, mirror = "www.site.example", "m.site.example"
	for i := range 16 {
		for _, host := range []string{original, mirror} {
			w.pages[fmt.Sprintf("%s/c%d", host, i)] = links(fmt.Sprintf("/c%d", i+1)) + prose(i)
		}
	}
	w.pages[original+"/"] = links("/c0", "http://"+mirror+"/c0")
	p := w.start(t, sitemap.Site{
		Name: "A", Seeds: []page.URL{"http://www.site.example/"}, Boundary: sitemap.Domain,
	})
	p.Crawl.Sketch = new(sketch.Options)
	folder := Folder(t.TempDir())
	run(t, folder, p)

	w.forget()
	p.Replicas.Aliases = []string{mirror + " = " + original}
	lines := leftLines(t, run(t, folder, p).Run)
	for i := range 16 {
		path := fmt.Sprintf("%s/c%d", mirror, i)
		if _, told := lines[page.URL("http://"+path)]; !told && w.asked(path) == 0 {
			t.Errorf("%s was not asked for, and no line tells of it", path)
		}
	}
	if len(lines) < 12 {
		t.Errorf("%d pages of 16 were left out", len(lines))
	}
}

// TestNewFilesOfACopy: where the pages of a copy have the same words as before and new pictures,
// which differ from those of the original, all of them are fetched, also where the original's pages
// showed pictures of these names before.
func TestNewFilesOfACopy(t *testing.T) {
	for _, before := range []string{"i", "later"} {
		w, site := mirrored()
		pages := w.pages
		shows := func(name, host string) {
			for i := range 10 {
				picture := fmt.Sprintf("/%s%d.png", name, i)
				for _, host := range []string{original, copyHost} {
					pages[host+picture] = fmt.Sprint("a picture ", i, host)
				}
				pages[fmt.Sprintf("%s/c%d", host, i)] = links("/") + prose(i) + `<img src="` + picture + `">`
			}
		}
		shows(before, original)
		shows("i", copyHost)
		p := w.start(t, site)
		p.Crawl.Sketch = new(sketch.Options)
		folder := Folder(t.TempDir())
		run(t, folder, p)

		w.forget()
		c7, c8, c9 := pages[copyHost+"/c7"], pages[copyHost+"/c8"], pages[copyHost+"/c9"]
		shows("later", copyHost)
		if before == "later" { // the copy has no such pictures of pages that stay as they were
			pages[copyHost+"/c7"], pages[copyHost+"/c8"], pages[copyHost+"/c9"] = c7, c8, c9
			for i := 7; i < 10; i++ {
				delete(pages, fmt.Sprintf("%s/later%d.png", copyHost, i))
			}
		}
		p.Replicas.Aliases = []string{copyHost + " = " + original}
		run(t, folder, p)
		for i := range 10 {
			if picture := fmt.Sprintf("%s/later%d.png", copyHost, i); w.asked(picture) == 0 {
				t.Errorf("the original's pages had %q: %s was not asked for", before, picture)
			}
		}
		w.forget()
		if before != "later" {
			continue
		}
		for range 4 {
			run(t, folder, p)
		}
		for i := 7; i < 10; i++ {
			if picture := fmt.Sprintf("%s/later%d.png", copyHost, i); w.asked(picture) > 0 {
				t.Errorf("%s, which the copy does not have, was asked for again", picture)
			}
		}
	}
}

// TestNewFilesOfBoth: pages of an original and of its copy, of which no sample is taken, come to show
// pictures of one name that differ. The pictures of the copy are fetched, though its pages are left out,
// by that run and by the next.
func TestNewFilesOfBoth(t *testing.T) {
	w, folder, p := mirroredOnce(t)
	for i := range 10 {
		for _, host := range []string{"www.site.example", "m.site.example"} {
			w.pages[fmt.Sprintf("%s/c%d", host, i)] += fmt.Sprintf(`<img src="/new%d.png">`, i)
			w.pages[fmt.Sprintf("%s/new%d.png", host, i)] = fmt.Sprint("a picture ", i, host)
		}
	}
	w.forget()
	p.Replicas.Aliases = []string{"m.site.example = www.site.example"}
	p.Replicas.Options = replica.Options{Sample: -1, MinSample: -1}
	got := captured(t, run(t, folder, p))
	for i := range 10 {
		if u := fmt.Sprintf("http://m.site.example/new%d.png", i); got[u] == "" {
			t.Errorf("%s is not in the archive", u)
		}
	}
	if got["http://m.site.example/c1"] != "" {
		t.Error("a page was fetched that was to be left out, so the test shows nothing")
	}
	w.forget()
	got = captured(t, run(t, folder, p))
	for i := range 10 {
		if u := fmt.Sprintf("http://m.site.example/new%d.png", i); got[u] == "" {
			t.Errorf("%s is not in the archive of the run after that", u)
		}
	}
}

// TestNewFramesOfBoth: pages of an original and of its copy come to show frames of one name outside of
// the directory from which on the site is computed. The copy's frames differ, and are fetched, though
// each page of it is linked from the one before alone, which was left out.
func TestNewFramesOfBoth(t *testing.T) {
	w, site := mirroredIn("/in/")
	site.Boundary = sitemap.Logical
	for _, host := range []string{original, copyHost} {
		w.pages[host+"/in/"] = links("/in/c0")
		for i := range 10 {
			w.pages[fmt.Sprintf("%s/in/c%d", host, i)] = links(fmt.Sprintf("/in/c%d", i+1)) + prose(i)
		}
	}
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	folder := Folder(t.TempDir())
	run(t, folder, p)
	for i := range 10 {
		for n, host := range []string{original, copyHost} {
			w.pages[fmt.Sprintf("%s/in/c%d", host, i)] += fmt.Sprintf(`<iframe src="/framed/%d"></iframe>`, i)
			w.pages[fmt.Sprintf("%s/framed/%d", host, i)] = prose(300 + 100*n + i)
		}
	}
	p.Replicas.Aliases = []string{copyHost + " = " + original}
	got := captured(t, run(t, folder, p))
	for i := range 10 {
		if u := fmt.Sprintf("http://%s/framed/%d", copyHost, i); got[u] == "" {
			t.Errorf("%s is not in the archive", u)
		}
	}
}

// TestUnseenFiles: pages of a copy that no run has captured agree with the original's, and so do all
// files that they lead to but one. Pages are left out, and each file is fetched.
func TestUnseenFiles(t *testing.T) {
	w, site := mirrored()
	for i := range 10 {
		for _, host := range []string{original, copyHost} {
			w.pages[fmt.Sprintf("%s/c%d", host, i)] += links(fmt.Sprintf("/f%d.js", i))
			w.pages[fmt.Sprintf("%s/f%d.js", host, i)] = fmt.Sprint("data ", i)
		}
	}
	w.pages[copyHost+"/f7.js"] = "data of its own"
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Aliases = []string{copyHost + " = " + original}
	got := captured(t, run(t, Folder(t.TempDir()), p))
	pages := 0
	for i := range 10 {
		if u := fmt.Sprintf("http://%s/f%d.js", copyHost, i); got[u] == "" {
			t.Errorf("%s is not in the archive", u)
		}
		if got[fmt.Sprintf("http://%s/c%d", copyHost, i)] != "" {
			pages++
		}
	}
	if pages > 6 {
		t.Errorf("%d of 10 pages were fetched, so the test shows little", pages)
	}
}

// TestUnseenDirectory: of a copy that no run has captured a large directory agrees with the original's,
// which says nothing of one that has fewer pages than a sample.
func TestUnseenDirectory(t *testing.T) {
	w := &web{pages: map[string]string{}}
	var all []string
	for i := range 42 {
		at := fmt.Sprintf("/%s/c%d", []string{"small", "large"}[min(i/2, 1)], i)
		for _, host := range []string{original, copyHost} {
			w.pages[host+at] = links("/") + prose(i)
			all = append(all, "http://"+host+at)
		}
	}
	w.pages[original+"/"] = links(all...)
	p := w.start(t, sitemap.Site{
		Name: "A", Seeds: []page.URL{"http://" + original + "/"}, Boundary: sitemap.Domain,
	})
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Aliases = []string{copyHost + " = " + original}
	run(t, Folder(t.TempDir()), p)
	for i := range 2 {
		if at := fmt.Sprintf("%s/small/c%d", copyHost, i); w.asked(at) != 1 {
			t.Errorf("%s was not asked for", at)
		}
	}
	if n := w.onHost(copyHost); n > 20 {
		t.Errorf("%d of 42 pages that agree were fetched", n)
	}
}

// TestWaysOfItsOwn: a page of a copy is the only way to a page that its original lacks. It is left out
// as it is like its original, and what it led to is fetched nevertheless.
func TestWaysOfItsOwn(t *testing.T) {
	w, site := mirrored()
	w.pages[copyHost+"/c3"] += links("/own")
	w.pages[copyHost+"/own"] = links("/") + prose(200)
	site.Seeds = append(site.Seeds, "http://"+copyHost+"/")
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	folder := Folder(t.TempDir())
	run(t, folder, p)

	p.Replicas.Aliases = []string{copyHost + " = " + original}
	p.Replicas.Options = replica.Options{Sample: -1, MinSample: -1}
	w.forget()
	run(t, folder, p)
	for path, want := range map[string]int{"/c3": 0, "/own": 1, "/c1": 0} {
		if n := w.asked(copyHost + path); n != want {
			t.Errorf("%s of the copy was asked for %d times, want %d", path, n, want)
		}
	}
}

// TestWayAfterFailure: pages of a copy that are left out lead to one that no run could have before. It
// is asked for in the run in which the server gives it.
func TestWayAfterFailure(t *testing.T) {
	w, site := mirrored()
	for i := range 10 {
		for _, host := range []string{original, copyHost} {
			w.pages[fmt.Sprintf("%s/c%d", host, i)] += links("/late.js", "/late")
			w.pages[host+"/late"], w.pages[host+"/late.js"] = links("/")+prose(200), "data"
		}
	}
	w.pages[copyHost+"/late"], w.pages[copyHost+"/late.js"] = "403", "403"
	site.Seeds = append(site.Seeds, "http://"+copyHost+"/")
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	folder := Folder(t.TempDir())
	run(t, folder, p)

	w.pages[copyHost+"/late"], w.pages[copyHost+"/late.js"] = links("/")+prose(201), "other data"
	p.Replicas.Aliases = []string{copyHost + " = " + original}
	p.Replicas.Options = replica.Options{Sample: -1, MinSample: -1}
	w.forget()
	got := captured(t, run(t, folder, p))
	for _, path := range []string{"/late", "/late.js"} {
		if got["http://"+copyHost+path] == "" {
			t.Errorf("%s of the copy is not in the archive", path)
		}
	}
	if n := w.onHost(copyHost); n > 6 {
		t.Errorf("%d of 13 pages of the copy were asked for, so the test shows little", n)
	}
}

// TestUnseenChain: pages new in an original and in its copy, of which only the first is linked from a
// page that was there before and each shows a picture of its own, are asked for in the copy or have a
// line, and each picture is fetched.
func TestUnseenChain(t *testing.T) {
	for _, session := range []string{"", "?s=7"} {
		t.Run("session "+session, func(t *testing.T) { unseenChain(t, session, "/", sitemap.Domain) })
	}
	t.Run("computed", func(t *testing.T) { unseenChain(t, "", "/", sitemap.Logical) })
	t.Run("computed, outside of the seeds' directory", func(t *testing.T) {
		unseenChain(t, "", "/in/", sitemap.Logical)
	})
}

// TestLentInVain: where the original of a page that was left out has come to lead to a page which the
// copy has elsewhere, the page is fetched, and its link followed.
func TestLentInVain(t *testing.T) {
	w, site := mirrored()
	site.Seeds = append(site.Seeds, "http://"+copyHost+"/")
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	folder := Folder(t.TempDir())
	run(t, folder, p)
	w.pages[original+"/c3"] += links("/new")
	w.pages[copyHost+"/c3"] += links("/elsewhere")
	w.pages[original+"/new"], w.pages[copyHost+"/elsewhere"] = links("/")+prose(50), links("/")+prose(50)
	p.Replicas.Aliases = []string{copyHost + " = " + original}
	p.Replicas.Options = replica.Options{Sample: -1, MinSample: -1}
	if captured(t, run(t, folder, p))["http://"+copyHost+"/elsewhere"] == "" {
		t.Error("the page is not in the archive")
	}
}

// unseenChain has the pages of the copy write the number of a session into their links, and those that
// were there before lie in the directory of the seeds.
func unseenChain(t *testing.T, session, dir string, boundary sitemap.Mode) {
	w, site := mirroredIn(dir)
	site.Boundary = boundary
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	folder := Folder(t.TempDir())
	run(t, folder, p)
	const n = 16
	for host, query := range map[string]string{original: "", copyHost: session} {
		w.pages[host+dir+"c1"] += links("/new/0" + query)
		for i := range n {
			at := fmt.Sprintf("%s/new/%d", host, i)
			w.pages[at] = links(fmt.Sprintf("/new/%d%s", i+1, query), dir) + prose(300+i) +
				fmt.Sprintf(`<img src="/new/%d.png">`, i)
			w.pages[at+session] = w.pages[at]
			w.pages[at+".png"] = fmt.Sprint("a picture of ", host, i)
		}
	}
	w.forget()
	p.Replicas.Aliases = []string{copyHost + " = " + original}
	d := run(t, folder, p)
	got, lines, leftOut := captured(t, d), leftLines(t, d.Run), 0
	for i := range n {
		at := fmt.Sprintf("http://%s/new/%d", copyHost, i)
		if got[at+".png"] == "" {
			t.Errorf("%s.png is not in the archive", at)
		}
		if at += session; i == 0 {
			continue // whose page need not be seen, and with it the session
		}
		if _, told := lines[page.URL(at)]; told {
			leftOut++
		} else if got[at] == "" {
			t.Errorf("%s is not in the archive, and no line tells of it", at)
		}
	}
	if leftOut < n/2 {
		t.Errorf("%d of %d pages were left out", leftOut, n)
	}
}

// TestStandOfAnotherSite: a page that is asked for only because it stands for one of another site has
// what it shows, and what it leads to, asked for in its own.
func TestStandOfAnotherSite(t *testing.T) {
	w := &web{pages: map[string]string{}}
	var sites []sitemap.Site
	for _, host := range []string{original, copyHost} {
		w.pages[host+"/"] = links("/d/") + prose(1)
		w.pages[host+"/d/"] = links("/p") + prose(2)
		w.pages[host+"/p"] = links("/next") + prose(3) + `<img src="/p.png">`
		w.pages[host+"/next"], w.pages[host+"/p.png"] = links("/")+prose(4), "a picture of "+host
		sites = append(sites, sitemap.Site{
			Name: host, Seeds: []page.URL{page.URL("http://" + host + "/")}, Boundary: sitemap.HostOnly,
		})
	}
	p := w.start(t, sites...)
	p.Crawl.Sketch = new(sketch.Options)
	folder := Folder(t.TempDir())
	run(t, folder, p)
	list := map[page.URL]copies.Single{
		"http://" + original + "/d/": {Stand: "http://" + copyHost + "/d/", Resemblance: 1},
		"http://" + copyHost + "/p":  {Stand: "http://" + original + "/p", Resemblance: 1},
	}
	if err := copies.WriteSingles(disk.OS{}, folder.Copies(), list); err != nil {
		t.Fatal(err)
	}
	p.Replicas.Singles, p.Replicas.Options = .8, replica.Options{Sample: -1, MinSample: -1}
	w.forget()
	got := captured(t, run(t, folder, p))
	if got["http://"+original+"/p"] == "" || got["http://"+copyHost+"/p"] != "" {
		t.Error("the page does not stand for the other, so the test shows nothing")
	}
	for _, path := range []string{"/p.png", "/next"} {
		if got["http://"+original+path] == "" {
			t.Errorf("%s of the stand is not in the archive", path)
		}
	}
}

// TestFilesBesideACopy: pages of a directory that is a copy by hand show pictures that lie beside it
// and differ from those of the original. Though the words of the pages agree, no picture is missed.
func TestFilesBesideACopy(t *testing.T) {
	const original, mirror = "www.site.example", "m.site.example"
	w := &web{pages: map[string]string{}}
	var all []string
	for i := range 12 {
		for _, host := range []string{original, mirror} {
			path := fmt.Sprintf("%s/man/c%d", host, i)
			w.pages[path] = links("/") + prose(i) + `<img src="/logo.png">` +
				fmt.Sprintf(`<img src="/img/%d.png">`, i)
			w.pages[fmt.Sprintf("%s/img/%d.png", host, i)] = fmt.Sprint("a picture ", i, host)
			w.pages[host+"/logo.png"] = "a logo"
			all = append(all, "http://"+path)
		}
	}
	w.pages[original+"/"] = links(all...)
	p := w.start(t, sitemap.Site{
		Name: "A", Seeds: []page.URL{"http://www.site.example/"}, Boundary: sitemap.Domain,
	})
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Aliases = []string{"http://" + mirror + "/man/ = http://" + original + "/man/"}
	run(t, Folder(t.TempDir()), p)
	for i := range 12 {
		if picture := fmt.Sprintf("%s/img/%d.png", mirror, i); w.asked(picture) == 0 {
			t.Errorf("%s was not asked for", picture)
		}
	}
}

// TestAliasTurned: a rule of the harvest file that names the copy of before the original wins over
// the table.
func TestAliasTurned(t *testing.T) {
	w, site := mirrored()
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	folder := Folder(t.TempDir())
	for _, alias := range []string{
		"m.site.example = www.site.example", "www.site.example = m.site.example",
		"m.site.example = www.site.example",
	} {
		p.Replicas.Aliases = []string{alias}
		run(t, folder, p)
		table, err := ReadTable(folder.Replicas())
		if err != nil {
			t.Fatal(err)
		}
		from, to, _ := strings.Cut(alias, " = ")
		if list := table.InForce(nil); len(list) != 1 || list[0].From != from || list[0].To != to {
			t.Errorf("by %q the table has %v", alias, list)
		}
	}
}

// TestSeedIsNoCopy: a site that moves to a host without a seed, and back, is fetched from its seed's host,
// also where a table of earlier programs has that for the copy; only a person makes a seed a copy.
func TestSeedIsNoCopy(t *testing.T) {
	w, site := mirrored()
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Find, p.Replicas.Confirm = true, true
	folder := Folder(t.TempDir())
	here := maps.Clone(w.pages)
	for at := range here {
		if path, is := strings.CutPrefix(at, copyHost); is {
			w.pages[at] = "-> http://" + original + path
		}
	}
	run(t, folder, p)
	back := maps.Clone(w.pages)
	for at := range back {
		host, path, _ := strings.Cut(at, "/")
		if w.pages[at] = here[at]; host == original {
			w.pages[at] = "-> http://" + copyHost + "/" + path
		}
	}
	run(t, folder, p)
	inForce := func(want ...string) {
		t.Helper()
		table, err := ReadTable(folder.Replicas())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range table.InForce(nil) {
			got = append(got, e.From)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q are left out as copies, not %q", got, want)
		}
	}
	inForce(copyHost)
	for _, by := range []string{"rule", "a person"} {
		err := folder.EditTable(func(table *replica.Table) error {
			table.Delete(copyHost)
			return table.Put(replica.Entry{
				From: original, To: copyHost, State: replica.Confirmed, Method: "collection", By: by,
				Decided: time.Now(),
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		w.pages = maps.Clone(here)
		w.forget()
		run(t, folder, p)
		if by == "rule" {
			inForce(copyHost)
			if n := w.onHost(original); n < 11 {
				t.Errorf("the host with the seed was asked for %d of 11 pages", n)
			}
		} else {
			inForce(original)
		}
	}
}

// A pattern leaves out a host before its first page is asked for, in a harvest that had never heard
// of it; and what that host alone has is fetched from it. The table has the host by its name, so
// that the next harvest samples it though the pattern is gone.
func TestAliasPattern(t *testing.T) {
	w, site := mirrored()
	w.pages["m2.site.example/x"] = links("/") + prose(50)
	w.pages["n.site.example/y"] = links("/") + prose(51)
	w.pages["www.site.example/c9"] += links("http://m2.site.example/x", "http://m2.site.example/c1",
		"http://n.site.example/y")
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Aliases = []string{"m*.site.example, www.site.example = www.site.example"}
	folder := Folder(t.TempDir())
	if hosts, err := folder.Hosts(); err != nil || hosts != nil {
		t.Errorf("a harvest that was never started knows %v, %v", hosts, err)
	}

	d := run(t, folder, p)
	if m, m2, n := w.onHost("m.site.example"), w.onHost("m2.site.example"),
		w.onHost("n.site.example"); m != 6 || m2 != 3 || n != 2 {
		t.Errorf("%d, %d and %d pages were asked for, want a sample of 6, the 1 that only m2 has and the "+
			"2 others, and 2", m, m2, n)
	}
	checkLedger(t, d, 5)
	table, err := ReadTable(folder.Replicas())
	if err != nil {
		t.Fatal(err)
	}
	if e, ok := table.Get("m2.site.example"); !ok || e.To != "www.site.example" || e.Method != "alias" ||
		table.Len() != 2 {
		t.Errorf("%d entries, %v", table.Len(), e)
	}
	hosts, err := folder.Hosts()
	if want := []page.Host{
		"m.site.example", "m2.site.example", "n.site.example",
		"www.site.example",
	}; err != nil || !slices.Equal(hosts, want) {
		t.Errorf("the harvest knows %v, %v", hosts, err)
	}

	w.forget()
	p.Replicas.Aliases = nil
	run(t, folder, p)
	if n := w.onHost("m.site.example"); n != 4 {
		t.Errorf("the second harvest asked the mirror for %d pages: its entry page and 3 were to be", n)
	}

	w.forget()
	p.Replicas.Aliases = []string{"*.site.example = www.site.example"} // a host that is known already
	run(t, folder, p)
	if n := w.onHost("n.site.example"); n != 2 {
		t.Errorf("the page that only n has, and a sample, were asked for %d times", n)
	}
	if table, err = ReadTable(folder.Replicas()); err != nil || table.Len() != 3 {
		t.Errorf("%d entries, %v", table.Len(), err)
	}
}

// A page that fails on its host is fetched from the mirror.
func TestMirrorStandsIn(t *testing.T) {
	w, site := mirrored()
	delete(w.pages, "www.site.example/c3")
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Override = new(replica.Table)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	err := p.Replicas.Override.Put(replica.Entry{
		From: "m.site.example", To: "www.site.example",
		State: replica.Confirmed, Level: 3, Found: at, Decided: time.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}
	d := run(t, Folder(t.TempDir()), p)
	if got := captured(t, d); got["http://m.site.example/c3"] == "" || w.onHost("m.site.example") != 8 {
		t.Errorf("the page that only the mirror has is %q; with a sample it was asked for %d pages",
			got["http://m.site.example/c3"], w.onHost("m.site.example"))
	}
	checkLedger(t, d, 3)
}

// TestExtendBesideCopies: a run that extends others asks for nothing that they have, though a table
// that was decided since has samples to draw, each of which leads to pages of the earlier runs.
func TestExtendBesideCopies(t *testing.T) {
	w, folder, p := mirroredOnce(t)
	p.Replicas.Override = new(replica.Table)
	err := p.Replicas.Override.Put(replica.Entry{
		From: "m.site.example", To: "www.site.example",
		State: replica.Confirmed, Level: 3, Decided: time.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Extend = true
	for _, path := range []string{"/new", "/newer"} {
		w.pages["www.site.example"+path] = links("/", "http://m.site.example/") + prose(len(path)+90)
		p.Sites[0].Include = append(p.Sites[0].Include, mustRule(t, "url:http://www.site.example"+path))
		w.forget()
		d := run(t, folder, p)
		if w.onHost("www.site.example") != 1 || w.onHost("m.site.example") != 0 || !d.Complete {
			t.Errorf("the extension by %s asked for %q", path, w.requests)
		}
	}
}

// An entry that nothing has agreed with for too long holds no more, and one that the file leaves
// out by its level neither.
func TestMirrorNotInForce(t *testing.T) {
	for name, change := range map[string]func(*replica.Entry, *replica.Options){
		"expired":  func(e *replica.Entry, _ *replica.Options) { e.Decided = e.Decided.AddDate(-2, 0, 0) },
		"level":    func(_ *replica.Entry, o *replica.Options) { o.Skip = []int{1, 2} },
		"proposed": func(e *replica.Entry, _ *replica.Options) { e.State = replica.Proposed },
	} {
		t.Run(name, func(t *testing.T) {
			w, site := mirrored()
			p := w.start(t, site)
			p.Replicas.Override = new(replica.Table)
			e := replica.Entry{
				From: "m.site.example", To: "www.site.example", State: replica.Confirmed,
				Level: 3, Decided: time.Now(),
			}
			change(&e, &p.Replicas.Options)
			if err := p.Replicas.Override.Put(e); err != nil {
				t.Fatal(err)
			}
			run(t, Folder(t.TempDir()), p)
			if n := w.onHost("m.site.example"); n != 11 {
				t.Errorf("asked the mirror for %d pages, want all 11", n)
			}
		})
	}
}

// A table that cannot be read stops the harvest before it begins.
func TestBadTable(t *testing.T) {
	w, site := mirrored()
	p := w.start(t, site)
	folder := Folder(t.TempDir())
	run(t, folder, p)
	if err := disk.WriteFile(disk.OS{}, folder.Replicas(), 0o644, func(w io.Writer) error {
		_, err := io.WriteString(w, "version: 1\nreplicas:\n  - {from: a.example, to: a.example}\n")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	h, err := Open(folder, p)
	if err == nil {
		err = h.Close()
		t.Fatalf("opened with a bad table (%v)", err)
	}
	if !errors.Is(err, replica.ErrOverlap) || !strings.Contains(err.Error(), "replicas.yaml: line 3") {
		t.Errorf("error %v", err)
	}
}

// state checks that of the mirror's entry.
func state(t *testing.T, folder Folder, want replica.State) replica.Entry {
	t.Helper()
	table, err := ReadTable(folder.Replicas())
	if err != nil {
		t.Fatal(err)
	}
	e, _ := table.Get("m.site.example")
	if e.State != want {
		t.Errorf("the mirror is %s, want %s", e.State, want)
	}
	return e
}

// checkLedger checks that so many pages were left out, each told in a metadata record, with a
// representative that the archive of this run or an earlier one holds.
func checkLedger(t *testing.T, d *Delivered, want int) {
	t.Helper()
	held := map[string]bool{}
	for _, r := range runsUpTo(t, d) {
		for u := range captured(t, &Delivered{Run: r}) {
			held[u] = true
		}
	}
	n := 0
	for u, f := range notes(t, d) {
		if f["leftOut"] == "" {
			continue
		}
		n++
		if stand := f["representative"]; !held[stand] {
			t.Errorf("%s is left out in favour of %q, which no archive holds", u, stand)
		}
	}
	if n != want {
		t.Errorf("%d pages are told to be left out, want %d", n, want)
	}
	size := int64(0)
	for _, path := range d.Files {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if d.Bytes != size {
		t.Errorf("the archive is told as %d bytes, and has %d", d.Bytes, size)
	}
	z, err := archive.OpenWACZ(d.Package)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range z.Files() {
		if !strings.Contains(name, "/") && !strings.HasPrefix(name, "datapackage") {
			t.Errorf("%s lies at the top of the package, where py-wacz refuses it", name)
		}
	}
	_, missing := os.Stat(d.Run.Mirrors())
	if packed := slices.Contains(z.Files(), "logs/mirrors.json"); packed != (missing == nil) {
		t.Errorf("the package has rules of mirrors: %v, the run: %v", packed, missing)
	}
	if err := z.Close(); err != nil {
		t.Error(err)
	}
}

// runsUpTo are the folders of a run and those before it.
func runsUpTo(t *testing.T, d *Delivered) []Run {
	runs, err := Folder(filepath.Dir(string(d.Run))).Runs()
	if err != nil {
		t.Fatal(err)
	}
	return runs[:slices.Index(runs, d.Run)+1]
}

// notes are the fields of the metadata records of a run about URLs that were not captured.
func notes(t *testing.T, d *Delivered) map[string]map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(d.Run.Archive(), "*-replicas-*.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]string{}
	for _, path := range files {
		r, err := archive.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for {
			rec, err := r.Next()
			if err != nil {
				break
			}
			if rec.Header.Get("WARC-Type") != archive.TypeMetadata {
				continue
			}
			if info := rec.Header.Get("WARC-Warcinfo-ID"); info == "" ||
				rec.Header.Get("WARC-Refers-To") != info {
				t.Errorf("a note refers to %q, not to the warcinfo of its file",
					rec.Header.Get("WARC-Refers-To"))
			}
			text, err := io.ReadAll(rec.Block)
			if err != nil {
				t.Fatal(err)
			}
			fields := map[string]string{}
			for _, f := range archive.ParseFields(text) {
				fields[f.Name] = f.Value
			}
			all[rec.Header.Get("WARC-Target-URI")] = fields
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	return all
}

// TestStandExcluded: what the archivist excludes from the site of an original, by the YAML or by hand,
// is not fetched for the sake of a copy, which is fetched itself. Nor is what the copy shows, where that
// is excluded.
func TestStandExcluded(t *testing.T) {
	for _, by := range []string{"YAML", "site", "all"} {
		t.Run(by, func(t *testing.T) {
			w := &web{pages: map[string]string{}}
			var sites []sitemap.Site
			for _, host := range []string{original, copyHost} {
				var all []string
				for i := range 6 {
					path := fmt.Sprintf("/d/p%d", i)
					all = append(all, path)
					w.pages[host+path] = links("/") + prose(i) + fmt.Sprintf(`<img src="/i/%d.png">`, i)
					w.pages[fmt.Sprintf("%s/i/%d.png", host, i)] = fmt.Sprint("picture ", i)
				}
				w.pages[host+"/"] = links(all...) + prose(99)
				sites = append(sites, sitemap.Site{
					Name: host, Seeds: []page.URL{page.URL("http://" + host + "/")},
					Boundary: sitemap.HostOnly,
				})
			}
			p := w.start(t, sites...)
			p.Crawl.Sketch = new(sketch.Options)
			folder := Folder(t.TempDir())
			run(t, folder, p)

			p.Replicas.Aliases = []string{copyHost + " = " + original}
			for _, x := range []struct{ site, rule string }{
				{original, "prefix:http://" + original + "/d/"},
				{copyHost, "prefix:http://" + copyHost + "/i/"},
			} {
				r := mustRule(t, x.rule)
				if by != "YAML" {
					d := decision.Decision{Do: decision.Exclude, Rule: r}
					if by == "site" {
						d.Site = x.site
					}
					decide(t, folder, d)
					continue
				}
				i := slices.IndexFunc(p.Sites, func(s sitemap.Site) bool { return s.Name == x.site })
				p.Sites[i].Exclude = []page.Rule{r}
			}
			w.forget()
			got := captured(t, run(t, folder, p))
			for i := range 6 {
				kept, out := fmt.Sprintf("%s/d/p%d", copyHost, i), fmt.Sprintf("%s/d/p%d", original, i)
				picture := fmt.Sprintf("%s/i/%d.png", copyHost, i)
				if got["http://"+kept] == "" {
					t.Errorf("%s, whose original is excluded, is not in the archive", kept)
				}
				for _, u := range []string{out, picture} {
					if w.asked(u) > 0 {
						t.Errorf("%s is excluded, and was asked for", u)
					}
				}
			}
		})
	}
}

// TestEntryPageOfADirectory: the index of a directory that is a copy, which is no host's entry page,
// is looked at by each run besides the sample, for what is new is linked from there.
func TestEntryPageOfADirectory(t *testing.T) {
	for _, index := range []string{"", "index.html"} {
		t.Run(index, func(t *testing.T) { entryOfDirectory(t, index) })
	}
}

func entryOfDirectory(t *testing.T, index string) {
	w := &web{pages: map[string]string{}}
	leads := func(to string) string { return `<a href="` + to + `"></a>` }
	for _, dir := range []string{"/a/", "/b/"} {
		w.pages[original+dir+index] = prose(99)
		for i := range 30 {
			path := fmt.Sprintf("%sc/p%d", dir, i)
			w.pages[original+path] = leads("/") + prose(i)
			w.pages[original+dir+index] += leads(path)
		}
	}
	w.pages[original+"/"] = links("/a/"+index, "/b/"+index)
	p := w.start(t, sitemap.Site{
		Name: "A", Seeds: []page.URL{"http://" + original + "/"}, Boundary: sitemap.HostOnly,
	})
	p.Crawl.Sketch = new(sketch.Options)
	folder := Folder(t.TempDir())
	run(t, folder, p)

	p.Replicas.Aliases = []string{"http://" + original + "/b/ = http://" + original + "/a/"}
	for n := range 3 {
		issue := fmt.Sprintf("/issue/%d", n)
		w.pages[original+"/b/"+index] += leads(issue)
		w.pages[original+issue] = prose(200 + n)
		w.forget()
		run(t, folder, p)
		if w.asked(original+issue) != 1 {
			t.Errorf("run %d did not ask for %s", n+2, issue)
		}
		sampled := 0
		for i := range 30 {
			sampled += w.asked(fmt.Sprintf("%s/b/c/p%d", original, i))
		}
		if sampled == 0 || sampled == 30 {
			t.Errorf("run %d sampled %d pages besides", n+2, sampled)
		}
	}
}

// TestSampleOfSite: samples, those of pages that no run has captured, and their originals, count for the
// sites of their hosts.
func TestSampleOfSite(t *testing.T) {
	w := &web{pages: map[string]string{}}
	var sites []sitemap.Site
	for _, host := range []string{"first.example", original, copyHost} {
		var all []string
		for i := range 8 {
			path := fmt.Sprintf("/d/p%d", i)
			all = append(all, path)
			w.pages[host+path] = links("/") + prose(i)
		}
		w.pages[host+"/"] = links(all...) + prose(99)
		sites = append(sites, sitemap.Site{
			Name: host, Seeds: []page.URL{page.URL("http://" + host + "/")}, Boundary: sitemap.HostOnly,
		})
	}
	p := w.start(t, sites...)
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Aliases = []string{copyHost + " = " + original}
	folder := Folder(t.TempDir())
	for n := range 3 {
		d := run(t, folder, p)
		if len(notes(t, d)) == 0 {
			t.Error("nothing was left out, so that the test shows nothing")
		}
		countsAtHome(t, folder.Run(n+1))
	}
}

// TestDoubtfulTexts: where sketches leave it open whether long texts are as alike as is asked, the
// texts are read, also where a server only said that they have not changed since an earlier
// harvest, and where a counter has changed since, on a page that stands for others or on a sample.
func TestDoubtfulTexts(t *testing.T) {
	const words = 1500
	w := &web{pages: map[string]string{}}
	var all []string
	for i, share := range []int{8, 9, 14} { // alike by .85, .83 and .75
		for _, host := range []string{"www", "m"} {
			var b strings.Builder
			for j := range words {
				fmt.Fprintf(&b, "p%dw%d ", i, j)
				if host == "m" && j < words*share/100 {
					b.WriteByte('x')
				}
			}
			path := fmt.Sprintf("%s.site.example/c%d", host, i)
			w.pages[path] = "<p>" + b.String() + "</p>"
			all = append(all, "http://"+path)
		}
	}
	w.pages["www.site.example/"] = links(all...)
	p := w.start(t, sitemap.Site{
		Name: "A", Seeds: []page.URL{"http://www.site.example/"}, Boundary: sitemap.Domain,
	})
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Options = replica.Options{Sample: -1, MinSample: -1}
	folder := Folder(t.TempDir())
	run(t, folder, p)
	check(t, folder.EditTable(func(table *replica.Table) error {
		return table.Put(replica.Entry{
			From: "m.site.example", To: "www.site.example", State: replica.Confirmed, Method: "collection",
		})
	}))
	count := func(host string, visits int) {
		for i := range 3 {
			w.pages[fmt.Sprintf("%s.site.example/c%d", host, i)] += fmt.Sprintf("<p>%d visits</p>", visits)
		}
	}
	for n := range 3 {
		w.forget()
		if n == 2 {
			count("www", 7)
		}
		run(t, folder, p)
		for i, want := range []int{0, 0, 1} {
			if got := w.asked(fmt.Sprintf("m.site.example/c%d", i)); got != want {
				t.Errorf("harvest %d: text %d of the copy was asked for %d times, want %d", n+2, i, got, want)
			}
		}
	}
	count("www", 8)
	count("m", 9)
	p.Replicas.Options = replica.Options{Sample: 1}
	run(t, folder, p)
	table, err := ReadTable(folder.Replicas())
	check(t, err)
	if e, _ := table.Get("m.site.example"); e.Evidence.Agreed != 2 {
		t.Errorf("%d samples agree, want 2: %+v", e.Evidence.Agreed, e)
	}
}

// TestSamplesWithoutStands: where the original fails for the pages that are sampled, others are, so that a
// copy that has changed is fetched.
func TestSamplesWithoutStands(t *testing.T) {
	for alive := range 4 {
		w, folder, p := mirroredOnce(t)
		p.Frontier.Tries, p.Frontier.HostTries = 1, 100
		err := folder.EditTable(func(table *replica.Table) error {
			return table.Put(replica.Entry{
				From: "m.site.example", To: "www.site.example", State: replica.Confirmed,
				Method: "collection",
			})
		})
		check(t, err)
		for i := range 10 {
			w.pages[fmt.Sprintf("m.site.example/c%d", i)] = links("/") + prose(100+i)
			if i != alive {
				w.pages[fmt.Sprintf("www.site.example/c%d", i)] = "500"
			}
		}
		w.forget()
		run(t, folder, p)
		if u := fmt.Sprintf("m.site.example/c%d", alive); w.asked(u) == 0 {
			t.Errorf("%s has changed, and was not asked for", u)
		}
	}
}
