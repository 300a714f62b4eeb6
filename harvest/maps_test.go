package harvest

import (
	"os"
	"path/filepath"
	"testing"

	"watershed/sitemap"
)

// TestShrunk: a site that has less than half of its pages left is told of, unless the others are left out
// as copies.
func TestShrunk(t *testing.T) {
	folder := Folder(t.TempDir())
	for n, text := range []string{`{"sites":[{"name":"S","pages":12}]}`, ""} {
		run := folder.Run(n + 1)
		if err := os.MkdirAll(run.Reports(), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(run.Reports(), "report.json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	m := &sitemap.Map{Site: "S", Pages: 4}
	for left, want := range []int{1, 1, 0, 0} { // pages that were left out as copies, the map has none of
		if got := shrunk(folder.Run(2), []*sitemap.Map{m}, map[uint32]int{0: left, 1: 9}); len(got) != want {
			t.Errorf("%d left out: %+v", left, got)
		}
	}
}
