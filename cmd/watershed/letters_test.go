package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"watershed/demo"
	"watershed/harvest"
	"watershed/lab/kit/browser"
	"watershed/page"
	"watershed/replay"
)

// harvestLetters harvests the demo's blog with addresses that can be spelt in several ways. It
// gives the folder of the harvest, its YAML and what was asked for.
func harvestLetters(t *testing.T) (folder harvest.Folder, file string, log []demo.Request) {
	t.Helper()
	dir := t.TempDir()
	web := demo.New(demo.Options{})
	err := web.Serve(t.Context(), func(ctx context.Context) error {
		file = filepath.Join(dir, "letters.yaml")
		text := lettersYAML + string(regexp.MustCompile(`(?s)\nnetwork:.*`).Find(demoYAML(web)))
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			return err
		}
		var said bytes.Buffer
		if code := run(ctx, []string{"harvest", file}, io.Discard, &said); code != exitOK {
			t.Errorf("exit %d: %s", code, &said)
		}
		log = web.Log()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return harvest.Folder(filepath.Join(dir, "harvests", "letters")), file, log
}

const lettersYAML = `
harvest: letters
operator: {name: Test, contact: "https://example.org/"}
archive: {dir: harvests, wacz: true}
politeness: {min_delay: 10ms, max_delay: 100ms}
sites:
  - name: letters
    seeds:
      - http://letters.blogs.example/%d8%b1%d8%b3%d8%a7%d9%84%d8%a9/
      - http://letters.blogs.example/
      - http://lower.blogs.example/
      - http://upper.blogs.example/
    boundary: prefix
`

// TestLetters harvests addresses that can be spelt in several ways: what is asked for is what the
// pages say, and each page is found by any spelling.
func TestLetters(t *testing.T) {
	if testing.Short() {
		t.Skip("short: nothing is harvested")
	}
	folder, file, log := harvestLetters(t)
	asked := map[string]int{}
	for _, r := range log {
		asked[string(r.Host)+r.Path]++
	}
	for _, want := range []string{
		"letters.blogs.example/%d0%ba%d0%be%d0%bb%d0%be%d0%ba%d0%be%d0%bb/",
		"letters.blogs.example/%e4%b8%ad%e6%96%87/%e9%90%98/",
		"letters.blogs.example/%d8%b1%d8%b3%d8%a7%d9%84%d8%a9/", // a seed, too
		"letters.blogs.example/notes%2fbells/", "letters.blogs.example/notes/bells/",
		"letters.blogs.example/%u0431%u0435%u043b/", "letters.blogs.example/50%off/",
		"letters.blogs.example/search?q=%d0%bb%d0%b0%d0%b4&p=100%",
		"lower.blogs.example/%D0%B7%D0%B2%D0%BE%D0%BD/", "lower.blogs.example/%d0%b7%d0%b2%d0%be%d0%bd/",
		"upper.blogs.example/%d0%b7%d0%b2%d0%be%d0%bd/", "upper.blogs.example/%D0%B7%D0%B2%D0%BE%D0%BD/",
		"lower.blogs.example/files/%D0%B7.png", "lower.blogs.example/files/%d0%b7.png",
		"upper.blogs.example/files/%d0%b7.png", "upper.blogs.example/files/%D0%B7.png",
	} {
		if asked[want] != 1 {
			t.Errorf("%s was asked for %d times", want, asked[want])
		}
	}
	for name, n := range asked {
		if n > 1 || strings.Contains(name, "%25") || strings.Contains(name, "letters") &&
			strings.Contains(name, "%D") {
			t.Errorf("%s was asked for %d times", name, n)
		}
	}
	told := func(args ...string) string {
		t.Helper()
		var out, said bytes.Buffer
		if code := run(t.Context(), args, &out, &said); code != exitOK {
			t.Errorf("%v: exit %d: %s", args, code, &said)
		}
		return out.String()
	}
	if text := told("search", file, "url:колокол"); !strings.Contains(text, "1 of 13") {
		t.Errorf("search for a word of an address: %s", text)
	}
	index := told("cdxj", string(folder.Run(1).Archive()))
	for _, spelt := range []string{
		"http://letters.blogs.example/%d0%ba%d0%be%d0%bb%d0%be%d0%ba%d0%be%d0%bb/",
		"http://letters.blogs.example/%D0%BA%D0%BE%D0%BB%D0%BE%D0%BA%D0%BE%D0%BB/",
		"http://letters.blogs.example/колокол/",
		"http://letters.blogs.example/notes%2fbells/", "http://letters.blogs.example/notes%2Fbells/",
		"http://letters.blogs.example/%u0431%u0435%u043b/", "http://letters.blogs.example/50%off/",
		"http://lower.blogs.example/%D0%B7%D0%B2%D0%BE%D0%BD/", "http://lower.blogs.example/звон/",
		"http://upper.blogs.example/%d0%b7%d0%b2%d0%be%d0%bd/",
	} {
		u, err := page.ParseURL(spelt)
		if err != nil {
			t.Fatal(err)
		}
		if text := told("explain", file, spelt); !strings.Contains(text, " is inside") {
			t.Errorf("explain %s: %s", spelt, text)
		}
		if !strings.Contains(index, u.SURT()+" ") {
			t.Errorf("%s is not in the index as %s", spelt, u.SURT())
		}
		words := `url:"` + spelt + `"`
		if text := told("search", file, words); !strings.Contains(strings.ToUpper(text),
			strings.ToUpper(string(u))) {
			t.Errorf("search %s: %s", words, text)
		}
	}
}

// TestLettersInBrowser clicks the links of the blog's pages in the replay, as they stand in the
// archive, in headless Chromium.
func TestLettersInBrowser(t *testing.T) {
	t.Parallel()
	launch := browser.Launch(t)
	folder, _, _ := harvestLetters(t)
	s := httptest.NewServer(&replay.Server{
		Key:     "key",
		Folder:  func(name string) (harvest.Folder, bool) { return folder, name == "h" },
		Sheet:   []byte("iframe{width:100%}"),
		Allowed: func(*http.Request) bool { return true }, Text: func(s string) string { return s },
	})
	defer s.Close()
	home := s.URL + "/key/h/" + replay.Address("view", "http://letters.blogs.example/", time.Now())
	browser.Run(t, "testdata/letters.cjs", launch, home, "13")
}
