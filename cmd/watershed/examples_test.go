package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"watershed/configs"
)

// Each example is in order as a file, and config example prints that file.
func TestExamples(t *testing.T) {
	onDisk, err := filepath.Glob("../../configs/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range onDisk {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		names = append(names, name)
		var out bytes.Buffer
		if code := run(t.Context(), []string{"config", "check", path}, &out, &out); code != exitOK ||
			!strings.Contains(out.String(), "in order") {
			t.Errorf("config check %s: exit %d\n%s", path, code, out.String())
		}
		var text bytes.Buffer
		if code := run(t.Context(), []string{"config", "example", name}, &text, io.Discard); code != exitOK {
			t.Errorf("config example %s: exit %d", name, code)
		}
		if want, err := configs.Example(name); err != nil || !bytes.Equal(want, text.Bytes()) {
			t.Errorf("config example %s does not print the file: %v", name, err)
		}
	}
	for _, want := range []string{"existing", "nightly", "reference", "site", "team", "tenant"} {
		if !slices.Contains(names, want) {
			t.Errorf("there is no example %s", want)
		}
	}
}

// The example for an archive that exists is used as it says: its sites are found in it, and what
// was never captured of them.
func TestExampleExisting(t *testing.T) {
	dir := t.TempDir()
	links, out := filepath.Join(dir, "links.txt"), filepath.Join(dir, "sites")
	err := os.WriteFile(links, []byte("https://www.village.example/ https://www.village.example/mill.html\n"+
		"https://www.village.example/ https://people.campus.example/~choir/\n"+
		"https://www.village.example/mill.html https://www.village.example/\n"+
		"https://people.campus.example/~choir/ https://people.campus.example/~choir/songs.html\n"), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	code := run(t.Context(), []string{
		"delimit", "--config", "../../configs/existing.yaml", "--from",
		links, "-o", out,
	}, &text, &text)
	if code != exitOK || !strings.Contains(text.String(), "3 pages of 2 sites and ") ||
		!strings.Contains(text.String(), "1 URL that belongs was never captured") {
		t.Errorf("exit %d\n%s", code, text.String())
	}
}
