package clusterbench

import (
	"context"
	"fmt"
	"io"
	"iter"

	"watershed/lab/testweb"
	"watershed/replica/cluster"
	"watershed/replica/sketch"
)

// Documents sketches and clusters plain texts, and compares the pairs with the truth.
type Documents struct {
	Texts string `arg:""`
	Width int    `default:"5"`
	Size  int    `default:"48"`
	Dir   string `required:"" placeholder:"DIR"`
}

func (c *Documents) Run(ctx context.Context, out io.Writer) error {
	texts, truth, bytes, err := testweb.Documents(c.Texts)
	if err != nil {
		return err
	}
	o := sketch.Options{Width: c.Width, Size: c.Size, NoSuper: true}
	start := now()
	var read usage
	found := make([]int, len(texts))
	_, err = find(ctx, c.Dir, sketches(texts, o), cluster.Options{Phase: func(p cluster.Phase) {
		if p == cluster.Duplicates {
			read = now()
		}
	}}, func(x cluster.Cluster) error {
		for _, m := range x.Members {
			found[m.Page] = int(x.Number)
		}
		return nil
	})
	if err != nil {
		return err
	}
	end := now()
	for i, c := range found {
		if c == 0 {
			found[i] = -1 - i
		}
	}
	both, ours, theirs := pairs(found, truth)
	cpu := (read.cpu - start.cpu).Seconds()
	fmt.Fprintf(out, "pairs precision %.4f recall %.4f\n", both/max(1, ours), both/max(1, theirs))
	_, err = fmt.Fprintf(out, "docs %d (%.1f MB): read and sketch %.2f s = %.0f MB/s; cluster %.2f s; "+
		"total CPU %.2f s; peak %d MiB\n",
		len(texts), float64(bytes)/1e6, cpu, float64(bytes)/1e6/cpu, (end.cpu - read.cpu).Seconds(),
		(end.cpu - start.cpu).Seconds(), end.peak)
	return err
}

// sketches sketches one text after the other.
func sketches(texts [][]byte, o sketch.Options) iter.Seq2[cluster.Document, error] {
	return func(yield func(cluster.Document, error) bool) {
		b, err := sketch.NewBuilder(o)
		if err != nil {
			yield(cluster.Document{}, err)
			return
		}
		var s sketch.Sketch
		for i, t := range texts {
			b.Reset()
			b.Text(t)
			b.Finish(&s)
			d := cluster.Document{Key: cluster.Key{Page: uint64(i)}}
			if d.Take(&s); !yield(d, nil) {
				return
			}
		}
	}
}

// pairs counts the pairs that both partitions, the first, and the second put together.
func pairs(a, b []int) (both, first, second float64) {
	type two struct{ a, b int }
	as, bs, abs := map[int]float64{}, map[int]float64{}, map[two]float64{}
	for i := range a {
		both += abs[two{a[i], b[i]}]
		first += as[a[i]]
		second += bs[b[i]]
		abs[two{a[i], b[i]}]++
		as[a[i]]++
		bs[b[i]]++
	}
	return both, first, second
}
