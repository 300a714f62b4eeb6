package main

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"watershed/demo"
	"watershed/lab/kit/bucket"
)

// notRun are lines of the documents that are not run here, as patterns, and the reason.
var notRun = map[string]string{
	`--cluster|node --(drain|forget)`:            "needs several machines: TestCluster",
	`^sudo|systemctl|tee /etc`:                   "needs systemd",
	`^[-0-9* ]+  watershed`:                      "a line of cron",
	`control (delay|pause|stop)`:                 "needs a run under way: TestAdvice",
	`quality .*--draw`:                           "needs a browser: TestDrawnAgain",
	`^watershed https?://|^watershed ui --open$`: "asks the web: TestAdvice",
}

// TestDocumentedLines types the lines of the guide and the README in the order of each page, where
// site.yaml and gemo.yaml are the demo's harvest and its web is there, and wants each to succeed.
func TestDocumentedLines(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the program some eighty times")
	}
	store := &bucket.Store{Bucket: "archive", AccessKey: "hunter2secret"}
	server := httptest.NewServer(store)
	defer server.Close()
	web := demo.New(demo.Options{})
	err := web.Serve(t.Context(), func(context.Context) error {
		yaml := strings.NewReplacer("harvest: demo", "harvest: village", "dir: .", "dir: harvests",
			"name: anna", "name: Anna", "draw: auto", "draw: never").Replace(string(demoYAML(web))) +
			"upload: {store: \"" + server.URL + "\", bucket: archive, access_key: env:KEY, " +
			"secret_key: env:KEY, when: asked}\n" // the trials of all pages have one store
		base := &trial{T: t, dir: t.TempDir()}
		base.file("site.yaml", yaml)
		one := regexp.MustCompile(`(?s)  # A person's.*?\n\n`).ReplaceAllString(yaml, "\n") // site
		base.file("gemo.yaml", strings.Replace(one, "harvest: village", "harvest: gemo", 1))
		base.file("hosts.txt", "docs.gemo.example = www.gemo.example\n"+
			"osage.example = people.campus.example\n")
		base.file("crawl-config.yaml", "seeds: [http://a.example/]\nscopeType: host\n")
		base.run(0, "watershed harvest -q site.yaml && cp -r harvests/village/run-0001/archive warcs && "+
			"cp warcs/*.warc.gz crawl.warc.gz && watershed copies import site.yaml hosts.txt && "+
			"watershed harvest -q gemo.yaml")
		ran, spared := 0, map[string]bool{}
		for path, text := range documents(t) {
			if !strings.Contains(path, "guide") && path != "../../README.md" {
				continue
			}
			t.Run(filepath.ToSlash(strings.TrimPrefix(path, "../../")), func(t *testing.T) {
				x := &trial{T: t, dir: t.TempDir()}
				if err := os.CopyFS(x.dir, os.DirFS(base.dir)); err != nil {
					t.Fatal(err)
				}
				for _, line := range documentedLines(text) {
					if why := matching(line, notRun); why != "" {
						spared[why] = true
						continue
					}
					ran++
					x.documented(line, yaml)
				}
			})
		}
		if !t.Failed() && (ran < 60 || len(spared) < len(notRun)) {
			t.Errorf("%d lines were run, %d of %d reasons met", ran, len(spared), len(notRun))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (x *trial) file(name, text string) {
	x.Helper()
	if err := os.WriteFile(x.path(name), []byte(text), 0o666); err != nil {
		x.Fatal(err)
	}
}

// matching is the value of the pattern that a line matches.
func matching(line string, patterns map[string]string) string {
	for p, value := range patterns {
		if regexp.MustCompile(p).MatchString(line) {
			return value
		}
	}
	return ""
}

// documentedLines are those of indented blocks that type the program, without comments.
func documentedLines(text string) (lines []string) {
	text = strings.ReplaceAll(continued.ReplaceAllString(text, " "), "go run ./cmd/watershed", "watershed")
	for _, block := range regexp.MustCompile(`(?m)^    (.*)$`).FindAllStringSubmatch(text, -1) {
		line, _, _ := strings.Cut(strings.TrimPrefix(block[1], "$ "), " #")
		for c := range strings.SplitSeq(strings.ReplaceAll(line, "./watershed ", "\nwatershed "), "\n") {
			if c = strings.TrimSpace(c); strings.Contains(c, "watershed ") && !strings.Contains(c, ": ") {
				lines = append(lines, c)
			}
		}
	}
	return lines
}

// documented runs a line, with the demo's names in the place of those of the page.
func (x *trial) documented(line, yaml string) {
	x.Helper()
	typed := strings.NewReplacer("https://", "http://", "www.village.example", "www.gemo.example",
		" mirror.example", " docs.gemo.example", "atlas.uplands.example", "osage.example",
		"www.atlas.example", "people.campus.example", " 1 3 ", " 1 2 ",
		"FILE|FOLDER...", "warcs",
		"FILE OFFSET", "crawl.warc.gz 0", " URL", " http://osage.example/verso/",
	).Replace(line)
	if strings.Contains(typed, " ui ") {
		typed = "env -u DISPLAY -u WAYLAND_DISPLAY timeout --foreground --preserve-status -s INT 1 " + typed
	}
	writes := strings.HasSuffix(typed, " site.yaml") && slices.ContainsFunc([]string{" > ", " -o "},
		func(to string) bool { return strings.HasSuffix(typed, to+"site.yaml") })
	if writes {
		x.run(0, "rm site.yaml")
	}
	x.run(0, typed)
	if writes {
		x.file("site.yaml", yaml)
	}
}
