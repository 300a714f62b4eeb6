package delimit

import (
	"encoding/binary"
	"strings"

	"watershed/graph"
	"watershed/page"
)

// Web is the content of an archive as one compact graph: its URLs, their results, and their links.
// It is filled once and then only read, by any number of goroutines.
//
// It takes about 110 bytes a URL, captured or only linked, and 5 a link; some 40 more a page whose
// digest is told.
//
// Invariant: chunks of links of one URL are chained by prev, the last one first.
type Web struct {
	index graph.Index
	text  []page.URL
	room  strings.Builder

	status []int16 // of the capture, 0 for none
	flags  []flag
	last   []uint32 // 1 + its last chunk, 0 for none
	chunks []chunk
	to     []graph.ID
	kind   []page.LinkKind // parallel to to, with noFollow added

	title map[graph.ID]string  // of pages that stand for a directory
	sums  map[graph.ID]payload // of pages of which the archive tells the SHA-256

	pages int
}

type flag uint8

const (
	isPage flag = 1 << iota // a capture of an HTML page that was answered with success
)

// noFollow marks a link in Web.kind.
const noFollow = 0x80

// payload identifies copies: the first bytes of the SHA-256, and the length.
type payload struct {
	sum       uint64
	size      int64
	truncated page.Truncation
}

type chunk struct{ start, end, prev uint32 }

// NewWeb gives an empty web.
func NewWeb() *Web { return &Web{title: make(map[graph.ID]string)} }

// Add takes a capture in. A second capture of a URL replaces the first, or, with more, adds to its
// links. The visit is not kept. Cost: O(links).
func (w *Web) Add(v *page.Visit, more bool) {
	id := w.intern(v.URL)
	w.status[id] = int16(v.Status)
	if v.OK() && isDocument(v.MIME) && w.flags[id]&isPage == 0 {
		w.flags[id] |= isPage
		w.pages++
		if v.Title != "" && isIndex(v.URL) {
			w.title[id] = strings.Clone(v.Title)
		}
	}
	w.addPayload(id, v)
	prev := w.last[id]
	if !more {
		prev = 0
	}
	c := chunk{start: uint32(len(w.to)), prev: prev}
	for i := range v.Links {
		l := &v.Links[i]
		k := l.Kind
		if l.NoFollow {
			k |= noFollow
		}
		w.to, w.kind = append(w.to, w.intern(l.URL)), append(w.kind, k)
	}
	c.end = uint32(len(w.to))
	w.chunks = append(w.chunks, c)
	w.last[id] = uint32(len(w.chunks))
}

// addPayload takes over the payload of a page.
func (w *Web) addPayload(id graph.ID, v *page.Visit) {
	if v.Digest.IsZero() || w.flags[id]&isPage == 0 {
		delete(w.sums, id)
		return
	}
	if w.sums == nil {
		w.sums = make(map[graph.ID]payload)
	}
	w.sums[id] = payload{binary.BigEndian.Uint64(v.Digest[:]), v.Size, v.Truncated}
}

// URLs is the number of URLs, captured or linked.
func (w *Web) URLs() int { return len(w.text) }

// Links is the number of links.
func (w *Web) Links() int { return len(w.to) }

// Pages is the number of HTML pages that were answered with success.
func (w *Web) Pages() int { return w.pages }

// isDocument tells by its declared type whether an answer is a page, which other pages link to as
// such and which has links of its own: HTML, or an answer without a type. Any other capture belongs
// where a page needs it or leads to it.
func isDocument(mime string) bool { return mime == "" || strings.Contains(mime, "html") }

// isIndex tells by its name whether a page stands for its directory.
func isIndex(u page.URL) bool {
	name := u.PathQuery()
	name = name[strings.LastIndexByte(name, '/')+1:]
	return name == "" || strings.HasPrefix(name, "index.") || strings.HasPrefix(name, "default.") ||
		strings.HasPrefix(name, "welcome.")
}

// intern gives the vertex of u.
func (w *Web) intern(u page.URL) graph.ID {
	for key := uint64(u.Key()); ; key = key*0x9e3779b97f4a7c15 + 1 { // another key where two URLs share one
		id, fresh := w.index.Add(key)
		if fresh {
			w.text = append(w.text, w.keep(u))
			w.status, w.flags, w.last = append(w.status, 0), append(w.flags, 0), append(w.last, 0)
			return id
		}
		if w.text[id] == u {
			return id
		}
	}
}

// find gives the vertex of u, or graph.None.
func (w *Web) find(u page.URL) graph.ID {
	for key := uint64(u.Key()); ; key = key*0x9e3779b97f4a7c15 + 1 {
		if id := w.index.Find(key); id == graph.None || w.text[id] == u {
			return id
		}
	}
}

// chunkBytes is the size of a chunk of texts.
const chunkBytes = 64 << 10

// keep copies u into a chunk, so that it does not keep the text alive from which it was cut, and
// millions are few objects.
func (w *Web) keep(u page.URL) page.URL {
	if w.room.Cap()-w.room.Len() < len(u) {
		w.room = strings.Builder{}
		w.room.Grow(max(chunkBytes, len(u)))
	}
	start := w.room.Len()
	w.room.WriteString(string(u))
	return page.URL(w.room.String()[start:])
}

// isPage reports an HTML page that was answered with success.
func (w *Web) isPage(id graph.ID) bool { return w.flags[id]&isPage != 0 }

// joins calls yield with each target of the page's links that count as arcs of the graph.
func (w *Web) joins(id graph.ID, yield func(graph.ID)) {
	for c := w.last[id]; c != 0; c = w.chunks[c-1].prev {
		for i := w.chunks[c-1].start; i < w.chunks[c-1].end; i++ {
			if k := w.kind[i]; k&noFollow == 0 && k.Joins() && w.to[i] != id {
				yield(w.to[i])
			}
		}
	}
}

// visit fills v from the capture of a URL, with only the part of the digest that tells two apart.
// It gives false where there is none. The links are valid until the next call with the same v.
func (w *Web) visit(id graph.ID, v *page.Visit) bool {
	if w.status[id] == 0 {
		return false
	}
	*v = page.Visit{URL: w.text[id], Status: int(w.status[id]), Links: v.Links[:0]}
	if w.isPage(id) {
		v.MIME = "text/html"
	}
	if x, ok := w.sums[id]; ok {
		binary.BigEndian.PutUint64(v.Digest[:], x.sum)
		v.Size, v.Truncated = x.size, x.truncated
	}
	for c := w.last[id]; c != 0; c = w.chunks[c-1].prev {
		for i := w.chunks[c-1].start; i < w.chunks[c-1].end; i++ {
			v.Links = append(v.Links, page.Link{
				URL: w.text[w.to[i]], Kind: w.kind[i] &^ noFollow,
				NoFollow: w.kind[i]&noFollow != 0,
			})
		}
	}
	return true
}
