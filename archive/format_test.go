package archive

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"watershed/lab/kit/bomb"
)

// arcText is an ARC file of two records, the second of which is no HTTP message. Its URL has a
// space in it, as crawlers of the time wrote it.
var arcText = "filedesc://a.arc 0.0.0.0 20080430204825 text/plain 62\n1 0 X\n" +
	"URL IP-address Archive-date Content-type Archive-length\n\n" +
	arcRecord("http://a.example/x y", "text/html",
		"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\nhello") +
	arcRecord("dns:a.example", "text/dns", "20080430204825\na.example. IN A 10.0.0.1\n")

func arcRecord(url, mime, block string) string {
	return fmt.Sprintf("%s 10.0.0.1 20080430204826 %s %d\n%s\n", url, mime, len(block), block)
}

// zstdFrames packs texts as frames of Zstandard with a dictionary, raw or packed, before them.
func zstdFrames(tb testing.TB, packDictionary bool, texts ...string) []byte {
	tb.Helper()
	var samples [][]byte
	for i := range 50 {
		samples = append(samples, []byte(fmt.Sprintf("%s sample %d of %d", smallRecord, i, i*i)))
	}
	dictionary, err := zstd.BuildDict(zstd.BuildDictOptions{
		ID: 7, Contents: samples, History: []byte(strings.Repeat(smallRecord, 8)), Offsets: [3]int{1, 4, 8},
	})
	if err != nil {
		tb.Fatal(err)
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderDict(dictionary))
	if err != nil {
		tb.Fatal(err)
	}
	if packDictionary {
		plain, err := zstd.NewWriter(nil)
		if err != nil {
			tb.Fatal(err)
		}
		dictionary = plain.EncodeAll(dictionary, nil)
	}
	file := append([]byte{0x5D, 0x2A, 0x4D, 0x18}, byte(len(dictionary)), byte(len(dictionary)>>8), 0, 0)
	file = append(file, dictionary...)
	for _, text := range texts {
		file = w.EncodeAll([]byte(text), file)
	}
	return file
}

func zstdPacked(tb testing.TB, text string) []byte {
	tb.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return w.EncodeAll([]byte(text), nil)
}

// bzipped is "WARC/1.0\r\n", packed by bzip2 1.0.8, in hexadecimal.
const bzipped = "425a6839314159265359ff5d530f000004de0000120001e00028001080" +
	"20002201a1ea100308b5ab003c5dc914e14243fd754c3c"

// Streams of bzip2 1.0.8, in base64: two records, and both of them in three parts, cut within the
// header of the first and before the last five bytes of its block and end.
const (
	bzipOne = "QlpoOTFBWSZTWY3PDlUAACLfgAASQAOwFSwkFoA+x95gIAB0Ip6RptIwgaGjRk0aCVT1DTI0NAGgABAL" +
		"2Nlekg0H91QIp6lqcOSnS25fPEnuoZhYyHEyAIGADgDBKGc2j3LFcX2y2M6xxKOoJvZ6mn1EKvruWItT0VIo1/F3JF" +
		"OFCQjc8OVQ"
	bzipTwo = "QlpoOTFBWSZTWeRzzuIAACLfgAASQAOwFSwkFoA+x95gIAB0Ip6RptIwgaGjRk0aDVP1QwjTTQB6gAAg" +
		"C9rik6w4BO6oipFSshA0nS25fPDPdQMwLGx4jIAgYAOAMEoZzaPcsVxfbLYzrHEo6gm9nqafUQq+u5Yi1PRUijX8Xc" +
		"kU4UJDkc87iA=="
	bzipPartOne = "QlpoOTFBWSZTWal2dtwAABHfgAASQAOgECggFoAqwN5gIABA0ghpk9R6IepptCjQ0AAADhXaQmLwrGNK" +
		"OOS2JAEK1SQHPHd/eHqj1/Vmifg0w0Oci7kinChIVLs7bgA="
	bzipPartTwo = "QlpoOTFBWSZTWRsVwmIAABRfgAASQAKwFSwkEIAux9ZAIABUUCYmTATAAGqep6hkNqBp6Q009IQGGLrn" +
		"iPyLDPraZ1lJFiFIxBvXd7oTTc8NzRjrkDnMdF3JFOFCQGxXCYg="
	bzipPartThree = "QlpoOTFBWSZTWbs4OOgAACdfgAASQAOwFSwkFoA+x95gIAB0Ip6RpiMIGmmjJk0aDRIwjTTQB6gAAwQv" +
		"cb1JOwngJ3URrRcrYxOk9Lbmc8N91AzAscrEPAIEACgCxPAmtGD3PNUn3zcRtzTpKkKPX6iv1TJxtwUIsRE9ZGd+Lu" +
		"SKcKEhdnBx0A=="
)

