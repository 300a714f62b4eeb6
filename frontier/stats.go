package frontier

import (
	"time"

	"watershed/page"
	"watershed/store"
)

// Stats is the frontier at one moment.
type Stats struct {
	store.Totals
	Leased    int
	Due       int // hosts that could be fetched from now
	Resting   int // hosts with URLs that rest, because of their delay, or their address's
	BackedOff int // of these, hosts that rest because of failures
	GivenUp   int // hosts given up, of whose other origin nothing waits

	// Longest is the time until the last URL of one host may be asked for, of that host for which it
	// is longest.
	Longest time.Duration
}

// Stats counts; it costs some nanoseconds for each host.
func (f *Frontier) Stats() Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	f.schedule.advance(now)
	s := Stats{Totals: f.totals, Leased: len(f.leases)}
	for _, h := range f.hosts {
		if n := h.rows(); n > 0 {
			s.Longest = max(s.Longest, time.Duration(max(0, h.wake-now))+time.Duration(n-1)*f.gap(h, 0))
		}
		switch {
		case h.known().GivenUp() && h.waiting() == 0:
			s.GivenUp++
		case h.busy || h.waiting() == 0:
		case h.wake <= now && !h.group.busy && h.group.due <= now:
			s.Due++
		default:
			s.Resting++
			if h.wake > now && h.failing(now) {
				s.BackedOff++
			}
		}
	}
	return s
}

// HostInfo is one host for the report.
type HostInfo struct {
	store.Host
	Pending int           // URLs in its queue
	Gap     time.Duration // its pause after a fast answer
	// Floor is its least pause by the options and its robots.txt, as far as that is known.
	Floor time.Duration
	Rests time.Duration // from now on; 0 where it may be asked, or nothing waits
}

// Hosts gives all hosts that ever had a pending URL, in no order.
func (f *Frontier) Hosts() []HostInfo {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := make([]HostInfo, 0, len(f.hosts))
	for _, h := range f.hosts {
		all = append(all, f.info(h))
	}
	return all
}

// Host gives one host; of a host that is not known Floor alone.
func (f *Frontier) Host(name page.Host) (HostInfo, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	h := f.hosts[name]
	if h == nil {
		return HostInfo{Floor: f.ruleFor(name).floor(0)}, false
	}
	return f.info(h), true
}

func (b *books) info(h *host) HostInfo {
	x := HostInfo{
		Host: h.record(), Pending: h.rows(), Gap: b.gap(h, 0), Floor: h.rule.floor(h.known().CrawlDelay),
	}
	if h.waiting() > 0 && !h.busy {
		x.Rests = max(0, time.Duration(max(h.wake, h.group.due)-b.now()))
	}
	return x
}

// floor is the least pause of a host whose robots.txt asks for a delay.
func (p Politeness) floor(delay time.Duration) time.Duration {
	return max(p.Min, min(delay, p.CrawlDelayMax))
}
