package sitemap

import (
	"cmp"
	"math"
	"slices"

	"watershed/graph"
	"watershed/page"
)

// outcome tells in a word the result for a URL, whoever asked for it.
func (w *web) outcome(id graph.ID) (state, note string) {
	switch {
	case w.postponed.has(id):
		return waiting, ""
	case w.missed.has(id) && w.reasons[w.reason[id]] == "":
		return "failed", ""
	case w.missed.has(id):
		return "skipped", w.reasons[w.reason[id]]
	}
	switch w.state[id] {
	case alive:
		return "fetched", ""
	case moved:
		return "redirect", string(w.text(w.links.pages(id)[0]))
	case dropped:
		return "skipped", w.reasons[w.reason[id]]
	case dead:
		return "failed", ""
	}
	return "known", ""
}

func (d *drawing) addOutside(inside func(uint32) bool) {
	m, s, b := d.m, d.s, d.b
	type evidence struct {
		links int
		first uint32
		cut   int64
	}
	found := make(map[uint32]evidence)
	last, names := make([]uint32, len(m.Blocks)), make([]int, len(m.Blocks)) // by block: pages that name it
	for _, u := range b.order {
		if !inside(u) {
			continue
		}
		for _, v := range s.allLinks(u) {
			if k := s.block(v); k >= 0 && k != s.block(u) && last[k] != u+1 && b.places[v].pin != pinnedOut {
				last[k] = u + 1
				names[k]++
			}
			if b.why(v, inside) != WhyNothing {
				continue
			}
			e, again := found[v]
			if !again {
				e.first = u
			}
			e.links++
			if a, k := s.block(u), s.block(v); a >= 0 && k >= 0 {
				e.cut += s.shares.capacity(blockID(a), blockID(k))
			}
			found[v] = e
		}
	}
	for _, u := range b.order { // what only redirects of the site lead to
		if pl := &b.places[u]; !pl.is(isAnswered) || b.web.state[pl.id] != moved ||
			b.why(u, inside) != WhyRedirect {
			continue
		}
		for _, v := range s.leadsTo(u) {
			if _, linked := found[v]; !linked && b.places[v].is(isVertex) && b.why(v, inside) == WhyNothing {
				found[v] = evidence{first: u}
			}
		}
	}
	for _, v := range slices.Concat(b.seeds, d.barred) {
		if _, linked := found[v]; !linked && (b.places[v].is(isExcluded) || b.places[v].pin == pinnedOut) {
			found[v] = evidence{first: v}
		}
	}
	for v, e := range found {
		pl := &b.places[v]
		o := Outsider{
			URL: b.web.text(pl.id), Reason: outOfBoundary, Block: s.block(v), Links: e.links, Cut: e.cut,
		}
		if e.first != v {
			o.From = b.web.text(b.places[e.first].id)
		}
		switch state, note := b.state(v); {
		case pl.is(isExcluded):
			r, _ := matching(b.Exclude, o.URL)
			o.Reason, o.Note = byRule, r.String()
		case pl.pin == pinnedOut:
			o.Reason, o.Note = byRule, b.pinOf(o.URL).rule.String()
		case state == "failed":
			o.Reason = notHad
		default:
			o.Note = note
		}
		d.named.put(pl.id, pl.is(isVertex))
		m.Outside = append(m.Outside, o)
	}
	d.addBeside(names)
}

// allLinks are the places that a page links to, excluded ones too. The list is good until the next
// call.
func (s *settlement) allLinks(u uint32) []uint32 {
	if len(s.book.Exclude) == 0 {
		return s.links(u)
	}
	var list []uint32
	pl := &s.book.places[u]
	if !pl.is(isAnswered) || s.book.web.state[pl.id] != alive {
		return nil
	}
	s.book.each(pl.id, s.book.web.links.pages(pl.id), func(id graph.ID) {
		if v := s.book.resolve(id); v != none && v != u && s.book.places[v].is(isVertex) {
			list = append(list, v)
		}
	})
	slices.Sort(list)
	return slices.Compact(list)
}

