package fetch

import (
	"container/list"
	"math"
	"net/netip"
	"slices"
	"sync"
	"time"

	"watershed/page"
)

// poolKey names the origin and the way for which a connection can be used.
type poolKey struct {
	tls  bool
	host page.Host  // "" for a proxy that is asked in absolute form
	addr netip.Addr // zero behind a proxy
}

// pool keeps idle connections, the latest first, at most max of them. Expired ones are closed when
// others come and go. It is safe for concurrent use.
type pool struct {
	max int
	ttl time.Duration

	mu     sync.Mutex
	idle   map[poolKey][]*list.Element // guarded by mu, latest last
	order  *list.List                  // of *conn, guarded by mu: latest in front
	closed bool                        // guarded by mu
	vain   map[poolKey]int             // guarded by mu, at most maxVain: see mostVain
}

const (
	// mostVain is how often an origin that does not repeat itself is listened to for it.
	mostVain = 5
	// maxVain bounds the origins of which that is known. All are forgotten then: it is found out anew.
	maxVain = 4096
)

// suspects reports an origin that may repeat itself.
func (p *pool) suspects(k poolKey) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.vain[k] < mostVain
}

// learn takes over whether an origin repeated itself: no connection to such a one is kept any more.
func (p *pool) learn(k poolKey, repeats bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.vain) >= maxVain {
		clear(p.vain)
	}
	if p.vain[k]++; repeats {
		p.vain[k] = repeating
	}
}

// repeating stands for the count of an origin that repeats itself.
const repeating = math.MinInt

func newPool(most int, ttl time.Duration) *pool {
	return &pool{
		max: most, ttl: ttl, idle: map[poolKey][]*list.Element{}, order: list.New(),
		vain: map[poolKey]int{},
	}
}

// take gives out the latest idle connection that is still good, nil when there is none.
func (p *pool) take(k poolKey) *conn {
	for {
		c := p.pop(k)
		if c == nil || time.Since(c.since) < p.ttl && c.quiet() {
			return c
		}
		c.discard()
	}
}

func (p *pool) pop(k poolKey) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.idle[k]
	if len(own) == 0 {
		return nil
	}
	return p.remove(own[len(own)-1])
}

// put keeps a connection for later.
func (p *pool) put(c *conn) {
	c.since = time.Now()
	var old []*conn
	p.mu.Lock()
	if p.closed || p.max < 0 || p.vain[c.key] < 0 {
		old = append(old, c)
	} else {
		p.idle[c.key] = append(p.idle[c.key], p.order.PushFront(c))
	}
	for e := p.order.Back(); e != nil; e = p.order.Back() {
		if p.order.Len() <= p.max && c.since.Sub(e.Value.(*conn).since) < p.ttl {
			break
		}
		old = append(old, p.remove(e))
	}
	p.mu.Unlock()
	for _, c := range old {
		c.discard()
	}
}

// remove takes one out of both orders; mu is held.
func (p *pool) remove(e *list.Element) *conn {
	c := p.order.Remove(e).(*conn)
	own := slices.DeleteFunc(p.idle[c.key], func(x *list.Element) bool { return x == e })
	if p.idle[c.key] = own; len(own) == 0 {
		delete(p.idle, c.key)
	}
	return c
}

// close closes all that is idle, and what comes later.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	var all []*conn
	for e := p.order.Front(); e != nil; e = p.order.Front() {
		all = append(all, p.remove(e))
	}
	p.mu.Unlock()
	for _, c := range all {
		c.discard()
	}
}

// discard closes a connection of which nothing more is wanted.
func (c *conn) discard() {
	// An error of Close can only concern bytes that nobody waits for: the exchange has been judged
	// already.
	_ = c.tcp.Close()
}
