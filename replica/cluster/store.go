package cluster

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"watershed/internal/extsort"
)

type (
	// tuple is the record of most tables: ⟨shingle, document⟩, ⟨print, kind and document⟩,
	// ⟨shingle, documents⟩, ⟨two documents, count⟩.
	tuple [2]uint64
	// place is ⟨page, sweep and document, cluster⟩.
	place [3]uint64
)

// The kinds of tables.
const (
	kindDocs     = "docs"
	kindPlaces   = "places"
	kindPrints   = "prints"
	kindPostings = "postings"
	kindCommon   = "common"
	kindPairs    = "pairs"
	kindClusters = "clusters"
)

// tables are those of one state.
type tables struct {
	docs     *extsort.Table[row]   // by number
	places   *extsort.Table[place] // by page, sweep
	prints   *extsort.Table[tuple] // by fingerprint, kind of fingerprint, document
	postings *extsort.Table[tuple] // by shingle, document
	common   *extsort.Table[tuple] // by shingle
	pairs    *extsort.Table[tuple] // by lesser document, greater document
	clusters *extsort.Table[row]   // by cluster, place in it
}

// Store is a directory of documents and their clusters. Adding is not safe for concurrent use;
// everything that only reads is, but not while adding.
//
// Invariants:
//  1. The tables are those of the state file, all of one generation or left unchanged since an
//     earlier one.
//  2. postings has each distinct sketch once, under the document of the smallest number that has
//     it, without common shingles.
//  3. pairs has every two documents of postings that share a shingle, with how many they share,
//     none being common.
//  4. Documents, once added, stay; a shingle, once common, stays common.
type Store struct {
	dir   *extsort.Dir
	opts  Options
	state *state
	tables
}

// Open opens the store in dir, or begins one; in one that exists, options that are zero are as they
// were. Errors: errState, errOptions, extsort's ErrForeign. The store is closed
// before the directory is.
func Open(dir *extsort.Dir, o Options) (*Store, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("cluster options: %w", err)
	}
	st, err := readState(dir)
	if err != nil {
		return nil, err
	}
	o = o.of(st).withDefaults()
	if st.Generation > 0 && (st.MaxDocuments != o.MaxDocuments || st.MinSample != o.MinSample ||
		st.Super != o.Super) {
		return nil, fmt.Errorf("%w: max documents %d, min sample %d, super %d", errOptions, st.MaxDocuments,
			st.MinSample, st.Super)
	}
	s := &Store{dir: dir, opts: o, state: st}
	if err := s.removeStrays(); err != nil {
		return nil, err
	}
	if err := s.tables.open(dir, st); err != nil {
		return nil, errors.Join(fmt.Errorf("open store: %w", err), s.Close())
	}
	return s, nil
}

// Options are those in force.
func (s *Store) Options() Options { return s.opts }

// Close closes the tables; a second call does nothing.
func (s *Store) Close() error { return s.tables.close() }

// Documents is the number of documents, over all sweeps.
func (s *Store) Documents() uint64 { return s.state.Documents }

// removeStrays removes tables that no state names: those of an addition that did not come to its
// end.
func (s *Store) removeStrays() error {
	names, err := s.dir.Names()
	if err != nil {
		return err
	}
	for _, n := range names {
		kind, _, _ := strings.Cut(n, "-")
		if ok, _ := path.Match("*-??????.table", n); ok && s.state.Tables[kind].File != n {
			if err := s.dir.Remove(n); err != nil {
				return err
			}
		}
	}
	return nil
}

// fileName is that of a table made in a generation.
func fileName(kind string, generation int) string {
	return fmt.Sprintf("%s-%06d.table", kind, generation)
}

// open opens those tables of the state that are not open.
func (t *tables) open(dir *extsort.Dir, st *state) error {
	if st.Generation == 0 {
		return nil
	}
	return errors.Join(
		openTable(dir, st, kindDocs, &t.docs), openTable(dir, st, kindPlaces, &t.places),
		openTable(dir, st, kindPrints, &t.prints), openTable(dir, st, kindPostings, &t.postings),
		openTable(dir, st, kindCommon, &t.common), openTable(dir, st, kindPairs, &t.pairs),
		openTable(dir, st, kindClusters, &t.clusters),
	)
}

func openTable[T extsort.Record](dir *extsort.Dir, st *state, kind string, to **extsort.Table[T]) error {
	want, ok := st.Tables[kind]
	if !ok {
		return fmt.Errorf("no table of %s: %w", kind, errState)
	}
	t, err := extsort.OpenTable[T](dir, want.File, kind)
	if err != nil {
		return err
	}
	if t.Len() != want.Records {
		return errors.Join(fmt.Errorf("%s has %d records, the state says %d: %w", want.File, t.Len(),
			want.Records, errState), t.Close())
	}
	*to = t
	return nil
}

func (t *tables) close() error {
	err := errors.Join(
		closeTable(t.clusters), closeTable(t.pairs), closeTable(t.common), closeTable(t.postings),
		closeTable(t.prints),
		closeTable(t.places), closeTable(t.docs),
	)
	*t = tables{}
	return err
}

func closeTable[T extsort.Record](t *extsort.Table[T]) error {
	if t == nil {
		return nil
	}
	return t.Close()
}

// present is a table as something to merge with, nothing if there is none yet.
func present[T extsort.Record](t *extsort.Table[T]) []*extsort.Table[T] {
	if t == nil {
		return nil
	}
	return []*extsort.Table[T]{t}
}

// all goes through a table, or nothing if there is none yet.
func all[T extsort.Record](t *extsort.Table[T]) *extsort.Cursor[T] {
	if t == nil {
		return new(extsort.Cursor[T])
	}
	return t.All()
}
