package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	renewTime = 3 * time.Second  // from a renewal of a session to the next, and for which an answer is waited
	stopTime  = 9 * time.Second  // without a renewal, after which nothing is asked
	leaseTime = 15 * time.Second // without a renewal that others have seen, after which they end a session
	// muteTime is how long a watch that has not told all that there was may tell nothing: the node that was
	// to tell it may have died.
	muteTime = 2 * renewTime
	// calmTime is how long a member that has lost its session waits before it begins another: requests
	// that were told to end have ended.
	calmTime = 2 * time.Second
	// mostSkew is how far two clocks may be apart: captures bear the time of the machine. As much is
	// taken off the age of what was written before a member came.
	mostSkew = 30 * time.Second
	// doubtTime is for how long a clock may be another than that of the broker, whose leader may be about to
	// end for a wrong one; a session in which the broker said so last is over by then.
	doubtTime = leaseTime + stopTime
	// keepEnded is how long the record of a session that has ended is kept, and the mark of a removed key.
	keepEnded = time.Hour
	// protocol changes with what a program of before would misread, or lose where it writes a record anew.
	// Sessions stay as they are in each.
	protocol = "4"
)

// ErrClock is the error of a machine whose clock is wrong.
var ErrClock = errors.New("the clock is wrong")

// ErrProtocol is the error of a cluster of another version.
var ErrProtocol = errors.New("the cluster's harvests speak protocol")

// errUndecided is the error of a broker that has no leader.
var errUndecided = errors.New("the broker cannot decide")

// errLost ends the context of what was begun in a session that was lost.
var errLost = errors.New("cluster: the broker has not answered for 9 s")

// Member is a harvest's part in a cluster. Its methods may be called by several goroutines.
type Member struct {
	Office *Office // nil in tests without a broker

	who     string
	records records
	log     *slog.Logger
	fail    context.CancelCauseFunc // ends the work
	writes  sync.WaitGroup

	mu      sync.Mutex // guards what follows
	session *session   // nil while there is none
	begun   string     // the session that was begun last and was not lost
	peers   peers
	slots   turns
	asked   int
	told    bool             // that the broker does not answer
	board   map[string]entry // of nodes, harvests and shards
	news    chan struct{}    // closed when one of them has changed
}

// session is the right to ask.
type session struct {
	id      string
	rev     uint64
	began   time.Time
	sent    time.Time // when the last renewal was sent that was answered
	tried   time.Time // when the first was sent since then that was not; zero for none, used by keep alone
	seen    time.Time // when the watch told the session's own record last
	expiry  *time.Timer
	right   context.Context
	endWith context.CancelCauseFunc
}

// peer is the session of another member.
type peer struct {
	who   string
	rev   uint64
	at    time.Time // when it was heard of last
	ended time.Time // zero for one that is alive
	alive bool      // it was heard of repeatedly
}

// peers are the sessions of other members by their names.
type peers map[string]*peer

// of is what is known of a session; one that nothing is known of counts as heard of now.
func (list peers) of(id string) *peer {
	p := list[id]
	if p == nil {
		p = &peer{at: time.Now()}
		list[id] = p
	}
	return p
}

// lease is the record of a session.
type lease struct {
	Who   string `json:"who"`
	Ended bool   `json:"ended,omitempty"`
}

// with joins, has work done and leaves. The context of the work ends when the member must withdraw.
func with(ctx context.Context, b bucket, who string, log *slog.Logger,
	work func(context.Context, *Member) error,
) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	m := &Member{
		who: who, records: records{b}, log: log, fail: fail, peers: peers{}, slots: turns{},
		board: map[string]entry{}, news: make(chan struct{}),
	}
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	var keepers sync.WaitGroup
	defer func() {
		stop()
		keepers.Wait()
		m.leave()
	}()
	present := make(chan struct{})
	keepers.Go(func() { m.watch(keeping, sync.OnceFunc(func() { close(present) })) })
	if err := m.join(ctx, present); err != nil {
		if ctx.Err() == nil && !errors.Is(err, ErrClock) && !errors.Is(err, ErrProtocol) {
			err = fmt.Errorf("%w: %w", errUndecided, err)
		}
		return err
	}
	keepers.Go(func() { m.keep(keeping) })
	err := work(ctx, m)
	if cause := context.Cause(ctx); errors.Is(cause, ErrClock) {
		return cause
	}
	return err
}

