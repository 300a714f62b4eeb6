package ui

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestSearch makes text searchable by the desk's button, and checks that what is found is text.
func TestSearch(t *testing.T) {
	d := newDesk(t)
	d.enter()
	writePages(t, d.folder.Run(1), map[string]string{
		"http://www.gemo.example/": "<title>" + strings.ReplaceAll(evil, "</title>", "&lt;/title&gt;") +
			"</title><p>boundary &lt;script&gt;alert(1)&lt;/script&gt; \u202e of a site",
		"http://www.gemo.example/2": "<title>" + strings.Repeat("t", 2<<20) + "</title><p>" +
			strings.Repeat("boundary <img src=x onerror=alert(1)>", 9),
	})
	if text := d.get("/harvests/gemo/search?q=boundary"); !strings.Contains(text, "Make it searchable") ||
		!strings.Contains(text, "Nothing can be searched yet") {
		t.Error(text)
	}
	d.text(d.post("/harvests/gemo/search", url.Values{}, nil), http.StatusForbidden)
	if r := d.post("/harvests/gemo/search", url.Values{"csrf": {d.form()}}, nil); r.StatusCode !=
		http.StatusSeeOther {
		t.Fatal(r.StatusCode)
	}
	for target, want := range map[string][]string{
		"/harvests/gemo/search": {"What can be asked"},
		"/harvests/gemo/search?q=boundary": {
			"Hits 1 to 2; 2 documents were searched",
			"<mark><bdi>boundary</bdi></mark>", "&lt;script&gt;alert(1)", "⟨U+202E⟩",
		},
		"/harvests/gemo/search?q=" + url.QueryEscape(`"of a site"`): {"Hits 1 to 1"},
		"/harvests/gemo/search?q=" + url.QueryEscape(evil):          {"Hits 1 to 1"},
		"/harvests/gemo/search?q=boundary&from=2":                   {"No hit; 2 documents"},
	} {
		text := d.get(target)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s has no %q in %s", target, w, text)
			}
		}
		if strings.Contains(text, "Make it searchable") {
			t.Errorf("%s: not all is indexed", target)
		}
		wellKept(t, target, text)
	}
	for _, bad := range []string{
		"q=-a", "q=a&from=-1", "q=a&from=99999999", "q=" + strings.Repeat("a", 2000),
		"q=after:x+a",
	} {
		d.text(d.do("GET", "/harvests/gemo/search?"+bad, nil, nil), http.StatusBadRequest)
	}
}
