package crawler

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"watershed/page"
	"watershed/store"
)

// drawAll draws pages as places asks for it, one at a time, and tells how many of each directory.
func drawAll(s *places, brings func(page.URL) bool) map[string]int {
	n := map[string]int{}
	everywhere := func(page.URL) bool { return true }
	for s.due(everywhere) {
		u, p, ok := s.next(everywhere)
		if !ok {
			panic("due, and there is none")
		}
		n[string(u[:len("http://h.example/x")])]++
		p.drew(brings(u), nil)
		p.under--
	}
	return n
}

// TestPlaces: all pages of a directory are drawn as long as that brings something, some of another,
// and few of many directories that all bring nothing.
func TestPlaces(t *testing.T) {
	var s places
	for i := range 2 * sampleRate {
		s.add(page.URL(fmt.Sprintf("http://h.example/a/%d", i)), doubted, "")
		if i < 40 {
			s.add(page.URL(fmt.Sprintf("http://h.example/b/%d", i)), doubted, "")
		}
	}
	few := asksMore * doubted.few // those of the other directory make it likely
	got := drawAll(&s, func(u page.URL) bool { return u[len("http://h.example/")] == 'b' })
	if a, b := got["http://h.example/a"], got["http://h.example/b"]; a != few || b != 40 {
		t.Errorf("%d of one directory drawn, and %d of another, want %d and all 40", a, b, few)
	}
	s = places{}
	for i := range 26 {
		for k := range 10 {
			s.add(page.URL(fmt.Sprintf("http://h.example/%c/%d", 'a'+i, k)), doubted, "")
		}
	}
	sum := 0
	for _, n := range drawAll(&s, func(page.URL) bool { return false }) {
		sum += n
	}
	if sum != doubted.most {
		t.Errorf("%d pages drawn of directories that bring nothing, want %d", sum, doubted.most)
	}
}

// TestPlacesLater: a page that brings something has those drawn, too, that were left before it.
func TestPlacesLater(t *testing.T) {
	var s places
	for i := range 6 * sampleRate {
		s.add(page.URL(fmt.Sprintf("http://h.example/a/%d", i)), doubted, "")
	}
	n := 0
	got := drawAll(&s, func(page.URL) bool { n++; return n > doubted.few && n < 100 })
	if a, want := got["http://h.example/a"], 99+asksMore*doubted.few; a != want {
		t.Errorf("%d pages drawn, want %d", a, want)
	}
}

// TestPlacesWords: words that scripts add to each page alike bring something once.
func TestPlacesWords(t *testing.T) {
	var s places
	menu, own := map[uint64]bool{}, map[uint64]bool{}
	for i := range uint64(30) {
		menu[i], own[100+i] = true, true
	}
	u := page.URL("http://h.example/a/1")
	s.add(u, doubted, "")
	p := s.of(u, doubted, "")
	for i, c := range []struct {
		words map[uint64]bool
		added int
		vain  int
	}{{menu, 30, 0}, {menu, 0, 1}, {own, 30, 0}, {map[uint64]bool{7: true, 200: true}, 1, 1}} {
		if got := p.drew(false, c.words); got != c.added || p.vain != c.vain {
			t.Errorf("%d: %d words, %d in vain, want %d and %d", i, got, p.vain, c.added, c.vain)
		}
	}
}

