package harvest

import (
	"context"
	"errors"
	"fmt"

	"watershed/internal/extsort"
	"watershed/page"
	"watershed/replica/mirror"
	"watershed/store"
)

// Rank ranks pairs of hosts by how likely they are mirrors, from all that the runs of a harvest know: URLs, whether fetched or
// not, links, addresses, equal and nearly equal text, and what pages and redirects declare. It reads the state only. Sorting is
// in spill, which stays the caller's, within the options' memory; URLs take 40 bytes more than their text each, and captured
// pages some 700 bytes each.
func Rank(ctx context.Context, folder Folder, plan Plan, spill *extsort.Dir, o mirror.Options) (r *mirror.Result, err error) {
	if _, err := folder.Last(); err != nil {
		return nil, err
	}
	opt := plan.Store
	opt.Dir, opt.Harvest, opt.ReadOnly = folder.State(), plan.Name, true
	st, err := store.Open(opt)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	k := knowledge{store: st}
	err = st.View(func(tx *store.Tx) error {
		for run, err := range tx.Runs() {
			if err != nil {
				return err
			}
			k.runs = append(k.runs, run.Number)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("rank mirrors: %w", err)
	}
	in, err := k.input()
	if err != nil {
		return nil, fmt.Errorf("rank mirrors: %w", err)
	}
	return mirror.Rank(ctx, in, spill, o)
}

// knowledge is what the runs of a harvest know.
type knowledge struct {
	store *store.Store
	runs  []store.Run
}

func (k *knowledge) input() (in mirror.Input, err error) {
	if in.URLs, err = mirror.Sorted(k.urls); err != nil {
		return in, err
	}
	w := newWitness()
	for v, err := range k.visits {
		if err != nil {
			return in, err
		}
		w.learn(v)
	}
	in.Links, in.Addresses = k.links, k.addresses
	in.Pages, in.Declared = w.pages, w.declared
	return in, nil
}

// urls gives the URLs of all runs, one of several runs several times.
func (k *knowledge) urls(yield func([]byte, error) bool) {
	for _, run := range k.runs {
		for u, err := range k.store.URLs(run) {
			if !yield([]byte(u.URL), err) {
				return
			}
		}
	}
}

func (k *knowledge) visits(yield func(*page.Visit, error) bool) {
	for _, run := range k.runs {
		for v, err := range k.store.Visits(run, 0) {
			if !yield(v, err) {
				return
			}
		}
	}
}

// links gives the links between pages.
func (k *knowledge) links(yield func(mirror.Link, error) bool) {
	for v, err := range k.visits {
		if err != nil {
			yield(mirror.Link{}, err)
			return
		}
		from := []byte(v.URL)
		for _, l := range v.Links {
			if l.Kind.Joins() && !yield(mirror.Link{From: from, To: []byte(l.URL)}, nil) {
				return
			}
		}
	}
}

// addresses gives those that hosts were last fetched from.
func (k *knowledge) addresses(yield func(mirror.Address, error) bool) {
	for _, run := range k.runs {
		for h, err := range k.store.Hosts(run) {
			if (err != nil || h.Address.IsValid()) && !yield(mirror.Address{Host: string(h.Name), IP: h.Address}, err) {
				return
			}
		}
	}
}