// join returns when the member knows what there is and has a session.
func (m *Member) join(ctx context.Context, present <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, 2*doubtTime)
	defer cancel()
	select {
	case <-present:
	case <-ctx.Done():
		if cause := context.Cause(ctx); !errors.Is(cause, context.DeadlineExceeded) {
			return cause
		}
		return fmt.Errorf("within %s it has not told what it has", 2*doubtTime)
	}
	if err := persist(ctx, m.agree); err != nil {
		return err
	}
	return persist(ctx, m.begin)
}

// persist tries again while the broker does not answer, as when it chooses a leader, and for a while
// where its clock is another than this machine's: it may be that of a node that ends for it.
func persist(ctx context.Context, attempt func(context.Context) error) error {
	for clock := (doubts{}); ; {
		err := attempt(ctx)
		if clock.add(err) || err == nil || errors.Is(err, ErrProtocol) {
			return err
		}
		if pause(ctx, tickTime); ctx.Err() != nil {
			return err
		}
	}
}

// agree sees that the bucket is used as this program uses it. Where one of another version was used
// before, and none of its sessions is alive, this version is the one from now on.
func (m *Member) agree(ctx context.Context) error {
	const key = "protocol"
	_, err := m.records.put(ctx, key, json.RawMessage(protocol), 0)
	for errors.Is(err, errStale) {
		e, err := m.records.get(ctx, key)
		if err != nil || string(e.value) == protocol {
			return err
		}
		m.bury(ctx)
		alive, sure := m.others()
		switch {
		case len(alive) == 0:
			_, err = m.records.put(ctx, key, json.RawMessage(protocol), e.rev)
			return err
		case sure:
			return fmt.Errorf("%w %q, and this program (%s) speaks %q: have the same version of watershed "+
				"on all machines; this one is let in when these have ended: %s", ErrProtocol, e.value, m.who,
				protocol, strings.Join(alive, "; "))
		}
		if pause(ctx, tickTime); ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return err
}

// others are the other members whose sessions have not ended, and whether one is known to be alive.
func (m *Member) others() (names []string, sure bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.peers {
		if p.ended.IsZero() && p.rev > 0 {
			names, sure = append(names, p.who), sure || p.alive
		}
	}
	slices.Sort(names)
	return names, sure
}

// begin makes a new session.
func (m *Member) begin(ctx context.Context) error {
	s := &session{id: rand.Text(), sent: time.Now()}
	wall := time.Now().Round(0) // somebody may set that clock
	m.mu.Lock()
	m.begun = s.id
	m.mu.Unlock()
	rev, err := m.records.put(ctx, sessionKey(s.id), lease{Who: m.who}, 0)
	if err != nil {
		return err
	}
	if err := m.compare(ctx, s.id, wall); err != nil {
		over := lease{Who: m.who, Ended: true}
		_, _ = m.records.put(ctx, sessionKey(s.id), over, rev) // else the others end it
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s.rev, s.began, s.seen = rev, time.Now(), time.Now()
	s.right, s.endWith = context.WithCancelCause(context.Background())
	s.expiry = time.AfterFunc(stopTime-time.Since(s.sent), func() { m.lose(s) })
	m.session, m.told = s, false
	return nil
}

// compare is the error of a clock by which a session was written at wall, and the broker's says otherwise.
func (m *Member) compare(ctx context.Context, id string, wall time.Time) error {
	e, err := m.records.get(ctx, sessionKey(id))
	if err == nil {
		err = skew(m.who, wall, e.time)
	}
	return err
}

func sessionKey(id string) string { return "session." + id }

// live reports that the session was renewed lately.
func (m *Member) live(now time.Time) bool {
	return m.session != nil && now.Sub(m.session.sent) < stopTime
}

// News is closed when the board has changed.
func (m *Member) News() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.news
}

// alive is the session of the member, "" while it has none.
func (m *Member) alive() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.live(time.Now()) {
		return ""
	}
	return m.session.id
}

// Right ends when what is entered now is lost, and is over where nothing can be entered.
func (m *Member) Right() context.Context {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.live(time.Now()) {
		return m.session.right
	}
	ended, end := context.WithCancel(context.Background())
	end()
	return ended
}

