package acceptance

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
)

// maze is a web without end: page n of the tree links to its children, of which it is the first to
// name links, to its parent and to two pages that it draws. Every page has a text of its own, so
// that nothing about it looks like a trap. Pages are spread over hosts by their number, all of them
// of one site.
type maze struct {
	hosts, links uint64
}

// host is the one on which a page lies.
func (m maze) host(n uint64) string { return fmt.Sprintf("h%02d.maze.example", n%m.hosts) }

// url is where a page lies: a few hundred in a directory.
func (m maze) url(n uint64) string {
	return fmt.Sprintf("http://%s/section-%d/article-%d-of-the-maze.html", m.host(n), n/(256*m.hosts), n)
}

// ServeHTTP answers with the page that the address names; of any host it is the same page.
func (m maze) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := uint64(0)
	if _, name, ok := strings.Cut(r.URL.Path, "/article-"); ok {
		digits, _, _ := strings.Cut(name, "-")
		var err error
		if n, err = strconv.ParseUint(digits, 10, 64); err != nil {
			http.NotFound(w, r)
			return
		}
	} else if r.URL.Path != "/" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(m.page(n)) // a crawler that went away is no matter
}

// page is the markup of a page.
func (m maze) page(n uint64) []byte {
	rng := rand.New(rand.NewPCG(n, 1))
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!doctype html><title>Page %d of a maze</title><h1>Page %d</h1>\n", n, n)
	link := func(to uint64) { fmt.Fprintf(&b, "<li><a href=%q>To page %d</a>\n", m.url(to), to) }
	if n > 0 {
		link((n - 1) / m.links)
	}
	for range 2 {
		link(rng.Uint64N(n + 1))
	}
	for i := range m.links {
		link(n*m.links + 1 + i)
	}
	for range 6 {
		b.WriteString("<p>")
		for range 30 {
			b.WriteString(strconv.FormatUint(rng.Uint64N(1<<30), 36))
			b.WriteByte(' ')
		}
	}
	return b.Bytes()
}
