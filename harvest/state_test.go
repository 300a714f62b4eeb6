package harvest

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"watershed/archive"
	"watershed/crawler"
	"watershed/internal/disk"
	"watershed/page"
	"watershed/replica"
	"watershed/replica/sketch"
	"watershed/report"
	"watershed/store"
)

// deliveredFiles are the WARC files, indexes and packages of a harvest, with what is in them.
func deliveredFiles(t *testing.T, folder Folder) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, pattern := range []string{"run-*/archive/*", "run-*/indexes/*", "run-*/*.wacz"} {
		paths, err := filepath.Glob(filepath.Join(string(folder), pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files[path] = string(text)
		}
	}
	return files
}

// sameFiles checks that each file is as it was.
func sameFiles(t *testing.T, folder Folder, before map[string]string) {
	t.Helper()
	after := deliveredFiles(t, folder)
	for path, text := range before {
		if after[path] != text {
			t.Errorf("%s was delivered, and has changed", path)
		}
	}
}

// copyTree copies a folder; what is there goes before.
func copyTree(t *testing.T, to, from string) {
	t.Helper()
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// spoil changes bytes of a file from an offset on; a negative one counts from its end.
func spoil(t *testing.T, path string, offset int64, bytes int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if offset < 0 {
		offset += int64(len(text))
	}
	for i := offset; i < min(offset+int64(bytes), int64(len(text))); i++ {
		text[i] ^= 0x5A
	}
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// Whatever becomes of the state of a harvest that has ended, no delivered file changes, no run
// number is used twice, and the next run is a recrawl that knows what the archives have.
func TestStateIsRebuilt(t *testing.T) {
	w, site := example()
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	folder := Folder(t.TempDir())
	w.stopAt(t, folder, p, 6)
	w.onPage = nil
	young, first, ending := t.TempDir(), t.TempDir(), t.TempDir()
	copyTree(t, young, folder.State())
	run(t, folder, p)
	copyTree(t, first, folder.State())
	h, err := Open(folder, p)
	check(t, err)
	crawled := h.Crawl(t.Context())
	copyTree(t, ending, folder.State())
	_, err = h.Deliver(t.Context(), nil)
	check(t, errors.Join(crawled, err, h.Close()))
	good := t.TempDir()
	copyTree(t, good, string(folder))
	for name, attack := range map[string]func(Folder) error{
		"removed": func(f Folder) error { return os.RemoveAll(f.State()) },
		"emptied": func(f Folder) error {
			return errors.Join(os.RemoveAll(f.State()), os.Mkdir(f.State(), 0o777))
		},
		"from the first run's time": func(f Folder) error { copyTree(t, f.State(), young); return nil },
		"from after the first run":  func(f Folder) error { copyTree(t, f.State(), first); return nil },
		"from before the last delivery": func(f Folder) error {
			copyTree(t, f.State(), ending)
			return nil
		},
		"with a damaged manifest": func(f Folder) error {
			spoil(t, filepath.Join(f.State(), "MANIFEST"), 10, 4)
			return nil
		},
		"without its manifest": func(f Folder) error {
			return os.Remove(filepath.Join(f.State(), "MANIFEST"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := Folder(t.TempDir())
			copyTree(t, string(folder), good)
			if err := attack(folder); err != nil {
				t.Fatal(err)
			}
			before := deliveredFiles(t, folder)
			h, err := Open(folder, p)
			if err != nil {
				t.Fatal(err)
			}
			if h.Rebuilt == nil || h.Rebuilt.Runs != 2 || h.Rebuilt.Damaged > 0 {
				t.Errorf("rebuilt: %+v", h.Rebuilt)
			}
			crawled := h.Crawl(t.Context())
			d, err := h.Deliver(t.Context(), nil)
			if err := errors.Join(crawled, err, h.Close()); err != nil {
				t.Fatal(err)
			}
			if d.Run.Name() != "run-0003" || len(d.Missing) > 0 {
				t.Errorf("%s, missing %v", d.Run, d.Missing)
			}
			got := captured(t, d)
			if got["http://a.example/"] != archive.MIMERevisit ||
				got["http://a.example/one"] != archive.MIMERevisit {
				t.Errorf("the recrawl does not know what is held: %v", got)
			}
			sameFiles(t, folder, before)
			if again, err := Open(folder, p); err != nil || again.Rebuilt != nil {
				t.Errorf("opened again: %v", err)
			} else if err := again.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A rebuilt state says of captures what the former one said.
func TestRebuiltStateSaysTheSame(t *testing.T) {
	w, site := example()
	w.pages["a.example/one"] += "<p>" + strings.Repeat("many words about something ", 20)
	w.pages["a.example/app"] = `<!doctype html><title>shell</title><div id=app></div>` +
		`<script src="/app.js"></script>`
	w.pages["a.example/"] += `<a href="/app">an app</a>`
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	p.Crawl.Draws = func(string) crawler.Draws { return crawler.DrawShells } // and no browser
	folder := Folder(t.TempDir())
	delivered := captured(t, run(t, folder, p))
	told := func() map[page.URL]page.Visit {
		g := newGround(folder, p)
		if _, err := openState(g, nil); err != nil {
			t.Fatal(err)
		}
		all := map[page.URL]page.Visit{}
		for v, err := range g.store.Visits(1, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if v.Record.IsZero() || delivered[string(v.URL)] == "" {
				continue // the boundary left it out
			}
			x := *v
			x.Time, x.Origin.Time, x.Origin.Record = x.Time.Truncate(time.Millisecond),
				x.Origin.Time.Truncate(time.Millisecond), page.Location{}
			x.Seq, x.Remote, x.Cause, x.Record, x.Duration = 0, "", "", page.Location{}, 0
			all[v.URL] = x
		}
		if err := g.store.Close(); err != nil {
			t.Fatal(err)
		}
		return all
	}
	before := told()
	if app := before["http://a.example/app"]; !app.Undrawn() {
		t.Fatalf("of the app is told %+v", app)
	}
	if err := os.RemoveAll(folder.State()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, told()); diff != "" {
		t.Error(diff)
	}
}

// A run whose state is lost while it is under way goes on with what its spool has, and asks for
// nothing that it has.
func TestRunGoesOnWithoutState(t *testing.T) {
	whole, site := example()
	want := captured(t, run(t, Folder(t.TempDir()), whole.start(t, site)))
	for request := 2; request < 14; request += 3 {
		w, _ := example()
		p := w.start(t, site)
		folder := Folder(t.TempDir())
		w.stopAt(t, folder, p, request)
		w.onPage = nil
		if err := os.RemoveAll(folder.State()); err != nil {
			t.Fatal(err)
		}
		d := run(t, folder, p)
		if d.Run.Name() != "run-0001" {
			t.Errorf("stopped at %d: goes on in %s", request, d.Run)
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(captured(t, d)))); diff !=
			"" {
			t.Errorf("stopped at %d: %s", request, diff)
		}
		for u := range want {
			if n := w.asked(strings.TrimPrefix(u, "http://")); n > 1 &&
				!strings.HasSuffix(u, "/robots.txt") && n > 2 {
				t.Errorf("stopped at %d: %s was asked for %d times", request, u, n)
			}
		}
	}
}

// A state of a run under way that lost what was written last is rebuilt, and the run goes on with all that
// its spool has: where Badger's log is damaged, from which on Badger leaves it out without a word, or where
// an older copy is brought back. A state that a power cut leaves as it was synced goes on.
func TestStateLacksItsEnd(t *testing.T) {
	w, site := example()
	p := w.start(t, site)
	folder := Folder(t.TempDir())
	w.stopAt(t, folder, p, 8)
	w.onPage = nil
	synced, older := t.TempDir(), t.TempDir()
	g := newGround(folder, p)
	if _, err := openState(g, nil); err != nil {
		t.Fatal(err)
	}
	copyTree(t, older, folder.State())
	for range 3 {
		if err := g.store.Checkpoint(); err != nil {
			t.Fatal(err)
		}
	}
	copyTree(t, synced, folder.State())
	if err := g.store.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		attack  func(Folder)
		rebuilt bool
	}{
		"as it was synced": {func(f Folder) { copyTree(t, f.State(), synced) }, false},
		"a damaged log": {func(f Folder) {
			copyTree(t, f.State(), synced)
			logs, err := filepath.Glob(filepath.Join(f.State(), "*.mem"))
			if err != nil || len(logs) == 0 {
				t.Fatalf("no log: %v", err)
			}
			for _, log := range logs {
				spoil(t, log, 30, 64)
			}
		}, true},
		"an older copy": {func(f Folder) { copyTree(t, f.State(), older) }, true},
		"an older copy, after a start that could not rebuild it": {func(f Folder) {
			copyTree(t, f.State(), older)
			broken := p
			broken.Disk = full{}
			if _, err := Open(f, broken); !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("on a full disk: %v", err)
			}
		}, true},
		"a pipe in the place of the number": {func(f Folder) {
			check(t, os.Remove(f.checkpoint()))
			check(t, exec.Command("mkfifo", f.checkpoint()).Run())
		}, false},
		"an older copy, and a number that was torn": {func(f Folder) {
			copyTree(t, f.State(), older)
			if err := os.Truncate(f.checkpoint(), 19); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := Folder(t.TempDir())
			copyTree(t, string(f), string(folder))
			c.attack(f)
			if c.rebuilt { // nor is it forgotten when the process dies before the state is rebuilt
				runs, err := f.Runs()
				if err != nil {
					t.Fatal(err)
				}
				before := f.lastCheckpoint()
				x := &opener{ground: newGround(f, p)}
				if err := x.tryState(runs); !errors.Is(err, errBehind) || f.lastCheckpoint() != before {
					t.Fatalf("%v, checkpoint %d is told, and was %d", err, f.lastCheckpoint(), before)
				}
			}
			for range 2 {
				h, err := Open(f, p)
				if err != nil {
					t.Fatal(err)
				}
				if (h.Rebuilt != nil) != c.rebuilt {
					t.Errorf("rebuilt: %+v", h.Rebuilt)
				}
				if h.Run().Name() != "run-0001" {
					t.Errorf("goes on in %s", h.Run())
				}
				if err := h.Close(); err != nil {
					t.Fatal(err)
				}
				c.rebuilt = false
			}
		})
	}
}

// full is a disk on which no state can be rebuilt.
type full struct{ disk.OS }

func (full) RemoveAll(path string) error {
	if strings.HasSuffix(path, "state.new") {
		return syscall.ENOSPC
	}
	return os.RemoveAll(path)
}

// Captures that the state claims and no file has are told, and fetched again; so are those that
// refer to them.
func TestLostCaptures(t *testing.T) {
	whole, site := example()
	want := captured(t, run(t, Folder(t.TempDir()), whole.start(t, site)))
	for name, attack := range map[string]func(*testing.T, string){
		"a file is gone": func(t *testing.T, path string) { remove(t, path) },
		"a folder is in its place": func(t *testing.T, path string) {
			remove(t, path)
			if err := os.Mkdir(path, 0o777); err != nil {
				t.Fatal(err)
			}
		},
		"a pipe is in its place": func(t *testing.T, path string) {
			remove(t, path)
			if err := exec.Command("mkfifo", path).Run(); err != nil {
				t.Fatal(err)
			}
		},
		"a file is halved": func(t *testing.T, path string) { halve(t, path) },
		"64 bytes are changed": func(t *testing.T, path string) {
			// not only within a DNS answer, which no visit stands for
			for at := int64(700); at < 4000; at += 600 {
				spoil(t, path, at, 64)
			}
		},
		"the end is changed": func(t *testing.T, path string) { spoil(t, path, -40, 20) },
		"without its register": func(t *testing.T, path string) {
			remove(t, path+".register")
			halve(t, path)
		},
		"the register is spoilt": func(t *testing.T, path string) {
			spoil(t, path+".register", 50, 400)
			halve(t, path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := example()
			p := w.start(t, site)
			p.Archive.MaxBytes = 4000
			folder := Folder(t.TempDir())
			w.stopAt(t, folder, p, 13)
			w.onPage = nil
			spooled, err := filepath.Glob(filepath.Join(folder.Run(1).Spool(), "*.warc.gz"))
			if err != nil || len(spooled) < 2 {
				t.Fatalf("%v, %v", spooled, err)
			}
			for _, path := range spooled[:len(spooled)-1] {
				attack(t, path)
			}
			h, err := Open(folder, p)
			if err != nil {
				t.Fatal(err)
			}
			if len(h.Missing) == 0 {
				t.Error("nothing is said to be missing")
			}
			crawled := h.Crawl(t.Context())
			d, err := h.Deliver(t.Context(), nil)
			if err := errors.Join(crawled, err, h.Close()); err != nil {
				t.Fatal(err)
			}
			if len(d.Missing) > 0 {
				t.Errorf("still missing: %v", d.Missing)
			}
			got := captured(t, d)
			// there may be more: what a revisit refers to is kept, and which one is the first
			// differs
			for u := range want {
				if got[u] == "" {
					log, err := os.ReadFile(filepath.Join(d.Run.Logs(), "crawl.log"))
					t.Errorf("%s is not in the archive (%v):\n%s", u, err, log)
				}
			}
			readable(t, d)
		})
	}
}

// A capture that is lost, and cannot be made again, is told of: its server is down, or has nothing there
// any more.
func TestLostForGood(t *testing.T) {
	for name, change := range map[string]func(*web){
		"/":    func(w *web) { w.down = true },
		"/one": func(w *web) { delete(w.pages, "a.example/one") },
		"/two": func(w *web) { delete(w.pages, "a.example/two") }, // the files are damaged, and stay
	} {
		t.Run(name, func(t *testing.T) {
			w, site := example()
			p := w.start(t, site)
			folder := Folder(t.TempDir())
			w.stopAt(t, folder, p, 13)
			w.onPage = nil
			paths, err := filepath.Glob(filepath.Join(folder.Run(1).Spool(), "*.warc.gz"))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range paths {
				if name != "/two" {
					remove(t, path)
				} else if err := os.Truncate(path, 10); err != nil {
					t.Fatal(err)
				}
			}
			change(w)
			d := run(t, folder, p)
			kept, err := os.ReadDir(d.Run.path("damaged"))
			if err == nil != (name == "/two") || err == nil && len(kept) != 1 {
				t.Errorf("damaged files: %v, %v", kept, err)
			}
			if d.Ending.Ended == report.Complete || len(d.Missing) != 1 && !w.down {
				t.Errorf("missing: %v, %+v", d.Missing, d.Ending)
			}
			text, err := os.ReadFile(d.Run.path("reports", "missing.txt"))
			if err != nil || !strings.Contains(string(text), " http://a.example"+name+"\n") {
				t.Errorf("the report does not tell: %v\n%s", err, text)
			}
		})
	}
}

// TestDamagedStayInTheSpool: a damaged WARC file that cannot be moved to where it is kept stays where it
// is, and is moved by the next start.
func TestDamagedStayInTheSpool(t *testing.T) {
	w, site := example()
	p := w.start(t, site)
	folder := Folder(t.TempDir())
	w.stopAt(t, folder, p, 13)
	w.onPage = nil
	paths, err := filepath.Glob(filepath.Join(folder.Run(1).Spool(), "*.warc.gz"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		check(t, os.Truncate(path, 10))
	}
	delete(w.pages, "a.example/two")
	place := folder.Run(1).path("damaged")
	check(t, os.WriteFile(place, nil, 0o666))
	h, err := Open(folder, p)
	check(t, err)
	check(t, h.Crawl(t.Context()))
	_, err = h.Deliver(t.Context(), nil)
	if err = errors.Join(err, h.Close()); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged file cannot be kept, and it says %v", err)
	}
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("it is gone: %v", err)
		}
	}
	remove(t, place)
	d := run(t, folder, p)
	if kept, err := os.ReadDir(d.Run.path("damaged")); err != nil || len(kept) != len(paths) {
		t.Errorf("damaged files: %v, %v", kept, err)
	}
}

// Nothing refers to a capture of a run before that cannot be read: in the place of its WARC file lies a
// folder, which has a size as well, or the file is as long as it was and a bit of it is another.
func TestUnreadableBefore(t *testing.T) {
	for name, damage := range map[string]func(path string){
		"a folder": func(path string) {
			check(t, os.Rename(path, filepath.Join(t.TempDir(), "kept")))
			check(t, os.Mkdir(path, 0o777))
			for i := range 600 { // a folder grows with what it has
				check(t, os.WriteFile(filepath.Join(path, strconv.Itoa(i)), nil, 0o666))
			}
		},
		"a bit in each record": func(path string) {
			b, err := os.ReadFile(path)
			check(t, err)
			for at := 0; ; {
				next := bytes.Index(b[at:], []byte("\x1f\x8b\x08"))
				if next < 0 {
					break
				}
				at += next + 100
				b[min(at, len(b)-1)] ^= 1
			}
			check(t, os.WriteFile(path, b, 0o666))
		},
	} {
		w, site := example()
		folder := Folder(t.TempDir())
		p := w.start(t, site)
		for _, path := range run(t, folder, p).Files {
			damage(path)
		}
		t.Run(name, func(t *testing.T) { readable(t, run(t, folder, p)) })
	}
}

// Nothing refers to a capture in an uncompressed file of a run before whose text is another one: the file
// has no sums but the digests in it.
func TestUnreadableUnpacked(t *testing.T) {
	w, site := example()
	folder := Folder(t.TempDir())
	p := w.start(t, site)
	plain := map[string][]byte{}
	for _, path := range run(t, folder, p).Files {
		packed, err := os.Open(path)
		check(t, err)
		r, err := gzip.NewReader(packed)
		check(t, err)
		text, err := io.ReadAll(r)
		check(t, errors.Join(err, packed.Close(), os.Remove(path)))
		plain[strings.TrimSuffix(path, ".gz")] = text
	}
	for path, text := range plain {
		check(t, os.WriteFile(path, text, 0o666))
	}
	check(t, os.RemoveAll(folder.State()))
	if got := captured(t, run(t, folder, p))["http://a.example/"]; got != archive.MIMERevisit {
		t.Fatalf("a page in an uncompressed file that is whole is captured as %s", got)
	}
	for path, text := range plain {
		check(t, os.WriteFile(path, bytes.ReplaceAll(text, []byte("</a>"), []byte("</b>")), 0o666))
	}
	if got := captured(t, run(t, folder, p))["http://a.example/"]; got == archive.MIMERevisit {
		t.Error("a page refers to a capture that is not what it was")
	}
}

// readable checks that each entry of the index leads to a record, and each revisit to a capture
// that it refers to.
func readable(t *testing.T, d *Delivered) {
	t.Helper()
	held := map[string]bool{}
	var refers []string
	eachEntry(t, d, func(e *archive.Entry) {
		rec, err := archive.Open(d.Run.Archive(), e.Location())
		if err != nil {
			t.Errorf("%s: %v", e.URL, err)
			return
		}
		defer rec.Close() //nolint:errcheck // it was only read
		held[rec.Header.Get("WARC-Date")+" "+e.URL] = true
		if e.MIME == archive.MIMERevisit {
			refers = append(refers,
				rec.Header.Get("WARC-Refers-To-Date")+" "+rec.Header.Get("WARC-Refers-To-Target-URI"))
		}
	})
	for _, r := range refers {
		if !held[r] {
			t.Errorf("a revisit refers to %s, which is not there", r)
		}
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

func halve(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, info.Size()/2)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The remains of an interrupted rebuild are taken away also where the state is good.
func TestRebuildLeft(t *testing.T) {
	w, site := example()
	p := w.start(t, site)
	folder := Folder(t.TempDir())
	run(t, folder, p)
	if err := os.Mkdir(folder.rebuilding(), 0o777); err != nil {
		t.Fatal(err)
	}
	run(t, folder, p)
	if _, err := os.Stat(folder.rebuilding()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", folder.rebuilding(), err)
	}
}

// The files that a killed edit of the decisions or of the table has begun are taken away by the
// next run, and nothing else is.
func TestBegunFilesAreSweptAway(t *testing.T) {
	w, site := example()
	p := w.start(t, site)
	folder := Folder(t.TempDir())
	for _, name := range []string{"decisions.yaml.new", "replicas.yaml.new", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(string(folder), name), []byte("half"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run(t, folder, p)
	for name, want := range map[string]bool{
		"decisions.yaml.new": false, "replicas.yaml.new": false, "notes.txt": true,
	} {
		if exists(filepath.Join(string(folder), name)) != want {
			t.Errorf("%s: there is %v, want %v", name, !want, want)
		}
	}
}

// A file of the spool that is lost while the run goes on is told of, too.
func TestLostWhileUnderWay(t *testing.T) {
	w, site := example()
	p := w.start(t, site)
	p.Archive.MaxBytes = 4000
	folder := Folder(t.TempDir())
	h, err := Open(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Crawl(t.Context()); err != nil {
		t.Fatal(err)
	}
	spooled, err := filepath.Glob(filepath.Join(folder.Run(1).Spool(), "*.warc.gz"))
	if err != nil || len(spooled) < 2 {
		t.Fatalf("%v, %v", spooled, err)
	}
	remove(t, spooled[0])
	halve(t, spooled[1])
	d, err := h.Deliver(t.Context(), nil)
	if err := errors.Join(err, h.Close()); err != nil {
		t.Fatal(err)
	}
	if len(d.Missing) < 2 {
		t.Errorf("missing: %v", d.Missing)
	}
	readable(t, d)
}

// linkless is a disk that knows no hard links, as exFAT.
type linkless struct{ disk.OS }

func (linkless) Link(string, string) error { return syscall.EPERM }

// An index or package that cannot be read is set aside, not written over: nobody can say what it
// names. This is so on any disk.
func TestUnreadableIndexIsSetAside(t *testing.T) {
	for _, d := range []disk.FS{disk.OS{}, linkless{}} {
		setsAside(t, d)
	}
}

func setsAside(t *testing.T, d disk.FS) {
	w, site := example()
	p := w.start(t, site)
	p.Disk = d
	folder := Folder(t.TempDir())
	h, err := Open(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	crawled := h.Crawl(t.Context())
	if _, err := h.Deliver(t.Context(), crawler.ErrTime); errors.Join(crawled, err, h.Close()) != nil {
		t.Fatal(crawled, err)
	}
	index := folder.Run(1).Index()
	if err := os.WriteFile(index, []byte("no line of an index\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	readable(t, run(t, folder, p))
	kept, err := filepath.Glob(strings.TrimSuffix(index, ".cdxj") + ".before-*.cdxj")
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept: %v, %v", kept, err)
	}
	if text, err := os.ReadFile(kept[0]); err != nil || string(text) != "no line of an index\n" {
		t.Errorf("kept is %q, %v", text, err)
	}
}

// A run that a power cut ended before it captured anything, and that the state lost with it, leaves
// its number and no spool.
func TestSpoolOfNothing(t *testing.T) {
	w, site := example()
	folder := Folder(t.TempDir())
	if err := os.MkdirAll(folder.Run(1).Spool(), 0o777); err != nil {
		t.Fatal(err)
	}
	unfinished := filepath.Join(string(folder.Run(1)), "harvest.yaml"+disk.Suffix)
	if err := os.WriteFile(unfinished, []byte("harv"), 0o666); err != nil {
		t.Fatal(err)
	}
	if d := run(t, folder, w.start(t, site)); d.Run.Name() != "run-0002" || folder.Run(1).spooled() {
		t.Errorf("%s; spool of the first left: %v", d.Run, folder.Run(1).spooled())
	}
	if _, err := os.Stat(unfinished); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", unfinished, err)
	}
}

// A spool that cannot be listed is no empty one: it stays.
func TestSpoolOfUnknown(t *testing.T) {
	w, site := example()
	folder := Folder(t.TempDir())
	spool := folder.Run(1).Spool()
	if err := errors.Join(os.MkdirAll(filepath.Dir(spool), 0o777), os.WriteFile(spool, []byte("no folder"),
		0o666)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(folder, w.start(t, site)); err == nil {
		t.Error("a harvest begins beside a spool that nobody can read")
	}
	if _, err := os.Stat(spool); err != nil {
		t.Error(err)
	}
}

// TestSpoolLostAfterADelivery: a run that was stopped by a limit, and delivered, goes on; then its
// spool is lost, or its disk is not there. The state is not the older one for that: what it claims is
// missing, and asked for again.
func TestSpoolLostAfterADelivery(t *testing.T) {
	w, site := example()
	p := w.start(t, site)
	folder := Folder(t.TempDir())
	w.stopAt(t, folder, p, 6)
	w.onPage = nil
	h, err := Open(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Deliver(t.Context(), crawler.ErrTime); errors.Join(err, h.Close()) != nil {
		t.Fatal(err)
	}
	w.stopAt(t, folder, p, 13)
	w.onPage = nil
	spool, away := folder.Run(1).Spool(), filepath.Join(t.TempDir(), "unmounted")
	if err := errors.Join(os.Rename(spool, away+".there"), os.Symlink(away, spool)); err != nil {
		t.Fatal(err)
	}
	if h, err := Open(folder, p); err == nil || !strings.Contains(err.Error(), "mount its disk") {
		t.Fatalf("a spool that is a link to nowhere: %v, %v", h, err)
	}
	if err := os.Remove(spool); err != nil {
		t.Fatal(err)
	}
	if h, err = Open(folder, p); err != nil {
		t.Fatal(err)
	}
	if h.Rebuilt != nil || h.Run() != folder.Run(1) || len(h.Missing) == 0 {
		t.Errorf("rebuilt %+v, %s, %d missing", h.Rebuilt, h.Run(), len(h.Missing))
	}
	crawled := h.Crawl(t.Context())
	d, err := h.Deliver(t.Context(), nil)
	if err := errors.Join(crawled, err, h.Close()); err != nil {
		t.Fatal(err)
	}
	whole, _ := example()
	got := captured(t, d)
	for u := range captured(t, run(t, Folder(t.TempDir()), whole.start(t, site))) {
		if got[u] == "" {
			t.Errorf("%s is not in the archive", u)
		}
	}
	if len(d.Missing) > 0 {
		t.Errorf("still missing: %v", d.Missing)
	}
}

// TestSpoolOnAnotherDisk: files of the spool that were moved away and linked back are delivered; a
// file that an earlier process wrote and that goes while the crawl is under way is told.
func TestSpoolOnAnotherDisk(t *testing.T) {
	whole, site := example()
	want := captured(t, run(t, Folder(t.TempDir()), whole.start(t, site)))
	for _, goes := range []bool{false, true} {
		w, _ := example()
		p := w.start(t, site)
		p.Archive.MaxBytes = 4000
		folder := Folder(t.TempDir())
		w.stopAt(t, folder, p, 13)
		w.onPage = nil
		spooled, err := filepath.Glob(filepath.Join(folder.Run(1).Spool(), "*.warc.gz"))
		if err != nil || len(spooled) < 2 {
			t.Fatalf("%v, %v", spooled, err)
		}
		elsewhere := t.TempDir()
		for _, path := range spooled {
			moved := filepath.Join(elsewhere, filepath.Base(path))
			if err := errors.Join(os.Rename(path, moved), os.Symlink(moved, path)); err != nil {
				t.Fatal(err)
			}
		}
		h, err := Open(folder, p)
		if err != nil || len(h.Missing) > 0 {
			t.Fatal(h.Missing, err)
		}
		crawled := h.Crawl(t.Context())
		if goes {
			remove(t, filepath.Join(elsewhere, filepath.Base(spooled[0])))
		}
		d, err := h.Deliver(t.Context(), nil)
		if err := errors.Join(crawled, err, h.Close(), os.RemoveAll(elsewhere)); err != nil {
			t.Fatal(err)
		}
		if goes != (len(d.Missing) > 0) {
			t.Errorf("a file goes: %v; missing: %v", goes, d.Missing)
		}
		got := captured(t, d)
		for u := range want {
			if got[u] == "" && !goes {
				t.Errorf("%s is not in the archive", u)
			}
		}
		if !goes {
			readable(t, d)
		}
	}
}

// waiting is a disk on which a rebuild of the state waits until it is told to go on.
type waiting struct {
	disk.OS

	arrived, goOn chan struct{}
}

func (d waiting) RemoveAll(path string) error {
	if strings.HasSuffix(path, "state.new") {
		d.arrived <- struct{}{}
		<-d.goOn
	}
	return os.RemoveAll(path)
}

// While a state is rebuilt, a second process neither rebuilds it too, nor moves the folder away, nor
// changes the table of copies.
func TestStateIsRebuiltByOne(t *testing.T) {
	w, site := example()
	p := w.start(t, site)
	folder := Folder(t.TempDir())
	run(t, folder, p)
	check(t, os.RemoveAll(folder.State()))
	slow, ended := p, make(chan error)
	d := waiting{arrived: make(chan struct{}, 2), goOn: make(chan struct{})}
	slow.Disk = d
	go func() {
		h, err := Open(folder, slow)
		ended <- errors.Join(err, h.Close())
	}()
	<-d.arrived
	second, err := Open(folder, p)
	if !errors.Is(err, store.ErrLocked) {
		t.Errorf("a second start beside the rebuild: %v", err)
	}
	check(t, second.Close())
	if aside, err := folder.MoveAside(time.Now()); !errors.Is(err, store.ErrLocked) {
		t.Errorf("moved aside to %q: %v", aside, err)
	}
	if err := folder.EditTable(func(*replica.Table) error { return nil }); !errors.Is(err, store.ErrLocked) {
		t.Errorf("a change of the table of copies: %v", err)
	}
	close(d.goOn)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A run that extends another still does when its state is lost on the way: nothing that the other has is
// asked for again, nor by an extension of it.
func TestRebuiltStateKnowsWhatARunExtends(t *testing.T) {
	w, site := example()
	w.pages["b.example/"], w.pages["b.example/more"] = links("/more"), links("/")
	p := w.start(t, site)
	folder := Folder(t.TempDir())
	run(t, folder, p)
	rule, err := page.ParseRule("host:b.example")
	check(t, err)
	p.Sites[0].Include = []page.Rule{rule}
	extension := p
	extension.Extend = true
	w.requests = nil
	w.stopAt(t, folder, extension, 2)
	w.onPage = nil
	for _, want := range []int{1, 2} {
		check(t, os.RemoveAll(folder.State()))
		h, err := Open(folder, extension)
		check(t, err)
		if h.Number() != want+1 || h.Extends() != want || h.Rebuilt == nil {
			t.Errorf("run %d extends %d, rebuilt %+v", h.Number(), h.Extends(), h.Rebuilt)
		}
		crawled := h.Crawl(t.Context())
		_, err = h.Deliver(t.Context(), crawled)
		check(t, errors.Join(crawled, err, h.Close()))
	}
	for _, r := range w.requests {
		if u, _, _ := strings.Cut(r, " "); !strings.HasPrefix(u, "b.example/") &&
			!strings.HasSuffix(u, "/robots.txt") {
			t.Errorf("%s was asked for again", u)
		}
	}
}
