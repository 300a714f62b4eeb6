package replay

import (
	"net/textproto"
	"regexp"

	"watershed/archive"
	"watershed/crawler/extract"
	"watershed/holdings"
	"watershed/page"
)

// Markup is a page as the replay shows it, in UTF-8, with addresses that lead nowhere: for a
// comparison with the captured page. contentType is its header's.
func Markup(body []byte, contentType string, u page.URL) []byte {
	return rewriteMarkup(pageText(body, contentType, u), u, func(page.URL, kind) string { return "#" })
}

// pageText is a page in UTF-8, and styleText a style sheet, as the crawler has read them.
func pageText(body []byte, contentType string, u page.URL) []byte {
	return extract.Decode(input(body, contentType, u), extract.HTML)
}

func styleText(m *archive.Message, u page.URL) []byte {
	in := input(m.Decoded(maxMarkup).Bytes, m.Header.Get("Content-Type"), u)
	return extract.Decode(in, extract.CSS)
}

func input(body []byte, contentType string, u page.URL) extract.Input {
	return extract.Input{URL: u, Header: textproto.MIMEHeader{"Content-Type": {contentType}}, Body: body}
}

// baseOf is the address against which the links of a page in UTF-8 are resolved.
func baseOf(body []byte, u page.URL) page.URL {
	if !elementBase.Match(body) {
		return u
	}
	if r := read(input(body, "text/html; charset=utf-8", u)); len(r.Base) <= maxBase {
		return r.Base
	}
	return u
}

var elementBase = regexp.MustCompile(`(?i)<base`)

// read is a page as the crawler has read it.
func read(in extract.Input) extract.Result {
	e, err := extract.New(extract.Options{})
	if err != nil {
		return extract.Result{Base: in.URL}
	}
	return e.Extract(in)
}

// maxRefresh is how much of a page is looked through for where it leads on, in bytes: beyond its
// head nothing does.
const maxRefresh = 64 << 10

// leadsOn is where a page leads by itself after a time (meta refresh), "" for nowhere. Browsers do
// not follow it in the replay's frame.
func leadsOn(m *archive.Message, f *holdings.Found) page.URL {
	if m.Status != 200 || !holdings.IsPage(m.MIME()) {
		return ""
	}
	in := input(m.Decoded(maxRefresh).Bytes, m.Header.Get("Content-Type"), f.URL)
	for _, l := range read(in).Links {
		if l.Kind == page.Refresh {
			return l.URL
		}
	}
	return ""
}
