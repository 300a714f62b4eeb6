package frontier

import (
	"errors"
	"fmt"
	"testing"

	"watershed/page"
	"watershed/store"
)

// A store that is not to be trusted is counted anew without a look at each row; only the rows of a
// host that are not as its records say are looked for, and mended.
func TestRecount(t *testing.T) {
	const hosts, each = 5, 40
	st, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	f, err := Open(st, 1, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var urls []string
	for i := range hosts * each {
		urls = append(urls, fmt.Sprintf("http://h%d.example/%d", i%hosts, i))
	}
	add(t, f, wanted(urls...)...)
	again := func(harm func(tx *store.Tx) error) (*Frontier, int) {
		t.Helper()
		err := st.Update(func(tx *store.Tx) error {
			tx.Distrust()
			tx.PutTotals(1, &store.Totals{})
			return harm(tx)
		})
		r := restorer{Frontier: newFrontier(st, 1, Options{}.withDefaults())}
		if err = errors.Join(err, r.restore()); err != nil {
			t.Fatal(err)
		}
		if n := r.Stats().States[store.Pending]; n != hosts*each {
			t.Errorf("%d URLs wait, want %d", n, hosts*each)
		}
		return r.Frontier, r.asked
	}
	if _, asked := again(func(*store.Tx) error { return nil }); asked > 0 {
		t.Errorf("%d rows were looked for that are as they should be", asked)
	}
	_, asked := again(func(tx *store.Tx) error {
		for i, text := range []page.URL{"http://h1.example/1", "http://h1.example/6"} {
			u, _, err := tx.URL(1, text.Key())
			if err != nil {
				return err
			}
			if i == 0 { // its row is gone
				if err := tx.DeleteRow(1, store.Row{Host: u.Host, Place: u.Place}); err != nil {
					return err
				}
				continue
			}
			u.Place.Order += 1000 // it waits elsewhere, and its former row is still there
			if err := tx.PutURL(1, text.Key(), &u, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if asked == 0 || asked > 2*(each+1) {
		t.Errorf("%d rows were looked for to mend those of one host, which has %d", asked, each)
	}
	if _, asked := again(func(*store.Tx) error { return nil }); asked > 0 {
		t.Errorf("%d rows were looked for that had been mended", asked)
	}
}

// TestRecountOfManySites: the totals of more sites than go into one transaction are counted anew and kept.
func TestRecountOfManySites(t *testing.T) {
	const sites = 120_000
	st, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	totals := make(map[uint32]*store.Totals, sites)
	var sum store.Totals
	for i := range uint32(sites) {
		totals[i] = &store.Totals{Bytes: int64(i)}
		totals[i].States[store.Known] = 1
	}
	r := restorer{Frontier: newFrontier(st, 1, Options{}.withDefaults())}
	if err := r.keepCounts(&sum, totals); err != nil {
		t.Fatal(err)
	}
	if err := st.View(func(tx *store.Tx) error {
		n := 0
		if err := tx.EachSite(1, func(i uint32, got store.Totals) {
			if n++; got.Bytes != int64(i) || got.States[store.Known] != 1 {
				t.Fatalf("site %d has %+v", i, got)
			}
		}); err != nil {
			return err
		}
		again, err := tx.Interrupted()
		if n != sites || again {
			t.Errorf("%d sites of %d are kept; to be counted again: %v", n, sites, again)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
