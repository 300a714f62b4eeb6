package archive

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http/httputil"
	"strings"
	"testing"
	"testing/iotest"

	"watershed/internal/coding"
)

func TestDechunk(t *testing.T) {
	for _, tt := range []struct {
		name, in, want string
		err            error
	}{
		{"RFC 9112 style", "4\r\nWiki\r\n5\r\npedia\r\n0\r\n\r\n", "Wikipedia", nil},
		{"extension and trailer", "4;a=b\r\nWiki\r\n0\r\nX: y\r\n\r\n", "Wiki", nil},
		{"bare LF", "4\nWiki\n0\n\n", "Wiki", nil},
		{"padded size", "0004 \r\nWiki\r\n0\r\n\r\n", "Wiki", nil},
		{"nothing", "0\r\n\r\n", "", nil},
		{"no last line", "4\r\nWiki\r\n0\r\n", "Wiki", nil},
		{"cut in the data", "10\r\nWiki", "Wiki", errChunkCut},
		{"cut before the last chunk", "4\r\nWiki\r\n", "Wiki", errChunkCut},
		{"empty", "", "", errChunkCut},
		{"no size", "4\r\nWiki\r\nzz\r\n", "Wiki", errChunkSize},
		{"overlong data", "4\r\nWikipedia\r\n0\r\n\r\n", "Wiki", errChunkEnd},
		{"the greatest size", "7fffffffffffffff\r\nWiki", "Wiki", errChunkCut},
		{"size beyond 64 bits", "fffffffffffffffff\r\nWiki", "Wiki", errChunkCut},
		{"endless size line", strings.Repeat("0", 10000), "", errChunkSize},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDechunker(bufio.NewReader(iotest.OneByteReader(strings.NewReader(tt.in))))
			got, err := io.ReadAll(d)
			if err != nil || string(got) != tt.want || !errors.Is(d.err, tt.err) {
				t.Errorf("%q, %v, framing %v; want %q, framing %v", got, err, d.err, tt.want, tt.err)
			}
		})
	}
}

// A size line is bounded whatever the reader holds.
func TestDechunkLongLine(t *testing.T) {
	for _, size := range []int{coding.MaxChunkLine, 16 * coding.MaxChunkLine} {
		long := "4;" + strings.Repeat("x", coding.MaxChunkLine) + "\r\nWiki\r\n0\r\n\r\n"
		d := newDechunker(bufio.NewReaderSize(strings.NewReader(long), size))
		if got, err := io.ReadAll(d); err != nil || len(got) > 0 || !errors.Is(d.err, errChunkSize) {
			t.Errorf("a buffer of %d: %q, %v, framing %v", size, got, err, d.err)
		}
	}
}

func TestDechunkDiskError(t *testing.T) {
	broken := errors.New("disk")
	d := newDechunker(bufio.NewReader(io.MultiReader(strings.NewReader("5\r\nab"), iotest.ErrReader(broken))))
	if _, err := io.ReadAll(d); !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the reader", err)
	}
}

// Where net/http's reader finds no fault ours gives the same bytes.
func FuzzDechunk(f *testing.F) {
	for _, s := range []string{"4\r\nWiki\r\n0\r\n\r\n", "1;x\r\na\r\n0\r\nT: u\r\n\r\n", "a\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		want, fault := io.ReadAll(httputil.NewChunkedReader(bytes.NewReader(in)))
		d := newDechunker(bufio.NewReader(bytes.NewReader(in)))
		got, err := io.ReadAll(d)
		if err != nil {
			t.Fatal(err)
		}
		if fault == nil && (d.err != nil || !bytes.Equal(got, want)) {
			t.Errorf("%q gives %q, %v; net/http says %q", in, got, d.err, want)
		}
	})
}

// A body that says chunked and is not is its own payload.
func TestPayloadWithoutChunks(t *testing.T) {
	endless := "5;" + strings.Repeat("x", coding.MaxChunkLine)
	for _, body := range []string{"<html>", "face to face", endless} {
		head := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
		m, err := readMessage(strings.NewReader(head + body))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(m.Payload()); err != nil || string(got) != body {
			t.Errorf("%.20q: %.20q, %v", body, got, err)
		}
	}
}

// TestOddHeads reads what servers that are older than HTTP/1.0, or other than it, have answered, as wget
// archives it.
func TestOddHeads(t *testing.T) {
	for _, c := range []struct {
		name, block string
		status      int
		body, mime  string
	}{
		{"HTTP/0.9", "<TITLE>CERN</TITLE>\n<P>words", 200, "<TITLE>CERN</TITLE>\n<P>words", ""},
		{"a stream's", "ICY 200 OK\r\nContent-Type: audio/mpeg\r\n\r\nID3", 200, "ID3", "audio/mpeg"},
		{"a status alone", "HTTP/1.1 200 OK\r\n", 200, "", ""},
		{"of no known meaning", "HTTP/1.1 099 Odd\r\nContent-Type: text/html\r\n\r\nx", 0, "x", "text/html"},
	} {
		m, err := readMessage(strings.NewReader(c.block))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		body, err := io.ReadAll(m.Body)
		if err != nil || m.Status != c.status || string(body) != c.body || m.MIME() != c.mime {
			t.Errorf("%s: %d %q %q %v", c.name, m.Status, body, m.MIME(), err)
		}
	}
	for _, block := range []string{"", "no head at all", "GET / HTTP/1.1\r\n"} {
		if m, err := readMessage(strings.NewReader(block)); err == nil {
			t.Errorf("%q is read as %+v", block, m)
		}
	}
}
