package sketch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// fingerprints are those of the tokens that a Builder makes of pieces.
func fingerprints(b *Builder, pieces ...string) []uint64 {
	b.Reset()
	var all []uint64
	for _, p := range pieces {
		b.Text([]byte(p))
		all = append(all, b.fps[b.options.Width:b.n]...)
		b.n = b.options.Width
	}
	b.endWord()
	all = append(all, b.fps[b.options.Width:b.n]...)
	b.Reset()
	return all
}

func slowFingerprints(b *Builder, tokens []string) []uint64 {
	var all []uint64
	for _, t := range tokens {
		all = append(all, slowToken(fieldOf(b.options.Bits), t))
	}
	return all
}

func TestTokens(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
	}{
		{"case and marks", "The QUICK, brown-fox: 3rd 'jumps'!", "the quick brown fox 3rd jumps"},
		{"a word of eight", "abcdefgh ijklmnopq", "abcdefgh ijklmnopq"},
		{"composed or not", "caf\u00e9 cafe\u0301 CAFE\u0301", "caf\u00e9 caf\u00e9 caf\u00e9"},
		{"full folding", "Straße STRASSE ΜΆΪΟΣ ﬁn", "strasse strasse μάϊοσ fin"},
		{"compatibility forms", "Ｆｕｌｌ ｗｉｄｔｈ ½ x² ㎏ Å", "full width 1 2 x2 kg \u00e5"},
		{"invisible runes", "ex\u00adam\u200dple zero\u200bwidth \ufeffbom", "example zero width bom"},
		{"a mark is put in its order over what is invisible", "\u0345\u00ad\u0338", "ι"},
		{"a mark begins no word", "\u0301a = \u0338 b", "a b"},
		{"Chinese", "中文网页 abc网", "中 文 网 页 abc 网"},
		{"Japanese", "カタカナとコード ｶﾞ", "カ タ カ ナ と コ ー ド ガ"},
		{"Korean has spaces", "한국어 문서", "한국어 문서"},
		{"Thai", "ภาษาไทย", "ภ า ษ า ไ ท ย"},
		{"Arabic, Hindi", "مرحبا हिन्दी", "مرحبا हिन्दी"},
		{"broken bytes", "a\xffb\xc3 c\xe4\xb8", "a b c"},
		{"beyond the first plane", "𝐀𝐁 𐐀𐐨 𠀀𠀁", "ab 𐐨𐐨 𠀀 𠀁"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := builder(t, Options{})
			want := strings.Fields(tt.want)
			if got := slowTokens(tt.text); !slices.Equal(got, want) {
				t.Errorf("oracle: %q, want %q", got, want)
			}
			if !slices.Equal(fingerprints(b, tt.text), slowFingerprints(b, want)) {
				t.Errorf("tokens of %q are not %q", tt.text, want)
			}
		})
	}
}

// TestCanonicalSettles holds what describe takes for granted of every rune.
func TestCanonicalSettles(t *testing.T) {
	fold := cases.Fold()
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if r == 0xD800 {
			r = 0xE000
		}
		if r > 0x20000 && r < 0xE0000 && r%16 != 0 { // Han, all alike
			continue
		}
		s := canonical(r, fold)
		if again := norm.NFKC.String(foldCase(fold, norm.NFKC.String(s))); again != s {
			t.Errorf("%U becomes %q, then %q", r, s, again)
		}
	}
}

var alphabet = []string{
	"a", "B", "z9", "word", " ", " ", "\n", ".", "-", "é", "e\u0301", "É", "ß", "ﬁ", "中", "文", "の", "カ\u3099",
	"한", "ไ", "\u0301", "\u0345", "α",
	"\u0338", "=", "\u00ad", "\u200b", "\u200d", "½", "Ω", "K", "𝐀", "\xff", "\xe4\xb8", "\u00a0", "…", "™",
	"i̇", "İ", "\u1100", "\u1161", "ー", "०",
}

func TestTokensAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(alphabet), 0, 60).Draw(t, "parts")
		o := Options{
			Bits: rapid.SampledFrom([]int{40, 64}).Draw(t, "bits"),
		}
		b, err := NewBuilder(o)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(parts, "")
		want := slowTokens(text)
		if !slices.Equal(fingerprints(b, text), slowFingerprints(b, want)) {
			t.Fatalf("tokens of %q are not %q", text, want)
		}
		var pieces []string
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		if !slices.Equal(fingerprints(b, pieces...), slowFingerprints(b, want)) {
			t.Fatalf("tokens of %q are not %q", pieces, want)
		}
	})
}

// TestLongWords cuts words that are longer than the limit in the same place, however they come.
func TestLongWords(t *testing.T) {
	b := builder(t, Options{})
	lexical := func(pieces ...string) (uint64, uint32) {
		for _, p := range pieces {
			b.Text([]byte(p))
		}
		s := b.Sketch()
		return s.Lexical, s.Tokens
	}
	for unit, tokens := range map[string]int{"x": 4, "é": 4, "漢": 3*maxWord/3 + 7, "\u0301": 0} {
		text := strings.Repeat(unit, 3*maxWord/len(unit)+7)
		want, n := lexical(text)
		if int(n) != tokens {
			t.Errorf("%q repeated: %d tokens, want %d", unit, n, tokens)
		}
		r := rand.New(rand.NewPCG(1, 2))
		for range 5 {
			var pieces []string
			for rest := text; rest != ""; {
				n := min(1+r.IntN(2*maxWord), len(rest))
				pieces, rest = append(pieces, rest[:n]), rest[n:]
			}
			if got, _ := lexical(pieces...); got != want {
				t.Fatalf("%q repeated: pieces give other tokens", unit)
			}
		}
		if cap(b.word) > 2*maxWord {
			t.Errorf("%q repeated: %d bytes held", unit, cap(b.word))
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("The quick brown fox", 3)
	f.Add("caf\u00e9 e\u0301 中文", 6)
	b := builder(f, Options{})
	f.Fuzz(func(t *testing.T, text string, cut int) {
		if len(text) > maxWord {
			return
		}
		want := slowTokens(text)
		if got := fingerprints(b, text); !slices.Equal(got, slowFingerprints(b, want)) {
			t.Fatalf("tokens of %q are not %q", text, want)
		}
		if cut > 0 && cut < len(text) {
			if !slices.Equal(fingerprints(b, text[:cut], text[cut:]), slowFingerprints(b, want)) {
				t.Fatalf("tokens of %q cut at %d are not %q", text, cut, want)
			}
		}
	})
}

func BenchmarkText(b *testing.B) {
	for name, text := range map[string]string{
		"ascii": strings.Repeat("The boundary of a logical website is where its links, counted by pages, "+
			"run thin. ", 50),
		"german": strings.Repeat("Die Grenze einer Website läuft dort, wo Verweise spärlich werden; "+
			"größere Flüsse hören früher auf. ", 50),
		"russian": strings.Repeat("Граница сайта проходит там, где ссылок становится мало. ", 50),
		"chinese": strings.Repeat("网站的边界在链接稀少的地方。", 100),
		"hindi":   strings.Repeat("वेबसाइट की सीमा वहाँ होती है जहाँ कड़ियाँ कम होती हैं। ", 50),
		"hebrew":  strings.Repeat("בְּרֵאשִׁית בָּרָא אֱלֹהִים אֵת הַשָּׁמַיִם וְאֵת הָאָרֶץ ", 50),
		"nfd":     norm.NFD.String(strings.Repeat("Überläufer hören größere Flüsse früher. ", 50)),
	} {
		b.Run(fmt.Sprintf("%s/%d", name, len(text)), func(b *testing.B) {
			x := builder(b, Options{})
			var s Sketch
			p := []byte(text)
			b.SetBytes(int64(len(p)))
			b.ReportAllocs()
			for b.Loop() {
				x.Text(p)
				x.Finish(&s)
			}
		})
	}
}
