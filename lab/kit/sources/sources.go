// Package sources reads the module's own sources, for tests and figures of the house: which package
// imports which, and how long its lines are.
package sources

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Source is a file of Go.
type Source struct {
	Path    string // from the root, with slashes
	Package string // its folder
	Test    bool
	Text    []byte
	Lines   *token.File // where its lines are
	File    *ast.File
}

// Imports are the paths that a file imports.
func (s *Source) Imports() (list []string) {
	for _, spec := range s.File.Imports {
		list = append(list, strings.Trim(spec.Path.Value, "\"`"))
	}
	return list
}

// Ours are the packages of the module that a file imports.
func (s *Source) Ours() (list []string) {
	for _, name := range s.Imports() {
		if own, ours := strings.CutPrefix(name, "watershed/"); ours {
			list = append(list, own)
		}
	}
	return list
}

// Widest is the column up to which code may go; a tab counts four.
const Widest = 110

// Wide are the numbers of the lines of a file that go further than Widest. Generated files have
// none.
func (s *Source) Wide() (lines []int) {
	if ast.IsGenerated(s.File) {
		return nil
	}
	at := 0
	for line := range bytes.Lines(s.Text) {
		at++
		line = bytes.TrimRight(line, "\n")
		if utf8.RuneCount(line)+3*bytes.Count(line, []byte("\t")) > Widest {
			lines = append(lines, at)
		}
	}
	return lines
}

// Room is the folder at the top that a package is in.
func Room(pkg string) string {
	name, _, _ := strings.Cut(pkg, "/")
	return name
}

// Laboratory reports whether a package is of the laboratory and no part of the program.
func Laboratory(pkg string) bool { return Room(pkg) == "lab" || pkg == "cmd/lab" }

// Read parses all files below the root of the module, but testdata and folders whose name begins
// with a dot.
func Read(root string) (list []Source, err error) {
	lines := token.NewFileSet()
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(lines, path, text, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		list = append(list, Source{
			Path: rel, Package: rel[:max(0, strings.LastIndexByte(rel, '/'))],
			Test: strings.HasSuffix(rel, "_test.go"), Text: text,
			Lines: lines.File(f.Package), File: f,
		})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the files below %s: %w", root, err)
	}
	return list, nil
}

// Circles are the rooms from which a way of imports, tests left out, leads back to themselves.
func Circles(files []Source) (list []string) {
	next := map[string]map[string]bool{}
	for _, s := range files {
		for _, pkg := range s.Ours() {
			if from, to := Room(s.Package), Room(pkg); !s.Test && from != to {
				if next[from] == nil {
					next[from] = map[string]bool{}
				}
				next[from][to] = true
			}
		}
	}
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
