package copyweb

import (
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
)

// These attacks befall originals, or change where documents lie.

// originalDrifts has documents of an original change, while its copies stay as they are.
func originalDrifts(f *Family) func(int) {
	at := 1 + f.r.IntN(2)
	return only(at, func(epoch int) {
		t := f.now[f.Hosts[0]]
		f.change(t, f.Hosts[0], epoch, f.some(t.paths("", ".png", ".pdf", ".zip", ".txt")))
	})
}

// failsInPart has a part of an original's documents fail, of which some are others on a copy by then.
func failsInPart(f *Family) func(int) {
	at, host := 1+f.r.IntN(2), aCopy(f)
	status := []int{
		http.StatusServiceUnavailable, http.StatusInternalServerError, http.StatusForbidden, hangsUp,
	}[f.r.IntN(4)]
	return only(at, func(epoch int) {
		t, copied := f.now[f.Hosts[0]], f.now[host]
		for _, p := range f.some(t.paths("", ".png", ".pdf", ".css")) {
			t[p].status = status
			if copied[p] != nil && f.r.IntN(2) == 0 {
				f.change(copied, host, epoch, []string{p})
			}
		}
	})
}

// tires has an original answer a number of requests in an epoch, and none after.
func tires(f *Family) func(int) {
	at, n := f.r.IntN(3), 3+f.r.IntN(40)
	return only(at, func(epoch int) { f.tired[epoch] = n })
}

// exchanged has two hosts exchange all that they have, of which some has changed on one of them.
func exchanged(f *Family) func(int) {
	return onceAt(f, 1, func(epoch int, t tree, host string) {
		f.change(t, host, epoch, f.some(t.paths("", ".png", ".pdf")))
		f.now[f.Hosts[0]], f.now[host] = t, f.now[f.Hosts[0]]
	})
}

// below moves what lies below a directory, and all links to it.
func (t tree) below(dir, to string) tree {
	moved := tree{}
	for at, d := range t {
		if strings.HasPrefix(at, dir) && at != robots && at != "*" {
			at = to + at[len(dir):]
		}
		moved[at] = d
	}
	moved.relink(func(u string) string {
		if strings.HasPrefix(u, dir) {
			return to + u[len(dir):]
		}
		return u
	})
	return moved
}

// underPrefix has a copy lie below a directory of a host that has other pages, too.
func underPrefix(f *Family) func(int) {
	return onceAt(f, 0, func(epoch int, t tree, host string) {
		to := fmt.Sprintf("/pub/mirrors/m%d/", epoch)
		moved := t.below("/", to)
		moved["/"] = &document{key: host + " home", words: 90, links: []string{to, "/own/0.html"}}
		for i := range 5 {
			moved[fmt.Sprintf("/own/%d.html", i)] = &document{
				key: fmt.Sprint(host, i), words: 120, links: []string{fmt.Sprintf("/own/%d.html", i+1)},
			}
		}
		f.now[host] = moved
	})
}

// printVersions gives all hosts a second directory with the texts of the first one, of which some change
// later.
func printVersions(f *Family) func(int) {
	at, own := f.r.IntN(2), f.r.IntN(2) == 0
	return func(epoch int) {
		for h, t := range f.all() {
			if t["/d0/"] == nil {
				continue
			}
			if epoch == at {
				for p, d := range t.clone().below("/d0/", "/print/") {
					if strings.HasPrefix(p, "/print/") {
						t[p] = d
						if own && path.Ext(p) == ".pdf" {
							d.key += h
						}
					}
				}
				t["/"].links = append(t["/"].links, "/print/")
			} else if epoch > at && f.r.IntN(2) == 0 {
				f.change(t, h, epoch, f.some(slices.DeleteFunc(t.paths("", ".png"), func(p string) bool {
					return !strings.HasPrefix(p, "/print/")
				})))
			}
		}
	}
}

