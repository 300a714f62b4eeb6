// Package layers holds the import table of the house: which package may import which. A new package needs a row.
package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// table has, for each package, those of our own that it may import. The command and all tests may import anything.
var table = rows(`
	page:
	graph:
	sitemap/protocol:
	demo: page
	internal/disk:
	internal/disk/crashdisk: internal/disk
	internal/extsort: internal/disk
	internal/disjoint:
	internal/guard:
	internal/console: internal/guard
	internal/yamlbound:
	internal/worddiff:
	flow: graph
	mcl: graph
	store: page graph
	frontier: page store
	internal/coding: page internal/guard
	archive: page internal/coding internal/disk
	corpus: page archive crawler/extract internal/coding internal/guard
	delimit: page graph sitemap internal/disjoint
	crawler/fetch: page internal/coding
	crawler/reading: page
	crawler/robots: page
	crawler/extract: page sitemap/protocol crawler/extract/office crawler/extract/pdf internal/guard
	crawler/extract/pdf:
	crawler/extract/office:
	sitemap: page graph flow mcl sitemap/protocol replica/sketch
	crawler: page graph frontier store archive sitemap sitemap/protocol crawler/fetch crawler/reading crawler/robots crawler/extract replica/sketch replica/novelty replica/soft404 internal/guard
	configs: page replica internal/yamlbound
	replica/sketch:
	replica/cluster: replica/sketch internal/disjoint internal/extsort
	replica/mirror: internal/extsort
	replica/witness: page internal/disjoint replica/collection replica/mirror replica/sketch
	internal/layers:
	internal/usage:
	report: page
	replica: page internal/yamlbound
	replica/novelty: page
	drift: page sitemap replica/sketch
	replica/collection: page internal/disjoint internal/extsort lab/testweb
	replica/soft404: page replica/sketch
	replica/prove: page replica replica/sketch
	harvest/control: page
	harvest/decision: page internal/yamlbound
	harvest: page corpus harvest/control harvest/decision crawler crawler/extract crawler/fetch crawler/reading crawler/robots store frontier sitemap sitemap/protocol archive report replica replica/sketch replica/novelty replica/soft404 drift replica/prove replica/collection replica/catalog replica/mirror internal/disk internal/extsort replica/witness
	holdings: page archive crawler/extract harvest replica
	search: page archive harvest holdings
	quality: page archive crawler/extract harvest holdings internal/worddiff replay
	replay: page archive crawler/extract harvest holdings replica
	ui: page quality search holdings internal/worddiff sitemap crawler harvest harvest/control harvest/decision report replica store archive drift replay configs
	replica/catalog: page replica replica/sketch replica/cluster replica/collection internal/disk internal/extsort
	lab/kit/rusage:
	lab/kit/archivetest: archive
	lab/kit/bomb: lab/kit/rusage
	lab/testweb:
	lab/judge: page graph mcl sitemap
	lab/hostweb: lab/rankings replica/mirror
	lab/rankings: replica/mirror
	lab/evaluate: archive corpus crawler/extract harvest internal/console internal/extsort lab/hostweb lab/judge lab/rankings lab/testweb page replica/catalog replica/cluster replica/collection replica/mirror replica/prove replica/sketch replica/witness sitemap sitemap/protocol
	lab/mcltool: internal/console mcl
	lab/clusterbench: lab/kit/rusage replica/cluster replica/sketch internal/extsort
	lab/sketchbench: lab/kit/rusage lab/testweb replica/sketch
	lab/collectionbench: lab/kit/rusage crawler/extract replica/collection replica/sketch internal/extsort
	lab/provebench: lab/testweb page replica/sketch replica/prove
	lab/acceptance: internal/disjoint lab/testweb page crawler/extract replica/collection replica/sketch
	lab/replaycheck: page harvest holdings replay
`)

// rows reads a table: a package, a colon, and those it may import.
func rows(text string) map[string][]string {
	table := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		pkg, imports, _ := strings.Cut(strings.TrimSpace(line), ":")
		table[pkg] = strings.Fields(imports)
	}
	return table
}

// webClients are the only packages that may make a request; webWords are what it takes of net/http to make one.
var (
	webClients = []string{"crawler/fetch"}
	webWords   = []string{"Get", "Post", "PostForm", "Head", "Client", "Transport", "DefaultClient", "DefaultTransport", "NewRequest", "NewRequestWithContext"}
)

// pure packages know no clock, no network, no disk and no log.
var (
	pure      = strings.Fields("page graph flow mcl sitemap sitemap/protocol replica replica/sketch replica/cluster replica/novelty replica/soft404 drift internal/coding delimit replica/collection replica/prove replica/mirror replica/witness lab/judge lab/hostweb lab/rankings")
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
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		test := strings.HasSuffix(path, "_test.go")
		if !test && !slices.Contains(webClients, pkg) {
			requests(t, rel, f)
		}
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
	case slices.Contains(pure, pkg) && slices.Contains(forbidden, imported):
		t.Errorf("%s: %s is pure and may not import %s", file, pkg, imported)
	}
}

// requests reports every use of net/http by which a request could be made.
func requests(t *testing.T, file string, f *ast.File) {
	imported := slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"net/http"` })
	if !imported {
		return
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "http" && slices.Contains(webWords, sel.Sel.Name) {
				t.Errorf("%s: http.%s: only %v make requests", file, sel.Sel.Name, webClients)
			}
		}
		return true
	})
}
