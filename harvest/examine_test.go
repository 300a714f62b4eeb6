package harvest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"watershed/frontier"
	"watershed/harvest/decision"
	"watershed/page"
	"watershed/sitemap"
	"watershed/store"
)

// Of a harvest of many sites only those are told that know the URL, below a seed of which it lies, or
// for which something was decided.
func TestExplanationOfManySites(t *testing.T) {
	x := &Explanation{URL: "http://a.example/x"}
	for i := range 30 {
		x.Sites = append(x.Sites, SiteExplanation{
			Site:        fmt.Sprintf("S%d", i),
			Explanation: sitemap.Explanation{Reason: "unknown"}, Text: "nothing",
		})
	}
	text := func() string {
		t.Helper()
		var b strings.Builder
		if err := x.Text(&b); err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(b.String(), "\nfetching")
		return first
	}
	if got, want := text(),
		"http://a.example/x is outside all 30 sites: no page of theirs links to it"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	x.Sites[3].Explanation, x.Sites[3].Text = sitemap.Explanation{Inside: true}, "in"
	x.Sites[4].Explanation, x.Sites[4].Text = sitemap.Explanation{Reason: "outOfBoundary"}, "out"
	x.Sites[5].Since, x.Sites[5].Text = .1, "wider"
	x.Sites[6].Decisions = []decision.Decision{{}}
	x.Sites[7].Below, x.Sites[7].Text = "http://a.example/", "below"
	got := text()
	for _, want := range []string{
		"site S3: in\n", "site S4: out\n", "site S5: wider\n", "site S6: nothing\n",
		"site S7: below\n", "\n25 other sites: no page of theirs links to it",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "site S"); n != 5 {
		t.Errorf("%d sites are told of, want 5:\n%s", n, got)
	}
}

// TestExplainTellsAnswers: explain tells where a redirect leads, also where that is nowhere, and calls
// failed what the sum of the run calls so.
func TestExplainTellsAnswers(t *testing.T) {
	w := &web{pages: map[string]string{
		"a.example/":    links("/ftp", "/on", "/600", "/503", "/ok"),
		"a.example/ftp": "-> ftp://files.example/x", "a.example/on": "-> /ok", "a.example/ok": "text",
		"a.example/600": "600", "a.example/503": "503",
	}}
	p := w.start(t, sitemap.Site{
		Name: "A", Seeds: []page.URL{"http://a.example/"}, Boundary: sitemap.HostOnly,
	})
	folder := Folder(t.TempDir())
	if d := run(t, folder, p); d.Ending.Sum.Failed != 2 {
		t.Errorf("failed: %+v", d.Ending.Sum)
	}
	for u, want := range map[page.URL]string{
		"http://a.example/ftp": `its redirect leads to "ftp://files.example/x", which is no address of`,
		"http://a.example/on":  "its server redirects it to http://a.example/ok\n",
		"http://a.example/600": "fetching: failed, status 600", "http://a.example/503": "fetching: failed, ",
		"http://a.example/ok": "fetching: done, status 200",
	} {
		x := explainedIn(t, folder, p, u)
		var b strings.Builder
		if err := x.Text(&b); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v; no %q in\n%s", u, err, want, b.String())
		}
	}
}

// explainedIn explains a URL by the last run in a folder.
func explainedIn(t *testing.T, folder Folder, p Plan, u page.URL) *Explanation {
	t.Helper()
	e, err := Examine(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.Explain(u, 0)
	if err = errors.Join(err, e.Close()); err != nil {
		t.Fatal(err)
	}
	return x
}

// TestHostTold: it is told how long a host rests that failed, where that is longer than its delay, and for
// which schemes it was given up.
func TestHostTold(t *testing.T) {
	const host = "host a.example: 3 URLs wait, 2s or more between requests"
	dead := store.Origin{GivenUp: true}
	for _, c := range []struct {
		rests   time.Duration
		origins [2]store.Origin
		want    string
	}{
		{58 * time.Second, [2]store.Origin{}, ": it rests for 58s more\n"},
		{time.Second, [2]store.Origin{}, "\n"},
		{0, [2]store.Origin{store.HTTPS: dead}, ": given up for https\n"},
		{0, [2]store.Origin{dead, dead}, ": given up for http and https\n"},
	} {
		var b strings.Builder
		hostLineOf(&frontier.HostInfo{
			Host:    store.Host{Name: "a.example", Origins: c.origins},
			Pending: 3, Gap: 2 * time.Second, Rests: c.rests,
		}).text(&b)
		if b.String() != host+c.want {
			t.Errorf("%q, want %q", b.String(), host+c.want)
		}
	}
}

// TestPendingTold: what may keep a URL waiting is told where it may, and not elsewhere.
func TestPendingTold(t *testing.T) {
	for _, c := range []struct {
		most, bytes int64
		rests       float64
		want        string
	}{
		{0, 1000, 0, ""},
		{1000, 999, 0, ""},
		{1000, 1000, 0, ", where limits.bytes ended it once that is raised"},
		{1000, 0, 58, "; its host is asked again in 58s"},
	} {
		v := &view{rulings: &rulings{ground: &ground{}}}
		v.plan.Frontier.Limits.Bytes = c.most
		x := &Explanation{Fetching: &Fetching{State: "pending"}, Host: &HostLine{Rests: c.rests}}
		if v.waits(x, c.bytes); x.Advice != c.want {
			t.Errorf("%+v: %q", c, x.Advice)
		}
	}
}
