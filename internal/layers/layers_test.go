package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"watershed/lab/kit/sources"
)

// floors has a floor a line, the ground first.
const floors = `
	page graph
	internal
	archive cluster demo flow mcl notify replica report store upload
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

// webClients are the only packages that may make a request; webWords are what it takes of net/http
// to make one.
var (
	webClients = []string{"crawler/fetch", "notify", "upload"}
	webWords   = []string{
		"Get", "Post", "PostForm", "Head", "Client", "Transport", "DefaultClient",
		"DefaultTransport", "NewRequest", "NewRequestWithContext",
	}
)

// pure packages know no clock, no network, no disk and no log.
var (
	pure = strings.Fields("page graph flow mcl sitemap sitemap/protocol replica replica/sketch " +
		"replica/cluster replica/novelty replica/soft404 drift internal/coding delimit replica/collection " +
		"replica/prove replica/mirror replica/witness replica/growth lab/judge lab/hostweb lab/rankings " +
		"lab/kit/planted")
	forbidden = []string{"net/http", "log", "log/slog", "os", "os/exec", "net"}
)

// TestHouse reads all files once, and holds them to each rule.
func TestHouse(t *testing.T) {
	list, err := sources.Read(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range []struct {
		name  string
		holds func(*testing.T, []sources.Source)
	}{
		{"floors", keepFloors},
		{"circles", countCircles},
		{"laboratory", keepApart},
		{"pure", keepPure},
		{"nouns", nameNouns},
		{"patterns", listByName},
		{"lines", keepNarrow},
	} {
		t.Run(rule.name, func(t *testing.T) { rule.holds(t, list) })
	}
}

// keepNarrow: no line of code is too wide to be read.
func keepNarrow(t *testing.T, list []sources.Source) {
	for _, s := range list {
		for _, line := range s.Wide() {
			t.Errorf("%s:%d: more than %d columns", s.Path, line, sources.Widest)
		}
	}
}

// listByName: no folder of the user is taken for a pattern. The laboratory's own have no names that
// could be.
func listByName(t *testing.T, list []sources.Source) {
	for _, s := range list {
		if s.Test || sources.Room(s.Package) == "lab" {
			continue
		}
		ast.Inspect(s.File, func(n ast.Node) bool {
			if x, is := n.(*ast.SelectorExpr); is && x.Sel.Name == "Glob" {
				if of, is := x.X.(*ast.Ident); is && of.Name == "filepath" {
					t.Errorf("%s: filepath.Glob, where disk.List is meant", s.Path)
				}
			}
			return true
		})
	}
}

// keepFloors: no room imports one of its own floor or of a higher one. Tests may.
func keepFloors(t *testing.T, list []sources.Source) {
	floor, used := map[string]int{}, map[string]bool{}
	for line := range strings.Lines(strings.TrimSpace(floors)) {
		n := len(floor) + 1 // rises from line to line
		for _, name := range strings.Fields(line) {
			floor[name] = n
		}
	}
	for _, s := range list {
		from := sources.Room(s.Package)
		used[from] = true
		if floor[from] == 0 {
			t.Errorf("%s: the room %s has no place on a floor", s.Path, from)
		}
		for _, pkg := range s.Ours() {
			if to := sources.Room(pkg); !s.Test && from != to && floor[from] <= floor[to] {
				t.Errorf("%s: %s may not import %s, which is not below it", s.Path, from, pkg)
			}
		}
	}
	for name := range floor {
		if !used[name] {
			t.Errorf("the floors name a room %s, which has no files", name)
		}
	}
}

// countCircles counts the rooms that import each other in a circle, by what they import and not by
// the floors.
func countCircles(t *testing.T, list []sources.Source) {
	if in := sources.Circles(list); len(in) > 0 {
		t.Errorf("%d rooms are in a circle: %v", len(in), in)
	}
	f, err := parser.ParseFile(token.NewFileSet(), "up.go", `package page; import "watershed/cmd/watershed"`,
		parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	if up := append(slices.Clone(list), sources.Source{
		Path: "page/up.go", Package: "page",
		File: f,
	}); len(sources.Circles(up)) < 10 {
		t.Error("a circle is not seen")
	}
}

// keepApart: the program imports nothing of the laboratory, and its tests only kits.
func keepApart(t *testing.T, list []sources.Source) {
	for _, s := range list {
		if sources.Room(s.Package) == "lab" || s.Package == "cmd/lab" {
			continue
		}
		for _, pkg := range s.Ours() {
			kit := s.Test && strings.HasPrefix(pkg, "lab/kit/")
			if sources.Room(pkg) == "lab" && !kit {
				t.Errorf("%s imports %s of the laboratory", s.Path, pkg)
			}
		}
	}
}

// keepPure: pure packages import nothing impure, and requests are made in one place.
func keepPure(t *testing.T, list []sources.Source) {
	seen := map[string]bool{}
	for _, s := range list {
		seen[s.Package] = true
		if s.Test {
			continue
		}
		if sources.Room(s.Package) != "cmd" && !slices.Contains(webClients, s.Package) {
			requests(t, s.Path, s.File)
		}
		for _, name := range s.Imports() {
			if slices.Contains(pure, s.Package) && slices.Contains(forbidden, name) {
				t.Errorf("%s: %s is pure and may not import %s", s.Path, s.Package, name)
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
	imported := slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool {
		return s.Path.Value == `"net/http"`
	})
	if !imported {
		return
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "http" &&
				slices.Contains(webWords, sel.Sel.Name) {
				t.Errorf("%s: http.%s: only %v make requests", file, sel.Sel.Name, webClients)
			}
		}
		return true
	})
}
