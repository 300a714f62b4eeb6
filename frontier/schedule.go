package frontier

import (
	"math"
	"net/netip"

	"watershed/store"
)

// Two levels choose the next URL. Hosts with the same address form a group, of which one is fetched
// from at a time; a host whose address is not known yet is a group of its own. In a group the hosts
// that have rested stand in one heap, the best first, and the others in a second one, the soonest
// first. The groups stand in two heaps in the same manner. So each step costs O(log hosts), however
// many hosts share an address.
//
// Best is the greatest rank − waited/Age, that is rank·Age − due: a host gains one rank by waiting
// for Age, so that none starves, and the key does not change while time goes by. Before them come
// hosts that are begun.

// nanosecond times, as in time.Time.UnixNano; never is after all of them.
const never = math.MaxInt64

// host is one host of the run.
type host struct {
	rec   store.Host // as committed
	lanes [store.Lanes]lane
	group *group
	rule  Politeness

	due      int64 // no lease before
	own      int64 // the same without the delays that were set by hand; due where that is not known
	lead     int64 // so much sooner than due a hasty URL may be leased
	turn     *lane // that is leased from next; nil for none, as of the last place
	wake     int64 // when both host and turn have rested
	busy     bool  // leased, or being drained
	breaks   bool  // an answer broke off twice
	begun    bool  // it was asked for its robots.txt, and for nothing else since
	resolved int64 // until when its address holds
	shunned  netip.Addr

	ready, resting int // places in the group's heaps, -1 for none
}

func newHost(rec store.Host) *host {
	h := &host{rec: rec, ready: -1, resting: -1}
	for i := range h.lanes {
		h.lanes[i].host, h.lanes[i].which = h, store.Lane(i)
	}
	h.takeDues()
	return h
}

// score is the greater the sooner. A host that is begun comes before all others: else a page that
// names a hundred thousand hosts would have as many robots.txt fetched before the first page,
// whatever the limit of pages.
func (h *host) score(age int64) int64 {
	if h.begun {
		return never/2 - h.wake
	}
	return int64(h.turn.topRank())*age - h.wake
}

// group is the hosts of one address.
type group struct {
	addr  netip.Addr // invalid for a host whose address is not known
	due   int64      // no lease before
	busy  bool
	hosts int

	ready, resting heap[*host]
	wake           int64 // when to look at it again

	atReady, atWake int // places in the schedule's heaps, -1 for none
}

// schedule holds all groups that have something to do.
type schedule struct {
	age    int64
	hasty  uint8 // rank from which on URLs are hasty; above all ranks where none are
	groups map[netip.Addr]*group
	ready  heap[*group]
	wakes  heap[*group]
}

func newSchedule(age int64, hasty Hasty) schedule {
	from := uint8(math.MaxUint8)
	if hasty.Priority > 0 {
		from = rankOf(hasty.Priority)
	}
	return schedule{
		age: age, hasty: from, groups: map[netip.Addr]*group{},
		ready: heap[*group]{
			less: func(a, b *group) bool { return a.best().score(age) > b.best().score(age) },
			at:   func(g *group) *int { return &g.atReady },
		},
		wakes: heap[*group]{
			less: func(a, b *group) bool { return a.wake < b.wake },
			at:   func(g *group) *int { return &g.atWake },
		},
	}
}

func (g *group) best() *host { return g.ready.top() }

// groupOf finds the group of an address; an invalid one gets a group of its own at each call.
func (s *schedule) groupOf(a netip.Addr) *group {
	if g, ok := s.groups[a]; ok {
		return g
	}
	age := s.age
	g := &group{
		addr: a, wake: never, atReady: -1, atWake: -1,
		ready: heap[*host]{
			less: func(a, b *host) bool { return a.score(age) > b.score(age) },
			at:   func(h *host) *int { return &h.ready },
		},
		resting: heap[*host]{
			less: func(a, b *host) bool { return a.wake < b.wake },
			at:   func(h *host) *int { return &h.resting },
		},
	}
	if a.IsValid() {
		s.groups[a] = g
	}
	return g
}

// join moves h into a group.
func (s *schedule) join(h *host, g *group, now int64) {
	if h.group == g {
		return
	}
	if old := h.group; old != nil {
		old.ready.remove(h)
		old.resting.remove(h)
		old.hosts--
		h.group = nil
		s.refresh(old, now)
	}
	h.group = g
	g.hosts++
	s.place(h, now)
}

// place puts h where it belongs after its lanes, its due time or its flags have changed. No other
// host may be placed between the change and the call: the heaps would compare hosts that are out of
// order.
func (s *schedule) place(h *host, now int64) {
	g := h.group
	if lane := h.next(max(now, h.due)); lane != nil {
		due := h.due
		if h.lead > 0 && lane.topRank() >= s.hasty {
			due -= h.lead
		}
		h.turn, h.wake = lane, max(due, lane.due)
	}
	switch {
	case h.busy || h.draining() || h.rec.Paused || h.waiting() == 0:
		g.ready.remove(h)
		g.resting.remove(h)
	case h.wake <= now:
		g.resting.remove(h)
		g.ready.fix(h)
	default:
		g.ready.remove(h)
		g.resting.fix(h)
	}
	s.refresh(g, now)
}

// refresh puts g where it belongs: among the ready ones, on the list of those to wake, on both, or
// on none.
func (s *schedule) refresh(g *group, now int64) {
	for g.resting.len() > 0 && g.resting.top().wake <= now {
		h := g.resting.top()
		g.resting.remove(h)
		g.ready.fix(h)
	}
	free := !g.busy && g.due <= now
	if g.ready.len() > 0 && free {
		s.ready.fix(g)
	} else {
		s.ready.remove(g)
	}
	g.wake = never
	switch {
	case g.hosts == 0 && g.due <= now && !g.busy:
		delete(s.groups, g.addr)
	case g.hosts == 0:
		g.wake = g.due
	case !g.busy:
		if g.ready.len() > 0 && !free {
			g.wake = g.due
		} else if g.resting.len() > 0 {
			g.wake = max(g.resting.top().wake, g.due)
		}
	}
	if g.wake != never {
		s.wakes.fix(g)
	} else {
		s.wakes.remove(g)
	}
}

// advance wakes the groups whose time has come.
func (s *schedule) advance(now int64) {
	for s.wakes.len() > 0 && s.wakes.top().wake <= now {
		s.refresh(s.wakes.top(), now)
	}
}

// nextWake is when something may become due; never when nothing rests.
func (s *schedule) nextWake() int64 {
	if s.wakes.len() == 0 {
		return never
	}
	return s.wakes.top().wake
}
