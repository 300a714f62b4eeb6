package mcl

// Stats tell how the process went.
type Stats struct {
	// chaos fell below Options.Chaos, or no entry changed any more, within Options.MaxIterations
	Converged  bool
	Iterations []Iteration
}

// An Iteration is one turn of expansion, pruning and inflation, over all columns.
type Iteration struct {
	Chaos   float64 // the largest of a column
	Changed int     // columns that differ from those of the turn before
	// certificate: the largest |Σ − 1| of a column; within 2^-m, m the bits of mantissa (see entry)
	SumError float64
}

func (t *Iteration) add(u Iteration) {
	t.Chaos = max(t.Chaos, u.Chaos)
	t.SumError = max(t.SumError, u.SumError)
	t.Changed += u.Changed
}
