package copies

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"watershed/page"
	"watershed/replica"
	"watershed/replica/growth"
	"watershed/replica/sketch"
	"watershed/sitemap"
	"watershed/store"
)

// manual is the visits of a work of 20 pages on a host, whose pages lead to another address, too.
func manual(t *testing.T, host, to page.URL) (list []page.Visit) {
	t.Helper()
	b, err := sketch.NewBuilder(sketch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		var words strings.Builder
		for k := range 150 {
			fmt.Fprintf(&words, "w%d ", (k*k+i*7919+k*i)%9973)
		}
		b.Text([]byte(words.String()))
		s := b.Sketch()
		list = append(list, page.Visit{
			URL: page.URL(fmt.Sprintf("%sp%d.html", host, i)), Status: 200, Sketch: s.AppendEncode(nil),
			Links: []page.Link{{URL: host, Kind: page.Navigation}, {URL: to, Kind: page.Navigation}},
		})
	}
	return list
}

// TestOriginalOfGrowth: of two hosts of which nothing else tells the original it is the earlier seed,
// whichever of the two answers first.
func TestOriginalOfGrowth(t *testing.T) {
	const first, second = "http://b.example/", "http://a.example/"
	x := newFinds(&Parts{
		Table: new(replica.Table), Began: time.Unix(1, 0),
		Sites: []sitemap.Site{{Seeds: []page.URL{first}}, {Seeds: []page.URL{second}}},
	})
	copied := ""
	for _, host := range []page.URL{second, first} {
		for _, v := range manual(t, host, host) {
			found, err := x.grow(&v)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range found {
				copied = c.Place
			}
		}
	}
	if copied != second {
		t.Errorf("%q is taken for the copy, not %q", copied, second)
	}
}

// TestTurnsRound: an entry of which the copy turns out to be the original gives way to its opposite,
// whatever the schemes of the two hosts.
func TestTurnsRound(t *testing.T) {
	for _, pair := range [][2]page.URL{
		{"http://www.example/", "http://mirror.elsewhere.example/"},
		{"https://www.example/", "https://mirror.elsewhere.example/"},
		{"http://www.example/", "https://mirror.elsewhere.example/"},
	} {
		table := new(replica.Table)
		x := newFinds(&Parts{Table: table, Began: time.Unix(1, 0)})
		for i, host := range pair {
			for _, v := range manual(t, host, pair[0]) {
				if _, err := x.grow(&v); err != nil {
					t.Fatal(i, err)
				}
			}
		}
		e := replica.Entry{
			From: string(pair[0].Host()), To: string(pair[1].Host()), State: replica.Confirmed, Method: Grown,
			Found: time.Unix(2, 0), Decided: time.Unix(2, 0), By: "rule",
		}
		if err := table.Put(e); err != nil {
			t.Fatal(err)
		}
		x.names[e.From] = ""
		list := x.again(&samples{stands: stands{Table: table, opt: Options{}.withDefaults()}}, true)
		if _, there := table.Get(e.From); there || len(list) != 1 || list[0].Place != string(pair[1]) {
			t.Errorf("%v: %+v", pair, list)
		}
	}
}

// roomOf is the room of a first run, which finds copies as it goes on.
func roomOf(t *testing.T, table *replica.Table, seeds ...page.URL) *Room {
	t.Helper()
	st, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	r, err := New(Parts{
		Table: table, Store: st, Run: 1, Began: time.Unix(1, 0),
		Sites: []sitemap.Site{{Name: "A", Boundary: sitemap.Domain, Seeds: seeds}},
	}, Options{}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestOtherOriginal: pages of a copy that were compared with its original are no evidence any more when
// that turns out to be a copy itself, of which the original has other texts.
func TestOtherOriginal(t *testing.T) {
	const first, second, copied = "http://a.example/", "http://b.example/", "http://c.example/"
	r := roomOf(t, new(replica.Table), first, second, copied)
	for _, host := range []page.URL{first, second, copied} {
		list := manual(t, host, host)
		for i := range list {
			v := &list[i]
			if host == first {
				v.Sketch = list[(i+1)%len(list)].Sketch
			}
			if _, err := r.finds.grow(v); err != nil {
				t.Fatal(err)
			}
			err := r.st.Update(func(tx *store.Tx) error {
				if err := tx.PutVisit(1, v); err != nil {
					return err
				}
				u := store.URL{URL: v.URL, State: store.Done, Status: 200, Visit: v.Seq}
				return tx.PutURL(1, v.URL.Key(), &u, nil)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		place, of    string
		agree, other int
	}{{copied, second, 20, 0}, {second, first, 0, 20}} {
		if err := r.enter([]growth.Copy{{Place: c.place, Of: c.of}}, time.Unix(2, 0)); err != nil {
			t.Fatal(err)
		}
		if s := r.stratum("c.example", Text); s.agreed != c.agree || s.unlike != c.other {
			t.Errorf("%s is a copy of %s: %d pages agree, %d do not", c.place, c.of, s.agreed, s.unlike)
		}
	}
}

// TestWaitsOnce: a page that is compared anew while its stand is waited for counts once when that comes.
func TestWaitsOnce(t *testing.T) {
	const stand, copied = "http://a.example/", "http://c.example/"
	table := new(replica.Table)
	err := table.Put(replica.Entry{
		From: "c.example", To: "a.example", State: replica.Confirmed, Found: time.Unix(2, 0),
		Decided: time.Unix(2, 0), By: "rule",
	})
	if err != nil {
		t.Fatal(err)
	}
	r := roomOf(t, table, stand, copied)
	v := manual(t, copied, copied)[0]
	for range 2 {
		if err := r.st.View(func(tx *store.Tx) error { return r.confront(tx, &v) }); err != nil {
			t.Fatal(err)
		}
	}
	r.Learn(&manual(t, stand, stand)[0])
	if s := r.stratum("c.example", Text); s.agreed != 1 {
		t.Errorf("%d pages agree", s.agreed)
	}
}
