package crawler

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"slices"
	"strings"

	"watershed/archive"
	"watershed/crawler/draw"
	"watershed/crawler/extract"
	"watershed/crawler/reading"
	"watershed/frontier"
	"watershed/graph"
	"watershed/internal/coding"
	"watershed/internal/guard"
	"watershed/page"
	"watershed/store"

	"github.com/zeebo/xxh3"
)

// recorder reads what was fetched, and writes it to the archive.
type recorder struct {
	*tools
	texts texts
}

// read fills the visit from the response.
func (r *recorder) read(x *page.Exchange, v *page.Visit, prior prior) {
	if v.Status <= 0 {
		return
	}
	v.ETag, v.LastModified = x.Header.Get("ETag"), x.Header.Get("Last-Modified")
	if v.Status == 304 && prior.visit != nil {
		old := prior.visit
		v.MIME, v.Charset, v.Language, v.Title, v.NoIndex = old.MIME, old.Charset, old.Language,
			old.Title, old.NoIndex
		v.Digest, v.Content, v.Links, v.Sketch = old.Digest, old.Content, old.Links, old.Sketch
		v.Inlay = old.Inlay
		// nobody knows what a POST sends before the page is drawn again
		v.Links = slices.DeleteFunc(v.Links, func(l page.Link) bool { return posted(l.URL) })
		v.Drawing = r.drawsAgain(v, &prior)                   // what it asks for may have changed
		if v.Unread = old.Unread && !old.DrawnCut; v.Unread { // the next drawing may be whole
			v.Cause = old.Cause
		}
		r.learnUnread(v)
		return
	}
	v.Content = contentOf(x)
	if x.Status >= 400 {
		r.readBody(x, v, false) // an error page's links are the server's, not the site's
		r.readFallback(x, v)
		return
	}
	done, err := r.Reading.Read(v.URL, func() {
		if r.opt.Reads != nil {
			r.opt.Reads(v.URL)
		}
		r.readBody(x, v, true)
	})
	if err != nil {
		r.unjournaled(err)
	}
	if !done {
		r.readBody(x, v, false)
		v.Unread, v.Cause = true, reading.Cause
	}
	if page.Redirects(v.Status) && v.Redirected() == nil && v.Cause == "" {
		v.Cause = nowhere(x.Header.Get("Location"))
	}
}

// nowhere says why a redirect leads to no URL.
func nowhere(location string) string {
	if location == "" {
		return "its redirect does not say where to"
	}
	return fmt.Sprintf("its redirect leads to %q, which is no address of the web",
		strings.ToValidUTF8(location[:min(len(location), 200)], "\uFFFD"))
}

// readFallback has an error drawn that scripts make a page of.
func (r *recorder) readFallback(x *page.Exchange, v *page.Visit) {
	d := r.draws(v)
	if r.Browser == nil || d == DrawNone || v.MIME != "text/html" && v.MIME != "application/xhtml+xml" {
		return
	}
	_, err := r.Reading.Read(v.URL, func() {
		in, look := extract.InputOf(x), draw.Look{}
		in.Text, in.Each = look.Text(nil), look.Piece
		if said := r.Extract.Extract(in); said.Err == nil {
			v.Drawing = d.Of(x.Status, in.Body, &look)
		}
	})
	if err != nil {
		r.unjournaled(err)
	}
}

// unjournaled tells that the journal of what is read could not be written.
func (r *recorder) unjournaled(err error) {
	r.opt.Log.Error("a page that ends the process would not be known by the next", "cause", err)
}

// readBody reads the head of an answer, and its body if body is set.
func (r *recorder) readBody(x *page.Exchange, v *page.Visit, body bool) {
	in := extract.InputOf(x)
	in.Sitemap = page.FoundBy(v.Hops) == page.Sitemap.Hop()
	if !body {
		in.Body = nil
	}
	text := r.texts.get(v.URL)
	draws, look := r.draws(v), draw.Look{}
	if in.Text = text.reader(); draws == DrawShells && body {
		in.Text, in.Each = look.Text(in.Text), look.Piece
	}
	said := r.Extract.Extract(in)
	if body {
		cause := unread(x, &said)
		if cause == "" && v.OK() && strings.Trim(v.Hops, "R") == "" && said.Format == extract.Opaque &&
			extract.LooksLikeHTML(in.Body) {
			cause = "not read: it is HTML, and its server sends it as " + said.Declared
		}
		if cause != "" {
			v.Unread, v.Cause = true, cause
		}
	}
	// the capture is kept, and nothing is known of what it says; text may be half done
	if errors.Is(said.Err, guard.ErrPanic) {
		v.MIME = said.Declared
		return
	}
	defer r.texts.put(text)
	v.Sketch, v.Inlay = text.sketch(), said.Inlay
	v.MIME, v.Charset = cmp.Or(said.Declared, said.Sniffed), said.Charset
	v.Language, v.Title, v.NoIndex, v.Links = said.Language, said.Title, said.NoIndex, said.Links
	v.Unended = v.OK() && said.Unended
	switch {
	case !body || !v.OK():
	case said.Format == extract.HTML:
		v.Drawing = draws.Of(v.Status, in.Body, &look)
	case extract.IsScript(v.MIME):
		v.Drawing = draws.OfScript(v.URL, in.Body)
	default:
		v.Drawing = draws.OfXML(v.MIME, v.Hops, func() []byte { return in.Body })
	}
	switch {
	case !v.OK() || r.shows(v):
	case said.Format == extract.HTML:
		r.learnPlace(v, text)
	case v.URL.NamesDocument():
		r.learnUnread(v)
	}
}

