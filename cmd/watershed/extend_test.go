package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"watershed/demo"
)

// TestAnotherScaleIsHarvestedLater harvests the demo's web, chooses a wider scale for it
// afterwards, and wants that only what is missing is fetched, no more than was foretold. The guide
// shows the scales as they are.
func TestAnotherScaleIsHarvestedLater(t *testing.T) {
	dir := t.TempDir()
	web := demo.New(demo.Options{})
	file := filepath.Join(dir, demoName+".yaml")
	err := web.Serve(t.Context(), func(ctx context.Context) error {
		if err := os.WriteFile(file, demoYAML(web), 0o666); err != nil {
			return err
		}
		outputOf(t, ctx, "harvest", "-q", file)
		guide, err := os.ReadFile("../../docs/guide/scales.md")
		if err != nil {
			return err
		}
		for line := range strings.Lines(outputOf(t, ctx, "scales", file, "anna")) {
			if !strings.Contains(string(guide), "\n    "+strings.TrimRight(line, " \n")+"\n") {
				t.Errorf("docs/guide/scales.md does not show %q", line)
			}
		}
		foretold := outputOf(t, ctx, "scales", file, "anna", "--at", "0.0004")
		most := regexp.MustCompile(`fetches (\d+) pages at most`).FindStringSubmatch(foretold)
		if most == nil {
			t.Fatalf("nothing is foretold:\n%s", foretold)
		}
		wider := outputOf(t, ctx, "scales", file, "anna", "--at", "0.0004", "--export", "urls")

		if err := os.WriteFile(file, append(demoYAML(web), "\nboundary:\n  alpha: 0.0004\n"...),
			0o666); err != nil {
			return err
		}
		next := regexp.MustCompile(`then: \S+.* (harvest --extend \S+)\n`).FindStringSubmatch(foretold)
		if next == nil {
			t.Fatalf("no command is told:\n%s", foretold)
		}
		outputOf(t, ctx, strings.Fields(next[1])...)
		first, second := fetched(t, dir, 1), fetched(t, dir, 2)
		again, pages := 0, 0
		for u := range second {
			if strings.HasSuffix(u, "/robots.txt") || strings.HasSuffix(u, ".png") {
				continue
			}
			pages++
			if first[u] && strings.HasPrefix(u, "http://people.campus.example/~anna/") {
				again++
			}
		}
		if n, _ := strconv.Atoi(most[1]); again > 0 || pages > n {
			t.Errorf("%d pages were fetched, %d of the site again; foretold %d", pages, again, n)
		}
		const door = "http://people.campus.example/~boris/\n"
		if urls := outputOf(t, ctx, "scales", file, "anna", "--export", "urls"); !strings.Contains(urls,
			door) || !strings.Contains(wider, door) {
			t.Errorf("the tenant next door did not come in:\n%s", urls)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// fetched are the URLs of a run's crawl.log.
func fetched(t *testing.T, dir string, n int) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, demoName, "run-000"+strconv.Itoa(n), "logs", "crawl.log"))
	if err != nil {
		t.Fatal(err)
	}
	urls := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		urls[strings.Fields(line)[3]] = true
	}
	return urls
}

// TestDemoWithoutBrowser: where there is no browser the demo does not ask for one, and ends well.
func TestDemoWithoutBrowser(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	web := demo.New(demo.Options{})
	if err := web.Serve(t.Context(), func(context.Context) error {
		if text := string(demoYAML(web)); !strings.Contains(text, "draw: never") {
			t.Errorf("it asks for a browser:\n%s", text)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
