package sitemap

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/zeebo/xxh3"

	"watershed/graph"
	"watershed/page"
)

// Collapse says which pages with equal payloads are one vertex.
type Collapse uint8

const (
	// each URL is its own, but for those of a host that differ in letter case or encoding alone
	CollapseNone       Collapse = iota
	CollapseHost                // copies on one host
	CollapseEverywhere          // copies on any hosts
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
	// first is the first page of an address as variantKey folds it, and a payload.
	first map[uint64]graph.ID
	// joined is a page that was learned before and has a class since the last visit, else
	// graph.None.
	joined graph.ID
}

func newPayloads(c Collapse) payloads {
	return payloads{
		collapse: c, class: make(map[graph.ID]uint32), number: make(map[payloadKey]uint32),
		first: make(map[uint64]graph.ID), joined: graph.None,
	}
}

// payloadKey is what copies have in common.
type payloadKey struct {
	digest page.Digest
	host   page.Host // "" for copies everywhere
	folded string    // the URL in lower case where the payload is too small to tell more
}

// note takes over the payload of a visit, and reports whether it is another one than before.
func (x *payloads) note(id graph.ID, v *page.Visit, is state) (changed bool) {
	was, had := x.class[id]
	if is != alive || !copyable(v) {
		delete(x.class, id)
		return had
	}
	if x.collapse == CollapseNone {
		return x.noteVariant(id, v)
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

// noteVariant takes over the payload of a page where only variants of one address are copies: URLs
// of a host that differ in letter case or in what is encoded, with the same payload. A class has
// the number of its first page, which is given one when the second comes.
func (x *payloads) noteVariant(id graph.ID, v *page.Visit) (changed bool) {
	was, had := x.class[id]
	key := variantKey(v)
	first, known := x.first[key]
	switch {
	case !known:
		x.first[key] = id
		delete(x.class, id)
		return had
	case first == id && !had, had && was == uint32(first):
		return false
	}
	if _, has := x.class[first]; !has && first != id {
		x.class[first], x.joined = uint32(first), first
	}
	x.class[id] = uint32(first)
	return true
}

// variantKey is a hash of a visit's payload and of its URL without letter case and encodings.
func variantKey(v *page.Visit) uint64 {
	text := string(v.URL)
	if plain, err := url.PathUnescape(text); err == nil {
		text = plain
	}
	return xxh3.HashString(string(v.Digest[:]) + strings.ToLower(text))
}

// copyable reports whether the payload of a page that lives is whole, and text.
func copyable(v *page.Visit) bool {
	if v.Truncated != page.Whole || v.Digest == (page.Digest{}) || v.Digest == page.EmptyDigest {
		return false
	}
	return strings.HasPrefix(v.MIME, "text/html") || strings.HasPrefix(v.MIME, "text/plain") ||
		strings.HasPrefix(v.MIME, "application/xhtml")
}
