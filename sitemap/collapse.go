package sitemap

import (
	"net/url"
	"strings"

	"github.com/zeebo/xxh3"

	"watershed/graph"
	"watershed/page"
)

// payloads tells which URLs of a host brought the same payload and differ in letter case or in what
// is encoded: variants of one address, which are one vertex. A class has the number of its first
// page, which is given one when the second comes.
type payloads struct {
	class map[graph.ID]uint32 // of a page that has a variant
	// first is the first page of an address as variantKey folds it, and a payload.
	first map[uint64]graph.ID
}

func newPayloads() payloads {
	return payloads{make(map[graph.ID]uint32), make(map[uint64]graph.ID)}
}

// note takes over the payload of a visit, and reports whether it is another one than before.
func (x *payloads) note(id graph.ID, v *page.Visit, is state) (changed bool) {
	was, had := x.class[id]
	if is != alive || !copyable(v) {
		delete(x.class, id)
		return had
	}
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
		x.class[first] = uint32(first)
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
	if payload, _ := v.Shown(); payload.IsZero() || v.Truncated != page.Whole {
		return false
	}
	return strings.HasPrefix(v.MIME, "text/html") || strings.HasPrefix(v.MIME, "text/plain") ||
		strings.HasPrefix(v.MIME, "application/xhtml")
}
