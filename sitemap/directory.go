package sitemap

import (
	"strings"

	"github.com/zeebo/xxh3"

	"watershed/graph"
	"watershed/page"
)

// dirID is a directory of a host: a node of the tree that all paths form. Scheme does not count: http and https of a host
// are one tree.
type dirID uint32

// noDir is the parent of a host's root.
const noDir dirID = 1<<32 - 1

// directories is the forest of all directories, a tree a host. A directory has no text of its own: it is read from the first
// URL that lies in it or below. It takes about 45 bytes a directory.
type directories struct {
	nodes []directory
	ids   map[uint64]dirID // by the hash of parent and name
	text  []page.URL       // of the URLs, by vertex
}

type directory struct {
	parent, root dirID
	first        graph.ID // a URL in it or below
	depth        uint16
	from, to     uint16 // its last segment in that URL, without slashes; of a root the host. A URL has at most 16 KiB.
}

// add gives the directory of a URL that was just given its vertex, made with its parents where they are new. texts are those
// of all vertices so far.
func (t *directories) add(id graph.ID, texts []page.URL) dirID {
	t.text = texts
	u := string(texts[id])
	from := strings.Index(u, "://") + len("://")
	to := t.hostEnd(id)
	d := t.child(noDir, id, from, to)
	end := len(u)
	if i := strings.IndexByte(u[to:], '?'); i >= 0 {
		end = to + i
	}
	for {
		from = to + 1
		i := strings.IndexByte(u[from:end], '/')
		if i < 0 {
			return d
		}
		to = from + i
		d = t.child(d, id, from, to)
	}
}

// child gives the directory below parent that a segment of a URL names.
func (t *directories) child(parent dirID, id graph.ID, from, to int) dirID {
	name := t.text[id][from:to]
	for hash := xxh3.HashStringSeed(string(name), uint64(parent)); ; hash++ { // another one where two directories share it
		d, ok := t.ids[hash]
		if !ok {
			return t.make(hash, directory{parent: parent, first: id, from: uint16(from), to: uint16(to)})
		}
		if n := &t.nodes[d]; n.parent == parent && t.name(n) == name {
			return d
		}
	}
}

func (t *directories) make(hash uint64, n directory) dirID {
	if t.ids == nil {
		t.ids = make(map[uint64]dirID)
	}
	d := dirID(len(t.nodes))
	n.root = d
	if n.parent != noDir {
		n.root = t.nodes[n.parent].root
		n.depth = t.nodes[n.parent].depth + 1
	}
	t.nodes = append(t.nodes, n)
	t.ids[hash] = d
	return d
}

// name is the last segment of a directory, of a root the host.
func (t *directories) name(n *directory) page.URL { return t.text[n.first][n.from:n.to] }

// host is the one a directory lies on.
func (t *directories) host(d dirID) page.Host {
	return page.Host(t.name(&t.nodes[t.nodes[d].root]))
}

// path is host and path of a directory, for example "example.org/a/b/".
func (t *directories) path(d dirID) string {
	n, root := &t.nodes[d], &t.nodes[t.nodes[d].root]
	return string(t.name(root)) + string(t.text[n.first][t.hostEnd(n.first):n.to]) + "/"
}

// hostEnd is where the host ends in a URL, and for a root the end of its name.
func (t *directories) hostEnd(id graph.ID) int {
	u := string(t.text[id])
	from := strings.Index(u, "://") + len("://")
	return from + strings.IndexByte(u[from:], '/')
}

// top is the directory below the host's root that holds d, or the root itself.
func (t *directories) top(d dirID) dirID {
	for t.nodes[d].depth > 1 {
		d = t.nodes[d].parent
	}
	return d
}

// contains reports whether d is a or below it.
func (t *directories) contains(a, d dirID) bool {
	for t.nodes[d].depth > t.nodes[a].depth {
		d = t.nodes[d].parent
	}
	return a == d
}

// beside is where the path to d leaves that to a: the child, toward d, of their lowest common ancestor, or d itself where
// it is an ancestor of a. Both are of one host.
func (t *directories) beside(a, d dirID) dirID {
	child := d
	for t.nodes[d].depth > t.nodes[a].depth {
		child, d = d, t.nodes[d].parent
	}
	for t.nodes[a].depth > t.nodes[d].depth {
		a = t.nodes[a].parent
	}
	for a != d {
		child, d, a = d, t.nodes[d].parent, t.nodes[a].parent
	}
	return child
}

// common is the depth of the lowest common ancestor of two directories of one host.
func (t *directories) common(a, d dirID) int {
	for a != d {
		if t.nodes[a].depth >= t.nodes[d].depth {
			a = t.nodes[a].parent
		} else {
			d = t.nodes[d].parent
		}
	}
	return int(t.nodes[a].depth)
}
