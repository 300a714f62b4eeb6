package sitemap

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"watershed/page"
)

// TestWaves: of a flat host of many tenants the waves fetch a part, of one of a single site all,
// and of one that turns out to have directories all as well.
func TestWaves(t *testing.T) {
	late := builder{t, testWeb{}}
	late.woven(400, 1, func(i int) string {
		if i > 200 {
			return fmt.Sprintf("http://homes.example/d%d/p%d", i%3, i)
		}
		return fmt.Sprintf("http://homes.example/p%d", i)
	})
	for _, c := range []struct {
		name        string
		web         testWeb
		seed        page.URL
		own         func(page.URL) bool
		options     Options
		least, most int // fetched
	}{
		{
			"tenants", tenantWeb(t, 30), "http://homes.example/t0-p0", belowAny("http://homes.example/t0-"),
			Options{},
			40, 400,
		},
		{
			"tenants, all at once", tenantWeb(t, 30), "http://homes.example/t0-p0",
			belowAny("http://homes.example/t0-"),
			Options{FlatSample: -1},
			1200, 1300,
		},
		{
			"tenants, in small waves", tenantWeb(t, 30), "http://homes.example/t0-p0",
			belowAny("http://homes.example/t0-"),
			Options{FlatSample: 60},
			40, 300,
		},
		{
			"tenants, no order of answers", tenantWeb(t, 30), "http://homes.example/t0-p0",
			belowAny("http://homes.example/t0-"),
			Options{Growth: -1},
			40, 600,
		},
		{
			"one site", tenantWeb(t, 1), "http://homes.example/t0-p0", belowAny("http://homes.example/"),
			Options{FlatSample: 16},
			40, 50,
		},
		{
			"directories that come late", late.w, "http://homes.example/p0",
			belowAny("http://homes.example/"),
			Options{FlatSample: 16, WardSample: -1},
			400, 410,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			sv, m := c.web.surveyed(t, Site{Name: "site", Seeds: []page.URL{c.seed}}, c.options)
			progress, _ := sv.Progress("site")
			if n := progress.Asked; n < c.least || n > c.most {
				t.Errorf("%d pages were fetched, want %d to %d", n, c.least, c.most)
			}
			if f1 := c.web.f1(m, c.own); f1 < .99 {
				t.Errorf("F1 %.3f", f1)
			}
			if !m.Converged {
				t.Error("not converged")
			}
		})
	}
}

// tenantWeb is a host of tenants of 40 pages, named after their tenants. Every tenth page cites the
// next tenant's entry page, and every page of the third wave of links another page of it.
func tenantWeb(t *testing.T, tenants int) testWeb {
	b := builder{t, testWeb{}}
	for k := range tenants {
		name := func(i int) string { return fmt.Sprintf("http://homes.example/t%d-p%d", k, i) }
		b.woven(40, uint64(k), name)
		for i := 0; i < 40 && tenants > 1; i += 10 {
			b.page(page.URL(name(i)), fmt.Sprintf("http://homes.example/t%d-p0", (k+1+i/10)%tenants))
		}
	}
	return b.w
}

// TestWavesOrder: with a negative Growth the order of answers does not change what is fetched in
// waves.
func TestWavesOrder(t *testing.T) {
	w := tenantWeb(t, 12)
	var want []string
	for seed := range uint64(6) {
		sv, err := NewSurvey([]Site{{Name: "s", Seeds: []page.URL{"http://homes.example/t0-p0"}}},
			Options{Growth: -1, FlatSample: 50})
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(seed, 4))
		var open []page.URL
		for {
			for _, x := range sv.Wants() {
				open = append(open, x.URL)
			}
			if len(open) == 0 {
				break
			}
			i := r.IntN(len(open))
			v := w[open[i]]
			if v == nil {
				v = &page.Visit{URL: open[i], Status: 404}
			}
			open = append(open[:i], open[i+1:]...)
			sv.Learn(v)
		}
		m, _ := sv.Map("s")
		got := members(m)
		if seed == 0 {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	}
	if len(want) != 40 {
		t.Errorf("%d pages", len(want))
	}
}
