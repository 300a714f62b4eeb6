package crawler

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"watershed/frontier"
	"watershed/page"
	"watershed/sitemap"
	"watershed/store"
)

// commits have one visit after the other become known: to the survey, to the store, and by what the
// survey wants then to the frontier.
type commits struct {
	*tools
	*teacher // guarded by mu
	sites    map[string]uint32

	mu      sync.Mutex // commit: guards Survey, the order of writes to Store, and what follows
	wants   []sitemap.Want
	asides  []frontier.Candidate
	barred  []page.Rule
	visits  int64              // of this process
	spells  spellings          // of the page that was read last
	excess  map[page.Key]int64 // of what the flow wants, in fixed point
	dropped droppedURLs        // has a lock of its own
	// tailored are URLs of which a script had, by fields of its own, what may be no page
	tailored map[page.URL]bool
}

func newCommits(t *tools) *commits {
	c := &commits{
		tools: t, sites: map[string]uint32{}, excess: map[page.Key]int64{}, tailored: map[page.URL]bool{},
		wants: slices.Clone(t.Replayed.Missing), barred: slices.Clone(t.Barred),
		teacher: &teacher{
			t.Survey, t.Number, firstOf(t.Number, t.Extended), cmp.Or(t.Replayed.stands, newStands()),
		},
	}
	for i, name := range t.Sites {
		c.sites[name] = uint32(i)
	}
	return c
}

// finish commits a visit, and the end of its lease. A redirect of it may have a URL asked for once
// more, itself or another one: see frontier.Turn.
func (c *commits) finish(ctx context.Context, l *frontier.Lease, v *page.Visit, o frontier.Outcome) error {
	if !frontier.Keep(c.Frontier, l) {
		return fmt.Errorf("%s: %w", l.URL, frontier.ErrLease)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	turn, err := c.Frontier.Turn(v, c.needs.Trails(v))
	if err != nil {
		return fmt.Errorf("follow the redirect of %s: %w", v.URL, err)
	}
	if turn.URL != "" {
		like := uint64(0)
		if turn.Door != nil {
			like = c.Bans.Like(turn.Door)
		}
		c.needs.Circle(v, turn.URL, like)
	}
	if turn.URL == v.URL {
		o.Respelled, o.Spelled = true, turn.Spelled
		v.SoftError = c.Frontier.Foretell(l, o).State == store.Failed
	}
	return c.enter(ctx, v, func(tx *store.Tx) error {
		o.Visit = v.Seq
		if _, err := c.Frontier.Finish(tx, l, o); err != nil || turn.URL == "" || o.Respelled {
			return err
		}
		return c.Frontier.Respell(tx, turn)
	})
}

// commit makes a visit known: to the survey, then, in one transaction with the end of its lease and
// what the survey now wants, to the store. If that fails, the survey's knowledge ends with the
// process, and is replayed without the visit.
func (c *commits) commit(ctx context.Context, v *page.Visit, finish func(*store.Tx) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.enter(ctx, v, finish)
}

// enter is commit for a caller that holds mu.
func (c *commits) enter(ctx context.Context, v *page.Visit, finish func(*store.Tx) error) error {
	if c.Soft404 != nil {
		v.SoftError = c.Soft404.Learn(v) || v.SoftError
	}
	c.Bans.Learn(v)
	if err := c.Store.View(func(tx *store.Tx) error { return c.teach(tx, v) }); err != nil {
		return fmt.Errorf("learn %s: %w", v.URL, err)
	}
	if c.Aside != nil {
		c.Aside.Learn(v)
	}
	c.gatherWants()
	c.spells = spellingsOf(v)
	err := c.update(ctx, func(tx *store.Tx) error {
		if err := tx.PutVisit(c.Number, v); err != nil {
			return err
		}
		if err := Remember(tx, c.Number, v); err != nil {
			return err
		}
		if err := finish(tx); err != nil {
			return err
		}
		if err := c.untailored(tx, v); err != nil {
			return err
		}
		return c.want(tx)
	})
	if err != nil {
		return fmt.Errorf("commit %s: %w", v.URL, err)
	}
	c.visits++
	c.stands.heard(v.URL.Key())
	delete(c.excess, v.URL.Key())
	if c.opt.Visited != nil {
		if err := c.opt.Visited(v); err != nil {
			return err
		}
	}
	return c.refused(ctx)
}

// untailored has pages to which a page links asked for as readers get them.
func (c *commits) untailored(tx *store.Tx, v *page.Visit) error {
	for i := range v.Links {
		l := &v.Links[i]
		if !c.tailored[l.URL] || l.Kind != page.Navigation || !c.Survey.Belongs(l.URL) {
			continue
		}
		asked, err := frontier.AskAsPage(c.Frontier, tx, l.URL)
		if err != nil {
			return err
		}
		if asked {
			delete(c.tailored, l.URL)
		}
	}
	return nil
}

// Remember makes a whole capture the one that later ones may refer to, in place of any with the same
// payload: what is held already and was written in full once more could not be referred to.
func Remember(tx *store.Tx, run store.Run, v *page.Visit) error {
	if v.Record.IsZero() || v.Truncated != page.Whole || posted(v.URL) {
		return nil // nobody asks for a POST by its URL
	}
	if v.Status == 200 || v.Status == 304 && v.Revisit { // else it says that what nobody has is the same
		record, size := v.Record, v.Size
		if v.Revisit {
			record = v.Origin.Record
		}
		if v.Status == 304 { // no payload came with it
			former, _, err := tx.Capture(v.URL)
			if err != nil {
				return err
			}
			size = former.Size
		}
		tx.PutCapture(&store.Capture{
			URL: v.URL, Time: v.Time, Status: v.Status, ETag: v.ETag, LastModified: v.LastModified,
			Digest: v.Digest, Size: size, Record: record, Run: run, Visit: v.Seq,
		})
	}
	if v.Revisit || v.Status == 206 || v.Status == 304 || v.Size == 0 {
		return nil
	}
	tx.PutOriginal(v.Digest.Within(v.Login), &store.Original{
		Origin: page.Origin{URL: v.URL, Spelled: v.Spelled, Time: v.Time, Record: v.Record},
		Run:    run, Visit: v.Seq,
	})
	return nil
}

// conclude ends a lease without a visit. For a URL that was not answered, and is tried again, the survey does
// not wait: what it asks for next may be answered meanwhile, before the host is given up.
func (c *commits) conclude(ctx context.Context, l *frontier.Lease, o frontier.Outcome) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var fate frontier.Fate
	err := c.update(ctx, func(tx *store.Tx) (err error) {
		fate, err = c.Frontier.Finish(tx, l, o)
		return err
	})
	if err != nil || fate.State != store.Pending || !fate.Reason.Unanswered() {
		return err
	}
	c.Survey.Postpone(l.URL)
	return c.refused(ctx)
}

// without commits a visit that made no request, and the end of its lease.
func (c *commits) without(ctx context.Context, l *frontier.Lease, o frontier.Outcome, cause string) error {
	v := &page.Visit{
		URL: l.URL, Spelled: l.Spelled, Time: time.Now(), Status: o.Status, Cause: cause, Via: l.Via,
		Hops: l.Hops, Site: c.Sites[l.Site],
	}
	return c.finish(ctx, l, v, o)
}
