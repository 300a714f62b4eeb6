package frontier

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"watershed/page"
	"watershed/store"
)

// Options say how polite, patient and wide the frontier is. The zero value has the documented
// defaults. Where 0 stands for a default, a negative number means none.
type Options struct {
	// Politeness holds for all hosts, Hosts for those that match: of each field the first match counts
	// in which it is not 0, and Politeness where there is none.
	Politeness Politeness
	Hosts      []HostPoliteness

	// AddressDelay is the least time between two requests to one address, whatever their hosts;
	// default none.
	AddressDelay time.Duration
	// Hasty says from which priority on, a power of 2, URLs are asked for by a page that is being
	// drawn: at that pace after one of the same kind, as long as nothing asks for more. The host rests
	// before any other URL for the time that it has not rested then. A priority of 0 is for none.
	Hasty Hasty
	// Slack is added to every pause: a server sees the end of its answer a little after the client
	// that has read it. Default 5 ms.
	Slack time.Duration
	// SharedAddresses lets hosts of one address be fetched from at the same time: for test webs on
	// loopback, and for proxies, where the address is not the host's.
	SharedAddresses bool
	// Machine is where the other harvests of the machine are told of.
	Machine Machine
	// Turns has the harvests of other machines keep from asking what this one asks; nil is for none.
	Turns Turns

	// Tries is how often a URL is tried before it is recorded as failed; default 5. (Heritrix: 30.)
	Tries int
	// HostTries is after how many attempts in a row without a usable answer a host is given up and
	// its URLs are recorded as failed; default 8, which is after about an hour.
	HostTries int
	// HostTriesOf gives a smaller HostTries for a host, or 0: a dry run is less patient with hosts
	// where no seed lies. nil for none.
	HostTriesOf func(page.Host) int
	// Stranger reports a URL on a host that nobody named. Such a host, of which nothing was ever had, is
	// given up after Tries attempts already where nothing else is left than what hosts have that do not
	// answer: a run does not stay open for it. nil: there is none.
	Stranger func(page.URL) bool
	// RetryBase is how long a host rests after an attempt without a usable answer; each further one
	// doubles it. Default 30 s. RetryMax bounds it; default 1 h.
	RetryBase, RetryMax time.Duration
	// RetryAfterMax bounds the time that a host may ask for by Retry-After; default 24 h.
	RetryAfterMax time.Duration
	// LeaseTime is when a lease whose holder does not come back is taken from it; default 2 h.
	LeaseTime time.Duration

	// Age is how long a host waits to make up for one rank of priority, that is for half the
	// excess: the measure that keeps hosts from starving. Default 1 min.
	Age time.Duration

	// Limits of the whole harvest, of each host, and of the sites by their index.
	Limits     Limits
	HostLimits Limits
	Sites      []Site
	// Past counts for the limits, too.
	Past Past

	// Waiting is what the store tells of the queues, if that was read since their last change
	// (store.Fates.Waiting); nil has Open read all rows.
	Waiting store.Waiting

	Traps Traps
	// Novelty is asked about each page whose turn has come, but for seeds, Candidate.Forced and Part, Hasty
	// ones and those that were fetched before; if it names a rule, the page is skipped by it as
	// store.LowNovelty. Nil asks nobody. It must not call the frontier.
	Novelty func(page.URL) (rule string)
	// Stand is asked about each new URL that is wanted, inside a transaction, which page is kept in place
	// of it; if it gives one, the URL is skipped for its reason, with a line in the ledger, unless that
	// page has to be asked for and cannot be. Nil asks nobody. It must not call the frontier.
	Stand func(*store.Tx, page.URL) (Stand, error)
	// Late is asked of each URL that was just leased whether Stand is to be asked again, because it may
	// say more than when the URL was queued. Nil is no to all.
	Late func(page.URL) bool

	// Now is the clock; nil is that of the machine when the frontier is opened, which goes on
	// evenly from there: when somebody sets it, no host is left alone the longer, nor asked the
	// sooner.
	Now func() time.Time
	// Log is told of hosts that are given up and of limits; nil is silent.
	Log *slog.Logger
}

// Stand is a page that is kept in place of a URL; the zero Stand says that there is none.
type Stand struct {
	URL      page.URL
	Reason   store.Reason // store.Mirror, store.Collection or store.Copy
	Rule     string       // by which it stands
	Evidence string       // in words
	Ask      bool         // it is to be asked for, too, because nobody has yet
	Site     int          // for which it is: an index and 1 more; 0 for that of the URL
}

// Politeness is the pause between two requests to one host: Factor times as long as the last answer
// took, within Min and Max, and robots.txt's Crawl-delay where that is longer.
type Politeness struct {
	Factor float64       // default 5 (as Heritrix)
	Min    time.Duration // default 2 s (Heritrix: 3 s)
	Max    time.Duration // default 30 s (as Heritrix)
	// CrawlDelayMax is the longest Crawl-delay that is kept; default 300 s (as Heritrix). A host
	// that asks for more is fetched from at this pace; whoever wants to honour longer ones raises it.
	CrawlDelayMax time.Duration
}

// Hasty says which URLs are asked for at a pace of their own. The page that waits for such a URL needs it
// and no other one, so that no page stands for it.
type Hasty struct {
	Priority int64
	Pace     time.Duration
}

func (h Hasty) has(priority int64) bool { return h.Priority > 0 && priority >= h.Priority }

// HostPoliteness is the politeness of the hosts that a pattern matches, such as "*.slow.example".
type HostPoliteness struct {
	Match page.HostPattern
	Politeness
}

