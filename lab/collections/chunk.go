package collections

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// Chunking says what a page's text is cut into. Source here and below: Cho, Shivakumar,
// Garcia-Molina, Finding Replicated Web Collections, 2000, section 5.1.
type Chunking uint8

const (
	FourLines     Chunking = iota // chunks of four lines
	TwoLines                      // chunks of two lines
	WholeDocument                 // no chunks: only the text as a whole tells
)

// Threshold is the paper's T for a chunking: pages are similar if they share more chunks than that.
func (c Chunking) Threshold() int {
	switch c {
	case FourLines:
		return 15
	case TwoLines:
		return 25
	}
	return 0
}

// lines of a chunk; 0 for no chunks.
func (c Chunking) lines() int {
	switch c {
	case FourLines:
		return 4
	case TwoLines:
		return 2
	}
	return 0
}

// lineWidth is where a canonical line ends, in code points. Plain text of the time was written for
// terminals of 80 columns; 72 is what converters to text wrap at.
const lineWidth = 72

// ChunkOptions of a Chunker. The zero value means chunks of four lines and fingerprints of 64 bits.
type ChunkOptions struct {
	Chunking Chunking
	// Narrow gives fingerprints of 32 bits, as the paper's. Among 10 million distinct chunks two
	// given ones collide with a probability of 2e-10, but some 12,000 pairs do.
	Narrow bool
	// MinWords is the number of words below which a text is too short to be the same as another.
	// Default 12; 1 for none.
	MinWords int
}

// Validate checks every field.
func (o ChunkOptions) Validate() error {
	switch {
	case o.Chunking > WholeDocument:
		return fmt.Errorf("chunking %d: unknown", o.Chunking)
	case o.MinWords < 0:
		return fmt.Errorf("minimum of %d words: negative", o.MinWords)
	}
	return nil
}

// Fingerprints of a page's text.
type Fingerprints struct {
	Whole uint64 // of the whole text; 0 for a text too short to tell
	// in order of the text, a repeated chunk as often as it comes; the last one may have fewer
	// lines
	Chunks []uint64
}

// Chunker cuts text into chunks as it streams by. It is used by one goroutine, for one page after
// the other.
//
// The text is first brought into canonical lines: runs of white space are one blank, letters are
// small, invalid UTF-8 is U+FFFD; words fill a line up to lineWidth code points, a longer word is
// cut there, so that scripts without blanks have lines, too. A piece that is "\n" and nothing else
// ends a line, as crawler/extract tells block ends; other line ends are white space, for an
// author's line breaks mean nothing in HTML. Empty lines do not count. Chunks are taken from line 1
// on and do not overlap (section 2.1.1 with 5.1).
//
// The fingerprint of a chunk is the xxh3 of its lines, each ended by "\n". That of the whole text
// is the xxh3 of its words, each ended by a blank: where lines end does not matter to it.
type Chunker struct {
	options ChunkOptions
	whole   xxh3.Hasher
	chunk   []byte // the lines of the chunk at hand
	lines   int    // in chunk
	line    []byte // the line at hand
	columns int    // code points in line
	word    []byte
	runes   int // code points in word
	words   int
	tail    []byte // bytes of a code point that a piece cut
	chunks  []uint64
}

// NewChunker makes a Chunker. The error is that of ChunkOptions.Validate.
func NewChunker(o ChunkOptions) (*Chunker, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.MinWords == 0 {
		o.MinWords = 12
	}
	return &Chunker{options: o}, nil
}

// Text takes the next piece of visible text. Cutting a text into other pieces changes nothing, but
// for the piece "\n". It does not keep the piece.
func (c *Chunker) Text(piece []byte) {
	if len(piece) == 1 && piece[0] == '\n' {
		c.endWord()
		c.endLine()
		return
	}
	for len(c.tail) > 0 && len(piece) > 0 {
		c.tail = append(c.tail, piece[0])
		piece = piece[1:]
		if utf8.FullRune(c.tail) {
			cut := c.tail
			c.tail = nil
			c.take(cut) // which may leave the start of another code point behind an invalid one
		}
	}
	c.take(piece)
}

func (c *Chunker) take(piece []byte) {
	for i := 0; i < len(piece); {
		if b := piece[i]; b < utf8.RuneSelf {
			c.rune(rune(b))
			i++
			continue
		}
		if !utf8.FullRune(piece[i:]) {
			c.tail = append(c.tail[:0:0], piece[i:]...)
			return
		}
		r, n := utf8.DecodeRune(piece[i:])
		c.rune(r)
		i += n
	}
}

func (c *Chunker) rune(r rune) {
	switch {
	case r < utf8.RuneSelf && r > ' ' && r != 0x7f:
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		c.word = append(c.word, byte(r))
	case unicode.IsSpace(r) || unicode.IsControl(r):
		c.endWord()
		return
	default:
		c.word = utf8.AppendRune(c.word, unicode.ToLower(r))
	}
	if c.runes++; c.runes == lineWidth {
		c.put()
	}
}

func (c *Chunker) endWord() {
	cut := len(c.tail)
	c.tail = nil
	for range cut { // bytes of a code point that did not come whole are invalid one by one
		c.rune(utf8.RuneError)
	}
	if c.runes > 0 {
		c.put()
	}
}

// put sets the word at hand into lines.
func (c *Chunker) put() {
	c.words++
	_, _ = c.whole.Write(c.word) // a Hasher gives no error
	_, _ = c.whole.Write([]byte{' '})
	if c.columns > 0 && c.columns+1+c.runes > lineWidth {
		c.endLine()
	}
	if c.columns > 0 {
		c.line = append(c.line, ' ')
		c.columns++
	}
	c.line = append(c.line, c.word...)
	c.columns += c.runes
	c.word, c.runes = c.word[:0], 0
}

func (c *Chunker) endLine() {
	if c.columns == 0 {
		return
	}
	if n := c.options.Chunking.lines(); n > 0 {
		c.chunk = append(append(c.chunk, c.line...), '\n')
		if c.lines++; c.lines == n {
			c.endChunk()
		}
	}
	c.line, c.columns = c.line[:0], 0
}

func (c *Chunker) endChunk() {
	if c.lines > 0 {
		c.chunks = append(c.chunks, c.fingerprint(xxh3.Hash(c.chunk)))
	}
	c.chunk, c.lines = c.chunk[:0], 0
}

// fingerprint is never 0, which stands for none.
func (c *Chunker) fingerprint(h uint64) uint64 {
	if c.options.Narrow {
		h = uint64(uint32(h >> 32))
	}
	return max(h, 1)
}

// Page ends the page and gives its fingerprints, which are the caller's. The Chunker is then ready
// for the next page.
func (c *Chunker) Page() Fingerprints {
	c.endWord()
	c.endLine()
	c.endChunk()
	f := Fingerprints{Chunks: c.chunks}
	if c.words >= c.options.MinWords {
		f.Whole = c.fingerprint(c.whole.Sum64())
	}
	c.whole.Reset()
	c.chunks, c.words = nil, 0
	return f
}
