package sketch

import "math"

// batch is the number of tokens that are rolled at a time.
const batch = 512

// Builder makes sketches, one after the other, without memory of their own once it has seen a few:
// feed it with Text or Feature in any mixture, then call Finish. Not safe for concurrent use;
// make one for each goroutine.
//
// Outline of what becomes of a document:
//
//	Text: raw words → tokens in canonical form → a fingerprint each, gathered in batches
//	flush:      a batch of tokens → rolled to shingle fingerprints → mixed → taken
//	take:       minima for super shingles; the selection
//	Finish:     the last batch; the selection sorted, distinct, cut to size
//
// Invariants: 1. fps[:width] are the tokens before the batch, zeros at the beginning of the
// document. 2. roll is the fingerprint of the last width tokens. 3. every fingerprint that the
// selection will keep has been kept so far.
type Builder struct {
	options Options
	tables  *tables
	wide    bool // 64 bits

	word   []byte // a raw word that the last piece ended within
	canon  []byte // a word in canonical form
	normal []byte // the same in NFC
	raw    []byte // a word without the runes that are dropped

	fps      []uint64 // the tokens of the batch, after those before it
	n        int      // fps that are filled
	roll     uint64
	shingles [batch]uint64

	tokens   uint64 // in the document, those of the batch left out
	features uint64 // given by Feature
	lexical  uint64
	first    uint64 // fingerprint of the first tokens, as long as they are fewer than width

	chosen selector
	minima minima
}

// NewBuilder makes a Builder. The error is that of Options.Validate.
func NewBuilder(o Options) (*Builder, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	b := &Builder{
		options: o, wide: o.Bits == 64, tables: newTables(o.Bits, o.Width),
		fps: make([]uint64, o.Width+batch),
	}
	b.Reset()
	return b, nil
}

// Reset forgets what was given since the last Finish.
func (b *Builder) Reset() {
	b.word = b.word[:0]
	clear(b.fps[:b.options.Width])
	b.n = b.options.Width
	b.roll, b.tokens, b.features, b.first = 0, 0, 0, 0
	b.lexical = lexicalSeed
	b.chosen.reset(b.options)
	b.minima.reset()
}

// Feature takes a feature that is not text: its number stands for a shingle. Equal numbers are one
// feature. Features and shingles may be mixed, and are then told apart only by chance: with 40
// bits, one pair of different ones in 10^12 is taken for equal.
func (b *Builder) Feature(x uint64) {
	b.features++
	if b.wide {
		b.shingles[0] = mix64(x)
	} else {
		b.shingles[0] = mix40(b.tables.reduce.reduce40(x))
	}
	b.take(b.shingles[:1])
}

// join takes the next eight bytes of a token to its fingerprint.
func (b *Builder) join(f, word uint64) uint64 {
	if b.wide {
		return b.tables.join.times64(f) ^ word
	}
	return b.tables.join.times40(f) ^ b.tables.reduce.reduce40(word)
}

// put takes the fingerprint of a token.
func (b *Builder) put(f uint64) {
	b.fps[b.n] = f
	b.n++
	if b.n == len(b.fps) {
		b.flush()
	}
}

// lexicalSeed and lexicalFactor make the fingerprint of the whole token sequence: h = (h +
// token)·factor for each, mixed at the end. The factor is odd, so that no token is lost. Source:
// Knuth, TAOCP 3, 6.4 (the golden ratio as a multiplier).
const (
	lexicalSeed   uint64 = 0x243F6A8885A308D3
	lexicalFactor uint64 = 0x9E3779B97F4A7C15
)

// flush rolls the batch.
func (b *Builder) flush() {
	w := b.options.Width
	tokens := b.fps[w:b.n]
	h := b.lexical
	for _, t := range tokens {
		h = (h + t) * lexicalFactor
	}
	b.lexical = h
	shingles := b.shingles[:len(tokens)]
	if b.wide {
		b.roll = b.tables.roll64(shingles, b.fps[:b.n], w, b.roll)
	} else {
		b.roll = b.tables.roll40(shingles, b.fps[:b.n], w, b.roll)
	}
	if before := b.tokens; before+1 < uint64(w) { // the first w-1 tokens end no shingle
		k := min(uint64(w)-1-before, uint64(len(shingles)))
		if k > 0 && k == uint64(len(shingles)) {
			b.first = shingles[k-1]
		}
		shingles = shingles[k:]
	}
	b.tokens += uint64(len(tokens))
	b.take(shingles)
	copy(b.fps[:w], b.fps[b.n-w:b.n])
	b.n = w
}

// take takes mixed fingerprints of shingles or features; it may change them.
func (b *Builder) take(shingles []uint64) {
	if b.options.Salt != 0 {
		salted(shingles, b.options.Salt, b.options.Bits)
	}
	if !b.options.NoSuper {
		b.minima.add(shingles, b.options.Bits)
	}
	b.chosen.add(shingles)
}

// Finish ends the document, writes its sketch into s, whose memory is used again, and makes the
// Builder ready for the next.
func (b *Builder) Finish(s *Sketch) {
	b.endWord()
	b.flush()
	w := uint64(b.options.Width)
	o := b.options
	*s = Sketch{
		Scheme:  Scheme{uint8(o.Width), uint8(o.Bits), uint32(o.Size), saltMark(o.Salt)},
		Tokens:  uint32(min(b.tokens+b.features, math.MaxUint32)),
		Values:  s.Values[:0],
		Lexical: mix64(b.lexical ^ b.tokens),
	}
	if b.features > 0 {
		s.Lexical = 0
	}
	if b.tokens > 0 && b.tokens < w { // the whole list is the one shingle
		s.Short = b.features == 0
		b.shingles[0] = b.first
		b.take(b.shingles[:1])
	}
	b.chosen.finish(s)
	if !b.options.NoSuper {
		s.Super = b.minima.super()
		s.HasSuper = b.tokens+b.features > 0
	}
	b.Reset()
}

// Sketch is Finish into memory of its own.
func (b *Builder) Sketch() Sketch {
	var s Sketch
	b.Finish(&s)
	return s
}
