package copyweb

import (
	"fmt"
	"html"
	"net/http"
	"path"
	"slices"
	"strings"
)

// These attacks leave the words of pages as they are, and change what they lead to.

// pages gives the paths of a host's pages, without that which stands for all.
func (t tree) pages() []string {
	return slices.DeleteFunc(t.paths(""), func(at string) bool { return at == "*" })
}

// ownFiles has pages of a copy come to lead to files that the original lacks, or show them.
func ownFiles(f *Family) func(int) {
	ext := []string{".pdf", ".zip", ".txt", ".png", ".gif"}[f.r.IntN(5)]
	each, shown, beside := f.r.IntN(3) > 0, ext == ".gif" || f.r.IntN(4) == 0, f.r.IntN(2) == 0
	return onceAt(f, 0, func(epoch int, t tree, host string) {
		pages := t.pages()
		if !each {
			pages = f.some(pages)
		}
		for i, at := range pages {
			own := fmt.Sprintf("own%d-%d%s", epoch, i, ext)
			if beside {
				own = path.Join(path.Dir(at+"x"), own)
			} else {
				own = "/own/" + own
			}
			t[own] = &document{key: host + own, words: 120}
			if shown {
				t[at].embeds = append(t[at].embeds, own)
			} else {
				t[at].links = append(t[at].links, own)
			}
		}
	})
}

// newFiles has the pages of all hosts lead to new files of the same names, which are equal or not.
func newFiles(f *Family) func(int) {
	equal, at := f.r.IntN(3) == 0, f.r.IntN(3)
	ext := []string{".pdf", ".zip", ".txt"}[f.r.IntN(3)]
	return only(at, func(epoch int) {
		for h, t := range f.all() {
			for i, p := range t.pages() {
				u := fmt.Sprintf("/files/%d-%d%s", epoch, i, ext)
				t[u] = &document{key: u + f.Hosts[0], words: 120}
				if !equal && i%5 == 4 {
					t[u].key = u + h
				}
				t[p].links = append(t[p].links, u)
			}
		}
	})
}

// reorders has the pages of a copy name their links in another order.
func reorders(f *Family) func(int) {
	return onceAt(f, 0, func(_ int, t tree, _ string) {
		for _, at := range t.pages() {
			slices.Reverse(t[at].links)
		}
	})
}

// ahead has a copy change, and get pages and files, an epoch before all others of its family do.
func ahead(f *Family) func(int) {
	host, at := aCopy(f), f.r.IntN(2)
	var then tree
	return func(epoch int) {
		switch t := f.now[host]; epoch {
		case at:
			for i, p := range f.some(t.pages()) {
				t[p].key += " as it is ahead"
				next, file := fmt.Sprintf("/d0/ahead%d.html", i), fmt.Sprintf("/d0/ahead%d.pdf", i)
				t[next] = &document{key: t[p].key + next, words: 150, links: []string{p, file}}
				t[file] = &document{key: t[p].key + file}
				t[p].links = append(t[p].links, next)
			}
			then = t.clone()
		case at + 1:
			for _, h := range f.Hosts {
				if h != host {
					f.now[h] = then.clone()
				}
			}
		}
	}
}

// styles has the style sheets of all hosts show pictures of the same names, which are equal or not, and
// one of them pictures of its own.
func styles(f *Family) func(int) {
	at, whose, own := f.r.IntN(3), aCopy(f), f.r.IntN(2) == 0
	return only(at, func(epoch int) {
		for h, t := range f.all() {
			for i, p := range t.paths(".css") {
				u := fmt.Sprintf("/styles/%d-%d.png", epoch, i)
				t[u] = &document{key: u + h}
				if t[p].embeds = append(t[p].embeds, u); own && h == whose {
					u = fmt.Sprintf("/styles/own%d-%d.png", epoch, i)
					t[u] = &document{key: u + h}
					t[p].embeds = append(t[p].embeds, u)
				}
			}
		}
	})
}

