package replicas

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"watershed/configs"
	"watershed/internal/console"
	"watershed/lab/kit/archivetest"
	"watershed/lab/kit/duckdb"
)

// TestShardCopies: the copies among the pages of two shards are the same by their archives, by the tables
// of documents of each, and, clusters alone, by the query that is documented.
func TestShardCopies(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(7, 11))
	text := func(words []int) string {
		var b strings.Builder
		for _, w := range words {
			fmt.Fprintf(&b, "w%d ", w)
		}
		return b.String()
	}
	var works [][]int // of 40 to 2,000 words, so that sketches keep all or some of their shingles
	for range 12 {
		var words []int
		for range 40 + r.IntN(2000) {
			words = append(words, r.IntN(5000))
		}
		works = append(works, words)
	}
	captures := map[string][]archivetest.Capture{}
	for i, words := range works {
		for copies := range 4 { // each changed more, and the last one shorter
			edited := slices.Clone(words)
			for range copies * len(words) / 40 {
				edited[r.IntN(len(edited))] = r.IntN(5000)
			}
			if copies == 3 {
				edited = edited[:len(edited)*3/4]
			}
			shard := fmt.Sprintf("h-%03d", copies%2)
			captures[shard] = append(captures[shard], archivetest.Capture{
				URL: fmt.Sprintf("http://c%d.example/work/%d", copies, i), Body: "<p>" + text(edited),
			})
		}
	}
	both := archivetest.Capture{URL: "http://cdn.example/", Body: "<p>" + text(works[0])}
	analyze := func(out string, paths ...string) string {
		t.Helper()
		c := Analyze{From: paths, Out: filepath.Join(dir, out), Quiet: true}
		c.Memory, c.MinPages, c.Rank = configs.Size(8<<20), 10, "fullest"
		var said bytes.Buffer
		if err := c.Run(t.Context(), console.Streams{Out: &said, Err: &said}); err != nil {
			t.Fatalf("%v: %s", err, said.String())
		}
		return duckdb.Rows(t, dir, `SELECT min(url) OVER (PARTITION BY cluster) AS first, url FROM '`+out+
			`/pages.parquet' WHERE cluster > 0 ORDER BY first, url`)
	}
	var archives, tables []string
	for shard, list := range captures {
		folder := filepath.Join(dir, "archives", shard)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		archivetest.Write(t, folder, filepath.Join(folder, "index.cdxj"), append(list, both))
		analyze("shards/"+shard, folder)
		archives = append(archives, folder)
		tables = append(tables, filepath.Join(dir, "shards", shard, "documents.parquet"))
	}
	want := analyze("archives-together", archives...)
	if got := analyze("tables-together", tables...); got != want || strings.Count(got, "http") < 40 {
		t.Errorf("by tables: %s\nby archives: %s", got, want)
	}
	for _, q := range duckdb.Queries(t, "../../docs/formats/catalog.md") {
		if got := duckdb.Rows(t, dir, q); got != want {
			t.Errorf("by DuckDB: %s\nby archives: %s", got, want)
		}
	}
}
