// Package layers holds the import table of the house: which package may import which. A new package needs a row.
package layers

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// table has, for each package, those of our own that it may import. The command may import anything; tests may import
// internal/testweb besides.
var table = map[string][]string{
	"page":             {},
	"graph":            {},
	"sitemap/protocol": {},
	"internal/testweb": {},
	"flow":             {"graph"},
	"mcl":              {"graph"},
	"store":            {"page", "graph"},
	"frontier":         {"page", "store"},
	"archive":          {"page"},
	"crawler/fetch":    {"page"},
	"crawler/robots":   {"page"},
	"crawler/extract":  {"page", "sitemap/protocol"},
	"sitemap":          {"page", "graph", "flow", "mcl", "sitemap/protocol"},
	"crawler":          {"page", "frontier", "store", "archive", "sitemap", "sitemap/protocol", "crawler/fetch", "crawler/robots", "crawler/extract"},
	"configs":          {"page"},
	"internal/layers":  {},
}

// webClients are the only packages that may make a request.
var webClients = []string{"crawler/fetch"}

// pure packages know no clock, no network, no disk and no log.
var (
	pure      = []string{"page", "graph", "flow", "mcl", "sitemap", "sitemap/protocol"}
	forbidden = []string{"net/http", "log", "log/slog", "os", "os/exec", "net"}
)

func TestImportTable(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() != ".." && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(filepath.Dir(rel))
		if strings.HasPrefix(pkg, "cmd/") {
			return nil
		}
		seen[pkg] = true
		allowed, known := table[pkg]
		if !known {
			t.Errorf("%s: package %s has no row in the import table", rel, pkg)
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		test := strings.HasSuffix(path, "_test.go")
		for _, spec := range f.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			check(t, rel, pkg, name, test, allowed)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range table {
		if !seen[pkg] {
			t.Errorf("the import table names package %s, which has no files", pkg)
		}
	}
}

func check(t *testing.T, file, pkg, imported string, test bool, allowed []string) {
	own, ours := strings.CutPrefix(imported, "watershed/")
	switch {
	case test:
	case ours && !slices.Contains(allowed, own):
		t.Errorf("%s: %s may not import %s", file, pkg, own)
	case imported == "net/http" && !slices.Contains(webClients, pkg) && pkg != "internal/testweb":
		t.Errorf("%s: only %v make requests", file, webClients)
	case slices.Contains(pure, pkg) && slices.Contains(forbidden, imported):
		t.Errorf("%s: %s is pure and may not import %s", file, pkg, imported)
	}
}
