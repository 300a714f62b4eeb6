package demo

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"watershed/page"
)

// Request is one line of the access log. End is when the answer was made, just before its first
// byte is sent.
type Request struct {
	Host       page.Host
	Path       string // with its query, as it was asked for
	Start, End time.Time
	Status     int
}

// URL is what was asked for.
func (r Request) URL() page.URL { return page.URL("http://" + string(r.Host) + r.Path) }

func (w *Web) note(r Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, r)
}

// Log is the access log of all hosts, in the order in which requests came. It is the caller's.
func (w *Web) Log() []Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	log := slices.Clone(w.log)
	slices.SortStableFunc(log, func(a, b Request) int { return a.Start.Compare(b.Start) })
	return log
}

// Report says how politely the web was asked.
type Report struct {
	Hosts map[page.Host]HostReport
	// Repeats are URLs asked for again although they had been answered with another status than 429
	// or 5xx; robots.txt is not counted.
	Repeats []Request
	// Disallowed are requests that the host's robots.txt forbids.
	Disallowed []Request
	// Hasty are requests that came while one to the same host was under way, before minDelay or the
	// host's Crawl-delay had passed since the last one, or before a Retry-After was over.
	Hasty []Request
}

// HostReport is what one host saw.
type HostReport struct {
	Requests int
	InFlight int           // most at once
	Gap      time.Duration // shortest time from an end to the next start; 0 for fewer than two requests
}

// Politeness judges the log. A gap may be a millisecond less than is due, for the clocks of both
// ends.
func (w *Web) Politeness(minDelay time.Duration) *Report {
	rep := &Report{Hosts: map[page.Host]HostReport{}}
	byHost := map[page.Host][]Request{}
	for _, r := range w.Log() {
		byHost[r.Host] = append(byHost[r.Host], r)
	}
	for _, name := range slices.Sorted(maps.Keys(byHost)) {
		h := w.hosts[name]
		if h == nil {
			h = &host{name: name}
		}
		rep.Hosts[name] = rep.judge(h, byHost[name], minDelay)
	}
	return rep
}

// slack is what a gap may lack.
const slack = time.Millisecond

func (rep *Report) judge(h *host, log []Request, minDelay time.Duration) HostReport {
	out := HostReport{Requests: len(log)}
	answered := map[string]bool{}
	for i, r := range log {
		out.InFlight = max(out.InFlight, inFlight(log[:i+1]))
		if !h.rules.allows(r.Path) {
			rep.Disallowed = append(rep.Disallowed, r)
		}
		if answered[r.Path] && r.Path != "/robots.txt" {
			rep.Repeats = append(rep.Repeats, r)
		}
		answered[r.Path] = answered[r.Path] || r.Status < 500 && r.Status != 429
		if i == 0 {
			continue
		}
		last := slices.MaxFunc(log[:i], func(a, b Request) int { return a.End.Compare(b.End) })
		gap := r.Start.Sub(last.End)
		if i == 1 || gap < out.Gap {
			out.Gap = gap
		}
		if gap < h.due(last, minDelay)-slack {
			rep.Hasty = append(rep.Hasty, r)
		}
	}
	return out
}

// due is the pause that a host wants after a request.
func (h *host) due(last Request, minDelay time.Duration) time.Duration {
	due := minDelay
	if s, err := strconv.ParseFloat(h.rules.delay, 64); err == nil && last.Path != "/robots.txt" {
		due = max(due, time.Duration(s*float64(time.Second)))
	}
	if last.Status == 503 {
		due = max(due, retryAfter)
	}
	return due
}

// inFlight counts the requests of a log that are under way when its last one comes.
func inFlight(log []Request) (n int) {
	now := log[len(log)-1].Start
	for _, r := range log {
		if r.End.After(now) {
			n++
		}
	}
	return n
}
