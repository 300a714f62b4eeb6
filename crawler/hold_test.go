package crawler

import (
	"testing"
	"time"
)

// door is a gate that knows whether it is shut.
type door struct{ shut bool }

func (d *door) SetPaused(paused bool) { d.shut = paused }

// TestHold: the crawl pauses as long as there is a reason, and what it may take does not run while
// the archivist has it wait.
func TestHold(t *testing.T) {
	start := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	var h hold
	var d door
	for i, step := range []struct {
		at      time.Duration // since the start
		why     pauseReason
		pause   bool
		shut    bool
		byHand  bool
		crawled time.Duration
	}{
		{at: 10, why: forHand, pause: true, shut: true, byHand: true, crawled: 10},
		{at: 20, why: forHand, pause: true, shut: true, byHand: true, crawled: 10},
		{at: 30, why: forSpace, pause: true, shut: true, byHand: true, crawled: 10},
		{at: 40, why: forHand, shut: true, crawled: 10},
		{at: 50, why: forHand, shut: true, crawled: 20},
		{at: 60, why: forSpace, crawled: 30},
		{at: 70, why: forSpace, pause: true, shut: true, crawled: 40},
		{at: 80, why: forHand, pause: true, shut: true, byHand: true, crawled: 50},
		{at: 90, why: forSpace, shut: true, byHand: true, crawled: 50},
		{at: 99, why: forHand, crawled: 50},
	} {
		now := start.Add(step.at)
		if step.pause {
			h.set(&d, step.why, now)
		} else {
			h.release(&d, step.why, now)
		}
		if got := h.crawled(start, now); d.shut != step.shut || h.byHand() != step.byHand ||
			got != step.crawled {
			t.Errorf("step %d: shut %v, by hand %v, crawled %v; want %+v", i, d.shut, h.byHand(), got, step)
		}
	}
}
