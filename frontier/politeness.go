package frontier

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"watershed/page"
	"watershed/store"
)

// Outcome is the result of a lease.
type Outcome struct {
	Status       int           // of the response, or one of page's constants below 0 when none came
	ResponseTime time.Duration // of the last request that was sent; 0 when none was
	Bytes        int64         // received
	Visit        uint64        // sequence number of the visit, if there is one
	// RetryAfter is the header of that name, as it came.
	RetryAfter string
	// Skip records the URL as skipped, whatever Status says: robots.txt forbids it, its address is
	// private. Rule and Evidence say more. Of an attempt without a usable answer Evidence is the
	// error; without one the status tells it.
	Skip           store.Reason
	Rule, Evidence string
	// Unsent says that nothing was sent to the host, so that it need not rest.
	Unsent bool
	// Rest is how long the host shall rest at least, for a reason of the caller's.
	Rest time.Duration
	// Unread says why not all of a page that was fetched was read; "" where all of it was.
	Unread string
	// Respelled says that the server redirects the URL to itself, as Spelled. It is asked for once
	// more, so spelled, unless that would go round in a circle: see respell.
	Respelled bool
	Spelled   page.Spelling
	// Broken says that the connection broke in the midst of the answer, or that the server misheard what was
	// asked. The URL is asked for once more, but on a host where that has brought no whole answer either:
	// some tell a wrong length each time.
	Broken bool
	// Empty says that nothing came in place of a page. The URL is asked for once more, as after 500.
	Empty bool
	// File says that what was fetched is neither a page nor a redirect: see Limits.
	File bool
	// Final keeps the URL from being tried again although Status, or Empty, would have it. That there is
	// no answer then says nothing of the host: but for a name that does not exist, as StatusDNS.
	Final bool
	// Spared says that the host gives pages again, of which it gave none for a while.
	Spared bool
}

// ofURL reports an outcome that says nothing of the host.
func (o *Outcome) ofURL() bool { return o.Final && o.Status != page.StatusDNS }

// cause is why an attempt brought no usable answer, in words.
func (o *Outcome) cause() string {
	switch {
	case o.Evidence != "":
		return o.Evidence
	case o.Status > 0:
		return strings.TrimSpace(fmt.Sprintf("%d %s", o.Status, http.StatusText(o.Status)))
	}
	return fmt.Sprintf("status %d", o.Status)
}

// after is a cause with the number of attempts that it ended.
func after(cause string, attempts int) string {
	if attempts > 1 {
		return short(fmt.Sprintf("%s, after %d attempts", cause, attempts))
	}
	return short(cause)
}

// short cuts a text to the length that a record holds, between two characters.
func short(text string) string { return strings.ToValidUTF8(text[:min(len(text), 255)], "") }

// Fate is the state of a URL after an outcome.
type Fate struct {
	State   store.State  // Done, Failed, Skipped, or Pending when it is tried again
	Reason  store.Reason // also of a try that had no usable answer
	GivenUp bool         // the URL's whole origin was given up: its host, by its scheme
}

// retried has the statuses after which a URL is tried again, with the reason under which it fails
// in the end.
var retried = map[int]store.Reason{
	http.StatusTooManyRequests:    store.Throttled,
	http.StatusServiceUnavailable: store.Throttled,
	page.StatusDNS:                store.DNS,
	page.StatusConnect:            store.Connect,
	page.StatusLost:               store.Lost,
	page.StatusTimeout:            store.Timeout,
	page.StatusUnreachable:        store.Unreachable,
	page.StatusDenied:             store.Throttled,
}

// gateways has the statuses by which a gateway says that the server behind it does not answer, mostly for
// a while: those of RFC 9110, 15.6.3 and 15.6.5, and Cloudflare's.
var gateways = map[int]bool{
	http.StatusBadGateway: true, http.StatusGatewayTimeout: true,
	520: true, 521: true, 522: true, 523: true, 524: true, 525: true, 526: true, 527: true, 530: true,
}

// fewFaults is after how many faults of a host, since a further try at a URL last brought another answer, a
// URL is tried again before others: it is known sooner whether that is of use.
const fewFaults = 4

// mostFaults is after how many of them no URL is tried again, where no gateway tells of the fault.
const mostFaults = 8

// fault reports an answer by which a server does not give what the URL has, though it may the next time.
func (o *Outcome) fault() bool {
	return !o.Final && (gateways[o.Status] || o.Empty ||
		o.Status == http.StatusInternalServerError || o.Status == http.StatusTooEarly)
}

// ended are the statuses that no further try would change.
var ended = map[int]store.URL{
	page.StatusRefused:    {State: store.Failed, Reason: store.Refused},
	page.StatusLogin:      {State: store.Failed, Reason: store.Login},
	page.StatusPrivate:    {State: store.Skipped, Reason: store.Private},
	page.StatusRobots:     {State: store.Skipped, Reason: store.Robots},
	page.StatusOutOfScope: {State: store.Skipped, Reason: store.OutOfBoundary},
	page.StatusBlocked:    {State: store.Skipped, Reason: store.LimitPages},
}

