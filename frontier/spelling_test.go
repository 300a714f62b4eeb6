package frontier

import (
	"testing"

	"watershed/page"
	"watershed/store"
)

// A URL is asked for as the first page spells it, then as the server spells it, until that goes
// round in a circle.
func TestRespelled(t *testing.T) {
	const u, lower, mixed = "http://a.example/%C3%A9", page.Spelling("http://a.example/%c3%a9"),
		page.Spelling("http://a.example/%C3%a9")
	clk := &clock{epoch}
	f := openFrontier(t, openStore(t, t.TempDir()), Options{Now: clk.now, SharedAddresses: true})
	add(t, f, Candidate{URL: u, Spelled: lower, Wanted: true})
	add(t, f, Candidate{URL: u, Spelled: mixed, Wanted: true}) // another page says it otherwise
	for i, x := range []struct {
		asked, redirected page.Spelling
		becomes           store.State
	}{
		{lower, "", store.Pending},
		{"", mixed, store.Pending},
		{mixed, "", store.Pending},
		{"", mixed, store.Pending},
		{mixed, "", store.Pending},
		{"", mixed, store.Failed},
	} {
		clk.t = clk.t.Add(f.opt.Politeness.Max)
		l, _, err := f.next()
		if err != nil || l == nil {
			t.Fatalf("%d: %v, %v", i, l, err)
		}
		if l.Spelled != x.asked || l.Tries != 0 {
			t.Errorf("%d: asked for %q after %d tries, want %q after none", i, l.Spelled, l.Tries, x.asked)
		}
		update(t, f, func(tx *store.Tx) error {
			v := page.Visit{URL: u, Spelled: l.Spelled, Status: 301}
			if err := tx.PutVisit(1, &v); err != nil {
				return err
			}
			o := Outcome{Status: 301, Visit: v.Seq, Respelled: true, Spelled: x.redirected}
			foretold := f.Foretell(l, o)
			fate, err := f.Finish(tx, l, o)
			if foretold.State != fate.State || foretold.Reason != fate.Reason {
				t.Errorf("%d: foretold %v, is %v", i, foretold, fate)
			}
			if fate.State != x.becomes {
				t.Errorf("%d: %v, want %v", i, fate.State, x.becomes)
			}
			return err
		})
	}
}
