package copyweb

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// These attacks are of works of which a web has several states at once: editions, versions, and what
// mirrors of mirrors have of them.

// work adds a directory of a number of pages to each host, and a link to it.
func (f *Family) work(dir, key string, pages int) {
	for _, t := range f.homes() {
		t.dir(key, dir, pages, false, false)
		t["/"].links = append(t["/"].links, dir)
	}
}

// brink has long pages of a copy be a little less alike than is asked of what is left out.
func brink(f *Family) func(int) {
	key, n, at := fmt.Sprint("brink", f.r.Uint64()), 12+f.r.IntN(20), f.r.IntN(3)
	return func(epoch int) {
		if epoch == 0 {
			f.work("/long/", key, n)
		}
		for j, h := range f.Hosts {
			for _, p := range f.now[h].pages() {
				if !strings.HasPrefix(p, "/long/p") {
					continue
				}
				d := f.now[h][p]
				if d.words < 1000 {
					d.words += 1500
				}
				if epoch == at && j > 0 {
					d.own, d.share = h+p, .115+.03*f.r.Float64()
				}
			}
		}
	}
}

// editions has each host change another chapter of a book, or say on each page who made it.
func editions(f *Family) func(int) {
	key, n, at := fmt.Sprint("book", f.r.Uint64()), 12+f.r.IntN(30), f.r.IntN(3)
	signed := f.r.IntN(2) == 0
	return func(epoch int) {
		if epoch == 0 {
			f.work("/book/", key, n)
		}
		for i, h := range f.Hosts {
			t := f.now[h]
			if epoch != at || t["/book/"] == nil {
				continue
			}
			f.change(t, h, epoch, []string{fmt.Sprintf("/book/p%d.html", (i*7+epoch)%n)})
			for j := 0; signed && j < n; j++ {
				if d := t[fmt.Sprintf("/book/p%d.html", j)]; d != nil {
					d.banner = strings.Join(draw(fmt.Sprint(h, j), 6), " ")
				}
			}
		}
	}
}

// versions has all hosts keep each version of a work at an address of its own, and the newest one at one
// more, of which copies lag.
func versions(f *Family) func(int) {
	key, n := fmt.Sprint("versions", f.r.Uint64()), 12+f.r.IntN(20)
	lag, part := f.r.IntN(2), []float64{.05, .3, 1}[f.r.IntN(3)]
	keys := make([][]string, Epochs)
	for e := range keys {
		for i := range n {
			k := fmt.Sprint(key, i, "v", e)
			if e > 0 && f.r.Float64() >= part {
				k = keys[e-1][i]
			}
			keys[e] = append(keys[e], k)
		}
	}
	return func(epoch int) {
		for h, t := range f.homes() {
			e := epoch
			if h != f.Hosts[0] {
				e = max(0, epoch-lag)
			}
			for _, dir := range []string{fmt.Sprintf("/v%d/", e), "/latest/"} {
				t.dir(key, dir, n, false, false)
				for i, k := range keys[e] {
					t[fmt.Sprintf("%sp%d.html", dir, i)].key = k
				}
				if !slices.Contains(t["/"].links, dir) {
					t["/"].links = append(t["/"].links, dir)
				}
			}
		}
	}
}

// mirrorsWithin has two hosts mirror each other below a directory, what is mirrored there included; later
// pages of one of the four trees change.
func mirrorsWithin(f *Family) func(int) {
	at, which, key := f.r.IntN(3), f.r.IntN(4), fmt.Sprint("other", f.r.Uint64())
	return func(epoch int) {
		a, b := f.Hosts[0], f.Hosts[1]
		if epoch == 0 {
			own, other := f.now[a].clone(), f.base(key)
			f.now[b] = other.clone()
			put := func(host, dir string, tree tree) {
				for p, d := range tree.clone().below("/", dir) {
					if p != robots && p != "*" {
						f.now[host][p] = d
					}
				}
				if home := f.now[host]["/"]; home != nil { // a parked host has none
					home.links = append(home.links, dir)
				}
			}
			put(a, "/pub/b/", other)
			put(b, "/pub/a/", f.now[a])
			put(a, "/pub/a/", own)
		}
		if epoch == at {
			place := []struct{ host, dir string }{
				{a, "/d"}, {a, "/pub/b/"}, {b, "/pub/a/d"}, {b, "/pub/a/pub/b/"},
			}[which]
			t := f.now[place.host]
			f.change(t, place.host, epoch, f.some(slices.DeleteFunc(t.paths("", ".png", ".pdf"),
				func(p string) bool { return !strings.HasPrefix(p, place.dir) })))
		}
	}
}

// pageTwo has lists by page of which a host shows the first page for each.
func pageTwo(f *Family) func(int) {
	pages, key, who := 8+f.r.IntN(12), fmt.Sprint("two", f.r.Uint64()), f.Hosts[f.r.IntN(len(f.Hosts))]
	at := f.r.IntN(3)
	return func(epoch int) {
		for h, t := range f.homes() {
			for p := range pages {
				u := fmt.Sprintf("/all?page=%d", p)
				d := &document{key: fmt.Sprint(key, p), words: 120, links: []string{"/"}}
				if p+1 < pages {
					d.links = append(d.links, fmt.Sprintf("/all?page=%d", p+1))
				}
				for j := range 3 {
					entry := fmt.Sprintf("/all/%d-%d.html", p, j)
					t[entry] = &document{key: key + entry, words: 90}
					d.links = append(d.links, entry)
				}
				if h == who && epoch >= at && p > 0 {
					d = t["/all?page=0"]
				}
				t[u] = d
			}
			if !slices.Contains(t["/"].links, "/all?page=0") {
				t["/"].links = append(t["/"].links, "/all?page=0")
			}
		}
	}
}

// movesMidway has an original answer a number of requests in an epoch, and lead to a copy, or to a
// directory of it, from then on.
func movesMidway(f *Family) func(int) {
	at, n, host := f.r.IntN(3), 3+f.r.IntN(40), aCopy(f)
	whole := f.r.IntN(2) == 0
	return func(epoch int) {
		switch t := f.now[host]; {
		case epoch > at:
			f.now[f.Hosts[0]] = tree{"*": {status: http.StatusMovedPermanently, to: f.to + "/"}}
		case epoch == at:
			f.tired[epoch], f.to = n, "http://"+host
			if whole {
				return
			}
			f.to += "/moved"
			for p, d := range t.clone().below("/", "/moved/") {
				t[p] = d
			}
		}
	}
}

// resized gives all hosts a gallery, of which the pictures and documents of a copy are others of the same
// names.
func resized(f *Family) func(int) {
	at, host, key := f.r.IntN(3), aCopy(f), fmt.Sprint("gallery", f.r.Uint64())
	n := 12 + f.r.IntN(20)
	return only(at, func(epoch int) {
		for h, t := range f.homes() {
			t.dir(key, "/gallery/", n, false, true)
			t["/"].links = append(t["/"].links, "/gallery/")
			for _, p := range t.paths(".png", ".pdf") {
				if h == host && strings.HasPrefix(p, "/gallery/") {
					t[p].key += " other size"
				}
			}
		}
	})
}
