package mcl

import (
	"errors"
	"fmt"
	"math"
	"runtime"
)

// Options steer the process. The zero value is the documented default of every field.
type Options struct {
	// Inflation r sets the grain: more gives smaller clusters. Default 2.0, the paper's typical
	// value; 1.2 to 5 is usual.
	Inflation float64

	// Schedule overrides Inflation and the expansion power by iteration: step i is for iteration i,
	// and the last step for all that follow. Default: every step is {Inflation, 2}.
	Schedule []Step

	// Join says how the edges u→v and v→u become one undirected edge. Default JoinSum.
	Join Join

	// Loops gives the weight of the loop that every vertex gets; loops of the input are ignored.
	// Default LoopMax.
	Loops Loops

	// Pruning keeps the columns short. Default: scheme 6 of the reference program, its own default.
	Pruning Pruning

	// Floor bounds the work of expansion: a product of two entries is not formed where it is less
	// than this part of the largest entry of the column, so that at most about 1/Floor products are
	// formed for a column of few entries and entries/Floor for any, however many vertices a hub
	// reaches. Default 3e-10 for each vertex of the graph, at most 3e-6: small graphs are expanded
	// nearly in full, large ones are bounded. Below 0: no floor.
	Floor float64

	// Chaos is the largest chaos of a column, (max − Σ x²) · entries, at which the process has
	// converged. Default 1e-4, that of the reference program.
	Chaos float64

	// MaxIterations ends a process that does not converge; Stats.Converged then is false and the
	// last matrix is interpreted. Default 100; about 10 to 40 iterations are usual.
	MaxIterations int

	// Overlap says what becomes of a vertex that leads to several attractor systems. Default
	// OverlapSplit.
	Overlap Overlap

	// Threads work on the columns side by side; the result does not depend on their number.
	// Default: one a processor.
	Threads int
}

// A Step is one turn of the process.
type Step struct {
	Inflation float64 // default Options.Inflation
	Power     int     // of the expansion, 2 to 8; default 2
}

// Pruning is applied to every column after expansion, in the order of the reference program:
// entries below Cutoff are dropped; if the rest holds less than Percent of the mass and less than
// Recover entries, the largest of the dropped ones come back until there are Recover entries;
// otherwise only the largest Select entries stay, and if these hold less than Percent of the mass,
// Recover of them stay. The zero value is scheme 6 of the reference program.
type Pruning struct {
	Cutoff  float64 // default 1/10000 (-P 10000); below 0: no cutoff
	Select  int     // default 1100 (-S); below 0: no selection
	Recover int     // default 1400 (-R); below 0: no recovery
	Percent int     // default 90 (-pct)
}

// Join says how two directions become one edge.
type Join int

// The ways to join; repeated edges of one direction are added up, but for JoinMax.
const (
	JoinSum    Join = iota // w(u,v) + w(v,u): a link both ways binds twice
	JoinMax                // the larger one, as the reference program does with --abc
	JoinEither             // 1 if there is an edge in either direction (Senellart 2003, fig. 9)
)

// Loops gives the weight of the loops.
type Loops int

// The weights of loops; a vertex without edges has a loop of 1 in any case.
const (
	LoopMax Loops = iota // the largest weight of the vertex's edges, as the reference program does
	LoopOne              // 1
)

// Overlap says what becomes of vertices that belong to several clusters.
type Overlap int

// The treatments of overlap.
const (
	// they form clusters of their own, one for each set of clusters (as the reference program)
	OverlapSplit  Overlap = iota
	OverlapKeep           // they stay in each of them
	OverlapAssign         // they go to the one that attracts most of their flow
)

