package sitemap

import (
	"fmt"

	"watershed/graph"
	"watershed/page"
)

// LinkRule rules over links by the page on which they stand: the links from pages that From matches
// to pages that To matches.
//
// A rule that takes has the site capture the page as context (Neighbour), if the page on which the
// link stands belongs to the site. A rule that leaves has the site treat the link as if it were not
// there: it is no evidence, and it makes nothing known. Requisites and redirects are no links here.
// A rule that leaves wins over a rule that takes, and Site.Exclude over both.
type LinkRule struct {
	From page.Rule
	To   page.Rule // the zero Rule is any page
	Take bool      // else it leaves
}

// String tells the rule as a sentence without a verb's subject: "leave links from
// prefix:http://example.org/calendar/".
func (r LinkRule) String() string {
	text := "leave links from "
	if r.Take {
		text = "take links from "
	}
	text += r.From.String()
	if r.To.Kind != 0 {
		text += " to " + r.To.String()
	}
	return text
}

// leadsTo reports whether a page is one that the rule's links lead to.
func (r LinkRule) leadsTo(u page.URL) bool { return r.To.Kind == 0 || r.To.Match(u) }

// linkRules are rules that all take, or all leave.
type linkRules []LinkRule

// on gives the rules for links that stand on a page. It costs O(rules).
func (list linkRules) on(u page.URL) (on linkRules) {
	for _, r := range list {
		if r.From.Match(u) {
			on = append(on, r)
		}
	}
	return on
}

// to gives the first of the rules for links to a page.
func (list linkRules) to(u page.URL) (LinkRule, bool) {
	for _, r := range list {
		if r.leadsTo(u) {
			return r, true
		}
	}
	return LinkRule{}, false
}

// linkRules are the rules of a site that take, or those that leave.
func (s *Site) linkRules(take bool) (list linkRules) {
	for _, r := range s.Links {
		if r.Take == take {
			list = append(list, r)
		}
	}
	return list
}

// maxExtraHops bounds Site.ExtraHops: from there on it is another crawl.
const maxExtraHops = 10

// validateScope reports mistakes in a site's options for pages and links beyond its boundary.
func (s *Site) validateScope() error {
	if s.ExtraHops < 0 || s.ExtraHops > maxExtraHops {
		return fmt.Errorf("site %q: %d extra hops: want 0 to %d", s.Name, s.ExtraHops, maxExtraHops)
	}
	for _, r := range s.Links {
		if r.From.Kind == 0 {
			return fmt.Errorf("site %q: a rule for links does not say on which pages they stand", s.Name)
		}
	}
	return nil
}

// addLeft lists the pages to which no link of the site's pages leads but those that a rule leaves, or
// that ask not to be followed where this is heeded.
func (d *drawing) addLeft(inside func(uint32) bool) {
	m, b := d.m, d.b
	if len(b.leave) == 0 && len(b.web.shunned) == 0 {
		return
	}
	known := make(map[page.URL]bool)
	for i := range m.Outside {
		known[m.Outside[i].URL] = true
	}
	at := make(map[graph.ID]int) // index in Outside
	leave := func(from, to graph.ID, reason, note string) {
		u := b.web.text(to)
		if q := b.find(to); known[u] || q != none && b.why(q, inside) != WhyNothing {
			return
		}
		if i, again := at[to]; again {
			m.Outside[i].Links++
			return
		}
		at[to] = len(m.Outside)
		d.named.put(to, true)
		m.Outside = append(m.Outside, Outsider{
			URL: u, Reason: reason, Note: note, Block: -1, Links: 1, From: b.web.text(from),
		})
	}
	for _, p := range b.order {
		id := b.places[p].id
		if b.web.state[id] != alive || b.why(p, inside) == WhyNothing {
			continue
		}
		if leaving := b.leaving(id); len(leaving) > 0 {
			for _, to := range b.web.links.pages(id) {
				if r, left := leaving.to(b.web.text(to)); left {
					leave(id, to, byRule, r.String())
				}
			}
		}
		for _, to := range b.web.shunned[id] {
			leave(id, to, byNoFollow, "")
		}
	}
}
