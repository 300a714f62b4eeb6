package demo

import "watershed/page"

// institute is one site on three hosts: the pages of each link deep into the others, and are linked
// back to. The third host is named otherwise, and has pages of strangers beside.
func (b *builder) institute() {
	const (
		www   = "http://www.gemo.example/"
		docs  = "http://docs.gemo.example/"
		osage = "http://osage.example/"
	)
	b.host(host{
		name: "www.gemo.example", etag: true, dated: true,
		rules: rules{disallow: []string{"/intranet/"}},
	})
	b.host(host{name: "docs.gemo.example", gzip: true, etag: true})
	b.host(host{name: "osage.example", dated: true})
	b.site("gemo", www).hosts = []page.Host{"www.gemo.example", "docs.gemo.example", "osage.example"}

	logo := b.picture(www+"img/logo.png", 48, 16)
	dress := b.dress(www)
	front := b.write(volume{
		site: "gemo", base: www, title: "Gemo, databases and the Web", topic: databases(),
		style: dress, logo: logo, sections: []section{
			{"people", "People", 5},
			{"projects", "Projects", 7},
			{"publications", "Publications", 8},
			{"news", "News", 4},
		},
	})
	manual := b.write(volume{
		site: "gemo", base: docs, title: "Gemo manuals", topic: manuals(), style: dress,
		logo: logo, sections: []section{
			{"guide", "User guide", 9}, {"reference", "Reference", 8}, {"install", "Installation", 4},
		},
	})
	verso := b.write(volume{
		site: "gemo", base: osage + "verso/", title: "Verso, the group before Gemo",
		topic: databases(), logo: logo, sections: []section{
			{"software", "Software", 6}, {"history", "History", 5}, {"seminars", "Seminars", 4},
		},
	})
	trees := []*tree{front, manual, verso}
	for _, from := range trees {
		for _, other := range trees {
			if from != other {
				from.home.link(to(other.home))
				b.cross(from.leaves, other.leaves, 2)
				b.cross(from.parts, other.parts, 1)
			}
		}
	}
	for _, d := range front.pages() {
		d.need(asScript, b.script())
	}
	b.pictures(front.leaves[5:9], www+"img/")
	b.instituteOddities(front, www)

	machine := b.write(volume{
		base: osage, title: "Machines of the computing centre", topic: manuals(),
		sections: []section{{"printers", "Printers", 4}},
	})
	machine.home.link(link{kind: page.Navigation, to: verso.home, text: "Verso group"})
}

// pictures gives each page a picture in two sizes.
func (b *builder) pictures(pages []*document, base string) {
	for _, d := range pages {
		name := base + slug(d.title)
		small, large := b.picture(name+"-320.png", 32, 20), b.picture(name+"-640.png", 64, 40)
		d.needs = append(d.needs, need{as: asImage, to: small, more: large})
	}
}

// instituteOddities are what real sites have besides their pages.
func (b *builder) instituteOddities(front *tree, www string) {
	text := []byte(capital(front.topic.sentence(random(b.seed, "report"))) +
		"\nThe report is the same under both of its addresses.\n")
	report := b.file(www+"publications/report-2024.txt", "text/plain; charset=utf-8", text)
	copied := b.file(www+"download/report-2024.txt", "text/plain; charset=utf-8", text)
	report.site, copied.site = "gemo", "gemo"
	publications, news := front.parts[2], front.parts[3]
	publications.link(to(report), link{
		kind: page.Navigation, to: copied,
		text: "The same report, for download",
	})

	door := b.compose(front, page.URL(www+"intranet/login.html"), "Members only", 1)
	front.home.link(link{kind: page.Navigation, place: foot, to: door, text: "Members", rel: "nofollow"})
	guest := b.compose(front, page.URL(www+"guestbook.html"), "Guest book", 1)
	guest.noFollow = true
	guest.link(to(front.home))
	news.link(link{kind: page.Navigation, to: guest, text: "Guest book", rel: "nofollow"})
	news.link(away("Printer of the second floor", "http://10.0.0.1/"))
	news.link(away("An announcement that was taken down", www+"news/taken-down.html"))
	old := b.redirect(www+"verso.html", 301, front.parts[1])
	old.site = "gemo"
	news.link(link{kind: page.Navigation, to: old, text: "The former page of the group"})
}
