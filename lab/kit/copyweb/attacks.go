package copyweb

import (
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
)

// hangsUp is the status of a document for which the connection is closed.
const hangsUp = -1

// attack is what may befall a family. It begins by drawing whom it befalls, and is told of each
// epoch.
type attack struct {
	name  string
	begin func(f *Family) func(epoch int)
}

// attacks are all of them.
var attacks = []attack{
	{"none", func(*Family) func(int) { return func(int) {} }},
	{"texts drift", drift("", ".txt")},
	{"pictures drift", drift(".png")},
	{"archives drift", drift(".zip", ".txt")},
	{"documents drift", drift(".pdf")},
	{"scripts drift", drift(".js", ".css")},
	{"texts drift back and forth", driftBack},
	{"directory moves", moves},
	{"original dies", dies(original)},
	{"copy dies", dies(aCopy)},
	{"hosts are parked", parked},
	{"what is sampled is alike", cloaks},
	{"original leaves", leaves(original)},
	{"copy leaves", leaves(aCopy)},
	{"pages of its own", ownPages},
	{"pages new in both", newPages},
	{"pictures new in both", newPictures},
	{"hosts in links", hostsInLinks},
	{"sessions", sessions},
	{"other characters", latin},
	{"secure links", secure},
	{"counters", counters},
	{"banners", banners},
	{"near duplicates", near},
	{"large directory", large},
	{"same captions", captions},
	{"original shrinks", shrinks},
	{"original redirects", redirects},
	{"original forbids", forbids},
	{"pages change places", swaps},
	{"files of its own", ownFiles},
	{"files new in both", newFiles},
	{"links in another order", reorders},
	{"copy is ahead", ahead},
	{"styles show pictures", styles},
	{"frames", frames},
	{"site maps", siteMaps},
	{"pages by query", queries},
	{"names of indexes", indexNames},
	{"other case", otherCase},
	{"copy leads back", leadsBack},
	{"original drifts", originalDrifts},
	{"original fails in part", failsInPart},
	{"original tires", tires},
	{"hosts exchange places", exchanged},
	{"copy under a prefix", underPrefix},
	{"print versions", printVersions},
	{"hosts are walled", walled},
	{"copies lead on", leadOn},
	{"soft errors", softErrors},
	{"new directory", newDirectory},
	{"lists", lists},
	{"brink", brink},
	{"editions", editions},
	{"versions", versions},
	{"mirrors within mirrors", mirrorsWithin},
	{"page two is page one", pageTwo},
	{"moves midway", movesMidway},
	{"pictures of another size", resized},
}

func original(f *Family) string { return f.Hosts[0] }
func aCopy(f *Family) string    { return f.Hosts[1+f.r.IntN(len(f.Hosts)-1)] }

// only does something in one epoch.
func only(at int, do func(epoch int)) func(int) {
	return func(epoch int) {
		if epoch == at {
			do(epoch)
		}
	}
}

// onceAt draws an epoch and a copy, and does something to it then.
func onceAt(f *Family, least int, do func(epoch int, t tree, host string)) func(int) {
	at, host := least+f.r.IntN(Epochs-least), aCopy(f)
	return only(at, func(epoch int) { do(epoch, f.now[host], host) })
}

// some draws a part of a list, one at least.
func (f *Family) some(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	share := []float64{.01, .03, .1, .3, .7}[f.r.IntN(5)]
	part := slices.DeleteFunc(slices.Clone(list), func(string) bool { return f.r.Float64() >= share })
	if len(part) == 0 {
		part = []string{list[f.r.IntN(len(list))]}
	}
	return part
}

// change gives documents of a host content of their own.
func (f *Family) change(t tree, host string, epoch int, paths []string) {
	for _, at := range paths {
		t[at].key = fmt.Sprintf("%s of %s since %d", at, host, epoch)
		t[at].share = 0
	}
}

func drift(ext ...string) func(*Family) func(int) {
	return func(f *Family) func(int) {
		return onceAt(f, 0, func(epoch int, t tree, host string) {
			f.change(t, host, epoch, f.some(t.paths(ext...)))
		})
	}
}