// manners say how politely a host is asked, and what an outcome means for it.
type manners struct {
	opt   Options
	least atomic.Int64 // delay of all hosts that was set by hand, in nanoseconds
}

func (m *manners) now() int64 { return m.opt.Now().UnixNano() }

// fate judges an outcome, for the origin of the host as it is before.
func (m *manners) fate(o *Outcome, in *leased, origin *store.Origin) Fate {
	if o.Skip != store.NoReason {
		return Fate{State: store.Skipped, Reason: o.Skip}
	}
	if reason, ok := retried[o.Status]; ok {
		// a name that does not exist has no pages
		if !o.ofURL() && m.hopeless(in.host.name, origin.Failures+1) ||
			o.Final && o.Status == page.StatusDNS {
			return Fate{State: store.Failed, Reason: reason, GivenUp: true}
		}
		if o.Final || int(in.tries)+1 >= max(m.opt.Tries, 1) {
			return Fate{State: store.Failed, Reason: reason}
		}
		return Fate{State: store.Pending, Reason: reason}
	}
	if u, ok := ended[o.Status]; ok {
		return Fate{State: u.State, Reason: u.Reason}
	}
	if o.Status <= 0 {
		return Fate{State: store.Failed, Reason: store.Refused}
	}
	if o.Respelled {
		return respell(&store.URL{URL: in.url, Spelled: in.spelled, Asked: in.asked}, o.Spelled)
	}
	// a page that is being drawn takes the answer as a reader's browser does, and waits for no other
	if o.fault() && !in.hasty && int(in.tries)+1 < m.opt.Tries &&
		!m.hopeless(in.host.name, uint32(in.host.faults)+1) &&
		(gateways[o.Status] || in.host.faults < mostFaults) {
		return Fate{State: store.Pending}
	}
	if o.Broken && in.tries == 0 && m.opt.Tries > 1 && !in.host.breaks {
		return Fate{State: store.Pending}
	}
	return Fate{State: store.Done}
}

// hopeless reports so many failures of a host that no more of it is expected.
func (m *manners) hopeless(host page.Host, failures uint32) bool {
	most := m.opt.HostTries
	if m.opt.HostTriesOf != nil {
		if n := m.opt.HostTriesOf(host); n > 0 {
			most = n
		}
	}
	return most > 0 && int(failures) >= most
}

// fairTrust is after how many good answers a host that gave no page for a while is asked twice as often.
const fairTrust = 100

// trusts counts an answer of a host that is asked less often: see treat.
func (h *host) trusts(o *Outcome) {
	switch _, bad := retried[o.Status]; {
	case o.Spared:
		h.wary, h.trust = min(h.wary+1, slowest), 0
	case h.wary > 0 && !bad && o.Status > 0:
		if h.trust++; h.trust == fairTrust {
			h.wary, h.trust = h.wary-1, 0
		}
	}
}

// slowest bounds Host.Slow: a gap is at most 2^10 times as long, and never longer than RetryMax.
const slowest = 10

// treat changes the record of a host after an outcome and says how long it must rest.
//
// An attempt without a usable answer makes the origin that was asked rest for RetryBase, doubled
// with each further one in a row, or for the time that Retry-After gives where that is longer; the
// other origin of the host goes on. After 429 and 503, where the host gives no page any more, and where
// the name has no address, the host rests as a whole. All but the last also make it slow: every later
// gap is doubled, for each of them, and halved again with each good answer: of a host that gave no page
// for a while only down to twice the gap that it had then, until fairTrust good answers have come. The
// origin rests likewise after an answer of a gateway for which the URL is tried again: longer with each
// one, until an attempt at such a URL brings another answer; after another fault of the server it does so
// from the fifth on.
// After any other answer the host rests as a whole for as long as Retry-After asks (RFC 9110, 10.2.3),
// for a redirect before its target is asked for.
//
// own is how long the host would rest without the delays that were set by hand.
func (m *manners) treat(in *leased, rec *store.Host, o *Outcome, fate Fate,
	now time.Time,
) (hostRest, own time.Duration) {
	h, which := in.host, store.LaneOf(in.url)
	origin := &rec.Origins[which]
	rec.Bytes += o.Bytes
	reason, bad := retried[o.Status]
	hostRest = o.Rest
	switch {
	case bad:
		wait := max(doubled(m.opt.RetryBase, m.opt.RetryMax, origin.Failures), m.asked(o, now))
		if !o.ofURL() {
			charge(rec, which, o, fate.GivenUp)
		}
		if ofHost(o.Status, reason) {
			hostRest = max(hostRest, wait)
		} else {
			rest(origin, now, wait)
		}
		if reason == store.Throttled {
			rec.Slow = min(rec.Slow+1, slowest)
		}
	case o.Status > 0 && !o.Unsent:
		*origin = store.Origin{GivenUp: origin.GivenUp, Cause: origin.Cause}
		times := int(h.faults)
		if !gateways[o.Status] {
			times -= fewFaults
		}
		if o.fault() && fate.State == store.Pending && times >= 0 {
			rest(origin, now, doubled(m.opt.RetryBase, m.opt.RetryMax, uint32(times)))
		}
		hostRest = max(hostRest, m.asked(o, now))
		least := h.wary
		if o.Spared {
			least++
		}
		if rec.Slow > least {
			rec.Slow--
		}
	}
	if o.Unsent {
		if hostRest > 0 {
			rec.Due = now.Add(hostRest)
		}
		return hostRest, hostRest
	}
	own = max(hostRest, m.ownGap(h, rec, o.ResponseTime, 0))
	hostRest = max(hostRest, m.gapBy(h, rec, o.ResponseTime))
	rec.Last = now
	rec.Due = now.Add(hostRest)
	return hostRest, own
}

