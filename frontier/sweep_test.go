package frontier

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"watershed/page"
	"watershed/store"
)

// swept fetches all that two sites and a host that is down may have, and gives what became of each
// URL, with the number of steps that Lease took to record URLs. The frontier is opened anew after
// so many of them.
func swept(t *testing.T, least int64, reopen int) (fates []string, steps int) {
	t.Helper()
	clk := &clock{epoch}
	st, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	open := func() *Frontier {
		f, err := Open(st, 1, Options{
			Now: clk.now, Politeness: Politeness{Factor: -1, Min: -1, Max: -1}, HostTries: 1, Tries: 1,
			Sites: []Site{{Name: "a", Limits: Limits{Pages: 9}}, {Name: "b"}}, SharedAddresses: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		f.sweep.least = least
		return f
	}
	f := open()
	var xs []Candidate
	for i := range 3000 {
		u := page.URL(fmt.Sprintf("http://h%d.example/%d", i%7, i))
		if i%7 == 0 {
			u = page.URL(fmt.Sprintf("https://down.example/%d", i))
		}
		xs = append(xs, Candidate{URL: u, Wanted: true, Site: uint32(b2i(i%97 == 0)), Part: i%89 == 0})
	}
	add(t, f, xs...)
	for {
		job, l, _, err := f.look(clk.now().UnixNano())
		switch {
		case errors.Is(err, ErrDone):
			for u, err := range st.URLs(1) {
				if err != nil {
					t.Fatal(err)
				}
				fates = append(fates, fmt.Sprintf("%s %s %s %s", u.URL, u.State, u.Reason, u.Rule))
			}
			slices.Sort(fates)
			again, held := open(), f.Stats()
			if s := again.Stats(); s.Totals != held.Totals || s.States[store.Pending] != 0 {
				t.Errorf("opened with %+v, was left with %+v", s.Totals, held.Totals)
			}
			return fates, steps
		case err != nil:
			t.Fatal(err)
		case job != nil:
			if err := job(); err != nil {
				t.Fatal(err)
			}
			if steps++; steps == reopen {
				f = open()
			}
		case l != nil:
			o := Outcome{Status: 200}
			if l.Host == "down.example" {
				o.Status = page.StatusConnect
			}
			finish(t, f, l, o)
		default:
			clk.t = clk.t.Add(1e9)
		}
	}
}

// Of many URLs that are left waiting by a limit, or by the end of a host, the same becomes in one
// pass over all as where they are looked for by their rows, also when the process dies meanwhile.
func TestSweep(t *testing.T) {
	want, steps := swept(t, 1<<40, 0)
	got, few := swept(t, 1, 0)
	if !slices.Equal(got, want) {
		t.Errorf("swept: %d of %d URLs fare otherwise", differing(got, want), len(want))
	}
	if few > 12 || steps < 3*few {
		t.Errorf("a sweep took %d steps, to look by rows %d", few, steps)
	}
	for reopen := 1; reopen < few; reopen++ {
		got, _ := swept(t, 1, reopen)
		if got, want := counted(got), counted(want); !maps.Equal(got, want) { // others may be fetched first
			t.Errorf("opened anew after %d steps: %v, want %v", reopen, got, want)
		}
	}
}

// counted is how many URLs have each fate.
func counted(fates []string) map[string]int {
	count := map[string]int{}
	for _, x := range fates {
		_, fate, _ := strings.Cut(x, " ")
		count[fate]++
	}
	return count
}

func differing(a, b []string) (n int) {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			n++
		}
	}
	return n + max(len(a), len(b)) - min(len(a), len(b))
}
