package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"watershed/archive"
	"watershed/harvest"
	"watershed/lab/kit/bucket"
)

var (
	orderSeeds = flag.Int("order.seeds", 3, "rows of orders that TestAnyOrder tries")
	orderFirst = flag.Uint64("order.first", 1, "the first seed of them")
	orderSteps = flag.Int("order.steps", 14, "orders in a row")
)

// TestAnyOrder does to a harvest, in a random order, what may be done to one: it is crawled again
// while its pages change, interrupted, copied while it runs, extended, decided on, packed, uploaded
// and removed, loses its state or gets an older one, its state, spool, decisions or catalog are damaged,
// and a byte of a page's capture changes, or its WARC file is taken away, until it is brought back. After
// each step all captures that were ever delivered are
// where they were, each line of each index leads to its capture, files and packages are sound, and a
// run that ends with 0 has all pages as they are.
//
// The same seed does the same, but for the page at which a run is interrupted.
func TestAnyOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("short: one run after the other, each as package harvest has it")
	}
	for i := range *orderSeeds {
		seed := *orderFirst + uint64(i)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			a := newAnyOrder(t, seed)
			for range *orderSteps {
				if a.step(); t.Failed() {
					t.Fatalf("seed %d: %s", seed, strings.Join(a.done, ", "))
				}
			}
		})
	}
}

// anyOrder is a harvest to which things are done.
type anyOrder struct {
	t     *testing.T
	rng   *rand.Rand
	web   *changingWeb
	store *bucket.Store
	dir   string
	yaml  string
	done  []string // what was done

	states   []string          // copies of the state, the oldest first
	files    map[string][]byte // WARC files as they were delivered, by their paths
	harmed   map[string]bool   // of these, those that are damaged
	away     map[string]bool   // of these, those that are not here
	lines    map[string]bool   // of the indexes, with the run
	excluded map[string]bool   // paths of pages, by decisions
	packed   map[string]string // packages that were looked at, with their times
}

// changingWeb is a site of some pages; each page has a number that tells how often it has changed.
type changingWeb struct {
	mu       sync.Mutex
	versions []int
	begun    []int // the versions when the last run ended, which the next one has, or later ones
	requests int
	at       int // the request at which hook is called
	hook     func()
}

const orderPages = 6

func (w *changingWeb) body(path string) (text string, found bool) {
	n := 0
	switch {
	case path == "/":
		text = `<title>root</title><img src="http://cdn.example/logo.png"><a href="http://b.example/">b</a>`
		for i := range w.versions {
			text += fmt.Sprintf(`<a href="/p%d">page</a>`, i)
		}
		return text, true
	case path == "/logo.png":
		return "\x89PNG a picture", true
	}
	if _, err := fmt.Sscanf(path, "/p%d", &n); err != nil || n >= len(w.versions) {
		return "", false
	}
	return pageOf(n, w.versions[n]), true
}

// pageOf is a version of a page.
func pageOf(n, version int) string {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(version)))
	text := fmt.Sprintf(`<title>page %d</title><a href="/">up</a><p>version %d of %d. `, n, version, n)
	for range 60 {
		text += fmt.Sprintf("w%x ", rng.Uint32())
	}
	return text
}

func (w *changingWeb) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests++
	if w.hook != nil && w.requests == w.at {
		w.hook()
	}
	text, found := w.body(r.URL.Path)
	if !found {
		http.NotFound(out, r)
		return
	}
	out.Header().Set("Content-Type", "text/html")
	if strings.HasSuffix(r.URL.Path, ".png") {
		out.Header().Set("Content-Type", "image/png")
	}
	var n int
	if _, err := fmt.Sscanf(r.URL.Path, "/p%d", &n); err == nil && n%2 == 0 {
		tag := fmt.Sprintf(`"%d-%d"`, n, w.versions[n])
		out.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			out.WriteHeader(http.StatusNotModified)
			return
		}
	}
	_, _ = io.WriteString(out, text)
}

