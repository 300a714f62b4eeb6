package sketch

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// samples are sketches of all kinds.
func samples(t testing.TB) []Sketch {
	var out []Sketch
	for _, o := range append(slices.Clone(all), Options{NoSuper: true}, Options{Width: 200}) {
		b := builder(t, o)
		for _, n := range []int{0, 1, 7, 150, 3000} {
			s := ofFeatures(b, 0, n, 4)
			out = append(out, s)
			b.Text([]byte(strings.Repeat("some words of a text ", n/5)))
			text := b.Sketch()
			out = append(out, text)
		}
	}
	return out
}

func TestEncode(t *testing.T) {
	var back Sketch
	for _, s := range samples(t) {
		p := s.AppendEncode([]byte("x"))[1:]
		if err := back.Decode(p); err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
		if diff := cmp.Diff(s, back, cmp.Transformer("empty", func(v []uint64) []uint64 {
			return append([]uint64{}, v...)
		})); diff != "" {
			t.Error(diff)
		}
		at := 8 + len(binary.AppendUvarint(nil, uint64(s.Scheme.Size))) + 1 +
			len(binary.AppendUvarint(nil, uint64(s.Tokens))) + 8
		if s.Scheme.Salt != 0 {
			at += 4
		}
		older := slices.Insert(slices.Clone(p), at, []byte("12345678")...)
		older[3] |= flagSkipped
		if err := new(Sketch).Decode(seal(older)); err != nil {
			t.Fatalf("with bytes to be skipped: %v", err)
		}
		reserved := slices.Clone(p)
		reserved[3] |= 4
		if err := new(Sketch).Decode(seal(reserved)); !errors.Is(err, errFormat) {
			t.Fatalf("a flag that no sketch has is set: %v", err)
		}
		pairs := slices.Clone(p)
		pairs[7] = 1
		if err := new(Sketch).Decode(seal(pairs)); !errors.Is(err, errFormat) {
			t.Fatalf("text without spaces cut by two characters: %v", err)
		}
		for i := range p {
			wrong := slices.Clone(p)
			wrong[i] ^= 0x10
			if err := new(Sketch).Decode(wrong); !errors.Is(err, errFormat) && !errors.Is(err, errVersion) {
				t.Fatalf("byte %d changed: %v", i, err)
			}
			if err := new(Sketch).Decode(p[:i]); !errors.Is(err, errFormat) {
				t.Fatalf("cut to %d bytes: %v", i, err)
			}
		}
	}
	if err := back.Decode([]byte("<html>")); !errors.Is(err, errFormat) || len(back.Values) > 0 {
		t.Errorf("foreign bytes: %v", err)
	}
}

// TestGolden holds the worked example of docs/formats/sketch.md, whose bytes were put together
// there by hand from the fields.
func TestGolden(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "formats", "sketch.md"))
	if err != nil {
		t.Fatal(err)
	}
	var text string
	for _, line := range strings.Split(string(doc), "\n") {
		if bytes, _, ok := strings.Cut(line, " # "); ok {
			text += strings.ReplaceAll(bytes, " ", "")
		}
	}
	want, err := hex.DecodeString(text)
	if err != nil || len(want) < 20 {
		t.Fatalf("example %q: %v", text, err)
	}
	b := builder(t, Options{Width: 4, NoSuper: true})
	b.Text([]byte("a rose is a rose is a rose"))
	s := b.Sketch()
	if got := s.AppendEncode(nil); !slices.Equal(got, want) {
		t.Errorf("got  %x\nwant %x", got, want)
	}
	if set := slowSet(Options{Width: 4}, strings.Fields("a rose is a rose is a rose")); !slices.Equal(set,
		s.Values) {
		t.Errorf("values %x, want %x", s.Values, set)
	}
}

// seal gives the bytes of a sketch with the checksum that they should have.
func seal(p []byte) []byte {
	body := slices.Clone(p[:len(p)-4])
	return binary.LittleEndian.AppendUint32(body, crc32.Checksum(body, castagnoli))
}

func FuzzDecode(f *testing.F) {
	for _, s := range samples(f) { // small ones: what fuzzing finds in a large one it shortens for minutes
		if p := s.AppendEncode(nil); len(p) <= 120 {
			f.Add(p, false)
		}
	}
	f.Add([]byte{}, true)
	f.Fuzz(func(t *testing.T, p []byte, sealed bool) {
		if sealed && len(p) >= 4 { // lets the fuzzer past the checksum
			p = seal(p)
		}
		var s Sketch
		if err := s.Decode(p); err != nil {
			if !errors.Is(err, errFormat) && !errors.Is(err, errVersion) {
				t.Fatal(err)
			}
			return
		}
		if again := s.AppendEncode(nil); !slices.Equal(again, p) && p[3]&flagSkipped == 0 {
			t.Fatalf("%x is decoded, and encoded as %x", p, again)
		}
		if _, err := Resemblance(&s, &s); err != nil {
			t.Fatal(err)
		}
	})
}
