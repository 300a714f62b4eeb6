package mcl

import "math"

// prune empties the accumulator of its n touched rows and gives the keys that stay: cutoff, then
// recovery or selection (see Pruning). The keys are valid until the next call. O(touched) on
// average.
func (w *worker) prune(n int) []key {
	p := w.options.Pruning
	kept, mass, total := w.above(n, float32(p.Cutoff))
	share := float64(p.Percent) / 100
	switch {
	case p.Recover > 0 && len(kept) < p.Recover && mass < share*total && len(kept) < n:
		kept = w.recover(kept, n, p.Recover)
	case p.Select > 0 && len(kept) > p.Select:
		kept = selectOrRecover(kept, p, share*total)
	}
	for _, row := range w.touched[:n] {
		w.sum[row] = 0
	}
	return kept
}

// above gives the keys of the touched rows whose value is at least cutoff, their mass, and the mass
// of all.
func (w *worker) above(n int, cutoff float32) (kept []key, mass, total float64) {
	kept = w.keys[:0]
	for _, row := range w.touched[:n] {
		v := w.sum[row]
		total += float64(v)
		if v >= cutoff {
			kept = append(kept, makeKey(row, math.Float32bits(v)))
			mass += float64(v)
		}
	}
	w.keys = kept
	return kept, mass, total
}

// recover gives the limit largest keys of all touched rows; kept are those at or above the cutoff,
// fewer than limit.
func (w *worker) recover(kept []key, n, limit int) []key {
	have := len(kept)
	cutoff := float32(w.options.Pruning.Cutoff)
	for _, row := range w.touched[:n] {
		if v := w.sum[row]; v < cutoff {
			kept = append(kept, makeKey(row, math.Float32bits(v)))
		}
	}
	w.keys = kept
	if len(kept) <= limit {
		return kept
	}
	selectLargest(kept[have:], limit-have)
	return kept[:limit]
}

// selectOrRecover gives the p.Select largest keys, or the p.Recover largest if those hold less than
// enough mass.
func selectOrRecover(kept []key, p Pruning, enough float64) []key {
	selectLargest(kept, p.Select)
	if p.Recover <= p.Select || massOf(kept[:p.Select]) >= enough {
		return kept[:p.Select]
	}
	if len(kept) <= p.Recover {
		return kept
	}
	selectLargest(kept[p.Select:], p.Recover-p.Select)
	return kept[:p.Recover]
}

func massOf(keys []key) float64 {
	sum := 0.0
	for _, k := range keys {
		sum += float64(math.Float32frombits(k.valueBits()))
	}
	return sum
}
