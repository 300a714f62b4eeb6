package sitemap

import (
	"fmt"
	"slices"

	"watershed/graph"
	"watershed/page"
)

// Why is the reason for which the survey wants a page, or a page belongs to a site.
type Why uint8

const (
	WhyNothing   Why = iota // it is neither wanted nor inside
	WhySeed                 // a seed or a characteristic page, or what a seed redirects to
	WhyRule                 // a rule of the archivist
	WhyPrefix               // inside the prefix, host or domain of the seeds
	WhyFlow                 // inside the cut
	WhyProbe                // a sample of a block that might belong
	WhyRequisite            // a page of the site shows it, or names it for previews
	WhyRedirect             // it redirects to a page of the site, or lies where its pages lie
	WhySitemap              // a sitemap of a host of the site
	WhySuperset             // what is clustered to find the site in it
	WhyCopy                 // an address of a page of the site, in another spelling
	// a sitemap or a feed lists it, or it is the index of a directory; a sample, and then more
	WhyListed
	WhyContext  // outside, and captured with the site (Site.ExtraHops, Site.Links)
	WhyDocument // a document that the site alone leads to
	whys
)

var whyNames = [whys]string{
	"nothing", "seed", "rule", "prefix", "flow", "probe", "requisite", "redirect",
	"sitemap", "superset", "copy", "listed", "context", "document",
}

func (w Why) String() string {
	if w >= whys {
		return fmt.Sprintf("Why(%d)", uint8(w))
	}
	return whyNames[w]
}

// MarshalText writes the name.
func (w Why) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText reads the name.
func (w *Why) UnmarshalText(text []byte) error {
	i := slices.Index(whyNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("reason %q: want one of %v", text, whyNames)
	}
	*w = Why(i)
	return nil
}

// Want is a page that the survey asks for and that was never fetched.
type Want struct {
	URL  page.URL
	Site string // name of the site on whose behalf

	// Priority in fixed point (graph.Unit): the capacity that binds a page that the flow wants to
	// those inside, which bounds its excess; a constant for the others. Greater comes first.
	Priority int64

	Why  Why
	Via  page.URL      // the page on which the URL was first seen, "" for a seed
	Kind page.LinkKind // of the link there
	// Beyond is how many links of whatever kind lead to the page from the nearest seed or, where the
	// boundary is Logical, from the nearest page before it that lies in the directory of a seed or
	// that a rule includes; 0 for such a page itself. It is farthestBeyond at most.
	Beyond int
}

// farthestBeyond bounds Want.Beyond: from there on every limit has been passed.
const farthestBeyond = 255

// priorities of pages that are wanted for another reason than their excess: requisites first, so
// that a page is whole soon after it was captured; the prefix before pages that hold little excess. Where
// a redirect leads is asked for next, as browsers do: what it was told of, as a session, may not last.
var priorities = [whys]int64{
	WhySeed:      1000 * graph.Unit,
	WhyRedirect:  1000 * graph.Unit,
	WhyRequisite: 100 * graph.Unit,
	WhySitemap:   10 * graph.Unit,
	WhyRule:      graph.Unit,
	WhyPrefix:    graph.Unit,
	WhySuperset:  graph.Unit,
	WhyProbe:     graph.Unit / 2,
	WhyListed:    graph.Unit / 2,
	WhyDocument:  graph.Unit / 2,
	WhyContext:   1, // after all else
}

// wish is a Want whose URLs are not put together yet.
type wish struct {
	place    uint32
	via      graph.ID
	why      Why
	kind     page.LinkKind
	priority int64
}

// wish is the want for a place, with the priority of its reason.
func (b *boundary) wish(p uint32, why Why) wish {
	id := b.places[p].id
	w := wish{p, b.web.via[id], why, b.web.kind[id], priorities[why]}
	switch {
	case why == WhyContext:
		w.via, w.kind = b.around.waiting[p].from, page.Navigation
	case w.kind == page.Redirect:
		w.priority = max(w.priority, priorities[WhyRedirect])
	}
	return w
}

// spell puts the URLs of a wish together.
func (b *boundary) spell(w wish) Want {
	x := Want{
		URL: b.web.text(b.places[w.place].id), Site: b.Name, Priority: w.priority,
		Why: w.why, Kind: w.kind,
	}
	if w.via != graph.None {
		x.Via = b.web.text(w.via)
		x.Beyond = b.beyond(b.places[w.place].id, w.via)
	}
	return x
}

// beyond is Want.Beyond of a page that was found on another one. It costs O(links beyond × seeds).
func (b *boundary) beyond(id, via graph.ID) (n int) {
	for n < farthestBeyond && via != graph.None && !(b.computed() && (b.within(id) || b.includes(id))) {
		n, id, via = n+1, via, b.web.via[via]
	}
	return n
}
