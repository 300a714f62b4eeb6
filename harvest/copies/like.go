package copies

import (
	"slices"
	"strings"

	"watershed/page"
	"watershed/replica/sketch"
)

// Kind is a kind of content. Evidence of one kind says nothing of another: two viewers with the
// same words may show different scans.
type Kind uint8

// The kinds.
const (
	Text     Kind = iota // pages, and plain text
	Image                // pictures, sound and film
	Document             // PDF and office documents
	Data                 // all else
	kinds
)

// Kinds is how many kinds there are.
const Kinds = int(kinds)

var kindNames = [kinds]string{"text", "image", "document", "data"}

func (k Kind) String() string { return kindNames[k] }

// KindOf is the kind of a media type, which is in lower case and has no parameters.
func KindOf(mime string) Kind {
	switch mime {
	case "", "text/html", "application/xhtml+xml", "text/plain", "text/markdown":
		return Text
	case "application/pdf", "application/postscript", "application/msword", "application/rtf", "text/rtf",
		"application/epub+zip":
		return Document
	}
	switch {
	case strings.HasPrefix(mime, "image/"), strings.HasPrefix(mime, "audio/"),
		strings.HasPrefix(mime, "video/"):
		return Image
	case strings.HasPrefix(mime, "application/vnd.o"), strings.HasPrefix(mime, "application/vnd.ms-"):
		return Document
	}
	return Data
}

// Likeness compares two captures: 1 for equal payloads; of text with sketches, their resemblance;
// else 0. Captures that were cut off are equal to none, and like none that is whole, nor is one had with
// a login like one had without.
func Likeness(a, b *page.Visit) (r sketch.Estimate, equal bool) {
	if a.Login != b.Login || (a.Truncated == page.Whole) != (b.Truncated == page.Whole) {
		return r, false
	}
	x, _ := a.Shown()
	y, _ := b.Shown()
	if a.Truncated == page.Whole && b.Truncated == page.Whole && !x.IsZero() && !y.IsZero() &&
		(x == y || a.Content == b.Content && a.Content != 0) {
		return sketch.Estimate{Value: 1, Exact: true}, true
	}
	if KindOf(a.MIME) != Text || KindOf(b.MIME) != Text {
		return r, false
	}
	return resemblance(a, b), false
}

// resemblance is that of the texts of two visits by their sketches; 0 where one has none.
func resemblance(a, b *page.Visit) (r sketch.Estimate) {
	var x, y sketch.Sketch
	if textOf(a, &x) && textOf(b, &y) {
		r, _ = sketch.Resemblance(&x, &y) // where they were made in different ways nothing is known
	}
	return r
}

// sameWords reports texts of the same words in the same order.
func sameWords(a, b *page.Visit) bool {
	var x, y sketch.Sketch
	return textOf(a, &x) && textOf(b, &y) && x.SameWords(&y)
}

// textOf reads the sketch of what a page shows, and reports whether it has one.
func textOf(v *page.Visit, into *sketch.Sketch) bool {
	_, text := v.Shown()
	return len(text) > 0 && into.Decode(text) == nil
}

// leadsTo reports a redirect to a URL.
func leadsTo(v *page.Visit, to page.URL) bool {
	return v.Status >= 300 && v.Status < 400 && v.Status != 304 &&
		slices.ContainsFunc(v.Links, func(l page.Link) bool { return l.Kind == page.Redirect && l.URL == to })
}

// good reports a page that was had, or is held unchanged.
func good(v *page.Visit) bool { return (v.OK() || v.Status == 304) && !v.SoftError }
