package sitemap

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sort"
	"strings"

	"watershed/page"
)

// packed is a list of texts in ascending order, each once. Of a text it keeps only the part that
// differs from the text before, and every sixteenth text whole, so that a URL takes some 25 bytes
// (front coding: Witten, Moffat and Bell, Managing Gigabytes, 2nd ed., 4.1). Millions of texts are
// a few thousand objects to the garbage collector, without a pointer in them.
type packed struct {
	chunks []packedChunk
	n      int
	last   []byte // the last text
}

// packedChunk has up to packedChunkLen texts, one after the other: how many bytes it shares with
// the one before, how many follow, these. The first of a block shares none.
type packedChunk struct {
	text []byte
	at   []int // where each block begins
}

const (
	// packedBlock is how many texts are read at most to get at one.
	packedBlock = 16
	// packedChunkLen keeps small what is moved when a list grows.
	packedChunkLen = 256 * packedBlock
)

// add appends a text that is greater than the last one; one that is not is left out, and ok false.
func (l *packed) add(text []byte) (ok bool) {
	if l.n > 0 && bytes.Compare(l.last, text) >= 0 {
		return false
	}
	if l.n%packedChunkLen == 0 {
		if l.n > 0 {
			full := &l.chunks[len(l.chunks)-1]
			full.text = bytes.Clone(full.text)
		}
		l.chunks = append(l.chunks, packedChunk{})
	}
	c, shared := &l.chunks[len(l.chunks)-1], 0
	if l.n%packedBlock == 0 {
		c.at = append(c.at, len(c.text))
	} else {
		shared = commonPrefix(l.last, text)
	}
	c.text = binary.AppendUvarint(c.text, uint64(shared))
	c.text = binary.AppendUvarint(c.text, uint64(len(text)-shared))
	c.text = append(c.text, text[shared:]...)
	l.last = append(l.last[:0], text...)
	l.n++
	return true
}

// packURLs packs a list, which it sorts.
func packURLs(list []page.URL) (l packed) {
	slices.Sort(list)
	for _, u := range list {
		l.add([]byte(u))
	}
	return l
}

func commonPrefix(a, b []byte) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// reader reads texts one after the other.
type packedReader struct {
	l    *packed
	i    int // of the next text
	at   int // where it lies in its chunk
	text []byte
}

// from gives a reader that begins with a text. It costs the texts before it in its block.
func (l *packed) from(i int) packedReader {
	r := packedReader{l: l, i: i - i%packedBlock}
	if r.i < l.n {
		r.at = l.chunks[r.i/packedChunkLen].at[r.i%packedChunkLen/packedBlock]
	}
	for r.i < i && r.next() {
	}
	return r
}

// next reads the next text into r.text, where it stays until the next call; false at the end.
func (r *packedReader) next() bool {
	if r.i >= r.l.n {
		return false
	}
	if r.i%packedChunkLen == 0 {
		r.at = 0
	}
	rest := r.l.chunks[r.i/packedChunkLen].text[r.at:]
	shared, a := binary.Uvarint(rest)
	size, b := binary.Uvarint(rest[a:])
	r.text = append(r.text[:shared], rest[a+b:a+b+int(size)]...)
	r.at += a + b + int(size)
	r.i++
	return true
}

// get is a text, in memory of its own.
func (l *packed) get(i int) []byte {
	r := l.from(i)
	r.next()
	return r.text
}

// search gives the index of the first text that is not less than one, which is there or not. It
// costs O(log texts).
func (l *packed) search(text string) (i int, ok bool) {
	blocks := (l.n + packedBlock - 1) / packedBlock
	k := sort.Search(blocks, func(k int) bool { return string(l.head(k)) > text }) - 1
	if k < 0 {
		return 0, false
	}
	for r := l.from(k * packedBlock); r.next(); {
		if string(r.text) >= text {
			return r.i - 1, string(r.text) == text
		}
	}
	return l.n, false
}

// below reports that a text begins with a prefix.
func (l *packed) below(prefix string) bool {
	i, _ := l.search(prefix)
	r := l.from(i)
	return r.next() && strings.HasPrefix(string(r.text), prefix)
}

// head is the first text of a block, not to be changed.
func (l *packed) head(k int) []byte {
	c := &l.chunks[k*packedBlock/packedChunkLen]
	rest := c.text[c.at[k%(packedChunkLen/packedBlock)]+1:] // it shares 0 bytes
	size, n := binary.Uvarint(rest)
	return rest[n : n+int(size)]
}