func driftBack(f *Family) func(int) {
	host, before := aCopy(f), map[string]string{}
	return func(epoch int) {
		t := f.now[host]
		switch epoch {
		case 1:
			part := f.some(t.paths(""))
			for _, at := range part {
				before[at] = t[at].key
			}
			f.change(t, host, epoch, part)
		case 2:
			for at, key := range before {
				if t[at] != nil {
					t[at].key = key
				}
			}
		}
	}
}

func moves(f *Family) func(int) {
	whole := f.r.IntN(2) == 0
	return onceAt(f, 0, func(epoch int, t tree, _ string) {
		to := map[string]string{}
		for _, at := range t.paths("", ".png", ".css", ".js", ".pdf", ".zip", ".txt") {
			if strings.HasPrefix(at, "/d0/") && (whole || f.r.IntN(2) == 0) {
				to[at] = fmt.Sprintf("/docs/v%d/", epoch) + at[len("/d0/"):]
			}
		}
		for from, at := range to {
			t[at] = t[from]
			delete(t, from)
		}
		t.relink(func(u string) string {
			if at, moved := to[u]; moved {
				return at
			}
			return u
		})
	})
}

// relink changes all links.
func (t tree) relink(to func(string) string) {
	for _, at := range slices.Sorted(maps.Keys(t)) {
		d := t[at]
		for _, list := range [][]string{d.links, d.quiet, d.embeds} {
			for i := range list {
				list[i] = to(list[i])
			}
		}
	}
}

// dies has a host answer nothing but errors; the others change meanwhile, and it may come back.
func dies(who func(*Family) string) func(*Family) func(int) {
	return func(f *Family) func(int) {
		host, at, back := who(f), 1+f.r.IntN(2), f.r.IntN(2) == 0
		status := []int{
			http.StatusServiceUnavailable, http.StatusGone, http.StatusNotFound, hangsUp,
			http.StatusForbidden,
		}[f.r.IntN(5)]
		var alive tree
		return func(epoch int) {
			if epoch == at {
				alive = f.now[host]
				f.now[host] = tree{"*": {key: "dead", words: 20, status: status}}
				for _, other := range f.Hosts {
					if other != host && f.r.IntN(2) == 0 {
						t := f.now[other]
						f.change(t, "the others", epoch, f.some(t.paths("", ".png", ".pdf")))
					}
				}
			} else if epoch > at && back {
				f.now[host] = alive
			}
		}
	}
}

// parked has hosts show one and the same page at each path.
func parked(f *Family) func(int) {
	at, back := f.r.IntN(3), f.r.IntN(2) == 0
	hosts := slices.DeleteFunc(slices.Clone(f.Hosts), func(string) bool { return f.r.IntN(3) == 0 })
	alive := map[string]tree{}
	return func(epoch int) {
		for _, h := range hosts {
			if epoch == at {
				alive[h] = f.now[h]
				f.now[h] = tree{"*": {key: "for sale", words: 90, links: f.now[h].paths("")}}
			} else if epoch == at+1 && back {
				f.now[h] = alive[h]
				f.change(f.now[h], h, epoch, f.some(f.now[h].paths("")))
			}
		}
	}
}

// cloaks has all pages of a copy change but those that lie on top.
func cloaks(f *Family) func(int) {
	return onceAt(f, 0, func(epoch int, t tree, host string) {
		pages := t.paths("")
		f.change(t, host, epoch, pages[min(len(pages), 2+f.r.IntN(4)):])
	})
}

// leaves has a host leave the harvest for an epoch or two, while another one changes.
func leaves(who func(*Family) string) func(*Family) func(int) {
	return func(f *Family) func(int) {
		host, back := who(f), f.r.IntN(2) == 0
		return func(epoch int) {
			if f.away[host] = epoch == 1 || epoch == 2 && !back; epoch != 1 {
				return
			}
			for _, other := range f.Hosts {
				if other != host && f.r.IntN(2) == 0 {
					f.change(f.now[other], other, epoch, f.some(f.now[other].paths("", ".png")))
				}
			}
		}
	}
}

