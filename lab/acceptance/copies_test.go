package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"watershed/page"
	"watershed/replica/sketch"
)

// crawlLog writes the log of a run that was given URLs with digests: "status url digest".
func crawlLog(t *testing.T, lines ...string) string {
	t.Helper()
	run := t.TempDir()
	var b strings.Builder
	for _, line := range lines {
		f := strings.Fields(line)
		fmt.Fprintf(&b, "2026-01-01T00:00:00.000Z %s 9 %s L - text/html #000 20260101000000000+1 sha256:%s "+
			"site -\n", f[0], f[1], f[2])
	}
	if err := os.Mkdir(filepath.Join(run, "logs"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(run, "logs", "crawl.log"), []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return run
}

// TestFetchedByBytes: a page whose bytes a run was given by a URL that the truth does not have is
// not lost, and not counted as fetched.
func TestFetchedByBytes(t *testing.T) {
	builder, err := sketch.NewBuilder(sketch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	builder.Text([]byte("a text of some words"))
	some := builder.Sketch()
	known := map[page.URL]uint32{
		"http://a.example/": 0, "http://a.example/demo": 1,
		"http://b.example/": 2, "http://a.example/empty": 3,
	}
	j := copyJudge{
		number: func(u page.URL) (uint32, bool) {
			p, ok := known[u]
			return p, ok
		},
		texts:   &texts{sketches: []sketch.Sketch{some, some, some, {}}},
		content: map[string][]uint32{},
	}
	for _, x := range []struct {
		log           []string
		pages, others []uint32
	}{
		{[]string{
			"200 http://a.example/ 1", "200 http://a.example/demo 2", "200 http://b.example/ 3",
			"404 http://a.example/none 4", "200 http://a.example/empty 5",
		}, []uint32{0, 1, 2}, nil},
		{[]string{
			"304 http://a.example/ 1", "200 http://a.example/demo?x=1 2",
			"200 http://a.example/other 6", "404 http://a.example/gone 3",
		}, []uint32{0}, []uint32{1}},
	} {
		f, err := j.fetched(crawlLog(t, x.log...))
		if err != nil {
			t.Fatal(err)
		}
		f = f.withText(j.texts)
		if !slices.Equal(f.pages, x.pages) || !slices.Equal(f.others, x.others) {
			t.Errorf("pages %v and the bytes of %v, want %v and %v", f.pages, f.others, x.pages, x.others)
		}
	}
}
