package house

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestFigures measures a house of three files.
func TestFigures(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a/a.go": "package a\n\nimport \"watershed/b\"\n\ntype T struct{}\n\nfunc (T) x() { b.F() " +
			"}\n\nfunc (*T) y() {\n\tpanic(1)\n}\n",
		"b/b.go": "package b\n\nimport _ \"watershed/a\"\n\n// " + strings.Repeat("w", 110) +
			"\nfunc F() {}\n",
		"cmd/watershed/main.go": "package main\n\ntype commands struct {\n\tA one `cmd:\"\"`" +
			"\n\tB two `cmd:\"\"`\n}\n\n" +
			"type one struct {\n\tboth\n\tX int\n}\n\ntype both struct {\n\tY, z int " +
			"`arg:\"\"`\n}\n\n" +
			"type two struct {\n\tC one `cmd:\"\"`\n}\n",
		"c/c.go": "package c\n\n// Used by d.\nfunc Used() Needed { return Needed{} }\n\n" +
			"type Needed struct{}\n\n" +
			"func (Needed) Called() {}\n\nfunc (Needed) Shown() {}\n\nfunc (Needed) Idle() {}\n\n" +
			"func Own() {}\n\ntype Kind int\n\nconst (\n\tFirst Kind = iota\n\tSecond\n)\n\n" +
			"const Alone = 1\n\n" +
			"func (Needed) String() string { return \"\" }\n",
		"d/d.go": "package d\n\nimport \"watershed/c\"\n\nfunc f() { c.Used().Called(); var k c.Kind; " +
			"_ = k }\n",
		"c/c_test.go":    "package c\n\nfunc t() { Own(); Needed{}.Idle() }\n",
		"d/page.html":    "<p>{{.Shown}}</p>\n",
		"lab/l.go":       "package lab\n",
		"lab/kit/k/k.go": "package k\n\n",
		"lab/k_test.go":  "package lab\n\nimport _ \"watershed/lab/kit/k\"\n",
		"a/a_test.go":    "package a\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := (&Figures{Root: root}).Run(&out); err != nil {
		t.Fatal(err)
	}
	var names bytes.Buffer
	if err := (&Figures{Root: root, Names: true}).Run(&names); err != nil {
		t.Fatal(err)
	}
	if want := "a.T\nc.Alone\nc.Needed.Idle\nc.Own\n"; names.String() != want {
		t.Errorf("exported for nobody:\n%s\nwant\n%s", names.String(), want)
	}
	got := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"program, lines without tests 66", "blank nor comment 42", "templates of the program, lines 1",
		"laboratory, lines without tests 1", "alone import, lines 2", "tests, lines 7",
		"circle of imports 2 [a b]",
		"methods on a type 4 c.Needed", "arguments of watershed 4", "commands of watershed 2",
		"longest 3 a/a.go y", "panic 1", "names exported for nobody 4", "110 columns 1",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}

// TestCaps holds the house to its caps.
func TestCaps(t *testing.T) {
	caps := map[string]int{
		"rooms in a circle of imports": 0, "most methods on a type": 40,
		"flags and arguments of watershed": 210, "commands of watershed": 45,
		"function, lines: nine of ten have at most": 30, "function, lines: longest": 89, "calls of panic": 17,
		"names exported for nobody": 150,
	}
	var out bytes.Buffer
	if err := (&Figures{Root: filepath.Join("..", "..")}).Run(&out); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		for what, most := range caps {
			rest, is := strings.CutPrefix(line, what)
			if !is {
				continue
			}
			delete(caps, what)
			if n, err := strconv.Atoi(strings.Fields(rest)[0]); err != nil || n > most {
				t.Errorf("%s: at most %d, %v", line, most, err)
			}
		}
	}
	if len(caps) > 0 {
		t.Errorf("not told: %v", caps)
	}
}
