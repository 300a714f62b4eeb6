package extract

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"watershed/page"
)

// readHeader takes the links and directives of the response header.
func (c *parts) readHeader() {
	h := c.in.Header
	if h == nil {
		return
	}
	if loc := escaped(h.Get("Location")); loc != "" {
		switch {
		case isRedirect(c.in.Status):
			c.take(mention{kind: page.Redirect, context: "header/Location", ref: loc, header: true})
		case c.in.Status == 201: // what was created
			c.take(mention{kind: page.Navigation, context: "header/Location", ref: loc, header: true})
		}
	}
	if ref, ok := refreshURL(escaped(h.Get("Refresh"))); ok {
		c.take(mention{kind: page.Refresh, context: "header/Refresh", ref: ref, header: true})
	}
	if loc := escaped(h.Get("Content-Location")); loc != "" && !isRedirect(c.in.Status) {
		c.take(mention{kind: page.Alternate, context: "header/Content-Location", ref: loc, header: true})
	}
	for _, field := range h.Values("X-Robots-Tag") {
		c.readRobotsTag(field)
	}
	for _, field := range h.Values("Link") {
		for l := (linkField{rest: field}); l.next(); {
			c.readHeaderLink(&l)
		}
	}
}

// escaped has the bytes of a reference that are no ASCII as percent escapes. A header has no
// encoding, so browsers ask for the bytes that the server sent. Source: Chromium,
// HttpResponseHeaders::IsRedirect.
func escaped(ref string) string {
	var b strings.Builder
	for i := 0; i < len(ref); i++ {
		switch c := ref[i]; {
		case c >= utf8.RuneSelf:
			if b.Len() == 0 {
				b.WriteString(ref[:i])
			}
			fmt.Fprintf(&b, "%%%02X", c)
		case b.Len() > 0:
			b.WriteByte(c)
		}
	}
	if b.Len() == 0 {
		return ref
	}
	return b.String()
}

// readHeaderLink takes one link of a Link header, unless it speaks of another page than this one.
func (c *parts) readHeaderLink(l *linkField) {
	if l.anchor != "" {
		if u, err := c.in.URL.Resolve(l.anchor); err != nil || u != c.in.URL {
			return
		}
	}
	c.relations(mention{context: "header/Link", ref: escaped(l.target), header: true}, l.relation)
	c.readSrcset("header/Link", escaped(l.pictures))
}

// readRobotsTag takes an X-Robots-Tag field, which may be for one crawler only: "otherbot:
// noindex". The directives that have a colon themselves are no names of crawlers.
func (c *parts) readRobotsTag(field string) {
	if agent, rest, ok := strings.Cut(field, ":"); ok && !strings.Contains(agent, ",") {
		switch agent = strings.ToLower(strings.TrimSpace(agent)); agent {
		case "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview":
		default:
			if !strings.EqualFold(agent, c.options.Agent) {
				return
			}
			field = rest
		}
	}
	c.robots(field)
}

// linkField reads the links of one Link header field, one after the other. Text that is no link is
// skipped up to the next comma. Source: RFC 8288, section 3 and appendix B.
type linkField struct {
	rest   string
	target string
	anchor string

	pictures string // as img/@srcset has them
	relation
}

func (l *linkField) next() bool {
	for {
		l.rest = strings.TrimLeft(l.rest, " \t,")
		if l.rest == "" {
			return false
		}
		if l.rest[0] != '<' {
			l.skip()
			continue
		}
		target, rest, ok := strings.Cut(l.rest[1:], ">")
		if !ok {
			l.rest = ""
			return false
		}
		*l = linkField{rest: rest, target: strings.TrimSpace(target)}
		for l.parameter() {
		}
		return true
	}
}

// skip reads up to the next comma outside of quotes.
func (l *linkField) skip() {
	for l.rest != "" && l.rest[0] != ',' {
		if l.rest[0] == '"' {
			l.quoted()
			continue
		}
		l.rest = l.rest[1:]
	}
}

// parameter reads one parameter of the link at hand; false at its end. Of a parameter that stands
// twice the first counts.
func (l *linkField) parameter() bool {
	l.rest = strings.TrimLeft(l.rest, " \t;")
	if l.rest == "" || l.rest[0] == ',' {
		return false
	}
	end := strings.IndexAny(l.rest, "=;, \t")
	if end < 0 {
		end = len(l.rest)
	}
	if end == 0 { // "=" without a name
		l.rest = l.rest[1:]
		return true
	}
	name := strings.ToLower(l.rest[:end])
	l.rest = strings.TrimLeft(l.rest[end:], " \t")
	value := ""
	if strings.HasPrefix(l.rest, "=") {
		l.rest = strings.TrimLeft(l.rest[1:], " \t")
		value = l.value()
	}
	var field *string
	switch name {
	case "rel":
		field = &l.rel
	case "type":
		field = &l.mime
	case "as":
		field = &l.as
	case "title":
		field = &l.title
	case "imagesrcset":
		field = &l.pictures
	case "anchor":
		field = &l.anchor
	}
	if field != nil && *field == "" {
		*field = value
	}
	return true
}

func (l *linkField) value() string {
	if strings.HasPrefix(l.rest, `"`) {
		return l.quoted()
	}
	end := strings.IndexAny(l.rest, ";,")
	if end < 0 {
		end = len(l.rest)
	}
	value := strings.TrimSpace(l.rest[:end])
	l.rest = l.rest[end:]
	return value
}

// quoted reads a quoted string, at whose quote rest begins.
func (l *linkField) quoted() string {
	var b strings.Builder
	for i := 1; i < len(l.rest); i++ {
		switch ch := l.rest[i]; {
		case ch == '"':
			l.rest = l.rest[i+1:]
			return b.String()
		case ch == '\\' && i+1 < len(l.rest):
			i++
			b.WriteByte(l.rest[i])
		default:
			b.WriteByte(ch)
		}
	}
	l.rest = ""
	return b.String()
}
