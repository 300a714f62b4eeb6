package archive

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

func packed(t *testing.T, text string, open func(io.Writer) (io.WriteCloser, error)) string {
	t.Helper()
	var b bytes.Buffer
	w, err := open(&b)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestDecode(t *testing.T) {
	text := strings.Repeat("decoded ", 1000)
	gz := packed(t, text, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil })
	zl := packed(t, text, func(w io.Writer) (io.WriteCloser, error) { return zlib.NewWriter(w), nil })
	raw := packed(t, text, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, 6) })
	br := packed(t, text, func(w io.Writer) (io.WriteCloser, error) { return brotli.NewWriter(w), nil })
	zs := packed(t, text, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) })
	twice := packed(t, gz, func(w io.Writer) (io.WriteCloser, error) { return brotli.NewWriter(w), nil })
	for _, tt := range []struct {
		name, in string
		codings  []string
	}{
		{"none", text, nil},
		{"identity", text, []string{"identity"}},
		{"gzip", gz, []string{"gzip"}},
		{"x-gzip in capitals", gz, []string{" X-GZIP "}},
		{"zlib deflate", zl, []string{"deflate"}},
		{"raw deflate", raw, []string{"deflate"}},
		{"brotli", br, []string{"br"}},
		{"zstd", zs, []string{"zstd"}},
		{"two in one field", twice, []string{"gzip, br"}},
		{"two in two fields", twice, []string{"gzip", "br"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := Decode(strings.NewReader(tt.in), tt.codings, 1<<20)
			if string(b.Bytes) != text || b.Cut || b.Err != nil {
				t.Errorf("%d bytes, cut %v, %v", len(b.Bytes), b.Cut, b.Err)
			}
			b = Decode(strings.NewReader(tt.in), tt.codings, 100)
			if string(b.Bytes) != text[:100] || !b.Cut || b.Err != nil {
				t.Errorf("under a bound: %d bytes, cut %v, %v", len(b.Bytes), b.Cut, b.Err)
			}
		})
	}
	for _, tt := range []struct {
		name, in string
		codings  []string
	}{
		{"not known", text, []string{"sdch"}},
		{"not gzip at all", text, []string{"gzip"}},
		{"cut gzip", gz[:len(gz)/2], []string{"gzip"}},
		{"too many", text, []string{"gzip,gzip,gzip,gzip,gzip"}},
	} {
		if b := Decode(strings.NewReader(tt.in), tt.codings, 1<<20); b.Err == nil {
			t.Errorf("%s: no error, %d bytes", tt.name, len(b.Bytes))
		}
	}
}

// 63 KiB of gzip that would be 64 MiB give no more than the bound.
func TestDecodeBomb(t *testing.T) {
	bomb := gzipped(strings.Repeat("\x00", 64<<20))
	b := Decode(strings.NewReader(bomb), []string{"gzip"}, 1<<20)
	if len(b.Bytes) != 1<<20 || !b.Cut || cap(b.Bytes) > 4<<20 {
		t.Errorf("%d bytes of capacity %d, cut %v", len(b.Bytes), cap(b.Bytes), b.Cut)
	}
}