// Limits bound the pages, files and bytes fetched; 0 is no limit. Once a limit of pages is reached
// no page is asked for, nor a file to which pages only link; the files that pages need still are. Once
// one of files is reached, URLs are still asked for that pages link to and whose names do not say that
// they are files.
type Limits struct {
	Pages int64 // HTML and documents: page.Visit.Page
	Files int64 // all else that was fetched, but redirects
	Bytes int64
	// Depth bounds the links followed, but for those that Candidate.Inside leaves out; embeds and
	// redirects do not count. Only for sites.
	Depth int
}

// Site is one of the harvest's sites. Candidates name it by its index in Options.Sites, which must
// stay the same as long as a run lasts.
type Site struct {
	Name   string
	Limits Limits
}

// Traps are the rules by which a URL is refused at sight. Where 0 stands for a default, a negative
// number switches a rule off.
type Traps struct {
	Length   int // bytes of the URL; default 2083 (as Heritrix)
	Segments int // of the path; default 20 (as Heritrix' TooManyPathSegmentsDecideRule)
	Hops     int // letters of the discovery path that count; default 20 (as Heritrix' TooManyHopsDecideRule)
	// how often a run of segments may stand in a row; default 2 (as Heritrix'
	// PathologicalPathDecideRule)
	Repeats int
	Args    int // how often the same argument may stand in the query; default 3
	// Hosts is how many hosts of one registrable domain may be asked; default 10,000. Each is kept as
	// long as the run lasts, and a domain where each name answers has no end of them.
	Hosts int
	// Nested is how many files of one registrable domain may be asked for that only files need which
	// only files need, three times over: style sheets import others, site maps list others. Default
	// 10,000. They are counted from the start of the process on.
	Nested int
}

const (
	defaultTries     = 5
	defaultHostTries = 8
)

// Validate reports options that cannot work.
func (o Options) Validate() error {
	errs := []error{o.Politeness.validate("politeness")}
	for _, h := range o.Hosts {
		if _, err := page.ParseHostPattern(string(h.Match)); err != nil {
			errs = append(errs, fmt.Errorf("frontier: politeness of hosts: %w", err))
		}
		errs = append(errs, h.validate("politeness of "+string(h.Match)))
	}
	for _, s := range o.Sites {
		errs = append(errs, s.Limits.validate("site "+s.Name))
	}
	errs = append(errs, o.Limits.validate("harvest"), o.HostLimits.validate("hosts"))
	return errors.Join(errs...)
}

func (p Politeness) validate(what string) error {
	if p.Min > 0 && p.Max > 0 && p.Min > p.Max {
		return fmt.Errorf("frontier: %s: least delay %v is above the greatest, %v", what, p.Min, p.Max)
	}
	return nil
}

func (l Limits) validate(what string) error {
	if l.Pages < 0 || l.Files < 0 || l.Bytes < 0 || l.Depth < 0 {
		return fmt.Errorf("frontier: limits of %s: a negative one", what)
	}
	return nil
}

func (o Options) withDefaults() Options {
	o.Politeness = o.Politeness.or(Politeness{
		Factor: 5, Min: 2 * time.Second, Max: 30 * time.Second,
		CrawlDelayMax: 300 * time.Second,
	})
	o.AddressDelay = max(o.AddressDelay, 0)
	o.Slack = orTime(o.Slack, 5*time.Millisecond)
	o.Tries = int(or(int64(o.Tries), defaultTries))
	o.HostTries = int(or(int64(o.HostTries), defaultHostTries))
	o.RetryBase = orTime(o.RetryBase, 30*time.Second)
	o.RetryMax = orTime(o.RetryMax, time.Hour)
	o.RetryAfterMax = orTime(o.RetryAfterMax, 24*time.Hour)
	o.LeaseTime = orTime(o.LeaseTime, 2*time.Hour)
	o.Age = max(orTime(o.Age, time.Minute), time.Millisecond)
	o.Traps = o.Traps.withDefaults()
	if o.Now == nil {
		start := time.Now()
		o.Now = func() time.Time { return start.Add(time.Since(start)) }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// over has the fields of p, and those of below that are 0 in p.
func (p Politeness) over(below Politeness) Politeness {
	return Politeness{
		Factor: cmp.Or(p.Factor, below.Factor), Min: cmp.Or(p.Min, below.Min), Max: cmp.Or(p.Max, below.Max),
		CrawlDelayMax: cmp.Or(p.CrawlDelayMax, below.CrawlDelayMax),
	}
}

// or fills the fields of p that are 0 from standard, and sets negative ones to 0. A least pause that is
// longer than the greatest one lifts that.
func (p Politeness) or(standard Politeness) Politeness {
	p = p.over(standard)
	least := max(p.Min, 0)
	return Politeness{
		Factor: max(p.Factor, 0), Min: least, Max: max(p.Max, least), CrawlDelayMax: max(p.CrawlDelayMax, 0),
	}
}

func or(n, standard int64) int64 {
	if n == 0 {
		return standard
	}
	return max(n, 0)
}

func orTime(d, standard time.Duration) time.Duration {
	return time.Duration(or(int64(d), int64(standard)))
}

func (t Traps) withDefaults() Traps {
	for _, x := range []struct {
		n        *int
		standard int
	}{
		{&t.Length, 2083},
		{&t.Segments, 20},
		{&t.Hops, 20},
		{&t.Repeats, 2},
		{&t.Args, 3},
		{&t.Hosts, 10_000},
		{&t.Nested, 10_000},
	} {
		*x.n = cmp.Or(*x.n, x.standard)
	}
	return t
}
