package harvest

import (
	"fmt"
	"strings"
	"testing"

	"watershed/harvest/decision"
	"watershed/sitemap"
)

// Of a harvest of many sites only those are told that know the URL, or for which something was
// decided.
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
	got := text()
	for _, want := range []string{
		"site S3: in\n", "site S4: out\n", "site S5: wider\n", "site S6: nothing\n",
		"\n26 other sites: no page of theirs links to it",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "site S"); n != 4 {
		t.Errorf("%d sites are told of, want 4:\n%s", n, got)
	}
}
