package holdings

import (
	"testing"
	"time"

	"watershed/harvest"
)

// TestUnchanged: a capture that says that nothing had changed answers for its time, as one with a
// payload does.
func TestUnchanged(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	index(t, folder.Run(1), "http://a.example/ 200 text/html 20261120080000")
	index(t, folder.Run(2), "http://a.example/  warc/revisit 20261121080000")
	for _, tt := range []struct{ at, want, run string }{
		{"20261120080000", "20261120080000", "run-0001"},
		{"20261121080000", "20261121080000", "run-0002"},
		{"", "20261121080000", "run-0002"},
	} {
		var at time.Time
		if tt.at != "" {
			at, _ = time.Parse("20060102150405", tt.at)
		}
		f, err := Find(folder, "http://a.example/", at)
		if err != nil || f.Time.Format("20060102150405") != tt.want || f.Run != tt.run {
			t.Errorf("at %q: %+v, %v", tt.at, f, err)
		}
	}
	if pages, err := Sample(folder, []harvest.Run{folder.Run(2)}, 5, 1); err != nil || len(pages) != 1 {
		t.Errorf("drawn of the second run: %v, %v", pages, err)
	}
}
