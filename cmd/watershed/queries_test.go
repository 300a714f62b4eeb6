package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"watershed/lab/kit/archivetest"
	"watershed/lab/kit/duckdb"
)

// TestQueries has DuckDB run the queries that are documented, over the tables of two shards.
func TestQueries(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "tables"), 0o700); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("longer ", 1000)
	logo := fmt.Sprintf("a logo: %x", sha256.Sum256(nil)) // longer than two short texts, packed, too
	for shard, captures := range map[string][]archivetest.Capture{
		"h-003": {
			{URL: "http://a.example/", Body: "alpha"},
			{URL: "http://a.example/copy", Body: "the same"},
			{URL: "http://cdn.example/logo", Body: logo},
		},
		"h-017": {
			{URL: "http://b.example/", Body: long},
			{URL: "http://b.example/copy", Body: "the same"},
			{URL: "http://b.example/other", Body: "the same"},
			{URL: "http://cdn.example/logo", Body: logo},
		},
	} {
		folder := filepath.Join(dir, shard)
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		archivetest.Write(t, folder, filepath.Join(folder, "index.cdxj"), captures)
		succeed(t, t.Context(), "cdxj", folder, "--parquet", filepath.Join(dir, "tables", shard+".parquet"))
	}
	wants := []string{
		`[["b.example","3",N],["cdn.example","2",N],["a.example","2",N]]`,
		`[["D","3","2","http://a.example/copy"]]`,
		`[["http://cdn.example/logo","2"]]`,
	}
	found := duckdb.Queries(t, "../../docs/formats/indexes.md")
	if len(found) != len(wants) {
		t.Fatalf("%d queries, want %d", len(found), len(wants))
	}
	for i, q := range found {
		got := duckdb.Rows(t, dir, q)
		got = regexp.MustCompile(`"[0-9]{3,}"`).ReplaceAllString(got, "N")             // of bytes
		got = regexp.MustCompile(`"sha256:[0-9a-f]{64}"`).ReplaceAllString(got, `"D"`) // of a digest
		if got != wants[i] {
			t.Errorf("%s: %s, want %s", q, got, wants[i])
		}
	}
}
