package harvest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"

	"pgregory.net/rapid"

	"watershed/frontier"
	"watershed/page"
	"watershed/replica"
	"watershed/store"
)

// skips is a frontier of a few hosts, and a table of replicas that is changed by every means there
// is while the frontier is crawled.
type skips struct {
	h       *Harvest
	c       *copies
	day     time.Time
	asked   map[page.URL]bool // that were ever wanted
	answers map[page.URL]int  // statuses, the same each time
	held    []page.URL        // captured by earlier runs
}

var (
	skipHosts = []string{"a.example", "b.example", "c.example", "d.example"}
	skipDirs  = []string{"", "d/", "d/e/"}
	skipNames = rapid.Custom(func(t *rapid.T) string {
		host := rapid.SampledFrom(skipHosts).Draw(t, "host")
		if rapid.Bool().Draw(t, "whole host") {
			return host
		}
		return "http://" + host + "/" + rapid.SampledFrom(skipDirs).Draw(t, "directory")
	})
	skipURLs = rapid.Custom(func(t *rapid.T) page.URL {
		return page.URL(fmt.Sprintf("http://%s/%s%d", rapid.SampledFrom(skipHosts).Draw(t, "host"),
			rapid.SampledFrom(skipDirs).Draw(t, "directory"), rapid.IntRange(0, 3).Draw(t, "page")))
	})
)

func (s *skips) change() replica.Change { return replica.Change{Time: s.day, By: "drawn"} }

