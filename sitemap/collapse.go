package sitemap

import (
	"fmt"
	"strings"

	"watershed/graph"
	"watershed/page"
)

// Collapse says which pages with equal payloads are one vertex.
type Collapse uint8

const (
	CollapseNone       Collapse = iota // each URL is its own
	CollapseHost                       // copies on one host
	CollapseEverywhere                 // copies on any hosts
	collapses
)

var collapseNames = [collapses]string{"none", "host", "everywhere"}

func (c Collapse) String() string {
	if c >= collapses {
		return fmt.Sprintf("Collapse(%d)", uint8(c))
	}
	return collapseNames[c]
}

// leastCopy is the least payload, in bytes, by which two pages are known for copies. A shorter
// payload says too little: empty frames, notices. URLs that differ in case alone need no size.
const leastCopy = 512

// payloads tells which URLs brought the same payload.
type payloads struct {
	collapse Collapse
	class    map[graph.ID]uint32 // of a page that can be a copy
	number   map[payloadKey]uint32
}

// payloadKey is what copies have in common.
type payloadKey struct {
	digest page.Digest
	host   page.Host // "" for copies everywhere
	folded string    // the URL in lower case where the payload is too small to tell more
}

// note takes over the payload of a visit, and reports whether it is another one than before.
func (x *payloads) note(id graph.ID, v *page.Visit, is state) (changed bool) {
	if x.collapse == CollapseNone {
		return false
	}
	was, had := x.class[id]
	if is != alive || !copyable(v) {
		delete(x.class, id)
		return had
	}
	key := payloadKey{digest: v.Digest}
	if x.collapse == CollapseHost || v.Size < leastCopy {
		key.host = v.URL.Host()
	}
	if v.Size < leastCopy {
		key.folded = strings.ToLower(string(v.URL))
	}
	c, ok := x.number[key]
	if !ok {
		c = uint32(len(x.number))
		// they may be parts of a visit
		key.host, key.folded = page.Host(strings.Clone(string(key.host))), strings.Clone(key.folded)
		x.number[key] = c
	}
	x.class[id] = c
	return !had || was != c
}

// copyable reports whether the payload of a page that lives is whole, and text.
func copyable(v *page.Visit) bool {
	if v.Truncated != page.Whole || v.Digest == (page.Digest{}) || v.Digest == page.EmptyDigest {
		return false
	}
	return strings.HasPrefix(v.MIME, "text/html") || strings.HasPrefix(v.MIME, "text/plain") ||
		strings.HasPrefix(v.MIME, "application/xhtml")
}