// lose ends a session that was not renewed, or that others have ended.
func (m *Member) lose(s *session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.session != s {
		return
	}
	if left := stopTime - time.Since(s.sent); left > 0 && s.rev != 0 {
		s.expiry.Reset(left) // it was renewed meanwhile
		return
	}
	m.session, m.begun = nil, ""
	s.expiry.Stop()
	s.endWith(errLost)
	for _, x := range m.slots {
		x.state = idle
		clear(x.keys)
	}
	m.peers.of(s.id).rev = s.rev // to be ended
	m.log.Warn("nothing is asked for: the broker has not answered, or has told others that this harvest is "+
		"gone; it goes on when the broker answers again", "who", m.who)
}

// fault tells of the first error of a row.
func (m *Member) fault(err error) {
	if !m.told {
		m.told = true
		m.log.Warn("the broker of the cluster does not answer", "cause", err)
	}
}

// keep renews the session, begins another one where that was lost, and ends those of members that
// have died, until the context ends.
func (m *Member) keep(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var lost time.Time
	var clock doubts
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		m.mu.Lock()
		s := m.session
		if s != nil {
			m.sweep(time.Now())
		}
		m.mu.Unlock()
		var err error
		switch {
		case s == nil && lost.IsZero():
			lost = time.Now()
		case s == nil && time.Since(lost) >= calmTime:
			if err = m.begin(ctx); err == nil {
				lost = time.Time{}
				m.log.Info("the broker answers again", "who", m.who)
			}
		case s != nil && time.Since(s.sent) >= renewTime:
			err = m.renew(ctx, s)
			m.bury(ctx)
		default:
			continue
		}
		if clock.add(err) {
			m.fail(err)
		}
	}
}

// renew renews a session. A renewal that was made, but not answered in time, counts from when the first was
// sent that was not answered. The error is that of the clock.
func (m *Member) renew(ctx context.Context, s *session) error {
	sent, wall := time.Now(), time.Now().Round(0)
	if s.tried.IsZero() {
		s.tried = sent
	}
	rev, err := m.records.put(ctx, sessionKey(s.id), lease{Who: m.who}, s.rev)
	if errors.Is(err, errStale) { // by a renewal that was not answered, or by whoever has ended the session
		var x lease
		e, err := m.records.get(ctx, sessionKey(s.id))
		if err != nil || json.Unmarshal(e.value, &x) != nil || e.rev == s.rev {
			return nil
		}
		m.mu.Lock()
		s.rev, s.sent, s.tried = e.rev, s.tried, time.Time{}
		if x.Ended {
			s.rev = 0
		}
		m.mu.Unlock()
		if x.Ended {
			m.lose(s)
		} else if time.Since(s.sent) < stopTime {
			return m.renew(ctx, s)
		}
		return nil
	}
	m.mu.Lock()
	if err == nil {
		s.rev, s.sent, s.tried, m.told = rev, sent, time.Time{}, false
	} else {
		m.fault(err)
	}
	m.mu.Unlock()
	if err != nil {
		return nil
	}
	return m.compare(ctx, s.id, wall)
}

// bury ends the sessions that were not renewed for so long that their members ask no more.
func (m *Member) bury(ctx context.Context) {
	m.mu.Lock()
	dead := map[string]uint64{}
	for id, p := range m.peers {
		if p.ended.IsZero() && time.Since(p.at) >= leaseTime {
			dead[id] = p.rev
		}
	}
	m.mu.Unlock()
	for id, rev := range dead {
		_, err := m.records.put(ctx, sessionKey(id), lease{Ended: true}, rev)
		m.mu.Lock()
		switch p := m.peers[id]; {
		case err == nil:
			m.end(id, time.Now())
		case errors.Is(err, errStale): // it lives, or another one has ended it, and the watch is late
			p.at = time.Now()
		}
		m.mu.Unlock()
		if !errors.Is(err, errStale) {
			continue
		}
		if e, err := m.records.get(ctx, sessionKey(id)); err == nil {
			m.learn(&e, 0)
		}
	}
}

// end takes over that a session has ended.
func (m *Member) end(id string, at time.Time) {
	p := m.peers.of(id)
	if !p.ended.IsZero() {
		return
	}
	p.ended = at
	for _, s := range m.slots {
		if s.held == id {
			s.orphaned(at)
		}
	}
}

