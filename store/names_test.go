package store

import (
	"fmt"
	"slices"
	"testing"
)

// TestSiteNames: the names of any number of sites are read as they were written, those of a shorter list
// after a longer one, too, and each run has its own.
func TestSiteNames(t *testing.T) {
	s := openTest(t, t.TempDir())
	list := func(n int) (names []string) {
		for i := range n {
			names = append(names, fmt.Sprintf("a site of some length, number %d", i))
		}
		return names
	}
	check := func(run Run, want []string) {
		t.Helper()
		if err := s.View(func(tx *Tx) error {
			got, err := SiteNames(tx, run)
			if !slices.Equal(got, want) {
				t.Errorf("run %d: %d names, want %d, or others", run, len(got), len(want))
			}
			return err
		}); err != nil {
			t.Error(err)
		}
	}
	check(1, nil)
	for _, n := range []int{150_000, 3, 0} {
		if err := s.Update(func(tx *Tx) error { return PutSiteNames(tx, 1, list(n)) }); err != nil {
			t.Fatal(err)
		}
		check(1, list(n))
	}
	run, err := s.StartRun(RunRecord{Started: noon, State: RunOpen}, list(5)...)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Update(func(tx *Tx) error { return PutSiteNames(tx, run+1, list(7)) }); err != nil {
		t.Fatal(err)
	}
	check(run, list(5))
	check(run+1, list(7))
}
