package extract

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"watershed/page"
)

// readLink takes a link element.
func (c *parts) readLink(attrs []html.Attribute) {
	href := attr(attrs, "href")
	if href != "" {
		c.relations(mention{context: "link/@href", ref: href}, relation{
			rel: attr(attrs, "rel"), mime: attr(attrs, "type"), as: attr(attrs, "as"),
			title: attr(attrs, "title"),
		})
	}
	if set := attr(attrs, "imagesrcset"); set != "" {
		c.readSrcset("link/@imagesrcset", set)
	}
}

// relation has the facts of a link element or a Link header on its target.
type relation struct{ rel, mime, as, title string }

// relations adds m once for each kind that its relations amount to.
func (c *parts) relations(m mention, r relation) {
	var done [16]bool // by kind
	style := hasToken(r.rel, "stylesheet")
	for token := range strings.FieldsSeq(r.rel) {
		kind := relKind(strings.ToLower(token), r)
		if style && strings.EqualFold(token, "alternate") { // another stylesheet, not another page
			continue
		}
		c.iconed = c.iconed || strings.EqualFold(token, "icon")
		if kind == 0 || done[kind] {
			continue
		}
		done[kind] = true
		m.kind = kind
		i := c.take(m)
		c.label(i, r.title)
		if i >= 0 && strings.EqualFold(token, "icon") {
			c.mentions[i].icon = true
		}
	}
}

// relKind is the kind of a link by its relation, 0 for no link: relations that lead to no page and
// to no part of one (preconnect, pingback, EditURI, ...), and those that are not known. Sources:
// HTML standard, 4.6.7 (link types); IANA, Link Relations; HTML 4.01, 6.12, for the older ones; the
// DocBook XSL stylesheets for the parts of a book.
func relKind(token string, r relation) page.LinkKind {
	switch token {
	case "stylesheet", "icon", "apple-touch-icon", "apple-touch-icon-precomposed",
		"apple-touch-startup-image", "mask-icon", "fluid-icon",
		"preload", "modulepreload", "manifest", "image_src", "import":
		return page.Embed
	case "prefetch":
		if r.as != "" && !strings.EqualFold(r.as, "document") {
			return page.Embed
		}
		return page.Navigation
	case "canonical":
		return page.Canonical
	case "sitemap":
		return page.Sitemap
	case "feed":
		return page.Feed
	case "alternate":
		return alternateKind(strings.ToLower(r.mime))
	case "home", "next", "prev", "previous", "first", "last", "begin", "end", "start", "up", "parent", "top",
		"contents", "toc", "index", "chapter",
		"section", "subsection", "appendix", "glossary", "amphtml", "child", "archives", "collection", "item",
		"version-history", "latest-version", "predecessor-version", "successor-version",
		"book", "set", "part", "preface", "article", "reference", "refentry", "bibliography",
		"colophon", "dedication":
		return page.Alternate
	case "author", "help", "license", "copyright", "search", "bookmark", "related", "prerender",
		"privacy-policy", "terms-of-service",
		"about", "me", "publisher", "tag", "cite-as", "describedby":
		return page.Navigation
	}
	return 0
}

// alternateKind tells feeds from other versions of a page, and both from interfaces for programs.
func alternateKind(mime string) page.LinkKind {
	mime, _, _ = strings.Cut(mime, ";")
	switch mime = strings.TrimSpace(mime); {
	case strings.Contains(mime, "oembed"), mime == "application/json", mime == "application/activity+json":
		return 0
	case strings.Contains(mime, "rss"), strings.Contains(mime, "atom"), mime == "application/rdf+xml",
		mime == "application/feed+json",
		mime == "text/xml", mime == "application/xml":
		return page.Feed
	}
	return page.Alternate
}

func hasToken(list, token string) bool {
	return slices.ContainsFunc(strings.Fields(list), func(t string) bool {
		return strings.EqualFold(t, token)
	})
}