// TestPlacesAgain: pages that are in a place once more, as they were asked for again, and are drawn by then,
// keep no others of it from being drawn.
func TestPlacesAgain(t *testing.T) {
	st, err := store.Open(store.Options{Dir: t.TempDir(), Harvest: "test", MinFreeBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close() //nolint:errcheck // nothing is read of it
	b := &browsing{commits: &commits{tools: &tools{Parts: Parts{Store: st, Number: 1}}}}
	for i := range 2 * moreVain {
		v := page.Visit{URL: page.URL(fmt.Sprintf("http://h.example/a/%d", i)), Drawing: page.Drawn}
		b.places.add(v.URL, doubted, "")
		if err := st.Update(func(tx *store.Tx) error {
			if err := tx.PutVisit(b.Number, &v); err != nil {
				return err
			}
			x := store.URL{URL: v.URL, State: store.Done, Visit: v.Seq}
			return tx.PutURL(b.Number, v.URL.Key(), &x, nil)
		}); err != nil {
			t.Fatal(err)
		}
	}
	b.places.list[0].gained = true
	for range 2 * moreVain {
		u, of, ok := b.places.next(func(page.URL) bool { return true })
		if !ok {
			t.Fatal("the place gives no more")
		}
		b.under = append(b.under, u)
		if err := b.page(t.Context(), nil, u, of); err != nil {
			t.Fatal(err)
		}
		b.done(u, of)
	}
}

// TestThin: of short pages of a directory that have the same scripts some are drawn, and all of those
// whose scripts fill them, by few words, too.
func TestThin(t *testing.T) {
	short := func(u string, scripts ...string) *page.Visit {
		v := &page.Visit{URL: page.URL("http://h.example/" + u), Drawing: page.DrawThin}
		for _, s := range scripts {
			u := page.URL("http://h.example/" + s)
			v.Links = append(v.Links, page.Link{URL: u, Context: "script/@src"})
		}
		return v
	}
	var d Doubts
	for i := range 50 {
		d.add(short(fmt.Sprintf("a/menu%d", i), "menu.js"))
		d.add(short(fmt.Sprintf("a/list%d", i), "list.js", "menu.js"))
	}
	d.places.add("http://h.example/a/doubted", doubted, "")
	if n := len(d.places.list); n != 3 {
		t.Errorf("%d places, want 3", n)
	}
	got, words := map[string]int{}, uint64(0)
	everywhere := func(page.URL) bool { return true }
	for {
		u, p, ok := d.places.next(everywhere)
		if !ok {
			break
		}
		name := strings.TrimRight(string(u[len("http://h.example/a/"):]), "0123456789")
		got[name]++
		added := map[uint64]bool{}
		for range map[string]int{"list": 8, "menu": 3, "doubted": 8}[name] {
			words++
			added[words] = true
		}
		p.drew(false, added)
		p.under--
	}
	if want := map[string]int{"menu": asksMore * thin.few, "list": 50, "doubted": 1}; !maps.Equal(got, want) {
		t.Errorf("drawn %v, want %v", got, want)
	}
}

// TestThinAsking: pages of few words whose script asks for data are drawn in more places, and more of
// each, before they are taken to be just short.
func TestThinAsking(t *testing.T) {
	const feed = page.URL("http://h.example/feed.js")
	var d Doubts
	for i := range 40 {
		for _, dir := range "abcdefghijklm" {
			d.add(&page.Visit{
				URL:     page.URL(fmt.Sprintf("http://h.example/%c/%d", dir, i)),
				Drawing: page.DrawThin, Links: []page.Link{{URL: feed, Context: "script/@src"}},
			})
		}
	}
	d.add(&page.Visit{URL: feed, MIME: "text/javascript", Status: 200, Drawing: page.DrawScripted})
	late := func(u page.URL) bool {
		return strings.Contains(string(u), "/c/") && !strings.HasSuffix(string(u), "/c/0")
	}
	got := drawAll(&d.places, late)
	if a, c := got["http://h.example/a"], got["http://h.example/c"]; a != asksMore*thin.few || c != 40 {
		t.Errorf("%d of one directory drawn, and %d of another, want %d and all 40", a, c, asksMore*thin.few)
	}
}

// TestScripted: pages that name a script which asks for data are drawn, whichever comes first, and no
// others; of a stranger's script nobody asks.
func TestScripted(t *testing.T) {
	visit := func(u, mime string, d page.Drawing, scripts ...string) *page.Visit {
		v := &page.Visit{URL: page.URL("http://h.example/" + u), MIME: mime, Status: 200, Drawing: d}
		for _, s := range scripts {
			v.Links = append(v.Links, page.Link{URL: page.URL(s), Kind: page.Embed, Context: "script/@src"})
		}
		return v
	}
	const menu, feed, away = "http://h.example/menu.js", "http://h.example/feed.js", "http://x.test/feed.js"
	html := func(u string, scripts ...string) *page.Visit {
		return visit(u, "text/html", page.DrawScripted, scripts...)
	}
	visits := []*page.Visit{
		html("before", menu, feed), html("menu", menu), html("away", away),
		visit("menu.js", "text/javascript", 0),
		visit("feed.js", "text/javascript", page.DrawScripted), html("after", feed, menu), html("none"),
		html("lost", "http://h.example/lost.js"), visit("lost.js", "text/html", 0),
	}
	for range len(visits) { // in any order that is a turn of this one
		visits = append(visits[1:], visits[0])
		var d Doubts
		for _, v := range visits {
			d.add(v)
		}
		got := map[page.URL]bool{}
		for _, p := range d.places.list {
			for _, u := range p.waiting {
				got[u] = true
			}
		}
		if len(got) != 2 || !got["http://h.example/before"] || !got["http://h.example/after"] {
			t.Errorf("to be drawn: %v", got)
		}
		if n := drawAll(&d.places, func(page.URL) bool { return false }); len(d.waiting) > 1 || len(n) == 0 {
			t.Errorf("%d scripts awaited, drawn %v", len(d.waiting), n)
		}
	}
}

// TestPlacesApart: pages of a directory that have scripts of their own are drawn as long as some of them
// bring something, and few of them where none does.
func TestPlacesApart(t *testing.T) {
	for _, c := range []struct{ each, want int }{{moreVain + 1, 60}, {60, doubted.most}} {
		var d Doubts
		for i := range 60 {
			own := page.URL(fmt.Sprintf("http://h.example/js/%d.js", i))
			d.add(&page.Visit{
				URL:     page.URL(fmt.Sprintf("http://h.example/a/%d", i)),
				Drawing: page.DrawDoubted, Links: []page.Link{{URL: own, Context: "script/@src"}},
			})
		}
		n := 0
		got := drawAll(&d.places, func(page.URL) bool { n++; return n%c.each == 0 })
		if a := got["http://h.example/a"]; a != c.want {
			t.Errorf("one of %d brings something: %d of 60 drawn, want %d", c.each, a, c.want)
		}
	}
}

// TestPlacesLikely: where most pages of a host bring something, more of those are drawn that have not.
func TestPlacesLikely(t *testing.T) {
	var s places
	for i := range 30 {
		s.add(page.URL(fmt.Sprintf("http://h.example/a/%d", i)), doubted, "a.js")
		s.add(page.URL(fmt.Sprintf("http://h.example/b/%d", i)), doubted, "b.js")
	}
	got := drawAll(&s, func(u page.URL) bool { return u[len("http://h.example/")] == 'a' })
	if a, b := got["http://h.example/a"], got["http://h.example/b"]; a != 30 || b != asksMore*doubted.few {
		t.Errorf("%d and %d drawn, want 30 and %d", a, b, asksMore*doubted.few)
	}
}

// TestDrawsXML: pictures with scripts and documents that a style sheet in XSLT shows are drawn
// where they are no part of a page. Nothing is read of what is no XML, or a part.
func TestDrawsXML(t *testing.T) {
	const sheet = `<?xml-stylesheet href="s" type="text/xsl"?>`
	const svg, script = `<svg xmlns="http://www.w3.org/2000/svg">`, `<script>1</script></svg>`
	for _, c := range []struct {
		mime, hops, body string
		d                Draws
		want             page.Drawing
	}{
		{"text/xml", "L", sheet + `<list/>`, DrawShells, page.DrawDoubted},
		{"application/tei+xml", "", sheet + `<TEI/>`, DrawShells, page.DrawDoubted},
		{"text/xml", "L", sheet + `<list/>`, DrawAll, page.ToBeDrawn},
		{"text/xml", "L", sheet + `<list/>`, DrawNone, page.NotDrawn},
		{"text/xml", "L", `<?xml-stylesheet href="s" type="text/css"?><list/>`, DrawAll, page.NotDrawn},
		{"text/xml", "L", sheet + `<urlset/>`, DrawAll, page.NotDrawn},
		{"text/xml", "L", sheet + `<rss/>`, DrawAll, page.NotDrawn},
		{"text/xml", "L", sheet + `<xsl:stylesheet/>`, DrawAll, page.NotDrawn},
		{"text/xml", "L", sheet + `<OAI-PMH/>`, DrawAll, page.NotDrawn},
		{"text/xml", "L", `<?xml-stylesheet href="s" type="TEXT/XSL"?><list/>`, DrawAll, page.ToBeDrawn},
		{"text/plain", "L", sheet + `<list/>`, DrawAll, page.NotDrawn},
		{"image/svg+xml", "L", svg + script, DrawShells, page.DrawDoubted},
		{"image/svg+xml", "LE", svg + script, DrawAll, page.NotDrawn},
		{"image/svg+xml", "L", svg + `</svg>`, DrawAll, page.NotDrawn},
	} {
		read := 0
		got := c.d.OfXML(c.mime, c.hops, func() []byte { read++; return []byte(c.body) })
		if wanted := strings.Contains(c.mime, "xml") && c.hops != "LE" && c.d != DrawNone; got != c.want ||
			read > 0 && !wanted {
			t.Errorf("%s by %q: %s: %d, want %d; read %d times", c.mime, c.hops, c.body, got, c.want, read)
		}
	}
}