// asked is how many requests came so far.
func (w *changingWeb) asked() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.requests
}

func newAnyOrder(t *testing.T, seed uint64) *anyOrder {
	t.Helper()
	a := &anyOrder{
		t: t, rng: rand.New(rand.NewPCG(seed, 0)), dir: t.TempDir(),
		web:   &changingWeb{versions: make([]int, orderPages), begun: make([]int, orderPages)},
		store: &bucket.Store{Bucket: "archive", AccessKey: "AKEXAMPLE"},
		files: map[string][]byte{}, harmed: map[string]bool{}, away: map[string]bool{},
		lines: map[string]bool{}, excluded: map[string]bool{}, packed: map[string]string{},
	}
	site, front := httptest.NewServer(a.web), httptest.NewServer(a.store)
	t.Cleanup(site.Close)
	t.Cleanup(front.Close)
	t.Setenv("STORE_KEY", "AKEXAMPLE")
	t.Setenv("STORE_SECRET", "x")
	a.yaml = filepath.Join(a.dir, "a.yaml")
	writeFile(t, a.yaml, fmt.Sprintf(`harvest: a
operator: {name: Test, contact: "mailto:test@a.example"}
politeness: {min_delay: 0s, address_delay: 0s}
network: {allow_private: [127.0.0.0/8], dial_ports: {80: %s}, resolve: [{match: "*", address: 127.0.0.1}]}
sites: [{name: a, seeds: ["http://a.example/"], boundary: host}]
upload: {store: "%s", bucket: archive, access_key: "env:STORE_KEY", secret_key: "env:STORE_SECRET"}
`, site.URL[strings.LastIndexByte(site.URL, ':')+1:], front.URL))
	return a
}

func (a *anyOrder) folder() harvest.Folder {
	return harvest.Folder(filepath.Join(a.dir, "harvests", "a"))
}

// command runs a command, and fails where its exit code is none of those that are allowed.
func (a *anyOrder) command(ctx context.Context, allowed []int, args ...string) (code int, said string) {
	a.t.Helper()
	var out bytes.Buffer
	code = run(ctx, args, &out, &out)
	a.done = append(a.done, fmt.Sprintf("%s = %d", strings.Join(args[:len(args)-1], " "), code))
	if !slices.Contains(allowed, code) {
		a.t.Errorf("%v: exit code %d\n%s", args, code, &out)
	}
	return code, out.String()
}

// orders are what may be done, each as often as it has its place here.
func (a *anyOrder) step() {
	orders := []func(){
		a.recrawl, a.recrawl, a.recrawl, a.interrupt, a.copyRunning, a.extend, a.exclude, a.pack, a.packAll,
		a.upload, a.remove, a.damage, a.damage, a.heal, a.takeAway, a.loseState, a.ageState, a.ageState,
		a.spoilState, a.spoilSpool, a.spoilDecisions, a.spoilCatalog, a.repack,
	}
	orders[a.rng.IntN(len(orders))]()
	a.judge()
	to := filepath.Join(a.dir, fmt.Sprintf("state-%d", len(a.states)))
	if err := os.CopyFS(to, os.DirFS(a.folder().State())); err == nil {
		a.states = append(a.states, to)
	}
}

// change changes a page.
func (a *anyOrder) change() {
	a.web.mu.Lock()
	defer a.web.mu.Unlock()
	a.web.versions[a.rng.IntN(orderPages)]++
}

func (a *anyOrder) recrawl() {
	a.change()
	code, said := a.command(a.t.Context(), []int{exitOK, exitLosses}, "harvest", "--json-log", a.yaml)
	if code == exitLosses && len(a.harmed)+len(a.away) == 0 {
		a.t.Errorf("nothing was harmed, and something is lost:\n%s", said)
	}
	if code == exitOK {
		a.whole(said)
	}
}

