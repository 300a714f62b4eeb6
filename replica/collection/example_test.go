package collection_test

import (
	"context"
	"fmt"
	"log"

	"watershed/page"
	"watershed/replica/collection"
)

// Two sites hold a manual of an entry page and ten chapters; the second one lacks two of them.
func Example() {
	var in collection.Input
	var links [][2]uint32
	for copied, prefix := range []string{
		"http://www.example.org/manual/",
		"http://mirror.example.net/pub/doc/",
	} {
		entry := uint32(len(in.Pages))
		for chapter := range 11 {
			if copied == 1 && chapter > 8 {
				continue
			}
			name := fmt.Sprintf("chapter%d.html", chapter)
			if chapter == 0 {
				name = ""
			}
			links = append(links, [2]uint32{entry, uint32(len(in.Pages))})
			in.Pages = append(in.Pages, collection.Page{URL: page.URL(prefix + name)})
			in.Clusters = append(in.Clusters, uint32(chapter)) // pages that are alike, as sketches tell
		}
	}
	in.Links = func(add func(from, to uint32) error) error {
		for _, l := range links {
			if err := add(l[0], l[1]); err != nil {
				return err
			}
		}
		return nil
	}
	r, err := collection.Find(context.Background(), in, collection.Options{MinPages: 5})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range r.Collections {
		fmt.Printf("collection %d: %d pages, %d replicas\n", c.ID, c.Size, c.Cardinality())
		for _, x := range c.Replicas {
			fmt.Printf("  %s: %d pages mapped, purity %.2f\n", x.Prefix, len(x.Pairs), x.Evidence.Purity())
		}
		p := c.Replicas[1].Pairs[1]
		fmt.Printf("  %s\n  stands for %s\n", in.Pages[p.Original].URL, in.Pages[p.Page].URL)
	}
	// Output:
	// collection 1: 9 pages, 2 replicas
	//   http://www.example.org/manual/: 9 pages mapped, purity 0.82
	//   http://mirror.example.net/pub/doc/: 9 pages mapped, purity 1.00
	//   http://www.example.org/manual/chapter1.html
	//   stands for http://mirror.example.net/pub/doc/chapter1.html
}
