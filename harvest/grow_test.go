package harvest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"watershed/harvest/copies"
	"watershed/page"
	"watershed/replica"
	"watershed/replica/sketch"
	"watershed/sitemap"
)

// growing is a site of 60 pages with a picture each, and its copy on another host, of which the pages
// from the given numbers on have other texts, and other pictures.
func growing(t *testing.T, texts, pictures int) (*web, Plan) {
	t.Helper()
	w := &web{pages: map[string]string{}}
	var home []string
	for i := range 60 {
		for _, host := range []string{original, copyHost} {
			at, text, picture := fmt.Sprintf("%s/c%02d", host, i), i, i
			if host == copyHost && i >= texts {
				text += 100
			}
			if host == copyHost && i >= pictures {
				picture += 100
			}
			w.pages[at] = links("/", fmt.Sprintf("c%02d", (i+1)%60)) +
				fmt.Sprintf(`<img src="c%02d.png">`, i) + prose(text)
			w.pages[at+".png"] = fmt.Sprintf("picture %d", picture)
			home = append(home, "http://"+at)
		}
	}
	w.pages[original+"/"], w.pages[copyHost+"/"] = links(home...), links(home...)
	p := w.start(t, sitemap.Site{
		Name: "A", Boundary: sitemap.Domain, Seeds: []page.URL{"http://" + original + "/"},
	})
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Find, p.Replicas.Confirm, p.Replicas.Now = true, true, true
	return w, p
}

// lacks counts the pages and files of the copy that a run neither has, nor left out for an equal one
// that it has.
func (w *web) lacks(t *testing.T, d *Delivered) (n int) {
	t.Helper()
	has, told := captured(t, d), notes(t, d)
	for at, content := range w.pages {
		if !strings.HasPrefix(at, copyHost+"/") || has["http://"+at] != "" {
			continue
		}
		stand := told["http://"+at]["representative"]
		if has[stand] == "" || w.pages[strings.TrimPrefix(stand, "http://")] != content {
			t.Logf("%s, for which %q stands, was not captured", at, stand)
			n++
		}
	}
	return n
}

// TestPruneInTheSameRun: of a copy that shows itself while it is crawled the rest is left out by the
// same run, but for samples, and for what its samples show to be otherwise. An interruption changes
// nothing of that.
func TestPruneInTheSameRun(t *testing.T) {
	for _, c := range []struct {
		name            string
		texts, pictures int // from which on the copy has others
		stopped         int // after so many requests
		least, most     int // pages and files of the copy that are asked for
	}{
		{"a copy", 60, 60, 0, 24, 100},
		{"a copy, in two sittings", 60, 60, 90, 24, 100},
		{"other pictures", 60, 12, 0, 60, 121},
		{"other texts", 12, 60, 0, 60, 121},
		{"other texts, in two sittings", 12, 60, 90, 60, 121},
	} {
		if testing.Short() && c.stopped == 0 && c.pictures == 60 {
			continue // in two sittings is more of the same
		}
		t.Run(c.name, func(t *testing.T) {
			w, p := growing(t, c.texts, c.pictures)
			folder := Folder(t.TempDir())
			if c.stopped > 0 {
				w.stopAt(t, folder, p, c.stopped)
			}
			d := run(t, folder, p)
			if n := w.lacks(t, d); n > 0 {
				t.Errorf("%d pages and files of the copy are lost", n)
			}
			n := w.onHost(copyHost)
			if n < c.least || n > c.most {
				t.Errorf("%d of the 121 pages and files of the copy were asked for, not %d to %d", n, c.least,
					c.most)
			}
			table, err := ReadTable(folder.Replicas())
			if err != nil {
				t.Fatal(err)
			}
			if e, _ := table.Get(copyHost); c.most < 121 && (e.Method != "growth" || !e.State.InForce()) {
				t.Errorf("the entry is %+v", e)
			}
		})
	}
}

// TestDeadLinksOfACopy: pages of a copy that lead to what nobody has, which their originals do not, are
// no reason to fetch all of it.
func TestDeadLinksOfACopy(t *testing.T) {
	w, p := growing(t, 60, 60)
	for i := range 60 {
		at := fmt.Sprintf("%s/c%02d", copyHost, i)
		w.pages[at] += links(fmt.Sprintf("/gone%02d", i))
	}
	run(t, Folder(t.TempDir()), p)
	asked := 0
	for i := range 60 {
		asked += w.asked(fmt.Sprintf("%s/c%02d", copyHost, i))
	}
	if asked > 40 {
		t.Errorf("%d of 60 pages of the copy were asked for", asked)
	}
}