// open opens the frontier, as a process does that begins a run or goes on with it.
func (s *skips) open(t *rapid.T) {
	none := frontier.Politeness{Factor: -1, Min: -1, Max: -1}
	var err error
	s.h.frontier, err = frontier.Open(s.h.store, s.h.record.Number, frontier.Options{
		Politeness: none,
		Slack:      -1, Tries: 1, HostTries: -1, RetryBase: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.sync(t)
}

// sync brings the frontier's rules to the table, as the begin of a run does.
func (s *skips) sync(t *rapid.T) {
	if err := s.c.prune(); err != nil {
		t.Fatal(err)
	}
}

// Put takes an entry of any state; what makes no sense is refused.
func (s *skips) Put(t *rapid.T) {
	e := replica.Entry{
		From: skipNames.Draw(t, "from"), To: skipNames.Draw(t, "to"),
		Level: rapid.IntRange(0, 5).Draw(t, "level"), Method: "mirror",
		State: rapid.SampledFrom([]replica.State{
			replica.Confirmed, replica.Confirmed, replica.Pruned,
			replica.Proposed, replica.Rejected,
		}).Draw(t, "state"),
		Found: s.day, Decided: s.day, Verified: s.day,
	}
	_ = s.c.table.Put(e) // what makes no sense
	s.sync(t)
}

// Decide confirms, rejects or reopens an entry, where that is possible.
func (s *skips) Decide(t *rapid.T) {
	from := skipNames.Draw(t, "from")
	decide := rapid.SampledFrom([]func() error{
		func() error { return s.c.table.Confirm(from, 0, s.change()) },
		func() error { return s.c.table.Reject(from, s.change()) },
		func() error { return s.c.table.Reopen(from, s.change()) },
	}).Draw(t, "decision")
	_ = decide() // of no entry, or of one in another state
	s.sync(t)
}

// Expire ends what is old, when time has gone by.
func (s *skips) Expire(t *rapid.T) {
	s.day = s.day.Add(time.Duration(rapid.IntRange(1, 200).Draw(t, "days")) * 24 * time.Hour)
	s.c.table.Expire(365*24*time.Hour, s.day)
	s.sync(t)
}

// Drift reopens an entry while the run goes on, as judge does.
func (s *skips) Drift(t *rapid.T) {
	from := skipNames.Draw(t, "from")
	if s.c.table.Reopen(from, s.change()) == nil {
		if _, err := s.h.frontier.Unprune(from); err != nil {
			t.Fatal(err)
		}
	}
}

// Alias gives the run rules with patterns, or fixed ones, and has it meet a host.
func (s *skips) Alias(t *rapid.T) {
	from := rapid.OneOf(rapid.SampledFrom(skipHosts), rapid.SampledFrom([]string{"*.example", "c*"})).Draw(t,
		"alias")
	to := rapid.SampledFrom(skipHosts).Draw(t, "of")
	a, err := aliasesOf([]string{from + " = " + to})
	if err != nil {
		t.Fatal(err)
	}
	r := &s.c.rules
	*r = rules{
		aliases: a, table: s.c.table, skip: s.c.opts.Skip, asked: map[page.Host]struct{}{},
		prune: s.h.frontier.Prune,
	}
	r.learn(&page.Visit{URL: skipURLs.Draw(t, "page"), Links: []page.Link{{URL: skipURLs.Draw(t, "link")}}})
	if r.err != nil {
		t.Fatal(r.err)
	}
}

// Hold says that an earlier run captured a page.
func (s *skips) Hold(t *rapid.T) {
	u := skipURLs.Draw(t, "page")
	s.update(t, func(tx *store.Tx) error {
		tx.PutCapture(&store.Capture{URL: u, Time: s.day, Status: 200})
		return nil
	})
	s.held = append(s.held, u)
}

func (s *skips) update(t *rapid.T, f func(*store.Tx) error) {
	if err := s.h.store.Update(f); err != nil {
		t.Fatal(err)
	}
}

// Find has the run want pages.
func (s *skips) Find(t *rapid.T) {
	var list []frontier.Candidate
	for _, u := range rapid.SliceOfN(skipURLs, 1, 6).Draw(t, "pages") {
		list = append(list, frontier.Candidate{URL: u, Wanted: true})
		s.asked[u] = true
	}
	s.update(t, func(tx *store.Tx) error {
		_, err := s.h.frontier.Add(tx, list)
		return err
	})
}

// Crawl fetches some pages.
func (s *skips) Crawl(t *rapid.T) { s.crawl(t, rapid.IntRange(1, 6).Draw(t, "fetches")) }

// crawl fetches up to n pages, and reports whether there are no more.
func (s *skips) crawl(t *rapid.T, n int) bool {
	for range n {
		l, err := s.h.frontier.Lease(context.Background())
		if errors.Is(err, frontier.ErrDone) {
			return true
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, drawn := s.answers[l.URL]; !drawn {
			s.answers[l.URL] = rapid.SampledFrom([]int{200, 200, 404, 410, page.StatusConnect}).Draw(t,
				"status")
		}
		s.update(t, func(tx *store.Tx) error {
			_, err := s.h.frontier.Finish(tx, l, frontier.Outcome{Status: s.answers[l.URL]})
			return err
		})
	}
	return false
}

// Check holds after each step: what is left out has a line in the ledger, which names another page
// and on what it rests, and is left out by a rule that is in force.
func (s *skips) Check(t *rapid.T) {
	inForce := map[string]bool{}
	for _, e := range s.c.table.InForce(s.c.opts.Skip) {
		inForce["prune "+e.From] = true
	}
	for x, err := range s.h.frontier.Left() {
		if err != nil {
			t.Fatal(err)
		}
		if x.State != store.Skipped || !x.Reason.Stood() {
			continue
		}
		if e := x.Entry; e.Representative == "" || e.Representative == x.URL.URL || e.Evidence == "" ||
			e.Reason != x.Reason {
			t.Fatalf("%s is left out, and the ledger says %+v", x.URL.URL, e)
		}
		if !inForce[x.Rule] {
			t.Fatalf("%s is left out by %q, which is not in force", x.URL.URL, x.Rule)
		}
		s.scheduled(t, x.URL.URL, x.Entry.Representative, false)
	}
}

// scheduled demands of what stands for a page that it was captured, by an earlier run or by this
// one, or waits to be fetched; in the midst of a run, it may also have failed since: then the page
// is given back when the run comes to its end.
func (s *skips) scheduled(t *rapid.T, u, stand page.URL, ended bool) {
	held := false
	err := s.h.store.View(func(tx *store.Tx) (err error) {
		_, held, err = tx.Capture(stand)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	x, found, err := s.h.frontier.Explain(stand)
	switch {
	case err != nil:
		t.Fatal(err)
	case found && x.State == store.Done && x.Status < 400:
	case found && x.State == store.Pending && !ended:
	case found && x.State != store.Known && !ended: // failed, or left out, since
	case held && (!found || x.State == store.Known):
	default:
		t.Fatalf("%s is left out in favour of %q, of which the run knows %v, %v with status %d, held %v", u,
			stand, found, x.State, x.Status, held)
	}
}

// end crawls to the end, as a run does, and demands that nothing was lost.
func (s *skips) end(t *rapid.T) {
	for n := 1; n > 0; {
		for !s.crawl(t, 100) {
		}
		var err error
		if n, err = s.h.frontier.Orphans(); err != nil {
			t.Fatal(err)
		}
	}
	for u := range s.asked {
		x, found, err := s.h.frontier.Explain(u)
		switch {
		case err != nil || !found:
			t.Fatalf("%s: known %v, %v", u, found, err)
		case x.State == store.Done || x.State == store.Failed:
		case x.State == store.Skipped && x.Reason.Stood():
			s.scheduled(t, u, x.Entry.Representative, true)
		default:
			t.Fatalf("%s was wanted and ends as %v, %s", u, x.State, x.Reason)
		}
	}
}

// No page is ever left out without a line in the ledger and a page that stands for it, which is
// captured or is to be: whatever is put into the table, decided, expires or drifts, whichever hosts
// patterns name, in whatever order pages are found, whatever the servers answer, and wherever the
// process begins anew. In the end each page that was wanted was asked for, or has one that was
// captured in its place.
func TestNothingLeftOutForNothing(t *testing.T) {
	st, err := store.Open(store.Options{Dir: t.TempDir(), MinFreeBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}()
	number := store.Run(0)
	var left, fetched int
	rapid.Check(t, func(t *rapid.T) {
		number++
		s := &skips{
			day: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), asked: map[page.URL]bool{},
			answers: map[page.URL]int{},
		}
		s.h = &Harvest{store: st, log: slog.New(slog.NewTextHandler(io.Discard, nil))}
		s.h.record.Number = number
		s.c = &copies{h: s.h, table: new(replica.Table), opts: replica.Options{}.WithDefaults()}
		s.open(t)
		defer s.forget(t)
		t.Repeat(map[string]func(*rapid.T){
			"put": s.Put, "decide": s.Decide, "expire": s.Expire, "drift": s.Drift, "alias": s.Alias,
			"hold": s.Hold,
			"find": s.Find, "find more": s.Find, "crawl": s.Crawl, "begin anew": s.open, "": s.Check,
		})
		s.end(t)
		for u := range s.asked {
			if x, _, err := s.h.frontier.Explain(u); err == nil && x.State == store.Skipped {
				left++
			}
		}
		fetched += len(s.answers)
	})
	if left == 0 || fetched == 0 {
		t.Errorf("%d pages were left out and %d fetched: this says nothing", left, fetched)
	}
}

// forget takes away what is the harvest's and not the run's: rules and captures.
func (s *skips) forget(t *rapid.T) {
	s.c.table = new(replica.Table)
	s.sync(t)
	s.update(t, func(tx *store.Tx) error {
		for _, u := range s.held {
			tx.DeleteCapture(u)
		}
		return nil
	})
}
