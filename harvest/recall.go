package harvest

import (
	"fmt"

	"watershed/page"
	"watershed/replica/sketch"
	"watershed/store"
)

// recall is told of a page v that has just been fetched. Where v stands for pages that are left
// out, and has changed so that it is no longer like some of them, those are fetched by this run:
// they may be the last pages to have the text that v had.
func (c *copies) recall(v *page.Visit) {
	if !v.OK() || c.err != nil {
		return
	}
	twins, singles := c.table.Twins(v.URL), c.singles.by[v.URL]
	if len(twins)+len(singles) == 0 {
		return
	}
	err := c.h.store.View(func(tx *store.Tx) error {
		before, held, err := tx.Capture(v.URL)
		if err != nil || held && before.Digest == v.Digest {
			return err // what it was when the run before compared them
		}
		if err := c.recallTwins(tx, v, twins); err != nil {
			return err
		}
		for _, u := range singles {
			// for which it stands in place of u
			if err := c.recallTwins(tx, v, c.table.Twins(u)); err != nil {
				return err
			}
			alike, err := c.stillLike(tx, u, v, c.h.plan.Replicas.Singles)
			if err != nil {
				return err
			}
			if !alike {
				c.singles.mu.Lock()
				delete(c.singles.stand, u)
				c.singles.mu.Unlock()
				c.singles.asked[u] = true
				c.recalled = append(c.recalled, u)
			}
		}
		return nil
	})
	if err != nil {
		c.err = fmt.Errorf("compare %s with what it stands for: %w", v.URL, err)
	}
}

// recallTwins has the twins fetched, pages of replicas for which v stands, that are no longer like
// v.
func (c *copies) recallTwins(tx *store.Tx, v *page.Visit, twins []page.URL) error {
	for _, u := range twins {
		alike, err := c.stillLike(tx, u, v, c.opts.Similar)
		if err != nil {
			return err
		}
		if !alike {
			c.recalled = append(c.recalled, u)
		}
	}
	return nil
}

// stillLike reports whether the page u, as the archive holds it, resembles its stand by at least
// least; 1 asks for the same words. It is true also where the two cannot be compared, because the
// archive does not hold u, or holds it without text.
func (c *copies) stillLike(tx *store.Tx, u page.URL, stand *page.Visit, least float64) (bool, error) {
	x, held, err := tx.Capture(u)
	if err != nil || !held || x.Digest == stand.Digest {
		return true, err
	}
	v, found, err := tx.Visit(x.Run, x.Visit)
	if err != nil || !found || len(v.Sketch) == 0 {
		return true, err
	}
	if least < 1 {
		return Similar(&v, stand) >= least, nil
	}
	var a, b sketch.Sketch
	if a.Decode(v.Sketch) != nil || b.Decode(stand.Sketch) != nil {
		return false, nil // made in another way, or none: nothing is known
	}
	return a.SameWords(&b), nil
}