func (a *anyOrder) extend() {
	if _, err := a.folder().Last(); err != nil {
		return
	}
	a.command(a.t.Context(), []int{exitOK, exitLosses}, "harvest", "--extend", a.yaml)
}

// during has something done in the middle of a run, which is then interrupted.
func (a *anyOrder) during(do func()) {
	a.change()
	ctx, cancel := context.WithCancel(a.t.Context())
	defer cancel()
	a.web.mu.Lock()
	a.web.at, a.web.hook = a.web.requests+2+a.rng.IntN(orderPages), func() { do(); cancel() }
	a.web.mu.Unlock()
	a.command(ctx, []int{exitOK, exitInterrupted, exitLosses}, "harvest", a.yaml)
	a.web.mu.Lock()
	a.web.hook = nil
	a.web.mu.Unlock()
}

func (a *anyOrder) interrupt() { a.during(func() {}) }

// copyRunning goes on with a copy that was made while a run was under way.
func (a *anyOrder) copyRunning() {
	to, copied := filepath.Join(a.dir, "copy"), errors.New("it was not made")
	a.during(func() {
		list := os.DirFS(string(a.folder()))
		copied = fs.WalkDir(list, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				return os.MkdirAll(filepath.Join(to, path), 0o777)
			}
			if !d.Type().IsRegular() {
				return nil
			}
			text, err := fs.ReadFile(list, path)
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return errors.Join(err, os.WriteFile(filepath.Join(to, path), text, 0o666))
		})
	})
	if copied != nil {
		a.done = append(a.done, "not copied: "+copied.Error())
		return
	}
	a.done = append(a.done, "the copy of it is taken")
	if err := errors.Join(os.RemoveAll(string(a.folder())), os.Rename(to, string(a.folder()))); err != nil {
		a.t.Fatal(err)
	}
	for path := range a.files { // what the run under way has not delivered in the copy
		if _, err := os.Stat(path); err != nil && !a.away[path] {
			a.t.Errorf("%s is not in the copy", path)
		}
	}
}

func (a *anyOrder) exclude() {
	path := fmt.Sprintf("/p%d", a.rng.IntN(orderPages))
	a.excluded[path] = true
	a.command(a.t.Context(), []int{exitOK}, "decide", "exclude", a.yaml, "url:http://a.example"+path)
}

// packed is how the packing may end: a run may have captured nothing, or be under way.
var packed = []int{exitOK, exitFailed}

func (a *anyOrder) pack() { a.command(a.t.Context(), packed, "wacz", a.yaml) }

func (a *anyOrder) packAll() { a.command(a.t.Context(), packed, "wacz", "--all-runs", a.yaml) }

func (a *anyOrder) upload() {
	if _, err := a.folder().Last(); err == nil {
		a.command(a.t.Context(), []int{exitOK, exitFailed}, "upload", a.yaml)
	}
}

func (a *anyOrder) remove() {
	if _, err := a.folder().Last(); err != nil {
		return
	}
	a.command(a.t.Context(), []int{exitOK, exitFailed}, "upload", "--remove", a.yaml)
	objects := a.store.Objects()
	for path, text := range a.files {
		if _, err := os.Stat(path); err == nil || a.away[path] {
			continue
		}
		rel, err := filepath.Rel(filepath.Dir(string(a.folder())), path)
		if err != nil {
			a.t.Fatal(err)
		}
		o, found := objects[rel]
		if !found || !bytes.Equal(o.Bytes, text) && !a.harmed[path] {
			a.t.Errorf("%s was removed, and the store has %d bytes of %d", path, len(o.Bytes), len(text))
		}
		a.away[path] = true
	}
}

// one chooses a WARC file that is here.
func (a *anyOrder) one() string {
	var here []string
	for _, path := range slices.Sorted(maps.Keys(a.files)) {
		if !a.away[path] {
			here = append(here, path)
		}
	}
	if len(here) == 0 {
		return ""
	}
	return here[a.rng.IntN(len(here))]
}

