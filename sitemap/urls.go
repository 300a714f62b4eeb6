package sitemap

import (
	"strings"

	"watershed/graph"
	"watershed/page"
)

// urls gives every URL a dense vertex and remembers its text and its directory. Texts lie in large chunks, so that
// millions of them are a few thousand objects to the garbage collector, and so that none keeps a page's body alive.
type urls struct {
	index graph.Index
	text  []page.URL
	dir   []dirID
	dirs  directories
	chunk strings.Builder
}

// chunkBytes is the size of a chunk of texts.
const chunkBytes = 64 << 10

// add gives the vertex of u.
func (t *urls) add(u page.URL) (id graph.ID, fresh bool) {
	for key := uint64(u.Key()); ; key = key*0x9e3779b97f4a7c15 + 1 { // another key where two URLs share one
		id, fresh = t.index.Add(key)
		if fresh {
			break
		}
		if t.text[id] == u {
			return id, false
		}
	}
	t.text = append(t.text, t.keep(u))
	t.dir = append(t.dir, t.dirs.add(id, t.text))
	return id, true
}

// find gives the vertex of u, or graph.None.
func (t *urls) find(u page.URL) graph.ID {
	for key := uint64(u.Key()); ; key = key*0x9e3779b97f4a7c15 + 1 {
		if id := t.index.Find(key); id == graph.None || t.text[id] == u {
			return id
		}
	}
}

// keep copies u into a chunk.
func (t *urls) keep(u page.URL) page.URL {
	if t.chunk.Cap()-t.chunk.Len() < len(u) {
		t.chunk = strings.Builder{}
		t.chunk.Grow(max(chunkBytes, len(u)))
	}
	start := t.chunk.Len()
	t.chunk.WriteString(string(u))
	return page.URL(t.chunk.String()[start:])
}

func (t *urls) len() int { return len(t.text) }
