package main

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/invopop/jsonschema"
	"github.com/rogpeppe/go-internal/testscript"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"watershed/archive"
	"watershed/configs"
	"watershed/drift"
	"watershed/harvest"
	"watershed/harvest/control"
	"watershed/harvest/decision"
	"watershed/quality"
	"watershed/replica"
	"watershed/replica/prove"
	"watershed/report"
	"watershed/ui"
)

//go:generate go test -run ^TestAnswers$ -update .

var update = flag.Bool("update", false, "write the files that tests compare with")

// answers are what the commands print with --json.
var answers = []struct {
	command string
	form    any
}{
	{"changes", drift.Report{}},
	{"config show", []configs.Option{}},
	{"control delay", []control.Entry{}},
	{"control limit", []control.Entry{}},
	{"control pause", []control.Entry{}},
	{"control resume", []control.Entry{}},
	{"control stop", []control.Entry{}},
	{"decide alpha", []control.Entry{}},
	{"decide exclude", []control.Entry{}},
	{"decide in", []control.Entry{}},
	{"decide list", decision.List{}},
	{"decide out", []control.Entry{}},
	{"decide soft", []control.Entry{}},
	{"decide withdraw", []control.Entry{}},
	{"explain", harvest.Explanation{}},
	{"forecast", forecastAnswer{}},
	{"copies list", []replica.Entry{}},
	{"copies verify", harvest.Verified{}},
	{"quality", quality.Report{}},
	{"report", report.Tables{}},
	{"scales", scalesAnswer{}},
	{"search", searchAnswer{}},
	{"skipped", ui.SkippedModel{}},
	{"status", statusAnswer{}},
	{"status FOLDER", []listedStatus{}},
	{"status --cluster", sharedAnswer{}},
}

const answersFile = "../../docs/formats/answers.json"

