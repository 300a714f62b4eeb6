package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// readers are the packages that read what others made (docs/formats/readers.md).
var readers = strings.Fields(`
	archive configs corpus crawler/extract crawler/extract/office crawler/extract/pdf crawler/fetch
	crawler/robots harvest/decision internal/coding internal/yamlbound page replay replica
	sitemap/protocol search ui
`)

// bound is the name of something that ends a recursion.
var bound = regexp.MustCompile(`^(max|Max|most|left|depth|MaxNesting)`)

// shallow are functions that call themselves and need no bound, with the reason.
var shallow = map[string]string{
	"archive: jsonWalk.walk":       "10,000 deep, by json.Valid before it",
	"crawler/extract: walkNames":   "10,000 deep, by json.Valid before it",
	"configs: keysOf":              "as deep as the options",
	"configs: walk":                "as deep as the options",
	"configs: describe":            "as deep as the options",
	"configs: decoder.position":    "a key lies at most yamlbound.MaxNesting deep",
	"crawler/fetch: block":         "an IPv4 address has none within",
	"crawler/robots: Policy.judge": "calls Obey, which calls nothing",
	"corpus: Corpus.Close":         "of the files that it gathered",
	"corpus: Options.Validate":     "of the options of package extract",
	"corpus: summed.Read":          "of the reader that it wraps",
	"corpus: stopped.Error":        "of the error that it wraps",
	"search: Index.Close":          "of the database",
	"ui: QualityModel.Fetchable":   "of an entry of the report",
}

// TestRecursionIsBounded: a reader that calls itself, at once or through others of its package,
// names what bounds its depth. A stack that overflows ends the process, whatever guards there are,
// and a page can make it deep.
//
// Calls are found by their names: of functions, of methods of the receiver, and of methods of
// others where the package has only one method of that name, which is the one that calls.
func TestRecursionIsBounded(t *testing.T) {
	for _, dir := range readers {
		functions := functionsOf(t, filepath.Join("..", "..", filepath.FromSlash(dir)))
		if len(functions) == 0 {
			t.Errorf("%s has no functions", dir)
		}
		for name, f := range functions {
			ring := cycle(functions, name)
			named := slices.ContainsFunc(ring, func(other string) bool { return functions[other].bounded })
			key := dir + ": " + name
			if shallow[key] != "" && len(ring) == 0 {
				t.Errorf("%s calls itself no more", key)
			}
			if len(ring) > 0 && !named && shallow[key] == "" {
				t.Errorf("%s calls itself by way of %s, and no bound is named (%s)", key,
					strings.Join(ring, ", "), f.at)
			}
		}
	}
}

func TestCycle(t *testing.T) {
	f := map[string]*function{
		"a": {calls: []string{"b"}}, "b": {calls: []string{"c", "d"}},
		"c": {calls: []string{"a"}}, "d": {calls: []string{"d"}}, "e": {calls: []string{"a"}},
	}
	for name, want := range map[string]string{"a": "a b c", "b": "a b c", "d": "d", "e": ""} {
		ring := cycle(f, name)
		slices.Sort(ring)
		if got := strings.Join(ring, " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// function is what concerns recursion.
type function struct {
	at      token.Position
	calls   []string // of the same package
	child   bool     // a method of its own name is called on something else
	bounded bool     // a bound is named in it
}

// cycle gives the functions on a way from one back to itself, itself among them; none if there is
// no way.
func cycle(functions map[string]*function, name string) (ring []string) {
	from := reach(functions, name)
	if !from[name] {
		return nil
	}
	for other := range from {
		if other == name || reach(functions, other)[name] {
			ring = append(ring, other)
		}
	}
	return ring
}

// reach gives what a function calls, and what that calls, and so on.
func reach(functions map[string]*function, name string) map[string]bool {
	seen := map[string]bool{}
	for todo := []string{name}; len(todo) > 0; {
		f := functions[todo[0]]
		todo = todo[1:]
		if f == nil {
			continue
		}
		for _, to := range f.calls {
			if functions[to] != nil && !seen[to] {
				seen[to] = true
				todo = append(todo, to)
			}
		}
	}
	return seen
}

// functionsOf parses a package without its tests. Methods are called Type.name.
func functionsOf(t *testing.T, dir string) map[string]*function {
	t.Helper()
	all, methods := map[string]*function{}, map[string]int{}
	files := token.NewFileSet()
	pkgs, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range pkgs {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				name, x := functionOf(f, importsOf(parsed))
				x.at = files.Position(f.Pos())
				all[name] = x
				methods[f.Name.Name]++
			}
		}
	}
	for name, f := range all {
		if f.child && methods[name[strings.IndexByte(name, '.')+1:]] == 1 {
			f.calls = append(f.calls, name)
		}
	}
	return all
}

// importsOf are the names by which a file calls other packages.
func importsOf(f *ast.File) (names []string) {
	for _, i := range f.Imports {
		path := strings.Trim(i.Path.Value, `"`)
		names = append(names, path[strings.LastIndexByte(path, '/')+1:])
		if i.Name != nil {
			names = append(names, i.Name.Name)
		}
	}
	return names
}

// functionOf is one function with its name.
func functionOf(f *ast.FuncDecl, imports []string) (string, *function) {
	name, receiver, of := f.Name.Name, "", ""
	if f.Recv != nil && len(f.Recv.List) == 1 {
		of = typeName(f.Recv.List[0].Type) + "."
		if names := f.Recv.List[0].Names; len(names) == 1 {
			receiver = names[0].Name
		}
	}
	x := new(function)
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			x.bounded = x.bounded || bound.MatchString(n.Name)
		case *ast.CallExpr:
			switch called := n.Fun.(type) {
			case *ast.Ident:
				x.calls = append(x.calls, called.Name)
			case *ast.SelectorExpr:
				on, ok := called.X.(*ast.Ident)
				switch {
				case ok && receiver != "" && on.Name == receiver:
					x.calls = append(x.calls, of+called.Sel.Name)
				case of != "" && called.Sel.Name == name && !(ok && slices.Contains(imports, on.Name)):
					x.child = true
				}
			}
		}
		return true
	})
	return of + name, x
}

func typeName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return typeName(x.X)
	case *ast.IndexExpr:
		return typeName(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}
