package evaluate

import (
	"context"
	"fmt"
	"iter"
	"os"
	"strconv"

	"watershed/lab/collections"
	"watershed/replica/catalog"
	"watershed/replica/collection"
	"watershed/replica/mirror"
	"watershed/replica/witness"
)

// contentOf reads the pages of a test web's folder as a harvest would: which are alike, their
// texts, what they declare, and the collections among them.
func contentOf(ctx context.Context, dir string, in mirror.Input) (mirror.Input, error) {
	truth, err := collections.ReadTruth(os.DirFS(dir))
	if err != nil {
		return in, fmt.Errorf("%s: %w", dir, err)
	}
	w := witness.New()
	c := Copies{Truth: dir, seen: w.Learn}
	err = c.withWeb(ctx, truth, func(x *catalog.Catalog) error {
		found, err := x.Find(ctx)
		if err == nil {
			in.Collections = places(found.Result)
		}
		return err
	})
	in.Pages, in.Declared = w.Pages, w.Declared
	if err != nil {
		return in, fmt.Errorf("%s: %w", dir, err)
	}
	return in, nil
}

// places gives where the collections that a search found lie.
func places(r *collection.Result) iter.Seq2[mirror.Place, error] {
	return func(yield func(mirror.Place, error) bool) {
		for i := range r.Collections {
			c := &r.Collections[i]
			for j := range c.Replicas {
				p := mirror.Place{
					Collection: strconv.Itoa(c.ID), Host: string(c.Replicas[j].Host),
					Pages: len(c.Replicas[j].Pairs),
				}
				if !yield(p, nil) {
					return
				}
			}
		}
	}
}
