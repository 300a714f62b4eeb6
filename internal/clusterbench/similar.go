package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"time"

	"watershed/internal/rusage"
	"watershed/replica/cluster"
)

// similar asks for documents like some of the corpus, which are changed a little, and prints how long it took.
func similar(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("similar", flag.ContinueOnError)
	n := flags.Uint64("n", 1_000_000, "documents")
	asks := flags.Uint64("asks", 1000, "documents asked for")
	size := flags.Int("size", 128, "keep so many smallest shingles of each document; 0: a twenty-fifth of them, as the paper does")
	path := flags.String("dir", "", "directory for the store; kept, and used again if it has documents")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *path == "" {
		return errors.New("similar: -dir is needed")
	}
	c := newCorpus(*n, 1)
	c.size = *size
	return withStore(*path, cluster.Options{}, func(s *cluster.Store) error {
		if s.Documents() == 0 {
			if _, err := s.Add(ctx, c.all()); err != nil {
				return err
			}
		}
		if s.Documents() != *n {
			return fmt.Errorf("the store has %d documents, not %d", s.Documents(), *n)
		}
		var times []time.Duration
		var d cluster.Document
		found := 0
		for k := range *asks {
			c.document(mix(k)%*n, &d)
			d.Digest, d.Lexical = 0, 0
			d.Shingles = slices.DeleteFunc(d.Shingles, func(f uint64) bool { return mix(f+k)%10 == 0 })
			start := rusage.CPU()
			matches, err := s.Similar(ctx, d, cluster.SimilarOptions{})
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
		fmt.Fprintf(out, "%d documents, %d asked for, %d found; CPU median %v, 99%% %v, greatest %v; peak memory %d MiB\n",
			*n, *asks, found, at(50), at(99), at(100), rusage.Peak()>>20)
		return nil
	})
}
