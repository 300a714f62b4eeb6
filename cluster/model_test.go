package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// broker is a bucket in memory, as a majority of nodes would keep it.
type broker struct {
	mu   sync.Mutex
	log  []entry
	last map[string]uint64
	skew time.Duration // of its clock
}

func newBroker() *broker { return &broker{last: map[string]uint64{}} }

func (b *broker) setSkew(to time.Duration) (before time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before, b.skew = b.skew, to
	return before
}

func (b *broker) write(key string, value []byte, rev uint64) (uint64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last[key] != rev {
		return 0, errStale
	}
	next := uint64(len(b.log) + 1)
	b.log = append(b.log, entry{key: key, value: value, rev: next, time: time.Now().Add(b.skew)})
	b.last[key] = next
	return next, nil
}

// line is a member's connection to the broker, with the faults of networks.
type line struct {
	*broker
	mu   sync.Mutex
	rand *rand.Rand
	down bool // nothing gets through, in either direction
	dead bool // the member's process was killed
	slow int  // milliseconds that a message takes at most
	loss int  // in how many of 100 writes the answer is lost
}

var errLine = errors.New("no answer")

// trip is the way of a message; it reports whether the message comes, and whether its answer does.
func (l *line) trip() (comes, answered bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := time.Duration(l.rand.IntN(l.slow*1000)) * time.Microsecond
	answered = l.rand.IntN(100) >= l.loss
	l.mu.Unlock()
	time.Sleep(d)
	l.mu.Lock()
	return !l.down && !l.dead, answered
}

func (l *line) put(ctx context.Context, key string, value []byte, rev uint64) (uint64, error) {
	comes, answered := l.trip()
	if !comes {
		<-ctx.Done()
		return 0, errLine
	}
	next, err := l.write(key, value, rev)
	if back, _ := l.trip(); !back || !answered {
		<-ctx.Done()
		return 0, errLine
	}
	return next, err
}

func (l *line) get(ctx context.Context, key string) (entry, error) {
	if comes, _ := l.trip(); !comes {
		<-ctx.Done()
		return entry{}, errLine
	}
	l.broker.mu.Lock()
	defer l.broker.mu.Unlock()
	if rev := l.last[key]; rev > 0 {
		return l.log[rev-1], nil
	}
	return entry{}, errors.New("no such key")
}

func (l *line) remove(_ context.Context, key string, rev uint64) error {
	l.broker.mu.Lock()
	defer l.broker.mu.Unlock()
	if l.last[key] == rev {
		delete(l.last, key)
	}
	return nil
}

func (l *line) watch(ctx context.Context, tell func(entry), mark func()) error {
	at, marked := 0, false
	for ctx.Err() == nil {
		if comes, _ := l.trip(); !comes {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		l.broker.mu.Lock()
		var news []entry
		for _, e := range l.log[at:] {
			if l.last[e.key] == e.rev { // those that were replaced are not kept
				news = append(news, e)
			}
		}
		at = len(l.log)
		l.broker.mu.Unlock()
		for _, e := range news {
			tell(e)
		}
		if !marked {
			mark()
			marked = true
		}
	}
	return ctx.Err()
}

func (l *line) set(change func(*line)) {
	l.mu.Lock()
	change(l)
	l.mu.Unlock()
}

// host is what a host sees.
type host struct {
	busy string // who asks
	last string
	end  time.Time
	rest time.Duration // that the last one asked for
}

// world is a cluster of members that ask the same hosts.
type world struct {
	t     *testing.T
	mu    sync.Mutex
	hosts map[string]*host
	asked map[string]int // by member
}

func (w *world) begin(who, name string, gap time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.hosts[name]
	if s == nil {
		s = &host{}
		w.hosts[name] = s
	}
	if s.busy != "" {
		w.t.Errorf("%s asks %s, which %s is asking", who, name, s.busy)
	}
	if since := time.Since(s.end); s.last != "" && s.last != who && since < max(gap, s.rest) {
		w.t.Errorf("%s asks %s %v after %s, want %v", who, name, since, s.last, max(gap, s.rest))
	}
	s.busy = who
	w.asked[who]++
}

func (w *world) end(who, name string, rest time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.hosts[name]
	s.busy, s.last, s.end, s.rest = "", who, time.Now(), rest
}

// harvest asks hosts until the context ends. A request goes on for up to 3 s after it was told to end.
func (w *world) harvest(ctx context.Context, who string, m *Member, gap time.Duration) {
	var workers sync.WaitGroup
	for i := range 4 {
		workers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), uint64(gap)))
			for ctx.Err() == nil {
				name := fmt.Sprintf("%d.example", (i+r.IntN(2)*4)%5)
				right := m.Right()
				if wait := m.Enter(name, gap); wait > 0 {
					pause(ctx, wait)
					continue
				}
				w.mu.Lock()
				own := w.hosts[name]
				taken := own != nil && own.busy == who // by another worker of the member
				early := own != nil && own.last == who && time.Since(own.end) < own.rest
				w.mu.Unlock()
				if taken || early {
					pause(ctx, gap/4)
					continue
				}
				if right.Err() == nil {
					w.begin(who, name, gap)
					t := time.NewTimer(time.Duration(r.IntN(4000)) * time.Millisecond)
					select {
					case <-t.C:
					case <-right.Done():
						time.Sleep(time.Duration(r.IntN(3000)) * time.Millisecond)
					case <-ctx.Done():
					}
					t.Stop()
					w.end(who, name, gap)
				}
				m.Leave(name, gap, true)
				pause(ctx, gap)
			}
		})
	}
	workers.Wait()
}

