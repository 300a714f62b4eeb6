package fetch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"

	"watershed/page"
)

// bufferSize holds the response of a usual page, so that it is read with one system call.
const bufferSize = 64 << 10

// conn is a connection to a host, or to a proxy, over which one exchange after the other goes.
type conn struct {
	net.Conn          // what HTTP is spoken over: TLS, or TCP itself
	tcp      net.Conn // what lies beneath
	key      poolKey
	remote   netip.AddrPort
	proxied  bool
	tls      *page.TLS
	used     bool          // an exchange has gone over it
	last     sum           // of what the answer before says; 0 for nothing
	took     time.Duration // by the exchange before
	since    time.Time     // idle since
	limits   *limits       // of the exchange under way
}

// Read waits no longer than the limits of the exchange under way permit.
func (c *conn) Read(p []byte) (int, error) {
	deadline, reason := c.limits.next(time.Now())
	if err := c.SetReadDeadline(deadline); err != nil {
		return 0, err
	}
	if err := c.limits.ctx.Err(); err != nil { // the caller's end comes as a deadline in the past: see begin
		return 0, err
	}
	n, err := c.Conn.Read(p)
	c.limits.got += int64(n)
	if err != nil && errors.Is(err, os.ErrDeadlineExceeded) {
		if err := c.limits.ctx.Err(); err != nil {
			return n, err
		}
		return n, &Error{Kind: ErrTimeout, Cause: limitError{reason, c.limits.opt}}
	}
	return n, err
}

// begin readies the connection for an exchange. The function it returns ends that and reports
// whether the connection was left alone by the context, so that it may be used again.
func (c *conn) begin(l *limits, br *bufio.Reader) (end func() bool) {
	c.limits = l
	br.Reset(c)
	stop := func() bool { return true }
	if l.ctx.Done() != nil {
		stop = context.AfterFunc(l.ctx, func() {
			_ = c.SetDeadline(time.Unix(1, 0)) // it fails on a closed connection, which is as good
		})
	}
	return func() bool {
		br.Reset(nil)
		return stop()
	}
}

// quiet reports whether an idle connection can still be used: neither closed by the peer nor with
// bytes that nobody asked for.
func (c *conn) quiet() bool {
	if c.Conn != c.tcp {
		// Whole records may wait inside the TLS layer, where the socket does not show them.
		if err := c.SetReadDeadline(time.Unix(1, 0)); err != nil {
			return false
		}
		var one [1]byte
		if n, err := c.Conn.Read(one[:]); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return false
		}
	}
	return silent(c.tcp)
}

// goesOn reports that more comes over a connection whose answer has ended, within a moment and the time
// that the answer before took, and within the limits of the exchange.
func (c *conn) goesOn() bool {
	now := time.Now()
	deadline, _ := c.limits.next(now)
	if end := now.Add(moment + min(c.took, time.Second)); end.Before(deadline) {
		deadline = end
	}
	if c.SetReadDeadline(deadline) != nil || c.limits.ctx.Err() != nil { // see Read
		return false
	}
	var one [1]byte
	n, _ := c.Conn.Read(one[:]) // what ends the wait tells nothing more
	return n > 0
}

// moment is what a server takes at most between an answer and its repetition.
const moment = 50 * time.Millisecond

// limits are those of time for one exchange.
type limits struct {
	ctx   context.Context
	opt   *Options
	start time.Time // the first byte was sent
	head  time.Time // the whole head was there; zero before
	got   int64     // bytes received since
	quick bool      // the framing is lost: take only what comes at once
	most  time.Duration
}

// rateGrace is the time that a body is given before its rate is looked at.
const rateGrace = time.Minute

// endlessTime is how long a body that has no end is listened to: its beginning is kept.
const endlessTime = 3 * time.Second

// lingering is the wait for more bytes of a response whose framing is lost.
const lingering = 2 * time.Second

// newLimits begins an exchange; most bounds its body, where it is not 0.
func newLimits(ctx context.Context, o *Options, now time.Time, most time.Duration) *limits {
	return &limits{ctx: ctx, opt: o, start: now, most: most}
}

// begun tells that the head is there and how many bytes of the body came with it.
func (l *limits) begun(now time.Time, body int) {
	l.head, l.got = now, int64(body)
}

// next is the moment at which waiting for the next byte ends, and the reason to give then.
func (l *limits) next(now time.Time) (time.Time, timeLimit) {
	at, reason := l.start.Add(l.opt.Timeout), limitWhole
	sooner := func(t time.Time, r timeLimit) {
		if t.Before(at) {
			at, reason = t, r
		}
	}
	if l.head.IsZero() {
		sooner(l.start.Add(headTimeout), limitHead)
		return at, reason
	}
	sooner(now.Add(l.opt.IdleTimeout), limitIdle)
	if l.most > 0 {
		sooner(l.head.Add(l.most), limitWhole)
	}
	if l.quick {
		sooner(now.Add(lingering), limitIdle)
	}
	earned := time.Duration(float64(l.got) / minRate * float64(time.Second))
	if earned >= 0 { // a large body earns more time than a Duration holds
		sooner(l.head.Add(max(rateGrace, earned)), limitRate)
	}
	return at, reason
}

type timeLimit uint8

const (
	limitWhole timeLimit = iota
	limitHead
	limitIdle
	limitRate
)

// limitError tells which limit of time was reached.
type limitError struct {
	limit timeLimit
	opt   *Options
}

// Is reports ErrStalled.
func (e limitError) Is(target error) bool { return target == ErrStalled && e.limit == limitIdle }

func (e limitError) Error() string {
	switch e.limit {
	case limitHead:
		return fmt.Sprintf("no whole head within %v", headTimeout)
	case limitIdle:
		return fmt.Sprintf("nothing more came for %v", e.opt.IdleTimeout)
	case limitRate:
		return fmt.Sprintf("slower than %d bytes/s", minRate)
	}
	return fmt.Sprintf("not done within %v", e.opt.Timeout)
}
