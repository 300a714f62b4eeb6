package sitemap

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"watershed/graph"
	"watershed/page"
)

// twoSpellings is a site of n pages that is served twice on its host, below base and below copy:
// pages of either link to their neighbours of the same, and every tenth of base to its like in
// copy, as nobody minds the case of what he types.
func twoSpellings(n int, base, copy string) testWeb {
	w := testWeb{}
	for _, dir := range []string{base, copy} {
		for i := range n {
			u := page.URL(fmt.Sprintf("%sp%d.html", dir, i))
			v := copied(u, i)
			for _, to := range []int{i/2 - 1, 2*i + 1, 2*i + 2, (i + 1) % n} {
				if to >= 0 && to < n {
					v.Links = append(v.Links, page.Link{
						Kind: page.Navigation,
						URL:  page.URL(fmt.Sprintf("%sp%d.html", dir, to)),
					})
				}
			}
			if dir == base && i%10 == 0 {
				v.Links = append(v.Links, page.Link{
					Kind: page.Navigation,
					URL:  page.URL(fmt.Sprintf("%sp%d.html", copy, i)),
				})
			}
			w[u] = v
		}
	}
	return w
}

// copied is a visit whose payload is that of all with the same number.
func copied(u page.URL, payload int) *page.Visit {
	return &page.Visit{
		URL: u, Status: 200, MIME: "text/html", Size: 2000,
		Digest: page.SumDigest([]byte(fmt.Sprint("payload ", payload))),
	}
}

func countBelow(m *Map, dir string) (n int) {
	for _, x := range m.Members.All() {
		if strings.HasPrefix(string(x.URL), dir) {
			n++
		}
	}
	return n
}

// TestCollapseFindsTheOtherCase is the shape that was measured on the web of a college: a site
// whose URLs are served in two spellings, of which the cut alone finds one.
func TestCollapseFindsTheOtherCase(t *testing.T) {
	const base, other = "http://college.example/registrar/", "http://college.example/Registrar/"
	w := twoSpellings(440, base, other)
	_, m := twoSpellings(440, base, "http://college.example/office/").surveyed(t,
		Site{Name: "one", Seeds: []page.URL{base + "p0.html"}}, Options{})
	if a, b := countBelow(m, base), countBelow(m, "http://college.example/office/"); a != 440 || b > 40 {
		t.Errorf("copies below another name: %d and %d pages belong, want 440 and hardly any", a, b)
	}
	_, m = w.surveyed(t, Site{Name: "one", Seeds: []page.URL{base + "p0.html"}}, Options{})
	if a, b := countBelow(m, base), countBelow(m, other); a != 440 || b != 440 {
		t.Errorf("in another case: %d and %d pages belong, want 440 each", a, b)
	}
	if !m.Converged {
		t.Error("the survey has not come to an end")
	}
	_, back := w.surveyed(t, Site{Name: "one", Seeds: []page.URL{other + "p0.html"}}, Options{})
	if a, b := countBelow(back, base), countBelow(back, other); a != 440 || b != 440 {
		t.Errorf("from the case to which nothing links: %d and %d pages belong, want 440 each", a, b)
	}
	u := page.URL(other + "p7.html")
	e := m.Explain(u)
	if !e.Inside || e.Why != WhyCopy || e.Note != "same as "+base+"p7.html" {
		t.Errorf("%+v, want a copy", e)
	}
	if e.Block == nil || e.Block.Inside != 440 || e.Block.Copied != 1 ||
		!strings.Contains(e.Block.Why, "copies") {
		t.Errorf("block %+v, want 440 copies", e.Block)
	}
}

// TestCollapseOnTwoServers has the same site with forms on a second server, in either case there,
// too, to which the pages in lower case alone lead, and given in the other one.
func TestCollapseOnTwoServers(t *testing.T) {
	w := twoSpellings(440, "http://college.example/registrar/", "http://college.example/Registrar/")
	forms := twoSpellings(200, "http://forms.example/registrar/", "http://forms.example/Registrar/")
	link := func(from testWeb, u, to page.URL) {
		from[u].Links = append(from[u].Links, page.Link{Kind: page.Navigation, URL: to})
	}
	for i := range 200 {
		ours := page.URL(fmt.Sprintf("http://college.example/registrar/p%d.html", i))
		theirs := page.URL(fmt.Sprintf("http://forms.example/registrar/p%d.html", i))
		link(w, ours, theirs)
		link(forms, theirs, ours)
	}
	maps.Copy(w, forms)
	_, m := w.surveyed(t, Site{Name: "one", Seeds: []page.URL{"http://college.example/Registrar/p0.html"}},
		Options{})
	for host, want := range map[string]int{"http://college.example/": 880, "http://forms.example/": 400} {
		if n := countBelow(m, host); n < want*95/100 {
			t.Errorf("%s: %d pages belong of %d", host, n, want)
		}
	}
}

// TestCollapseLeavesMirrorsOutside has the same copy on a host of its own, which says more of
// itself and links to the site.
func TestCollapseLeavesMirrorsOutside(t *testing.T) {
	const base, other = "http://college.example/registrar/", "http://mirror.example/registrar/"
	w := twoSpellings(60, base, other)
	for i := range 30 {
		u := page.URL(fmt.Sprintf("http://mirror.example/about/p%d.html", i))
		v := copied(u, 1000+i)
		v.Links = []page.Link{{Kind: page.Navigation, URL: page.URL(fmt.Sprintf("%sp%d.html", other, i))}}
		w[u] = v
		mirrored := w[page.URL(fmt.Sprintf("%sp%d.html", other, i))]
		mirrored.Links = append(mirrored.Links, page.Link{Kind: page.Navigation, URL: u})
	}
	_, m := w.surveyed(t, Site{Name: "one", Seeds: []page.URL{base + "p0.html"}}, Options{})
	if n := countBelow(m, "http://mirror.example/"); n > 0 {
		t.Errorf("%d pages of the mirror belong", n)
	}
}

func TestPayloadsThatAreNoCopies(t *testing.T) {
	const a, c page.URL = "http://h.example/a", "http://h.example/A"
	for name, x := range map[string]struct {
		other  page.URL
		change func(v *page.Visit)
		same   bool
	}{
		"other case":      {"http://h.example/A", func(*page.Visit) {}, true},
		"other encoding":  {"http://h.example/%61", func(*page.Visit) {}, true},
		"another name":    {"http://h.example/b", func(*page.Visit) {}, false},
		"another payload": {c, func(v *page.Visit) { v.Digest = page.SumDigest([]byte(v.URL)) }, false},
		"an image":        {c, func(v *page.Visit) { v.MIME = "image/png" }, false},
		"cut off":         {c, func(v *page.Visit) { v.Truncated = page.CutLength }, false},
		"soft error":      {c, func(v *page.Visit) { v.SoftError = true }, false},
		"empty":           {c, func(v *page.Visit) { v.Digest = page.EmptyDigest }, false},
		"of another host": {"http://i.example/a", func(*page.Visit) {}, false},
	} {
		w := &web{payloads: newPayloads()}
		var ids []graph.ID
		for _, u := range []page.URL{a, x.other} {
			v := copied(u, 0)
			x.change(v)
			id, _ := w.learn(v)
			ids = append(ids, id)
		}
		one, ok := w.payloads.class[ids[0]]
		two := w.payloads.class[ids[1]]
		if same := ok && one == two; same != x.same {
			t.Errorf("%s: copies is %v, want %v", name, same, x.same)
		}
	}
}
