// Package copyweb makes webs of copies that do what harms whoever leaves copies out: they drift,
// move, die, come back, grow pages of their own, and are like their originals in part only. It is
// known of each host what it has in each epoch.
//
// # Words
//
//   - A family is an original and one to four copies of it.
//   - A family's sites are whole hosts, or its domain; of each third family they are computed from a
//     seed on, which is the entry page or the first directory.
//   - An attack is what befalls the copies or the original of a family from an epoch on. Each
//     family has one to three of them; the first families of a web have each attack once.
//   - A document is what a host has at a path: its text or its bytes follow from its key, so that
//     documents of equal keys are equal.
package copyweb

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"iter"
	"maps"
	"math/rand/v2"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// Epochs is how many states a web has.
const Epochs = 3

// Web is a web in its three epochs. The same seed and number of hosts make the same web.
type Web struct {
	Families []*Family
	epoch    atomic.Int32
	visitors atomic.Int64
	at       map[string]*Family // by host
}

// Family is an original, which is the first of its hosts, and its copies.
type Family struct {
	Hosts   []string
	Attacks []string
	Domain  bool // the hosts are one site
	// Computed says that where its sites end is computed, from Entry on; else they are whole hosts, or
	// the domain.
	Computed bool
	Entry    string // the path of the seeds
	absent   [Epochs]map[string]bool
	tired    [Epochs]int // how many requests the original answers; 0 for all
	to       string      // where the original leads once it is tired; "" where it fails
	asked    atomic.Int32
	trees    [Epochs]map[string]tree
	now      map[string]tree // as the attacks have made it so far
	away     map[string]bool // hosts that are no part of the harvest now
	r        *rand.Rand
}

// all are the hosts with the documents that they have now.
func (f *Family) all() iter.Seq2[string, tree] {
	return func(yield func(string, tree) bool) {
		for _, h := range f.Hosts {
			if !yield(h, f.now[h]) {
				return
			}
		}
	}
}

// homes are those of all that have a home page.
func (f *Family) homes() iter.Seq2[string, tree] {
	return func(yield func(string, tree) bool) {
		for h, t := range f.all() {
			if t["/"] != nil && !yield(h, t) {
				return
			}
		}
	}
}

// robots is the path of the file that forbids.
const robots = "/robots.txt"

// tree has the documents of a host by path.
type tree map[string]*document

type document struct {
	key    string
	own    string  // the key of what is in place of a part of the text
	share  float64 // that part
	words  int
	parts  []string // the keys of the text's parts, in place of one
	links  []string
	quiet  []string // links without words
	embeds []string
	banner string
	raw    string // the whole body
	// in what a response differs from what the text says
	counts, latin bool
	status        int // 0 for 200
	to            string
}

// New makes a web of about so many hosts.
func New(seed uint64, hosts int) *Web {
	w := &Web{at: map[string]*Family{}}
	for n := 0; len(w.at) < hosts; n++ {
		f := newFamily(seed, n)
		w.Families = append(w.Families, f)
		for _, h := range f.Hosts {
			w.at[h] = f
		}
	}
	return w
}

// newFamily draws a family, and what befalls it.
func newFamily(seed uint64, n int) *Family {
	f := &Family{r: rand.New(rand.NewPCG(seed, uint64(n))), away: map[string]bool{}, now: map[string]tree{}}
	f.Domain = f.r.IntN(4) == 0
	turn := (seed + uint64(n)) % 6
	f.Computed, f.Entry = turn%3 == 1, "/"
	if turn == 1 {
		f.Entry = "/d0/"
	}
	for i := range 2 + f.r.IntN(2)*f.r.IntN(4) {
		f.Hosts = append(f.Hosts, f.host(n, i))
	}
	chosen := []int{n % len(attacks)}
	if n >= len(attacks) {
		chosen = []int{f.r.IntN(len(attacks))}
	}
	for range f.r.IntN(3) {
		chosen = append(chosen, f.r.IntN(len(attacks)))
	}
	base := f.base(fmt.Sprintf("%d.%d", seed, n))
	for _, h := range f.Hosts {
		f.now[h] = base.clone()
	}
	var befall []func(epoch int)
	for _, i := range chosen {
		f.Attacks = append(f.Attacks, attacks[i].name)
		befall = append(befall, attacks[i].begin(f))
	}
	for epoch := range Epochs {
		for _, do := range befall {
			do(epoch)
		}
		f.trees[epoch], f.absent[epoch] = map[string]tree{}, maps.Clone(f.away)
		for h, t := range f.now {
			f.trees[epoch][h] = t.clone()
		}
	}
	return f
}

// host names a host: an original's name tells it, or does not.
func (f *Family) host(n, i int) string {
	if f.Domain {
		return fmt.Sprintf("%s.f%d.example", []string{"www", "mirror", "m2", "old", "ftp"}[i], n)
	}
	return fmt.Sprintf("%c%d.example", "akqbz"[(i+n)%5], n)
}

