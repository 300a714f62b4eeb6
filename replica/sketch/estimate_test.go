package sketch

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// all are the ways to sketch that the tests go through.
var all = []Options{
	{},
	{Size: 16},
	{Size: 1024},
	{Bits: 64},
}

// ofFeatures is the sketch of the features from..to-1.
func ofFeatures(b *Builder, from, to int, salt uint64) Sketch {
	for i := from; i < to; i++ {
		b.Feature(mix64(salt) + uint64(i))
	}
	return b.Sketch()
}

// TestAgainstOracle compares sketches of random texts with those made by definition, in pieces and
// in one.
func TestAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := rapid.SampledFrom(all).Draw(t, "options")
		o.Width = rapid.SampledFrom([]int{1, 2, 5, 10}).Draw(t, "width")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		vocabulary := rapid.IntRange(1, 300).Draw(t, "vocabulary")
		n := rapid.SampledFrom([]int{0, 1, 3, 9, 10, 11, 60, 150, 520, 1400}).Draw(t, "tokens")
		b, err := NewBuilder(o)
		if err != nil {
			t.Fatal(err)
		}
		var tokens []string
		for range n {
			token := string(rune('a'+r.IntN(3))) + string(rune('a'+r.IntN(vocabulary)%26)) +
				string([]rune{'a' + rune(r.IntN(vocabulary)/26)})
			tokens = append(tokens, token)
			b.Text([]byte(token + " "))
		}
		got := b.Sketch()
		set := slowSet(o, tokens)
		want := set[:min(len(set), o.withDefaults().Size)]
		if !slices.Equal(got.Values, want) {
			t.Fatalf("%v, %d tokens: %d values, want %d", got.Scheme, n, len(got.Values), len(want))
		}
		if got.Short != (n > 0 && n < o.Width) || int(got.Tokens) != n || got.Empty() != (n == 0) {
			t.Fatalf("%d tokens: %+v", n, got)
		}
		if got.Cut != (len(set) > len(want)) {
			t.Fatalf("cut = %v of %d", got.Cut, len(set))
		}
	})
}

// TestUnbiased draws many pairs of sets of known resemblance and containment: the mean of the
// estimates must be the truth, within four standard errors of that mean, and their spread what each
// estimate says of itself.
func TestUnbiased(t *testing.T) {
	estimators := []struct {
		name     string
		estimate func(a, b *Sketch) (Estimate, error)
	}{{"resemblance", Resemblance}}
	for _, o := range all {
		b := builder(t, o)
		for _, sizes := range []struct{ a, b, common int }{
			{2000, 2000, 1400},
			{1000, 4000, 900},
			{3000, 1500, 500},
		} {
			r := float64(sizes.common) / float64(sizes.a+sizes.b-sizes.common)
			truth := []float64{r}
			var tallies [1]tally
			for i := range uint64(200) {
				x := ofFeatures(b, 0, sizes.a, i)
				y := ofFeatures(b, sizes.a-sizes.common, sizes.a-sizes.common+sizes.b, i)
				for k := range estimators {
					e, err := estimators[k].estimate(&x, &y)
					if err != nil {
						t.Fatal(err)
					}
					tallies[k].add(e, truth[k])
				}
			}
			for k, tally := range tallies {
				mean, spread, claimed := tally.result()
				bias := 4*spread/math.Sqrt(tally.n) + .25/float64(max(16, o.withDefaults().Size))
				if math.Abs(mean-truth[k]) > bias {
					t.Errorf("%+v %+v %s: mean %.4f, want %.4f ± %.4f", o, sizes, estimators[k].name, mean,
						truth[k], bias)
				}
				// 16 values are too few for a theory of many.
				if ratio := spread / claimed; (ratio < .75 || ratio > 1.3) && o.Size != 16 {
					t.Errorf("%+v %+v %s: spread %.4f is %.2f of what is claimed", o, sizes,
						estimators[k].name, spread, ratio)
				}
			}
		}
	}
}

// tally gathers estimates of one truth.
type tally struct{ n, sum, squares, claimed float64 }

func (y *tally) add(e Estimate, truth float64) {
	y.n++
	y.sum += e.Value
	y.squares += (e.Value - truth) * (e.Value - truth)
	y.claimed += e.Error * e.Error
}

// result is the mean, the root of the mean square error, and that of the squares of the errors
// claimed.
func (y *tally) result() (mean, spread, claimed float64) {
	return y.sum / y.n, math.Sqrt(y.squares / y.n), math.Sqrt(y.claimed / y.n)
}

// TestExact: sets that are held whole give exact answers.
func TestExact(t *testing.T) {
	b := builder(t, Options{})
	x, y := ofFeatures(b, 0, 100, 1), ofFeatures(b, 40, 120, 1)
	r, err := Resemblance(&x, &y)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Exact || r.Value != .5 || r.Error != 0 {
		t.Errorf("%+v", r)
	}
}