// TestOriginalThatShowsLater: a pair of which the copy is the earlier seed is turned round when pages of the
// copy turn out to lead to the original, of which all is had then.
func TestOriginalThatShowsLater(t *testing.T) {
	const elsewhere = "elsewhere.example"
	w, p := growing(t, 60, 60)
	for at, content := range w.pages {
		if path, ok := strings.CutPrefix(at, copyHost); ok {
			delete(w.pages, at)
			w.pages[elsewhere+path] = strings.ReplaceAll(content, copyHost, elsewhere)
		}
	}
	w.pages[original+"/"] = strings.ReplaceAll(w.pages[original+"/"], copyHost, elsewhere)
	for i := 30; i < 60; i++ {
		w.pages[fmt.Sprintf("%s/c%02d", elsewhere, i)] += links("http://" + original + "/")
	}
	site := p.Sites[0]
	site.Name, site.Seeds = "B", []page.URL{"http://" + elsewhere + "/"}
	p.Sites = append([]sitemap.Site{site}, p.Sites...)
	folder := Folder(t.TempDir())
	has := captured(t, run(t, folder, p))
	for at := range w.pages {
		if strings.HasPrefix(at, original+"/") && has["http://"+at] == "" {
			t.Errorf("%s was not captured", at)
		}
	}
	table, err := ReadTable(folder.Replicas())
	if err != nil {
		t.Fatal(err)
	}
	if e, there := table.Get(original); there {
		t.Errorf("the original is a copy: %+v", e)
	}
	if e, _ := table.Get(elsewhere); !e.State.InForce() {
		t.Errorf("the copy: %+v", e)
	}
}

// TestDirectoryForEachPage: pages that are the own pages of directories are sampled together.
func TestDirectoryForEachPage(t *testing.T) {
	w, p := growing(t, 60, 60)
	clear(w.pages)
	for _, host := range []string{original, copyHost} {
		w.pages[host+"/"] = links("http://" + copyHost + "/")
		for i := range 60 {
			at := fmt.Sprintf("/t/c%02d/", i)
			w.pages[host+at] = prose(i)
			w.pages[host+"/"] += links(at)
		}
	}
	d := run(t, Folder(t.TempDir()), p)
	if n := w.onHost(copyHost); n > 40 {
		t.Errorf("%d of the 61 pages of the copy were asked for", n)
	}
	if n := w.lacks(t, d); n > 0 {
		t.Errorf("%d pages of the copy are lost", n)
	}
}

// TestPartOfACopy: of a copy that lacks every third page, of which its entry page tells nevertheless,
// the samples that it lacks do not have the others fetched.
func TestPartOfACopy(t *testing.T) {
	w, p := growing(t, 60, 60)
	for i := 16; i < 60; i += 3 {
		at := fmt.Sprintf("%s/c%02d", copyHost, i)
		delete(w.pages, at)
		delete(w.pages, at+".png")
	}
	d := run(t, Folder(t.TempDir()), p)
	asked := 0
	for i := range 60 {
		asked += w.asked(fmt.Sprintf("%s/c%02d", copyHost, i))
	}
	if asked > 50 {
		t.Errorf("%d of 60 pages of the copy were asked for", asked)
	}
	if n := w.lacks(t, d); n > 0 {
		t.Errorf("%d pages and files of the copy are lost", n)
	}
}

// TestFilesOfUnseenPages: pages of a copy that the run before left out without having seen them keep their
// words and come to lead to a file of their own each. All of these files are fetched.
func TestFilesOfUnseenPages(t *testing.T) {
	w, p := growing(t, 60, 60)
	folder := Folder(t.TempDir())
	has := captured(t, run(t, folder, p))
	var files []string
	for at, content := range w.pages {
		isCopy := strings.HasPrefix(at, copyHost+"/") && strings.Contains(content, "<img")
		if isCopy && has["http://"+at] == "" {
			file := fmt.Sprintf("%s/own%d.js", copyHost, len(files))
			w.pages[at] += `<a href="http://` + file + `"></a>`
			files = append(files, file)
		}
	}
	for _, file := range files {
		w.pages[file] = "data of " + file
	}
	w.forget()
	run(t, folder, p)
	lacking := 0
	for _, file := range files {
		if w.asked(file) == 0 {
			lacking++
		}
	}
	if lacking > 0 || len(files) < 20 {
		t.Errorf("%d of %d files were not asked for", lacking, len(files))
	}
}

