package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"strconv"
	"time"
)

const (
	slots = 1 << 16
	// turnTime is after what time a slot is given back that others may want, too.
	turnTime = 10 * time.Second
	// soon is when to look again for the answer of the broker, and later for the end of another's turn.
	soon, later = 20 * time.Millisecond, 200 * time.Millisecond
	// mostAsked is how many slots may be asked for at a time.
	mostAsked = 32
)

// said is the record of a slot; see the package's comment.
type said struct {
	Held string `json:"held,omitempty"`
	By   string `json:"by,omitempty"`
	Ago  int64  `json:"ago,omitempty"`
	Rest int64  `json:"rest,omitempty"`
}

// wish is the record of who waits for a slot, and for how many milliseconds at most.
type wish struct {
	By  string `json:"by"`
	For int64  `json:"for"`
}

// wishTime is how long a member that waits is to be let go first, beyond the time that it waits anyway.
const wishTime = turnTime

// state is what a member does with a slot.
type state uint8

const (
	idle   state = iota
	asked        // the broker has not answered yet
	mine         // its turn is the member's
	giving       // it is to be given back, or was taken by a write that was not answered
)

// slot is what a member knows of a slot, by its own clock.
type slot struct {
	number uint32
	rev    uint64 // the greatest that is known of it
	held   string // the session whose turn it is
	by     string // the session that asked last
	last   time.Time
	due    time.Time
	rest   time.Duration // as written, for the case that its holder dies

	state   state
	since   time.Time       // of the turn
	keys    map[string]bool // that are being asked; nil where none was
	writing bool            // that it is given back

	wish      string // the session that has waited for it longest
	wishUntil time.Time
	wishRev   uint64
	wishing   bool // that is being written
}

func slotOf(key string) uint32 {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(key)) // never fails
	return sum.Sum32() % slots
}

// turns are the slots that a member knows, by their numbers.
type turns map[uint32]*slot

func (list turns) at(number uint32) *slot {
	s := list[number]
	if s == nil {
		s = &slot{number: number}
		list[number] = s
	}
	return s
}

// Enter takes a host or an address that rests for gap after each request. Where it has to be left
// alone still, or the broker has not answered yet, wait says for how long, and it is not taken.
func (m *Member) Enter(key string, gap time.Duration) (wait time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if !m.live(now) {
		return later
	}
	s := m.slots.at(slotOf(key))
	switch {
	case s.state == mine && len(s.keys) == 0 && now.Sub(s.since) >= turnTime:
		m.giveBack(s)
		return soon
	case s.state == mine && now.Sub(s.since) < turnTime:
		if wait = s.resting(m.session.id, gap, now); wait <= 0 {
			if s.keys == nil {
				s.keys = map[string]bool{}
			}
			s.keys[key] = true
		}
		return max(wait, 0)
	case s.state != idle || m.asked >= mostAsked:
		return soon
	case s.held != "" && s.held != m.session.id && m.peers.of(s.held).ended.IsZero():
		wait = later
	case s.wanted(m.session.id, now):
		return later
	default:
		wait = s.resting(m.session.id, gap, now)
	}
	if wait > 0 {
		m.want(s, wait, now)
		return wait
	}
	s.state = asked
	m.asked++
	in := m.session
	m.writes.Go(func() { m.take(s, in, gap) })
	return soon
}

// Busy says that more slots are asked for than answered: nothing else can be entered just now.
func (m *Member) Busy() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked >= mostAsked
}

// resting is how long a slot has to be left alone by a session whose own manners have it rest for gap.
func (s *slot) resting(id string, gap time.Duration, now time.Time) time.Duration {
	if s.by == id || s.by == "" {
		return 0
	}
	return max(s.due.Sub(now), s.last.Add(gap).Sub(now))
}

// Leave gives a host or an address back. If it was asked, touched, it has to rest so long.
func (m *Member) Leave(key string, rest time.Duration, touched bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.slots[slotOf(key)]
	if s == nil || !s.keys[key] || m.session == nil {
		return // the session was lost meanwhile
	}
	now := time.Now()
	delete(s.keys, key)
	if touched {
		if s.by != m.session.id {
			s.due = time.Time{}
		}
		s.by, s.last = m.session.id, now
		if due := now.Add(rest); due.After(s.due) {
			s.due = due
		}
	}
	if len(s.keys) == 0 && (s.due.Sub(now) >= turnTime || now.Sub(s.since) >= turnTime) {
		m.giveBack(s)
	}
}

