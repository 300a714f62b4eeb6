package mcl

// Stats tell how the process went.
type Stats struct {
	// chaos fell below Options.Chaos, or no entry changed any more, within Options.MaxIterations
	Converged  bool
	Iterations []Iteration
	Overlap    int // vertices that led to more than one attractor system, before Options.Overlap was applied
}

// An Iteration is one turn of expansion, pruning and inflation, summed over the columns.
type Iteration struct {
	Chaos     float64 // the largest of a column
	Expanded  int     // entries after expansion, before pruning
	Pruned    int     // entries that pruning removed
	Entries   int     // entries of the matrix after inflation
	Mass      float64 // mean share of a column's mass that pruning kept, in [0, 1]
	LeastMass float64 // the smallest such share
	Unformed  float64 // mean mass of a column in products below Options.Floor, in [0, 1], up to rounding
	Selected  int     // columns cut down to their largest entries
	Recovered int     // columns to which entries below the cutoff were given back
	Changed   int     // columns that differ from those of the turn before
	// certificate: the largest |Σ − 1| of a column; within 2^-m, m the bits of mantissa (see entry)
	SumError float64
}

// A tally adds up the columns of one worker. Masses are kept in whole billionths, so that their sum
// does not depend on how columns were dealt out to workers.
type tally struct {
	chaos, sumError float64
	changed         int
	// multiplications of a column: more than columns of the matrix if the power is above 2
	columns             int
	expanded, kept      int
	mass, total         int64 // billionths
	lost                float64
	selected, recovered int
}

const billion = 1e9

// count adds a column of which kept of expanded entries stayed, with mass of total.
func (t *tally) count(expanded, kept int, mass, total float64) {
	t.columns++
	t.expanded += expanded
	t.kept += kept
	t.mass += int64(mass / total * billion)
	t.total += int64(total * billion)
	t.lost = max(t.lost, 1-mass/total)
}

func (t *tally) add(u tally) {
	t.chaos = max(t.chaos, u.chaos)
	t.sumError = max(t.sumError, u.sumError)
	t.changed += u.changed
	t.columns += u.columns
	t.expanded += u.expanded
	t.kept += u.kept
	t.mass += u.mass
	t.total += u.total
	t.lost = max(t.lost, u.lost)
	t.selected += u.selected
	t.recovered += u.recovered
}

// iteration gives the statistics of a turn that left so many entries in the matrix.
func (t *tally) iteration(entries int) Iteration {
	columns := float64(max(t.columns, 1))
	return Iteration{
		Chaos:     t.chaos,
		Expanded:  t.expanded,
		Pruned:    t.expanded - t.kept,
		Entries:   entries,
		Mass:      float64(t.mass) / billion / columns,
		LeastMass: 1 - t.lost,
		Unformed:  max(0, 1-float64(t.total)/billion/columns),
		Selected:  t.selected,
		Recovered: t.recovered,
		Changed:   t.changed,
		SumError:  t.sumError,
	}
}
