package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"watershed/page"
	"watershed/replica/catalog"
	"watershed/replica/cluster"
)

// replicasChanges tells what changed between two sweeps of archives that others made; watershed changes tells it of a harvest's own runs,
// with what its maps and its ledger know besides.
type replicasChanges struct {
	catalogFlag
	Older uint32 `placeholder:"N" help:"The older sweep. Default: the last but one."`
	Newer uint32 `placeholder:"N" help:"The newer sweep. Default: the last."`
	All   bool   `help:"List unchanged pages, too."`
}

// changeJSON is a change as JSON has it.
type changeJSON struct {
	Kind        string   `json:"kind"`
	From        page.URL `json:"from,omitempty"`
	To          page.URL `json:"to,omitempty"`
	Resemblance float64  `json:"resemblance"`
}

func (c *replicasChanges) Run(ctx context.Context, s streams) error {
	return c.with(func(x *catalog.Catalog) error {
		older, newer, err := c.sweeps(x)
		if err != nil {
			return err
		}
		count := map[cluster.ChangeKind]int{}
		list := []changeJSON{}
		err = x.Changes(ctx, older, newer, func(x catalog.Change) error {
			count[x.Kind]++
			if c.All || x.Kind != cluster.Unchanged {
				list = append(list, changeJSON{x.Kind.String(), x.From, x.To, x.Resemblance})
			}
			return nil
		})
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(s.out, list)
		}
		fmt.Fprintf(s.out, "sweep %d to %d:%s\n", older, newer, tellCounts(count))
		w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
		for _, m := range list {
			to := m.To
			if to == m.From {
				to = ""
			}
			fmt.Fprintf(w, "%s\t%.3f\t%s\t%s\n", m.Kind, m.Resemblance, m.From, to)
		}
		return w.Flush()
	})
}

// sweeps are the two that are compared.
func (c *replicasChanges) sweeps(x *catalog.Catalog) (older, newer uint32, err error) {
	list := x.Sweeps()
	known := map[uint32]bool{}
	for _, s := range list {
		known[s.Number] = true
	}
	if len(list) > 1 {
		older, newer = list[len(list)-2].Number, list[len(list)-1].Number
	}
	if c.Older > 0 {
		older = c.Older
	}
	if c.Newer > 0 {
		newer = c.Newer
	}
	if !known[older] || !known[newer] || older >= newer {
		return 0, 0, &exitError{exitUsage, fmt.Errorf("there are %d sweeps, and none from %d to %d", len(list), older, newer)}
	}
	return older, newer, nil
}

func tellCounts(count map[cluster.ChangeKind]int) string {
	var b strings.Builder
	for k := cluster.Unchanged; k <= cluster.Born; k++ {
		if count[k] > 0 {
			fmt.Fprintf(&b, " %d %s,", count[k], k)
		}
	}
	return strings.TrimSuffix(b.String(), ",")
}
