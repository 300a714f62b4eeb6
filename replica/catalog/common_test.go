package catalog

import (
	"fmt"
	"strings"
	"testing"

	"watershed/page"
	"watershed/replica/cluster"
	"watershed/replica/sketch"
)

const footer = " this notice stands in the footer of every page of the house and says nothing of what " +
	"is on it"

// house is pages of one host, with texts of their own and the footer; every one has a twin on
// another host without it.
func house(t testing.TB, n int) (list []*page.Visit) {
	for i := range n {
		words := strings.Join(strings.Fields(text(i))[:30], " ")
		list = append(list, visit(t, fmt.Sprintf("http://house.example/%d", i), words+footer),
			visit(t, fmt.Sprintf("http://twin.example/%d", i), words))
	}
	return list
}

// TestMainText: what many texts of a host have in common is listed, and left out of comparisons, of
// questions too; copies of one text make no template.
func TestMainText(t *testing.T) {
	for _, tt := range []struct {
		share float64
		pages int
		want  bool
	}{{0, 12, false}, {.2, 12, true}, {.2, 5, false}} {
		c, err := Open(t.TempDir(), Options{Memory: 8 << 20, MainText: tt.share})
		if err != nil {
			t.Fatal(err)
		}
		visits := house(t, tt.pages)
		for i := range 9 {
			visits = append(visits, visit(t, fmt.Sprintf("http://copies.example/%d", i), text(99)))
		}
		add(t, c, visits...)
		common, err := c.Common(t.Context(), 1000)
		if err != nil {
			t.Fatal(err)
		}
		if (len(common) > 0) != tt.want {
			t.Errorf("%+v: %d shingles of templates", tt, len(common))
		}
		for _, x := range common {
			if x.Host != "house.example" || x.Documents != tt.pages || x.Of != tt.pages || x.URL == "" {
				t.Errorf("%+v: %+v", tt, x)
			}
		}
		similar, err := c.Similar(t.Context(), "http://house.example/3", cluster.SimilarOptions{})
		if err != nil || len(similar) != 2 {
			t.Fatalf("%+v, %v", similar, err)
		}
		// 21 shingles of 41, or of 30 without those of the footer alone
		if r := similar[1].Resemblance.Value; (r > .6) != tt.want {
			t.Errorf("%+v: the twin of a page with a footer resembles it by %g", tt, r)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCommonShingles: a shingle of more documents than MaxDocuments is listed with a document that
// has it.
func TestCommonShingles(t *testing.T) {
	c, err := Open(t.TempDir(), Options{Memory: 8 << 20, Cluster: cluster.Options{MaxDocuments: 3}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	add(t, c, house(t, 6)...)
	common, err := c.Common(t.Context(), 1000)
	if err != nil || len(common) == 0 {
		t.Fatalf("%d, %v", len(common), err)
	}
	for _, x := range common {
		if x.Host != "" || x.Documents != 6 || !strings.HasPrefix(string(x.URL), "http://house.example/") {
			t.Errorf("%+v", x)
		}
	}
	if few, err := c.Common(t.Context(), 2); err != nil || len(few) != 2 {
		t.Errorf("%d, %v", len(few), err)
	}
}

// TestSettled: sketches are settled when a catalog is begun; what is not given is as the catalog
// has it.
func TestSettled(t *testing.T) {
	dir := t.TempDir()
	begin := Options{
		Memory: 8 << 20, Sketch: sketch.Options{Width: 5},
		Cluster: cluster.Options{Threshold: .7, MaxDocuments: 9},
	}
	for _, tt := range []struct {
		o    Options
		good bool
	}{
		{begin, true},
		{Options{}, true},
		{Options{Sketch: sketch.Options{Width: 6}}, false},
		{Options{Sketch: sketch.Options{Width: 5}, ReadOnly: true}, true},
	} {
		c, err := Open(dir, tt.o)
		if (err == nil) != tt.good {
			t.Errorf("%+v: %v", tt.o, err)
		}
		if err != nil {
			continue
		}
		if o := c.Options(); o.Sketch.Width != 5 || o.Cluster.Threshold != .7 || o.Cluster.MaxDocuments != 9 {
			t.Errorf("%+v has become %+v", tt.o, o)
		}
		if !tt.o.ReadOnly {
			add(t, c, visit(t, "http://a.example/", text(1)))
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
