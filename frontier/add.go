package frontier

import (
	"cmp"
	"strings"

	"watershed/page"
	"watershed/store"
)

// Candidate is a URL that was found.
type Candidate struct {
	URL     page.URL
	Spelled page.Spelling // by that page
	Via     page.URL      // the page on which it was found; "" for a seed
	Hops    string        // its discovery path: that of Via and the link's letter (page.LinkKind.Hop)
	Inside  int           // how many of the first letters of Hops limits and traps do not count
	Kind    page.LinkKind // of the link; 0 for a seed

	// Wanted asks for it to be fetched; else it only becomes known.
	Wanted bool
	// Site is the index of the site that wants it, or of that of the page on which it was found.
	Site     uint32
	Priority int64
	// Forced says that an explicit rule wants it: neither traps, nor what stands for it, nor the depth
	// limit count.
	Forced bool
	// Part says that it is wanted for what others need or list, such as an image or a sitemap, and
	// not as a page: limits of pages do not count for it.
	Part bool

	// Skip records it as skipped instead, unless it is wanted already; Rule says by which rule.
	Skip store.Reason
	Rule string

	via page.Key // in place of Via, where only that is known
}

// Fresh is a candidate of which whoever wants it has to hear: that was never seen before in the run, or
// that is wanted and will not be fetched.
type Fresh struct {
	Index  int // in the slice that Add was given
	New    bool
	State  store.State
	Reason store.Reason
}

// Add asks and marks in one step: it makes the candidates known, queues those that are wanted, and
// returns in their order those that were new, and those that are wanted and were or are refused: whoever
// wants a page that was refused when others named it would wait for it for ever. A candidate that is
// known already and now wanted is queued, one that waits with a lower rank of priority moves up, and one
// that was left out only because it was too far away comes in by the shorter way. A new URL
// costs some 20 µs.
func (f *Frontier) Add(tx *store.Tx, candidates []Candidate) ([]Fresh, error) {
	c, err := f.in(tx)
	if err != nil {
		return nil, err
	}
	var fresh []Fresh
	for i := range candidates {
		u, isNew, err := c.add(&candidates[i])
		if err != nil {
			return fresh, err
		}
		if isNew || candidates[i].Wanted && (u.State == store.Skipped || u.State == store.Failed) {
			fresh = append(fresh, Fresh{Index: i, New: isNew, State: u.State, Reason: u.Reason})
		}
	}
	return fresh, nil
}

func (c *changes) add(x *Candidate) (u store.URL, isNew bool, err error) {
	f := c.f
	key := f.keyOf(x.URL)
	old, found, err := c.tx.URL(f.run, key)
	if err != nil {
		return u, false, err
	}
	switch {
	case !found:
		u, err = c.insert(key, x)
		return u, true, err
	case old.URL != x.URL:
		return c.collide(key, x)
	}
	u, err = c.reconsider(key, &old, x)
	return u, false, err
}

// insert writes the first record of a URL.
func (c *changes) insert(key page.Key, x *Candidate) (store.URL, error) {
	u := x.record(c.f)
	if err := c.decide(key, &u, x); err != nil {
		return u, err
	}
	return u, c.move(key, &u, nil, false)
}

// record is the record of a URL as x describes it.
func (x *Candidate) record(f *Frontier) store.URL {
	u := store.URL{
		URL: x.URL, Spelled: x.Spelled, State: store.Known, Site: x.Site, Hops: x.Hops,
		Depth: depth(x.beyond()), Kind: x.Kind, Forced: x.Forced, Part: x.Part,
		Priority: x.Priority,
	}
	u.Via = x.via
	if x.Via != "" {
		u.Via = f.keyOf(x.Via)
	}
	return u
}

// beyond is the part of the discovery path that counts.
func (x *Candidate) beyond() string { return x.Hops[min(max(0, x.Inside), len(x.Hops)):] }

// counted is what counts of the discovery path for traps: of a required file at least that from its page on,
// of the end of a redirect those before it. Frames that show one page after the other are no such chain.
func (c *changes) counted(x *Candidate) (string, error) {
	n, files, kind, via := 0, 0, x.Kind, x.via
	if x.Via != "" {
		via = c.f.keyOf(x.Via)
	}
	for most := c.f.opt.Traps.Hops; most >= 0 && len(x.Hops) > most && n < len(x.Hops); {
		needed := kind == page.Embed || kind == page.Frame
		if !needed && kind != page.Redirect {
			break
		}
		if n++; needed {
			files = n
		}
		from, found, err := c.tx.URL(c.f.run, via)
		if err != nil {
			return "", err
		}
		if !found {
			break
		}
		kind, via = from.Kind, from.Via
	}
	return x.Hops[min(max(0, x.Inside), len(x.Hops)-cmp.Or(files, n)):], nil
}

// depth counts the links of a discovery path.
func depth(hops string) uint8 {
	n := len(hops) - strings.Count(hops, "E") - strings.Count(hops, "R")
	return uint8(min(n, 255))
}

// decide makes u pending, known or skipped, as x and the rules want it.
func (c *changes) decide(key page.Key, u *store.URL, x *Candidate) error {
	refusal, err := c.refuse(u, x)
	if err != nil {
		return err
	}
	switch {
	case refusal.reason != store.NoReason:
		return c.skip(key, u, refusal)
	case x.Wanted:
		return c.enqueue(u)
	}
	u.State = store.Known
	return nil
}

