package harvest

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"watershed/archive"
	"watershed/internal/disk"
	"watershed/internal/extsort"
	"watershed/lab/kit/crashdisk"
	"watershed/page"
	"watershed/replica/catalog"
	"watershed/store"
)

// judgeRecord compares the folder of the scenario with its record: what was changed past the disk
// is missing in each disk that is built.
func (d *drill) judgeRecord(t *testing.T) {
	t.Helper()
	built := crashdisk.Folder(t)
	check(t, d.disk.Build(crashdisk.Crash{At: d.disk.Len()}, built))
	is, told := contents(t, string(d.folder)), contents(t, built)
	for path, text := range is {
		if told[path] != text {
			t.Errorf("%s was changed past the disk", path)
		}
	}
	for path := range told {
		if _, there := is[path]; !there {
			t.Errorf("%s was taken away past the disk", path)
		}
	}
}

// contents are the files of a harvest but for its state and the catalog, which can be made again.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	check(t, filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (path == Folder(folder).State() || path == Folder(folder).Catalog()):
			return filepath.SkipDir
		case !e.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, folder)] = string(text)
		return err
	}))
	return files
}

// judgeFolder judges a harvest that went on after a crash.
func judgeFolder(t *testing.T, folder Folder, want map[string]bool) {
	t.Helper()
	got := capturedBy(t, folder)
	for x := range want {
		if !got[x] {
			t.Errorf("lost: %s", x)
		}
	}
	judgeArchives(t, folder)
	judgeRevisits(t, folder)
	judgeClaims(t, folder)
	judgeStrays(t, folder)
	c, err := catalog.Open(folder.Catalog(), catalog.Options{})
	if err == nil {
		err = c.Close()
	}
	if err != nil {
		t.Errorf("open the catalog: %v", err)
	}
}

// judgeEdits complains of decisions and tables that cannot be read, or are neither as before the
// stage that edits them nor as after it.
func (d *drill) judgeEdits(t *testing.T, folder Folder, n int) {
	t.Helper()
	_, decisions := ReadDecisions(folder.Decisions())
	_, table := ReadTable(folder.Replicas())
	if err := errors.Join(decisions, table); err != nil {
		t.Errorf("after the crash: %v", err)
	}
	text := edited(folder, d.stages[n].name)
	if both := d.edited[n]; text != both[0] && text != both[1] {
		t.Errorf("what was edited is neither as before nor as after:\n%s", text)
	}
}

// judgePieces complains of files that are no longer as they were delivered, or longer.
func (d *drill) judgePieces(t *testing.T, folder Folder, c crashdisk.Crash, when string) {
	t.Helper()
	for _, p := range d.pieces {
		if p.since > c.At {
			continue
		}
		text, err := os.ReadFile(filepath.Join(string(folder), p.path))
		if err == nil && !bytes.Equal(text, p.text) {
			err = errors.New("changed")
			if !p.final {
				err = p.continued(text)
			}
		}
		if !p.final && filepath.Base(filepath.Dir(p.path)) == "outside" {
			err = p.promoted(folder)
		}
		if err != nil {
			t.Errorf("%s: delivered at operation %d, %s: %v", when, p.since, p.path, err)
		}
	}
}

// continued reports, by a nil error, that all of a file is in the one that replaced it.
func (p *piece) continued(now []byte) error {
	switch {
	case strings.HasSuffix(p.path, ".cdxj"):
		return entriesIn(p.text, now)
	case strings.HasSuffix(p.path, ".wacz"):
		return membersIn(p.text, now)
	case bytes.HasPrefix(now, p.text):
		return nil
	}
	return fmt.Errorf("its %d bytes do not begin the %d that replaced them", len(p.text), len(now))
}

// promoted looks for each record of a file of captures that were left outside: it is there still, or
// in the archive by now.
func (p *piece) promoted(folder Folder) error {
	run, name := filepath.Dir(filepath.Dir(p.path)), filepath.Base(p.path)
	ids, err := recordsOf(p.text)
	for _, path := range []string{"outside/" + name, "archive/" + strings.TrimPrefix(name, "outside-")} {
		text, _ := os.ReadFile(filepath.Join(string(folder), run, path)) // one of them may be gone
		here, failed := recordsOf(text)
		err = errors.Join(err, failed)
		maps.DeleteFunc(ids, func(id string, _ bool) bool { return here[id] })
	}
	if len(ids) > 0 {
		err = errors.Join(err, fmt.Errorf("lost: %v", ids))
	}
	return err
}

var recordID = regexp.MustCompile("(?m)^WARC-(Record|Warcinfo)-ID: (.*)\r$")

// recordsOf are the ids of the records of a WARC file, but for its warcinfo.
func recordsOf(text []byte) (map[string]bool, error) {
	ids := map[string]bool{}
	if len(text) == 0 {
		return ids, nil
	}
	in, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(in)
	for _, m := range recordID.FindAllSubmatch(plain, -1) {
		ids[string(m[2])] = true
	}
	for _, m := range recordID.FindAllSubmatch(plain, -1) {
		if string(m[1]) == "Warcinfo" {
			delete(ids, string(m[2]))
		}
	}
	return ids, err
}

// entriesIn looks for each entry of an index in another.
func entriesIn(old, now []byte) error {
	a, err := entriesOf(bytes.NewReader(old))
	b, wrong := entriesOf(bytes.NewReader(now))
	err = errors.Join(err, wrong)
	for _, x := range a {
		same := func(y *archive.Entry) bool { return x.URL == y.URL && x.Location() == y.Location() }
		if !slices.ContainsFunc(b, same) {
			err = errors.Join(err, fmt.Errorf("the entry of %s at %v is lost", x.URL, x.Location()))
		}
	}
	return err
}

