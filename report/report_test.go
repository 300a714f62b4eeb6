package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"watershed/page"
)

func sample() *Report {
	r := &Report{Harvest: "gemo", Run: 1}
	r.AddSeed("Gemo", "http://a.example/")
	r.AddSeed("Gemo", "http://gone.example/")
	r.Learn(&page.Visit{
		URL: "http://a.example/", Status: 301, Size: 10, MIME: "text/html",
		Links: []page.Link{{URL: "http://a.example/x", Kind: page.Redirect}},
	})
	r.Learn(&page.Visit{URL: "http://a.example/x", Status: 200, Size: 100, MIME: "text/html"})
	r.Learn(&page.Visit{URL: "http://a.example/y", Status: 200, Size: 100, MIME: "text/html", Revisit: true})
	r.Learn(&page.Visit{URL: "http://a.example/z", Status: 304, MIME: "text/html", Revisit: true})
	r.Learn(&page.Visit{URL: "http://a.example/private", Status: page.StatusRobots})
	r.Learn(&page.Visit{URL: "http://gone.example/", Status: page.StatusDNS, Cause: "no such host"})
	r.Skip("http://a.example/private", "robotsTxt", WasForbidden)
	r.Skip("http://b.example/", "outOfBoundary", WasLeftOut)
	r.Skip("http://gone.example/", "failed", WasFailed)
	r.Remain("b.example")
	return r
}

func TestText(t *testing.T) {
	tests := map[string]string{
		"seeds": `[code] [status] [seed] [redirect-uri]
301 CRAWLED http://a.example/ http://a.example/x
-1 NOTCRAWLED http://gone.example/ - no such host
`,
		"hosts": `[#urls] [#bytes] [host] [#robots] [#remaining] [#novel-urls] [#novel-bytes] ` +
			`[#dup-by-hash-urls] [#dup-by-hash-bytes] [#not-modified-urls] [#not-modified-bytes] ` +
			`[#failed] [#skipped]
4 210 a.example 1 0 2 110 1 100 1 0 0 0
0 0 b.example 0 1 0 0 0 0 0 0 0 1
0 0 gone.example 0 0 0 0 0 0 0 0 1 0
`,
		"ending": `[#urls] [what]
- not ended
`,
		"mime": `[#urls] [#bytes] [mime-types]
4 210 text/html
`,
		"status": `[#urls] [#bytes] [rescode]
2 200 200
1 0 -9998
1 0 -1
1 10 301
1 0 304
`,
		"skipped": `[#urls] [reason] [examples]
1 failed http://gone.example/
1 outOfBoundary http://b.example/
1 robotsTxt http://a.example/private
`,
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := sample().Text(&got, name); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got.String()); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
	if err := sample().Text(&bytes.Buffer{}, "nonsense"); err == nil {
		t.Error("no error for a report that does not exist")
	}
}

