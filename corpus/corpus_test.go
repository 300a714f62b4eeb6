package corpus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"go.uber.org/goleak"

	"watershed/archive"
	"watershed/page"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rec writes a record as another crawler would.
func rec(kind, uri, id, date, mime, block string, more ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:uuid:%s>\r\nWARC-Date: %s\r\n",
		kind, id, date)
	if uri != "" {
		fmt.Fprintf(&b, "WARC-Target-URI: %s\r\n", uri)
	}
	for _, f := range more {
		b.WriteString(f + "\r\n")
	}
	fmt.Fprintf(&b, "Content-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", mime, len(block), block)
	return b.String()
}

const httpResponse = "application/http; msgtype=response"

func response(uri, id, date, body string, more ...string) string {
	return rec("response", uri, id, date, httpResponse, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"+
		body, more...)
}

func zip(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // a buffer takes all
	_ = w.Close()
	return b.String()
}

// write makes a file in a folder of the test.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// read gives a line a page: status, URL, where its links lead.
func read(t *testing.T, o Options, paths ...string) (lines []string, st Stats, seeds []page.URL) {
	t.Helper()
	c, err := Open(context.Background(), paths, o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(c.Close(), c.Close()); err != nil {
			t.Error(err)
		}
	}()
	err = c.Pages(context.Background(), func(p *Page) error {
		line := fmt.Sprint(p.Status, " ", p.URL)
		for _, l := range p.Links {
			line += " " + l.URL.PathQuery()
		}
		if p.Unresolved {
			line += " unresolved"
		}
		lines = append(lines, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines, c.Stats(), c.Seeds()
}

const (
	day1 = "2026-01-01T00:00:00Z"
	day2 = "2026-01-02T00:00:00Z"
	day3 = "2026-01-03T00:00:00Z"
)

func TestChoiceAmongCaptures(t *testing.T) {
	dir := t.TempDir()
	text := response("http://a.example/", "1", day1, `<a href=/old>`) +
		response("http://a.example/", "2", day2, `<a href=/new>`) +
		rec("response", "http://a.example/", "3", day3, httpResponse, "HTTP/1.1 503 Busy\r\n\r\n") +
		rec("response", "http://a.example/moved", "4", day1, httpResponse,
			"HTTP/1.1 301 Moved\r\nLocation: /to\r\n\r\n") +
		rec("response", "http://a.example/gone", "5", day1, httpResponse,
			"HTTP/1.1 404 No\r\nContent-Type: text/html\r\n\r\n<a href=/from-error>")
	for name, file := range map[string]string{
		"plain":      write(t, dir, "p/x.warc", text),
		"members":    write(t, dir, "m/x.warc.gz", members(text)),
		"one member": write(t, dir, "o/x.warc.gz", zip(text)),
	} {
		t.Run(name, func(t *testing.T) {
			got, st, _ := read(t, Options{}, file)
			want := []string{
				"200 http://a.example/ /new", "301 http://a.example/moved /to",
				"404 http://a.example/gone",
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if st.Captures != 5 || st.URLs != 3 || st.Damaged != 0 || st.Records != 5 {
				t.Errorf("%+v", st)
			}
			if got, _, _ = read(t, Options{All: true}, file); len(got) != 5 {
				t.Errorf("all captures: %q", got)
			}
		})
	}
}

// members zips each record on its own.
func members(text string) string {
	var b strings.Builder
	for i, r := range strings.Split(text, "WARC/1.0\r\n") {
		if i > 0 {
			b.WriteString(zip("WARC/1.0\r\n" + r))
		}
	}
	return b.String()
}

func TestRevisits(t *testing.T) {
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
	revisit := func(uri, id, date, block string, more ...string) string {
		return rec("revisit", uri, id, date, httpResponse, block, more...)
	}
	for _, tt := range []struct {
		name, text string
		want       []string
		unresolved int
	}{
		{
			"by URI and date, links against its own URL",
			response("http://a.example/dir/", "1", day1, `<a href=x>`) +
				revisit("http://b.example/", "2", day2, head,
					"WARC-Refers-To-Target-URI: http://a.example/dir/", "WARC-Refers-To-Date: "+day1),
			[]string{"200 http://a.example/dir/ /dir/x", "200 http://b.example/ /x"},
			0,
		},
		{
			"by digest",
			response("http://a.example/", "1", day1, `<a href=x>`, "WARC-Payload-Digest: sha1:AAAA") +
				revisit("http://a.example/2", "2", day2, "", "WARC-Payload-Digest: sha1:AAAA"),
			[]string{"200 http://a.example/ /x", "200 http://a.example/2 /x"},
			0,
		},
		{
			"not modified: its own URL before",
			response("http://a.example/", "1", day1, `<a href=x>`) + revisit("http://a.example/", "2", day2,
				"HTTP/1.1 304 Not Modified\r\n\r\n"),
			[]string{"200 http://a.example/ /x"},
			0,
		},
		{
			"what it stands for is elsewhere",
			revisit("http://a.example/", "2", day2, head, "WARC-Payload-Digest: sha1:BBBB"),
			[]string{"200 http://a.example/ unresolved"},
			1,
		},
		{
			"a capture that can be read goes before one that cannot",
			response("http://a.example/", "1", day1, `<a href=x>`, "WARC-Payload-Digest: sha1:AAAA") +
				revisit("http://a.example/", "2", day2, head, "WARC-Payload-Digest: sha1:CCCC"),
			[]string{"200 http://a.example/ /x"},
			1,
		},
		{
			"of an error with the payload of a page its own head tells",
			response("http://a.example/", "1", day1, `<a href=x>`, "WARC-Payload-Digest: sha1:AAAA") +
				revisit("http://a.example/2", "2", day2, "HTTP/1.1 404 Not Found\r\n\r\n",
					"WARC-Payload-Digest: sha1:AAAA"),
			[]string{"200 http://a.example/ /x", "404 http://a.example/2"},
			0,
		},
		{
			"of a redirect, too",
			revisit("http://a.example/", "2", day2, "HTTP/1.1 302 Found\r\nLocation: /there\r\n\r\n",
				"WARC-Payload-Digest: sha1:3I42"),
			[]string{"302 http://a.example/ /there"},
			1,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, st, _ := read(t, Options{}, write(t, t.TempDir(), "x.warc", tt.text))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if st.Unresolved != tt.unresolved {
				t.Errorf("%d unresolved, want %d", st.Unresolved, tt.unresolved)
			}
		})
	}
}

// A revisit whose original shares its gzip member with other records, and so cannot be sought, does
// not take the place of the original as the page of their URL.
func TestRevisitsOfWhatCannotBeSought(t *testing.T) {
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
	same := "WARC-Payload-Digest: sha1:AAAA"
	unchanged := "HTTP/1.1 304 Not Modified\r\n\r\n"
	text := response("http://a.example/", "1", day1, `<a href=x>`, same) +
		rec("revisit", "http://a.example/", "2", day2, httpResponse, head, same) +
		rec("revisit", "http://a.example/", "3", day3, httpResponse, unchanged, same) +
		rec("revisit", "http://a.example/2", "4", day3, httpResponse, head, same)
	got, st, _ := read(t, Options{}, write(t, t.TempDir(), "x.warc.gz", zip(text)))
	want := []string{"200 http://a.example/ /x", "200 http://a.example/2 unresolved"}
	if diff := cmp.Diff(want, got); diff != "" || st.Unresolved != 3 {
		t.Errorf("%d unresolved\n%s", st.Unresolved, diff)
	}
	dir := t.TempDir()
	for _, names := range [][]string{{"1.warc", "2.warc.gz"}, {"1.warc.gz", "2.warc"}} {
		var paths []string
		for _, name := range names { // the same records twice, to be sought where they are not packed
			packed := text
			if strings.HasSuffix(name, ".gz") {
				packed = zip(text)
			}
			paths = append(paths, write(t, dir, name, packed))
		}
		if _, st, _ := read(t, Options{}, paths...); st.Unresolved != 0 {
			t.Errorf("%v: %d of %d unresolved", names, st.Unresolved, st.Revisits)
		}
	}
}

// Records that browsertrix-crawler, GNU wget and Heritrix write beside pages are no pages, and name
// the seeds.
func TestWhatIsNoPage(t *testing.T) {
	text := rec("warcinfo", "", "0", day1, "application/warc-fields",
		"software: Wget/1.21\r\nwget-arguments: \"-p\" \"http://seed.example\"\r\n") +
		rec("request", "http://a.example/form", "q", day1, "application/http; msgtype=request",
			"POST /form HTTP/1.1\r\n\r\na=b") +
		response("http://a.example/form", "r", day1, "<a href=answer>", "WARC-Concurrent-To: <urn:uuid:q>") +
		response("http://a.example/search", "s", day1, "<a href=answer>") +
		rec("request", "http://a.example/search", "t", day1, "application/http; msgtype=request",
			"POST /search HTTP/1.1\r\n\r\n", "WARC-Concurrent-To: <urn:uuid:s>") +
		rec("resource", "urn:pageinfo:http://a.example/", "p", day1, "application/json", "{}") +
		rec("resource", "http://a.example/page", "h", day1, "text/html", "<a href=linked>") +
		rec("resource", "dns:a.example", "d", day1, "text/dns", "x") +
		response("<http://a.example/brackets>", "b", day1, "") +
		rec("request", "http://a.example/brackets", "u", day1, "application/http; msgtype=request",
			"HTTP/1.1 200 OK\r\n\r\n", "WARC-Concurrent-To: <urn:uuid:b>") + // as wabac.js wrote them
		rec("metadata", "http://a.example/seed", "m", day1, "application/warc-fields",
			"hopsFromSeed: \r\nfetchTimeMs: 3\r\n") +
		rec("metadata", "http://a.example/found", "n", day1, "application/warc-fields",
			"via: http://a.example/seed\r\nhopsFromSeed: L\r\n")
	got, st, seeds := read(t, Options{}, write(t, t.TempDir(), "x.warc", text))
	if diff := cmp.Diff([]string{"200 http://a.example/page /linked", "200 http://a.example/brackets"},
		got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]page.URL{"http://a.example/seed", "http://seed.example/"}, seeds); diff != "" {
		t.Error(diff)
	}
	if st.Damaged != 0 {
		t.Errorf("%+v", st)
	}
}

func TestDamageIsPassedOver(t *testing.T) {
	dir := t.TempDir()
	whole := []string{response("http://a.example/1", "1", day1, ""), response("http://a.example/2", "2", day1,
		""), response("http://a.example/3", "3", day1, "")}
	broken := []byte(members(whole[1]))
	broken[len(broken)/2] ^= 0x55
	path := write(t, dir, "x.warc.gz", members(whole[0])+string(broken)+members(whole[2])+"\x1f\x8b\x08")
	write(t, dir, "y.warc", whole[1][:len(whole[1])-20])
	var told []Damage
	got, st, _ := read(t, Options{Damaged: func(d Damage) { told = append(told, d) }}, dir)
	if diff := cmp.Diff([]string{"200 http://a.example/1", "200 http://a.example/3"}, got); diff != "" {
		t.Error(diff)
	}
	if len(told) != 3 || st.Damaged != 3 {
		t.Fatalf("%v", told)
	}
	slices.SortFunc(told, func(a, b Damage) int { return strings.Compare(a.String(), b.String()) })
	if first := told[0]; first.File != path || first.Offset != int64(len(members(whole[0]))) {
		t.Errorf("%v", first)
	}
	if _, err := Open(context.Background(), []string{filepath.Join(dir, "y.warc")},
		Options{}); !errors.Is(err, ErrNothing) {
		t.Errorf("nothing readable: %v", err)
	}
	if _, err := Open(context.Background(), []string{filepath.Join(dir, "none")}, Options{}); !errors.Is(err,
		os.ErrNotExist) {
		t.Errorf("no such file: %v", err)
	}
}

// Bodies that were stored decoded, or are coded and in chunks, are read alike; text and payload
// come on request.
func TestBodies(t *testing.T) {
	page := "<title>T</title><p>Some <b>text</b></p><a href=/x>"
	coded := zip(page)
	block := func(fields, body string) string {
		return "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + fields + "\r\n" + body
	}
	for name, b := range map[string]string{
		"plain": block("", page),
		"coded": block("Content-Encoding: gzip\r\n", coded),
		"chunked": block("Transfer-Encoding: chunked\r\n", fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n",
			len(page), page)),
		"coded, chunked": block("Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
			fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(coded), coded)),
		"decoded already": block("Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", page),
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, t.TempDir(), "x.warc", rec("response", "http://a.example/", "1", day1,
				httpResponse, b))
			c, err := Open(context.Background(), []string{path}, Options{
				Text: true, Body: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close() //nolint:errcheck // nothing is open
			n := 0
			err = c.Pages(context.Background(), func(p *Page) error {
				n++
				if string(p.Body.Bytes) != page ||
					strings.Join(strings.Fields(string(p.Text)), " ") != "Some text" || p.Title != "T" ||
					len(p.Links) != 1 {
					t.Errorf("%+v, text %q", p.Body, p.Text)
				}
				if p.Digest.IsZero() || p.Size == 0 {
					t.Error("no digest")
				}
				return nil
			})
			if err != nil || n != 1 {
				t.Error(n, err)
			}
		})
	}
}

