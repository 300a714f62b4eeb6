package mcl

import (
	"math"
	"slices"
)

// A worker makes the columns of the next matrix one after the other: expand, prune, inflate. Its
// memory is O(n), reused for every column; each goroutine has its own.
type worker struct {
	from    *matrix
	options Options // with defaults
	step    Step
	raise   *power
	pool    *pool

	sum     []float32 // the accumulator: a value for each row, 0 where nothing was added
	touched []uint32  // the rows that are not 0, in order of first touch
	keys    []key
	middle  []entry // the column between two multiplications, when the power is above 2
	sorter  classSorter
	chunk   []entry
	chunks  [][]entry // those used, chunk not included
	tally   Iteration
}

func newWorker(from *matrix, o Options, s Step, raise *power, p *pool) *worker {
	n := len(from.columns)
	return &worker{
		from: from, options: o, step: s, raise: raise, pool: p, sum: make([]float32, n),
		touched: make([]uint32, n),
	}
}

// column makes column j of the next matrix.
func (w *worker) column(j int) []entry {
	column := w.from.columns[j]
	for range w.step.Power - 2 {
		n := w.expand(column)
		kept := w.prune(n)
		w.middle = w.store(w.middle[:0], kept, func(v float32) float32 { return v })
		column = w.middle
	}
	n := w.expand(column)
	kept := w.prune(n)
	w.tally.Chaos = max(w.tally.Chaos, chaos(kept))
	w.reserve(len(kept))
	start := len(w.chunk)
	w.chunk = w.store(w.chunk, kept, w.raise.of)
	made := w.chunk[start:len(w.chunk):len(w.chunk)]
	if !slices.Equal(made, w.from.columns[j]) {
		w.tally.Changed++
	}
	return made
}

// expand adds up M · column in the accumulator and returns how many rows it touched. A product of
// the column's entry x with an entry y of M is formed only if x·y is at least Floor times the
// largest entry of the column, or of the class that holds it: columns are ordered by class, so the
// first entry that is too small ends the column. This is where a hub would cost every page that
// links to it as many products as the hub has links. The hub's own column, whose entries are all
// small, is formed: each of its products is large beside them.
func (w *worker) expand(column []entry) int {
	m, n := w.from, 0
	floor := float32(0)
	if len(column) > 0 {
		floor = float32(w.options.Floor) * m.value(column[0])
	}
	for _, x := range column {
		scale, least := m.value(x), entry(0)
		if floor > 0 {
			least = atLeast(floor / scale)
		}
		n = accumulate(w.sum, w.touched, n, m.columns[m.row(x)], least, scale, m.rowMask)
	}
	return n
}

// accumulate adds scale times the entries of column that are at least least to sum, and lists the
// rows that were 0 in touched[n:]; it returns the length of that list. Four fifths of the process
// are spent here, waiting for memory more than for arithmetic.
func accumulate(sum []float32, touched []uint32, n int, column []entry, least entry, scale float32,
	mask uint32,
) int {
	for _, e := range column {
		if e < least {
			break
		}
		row := uint32(e) & mask
		old := sum[row]
		sum[row] = old + scale*math.Float32frombits((uint32(e)&^mask)>>4+exponentLow)
		if old == 0 {
			touched[n] = row
			n++
		}
	}
	return n
}

// store appends the keys to column as entries, after applying inflate to their values relative to
// the largest and scaling them to sum 1; what is then below the least value of an entry is dropped.
func (w *worker) store(column []entry, kept []key, inflate func(float32) float32) []entry {
	largest := float32(0)
	for _, k := range kept {
		largest = max(largest, math.Float32frombits(k.valueBits()))
	}
	total := 0.0
	for i, k := range kept {
		v := inflate(math.Float32frombits(k.valueBits()) / largest)
		kept[i] = makeKey(k.row(), math.Float32bits(v))
		total += float64(v)
	}
	scale := float32(1 / total)
	start, sum := len(column), 0.0
	for _, k := range kept {
		if e := w.from.pack(k.row(), math.Float32frombits(k.valueBits())*scale); e != 0 {
			column = append(column, e)
			sum += float64(w.from.value(e))
		}
	}
	w.tally.SumError = max(w.tally.SumError, math.Abs(sum-1))
	w.sorter.sort(column[start:])
	return column
}

// reserve makes room for need entries in the chunk.
func (w *worker) reserve(need int) {
	if cap(w.chunk)-len(w.chunk) >= need {
		return
	}
	w.flush()
	w.chunk = w.pool.chunk(need)
}

// flush puts the chunk among those used.
func (w *worker) flush() {
	if w.chunk != nil {
		w.chunks = append(w.chunks, w.chunk)
		w.chunk = nil
	}
}

// chaos is (max − Σ x²) · entries of the column that keys make when scaled to sum 1: 0 when all
// entries are equal, which is what a limit column looks like.
func chaos(keys []key) float64 {
	sum, squares, largest := 0.0, 0.0, 0.0
	for _, k := range keys {
		v := float64(math.Float32frombits(k.valueBits()))
		sum += v
		squares += v * v
		largest = max(largest, v)
	}
	if sum == 0 {
		return 0
	}
	return (largest/sum - squares/(sum*sum)) * float64(len(keys))
}
