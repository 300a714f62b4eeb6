package sketch

// tables are the products by constant powers of x that fingerprints of one width need. They are
// filled once and then only read.
type tables struct {
	join   table // by x^64: a token's next eight bytes
	reduce table // by 1: eight bytes to a fingerprint
	next   table // by x^b for fingerprints of b bits: a shingle's next token
	leave  table // by x^(b·w): the token that leaves a shingle of w
}

func newTables(bits, width int) *tables {
	t := new(tables)
	f := fieldOf(bits)
	f.fill(&t.join, 64)
	f.fill(&t.reduce, 0)
	f.fill(&t.next, bits)
	f.fill(&t.leave, bits*width)
	return t
}

// roll40 replaces each token of the batch, which begins after w tokens before it, by the mixed
// fingerprint of the shingle that it ends, and returns the unmixed last one.
//
// The fingerprint of t1..tw is the sum of ti·x^(40(w-i)): of their bytes in a row, five each.
func (t *tables) roll40(shingles, tokens []uint64, w int, f uint64) uint64 {
	old := tokens[:len(shingles)]
	now := tokens[w:][:len(shingles)]
	for i := range shingles {
		f = t.next.times40(f) ^ t.leave.times40(old[i]) ^ now[i]
		shingles[i] = mix40(f)
	}
	return f
}

// roll64 is roll40 for fingerprints of 64 bits.
func (t *tables) roll64(shingles, tokens []uint64, w int, f uint64) uint64 {
	old := tokens[:len(shingles)]
	now := tokens[w:][:len(shingles)]
	for i := range shingles {
		f = t.next.times64(f) ^ t.leave.times64(old[i]) ^ now[i]
		shingles[i] = mix64(f)
	}
	return f
}