func TestIndexSelects(t *testing.T) {
	dir := t.TempDir()
	a, b := zip(response("http://a.example/1", "1", day1, "<a href=x>")),
		zip(response("http://a.example/2", "2", day1, ""))
	write(t, dir, "archive/x.warc.gz", a+b)
	post := archive.Entry{
		Key: "example,a)/3", Timestamp: "20260101000000", URL: "http://a.example/3",
		Status: "200", File: "x.warc.gz", Length: int64(len(b)), Offset: int64(len(a)),
		Extra: map[string]string{"method": "POST"},
	}
	lost := archive.Entry{
		Key: "example,a)/4", Timestamp: "20260101000000", URL: "http://a.example/4",
		Status: "200", File: "lost.warc.gz", Length: 10,
	}
	want := archive.Entry{
		Key: "example,a)/1", Timestamp: "20260101000000", URL: "http://a.example/1",
		Status: "200", MIME: "text/html", File: "x.warc.gz", Length: int64(len(a)),
	}
	var lines []byte
	for _, e := range []archive.Entry{want, post, lost, lost} {
		lines = e.Append(lines)
	}
	for name, path := range map[string]string{
		"plain":  write(t, dir, "indexes/index.cdxj", string(lines)),
		"zipped": write(t, dir, "indexes/index.cdxj.gz", zip(string(lines))),
	} {
		got, st, _ := read(t, Options{}, path)
		if diff := cmp.Diff([]string{"200 http://a.example/1 /x"}, got); diff != "" {
			t.Error(name, diff)
		}
		if st.Damaged != 1 {
			t.Errorf("%s: %+v", name, st)
		}
	}
}

