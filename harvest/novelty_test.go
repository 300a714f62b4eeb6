package harvest

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"watershed/page"
	"watershed/replica/novelty"
	"watershed/sitemap"
)

// TestViewersWithoutWords: of scanned pages the viewers, whose pictures a script shows, are alike, and come
// long before the text to which each leads: that of all of them is had, by a run that was interrupted, too.
func TestViewersWithoutWords(t *testing.T) {
	const scans = 60
	letters := strings.NewReplacer(
		"0", "a", "1", "b", "2", "c", "3", "d", "4", "e", "5", "f", "6", "g", "7", "h", "8", "i", "9", "j")
	for _, at := range []int{0, scans / 2} {
		ctx, cancel := context.WithCancel(t.Context())
		var asked atomic.Int32
		p := hostile(t, "", func(out http.ResponseWriter, r *http.Request) {
			if int(asked.Add(1)) == at {
				cancel()
			}
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
		folder := Folder(t.TempDir())
		h, err := Open(folder, p)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Crawl(ctx); (err != nil) != (at > 0) {
			t.Errorf("interrupted at request %d, the crawl ends with %v", at, err)
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		cancel()
		has, n := captured(t, run(t, folder, p)), 0
		for i := range scans {
			if has[fmt.Sprintf("http://a.example/scan/%d/text", i)] != "" {
				n++
			}
		}
		if n != scans {
			t.Errorf("interrupted at request %d, the text of %d of %d scans was had", at, n, scans)
		}
	}
}
