package ui

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// session is a browser that was let in.
type session struct {
	form string // the token that its forms carry
	used time.Time
}

// Bounds of the sessions.
const (
	maxSessions = 1000           // the longest unused one ends when there are more
	sessionLife = 12 * time.Hour // without a request
	maxFailures = 10             // wrong secrets a minute from an address; the right one enters all the same
	maxWrong    = 1000           // addresses of which wrong secrets are counted
)

// sessions are who was let in, and the ways in. They are safe for concurrent use.
type sessions struct {
	secret []byte // SHA-256; nil for none
	now    func() time.Time

	mu     sync.Mutex // guards what follows
	link   string     // good once; "" when it was used
	byID   map[string]*session
	failed map[netip.Addr][]time.Time // wrong secrets of the last minute
}

func newSessions(secret string, now func() time.Time) *sessions {
	s := &sessions{
		now: now, link: rand.Text(), byID: map[string]*session{},
		failed: map[netip.Addr][]time.Time{},
	}
	if secret != "" {
		sum := sha256.Sum256([]byte(secret))
		s.secret = sum[:]
	}
	return s
}

// equal compares in a time that does not depend on where the two differ.
func equal(given string, want []byte) bool {
	sum := sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(sum[:], want) == 1
}

// knows reports whether what was given is the secret; late that it is wrong, as too many before it
// from the same address.
func (s *sessions) knows(given string, from netip.Addr) (ok, late bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.check(from, func() bool { return s.secret != nil && equal(given, s.secret) })
}

// open lets a browser in that gives the link's token or the secret, and gives the session's id.
func (s *sessions) open(given string, from netip.Addr) (id string, ok, late bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ok, late = s.check(from, func() bool {
		sum := sha256.Sum256([]byte(s.link))
		if s.link != "" && equal(given, sum[:]) {
			s.link = ""
			return true
		}
		return s.secret != nil && equal(given, s.secret)
	})
	if !ok {
		return "", false, late
	}
	s.tidy()
	id = rand.Text()
	s.byID[id] = &session{form: rand.Text(), used: s.now()}
	return id, true, false
}

// check counts wrong guesses by the address they come from. A right one enters however many wrong
// ones there were, so that nobody locks others out: a secret has at least MinSecret characters and
// is not found by guessing. The caller holds mu.
func (s *sessions) check(from netip.Addr, right func() bool) (ok, late bool) {
	if right() {
		return true, false
	}
	now := s.now()
	old := func(at time.Time) bool { return now.Sub(at) > time.Minute }
	if len(s.failed) >= maxWrong {
		maps.DeleteFunc(s.failed, func(_ netip.Addr, list []time.Time) bool { return old(list[len(list)-1]) })
	}
	list := slices.DeleteFunc(s.failed[from], old)
	if len(list) >= maxFailures || len(s.failed) >= maxWrong && len(list) == 0 {
		return false, true
	}
	s.failed[from] = append(list, now)
	return false, false
}

// tidy ends sessions that nobody used for long, and the oldest where there are too many. The caller
// holds mu.
func (s *sessions) tidy() {
	oldest := ""
	for id, x := range s.byID {
		if s.now().Sub(x.used) > sessionLife {
			delete(s.byID, id)
		} else if oldest == "" || x.used.Before(s.byID[oldest].used) {
			oldest = id
		}
	}
	if len(s.byID) >= maxSessions {
		delete(s.byID, oldest)
	}
}

// get gives the token of a session's forms.
func (s *sessions) get(id string) (form string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.byID[id]
	if x == nil || s.now().Sub(x.used) > sessionLife {
		return "", false
	}
	x.used = s.now()
	return x.form, true
}

// end ends a session.
func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byID, id)
}
