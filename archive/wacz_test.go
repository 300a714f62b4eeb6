package archive

import (
	"archive/zip"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"watershed/page"
)

// goldenPackage packs testdata/good.warc.gz with its index.
func goldenPackage(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "good.wacz")
	p := Package{
		Title: "Good", Created: start, WARCs: []string{"testdata/good.warc.gz"},
		Index: "testdata/good.cdxj",
	}
	if err := WriteWACZ(nil, path, p); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestWriteWACZAgain: a package that would differ in its dates alone stays, byte for byte. A package that
// is damaged, or is to be signed otherwise, is written anew.
func TestWriteWACZAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "good.wacz")
	p := Package{
		Title: "Good", Created: start, WARCs: []string{"testdata/good.warc.gz"}, Index: "testdata/good.cdxj",
	}
	write := func() []byte {
		t.Helper()
		p.Created = p.Created.Add(time.Hour)
		if err := WriteWACZ(nil, path, p); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if left, _ := filepath.Glob(path + "*"); err != nil || len(left) != 1 {
			t.Fatal(left, err)
		}
		return b
	}
	last := write()
	for _, c := range []struct {
		name   string
		change func()
		stays  bool
	}{
		{"nothing", func() {}, true},
		{"another title", func() { p.Title = "Better" }, false},
		{"a byte of a page", func() { _ = os.WriteFile(path, damagedAt(last, len(last)/3), 0o644) }, false},
		{"half is gone", func() { _ = os.Truncate(path, int64(len(last)/2)) }, false},
		{"a key", func() { p.Key, _ = ecdsa.GenerateKey(elliptic.P384(), rand.Reader) }, false},
		{"nothing since it is signed", func() {}, true},
		{"another key", func() { p.Key, _ = ecdsa.GenerateKey(elliptic.P384(), rand.Reader) }, false},
		{"no key", func() { p.Key = nil }, false},
	} {
		c.change()
		again := write()
		if bytes.Equal(again, last) != c.stays {
			t.Errorf("%s: stays %v", c.name, !c.stays)
		}
		last = again
	}
}

// damagedAt gives bytes of which one is another.
func damagedAt(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 1
	return b
}

