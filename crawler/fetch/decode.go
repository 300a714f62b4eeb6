package fetch

import (
	"strings"

	"watershed/internal/coding"
	"watershed/page"
)

// unread bounds the bodies of media that are never read for links, in bytes: enough to tell their kind.
const unread = 64 << 10

// bound is how much of a body is kept in memory, decoded.
func bound(h *head, most int) int {
	kind, _, _ := strings.Cut(strings.ToLower(h.header.Get("Content-Type")), ";")
	kind = strings.TrimSpace(kind)
	major, _, _ := strings.Cut(kind, "/")
	switch major {
	case "image", "audio", "video", "font":
		if !strings.HasSuffix(kind, "+xml") {
			return min(most, unread)
		}
	}
	return most
}

// codingsOf are the codings of a body, in the order in which they were put on: the content's, then the transfer's.
func codingsOf(h *head, kind framing) []string {
	all := h.list("Content-Encoding")
	if kind == byChunks || kind == byClose && !h.old {
		all = append(all, h.list("Transfer-Encoding")...)
	}
	return coding.List(all...)
}

// decode takes the codings of a body off. That the wire broke is the exchange's error, not the body's.
func decode(d *coding.Decoder, wire *body, h *head, limit int) page.Body {
	out, _ := d.Decode(wire, codingsOf(h, wire.kind), limit) // wire.err tells it
	return out
}
