// Package clusterbench measures package replica/cluster. Each exported type is a command of the
// laboratory.
//
// Times are of the processor, user and system; memory is the peak resident size of the process.
package clusterbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"text/tabwriter"
	"time"

	"watershed/internal/extsort"
	"watershed/lab/kit/rusage"
	"watershed/replica/cluster"
)

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

// Cost prints the table of section 7 of the paper.
type Cost struct {
	N      uint64 `default:"300000"`
	Seed   uint64 `default:"1"`
	Dir    string `required:"" placeholder:"DIR"`
	Memory int    `default:"512"`
	Limit  int64  `default:"1900"`
	Sweeps uint64 `default:"1"`
}

func (c *Cost) Run(ctx context.Context, out io.Writer) error {
	debug.SetMemoryLimit(c.Limit << 20)
	docs := newCorpus(c.N, c.Seed)
	start := now()
	shingles := 0
	for d := range docs.all() {
		shingles += len(d.Shingles)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	generated := now()
	var marks []usage
	o := cluster.Options{
		MemoryBytes: c.Memory << 20,
		Phase:       func(cluster.Phase) { marks = append(marks, now()) },
	}
	var stats cluster.Stats
	err := withStore(c.Dir, o, func(s *cluster.Store) (err error) {
		for part := range c.Sweeps {
			marks = marks[:0]
			some := docs.part(part*c.N/c.Sweeps, (part+1)*c.N/c.Sweeps)
			if stats, err = s.Add(ctx, some); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	end := now()
	fmt.Fprintf(out, "%d documents, %d shingles, seed %d, %d MiB for sorting, %d sweeps\n", c.N, shingles,
		c.Seed, c.Memory, c.Sweeps)
	printCost(out, append(marks, end), generated.cpu-start.cpu)
	fmt.Fprintf(out, "peak memory %d MiB\n%+v\n", end.peak, stats)
	return os.RemoveAll(c.Dir)
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
		fmt.Fprintf(w, "%s\t%.1f\t%.1f\t%d\t%s\t%.1f\n", name, (b.cpu - a.cpu).Seconds(),
			b.wall.Sub(a.wall).Seconds(), b.peak, parallel, paperDays[p])
	}
	a, b := marks[0], marks[len(marks)-1]
	fmt.Fprintf(w, "Total\t%.1f\t%.1f\t%d\t\t10.5\n", (b.cpu - a.cpu).Seconds(), b.wall.Sub(a.wall).Seconds(),
		b.peak)
	_ = w.Flush() // it writes to standard output, where nobody could be told
}
