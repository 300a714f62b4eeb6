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
	store, err := cluster.Open(dir, cluster.Options{})
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
			if !yield(cluster.Of(cluster.Info{Key: cluster.Key{Page: uint64(i)}, Time: int64(i)}, &s), nil) {
				return
			}
		}
	}
	if _, err := store.Add(context.Background(), docs); err != nil {
		log.Fatal(err)
	}
	names := map[cluster.Relation]string{
		cluster.Identical: "identical", cluster.LexicallyEquivalent: "lexically equivalent",
		cluster.ShingleEquivalent: "shingle-equivalent", cluster.Similar: "similar",
	}
	for c, err := range store.All(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		for _, m := range c.Members {
			fmt.Println(c.Number, m.Page, names[m.Relation])
		}
	}
	if err := errors.Join(store.Close(), dir.Close(), os.RemoveAll(path)); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 1 0 identical
	// 1 1 lexically equivalent
	// 1 2 similar
}