// frames has the pages of all hosts show others in frames, of which some are not equal.
func frames(f *Family) func(int) {
	at, part := f.r.IntN(3), 1+f.r.IntN(6)
	return only(at, func(epoch int) {
		for h, t := range f.all() {
			for i, p := range t.pages() {
				u := fmt.Sprintf("/frames/%d-%d.html", epoch, i)
				t[u] = &document{key: u + f.Hosts[0], words: 90, embeds: []string{u[:len(u)-4] + "png"}}
				t[u[:len(u)-4]+"png"] = &document{key: u + f.Hosts[0]}
				if i%part == 0 {
					t[u].key += h
				}
				t[p].embeds = append(t[p].embeds, u)
			}
		}
	})
}

// siteMaps has hosts tell of their documents by site maps; that of a copy names some of its own.
func siteMaps(f *Family) func(int) {
	at, whose := f.r.IntN(3), aCopy(f)
	ext := []string{".html", ".pdf", ".txt"}[f.r.IntN(3)]
	return func(epoch int) {
		if epoch < at {
			return
		}
		for h, t := range f.all() {
			for i := range 6 {
				if own := fmt.Sprintf("/d0/mapped%d-%d%s", epoch, i, ext); h == whose && epoch > 0 {
					t[own] = &document{key: h + own, words: 120}
				}
			}
			var b strings.Builder
			b.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
			for _, p := range t.paths("", ".pdf", ".txt") {
				if p != "*" {
					fmt.Fprintf(&b, "<url><loc>http://%s%s</loc></url>", h, html.EscapeString(p))
				}
			}
			t["/sitemap.xml"] = &document{raw: b.String() + "</urlset>"}
			if t[robots] == nil {
				t[robots] = &document{raw: "User-agent: *\nSitemap: http://" + h + "/sitemap.xml\n"}
			}
		}
	}
}

// queries gives all hosts pages that queries name, in another order of their parameters on a copy, of
// which some are others there.
func queries(f *Family) func(int) {
	host, n, at := aCopy(f), 6+f.r.IntN(20), f.r.IntN(3)
	key := fmt.Sprint("queries", f.r.Uint64())
	return only(at, func(epoch int) {
		differs := f.r.IntN(n)
		for h, t := range f.homes() {
			for i := range n {
				u := fmt.Sprintf("/show?lang=en&page=%d", i)
				t[u] = &document{key: key + u, words: 100, links: []string{"/"}}
				if h == host && i == differs {
					t[u].key += h
				}
				if h == host {
					u = fmt.Sprintf("/show?page=%d&lang=en", i)
				}
				t["/"].links = append(t["/"].links, u)
			}
		}
	})
}

// indexNames has the links of a copy name the files of directories.
func indexNames(f *Family) func(int) {
	return onceAt(f, 0, func(_ int, t tree, _ string) {
		t.relink(func(u string) string {
			if strings.HasSuffix(u, "/") {
				return u + indexName
			}
			return u
		})
	})
}

// otherCase has the links of a copy be written in capitals.
func otherCase(f *Family) func(int) {
	return onceAt(f, 0, func(_ int, t tree, _ string) {
		t.relink(func(u string) string {
			if strings.HasPrefix(u, "/") {
				return strings.ToUpper(u)
			}
			return u
		})
	})
}

// leadsBack has most pages of a copy lead to those of its original, while its files stay, and some get
// others; later pages of its own are there in place of them.
func leadsBack(f *Family) func(int) {
	at, host, files := f.r.IntN(2), aCopy(f), f.r.IntN(2) == 0
	var before tree
	return func(epoch int) {
		t := f.now[host]
		switch epoch {
		case at:
			before = t.clone()
			for _, p := range t.pages() {
				if p != "/" && f.r.IntN(4) > 0 {
					t[p] = &document{status: http.StatusFound, to: "http://" + f.Hosts[0] + p}
				}
			}
			if files {
				f.change(t, host, epoch, f.some(t.paths(".png", ".pdf", ".zip")))
			}
		case at + 1:
			for _, p := range f.some(before.pages()) {
				t[p] = before[p]
				f.change(t, host, epoch, []string{p})
			}
		}
	}
}
