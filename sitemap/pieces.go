package sitemap

import "encoding/binary"

// pieces keeps short texts, each behind its length and a mark, in large chunks: millions of them
// are a few hundred objects to the garbage collector, and take one or two bytes more than they are
// long.
type pieces struct {
	chunks [][]byte
}

// piece is where a text lies: which chunk, and where in it.
type piece uint32

const (
	// chunkBits makes a chunk a MiB, and all of them 4 GiB: as much as a hundred million names of
	// pages.
	chunkBits  = 20
	chunkBytes = 1 << chunkBits
	// pieceHead is the most that stands before a text, as none is longer than 32 MiB.
	pieceHead = binary.MaxVarintLen32
)

// add keeps a text and its mark.
func (t *pieces) add(text string, mark bool) piece {
	last := len(t.chunks) - 1
	if last < 0 || len(t.chunks[last])+pieceHead+len(text) > chunkBytes {
		t.chunks = append(t.chunks, make([]byte, 0, max(chunkBytes, 2*pieceHead+len(text))))
		last++
	}
	chunk := t.chunks[last]
	at := piece(last<<chunkBits | len(chunk))
	chunk = binary.AppendUvarint(chunk, uint64(len(text))<<1|uint64(b2i(mark)))
	t.chunks[last] = append(chunk, text...)
	return at
}

// get gives a text, which is not to be changed, and its mark.
func (t *pieces) get(at piece) (text []byte, mark bool) {
	chunk := t.chunks[at>>chunkBits][at&(chunkBytes-1):]
	n, head := binary.Uvarint(chunk)
	return chunk[head:][:n>>1], n&1 != 0
}
