// Command clusterbench measures package replica/cluster.
//
//	clusterbench cost -n 3000000 -dir DIR       the paper's cost table on a generated corpus of its shape
//	clusterbench docs DOCS.tsv                  documents one a line, "truth TAB text": time, and precision and recall of pairs
//	clusterbench similar -n 1000000 -dir DIR    the time to find similar documents
//
// Times are of the processor, user and system; memory is the peak resident size of the process.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"text/tabwriter"
	"time"

	"watershed/internal/extsort"
	"watershed/internal/rusage"
	"watershed/replica/cluster"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "clusterbench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "cost":
			return cost(ctx, args[1:], out)
		case "docs":
			return docs(ctx, args[1:], out)
		case "similar":
			return similar(ctx, args[1:], out)
		}
	}
	return errors.New("usage: clusterbench cost | docs | similar")
}

// usage is what the process took so far.
type usage struct {
	cpu  time.Duration
	wall time.Time
	peak int64 // MiB
}

func now() usage { return usage{rusage.CPU(), time.Now(), rusage.Peak() >> 20} }

// paperDays are the days of processor time of the paper's table.
var paperDays = map[cluster.Phase]float64{
	cluster.Reading: 4.6, cluster.Duplicates: 0.3, cluster.ShingleMerging: 1.7, cluster.PairFormation: 0.7,
	cluster.PairMerging: 2.6, cluster.Formation: 0.5,
}

// withStore runs f on a store in a directory, which is removed unless it is to be kept.
func withStore(path string, o cluster.Options, f func(*cluster.Store) error) error {
	dir, err := extsort.OpenDir(path)
	if err != nil {
		return err
	}
	s, err := cluster.Open(dir, o)
	if err != nil {
		return errors.Join(err, dir.Close())
	}
	return errors.Join(f(s), s.Close(), dir.Close())
}

// cost prints the table of section 7 of the paper.
func cost(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("cost", flag.ContinueOnError)
	n := flags.Uint64("n", 300_000, "documents")
	seed := flags.Uint64("seed", 1, "seed of the corpus")
	path := flags.String("dir", "", "directory for the store; made, and removed at the end")
	memory := flags.Int("memory", 512, "MiB for sorting")
	limit := flags.Int64("limit", 1900, "MiB that the garbage collector keeps to")
	sweeps := flags.Uint64("sweeps", 1, "add the documents in so many parts")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *path == "" {
		return errors.New("cost: -dir is needed")
	}
	debug.SetMemoryLimit(*limit << 20)
	c := newCorpus(*n, *seed)
	start := now()
	shingles := 0
	for d := range c.all() {
		shingles += len(d.Shingles)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	generated := now()
	var marks []usage
	o := cluster.Options{MemoryBytes: *memory << 20, Phase: func(cluster.Phase) { marks = append(marks, now()) }}
	var stats cluster.Stats
	err := withStore(*path, o, func(s *cluster.Store) (err error) {
		for part := range *sweeps {
			marks = marks[:0]
			docs := c.part(part**n / *sweeps, (part+1)**n / *sweeps)
			if stats, err = s.Add(ctx, docs); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	end := now()
	fmt.Fprintf(out, "%d documents, %d shingles, seed %d, %d MiB for sorting, %d sweeps\n", *n, shingles, *seed, *memory, *sweeps)
	printCost(out, append(marks, end), generated.cpu-start.cpu)
	fmt.Fprintf(out, "peak memory %d MiB\n%+v\n", end.peak, stats)
	return os.RemoveAll(*path)
}

func printCost(out io.Writer, marks []usage, generating time.Duration) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "Phase\tCPU s\twall s\tpeak MiB\tparallelizable\tpaper, CPU-days")
	for p := range cluster.Formation + 1 {
		parallel, name := "", p.String()
		if p.Parallel() {
			parallel = "YES"
		}
		if p == cluster.Reading {
			name += " (generating took " + fmt.Sprintf("%.1f s of it)", generating.Seconds())
		}
		a, b := marks[p], marks[p+1]
		fmt.Fprintf(w, "%s\t%.1f\t%.1f\t%d\t%s\t%.1f\n", name, (b.cpu - a.cpu).Seconds(), b.wall.Sub(a.wall).Seconds(), b.peak, parallel, paperDays[p])
	}
	a, b := marks[0], marks[len(marks)-1]
	fmt.Fprintf(w, "Total\t%.1f\t%.1f\t%d\t\t10.5\n", (b.cpu - a.cpu).Seconds(), b.wall.Sub(a.wall).Seconds(), b.peak)
	_ = w.Flush() // it writes to standard output, where nobody could be told
}
