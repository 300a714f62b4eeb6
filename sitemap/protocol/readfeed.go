package protocol

import (
	"net/url"
	"strings"
)

// rssReader reads RSS 0.9x, 1.0 and 2.0. A page is what an item links to, or its guid where that is
// a permanent link, or its rdf:about; and the page that the channel itself stands for.
type rssReader struct {
	*reader
	item  bool // an item is open
	loc   string
	guid  string
	perma bool // guid is a link
}

func (r *rssReader) start() error {
	m := &r.m
	switch in := r.top().name; {
	case m.prefix == "" && m.name == "item":
		if err := r.flush(); err != nil {
			return err
		}
		if r.push(); !m.empty {
			r.item, r.loc, r.guid, r.perma = true, "", "", false
			if about := m.attr("rdf:about"); looksLikeURL(about) {
				r.guid, r.perma = about, true
			}
		}
		return nil
	case m.name == "link" && m.attr("href") != "": // atom:link within RSS
		r.push()
		return r.atomLink(in)
	case m.prefix == "" && m.name == "link" && (in == "channel" || in == "item"):
		r.take()
		r.capture()
	case r.item && in == "item" && m.prefix == "" && m.name == "guid":
		r.take()
		r.perma = !strings.EqualFold(m.attr("ispermalink"), "false")
		r.capture()
	case r.item && in == "item" && (m.name == "pubdate" || m.name == "date" && m.prefix == "dc"):
		r.take() // a link before it was not closed
		r.capture()
	case r.item && (m.name == "enclosure" && m.prefix == "" || m.name == "content" && m.prefix == "media"):
		r.push()
		return r.give(Enclosure, r.attrURL("url"))
	default:
		r.push()
	}
	return nil
}

func (r *rssReader) end() error {
	switch {
	case r.m.name == r.field:
		if !r.item && r.field == "link" {
			r.pop(r.m.name)
			return r.home()
		}
		r.take()
	case r.m.name == "item":
		return r.flush()
	}
	r.pop(r.m.name)
	return nil
}

// home gives the page that the channel stands for.
func (r *rssReader) home() error {
	if _, loc := r.captured(); loc != "" {
		return r.give(Item, r.absolute(loc))
	}
	return nil
}

func (r *rssReader) take() {
	switch name, value := r.captured(); name {
	case "link":
		if r.item && r.loc == "" {
			r.loc = r.absolute(value)
		}
	case "guid":
		r.guid = value
	}
}

func (r *rssReader) flush() error {
	r.take()
	if !r.item {
		return nil
	}
	r.item = false
	r.pop("item")
	if r.loc == "" && r.perma && looksLikeURL(r.guid) {
		r.loc = r.guid
	}
	return r.give(Item, r.loc)
}

// atomLink takes the links that RSS borrows from Atom: further parts of the feed, and an item's
// page where it has no own link.
func (r *rssReader) atomLink(in string) error {
	switch rel := strings.ToLower(r.m.attr("rel")); {
	case isMore(rel) && in == "channel":
		return r.give(More, r.attrURL("href"))
	case (rel == "" || rel == "alternate") && r.item && r.loc == "":
		r.loc = r.attrURL("href")
	}
	return nil
}

// isMore reports a relation that leads to another part of the same feed.
func isMore(rel string) bool {
	switch rel {
	case "next", "previous", "prev", "first", "last", "prev-archive", "next-archive", "current":
		return true
	}
	return false
}

// atomReader reads Atom. A page is the first alternate link of an entry or of the feed, or else the
// src of an entry's content; other alternates are given as such.
type atomReader struct {
	*reader
	open bool // an entry is open
	loc  string
	src  string
}

func (a *atomReader) start() error {
	m := &a.m
	if m.prefix != a.stack[0].prefix && m.prefix != "" { // an extension
		a.push()
		return nil
	}
	switch m.name {
	case "entry":
		if err := a.flush(); err != nil {
			return err
		}
		a.stack = a.stack[:1]
		if a.push(); !m.empty {
			a.open, a.loc, a.src = true, "", ""
		}
	case "link":
		err := a.link()
		a.push()
		return err
	case "content":
		if a.open && a.src == "" {
			a.src = a.attrURL("src")
		}
		a.push()
	default:
		a.push()
	}
	return nil
}

func (a *atomReader) end() error {
	if a.m.name == "entry" {
		return a.flush()
	}
	a.pop(a.m.name)
	return nil
}

func (a *atomReader) flush() error {
	if !a.open {
		return nil
	}
	a.open = false
	a.pop("entry")
	if a.loc == "" {
		a.loc = a.src
	}
	return a.give(Item, a.loc)
}

// link takes a link of the feed or of the entry that is open, not those within an entry's source or
// content.
func (a *atomReader) link() error {
	in := a.top().name
	if in != "feed" && in != "entry" && in != "link" {
		return nil
	}
	loc := a.attrURL("href")
	switch rel := strings.ToLower(a.m.attr("rel")); {
	case loc == "":
	case rel == "enclosure" && a.open:
		return a.give(Enclosure, loc)
	case rel != "" && rel != "alternate":
		if isMore(rel) && !a.open {
			return a.give(More, loc)
		}
	case !a.open:
		return a.give(Item, loc)
	case a.loc == "":
		a.loc = loc
	default:
		return a.give(Alternate, loc)
	}
	return nil
}

// attrURL is an attribute of the start tag at hand, as a URL.
func (p *reader) attrURL(name string) string {
	base := p.top().base
	if own := p.m.attr("xml:base"); own != "" && len(own) <= maxBase {
		base = join(base, own)
	}
	return join(base, p.m.attr(name))
}

// absolute applies the xml:base in force.
func (p *reader) absolute(ref string) string { return join(p.top().base, ref) }

// join resolves ref against base, where there is one and both are URLs.
func join(base, ref string) string {
	if base == "" || ref == "" {
		return ref
	}
	b, err := url.Parse(base)
	if err != nil {
		return ref
	}
	u, err := b.Parse(ref)
	if err != nil {
		return ref
	}
	return u.String()
}