// TestSites: sites that share a seed both have its answer, and a URL that both leave out counts once.
func TestSites(t *testing.T) {
	r := &Report{Sites: []*Site{{Name: "A"}, {Name: "B of two words"}}}
	r.AddSeed("A", "http://a.example/")
	r.AddSeed("B of two words", "http://a.example/")
	r.Learn(&page.Visit{URL: "http://a.example/", Status: 200})
	r.Skip("http://b.example/", "outOfScope", WasLeftOut)
	r.Skip("http://a.example/x", "failed", WasFailed)
	r.Skip("http://a.example/y", "unread", WasCaptured)
	r.Skip("http://b.example/", "outOfScope", WasLeftOut)
	r.Skip("http://b.example/", "excluded", WasLeftOut)
	r.Skip("http://a.example/x", "outOfScope", WasLeftOut)
	for name, want := range map[string]string{
		"seeds": `[code] [status] [seed] [redirect-uri]
200 CRAWLED http://a.example/
200 CRAWLED http://a.example/
`,
		"sites": `[#pages] [#requisites] [#bytes] [#hosts] [cut] [settled] [boundary] [keywords] [entry] ` +
			`[#context] [site]
0 0 0 0 0.000 false - - - 0 A
0 0 0 0 0.000 false - - - 0 B of two words
`,
		"skipped": `[#urls] [reason] [examples]
2 outOfScope http://b.example/ http://a.example/x
1 excluded http://b.example/
1 failed http://a.example/x
1 unread http://a.example/y
`,
	} {
		var got bytes.Buffer
		if err := r.Text(&got, name); err != nil || got.String() != want {
			t.Errorf("%s: %v, (-want +got):\n%s", name, err, cmp.Diff(want, got.String()))
		}
	}
	want := []*Host{
		{Host: "a.example", Fetched: Count{URLs: 1}, Novel: Count{URLs: 1}, Failed: 1},
		{Host: "b.example", Skipped: 1},
	}
	if d := cmp.Diff(want, r.Hosts()); d != "" {
		t.Errorf("hosts (-want +got):\n%s", d)
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := sample().JSON(&b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Harvest string
		Hosts   []struct {
			Host    string
			Fetched Count
		}
		Skipped []Reason
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Harvest != "gemo" || len(got.Hosts) != 3 || got.Hosts[0].Fetched.URLs != 4 ||
		len(got.Skipped) != 3 {
		t.Errorf("got %+v", got)
	}
}

// largest is a writer that knows its largest piece.
type largest struct {
	bytes.Buffer
	piece int
}

func (w *largest) Write(p []byte) (int, error) {
	w.piece = max(w.piece, len(p))
	return w.Buffer.Write(p)
}

// TestManyHosts: the hosts are written as any list is, and never held as one text.
func TestManyHosts(t *testing.T) {
	for _, n := range []int{0, 1, 2, 2000} {
		r := sample()
		r.hosts = nil
		for i := range n {
			r.Remain(page.Host(fmt.Sprintf("h%d.example", i)))
		}
		var got largest
		if err := r.JSON(&got); err != nil {
			t.Fatal(err)
		}
		want, err := json.MarshalIndent(
			Tables{r, listed(r.Hosts()), r.mimeTypes(), r.statuses(), listed(r.skipped())}, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want)+"\n", got.String()); d != "" {
			t.Errorf("%d hosts (-want +got):\n%s", n, d)
		}
		if got.piece > 64<<10 {
			t.Errorf("%d hosts: a piece of %d bytes", n, got.piece)
		}
	}
}

// TestDamagedBefore: earlier versions of the program told damaged files by their names alone.
func TestDamagedBefore(t *testing.T) {
	var e Ending
	err := json.Unmarshal([]byte(`{"damaged": ["a.warc.gz", {"file": "b", "cause": "c"}]}`), &e)
	if want := []Damaged{{"a.warc.gz", "the run could not read it whole"}, {"b", "c"}}; err != nil ||
		!slices.Equal(e.Damaged, want) {
		t.Errorf("%v, %+v", err, e.Damaged)
	}
}

// TestMerge: the reports of two parts make those of the whole.
func TestMerge(t *testing.T) {
	parts, whole := make([]*Report, 2), &Report{}
	for i, site := range []string{"a", "b"} {
		parts[i] = &Report{}
		for _, r := range []*Report{parts[i], whole} {
			u := page.URL("http://" + site + ".example/")
			r.AddSeed(site, u)
			r.Sites = append(r.Sites, &Site{Name: site, Pages: 1, Entry: u})
			r.Learn(&page.Visit{URL: u, Status: 200, Size: 10, MIME: "text/html"})
			r.Learn(&page.Visit{URL: "http://cdn.example/" + page.URL(site), Status: 200, Size: 5})
			r.Skip(u+"x", "outOfBoundary", WasLeftOut)
			r.Missing = append(r.Missing, Missing{URL: u, Status: 200, File: "w.warc.gz"})
		}
		parts[i].Ending = &Ending{Ended: Complete, Sum: Sum{Known: 3, Captured: 2, Outside: 1}}
	}
	whole.Ending = &Ending{Ended: Complete, Sum: Sum{Known: 6, Captured: 4, Outside: 2}}
	read := func() (list []*Tables) {
		for _, r := range parts {
			var text bytes.Buffer
			x := &Tables{}
			if err := r.JSON(&text); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text.Bytes(), x); err != nil {
				t.Fatal(err)
			}
			list = append(list, x)
		}
		return list
	}
	for _, name := range Names {
		var want, got bytes.Buffer
		if err := whole.Text(&want, name); err != nil {
			t.Fatal(err)
		}
		if err := Merge(read()).Text(&got, name); err != nil || got.String() != want.String() {
			t.Errorf("%s: %v, (-want +got):\n%s", name, err, cmp.Diff(want.String(), got.String()))
		}
	}
	parts[1].Sites[0].Pages, parts[1].Ending = 0, &Ending{
		Ended: Failed, Cause: "no page was captured", Losses: Losses{Seeds: 1},
	}
	if e := Merge(read()).Ending; e.Ended != WithLosses || e.Cause != "" || e.Losses.Seeds != 1 {
		t.Errorf("where a site of several has no page: %+v", e)
	}
	parts[0].Sites[0].Pages, parts[0].Ending = 0, parts[1].Ending
	if e := Merge(read()).Ending; e.Ended != Failed {
		t.Errorf("where no site has a page: %+v", e)
	}
	parts[0].Ending = nil
	if e := Merge(read()).Ending; e != nil {
		t.Errorf("while a part is under way: %+v", e)
	}
}

// TestLeft: the line of a place tells why it is told.
func TestLeft(t *testing.T) {
	for named, want := range map[int]string{
		0: "site s: of h/, which is below a seed, 1 known page is out. If it belongs: include: [\"\"]",
		1: "site s: of h/, which 1 page of the site names, and which leads back, 1 known page is out. " +
			"If it belongs: include: [\"\"]",
	} {
		if got := (Left{Site: "s", Name: "h/", Pages: 1, Named: named}).String(); got != want {
			t.Errorf("named by %d: %s", named, got)
		}
	}
}
