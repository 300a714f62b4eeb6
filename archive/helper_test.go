package archive

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"watershed/internal/extsort"
	"watershed/page"
)

var start = time.Date(2026, 3, 4, 5, 6, 7, 890_000_000, time.UTC)

// exchange makes what a fetch would hand over: request and response are given with "\n" for line
// ends in their heads.
func exchange(url page.URL, head, body string) *page.Exchange {
	head = strings.ReplaceAll(strings.TrimSpace(head), "\n", "\r\n") + "\r\n\r\n"
	request := "GET " + url.PathQuery() + " HTTP/1.1\r\nHost: " + string(url.Host()) +
		"\r\nUser-Agent: test\r\n\r\n"
	x := &page.Exchange{
		URL: url, Method: "GET", Start: start, Duration: 1234 * time.Millisecond,
		Remote:   netip.MustParseAddrPort("192.0.2.7:80"),
		Request:  section(request),
		Response: section(head + body),
		Head:     int64(len(head)),
	}
	tp := textproto.NewReader(bufio.NewReader(strings.NewReader(head)))
	line, _ := tp.ReadLine()
	x.Header, _ = tp.ReadMIMEHeader()
	x.Status = int(line[9]-'0')*100 + int(line[10]-'0')*10 + int(line[11]-'0')
	return x
}

func section(s string) *io.SectionReader {
	return io.NewSectionReader(strings.NewReader(s), 0, int64(len(s)))
}

func testWriter(t testing.TB, o Options) *Writer {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	o.Host = cmp.Or(o.Host, "test.example")
	w, err := NewWriter(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func capture(t testing.TB, x *page.Exchange, m Meta, o page.Origin) []Draft {
	t.Helper()
	drafts, err := Capture(x, m, o)
	if err != nil {
		t.Fatal(err)
	}
	return drafts
}

func write(t testing.TB, w *Writer, drafts ...Draft) []page.Location {
	t.Helper()
	locs, err := w.Write(drafts...)
	if err != nil {
		t.Fatal(err)
	}
	return locs
}

// chunks puts a body into chunked transfer coding, n bytes a chunk.
func chunks(body string, n int) string {
	var b bytes.Buffer
	for len(body) > 0 {
		part := body[:min(n, len(body))]
		body = body[len(part):]
		b.WriteString(strings.ToUpper(hexInt(len(part))) + "\r\n" + part + "\r\n")
	}
	b.WriteString("0\r\n\r\n")
	return b.String()
}

func hexInt(n int) string {
	const digits = "0123456789abcdef"
	s := ""
	for ; n > 0; n /= 16 {
		s = string(digits[n%16]) + s
	}
	return s
}

// wholeAt reports, by a nil error, that the record at the location is there from its first byte to
// its last: the gzip member ends where the location says and its checksum is right. It reads the
// record once.
func wholeAt(dir string, loc page.Location) (err error) {
	path, err := find(dir, loc.File)
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r := emptyReader(rawBuffer)
	rec, err := r.openAt(f, loc)
	if err != nil {
		return err
	}
	got, err := r.Location()
	switch {
	case err != nil:
		return err
	case got != loc:
		return r.format(errLength, fmt.Sprintf("record takes %d bytes, not %d", got.Length, loc.Length))
	case !r.zipped && rec.Quirks&QuirkTrailer != 0: // a plain record has no other mark of its end
		return r.format(errTruncated, "the line ends behind the block are missing")
	}
	return nil
}

// indexWARC calls yield with the entries of a file.
func indexWARC(path string, yield func(Entry) error) error {
	return (&Source{Path: path}).Entries(yield)
}

// checkFile checks a file alone.
func checkFile(path string) (Report, error) {
	dir, err := os.MkdirTemp("", "check-")
	if err != nil {
		return Report{}, err
	}
	list, err := checkFiles(dir, path)
	if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
		return Report{}, err
	}
	return list[0], nil
}

// checkFiles checks files together, each with its relations; ids are sorted in dir.
func checkFiles(dir string, paths ...string) (list []Report, err error) {
	spill, err := extsort.OpenDir(filepath.Join(dir, "ids"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, spill.Close(), os.RemoveAll(filepath.Join(dir, "ids"))) }()
	c := Checker{Spill: spill}
	for _, path := range paths {
		rep, err := c.Check(context.Background(), &Source{Path: path})
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
		list = append(list, rep)
	}
	err = c.Finish(context.Background(), func(more Report) {
		i := slices.IndexFunc(list, func(rep Report) bool { return rep.File == more.File })
		for _, p := range more.Problems {
			list[i].add(p)
		}
		list[i].Unnamed += more.Unnamed
	})
	return list, err
}

// dnsRecord drafts the record of a host's addresses, one of each kind.
func dnsRecord(host string) Draft {
	return Resource("dns:"+host, "text/dns", start, []byte("20260304050607\n"+
		host+".\tIN\tA\t192.0.2.7\n"+host+".\tIN\tAAAA\t2001:db8::7\n"))
}