// hasten says how long a host rests after a hasty URL before any other one, where rest is that without
// regard to this, and how much sooner another hasty one may be asked for. A rest that was owed to the
// host before is owed to it still. A host that answers badly, or asks for more time itself, gets it,
// for hasty URLs too.
func (m *manners) hasten(in *leased, rec *store.Host, o *Outcome, rest time.Duration, now time.Time) (
	due, lead time.Duration,
) {
	if o.Unsent || o.Status <= 0 || rec.Slow > 0 || m.asked(o, now) > 0 || o.Rest > 0 {
		return rest, 0
	}
	h := in.host
	p := h.rule
	if owed := time.Duration(h.due - now.UnixNano()); owed > 0 {
		rest = max(rest, owed+min(time.Duration(p.Factor*float64(o.ResponseTime)), p.Max))
		rec.Due = now.Add(rest)
	}
	pace := max(m.opt.Hasty.Pace, min(rec.CrawlDelay, p.CrawlDelayMax), rec.MinDelay,
		time.Duration(m.least.Load())) + m.opt.Slack
	return rest, max(0, rest-pace)
}

// asked is how long the host asks to be left alone, within its bound.
func (m *manners) asked(o *Outcome, now time.Time) time.Duration {
	return min(page.RetryAfter(o.RetryAfter, now), m.opt.RetryAfterMax)
}

// doubled is base, doubled so many times, and most at most.
func doubled(base, most time.Duration, times uint32) time.Duration {
	for ; times > 0 && base < most; times-- {
		base *= 2
	}
	return min(base, most)
}

// gap is the pause that a host has after an answer that took so long.
func (m *manners) gap(h *host, response time.Duration) time.Duration {
	return m.gapBy(h, &h.known().Host, response)
}

// gapBy is gap by a record that is not committed.
func (m *manners) gapBy(h *host, rec *store.Host, response time.Duration) time.Duration {
	return m.ownGap(h, rec, response, max(rec.MinDelay, time.Duration(m.least.Load())))
}

// ownGap is gap with another delay set by hand. It is never shorter for it.
func (m *manners) ownGap(h *host, rec *store.Host, response, byHand time.Duration) time.Duration {
	p := h.rule
	gap := min(max(time.Duration(p.Factor*float64(response)), p.Min), p.Max)
	gap = max(gap, min(rec.CrawlDelay, p.CrawlDelayMax), byHand)
	if rec.Slow > 0 {
		gap = max(gap, min(gap<<rec.Slow, m.opt.RetryMax))
	}
	if gap > 0 {
		gap += m.opt.Slack
	}
	return gap
}

// owed is when a host of an earlier process or run may be asked again.
func (m *manners) owed(h *host, now int64) int64 { return m.believed(h, nanos(h.known().Due), now) }

// believed is due, the time until which a host or an origin shall rest, or 0 where due lies further
// ahead than any rest lasts: then a clock was wrong when it was set, and the host would be left
// alone for years. Where the clock was set back since the last request, the rest counts from now.
func (m *manners) believed(h *host, due, now int64) int64 {
	due -= max(nanos(h.known().Last)-now, 0)
	if longest := max(m.opt.RetryMax, m.opt.RetryAfterMax, m.gap(h, day)); due-now > int64(longest) {
		return 0
	}
	return due
}

// day is longer than answers take.
const day = 24 * time.Hour

// groupAddress is the address by which a host is grouped.
func (m *manners) groupAddress(a netip.Addr) netip.Addr {
	if m.opt.SharedAddresses {
		return netip.Addr{}
	}
	return a
}

func (m *manners) ruleFor(name page.Host) *Politeness {
	var p Politeness
	for i := range m.opt.Hosts {
		if h := &m.opt.Hosts[i]; h.Match.Match(name) {
			p = p.over(h.Politeness)
		}
	}
	if p == (Politeness{}) {
		return &m.opt.Politeness
	}
	p = p.or(m.opt.Politeness)
	return &p
}
