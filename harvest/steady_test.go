package harvest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"watershed/page"
	"watershed/replica/sketch"
	"watershed/sitemap"
)

// college is a site in a directory that is bound to an office elsewhere, of which there are two copies,
// and by the office to its forms. Pages lead to the second copy, but for a link to the first one.
func college(first, second string) *web {
	const catalog, forms = "http://college.example/catalog/", "http://college.example/forms/"
	w := &web{pages: map[string]string{}}
	block := func(dir string, n, text int, more ...string) {
		w.pages[dir[len("http://"):]] = links(append(numbered("", n), more[:2]...)...)
		for i := range n {
			at := fmt.Sprintf("%sp%d", dir[len("http://"):], i)
			w.pages[at] = links("./", fmt.Sprintf("p%d", (i+1)%n), more[i%len(more)], more[(i+5)%len(more)]) +
				prose(text+i)
		}
	}
	block(catalog, 12, 0, append(numbered(second, 16), first)...)
	for _, office := range []string{first, second} {
		block(office, 16, 100, append(numbered(catalog, 12), numbered(forms, 12)...)...)
	}
	block(forms, 12, 200, append(numbered(second, 16), catalog)...)
	block("http://other.example/", 12, 300, "http://third.example/", "http://third.example/x")
	w.pages["college.example/catalog/p3"] += links("http://other.example/")
	return w
}

// openNews has both offices lead to news in place of the forms, which stay where they are.
func (w *web) openNews() {
	w.mu.Lock()
	defer w.mu.Unlock()
	other := strings.NewReplacer("/forms/", "/news/")
	for at, text := range maps.Clone(w.pages) {
		if strings.HasPrefix(at, "college.example/forms/") {
			w.pages[other.Replace(at)] = text + prose(400+len(text)%97)
		} else {
			w.pages[at] = other.Replace(text)
		}
	}
}

// numbered are the addresses of pages in a directory.
func numbered(dir string, n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("%sp%d", dir, i))
	}
	return list
}

// members are the pages of a run's maps.
func members(d *Delivered) map[page.URL]bool {
	list := map[page.URL]bool{}
	for _, m := range d.Maps {
		for _, x := range m.Members.All() {
			list[x.URL] = true
		}
	}
	return list
}

// TestBoundaryBesideCopies: a site that is bound to a directory which is left out as a copy has the same
// pages in each recrawl of a web that has not changed, and each is in the archive or has a line. Where
// the pages that stand for the copy come to lead elsewhere, so does the copy, also in a run that extends
// that one.
func TestBoundaryBesideCopies(t *testing.T) {
	const office = "http://college.example/office/"
	for _, x := range []struct {
		name, first string
		now         bool
	}{
		{name: "beside", first: "http://college.example/Office/"},
		{name: "at once", first: "http://college.example/Office/", now: true},
	} {
		t.Run(x.name, func(t *testing.T) {
			w := college(x.first, office)
			p := w.start(t, sitemap.Site{
				Name: "A", Seeds: []page.URL{"http://college.example/catalog/"},
			})
			p.Crawl.Sketch = new(sketch.Options)
			p.Replicas.Find, p.Replicas.Confirm, p.Replicas.Now = true, true, x.now
			folder := Folder(t.TempDir())
			first, leftOut := members(run(t, folder, p)), 0
			for n := 2; n <= 3; n++ {
				d := run(t, folder, p)
				now, got, lines := members(d), captured(t, d), leftLines(t, d.Run)
				leftOut = max(leftOut, len(notes(t, d)))
				if !maps.Equal(first, now) {
					t.Fatalf("run %d has %d pages, the first has %d", n, len(now), len(first))
				}
				for _, u := range slices.Sorted(maps.Keys(now)) {
					if _, told := lines[u]; got[string(u)] == "" && !told {
						t.Errorf("run %d: %s is not in the archive, and no line tells of it", n, u)
					}
				}
			}
			if leftOut < 8 || len(first) < 40 {
				t.Errorf("%d pages, of which %d are left out, so nothing is seen", len(first), leftOut)
			}
			if x.now {
				return
			}
			w.openNews()
			now := members(run(t, folder, p))
			if len(now) != len(first) || !now["http://college.example/news/p3"] {
				t.Errorf("%d pages with the news in place of the forms, want %d", len(now), len(first))
			}
			p.Extend = true
			if d := run(t, folder, p); !maps.Equal(now, members(d)) {
				t.Errorf("%d pages of a run that extends one of %d", len(members(d)), len(now))
			}
		})
	}
}