// Of says whether a page is drawn, by its status, its markup and the look at it.
func (d Draws) Of(status int, body []byte, look *draw.Look) page.Drawing {
	switch isError := status >= http.StatusBadRequest; {
	case d == DrawNone, isError && !look.Fallback(status):
		return page.NotDrawn
	case d == DrawAll, isError:
		return page.ToBeDrawn
	}
	switch v := look.Judge(body); {
	case v.Thin:
		return page.DrawThin
	case v.Shell != "":
		return page.ToBeDrawn
	case v.Doubt != "":
		return page.DrawDoubted
	case v.Files:
		return page.DrawScripted
	}
	return page.NotDrawn
}

// OfScript says whether the pages that name a script may have to be drawn.
func (d Draws) OfScript(u page.URL, body []byte) page.Drawing {
	if d == DrawShells && draw.Asks(u, body) {
		return page.DrawScripted
	}
	return page.NotDrawn
}

// OfXML says whether a document in XML is drawn: of many alike, some at first. A document that a
// page needs is a part of that page. The body is read where the rest does not tell.
func (d Draws) OfXML(mime, hops string, body func() []byte) page.Drawing {
	switch {
	case d == DrawNone, page.FoundBy(hops) == page.Embed.Hop(), !extract.MayBeProgram(mime),
		!extract.IsProgram(body()):
		return page.NotDrawn
	case d == DrawAll:
		return page.ToBeDrawn
	}
	return page.DrawDoubted
}

// drawsAgain says whether a page is to be drawn that has not changed since an earlier run. Of a page
// that was never drawn that is told by the capture that the answer refers to.
func (r *recorder) drawsAgain(v *page.Visit, prior *prior) page.Drawing {
	draws := r.draws(v)
	switch was := prior.visit.Drawing; {
	case extract.IsScript(v.MIME):
		return draws.OfScript(v.URL, r.captured(prior.origin.Record, maxShell, extract.Input{URL: v.URL}))
	case draws == DrawNone:
		return page.NotDrawn
	case v.MIME != "text/html" && v.MIME != "application/xhtml+xml":
		return draws.OfXML(v.MIME, v.Hops, func() []byte {
			return r.captured(prior.origin.Record, maxShell, extract.Input{URL: v.URL})
		})
	case draws == DrawAll:
		return page.ToBeDrawn
	case was >= page.DrawDoubted:
		return was
	case was != page.NotDrawn:
		return page.ToBeDrawn
	}
	var look draw.Look
	in := extract.Input{URL: v.URL, Text: look.Text(nil), Each: look.Piece}
	return draws.Of(v.Status, r.captured(prior.origin.Record, maxShell, in), &look)
}

// captured reads the beginning of a capture once more, at most so many bytes, as an input that has its
// URL and what is called. It gives nothing of an archive that was taken away.
func (r *recorder) captured(at page.Location, most int64, in extract.Input) (body []byte) {
	rec, err := r.Open(at)
	if err != nil {
		return nil
	}
	defer func() { _ = rec.Close() }() // it was only read
	m, err := rec.HTTP()
	if err != nil {
		return nil
	}
	in.Status, in.Header = m.Status, textproto.MIMEHeader{}
	for _, f := range m.Header {
		in.Header.Add(f.Name, f.Value)
	}
	in.Body = m.Decoded(most).Bytes
	r.Extract.Extract(in)
	return in.Body
}

// Bounds of what is read of an earlier capture, in bytes: to tell a shell, and to tell which words a
// drawing has added.
const (
	maxShell = 1 << 20
	maxWords = 16 << 20
)

// draws says which pages are drawn where a visit belongs. It does so where there is no browser, too: what
// is not drawn for that is told at the end, and is drawn when the run goes on with one.
func (r *recorder) draws(v *page.Visit) Draws {
	if r.opt.Draws == nil {
		return DrawNone
	}
	return r.opt.Draws(v.Site)
}

// shows reports a page that says nothing by itself: what it brings is known once it is drawn.
func (r *recorder) shows(v *page.Visit) bool {
	return r.Browser != nil && v.OK() && v.Drawing == page.ToBeDrawn && r.draws(v) == DrawShells
}