// damage changes a byte of the last record of a page that has its text, and has the harvest go on: if the
// page is unchanged, nothing must refer to that record.
func (a *anyOrder) damage() {
	last := map[string]*archive.Entry{}
	for path, run := range a.each("indexes") {
		for e, err := range archive.EntriesIn(path) {
			if err != nil || e.MIME == archive.MIMERevisit || !strings.Contains(e.URL, "a.example/p") {
				continue
			}
			e := *e
			e.File = filepath.Join(string(a.folder()), run, "archive", e.File)
			if was := last[e.URL]; was == nil || was.Timestamp < e.Timestamp {
				last[e.URL] = &e
			}
		}
	}
	pages := slices.Sorted(maps.Keys(last))
	if len(pages) == 0 {
		return
	}
	e := last[pages[a.rng.IntN(len(pages))]]
	if a.files[e.File] == nil || a.away[e.File] {
		return
	}
	text := bytes.Clone(a.files[e.File])
	at := int(e.Offset) + a.rng.IntN(int(e.Length))
	text[at] ^= byte(1 + a.rng.IntN(255))
	a.put(e.File, text)
	a.harmed[e.File] = true
	a.done = append(a.done, fmt.Sprintf("damage %s at %d", filepath.Base(e.File), at))
	a.recrawl()
}

// The ways to spoil a file: half of it is changed, all or half of it is gone.
const (
	spoilTail = iota
	spoilAll
	spoilHalf
)

// spoil spoils a file of the harvest that is no archive, in one of the ways up to the last, and tells which.
func (a *anyOrder) spoil(pattern string, last int) (path string, was []byte) {
	list, err := filepath.Glob(filepath.Join(string(a.folder()), pattern))
	if err != nil || len(list) == 0 {
		return "", nil
	}
	path = list[a.rng.IntN(len(list))]
	if was, err = os.ReadFile(path); err != nil || len(was) == 0 {
		return "", nil
	}
	text := bytes.Clone(was)
	switch a.rng.IntN(last + 1) {
	case spoilTail:
		for i := range text[len(text)/2:] {
			text[len(text)/2+i] ^= 0x5a
		}
	case spoilAll:
		text = nil
	case spoilHalf:
		text = text[:len(text)/2]
	}
	a.put(path, text)
	a.done = append(a.done, fmt.Sprintf("%s has %d of %d bytes", filepath.Base(path), len(text), len(was)))
	return path, was
}

// spoilState has the harvest go on with a state of which a file is damaged.
func (a *anyOrder) spoilState() {
	pattern := "state/[^D]*" // but DISCARD, which Badger only counts in
	if a.rng.IntN(2) == 0 {
		pattern = "state/MANIFEST"
	}
	if path, _ := a.spoil(pattern, spoilHalf); path != "" {
		a.recrawl()
	}
}

// spoilSpool has a run go on that was interrupted, and lacks some of what it had spooled.
func (a *anyOrder) spoilSpool() {
	a.interrupt()
	if path, _ := a.spoil("run-*/spool/*.warc.gz", spoilHalf); path != "" {
		a.recrawl()
	}
}

// spoilCatalog has the harvest go on with a catalog of copies of which a file is damaged.
func (a *anyOrder) spoilCatalog() {
	if path, _ := a.spoil("catalog/[^L]*", spoilHalf); path != "" { // but its lock, which says nothing
		a.recrawl()
	}
}

// spoilDecisions: nothing is asked for while it cannot be read what was decided.
func (a *anyOrder) spoilDecisions() {
	path, was := a.spoil("decisions.yaml", spoilAll)
	if path == "" {
		return
	}
	asked := a.web.asked()
	_, said := a.command(a.t.Context(), []int{exitFailed}, "harvest", a.yaml)
	if n := a.web.asked() - asked; n > 0 || !strings.Contains(said, "decisions.yaml") {
		a.t.Errorf("%d requests without the decisions:\n%s", n, said)
	}
	a.put(path, was)
}

