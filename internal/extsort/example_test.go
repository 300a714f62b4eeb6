package extsort_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"watershed/internal/extsort"
)

// count is a word's fingerprint and how often it was seen.
type count [2]uint64

func (c count) word() uint64 { return c[0] }
func (c count) seen() uint64 { return c[1] }

func Example() {
	path, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	dir, err := extsort.OpenDir(path)
	if err != nil {
		log.Fatal(err)
	}
	sorter, err := extsort.NewSorter(dir, extsort.Options[count]{Key: 1, Combine: extsort.AddUp[count]})
	if err != nil {
		log.Fatal(err)
	}
	for _, word := range []uint64{30, 10, 30, 20, 30, 10} {
		if err := sorter.Add(count{word, 1}); err != nil {
			log.Fatal(err)
		}
	}
	cursor, err := sorter.Sort(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	err = cursor.Each(context.Background(), func(c count) error {
		fmt.Println(c.word(), c.seen())
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := dir.Close(); err != nil {
		log.Fatal(err)
	}
	if err := os.RemoveAll(path); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 10 2
	// 20 1
	// 30 3
}
