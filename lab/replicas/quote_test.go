package replicas

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"watershed/replica/sketch"
)

// TestQuote: the words found for a feature have that feature, whatever stands around them.
func TestQuote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := sketch.Options{
			Width: rapid.IntRange(1, 5).Draw(t, "width"),
			Salt:  rapid.Uint64Range(0, 2).Draw(t, "salt"),
		}
		word := rapid.SampledFrom([]string{
			"rose", "IS", "a", "café", "мир", "港", "2026",
			"e\u0301te", "naïve",
		})
		gap := rapid.SampledFrom([]string{" ", ", ", "-", "\n"})
		var text strings.Builder
		for range rapid.IntRange(0, 30).Draw(t, "words") {
			text.WriteString(word.Draw(t, "word") + gap.Draw(t, "gap"))
		}
		b, err := sketch.NewBuilder(o)
		if err != nil {
			t.Fatal(err)
		}
		b.Text([]byte(text.String()))
		s := b.Sketch()
		quotes, err := quote([]byte(text.String()), append(slices.Clone(s.Values), 1), o)
		if err != nil {
			t.Fatal(err)
		}
		if !s.Short && len(quotes) != len(s.Values) {
			t.Fatalf("%q: %d of %d features found", text.String(), len(quotes), len(s.Values))
		}
		for f, words := range quotes {
			b.Text([]byte(words))
			if q := b.Sketch(); len(q.Values) != 1 || q.Values[0] != f {
				t.Fatalf("%q is %x, not %x", words, q.Values, f)
			}
		}
	})
}
