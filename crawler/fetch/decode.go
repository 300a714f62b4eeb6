package fetch

import (
	"context"
	"io"

	"watershed/internal/coding"
	"watershed/page"
)

// codingsOf are the codings of a body, in the order in which they were put on: the content's, then
// the transfer's.
func codingsOf(h *head, kind framing) []string {
	all := h.list("Content-Encoding")
	if kind == byChunks || kind == byClose && !h.old {
		all = append(all, h.list("Transfer-Encoding")...)
	}
	return coding.List(all...)
}

// read takes the codings of the body off its record, once there is room for it; wire is how the
// wire ended. The connection was given back, and the exchange has its duration: the wait is no
// host's. The error is the context's.
func (r *recorder) read(ctx context.Context, h *head, wire error) error {
	x := r.x
	kind, length := h.framing(r.q.Method)
	size := x.Response.Size() - x.Head
	if kind == noBody || size <= 0 {
		return nil
	}
	limit, names := coding.Bound(h.header.Get("Content-Type"), r.f.opt.MaxDecoded), codingsOf(h, kind)
	most := int64(limit)
	if len(names) == 0 {
		most = min(most, size)
	}
	room, err := r.f.budget.take(ctx, most)
	if err != nil {
		return err
	}
	closeRecord := x.Release
	x.Release = func() error {
		room.cut(0)
		return closeRecord()
	}
	r.again.Reset(io.NewSectionReader(x.Response, x.Head, size))
	record := &recorded{wire: wire}
	record.body = body{br: r.again, limits: &limits{}, kind: kind, left: length, most: size + 1}
	switch {
	case len(names) > 0:
		x.Body, _ = r.decode.Decode(record, names, limit) // wire tells how it ended
	case r.mem != nil && kind != byChunks: // it stands in the record as it is read
		x.Body = page.Body{Bytes: r.mem[x.Head:][:most:most], Cut: most < size}
	default:
		x.Body = plain(record, most)
	}
	r.again.Reset(nil)
	r.mem = nil
	room.cut(int64(len(x.Body.Bytes)))
	return nil
}

// plain reads a body without codings, most bytes of it.
func plain(r io.Reader, most int64) page.Body {
	text := make([]byte, most)
	n, err := io.ReadFull(r, text)
	if err == nil {
		_, err = r.Read(make([]byte, 1))
	}
	return page.Body{Bytes: text[:n:n], Cut: err == nil}
}

// recorded is a body that is read once more, out of its record. It ends as it did on the wire.
type recorded struct {
	body
	wire error // nil for the body's own end
}

func (r *recorded) Read(p []byte) (int, error) {
	n, err := r.body.Read(p)
	if err != nil && r.wire != nil {
		err = r.wire
	}
	return n, err
}
