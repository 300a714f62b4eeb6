package harvest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"watershed/page"
	"watershed/replica"
	"watershed/replica/sketch"
	"watershed/sitemap"
)

// TestOutsiderOfNoBlock: what a boundary by the address keeps out has that for its rule.
func TestOutsiderOfNoBlock(t *testing.T) {
	o := &sitemap.Outsider{Reason: "outOfBoundary", Block: -1}
	s, told := outsider(&sitemap.Map{Boundary: "prefix"}, o, time.Time{})
	if !told || s.Rule != "boundary prefix" {
		t.Errorf("%+v", s)
	}
}

// replicated is a site that holds a manual of 24 pages, a copy of it with a banner, a page of its
// own and one that was rewritten, and a copy of which every third page was rewritten.
func replicated() (*web, sitemap.Site) {
	w := &web{pages: map[string]string{}}
	dirs := []string{"www.site.example/manual/", "www.site.example/pub/docs/", "other.site.example/old/"}
	var home []string
	for _, dir := range dirs {
		home = append(home, "http://"+dir+"c0")
		for i := range 24 {
			text := prose(i)
			switch {
			case strings.Contains(dir, "/pub/") && i == 5:
				text = prose(205)
			case strings.Contains(dir, "/pub/"):
				text += "<p>from our mirror</p>"
			case strings.Contains(dir, "/old/") && (i%2 == 1 || i == 4):
				text = prose(100 + i)
			}
			w.pages[fmt.Sprintf("%sc%d", dir, i)] = links("c0", fmt.Sprintf("c%d", (i+1)%24),
				fmt.Sprintf("c%d", (i*5)%24), "own") + text
		}
	}
	w.pages["www.site.example/pub/docs/own"] = links("c0") + prose(500)
	w.pages["www.site.example/"] = links(home...)
	for i := range 24 { // the original is the one that others link to
		home = append(home, fmt.Sprintf("http://www.site.example/manual/c%d", i))
	}
	w.pages["other.site.example/"] = links(home...)
	w.pages["www.site.example/"] += links("http://other.site.example/")
	return w, sitemap.Site{Name: "A", Seeds: []page.URL{"http://www.site.example/"}, Boundary: sitemap.Domain}
}

// TestFind: a harvest finds what its pages hold copies of, and the next one leaves that out, and
// nothing else.
func TestFind(t *testing.T) {
	w, site := replicated()
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Find, p.Replicas.Confirm = true, true
	folder := Folder(t.TempDir())
	d := run(t, folder, p)
	if d.Found == nil || d.Found.Collections != 1 || d.Found.New != 2 || len(d.Found.Confirmed) != 1 {
		text, err := os.ReadFile(d.Run.path("reports", "replicas.txt"))
		t.Fatalf("found %+v, %v\n%s", d.Found, err, text)
	}
	table, err := ReadTable(folder.Replicas())
	if err != nil {
		t.Fatal(err)
	}
	states := map[replica.State]string{}
	for _, e := range table.All() {
		states[e.State] = e.From
	}
	if got := states[replica.Proposed]; got != "http://other.site.example/old/" {
		t.Errorf("the rewritten copy is not merely proposed: %v", states)
	}
	left := states[replica.Confirmed]
	if left != d.Found.Confirmed[0] || left != "http://www.site.example/pub/docs/" {
		t.Fatalf("confirmed: %v, %v", left, states)
	}
	asked := func() (copied, old int) {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, r := range w.requests {
			if strings.HasPrefix("http://"+r, left+"c") {
				copied++
			}
			if strings.HasPrefix(r, "other.site.example/old/c") {
				old++
			}
		}
		return copied, old
	}
	if copied, old := asked(); copied != 24 || old != 24 {
		t.Fatalf("the first run asked for %d and %d pages of the copies", copied, old)
	}
	for n := 2; n <= 4; n++ {
		w.forget()
		d = run(t, folder, p)
		// fewer where the harvests before agreed, in as much time: see copies.TestSampleFalls
		copied, old := asked()
		if copied > replica.DefaultMinSample+1 || copied < max(2, replica.DefaultMinSample+3-n) || old != 24 {
			t.Errorf("run %d asked for %d pages of what is left out, and %d of what is not", n, copied, old)
		}
		if w.asked("www.site.example/pub/docs/own") != 1 || w.asked("www.site.example/pub/docs/c5") != 1 {
			t.Errorf("run %d did not ask for a page that is nowhere else", n)
		}
		if len(d.Found.Confirmed) != 0 || d.Found.New != 0 {
			t.Errorf("run %d found %+v", n, d.Found)
		}
	}
	text, err := os.ReadFile(d.Run.path("reports", "replicas.txt"))
	if err != nil || !strings.Contains(string(text), "pruned "+left) ||
		!strings.Contains(string(text), "not full evidence: ") {
		t.Errorf("the report does not tell: %v\n%s", err, text)
	}
}

// TestFindAnew: a damaged catalog is made again, with all runs.
func TestFindAnew(t *testing.T) {
	w, site := replicated()
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Find = true
	folder := Folder(t.TempDir())
	run(t, folder, p)
	for _, name := range []string{"catalog.json", "pages-0001.dat", "pages-0001.table"} {
		path := filepath.Join(folder.Catalog(), name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text[len(text)/3] ^= 0x5a
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		d := run(t, folder, p)
		if d.Found == nil || d.Found.Collections != 1 || len(d.Found.Confirmed) != 0 {
			t.Fatalf("%s: found %+v", name, d.Found)
		}
	}
}

// TestCatalogUnfilled: what ends the filling of a catalog is told, and a catalog that the system
// does not let be opened stays.
func TestCatalogUnfilled(t *testing.T) {
	w, site := replicated()
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	folder := Folder(t.TempDir())
	run(t, folder, p)
	h, err := Open(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	finder := &finder{ground: h.ground, copies: h.copies}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := finder.searchCatalog(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if err := errors.Join(os.RemoveAll(folder.Catalog()),
		os.Symlink(folder.Catalog(), folder.Catalog())); err != nil {
		t.Fatal(err)
	}
	if _, _, err := finder.searchCatalog(t.Context()); !errors.Is(err, syscall.EEXIST) {
		t.Errorf("a folder that cannot be opened: %v", err)
	}
	if _, err := os.Lstat(folder.Catalog()); err != nil {
		t.Errorf("it was taken away: %v", err)
	}
}
