package collections

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"
)

func fingerprints(t rapid.TB, o ChunkOptions, pieces ...string) Fingerprints {
	t.Helper()
	c, err := NewChunker(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pieces {
		c.Text([]byte(p))
	}
	return c.Page()
}

func TestChunks(t *testing.T) {
	word := strings.Repeat("a", 36) // two do not fit into a line
	long := strings.Repeat("b", lineWidth)
	for _, test := range []struct {
		name   string
		pieces []string
		lines  []string // as the package comment's rules give them
	}{
		{"words fill a line", []string{"one  two\tthree"}, []string{"one two three"}},
		{"73 columns wrap", []string{word + " " + word}, []string{word, word}},
		{"72 columns do not", []string{word + " " + word[1:]}, []string{word + " " + word[1:]}},
		{"a block ends a line", []string{"One", "\n", "two"}, []string{"one", "two"}},
		{"a line end in text does not", []string{"One\n", "two"}, []string{"one two"}},
		{"empty lines do not count", []string{"one", "\n", "\n", " ", "\n", "two"}, []string{"one", "two"}},
		{"a long word is cut", []string{long + "c"}, []string{long, "c"}},
		{
			"no blanks in the script",
			[]string{strings.Repeat("本", lineWidth+1)},
			[]string{strings.Repeat("本", lineWidth), "本"},
		},
		{"letters are small", []string{"ÄRGER Σ"}, []string{"ärger σ"}},
		{"bytes that are no text", []string{"a\xffb"}, []string{"a\ufffdb"}},
		{"a code point in two pieces", []string{"\xc3", "\xa4"}, []string{"ä"}},
		{"a code point cut by a block", []string{"\xc3", "\n", "a"}, []string{"\ufffd", "a"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var want []uint64
			for part := range slices.Chunk(test.lines, 2) {
				want = append(want, xxh3.HashString(strings.Join(part, "\n")+"\n"))
			}
			if got := fingerprints(t, ChunkOptions{Chunking: TwoLines},
				test.pieces...); !slices.Equal(got.Chunks, want) {
				t.Errorf("chunks %x, want those of %q", got.Chunks, test.lines)
			}
		})
	}
}

func TestWhole(t *testing.T) {
	text := "one two three four five six seven eight nine ten eleven twelve"
	whole := fingerprints(t, ChunkOptions{Chunking: WholeDocument}, text)
	if want := xxh3.HashString(text + " "); whole.Whole != want || whole.Chunks != nil {
		t.Errorf("fingerprints %x, want whole %x and no chunks", whole, want)
	}
	if got := fingerprints(t, ChunkOptions{}, strings.ToUpper(text[:19]), "\n",
		text[19:]); got.Whole != whole.Whole {
		t.Error("blocks and case change the fingerprint of the whole text")
	}
	if got := fingerprints(t, ChunkOptions{}, text[:len(text)-7]); got.Whole != 0 {
		t.Error("a text of 11 words has a fingerprint")
	}
	if got := fingerprints(t, ChunkOptions{Narrow: true}, text); got.Whole>>32 != 0 || got.Whole == 0 {
		t.Errorf("narrow fingerprint %x", got.Whole)
	}
}

func TestChunkOptions(t *testing.T) {
	for _, o := range []ChunkOptions{{Chunking: 7}, {MinWords: -1}} {
		if _, err := NewChunker(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// TestPieces cuts a text anywhere, also within a code point.
func TestPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-zÄß本\x{80}-\x{ff} ]{0,30}[ \t]){0,20}`).Draw(t, "text")
		text += string(rapid.SliceOfN(rapid.Byte(), 0, 8).Draw(t, "bytes")) + "x"
		var pieces []string
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			if rest[:n] == "\n" {
				n = len(rest)
			}
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		sameInPieces(t, pieces)
	})
	// A line end within a piece behind the start of a code point is not the piece "\n".
	sameInPieces(t, []string{"\xc2", "\xc2\n", "x"})
	sameInPieces(t, []string{"\xc2", strings.Repeat("\xc2", 1<<20), "x"})
}

// sameInPieces checks that a text in pieces has the fingerprints that it has in one.
func sameInPieces(t rapid.TB, pieces []string) {
	t.Helper()
	want := fingerprints(t, ChunkOptions{Chunking: TwoLines, MinWords: 1}, strings.Join(pieces, ""))
	got := fingerprints(t, ChunkOptions{Chunking: TwoLines, MinWords: 1}, pieces...)
	if got.Whole != want.Whole || !slices.Equal(got.Chunks, want.Chunks) {
		t.Fatalf("cut as %.50q: %x, want %x", pieces, got, want)
	}
}

// FuzzChunker checks that lines hold no more than they may, by an independent wrapping of the
// words.
func FuzzChunker(f *testing.F) {
	f.Add("some words\xff and\nothers "+strings.Repeat("long", 30), uint8(3))
	f.Fuzz(func(t *testing.T, text string, cut uint8) {
		if text == "\n" || strings.ContainsFunc(text, func(r rune) bool {
			return r < ' ' || r == 0x7f || 0x80 <= r && r < 0xa0
		}) {
			return
		}
		n := min(int(cut), len(text))
		if text[:n] == "\n" || text[n:] == "\n" {
			return
		}
		var lines []string
		line, columns := "", 0
		for _, word := range strings.Fields(strings.ToLower(strings.ToValidUTF8(perByte(text), "\ufffd"))) {
			for word != "" {
				part, size := word, 0
				for i := range word {
					if size == lineWidth {
						part = word[:i]
						break
					}
					size++
				}
				word = word[len(part):]
				if size = utf8.RuneCountInString(part); columns > 0 && columns+1+size > lineWidth {
					lines, line, columns = append(lines, line), "", 0
				}
				if columns > 0 {
					line, columns = line+" ", columns+1
				}
				line, columns = line+part, columns+size
			}
		}
		if columns > 0 {
			lines = append(lines, line)
		}
		var want []uint64
		for part := range slices.Chunk(lines, 4) {
			want = append(want, xxh3.HashString(strings.Join(part, "\n")+"\n"))
		}
		if got := fingerprints(t, ChunkOptions{}, text[:n], text[n:]); !slices.Equal(got.Chunks, want) {
			t.Errorf("%q: %x, want %q", text, got.Chunks, lines)
		}
	})
}

// perByte puts a replacement character for each invalid byte, as decoding one by one does.
func perByte(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r)
	}
	return b.String()
}

func BenchmarkChunker(b *testing.B) {
	c, err := NewChunker(ChunkOptions{})
	if err != nil {
		b.Fatal(err)
	}
	text := []byte("Many web documents such as JAVA FAQs are being replicated on the Internet. ")
	b.SetBytes(int64(len(text)) * 200)
	b.ReportAllocs()
	for b.Loop() {
		for range 200 {
			c.Text(text)
		}
		c.Page()
	}
}
