package frontier

import (
	"slices"
	"time"

	"watershed/page"
	"watershed/store"
)

// lane has the URLs that wait for one of a host's two origins (store.Lane). Politeness is owed to
// the host: its lanes are never fetched from at the same time, and its pauses hold for both. But an
// origin that is dead, because nothing listens at its port or its TLS is broken, rests alone, and
// is given up alone; so does one whose robots.txt cannot be had (RFC 9309, 2.3: a robots.txt speaks
// for one scheme, host and port). An answer that slows the crawl down (429, 503) and a failure to
// look up the name (DNS) count for both.
type lane struct {
	queue
	host  *host
	which store.Lane
	drain bool  // its URLs are only waiting to be recorded: it is on the frontier's list for that
	due   int64 // no lease before, for its failures
}

// secureRank is added to the rank of rows in the lane of https, so that the rows of each lane stand
// together in the store.
const secureRank = 64

// laneOf is the lane in which a row stands.
func laneOf(p store.Place) store.Lane {
	if p.Rank >= secureRank {
		return store.HTTPS
	}
	return store.HTTP
}

// placeOf is where a URL waits in its host's queue.
func placeOf(u page.URL, priority int64, order uint64) store.Place {
	rank := rankOf(priority)
	if store.LaneOf(u) == store.HTTPS {
		rank += secureRank
	}
	return store.Place{Rank: rank, Order: order}
}

// bare is a rank without its lane.
func bare(rank uint8) uint8 { return rank % secureRank }

// lane is that in which a row stands; it is made for the first.
func (h *host) lane(p store.Place) *lane {
	which := laneOf(p)
	if h.lanes[which] == nil {
		h.lanes[which] = &lane{host: h, which: which, due: nanos(h.known().Origins[which].Due)}
	}
	return h.lanes[which]
}

// next is the lane whose turn it is: of those that have rested the one with the higher rank, of
// equals the one whose first row entered sooner; where none has rested that which will be first;
// nil when nothing waits.
func (h *host) next(now int64) *lane {
	var best *lane
	for _, l := range h.lanes {
		if l != nil && l.waiting() > 0 && (best == nil || l.before(best, now)) {
			best = l
		}
	}
	return best
}

func (l *lane) before(o *lane, now int64) bool {
	if l.due > now || o.due > now {
		return l.due < o.due
	}
	if a, b := l.topRank(), o.topRank(); a != b {
		return a > b
	}
	return l.firstOrder() < o.firstOrder()
}

// topRank is the rank of the first row that is not leased, without the lane; only for a lane with
// such rows.
func (l *lane) topRank() uint8 { return bare(l.queue.topRank()) }

// waiting is how many rows of both lanes could be leased.
func (h *host) waiting() (n int) {
	for _, l := range h.lanes {
		if l != nil {
			n += l.waiting()
		}
	}
	return n
}

// rows is how many rows both lanes have.
func (h *host) rows() (n int) {
	for _, l := range h.lanes {
		if l != nil {
			n += l.rows
		}
	}
	return n
}

// forgetRows has all rows counted anew.
func (h *host) forgetRows() {
	for _, l := range h.lanes {
		if l != nil {
			l.queue = queue{}
		}
	}
}

// draining reports that rows are being recorded that are not to be fetched.
func (h *host) draining() bool {
	return slices.ContainsFunc(h.lanes[:], func(l *lane) bool { return l != nil && l.drain })
}

// takeDues has the lanes rest as the host's record says.
func (h *host) takeDues() {
	for i, l := range h.lanes {
		if l != nil {
			l.due = nanos(h.known().Origins[i].Due)
		}
	}
}

// charge counts an attempt without a usable answer for those origins that it says something of: for
// both where the name has no address, else for the URL's own.
func charge(rec *store.Host, which store.Lane, x *Outcome, givenUp bool) {
	for i := range rec.Origins {
		if store.Lane(i) != which && x.Status != page.StatusDNS {
			continue
		}
		o := &rec.Origins[i]
		o.Failures++
		o.Cause = short(x.cause())
		o.GivenUp = o.GivenUp || givenUp
	}
}

// ofHost reports a failure for which the whole host rests.
func ofHost(status int, reason store.Reason) bool {
	return reason == store.Throttled || status == page.StatusDNS
}

// rest has an origin rest for its failures; 0 ends that.
func rest(o *store.Origin, now time.Time, d time.Duration) {
	o.Due = time.Time{}
	if d > 0 {
		o.Due = now.Add(d)
	}
}

// failing reports that an origin with something to fetch has not answered of late, or rests for a
// fault of its server.
func (h *host) failing(now int64) bool {
	for i, l := range h.lanes {
		if l != nil && l.waiting() > 0 && (h.known().Origins[i].Failures > 0 || l.due > now) {
			return true
		}
	}
	return false
}
