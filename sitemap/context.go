package sitemap

import (
	"fmt"
	"slices"

	"watershed/graph"
	"watershed/page"
)

// surroundings are the pages that a site has captured around it, once its boundary has settled:
// pages outside to which its own pages link, and pages to which those link, as far as
// Site.ExtraHops says, and pages that rules take. They are context and no evidence: none of them is
// asked for on behalf of the boundary, and the boundary is the same with and without them.
//
// It looks around when no page of the site is open, wants the pages that were never visited, and
// looks again when as many of these were answered as are still awaited. A look costs O(links of the
// site and of its context). Each look asks for at least half of the remaining pages, so that there
// are a few looks for each hop.
type surroundings struct {
	b        *boundary
	waiting  map[uint32]neighbour // wanted and not answered, by place
	asked    int
	answered int  // since the last look
	stale    bool // the site is not what it was at the last look
	vain     int  // answered with no page
	limited  bool // Site.MaxPages kept something from being asked for
}

// neighbour is a page around a site.
type neighbour struct {
	id   graph.ID
	from graph.ID // the page by which it was found
	hops int      // links from the nearest page of the site; redirects do not count
	rule string   // that takes it, where ExtraHops would not
}

// captured reports whether anything around the site is.
func (s *scope) captured() bool { return s.ExtraHops > 0 || len(s.take) > 0 }

// look looks around a site that has settled, and reports whether it did.
func (c *surroundings) look() bool {
	b := c.b
	if !b.captured() || b.opts.ContextUnasked || b.limited || !b.settled() ||
		!c.stale && (c.answered == 0 || c.answered < len(c.waiting)) {
		return false
	}
	c.stale, c.answered, c.limited = false, 0, false
	waited := c.waiting
	c.waiting = make(map[uint32]neighbour)
	for _, x := range b.lookAround(b.belongs) {
		p := b.place(x.id)
		switch _, again := waited[p]; {
		case again && !b.web.visited(x.id):
			c.waiting[p] = x
		case !b.web.visited(x.id):
			c.ask(p, x)
		case b.web.state[x.id] == alive:
			for _, to := range b.web.links.parts(x.id) {
				b.files.askPart(to, isRequisite)
			}
		}
	}
	return true
}

// ask wants a page as context.
func (c *surroundings) ask(p uint32, x neighbour) {
	b := c.b
	if b.MaxPages > 0 && b.asked-b.vain+c.asked-c.vain >= b.MaxPages {
		c.limited = true
		return
	}
	c.asked++
	c.waiting[p] = x
	b.want(p, WhyContext, 0)
}

// answer takes note that a page was visited, or dropped, that may be awaited as context.
func (c *surroundings) answer(p uint32) {
	if _, waits := c.waiting[p]; waits && !c.b.web.postponed.has(c.b.places[p].id) {
		delete(c.waiting, p)
		c.answered++
		c.b.brings(c.b.places[p].id, &c.vain)
	}
}

// lookAround gives what lies around the pages that are inside, as far as it is known: nearest
// first, and of equally near ones in the order in which pages that lead there are arranged and link
// to them.
func (b *book) lookAround(inside func(uint32) bool) []neighbour {
	b.arrange()
	l := outlook{b: b, inside: inside, seen: make(map[graph.ID]bool)}
	for _, p := range b.order {
		if b.why(p, inside) != WhyNothing {
			l.leave(b.places[p].id)
		}
	}
	first := 0
	for hops := 1; first < len(l.list); hops++ {
		for i := first; i < len(l.list); i++ { // it grows
			if x := l.list[i]; b.web.state[x.id] == moved {
				l.meet(neighbour{b.web.links.pages(x.id)[0], x.id, hops, x.rule})
			}
		}
		end := len(l.list)
		if hops < b.ExtraHops {
			for _, x := range l.list[first:end] {
				if b.web.state[x.id] == alive {
					b.each(x.id, b.web.links.pages(x.id), func(to graph.ID) {
						l.meet(neighbour{to, x.id, hops + 1, ""})
					})
				}
			}
		}
		first = end
	}
	return l.list
}

// outlook is a look around a site under way.
type outlook struct {
	b      *book
	inside func(uint32) bool
	seen   map[graph.ID]bool
	list   []neighbour
}

// leave meets the pages one link beyond a page of the site.
func (l *outlook) leave(from graph.ID) {
	b := l.b
	switch b.web.state[from] {
	case moved:
		if b.ExtraHops > 0 {
			l.meet(neighbour{b.web.links.pages(from)[0], from, 1, ""})
		}
	case alive:
		var taking linkRules
		if b.ExtraHops == 0 {
			if taking = b.take.on(b.web.text(from)); len(taking) == 0 {
				return
			}
		}
		b.each(from, b.web.links.pages(from), func(to graph.ID) {
			if b.ExtraHops > 0 {
				l.meet(neighbour{to, from, 1, ""})
			} else if r, is := taking.to(b.web.text(to)); is {
				l.meet(neighbour{to, from, 1, r.String()})
			}
		})
	}
}

