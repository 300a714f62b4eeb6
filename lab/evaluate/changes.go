package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"watershed/lab/questions"
	"watershed/lab/testweb"
	"watershed/page"
	"watershed/replica/catalog"
)

// changes judges, of the last two sweeps of a harvest, where moved pages are found and what is said
// of changes, by the rows of changes.tsv: url, epoch, kind, old URL, new URL. Rows about pages that
// the sweeps do not have are passed over.
func (c *Copies) changes(ctx context.Context, out io.Writer) error {
	return c.withHarvest(func(x *catalog.Catalog) error {
		sweeps := x.Sweeps()
		if len(sweeps) < 2 {
			return fmt.Errorf("%s has %d sweep: changes are told between two", c.Harvest, len(sweeps))
		}
		older, newer := sweeps[len(sweeps)-2], sweeps[len(sweeps)-1]
		all, err := questions.Read(ctx, x)
		if err != nil {
			return err
		}
		said := map[page.URL]questions.Change{} // by the older URL, else by the newer one
		for _, m := range all.Changes(older.Number, newer.Number) {
			from, to := m.URLs()
			said[cmp.Or(from, to)] = m
		}
		j := changesJudge{x: all, said: said, newer: newer.Number}
		if err := testweb.FileRows(c.Changes, 5, j.row); err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "moved pages: %d, first in the lost and found %.4f, paired by the change "+
			"report %.4f\nkinds of changes: %d, right %.4f\n",
			j.moved, part(j.found, j.moved), part(j.paired, j.moved), j.kinds, part(j.right, j.kinds))
		return err
	})
}

// changesJudge counts.
type changesJudge struct {
	x                    *questions.Collection
	said                 map[page.URL]questions.Change
	newer                uint32
	moved, found, paired int
	kinds, right         int
}

func (j *changesJudge) row(r []string) error {
	kind, from, to := r[2], page.URL(r[3]), page.URL(r[4])
	if kind == "moved" {
		return j.move(from, to)
	}
	right := map[string][]questions.ChangeKind{
		"edited": {questions.Edited, questions.Rewritten}, "rewritten": {questions.Rewritten},
		"gone": {questions.Died}, "new": {questions.Born},
		"links": {questions.Unchanged, questions.Reformatted, questions.Edited},
	}[kind]
	key := from
	if kind == "new" {
		key = to
	}
	m, ok := j.said[key]
	if len(right) == 0 || !ok {
		return nil
	}
	j.kinds++
	for _, k := range right {
		if m.Kind == k {
			j.right++
		}
	}
	return nil
}

// move judges a page that moved, where both its old place and its new one were seen.
func (j *changesJudge) move(from, to page.URL) error {
	m, ok := j.said[from]
	if at, err := j.x.Latest(to); errors.Is(err, questions.ErrUnknown) || !ok {
		return nil
	} else if err != nil || at.Sweep != j.newer {
		return err
	}
	j.moved++
	j.kinds++
	_, now := m.URLs()
	if now == to && (m.Kind == questions.MovedWithin || m.Kind == questions.MovedBetween) {
		j.paired++
		j.right++
	}
	places, err := j.x.Found(from)
	if err != nil {
		return err
	}
	for _, p := range places {
		if p.URL != from {
			if p.URL == to {
				j.found++
			}
			break
		}
	}
	return nil
}
