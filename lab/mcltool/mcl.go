// Package mcltool is a command that clusters a graph with package mcl, and takes the options of van
// Dongen's program mcl, against which the package is measured.
package mcltool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"watershed/internal/console"
	"watershed/mcl"
)

// Command clusters a graph, with the options of van Dongen's program.
type Command struct {
	File string `arg:"" default:"-"`
	ABC  bool   `name:"abc"`
	Out  string `short:"o" default:"-" placeholder:"FILE"`

	Inflation float64 `short:"I" default:"2"`
	Scheme    int     `default:"6"`
	Prune     int     `short:"P"`
	Select    int     `short:"S"`
	Recover   int     `short:"R"`
	Percent   int     `name:"pct"`
	Threads   int     `name:"te"`
	Overlap   string  `default:"split" enum:"split,keep,assign,cut"`
	Limit     int     `short:"L"`

	Refine       bool
	MaxCluster   int
	MaxShare     float64
	Step         float64
	MaxInflation float64
}

// mclOptions are the options of van Dongen's program that have one dash and a name of several
// letters.
var mclOptions = []string{"-te", "-scheme", "-pct", "-abc", "-overlap"}

// Arguments rewrites the arguments of the command mcl as that program takes them: -te 2 as --te 2.
// Others stay as they are.
func Arguments(args []string) []string {
	if len(args) == 0 || args[0] != "mcl" {
		return args
	}
	args = slices.Clone(args)
	for i, a := range args {
		if name, _, _ := strings.Cut(a, "="); slices.Contains(mclOptions, name) {
			args[i] = "-" + a
		}
	}
	return args
}

func (c *Command) Run(ctx context.Context, s console.Streams) error {
	o, err := c.options()
	if err != nil {
		return err
	}
	g, labels, err := c.read()
	if err != nil {
		return fmt.Errorf("read %s: %w", c.File, err)
	}
	r, err := c.cluster(ctx, g, o)
	if err != nil {
		return err
	}
	return c.write(s.Out, r, labels)
}

func (c *Command) options() (o mcl.Options, err error) {
	o = mcl.Options{
		Inflation: c.Inflation, Threads: c.Threads, MaxIterations: c.Limit,
		Overlap: map[string]mcl.Overlap{
			"keep": mcl.OverlapKeep, "assign": mcl.OverlapAssign,
			"cut": mcl.OverlapAssign,
		}[c.Overlap],
	}
	if o.Pruning, err = scheme(c.Scheme); err != nil {
		return o, err
	}
	if c.Prune > 0 {
		o.Pruning.Cutoff = 1 / float64(c.Prune)
	}
	for _, x := range []struct {
		flag int
		to   *int
	}{{c.Select, &o.Pruning.Select}, {c.Recover, &o.Pruning.Recover}, {c.Percent, &o.Pruning.Percent}} {
		if x.flag != 0 {
			*x.to = x.flag
		}
	}
	return o, o.Validate()
}

// cluster runs the process, and what is to follow it.
func (c *Command) cluster(ctx context.Context, g *mcl.Graph, o mcl.Options) (mcl.Result, error) {
	r, err := g.Cluster(ctx, o)
	if err == nil && c.Refine {
		r, err = mcl.Refine(ctx, g, r, o, mcl.RefineOptions{
			MaxPages: c.MaxCluster, MaxShare: c.MaxShare,
			Step: c.Step, MaxInflation: c.MaxInflation,
		})
	}
	return r, err
}

// read gives the graph and the labels of its vertices.
func (c *Command) read() (g *mcl.Graph, labels []string, err error) {
	in := io.Reader(os.Stdin)
	if c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			return nil, nil, err
		}
		defer f.Close() //nolint:errcheck // it was only read
		in = f
	}
	return ReadABC(in)
}

func (c *Command) write(out io.Writer, r mcl.Result, labels []string) error {
	if c.Out == "-" {
		return WriteClusters(out, r, labels)
	}
	f, err := os.Create(c.Out)
	if err != nil {
		return err
	}
	return errors.Join(WriteClusters(f, r, labels), f.Close())
}

// scheme is a set of pruning values of the reference program (mcl --show-schemes), 1 the cheapest
// and 7 the dearest. It is an error to ask for another one.
func scheme(k int) (mcl.Pruning, error) {
	// Cutoff as its inverse, selection, recovery; from mcl 22-282 --show-schemes.
	table := [...][3]int{
		{3000, 400, 500},
		{4000, 500, 600},
		{5000, 600, 700},
		{6000, 700, 800},
		{7000, 800, 900},
		{10000, 1100, 1400},
		{10000, 1200, 1600},
	}
	if k < 1 || k > len(table) {
		return mcl.Pruning{}, fmt.Errorf("%w: scheme %d is not between 1 and %d", mcl.ErrOption, k,
			len(table))
	}
	row := table[k-1]
	return mcl.Pruning{Cutoff: 1 / float64(row[0]), Select: row[1], Recover: row[2], Percent: 90}, nil
}
