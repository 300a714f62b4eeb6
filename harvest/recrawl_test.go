package harvest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"watershed/archive"
	"watershed/crawler/robots"
	"watershed/drift"
	"watershed/page"
	"watershed/replica/sketch"
	"watershed/report"
	"watershed/sitemap"
	"watershed/store"
	"watershed/upload"
)

// A recrawl tells what happened to each page since the run before, and how often pages change.
func TestChanges(t *testing.T) {
	w, site := mirrored()
	// not ten pages in a row that are about as long, as notices are
	w.pages["www.site.example/c5"] += "<!--" + strings.Repeat("x", 100) + "-->"
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Aliases = []string{"m.site.example = www.site.example"}
	folder := Folder(t.TempDir())
	first := run(t, folder, p)
	if _, err := os.Stat(first.Run.path("reports", "changes.json")); !os.IsNotExist(err) {
		t.Errorf("the first run tells of changes: %v", err)
	}
	w.pages["www.site.example/c1"] = links("/") + prose(1) + "<p>a sentence more</p>"
	w.pages["www.site.example/c2"] = links("/") + prose(52)
	w.pages["www.site.example/c3"] = "-> /chapter-three"
	w.pages["www.site.example/chapter-three"] = links("/") + prose(3)
	delete(w.pages, "www.site.example/c4") // its mirror still has it
	delete(w.pages, "www.site.example/c6")
	delete(w.pages, "m.site.example/c6")
	w.pages["www.site.example/c5"] = links("/", "/fresh") + prose(5)
	w.pages["www.site.example/fresh"] = links("/") + prose(60)
	d := run(t, folder, p)
	text, err := os.ReadFile(d.Run.path("reports", "changes.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r drift.Report
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	text, err = os.ReadFile(d.Run.path("reports", "recrawl.json"))
	if err != nil {
		t.Fatal(err)
	}
	var o Outcome
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	if f := o.Forecast; f == nil || f.Requests != 16+1 || f.Spared != 7 || f.Sampled != 4 || f.Replicas != 1 {
		t.Errorf("forecast %+v", f)
	}
	if o.NotModified == 0 || o.LeftOut == 0 || len(o.Reopened) != 0 || len(o.Verified) != 1 {
		t.Errorf("outcome %+v", o)
	}
	sameDigests(t, first.Run, d.Run)
	got := map[string]drift.Kind{}
	for _, c := range r.Changes {
		if strings.Contains(string(c.URL), "www.") {
			got[strings.TrimPrefix(string(c.URL), "http://www.site.example")] = c.Kind
		}
	}
	want := map[string]drift.Kind{
		"/c1": drift.Edited, "/c2": drift.Rewritten, "/c3": drift.Moved,
		"/c4": drift.Moved, "/c6": drift.Gone, "/c5": drift.Links, "/fresh": drift.Born,
	}
	for u, k := range want {
		if got[u] != k {
			t.Errorf("%s: %s, want %s", u, got[u], k)
		}
	}
	if len(got) != len(want) {
		t.Errorf("changes %v, want %v", got, want)
	}
	for range 2 { // telling it again changes nothing
		rates, err := folder.ReadRates()
		if err != nil || len(rates) != 1 || rates[0].Visits != 16 || rates[0].Changed != 7 {
			t.Errorf("rates %+v, %v", rates, err)
		}
		e, err := Examine(folder, p)
		if err != nil {
			t.Fatal(err)
		}
		again, err := e.Changes(1, 2)
		if err != nil || len(again.Changes) != len(r.Changes) {
			t.Errorf("%v: %d changes, want %d", err, len(again.Changes), len(r.Changes))
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestChangesOfExtensions: a run that extends another has the pages of both when it is compared, with
// the one before and with the recrawl after it.
func TestChangesOfExtensions(t *testing.T) {
	w := &web{pages: map[string]string{
		"a.example/": links("/1", "/2"), "a.example/1": prose(1), "a.example/2": "503",
	}}
	site := sitemap.Site{Name: "A", Seeds: []page.URL{"http://a.example/"}, Boundary: sitemap.HostOnly}
	p, folder := w.start(t, site), Folder(t.TempDir())
	p.Crawl.Sketch = new(sketch.Options)
	run(t, folder, p)
	w.pages["a.example/2"] = prose(2)
	p.Extend = true
	run(t, folder, p)
	p.Extend = false
	w.pages["a.example/1"] = prose(1) + "<p>a sentence more</p>"
	run(t, folder, p)
	e, err := Examine(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	for older, want := range map[int]string{1: "reached /2", 2: "edited /1"} {
		r, err := e.Changes(older, older+1)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range r.Changes {
			got = append(got, c.Kind.String()+" "+c.URL.PathQuery())
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("runs %d and %d: %v, want %s", older, older+1, got, want)
		}
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// TestServersThatFail: where the servers of a site answer nothing but errors for a run, its pages stay on
// the map and are told as lost, also behind a redirect, and where an answer had come in part. None is new
// when they answer again.
func TestServersThatFail(t *testing.T) {
	pages := func(d *Delivered) (list []page.URL) {
		for _, x := range d.Maps[0].Members.All() {
			list = append(list, x.URL)
		}
		return list
	}
	for name, seed := range map[string]string{
		"page": links("/1", "/2"), "redirect": "-> /home/", "redirects": "-> /0",
		"part": "half " + links("/1", "/2"),
	} {
		for _, extends := range []bool{false, true} {
			answers := map[string]string{
				"a.example/": seed, "a.example/home/": links("/1", "/2"), "a.example/0": "-> /home/",
				"a.example/1": prose(1), "a.example/2": prose(2),
			}
			w := &web{pages: maps.Clone(answers)}
			p := w.start(t, sitemap.Site{
				Name: "A", Seeds: []page.URL{"http://a.example/"}, Boundary: sitemap.HostOnly,
			})
			folder := Folder(t.TempDir())
			p.Crawl.Sketch = new(sketch.Options)
			was := pages(run(t, folder, p))
			for key := range w.pages {
				w.pages[key] = "503"
			}
			p.Extend = extends
			d := run(t, folder, p)
			if diff := cmp.Diff(was, pages(d)); diff != "" {
				t.Errorf("%s, extended %v: pages of the map (-want +got):\n%s", name, extends, diff)
			}
			if extends {
				if d.Ending.Losses.Seeds > 0 {
					t.Errorf("%s: lost %+v", name, d.Ending.Lost)
				}
				continue
			}
			if lost := d.Ending.Losses; lost.Pages+lost.Seeds < 3 {
				t.Errorf("%s: lost %+v", name, d.Ending.Lost)
			}
			maps.Copy(w.pages, answers)
			run(t, folder, p)
			e, err := Examine(folder, p)
			if err != nil {
				t.Fatal(err)
			}
			r, err := e.Changes(1, 3)
			if err = errors.Join(err, e.Close()); err != nil || len(r.Changes) > 0 {
				t.Errorf("%s: changed %+v, %v", name, r.Changes, err)
			}
		}
	}
}

// TestRatesOfRenamedSite: what is known of how often a site's pages change stays with it under another name.
func TestRatesOfRenamedSite(t *testing.T) {
	w := &web{pages: map[string]string{"a.example/": links("/1"), "a.example/1": prose(1)}}
	site := sitemap.Site{Name: "A", Seeds: []page.URL{"http://a.example/"}, Boundary: sitemap.HostOnly}
	p, folder := w.start(t, site), Folder(t.TempDir())
	p.Crawl.Sketch = new(sketch.Options)
	run(t, folder, p)
	run(t, folder, p)
	p.Sites[0].Name, p.Frontier.Sites[0].Name = "Another name", "Another name"
	run(t, folder, p)
	rates, err := folder.ReadRates()
	if err != nil || len(rates) != 1 || rates[0].Site != "Another name" || rates[0].Visits != 4 {
		t.Errorf("%+v, %v", rates, err)
	}
}

// TestRecrawlBesideDamage: a recrawl ends, whatever became of the files that it only compares
// itself with.
func TestRecrawlBesideDamage(t *testing.T) {
	w := &web{pages: map[string]string{"a.example/": links("/1"), "a.example/1": prose(1)}}
	site := sitemap.Site{Name: "A", Seeds: []page.URL{"http://a.example/"}, Boundary: sitemap.HostOnly}
	p, folder := w.start(t, site), Folder(t.TempDir())
	run(t, folder, p)
	file := filepath.Join(run(t, folder, p).Run.Site(0, "A"), "map.json")
	for _, damaged := range []string{file, folder.Rates()} {
		info, err := os.Stat(damaged)
		if err == nil {
			err = os.Truncate(damaged, info.Size()/2)
		}
		if err != nil {
			t.Fatal(err)
		}
		if d := run(t, folder, p); d.Ending.Sum.Captured != 2 {
			t.Errorf("with %s damaged: %+v", damaged, d.Ending)
		}
	}
	for _, dir := range []string{folder.Catalog(), folder.Run(1).Reports(), folder.Run(1).Sites()} {
		err := errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o666))
		h, is := Open(folder, p)
		if is == nil {
			err = errors.Join(err, h.Close())
		}
		if err := errors.Join(err, os.Remove(dir)); err != nil || is == nil ||
			!strings.Contains(is.Error(), dir+" is a file") {
			t.Errorf("%v, and %s is a file: it says %v", err, dir, is)
		}
	}
	tellsDamage(t, folder, p)
	_, err := folder.Run(2).Maps()
	_, rates := folder.ReadRates()
	cut := filepath.Join(t.TempDir(), "cut.yaml")
	if err := os.WriteFile(cut, []byte("version: 1\nreplicas:\n    - from"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, decided := ReadDecisions(cut)
	_, table := ReadTable(cut)
	advice := regexp.MustCompile("bring (it|the file) back|move it away")
	for _, err := range []error{err, rates, decided, table} {
		if err == nil || !advice.MatchString(err.Error()) {
			t.Errorf("%v: no advice", err)
		}
	}
}

// tellsDamage damages two records in a file of the first run: the next one has the pages in full, tells of
// the file once, also where it was interrupted after it had met it, and is complete, as it lacks nothing. A
// file that is missing is told of, and none that was brought back.
func tellsDamage(t *testing.T, folder Folder, p Plan) {
	t.Helper()
	files, err := folder.Run(1).archived()
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	whole := slices.Clone(text)
	index, err := os.ReadFile(folder.Run(1).Index())
	if err != nil {
		t.Fatal(err)
	}
	place := regexp.MustCompile(`"length": ?"(\d+)", ?"offset": ?"(\d+)"`)
	for _, x := range place.FindAllStringSubmatch(string(index), -1) {
		length, _ := strconv.Atoi(x[1])
		offset, _ := strconv.Atoi(x[2])
		text[offset+length/2] ^= 0xff
	}
	if err := os.WriteFile(files[0], text, 0o666); err != nil {
		t.Fatal(err)
	}
	told := func(d *Delivered) (list []string) {
		for _, x := range d.Ending.Damaged {
			list = append(list, x.File)
		}
		if d.Ending.Ended != report.Complete {
			t.Errorf("%+v", d.Ending)
		}
		return list
	}
	h, err := Open(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(h.Crawl(t.Context()), h.Close()); err != nil { // all is met, nothing delivered
		t.Fatal(err)
	}
	d := run(t, folder, p)
	if !slices.Equal(told(d), files) || !strings.Contains(strings.Join(d.Ending.Notes(), "\n"),
		"watershed warc check '"+files[0]) {
		t.Errorf("%+v, want %s told of", d.Ending, files)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	if d := run(t, folder, p); !slices.Equal(told(d), files) || d.Ending.Damaged[0].Cause != "" {
		t.Errorf("%+v, want %s told of as missing", d.Ending, files)
	}
	if err := os.WriteFile(files[0], whole, 0o666); err != nil {
		t.Fatal(err)
	}
	if d := run(t, folder, p); told(d) != nil || exists(folder.flaws()) {
		t.Errorf("%+v, want nothing told of what is whole", d.Ending)
	}
	last, err := d.Run.archived()
	if err == nil {
		err = os.Truncate(last[0], 1000)
	}
	if is := Damaged(d.Run, d.Ending.Files); err != nil || len(is) != 1 || is[0].File != last[0] {
		t.Errorf("%v, %v: want %s told of", is, err, last)
	}
	uploads := fmt.Sprintf(`{"files": {"archive/%s": {"removed": "2020-01-02T03:04:05Z"}}}`,
		filepath.Base(last[0]))
	err = errors.Join(os.Remove(last[0]),
		os.WriteFile(filepath.Join(string(d.Run), upload.RecordName), []byte(uploads), 0o666))
	if is := Damaged(d.Run, d.Ending.Files); err != nil || len(is) > 0 {
		t.Errorf("%v, %v: want nothing told of what was removed after its upload", is, err)
	}
}

// TestUnchangedPages: a page that its server did not send again is forecast with the bytes that it has, and
// its last capture is the revisit record, beside the record that has its payload.
func TestUnchangedPages(t *testing.T) {
	w := &web{pages: map[string]string{"a.example/": links("/1"), "a.example/1": prose(1)}}
	site := sitemap.Site{Name: "A", Seeds: []page.URL{"http://a.example/"}, Boundary: sitemap.HostOnly}
	p, folder := w.start(t, site), Folder(t.TempDir())
	var first CaptureLine
	for n := range 3 {
		d := run(t, folder, p)
		e, err := Examine(folder, p)
		if err != nil {
			t.Fatal(err)
		}
		f, err := e.Forecast()
		if err != nil || f.Bytes < int64(len(prose(1))) {
			t.Errorf("after run %d: forecast %+v, %v", n+1, f, err)
		}
		x, err := e.Explain("http://a.example/1", 0)
		if err != nil || x.Capture == nil {
			t.Fatalf("after run %d: %+v, %v", n+1, x, err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		c := *x.Capture
		if _, err := os.Stat(d.Run.path("archive", c.File)); err != nil || c.Bytes != int64(len(prose(1))) {
			t.Errorf("after run %d: %+v, %v", n+1, c, err)
		}
		if n == 0 {
			first = c
			continue
		}
		want := Payload{URL: "http://a.example/1", File: first.File, Offset: first.Offset}
		if c.Status != 304 || c.Of == nil || *c.Of != want {
			t.Errorf("after run %d: %+v, of %+v, want %+v", n+1, c, c.Of, want)
		}
	}
}

// TestRecrawlWithoutAHost: a host that does not answer in a recrawl, or only with errors, is no evidence
// that the site ends elsewhere. Its pages stay on the map, and each is told as lost.
func TestRecrawlWithoutAHost(t *testing.T) {
	for _, down := range []string{"500", "503", "!"} {
		t.Run(down, func(t *testing.T) {
			w := &web{pages: map[string]string{"a.example/": links("/wide/site/")}}
			for i := range 12 {
				next := func(step int) string { return fmt.Sprintf("%d", (step*i+1)%12) }
				w.pages[fmt.Sprintf("a.example/wide/%d", i)] = links("/wide/"+next(5), "/wide/"+next(7))
				w.pages[fmt.Sprintf("a.example/wide/site/%d", i)] = links("/wide/", "/wide/site/"+next(5),
					"http://b.example/", "http://b.example/"+next(7))
				w.pages[fmt.Sprintf("b.example/%d", i)] = links("/"+next(5), "/"+next(7), "/",
					"http://a.example/wide/site/", "http://a.example/wide/site/"+next(5))
			}
			w.pages["a.example/wide/"] = links("/wide/0", "/wide/1", "/wide/site/")
			w.pages["a.example/wide/site/"] = links("/wide/", "/wide/site/0", "/wide/site/1")
			w.pages["b.example/"] = links("/0", "/1", "http://a.example/wide/site/")
			p := w.start(t, sitemap.Site{Name: "A", Seeds: []page.URL{"http://a.example/wide/site/"}})
			folder := Folder(t.TempDir())
			first := run(t, folder, p)
			for u := range w.pages {
				if strings.HasPrefix(u, "b.example/") {
					w.pages[u] = down
				}
			}
			again := run(t, folder, p)
			lost := 0
			for _, x := range first.Maps[0].Members.All() {
				now, has := again.Maps[0].Members.Find(x.URL)
				if out := strings.HasPrefix(string(x.URL), "http://b."); !has {
					t.Errorf("%s is not of the site any more", x.URL)
				} else if state := again.Maps[0].Members.At(now).State; (state == "failed") != out {
					t.Errorf("%s is told as %s", x.URL, state)
				} else if out {
					lost++
				}
			}
			if n := again.Maps[0].Members.Len(); n != first.Maps[0].Members.Len() || lost != 13 ||
				again.Ending.Losses.Pages != int64(lost) {
				t.Errorf("%d pages belong, %d before; %d of b.example; %+v", n,
					first.Maps[0].Members.Len(), lost, again.Ending.Losses)
			}
			text, err := os.ReadFile(again.Run.path("reports", "changes.csv"))
			if n := strings.Count(string(text), "\nfailed,http://b."); err != nil || n != lost {
				t.Errorf("%v: %d pages failed by\n%s", err, n, text)
			}
		})
	}
}

// sameDigests checks that the index of a recrawl gives what a server called unchanged the digest of
// the payload that it has since the run before.
func sameDigests(t *testing.T, first, again Run) {
	t.Helper()
	digests := map[string]string{}
	for e, err := range archive.EntriesIn(first.Index()) {
		if err != nil {
			t.Fatal(err)
		}
		digests[e.URL] = e.Digest
	}
	unchanged := 0
	for e, err := range archive.EntriesIn(again.Index()) {
		if err != nil {
			t.Fatal(err)
		}
		if e.MIME != archive.MIMERevisit || e.Status != "" {
			continue
		}
		if unchanged++; e.Digest == "" || e.Digest != digests[e.URL] {
			t.Errorf("%s is unchanged: digest %q, before %q", e.URL, e.Digest, digests[e.URL])
		}
	}
	if unchanged == 0 {
		t.Error("no page was called unchanged")
	}
}

// A host whose robots.txt cannot be had is waited for in each run as long as in the first one: what
// earlier runs failed at does not count.
func TestRecrawlOfUnreachableRobots(t *testing.T) {
	w, site := example()
	w.pages["cdn.example/robots.txt"] = "500"
	p := w.start(t, site)
	p.Robots.Retry, p.Robots.MaxRetry, p.Frontier.HostTries = time.Millisecond, time.Hour, 1
	folder := Folder(t.TempDir())
	const failed = 40
	run(t, folder, p)
	changeRobots(t, folder, p, "http://cdn.example", func(f *robots.File) {
		if f.Tries == 0 {
			t.Error("robots.txt was not asked for")
		}
		f.Tries = failed
	})
	run(t, folder, p)
	changeRobots(t, folder, p, "http://cdn.example", func(f *robots.File) {
		if f.Tries == 0 || f.Tries >= failed {
			t.Errorf("%d failures that the wait grows with, after a run with %d before it", f.Tries, failed)
		}
	})
}

// changeRobots changes what the store of a harvest knows of an origin's robots.txt.
func changeRobots(t *testing.T, folder Folder, p Plan, origin string, change func(*robots.File)) {
	t.Helper()
	e, err := Examine(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	err = e.store.Update(func(tx *store.Tx) error {
		blob, found, err := tx.Robots(origin)
		if err != nil || !found {
			return errors.Join(err, errors.New("no robots.txt is kept"))
		}
		var f robots.File
		if err := f.UnmarshalBinary(blob); err != nil {
			return err
		}
		change(&f)
		if blob, err = f.MarshalBinary(); err != nil {
			return err
		}
		return tx.PutRobots(origin, blob)
	})
	if err := errors.Join(err, e.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestValidators: a page is asked for anew, and had, where its earlier capture has a validator that no
// request can carry, one so long that servers refuse it, one that another page has, too, or a time that had
// not come, where the earlier answer only said that what nobody had was not modified, and where the server
// takes the condition for a fault.
func TestValidators(t *testing.T) {
	second := false
	p := hostile(t, "http://a.example/", func(out http.ResponseWriter, r *http.Request) {
		text := "the text of " + r.URL.Path
		if second {
			text = "what has become of " + r.URL.Path
		}
		out.Header().Set("Content-Type", "text/html")
		tag, since := r.Header.Get("If-None-Match"), r.Header.Get("If-Modified-Since")
		switch r.URL.Path {
		case "/":
			text = links("/control", "/long", "/future", "/unknown", "/fault/400", "/fault/412", "/same")
		case "/control":
			out.Header().Set("Connection", "close")
			c, _, err := http.NewResponseController(out).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: \"a\x01b\"\r\n\r\n%s", text)
			c.Close()
			return
		case "/long":
			if len(tag) > 8<<10 {
				out.WriteHeader(http.StatusBadRequest)
				return
			}
			out.Header().Set("ETag", `"`+strings.Repeat("x", 9<<10)+`"`)
		case "/future":
			if at, err := http.ParseTime(since); err == nil && at.After(time.Now()) {
				out.WriteHeader(http.StatusNotModified)
				return
			}
			out.Header().Set("Last-Modified", time.Now().Add(48*time.Hour).UTC().Format(http.TimeFormat))
		case "/unknown":
			if out.Header().Set("ETag", `"u"`); !second || tag != "" {
				out.WriteHeader(http.StatusNotModified)
				return
			}
		case "/fault/400", "/fault/412":
			if tag != "" {
				status, _ := strconv.Atoi(r.URL.Path[len("/fault/"):])
				out.WriteHeader(status)
				return
			}
			out.Header().Set("ETag", strconv.Quote(r.URL.Path))
		case "/same", "/same/too":
			if out.Header().Set("ETag", `"1"`); tag == `"1"` {
				out.WriteHeader(http.StatusNotModified)
				return
			}
			text += links("/same/too")
		default:
			http.NotFound(out, r)
			return
		}
		_, _ = out.Write([]byte(text)) // the client has gone, where it fails
	})
	folder := Folder(t.TempDir())
	run(t, folder, p)
	second = true
	got := map[string]string{}
	eachEntry(t, run(t, folder, p), func(e *archive.Entry) { got[e.URL] = fmt.Sprint(e.Status, " ", e.MIME) })
	for _, u := range []string{
		"control", "long", "future", "unknown", "fault/400", "fault/412", "same", "same/too",
	} {
		if got["http://a.example/"+u] != "200 text/html" {
			t.Errorf("%s: %q", u, got["http://a.example/"+u])
		}
	}
}

// A cache sends in chunks what it has not yet, and with its length what it has. pywb, which reads the
// body of an original by the head of the revisit, would show the chunks as text.
func TestRevisitsAreFramedAsTheirOriginals(t *testing.T) {
	w, site := example()
	p := w.start(t, site)
	folder := Folder(t.TempDir())
	for n, step := range []struct{ framing, want string }{
		{"chunks", "text/html"},
		{"length", "text/html"},
		{"length", archive.MIMERevisit},
		{"chunks", "text/html"},
		{"chunks", archive.MIMERevisit},
	} {
		w.framing = step.framing
		if got := captured(t, run(t, folder, p))["http://a.example/"]; got != step.want {
			t.Errorf("run %d, %s: %q, want %q", n+1, step.framing, got, step.want)
		}
	}
}
