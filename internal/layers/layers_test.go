// Package layers holds the rules of the house: which room may import which, and what a document may name. A new room needs a place
// on a floor.
//
// A room is a folder at the top, with all packages in it. A room imports rooms of lower floors only, so that no rooms form a circle.
// The laboratory (lab, cmd/lab) may import the program, and the program nothing of it; the program's tests may import the kits below
// lab/kit, since a kit of tests has no other place.
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

// floors has a floor a line, the ground first.
const floors = `
	page graph
	internal
	archive demo flow mcl replica report store
	configs frontier sitemap
	crawler delimit drift
	corpus
	harvest
	holdings
	replay search
	quality
	ui
	lab
	cmd
`

// webClients are the only packages that may make a request; webWords are what it takes of net/http to make one.
var (
	webClients = []string{"crawler/fetch"}
	webWords   = []string{"Get", "Post", "PostForm", "Head", "Client", "Transport", "DefaultClient", "DefaultTransport", "NewRequest", "NewRequestWithContext"}
)

// pure packages know no clock, no network, no disk and no log.
var (
	pure      = strings.Fields("page graph flow mcl sitemap sitemap/protocol replica replica/sketch replica/cluster replica/novelty replica/soft404 drift internal/coding delimit replica/collection replica/prove replica/mirror replica/witness lab/judge lab/hostweb lab/rankings lab/kit/planted")
	forbidden = []string{"net/http", "log", "log/slog", "os", "os/exec", "net"}
)

// source is a file of ours.
type source struct {
	path string // from the root
	pkg  string
	test bool
	file *ast.File
}

// imports are the packages of ours that a file imports.
func (s *source) imports(t *testing.T) (list []string) {
	t.Helper()
	for _, name := range s.all(t) {
		if own, ours := strings.CutPrefix(name, "watershed/"); ours {
			list = append(list, own)
		}
	}
	return list
}

func (s *source) all(t *testing.T) (list []string) {
	t.Helper()
	for _, spec := range s.file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, name)
	}
	return list
}

// sources are all our files.
func sources(t *testing.T) (list []source) {
	t.Helper()
	root := filepath.Join("..", "..")
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
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		pkg := filepath.ToSlash(filepath.Dir(rel))
		list = append(list, source{rel, pkg, strings.HasSuffix(path, "_test.go"), f})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// room is the folder at the top that a package is in.
func room(pkg string) string {
	name, _, _ := strings.Cut(pkg, "/")
	return name
}

// TestHouse reads all files once, and holds them to each rule.
func TestHouse(t *testing.T) {
	list := sources(t)
	for _, rule := range []struct {
		name  string
		holds func(*testing.T, []source)
	}{{"floors", keepFloors}, {"circles", countCircles}, {"laboratory", keepApart}, {"pure", keepPure}} {
		t.Run(rule.name, func(t *testing.T) { rule.holds(t, list) })
	}
}

// keepFloors: no room imports one of its own floor or of a higher one. Tests may.
func keepFloors(t *testing.T, list []source) {
	floor, used := map[string]int{}, map[string]bool{}
	for line := range strings.Lines(strings.TrimSpace(floors)) {
		n := len(floor) + 1 // rises from line to line
		for _, name := range strings.Fields(line) {
			floor[name] = n
		}
	}
	for _, s := range list {
		from := room(s.pkg)
		used[from] = true
		if floor[from] == 0 {
			t.Errorf("%s: the room %s has no place on a floor", s.path, from)
		}
		for _, pkg := range s.imports(t) {
			if to := room(pkg); !s.test && from != to && floor[from] <= floor[to] {
				t.Errorf("%s: %s may not import %s, which is not below it", s.path, from, pkg)
			}
		}
	}
	for name := range floor {
		if !used[name] {
			t.Errorf("the floors name a room %s, which has no files", name)
		}
	}
}

// countCircles counts the rooms that import each other in a circle, by what they import and not by the floors.
func countCircles(t *testing.T, list []source) {
	next := map[string]map[string]bool{}
	for _, s := range list {
		for _, pkg := range s.imports(t) {
			if from, to := room(s.pkg), room(pkg); !s.test && from != to {
				if next[from] == nil {
					next[from] = map[string]bool{}
				}
				next[from][to] = true
			}
		}
	}
	if in := circles(next); len(in) > 0 {
		t.Errorf("%d rooms are in a circle: %v", len(in), in)
	}
	next["page"] = map[string]bool{"cmd": true}
	if len(circles(next)) < 10 {
		t.Error("a circle is not seen")
	}
}

// circles are the rooms from which a way leads back.
func circles(next map[string]map[string]bool) (list []string) {
	for start := range next {
		seen, todo := map[string]bool{}, []string{start}
		for len(todo) > 0 {
			at := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for to := range next[at] {
				if !seen[to] {
					seen[to] = true
					todo = append(todo, to)
				}
			}
		}
		if seen[start] {
			list = append(list, start)
		}
	}
	slices.Sort(list)
	return list
}

// keepApart: the program imports nothing of the laboratory, and its tests only kits.
func keepApart(t *testing.T, list []source) {
	for _, s := range list {
		if room(s.pkg) == "lab" || s.pkg == "cmd/lab" {
			continue
		}
		for _, pkg := range s.imports(t) {
			kit := s.test && strings.HasPrefix(pkg, "lab/kit/")
			if room(pkg) == "lab" && !kit && !(s.path == "cmd/watershed/replicas_analyze.go" && pkg == "lab/kit/rusage") {
				t.Errorf("%s imports %s of the laboratory", s.path, pkg)
			}
		}
	}
}

// keepPure: pure packages import nothing impure, and requests are made in one place.
func keepPure(t *testing.T, list []source) {
	seen := map[string]bool{}
	for _, s := range list {
		seen[s.pkg] = true
		if s.test {
			continue
		}
		if room(s.pkg) != "cmd" && !slices.Contains(webClients, s.pkg) {
			requests(t, s.path, s.file)
		}
		for _, name := range s.all(t) {
			if slices.Contains(pure, s.pkg) && slices.Contains(forbidden, name) {
				t.Errorf("%s: %s is pure and may not import %s", s.path, s.pkg, name)
			}
		}
	}
	for _, pkg := range pure {
		if !seen[pkg] {
			t.Errorf("the pure packages name %s, which has no files", pkg)
		}
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
