package sketch_test

import (
	"fmt"
	"strings"

	"watershed/replica/sketch"
)

// Two versions of a page are compared by their sketches.
func Example() {
	b, err := sketch.NewBuilder(sketch.Options{Width: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	b.Text([]byte("Opening hours\nThe reading room is open from Monday to Friday, from nine to five."))
	before := b.Sketch()
	b.Text([]byte("OPENING HOURS: The reading room is open from Monday to Friday, from ten to five."))
	after := b.Sketch()

	r, err := sketch.Resemblance(&before, &after)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d of %d shingles in common, resemblance %.2f, exact: %v\n", r.Common, r.Sample,
		r.Value, r.Exact)
	// Output: 10 of 16 shingles in common, resemblance 0.62, exact: true
}

// A sketch of a few hundred bytes stands for a document of any length.
func ExampleSketch_AppendEncode() {
	b, err := sketch.NewBuilder(sketch.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 10_000 {
		fmt.Fprintf(textWriter{b}, "word%d ", i)
	}
	s := b.Sketch()
	stored := s.AppendEncode(nil)

	var back sketch.Sketch
	if err := back.Decode(stored); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(stored), "bytes,", back.Tokens, "tokens")
	err = back.Decode([]byte(strings.Repeat("?", 20)))
	fmt.Println(err)
	// Output:
	// 715 bytes, 10000 tokens
	// decode sketch: it does not begin as a sketch does: not a sketch
}

// textWriter lets a Builder be written to.
type textWriter struct{ b *sketch.Builder }

func (w textWriter) Write(p []byte) (int, error) {
	w.b.Text(p)
	return len(p), nil
}

// Features of any kind can be sketched: here numbers that stand for the notes of two tunes.
func ExampleBuilder_Feature() {
	b, err := sketch.NewBuilder(sketch.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	tune := func(notes ...uint64) sketch.Sketch {
		for i := 2; i < len(notes); i++ {
			b.Feature(notes[i-2]<<16 | notes[i-1]<<8 | notes[i])
		}
		return b.Sketch()
	}
	a, c := tune(60, 62, 64, 60, 64, 65, 67), tune(60, 62, 64, 60, 60, 62, 64, 60, 64, 65, 67, 64, 65, 67)
	part, err := sketch.Resemblance(&a, &c)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d of the tunes' %d parts are in both\n", part.Common, part.Sample)
	// Output: 5 of the tunes' 9 parts are in both
}
