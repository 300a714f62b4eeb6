// Package notify tells people and programs what they should know of a harvest: by mail (SMTP) and
// by webhooks, which are signed.
//
// Whoever tells something never waits for it and never fails by it: news wait in a short queue, and
// what cannot be delivered is logged. Secrets are in no error and in no log.
package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Kind says which news it is.
type Kind string

// The kinds of news.
const (
	Ended   Kind = "ended"   // a run has ended, in whatever way
	Losses  Kind = "losses"  // it ended with losses, or failed
	Disk    Kind = "disk"    // it pauses because the disk is full
	Refused Kind = "refused" // hosts have begun to refuse, or do not answer
	Login   Kind = "login"   // a login was refused, or cannot be renewed
	Copies  Kind = "copies"  // copies wait for a decision
	Upload  Kind = "upload"  // a run could not be uploaded
)

// News is what is told. Its JSON is the body of a webhook.
type News struct {
	Kinds   []Kind    `json:"kinds"` // what it is about, the most important one first
	Harvest string    `json:"harvest"`
	Run     string    `json:"run"` // the folder's name, "run-0001"
	Time    time.Time `json:"time"`
	Subject string    `json:"subject"` // a line
	Text    string    `json:"text"`    // what happened, where it lies and what to do
	Data    any       `json:"data,omitempty"`
}

// Options say who is told of what. Zero values are the defaults.
type Options struct {
	On      []Kind // what is told; none is nothing
	Mail    *Mail
	Webhook *Webhook

	Pause   time.Duration // before the second attempt; it doubles; 0 is 2 s
	Timeout time.Duration // of an attempt; 0 is 10 s
	Grace   time.Duration // that is waited at the end for what is under way; 0 is 30 s
	Log     *slog.Logger  // nil is silent
	// Failed is called for each news that did not arrive at a recipient of mail or a webhook, one at a time,
	// before With returns; nil is nobody.
	Failed func(by string, n News, cause error)
}

func (o Options) withDefaults() Options {
	o.Pause, o.Timeout = cmp.Or(o.Pause, 2*time.Second), cmp.Or(o.Timeout, 10*time.Second)
	o.Grace = cmp.Or(o.Grace, 30*time.Second)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// attempts is how often a delivery is tried in all.
const attempts = 3

// queued is how many news may wait: a run has a handful.
const queued = 16

// abandoned is how long is waited where the caller's context has ended: a process that was
// interrupted leaves within two seconds.
const abandoned = time.Second

// Teller takes news. A nil Teller takes and forgets them. It is safe for concurrent use.
type Teller struct {
	opt   Options
	queue chan News

	mu      sync.Mutex // guards what follows
	dropped []News     // for which there was no room
	counted int        // how many of these later news have told of
}

// Tell queues news that somebody wants to know. It does not block: where the queue is full the news
// are dropped, which the next ones and Options.Failed tell.
func (t *Teller) Tell(n News) {
	if t == nil || !t.wanted(n) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	late := n
	if lost := len(t.dropped) - t.counted; lost > 0 {
		late.Text += fmt.Sprintf("\nNot sent before this, since too many news waited: %d. "+
			"The harvest names them at its end.\n", lost)
	}
	select {
	case t.queue <- late:
		t.counted = len(t.dropped)
	default:
		t.dropped = append(t.dropped, n)
		t.opt.Log.Warn("news dropped: too many wait", "subject", n.Subject)
	}
}

func (t *Teller) wanted(n News) bool {
	return slices.ContainsFunc(n.Kinds, func(k Kind) bool { return slices.Contains(t.opt.On, k) })
}

// With calls work with a Teller, and waits at the end, at most o.Grace, until its news are
// delivered. The Teller is nil where nobody is to be told. The error is that of work.
func With(ctx context.Context, o Options, work func(*Teller) error) error {
	o = o.withDefaults()
	if o.Mail == nil && o.Webhook == nil || len(o.On) == 0 {
		return work(nil)
	}
	t := &Teller{opt: o, queue: make(chan News, queued)}
	sending, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := range t.queue {
			t.deliver(sending, n)
		}
		for _, n := range t.dropped { // nobody tells more once the queue is closed
			for _, w := range t.ways() {
				t.failed(w.String(), n, errDropped)
			}
		}
	}()
	err := work(t)
	close(t.queue)
	end := time.Now().Add(o.Grace)
	grace := time.NewTimer(o.Grace)
	defer grace.Stop()
	defer context.AfterFunc(ctx, func() { grace.Reset(min(abandoned, time.Until(end))) })()
	select {
	case <-done:
		return err
	case <-grace.C:
	}
	stop(errLate)
	<-done // each attempt ends with its context
	return err
}

// sender delivers news in one way.
type sender interface {
	send(context.Context, News) error
	String() string
}

// ways are those in which news are sent. A mail goes to each recipient by itself: servers take one for
// none where they refuse one of them.
func (t *Teller) ways() (ways []sender) {
	if t.opt.Mail != nil {
		for _, to := range t.opt.Mail.To {
			m := *t.opt.Mail
			m.To = []string{to}
			ways = append(ways, &m)
		}
	}
	if t.opt.Webhook != nil {
		ways = append(ways, t.opt.Webhook)
	}
	return ways
}

// deliver sends news in each way, the ways side by side.
func (t *Teller) deliver(ctx context.Context, n News) {
	ways := t.ways()
	type sent struct {
		by  string
		err error
	}
	done := make(chan sent, len(ways))
	for _, w := range ways {
		go func() { done <- sent{w.String(), t.insist(ctx, w, n)} }()
	}
	for range ways {
		x := <-done
		if x.err == nil {
			t.opt.Log.Info("told", "by", x.by, "subject", n.Subject)
			continue
		}
		t.failed(x.by, n, x.err)
	}
}

// failed tells of news that did not arrive.
func (t *Teller) failed(by string, n News, cause error) {
	t.opt.Log.Warn("could not be told", "by", by, "subject", n.Subject, "cause", cause)
	if t.opt.Failed != nil {
		t.opt.Failed(by, n, cause)
	}
}

// errDropped is the cause of news for which there was no room.
var errDropped = errors.New("too many news waited")

// errLate is the cause of news that were under way when nobody waited for them any more.
var errLate = errors.New("no answer had come when the harvest ended")

// errFinal is a cause of errors after which no further attempt is made.
var errFinal = errors.New("refused for good")

// insist sends until it succeeds, is refused for good, or has failed too often.
func (t *Teller) insist(ctx context.Context, w sender, n News) (err error) {
	pause := t.opt.Pause
	for i := range attempts {
		if i > 0 {
			timer := time.NewTimer(pause)
			select {
			case <-ctx.Done():
				timer.Stop()
				return errors.Join(err, context.Cause(ctx))
			case <-timer.C:
			}
			pause *= 2
		}
		attempt, stop := context.WithTimeout(ctx, t.opt.Timeout)
		err = guarded(attempt, w, n)
		stop()
		switch {
		case err == nil || errors.Is(err, errFinal):
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
	}
	return err
}

// guarded makes a panic of a sender an error of what it sends.
func guarded(ctx context.Context, w sender, n News) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: a fault of the program: %v", errFinal, p)
		}
	}()
	return w.send(ctx, n)
}
