// Package mcltool is a command that clusters a graph with package mcl, and takes the options of van
// Dongen's program mcl, against which the package is measured.
package mcltool

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"watershed/graph"
	"watershed/internal/console"
	"watershed/mcl"
)

// Command clusters a graph, with the options of van Dongen's program.
type Command struct {
	File string `arg:"" default:"-"`
	ABC  bool   `name:"abc"`
	Tab  string `name:"use-tab" placeholder:"FILE"`
	Out  string `short:"o" default:"-" placeholder:"FILE"`

	Native    bool
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
	Stats        bool
}

// mclOptions are the options of van Dongen's program that have one dash and a name of several
// letters.
var mclOptions = []string{"-te", "-scheme", "-pct", "-abc", "-use-tab", "-overlap"}

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
	if c.Stats {
		if err := printQuality(s.Err, g, r); err != nil {
			return err
		}
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
	if c.ABC {
		return ReadABC(in)
	}
	g, domain, err := readMatrix(in)
	if err != nil {
		return nil, nil, err
	}
	names := map[string]string{}
	if c.Tab != "" {
		if names, err = readTab(c.Tab); err != nil {
			return nil, nil, err
		}
	}
	for _, n := range domain {
		label := strconv.Itoa(n)
		if name, ok := names[label]; ok {
			label = name
		}
		labels = append(labels, label)
	}
	return g, labels, nil
}

// readTab reads a tab file: a number, white space, a label a line.
func readTab(path string) (map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	names := make(map[string]string)
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		text := strings.TrimSpace(lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		i := strings.IndexAny(text, " \t")
		if i < 0 {
			return nil, fmt.Errorf("%s: %q has no label", path, text)
		}
		names[text[:i]] = strings.TrimSpace(text[i:])
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return names, nil
}

func (c *Command) write(out io.Writer, r mcl.Result, labels []string) error {
	print := func(w io.Writer) error {
		if c.Native {
			return writeClusterMatrix(w, r)
		}
		return WriteClusters(w, r, labels)
	}
	if c.Out == "-" {
		return print(out)
	}
	f, err := os.Create(c.Out)
	if err != nil {
		return err
	}
	return errors.Join(print(f), f.Close())
}

// edges is the number of undirected edges of a graph.
func edges(g *mcl.Graph) (n int) {
	for v := range g.Len() {
		rows, _ := g.Neighbours(graph.ID(v))
		n += len(rows)
	}
	return n / 2
}

// printQuality tells what clm info tells, and how the process went.
func printQuality(out io.Writer, g *mcl.Graph, r mcl.Result) error {
	fmt.Fprintf(out, "%d vertices, %d edges, %d clusters, %d iterations, converged %v\n", g.Len(), edges(g),
		len(r.Clusters), len(r.Stats.Iterations), r.Stats.Converged)
	q, err := measure(g, r)
	if errors.Is(err, mcl.ErrGraph) { // clusters overlap
		return nil
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "efficiency %.5f, mass fraction %.5f, area fraction %.5f, modularity %.5f\n",
		q.Efficiency, q.MassFraction, q.AreaFraction, q.Modularity)
	return err
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
