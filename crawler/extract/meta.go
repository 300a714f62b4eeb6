package extract

import (
	"cmp"
	"strings"

	"golang.org/x/net/html"

	"watershed/page"
)

// readMeta takes a meta element.
func (c *parts) readMeta(attrs []html.Attribute) {
	content := attr(attrs, "content")
	if content == "" || c.nested > 0 {
		return
	}
	switch pragma := attr(attrs, "http-equiv"); {
	case pragma == "":
	case strings.EqualFold(pragma, "refresh"):
		if ref, ok := refreshURL(content); ok {
			c.add(page.Refresh, "meta/@content", ref)
		}
	case strings.EqualFold(pragma, "content-language") && c.language == "":
		c.language = firstLanguage(content)
	}
	name := attr(attrs, "name")
	if name != "" && (strings.EqualFold(name, "robots") ||
		c.options.Agent != "" && strings.EqualFold(name, c.options.Agent)) {
		c.robots(content)
	}
	switch strings.ToLower(cmp.Or(attr(attrs, "property"), name)) {
	case "og:url", "og:see_also", "twitter:url", "al:web:url":
		if isAddress(content) {
			c.add(page.Navigation, "meta/@content", content)
		}
	case "twitter:player":
		c.add(page.Frame, "meta/@content", content)
	case "twitter:player:stream":
		c.embed("meta/@content", content)
	}
	if isPreview(name, attr(attrs, "property"), attr(attrs, "itemprop")) {
		c.embed("meta/@content", content)
	}
}

// isPreview reports a meta element that names a picture, a video or a sound. Sources: ogp.me; X
// Developer, "Cards markup"; schema.org.
func isPreview(name, property, itemprop string) bool {
	property = cmp.Or(property, name)
	switch strings.ToLower(property) {
	case "og:image", "og:image:url", "og:image:secure_url", "og:video", "og:video:url", "og:video:secure_url",
		"og:audio", "og:audio:url",
		"og:audio:secure_url", "twitter:image", "twitter:image:src", "thumbnail", "msapplication-tileimage":
		return true
	}
	switch strings.ToLower(itemprop) {
	case "image", "thumbnailurl", "contenturl":
		return true
	}
	return false
}

// refreshURL is the address in the content of a meta refresh, or of a Refresh header; ok is false
// where it only reloads the page, or is no refresh. Source: HTML standard, 4.2.5.3, shared
// declarative refresh steps.
func refreshURL(s string) (ref string, ok bool) {
	s = trimSpaceLeft(s)
	n := 0
	for n < len(s) && digit(s[n]) {
		n++
	}
	if n == 0 && (s == "" || s[0] != '.') {
		return "", false
	}
	for n < len(s) && (digit(s[n]) || s[n] == '.') {
		n++
	}
	s = s[n:]
	if s == "" || s[0] != ';' && s[0] != ',' && !space(s[0]) {
		return "", false
	}
	s = trimSpaceLeft(s)
	if s != "" && (s[0] == ';' || s[0] == ',') {
		s = trimSpaceLeft(s[1:])
	}
	if rest, found := afterURL(s); found {
		s = rest
	}
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		s, _, _ = strings.Cut(s[1:], s[:1])
	}
	return s, s != ""
}

// afterURL is the text behind "url =" at the beginning of s.
func afterURL(s string) (string, bool) {
	if len(s) < 3 || !strings.EqualFold(s[:3], "url") {
		return s, false
	}
	rest := trimSpaceLeft(s[3:])
	if rest == "" || rest[0] != '=' {
		return s, false
	}
	return trimSpaceLeft(rest[1:]), true
}

func trimSpaceLeft(s string) string { return strings.TrimLeft(s, " \n\t\r\f") }

// robots takes the directives of a robots meta element or an X-Robots-Tag header.
// Source: Google, "Robots meta tag, data-nosnippet, and X-Robots-Tag specifications".
func (c *parts) robots(directives string) {
	for d := range strings.FieldsFuncSeq(directives, func(r rune) bool {
		return r == ',' || r == ';' || r <= ' '
	}) {
		switch strings.ToLower(d) {
		case "noindex":
			c.result.NoIndex = true
		case "nofollow":
			c.result.NoFollow = true
		case "none":
			c.result.NoIndex, c.result.NoFollow = true, true
		}
	}
}
