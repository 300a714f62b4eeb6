package ui

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"watershed/harvest"
)

// TestCompare shows an entry's pages side by side: in frames of the replay without any rights, with
// their differences as text.
func TestCompare(t *testing.T) {
	d := newDesk(t)
	d.enter()
	d.server.port.Store("8999")
	run := d.folder.Run(1)
	writePages(t, run, map[string]string{
		"http://www.gemo.example/": "<p>the index of the site",
		"http://www.gemo.example/a": "<title>" + evil +
			"</title><p>the old page says &lt;script&gt;alert(1)&lt;/script&gt; \u202e here",
		"http://m0.example/a": "<title>" + evil +
			"</title><p>the new page says &lt;b&gt;nothing&lt;/b&gt; here",
		"http://m0.example/only":        "<p>only here",
		"http://www.gemo.example/long":  strings.Repeat("<p>word", 50_000),
		"http://m0.example/long":        strings.Repeat("<p>ward", 50_000),
		"http://m0.example.evil.test/a": "<p>of another host",
	})
	write(t, run.Mirrors(),
		[]byte(`{"version":1,"rules":[{"from":"m1.example","to":"www.gemo.example","urls":30,`+
			`"decision":""}]}`))
	text := d.get("/harvests/gemo/mirrors/compare?from=m0.example&pages=10")
	for _, want := range []string{
		"<del><bdi>new</bdi></del> <ins><bdi>old</bdi></ins>", "&lt;script&gt;alert(1)&lt;/script&gt;",
		"⟨U+202E⟩", "9 of 10 known pages have a counterpart",
		"2 of the 4 pairs here are held on both sides", "5 of 5 pages agree, mean 0.900", `sandbox=""`,
		"spares some 3 requests", "not held", "compared and told in part",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if strings.Contains(text, "evil.test") {
		t.Error("a page of another host is shown")
	}
	wellKept(t, "compare", text)
	r := d.do("GET", "/harvests/gemo/mirrors/compare?from=m0.example", nil, nil)
	if policy := r.Header.Get("Content-Security-Policy"); policy != deskPolicy+
		"; frame-src http://127.0.0.1:8999" {
		t.Errorf("policy %q", policy)
	}
	if text := d.get("/harvests/gemo/mirrors/compare?from=m1.example"); !strings.Contains(text,
		"30 URLs were left out by it so far. A run spares some 30 requests") {
		t.Error(text)
	}
	if d.do("GET", "/harvests/gemo/mirrors", nil, nil).Header.Get("Content-Security-Policy") != deskPolicy {
		t.Error("other pages may show frames")
	}
	for _, bad := range []string{"", "?from=none", "?from=../../etc"} {
		d.text(d.do("GET", "/harvests/gemo/mirrors/compare"+bad, nil, nil), http.StatusNotFound)
	}
	for _, bad := range []string{"&pages=0", "&pages=11", "&seed=x"} {
		d.text(d.do("GET", "/harvests/gemo/mirrors/compare?from=m0.example"+bad, nil, nil),
			http.StatusBadRequest)
	}
	// A decision is the same as in the list.
	if r := d.post("/harvests/gemo/mirrors", url.Values{
		"csrf": {d.form()}, "from": {"m0.example"},
		"action": {"confirm"},
	}, nil); r.StatusCode != http.StatusSeeOther {
		t.Error(r.StatusCode)
	}
	table, err := harvest.ReadTable(d.folder.Replicas())
	if err != nil {
		t.Fatal(err)
	}
	if e, _ := table.Get("m0.example"); !e.State.InForce() {
		t.Errorf("%+v", e)
	}
}
