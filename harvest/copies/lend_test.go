package copies

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"watershed/page"
	"watershed/replica"
	"watershed/sitemap"
	"watershed/store"
)

// TestSpellings: addresses of a copy are written as its pages write them, from the second one on that
// is seen so; pictures as pictures are.
func TestSpellings(t *testing.T) {
	e := replica.Entry{From: "m.example", To: "www.example"}
	visit := func(u page.URL, kind page.LinkKind, to ...page.URL) *page.Visit {
		v := &page.Visit{URL: u}
		for _, l := range to {
			v.Links = append(v.Links, page.Link{URL: l, Kind: kind})
		}
		return v
	}
	x := spellings{}
	learn := func(kind page.LinkKind, own, theirs page.URL) bool {
		return x.learn(&e, visit("http://m.example/", kind, own), visit("http://www.example/", kind, theirs))
	}
	want := func(plain page.URL, part bool, list ...page.URL) {
		t.Helper()
		if got := x.of(plain, part); !slices.Equal(got, list) {
			t.Errorf("%s is written %q, not %q", plain, got, list)
		}
	}
	learn(page.Navigation, "https://m.example/a?s=1", "http://www.example/a")
	learn(page.Navigation, "http://m.example/calendar?month=1", "http://www.example/calendar")
	want("http://m.example/b", false, "http://m.example/b")
	if learn(page.Navigation, "https://m.example/a?s=1", "http://www.example/a") {
		t.Error("a single address tells")
	}
	if !learn(page.Navigation, "https://m.example/b?s=1", "http://www.example/b") {
		t.Error("two addresses tell nothing")
	}
	want("http://m.example/c", false, "https://m.example/c?s=1")
	want("http://m.example/c?q=2", false, "http://m.example/c?q=2")
	want("https://m.example/c", false, "https://m.example/c")
	want("http://m.example/c.png", true, "http://m.example/c.png")
	learn(page.Navigation, "http://m.example/d", "http://www.example/d")
	learn(page.Navigation, "http://m.example/e", "http://www.example/e")
	want("http://m.example/c", false, "http://m.example/c", "https://m.example/c?s=1")
}

// TestComputed: without a crawl no page is known to be taken in by links.
func TestComputed(t *testing.T) {
	r := Room{samples: samples{stands: stands{owners: ownersOf([]sitemap.Site{{Boundary: sitemap.Logical}})}}}
	u := store.URL{URL: "http://a.example/x"}
	if r.owners.computed(&u) {
		t.Error("known before the crawl")
	}
	if r.Use(nil, func(page.URL) bool { return true }); !r.owners.computed(&u) {
		t.Error("not known in the crawl")
	}
}

// TestBetween: links of a stand are lent below the directories from which on it has the path of the page
// for which it stands.
func TestBetween(t *testing.T) {
	for _, c := range []struct {
		name         string
		u, twin      page.URL
		from, to     string
		link, copied page.URL
	}{
		{
			"m.example", "https://m.example/a", "https://o.example/a", "m.example", "o.example",
			"https://o.example/x", "https://m.example/x",
		},
		{
			"http://m.example/d/", "http://m.example/d/a", "http://o.example/e/a", "http://m.example/d/",
			"http://o.example/e/", "http://o.example/e/x", "http://m.example/d/x",
		},
		{
			"m.example", "http://m.example/print/a", "http://o.example/d/a", "http://m.example/print/",
			"http://o.example/d/", "http://o.example/d/x", "http://m.example/print/x",
		},
		{
			"", "http://m.example/d/a", "http://o.example/d/a", "http://m.example/", "http://o.example/",
			"http://o.example/x", "http://m.example/x",
		},
		{
			"", "http://o.example/v1/d/a", "http://o.example/v2/d/a", "http://o.example/v1/",
			"http://o.example/v2/", "http://o.example/v2/x", "http://o.example/v1/x",
		},
		{
			"", "http://m.example/a", "http://o.example/b", "http://m.example/a", "http://o.example/b",
			"http://o.example/x", "",
		},
	} {
		e := replica.Between(c.name, c.u, c.twin)
		if got, _ := e.Twin(c.link); e.From != c.from || e.To != c.to || got != c.copied {
			t.Errorf("%s: %s = %s, and %s for %s", c.u, e.From, e.To, got, c.link)
		}
	}
}

