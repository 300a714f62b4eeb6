package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"watershed/page"
)

const goldenKey = page.Key(0x0123456789abcdef)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func goldenVisit() page.Visit {
	return page.Visit{
		URL: "http://example.org/a", Time: noon, Status: 200, Duration: 2 * time.Millisecond,
		Remote: "192.0.2.1:80",
		MIME:   "text/html", Charset: "utf-8", Title: "T", ETag: `"e"`, Size: 1234,
		Digest:  sha256.Sum256([]byte("x")),
		Record:  page.Location{File: "a.warc.gz", Offset: 100, Length: 50},
		Revisit: true,
		Origin: page.Origin{
			URL: "http://example.org/o", Time: noon.Add(-time.Second),
			Record: page.Location{File: "o.warc.gz", Offset: 1, Length: 2},
		},
		Links: []page.Link{
			{URL: "http://example.org/b", Kind: page.Navigation, Context: "a/@href", Text: "B"},
			{URL: "http://example.org/b.png", Kind: page.Embed, NoFollow: true, Context: "a/@href"},
		},
		Via: "http://example.org/", Hops: "L", Site: "Gemo", Sketch: []byte{1, 2, 3}, SoftError: true,
		Content: 0x0807060504030201, Login: "Gemo", Inlay: "\x01four",
	}
}

func goldenTotals() *Totals {
	t := &Totals{Bytes: 77}
	for i := range t.States {
		t.States[i] = int64(i)
	}
	for i := range t.Reasons {
		t.Reasons[i] = int64(i)
	}
	return t
}

