package protocol

import "strings"

// sitemapReader reads a urlset, whose parts are "url" elements, or an index, whose parts are
// "sitemap" elements; each takes the parts of the other too, since sites mix them up. A field
// counts only where it belongs: the loc of an image or video within a url is no page. Alternates
// are given before the page that they stand in.
type sitemapReader struct {
	*reader
	prefix string // of the root: elements of the sitemap have the same, or none
	part   string // the part that is open, "" for none
	loc    string
}

func (s *sitemapReader) start() error {
	own := s.m.prefix == s.prefix || s.m.prefix == ""
	switch name := s.m.name; {
	case own && (name == "url" || name == "sitemap"):
		if err := s.flush(); err != nil { // the last one was not closed
			return err
		}
		s.stack = s.stack[:1]
		if s.push(); !s.m.empty {
			s.part, s.loc = name, ""
		}
	case own && s.part != "" && isField(name) && (len(s.stack) == 2 || s.field != ""):
		s.take() // the last field was not closed
		s.stack = s.stack[:2]
		s.capture()
	case s.part != "" && name == "link":
		s.push()
		return s.alternate()
	default:
		s.push()
	}
	return nil
}

func (s *sitemapReader) end() error {
	switch {
	case s.m.name == s.field:
		s.take()
	case s.part != "" && s.m.name == s.part:
		return s.flush()
	}
	s.pop(s.m.name)
	return nil
}

func (s *sitemapReader) flush() error {
	s.take()
	if s.part == "" {
		return nil
	}
	kind := Page
	if s.part == "sitemap" {
		kind = Sitemap
	}
	s.part = ""
	s.stack = s.stack[:1]
	return s.give(kind, s.loc)
}

func isField(name string) bool {
	switch name {
	case "loc", "lastmod", "changefreq", "priority":
		return true
	}
	return false
}

// take takes the location that was captured.
func (s *sitemapReader) take() {
	if name, value := s.captured(); name == "loc" && s.loc == "" {
		s.loc = value
	}
}

// alternate gives what <xhtml:link rel="alternate" hreflang="de" href="..."/> names. Source:
// Google, "Tell Google about localized versions of your page".
func (s *sitemapReader) alternate() error {
	if rel := s.m.attr("rel"); rel != "" && !strings.EqualFold(rel, "alternate") {
		return nil
	}
	return s.give(Alternate, s.m.attr("href"))
}
