package fetch

import (
	"watershed/internal/coding"
	"watershed/page"
)

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
