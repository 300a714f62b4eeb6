package demo

import "watershed/page"

// society is one site on one host. A page is named by its sitemap alone, another by its feed alone;
// its old host redirects to it, robots.txt too.
func (b *builder) society() {
	const www = "http://www.lantern.example/"
	b.host(host{name: "www.lantern.example", etag: true, dated: true, gzip: true, rules: rules{
		disallow: []string{"/committee/", "/*?print=", "/*.tmp$"}, allow: []string{"/committee/minutes.html"},
		sitemap: www + "sitemap.xml",
	}})
	b.host(host{name: "old.lantern.example", renamed: "www.lantern.example"})
	b.site("society", www)
	t := b.write(volume{
		site: "society", base: www, title: "The Magic Lantern Society", topic: lanterns(),
		style: b.dress(www),
		logo:  b.picture(www+"img/lantern.png", 32, 32),
		sections: []section{
			{"collection", "The collection", 10},
			{"journal", "Journal", 9},
			{"shows", "Shows", 6},
			{"makers", "Makers", 5},
		},
	})
	b.trees["society"] = t
	for _, d := range t.leaves[10:13] {
		d.charset = latin1
		d.paras = append(d.paras, "The Café Zürich in the Rue de l'Été showed it à la lumière oxhydrique.")
	}
	b.pictures(t.leaves[:4], www+"img/")
	t.home.need(asIcon, b.picture(www+"favicon.png", 16, 16))
	b.utsushi(t)
	b.news(t)
	b.forbidden(t)
	b.wheel(t)
	frame := b.compose(t, www+"shows/map.html", "Where the shows are", 1)
	t.parts[2].link(link{kind: page.Frame, to: frame, text: frame.title}, to(frame))

	hidden := b.compose(t, www+"collection/attic.html", "In the attic", 2)
	hidden.link(to(t.home))
	index := b.add(&document{url: www + "sitemap.xml", form: siteMap, site: "society", title: "Sitemap"})
	for _, d := range append(t.parts, t.leaves[0], hidden) {
		index.link(link{kind: page.Sitemap, to: d})
	}
}

// utsushi is a page in Shift_JIS.
func (b *builder) utsushi(t *tree) {
	d := b.compose(t, t.base+"journal/utsushi-e.html", "うつしえ", 0)
	d.charset = shiftJIS
	d.paras = []string{"うつしえは、えどじだいのガラスえをしょうじにうつすみせものである。フロとよばれるきのランタンをもってうごかした。"}
	d.link(to(t.home))
	t.parts[1].link(to(d))
}

// Drawn is a page that a script draws, of words that it asks for.
const Drawn page.URL = "http://www.lantern.example/shows/wheel.html"

// wheel is the page Drawn.
func (b *builder) wheel(t *tree) {
	d := b.file(string(Drawn), "text/html", []byte(`<!doctype html><title>The colour wheel</title>
<div id="app"></div><script src="wheel.js"></script>
`))
	d.site, d.title = t.site, "The colour wheel"
	d.need(asScript, b.file(string(t.base)+"shows/wheel.js", "text/javascript", []byte(
		`fetch('wheel' + '.txt').then(r => r.text()).then(text => {
  const p = document.createElement('p');
  p.textContent = text;
  document.getElementById('app').append(p);
});
`)))
	b.file(string(t.base)+"shows/wheel.txt", "text/plain", []byte(
		"A wheel of coloured glass was turned before the lens, and the river on the screen went from noon "+
			"to evening.\n"))
	t.parts[2].link(to(d))
}

// news is a feed; its second item is linked from nowhere else.
func (b *builder) news(t *tree) {
	items := []*document{
		t.leaves[0], b.compose(t, t.base+"journal/stop-press.html", "Stop press", 1),
		t.leaves[12],
	}
	items[1].link(to(t.parts[1]))
	f := b.add(&document{url: t.base + "feed.xml", form: feed, site: t.site, title: "News of the society"})
	for _, d := range items {
		f.link(to(d))
	}
	for _, d := range []*document{t.home, t.parts[1]} {
		d.link(link{kind: page.Feed, place: head, to: f, text: f.title})
	}
}

// forbidden are pages that robots.txt closes, and one in a closed directory that it opens.
func (b *builder) forbidden(t *tree) {
	for _, x := range []struct{ path, title string }{
		{"committee/accounts.html", "Accounts"},
		{"committee/minutes.html", "Minutes"},
		{"journal/cache.tmp", "Proof sheets"},
		{"journal/?print=1", "Journal, for printing"},
	} {
		d := b.compose(t, t.base+page.URL(x.path), x.title, 1)
		d.link(to(t.home))
		t.parts[1].link(to(d))
	}
}