// meet adds a page that is met for the first time, is not of the site, and may be fetched for it.
func (l *outlook) meet(x neighbour) {
	if l.seen[x.id] {
		return
	}
	l.seen[x.id] = true
	b := l.b
	if p := b.find(x.id); p != none && (b.places[p].is(isSeed|inPrefix) || b.why(p, l.inside) != WhyNothing) {
		return // one of the site's own that failed is nobody's context
	}
	if u := b.web.text(x.id); !b.excluded(u) && b.pinOf(u).pin != pinnedOut {
		l.list = append(l.list, x)
	}
}

// partsOf calls take with the known requisites of a page, and with those of each that is new to take.
func (w *web) partsOf(id graph.ID, take func(graph.ID) (fresh bool)) {
	queue := slices.Clone(w.links.parts(id))
	for len(queue) > 0 {
		to := queue[len(queue)-1]
		if queue = queue[:len(queue)-1]; !take(to) {
			continue
		}
		queue = append(queue, w.links.parts(to)...)
		if w.state[to] == moved {
			queue = append(queue, w.links.pages(to)...)
		}
	}
}

// Neighbour is a page outside of a site that is captured as its context: Site.ExtraHops or a rule
// for links wants it. It belongs to the site in no way else.
type Neighbour struct {
	URL page.URL `json:"url"`
	// links from the nearest page of the site, 1 or more; redirects do not count
	Hops  int      `json:"hops"`
	From  page.URL `json:"from"`           // a page that leads there; of a requisite, the page that needs it
	Rule  string   `json:"rule,omitempty"` // for links, that takes it
	State string   `json:"state"`          // fetched, known (to be fetched), redirect, failed or skipped
	Note  string   `json:"note,omitempty"`

	Requisite bool `json:"requisite,omitempty"` // a page of the context cannot be shown without it
}

// Surrounds gives what the map has of a page that is context; ok is false for others. It costs
// O(log pages).
func (m *Map) Surrounds(u page.URL) (x *Neighbour, ok bool) {
	x = find(m.Context, u, func(x *Neighbour) page.URL { return x.URL })
	return x, x != nil
}

// Why tells for which reason a page is context.
func (x *Neighbour) Why() string {
	switch {
	case x.Requisite:
		return WhyRequisite.String()
	case x.Rule != "":
		return x.Rule
	case x.Hops == 1:
		return "1 link from the site"
	}
	return fmt.Sprintf("%d links from the site", x.Hops)
}

// String tells it in a sentence.
func (x *Neighbour) String() string {
	text := "It is wanted as context, "
	if x.State == "fetched" || x.State == "redirect" {
		text = "It is captured as context, "
	}
	switch {
	case x.Requisite:
		text += "for " + string(x.From)
	case x.Rule != "":
		text += "by the rule \"" + x.Rule + "\", from " + string(x.From)
	case x.Hops == 1:
		text += "one link from the site, by " + string(x.From)
	default:
		text += fmt.Sprintf("%d links from the site, by %s", x.Hops, x.From)
	}
	switch x.State {
	case "failed":
		return text + "; it was tried in vain"
	case "skipped":
		return text + "; it was not fetched"
	}
	return text
}

// addContext lists the context of the site, and as outside what that needs and a rule keeps out.
// Requisites of the site are no context.
func (d *drawing) addContext(inside func(uint32) bool) {
	m, b := d.m, d.b
	if !b.captured() {
		return
	}
	m.ContextLimited = b.around.limited
	listed := make(map[graph.ID]bool)
	add := func(x neighbour, requisite bool) {
		y := Neighbour{
			URL: b.web.text(x.id), Hops: x.hops, From: b.web.text(x.from), Rule: x.rule,
			Requisite: requisite,
		}
		if listed[x.id] || m.Has(y.URL) {
			return
		}
		listed[x.id] = true
		y.State, y.Note = b.web.outcome(x.id)
		m.Context = append(m.Context, y)
	}
	near := b.lookAround(inside)
	for _, x := range near {
		add(x, false)
	}
	var seen bitset
	for _, x := range near {
		if b.web.state[x.id] != alive {
			continue
		}
		b.web.partsOf(x.id, func(id graph.ID) bool {
			fresh := seen.put(id, true)
			switch {
			case fresh && !b.excludes(id):
				add(neighbour{id, x.id, x.hops, x.rule}, true)
			case fresh:
				o := Outsider{URL: b.web.text(id), Reason: byRule, Block: -1, From: b.web.text(x.id)}
				r, _ := matching(b.Exclude, o.URL)
				o.Note = r.String()
				m.Outside = append(m.Outside, o)
			}
			return fresh
		})
	}
}
