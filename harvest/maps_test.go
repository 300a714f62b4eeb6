package harvest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"watershed/page"
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
	for note, want := range map[string]int{"robots": 1, "mirror": 0, "collection": 0, "copy": 0} {
		m := &sitemap.Map{Site: "S", Pages: 4}
		var list []sitemap.Member
		for i := range 8 {
			list = append(list, sitemap.Member{
				URL: page.URL(fmt.Sprintf("http://s.example/%d", i)), State: "skipped", Note: note,
			})
		}
		m.Members = sitemap.MembersOf(list...)
		if got := shrunk(folder.Run(2), []*sitemap.Map{m}); len(got) != want {
			t.Errorf("%s: %+v", note, got)
		}
	}
}
