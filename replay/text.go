package replay

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"

	"watershed/archive"
	"watershed/holdings"
	"watershed/page"
)

// Markup is a page as the replay shows it, in UTF-8, with addresses that lead nowhere: for a
// comparison with the captured page. contentType is its header's.
func Markup(body []byte, contentType string, u page.URL) []byte {
	return rewriteMarkup(pageText(body, contentType), u, func(page.URL, kind) string { return "#" })
}

// pageText is a page in UTF-8, as far as it can be decoded.
func pageText(body []byte, contentType string) []byte {
	coding, _, certain := charset.DetermineEncoding(body, contentType)
	if !certain && declaredCharset(body) == "" && utf8.Valid(body) {
		return body // nothing is said, and what DetermineEncoding looks at is the beginning alone
	}
	return decoded(body, coding)
}

// styleText is a style sheet in UTF-8: as its head says, or its @charset, else UTF-8 if it can be.
// Source: CSS Syntax Module Level 3, 3.2, where the encoding of the page counts in place of the
// guess.
func styleText(m *archive.Message) []byte {
	body := m.Decoded(maxMarkup).Bytes
	coding, _, certain := charset.DetermineEncoding(body, m.Header.Get("Content-Type"))
	if certain {
		return decoded(body, coding)
	}
	if named := sheetCharset.FindSubmatch(body); named != nil {
		if e, _ := charset.Lookup(string(named[1])); e != nil {
			return decoded(body, e)
		}
	}
	if utf8.Valid(body) {
		return body
	}
	return decoded(body, coding)
}

var (
	sheetCharset = regexp.MustCompile(`^@charset "([^"]{1,40})";`)
	metaCharset  = regexp.MustCompile(`(?i)<meta[^>]{1,200}charset\s*=\s*["']?([a-z0-9_:.-]{1,40})`)
)

// declaredCharset is the encoding that a page declares near its beginning, "" for none.
func declaredCharset(body []byte) string {
	if found := metaCharset.FindSubmatch(body[:min(len(body), 1024)]); found != nil {
		return string(found[1])
	}
	return ""
}

func decoded(body []byte, coding encoding.Encoding) []byte {
	text, err := coding.NewDecoder().Bytes(body)
	if err != nil {
		return bytes.ToValidUTF8(body, []byte("\ufffd"))
	}
	return text
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
	body := m.Decoded(maxRefresh).Bytes
	z := html.NewTokenizer(bytes.NewReader(body))
	doc := markup{page: f.URL}
	doc.base, doc.based = firstBase(body, f.URL)
	for {
		kind := z.Next()
		doc.read += len(z.Raw())
		switch kind {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			switch {
			case t.Data == "body":
				return ""
			case t.Data == "meta" && strings.EqualFold(attribute(t, "http-equiv"), "refresh"):
				target := refreshTarget(attribute(t, "content"))
				if u, err := doc.atOnce().Resolve(target); err == nil && target != "" && u != f.URL {
					return u
				}
			}
		}
	}
}

// refreshTarget is the address in the content of a refresh, "" for none. Source: HTML standard,
// 4.2.5.3 (shared declarative refresh steps), simplified.
func refreshTarget(content string) string {
	_, rest, found := strings.Cut(strings.ReplaceAll(content, ",", ";"), ";")
	if !found {
		return ""
	}
	rest = strings.TrimSpace(content[len(content)-len(rest):])
	if hasFold(rest, "url") {
		if after := strings.TrimSpace(rest[3:]); strings.HasPrefix(after, "=") {
			rest = strings.TrimSpace(after[1:])
		}
	}
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		rest, _, _ = strings.Cut(rest[1:], rest[:1])
	}
	return rest
}
