package coding

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
)

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestList(t *testing.T) {
	got := List(" GZIP ,identity", "", "br,chunked")
	if diff := cmp.Diff([]string{"gzip", "br"}, got); diff != "" {
		t.Error(diff)
	}
}

// A body that was decoded by whoever stored it, with its field kept, is read as it is.
func TestDecodedAlready(t *testing.T) {
	var d Decoder
	body, err := d.Decode(strings.NewReader("<html>"), []string{"gzip"}, 100)
	if string(body.Bytes) != "<html>" || body.Err == nil || err != nil {
		t.Errorf("%q, %v, %v", body.Bytes, body.Err, err)
	}
}

// Members without text are read as far as excess goes, however many follow each other; a text in
// small members is read to its end.
func TestBarren(t *testing.T) {
	empty := zipped(t, "")
	var d Decoder
	src := &counted{r: strings.NewReader(strings.Repeat(empty, 10*excess/len(empty)))}
	body, err := d.Decode(src, []string{"gzip"}, 16<<20)
	if body.Err == nil || err != nil || len(body.Bytes) != 0 || src.n > excess+8<<10 {
		t.Errorf("%d bytes read; %v, %v", src.n, body.Err, err)
	}
	long := strings.Repeat("0123456789abcdef", excess/4)
	// not coded at all, not as it claims to be, and by what nobody knows
	for _, names := range [][]string{nil, {"gzip"}, {"rot13"}} {
		body, err = d.Decode(strings.NewReader(long), names, 16<<20)
		if err != nil || string(body.Bytes) != long {
			t.Errorf("%v: %d of %d bytes; %v", names, len(body.Bytes), len(long), err)
		}
	}
	small := zipped(t, "a line of text\n")
	n := 4 * excess / len(small)
	body, err = d.Decode(strings.NewReader(strings.Repeat(small, n)), []string{"gzip"}, 16<<20)
	if body.Err != nil || err != nil || len(body.Bytes) != n*len("a line of text\n") {
		t.Errorf("%d of %d bytes; %v, %v", len(body.Bytes), n*15, body.Err, err)
	}
}

// A body without a coding is read as far as the limit goes, however long it is.
func TestPlain(t *testing.T) {
	var d Decoder
	text := strings.Repeat("plain ", 5*excess/6)
	if body, err := d.Decode(strings.NewReader(text), nil, 16<<20); body.Err != nil || err != nil ||
		string(body.Bytes) != text {
		t.Errorf("%d of %d bytes; %v, %v", len(body.Bytes), len(text), body.Err, err)
	}
}

// counted counts what is read.
type counted struct {
	r io.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

// A source that breaks is told apart from a coding that is broken.
func TestSourceBreaks(t *testing.T) {
	broken := errors.New("disk")
	gz := zipped(t, strings.Repeat("text ", 1000))
	var d Decoder
	body, err := d.Decode(io.MultiReader(strings.NewReader(gz[:40]), iotest.ErrReader(broken)),
		[]string{"gzip"}, 1<<20)
	if !errors.Is(err, broken) || body.Err != nil {
		t.Errorf("%v, %v", err, body.Err)
	}
	body, err = d.Decode(strings.NewReader(gz[:40]), []string{"gzip"}, 1<<20)
	if err != nil || body.Err == nil {
		t.Errorf("cut: %v, %v", err, body.Err)
	}
	body, err = d.Decode(strings.NewReader(gz[:40]), []string{"br", "gzip"}, 1<<20)
	if err != nil || body.Err == nil || errors.Is(body.Err, ErrWhole) {
		t.Errorf("cut, and without one of two codings: %v, %v", err, body.Err)
	}
	body, err = d.Decode(strings.NewReader(gz), []string{"br", "gzip"}, 1<<20)
	if err != nil || !errors.Is(body.Err, ErrWhole) || len(body.Bytes) != 5000 {
		t.Errorf("without one of two codings: %d bytes, %v, %v", len(body.Bytes), err, body.Err)
	}
	body, err = d.Decode(strings.NewReader(gz), []string{"gzip"}, 1<<20)
	if err != nil || body.Err != nil || len(body.Bytes) != 5000 {
		t.Errorf("after a broken one: %d bytes, %v, %v", len(body.Bytes), err, body.Err)
	}
}

// TestUnknown: bytes of a coding that nobody knows may be anything.
func TestUnknown(t *testing.T) {
	var d Decoder
	body, err := d.Decode(strings.NewReader("\x01\x02\x80"), []string{"dcb"}, 1<<20)
	if err != nil || body.Err == nil || errors.Is(body.Err, ErrWhole) {
		t.Errorf("%q, %v, %v", body.Bytes, body.Err, err)
	}
}

// TestUndone: a body that was stored decoded is left as it is, whatever coding its field claims; a
// coded one, however short, is not taken for text.
func TestUndone(t *testing.T) {
	texts := []string{
		"<!doctype html><a href=x>y</a>", "text",
		strings.Repeat("<p>ä words of a page\n", 600), "{}",
	}
	for _, name := range []string{"br", "deflate", "gzip", "zstd", "utf-8"} {
		for _, text := range texts {
			var d Decoder
			body, err := d.Decode(strings.NewReader(text), []string{name}, 1<<20)
			if err != nil || string(body.Bytes) != text || !errors.Is(body.Err, ErrWhole) {
				t.Errorf("%s: %.40q, %v, %v", name, body.Bytes, body.Err, err)
			}
		}
	}
	for _, text := range texts {
		var b bytes.Buffer
		w := brotli.NewWriter(&b)
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		var d Decoder
		if body, err := d.Decode(&b, []string{"br"}, 1<<20); err != nil || string(body.Bytes) != text ||
			body.Err != nil {
			t.Errorf("coded %.40q: %.40q, %v", text, body.Bytes, body.Err)
		}
	}
}
