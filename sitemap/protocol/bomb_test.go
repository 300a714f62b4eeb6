package protocol

import (
	"bytes"
	"compress/gzip"
	"errors"
	"strings"
	"testing"

	"watershed/lab/kit/bomb"
)

func layered(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(b)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestSwollen: a layer of gzip within another may be no longer than what is read of the last:
// members of nothing would swell it.
func TestSwollen(t *testing.T) {
	body := layered(t, bytes.Repeat(layered(t, nil), 1<<20))
	bomb.Holds(t, 64<<20, func() {
		if _, err := Read(bytes.NewReader(body), 1<<20,
			func(Kind, string) error { return nil }); !errors.Is(err, errTooLong) {
			t.Errorf("%d bytes: %v", len(body), err)
		}
	})
}

// TestBase: a long base is not written before each entry.
func TestBase(t *testing.T) {
	feed := "<feed xml:base='http://h.example/" + strings.Repeat("a", 15<<10) + "/'>" +
		strings.Repeat("<entry><link href='b'/></entry>", 1<<16)
	bomb.Holds(t, 512<<20, func() {
		n := 0
		_, err := Read(strings.NewReader(feed), MaxBytes, func(_ Kind, loc string) error {
			if n++; loc != "b" {
				return errors.New(loc[:20])
			}
			return nil
		})
		if err != nil || n != 1<<16 {
			t.Errorf("%d entries, %v", n, err)
		}
	})
}
