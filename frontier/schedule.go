package frontier

import (
	"math"
	"net/netip"
	"strings"

	"watershed/internal/heap"
	"watershed/page"
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

// host is one host of the run. A page may name a hundred thousand, of which most are never asked:
// so what only the asking makes is kept apart.
type host struct {
	name   page.Host
	number uint32
	busy   bool // leased, or being drained
	breaks bool // an answer broke off twice
	// answers since a further try at a URL last brought another one: see Outcome.fault
	faults uint8
	wary   uint8 // what Host.Slow does not fall below: so often it gave no page for a while, less fairTrust
	trust  uint8 // good answers since wary changed
	begun  bool  // it was asked for its robots.txt, and for nothing else since

	told  *told              // nil while its record has no more than name and number
	lanes [store.Lanes]*lane // nil where nothing ever waited
	group *group
	rule  *Politeness // of the options

	due  int64 // no lease before
	own  int64 // the same without the delays that were set by hand; due where that is not known
	lead int64 // so much sooner than due a hasty URL may be leased
	turn *lane // that is leased from next; nil for none, as of the last place
	wake int64 // when both host and turn have rested

	ready, resting int32 // places in the group's heaps, -1 for none
}

// told is what is known of a host that was asked.
type told struct {
	store.Host                   // as committed
	resolved   int64             // until when its address holds
	shunned    netip.Addr        // did not answer; invalid for none
	moot       [store.Lanes]bool // see strangers.moot, as of its last outcome
}

// nothing is told of hosts that were never asked.
var nothing = &told{}

func newHost(rec store.Host, rule *Politeness) *host {
	// a name may be part of a long URL, which would be kept with it
	h := &host{
		name: page.Host(strings.Clone(string(rec.Name))), number: rec.Number, rule: rule,
		ready: -1, resting: -1,
	}
	h.commit(&rec)
	return h
}

// known is what is told of h, not to be changed: see tell. Name and number may be missing.
func (h *host) known() *told {
	if h.told == nil {
		return nothing
	}
	return h.told
}

// tell is known, to be changed.
func (h *host) tell() *told {
	if h.told == nil {
		h.told = &told{Host: store.Host{Name: h.name, Number: h.number}}
	}
	return h.told
}

// record is the host's record as committed.
func (h *host) record() store.Host {
	if h.told == nil {
		return store.Host{Name: h.name, Number: h.number}
	}
	return h.told.Host
}

// commit takes over a record that was committed.
func (h *host) commit(rec *store.Host) {
	if *rec == h.record() {
		return
	}
	h.tell().Host = *rec
	h.told.Name = h.name
	h.takeDues()
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
	hosts int32
	busy  bool

	ready   heap.Heap[*host, byScore]
	resting heap.Heap[*host, byWake]
	wake    int64 // when to look at it again

	atReady, atWake int32 // places in the schedule's heaps, -1 for none
}

// The orders of hosts and groups that are ready and of those that rest.
type (
	byScore  struct{ age int64 }
	byWake   struct{}
	byBest   struct{ age int64 }
	byWaking struct{}
)

func (o byScore) Before(a, b *host) bool { return a.score(o.age) > b.score(o.age) }
func (byScore) At(h *host) *int32        { return &h.ready }
func (byWake) Before(a, b *host) bool    { return a.wake < b.wake }
func (byWake) At(h *host) *int32         { return &h.resting }
func (o byBest) Before(a, b *group) bool { return a.best().score(o.age) > b.best().score(o.age) }
func (byBest) At(g *group) *int32        { return &g.atReady }
func (byWaking) Before(a, b *group) bool { return a.wake < b.wake }
func (byWaking) At(g *group) *int32      { return &g.atWake }

// schedule holds all groups that have something to do.
type schedule struct {
	age    int64
	hasty  uint8 // rank from which on URLs are hasty; above all ranks where none are
	groups map[netip.Addr]*group
	ready  heap.Heap[*group, byBest]
	wakes  heap.Heap[*group, byWaking]
}

func newSchedule(age int64, hasty Hasty) schedule {
	from := uint8(math.MaxUint8)
	if hasty.Priority > 0 {
		from = rankOf(hasty.Priority)
	}
	return schedule{
		age: age, hasty: from, groups: map[netip.Addr]*group{},
		ready: heap.Heap[*group, byBest]{By: byBest{age}},
	}
}

func (g *group) best() *host { return g.ready.Top() }

// groupOf finds the group of an address; an invalid one gets a group of its own at each call.
func (s *schedule) groupOf(a netip.Addr) *group {
	if g, ok := s.groups[a]; ok {
		return g
	}
	g := &group{
		addr: a, wake: never, atReady: -1, atWake: -1,
		ready: heap.Heap[*host, byScore]{By: byScore{s.age}},
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
		old.ready.Remove(h)
		old.resting.Remove(h)
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
	case h.busy || h.draining() || h.waiting() == 0:
		g.ready.Remove(h)
		g.resting.Remove(h)
	case h.wake <= now:
		g.resting.Remove(h)
		g.ready.Fix(h)
	default:
		g.ready.Remove(h)
		g.resting.Fix(h)
	}
	s.refresh(g, now)
}

// refresh puts g where it belongs: among the ready ones, on the list of those to wake, on both, or
// on none.
func (s *schedule) refresh(g *group, now int64) {
	for g.resting.Len() > 0 && g.resting.Top().wake <= now {
		h := g.resting.Top()
		g.resting.Remove(h)
		g.ready.Fix(h)
	}
	free := !g.busy && g.due <= now
	if g.ready.Len() > 0 && free {
		s.ready.Fix(g)
	} else {
		s.ready.Remove(g)
	}
	g.wake = never
	switch {
	case g.hosts == 0 && g.due <= now && !g.busy:
		delete(s.groups, g.addr)
	case g.hosts == 0:
		g.wake = g.due
	case !g.busy:
		if g.ready.Len() > 0 && !free {
			g.wake = g.due
		} else if g.resting.Len() > 0 {
			g.wake = max(g.resting.Top().wake, g.due)
		}
	}
	if g.wake != never {
		s.wakes.Fix(g)
	} else {
		s.wakes.Remove(g)
	}
}

// advance wakes the groups whose time has come.
func (s *schedule) advance(now int64) {
	for s.wakes.Len() > 0 && s.wakes.Top().wake <= now {
		s.refresh(s.wakes.Top(), now)
	}
}

// nextWake is when something may become due; never when nothing rests.
func (s *schedule) nextWake() int64 {
	if s.wakes.Len() == 0 {
		return never
	}
	return s.wakes.Top().wake
}