// TestFilesOfUnseenPagesThatFail: pages of a copy that the run before left out without having seen them
// fail when they are sampled. The run asks for their files nevertheless, or leaves them out, as the one
// before did.
func TestFilesOfUnseenPagesThatFail(t *testing.T) {
	w, p := growing(t, 60, 60)
	folder := Folder(t.TempDir())
	has := captured(t, run(t, folder, p))
	var files []string
	for at := range w.pages {
		if strings.HasPrefix(at, copyHost+"/c") && has["http://"+at] == "" {
			w.pages[at] = "500"
			files = append(files, at+".png")
		}
	}
	w.forget()
	told := notes(t, run(t, folder, p))
	failed, lacking := 0, 0
	for _, file := range files {
		if w.asked(strings.TrimSuffix(file, ".png")) > 0 {
			failed++
		}
		if w.asked(file) == 0 && told["http://"+file] == nil {
			lacking++
		}
	}
	if lacking > 0 || failed == 0 || len(files) < 20 {
		t.Errorf("of %d files, of %d pages that failed, the run says nothing of %d", len(files), failed,
			lacking)
	}
}

// TestFramesOfLeftOut: a copy is found by the second harvest. Its pages show others in frames, which
// differ from those of the original and show pictures; all of these are had, though nothing but pages
// left out tells of them.
func TestFramesOfLeftOut(t *testing.T) {
	w, p := growing(t, 60, 60)
	for i := range 60 {
		for n, host := range []string{original, copyHost} {
			at := fmt.Sprintf("%s/f%02d", host, i)
			w.pages[fmt.Sprintf("%s/c%02d", host, i)] += fmt.Sprintf(`<iframe src="f%02d.html"></iframe>`, i)
			w.pages[at+".html"] = fmt.Sprintf(`<img src="f%02d.png">`, i) + prose(200+100*n+i)
			w.pages[at+".png"] = "a picture in a frame of " + at
		}
	}
	folder := Folder(t.TempDir())
	p.Replicas.Now, p.Replicas.Find = false, false
	run(t, folder, p)
	p.Replicas.Now, p.Replicas.Find = true, true
	d := run(t, folder, p)
	if n := w.lacks(t, d); n > 0 || len(leftLines(t, d.Run)) == 0 {
		t.Errorf("%d pages and files of the copy are lost, %d are left out", n, len(leftLines(t, d.Run)))
	}
}

// TestUnseenOfBefore: a page that a run left out by samples of its directory is fetched by the next one
// if its stand has changed since: the copy may still have what that had.
func TestUnseenOfBefore(t *testing.T) {
	w, p := growing(t, 60, 60)
	folder := Folder(t.TempDir())
	has, at := captured(t, run(t, folder, p)), ""
	for i := range 60 {
		if u := fmt.Sprintf("/c%02d", i); has["http://"+copyHost+u] == "" {
			at = u
		}
	}
	w.pages[original+at] += prose(500)
	if n := w.lacks(t, run(t, folder, p)); at == "" || n > 0 {
		t.Errorf("of the pages of which that of %s has changed %d are lost", at, n)
	}
}

// TestFoundTooEarly: a copy that the run took for one when a part of it was had, and that its samples gave
// back, is judged anew by all that the run has. A copy that an earlier run gave back stays as it is.
func TestFoundTooEarly(t *testing.T) {
	for _, early := range []time.Duration{0, 48 * time.Hour} {
		_, p := growing(t, 60, 60)
		folder := Folder(t.TempDir())
		h, err := Open(folder, p)
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		if err := h.Crawl(t.Context()); err != nil {
			t.Fatal(err)
		}
		e, entered := h.copies.Table.Get(copyHost)
		if !entered || e.Method != copies.Grown {
			t.Fatalf("the entry is %+v", e)
		}
		e.Found, e.State = e.Found.Add(-early), replica.Reopened
		if err := h.copies.Table.Put(e); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Deliver(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		table, err := ReadTable(folder.Replicas())
		if err != nil {
			t.Fatal(err)
		}
		if e, _ := table.Get(copyHost); e.State.InForce() != (early == 0) {
			t.Errorf("found %v before: the entry is %+v", early, e)
		}
	}
}
