// Package house measures the house: how large the program is, how its rooms hang together, how many
// options it has.
package house

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"watershed/lab/kit/sources"
)

// Figures is the command: it prints a table of figures of the sources below a folder.
type Figures struct {
	Root  string `arg:"" optional:"" default:"." placeholder:"DIR"`
	Names bool
}

func (c *Figures) Run(out io.Writer) error {
	files, err := sources.Read(c.Root)
	if err != nil {
		return err
	}
	m := measure(files)
	desk, err := desk(c.Root)
	if err != nil {
		return err
	}
	names, err := exported(c.Root, files)
	if err != nil {
		return err
	}
	if c.Names {
		for _, name := range names {
			if _, err := fmt.Fprintln(out, name); err != nil {
				return err
			}
		}
		return nil
	}
	circles := sources.Circles(files)
	typeName, methods := most(m.methods)
	slices.Sort(m.functions)
	flags, commands := commandLine(files, "cmd/watershed")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range []struct {
		what  string
		value any
		note  string
	}{
		{"program, lines without tests", m.program, ""},
		{"of these neither blank nor comment", m.code, ""},
		{"scripts, style sheets and templates of the program, lines", desk, ""},
		{"laboratory, lines without tests", m.laboratory, ""},
		{"kits that tests alone import, lines", m.kits, ""},
		{"tests, lines", m.tests, ""},
		{"rooms in a circle of imports", len(circles), fmt.Sprint(circles)},
		{"most methods on a type", methods, typeName},
		{"flags and arguments of watershed", flags, ""},
		{"commands of watershed", commands, ""},
		{"function, lines: median", at(m.functions, 50), ""},
		{"function, lines: nine of ten have at most", at(m.functions, 90), ""},
		{"function, lines: longest", at(m.functions, 100), m.longest},
		{"calls of panic", m.panics, ""},
		{"names exported for nobody", len(names), ""},
		{fmt.Sprintf("lines over %d columns", sources.Widest), m.wide, ""},
	} {
		fmt.Fprintf(w, "%s\t%v\t%s\n", row.what, row.value, row.note)
	}
	return w.Flush()
}

// measures are of the program's own files but where a name says otherwise.
type measures struct {
	program, code, laboratory, kits, tests int // lines; code has neither blank lines nor comments

	wide      int            // lines, of the laboratory and of tests too
	methods   map[string]int // by package and type
	functions []int          // lines of each
	longest   string
	panics    int
}

func measure(files []sources.Source) *measures {
	m := &measures{methods: map[string]int{}}
	run := map[string]bool{} // packages that programs import
	for i := range files {
		for _, pkg := range files[i].Ours() {
			run[pkg] = run[pkg] || !files[i].Test
		}
	}
	for i := range files {
		s := &files[i]
		n := bytes.Count(s.Text, []byte("\n"))
		m.wide += len(s.Wide())
		switch {
		case s.Test:
			m.tests += n
		case strings.HasPrefix(s.Package, "lab/kit/") && !run[s.Package]:
			m.kits += n
		case sources.Laboratory(s.Package):
			m.laboratory += n
		default:
			m.program += n
			m.code += code(s.Text)
			m.file(s)
		}
	}
	return m
}

// code counts the lines of a text that are neither blank nor a comment.
func code(text []byte) (n int) {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && !bytes.HasPrefix(line, []byte("//")) {
			n++
		}
	}
	return n
}

// desk counts the lines of scripts, style sheets and templates below a folder, but those of tests
// and of the laboratory.
func desk(root string) (n int, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (name[0] == '.' || name == "testdata" || name == "lab"):
			return filepath.SkipDir
		case d.IsDir() || !slices.Contains([]string{".js", ".css", ".html"}, filepath.Ext(name)):
			return nil
		}
		text, err := os.ReadFile(path)
		n += bytes.Count(text, []byte("\n"))
		return err
	})
	return n, err
}

// file measures the functions of a file.
func (m *measures) file(s *sources.Source) {
	for _, d := range s.File.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		lines := s.Lines.Line(f.End()) - s.Lines.Line(f.Pos()) + 1
		if m.functions = append(m.functions, lines); lines == slices.Max(m.functions) {
			m.longest = s.Path + " " + f.Name.Name
		}
		if f.Recv != nil {
			m.methods[s.Package+"."+receiver(f.Recv.List[0].Type)]++
		}
	}
	ast.Inspect(s.File, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if f, ok := call.Fun.(*ast.Ident); ok && f.Name == "panic" {
				m.panics++
			}
		}
		return true
	})
}

// receiver is the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// most is the name with the greatest count; of several the first.
func most(count map[string]int) (name string, n int) {
	for k, v := range count {
		if cmp.Or(cmp.Compare(v, n), cmp.Compare(name, k)) > 0 {
			name, n = k, v
		}
	}
	return name, n
}

// at is a percentile of a sorted list.
func at(list []int, percent int) int {
	if len(list) == 0 {
		return 0
	}
	return list[min(len(list)-1, len(list)*percent/100)]
}