// ownPages gives a copy pages that its original lacks, to which one or more of its pages lead, in
// words or without, and each to the next.
func ownPages(f *Family) func(int) {
	quiet, from := f.r.IntN(2) == 0, f.r.IntN(3)
	return onceAt(f, 0, func(epoch int, t tree, host string) {
		pages := t.paths("")
		if from > 0 {
			pages = f.some(pages)
		} else {
			pages = []string{"/"}
		}
		for i, at := range pages {
			if t[at] == nil {
				continue
			}
			first := ""
			for j := range 3 {
				own := fmt.Sprintf("%sown%d-%d-%d.html", path.Dir(at+"x")+"/", epoch, i, j)
				own = strings.Replace(own, "//", "/", 1)
				t[own] = &document{key: host + own, words: 150, links: []string{"/"}}
				if j > 0 {
					t[first].links = append(t[first].links, own)
				} else if quiet {
					t[at].quiet = append(t[at].quiet, own)
				} else {
					t[at].links = append(t[at].links, own)
				}
				first = own
			}
		}
	})
}

// newPages gives all hosts new pages under the same paths, which are equal or not.
func newPages(f *Family) func(int) {
	equal, at, deep := f.r.IntN(2) == 0, 1+f.r.IntN(2), f.r.IntN(2) == 0
	n := 2 + f.r.IntN(12)
	return only(at, func(epoch int) {
		for h, t := range f.all() {
			pages := t.paths("")
			if len(pages) == 0 {
				continue
			}
			from := t[pages[0]]
			for i := range n {
				if deep {
					from = t[pages[i*7%len(pages)]]
				}
				u := fmt.Sprintf("/d0/new%d-%d.html", epoch, i)
				t[u] = &document{key: t[pages[0]].key + u, words: 150, links: []string{"/"}}
				if !equal && i%2 == 0 {
					t[u].key = h + u
				}
				from.links = append(from.links, u)
			}
		}
	})
}

// newPictures has the pages of all hosts show new pictures of the same names, which are equal or not.
func newPictures(f *Family) func(int) {
	equal, at := f.r.IntN(2) == 0, f.r.IntN(3)
	return only(at, func(epoch int) {
		for h, t := range f.all() {
			for i, p := range t.paths("") {
				u := fmt.Sprintf("/new/%d-%d.png", epoch, i)
				t[u] = &document{key: u + f.Hosts[0]}
				if !equal && i%3 > 0 {
					t[u].key = u + h
				}
				t[p].embeds = append(t[p].embeds, u)
			}
		}
	})
}

// hostsInLinks has the links of a host name a host: its own, or another one's.
func hostsInLinks(f *Family) func(int) {
	whose, to := f.Hosts[f.r.IntN(len(f.Hosts))], f.Hosts[f.r.IntN(len(f.Hosts))]
	part := f.r.IntN(3) + 1
	return only(0, func(epoch int) {
		f.now[whose].relink(func(u string) string {
			if strings.HasPrefix(u, "/") && f.r.IntN(part) == 0 {
				return "http://" + to + u
			}
			return u
		})
	})
}

// sessions has all links of a copy carry a number that is another one in each epoch.
func sessions(f *Family) func(int) {
	host := aCopy(f)
	return func(epoch int) {
		f.now[host].relink(func(u string) string {
			u, _, _ = strings.Cut(u, "?")
			if path.Ext(u) != "" && path.Ext(u) != ".html" {
				return u
			}
			return fmt.Sprintf("%s?sid=%d%s", u, epoch, host[:2])
		})
	}
}

// onEachPage does something to each page of a copy at once.
func (f *Family) onEachPage(do func(d *document, banner string)) func(int) {
	n := 1 + f.r.IntN(60)
	return onceAt(f, 0, func(epoch int, t tree, host string) {
		banner := strings.Join(draw(fmt.Sprint(host, epoch), n), " ")
		for _, at := range t.paths("") {
			do(t[at], banner)
		}
	})
}

func latin(f *Family) func(int) {
	return f.onEachPage(func(d *document, _ string) { d.latin = true })
}

func counters(f *Family) func(int) {
	return f.onEachPage(func(d *document, _ string) { d.counts = true })
}

func secure(f *Family) func(int) {
	return onceAt(f, 0, func(_ int, t tree, host string) {
		t.relink(func(u string) string {
			if strings.HasPrefix(u, "/") {
				return "https://" + host + u
			}
			return u
		})
	})
}

func banners(f *Family) func(int) {
	return f.onEachPage(func(d *document, banner string) { d.banner = banner })
}

