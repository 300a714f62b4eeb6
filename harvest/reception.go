package harvest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"watershed/harvest/control"
)

// reception takes the orders of a harvest from the moment that its store is open until it is
// closed. Each is answered at once: it is carried out, kept until the run is open, or refused with
// the reason. It is safe for concurrent use.
//
//	phase        stop               pause, resume, decisions   delay, limit   explain, present
//	opening      when it is open    when it is open            refused        refused
//	crawling     at once            at once                    at once        at once
//	delivering   at once            refused                    refused        refused
type reception struct {
	mu      sync.Mutex // guards what follows
	phase   string     // one of control's
	since   time.Time
	early   []control.Order // that wait until the run is open
	stopped bool            // by order
	stop    context.CancelCauseFunc
	// carryOut does what an order asks, present answers control.Present; both
	// are there once it is open
	carryOut func(*control.Order) (control.Answer, error)
	present  func() (control.Answer, error)

	log   *slog.Logger
	end   context.CancelFunc // nil where nothing listens
	group errgroup.Group
}

// receive begins to take orders at a socket. Where that cannot be made the harvest goes on without.
func (r *reception) receive(socket string, log *slog.Logger) {
	r.log, r.phase, r.since = log, control.Opening, time.Now()
	l, err := control.Listen(socket)
	if err != nil {
		log.Warn("the run takes no orders", "cause", err)
		return
	}
	ctx, end := context.WithCancel(context.Background()) // it ends with Close
	r.end = end
	r.group.Go(func() error { return l.Serve(ctx, r.answer) })
}

// hangUp ends taking orders, when the last answer is sent.
func (r *reception) hangUp() {
	if r.end == nil {
		return
	}
	r.end()
	if err := r.group.Wait(); err != nil {
		r.log.Warn("the run took no more orders", "cause", err)
	}
}

// open says that the run is open, and by what it carries orders out and presents itself. The orders
// that were kept are carried out before, and the ones that come meanwhile after them.
func (r *reception) open(carryOut func(*control.Order) (control.Answer, error),
	present func() (control.Answer, error),
) error {
	for {
		r.mu.Lock()
		if len(r.early) == 0 {
			r.phase, r.since, r.carryOut, r.present = control.Crawling, time.Now(), carryOut, present
			r.mu.Unlock()
			return nil
		}
		o := r.early[0]
		r.early = r.early[1:]
		r.mu.Unlock()
		if _, err := carryOut(&o); err != nil {
			return fmt.Errorf("carry out what was ordered meanwhile (%s): %w", o.Do, err)
		}
	}
}

// enter says that a phase begins whose context a stop cancels, with ErrStopped. The caller calls
// leave when it is over.
func (r *reception) enter(ctx context.Context, phase string) (_ context.Context, leave func()) {
	ctx, stop := context.WithCancelCause(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.phase != phase {
		r.phase, r.since = phase, time.Now()
	}
	r.stop = stop
	if r.stopped {
		stop(ErrStopped)
	}
	return ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.stop, r.stopped = nil, false   // it has ended what it could
		if r.phase == control.Crawling { // what follows, if anything, is that it is delivered
			r.phase, r.since = control.Delivering, time.Now()
		}
		stop(nil)
	}
}

// admit tells whether an order can be carried out now: if not, a is its answer, or err says why
// there is none.
func (r *reception) admit(o *control.Order) (now bool, a control.Answer, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch r.phase {
	case control.Opening:
		a, err = r.keep(o)
		return false, a, err
	case control.Delivering:
		if o.Do == control.Stop {
			break
		}
		return false, a, r.refusal("the run has ended and is being delivered since %s: " + delivering(o.Do))
	}
	if o.Do == control.Stop {
		r.stopped = true
		if r.stop != nil {
			r.stop(ErrStopped)
		}
	}
	return true, a, nil
}

// keep keeps an order until the run is open, or refuses it.
func (r *reception) keep(o *control.Order) (a control.Answer, err error) {
	switch o.Do {
	case control.Stop:
		r.stopped = true
		a.Later = "the run is being opened, and stops as soon as it is"
	case control.Pause, control.Resume:
		a.Later = "the run is being opened; this is carried out as soon as it is, before anything is " +
			"asked for"
	case control.Decisions:
		a.Later = "the run is being opened, and settles this as soon as it is"
	default:
		return a, r.refusal("the run is being opened since %s, and knows no hosts and pages yet: ask again " +
			"when it crawls")
	}
	r.early = append(r.early, *o)
	return a, nil
}

// delivering tells why an order makes no sense any more.
func delivering(do string) string {
	switch do {
	case control.Pause, control.Resume:
		return "nothing is asked for any more. A stop ends it, and the next start delivers"
	case control.Delay, control.Limit:
		return "nothing is asked for any more, and the next run has its own"
	case control.Decisions:
		return "what is decided counts from the next start"
	}
	return "its files tell in a while"
}

// refusal is the error of an order that cannot be carried out in the present phase; the format has
// one %s, for how long the phase has lasted.
func (r *reception) refusal(format string) error {
	return &control.PhaseError{
		Phase:  r.phase,
		Reason: fmt.Sprintf(format, r.since.UTC().Format(time.TimeOnly)+" UTC"),
	}
}

// answer answers an order. Orders that change something are carried out one at a time.
func (r *reception) answer(o control.Order) control.Answer {
	now, a, err := r.admit(&o)
	if now && o.Do == control.Present {
		a, err = r.present()
	} else if now {
		a, err = r.carryOut(&o)
	}
	if err == nil {
		return a
	}
	var refused *control.RefusedError
	var phase *control.PhaseError
	a.Error, a.Refused = err.Error(), errors.As(err, &refused)
	if errors.As(err, &phase) {
		a.Phase = phase.Phase
	}
	return a
}
