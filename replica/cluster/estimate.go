package cluster

// sample is what is known of one of two documents that are compared.
type sample struct {
	shingles float64 // in the sketch, common ones left out
	rate     float64
}

// compare estimates from c shingles in common the resemblance of a and b, the containment of a in
// b, and that of b in a. Where the rates differ, the sketch of the greater rate is taken to have,
// in proportion, as many shingles as it would have at the lesser; c needs no such correction, since
// what both hold is within the lesser sample. Source for equal rates: Broder et al., 1997, section
// 4.1, c / (|V(A)| + |V(B)| - c).
func compare(c float64, a, b sample) (resemblance, inB, inA, union float64) {
	na, nb := a.shingles, b.shingles
	switch {
	case a.rate > b.rate:
		na *= b.rate / a.rate
	case b.rate > a.rate:
		nb *= a.rate / b.rate
	}
	na, nb = max(na, c), max(nb, c)
	if c <= 0 {
		return 0, 0, 0, na + nb
	}
	return c / (na + nb - c), c / na, c / nb, na + nb - c
}

// linked says whether c shingles in common link two documents.
func (o *Options) linked(c float64, a, b sample) bool {
	if o.Super > 0 {
		return int(c) >= o.Super
	}
	r, inB, inA, union := compare(c, a, b)
	if union < float64(o.MinSample) && (a.rate < 1 || b.rate < 1) {
		return false
	}
	return r >= o.Threshold || o.Containment > 0 && max(inA, inB) >= o.Containment
}
