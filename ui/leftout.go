package ui

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"

	"watershed/harvest"
)

// LeftOut tells what a run left out as the desk does, without a desk: groups and lines of what
// passes the filter, of each at most most or, with 0, all. It reads the ledger once, and again
// those lines.
func LeftOut(run harvest.Run, from harvest.Shown, f SkipFilter, most int) (*SkippedModel, error) {
	x, err := readSkips(filepath.Join(from.Logs(), "skipped.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil,
			fmt.Errorf("%w: what was left out is written while a run crawls, and when it has ended or "+
				"reached a limit", err)
	}
	if err != nil {
		return nil, err
	}
	m, chosen, err := x.model(run.Name(), f, cmp.Or(most, math.MaxInt))
	if err != nil {
		return nil, err
	}
	if d := from.Drawing; d != nil {
		m.Present = &Present{Time: d.Time, Visits: d.Visits, Live: from.Live}
	}
	m.list = list{Page: 1, Pages: 1, Total: len(chosen)}
	return &m, m.fill(x, chosen[:min(cmp.Or(most, math.MaxInt), len(chosen))], nil)
}