// near has the pages of a copy say something else in a part of each, or in a part that differs.
func near(f *Family) func(int) {
	share := .05 + .45*f.r.Float64()
	mixed := f.r.IntN(2) == 0
	return onceAt(f, 0, func(_ int, t tree, host string) {
		for _, at := range t.paths("", ".txt") {
			d := t[at]
			if d.own, d.share = host+at, share; mixed {
				d.share = f.r.Float64() * .6
			}
		}
	})
}

// large gives all hosts a large directory, of which a few pages of a copy are others.
func large(f *Family) func(int) {
	n, chain := 80+f.r.IntN(120), f.r.IntN(3) == 0
	key := fmt.Sprint("large", f.r.Uint64())
	differ := 1 + f.r.IntN(8)
	host, at := aCopy(f), f.r.IntN(3)
	return func(epoch int) {
		for _, h := range f.Hosts {
			if t := f.now[h]; epoch == 0 && t["/"] != nil {
				t.dir(key, "/large/", n, chain, false)
				t["/"].links = append(t["/"].links, "/large/")
			}
		}
		for range differ {
			p := fmt.Sprintf("/large/p%d.html", f.r.IntN(n))
			if t := f.now[host]; epoch == at && t[p] != nil {
				f.change(t, host, epoch, []string{p})
			}
		}
	}
}

// captions has the pages of a directory have the same words, and pictures that differ by host.
func captions(f *Family) func(int) {
	at := f.r.IntN(3)
	return only(at, func(epoch int) {
		for h, t := range f.homes() {
			for i := range 20 {
				p := fmt.Sprintf("/codex/f%d.html", i)
				t[p] = &document{
					key: "captions", words: 60, embeds: []string{fmt.Sprintf("/codex/scan%d.png", i)},
					links: []string{fmt.Sprintf("/codex/f%d.html", (i+1)%20)},
				}
				t[t[p].embeds[0]] = &document{key: h + p}
			}
			t["/"].links = append(t["/"].links, "/codex/f0.html")
		}
	})
}

// shrinks has an original lose documents, and its copies have some that are others by then.
func shrinks(f *Family) func(int) {
	at, host := 1+f.r.IntN(2), aCopy(f)
	return only(at, func(epoch int) {
		t := f.now[f.Hosts[0]]
		gone := f.some(t.paths("", ".png", ".pdf", ".zip", ".css"))
		for _, p := range gone {
			delete(t, p)
		}
		for _, p := range gone {
			if copied := f.now[host]; copied[p] != nil && f.r.IntN(2) == 0 {
				f.change(copied, host, epoch, []string{p})
			}
		}
	})
}

// redirects has an original lead to a copy, page by page or to its entry, which goes on changing.
func redirects(f *Family) func(int) {
	to, at, home := aCopy(f), 1+f.r.IntN(2), f.r.IntN(3) == 0
	return only(at, func(epoch int) {
		t := tree{}
		for p := range f.now[f.Hosts[0]] {
			t[p] = &document{status: http.StatusMovedPermanently, to: "http://" + to + p}
			if home {
				t[p].to = "http://" + to + "/"
			}
		}
		f.now[f.Hosts[0]] = t
		f.change(f.now[to], to, epoch, f.some(f.now[to].paths("", ".png")))
	})
}

// forbids has the robots.txt of an original forbid all, while all hosts change alike.
func forbids(f *Family) func(int) {
	at := 1 + f.r.IntN(2)
	return only(at, func(epoch int) {
		f.now[f.Hosts[0]][robots] = &document{raw: "User-agent: *\nDisallow: /\n"}
		changed := f.some(f.now[f.Hosts[0]].paths("", ".png"))
		for _, t := range f.all() {
			f.change(t, "all", epoch, slices.DeleteFunc(slices.Clone(changed), func(p string) bool {
				return t[p] == nil
			}))
		}
	})
}

// swaps has pages of a copy change places.
func swaps(f *Family) func(int) {
	return onceAt(f, 0, func(_ int, t tree, _ string) {
		pages := t.paths("")
		for range 1 + f.r.IntN(4) {
			if len(pages) == 0 {
				return
			}
			a, b := pages[f.r.IntN(len(pages))], pages[f.r.IntN(len(pages))]
			t[a].key, t[b].key = t[b].key, t[a].key
		}
	})
}
