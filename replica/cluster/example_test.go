package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"watershed/internal/extsort"
	"watershed/replica/cluster"
	"watershed/replica/sketch"
)

func Example() {
	path, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	dir, err := extsort.OpenDir(path)
	if err != nil {
		log.Fatal(err)
	}
	builder, err := sketch.NewBuilder(sketch.Options{Width: 4})
	if err != nil {
		log.Fatal(err)
	}
	texts := []string{
		"a rose is a rose is a rose, and a daisy is a daisy, as everybody in the garden knows",
		"A rose is a rose is a rose, and a daisy is a daisy, as everybody in the garden knows!",
		"a rose is a rose is a rose, and a daisy is a daisy, as everybody in my garden knows",
		"something else altogether, with not a flower in it",
	}
	docs := func(yield func(cluster.Document, error) bool) {
		for i, text := range texts {
			builder.Text([]byte(text))
			s := builder.Sketch()
			d := cluster.Document{Key: cluster.Key{Page: uint64(i)}, Time: int64(i)}
			if d.Take(&s); !yield(d, nil) {
				return
			}
		}
	}
	_, err = cluster.Find(context.Background(), dir, docs, cluster.Options{}, func(c cluster.Cluster) error {
		for _, m := range c.Members {
			fmt.Println(c.Number, m.Page)
		}
		return nil
	})
	if err := errors.Join(err, dir.Close(), os.RemoveAll(path)); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 1 0
	// 1 1
	// 1 2
}
