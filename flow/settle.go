package flow

import (
	"context"
	"fmt"
	"math"

	"watershed/graph"
)

// SettleOptions say how many vertices to reveal between two cuts. They change the cost and never
// the result.
type SettleOptions struct {
	// Share of the wanted vertices to reveal at a time, those with most excess first; 0 means 0.5.
	// With 1 the fewest cuts are computed, with less the fewest vertices are revealed that a later
	// cut would not have wanted.
	Share float64
	// AtLeast is how many to reveal at a time if so many are wanted; 0 means 48.
	AtLeast int
	// Budget is the number of vertices to reveal in all; 0 means no limit. At the budget the result
	// is not final.
	Budget int
}

// Validate reports options out of range.
func (o SettleOptions) Validate() error {
	switch {
	case !(o.Share >= 0 && o.Share <= 1):
		return fmt.Errorf("share of %v: not between 0 and 1", o.Share)
	case o.AtLeast < 0:
		return fmt.Errorf("batch of at least %d: negative", o.AtLeast)
	case o.Budget < 0:
		return fmt.Errorf("budget of %d: negative", o.Budget)
	}
	return nil
}

// batch is how many of the wanted vertices come next.
func (o SettleOptions) batch(wanted, revealed int) int {
	share, least := o.Share, o.AtLeast
	if share == 0 {
		share = 0.5
	}
	if least == 0 {
		least = 48
	}
	k := min(max(int(math.Ceil(share*float64(wanted))), least), wanted)
	if o.Budget > 0 {
		k = min(k, o.Budget-revealed)
	}
	return k
}

// Settlement tells how Settle came to its end.
type Settlement struct {
	Revealed int  // vertices asked for
	Epochs   int  // cuts computed
	Final    bool // no wanted vertex is hidden: the cut is that of the whole network
}

// Settle applies the fetch rule until no vertex is wanted. No survey runs on it yet; the tests of
// this package prove it. It solves, hands the most wanted hidden
// vertices to reveal, which must call n.Reveal for each of them (with nil for one that cannot be
// had) and may add vertices, tolls and sources, and goes on. It stops early at the budget, when ctx
// ends, or when reveal fails, and then returns what it has with Final false.
func Settle(ctx context.Context, n *Network, o SettleOptions,
	reveal func(wanted []graph.ID) error,
) (Settlement, error) {
	var s Settlement
	if err := o.Validate(); err != nil {
		return s, fmt.Errorf("settle: %w", err)
	}
	for {
		if err := ctx.Err(); err != nil {
			return s, fmt.Errorf("settle: %w", err)
		}
		n.Solve()
		s.Epochs++
		wanted := n.Wanted()
		if len(wanted) == 0 {
			s.Final = true
			return s, nil
		}
		wanted = wanted[:o.batch(len(wanted), s.Revealed)]
		if len(wanted) == 0 {
			return s, nil
		}
		s.Revealed += len(wanted)
		if err := reveal(wanted); err != nil {
			return s, fmt.Errorf("reveal %d vertices: %w", len(wanted), err)
		}
		for _, u := range wanted {
			if n.Hidden(u) {
				return s, fmt.Errorf("vertex %d: %w", u, ErrStillHidden)
			}
		}
	}
}

// MostFetches bounds what the fetch rule can still reveal: flow of at most the given capacity
// enters, and every vertex that is ever wanted keeps at least toll of it, which must be positive.
// For a start it is c(seeds, rest)/α; to extend a settled site to a smaller toll it is the capacity
// of its cut arcs over that toll.
func MostFetches(capacity, toll int64) int64 { return capacity / toll }
