package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"watershed/page"
)

// testdata/good.cdxj is what cdxj-indexer 1.4.6 says of testdata/good.warc.gz: cdxj-indexer -s
// good.warc.gz
func TestIndexAsCDXJIndexer(t *testing.T) {
	want, err := os.ReadFile("testdata/good.cdxj")
	if err != nil {
		t.Fatal(err)
	}
	var got []byte
	if err := indexWARC("testdata/good.warc.gz", func(e Entry) error {
		got = e.Append(got)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestIndexDamaged(t *testing.T) {
	data, err := os.ReadFile("testdata/good.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	data[300] ^= 0xFF // in the response
	path := filepath.Join(t.TempDir(), "good.warc.gz")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	n := 0
	err = indexWARC(path, func(Entry) error { n++; return nil })
	var format *FormatError
	if !errors.As(err, &format) || format.Offset != 277 || n != 1 {
		t.Errorf("%d entries, %v", n, err)
	}
	if err := indexWARC("testdata/onegzip.warc.gz", func(Entry) error { return nil }); !errors.Is(err,
		errGzip) {
		t.Errorf("records that share a member: %v", err)
	}
}

// The second line is of pywb's sample archive (sample_archive/cdxj/example.cdxj), the third of the
// CDXJ 0.1.0 specification, where numbers are numbers.
func TestParseEntry(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		want       Entry
	}{
		{
			"own", `org,example)/ 20260304050607 {"url": "http://example.org/", "mime": "text/html", ` +
				`"status": "200", "digest": "sha256:ab", "length": "10", "offset": "20", "filename": ` +
				`"a.warc.gz"}`,
			Entry{
				Key: "org,example)/", Timestamp: "20260304050607", URL: "http://example.org/",
				MIME: "text/html", Status: "200", Digest: "sha256:ab", Length: 10, Offset: 20,
				File: "a.warc.gz",
			},
		},
		{
			"pywb", `com,example)/?example=1 20140103030321 {"url": "http://example.com?example=1", ` +
				`"mime": "text/html", "status": "200", "digest": "B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A", ` +
				`"length": "1043", "offset": "333", "filename": "example.warc.gz"}` + "\n",
			Entry{
				Key: "com,example)/?example=1", Timestamp: "20140103030321",
				URL: "http://example.com?example=1", MIME: "text/html", Status: "200",
				Digest: "B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A", Length: 1043, Offset: 333,
				File: "example.warc.gz",
			},
		},
		{
			"numbers",
			`com,example)/ 20260304050607890 {"url":"http://example.com/","status":200,"length":1043,` +
				`"offset":0,"filename":"x.warc.gz","method":"POST","deep":{"a":1},"none":null}` + "\r\n",
			Entry{
				Key: "com,example)/", Timestamp: "20260304050607890", URL: "http://example.com/",
				Status: "200", Length: 1043, File: "x.warc.gz",
				Extra: map[string]string{"method": "POST", "deep": "map[a:1]"},
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := parseEntry([]byte(tt.line))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, *e); diff != "" {
				t.Error(diff)
			}
			if tt.name == "own" && string(e.Append(nil)) != tt.line+"\n" {
				t.Errorf("written as %s", e.Append(nil))
			}
		})
	}
	for _, line := range []string{
		"", "x", "!meta 0 {}", "org,example)/ 2026 {}", "org,example)/ 20260304050607 {",
		"org,example)/ 2026030405060x {}",
		`org,example)/ 20260304050607 {"length": "many"}`, "org,example)/ 20260304050607 []",
	} {
		if e, err := parseEntry([]byte(line)); err == nil {
			t.Errorf("%q is read as %+v", line, e)
		}
	}
	e := Entry{Timestamp: "20260304050607890"}
	if at, err := e.Time(); err != nil || !at.Equal(start) {
		t.Errorf("time %v, %v", at, err)
	}
}

func entries() *rapid.Generator[Entry] {
	return rapid.Custom(func(t *rapid.T) Entry {
		u := page.URL("http://" + rapid.StringMatching(`[a-c]{1,2}\.(org|com)`).Draw(t, "host") +
			rapid.StringMatching(`/[a-c"\\é<]{0,3}`).Draw(t, "path"))
		return Entry{
			Key: u.SURT(), URL: string(u),
			Timestamp: fmt.Sprintf("202603040506%02d", rapid.IntRange(0, 3).Draw(t, "second")),
			MIME:      rapid.SampledFrom([]string{"text/html", "warc/revisit", ""}).Draw(t, "mime"),
			Status:    "200", File: "f.warc.gz",
			Offset: rapid.Int64Range(0, 3).Draw(t, "offset"), Length: 7, Digest: "sha256:00",
		}
	})
}

func TestEntryRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := entries().Draw(t, "entry")
		got, err := parseEntry(e.Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e, *got); diff != "" {
			t.Error(diff)
		}
	})
}