// TestBelow: a boundary that is computed, or drawn by prefix, takes in what lies below a seed, by either
// scheme, but for directories that lie apart.
func TestBelow(t *testing.T) {
	site := sitemap.Site{
		Boundary: sitemap.Logical, Seeds: []page.URL{"http://m.example/d/", "https://m.example/kim"},
		Apart: []page.URL{"http://m.example/d/print/"},
	}
	for u, want := range map[page.URL]bool{
		"http://m.example/d/1":        true,
		"https://m.example/d/e/1":     true,
		"http://m.example/kim/1":      true,
		"http://m.example/e/1":        false,
		"http://n.example/d/1":        false,
		"https://m.example/d/print/1": false,
	} {
		if got := below(&site, u); got != want {
			t.Errorf("%s: %v", u, got)
		}
	}
}

// TestOwnLinks: a page of a copy that the run has, by a scheme by which nobody has its twin, lends what it
// leads to itself, where that lies in its site as the like lies in the original's.
func TestOwnLinks(t *testing.T) {
	const copied = page.URL("https://c.example/new/")
	table := new(replica.Table)
	err := table.Put(replica.Entry{
		From: "c.example", To: "a.example", State: replica.Confirmed, Found: time.Unix(2, 0),
		Decided: time.Unix(2, 0), By: "rule",
	})
	if err != nil {
		t.Fatal(err)
	}
	r := roomOf(t, table)
	r.owners = ownersOf([]sitemap.Site{
		{Name: "A", Boundary: sitemap.Logical, Seeds: []page.URL{"http://a.example/d/"}},
		{Name: "C", Boundary: sitemap.Logical, Seeds: []page.URL{"http://c.example/d/"}},
	})
	r.Use(nil, func(u page.URL) bool { return u.Host() == "a.example" && u != "http://a.example/far" })
	link := func(u page.URL) page.Link { return page.Link{URL: u, Kind: page.Navigation} }
	v := page.Visit{URL: copied, Status: 200, MIME: "text/html", Links: []page.Link{
		link(copied + "x"), link("https://c.example/far"), link(copied + "unknown"),
		link("https://b.example/"),
	}}
	u := store.URL{URL: copied, State: store.Done, Visit: 1, Site: 1, Status: 200}
	err = r.st.Update(func(tx *store.Tx) error {
		err := cmp.Or(tx.PutVisit(1, &v), tx.PutURL(1, copied.Key(), &u, nil))
		for _, known := range []page.URL{"http://a.example/new/x", "http://a.example/far"} {
			x := store.URL{URL: known, State: store.Done, Visit: 1, Status: 200}
			err = cmp.Or(err, tx.PutURL(1, known.Key(), &x, nil))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var got round
	by, _ := r.of(copied)
	err = r.st.View(func(tx *store.Tx) error { return r.lend(tx, &got, &u, nil, &by) })
	if err != nil || len(got.wants) != 1 || got.wants[0].URL != copied+"x" {
		t.Errorf("%+v; %v", got.wants, err)
	}
}

// TestLeftOut: a run that came to a page neither way does not hide that the one before left it out.
func TestLeftOut(t *testing.T) {
	const u = page.URL("http://a.example/")
	done := store.URL{URL: u, State: store.Done, Status: 200}
	out := store.URL{URL: u, State: store.Skipped, Reason: store.Mirror}
	limited := store.URL{URL: u, State: store.Skipped, Reason: store.LimitPages}
	for _, c := range []struct {
		name string
		runs []store.URL // from the first on
		want bool
	}{
		{"by the run before", []store.URL{done, out}, true},
		{"before a limit ended two runs", []store.URL{out, limited, limited}, true},
		{"before a run that had no link there", []store.URL{out, {}}, true},
		{"fetched since", []store.URL{out, done, limited}, false},
		{"never", []store.URL{limited}, false},
	} {
		r := roomOf(t, new(replica.Table), u)
		r.run = store.Run(1 + len(c.runs))
		err := r.st.Update(func(tx *store.Tx) (err error) {
			for i, x := range c.runs {
				if x.URL != "" && err == nil {
					err = tx.PutURL(store.Run(1+i), u.Key(), &x, nil)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		err = r.st.View(func(tx *store.Tx) error {
			got, err := r.leftOut(tx, u)
			if got != c.want {
				t.Errorf("left out %s: %t, want %t", c.name, got, c.want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
