package holdings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"watershed/archive"
	"watershed/harvest"
	"watershed/page"
)

// index writes the index of a run: lines are "URL STATUS MIME TIMESTAMP"; an answer of 304 has no
// status.
func index(t testing.TB, run harvest.Run, lines ...string) {
	t.Helper()
	var list []string
	for i, line := range lines {
		f := strings.Split(line, " ")
		e := archive.Entry{
			Key: page.URL(f[0]).SURT(), Timestamp: f[3], URL: f[0], Status: f[1], MIME: f[2],
			Length: 10, Offset: int64(10 * i), File: "x.warc.gz",
		}
		list = append(list, string(e.Append(nil)))
	}
	slices.Sort(list)
	if err := os.MkdirAll(filepath.Dir(run.Index()), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(run.Index(), []byte(strings.Join(list, "")), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestSample(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	if _, err := Sample(folder, []harvest.Run{folder.Run(1)}, 3, 1, false); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var lines []string
	for i := range 300 {
		lines = append(lines, fmt.Sprintf("http://a.example/p%d 200 text/html 20261120080000", i),
			fmt.Sprintf("http://a.example/i%d.gif 200 image/gif 20261120080000", i))
	}
	lines = append(lines, "http://a.example/404 404 text/html 20261120080000",
		"http://a.example/robots.txt 200 text/html 20261120080000")
	index(t, folder.Run(1), lines...)
	// In the second run every page of an even number is gone.
	var second []string
	for i := 0; i < 300; i += 2 {
		second = append(second, fmt.Sprintf("http://a.example/p%d 404 text/html 20261121080000", i))
	}
	index(t, folder.Run(2), second...)
	runs := []harvest.Run{folder.Run(1), folder.Run(2)}
	seen := map[page.URL]int{}
	for seed := range uint64(40) {
		pages, err := Sample(folder, runs, 10, seed, false)
		if err != nil || len(pages) != 10 {
			t.Fatalf("%v %v", pages, err)
		}
		again, err := Sample(folder, runs, 10, seed, false)
		if err != nil || !slices.Equal(pages, again) {
			t.Errorf("seed %d drew %v, then %v", seed, pages, again)
		}
		for _, u := range pages {
			var n int
			if _, err := fmt.Sscanf(string(u), "http://a.example/p%d", &n); err != nil || n%2 == 0 {
				t.Errorf("%s was drawn", u)
			}
			seen[u]++
		}
	}
	// 400 draws of 150 pages: some 139 are seen, if each is as likely as another.
	if len(seen) < 125 {
		t.Errorf("only %d pages are ever drawn", len(seen))
	}
	if err := os.Truncate(folder.Run(1).Index(), 1000); err != nil {
		t.Fatal(err)
	}
	if pages, err := Sample(folder, runs, 10, 1, false); !errors.Is(err, archive.ErrEntry) ||
		!strings.Contains(err.Error(), "; watershed cdxj '") {
		t.Errorf("of an index that is cut off: %v, %v", pages, err)
	}
	index(t, folder.Run(3)) // of a run without captures
	for name, emptied := range map[string]bool{"a-replicas-1.warc.gz": false, "a-1.warc.gz": true} {
		if err := os.MkdirAll(folder.Run(3).Archive(), 0o777); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(folder.Run(3).Archive(), name)
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Sample(folder, []harvest.Run{folder.Run(3)}, 10, 1, false)
		if errors.Is(err, archive.ErrEntry) != emptied || err != nil != emptied {
			t.Errorf("an index without a line beside %s: %v", name, err)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSampleBelow(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	index(t, folder.Run(1), "http://a.example/d/1 200 text/html 20261120080000",
		"http://a.example/d/2.gif 200 image/gif 20261120080000",
		"http://a.example/d/3 404 text/html 20261120080000",
		"http://www.a.example/d/4 200 text/html 20261120080000",
		"http://a.example/e/5 200 text/html 20261120080000",
		"http://b.example/d/6 200 text/html 20261120080000")
	below := func(u page.URL) bool { return strings.HasPrefix(string(u), "http://a.example/d/") }
	b, err := SampleBelow(folder, page.URL("http://a.example/d/").SURT(), below, 5, 1)
	if err != nil || b.Captures != 3 || b.Bytes != 30 || b.Cut ||
		!slices.Equal(b.Pages, []page.URL{"http://a.example/d/1"}) {
		t.Errorf("%+v %v", b, err)
	}
}

func TestFindTakesTheNearest(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	index(t, folder.Run(1), "http://a.example/ 200 text/html 20261120080000",
		"http://www.a.example/x 200 text/html 20261120080000")
	index(t, folder.Run(2), "http://a.example/ 200 text/html 20261220080000",
		"https://a.example/x 200 text/html 20261220080000")
	at := time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		url   page.URL
		at    time.Time
		found page.URL
		run   string
	}{
		{"http://a.example/", at, "http://a.example/", "run-0001"},
		{"http://a.example/", time.Time{}, "http://a.example/", "run-0002"},
		{"http://a.example/x", at, "http://www.a.example/x", "run-0001"},
		{"https://a.example/x", at, "https://a.example/x", "run-0002"},
	} {
		f, err := Find(folder, c.url, c.at)
		if err != nil || f.URL != c.found || f.Run != c.run {
			t.Errorf("%s: %+v %v", c.url, f, err)
		}
	}
	if _, err := Find(folder, "http://none.example/", at); !errors.Is(err, ErrNotHeld) {
		t.Error(err)
	}
}