// TestModel has members ask the same hosts while lines break, answers are lost, members die and come,
// and the broker's clock jumps: no host is asked by two, or before it has rested, and whoever has a
// line has turns.
func TestModel(t *testing.T) {
	seeds := 20
	if testing.Short() {
		seeds = 8
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { live(t, uint64(seed)) })
		})
	}
}

func live(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 20))
	w := &world{t: t, hosts: map[string]*host{}, asked: map[string]int{}}
	b := newBroker()
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	lines := map[string]*line{}
	kills := map[string]context.CancelFunc{}
	enter := func(who string) {
		l := &line{broker: b, rand: rand.New(rand.NewPCG(seed, uint64(who[0]))), slow: 1 + r.IntN(200)}
		gap := time.Duration(1+r.IntN(4000)) * time.Millisecond
		mine, kill := context.WithCancel(ctx)
		lines[who], kills[who] = l, kill
		all.Go(func() {
			quiet := slog.New(slog.DiscardHandler)
			err := with(mine, l, who, quiet, func(ctx context.Context, m *Member) error {
				w.harvest(ctx, who, m, gap)
				return nil
			})
			if err != nil && !l.down {
				t.Errorf("%s: %v", who, err)
			}
		})
	}
	names := []string{"a", "b", "c"}
	for _, who := range names {
		enter(who)
	}
	next := 'd'
	for range 40 {
		time.Sleep(time.Duration(r.IntN(20000)) * time.Millisecond)
		i := r.IntN(len(names))
		l := lines[names[i]]
		switch r.IntN(6) {
		case 0:
			l.set(func(l *line) { l.down = true })
			time.Sleep(time.Duration(r.IntN(40000)) * time.Millisecond)
			l.set(func(l *line) { l.down = false })
		case 1:
			l.set(func(l *line) { l.loss = r.IntN(60) })
		case 2:
			l.set(func(l *line) { l.slow = 1 + r.IntN(4000) })
		case 3: // killed: its requests end at once, and nothing of it comes to the broker any more
			l.set(func(l *line) { l.dead = true })
			kills[names[i]]()
			names[i] = string(next)
			enter(names[i])
			next++
		case 4:
			b.setSkew(time.Duration(r.IntN(20000)-10000) * time.Millisecond)
		case 5: // the leader's clock is a minute off until that node ends for it
			before := b.setSkew(time.Duration(2*r.IntN(2)-1) * time.Minute)
			time.Sleep(10 * time.Second)
			b.setSkew(before)
		}
		if l = lines[names[i]]; r.IntN(2) == 0 {
			l.set(func(l *line) { l.loss, l.slow = 0, 1+r.IntN(50) })
		}
	}
	for _, l := range lines {
		l.set(func(l *line) { l.loss, l.slow = 0, 20 })
	}
	time.Sleep(time.Minute)
	w.mu.Lock()
	clear(w.asked)
	w.mu.Unlock()
	time.Sleep(3 * time.Minute)
	w.mu.Lock()
	for _, who := range names {
		if w.asked[who] < 3 {
			t.Errorf("%s had %d turns in three minutes without a fault: %v", who, w.asked[who], w.asked)
		}
	}
	w.mu.Unlock()
	stop()
	all.Wait()
}

// sound is a line without faults.
func sound(b *broker) *line {
	return &line{broker: b, rand: rand.New(rand.NewPCG(1, 1)), slow: 1}
}
