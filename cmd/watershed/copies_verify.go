package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"watershed/configs"
	"watershed/harvest"
	"watershed/internal/console"
	"watershed/replica/prove"
)

// copiesVerify tests entries of the table by fetching what the tests want, and nothing else.
type copiesVerify struct {
	File    string   `arg:""`
	Names   []string `arg:"" optional:""`
	JSON    bool     `name:"json"`
	JSONLog bool     `name:"json-log"`
	Quiet   bool     `short:"q"`
}

func (c *copiesVerify) Run(ctx context.Context, s console.Streams, config *configs.Harvest) error {
	r := newReporter(s.Err, c.JSONLog, c.Quiet)
	plan, err := planOf(config, r.log)
	if err != nil {
		return err
	}
	plan.Crawl.Progress = r.crawling
	opened := func(h *harvest.Harvest) {
		r.attach(h.Run())
		r.phase("testing mirrors")
	}
	var v *harvest.Verified
	err = inCluster(ctx, config, &plan, r.log, func(ctx context.Context) (err error) {
		v, err = harvest.Verify(ctx, folderOf(config), plan, c.Names, opened)
		return err
	})
	r.close()
	if v == nil {
		return err
	}
	if c.JSON {
		v.Proved, v.Conflicts = orEmpty(v.Proved), orEmpty(v.Conflicts)
		return errors.Join(console.JSON(s.Out, v), stopped(err))
	}
	return errors.Join(printVerified(s.Out, v), stopped(err))
}

// stopped gives what ended the tests before their time its exit code.
func stopped(err error) error {
	if err := unfinished(err); err != nil {
		return err
	}
	return limitError(err)
}

// printVerified prints each verdict and what became of the entry, the counts in the order of Bharat
// and Broder's Table 2, and the cost.
func printVerified(out io.Writer, v *harvest.Verified) error {
	w := console.NewTable(out)
	var n [prove.ServerFailure + 1]int
	for _, x := range v.Proved {
		n[x.Class]++
		state := "not in the table"
		if x.Entry.From != "" {
			state = x.Entry.State.String()
		}
		fmt.Fprintf(w, "%s\t= %s\t%s\t%s\n", x.B, x.A, state, x.Note())
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d pairs:", len(v.Proved))
	for _, k := range []prove.Class{
		prove.Level1, prove.Level2, prove.Level3, prove.Level4, prove.Level5,
		prove.Mirror, prove.Mismatch, prove.ServerFailure, prove.DNSFailure, prove.Undetermined,
	} {
		if n[k] > 0 {
			fmt.Fprintf(out, " %s %d,", k, n[k])
		}
	}
	fmt.Fprintf(out, " open %d\n", v.Open)
	fmt.Fprintf(out, "%d tested, %d inferred, %d contradictions; %d requests asked for, %d pages were "+
		"captured before; %.1f requests for each of %d mirrors\n",
		v.Stats.Tested, v.Stats.Inferred, len(v.Conflicts), v.Stats.Wanted, v.Stats.Held, v.Stats.PerMirror(),
		v.Stats.Mirrors)
	for _, c := range v.Conflicts {
		fmt.Fprintf(out, "contradiction: %s is %s, against what follows from other pairs\n", c.Pair, c.Class)
	}
	if v.Run == "" {
		return nil
	}
	_, err := fmt.Fprintf(out, "fetched: %s, %d captures\n", v.Run.Archive(), v.Kept)
	return err
}
