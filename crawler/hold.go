package crawler

import (
	"sync"
	"time"
)

// gate is the part of the frontier that a hold keeps shut.
type gate interface {
	SetPaused(paused bool)
}

// pauseReason is why nothing is leased for a time. There may be several reasons at once.
type pauseReason uint8

const (
	forSpace pauseReason = 1 << iota // the disk is full
	forHand                          // the archivist said so
)

// hold says whether the crawl pauses, for which reasons, and how long it may take in all. It is
// safe for concurrent use.
type hold struct {
	mu      sync.Mutex // guards what follows
	reasons pauseReason
	since   time.Time     // of the pause by hand
	paused  time.Duration // by hand, until since
	limit   time.Duration // of the run, without such pauses; 0 is no limit
}

func (h *hold) set(f gate, why pauseReason, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if why == forHand && h.reasons&forHand == 0 {
		h.since = now
	}
	h.reasons |= why
	f.SetPaused(true)
}

func (h *hold) release(f gate, why pauseReason, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if why&h.reasons&forHand != 0 {
		h.paused += now.Sub(h.since)
	}
	h.reasons &^= why
	if h.reasons == 0 {
		f.SetPaused(false)
	}
}

func (h *hold) byHand() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.reasons&forHand != 0
}

func (h *hold) time() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.limit
}

func (h *hold) setTime(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.limit = d
}

// crawled is the time since the crawl started, without pauses by hand.
func (h *hold) crawled(started, now time.Time) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	d := now.Sub(started) - h.paused
	if h.reasons&forHand != 0 {
		d -= now.Sub(h.since)
	}
	return d
}