func unbase(tb testing.TB, texts ...string) (file []byte) {
	tb.Helper()
	for _, text := range texts {
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			tb.Fatal(err)
		}
		file = append(file, b...)
	}
	return file
}

func zipOf(tb testing.TB, files ...string) []byte {
	tb.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: files[i], Method: zip.Store})
		if err == nil {
			_, err = w.Write([]byte(files[i+1]))
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

const (
	lineCDXJ = `org,example)/ 20260304050607 {"url": "http://example.org/", "mime": "text/html", ` +
		`"status": "200", "digest": "sha1:X", "length": "10", "offset": "3", "filename": "x.warc.gz"}` + "\n"
	line11 = "org,example)/ 20260304050607 http://example.org/ text/html 200 ABC - - 10 3 x.warc.gz\n"
	line9  = "org,example)/ 20260304050607 http://example.org/ text/html 200 ABC - 3 x.warc.gz\n"
)

func unhex(tb testing.TB, text string) string {
	tb.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

// TestPackageWithoutData: the archives of a package that lacks its datapackage.json, or has one that
// cannot be read, are read, and that is told as damage; so of a package in another one.
func TestPackageWithoutData(t *testing.T) {
	const one = "archive/one.warc"
	for name, files := range map[string][]string{
		"none":       {one, smallRecord},
		"cut":        {"datapackage.json", `{"resources": [`, one, smallRecord},
		"other type": {"datapackage.json", `{"resources": "x"}`, one, smallRecord},
		"too deep":   {"datapackage.json", strings.Repeat("[", 20_000), one, smallRecord},
		"in another": {
			"datapackage.json", "{}", "archive/in.wacz",
			string(zipOf(t, "datapackage.json", "{", one, smallRecord)),
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.wacz")
			if err := os.WriteFile(file, zipOf(t, files...), 0o666); err != nil {
				t.Fatal(err)
			}
			var damage []error
			found := Gather([]string{file}, func(_ string, err error) { damage = append(damage, err) })
			defer found.Close() //nolint:errcheck // it was only read
			if len(found.Sources) != 1 || found.Sources[0].In != one || len(damage) != 1 ||
				!strings.Contains(damage[0].Error(), "datapackage.json") {
				t.Errorf("found %+v, damaged %v", found.Sources, damage)
			}
		})
	}
}

// TestFindSource: a package with one archive stands for it; of several one is to be named.
func TestFindSource(t *testing.T) {
	const one, two = "archive/one.warc", "archive/two.warc"
	for _, tt := range []struct {
		files      []string
		name, want string // want is "" where an error is
	}{
		{[]string{"datapackage.json", "{}", one, smallRecord}, "", one},
		{[]string{"datapackage.json", "{}", one, smallRecord}, one, one},
		{[]string{"datapackage.json", "{}", one, smallRecord, two, smallRecord}, "", ""},
		{[]string{"datapackage.json", "{}", one, smallRecord, two, smallRecord}, two, two},
		{[]string{"datapackage.json", "{}", one, smallRecord}, "archive/on", ""},
		{[]string{"datapackage.json", "{}"}, "", ""},
	} {
		file := filepath.Join(t.TempDir(), "a.wacz")
		if err := os.WriteFile(file, zipOf(t, tt.files...), 0o666); err != nil {
			t.Fatal(err)
		}
		src, found, err := FindSource(filepath.Join(file, tt.name))
		if (err == nil) != (tt.want != "") || err == nil && src.In != tt.want {
			t.Errorf("%v, %q: %+v, %v", tt.files, tt.name, src, err)
		}
		if err == nil {
			err = found.Close()
		} else if len(tt.files) > 4 && !strings.Contains(err.Error(), one) {
			t.Errorf("no archive is named: %v", err)
		} else {
			err = nil
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// TestSniff: the content tells the format, whatever the name.
func TestSniff(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want Format
		says string // of an unknown file
	}{
		"warc":             {smallRecord, FormatWARC, ""},
		"warc behind ends": {"\r\n\r\n" + smallRecord, FormatWARC, ""},
		"warc.gz":          {string(member(smallRecord)), FormatWARC, ""},
		"warc.zst":         {string(zstdPacked(t, smallRecord)), FormatWARC, ""},
		"dictionary":       {string(zstdFrames(t, true, smallRecord)), FormatWARC, ""},
		"warc.bz2":         {unhex(t, bzipped), FormatWARC, ""},
		"arc":              {arcText, FormatARC, ""},
		"arc.gz":           {string(member(arcText)), FormatARC, ""},
		"arc, beheaded":    {arcText[strings.Index(arcText, "http://a"):], FormatARC, ""},
		"cdxj":             {lineCDXJ, FormatCDXJ, ""},
		"cdxj.gz":          {string(member(lineCDXJ)), FormatCDXJ, ""},
		"cdxj, heading":    {"!OpenWayback-CDXJ 1.0\n" + lineCDXJ, FormatCDXJ, ""},
		"cdx 11":           {line11, FormatCDX, ""},
		"cdx 9":            {line9, FormatCDX, ""},
		"cdx, heading":     {" CDX N b a m s k r V g\n", FormatCDX, ""},
		"idx of py-wacz": {
			`!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}` + "\n", FormatZipNum, "",
		},
		"idx of pywb": {"org,example)/ 20260304050607\tpart\t0\t275\t1\n", FormatZipNum, ""},
		"wacz":        {string(zipOf(t, "datapackage.json", "{}")), FormatPackage, ""},
		"links":       {"# x\nhttp://a.example/ http://b.example/ embed\n", FormatLinks, ""},
		"seeds":       {"http://a.example/\nhttp://b.example/\n", FormatLinks, ""},
		"text":        {"some words\nand more\n", FormatUnknown, "text/plain"},
		"text, a link": {
			"http://a.example/ is a site\nof many words\nand lines\n",
			FormatUnknown, "text/plain",
		},
		"white space": {"\t\n \t\n\v\n", FormatUnknown, ""},
		"html":        {"<!doctype html><p>x", FormatUnknown, "text/html"},
		"html.gz":     {string(member("<!doctype html><p>x")), FormatUnknown, "gzip of text/html"},
		"pdf":         {"%PDF-1.7\n", FormatUnknown, "application/pdf"},
		"office": {
			string(zipOf(t, "word/document.xml", "x")), FormatUnknown,
			"without datapackage.json",
		},
		"cut zip":  {"PK\x03\x04", FormatUnknown, "damaged ZIP"},
		"cut gzip": {string(member(smallRecord)[:12]), FormatUnknown, "damaged: gzip"},
		"empty":    {"", FormatUnknown, "an empty file"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.html")
			if err := os.WriteFile(path, []byte(tt.text), 0o666); err != nil {
				t.Fatal(err)
			}
			f, err := Sniff(path)
			if f != tt.want {
				t.Errorf("a %s, want a %s", f, tt.want)
			}
			if unknown := tt.want == FormatUnknown; errors.Is(err, errUnknown) != unknown ||
				unknown && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("says %v, want %s", err, tt.says)
			}
		})
	}
}

// listed reads the records of a file, and what is at each location anew.
func listed(t *testing.T, file []byte) (list []string, damage error) {
	t.Helper()
	r, err := newFileReader(bytes.NewReader(file), "x")
	if err != nil {
		t.Fatal(err)
	}
	for {
		rec, err := r.Next()
		if err == nil {
			line := rec.Type() + " " + rec.TargetURI() + " " + rec.Header.Get(fieldDate)
			loc, err := r.Location()
			if err == nil && loc.Length > 0 {
				again, err := OpenAt(bytes.NewReader(file), loc)
				if err != nil || again.TargetURI() != rec.TargetURI() || again.Type() != rec.Type() {
					t.Errorf("at %+v: %v", loc, err)
				}
			} else if err == nil {
				line += " shared"
			}
			list = append(list, strings.TrimSpace(line))
			continue
		}
		var format *FormatError
		if !errors.As(err, &format) {
			return list, damage
		}
		more := r.Recover()
		if damage = errors.Join(damage, r.Lost(err)); !more {
			return list, damage
		}
	}
}

// inParts packs a text in members of seven bytes, of which none but the first begins a record.
func inParts(pack func(string) []byte, text string) (file []byte) {
	for part := range slices.Chunk([]byte(text), 7) {
		file = append(file, pack(string(part))...)
	}
	return append(file, pack("")...) // as bgzip ends a file
}

// TestPackings: one file reads the same however it is packed; records are found at their locations.
func TestPackings(t *testing.T) {
	one := strings.Replace(smallRecord, "WARC-Record", "WARC-Target-URI: http://a.example/1\r\nWARC-Record",
		1)
	two := strings.Replace(one, "example/1", "example/2", 1)
	want := []string{"resource http://a.example/1", "resource http://a.example/2"}
	shared := []string{want[0] + "  shared", want[1] + "  shared"}
	arc := []string{
		"warcinfo  2008-04-30T20:48:25Z", "response http://a.example/x%20y 2008-04-30T20:48:26Z",
		"resource dns:a.example 2008-04-30T20:48:26Z",
	}
	for name, tt := range map[string]struct {
		file []byte
		want []string
	}{
		"plain":              {[]byte(one + two), want},
		"plain, no last end": {[]byte(one + two[:len(two)-4]), want},
		"gzip":               {append(member(one), member(two)...), want},
		"gzip as a whole":    {member(one + two), shared},
		"bzip2":              {unbase(t, bzipOne, bzipTwo), want},
		"bzip2 of parts":     {unbase(t, bzipPartOne, bzipPartTwo, bzipPartThree), shared},
		"gzip of parts":      {inParts(func(s string) []byte { return member(s) }, one+two), shared},
		"zstd of parts":      {inParts(func(s string) []byte { return zstdPacked(t, s) }, one+two), shared},
		"gzip, then plain":   {append(member(one), two...), want},
		"plain, then bzip2":  {append([]byte(one), unbase(t, bzipTwo)...), want},
		"zstd, then gzip":    {append(zstdPacked(t, one), member(two)...), want},
		"zstd":               {append(zstdPacked(t, one), zstdPacked(t, two)...), want},
		"zstd as a whole":    {zstdPacked(t, one+two), shared},
		"zstd, dictionary":   {zstdFrames(t, false, one, two), want},
		"zstd, packed dict":  {zstdFrames(t, true, one, two), want},
		"zstd, skippable": {append(append(zstdPacked(t, one), "\x50\x2A\x4D\x18\x02\x00\x00\x00ab"...),
			zstdPacked(t, two)...), want},
		"arc": {[]byte(arcText), arc},
		"arc of parts": {inParts(func(s string) []byte { return member(s) }, arcText), []string{
			arc[0] + " shared", arc[1] + " shared",
			arc[2] + " shared",
		}},
		"arc as a whole": {member(arcText), []string{
			arc[0] + " shared", arc[1] + " shared",
			arc[2] + " shared",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := listed(t, tt.file)
			for i := range got {
				got[i] = strings.TrimSpace(got[i])
			}
			if !slices.Equal(got, tt.want) || err != nil {
				t.Errorf("%q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

// TestAround: damage costs the record that has it, whatever is whole is read once, and it is told how
// many bytes are lost.
func TestAround(t *testing.T) {
	one := strings.Replace(smallRecord, "WARC-Record", "WARC-Target-URI: http://a.example/1\r\nWARC-Record",
		1)
	two := strings.Replace(one, "example/1", "example/2", 1)
	cut := strings.Replace(one, "Content-Length: ", "Content-Length: 9", 1)
	spoiled := zstdPacked(t, one)
	spoiled[len(spoiled)/2] ^= 0xFF
	pad := "X-Long: " + strings.Repeat("long ", 99) + "\r\nWARC-Type"
	packed := member(strings.Replace(one, "WARC-Type", pad, 1))
	bzip := unbase(t, bzipOne)
	bzip[len(bzip)/2] ^= 0xFF
	broken := "http://a.example/x%20y 10.0.0.1 20080430204826 text/html many\n"
	for name, tt := range map[string]struct {
		file []byte
		want string
		lost int
	}{
		"zstd": {
			append(append(zstdPacked(t, one), spoiled...), zstdPacked(t, two)...),
			"resource http://a.example/1|resource http://a.example/2", len(spoiled),
		},
		"bzip2": {
			append(unbase(t, bzipOne), append(bzip, unbase(t, bzipTwo)...)...),
			"resource http://a.example/1|resource http://a.example/2", len(bzip),
		},
		"gzip, a block cut": {
			append(member(cut), member(two)...), "resource http://a.example/1|resource http://a.example/2",
			len(member(cut)),
		},
		"the first head of gzip": {
			append(make([]byte, 10), append(packed[10:], member(two)...)...),
			"resource http://a.example/2", len(packed),
		},
		"junk before zstd": {
			append([]byte("junk\n"), zstdPacked(t, one)...),
			"resource http://a.example/1", 5,
		},
		"junk before all": {[]byte("junk\n" + one), "resource http://a.example/1", 5},
		"arc": {
			[]byte(broken + arcText[strings.Index(arcText, "dns:a"):]),
			"resource dns:a.example 2008-04-30T20:48:26Z", len(broken),
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := listed(t, tt.file)
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("; %d bytes are lost", tt.lost)) {
				t.Errorf("told %v, want %d bytes", err, tt.lost)
			}
			if strings.Join(got, "|") != tt.want {
				t.Errorf("read %q, want %q", got, tt.want)
			}
			path := filepath.Join(t.TempDir(), "x.warc")
			if err := os.WriteFile(path, tt.file, 0o666); err != nil {
				t.Fatal(err)
			}
			if f, err := Sniff(path); !f.Records() {
				t.Errorf("sniffed %v, %v", f, err)
			}
		})
	}
}

// TestIndexAround: a record that is whole is in the index although what follows it is damaged, and
// so are the records of other members than one that has several.
func TestIndexAround(t *testing.T) {
	dated := strings.Replace(smallRecord, "WARC-Record",
		"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: http://a.example/1\r\nWARC-Record", 1)
	for name, file := range map[string]string{
		"junk behind the block": dated[:len(dated)-4] + "junk\r\n\r\n" + dated,
		"a shared member":       string(member(dated)) + string(member(dated+dated)) + string(member(dated)),
	} {
		path := filepath.Join(t.TempDir(), "x.warc")
		if err := os.WriteFile(path, []byte(file), 0o666); err != nil {
			t.Fatal(err)
		}
		n := 0
		err := indexWARC(path, func(e Entry) error {
			n++
			_, err := Open(filepath.Dir(path), e.Location())
			return err
		})
		var format *FormatError
		if n != 2 || !errors.As(err, &format) {
			t.Errorf("%s: %d entries, %v", name, n, err)
		}
	}
}

// TestIndexBlocks: a damaged block of a packed index costs its own lines, wherever the damage lies.
func TestIndexBlocks(t *testing.T) {
	block := func(n int) []byte {
		var text strings.Builder
		for i := range 3 {
			text.WriteString(strings.Replace(lineCDXJ, ")/", fmt.Sprintf(")/%d%d", n, i), 1))
		}
		return member(text.String())
	}
	size := len(block(0))
	for _, at := range []int{0, 2, 12, size / 2, size - 6} {
		spoiled := block(1)
		copy(spoiled[at:], "\xFE\xFE\xFE\xFE")
		path := filepath.Join(t.TempDir(), "index.cdx.gz")
		file := slices.Concat(block(0), spoiled, block(2), block(3))
		if err := os.WriteFile(path, file, 0o666); err != nil {
			t.Fatal(err)
		}
		seen := map[string]int{}
		err := readIndex(path, func(e Entry) error {
			seen[e.Key]++
			return nil
		})
		for _, n := range []int{0, 2, 3} {
			for i := range 3 {
				if key := fmt.Sprintf("org,example)/%d%d", n, i); seen[key] != 1 {
					t.Errorf("damage at %d: line %s is told %d times", at, key, seen[key])
				}
			}
		}
		if !errors.Is(err, ErrEntry) {
			t.Errorf("damage at %d: told as %v", at, err)
		}
	}
}

// TestUnpackBounds: a few bytes that unpack to many are told, in bounded time and memory.
func TestUnpackBounds(t *testing.T) {
	head := "WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 99999999999\r\n\r\n"
	file := "\x28\xB5\x2F\xFD\x00\x58" + // a frame with a window of 2 MiB
		string([]byte{byte(len(head) << 3), byte(len(head) >> 5), 0}) + head + // a block as it stands
		strings.Repeat("\x02\x00\x10\x00", 1<<16) // blocks of a byte that is repeated 128 Ki times
	wide := "\x28\xB5\x2F\xFD\x00\xA8\x01\x00\x00" // a window of 2 GiB
	long := "\x5D\x2A\x4D\x18\xFF\xFF\xFF\x7F"
	for name, tt := range map[string]struct {
		file string
		want error
	}{
		"zstd":       {file, errBomb},
		"window":     {wide, errUnpack},
		"dictionary": {long, errBomb},
	} {
		t.Run(name, func(t *testing.T) {
			bomb.Holds(t, 512<<20, func() {
				_, err := listed(t, []byte(tt.file))
				if !errors.Is(err, tt.want) {
					t.Errorf("%v, want %v", err, tt.want)
				}
			})
		})
	}
}

// TestGather: what is taken of folders and packages, and what is left out.
func TestGather(t *testing.T) {
	dir := t.TempDir()
	inner := zipOf(t, "datapackage.json", "{}", "archive/in.warc", smallRecord)
	deep := inner
	for range mostNested {
		deep = zipOf(t, "datapackage.json", "{}", "archive/x.wacz", string(deep))
	}
	for name, text := range map[string]string{
		"mixed/a.arc": arcText, "mixed/b.dat": string(member(smallRecord)), "mixed/notes.txt": "words",
		"mixed/p.wacz": string(inner), "mixed/i.cdx": line11, "mixed/bad.warc": "words",
		"mixed/new.warc.gz": "",
		"packages/p.wacz":   string(zipOf(t, "datapackage.json", "{}", "archive/q.wacz", string(inner))),
		"indexes/i.cdx":     line11, "pages/a.example/x.html": "<p>", "deep/d.wacz": string(deep),
		"blocks/cluster.idx": "org,example)/ 20260304050607\ti.cdx.gz\t0\t99\t1\n",
		"blocks/i.cdx.gz":    string(member(line11)), "blocks/j.cdx": line11,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "indexes"), filepath.Join(dir, "linked")); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]string{
		"linked": "linked/i.cdx CDX index",
		"mixed": "mixed/a.arc ARC file, mixed/b.dat WARC file; damaged mixed/bad.warc; left out of " +
			"folders: 1 package and 1 index beside the archives, and 1 file that is neither " +
			"archive nor index, such as mixed/p.wacz",
		"packages": "packages/p.wacz/archive/q.wacz/archive/in.warc WARC file",
		"indexes":  "indexes/i.cdx CDX index",
		"blocks":   "blocks/cluster.idx ZipNum index, blocks/j.cdx CDX index",
		"pages":    "; damaged pages",
		"deep":     "; damaged deep/d.wacz" + strings.Repeat("/archive/x.wacz", mostNested),
	} {
		var told []string
		g := Gather([]string{filepath.Join(dir, folder)}, func(path string, err error) {
			told = append(told, " damaged "+path)
		})
		var list []string
		for _, s := range g.Sources {
			list = append(list, s.Path+" "+s.Format.String())
		}
		got := strings.Join(list, ", ") + ";" + strings.Join(told, "") + "; " + g.Left.String()
		if got = strings.ReplaceAll(got, dir+"/", ""); strings.TrimRight(got, "; ") != want {
			t.Errorf("%s: %s\nwant %s", folder, got, want)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestCDX: columns are read by their number or heading.
func TestCDX(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want Entry
	}{
		"11": {line11, Entry{Length: 10}},
		"9":  {line9, Entry{}},
		"heading": {
			"\tCDX\tb\ta\tm\ts\tk\tV\tg\n" +
				"20260304050607\thttp://example.org/\ttext/html\t200\tABC\t3\tx.warc.gz\n",
			Entry{},
		},
	} {
		e, err := NewEntries(strings.NewReader(tt.text)).Next()
		if err != nil {
			t.Fatal(name, err)
		}
		if e.Key != "org,example)/" || e.URL != "http://example.org/" || e.Status != "200" || e.Offset != 3 ||
			e.Digest != "sha1:ABC" || e.File != "x.warc.gz" || e.Length != tt.want.Length ||
			e.Timestamp != "20260304050607" || e.MIME != "text/html" {
			t.Errorf("%s: %+v", name, e)
		}
	}
	in := NewEntries(strings.NewReader("junk\n" + line11))
	if _, err := in.Next(); !errors.Is(err, ErrEntry) {
		t.Errorf("a line that is none: %v", err)
	}
	if e, err := in.Next(); err != nil || e.Length != 10 || in.Line() != 2 {
		t.Errorf("behind it: %v, %v", e, err)
	}
}

func FuzzARC(f *testing.F) {
	f.Add(arcText)
	f.Add("http://a.example/ - 2008043020 text/html 200 - - 0 a.arc 5\nhello\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := NewReader(strings.NewReader(text), "x")
		if err != nil {
			t.Fatal(err)
		}
		for {
			rec, err := r.Next()
			if err != nil {
				return
			}
			if rec.IsARC() && (rec.Size < 0 || rec.Type() == "") {
				t.Fatalf("%+v", rec)
			}
		}
	})
}

func FuzzCDX(f *testing.F) {
	f.Add(line11)
	f.Add("\t\n\v\n")
	f.Add(" CDX b a g\n20260304050607 http://a.example/ x\n")
	f.Fuzz(func(t *testing.T, text string) {
		formatOf([]byte(text), true)
		in := NewEntries(strings.NewReader(text))
		for range strings.Count(text, "\n") + 1 {
			e, err := in.Next()
			if err == nil && (e.Key == "" || e.Timestamp == "") {
				t.Fatalf("%+v", e)
			}
		}
	})
}

func FuzzZstdHead(f *testing.F) {
	f.Add([]byte("\x28\xB5\x2F\xFD\x04\x00\x09\x00\x00a\x00\x00\x00\x00"))
	f.Add([]byte("\x5D\x2A\x4D\x18\x01\x00\x00\x00a\x50\x2A\x4D\x18\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, file []byte) {
		n, err := io.Copy(io.Discard, &zstdFrame{r: bufio.NewReader(bytes.NewReader(file))})
		if n > int64(len(file)) || err == nil && n < 5 {
			t.Fatalf("%d bytes of %d, %v", n, len(file), err)
		}
		raw := bufio.NewReader(bytes.NewReader(file))
		u := unpacker{packing: byZstd}
		if err := u.skip(raw); err == nil && len(u.dictionary) > maxDictionary {
			t.Fatalf("a dictionary of %d bytes", len(u.dictionary))
		}
		if head, err := raw.Peek(5); err == nil && frameHeaderSize(head[4]) > 18 {
			t.Fatalf("a header of %d bytes", frameHeaderSize(head[4]))
		}
	})
}
