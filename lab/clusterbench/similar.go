package clusterbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"watershed/internal/extsort"
	"watershed/lab/kit/rusage"
	"watershed/lab/questions"
	"watershed/replica/cluster"
)

// Similar asks for documents like some of the corpus, which are changed a little, and prints how
// long it took.
type Similar struct {
	N    uint64 `default:"1000000"`
	Asks uint64 `default:"1000"`
	Size int    `default:"128"`
	Dir  string `required:"" placeholder:"DIR"`
}

// Run is the command.
func (c *Similar) Run(ctx context.Context, out io.Writer) error {
	docs := newCorpus(c.N, 1)
	docs.size = c.Size
	err := withStore(c.Dir, cluster.Options{}, func(s *cluster.Store) error {
		if s.Documents() == 0 {
			if _, err := s.Add(ctx, docs.all()); err != nil {
				return err
			}
		}
		if s.Documents() != c.N {
			return fmt.Errorf("the store has %d documents, not %d", s.Documents(), c.N)
		}
		return nil
	})
	if err != nil {
		return err
	}
	dir, err := extsort.ReadDir(c.Dir)
	if err != nil {
		return err
	}
	x, err := questions.OpenIndex(dir)
	if err != nil {
		return errors.Join(err, dir.Close())
	}
	return errors.Join(c.ask(ctx, out, docs, x), x.Close(), dir.Close())
}

// ask asks, and prints how long it took.
func (c *Similar) ask(ctx context.Context, out io.Writer, docs *corpus, x *questions.Index) error {
	var times []time.Duration
	var d cluster.Document
	found := 0
	for k := range c.Asks {
		docs.document(mix(k)%c.N, &d)
		d.Digest, d.Lexical = 0, 0
		d.Shingles = slices.DeleteFunc(d.Shingles, func(f uint64) bool { return mix(f+k)%10 == 0 })
		start := rusage.CPU()
		matches, err := x.Similar(ctx, &d, questions.SimilarOptions{})
		if err != nil {
			return err
		}
		times = append(times, rusage.CPU()-start)
		if len(matches) > 0 {
			found++
		}
	}
	slices.Sort(times)
	at := func(p int) time.Duration { return times[min(len(times)-1, len(times)*p/100)] }
	fmt.Fprintf(out, "%d documents, %d asked for, %d found; CPU median %v, 99%% %v, greatest %v; peak "+
		"memory %d MiB\n",
		c.N, c.Asks, found, at(50), at(99), at(100), rusage.Peak()>>20)
	return nil
}
