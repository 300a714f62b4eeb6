package harvest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"

	"watershed/internal/extsort"
	"watershed/page"
	"watershed/replica"
	"watershed/replica/mirror"
	"watershed/replica/witness"
	"watershed/store"
)

// minURLs is how many URLs a host must have to be ranked: the hosts of a harvest are few
// and small beside those of the paper, which asks for 100.
const minURLs = 10

// rank ranks pairs of hosts by how likely they are mirrors, from all that the runs of a harvest
// know: URLs, whether fetched or not, links, addresses, equal and nearly equal text, the
// collections that the last search found, what pages, redirects, site maps and robots.txt declare,
// and the aliases in the plan and the table of replicas. Sorting is in spill, which stays the
// caller's; URLs take 40 bytes more than their text each, and captured pages some 700 bytes each.
func rank(ctx context.Context, k knowledge, spill *extsort.Dir) (*mirror.Result, error) {
	err := k.store.View(func(tx *store.Tx) error {
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
	return mirror.Rank(ctx, in, spill, mirror.Options{MinURLs: minURLs, Seed: 1})
}

// knowledge is what the runs of a harvest know.
type knowledge struct {
	folder Folder
	plan   Plan
	store  *store.Store
	runs   []store.Run
}

func (k *knowledge) input() (in mirror.Input, err error) {
	if in.URLs, err = mirror.Sorted(k.urls); err != nil {
		return in, err
	}
	w := witness.New()
	for v, err := range k.visits {
		if err != nil {
			return in, err
		}
		w.Learn(v)
	}
	if err := k.aliases(w); err != nil {
		return in, err
	}
	if in.Collections, err = k.collections(); err != nil {
		return in, err
	}
	in.Links, in.Addresses = k.links, k.addresses
	in.Pages, in.Declared = w.Pages, w.Declared
	return in, nil
}

// aliases tells the witness the mirrored hosts that an alias names, or that are left out.
func (k *knowledge) aliases(w *witness.Witness) error {
	own, err := ReadTable(k.folder.Replicas())
	if err != nil {
		return err
	}
	a, err := replica.ParseAliases(strings.NewReader(strings.Join(k.plan.Replicas.Aliases, "\n")))
	if err != nil {
		return err
	}
	var hosts []page.Host
	if a.Patterns() {
		for _, run := range k.runs {
			for h, err := range k.store.Hosts(run) {
				if err != nil {
					return err
				}
				hosts = append(hosts, h.Name)
			}
		}
	}
	named, err := a.Table(hosts, replica.Change{})
	if err != nil {
		return fmt.Errorf("copies.aliases: %w", err)
	}
	for _, t := range []*replica.Table{own, k.plan.Replicas.Override, named} {
		if t == nil {
			continue
		}
		for _, e := range t.All() {
			if replica.IsHost(e.From) && e.State != replica.Rejected && (e.ByHand() || e.State.InForce()) {
				w.Alias(e.From, e.To)
			}
		}
	}
	return nil
}

// collections gives the places of the collections that the last run with a search for them found;
// nil where none did.
func (k *knowledge) collections() (iter.Seq2[mirror.Place, error], error) {
	runs, err := k.folder.Runs()
	if err != nil {
		return nil, err
	}
	for _, run := range slices.Backward(runs) {
		path := run.path("reports", "collections.tsv")
		if _, err := os.Stat(path); err == nil {
			return mirror.ReadCollections(func() (io.ReadCloser, error) { return os.Open(path) }), nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, nil
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

// visits gives the visits of all runs, each good until the next one (store.Tx.Lent).
func (k *knowledge) visits(yield func(*page.Visit, error) bool) {
	for _, run := range k.runs {
		for v, err := range k.store.Lent(run, 0) {
			if !yield(v, err) {
				return
			}
		}
	}
}

// links gives the links between pages.
func (k *knowledge) links(yield func(mirror.Link, error) bool) {
	var x mirror.Link
	for v, err := range k.visits {
		if err != nil {
			yield(mirror.Link{}, err)
			return
		}
		x.From = append(x.From[:0], v.URL...)
		for i := range v.Links {
			l := &v.Links[i]
			if x.To = append(x.To[:0], l.URL...); l.Kind.Joins() && !yield(x, nil) {
				return
			}
		}
	}
}

// addresses gives those that hosts were last fetched from.
func (k *knowledge) addresses(yield func(mirror.Address, error) bool) {
	for _, run := range k.runs {
		for h, err := range k.store.Hosts(run) {
			if (err != nil || h.Address.IsValid()) &&
				!yield(mirror.Address{Host: string(h.Name), IP: h.Address}, err) {
				return
			}
		}
	}
}
