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
	"iter"
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
	cluster.Reading: 4.6, cluster.Duplicates: 0.3, cluster.PairFormation: 1.7 + 0.7,
	cluster.PairMerging: 2.6, cluster.Formation: 0.5,
}

// find forms the clusters of documents with a folder, which is removed.
func find(ctx context.Context, path string, docs iter.Seq2[cluster.Document, error], o cluster.Options,
	each func(cluster.Cluster) error,
) (stats cluster.Stats, err error) {
	dir, err := extsort.OpenDir(path)
	if err != nil {
		return stats, err
	}
	stats, err = cluster.Find(ctx, dir, docs, o, each)
	return stats, errors.Join(err, dir.Close(), os.RemoveAll(path))
}

// Cost prints the table of section 7 of the paper.
type Cost struct {
	N      uint64 `default:"300000"`
	Seed   uint64 `default:"1"`
	Dir    string `required:"" placeholder:"DIR"`
	Memory int    `default:"512"`
	Limit  int64  `default:"1900"`
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
	stats, err := find(ctx, c.Dir, docs.all(), o, func(cluster.Cluster) error { return nil })
	if err != nil {
		return err
	}
	end := now()
	fmt.Fprintf(out, "%d documents, %d shingles, seed %d, %d MiB for sorting\n", c.N, shingles,
		c.Seed, c.Memory)
	printCost(out, append(marks, end), generated.cpu-start.cpu)
	_, err = fmt.Fprintf(out, "peak memory %d MiB\n%+v\n", end.peak, stats)
	return err
}

func printCost(out io.Writer, marks []usage, generating time.Duration) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "Phase\tCPU s\twall s\tpeak MiB\tparallelizable\tpaper, CPU-days")
	for p := range cluster.Formation + 1 {
		parallel, name := "", p.String()
		if p == cluster.Reading || p == cluster.PairMerging { // by the paper's table
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
