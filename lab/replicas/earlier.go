package replicas

import (
	"context"
	"net/http"
	"strings"

	"github.com/zeebo/xxh3"

	"watershed/corpus"
	"watershed/page"
	"watershed/replica/catalog"
)

// earlier resolves revisits whose originals are in no archive of the sweep that is added: each is
// the page of an earlier sweep that it names, else one of the same payload, else, where the server
// said that nothing had changed or no digest can be compared, the page of its URL as it was last. A
// revisit has some 200 bytes until resolve has ended.
type earlier struct {
	waiting []revisit
	// which of them a document may answer, by what they know of it
	moments  map[moment][]int
	payloads map[uint64][]int // digests and labels
	urls     map[page.URL][]int

	resolved int
}

// moment names a capture: a URL at a second.
type moment struct {
	url     page.URL
	seconds int64
}

// revisit is one that waits for its original.
type revisit struct {
	url           page.URL
	seconds       int64 // of its own capture
	digest, label uint64
	same          bool // the server said that nothing had changed

	named moment // the zero moment where it names none
	fit   fit
	sweep uint32 // of the document that fits best
	nth   int    // of the documents of that sweep
}

// fit is how sure it is that a document is what a revisit stands for.
type fit uint8

const (
	unfit     fit = iota
	last          // it is the page of the URL, and nothing speaks against it
	equal         // it has the same payload, under another URL
	namedByIt     // it is the capture that the revisit names
	own           // it has the same payload and the same URL
)

// labelOf is the hash of a payload digest that is no SHA-256; 0 for one that is, and for none.
func labelOf(label string) uint64 {
	if _, err := page.ParseDigest(label); label == "" || err == nil {
		return 0
	}
	return xxh3.HashString(strings.ToLower(label)) | 1
}

// wait takes a revisit in.
func (e *earlier) wait(p *corpus.Page) {
	v := p.Visit
	v.Status = http.StatusOK
	d, _ := catalog.Of(&v) // a page that is there tells its digest
	r := revisit{
		url: p.URL, seconds: d.Time, digest: d.Digest, label: labelOf(p.Label),
		same: p.Status == http.StatusNotModified,
	}
	if e.moments == nil {
		e.moments, e.payloads, e.urls = map[moment][]int{}, map[uint64][]int{}, map[page.URL][]int{}
	}
	n := len(e.waiting)
	if p.Origin.URL != "" {
		r.named = moment{p.Origin.URL, p.Origin.Time.Unix()}
		e.moments[r.named] = append(e.moments[r.named], n)
	}
	for _, payload := range []uint64{r.digest, r.label} {
		if payload != 0 {
			e.payloads[payload] = append(e.payloads[payload], n)
		}
	}
	e.urls[r.url] = append(e.urls[r.url], n)
	e.waiting = append(e.waiting, r)
}

// of is how a document fits a revisit.
func (r *revisit) of(d *catalog.Document) fit {
	known := r.digest != 0 && d.Digest != 0 || r.label != 0 && d.Label != 0
	equals := r.digest != 0 && r.digest == d.Digest || r.label != 0 && r.label == d.Label
	switch {
	case d.Gone || known && !equals && !r.same:
		return unfit
	case equals && d.URL == r.url:
		return own
	case r.named == moment{d.URL, d.Time}:
		return namedByIt
	case equals:
		return equal
	case d.URL == r.url && d.Time <= r.seconds:
		return last
	}
	return unfit
}

// resolve gives the documents of the revisits by those of the catalog, a later sweep before an
// earlier one. A revisit of a page that no sweep explains is a page without text, where some sweep
// has it: it has not gone.
func (e *earlier) resolve(ctx context.Context, x *catalog.Catalog,
	yield func(catalog.Document, error) bool,
) {
	known := map[page.URL]bool{}
	if !e.each(ctx, x, yield, func(sweep uint32, nth int, d *catalog.Document) bool {
		if len(e.urls[d.URL]) > 0 {
			known[d.URL] = true
		}
		e.offer(sweep, nth, d)
		return true
	}) {
		return
	}
	chosen := map[[2]int][]*revisit{}
	for i := range e.waiting {
		r := &e.waiting[i]
		if r.fit == unfit {
			d := catalog.Document{URL: r.url, Time: r.seconds, Digest: r.digest, Label: r.label}
			if known[r.url] && !yield(d, nil) {
				return
			}
			continue
		}
		e.resolved++
		at := [2]int{int(r.sweep), r.nth}
		chosen[at] = append(chosen[at], r)
	}
	e.each(ctx, x, yield, func(sweep uint32, nth int, d *catalog.Document) bool {
		for _, r := range chosen[[2]int{int(sweep), nth}] {
			now := *d
			now.URL, now.Time = r.url, r.seconds
			if d.URL != r.url {
				now.Links = nil // they were read against another address
			}
			if !yield(now, nil) {
				return false
			}
		}
		return true
	})
}

// each goes through the documents of all sweeps; false where somebody stopped.
func (e *earlier) each(ctx context.Context, x *catalog.Catalog, yield func(catalog.Document, error) bool,
	look func(sweep uint32, nth int, d *catalog.Document) bool,
) bool {
	if len(e.waiting) == 0 {
		return false
	}
	for _, s := range x.Sweeps() {
		nth := 0
		for d, err := range x.Documents(ctx, s.Number) {
			if err != nil {
				yield(catalog.Document{}, err)
				return false
			}
			if !look(s.Number, nth, d) {
				return false
			}
			nth++
		}
	}
	return true
}

// offer gives a document to the revisits that it may answer.
func (e *earlier) offer(sweep uint32, nth int, d *catalog.Document) {
	for _, list := range [][]int{
		e.moments[moment{d.URL, d.Time}], e.payloads[d.Digest], e.payloads[d.Label], e.urls[d.URL],
	} {
		for _, i := range list {
			r := &e.waiting[i]
			if f := r.of(d); f != unfit && f >= r.fit {
				r.fit, r.sweep, r.nth = f, sweep, nth
			}
		}
	}
}
