package frontier

import (
	"fmt"
	"strings"

	"watershed/page"
	"watershed/store"
)

// prunes are the rules in force, found by host.
type prunes struct {
	hosts    map[page.Host]*store.Prune
	prefixes map[page.Host][]*store.Prune
}

func (p *prunes) read(tx *store.Tx) error {
	for rule, err := range tx.Prunes() {
		if err != nil {
			return err
		}
		p.put(&rule)
	}
	return nil
}

func (p *prunes) put(rule *store.Prune) {
	p.drop(rule.From)
	if h, ok := rule.Host(); ok {
		if p.hosts == nil {
			p.hosts = map[page.Host]*store.Prune{}
		}
		p.hosts[h] = rule
		return
	}
	if p.prefixes == nil {
		p.prefixes = map[page.Host][]*store.Prune{}
	}
	h := page.URL(rule.From).Host()
	p.prefixes[h] = append(p.prefixes[h], rule)
}

func (p *prunes) drop(from string) {
	delete(p.hosts, page.Host(from))
	h := page.URL(from).Host()
	for i, rule := range p.prefixes[h] {
		if rule.From == from {
			p.prefixes[h] = append(p.prefixes[h][:i:i], p.prefixes[h][i+1:]...)
			return
		}
	}
}

// find gives the rule that covers u: its host's, or the longest prefix's.
func (p *prunes) find(u page.URL) *store.Prune {
	if len(p.hosts) == 0 && len(p.prefixes) == 0 {
		return nil
	}
	h := u.Host()
	if rule := p.hosts[h]; rule != nil {
		return rule
	}
	var best *store.Prune
	for _, rule := range p.prefixes[h] {
		if strings.HasPrefix(string(u), rule.From) && (best == nil || len(rule.From) > len(best.From)) {
			best = rule
		}
	}
	return best
}

// refuse tells by which rule u is left out, if any, and which page stands for it. Where that page
// is left out, too, because directories of the other host are replicas themselves, it is the page
// that stands for that one.
func (p *prunes) refuse(u page.URL) refusal {
	rule := p.find(u)
	if rule == nil {
		return refusal{}
	}
	stand := rule.Representative(u)
	for range maxNesting {
		next := p.find(stand)
		if next == nil {
			break
		}
		stand = next.Representative(stand)
	}
	if stand == u || p.find(stand) != nil {
		return refusal{} // rules that stand for each other stand for nothing
	}
	return refusal{
		reason: rule.Reason, rule: pruneRule(rule.From), evidence: rule.Method,
		representative: stand,
	}
}

// maxNesting bounds the rules that lead from a URL to the page that stands for it.
const maxNesting = 32

func pruneRule(from string) string { return "prune " + from }

// Prune keeps the URLs that a rule covers from being fetched: those wanted later at once, those
// that wait when their turn comes. Each one is skipped with a ledger line that names its
// representative, which some run has captured or this one is to fetch; a URL whose representative
// cannot be had is fetched itself (see Orphans). It is a transaction of its own.
func (f *Frontier) Prune(p store.Prune) error {
	if err := checkPrune(&p); err != nil {
		return err
	}
	err := f.st.Update(func(tx *store.Tx) error {
		c, err := f.in(tx)
		if err != nil {
			return err
		}
		c.steps = append(c.steps, func(now int64) {
			f.prunes.put(&p)
			name, ok := p.Host()
			if h := f.hosts[name]; ok && h != nil {
				for i := range h.lanes {
					f.startDrain(&h.lanes[i], now)
				}
			}
		})
		return tx.PutPrune(p)
	})
	if err != nil {
		return fmt.Errorf("prune %s: %w", p.From, err)
	}
	return nil
}

func checkPrune(p *store.Prune) error {
	_, host := p.Host()
	to := store.Prune{From: p.To}
	_, toHost := to.Host()
	switch {
	case p.From == "" || p.To == "" || host != toHost || p.From == p.To:
		return fmt.Errorf("prune %q in favour of %q: not two hosts and not two prefixes", p.From, p.To)
	case !host && !(strings.HasSuffix(p.From, "/") && strings.HasSuffix(p.To, "/")):
		return fmt.Errorf("prune %q in favour of %q: a prefix ends with /", p.From, p.To)
	case p.Reason != store.Mirror && p.Reason != store.Collection:
		return fmt.Errorf("prune %q: reason %s", p.From, p.Reason)
	}
	return nil
}

// Unprune takes a rule back, queues the URLs that it skipped, and returns their number.
func (f *Frontier) Unprune(from string) (int, error) {
	err := f.st.Update(func(tx *store.Tx) error {
		c, err := f.in(tx)
		if err != nil {
			return err
		}
		c.steps = append(c.steps, func(int64) { f.prunes.drop(from) })
		tx.DeletePrune(from)
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("unprune %s: %w", from, err)
	}
	rule := pruneRule(from)
	return f.Reopen(func(u *store.URL) bool { return u.State == store.Skipped && u.Rule == rule })
}

// reopenBatch is how many records one transaction of Reopen changes.
const reopenBatch = 1000

// Reopen queues again all failed and skipped URLs that match says, for example those over a limit
// that was raised. It reads every record of the run, some hundred thousand a second, and works in
// transactions of its own; how many are pending again is returned, also with an error.
func (f *Frontier) Reopen(match func(*store.URL) bool) (reopened int, err error) {
	return f.reopenAs(false, match)
}

// reopenAs is Reopen; forced URLs are fetched whatever the prunes say.
func (f *Frontier) reopenAs(forced bool, match func(*store.URL) bool) (reopened int, err error) {
	var batch []store.URL
	flush := func() error {
		err := f.reopen(batch, forced)
		if err == nil {
			reopened += len(batch)
		}
		batch = batch[:0]
		return err
	}
	for u, err := range f.st.URLs(f.run) {
		if err != nil {
			return reopened, fmt.Errorf("reopen: %w", err)
		}
		if u.State != store.Failed && u.State != store.Skipped || u.Reason == store.Collision || !match(&u) {
			continue
		}
		if batch = append(batch, u); len(batch) == reopenBatch {
			if err := flush(); err != nil {
				return reopened, fmt.Errorf("reopen: %w", err)
			}
		}
	}
	if err := flush(); err != nil {
		return reopened, fmt.Errorf("reopen: %w", err)
	}
	return reopened, nil
}

func (f *Frontier) reopen(batch []store.URL, forced bool) error {
	if len(batch) == 0 {
		return nil
	}
	return f.st.Update(func(tx *store.Tx) error {
		c, err := f.in(tx)
		if err != nil {
			return err
		}
		for i := range batch {
			err := c.edit(batch[i].URL, func(u *store.URL) (bool, error) {
				if u.State != batch[i].State || u.Reason != batch[i].Reason {
					return false, nil
				}
				u.Tries = 0
				u.Forced = u.Forced || forced
				if err := tx.DeleteEntry(f.run, f.keyOf(u.URL)); err != nil {
					return false, err
				}
				return true, c.enqueue(u)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}