// base is the tree that all hosts of a family have at first: an entry page and directories with an
// index, pages, and the files that these show or lead to.
func (f *Family) base(key string) tree {
	t := tree{"/": {key: key + "/", words: 60}}
	for d := range 1 + f.r.IntN(3) {
		dir := fmt.Sprintf("/d%d/", d)
		t.dir(key, dir, 4+f.r.IntN(5+f.r.IntN(30)), f.r.IntN(3) == 0, f.r.IntN(4) > 0)
		t["/"].links = append(t["/"].links, dir)
	}
	return t
}

// dir adds a directory of pages, each of which leads to the next; the index leads to all, or to the
// first of a chain.
func (t tree) dir(key, dir string, pages int, chain, files bool) {
	index := &document{key: key + dir, words: 40, links: []string{"/"}}
	t[dir] = index
	for i := range pages {
		at := fmt.Sprintf("%sp%d.html", dir, i)
		p := &document{key: key + at, words: 80 + i*37%300, links: []string{dir, "/"}}
		t[at] = p
		if !chain || i == 0 {
			index.links = append(index.links, at)
		}
		if i+1 < pages {
			p.links = append(p.links, fmt.Sprintf("%sp%d.html", dir, i+1))
		}
		if !files {
			continue
		}
		p.embeds = []string{dir + "style.css", dir + "code.js", fmt.Sprintf("%si%d.png", dir, i)}
		p.links = append(p.links, fmt.Sprintf("%sf%d%s", dir, i, []string{".pdf", ".zip", ".txt"}[i%3]))
		for _, file := range slices.Concat(p.embeds, p.links[len(p.links)-1:]) {
			t[file] = &document{key: key + file, words: 120}
		}
	}
}

func (t tree) clone() tree {
	c := tree{}
	for at, d := range t {
		x := *d
		x.links, x.quiet = slices.Clone(d.links), slices.Clone(d.quiet)
		x.embeds = slices.Clone(d.embeds)
		c[at] = &x
	}
	return c
}

// paths are those of a host's documents of the given endings, in order; "" gives pages.
func (t tree) paths(ext ...string) (list []string) {
	for _, at := range slices.Sorted(maps.Keys(t)) {
		if at != robots && slices.Contains(ext, strings.TrimSuffix(path.Ext(at), ".html")) {
			list = append(list, at)
		}
	}
	return list
}

// Go goes on to an epoch.
func (w *Web) Go(epoch int) {
	w.epoch.Store(int32(epoch))
	for _, f := range w.Families {
		f.asked.Store(0)
	}
}

// answers reports that a host still answers: see tires.
func (w *Web) answers(epoch int, host string) bool {
	f := w.at[host]
	if f == nil || host != f.Hosts[0] || f.tired[epoch] == 0 {
		return true
	}
	return int(f.asked.Add(1)) <= f.tired[epoch]
}

// In gives the hosts that are part of the harvest in an epoch.
func (f *Family) In(epoch int) []string {
	return slices.DeleteFunc(slices.Clone(f.Hosts), func(h string) bool { return f.absent[epoch][h] })
}

// Bound is the boundary of the family's sites.
func (f *Family) Bound() string {
	switch {
	case f.Computed:
		return "logical"
	case f.Domain:
		return "domain"
	}
	return "host"
}

// Family is that of a host; nil for a host that the web does not have.
func (w *Web) Family(host string) *Family { return w.at[host] }

// Body is what a host has at a path in an epoch, and its words where it is a text; ok is false where
// it has nothing. A counter of visitors shows nought.
func (w *Web) Body(epoch int, host, at string) (words []string, body []byte, ok bool) {
	d := w.find(epoch, host, at)
	if d == nil || d.status != 0 {
		return nil, nil, false
	}
	words, body = d.render(at, 0)
	return words, body, true
}

// Links are the addresses that a page, or a site map, writes in an epoch.
func (w *Web) Links(epoch int, host, at string) []string {
	d := w.find(epoch, host, at)
	if d == nil || d.status != 0 {
		return nil
	}
	list := slices.Concat(d.embeds, d.links, d.quiet)
	for _, mapped := range strings.Split(d.raw, "<loc>")[1:] {
		u, _, _ := strings.Cut(mapped, "</loc>")
		list = append(list, html.UnescapeString(u))
	}
	return list
}

// find has each document under more than one address: the parameters of a query in any order, or with
// one that is the number of a session; letters of either case; the name of an index, or none.
func (w *Web) find(epoch int, host, at string) *document {
	f := w.at[host]
	if f == nil {
		return nil
	}
	t := f.trees[epoch][host]
	at, query, _ := strings.Cut(strings.ToLower(at), "?")
	at = strings.TrimSuffix(at, indexName)
	parameters := strings.Split(query, "&")
	slices.Sort(parameters)
	if d := t[at+"?"+strings.Join(parameters, "&")]; d != nil {
		return d
	}
	if d := t[at]; d != nil {
		return d
	}
	if at == robots {
		return nil
	}
	return t["*"]
}

