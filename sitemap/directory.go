package sitemap

import (
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"watershed/page"
)

// dirID is a directory of a host: a node of the tree that all paths form. Scheme does not count:
// http and https of a host are one tree.
type dirID uint32

// noDir is the parent of a host's root.
const noDir dirID = 1<<32 - 1

// directories is the forest of all directories, a tree a host. It takes about 40 bytes a directory,
// and the bytes of its last segment.
type directories struct {
	nodes  []directory
	ids    map[uint64]dirID // by the hash of parent and name
	pieces pieces
	recent []pathOf // by the hash of the path
}

// pathOf is a directory by its path.
type pathOf struct {
	path string // "" for none
	dir  dirID
}

// recentDirs is how many are remembered by their paths: most links lead to directories that were
// met a short while ago.
const recentDirs = 1 << 12

type directory struct {
	parent, root dirID
	segment      piece // its last one, without slashes; of a root the host
	depth        uint16
}

// add gives the directory of a URL, made with its parents where they are new, and the rest of the
// URL behind it.
func (t *directories) add(u page.URL) (d dirID, name string) {
	path, name := cutName(u)
	if t.recent == nil {
		t.recent = make([]pathOf, recentDirs)
	}
	known := &t.recent[xxh3.HashString(path)%recentDirs]
	if known.path != path {
		*known = pathOf{strings.Clone(path), t.find(path)} // the path is a part of a visit
	}
	return known.dir, name
}

// deepest is how deep a directory may lie. A deeper address is a name with slashes, so that links of
// 16 KiB, as a hostile page has them by the hundred, do not make thousands of directories each. A
// harvest asks for no page that deep, unless traps.max_path_depth is raised from 20.
const deepest = 255

// cutName parts a URL without its scheme behind the last slash of its path.
func cutName(u page.URL) (path, name string) {
	_, rest, _ := strings.Cut(string(u), "://")
	end := len(rest)
	if i := strings.IndexByte(rest, '?'); i >= 0 {
		end = i
	}
	i := strings.LastIndexByte(rest[:end], '/') + 1
	if strings.Count(rest[:i], "/") > deepest+1 {
		i = 0
		for range deepest + 1 {
			i += strings.IndexByte(rest[i:], '/') + 1
		}
	}
	return rest[:i], rest[i:]
}

// find gives the directory of a path, made with its parents where they are new.
func (t *directories) find(path string) dirID {
	d := noDir
	for path != "" {
		name, rest, _ := strings.Cut(path, "/")
		d, path = t.child(d, name), rest
	}
	return d
}

// child gives the directory of a name below parent.
func (t *directories) child(parent dirID, name string) dirID {
	// another one where two directories share it
	for hash := xxh3.HashStringSeed(name, uint64(parent)); ; hash++ {
		d, ok := t.ids[hash]
		if !ok {
			return t.make(hash, directory{parent: parent, segment: t.pieces.add(name, false)})
		}
		if n := &t.nodes[d]; n.parent == parent && string(t.segment(n)) == name {
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

// segment is the last segment of a directory; of a root it is the host. It is not to be changed.
func (t *directories) segment(n *directory) []byte {
	text, _ := t.pieces.get(n.segment)
	return text
}

// name is segment as text of its own.
func (t *directories) name(n *directory) string { return string(t.segment(n)) }

// host is the one a directory lies on.
func (t *directories) host(d dirID) page.Host {
	return page.Host(t.name(&t.nodes[t.nodes[d].root]))
}

// path is host and path of a directory, for example "example.org/a/b/".
func (t *directories) path(d dirID) string { return string(t.appendPath(nil, d)) }

// appendPath is path where the caller has room for it.
func (t *directories) appendPath(text []byte, d dirID) []byte {
	var some [16][]byte
	segments := some[:0]
	for ; d != noDir; d = t.nodes[d].parent {
		segments = append(segments, t.segment(&t.nodes[d]))
	}
	for _, s := range slices.Backward(segments) {
		text = append(append(text, s...), '/')
	}
	return text
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

// beside is where the path to d leaves that to a: the child, toward d, of their lowest common
// ancestor, or d itself where it is an ancestor of a. Both are of one host.
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