// TestIncomparable: sketches of other schemes are not compared.
func TestIncomparable(t *testing.T) {
	few := ofFeatures(builder(t, Options{}), 0, 30, 2)
	other := ofFeatures(builder(t, Options{Width: 3}), 0, 9, 1)
	if _, err := Resemblance(&few, &other); !errors.Is(err, ErrIncomparable) {
		t.Errorf("other width: %v", err)
	}
	if _, err := Resemblance(&few, &Sketch{}); !errors.Is(err, ErrIncomparable) {
		t.Errorf("with nothing: %v", err)
	}
}

// TestOrder: features in any order make the same sketch.
func TestOrder(t *testing.T) {
	for _, o := range all {
		b := builder(t, o)
		want := ofFeatures(b, 0, 3000, 5)
		for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(3000) {
			b.Feature(mix64(5) + uint64(i))
			if i%3 == 0 {
				b.Feature(mix64(5) + uint64(i)) // a set holds it once
			}
		}
		got := b.Sketch()
		if !slices.Equal(got.Values, want.Values) || got.Super != want.Super {
			t.Errorf("%v: another sketch in another order", want.Scheme)
		}
	}
}

// TestEquivalence: lexically equivalent documents are shingle-equivalent.
func TestEquivalence(t *testing.T) {
	b := builder(t, Options{})
	sketchOf := func(text string) Sketch { b.Text([]byte(text)); return b.Sketch() }
	x, y, z := sketchOf("One two THREE."), sketchOf("one, two, three"), sketchOf("one two four")
	if x.Lexical != y.Lexical || x.fingerprint() != y.fingerprint() || x.Lexical == z.Lexical ||
		x.fingerprint() == z.fingerprint() {
		t.Error("equivalences do not hold")
	}
}

// TestOverlapByHand compares sketches that are written out: where the range that both know ends,
// and what lies on its end.
func TestOverlapByHand(t *testing.T) {
	smallest := func(values ...uint64) Sketch {
		return Sketch{
			Scheme: Scheme{Bits: 40, Size: uint32(len(values))}, Values: values, Cut: true,
		}
	}
	for _, tt := range []struct {
		name           string
		estimate       func(a, b *Sketch) (Estimate, error)
		a, b           Sketch
		common, sample int
	}{
		{
			"the smallest, below the lesser of two limits", Resemblance, smallest(1, 2, 3, 4),
			smallest(2, 3, 5, 6), 2, 3,
		},
	} {
		for _, pair := range [][2]*Sketch{{&tt.a, &tt.b}, {&tt.b, &tt.a}} {
			if e, err := tt.estimate(pair[0], pair[1]); err != nil || e.Common != tt.common ||
				e.Sample != tt.sample || e.Exact {
				t.Errorf("%s: %+v, %v; want %d of %d", tt.name, e, err, tt.common, tt.sample)
			}
		}
	}
}

// TestErrorOfLargeSample checks that an error is the less, the greater a part of the whole the
// sample is: by the root of (N-n)/(N-1). Source: W. G. Cochran, Sampling Techniques, 3rd ed., 1977,
// section 3.2.
func TestErrorOfLargeSample(t *testing.T) {
	for _, tt := range []struct{ whole, want float64 }{{1e12, 0.05}, {199, 0.05 * math.Sqrt2 / 2}, {100, 0}} {
		if e := EstimateOf(50, 100, tt.whole, false); math.Abs(e.Error-tt.want) > 1e-9 {
			t.Errorf("50 of 100, of %g: error %g, want %g", tt.whole, e.Error, tt.want)
		}
	}
}

// TestReaches compares Reaches with what it is short for, for documents of which some have much in
// common, sketched in all ways.
func TestReaches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := rapid.SampledFrom([]Options{
			{},
			{Size: 16},
			{Size: 1024},
		}).Draw(t, "options")
		other := o
		if rapid.Bool().Draw(t, "unlike") {
			other = rapid.SampledFrom([]Options{
				{Size: 32},
				{Width: 3},
			}).Draw(t, "other options")
		}
		words := rapid.IntRange(0, 3000).Draw(t, "words")
		from := rapid.IntRange(0, words).Draw(t, "from")
		a, b := sketchOfWords(t, o, 0, words), sketchOfWords(t, other, from, from+words)
		r, err := Resemblance(&a, &b)
		if err != nil {
			r.Value = 0
		}
		for _, least := range []float64{
			0, r.Value, math.Nextafter(r.Value, 2), 1,
			rapid.Float64Range(0, 1).Draw(t, "least"),
		} {
			if got := Reaches(&a, &b, least); got != (r.Value >= least) {
				t.Fatalf("resemblance %v (%v) reaches %v: %v", r.Value, err, least, got)
			}
		}
	})
}

func sketchOfWords(t *rapid.T, o Options, from, to int) Sketch {
	b, err := NewBuilder(o)
	if err != nil {
		t.Fatal(err)
	}
	for i := from; i < to; i++ {
		b.Text(fmt.Appendf(nil, "w%d ", i))
	}
	s := b.Sketch()
	return s.Clone()
}

// fingerprint is that of the selected set: documents with the same are shingle-equivalent.
// Lexically equivalent documents always are. Source: Broder et al., 1997, section 5.2.
func (s *Sketch) fingerprint() uint64 {
	return fingerprint(s.Values)
}