// repack packs a run again of whose archive a part is gone: the former package stays.
func (a *anyOrder) repack() {
	a.recrawl()
	before, _ := filepath.Glob(filepath.Join(string(a.folder()), "run-*", "*.wacz"))
	held := map[string]bool{}
	for _, path := range before {
		a.eachPacked(path, held)
	}
	a.takeAway()
	a.packAll()
	a.pack()
	after, _ := filepath.Glob(filepath.Join(string(a.folder()), "run-*", "*.wacz"))
	now := map[string]bool{}
	for _, path := range after {
		a.eachPacked(path, now)
	}
	for file := range held {
		if !now[file] {
			a.t.Errorf("%s was in a package, and is in none", file)
		}
	}
}

// eachPacked notes the WARC files that a package has, with their lengths.
func (a *anyOrder) eachPacked(path string, into map[string]bool) {
	z, err := zip.OpenReader(path)
	if err != nil {
		a.t.Errorf("%s: %v", path, err)
		return
	}
	for _, f := range z.File {
		if strings.HasPrefix(f.Name, "archive/") {
			into[fmt.Sprint(f.Name, f.UncompressedSize64)] = true
		}
	}
	if err := z.Close(); err != nil {
		a.t.Error(err)
	}
}

func (a *anyOrder) put(path string, text []byte) {
	if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, text, 0o644)); err != nil {
		a.t.Fatal(err)
	}
}

// heal brings all files back as they were delivered.
func (a *anyOrder) heal() {
	for path, text := range a.files {
		if a.harmed[path] || a.away[path] {
			a.put(path, text)
		}
	}
	clear(a.harmed)
	clear(a.away)
	a.done = append(a.done, "heal")
}

func (a *anyOrder) takeAway() {
	if path := a.one(); path != "" {
		if err := os.Remove(path); err != nil {
			a.t.Fatal(err)
		}
		a.away[path] = true
		delete(a.harmed, path)
		a.done = append(a.done, "take "+filepath.Base(path))
	}
}

func (a *anyOrder) loseState() {
	if err := os.RemoveAll(a.folder().State()); err != nil {
		a.t.Fatal(err)
	}
	a.done = append(a.done, "lose the state")
}

func (a *anyOrder) ageState() {
	if len(a.states) == 0 {
		return
	}
	n := a.rng.IntN(len(a.states))
	err := errors.Join(os.RemoveAll(a.folder().State()),
		os.CopyFS(a.folder().State(), os.DirFS(a.states[n])))
	if err != nil {
		a.t.Fatal(err)
	}
	a.done = append(a.done, fmt.Sprintf("state %d of %d", n, len(a.states)))
}

// whole looks for each page as it is now among all captures that are here or at the store.
func (a *anyOrder) whole(said string) {
	var all bytes.Buffer
	for path := range a.each("archive") {
		a.read(path, &all)
	}
	stored := filepath.Join(a.dir, "stored.warc.gz")
	for name, o := range a.store.Objects() {
		if strings.HasSuffix(name, ".warc.gz") {
			a.put(stored, o.Bytes)
			a.read(stored, &all)
		}
	}
	for i, now := range a.web.versions {
		path, has := fmt.Sprintf("/p%d", i), a.excluded[fmt.Sprintf("/p%d", i)]
		for version := a.web.begun[i]; version <= now; version++ {
			has = has || bytes.Contains(all.Bytes(), []byte(pageOf(i, version)))
		}
		if !has {
			a.t.Errorf("exit code 0, and no sound capture of %s, version %d to %d\n%s", path,
				a.web.begun[i], now, said)
		}
	}
	a.web.begun = slices.Clone(a.web.versions)
}

