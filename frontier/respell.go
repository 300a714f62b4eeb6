package frontier

import (
	"encoding/binary"
	"slices"
	"strings"

	"watershed/page"
	"watershed/store"
)

// maxRespelled is how often a URL is asked for whose server redirects it to itself: as many
// redirects in a row as browsers follow (the Fetch standard, HTTP-redirect fetch).
const maxRespelled = 20

// Turn is a URL to which redirects lead back, and how they spell it; the zero Turn is none.
type Turn struct {
	URL     page.URL
	Spelled page.Spelling
	Door    *page.Visit // the page that it was answered with; nil where that was a redirect
	hops    int
}

// Turn follows the redirect of a visit that is about to be committed, over redirects that the run
// was answered before, to a URL that it leads back to: one that was asked for in other spellings
// only, or, where the redirects are a circle, the one of them to which the fewest hops led; or,
// where the visit brought cookies, to the first if that was answered by a redirect the only time
// that it was asked for: with them it may be a page; or if a seed leads there, to a page that leads
// to such choices alone, as of languages. It reads at most two records for each of 20 redirects.
func (f *Frontier) Turn(v *page.Visit, cookies bool) (turn Turn, err error) {
	err = f.st.View(func(tx *store.Tx) error {
		var been []Turn
		at := v
		for range maxRespelled {
			l := at.Redirected()
			if l == nil {
				return nil
			}
			u, found, err := tx.URL(f.run, f.keyOf(l.URL))
			if err != nil || !found || u.URL != l.URL || l.URL != v.URL && u.State != store.Done {
				return err
			}
			this := Turn{URL: u.URL, Spelled: l.Spelled, hops: len(u.Hops)}
			i := slices.IndexFunc(been, func(t Turn) bool { return t.URL == u.URL })
			if i >= 0 {
				turn = slices.MinFunc(been[i:], func(a, b Turn) int { return a.hops - b.hops })
				return nil
			}
			been = append(been, this)
			if at = v; u.URL != v.URL {
				before, found, err := tx.Visit(f.run, u.Visit)
				if err != nil || !found {
					return err
				}
				at = &before
			}
			tried := asked(&u)
			if at.Redirected() != nil && (!slices.Contains(tried, fingerprint(u.URL.As(l.Spelled))) ||
				cookies && len(been) == 1 && len(tried) == 1 && u.URL != v.URL) {
				turn = this
				return nil
			}
			if cookies && len(been) == 1 && len(tried) == 1 && u.URL != v.URL && door(at, v.URL) {
				turn, turn.Door = this, at
				return nil
			}
		}
		return nil
	})
	return turn, err
}

// door reports a page where a seed leads that itself leads nowhere on its host but to choices of
// which u is one: a home page with other links is read without the cookie that one of them sets.
func door(v *page.Visit, u page.URL) bool {
	if !v.OK() || strings.Trim(v.Hops, "R") != "" {
		return false
	}
	for i := range v.Links {
		to := v.Links[i].URL
		dir := to.Directory()
		alike := to.Path() == u.Path() || dir == u.Directory() && dir != string(to.Root())
		if v.Links[i].Kind == page.Navigation && to.Host() == v.URL.Host() && to != v.URL && !alike {
			return false
		}
	}
	return true
}

// Respell has a URL that was answered by a redirect, or as a door, asked for once more, as a turn
// spells it, unless that goes round in a circle: then it failed.
func (f *Frontier) Respell(tx *store.Tx, t Turn) error {
	c, err := f.in(tx)
	if err != nil {
		return err
	}
	return c.edit(t.URL, func(u *store.URL) (bool, error) {
		if u.State != store.Done {
			return false, nil
		}
		h, err := c.hostOf(t.URL.Host())
		if err != nil {
			return false, err
		}
		rec := c.host(h)
		countHost(rec, u, -1)
		o := Outcome{Status: u.Status, Respelled: true, Spelled: t.Spelled}
		fate := respell(u, t.Spelled)
		if err := c.finished(f.keyOf(t.URL), u, rec, &o, fate); err != nil {
			return false, err
		}
		if fate.State == store.Pending {
			return true, c.enqueue(u)
		}
		return true, nil
	})
}

// respell judges a redirect of a URL to itself: a chain of redirects is followed to its end, and a
// circle is left. A server may redirect the first visit of anybody and answer the second one, so a
// spelling may be asked for again; it is a circle where, since the spelling that would be the next
// was asked for, no other one was asked for the first or second time.
func respell(u *store.URL, as page.Spelling) Fate {
	next, been := fingerprint(u.URL.As(as)), asked(u)
	times, fresh := map[string]int{}, true
	for _, s := range been {
		times[s]++
		switch {
		case s == next:
			fresh = times[s] == 1
		case times[s] <= 2:
			fresh = true
		}
	}
	if !fresh || len(been) > maxRespelled {
		return Fate{State: store.Failed, Reason: store.Loop}
	}
	return Fate{State: store.Pending}
}

// asked are the spellings in which a URL was asked for, with the one that it is or was asked for
// last, as fingerprints.
func asked(u *store.URL) (list []string) {
	for a := u.Asked; len(a) >= 8; a = a[8:] {
		list = append(list, a[:8])
	}
	return append(list, fingerprint(u.URL.As(u.Spelled)))
}

// fingerprint tells a spelling from the others of its URL, in 8 bytes.
func fingerprint(spelled string) string {
	return string(binary.BigEndian.AppendUint64(nil, uint64(page.URL(spelled).Key())))
}
