package harvest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"watershed/page"
	"watershed/replica/novelty"
	"watershed/sitemap"
)

// TestViewersWithoutWords: of scanned pages the viewers, whose pictures a script shows, are alike, and come
// long before the text to which each leads: that of all of them is had.
func TestViewersWithoutWords(t *testing.T) {
	const scans = 60
	letters := strings.NewReplacer(
		"0", "a", "1", "b", "2", "c", "3", "d", "4", "e", "5", "f", "6", "g", "7", "h", "8", "i", "9", "j")
	p := hostile(t, "", func(out http.ResponseWriter, r *http.Request) {
		var n int
		out.Header().Set("Content-Type", "text/html")
		switch _, err := fmt.Sscanf(r.URL.Path, "/scan/%d/", &n); {
		case r.URL.Path == "/":
			for i := range scans {
				fmt.Fprint(out, links(fmt.Sprintf("/scan/%d/", i)))
			}
		case err != nil || n >= scans:
			http.NotFound(out, r)
		case strings.HasSuffix(r.URL.Path, "/text"):
			fmt.Fprint(out, letters.Replace(prose(n)))
		case strings.HasSuffix(r.URL.Path, "/"):
			fmt.Fprint(out, "<title>Scan</title>The viewer", links(r.URL.Path+"text"))
		}
	})
	p = planOn(p.Fetch.DialPorts[80], sitemap.Site{Name: "A", Seeds: []page.URL{"http://a.example/"}})
	p.Novelty = &novelty.Options{Pages: 20}
	has, n := captured(t, run(t, Folder(t.TempDir()), p)), 0
	for i := range scans {
		if has[fmt.Sprintf("http://a.example/scan/%d/text", i)] != "" {
			n++
		}
	}
	if n != scans {
		t.Errorf("the text of %d of %d scans was had", n, scans)
	}
}