// Every table's key and value are those that testdata/golden.py makes.
func TestGolden(t *testing.T) {
	s, err := Open(Options{Dir: t.TempDir(), Harvest: "gemo", MinFreeBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	url := page.URL("http://example.org/a")
	record := page.Location{File: "a.warc.gz", Offset: 100, Length: 50}
	digest := page.Digest(sha256.Sum256([]byte("x")))
	pending := URL{
		URL: url, State: Pending, Site: 1, Via: 0x1122334455667788, Hops: "LEL", Depth: 2,
		Kind: page.Navigation, Forced: true,
		Priority: 1000, Tries: 3, Status: -2, Visit: 5, Host: 7, Place: Place{Rank: 10, Order: 300},
	}
	skipped := URL{
		URL: url, State: Skipped, Reason: LimitPages, Rule: "site Gemo: 9 pages", Hops: "L",
		Depth: 1, Kind: page.Navigation, Part: true, File: true,
	}
	host := Host{
		Origins: [Lanes]Origin{
			{Failures: 6, Due: noon.Add(-time.Second), Cause: "no connection"},
			{Failures: 9, GivenUp: true},
		},
		Name: "example.org", Number: 7, Done: 1, Failed: 2, Skipped: 3, Robots: 4, Files: 8, Bytes: 5000,
		Due: noon.Add(time.Second), Last: noon,
		Slow: 2, CrawlDelay: 3 * time.Second, Address: netip.MustParseAddr("192.0.2.1"),
	}
	visit, open := goldenVisit(), goldenVisit()
	open.Login = "" // as most are, and all that programs before logins wrote
	steps := []func(tx *Tx) error{
		func(tx *Tx) error {
			tx.PutRun(RunRecord{Number: 2, Started: noon, State: RunOpen, Config: "yaml"})
			tx.PutTotals(2, goldenTotals())
			tx.PutSite(2, 9, goldenTotals())
			tx.PutOriginal(digest, &Original{
				Origin: page.Origin{URL: url, Time: noon, Record: record},
				Run:    2, Visit: 5,
			})
			tx.PutCapture(&Capture{
				URL: url, Time: noon, Status: 200, ETag: `"e"`, Digest: digest, Size: 1234,
				Record: record, Run: 2, Visit: 5,
			})
			return tx.PutHost(2, &host, true)
		},
		func(tx *Tx) error { return tx.PutURL(2, goldenKey, &pending, nil) },
		func(tx *Tx) error { return tx.PutVisit(2, &visit) },
		func(tx *Tx) error { return tx.PutVisit(2, &open) },
		func(tx *Tx) error { upper := open; upper.Seq = 3; return tx.putParts(2, &upper, true) },
		func(tx *Tx) error {
			return tx.PutEntry(2, Entry{
				Key: goldenKey, Reason: Mirror, Representative: "http://o.example/a",
				Evidence: "level 1", Time: noon,
			})
		},
		func(tx *Tx) error { return tx.PutRobots("http://example.org", []byte("blob")) },
	}
	for _, step := range steps {
		if err := s.Update(step); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range readGolden(t, url) {
		if name == "skipped" { // takes the place of the pending one
			if err := s.Update(func(tx *Tx) error {
				return tx.PutURL(2, goldenKey, &skipped, &pending)
			}); err != nil {
				t.Fatal(err)
			}
		}
		err := s.View(func(tx *Tx) error {
			found, err := tx.read(want.key, func(v []byte) error {
				if !bytes.Equal(v, want.value) {
					t.Errorf("%s:\n got %x\nwant %x", name, v, want.value)
				}
				return nil
			})
			if !found {
				t.Errorf("%s: no key %x", name, want.key)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for row, err := range rows(s, 2) {
		t.Errorf("a row of a skipped URL: %+v, %v", row, err)
	}
}

type goldenEntry struct{ key, value []byte }

// readGolden yields the entries in the order of the file.
func readGolden(t *testing.T, url page.URL) func(yield func(string, goldenEntry) bool) {
	text, err := os.ReadFile("testdata/golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(string, goldenEntry) bool) {
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			key, err := hex.DecodeString(f[1])
			if err != nil {
				t.Fatal(err)
			}
			value, err := hex.DecodeString(f[2])
			if err != nil {
				t.Fatal(err)
			}
			if f[0] == "capture" {
				key = captureKey(url.Key())
			}
			if !yield(f[0], goldenEntry{key, value}) {
				return
			}
		}
	}
}

func rows(s *Store, run Run) func(func(Row, error) bool) {
	return func(yield func(Row, error) bool) {
		err := s.View(func(tx *Tx) error {
			for r, err := range tx.Rows(run) {
				if !yield(r, err) {
					return nil
				}
			}
			return nil
		})
		if err != nil {
			yield(Row{}, err)
		}
	}
}

func drawTime(t *rapid.T) time.Time {
	n := rapid.Int64Range(-1<<62, 1<<62).Draw(t, "time")
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

func drawLocation(t *rapid.T) page.Location {
	return page.Location{
		File: rapid.String().Draw(t, "file"), Offset: rapid.Int64().Draw(t, "offset"),
		Length: rapid.Int64().Draw(t, "length"),
	}
}

func drawSpelling(t *rapid.T, name string) (page.URL, page.Spelling) {
	return page.Spelling("http://" +
		rapid.StringMatching(`[a-c]{1,2}\.example/([a-z]|%[cC]3|%[a-f]7){0,9}`).Draw(t, name)).URL()
}

func drawVisit(t *rapid.T) page.Visit {
	text := rapid.String()
	link := rapid.Custom(func(t *rapid.T) page.Link {
		u, spelled := drawSpelling(t, "link")
		return page.Link{
			URL: u, Spelled: spelled,
			Kind: page.LinkKind(rapid.Byte().Draw(t, "kind")), NoFollow: rapid.Bool().Draw(t, "nofollow"),
			Context: rapid.SampledFrom([]string{"", "a/@href", "img/@src"}).Draw(t, "context"),
			Text:    text.Draw(t, "text"),
		}
	})
	v := page.Visit{
		URL: page.URL(text.Draw(t, "url")), Time: drawTime(t), Status: rapid.Int().Draw(t, "status"),
		Cause:    text.Draw(t, "cause"),
		Duration: time.Duration(rapid.Int64().Draw(t, "duration")), Remote: text.Draw(t, "remote"),
		MIME:    text.Draw(t, "mime"),
		Charset: text.Draw(t, "charset"), Language: text.Draw(t, "language"), Title: text.Draw(t, "title"),
		ETag:         text.Draw(t, "etag"),
		LastModified: text.Draw(t, "modified"), Size: rapid.Int64().Draw(t, "size"),
		Truncated: page.Truncation(text.Draw(t, "truncated")),
		NoIndex:   rapid.Bool().Draw(t, "noindex"), SoftError: rapid.Bool().Draw(t, "soft"),
		Unended:  rapid.Bool().Draw(t, "unended"),
		DrawnCut: rapid.Bool().Draw(t, "drawn cut"),
		Record:   drawLocation(t), Revisit: rapid.Bool().Draw(t, "revisit"),
		Links: rapid.SliceOf(link).Draw(t, "links"), Via: page.URL(text.Draw(t, "via")),
		Hops: text.Draw(t, "hops"), Site: text.Draw(t, "site"),
		Drawing: page.Drawing(rapid.IntRange(0, int(page.DrawThin)).Draw(t, "drawing")),
	}
	v.Inlay = page.Inlay(text.Draw(t, "inlay"))
	if sketch := rapid.SliceOf(rapid.Byte()).Draw(t, "sketch"); len(sketch) > 0 {
		v.Sketch = sketch
	}
	_, v.Spelled = drawSpelling(t, "spelled")
	copy(v.Digest[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "digest"))
	if v.Revisit {
		v.Origin = page.Origin{URL: v.URL, Time: drawTime(t), Record: drawLocation(t)}
		_, v.Origin.Spelled = drawSpelling(t, "origin")
	}
	return v
}

// A visit survives its parts, however small these are, and whether it is lent or not.
func TestVisitCodec(t *testing.T) {
	lent := visitReader{links: true, lent: true} // one for all, as an iteration has it
	rapid.Check(t, func(t *rapid.T) {
		want, upper := drawVisit(t), rapid.Bool().Draw(t, "upper")
		parts := encodeVisit(&want, rapid.IntRange(1, 2000).Draw(t, "limit"), upper)
		for _, r := range []*visitReader{{links: true}, &lent} {
			got := r.next()
			at, err := r.head(pack(parts[0]), got)
			if err != nil || at != (span{len(parts), upper}) {
				t.Fatalf("%+v, %v; want %d parts, upper %v", at, err, len(parts), upper)
			}
			for _, p := range parts[1:] {
				if err := r.more(pack(p), got); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(&want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

// Records of programs that did not know page.Visit's DrawnCut tell it by the beginning of the cause.
func TestDrawnCutBefore(t *testing.T) {
	for cause, want := range map[string]bool{
		"drawn in part: it asks for more than 2 things": true, "not drawn: no Chromium is found": true,
		"read in part: it has more links than are read of a page": false,
	} {
		old := page.Visit{URL: "http://example.org/", Unread: true, Cause: cause}
		var got page.Visit
		if _, err := (&visitReader{}).head(pack(encodeVisit(&old, 1<<20, false)[0]), &got); err != nil {
			t.Fatal(err)
		}
		if got.DrawnCut != want {
			t.Errorf("%s: %t", cause, got.DrawnCut)
		}
	}
}

// URLs that share nearly all of a great length are read through a small buffer.
func TestLongURLs(t *testing.T) {
	v := page.Visit{URL: "http://example.org/"}
	long := "http://example.org/" + strings.Repeat("a", 9<<10)
	for i := range 100 {
		v.Links = append(v.Links, page.Link{URL: page.URL(fmt.Sprint(long, i)), Context: "a/@href"})
	}
	for _, lent := range []bool{false, true} {
		r := visitReader{links: true, lent: lent}
		got := r.next()
		if _, err := r.head(pack(encodeVisit(&v, 1<<20, false)[0]), got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&v, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("lent %v: %.1000s", lent, diff)
		}
		if n := cap(r.reading.urls); n > 3*enoughURLs {
			t.Errorf("lent %v: a buffer of %d bytes", lent, n)
		}
	}
}

// A visit that was lent leaves nothing behind in the next one, and texts that were taken stay as
// they were.
func TestLent(t *testing.T) {
	s := openTest(t, t.TempDir())
	full := goldenVisit()
	full.Links = append(full.Links, page.Link{
		URL: "http://example.org/%C3", Kind: page.Navigation, Text: "C",
		Spelled: "http://example.org/%c3",
	})
	bare := page.Visit{URL: "http://example.org/bare"}
	want := []page.Visit{full, bare, full}
	for i := range want {
		update(t, s, func(tx *Tx) error { return tx.PutVisit(1, &want[i]) })
	}
	var texts []string
	i := 0
	view(t, s, func(tx *Tx) error {
		for v, err := range tx.Lent(1, 0) {
			if diff := cmp.Diff(&want[i], v, cmpopts.EquateEmpty()); err != nil || diff != "" {
				t.Errorf("visit %d: %v %s", i, err, diff)
			}
			texts = append(texts, string(v.URL), v.Title)
			for _, l := range v.Links {
				texts = append(texts, string(l.URL), l.Context, l.Text, string(l.Spelled))
			}
			i++
		}
		return nil
	})
	once := []string{
		"http://example.org/a", "T", "http://example.org/b", "a/@href", "B", "", "http://example.org/b.png",
		"a/@href", "", "",
		"http://example.org/%C3", "", "C", "http://example.org/%c3",
	}
	if all := slices.Concat(once, []string{"http://example.org/bare", ""}, once); !slices.Equal(texts, all) {
		t.Errorf("texts %q, want %q", texts, all)
	}
}

// A record that is damaged ends an iteration with the same error, behind the same visits, whether
// these are lent or not.
func TestDamagedVisits(t *testing.T) {
	long := page.Visit{URL: "http://example.org/long", Title: strings.Repeat("t", 300)}
	for i := range 12_000 {
		long.Links = append(long.Links,
			page.Link{URL: page.URL(fmt.Sprintf("http://example.org/%d/%x", i, i*i)), Text: fmt.Sprint(i)})
	}
	first := encodeVisit(&long, partBytes, false)[0]
	for _, tt := range []struct {
		name  string
		part  uint16
		value []byte // nil for none
	}{
		{"no first part", 0, nil},
		{"no second part", 1, nil},
		{"an empty value", 0, []byte{}},
		{"a first part that is cut", 0, pack(first[:len(first)-3])},
		{"a head that is cut", 0, pack(first[:40])},
		{"a second part that is cut", 1, pack(encodeVisit(&long, partBytes, false)[1])[:500]},
		{"packed in an unknown manner", 1, []byte{9, 1, 2, 3}},
		{"a link that shares more than there is", 1, append([]byte{packedNot}, 1, linkNewContext,
			200, 1, 0, 'x')},
		{"a context that was not told", 1, append([]byte{packedNot}, 1, 0, 3, 0, 7)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := openTest(t, t.TempDir())
			for range 2 {
				update(t, s, func(tx *Tx) error {
					return tx.PutVisit(1, &page.Visit{URL: "http://example.org/", Time: noon})
				})
			}
			update(t, s, func(tx *Tx) error { return tx.PutVisit(1, &long) })
			update(t, s, func(tx *Tx) error { return tx.write(visitKey(1, long.Seq, tt.part), tt.value) })
			var told [2]string
			view(t, s, func(tx *Tx) error {
				for i, visits := range []iter.Seq2[*page.Visit, error]{tx.Visits(1, 0), tx.Lent(1, 0)} {
					for v, err := range visits {
						if err != nil {
							told[i] += err.Error()
							if !errors.Is(err, ErrCorrupt) {
								t.Errorf("%v is no damage", err)
							}
							break
						}
						told[i] += fmt.Sprint(v.Seq, " ")
					}
				}
				return nil
			})
			if lost := tt.part == 0 && tt.value == nil; told[0] != told[1] ||
				!strings.HasPrefix(told[0], "1 2 ") || (told[0] == "1 2 ") != lost {
				t.Errorf("visits give %q, lent %q", told[0], told[1])
			}
		})
	}
}

func TestURLCodec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := URL{
			URL:    page.URL(rapid.StringN(1, -1, -1).Draw(t, "url")),
			State:  State(rapid.IntRange(1, int(States)-1).Draw(t, "state")),
			Reason: Reason(rapid.Byte().Draw(t, "reason")), Rule: rapid.StringN(0, 50, 255).Draw(t, "rule"),
			Site:  rapid.Uint32().Draw(t, "site"),
			Via:   page.Key(rapid.Uint64().Draw(t, "via")),
			Hops:  rapid.StringMatching(`[LERMX]{0,9}`).Draw(t, "hops"),
			Depth: rapid.Byte().Draw(t, "depth"),
			Kind:  page.LinkKind(rapid.Byte().Draw(t, "kind") &^ kindFlags),
			Part:  rapid.Bool().Draw(t, "part"), File: rapid.Bool().Draw(t, "file"),
			Forced:   rapid.Bool().Draw(t, "forced"),
			Priority: rapid.Int64().Draw(t, "priority"), Tries: rapid.Byte().Draw(t, "tries"),
			Status: rapid.Int().Draw(t, "status"),
			Visit:  rapid.Uint64().Draw(t, "visit"), Host: rapid.Uint32().Draw(t, "host"),
			Asked: rapid.StringN(0, 50, 160).Draw(t, "asked"),
		}
		if rapid.Bool().Draw(t, "queued") {
			want.Place = Place{Rank: rapid.Byte().Draw(t, "rank"), Order: rapid.Uint64Min(1).Draw(t, "order")}
		}
		got, err := decodeURL(encodeURL(&want))
		if err != nil || got != want {
			t.Fatalf("got %+v, %v\nwant %+v", got, err, want)
		}
	})
}

// No decoder panics on anything, and what one reads it writes and reads again the same.
func FuzzDecode(f *testing.F) {
	// The seeds are small: what fuzzing finds in a large one it shortens for minutes.
	v := page.Visit{
		URL: "http://a/", Status: 200, Hops: "L",
		Links: []page.Link{{URL: "http://b/", Text: "B"}},
	}
	f.Add(pack(encodeVisit(&v, 1<<20, false)[0]))
	f.Add(encodeTotals(&Totals{Bytes: 77}))
	f.Add(encodeURL(&URL{URL: "http://example.org/", State: Pending, Place: Place{1, 2}}))
	f.Add([]byte{packedS2, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, b []byte) {
		var v, lent page.Visit
		_, err := (&visitReader{links: true}).head(b, &v)
		_, errLent := (&visitReader{links: true, lent: true}).head(b, &lent)
		if diff := cmp.Diff(v, lent, cmpopts.EquateEmpty()); (err == nil) != (errLent == nil) ||
			err == nil && diff != "" {
			t.Errorf("%v, lent %v %s", err, errLent, diff)
		}
		if err == nil {
			var again page.Visit
			_, err := (&visitReader{links: true}).head(append([]byte{packedNot},
				encodeVisit(&v, 1<<30, false)[0]...), &again)
			if diff := cmp.Diff(v, again, cmpopts.EquateEmpty()); err != nil || diff != "" {
				t.Errorf("%v %s", err, diff)
			}
		}
		if u, err := decodeURL(b); err == nil && len(u.Hops) < 256 && len(u.Rule) < 256 {
			if again, err := decodeURL(encodeURL(&u)); err != nil || again != u {
				t.Errorf("%+v becomes %+v, %v", u, again, err)
			}
		}
		if n, err := decodeTotals(b); err == nil {
			if again, err := decodeTotals(encodeTotals(&n)); err != nil || again != n {
				t.Errorf("%+v becomes %+v, %v", n, again, err)
			}
		}
		for _, decode := range []func() error{
			func() error {
				return (&visitReader{links: true}).more(b, &page.Visit{URL: "http://example.org/"})
			},
			func() error { _, err := decodeHost([]byte("h"), b); return err },
			func() error { _, err := decodeEntry(b, b); return err },
			func() error { _, err := decodeRow(b, b); return err },
		} {
			_ = decode() // an error is right; a panic is not
		}
	})
}

func FuzzCutTail(f *testing.F) {
	f.Add([]byte{1, 2, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		rest, part, err := cutTail(b)
		if err == nil && len(rest)+len(part)+4 != len(b) {
			t.Errorf("%d bytes in %d and %d", len(b), len(rest), len(part))
		}
	})
}

func ExampleReason() {
	r, ok := ParseReason("robots")
	fmt.Println(r, ok, r == Robots)
	// Output: robots true true
}

// TestLimitOfFilesIsNoDamage: a file that the system lets grow no further, by ulimit or by the
// file system, says nothing of what is in the state. Badger gives the error as text.
func TestLimitOfFilesIsNoDamage(t *testing.T) {
	cause := errors.New("cannot create memtable err: truncate 00001.mem: file too large")
	if err := corrupt("state", cause); errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
}