// take asks the broker for a slot. Should the process die, the record says that a request was sent.
func (m *Member) take(s *slot, in *session, gap time.Duration) {
	m.mu.Lock()
	before := s.rev
	m.mu.Unlock()
	x := said{Held: in.id, By: in.id, Rest: gap.Milliseconds()}
	rev, err := m.records.put(context.Background(), s.key(), x, before)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked--
	if err == nil {
		s.rev, s.held, s.rest, s.wish = rev, in.id, gap, ""
	}
	if m.session != in {
		return // lost: its slots are idle
	}
	switch s.state = idle; {
	case err == nil:
		s.state, s.since = mine, time.Now()
	case s.held == in.id: // the watch knows more than the answer
		m.giveBack(s)
	case !errors.Is(err, errStale):
		m.fault(err)
	}
}

// giveBack has a slot given back. Nobody uses it any more.
func (m *Member) giveBack(s *slot) {
	s.state = giving
	if in := m.session; !s.writing {
		s.writing = true
		m.writes.Go(func() { m.give(s, in) })
	}
}

// give writes that a slot is free. Where that fails without an answer, the next tick tries again.
func (m *Member) give(s *slot, in *session) {
	m.mu.Lock()
	now, before := time.Now(), s.rev
	x := said{By: s.by, Rest: max(s.due.Sub(now), 0).Milliseconds()}
	if x.By != "" {
		x.Ago = now.Sub(s.last).Milliseconds()
	}
	m.mu.Unlock()
	rev, err := m.records.put(context.Background(), s.key(), x, before)
	m.mu.Lock()
	defer m.mu.Unlock()
	s.writing = false
	switch {
	case m.session != in || s.state != giving:
	case err == nil:
		s.rev, s.held, s.state = rev, "", idle
	case errors.Is(err, errStale): // by a write of its own that was not answered: the watch will tell
	default:
		m.fault(err)
	}
}

// heard takes over what the broker tells of a slot that was written so long ago, at least.
func (m *Member) heard(number uint32, e *entry, age time.Duration, now time.Time) {
	s := m.slots.at(number)
	if e.rev <= s.rev {
		return // an older one, or the member's own
	}
	var x said
	if json.Unmarshal(e.value, &x) != nil {
		x = said{} // no member writes such a thing
	}
	s.rev, s.held = e.rev, x.Held
	if x.Held == s.wish {
		s.wish = ""
	}
	if m.session != nil && x.Held == m.session.id {
		if s.state == idle { // taken by a write that was not answered
			m.giveBack(s)
		}
		return
	}
	at := now.Add(-age)
	s.by, s.last = x.By, at.Add(-time.Duration(x.Ago)*time.Millisecond)
	s.rest = time.Duration(x.Rest) * time.Millisecond
	s.due = at.Add(s.rest)
	if p := m.peers[x.Held]; p != nil && !p.ended.IsZero() {
		s.orphaned(p.ended)
	}
	if s.state == giving || s.state == mine { // it was given back by a write that was not answered
		s.state = idle
		clear(s.keys)
	}
}

// orphaned has a slot rest from the end of its holder's session on.
func (s *slot) orphaned(at time.Time) {
	if at.After(s.last) {
		s.last, s.due = at, at.Add(s.rest)
	}
}

// wanted reports that another member waits for its turn, which comes first.
func (s *slot) wanted(id string, now time.Time) bool {
	return s.wish != "" && s.wish != id && now.Before(s.wishUntil)
}

// want tells the others that a member waits, unless somebody does already.
func (m *Member) want(s *slot, wait time.Duration, now time.Time) {
	if s.wishing || s.wish != "" && now.Before(s.wishUntil) {
		return
	}
	s.wishing = true
	in, before := m.session, s.wishRev
	m.writes.Go(func() {
		x := wish{By: in.id, For: (wait + wishTime).Milliseconds()}
		rev, err := m.records.put(context.Background(), "wish."+strconv.Itoa(int(s.number)), x, before)
		m.mu.Lock()
		defer m.mu.Unlock()
		if s.wishing = false; err == nil {
			s.wished(rev, &x, time.Now())
		}
	})
}

// wished takes over that somebody waits.
func (s *slot) wished(rev uint64, x *wish, now time.Time) {
	if rev > s.wishRev {
		s.wishRev, s.wish, s.wishUntil = rev, x.By, now.Add(time.Duration(x.For)*time.Millisecond)
	}
}

// sweep gives back what was used for a turn, and tries again to give back what could not be.
func (m *Member) sweep(now time.Time) {
	for _, s := range m.slots {
		if s.state == giving || s.state == mine && len(s.keys) == 0 && now.Sub(s.since) >= turnTime {
			m.giveBack(s)
		}
	}
}

func (s *slot) key() string { return "slot." + strconv.Itoa(int(s.number)) }
