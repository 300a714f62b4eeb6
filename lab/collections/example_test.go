package collections_test

import (
	"fmt"
	"log"

	"watershed/lab/collections"
)

func ExampleChunker() {
	chunker, err := collections.NewChunker(collections.ChunkOptions{Chunking: collections.TwoLines})
	if err != nil {
		log.Fatal(err)
	}
	// As crawler/extract gives visible text: a piece "\n" ends a block.
	for _, piece := range []string{
		"Finding replicated", " collections", "\n", "Many documents", "\n",
		"are copied",
	} {
		chunker.Text([]byte(piece))
	}
	f := chunker.Page()
	fmt.Println(len(f.Chunks), "chunks; too short to be the same as another:", f.Whole == 0)
	// Output: 2 chunks; too short to be the same as another: true
}