// walled has the pages of hosts say one and the same for an epoch, whatever they lead to.
func walled(f *Family) func(int) {
	at := f.r.IntN(3)
	hosts := slices.DeleteFunc(slices.Clone(f.Hosts), func(string) bool { return f.r.IntN(3) == 0 })
	before := map[string]tree{}
	return func(epoch int) {
		for _, h := range hosts {
			if epoch == at {
				before[h] = f.now[h].clone()
				for _, p := range f.now[h].pages() {
					f.now[h][p].key, f.now[h][p].words = "accept all of this first", 80
				}
			} else if epoch == at+1 {
				f.now[h] = before[h]
				f.change(f.now[h], h, epoch, f.some(f.now[h].pages()))
			}
		}
	}
}

// leadOn has each copy lead to the next one, and the last to the original; an epoch later some of their
// pages are there again.
func leadOn(f *Family) func(int) {
	at, before := f.r.IntN(2), map[string]tree{}
	return func(epoch int) {
		for i, h := range f.Hosts[1:] {
			to := f.Hosts[(i+2)%len(f.Hosts)]
			switch t := f.now[h]; epoch {
			case at:
				before[h] = t.clone()
				for p := range t {
					if p != robots && p != "*" {
						t[p] = &document{status: http.StatusMovedPermanently, to: "http://" + to + p}
					}
				}
			case at + 1:
				for _, p := range f.some(slices.Sorted(maps.Keys(before[h]))) {
					t[p] = before[h][p]
					f.change(t, h, epoch, []string{p})
				}
			}
		}
	}
}

// softErrors has hosts answer what they lack with one and the same page, and lose some pages.
func softErrors(f *Family) func(int) {
	at, same := f.r.IntN(3), f.r.IntN(2) == 0
	return only(at, func(epoch int) {
		for h, t := range f.all() {
			for _, p := range f.some(t.pages()) {
				if p != "/" {
					delete(t, p)
				}
			}
			t["*"] = &document{key: "not here", words: 60, links: []string{"/"}}
			if !same {
				t["*"].key += h
			}
		}
	})
}

// newDirectory gives all hosts a directory, of which the last pages are others on a copy.
func newDirectory(f *Family) func(int) {
	at, host, n := 1+f.r.IntN(2), aCopy(f), 12+f.r.IntN(40)
	key, chain, files := fmt.Sprint("later", f.r.Uint64()), f.r.IntN(2) == 0, f.r.IntN(2) == 0
	last := n - 1 - f.r.IntN(n/2)
	return only(at, func(epoch int) {
		for h, t := range f.homes() {
			t.dir(key, "/later/", n, chain, files)
			t["/"].links = append(t["/"].links, "/later/")
			for i := last; h == host && i < n; i++ {
				f.change(t, h, epoch, []string{fmt.Sprintf("/later/p%d.html", i)})
			}
		}
	})
}

// lists gives all hosts lists by page, on which new entries come first; copies lag.
func lists(f *Family) func(int) {
	pages, key := 6+f.r.IntN(10), fmt.Sprint("list", f.r.Uint64())
	lag := map[string]int{}
	for _, h := range f.Hosts[1:] {
		lag[h] = f.r.IntN(3)
	}
	return func(epoch int) {
		for h, t := range f.homes() {
			for i := range pages {
				d := &document{links: []string{"/"}}
				for j := range 5 {
					entry := i*5 + j - 2*max(0, epoch-lag[h])
					d.parts = append(d.parts, fmt.Sprint(key, entry))
					file := fmt.Sprintf("/entries/e%d.html", 100+entry)
					d.links = append(d.links, file)
					picture := file[:len(file)-4] + "png"
					t[file] = &document{key: key + file, words: 60, embeds: []string{picture}}
					t[picture] = &document{key: key + file}
				}
				if i+1 < pages {
					d.links = append(d.links, fmt.Sprintf("/list?page=%d", i+1))
				}
				t[fmt.Sprintf("/list?page=%d", i)] = d
			}
			if first := "/list?page=0"; !slices.Contains(t["/"].links, first) {
				t["/"].links = append(t["/"].links, first)
			}
		}
	}
}
