package sitemap

import (
	"watershed/graph"
	"watershed/page"
)

// urls gives every URL a dense vertex, and remembers its directory and its name there: a URL takes
// the bytes of its name, with its query, and some 26 more. Its text is put together when it is
// asked for, so that no page's body is kept alive by it either.
type urls struct {
	index graph.Index
	names []piece // what follows the last "/" of the path; marked where the scheme is https
	dir   []dirID
	dirs  directories
}

// add gives the vertex of u, whose key is given.
func (t *urls) add(u page.URL, key uint64) (id graph.ID, fresh bool) {
	for ; ; key = key*0x9e3779b97f4a7c15 + 1 { // another key where two URLs share one
		id, fresh = t.index.Add(key)
		if fresh {
			break
		}
		if t.is(id, u) {
			return id, false
		}
	}
	d, name := t.dirs.add(u)
	t.names = append(t.names, t.dirs.pieces.add(name, u.Scheme() == "https"))
	t.dir = append(t.dir, d)
	return id, true
}

// find gives the vertex of u, or graph.None.
func (t *urls) find(u page.URL) graph.ID {
	for key := uint64(u.Key()); ; key = key*0x9e3779b97f4a7c15 + 1 {
		if id := t.index.Find(key); id == graph.None || t.is(id, u) {
			return id
		}
	}
}

// text is the URL of a vertex. It costs an allocation, and a step for each directory above it.
func (t *urls) text(id graph.ID) page.URL {
	var some [256]byte
	return page.URL(t.appendText(some[:0], id))
}

// appendText is text where the caller has room for it.
func (t *urls) appendText(text []byte, id graph.ID) []byte {
	name, secure := t.dirs.pieces.get(t.names[id])
	if secure {
		text = append(text, "https://"...)
	} else {
		text = append(text, "http://"...)
	}
	return append(t.dirs.appendPath(text, t.dir[id]), name...)
}

// is reports whether u is the URL of a vertex.
func (t *urls) is(id graph.ID, u page.URL) bool {
	var some [256]byte
	return page.URL(t.appendText(some[:0], id)) == u
}

func (t *urls) len() int { return len(t.names) }
