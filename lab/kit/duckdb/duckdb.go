// Package duckdb runs the queries of documents in DuckDB, for tests.
package duckdb

import (
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"watershed/lab/kit/browser"
)

//go:embed duckdb.cjs
var script string

// Rows has DuckDB run a query in a folder, and gives its rows as JSON. The test is skipped where DuckDB is
// not installed, and fails if browser.Required is set.
func Rows(t testing.TB, dir, query string) string {
	t.Helper()
	packages, err := browser.Packages()
	if err == nil {
		_, err = os.Stat(filepath.Join(packages, "node_modules/@duckdb/node-api"))
	}
	switch {
	case err == nil:
	case os.Getenv(browser.Required) != "":
		t.Fatal(err)
	default:
		t.Skipf("no DuckDB: npm ci --prefix .ci/browser --ignore-scripts (%v)", err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "-e", script, packages)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(query)
	out, err := cmd.CombinedOutput()
	if err != nil || !json.Valid(out) {
		t.Fatalf("%s: %v: %s", query, err, out)
	}
	return strings.TrimSpace(string(out))
}

// queries are the fenced queries of a document.
var queries = regexp.MustCompile("(?s)```sql\n(.*?)```")

// Queries are those of a document.
func Queries(t testing.TB, document string) (list []string) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range queries.FindAllStringSubmatch(string(text), -1) {
		list = append(list, x[1])
	}
	return list
}
