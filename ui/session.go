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
	form string   // the token that its forms carry
	who  *Account // nil for whoever had the link or the secret
	used time.Time
}

// Bounds of the sessions.
const (
	maxSessions = 1000           // the longest unused one ends when there are more
	sessionLife = 12 * time.Hour // without a request
	maxFailures = 10             // wrong secrets a minute from an address, for each name
	maxWrong    = 1000           // addresses of which wrong secrets are counted
)

// sessions are who was let in, and the ways in. They are safe for concurrent use.
type sessions struct {
	secret   []byte // SHA-256; nil for none
	accounts []Account
	now      func() time.Time
	hashing  sync.Mutex // held while a password is tried: that takes memory

	mu     sync.Mutex // guards what follows
	link   string     // good once; "" when it was used
	byID   map[string]*session
	failed map[guesser][]time.Time // wrong secrets of the last minute
}

// guesser is who gives a secret: an address, and the account whose password it is to be.
type guesser struct {
	from netip.Addr
	name string // "" for the secret of the desk, and for all names that no account has
}

func newSessions(secret string, accounts []Account, now func() time.Time) *sessions {
	s := &sessions{
		accounts: accounts, now: now, link: rand.Text(), byID: map[string]*session{},
		failed: map[guesser][]time.Time{},
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
	return s.begin(nil), true, false
}

// openAs lets a browser in that gives the password of an account. After too many wrong ones from its
// address none is tried for a minute, the right one neither: people choose passwords that can be
// guessed. A name that no account has takes as long as another one.
func (s *sessions) openAs(name, password string, from netip.Addr) (id string, ok, late bool) {
	s.hashing.Lock()
	defer s.hashing.Unlock()
	who := guesser{from: from}
	a := &s.accounts[0]
	if i := slices.IndexFunc(s.accounts, func(a Account) bool { return a.Name == name }); i >= 0 {
		a, who.name = &s.accounts[i], name
	}
	s.mu.Lock()
	late = s.late(who)
	s.mu.Unlock()
	if late {
		return "", false, true
	}
	right := a.hash.is(password) && who.name != ""
	s.mu.Lock()
	defer s.mu.Unlock()
	if !right {
		s.failed[who] = append(s.failed[who], s.now())
		return "", false, false
	}
	return s.begin(a), true, false
}

// begin begins a session. The caller holds mu.
func (s *sessions) begin(who *Account) (id string) {
	s.tidy()
	id = rand.Text()
	s.byID[id] = &session{form: rand.Text(), who: who, used: s.now()}
	return id
}

// check counts wrong guesses by the address they come from. A right one enters however many wrong
// ones there were, so that nobody locks others out: a secret has at least MinSecret characters and
// is not found by guessing. The caller holds mu.
func (s *sessions) check(from netip.Addr, right func() bool) (ok, late bool) {
	if right() {
		return true, false
	}
	who := guesser{from: from}
	if s.late(who) {
		return false, true
	}
	s.failed[who] = append(s.failed[who], s.now())
	return false, false
}

// late reports too many wrong guesses of the last minute. The caller holds mu.
func (s *sessions) late(who guesser) bool {
	now := s.now()
	old := func(at time.Time) bool { return now.Sub(at) > time.Minute }
	if len(s.failed) >= maxWrong {
		maps.DeleteFunc(s.failed, func(_ guesser, list []time.Time) bool { return old(list[len(list)-1]) })
	}
	list := slices.DeleteFunc(s.failed[who], old)
	if len(list) > 0 {
		s.failed[who] = list
	} else {
		delete(s.failed, who)
	}
	return len(list) >= maxFailures || len(s.failed) >= maxWrong && len(list) == 0
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

// get gives who has a session.
func (s *sessions) get(id string) (c caller, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.byID[id]
	if x == nil || s.now().Sub(x.used) > sessionLife {
		return caller{}, false
	}
	x.used = s.now()
	c = caller{id: id, form: x.form, role: Runs}
	if x.who != nil {
		c.name, c.role = x.who.Name, x.who.Role
	}
	return c, true
}

// end ends a session.
func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byID, id)
}
