package protocol

import (
	"strconv"
	"strings"
)

// sitemapReader reads a urlset, whose parts are "url" elements, or an index, whose parts are
// "sitemap" elements; each takes the parts of the other too, since sites mix them up. A field
// counts only where it belongs: the loc of an image or video within a url is no page. Alternates
// are given before the page that they stand in.
type sitemapReader struct {
	*reader
	prefix string // of the root: elements of the sitemap have the same, or none
	part   string // the part that is open, "" for none
	entry  Entry
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
			s.part = name
			s.entry = Entry{Kind: Page, Priority: NoPriority}
			if name == "sitemap" {
				s.entry.Kind = Sitemap
			}
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
	s.part = ""
	s.stack = s.stack[:1]
	return s.give(s.entry)
}

func isField(name string) bool {
	switch name {
	case "loc", "lastmod", "changefreq", "priority":
		return true
	}
	return false
}

// take puts the field that was captured into the entry.
func (s *sitemapReader) take() {
	switch name, value := s.captured(); name {
	case "loc":
		if s.entry.Loc == "" {
			s.entry.Loc = value
		}
	case "lastmod":
		var ok bool
		if s.entry.LastMod, ok = parseDate(value); !ok && value != "" {
			s.problem("lastmod %.60q", value)
		}
	case "changefreq":
		if value = strings.ToLower(value); isFrequency(value) {
			s.entry.ChangeFreq = value
		} else if value != "" {
			s.problem("changefreq %.60q", value)
		}
	case "priority":
		if f, err := strconv.ParseFloat(value, 64); err == nil && f >= 0 && f <= 1 {
			s.entry.Priority = f
		} else if value != "" {
			s.problem("priority %.60q", value)
		}
	}
}

func isFrequency(s string) bool {
	switch s {
	case "always", "hourly", "daily", "weekly", "monthly", "yearly", "never":
		return true
	}
	return false
}

// alternate gives what <xhtml:link rel="alternate" hreflang="de" href="..."/> names. Source:
// Google, "Tell Google about localized versions of your page".
func (s *sitemapReader) alternate() error {
	if rel := s.m.attr("rel"); rel != "" && !strings.EqualFold(rel, "alternate") {
		return nil
	}
	return s.give(Entry{
		Kind: Alternate, Loc: s.m.attr("href"), Lang: s.m.attr("hreflang"),
		Priority: NoPriority,
	})
}