func (d *drawing) addBlocks() {
	m, s, b := d.m, d.s, d.b
	inside := make([]int, len(s.blocks.list))
	for p := range b.places {
		if state, _ := b.state(uint32(p)); state != "redirect" && b.why(uint32(p), s.belongs) != WhyNothing {
			inside[s.blocks.of[p]]++
		}
	}
	for k := range s.blocks.list {
		l := &s.blocks.list[k]
		x := Block{
			Name: cmp.Or(s.blockName(blockID(k)), "prefix"), Known: l.known, Fetched: l.fetched,
			Inside: inside[k], With: -1, Kin: s.shares.proof(likeNames{}, blockID(k)),
		}
		m.Blocks = append(m.Blocks, x)
	}
	for key := range s.shares.flow {
		d.weigh(blockID(key>>32), blockID(key), inside)
		d.weigh(blockID(key), blockID(key>>32), inside)
	}
	for k := range m.Blocks {
		m.Blocks[k].Why = m.Blocks[k].why(s, blockID(k))
	}
}

// weigh makes a the partner of k where it is inside and shares more with it than the partner so
// far.
func (d *drawing) weigh(a, k blockID, inside []int) {
	m, s := d.m, d.s
	x := &m.Blocks[k]
	if a != prefixBlock && inside[a] == 0 {
		return
	}
	from, to := s.shares.links(a, k)/float64(graph.Unit), s.shares.links(k, a)/float64(graph.Unit)
	share := s.shares.share(a, k)
	if x.With >= 0 {
		if c := cmp.Or(cmp.Compare(share, x.Share), cmp.Compare(from+to, x.From+x.To),
			cmp.Compare(x.With, int(a))); c <= 0 {
			return
		}
	}
	x.With, x.Share, x.From, x.To = int(a), share, from, to
	x.Links = float64(s.shares.capacity(a, k)) / float64(graph.Unit)
}

// bound is the capacity of a link between blocks from which on it is not for want of shares that
// one is outside: it has its half where the mutual share, or kinship, is Options.Midpoint.
const bound = 0.5

// why says in a few words what decided over a block.
func (x *Block) why(s *settlement, k blockID) (why string) {
	for _, m := range s.book.list {
		if says := m.explain(s, k, x); why == "" {
			why = says
		}
	}
	switch {
	case k == prefixBlock:
		return "prefix of the seeds, and rules"
	case why != "":
		return why
	case x.Inside > 0:
		return "shares its links with the site"
	case x.With < 0:
		return "no link to or from the site"
	case x.Links >= bound:
		return "shares its links with the site, but has more pages than the links that lead there can pay for"
	case x.With == int(prefixBlock) && math.IsInf(s.shares.rivals[k], 1):
		return "the whole of which the seed is a part, or another part or version of it"
	case x.With == int(prefixBlock) && x.Share > 0 && 2*s.shares.rivals[k] > x.Share:
		return "beside the seed, and shares as much with other places there"
	case x.Links > 0:
		return "shares too few links with the site"
	case !s.shares.probed(k):
		return "not looked at further: it could not share enough with the site"
	case x.To == 0:
		return "never links back"
	case x.From == 0:
		return "links to the site, which never links back"
	}
	return "shares too little with the site"
}

// addCut lists the links that are cut, those of a bundle as one.
func (d *drawing) addCut() {
	m, s := d.m, d.s
	at := make(map[CutEdge]int) // index in Cut, by the edge without its capacity
	for _, c := range s.net.Cut().Crossing {
		from, to := s.pages[c.From], s.pages[c.To]
		e := CutEdge{From: s.url(from), To: s.url(to), Block: -1}
		if k := s.blocks.of[from]; s.isBundle(to, k) {
			e.From, e.Block = "", int(k)
		} else if k := s.blocks.of[to]; s.isBundle(from, k) {
			e.To, e.Block = "", int(k)
		}
		i, again := at[e]
		if !again {
			i, at[e] = len(m.Cut), len(m.Cut)
			m.Cut = append(m.Cut, e)
		}
		m.Cut[i].Capacity += c.Capacity
	}
}

// isBundle reports that so many pages of a block link to a page that the links share their capacity.
func (s *settlement) isBundle(v uint32, k blockID) bool {
	return float64(s.shares.count.pages(v, k)) > s.book.opts.Bundle
}

func (s *settlement) url(p uint32) page.URL { return s.book.web.text(s.book.places[p].id) }