// TestAnswers holds docs/formats/answers.json equal to what is printed with --json: every key with
// its type and what the code says of it. Scripts check with the command "answers" that what is
// printed has this form.
func TestAnswers(t *testing.T) {
	got := answersSchema(t)
	if *update {
		if err := os.WriteFile(answersFile, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(answersFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not current: go generate ./cmd/watershed", answersFile)
	}
}

// Every command that takes --json is among the answers.
func TestAnswersComplete(t *testing.T) {
	told := map[string]bool{}
	for _, a := range answers {
		told[a.command] = true
	}
	model, err := newParser()
	if err != nil {
		t.Fatal(err)
	}
	aliases := regexp.MustCompile(` \([^)]*\)`) // Path has the aliases of a command beside its name
	for _, leaf := range model.Model.Leaves(false) {
		for _, f := range leaf.Flags {
			if name := aliases.ReplaceAllString(leaf.Path(), ""); f.Name == "json" && !told[name] {
				t.Errorf("%s --json: its form is not told in docs/formats", name)
			}
		}
	}
}

func answersSchema(t *testing.T) []byte {
	t.Helper()
	r := &jsonschema.Reflector{
		Anonymous: true,
		Namer:     typeName,
		Mapper:    answerScalar, LookupComment: commentsOf(t),
	}
	whole := &jsonschema.Schema{
		Version: jsonschema.Version, Title: "What watershed prints with --json",
		Definitions: jsonschema.Definitions{},
		Properties:  jsonschema.NewProperties(),
	}
	for _, a := range answers {
		s := r.Reflect(a.form)
		maps.Copy(whole.Definitions, s.Definitions)
		s.Definitions, s.Version = nil, ""
		whole.Properties.Set(a.command, s)
	}
	// what SkippedLine writes itself as
	whole.Definitions["archive.Skipped"] = r.Reflect(archive.Skipped{}).Definitions["archive.Skipped"]
	whole.Definitions["watershed.forecastAnswer"].Required = []string{"rates"} // its forecast may be nil
	text, err := json.MarshalIndent(whole, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// typeName is the name of a definition, "" for a type without one.
func typeName(t reflect.Type) string {
	if t.Name() == "" {
		return ""
	}
	name, arg, generic := strings.Cut(t.Name(), "[")
	if generic {
		name += "Of" + strings.TrimSuffix(arg, "]")
	}
	return path.Base(t.PkgPath()) + "." + name
}

// answerScalar has the form of types that write themselves.
func answerScalar(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[ui.SkippedLine]():
		return &jsonschema.Schema{Ref: "#/$defs/archive.Skipped"}
	case reflect.TypeFor[prove.Counts]():
		return &jsonschema.Schema{
			Type: "object", Description: "Numbers of tests by their outcome.",
			AdditionalProperties: &jsonschema.Schema{Type: "integer"},
		}
	case reflect.TypeFor[map[drift.Kind]int]():
		return &jsonschema.Schema{
			Type: "object", Description: "Pages by what happened to them.",
			AdditionalProperties: &jsonschema.Schema{Type: "integer"},
		}
	}
	if t != reflect.TypeFor[time.Time]() && t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return &jsonschema.Schema{Type: "string"}
	}
	return nil
}

// commentsOf reads what the sources say of types and fields.
func commentsOf(t *testing.T) func(reflect.Type, string) string {
	seen := map[string]map[string]string{} // by package
	return func(x reflect.Type, field string) string {
		pkg := x.PkgPath()
		comments, ok := seen[pkg]
		if !ok {
			comments = packageComments(t, pkg)
			seen[pkg] = comments
		}
		name, _, _ := strings.Cut(x.Name(), "[")
		return comments[name+"."+field]
	}
}

func packageComments(t *testing.T, pkg string) map[string]string {
	t.Helper()
	comments := map[string]string{}
	dir := strings.TrimPrefix(strings.TrimPrefix(pkg, "watershed"), "/")
	if pkg == "main" || strings.HasSuffix(pkg, "cmd/watershed") {
		dir = "cmd/watershed"
	}
	files, err := filepath.Glob(filepath.Join("..", "..", dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range decl.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok {
					comments[s.Name.Name+"."] = oneLine(decl.Doc.Text())
					fieldComments(comments, s)
				}
			}
		}
	}
	return comments
}

func fieldComments(comments map[string]string, s *ast.TypeSpec) {
	x, ok := s.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range x.Fields.List {
		text := f.Doc.Text()
		if text == "" {
			text = f.Comment.Text()
		}
		for _, n := range f.Names {
			comments[s.Name.Name+"."+n.Name] = oneLine(text)
		}
	}
}

// TestAnswersOfLittle: lists are lists where nothing is in them, as in a run without any answer, and in
// one of a single page to which nothing links, and which has not changed.
func TestAnswersOfLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the answers of TestAnswers, with less in them")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Host == "none.example":
			panic(http.ErrAbortHandler)
		case r.URL.Path != "/p":
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()
	dir, schema := t.TempDir(), filepath.Join("..", "..", "docs", "formats", "answers.json")
	for _, c := range []struct {
		name  string
		codes []int // of its runs
		asked []string
	}{
		{"none", []int{exitFailed}, []string{"explain", "report", "skipped", "status", "scales", "search"}},
		{"one", []int{exitOK, exitOK}, []string{
			"explain", "report", "skipped", "status", "scales", "search", "changes", "forecast",
		}},
	} {
		page := "http://" + c.name + ".example/p"
		file := filepath.Join(dir, c.name+".yaml")
		if err := os.WriteFile(file, fmt.Appendf(nil, `harvest: %s
operator: {name: Test, contact: "mailto:test@a.example"}
politeness: {min_delay: 0s, max_delay: 0s, address_delay: 0s,
  retry: {attempts: 1, delay: 1ms, max_delay: 1ms, host_attempts: 1}}
network: {proxy: %q, allow_private: [127.0.0.0/8]}
sites: [{name: a, seeds: [%q], boundary: list}]
`, c.name, server.URL, page), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, code := range c.codes {
			ends(t, t.Context(), code, "harvest", "-q", file)
		}
		for _, command := range c.asked {
			args := []string{command, file, "--json"}
			if command == "explain" {
				args = append(args, page)
			}
			if err := answersAs(schema, command, outputOf(t, t.Context(), args...)); err != nil {
				t.Errorf("%s of %s: %v", command, c.name, err)
			}
		}
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// checkAnswer holds standard output against the form of a command's answer, each of several JSON
// values: answers status
func checkAnswer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: answers command...")
	}
	ts.Check(answersAs(ts.Getenv("ANSWERS"), strings.Join(args, " "), ts.ReadFile("stdout")))
}

// answersAs holds JSON values against the form of a command's answer.
func answersAs(schema, command, out string) error {
	text, err := os.ReadFile(schema)
	if err != nil {
		return err
	}
	doc, err := validator.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	c := validator.NewCompiler()
	if err := c.AddResource("answers.json", doc); err != nil {
		return err
	}
	form, err := c.Compile("answers.json#/properties/" + strings.ReplaceAll(command, " ", "%20"))
	if err != nil {
		return err
	}
	in := json.NewDecoder(strings.NewReader(out))
	in.UseNumber()
	values := 0
	for ; in.More(); values++ {
		var v any
		if err := in.Decode(&v); err != nil {
			return err
		}
		if err := form.Validate(v); err != nil {
			return err
		}
	}
	if values == 0 {
		return errors.New("nothing was printed")
	}
	return nil
}