// unread says why an answer was not read whole, or not heard to its end; "" where it was, or where its
// media type is never read.
func unread(x *page.Exchange, r *extract.Result) string {
	switch b := x.Body; {
	case page.CutOf(x.Truncated, x.Header) == page.CutEndless:
		return "read in part: it is a stream that went on, and was cut"
	case errors.Is(r.Err, guard.ErrPanic):
		return "not read: " + r.Err.Error()
	case r.Err != nil:
		return "read in part: " + r.Err.Error()
	case r.LinksCut:
		return "read in part: it has more links than are read of a page"
	case !r.Read && !strings.HasPrefix(r.Declared, "text/"):
		return ""
	case b.Err != nil && !errors.Is(b.Err, coding.ErrWhole):
		return "read in part: its content coding is broken: " + b.Err.Error()
	case bytes.HasPrefix(b.Bytes, []byte("\x1f\x8b")):
		return "not read: it is compressed, and its Content-Encoding does not say so"
	case !r.Read:
		return ""
	case b.Cut:
		return fmt.Sprintf("read in part: it is longer than the %d bytes that are read of a page",
			len(b.Bytes))
	case x.Truncated != page.Whole:
		return fmt.Sprintf("read in part: the answer is cut (%s): %v", x.Truncated, x.Err)
	case x.Status == http.StatusPartialContent && !wholeRange(x.Header.Get("Content-Range")):
		return "read in part: the server sent a part that nobody asked for (" +
			cmp.Or(x.Header.Get("Content-Range"), "it does not say which") + ")"
	}
	return ""
}

// wholeRange reports a Content-Range of all bytes (RFC 9110, 14.4), as "bytes 0-9/10".
func wholeRange(field string) bool {
	var first, last, size int64
	_, err := fmt.Sscanf(field, "bytes %d-%d/%d", &first, &last, &size)
	return err == nil && first == 0 && last == size-1
}

// contentOf is a digest of the whole payload as it is read, 0 where not all of it is known.
func contentOf(x *page.Exchange) uint64 {
	if b := x.Body; x.Truncated == page.Whole && !b.Cut && b.Err == nil && len(b.Bytes) > 0 {
		return xxh3.Hash(b.Bytes)
	}
	return 0
}

// record writes the capture of an exchange, as a revisit where its payload is held already.
func (r *recorder) record(ctx context.Context, x *page.Exchange, v *page.Visit, prior prior,
	l *frontier.Lease,
) error {
	if x.Response == nil {
		return nil
	}
	asks, err := r.asks(l)
	if err != nil {
		return err
	}
	sum, err := archive.SumPayload(x)
	if err != nil {
		return fmt.Errorf("digest %s: %w", v.URL, err)
	}
	v.Size = sum.Size
	var origin page.Origin
	if x.Status == 304 && prior.visit != nil {
		origin = prior.origin
	} else {
		v.Digest = sum.SHA256
		if origin, err = r.original(x, &sum); err != nil {
			return err
		}
	}
	m := archive.Meta{
		Via: v.Via, Hops: v.Hops, Charset: v.Charset, Site: v.Site,
		Excess:   float64(l.Priority) / float64(graph.Unit),
		Page:     asks,
		Type:     resourceType(l, v.MIME),
		Outlinks: v.Links, Payload: &sum,
	}
	drafts, err := archive.Capture(x, m, origin)
	if err != nil || len(drafts) == 0 {
		return err
	}
	locs, err := r.write(ctx, x.Login, drafts...)
	if err != nil {
		return fmt.Errorf("archive %s: %w", v.URL, err)
	}
	v.Record = locs[0]
	if origin.URL != "" {
		v.Revisit, v.Origin = true, origin
	}
	return nil
}

// asks is the page that asked for a URL: itself, or of a part the page that it was found on, perhaps
// through style sheets, frames and redirects; "" for a sitemap.
func (r *recorder) asks(l *frontier.Lease) (page.URL, error) {
	if !l.Part {
		return l.URL, nil
	}
	trail := l.Hops[len(strings.TrimRight(l.Hops, "ER")):]
	first := strings.IndexByte(trail, page.Embed.Hop())
	if first < 0 {
		return "", nil
	}
	at := l.Via
	err := r.Store.View(func(tx *store.Tx) error {
		for range len(trail) - first - 1 {
			u, _, err := tx.URL(r.Number, at.Key())
			if err != nil || u.Via == 0 {
				return err
			}
			via, _, err := tx.URL(r.Number, u.Via)
			if err != nil {
				return err
			}
			at = via.URL
		}
		return nil
	})
	return at, err
}

// resourceType is what Chromium calls a resource that was asked for so and came under a media type;
// "" where neither tells.
func resourceType(l *frontier.Lease, mime string) string {
	if !l.Part || l.Kind == page.Frame {
		return "document"
	}
	major, minor, _ := strings.Cut(mime, "/")
	switch {
	case l.Kind != page.Embed:
	case major == "image", major == "font":
		return major
	case major == "audio", major == "video":
		return "media"
	case mime == "text/css":
		return "stylesheet"
	case mime == "text/vtt":
		return "texttrack"
	case strings.HasSuffix(minor, "javascript"):
		return "script"
	case mime == "application/manifest+json":
		return "manifest"
	}
	return ""
}