// read adds what can be read of the answers in a WARC file.
func (a *anyOrder) read(path string, all *bytes.Buffer) {
	f, err := archive.OpenFile(path)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }() // it was only read
	for {
		rec, err := f.Next()
		var format *archive.FormatError
		if errors.As(err, &format) && (!f.Broken() || f.Recover()) {
			continue
		}
		if err != nil {
			return
		}
		text, err := io.ReadAll(rec.Block)
		if err == nil && rec.Type() == archive.TypeResponse {
			fmt.Fprintf(all, "%s\n%s\n", rec.TargetURI(), text)
		}
	}
}

// each gives the files of a kind of all runs, with their runs.
func (a *anyOrder) each(kind string) map[string]string {
	list := map[string]string{}
	paths, err := filepath.Glob(filepath.Join(string(a.folder()), "run-*", kind, "*"))
	if err != nil {
		a.t.Fatal(err)
	}
	for _, path := range paths {
		list[path] = filepath.Base(filepath.Dir(filepath.Dir(path)))
	}
	return list
}

// judge looks at what there is.
func (a *anyOrder) judge() {
	a.judgeFiles()
	a.judgeIndexes()
	packages, err := filepath.Glob(filepath.Join(string(a.folder()), "*", "*.wacz"))
	more, err2 := filepath.Glob(filepath.Join(string(a.folder()), "*.wacz"))
	if err := errors.Join(err, err2); err != nil {
		a.t.Fatal(err)
	}
	for _, path := range append(packages, more...) {
		info, err := os.Stat(path)
		if err != nil {
			a.t.Fatal(err)
		}
		if made := info.ModTime().String(); made != a.packed[path] {
			a.packed[path] = made
			if len(a.harmed)+len(a.away) == 0 {
				a.sound(path)
			}
		}
	}
}

func (a *anyOrder) judgeFiles() {
	for path, was := range a.files {
		text, err := os.ReadFile(path)
		switch {
		case a.away[path] && err != nil:
		case err != nil:
			a.t.Errorf("%s: %v", path, err)
		case a.away[path]:
			a.t.Errorf("%s is here again", path)
		case a.harmed[path]:
		case !bytes.HasPrefix(text, was):
			a.t.Errorf("%s was delivered and has changed", path)
		}
	}
	for path := range a.each("archive") {
		if !strings.HasSuffix(path, ".warc.gz") {
			a.t.Errorf("a stray file: %s", path)
		} else if !a.harmed[path] && !a.away[path] {
			text, err := os.ReadFile(path)
			if err != nil {
				a.t.Fatal(err)
			}
			if a.files[path] == nil || len(text) != len(a.files[path]) {
				a.sound(path)
			}
			a.files[path] = text
		}
	}
}

func (a *anyOrder) sound(path string) {
	var out bytes.Buffer
	if code := run(a.t.Context(), []string{"warc", "check", path}, &out, &out); code != exitOK {
		a.t.Errorf("warc check %s: exit code %d\n%s", path, code, &out)
	}
}

func (a *anyOrder) judgeIndexes() {
	now := map[string]bool{}
	for path, run := range a.each("indexes") {
		dir := filepath.Join(string(a.folder()), run, "archive")
		for e, err := range archive.EntriesIn(path) {
			if err != nil {
				a.t.Errorf("%s: %v", path, err)
				continue
			}
			line := string(e.Append([]byte(run + " ")))
			now[line] = true
			if file := filepath.Join(dir, e.File); a.harmed[file] || a.away[file] {
				continue
			}
			rec, err := archive.Open(dir, e.Location())
			if err != nil {
				a.t.Errorf("%s: %s: %v", path, line, err)
				continue
			}
			if got := rec.TargetURI(); got != e.URL {
				a.t.Errorf("%s: %s: it is %s", path, line, got)
			}
			_, err = io.Copy(io.Discard, rec.Block)
			if err := errors.Join(err, rec.Close()); err != nil {
				a.t.Errorf("%s: %s: %v", path, line, err)
			}
		}
	}
	for line := range a.lines {
		if !now[line] {
			a.t.Errorf("a line that was delivered is in no index: %s", line)
		}
	}
	maps.Copy(a.lines, now)
}
