package robots

import (
	"cmp"
	"container/list"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"watershed/page"
)

// Options of a Cache. The zero value of a field is its default; Product alone has none.
type Options struct {
	// Product is the name by which robots.txt calls the crawler: the product token of its
	// User-Agent.
	Product string
	// MaxAge is how long a robots.txt is used before it is fetched again. 0 is 24 h, which is also
	// the most.
	MaxAge time.Duration
	// Retry is how long to wait after a robots.txt could not be reached; it doubles with each
	// failure. 0 is a minute.
	Retry time.Duration
	// MaxRetry bounds that wait, unless the server asks for more. 0 is 6 h.
	MaxRetry time.Duration
	// MaxFiles bounds the files that are remembered. 0 is 100,000.
	MaxFiles int
	// MaxBytes bounds their memory, about. 0 is 64 MiB. The file that was asked for longest ago
	// goes first.
	MaxBytes int
}

// Validate reports the options that cannot be.
func (o Options) Validate() error {
	var errs []error
	if token(o.Product) != o.Product || o.Product == "" {
		errs = append(errs, fmt.Errorf("product token %q: want letters, _ and - (RFC 9309, 2.2.1)",
			o.Product))
	}
	if o.MaxAge < 0 || o.MaxAge > maxAge {
		errs = append(errs, fmt.Errorf("age of robots.txt %v: want at most 24h (RFC 9309, 2.4)", o.MaxAge))
	}
	if o.Retry < 0 || o.MaxRetry < 0 {
		errs = append(errs, errors.New("wait for a robots.txt is negative"))
	}
	if o.MaxFiles < 0 || o.MaxBytes < 0 {
		errs = append(errs, errors.New("limit of the robots.txt cache is negative"))
	}
	return errors.Join(errs...)
}

// State is the state of knowledge of a Cache on an origin.
type State uint8

const (
	Unknown State = iota // the robots.txt has to be fetched first
	Waiting              // it cannot be reached, so nothing may be fetched for now
	Known                // there is a verdict
)

func (s State) String() string {
	return [...]string{"unknown", "waiting", "known"}[min(s, Known)]
}

// Answer is the answer of a Cache for a URL.
type Answer struct {
	State   State
	Verdict Verdict   // when Known; while Waiting its Cause tells why
	Until   time.Time // it holds so long; while Waiting the time to fetch the robots.txt again
}

// Cache remembers the robots.txt of many origins. It is safe for concurrent use. Two workers may
// both be told Unknown for one origin; whoever leases a host to one worker at a time has each
// fetched once.
type Cache struct {
	opt Options

	mu    sync.Mutex
	files map[string]*list.Element // guarded by mu
	order *list.List               // of *File, guarded by mu: asked for latest in front
	bytes int                      // guarded by mu
}

// New makes an empty Cache.
func New(o Options) (*Cache, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("robots options: %w", err)
	}
	o.MaxAge = cmp.Or(o.MaxAge, maxAge)
	o.Retry = cmp.Or(o.Retry, time.Minute)
	o.MaxRetry = cmp.Or(o.MaxRetry, 6*time.Hour)
	o.MaxFiles = cmp.Or(o.MaxFiles, 100_000)
	o.MaxBytes = cmp.Or(o.MaxBytes, 64<<20)
	return &Cache{opt: o, files: map[string]*list.Element{}, order: list.New()}, nil
}

// Ask judges a URL.
func (c *Cache) Ask(u page.URL, now time.Time) Answer {
	f := c.Get(Origin(u))
	if f == nil || !now.Before(f.Until) {
		return Answer{}
	}
	a := Answer{Until: f.Until}
	if f.Rules == nil {
		a.Verdict, a.State = Verdict{Cause: f.Cause}, Waiting
		return a
	}
	if a.Verdict = f.Rules.Check(u); a.Verdict.Cause == "" {
		a.Verdict.Cause = f.Cause
	}
	a.State = Known
	return a
}

// Ignore is the answer for a host whose robots.txt the operator does not heed: it is fetched
// nevertheless, for the archive, its sitemaps and its Crawl-delay, and the verdict still tells what
// it says.
func (a Answer) Ignore() Answer {
	if a.State == Unknown || a.Verdict.Allowed {
		return a
	}
	a.Verdict.Cause = strings.TrimPrefix(a.Verdict.Cause+"; policy is to ignore robots.txt", "; ")
	a.Verdict.Allowed, a.State = true, Known
	return a
}

// Start begins to fetch the robots.txt of a URL's origin. Rules that are known already are used
// where it cannot be reached.
func (c *Cache) Start(u page.URL) *Fetching {
	return newFetching(u, &c.opt, c.Get(Origin(u)))
}

// Holds is how long an answer with that status, 0 for none, says what a robots.txt is that redirects to
// its URL.
func (c *Cache) Holds(status int) time.Duration {
	if failing(status) {
		return c.opt.Retry
	}
	return c.opt.MaxAge
}

// Get gives the File of an origin, also when it is out of date; nil for none.
func (c *Cache) Get(origin string) *File {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.files[origin]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*File)
}

// Put remembers a file: one just fetched, or one stored by an earlier run.
func (c *Cache) Put(f *File) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.files[f.Origin]; e != nil {
		c.remove(e)
	}
	c.files[f.Origin] = c.order.PushFront(f)
	c.bytes += f.size()
	for c.order.Len() > 1 && (c.order.Len() > c.opt.MaxFiles || c.bytes > c.opt.MaxBytes) {
		c.remove(c.order.Back())
	}
}

// remove forgets a file; mu is held.
func (c *Cache) remove(e *list.Element) {
	f := c.order.Remove(e).(*File)
	delete(c.files, f.Origin)
	c.bytes -= f.size()
}
