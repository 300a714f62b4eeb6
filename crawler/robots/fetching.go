package robots

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"watershed/internal/coding"
	"watershed/page"
)

const (
	// tooManyRequests is the one status of the 4xx that says "later" and not "no" (RFC 6585, 4).
	tooManyRequests = 429
	// maxRedirects that are followed: "crawlers SHOULD follow at least five consecutive redirects,
	// even across authorities" (RFC 9309, 2.3.1.2).
	maxRedirects = 5
	// longUnreachable is "a reasonably long period of time (for example, 30 days)" after which a
	// robots.txt that cannot be reached is as good as none (2.3.1.4).
	longUnreachable = 30 * 24 * time.Hour
	// longUnasked ends such a period: nobody has looked for so long, so nothing is known of it.
	longUnasked = 7 * 24 * time.Hour
	// maxAge: "Crawlers SHOULD NOT use the cached version for more than 24 hours, unless the
	// robots.txt file is unreachable" (2.4).
	maxAge = 24 * time.Hour
	// partTries is how often a body that broke off is asked for again before the part that comes is
	// heard: some servers never tell a true length. Its last line may be cut, and forbid too much.
	partTries = 3
)

// Fetching is one robots.txt being fetched, step by step: URL says which URL to fetch, Step is
// given the exchange. It is not safe for concurrent use.
type Fetching struct {
	opt    *Options
	before *File // what was known before; nil for nothing
	origin string
	next   page.URL   // "" when done
	asked  []page.URL // before next: each redirected
	file   *File
}

func newFetching(u page.URL, o *Options, before *File) *Fetching {
	origin := Origin(u)
	return &Fetching{opt: o, before: before, origin: origin, next: page.URL(origin + "/robots.txt")}
}

// URL is the URL to fetch next; false when there is no more to fetch and File is ready. It may be
// on another host.
func (f *Fetching) URL() (page.URL, bool) { return f.next, f.next != "" }

// File is the outcome; nil before URL says that it is ready.
func (f *Fetching) File() *File { return f.file }

// Step is shown the exchange of the URL that was to be fetched; now is the time of the answer.
func (f *Fetching) Step(x *page.Exchange, now time.Time) {
	status := x.Status
	switch {
	case x.Status == 0:
		f.unreachable(x, now, cause(x.Err))
	case failing(status):
		f.unreachable(x, now, fmt.Sprintf("robots.txt answers %d", status))
	case status >= 400:
		f.unavailable(x, now, fmt.Sprintf("no robots.txt: %d", status))
	case status >= 300:
		f.follow(x, now)
	default:
		off := ""
		if broken(x) {
			off = "robots.txt broke off: " + cause(cmp.Or(x.Err, x.Body.Err))
		}
		if off != "" && (f.before == nil || f.before.Tries < partTries) {
			f.unreachable(x, now, off)
			return
		}
		f.end(x, now, &File{Rules: Parse(x.Body.Bytes, f.opt.Product), Cause: off})
	}
}

// failing reports an answer that does not say what the robots.txt is.
func failing(status int) bool { return status <= 0 || status == tooManyRequests || status >= 500 }

// Fail ends the fetching when the next URL cannot be asked for at all, with one of the page.Status
// constants: the host has no address, for example.
func (f *Fetching) Fail(status int, err error, now time.Time) {
	f.unreachable(&page.Exchange{URL: f.next, Status: status, Err: err}, now, cause(err))
}

// GoesRound ends the fetching where the next URL leads back to one that was asked for, perhaps over
// other hosts: that would be more than five redirects in the end.
func (f *Fetching) GoesRound(now time.Time) {
	f.unavailable(&page.Exchange{URL: f.next, Status: 301}, now,
		"no robots.txt: its redirects lead back to it")
}

// Adopt ends the fetching with the File of another origin, after a redirect to the robots.txt of
// that origin, which was fetched for its own sake.
func (f *Fetching) Adopt(other *File) {
	file := *other
	file.Origin = f.origin
	f.file, f.next = &file, ""
}

func cause(err error) string {
	if err == nil {
		return "no answer"
	}
	return err.Error()
}

// broken reports a body that lacks a part of the bytes that would be read.
func broken(x *page.Exchange) bool {
	whole := x.Truncated == page.Whole && (x.Body.Err == nil || errors.Is(x.Body.Err, coding.ErrWhole))
	return !whole && len(x.Body.Bytes) < MaxBytes
}

func (f *Fetching) follow(x *page.Exchange, now time.Time) {
	to, err := page.URL(""), errors.New("no Location")
	if l := x.Header.Get("Location"); l != "" {
		to, err = x.URL.Resolve(l)
	}
	switch {
	case err != nil:
		f.unavailable(x, now, fmt.Sprintf("no robots.txt: %d leads nowhere", x.Status))
	case to == f.next || slices.Contains(f.asked, to):
		f.GoesRound(now)
	case len(f.asked) == maxRedirects:
		f.unavailable(x, now, "no robots.txt: more than 5 redirects")
	default:
		f.asked, f.next = append(f.asked, f.next), to
	}
}

// unavailable: "the crawler MAY access any resources on the server" (2.3.1.3).
func (f *Fetching) unavailable(x *page.Exchange, now time.Time, cause string) {
	f.end(x, now, &File{Rules: &Rules{}, Cause: cause})
}

// unreachable: "crawlers MUST assume complete disallow" (2.3.1.4), but for a copy that was read
// before, which may be used on (2.4), and after a long time in which it was asked for. That there was
// none before is no copy.
func (f *Fetching) unreachable(x *page.Exchange, now time.Time, cause string) {
	file := &File{Cause: cause, Failing: now, Tries: 1}
	if b := f.before; b != nil {
		if !b.Failing.IsZero() && now.Sub(b.Until) < longUnasked {
			file.Failing, file.Tries = b.Failing, b.Tries+1
		}
		if b.read() {
			file.Rules, file.Fetched = b.Rules, b.Fetched
		}
	}
	if file.Rules == nil && now.Sub(file.Failing) >= longUnreachable {
		file.Rules = &Rules{}
		file.Cause = fmt.Sprintf("robots.txt unreachable for %d days: %s", longUnreachable/(24*time.Hour),
			cause)
	}
	f.end(x, now, file)
	file.Until = now.Add(f.retry(x, file.Tries, now))
}

func (f *Fetching) end(x *page.Exchange, now time.Time, file *File) {
	file.Origin, file.URL, file.Status = f.origin, x.URL, x.Status
	if file.Failing.IsZero() {
		file.Fetched, file.Until = now, now.Add(f.opt.MaxAge)
	}
	f.file, f.next = file, ""
}

// retry is how long to wait after so many failures: as long as the server asks for, else twice as
// long each time.
func (f *Fetching) retry(x *page.Exchange, tries int, now time.Time) time.Duration {
	wait := f.opt.Retry
	for n := 1; n < tries && wait < f.opt.MaxRetry; n++ {
		wait *= 2
	}
	wait = min(wait, f.opt.MaxRetry)
	wait = max(wait, page.RetryAfter(x.Header.Get("Retry-After"), now))
	return min(wait, maxAge)
}
