package frontier

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"watershed/page"
	"watershed/store"
)

// askedLast is what a server saw last of a host or an address.
type askedLast struct {
	busy bool
	end  time.Time
}

// TestMachine has three harvests ask the same hosts, which share two addresses: no host and no address
// is asked by two at a time, nor before it has rested as the one that asked last and the one that asks
// next would have it. Each of them gets all its pages.
func TestMachine(t *testing.T) {
	const pages, workers = 6, 4
	delays := []time.Duration{time.Second, 3 * time.Second, 10 * time.Second}
	hosts := []page.Host{"a.example", "b.example", "c.example", "d.example"}
	addrs := []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")}
	const addressDelay = 500 * time.Millisecond
	shared, dirs := t.TempDir(), []string{t.TempDir(), t.TempDir(), t.TempDir()}
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		seen := map[string]*askedLast{}
		lastOf := map[page.Host]int{} // the harvest that asked last
		begin := func(key string, rest time.Duration) {
			s := seen[key]
			if s == nil {
				seen[key] = &askedLast{busy: true}
				return
			}
			if s.busy {
				t.Errorf("%s is asked by two", key)
			}
			if gap := time.Since(s.end); gap < rest {
				t.Errorf("%s is asked after %v, want %v", key, gap, rest)
			}
			s.busy = true
		}
		var all sync.WaitGroup
		for i, dir := range dirs {
			st, err := store.Open(store.Options{Dir: dir, MinFreeBytes: 1})
			if err != nil {
				t.Fatal(err)
			}
			f := openFrontier(t, st, Options{
				Politeness: Politeness{Min: delays[i], Max: delays[i]}, AddressDelay: addressDelay,
				Machine: Machine{Dir: shared},
			})
			for _, h := range hosts {
				for p := range pages {
					add(t, f, wanted(fmt.Sprintf("http://%s/%d", h, p))...)
				}
			}
			var done sync.WaitGroup
			for range workers {
				done.Go(func() {
					for {
						l, err := f.Lease(t.Context())
						if errors.Is(err, ErrDone) {
							return
						}
						if err != nil {
							t.Error(err)
							return
						}
						a := addrs[int(l.Host[0])%2]
						if got, ok, err := f.Resolved(l, []netip.Addr{a}, time.Minute); err != nil || !ok {
							continue
						} else if got != a {
							t.Errorf("%v", got)
						}
						mu.Lock()
						rest := delays[i]
						if last, ok := lastOf[l.Host]; ok {
							rest = max(rest, delays[last])
						}
						begin(string(l.Host), rest)
						begin(a.String(), addressDelay)
						lastOf[l.Host] = i
						mu.Unlock()
						time.Sleep(time.Duration(rand.IntN(900)) * time.Millisecond)
						mu.Lock()
						for _, key := range []string{string(l.Host), a.String()} {
							seen[key].busy, seen[key].end = false, time.Now()
						}
						mu.Unlock()
						finish(t, f, l, Outcome{Status: 200})
					}
				})
			}
			all.Go(func() {
				done.Wait()
				if n := f.totals.States[store.Done]; n != int64(pages*len(hosts)) {
					t.Errorf("harvest %d has %d pages", i, n)
				}
				if len(f.others.held) > 0 {
					t.Errorf("harvest %d holds %d files", i, len(f.others.held))
				}
				if err := st.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	})
}

// TestMachineAlone: loopback, and what nobody can lock, is asked as if the harvest were alone; a clock
// that was wrong, and a file of something else, keep no host waiting.
func TestMachineAlone(t *testing.T) {
	dir := t.TempDir()
	var told strings.Builder
	log := slog.New(slog.NewTextHandler(&told, nil))
	open := func(m Machine) *neighbours { return newNeighbours(m, nil, log) }
	one, two := open(Machine{Dir: dir}), open(Machine{Dir: dir})
	near := open(Machine{Dir: dir, Loopback: true})
	for _, h := range []page.Host{"127.0.0.1:8080", "localhost:80", "[::1]"} {
		if one.enterHost(h, time.Second) > 0 || two.enterHost(h, time.Second) > 0 {
			t.Errorf("%s is shared", h)
		}
		if one.enterHost(h, time.Second) > 0 || near.enterHost(h, time.Second) > 0 {
			t.Errorf("%s was not free", h)
		}
		if other := open(near.Machine); other.enterHost(h, time.Second) == 0 {
			t.Errorf("%s is not shared", h)
		}
	}
	path := filepath.Join(dir, fmt.Sprintf("%03x", slotOf("a.example")))
	wrong := &neighbours{}
	for name, text := range map[string]string{
		"short": "x", "no times": "these are more than 24 bytes of text",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if wait := two.enterHost("a.example", time.Second); wait > 0 {
			t.Errorf("%s: %v", name, wait)
		}
		two.leaveHost("a.example", 0, false)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	wrong.write(f, said{Self: 1, Last: time.Now().UnixNano(), Due: time.Now().Add(25 * time.Hour).UnixNano()})
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if wait := two.enterHost("a.example", time.Second); wait > 0 {
		t.Errorf("a wrong clock: %v", wait)
	}
	two.leaveHost("a.example", time.Minute, true)
	two.seen[slotOf("c.example")] = time.Now().Add(time.Hour).UnixNano() // before the clock was set back
	if wait := two.enterHost("c.example", time.Second); wait > time.Second {
		t.Errorf("a clock that was set back: %v", wait)
	}
	fresh := filepath.Join(dir, fmt.Sprintf("%03x", slotOf("b.example")))
	two.enterHost("b.example", time.Second)
	two.leaveHost("another of the file", time.Hour, true)
	if info, err := os.Stat(fresh); err != nil || info.Mode().Perm() != 0o666 {
		t.Errorf("other users cannot write %v, %v", info.Mode(), err)
	}
	two.leaveHost("b.example", 0, false)
	if wait := one.enterHost("b.example", 0); wait > 0 {
		t.Errorf("%v after nothing was asked", wait)
	}
	if wait := one.enterHost("a.example", time.Second); wait < 50*time.Second {
		t.Errorf("%v after a request whose host rests for a minute", wait)
	}
	if told.Len() > 0 {
		t.Errorf("told %s", told.String())
	}
	bad := open(Machine{Dir: path})
	for range 2 {
		if wait := bad.enterHost("a.example", time.Second); wait > 0 {
			t.Errorf("%v without a folder", wait)
		}
		bad.leaveHost("a.example", time.Second, true)
	}
	if n := strings.Count(told.String(), "level=WARN"); n != 1 {
		t.Errorf("told %d times that the folder is a file: %s", n, told.String())
	}
}
