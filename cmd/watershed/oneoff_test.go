package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"watershed/harvest"
	"watershed/internal/console"
)

// TestHarvestOfAddresses: an address alone begins a harvest and writes its YAML beside the
// harvest's folder; the same address goes by that YAML, as it was changed meanwhile, and recrawls.
func TestHarvestOfAddresses(t *testing.T) {
	var agent string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agent = r.UserAgent()
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<title>home</title><link rel="icon" href="data:,"><p>A page of `+
			`a few words.`)
	}))
	defer server.Close()
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	t.Setenv("WATERSHED_CONTACT", "")
	seed := server.URL + "/"
	name := strings.ReplaceAll(strings.TrimPrefix(server.URL, "http://"), ":", "-")
	file := filepath.Join("harvests", name+".yaml")

	if _, said := ends(t, t.Context(), exitUsage, seed, "--allow-private",
		"127.0.0.0/8"); !strings.Contains(said, "--contact") {
		t.Errorf("without a contact it says %s", said)
	}
	_, said := succeed(t, t.Context(), seed, "--allow-private", "127.0.0.0/8", "--contact",
		"ann@library.example")
	if !strings.Contains(said, "written: "+file) || !strings.Contains(agent, "mailto:ann@library.example") {
		t.Errorf("it says\n%s\nand is %s", said, agent)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, "politeness: {min_delay: 10ms, address_delay: 0s}\n"...)
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, said := succeed(t, t.Context(), seed); !strings.Contains(said, "recrawl") ||
		!strings.Contains(said, "going by "+file) {
		t.Errorf("the second time it says\n%s", said)
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != string(text) {
		t.Errorf("the YAML is now\n%s%v", now, err)
	}
	if _, err := os.Stat(filepath.Join("harvests", name, "run-0002")); err != nil {
		t.Error(err)
	}
	_, said = ends(t, t.Context(), exitUsage, seed+"other", "--as", name)
	if !strings.Contains(said, "no seed "+seed+"other") {
		t.Errorf("of an address that the YAML has not it says %s", said)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, said := ends(t, t.Context(), exitUsage, seed); !strings.Contains(said, "another YAML") {
		t.Errorf("of a folder without its YAML it says %s", said)
	}
}

// TestDraftOfAddresses: seeds of a host are one site, a list is named by its place, and what is
// written is in order.
func TestDraftOfAddresses(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_CONFIG_HOME", dir)
	if err := os.WriteFile("crawl list.txt", []byte("# two\nhttps://a.example/\n\nhttps://b.example/x\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	_, said := ends(t, t.Context(), exitUsage, "--contact", "nobody", "crawl list.txt")
	if !strings.Contains(said, "nobody") { // flags may come first
		t.Error(said)
	}
	if out, _ := succeed(t, t.Context(), "--help", "status", "crawl list.txt"); !strings.Contains(out,
		"watershed status") {
		t.Error(out)
	}
	for _, x := range []struct {
		name, file string
		args       []string
		sites      int
	}{
		{
			"two hosts, one site each", "a.example-ann",
			[]string{
				"https://a.example/~ann/", "https://b.example/", "https://a.example/x#y",
				"https://a.example/~ann/",
			},
			2,
		},
		{"a name that is none", "xn-bcher-kva.example", []string{"https://Bücher.example/"}, 1},
		{"odd signs", "a.example-q-1-202", []string{"https://a.example/?q=1: 2#"}, 1},
		{"a list", "crawl-list", []string{"crawl list.txt"}, 2},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := harvestCommand{From: x.args}
			c.Dir, c.Contact = "harvests", "https://library.example/crawl"
			file, err := c.file(console.Streams{Out: io.Discard, Err: io.Discard})
			if err != nil || file != filepath.Join("harvests", x.file+".yaml") {
				t.Fatalf("%s, %v", file, err)
			}
			config, err := load(file)
			if err != nil || len(config.Sites) != x.sites ||
				folderOf(&config) != harvest.Folder(strings.TrimSuffix(file, ".yaml")) {
				t.Errorf("%d sites in %s, %v", len(config.Sites), folderOf(&config), err)
			}
		})
	}
}

// TestListsOfOneName: a list of the same name elsewhere is not taken for the one that was harvested,
// and a mistake in a list is told with its line.
func TestListsOfOneName(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_CONFIG_HOME", dir)
	for name, text := range map[string]string{
		"a/s.txt": "https://a.example/\n", "b/s.txt": "https://b.example/\n", "c/s.txt": "\n\nb.example\n",
		"d/s.csv": "url,title\nhttps://a.example/,A\n", "e/s.csv": "https://a.example/\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct{ list, want string }{
		{"a/s.txt", ""},
		{"b/s.txt", "no seed https://b.example/"},
		{"c/s.txt", "s.txt:3:1:"},
		{
			"a/s.txt",
			"",
		},
		{"d/s.csv", "for example name,seed"},
		{"e/s.csv", "ends in .txt"},
	} {
		c := harvestCommand{From: []string{x.list}}
		c.Dir, c.Contact = "harvests", "ann@library.example"
		_, err := c.file(console.Streams{Out: io.Discard, Err: io.Discard})
		if (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) ||
			strings.HasSuffix(x.list, ".csv") && strings.Contains(err.Error(), "import") {
			t.Errorf("%s: %v", x.list, err)
		}
	}
}

// TestNoAddress: whatever is no address is told so, with what to write instead, and nothing is left.
func TestNoAddress(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_CONFIG_HOME", dir)
	for _, x := range []struct{ args, want string }{
		{"example.org", "watershed https://example.org/"},
		{"nofile.yaml", "no such file"},
		{"harvest example.org/a", "https://example.org/a"},
		{"htp://example.org/", "no web address"},
		{"https://", "no web address"},
		{"https://ann:secret@example.org/", "user name or password"},
		{"https://example.org/ example.com", "https://example.com/"},
		{"http://127.0.0.1:80/", "--allow-private 127.0.0.0/8"},
		{"http://[fd00::7]/", "--allow-private fd00::7/128"},
		{"https://example.org/ --contact nobody", "neither a mail address nor a web page"},
		{"https://example.org/ --as a/b --contact a@b.example", "cannot name a folder"},
		{"nolist.txt", "no such file"},
	} {
		var out strings.Builder
		if code := run(t.Context(), strings.Fields(x.args), &out, &out); code != exitUsage &&
			code != exitConfig ||
			!strings.Contains(out.String(), x.want) {
			t.Errorf("%s: exit %d: %s", x.args, code, out.String())
		}
	}
	if _, err := os.Stat("harvests"); err == nil {
		t.Error("a folder is left")
	}
}