// watch takes over what the broker tells, and begins anew where nothing comes, until the context ends.
func (m *Member) watch(ctx context.Context, present func()) {
	for ctx.Err() == nil {
		watching, stop := context.WithCancel(ctx)
		var early []entry
		reading := true
		mute := time.AfterFunc(muteTime, stop)
		err := m.records.watch(watching, func(e entry) {
			if reading {
				mute.Reset(muteTime)
				early = append(early, e)
			} else {
				m.learn(&e, 0)
			}
		}, func() {
			mute.Stop()
			m.learnAll(ctx, early)
			early, reading = nil, false
			present()
			// A watch that does not tell the member's own renewals has broken.
			time.AfterFunc(leaseTime, func() { m.watched(watching, stop) })
		})
		stop()
		if ctx.Err() == nil {
			m.mu.Lock()
			m.fault(err)
			m.mu.Unlock()
			pause(ctx, time.Second)
		}
	}
}

// watched stops a watch that has told nothing of the member's own session for long.
func (m *Member) watched(watching context.Context, stop func()) {
	m.mu.Lock()
	late := m.session != nil && time.Since(m.session.seen) > leaseTime
	m.mu.Unlock()
	if late {
		stop()
	}
	if watching.Err() == nil {
		time.AfterFunc(renewTime, func() { m.watched(watching, stop) })
	}
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// learnAll takes over what there was when the watch began, in the order of its writing. The age of a
// record is what the broker's clock and this machine's both say at least: a leader whose clock is wrong
// may have written some of them.
func (m *Member) learnAll(ctx context.Context, list []entry) {
	slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.rev, b.rev) })
	var latest time.Time
	for i := range list {
		if e := &list[i]; e.time.Before(latest) {
			e.time = latest // as it was written later
		} else {
			latest = e.time
		}
	}
	if now := time.Now(); now.Before(latest) {
		latest = now
	}
	var over []entry
	for _, ofSession := range []bool{true, false} { // first, since the end of each looks at all slots
		for _, e := range list {
			if strings.HasPrefix(e.key, "session.") != ofSession {
				continue
			}
			age := latest.Sub(e.time)
			m.learn(&e, max(age-mostSkew, 0))
			if age > keepEnded && e.over() {
				over = append(over, e)
			}
		}
	}
	m.writes.Go(func() { // a night's harvests leave thousands, and who comes is waited for
		for _, e := range over {
			if ctx.Err() != nil || m.records.remove(ctx, e.key, e.rev) != nil {
				return // the next one to come tries again
			}
		}
	})
}

// over reports the record of a session that has ended, and what is left of a key that was removed.
func (e *entry) over() bool {
	var x lease
	return len(e.value) == 0 || strings.HasPrefix(e.key, "session.") && json.Unmarshal(e.value, &x) == nil &&
		x.Ended
}

// learn takes over a record that was written so long ago, at least.
func (m *Member) learn(e *entry, age time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	kind, id, _ := strings.Cut(e.key, ".")
	if n, err := strconv.ParseUint(id, 10, 32); err == nil && n < slots {
		var x wish
		if kind == "slot" {
			m.heard(uint32(n), e, age, now)
		} else if json.Unmarshal(e.value, &x) == nil {
			m.slots.at(uint32(n)).wished(e.rev, &x, now)
		}
	}
	onBoard := kind == "node" || kind == "harvest" || kind == "shard" || kind == "decided"
	if onBoard && e.rev > m.board[e.key].rev {
		m.board[e.key] = *e
		close(m.news)
		m.news = make(chan struct{})
	}
	if kind != "session" || len(e.value) == 0 {
		return
	}
	if id == m.begun {
		if s := m.session; s != nil {
			s.seen = now
		}
		return
	}
	var x lease
	p := m.peers.of(id)
	if json.Unmarshal(e.value, &x) == nil && e.rev > p.rev {
		p.alive = p.rev != 0
		p.who, p.rev, p.at = x.Who, e.rev, now
		if x.Ended {
			m.end(id, now.Add(-age))
		}
	}
}

// leave gives everything back and ends the session.
func (m *Member) leave() {
	m.mu.Lock()
	s := m.session
	if s != nil {
		for _, x := range m.slots {
			if x.state == mine {
				m.giveBack(x)
			}
		}
	}
	m.mu.Unlock()
	m.writes.Wait()
	if s == nil {
		return
	}
	m.mu.Lock()
	m.session = nil
	s.expiry.Stop()
	s.endWith(errLost)
	rev := s.rev
	m.mu.Unlock()
	over := lease{Who: m.who, Ended: true}
	_, _ = m.records.put(context.Background(), sessionKey(s.id), over, rev) // else the others end it
}
