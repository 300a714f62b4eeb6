package main

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Garbage may grow to as much as is held, which is Go's own bound, but not beyond freeGarbage, or a
// quarter of what is held where that is more: a harvest of ten million URLs, which holds a GiB or two,
// would otherwise take twice as much. The memory of a harvest has few pointers, so that collections
// cost little.
const (
	freeGarbage = 256 << 20
	leastGrowth = 25  // percent of what is held
	mostGrowth  = 100 // Go's own
)

// growth is how many percent a heap may grow over what is held, in bytes, before garbage is
// collected.
func growth(held uint64) int {
	return int(min(mostGrowth, max(leastGrowth, freeGarbage*100/max(1, held))))
}

// boundGarbage has garbage collected the sooner the more is held, until stop is called. GOGC, where
// it is set, stands.
func boundGarbage() (stop func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	over, stopped := make(chan struct{}), make(chan struct{})
	tick := time.NewTicker(time.Second) // in which some hundred MB may be made
	go func() {
		defer close(stopped)
		held := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		last := mostGrowth
		for {
			select {
			case <-over:
				return
			case <-tick.C:
			}
			metrics.Read(held)
			if percent := growth(held[0].Value.Uint64()); percent != last {
				debug.SetGCPercent(percent)
				last = percent
			}
		}
	}()
	return func() {
		tick.Stop()
		close(over)
		<-stopped
		debug.SetGCPercent(mostGrowth)
	}
}