// indexName is what the file of a directory may be called.
const indexName = "index.html"

// ServeHTTP answers as the host of the request does in the epoch. Its tags tell what has changed.
func (w *Web) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	host, _, _ := strings.Cut(r.Host, ":")
	at := r.URL.RequestURI()
	epoch := int(w.epoch.Load())
	d := w.find(epoch, host, at)
	switch {
	case !w.answers(epoch, host):
		if to := w.at[host].to; to != "" {
			http.Redirect(out, r, to+at, http.StatusMovedPermanently)
			return
		}
		http.Error(out, "too much is asked", http.StatusServiceUnavailable)
		return
	case d == nil:
		http.NotFound(out, r)
		return
	case d.status == hangsUp:
		panic(http.ErrAbortHandler)
	case d.to != "":
		http.Redirect(out, r, d.to, d.status)
		return
	}
	_, body := d.render(at, w.visitors.Add(1))
	sum := sha256.Sum256(body)
	tag := strconv.Quote(hex.EncodeToString(sum[:8]))
	out.Header().Set("Content-Type", d.mime(at))
	if d.status == 0 {
		out.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			out.WriteHeader(http.StatusNotModified)
			return
		}
	} else {
		out.WriteHeader(d.status)
	}
	_, _ = out.Write(body) // a client that went away is the client's matter
}

var types = map[string]string{
	".png": "image/png", ".pdf": "application/pdf", ".zip": "application/zip", ".css": "text/css",
	".js": "text/javascript", ".txt": "text/plain; charset=utf-8", ".xml": "application/xml",
}

// ending is that of a path, without a query.
func ending(at string) string {
	at, _, _ = strings.Cut(at, "?")
	return strings.ToLower(path.Ext(at))
}

func (d *document) mime(at string) string {
	if t := types[ending(at)]; t != "" {
		return t
	}
	if d.latin {
		return "text/html; charset=iso-8859-1"
	}
	return "text/html; charset=utf-8"
}

// render makes the words of a text, and the body.
func (d *document) render(at string, visitor int64) (words []string, body []byte) {
	switch ext := ending(at); {
	case d.raw != "":
		return nil, []byte(d.raw)
	case ext == ".txt":
		words = d.text()
		return words, []byte(strings.Join(words, " "))
	case ext != "" && ext != ".html":
		sum := sha256.Sum256([]byte(d.key))
		body = fmt.Appendf(nil, "%s\n%x", ext, slices.Repeat(sum[:], 40))
		for _, u := range d.embeds {
			body = fmt.Appendf(body, "\np {background: url(%s)}", u)
		}
		return nil, body
	}
	words = d.text()
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html><title>%s</title><p>%s</p>", words[0], strings.Join(words, " "))
	if d.banner != "" {
		fmt.Fprintf(&b, "<p>%s</p>", d.banner)
		words = append(words, strings.Fields(d.banner)...)
	}
	if d.counts {
		fmt.Fprintf(&b, "<p>%d visitors</p>", visitor)
	}
	for _, u := range d.embeds {
		switch path.Ext(u) {
		case ".css":
			fmt.Fprintf(&b, `<link rel="stylesheet" href="%s">`, u)
		case ".js":
			fmt.Fprintf(&b, `<script src="%s"></script>`, u)
		case "", ".html":
			fmt.Fprintf(&b, `<iframe src="%s"></iframe>`, u)
		case ".gif":
			fmt.Fprintf(&b, `<img srcset="%s 2x">`, u)
		default:
			fmt.Fprintf(&b, `<img src="%s">`, u)
		}
	}
	for _, u := range d.links {
		fmt.Fprintf(&b, "<a href=%q>%s</a> ", u, path.Base(u))
	}
	for _, u := range d.quiet {
		fmt.Fprintf(&b, "<a href=%q></a>", u)
	}
	if d.latin {
		for _, c := range b.String() {
			body = append(body, byte(c))
		}
		return words, body
	}
	return words, []byte(b.String())
}

// text draws the words of a document; a part of them, at one place, is of another key.
func (d *document) text() []string {
	words := draw(d.key, d.words)
	for _, key := range d.parts {
		words = append(words, draw(key, 25)...)
	}
	if d.share > 0 {
		n := int(d.share * float64(len(words)))
		copy(words[len(words)-n:], draw(d.own, n))
	}
	return words
}

func draw(key string, n int) []string {
	sum := sha256.Sum256([]byte(key))
	r := rand.New(rand.NewChaCha8(sum))
	words := make([]string, n)
	for i := range words {
		var b []rune
		for range 1 + r.IntN(4) {
			b = append(b, []rune("bcdfglmnprstvz")[r.IntN(14)], []rune("aeiouäéö")[r.IntN(8)])
		}
		words[i] = string(b)
	}
	return words
}