func FuzzParseEntry(f *testing.F) {
	f.Add([]byte(`org,example)/ 20260304050607 {"url": "http://example.org/", "offset": 3}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := parseEntry(line)
		if err != nil {
			return
		}
		again, err := parseEntry(e.Append(nil))
		if err != nil {
			t.Fatalf("%q becomes %q: %v", line, e.Append(nil), err)
		}
		if string(again.Append(nil)) != string(e.Append(nil)) {
			t.Errorf("%q becomes %q, then %q", line, e.Append(nil), again.Append(nil))
		}
	})
}

// Sorted lines are those that slices.Sort and Compact give, whatever is spilled.
func TestSorter(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(entries(), 0, 40).Draw(t, "entries")
		list = append(list, list[:rapid.IntRange(0, len(list)).Draw(t, "twice")]...)
		s := NewSorter(dir, rapid.IntRange(1, 5000).Draw(t, "memory")) // 1: every line a run
		s.most = 5                                                     // so that there are runs of runs
		defer s.Close()
		var want []string
		for i := range list {
			if err := s.Add(&list[i]); err != nil {
				t.Fatal(err)
			}
			if len(s.runs) >= s.most {
				t.Fatalf("%d files are open", len(s.runs))
			}
			want = append(want, string(list[i].Append(nil)))
		}
		slices.Sort(want)
		want = slices.Compact(want)
		for range 2 {
			var got bytes.Buffer
			n, err := s.WriteTo(&got)
			if err != nil || n != int64(got.Len()) {
				t.Fatalf("%d of %d bytes, %v", n, got.Len(), err)
			}
			if diff := cmp.Diff(strings.Join(want, ""), got.String()); diff != "" {
				t.Fatal(diff)
			}
		}
	})
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A line that is longer than the buffers is sorted as any other.
func TestSorterLongLines(t *testing.T) {
	s := NewSorter(t.TempDir(), 1)
	defer s.Close()
	for _, c := range "cab" {
		if err := s.Add(&Entry{
			Key: string(c), Timestamp: "20260304050607",
			URL: strings.Repeat(string(c), 100_000),
		}); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if _, err := s.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	var keys string
	r := NewEntries(&out)
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || len(e.URL) != 100_000 {
			t.Fatal(err)
		}
		keys += e.Key
	}
	if keys != "abc" {
		t.Errorf("order %q", keys)
	}
}

// A look-up by binary search gives what a reading of the whole index gives.
func TestLookup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(entries(), 0, 60).Draw(t, "entries")
		var lines []string
		for i := range list {
			lines = append(lines, string(list[i].Append(nil)))
		}
		slices.Sort(lines)
		lines = slices.Compact(lines)
		text := strings.Join(lines, "")
		x := &Index{r: strings.NewReader(text), size: int64(len(text))}
		probe := entries().Draw(t, "probe")
		prefix := rapid.SampledFrom([]string{"", "o", "org,", "org,a)", "org,a)/", "com,b", "z"}).Draw(t,
			"prefix")
		var byKey, byURL, byPrefix []string
		for _, line := range lines {
			e, err := parseEntry([]byte(line))
			if err != nil {
				t.Fatal(err)
			}
			if e.Key == probe.Key {
				byKey = append(byKey, line)
			}
			if e.URL == probe.URL {
				byURL = append(byURL, line)
			}
			if strings.HasPrefix(e.Key, prefix) {
				byPrefix = append(byPrefix, line)
			}
		}
		collect := func(seq func(func(*Entry, error) bool)) (all []string) {
			for e, err := range seq {
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, string(e.Append(nil)))
			}
			return all
		}
		if diff := cmp.Diff(byKey, collect(x.Key(probe.Key))); diff != "" {
			t.Errorf("key %s: %s", probe.Key, diff)
		}
		if diff := cmp.Diff(byURL, collect(x.URL(page.URL(probe.URL)))); diff != "" {
			t.Errorf("URL %s: %s", probe.URL, diff)
		}
		if diff := cmp.Diff(byPrefix, collect(x.Prefix(prefix))); diff != "" {
			t.Errorf("prefix %q: %s", prefix, diff)
		}
	})
}

func TestLookupFile(t *testing.T) {
	x, err := OpenIndex("testdata/good.cdxj")
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	n := 0
	for e, err := range x.URL("http://example.org/chunked") {
		if err != nil {
			t.Fatal(err)
		}
		if err := wholeAt("testdata", e.Location()); err != nil {
			t.Error(err)
		}
		n++
	}
	if n != 2 {
		t.Errorf("%d captures", n)
	}
}

// TestDamagedLine: a line that is damaged ends only itself, wherever the search of a look-up meets it.
func TestDamagedLine(t *testing.T) {
	const n = 16
	var lines [][]byte
	for i := range n {
		e := Entry{
			Key: fmt.Sprintf("org,example)/%02d", i), Timestamp: "20260304050607",
			URL: fmt.Sprintf("http://example.org/%02d", i), Status: "200", File: "a.warc.gz",
		}
		lines = append(lines, e.Append(nil))
	}
	for name, damage := range map[string]func(line []byte) []byte{
		"zeros":   func(line []byte) []byte { return append(make([]byte, len(line)-1), '\n') },
		"a blank": func(line []byte) []byte { return append([]byte("zz"), line[2:20]...) },
		"empty":   func([]byte) []byte { return []byte("~\n") },
		"a brace": func(line []byte) []byte { return bytes.Replace(line, []byte("{"), []byte("["), 1) },
		"long":    func([]byte) []byte { return append(bytes.Repeat([]byte("x"), maxLine+1), '\n') },
	} {
		t.Run(name, func(t *testing.T) {
			for _, bad := range []int{0, n/2 - 1, n / 2, n - 1} {
				if testing.Short() && bad != n/2 {
					continue
				}
				damaged := slices.Clone(lines)
				if damaged[bad] = damage(lines[bad]); damaged[bad][len(damaged[bad])-1] != '\n' {
					damaged[bad] = append(damaged[bad], '\n')
				}
				text := bytes.Join(damaged, nil)
				x := &Index{r: bytes.NewReader(text), size: int64(len(text))}
				for i := range n {
					found := 0
					for e, err := range x.URL(page.URL(fmt.Sprintf("http://example.org/%02d", i))) {
						if err == nil && e != nil {
							found++
						} else if i != bad || !errors.Is(err, ErrEntry) {
							t.Errorf("line %d is damaged: %d: %v", bad, i, err)
						}
					}
					if i != bad && found != 1 {
						t.Errorf("line %d is damaged: %d was found %d times", bad, i, found)
					}
				}
				read, faults := 0, 0
				for in := NewEntries(bytes.NewReader(text)); ; {
					_, err := in.Next()
					if errors.Is(err, io.EOF) {
						break
					}
					if err == nil {
						read++
					} else if faults++; !errors.Is(err, ErrEntry) ||
						!strings.HasPrefix(err.Error(), fmt.Sprintf("line %d:", bad+1)) {
						t.Fatalf("line %d is damaged: %v", bad, err)
					}
				}
				if read != n-1 || faults != 1 {
					t.Errorf("line %d is damaged: %d lines were read, %d were told", bad, read, faults)
				}
			}
		})
	}
}

// Heritrix' operating manual, "Logs", gives the fields; the line was put together by hand from its
// description.
func TestLogLine(t *testing.T) {
	l := LogLine{
		Logged: start, Status: 200, Size: 1234, URL: "http://example.org/a",
		Hops: strings.Repeat("L", 60) + "E", Via: "http://example.org/",
		MIME: "text/html", Start: start, Duration: 321 * time.Millisecond, Source: "My Site",
		Annotations: []string{"2t", "lenTrunc"},
		Record:      page.Location{File: "a.warc.gz", Offset: 99, Length: 5},
	}
	l.Digest = page.Digest{1}
	want := "2026-03-04T05:06:07.890Z   200       1234 http://example.org/a 11+" + strings.Repeat("L", 49) +
		"E http://example.org/ text/html #000 " +
		"20260304050607890+321 sha256:01" + strings.Repeat("0", 62) +
		" My_Site 2t,lenTrunc {\"warcFilename\":\"a.warc.gz\",\"warcFileOffset\":99}\n"
	if diff := cmp.Diff(want, string(l.Append(nil))); diff != "" {
		t.Error(diff)
	}
	l = LogLine{Logged: start, Status: -9998, Size: -1, URL: "http://example.org/private"}
	want = "2026-03-04T05:06:07.890Z -9998          - http://example.org/private - - - #000 - - - - {}\n"
	if diff := cmp.Diff(want, string(l.Append(nil))); diff != "" {
		t.Error(diff)
	}
}

func TestSkippedLine(t *testing.T) {
	s := Skipped{
		URL: "http://example.org/p", Time: start, Reason: ReasonRobots, Rule: "Disallow: /p",
		Via: "http://example.org/", Hops: "L", Depth: 1, Site: "S", Evidence: map[string]any{"cut": 3},
	}
	got, err := s.Append(nil)
	want := `{"url":"http://example.org/p","ts":"2026-03-04T05:06:07.89Z","reason":"robotsTxt",` +
		`"rule":"Disallow: /p","evidence":{"cut":3},"via":"http://example.org/","hops":"L",` +
		`"depth":1,"site":"S"}` + "\n"
	if err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	s.Evidence["bad"] = func() {}
	if _, err := s.Append(nil); err == nil {
		t.Error("evidence without a JSON form is written")
	}
}

// TestIndexOldHTTP: an answer of HTTP/0.9, which has no head, gets no status in the index.
func TestIndexOldHTTP(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.warc")
	text := httpRecord("response", "a", "b", "http://a.example/", "<TITLE>CERN</TITLE>")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	n := 0
	err := indexWARC(path, func(e Entry) error {
		if n++; e.Status != "" || e.MIME != "unk" {
			t.Errorf("indexed as %+v", e)
		}
		return nil
	})
	if n != 1 || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
}

func TestMergeSorted(t *testing.T) {
	var files []*os.File
	for i, text := range []string{"a 1\nc\nd\n", "", "a 1\nb\nz", "a 0\nc\nc 1\n"} {
		name := filepath.Join(t.TempDir(), fmt.Sprint(i))
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close() //nolint:errcheck // it is only read
		files = append(files, f)
	}
	var out strings.Builder
	if err := MergeSorted(&out, files); err != nil || out.String() != "a 0\na 1\nb\nc\nc 1\nd\nz\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}