// entriesOf reads an index.
func entriesOf(r io.Reader) (list []*archive.Entry, err error) {
	entries := archive.NewEntries(r)
	for {
		e, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		list = append(list, e)
	}
}

// membersIn compares the WARC files of a package with those of another.
func membersIn(old, now []byte) error {
	a, err := zip.NewReader(bytes.NewReader(old), int64(len(old)))
	b, wrong := zip.NewReader(bytes.NewReader(now), int64(len(now)))
	if err = errors.Join(err, wrong); err != nil {
		return err
	}
	for _, x := range a.File {
		if strings.HasSuffix(x.Name, ".warc.gz") {
			was, failed := fs.ReadFile(a, x.Name)
			is, gone := fs.ReadFile(b, x.Name)
			if err = errors.Join(err, failed, gone); err == nil && !bytes.HasPrefix(is, was) {
				err = fmt.Errorf("%s has lost what it had", x.Name)
			}
		}
	}
	return err
}

// judgeArchives checks all delivered files of a folder; no record id may be in it twice.
func judgeArchives(t *testing.T, folder Folder) {
	t.Helper()
	spill, err := extsort.OpenDir(t.TempDir())
	check(t, err)
	defer func() { check(t, spill.Close()) }()
	checker := archive.Checker{Spill: spill}
	files, err := filepath.Glob(filepath.Join(string(folder), "run-*", "*", "*.warc.gz"))
	check(t, err)
	for _, path := range files {
		rep, err := checker.Check(t.Context(), &archive.Source{Path: path})
		if err != nil || !rep.OK() {
			t.Errorf("%s: %v %v", path, rep.Problems, err)
		}
	}
	check(t, checker.Finish(t.Context(), func(rep archive.Report) {
		if !rep.OK() {
			t.Errorf("%s: %v", rep.File, rep.Problems)
		}
	}))
	packages, err := filepath.Glob(filepath.Join(string(folder), "run-*", "*.wacz"))
	check(t, err)
	for _, path := range packages {
		z, err := archive.OpenWACZ(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if err := errors.Join(append(z.Verify(), z.Close())...); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// judgeStrays complains of files that a crash left unfinished and nobody took away.
func judgeStrays(t *testing.T, folder Folder) {
	t.Helper()
	check(t, filepath.WalkDir(string(folder), func(path string, e fs.DirEntry, err error) error {
		name := e.Name()
		for _, end := range []string{disk.Suffix, ".open", "spool", "spool.spent"} {
			if strings.HasSuffix(name, end) {
				t.Errorf("%s was left", path)
			}
		}
		return err
	}))
}

// judgeRevisits complains of revisits of a payload that no run has captured in full. A revisit
// without a digest says that the page has not changed since an entry of the same URL.
func judgeRevisits(t *testing.T, folder Folder) {
	t.Helper()
	had, wanted := map[string]bool{}, map[string]bool{}
	for _, e := range indexOf(t, folder) {
		switch {
		case e.MIME != archive.MIMERevisit:
			had[e.URL], had[e.Digest] = true, true
		case e.Digest != "":
			had[e.URL], wanted[e.Digest] = true, true
		default:
			wanted[e.URL] = true
		}
	}
	for x := range wanted {
		if !had[x] {
			t.Errorf("there are only revisits of %s", x)
		}
	}
}

// judgeClaims looks for the captures that the state refers to.
func judgeClaims(t *testing.T, folder Folder) {
	t.Helper()
	st, err := store.Open(store.Options{Dir: folder.State(), ReadOnly: true, SkipCheck: true})
	check(t, err)
	defer func() { check(t, st.Close()) }()
	intact := map[string]map[page.Location]bool{} // captures of a file that are whole
	check(t, st.View(func(tx *store.Tx) error {
		for _, e := range indexOf(t, folder) {
			c, found, err := tx.Capture(page.URL(e.URL))
			if err != nil || !found || c.Record.IsZero() {
				return err
			}
			// a revisit's is that of an earlier run
			files, err := filepath.Glob(filepath.Join(string(folder), "run-*", "archive", c.Record.File))
			if err != nil || len(files) != 1 {
				t.Errorf("the state has %s in %v, %v", e.URL, c.Record, err)
				return nil
			}
			if intact[files[0]] == nil {
				places := map[page.Location]bool{}
				check(t, archive.Intact(files[0], func(loc page.Location) { places[loc] = true }))
				intact[files[0]] = places
			}
			if !intact[files[0]][c.Record] {
				t.Errorf("the state has %s in run %d, which is not whole: %v", e.URL, c.Run, c.Record)
			}
		}
		return nil
	}))
}

// capturedBy tells what the indexes of all runs hold of the web: addresses, and addresses with
// digests. A server that said that a page had not changed has sent none.
func capturedBy(t *testing.T, folder Folder) map[string]bool {
	t.Helper()
	told := map[string]bool{}
	for _, e := range indexOf(t, folder) {
		told[e.URL] = true
		if e.Digest != "" {
			told[e.URL+" "+e.Digest] = true
		}
	}
	return told
}

// indexOf are the entries of the web in the indexes of all runs.
func indexOf(t *testing.T, folder Folder) (list []*archive.Entry) {
	t.Helper()
	runs, err := folder.Runs()
	check(t, err)
	for _, r := range runs {
		text, err := os.ReadFile(r.Index())
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		check(t, err)
		entries, err := entriesOf(bytes.NewReader(text))
		check(t, err)
		for _, e := range entries {
			if strings.HasPrefix(e.URL, "http") {
				list = append(list, e)
			}
		}
	}
	return list
}