// repacked copies a package with its files changed by edit, and compressed as method says; no bytes
// leave a file out.
func repacked(t *testing.T, path string, method uint16, edit func(name string, b []byte) []byte) string {
	t.Helper()
	old, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range old.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if b = edit(f.Name, b); b == nil {
			continue
		}
		z, err := w.CreateHeader(&zip.FileHeader{Name: f.Name, Method: method})
		if err == nil {
			_, err = z.Write(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "again.wacz")
	if err := os.WriteFile(name, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func openWACZ(t *testing.T, path string) *WACZ {
	t.Helper()
	z, err := OpenWACZ(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := z.Close(); err != nil {
			t.Error(err)
		}
	})
	return z
}

func TestWACZLayout(t *testing.T) {
	path := goldenPackage(t)
	z := openWACZ(t, path)
	want := []string{
		"archive/good.warc.gz", "indexes/index.cdx.gz", "indexes/index.idx", "pages/pages.jsonl",
		"datapackage.json", "datapackage-digest.json",
	}
	if got := z.Files(); !slices.Equal(got, want) {
		t.Errorf("files %v", got)
	}
	for _, f := range z.zip.File {
		if stored := strings.HasSuffix(f.Name, ".gz"); stored != (f.Method == zip.Store) {
			t.Errorf("%s has method %d", f.Name, f.Method)
		}
	}
	if bad := z.Verify(); bad != nil {
		t.Error(bad)
	}
	if _, err := z.File("nothing"); !os.IsNotExist(err) && err == nil {
		t.Error("a file that is not there was opened")
	}
}

// A package whose archive is deflated, though it must not be, is read all the same.
func TestWACZDeflated(t *testing.T) {
	same := func(_ string, b []byte) []byte { return b }
	path := repacked(t, goldenPackage(t), zip.Deflate, same)
	var want, got []string
	for e, err := range openWACZ(t, path).Entries() {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, fmt.Sprint(e.Offset, e.URL))
	}
	g := Gather([]string{path}, func(path string, err error) { t.Error(path, err) })
	for i := range g.Sources {
		if err := g.Sources[i].Entries(func(e Entry) error {
			got = append(got, fmt.Sprint(e.Offset, e.URL))
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if err := g.Close(); err != nil || len(got) == 0 || !slices.Equal(want, got) {
		t.Errorf("read %v, want %v; %v", got, want, err)
	}
}

func TestWACZVerifyFindsFaults(t *testing.T) {
	for _, tt := range []struct {
		name, fault string
		edit        func(name string, b []byte) []byte
	}{
		{"a byte turned", "another SHA-256", func(name string, b []byte) []byte {
			if strings.HasPrefix(name, "archive/") {
				b[30] ^= 1
			}
			return b
		}},
		{"a byte more", "bytes, not", func(name string, b []byte) []byte {
			if strings.HasPrefix(name, "pages/") {
				b = append(b, '\n')
			}
			return b
		}},
		{"a file gone", "index.idx", func(name string, b []byte) []byte {
			if strings.HasSuffix(name, ".idx") {
				return nil
			}
			return b
		}},
		{"a hash of a kind that is not known", "none that is known", func(name string, b []byte) []byte {
			if name == "datapackage.json" {
				b = bytes.ReplaceAll(b, []byte(`"sha256:`), []byte(`"blake3:`))
			}
			return b
		}},
		{"a hash that is cut", "none that is known", func(name string, b []byte) []byte {
			if name == "datapackage-digest.json" {
				b = bytes.ReplaceAll(b, []byte(`"sha256:`), []byte(`"sha256:" ,"x": "`))
			}
			return b
		}},
		{"a wrong MD5", "another MD5", func(name string, b []byte) []byte {
			if name == "datapackage.json" {
				b = regexp.MustCompile(`"sha256:[0-9a-f]{32}`).ReplaceAll(b, []byte(`"md5:`))
			}
			return b
		}},
		{"the list changed", "datapackage.json has another", func(name string, b []byte) []byte {
			if name == "datapackage.json" {
				b = append(b, ' ')
			}
			return b
		}},
	} {
		z := openWACZ(t, repacked(t, goldenPackage(t), zip.Store, tt.edit))
		bad := fmt.Sprint(z.Verify())
		if !strings.Contains(bad, tt.fault) {
			t.Errorf("%s: found %s", tt.name, bad)
		}
	}
}

func TestWACZDamaged(t *testing.T) {
	path := goldenPackage(t)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	short := filepath.Join(t.TempDir(), "short.wacz")
	if err := os.WriteFile(short, data[:len(data)-30], 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenWACZ(short); err == nil {
		t.Error("a cut ZIP was opened")
	}
	for name, edit := range map[string]func(name string, b []byte) []byte{
		"no datapackage.json": func(name string, b []byte) []byte {
			if name == "datapackage.json" {
				return nil
			}
			return b
		},
		"datapackage.json is no JSON": func(name string, b []byte) []byte {
			if name == "datapackage.json" {
				return b[1:]
			}
			return b
		},
	} {
		if _, err := OpenWACZ(repacked(t, path, zip.Store, edit)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := WriteWACZ(nil, filepath.Join(t.TempDir(), "x.wacz"),
		Package{
			WARCs: []string{"testdata/good.warc.gz", "testdata/good.warc.gz"},
			Index: "testdata/good.cdxj",
		}); err == nil {
		t.Error("two files of one name were packed")
	}
}

// Names of resources: lower case, only what Data Package allows, unique.
// TestMergeWACZDamaged merges packages of which one has a line in its index that is none.
func TestMergeWACZDamaged(t *testing.T) {
	whole := goldenPackage(t)
	bad := repacked(t, whole, zip.Store, func(name string, b []byte) []byte {
		if name != "indexes/index.cdx.gz" {
			return b
		}
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		if _, err := z.Write([]byte("no line of an index\n")); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	})
	path := filepath.Join(t.TempDir(), "all.wacz")
	err := MergeWACZ(nil, path, Package{Created: start}, []string{whole, bad})
	if err == nil || !strings.Contains(err.Error(), bad) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("there is a package: %v", err)
	}
}

func TestWACZNames(t *testing.T) {
	w := waczWriter{names: make(map[string]bool)}
	for i, want := range []string{"a-b-1.warc.gz", "a-b-1.warc.gz-2", "a-b-1.warc.gz-3", "index.idx"} {
		path := []string{
			"archive/A~b~1.warc.gz", "archive/a-b-1.warc.gz", "logs/a~B~1.warc.gz",
			"indexes/index.idx",
		}[i]
		if got := w.name(path); got != want {
			t.Errorf("%s is called %s, want %s", path, got, want)
		}
	}
}

// Of an index of many blocks each line of the list leads to the block that begins with its key.
func TestZipNum(t *testing.T) {
	var index bytes.Buffer
	for i := range 500 {
		u := page.URL(fmt.Sprintf("http://example.org/%03d", i/3)) // three captures a URL
		e := Entry{
			Key: u.SURT(), Timestamp: fmt.Sprintf("2026030405%04d", i), URL: string(u),
			File: "f.warc.gz", Offset: int64(i), Length: 1,
		}
		index.Write(e.Append(nil))
	}
	var data, idx bytes.Buffer
	if err := writeZipNum(bytes.NewReader(index.Bytes()), &data, &idx, "index.cdx.gz", 7); err != nil {
		t.Fatal(err)
	}
	all, err := gzip.NewReader(bytes.NewReader(data.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if back, err := io.ReadAll(all); err != nil || !bytes.Equal(back, index.Bytes()) {
		t.Errorf("the blocks together are not the index: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(idx.String()), "\n")
	if got, want := len(lines), 1+(500+6)/7; got != want {
		t.Errorf("%d lines of idx, want %d", got, want)
	}
	for _, line := range lines[1:] {
		key, object, _ := strings.Cut(line, " {")
		var at struct {
			Offset, Length int
			Digest         string
		}
		if err := json.Unmarshal([]byte("{"+object), &at); err != nil {
			t.Fatal(err)
		}
		block := data.Bytes()[at.Offset : at.Offset+at.Length]
		z, err := gzip.NewReader(bytes.NewReader(block))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		digest := page.SumDigest(block).String()
		if err != nil || !strings.HasPrefix(string(text), key+" ") || at.Digest != digest {
			t.Errorf("%s leads to %.80q of %s, %v", line, text, digest, err)
		}
	}
	z := openWACZ(t, repacked(t, goldenPackage(t), zip.Store, func(name string, b []byte) []byte {
		switch name {
		case "indexes/index.cdx.gz":
			return data.Bytes()
		case "indexes/index.idx":
			return idx.Bytes()
		}
		return b
	}))
	n := 0
	for _, err := range z.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 500 {
		t.Errorf("%d entries", n)
	}
}

// FuzzWACZ packs what others may have put into a package, stored or compressed, and reads what its
// index leads to: an error is right, a panic is not.
func FuzzWACZ(f *testing.F) {
	member := gzipped(shortRecord)
	f.Add([]byte(member), int64(0), int64(len(member)), false)
	f.Add([]byte(member[:len(member)-9]), int64(0), int64(len(member)), true)
	f.Add([]byte(shortRecord[:90]), int64(3), int64(1<<40), true)
	path := filepath.Join(f.TempDir(), "a.wacz")
	f.Fuzz(func(t *testing.T, file []byte, offset, length int64, deflated bool) {
		const entry = `a)/ 20260101000000 {"url":"http://a/","filename":"a","offset":"%d","length":"%d"}`
		readPackage(t, path, zipped(t, deflated, "datapackage.json", "{}",
			"indexes/index.cdxj", fmt.Sprintf(entry, offset, length), "archive/a", string(file)))
	})
}

// zipped is a ZIP of files, each a name and a text.
func zipped(t testing.TB, deflated bool, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for file := range slices.Chunk(files, 2) {
		header := &zip.FileHeader{Name: file[0]}
		if deflated {
			header.Method = zip.Deflate
		}
		z, err := w.CreateHeader(header)
		if err == nil {
			_, err = io.WriteString(z, file[1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// FuzzZIP reads what may be no package at all.
func FuzzZIP(f *testing.F) {
	f.Add(zipped(f, false, "datapackage.json", "{}"))
	path := filepath.Join(f.TempDir(), "a.wacz")
	f.Fuzz(func(t *testing.T, text []byte) { readPackage(t, path, text) })
}

// readPackage reads all that a package has, and what its index leads to.
func readPackage(t *testing.T, path string, text []byte) {
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	w, err := OpenWACZ(path)
	if err != nil {
		return
	}
	defer func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	for e, err := range w.Entries() {
		if err != nil {
			break
		}
		if rec, err := w.Open(e); err == nil {
			_, _ = io.Copy(io.Discard, rec.Block) // an error is right
			_ = rec.Close()                       // as above
		}
	}
	for range w.Pages() {
	}
	_ = w.Verify() // as above
}

// TestIndexLeadsNowhere: places that lie in no file are errors.
func TestIndexLeadsNowhere(t *testing.T) {
	for _, x := range [][2]int64{{-73, -22}, {-1, 10}, {0, -1}, {math.MaxInt64, 1}, {1, math.MaxInt64}} {
		loc := page.Location{File: "a", Offset: x[0], Length: x[1]}
		if _, err := OpenAt(strings.NewReader("WARC/1.1"), loc); err == nil {
			t.Errorf("%v is read", x)
		}
	}
}

// An index of a stranger leads to a bounded number of files, and the error says so.
func TestIndexFilesAreBounded(t *testing.T) {
	dir := t.TempDir()
	idx := filepath.Join(dir, "many.idx")
	var names strings.Builder
	for i := range maxBlockFiles + 1 {
		fmt.Fprintf(&names, "org,example)/ 20260304050607\tpart-%d\t0\t275\t1\n", i)
	}
	for _, c := range []struct {
		name, idx, want string
	}{
		{"many files", names.String(), "more than 16384 files"},
		{"a file that leads nowhere", "org,example)/ 2026\tpart\t0\t275\t1\n", "leads to part"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile(idx, []byte(c.idx), 0o666); err != nil {
				t.Fatal(err)
			}
			if _, err := IndexFiles(idx); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one that says %q", err, c.want)
			}
		})
	}
}

// TestSalvage: a package without its directory, or with half of its last file, gives the records that
// are whole, and the damage is told; sizes may stand before the data of a file or behind.
func TestSalvage(t *testing.T) {
	records := strings.Repeat(smallRecord, 20)
	behind := zipOf(t, "archive/a.warc", records, "datapackage.json", "{}", "archive/b.warc", records)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"archive/a.warc", "archive/b.warc"} {
		w, err := z.CreateRaw(&zip.FileHeader{
			Name: name, CRC32: crc32.ChecksumIEEE([]byte(records)),
			CompressedSize64: uint64(len(records)), UncompressedSize64: uint64(len(records)),
		})
		if err == nil {
			_, err = io.WriteString(w, records)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	before := b.Bytes()
	for name, tt := range map[string]struct {
		file []byte
		want int // records
	}{
		"30 bytes off, sizes behind": {behind[:len(behind)-30], 40},
		"30 bytes off, sizes before": {before[:len(before)-30], 40},
		"in the last file, behind":   {behind[:bytes.LastIndex(behind, []byte(smallRecord))+40], 39},
		"in the last file, before":   {before[:bytes.LastIndex(before, []byte(smallRecord))+40], 39},
		"in the last head":           {before[:bytes.LastIndex(before, []byte("PK\x03\x04"))+9], 20},
		"in the first head":          {before[:20], 0},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.wacz")
			if err := os.WriteFile(path, tt.file, 0o666); err != nil {
				t.Fatal(err)
			}
			damage, n := 0, 0
			g := Gather([]string{path}, func(string, error) { damage++ })
			for i := range g.Sources {
				r, err := g.Sources[i].Open()
				if err != nil {
					t.Fatal(err)
				}
				for {
					if _, err = r.Next(); err != nil {
						break
					}
					if _, err = r.Location(); err == nil {
						n++
					}
				}
				if err := r.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if err := g.Close(); err != nil || n != tt.want || damage != 1 {
				t.Errorf("%d records, %d damages, %v; want %d", n, damage, err, tt.want)
			}
		})
	}
}
