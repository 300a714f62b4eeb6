package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestValuesThatCannotBe: a value that no harvest could take is a fault of the command line, and
// so is a file that is not there, whatever the command.
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
		"harvest no.yaml", "harvest no.txt", "warc cat no.warc 0", "delimit --config no.yaml --from h.yaml",
		"import no.yaml", "node no.yaml", "harvest --cluster no.yaml h.yaml", "config check no.yaml",
		"config show no.yaml", "status no.yaml", "log no.yaml", "control pause no.yaml",
		"control limit no.yaml pages 5", "ui no.yaml", "explain no.yaml http://a.example/", "scales no.yaml",
		"decide in no.yaml http://a.example/", "decide list no.yaml", "copies list no.yaml",
		"copies check no.yaml", "copies verify no.yaml", "copies import no.yaml t.csv",
		"copies import h.yaml no.csv", "copies import h.yaml h.yaml --hosts no.txt", "report no.yaml",
		"skipped no.yaml", "search no.yaml word", "quality no.yaml", "changes no.yaml", "forecast no.yaml",
		"upload no.yaml", "wacz no.yaml", "config example other",
		"status h.yaml/no", "harvest h.yaml/no.yaml", "delimit --from h.yaml/no.warc -o out",
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
