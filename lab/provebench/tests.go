// Package provebench judges the mirroring tests on a built test web whose mirrors are known: it
// tests every pair of mirrors.tsv on the web's own pages, without a network, and prints the
// confusion of levels and the cost.
package provebench

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"watershed/lab/kit/parameters"
	"watershed/lab/rankings"
	"watershed/replica/prove"
)

// Tests is the command of the laboratory.
type Tests struct {
	Web        string `required:"" placeholder:"DIR"`
	Trees      bool
	Each       bool
	Printed    bool
	Mirroring  bool
	Repeat     int    `default:"1"`
	Parameters string `placeholder:"FILE"`
}

func (c *Tests) Run(out io.Writer) error {
	var o prove.Options
	if err := errors.Join(parameters.Read(c.Parameters, &o), o.Validate()); err != nil {
		return err
	}
	if c.Printed {
		o.Criteria = prove.Printed
	}
	if c.Mirroring {
		o.Method = prove.Mirroring
	}
	web := os.DirFS(c.Web)
	w, err := openWeb(web, c.Trees)
	if err != nil {
		return err
	}
	defer w.bodies.Close() //nolint:errcheck // only read
	pairs, err := readTruth(web)
	if err != nil {
		return err
	}
	var all rankings.Confusion
	least, sum := 1., 0.
	for range c.Repeat {
		found, s, err := judge(w, pairs, o, c.Each, out)
		if err != nil {
			return err
		}
		for truth, row := range found.Count {
			for class, n := range row {
				all.Count[truth][class] += n
			}
		}
		least, sum = min(least, found.Exact()), sum+found.Exact()
		fmt.Fprintf(out, "seed %d: exact %.3f of %d pairs, %.3f of the mirrors; %d tested, %d inferred, "+
			"%d requests, %.1f for each of %d mirrors\n",
			o.Seed, found.Exact(), found.Total(), found.ExactMirrors(), s.Tested, s.Inferred, s.Wanted,
			s.PerMirror(), s.Mirrors)
		o.Seed++
	}
	if err := all.WriteText(out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "exact: mean %.3f, least %.3f; of the mirrors %.3f\n", sum/float64(c.Repeat),
		least, all.ExactMirrors())
	return err
}

// judge tests all pairs once.
func judge(w *web, pairs []labelled, o prove.Options, each bool, out io.Writer) (c rankings.Confusion,
	s prove.Stats, err error,
) {
	p, err := prove.New(o, nil)
	if err != nil {
		return c, s, err
	}
	for _, x := range pairs {
		for _, name := range []string{x.A, x.B} {
			p.Paths(name, w.hosts[name])
		}
		p.Add(x.Pair)
	}
	for {
		wants := p.Wants()
		for _, want := range wants {
			v, err := w.visit(want.URL)
			if err != nil {
				return c, s, err
			}
			p.Learn(v)
		}
		if len(wants) == 0 && p.Retry() == 0 {
			break
		}
	}
	for _, v := range p.Verdicts() {
		k := slices.IndexFunc(pairs, func(x labelled) bool { return x.Pair == v.Pair })
		c.Add(pairs[k].class, v.Class)
		if each {
			mark := " "
			if v.Class != pairs[k].class {
				mark = "*"
			}
			fmt.Fprintf(out, "%s %-10s %-60s %s, mean %.3f, A %v B %v | %s\n", mark, pairs[k].class, v.Pair,
				v.Note(), v.Tally.Mean(), v.Tally.From[0], v.Tally.From[1], strings.TrimSpace(pairs[k].note))
		}
	}
	return c, p.Stats(), nil
}
