package demo

import (
	"fmt"
	"strconv"
	"strings"

	"watershed/page"
)

// library asks to be read slowly, and closes its search.
func (b *builder) library() {
	const www = "http://catalogue.library.example/"
	b.host(host{name: "catalogue.library.example", dated: true, rules: rules{
		delay: "1", disallow: []string{"/search", "/*?sort=", "/*.pdf$"},
		allow: []string{"/search/help.html"},
	}})
	b.site("library", www)
	t := b.write(volume{
		site: "library", base: www, title: "The Cloister Library", topic: books(),
		sections: []section{{"rooms", "Reading rooms", 4}, {"finds", "Finds", 5}},
	})
	b.trees["library"] = t
	for _, x := range []struct{ path, title string }{
		{"search", "Search"},
		{"search/help.html", "How to search"},
		{"finds/?sort=year", "Finds by year"},
		{"finds/list.pdf", "List of finds"},
		{"finds/list.pdf.html", "About the list"},
	} {
		d := b.compose(t, www+page.URL(x.path), x.title, 1)
		d.link(to(t.home))
		t.home.link(to(d))
	}
}

// wanderer is a blog; every page of it has the blogroll.
func (b *builder) wanderer(roll []*document) {
	const www = "http://wanderer.blogs.example/"
	b.host(host{name: "wanderer.blogs.example", chunked: true})
	b.site("wanderer", www)
	t := b.write(volume{
		site: "wanderer", base: www, title: "The wanderer", topic: travel(),
		sections: []section{{"2023", "2023", 6}, {"2024", "2024", 8}},
	})
	for _, d := range t.pages() {
		for _, x := range roll {
			d.link(link{kind: page.Navigation, place: foot, to: x, text: x.title})
		}
	}
	b.trees["wanderer"] = t
}

// directory cites everybody: all home pages, some pages within, and what is gone.
func (b *builder) directory(homes, deep []*document) {
	const www = "http://links.directory.example/"
	b.host(host{name: "links.directory.example"})
	b.site("links", www)
	t := b.write(volume{
		site: "links", base: www, title: "The directory of good links", topic: travel(),
		sections: []section{
			{"science", "Science", 2}, {"leisure", "Leisure", 2}, {"old", "Older links", 0},
		},
	})
	for _, d := range homes {
		t.home.link(to(d))
	}
	for i, d := range deep {
		t.leaves[i%len(t.leaves)].link(to(d))
	}
	t.parts[2].link(
		away("The lantern society, at its old address", "http://old.lantern.example/"),
		away("Its collection", "http://old.lantern.example/collection/"),
		away("A short address", "http://go.example/handbook"),
		away("Another one", "http://go.example/loop"),
		away("A site that is no more", "http://www.vanished.example/"),
		away("A page that is no more", "http://www.atlas.example/sea/lost.html"),
		away("The router of the directory", "http://10.0.0.1/"),
	)
}

// redirects is a host of short addresses: a chain of five that arrives, a loop of two, one that
// leads to itself.
func (b *builder) redirects(handbook *document) {
	const short = "http://go.example/"
	b.host(host{name: "go.example"})
	next := handbook
	for i, status := range []int{308, 307, 303, 302, 301} {
		name := "step" + strconv.Itoa(5-i)
		if i == 4 {
			name = "handbook"
		}
		next = b.redirect(short+name, status, next)
	}
	a, c := b.redirect(short+"loop", 302, nil), b.redirect(short+"loop/again", 302, nil)
	self := b.redirect(short+"self", 301, nil)
	a.to, c.to, self.to = c, a, self
	home := b.add(&document{
		url: short, title: "Short addresses",
		paras: []string{"Long addresses made short."},
	})
	home.link(away("The handbook", short+"handbook"), away("Round and round", short+"loop"),
		away("Here", short+"self"))
}

// calendar has a page for every month there ever was or will be.
func (b *builder) calendar() {
	const www = "http://calendar.parish.example/"
	b.host(host{name: "calendar.parish.example", endless: month})
	b.site("parish", www)
	t := b.write(volume{
		site: "parish", base: www, title: "Parish of Saint Odo", topic: parish(),
		sections: []section{{"groups", "Groups", 3}},
	})
	t.home.link(away("What is on", www+"month?y=2026&m=1"), away("Rooms", www+"rooms/hall/"))
	b.trees["parish"] = t
}

// month makes the pages of the trap: each month links to the last and the next one, to its days,
// and each room to itself below itself.
func month(u page.URL) *document {
	if rest, ok := strings.CutPrefix(u.Path(), "/rooms/"); ok && strings.HasSuffix(rest, "/") {
		d := &document{url: u, title: "Room plan", paras: []string{"The room is free on most evenings."}}
		d.link(link{kind: page.Navigation, url: u + "hall/", text: "The hall"})
		return d
	}
	var y, m int
	if n, err := fmt.Sscanf(u.PathQuery(), "/month?y=%d&m=%d", &y, &m); n != 2 || err != nil || m < 1 ||
		m > 12 {
		return nil
	}
	at := func(y, m int) page.URL { return u.Root() + page.URL(fmt.Sprintf("month?y=%d&m=%d", y, m)) }
	if u != at(y, m) {
		return nil
	}
	d := &document{
		url: u, title: fmt.Sprintf("%d of %d", m, y),
		paras: []string{"Nothing is planned for this month yet."},
	}
	d.link(link{kind: page.Navigation, url: at(y+(m/12), m%12+1), text: "Next month"})
	d.link(link{kind: page.Navigation, url: at(y-((13-m)/12), (m+10)%12+1), text: "Last month"})
	return d
}

// tired answers nobody at first.
func (b *builder) tired() {
	const www = "http://tired.example/"
	b.host(host{name: "tired.example", refuses: 2, etag: true})
	b.site("tired", www)
	b.trees["tired"] = b.write(volume{
		site: "tired", base: www, title: "The tired server", topic: clocks(),
		sections: []section{{"naps", "Naps", 4}},
	})
}
