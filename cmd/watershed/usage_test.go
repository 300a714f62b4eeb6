package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestValuesThatCannotBe: a value that no harvest could take is a fault of the command line.
func TestValuesThatCannotBe(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "harvest: h\noperator: {name: T, contact: \"mailto:t@example.org\"}\n" +
		"sites: [{name: A, seeds: [\"http://127.0.0.1/\"]}]\n"
	if err := os.WriteFile("h.yaml", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"explain h.yaml a.example/page", "explain h.yaml mailto:a@b.example",
		"explain h.yaml http://a.example/ --at nan", "explain h.yaml http://a.example/ --at 2",
		"forecast h.yaml --share nan", "forecast h.yaml --share 1", "quality h.yaml --pages 0",
		"warc ls no.warc", "warc check no.warc more.warc", "cdxj no.warc", "delimit --from no.warc -o out",
		"config example other",
		"decide alpha h.yaml nan", "decide alpha h.yaml 2", "decide in h.yaml a.example",
		"decide in h.yaml url:http://a.example/ --note " + strings.Repeat("x", 501),
		"quality h.yaml --run=-1", "skipped h.yaml --run=-1", "changes h.yaml 0 3", "changes h.yaml 1 0",
	} {
		ends(t, t.Context(), exitUsage, strings.Fields(line)...)
	}
	if _, said := ends(t, t.Context(), exitFailed, "skipped", "h.yaml", "--run", "7"); !strings.Contains(said,
		"no run 7: it has no folder") {
		t.Errorf("run 7: %s", said)
	}
	for name, text := range map[string]string{
		"reports/report.json": `{"sites": [{"name": "B"}]}`, "logs/skipped.jsonl": "",
		"status.json": `{"phase": `,
	} {
		name = filepath.Join("harvests/h/run-0001", name)
		err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666))
		if err != nil {
			t.Fatal(err)
		}
	}
	ends(t, t.Context(), exitOK, "skipped", "h.yaml", "--run", "1", "--site", "B") // which left the YAML
	ends(t, t.Context(), exitUsage, "skipped", "h.yaml", "--run", "1", "--site", "C")
	if _, said := ends(t, t.Context(), exitFailed, "status", "h.yaml"); !strings.Contains(said,
		"a status of its own") {
		t.Errorf("a damaged status: %s", said)
	}
}

// files are the texts of the files below a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		texts[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}