// refusal is why a URL is not to be fetched.
type refusal struct {
	reason         store.Reason
	rule           string
	evidence       string
	representative page.URL
}

// refuse finds the reason, if there is one, to refuse x.
func (c *changes) refuse(u *store.URL, x *Candidate) (refusal, error) {
	f := c.f
	if x.Skip != store.NoReason {
		return refusal{reason: x.Skip, rule: x.Rule}, nil
	}
	if u.Forced {
		return refusal{}, nil
	}
	hops, err := c.counted(x)
	if err != nil {
		return refusal{}, err
	}
	if r := f.opt.Traps.refuse(u.URL, hops); r.reason != store.NoReason {
		return r, nil
	}
	if !x.Wanted {
		return refusal{}, nil
	}
	if r, err := c.stoodFor(u); err != nil || r.reason != store.NoReason {
		return r, err
	}
	if r := f.tooDeep(u); r.reason != store.NoReason {
		return r, nil
	}
	if r := c.crowded(u.URL); r.reason != store.NoReason {
		return r, nil
	}
	return c.nested(u, x.Hops), nil
}

// skip makes u skipped and writes the ledger's line when there is more to say than fits the record.
func (c *changes) skip(key page.Key, u *store.URL, r refusal) error {
	u.State, u.Reason, u.Rule = store.Skipped, r.reason, r.rule
	if r.evidence == "" && r.representative == "" {
		return nil
	}
	return c.tx.PutEntry(c.f.run, store.Entry{
		Key: key, Reason: r.reason, Representative: r.representative, Evidence: r.evidence,
		Time: c.f.opt.Now(),
	})
}

// reconsider is add for a URL that is known.
func (c *changes) reconsider(key page.Key, old *store.URL, x *Candidate) (store.URL, error) {
	u := *old
	switch old.State {
	case store.Pending:
		if !x.Wanted || rankOf(x.Priority) <= bare(old.Place.Rank) && (old.Forced || !x.Forced) {
			break
		}
		u.Priority, u.Site, u.Forced = max(x.Priority, old.Priority), x.Site, old.Forced || x.Forced
		u.Part = old.Part && x.Part
		if err := c.enqueue(&u); err != nil {
			return u, err
		}
	case store.Known:
		if !x.Wanted && x.Skip == store.NoReason {
			break
		}
		u.Priority, u.Site, u.Forced, u.Part = x.Priority, x.Site, x.Forced, x.Part
		u.Depth = min(old.Depth, depth(x.beyond()))
		u.Spelled = cmp.Or(u.Spelled, x.Spelled)
		if err := c.decide(key, &u, x); err != nil {
			return u, err
		}
	case store.Skipped:
		if again, err := c.reopens(old, x); err != nil || !again {
			return u, err
		}
		again := x.record(c.f)
		if again.Depth >= old.Depth && len(old.Hops) < len(x.Hops) || x.Via == "" && old.Via != 0 {
			again.Via, again.Hops, again.Depth, again.Kind = old.Via, old.Hops, old.Depth, old.Kind
		}
		again.Visit, again.Status, again.Spelled = old.Visit, old.Status, cmp.Or(old.Spelled, x.Spelled)
		u = again
		if err := c.decide(key, &u, x); err != nil {
			return u, err
		}
	}
	if u == *old {
		return u, nil
	}
	return u, c.move(key, &u, old, false)
}

// reopens reports that x speaks against the reason for which old was skipped.
func (c *changes) reopens(old *store.URL, x *Candidate) (bool, error) {
	if x.Skip != store.NoReason {
		return false, nil
	}
	switch old.Reason {
	case store.OutOfBoundary, store.NoFollow:
		return x.Wanted, nil
	case store.Excluded:
		// a URL that one site excludes another may want
		return x.Wanted && (x.Forced && !old.Forced || x.Site != old.Site), nil
	case store.LimitDepth, store.TrapHops:
		hops, err := c.counted(x)
		fewer := old.Reason == store.TrapHops && len(hops) <= c.f.opt.Traps.Hops
		return x.Forced || x.Via != "" && (fewer || depth(hops) < old.Depth), err
	case store.Robots, store.Private, store.Collision, store.Unreachable:
		return false, nil
	}
	return x.Wanted && (x.Forced && !old.Forced || old.Reason.Stood() && c.f.opt.Hasty.has(x.Priority)), nil
}

// collide records a URL whose key is that of another one: it can never be fetched in this run.
func (c *changes) collide(key page.Key, x *Candidate) (u store.URL, isNew bool, err error) {
	known, err := c.tx.Collided(c.f.run, key, x.URL)
	if err != nil || known {
		return u, false, err
	}
	u = x.record(c.f)
	u.State, u.Reason = store.Skipped, store.Collision
	c.tx.PutCollision(c.f.run, key, u)
	c.count(&u, 1)
	return u, true, nil
}

// edit changes the record of a known URL, if there is one and change says so.
func (c *changes) edit(text page.URL, change func(u *store.URL) (bool, error)) error {
	key := c.f.keyOf(text)
	old, found, err := c.tx.URL(c.f.run, key)
	if err != nil || !found || old.URL != text {
		return err
	}
	u := old
	if write, err := change(&u); err != nil || !write {
		return err
	}
	return c.move(key, &u, &old, false)
}