func TestLinkLists(t *testing.T) {
	text := "# a remark\nhttp://a.example/ http://a.example/1\nHTTP://a.example\thttp://a.example/2 " +
		"embed\n\nhttp://a.example/1\nhttp://a.example/ http://a.example/3\n" +
		"http://a.example/1 mailto:x@y\nftp://no.example/ http://a.example/\nhttp://a.example/2 " +
		"http://a.example/1 sideways\n"
	want := []string{
		"200 http://a.example/ /1 /2", "200 http://a.example/1", "200 http://a.example/ /3",
		"200 http://a.example/1", "200 http://a.example/2",
	}
	dir := t.TempDir()
	for _, path := range []string{write(t, dir, "links.txt", text), write(t, dir, "links.gz", zip(text))} {
		got, st, _ := read(t, Options{}, path)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if st.Damaged != 2 { // the ftp line, the unknown kind
			t.Errorf("%+v", st)
		}
	}
}

// The pages and their order do not depend on how many are read at a time, and whoever stops is not
// waited for.
func TestOrder(t *testing.T) {
	dir := t.TempDir()
	for f := range 3 {
		var b strings.Builder
		for i := range 50 {
			b.WriteString(zip(response(fmt.Sprintf("http://a.example/%d/%d", f, i), fmt.Sprint(f, i), day1,
				strings.Repeat("<a href=x></a>", i*i/5))))
		}
		write(t, dir, fmt.Sprintf("%d.warc.gz", f), b.String())
	}
	one, _, _ := read(t, Options{Workers: 1}, dir)
	if len(one) != 150 {
		t.Fatal(len(one))
	}
	for range 3 {
		if many, _, _ := read(t, Options{Workers: 7}, dir); !slices.Equal(one, many) {
			t.Error("another order")
		}
	}
	c, err := Open(context.Background(), []string{dir}, Options{Workers: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // nothing is open
	enough := errors.New("enough")
	n := 0
	if err := c.Pages(context.Background(), func(*Page) error {
		if n++; n == 5 {
			return enough
		}
		return nil
	}); !errors.Is(err, enough) || n != 5 {
		t.Error(n, err)
	}
}

func FuzzListLine(f *testing.F) {
	f.Add("http://a.example/ http://b.example/ embed")
	f.Add("\t# x")
	f.Fuzz(func(t *testing.T, text string) {
		r := listReader{c: &Corpus{}, f: &file{}}
		pages := 0
		emit := func(read func() *Page) error {
			pages++
			if p := read(); p.URL == "" || !p.Listed {
				t.Errorf("%+v", p)
			}
			return nil
		}
		if err := r.read(strings.NewReader(text), emit); err == nil && pages > strings.Count(text, "\n")+1 {
			t.Errorf("%d pages of %q", pages, text)
		}
	})
}

// TestTexts: the text of a page counts where the page itself is not there; a folder without archives is
// an error, whatever files it has.
func TestTexts(t *testing.T) {
	dir := t.TempDir()
	const words = "some words of a page"
	wet := write(t, dir, "wet/x.warc", rec("conversion", "http://a.example/", "1", day2, "text/plain", words)+
		rec("conversion", "http://a.example/held", "2", day2, "text/plain", words)+
		rec("conversion", "http://a.example/picture", "3", day2, "image/png", "PNG")+
		response("http://a.example/held", "4", day1, "<p>the page itself"))
	c, err := Open(t.Context(), []string{wet}, Options{Text: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	err = c.Pages(t.Context(), func(p *Page) error {
		if p.Digest.IsZero() || p.Status != 200 || p.Time.IsZero() {
			t.Errorf("%+v", p.Visit)
		}
		got = append(got, fmt.Sprintf("%s %s", p.URL, bytes.TrimSpace(p.Text)))
		return nil
	})
	if err := errors.Join(err, c.Close()); err != nil {
		t.Fatal(err)
	}
	want := []string{"http://a.example/ " + words, "http://a.example/held the page itself"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if st := c.Stats(); st.URLs != len(want) || st.Captures < st.URLs {
		t.Errorf("%+v", st)
	}
	write(t, dir, "kept/www.site.example/page.html", "<p>"+words)
	if err := os.MkdirAll(filepath.Join(dir, "empty"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"kept", "empty"} {
		if _, err := Open(t.Context(), []string{filepath.Join(dir, name)}, Options{}); !errors.Is(err,
			ErrNothing) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
