package judge

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"watershed/page"
	"watershed/sitemap"
)

// sharedHost is a host of tenants whose entry pages link to each other in a ring; every page links
// to entry page and neighbours of its own. With a border, the first tenant's entry is a page that
// nothing links back to.
func sharedHost(tenants, pages int, border bool) fstest.MapFS {
	var sites, links strings.Builder
	u := func(k, p int) string { return fmt.Sprintf("http://homes.example/t%d/p%02d.html", k, p) }
	for k := range tenants {
		if k == 0 && border {
			fmt.Fprintf(&sites, "http://homes.example/t0/entry\tt0\ttenant\n")
			fmt.Fprintf(&links, "http://homes.example/t0/entry\t%s\nhttp://homes.example/t0/entry\t%s\n",
				u(0, 0), u(0, 5))
		}
		for p := range pages {
			fmt.Fprintf(&sites, "%s\tt%d\ttenant\n", u(k, p), k)
			for _, q := range []int{0, (p + 1) % pages, (p + 3) % pages, (p * 7) % pages} {
				fmt.Fprintf(&links, "%s\t%s\n", u(k, p), u(k, q))
			}
		}
		fmt.Fprintf(&links, "%s\t%s\n", u(k, 1), u((k+1)%tenants, 0))
	}
	return fstest.MapFS{
		"sites.tsv": {Data: []byte(sites.String())},
		"links.tsv": {Data: []byte(links.String())},
	}
}

func TestFlatHost(t *testing.T) {
	for _, c := range []struct {
		name    string
		web     fstest.MapFS
		options sitemap.Options
		want    float64 // precision of the first tenant; all are found in any case
	}{
		{"tenants are told apart", sharedHost(8, 25, false), sitemap.Options{}, 1},
		{"an entry page that nothing links back to", sharedHost(8, 25, true), sitemap.Options{}, 1},
		{"a host of one site stays whole", sharedHost(1, 40, true), sitemap.Options{}, 1},
		{"never split", sharedHost(8, 25, false), sitemap.Options{Lean: -1}, 1. / 8},
		{"without clusters", sharedHost(8, 25, false), sitemap.Options{NoClusters: true}, 1. / 8},
		{"too large to be clustered", sharedHost(8, 25, false), sitemap.Options{ClusterPages: 50}, 1. / 8},
	} {
		for _, spelling := range []Spelling{Flat, Hashed} {
			t.Run(c.name+", "+spelling.String(), func(t *testing.T) {
				truth, err := readTruth(c.web)
				if err != nil {
					t.Fatal(err)
				}
				e := &Evaluation{Truth: truth.Respell(spelling), Options: c.options}
				s := truth.Sites()[0]
				sv, fetched, err := e.Survey(s)
				if err != nil {
					t.Fatal(err)
				}
				sc := e.Score(Method{"", func(*Evaluation, TruthSite) ([]int32, []int32) {
					return e.members(sv, s.Name), e.vertices(fetched)
				}}, s)
				if sc.Recall != 1 || sc.Precision-c.want > 1e-9 || c.want-sc.Precision > 1e-9 {
					t.Errorf("precision %.3f, recall %.3f, want precision %.3f", sc.Precision,
						sc.Recall, c.want)
				}
				m, _ := sv.Map(s.Name)
				if !m.Converged || m.Certificate.Flow != m.Certificate.Value {
					t.Errorf("converged %v, certificate %+v", m.Converged, m.Certificate)
				}
			})
		}
	}
}

// TestFlatOrder: the order of answers does not change how a flat host is split.
func TestFlatOrder(t *testing.T) {
	truth, err := readTruth(sharedHost(5, 20, true))
	if err != nil {
		t.Fatal(err)
	}
	truth = truth.Respell(Hashed)
	var want []page.URL
	for seed := range uint64(8) {
		sv, err := sitemap.NewSurvey([]sitemap.Site{{
			Name:  "s",
			Seeds: []page.URL{truth.Entry(truth.Sites()[0])},
		}}, sitemap.Options{Growth: -1})
		if err != nil {
			t.Fatal(err)
		}
		answerAll(truth, sv, rand.New(rand.NewPCG(seed, 1)).IntN)
		got := found(sv, "s")
		if seed == 0 {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// TestDirectoriesDecide: where URLs say something, no cluster does. Wards, which would, are off.
func TestDirectoriesDecide(t *testing.T) {
	truth, err := readTruth(sharedHost(8, 25, false))
	if err != nil {
		t.Fatal(err)
	}
	root := page.URL("http://homes.example/")
	sv, err := sitemap.NewSurvey([]sitemap.Site{{
		Name:  "all",
		Seeds: []page.URL{root, truth.Entry(truth.Sites()[0])},
	}}, sitemap.Options{WardSample: -1})
	if err != nil {
		t.Fatal(err)
	}
	visit := page.Visit{
		URL: root, Status: 200,
		Links: []page.Link{{URL: truth.Entry(truth.Sites()[0]), Kind: page.Navigation}},
	}
	for {
		wants := sv.Wants()
		if len(wants) == 0 {
			break
		}
		for _, w := range wants {
			if w.URL == root {
				sv.Learn(&visit)
			} else {
				sv.Learn(truth.visitOf(w.URL))
			}
		}
	}
	if got := found(sv, "all"); len(got) != 201 {
		t.Errorf("%d pages of a host whose directories say what is whose", len(got))
	}
}