// The default of Options.Floor. On the web-like graph of the MCL benchmark (87,140 vertices) 3e-6
// moves the process at inflation 1.4 by 272 of 174,280 in split/join distance from the reference
// program, and 1e-5 by 962; at 10,000 vertices it moves 37 of 20,000 in a sixth of the time that no
// floor takes, and a third of it up to 3,000 vertices moves nothing. Products that are not formed
// make clusters finer. To give their mass to the products that are formed was tried and rejected:
// it makes clusters coarser, by more. So was a floor that is the same for all columns, which
// starves those of hubs: to be as good it has to be so low that pages with a common menu, which all
// have six hubs of thousands of links among their neighbours, take ten times as long.
const (
	floorPerVertex = 3e-10
	highestFloor   = 3e-6
)

// withDefaults is o with every unset field filled in, for a graph of n vertices.
func (o Options) withDefaults(n int) Options {
	fill(&o.Inflation, 2)
	fill(&o.Floor, min(highestFloor, floorPerVertex*float64(max(n, 1))))
	fill(&o.Chaos, 1e-4)
	fill(&o.MaxIterations, 100)
	fill(&o.Threads, runtime.GOMAXPROCS(0))
	fill(&o.Pruning.Cutoff, 1.0/10000)
	fill(&o.Pruning.Select, 1100)
	fill(&o.Pruning.Recover, 1400)
	fill(&o.Pruning.Percent, 90)
	return o
}

func fill[T int | float64](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

// step gives the inflation and the power of iteration i, counted from 0; o has its defaults.
func (o Options) step(i int) Step {
	s := Step{Inflation: o.Inflation, Power: 2}
	if len(o.Schedule) == 0 {
		return s
	}
	own := o.Schedule[min(i, len(o.Schedule)-1)]
	if own.Inflation != 0 {
		s.Inflation = own.Inflation
	}
	if own.Power != 0 {
		s.Power = own.Power
	}
	return s
}

// maxInflation keeps the powers of the smallest entries within the range of float64.
const maxInflation = 30

// Validate reports the first field that is out of range, as an error that wraps ErrOption.
func (o Options) Validate() error {
	o = o.withDefaults(0)
	for i := range max(1, len(o.Schedule)) {
		s := o.step(i)
		if !(s.Inflation > 1 && s.Inflation <= maxInflation) {
			return fmt.Errorf("%w: inflation %v is not above 1 and at most %d", ErrOption,
				s.Inflation, maxInflation)
		}
		if s.Power < 2 || s.Power > 8 {
			return fmt.Errorf("%w: expansion power %d is not between 2 and 8", ErrOption, s.Power)
		}
	}
	p := o.Pruning
	checks := []struct {
		good bool
		what string
		got  any
	}{
		{o.Join >= JoinSum && o.Join <= JoinEither, "join", o.Join},
		{o.Loops >= LoopMax && o.Loops <= LoopOne, "loops", o.Loops},
		{o.Overlap >= OverlapSplit && o.Overlap <= OverlapAssign, "overlap", o.Overlap},
		{p.Cutoff < 0.5, "cutoff, which must be below 0.5,", p.Cutoff},
		{p.Percent > 0 && p.Percent <= 100, "percentage to recover", p.Percent},
		{o.Floor < 0.01, "floor, which must be below 0.01,", o.Floor},
		{o.Chaos > 0 && !math.IsInf(o.Chaos, 0), "chaos", o.Chaos},
		{o.MaxIterations > 0, "number of iterations", o.MaxIterations},
		{o.Threads > 0, "number of threads", o.Threads},
	}
	for _, c := range checks {
		if !c.good {
			return fmt.Errorf("%w: %s is %v", ErrOption, c.what, c.got)
		}
	}
	return nil
}

// errTooLarge is returned for a graph of more than [MaxVertices] vertices.
var errTooLarge = errors.New("mcl: graph has too many vertices")

// errEdge is returned, wrapped, for an edge whose end lies outside the graph or whose weight is
// negative or not finite.
var errEdge = errors.New("mcl: bad edge")

// ErrOption is returned, wrapped, by Validate for a value out of its range.
var ErrOption = errors.New("mcl: bad option")

// ErrGraph is returned, wrapped, when two arguments do not speak of the same graph.
var ErrGraph = errors.New("mcl: graphs do not fit")
