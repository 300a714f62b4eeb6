package frontier

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"watershed/page"
	"watershed/store"
)

// The changes that an archivist makes by hand while a run goes on. None of them makes the crawl
// less polite than its options and the hosts' robots.txt say.

// SetDelay sets the least pause of all hosts, from the last request to each on; 0 takes that back.
// It only lengthens what politeness wants by itself. Unlike SetHostDelay it ends with the process.
func (f *Frontier) SetDelay(d time.Duration) {
	f.least.Store(int64(max(d, 0)))
	f.mu.Lock()
	now := f.now()
	for _, h := range f.hosts {
		f.reschedule(h, now)
	}
	f.mu.Unlock()
	f.signal()
}

// Delay is the least pause of all hosts by the options, without those of single hosts.
func (o Options) Delay() time.Duration { return o.withDefaults().Politeness.Min }

// SetLimits puts other limits of the harvest in the place of Options.Limits, from the next lease
// on, and queues again the URLs that were skipped for lower ones, as SetHostLimits does. Depth does
// not count.
func (f *Frontier) SetLimits(l Limits) error {
	if err := l.validate("harvest"); err != nil {
		return err
	}
	f.mu.Lock()
	former := f.opt.Limits
	f.opt.Limits = l
	f.mu.Unlock()
	f.signal()
	_, err := reopenLimited(f, former, l, func(u *store.URL) bool {
		return strings.HasPrefix(u.Rule, "the harvest: ")
	})
	return err
}

// reopenLimited queues again the URLs that were skipped for the former limits, where these were
// lower and mine says that the limits are those of a URL.
func reopenLimited(f *Frontier, former, l Limits, mine func(*store.URL) bool) (reopened int, err error) {
	higher := map[store.Reason]bool{
		store.LimitPages: raised(former.Pages, l.Pages), store.LimitFiles: raised(former.Files, l.Files),
		store.LimitBytes: raised(former.Bytes, l.Bytes),
	}
	if !higher[store.LimitPages] && !higher[store.LimitFiles] && !higher[store.LimitBytes] {
		return 0, nil
	}
	return f.Reopen(func(u *store.URL) bool {
		return u.State == store.Skipped && higher[u.Reason] && mine(u)
	})
}

// SetHostLimits puts other limits of a host in the place of Options.HostLimits, those of all hosts
// without limits of their own for "", and queues again the URLs that were skipped for the former
// limits where these were lower. It returns how many URLs that are: see Reopen, whose cost and
// transactions it has.
func (f *Frontier) SetHostLimits(name page.Host, l Limits) (reopened int, err error) {
	if err := l.validate("host " + string(name)); err != nil {
		return 0, err
	}
	f.mu.Lock()
	former := f.opt.HostLimits
	if name == "" {
		f.opt.HostLimits = l
	} else {
		former = f.limitsOf(name)
		f.limits[name] = l
	}
	f.mu.Unlock()
	f.signal()
	return reopenLimited(f, former, l, func(u *store.URL) bool {
		host, ok := strings.CutPrefix(u.Rule, "host ")
		return ok && strings.HasPrefix(host, string(u.URL.Host())+": ") &&
			(name == "" || name == u.URL.Host())
	})
}

// raised reports that a limit lets more through than before; 0 is no limit.
func raised(from, to int64) bool { return from > 0 && (to == 0 || to > from) }

// limitsOf are the limits of a host. The caller holds mu.
func (b *books) limitsOf(name page.Host) Limits {
	if l, ok := b.limits[name]; ok {
		return l
	}
	return b.opt.HostLimits
}

// Limits are those in force: of the harvest, and of a host, "" for those of all that have none of
// their own.
func (f *Frontier) Limits(name page.Host) (harvest, host Limits) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.opt.Limits, f.limitsOf(name)
}

// Exclude records the waiting URLs for which match says so as skipped, store.Excluded, by the rule
// that it gives, until Readmit or until another site wants them. A leased URL is fetched
// nevertheless, but not tried again. Exclude reads every record of the run, as Reopen does, and
// works in transactions of its own; it returns how many URLs were skipped, also with an error. URLs
// that are added meanwhile may be passed over.
func (f *Frontier) Exclude(evidence string, match func(*store.URL) (rule string, out bool)) (
	skipped int, err error,
) {
	type excluded struct {
		url  page.URL
		rule string
	}
	var found []excluded
	for u, err := range f.st.URLs(f.run) {
		if err != nil {
			return 0, fmt.Errorf("exclude what waits: %w", err)
		}
		if u.State == store.Pending {
			if rule, out := match(&u); out {
				found = append(found, excluded{u.URL, rule})
			}
		}
	}
	for batch := range slices.Chunk(found, reopenBatch) {
		n := 0
		err := f.update(func(c *changes) error {
			n = 0
			for _, x := range batch {
				done, err := c.exclude(x.url,
					refusal{reason: store.Excluded, rule: x.rule, evidence: evidence})
				if err != nil {
					return err
				}
				n += b2i(done)
			}
			return nil
		})
		if err != nil {
			return skipped, fmt.Errorf("exclude what waits: %w", err)
		}
		skipped += n
	}
	return skipped, nil
}

// exclude skips a URL if it still waits.
func (c *changes) exclude(text page.URL, r refusal) (done bool, err error) {
	err = c.edit(text, func(u *store.URL) (bool, error) {
		if u.State != store.Pending {
			return false, nil
		}
		h, err := c.hostOf(text.Host())
		if err != nil {
			return false, err
		}
		c.host(h).Skipped++
		done = true
		return true, c.skip(c.f.keyOf(text), u, r)
	})
	return done, err
}

// Readmit queues again the URLs that Exclude skipped by a rule, where match says so: see Reopen,
// whose cost and transactions it has.
func (f *Frontier) Readmit(rule string, match func(*store.URL) bool) (int, error) {
	return f.Reopen(func(u *store.URL) bool {
		return u.State == store.Skipped && u.Reason == store.Excluded && u.Rule == rule && match(u)
	})
}

// LeastDelay is the pause that SetDelay set; 0 for none.
func (m *manners) LeastDelay() time.Duration { return time.Duration(m.least.Load()) }
