package frontier

import (
	"fmt"
	"net/netip"
	"runtime"
	"strings"
	"testing"

	"watershed/page"
	"watershed/store"
)

// TestHostsNeverAsked: a page may name a hundred thousand hosts, so those that are never asked are
// small, and do not keep the long URLs by which they were found.
func TestHostsNeverAsked(t *testing.T) {
	const hosts, most = 20_000, 500
	rest := "/" + strings.Repeat("x", 1000)
	f := newFrontier(nil, 1, Options{}.withDefaults())
	before := heapHeld()
	for i := range hosts {
		u := page.URL(fmt.Sprintf("http://h%06d.example.org%s", i, rest))
		h := newHost(store.Host{Name: u.Host(), Number: uint32(i + 1)}, f.ruleFor(u.Host()))
		f.hosts[h.name] = h
		f.schedule.join(h, f.schedule.groupOf(netip.Addr{}), 1)
		f.moveRow(rowChange{host: h, place: placeOf(u, 1, uint64(i+1)), key: u.Key()}, 1)
	}
	held := heapHeld() - before
	if each := held / hosts; each > most {
		t.Errorf("%d bytes for each host, want %d at most", each, most)
	}
	if f.schedule.ready.Len() != hosts {
		t.Errorf("%d hosts are ready", f.schedule.ready.Len())
	}
}

// heapHeld is what is in use after a collection.
func heapHeld() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
