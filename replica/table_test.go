package replica

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"watershed/page"
)

var day = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

func confirmed(from, to string) Entry {
	return Entry{From: from, To: to, State: Confirmed, Level: 1, Found: day, Decided: day, Verified: day}
}

func TestPut(t *testing.T) {
	for _, c := range []struct {
		name string
		put  []Entry
		want map[page.URL]page.URL // "" for: not left out
		err  error                 // of the last Put
	}{
		{
			"host",
			[]Entry{confirmed("m.example", "www.example")},
			map[page.URL]page.URL{
				"http://m.example/a?b": "http://www.example/a?b",
				"https://m.example/":   "https://www.example/", "http://www.example/a": "",
			},
			nil,
		},
		{
			"directory",
			[]Entry{confirmed("http://a.example/copy/", "http://b.example/doc/")},
			map[page.URL]page.URL{
				"http://a.example/copy/x/y":  "http://b.example/doc/x/y",
				"http://a.example/copyright": "", "https://a.example/copy/x": "",
			},
			nil,
		},
		{
			"a chain is shortened when its end comes later",
			[]Entry{confirmed("a.example", "b.example"), confirmed("b.example", "c.example")},
			map[page.URL]page.URL{
				"http://a.example/x": "http://c.example/x",
				"http://b.example/x": "http://c.example/x",
			},
			nil,
		},
		{
			"and when it was there",
			[]Entry{confirmed("b.example", "c.example"), confirmed("a.example", "b.example")},
			map[page.URL]page.URL{"http://a.example/x": "http://c.example/x"},
			nil,
		},
		{
			"a directory of the representative is itself a replica",
			[]Entry{confirmed("a.example", "b.example"), confirmed("http://b.example/doc/",
				"http://c.example/d/")},
			map[page.URL]page.URL{
				"http://a.example/doc/x": "http://c.example/d/x",
				"http://a.example/x":     "http://b.example/x",
			},
			nil,
		},
		{
			"the narrowest entry wins",
			[]Entry{confirmed("a.example", "b.example"), confirmed("http://a.example/doc/",
				"http://c.example/d/")},
			map[page.URL]page.URL{
				"http://a.example/doc/x": "http://c.example/d/x",
				"http://a.example/x":     "http://b.example/x",
			},
			nil,
		},
		{"itself", []Entry{confirmed("a.example", "a.example")}, nil, ErrOverlap},
		{"inside", []Entry{confirmed("http://a.example/x/", "http://a.example/x/y/")}, nil, ErrOverlap},
		{"around", []Entry{confirmed("http://a.example/x/y/", "http://a.example/x/")}, nil, ErrOverlap},
		{
			"circle",
			[]Entry{confirmed("a.example", "b.example"), confirmed("b.example", "a.example")},
			nil, ErrCircle,
		},
		{
			"circle of a part",
			[]Entry{confirmed("a.example", "b.example"), confirmed("http://b.example/d/",
				"http://a.example/d/")},
			map[page.URL]page.URL{"http://a.example/d/x": "http://b.example/d/x", "http://b.example/d/x": ""},
			ErrCircle,
		},
		{
			"a part and another part are none",
			[]Entry{confirmed("a.example", "b.example"), confirmed("http://b.example/d/",
				"http://a.example/e/")},
			map[page.URL]page.URL{
				"http://a.example/d/x": "http://b.example/e/x",
				"http://b.example/d/x": "http://b.example/e/x",
			},
			nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var table Table
			for i, e := range c.put {
				err := table.Put(e)
				if last := i == len(c.put)-1; last && !errors.Is(err, c.err) || !last && err != nil {
					t.Fatalf("Put(%s) = %v", e.From, err)
				}
			}
			for u, want := range c.want {
				got, _, ok := table.Resolve(u)
				if !ok {
					got = ""
				}
				if got != want {
					t.Errorf("Resolve(%s) = %q, want %q", u, got, want)
				}
			}
		})
	}
}

// anyName draws a host or directory out of so few that entries meet.
func anyName(t *rapid.T) string {
	host := rapid.SampledFrom([]string{"a.example", "b.example", "c.example", "d.example"}).Draw(t, "host")
	if rapid.Bool().Draw(t, "is host") {
		return host
	}
	return "http://" + host + "/" + strings.Repeat("d/", rapid.IntRange(0, 2).Draw(t, "depth"))
}

func anyEntry(t *rapid.T) Entry {
	at := func(name string) time.Time {
		ns := rapid.Int64Range(0, 2e18).Draw(t, name)
		if ns == 0 {
			return time.Time{}
		}
		return time.Unix(0, ns).UTC()
	}
	text := func(name string) string { // of any characters but control characters, which no entry may have
		return rapid.StringOfN(rapid.Rune().Filter(func(r rune) bool { return !unicode.IsControl(r) }), -1,
			40, 100).Draw(t, name)
	}
	tested, pages := rapid.IntRange(0, 30).Draw(t, "tested"), rapid.IntRange(0, 1000).Draw(t, "pages")
	e := Entry{
		From: anyName(t), To: anyName(t), State: State(rapid.IntRange(0, len(stateNames)-1).Draw(t, "state")),
		Level: rapid.IntRange(0, 5).Draw(t, "level"), Method: text("method"), By: text("by"),
		Note:  text("note"),
		Found: at("found"), Decided: at("decided"), Verified: at("verified"),
		Evidence: Evidence{
			Pages: pages, Common: rapid.IntRange(0, pages).Draw(t, "common"), Tested: tested,
			Agreed:      rapid.IntRange(0, tested).Draw(t, "agreed"),
			Harvests:    rapid.IntRange(0, 30).Draw(t, "harvests"),
			Resemblance: rapid.Float64Range(0, 1).Draw(t, "r"), Containment: rapid.Float64Range(0, 1).Draw(t,
				"c"), Purity: rapid.Float64Range(0, 1).Draw(t, "p"),
		},
	}
	for range rapid.IntRange(0, 2).Draw(t, "changes") {
		e.History = append(e.History, Change{
			State(rapid.IntRange(0, 5).Draw(t, "old")), at("then"),
			text("who"), text("why"),
		})
	}
	return e
}

// TestTableProperties puts many entries that meet into one table: whatever is refused, what Resolve
// gives is never itself left out, each change is taken back whole on an error, and both file
// formats read back equal.
func TestTableProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table Table
		for range rapid.IntRange(0, 12).Draw(t, "entries") {
			before := table.All()
			if err := table.Put(anyEntry(t)); err != nil {
				if d := cmp.Diff(before, table.All()); d != "" {
					t.Fatalf("a refused entry (%v) changed the table:\n%s", err, d)
				}
			}
		}
		for _, e := range table.All() {
			u := page.URL(e.From)
			if IsHost(e.From) {
				u = page.URL("http://" + e.From + "/")
			}
			for _, u := range []page.URL{u, u + "x", u + "d/x", u + "d/d/d/x"} {
				stand, by, ok := table.Resolve(u)
				if !ok {
					continue
				}
				if again, _, out := table.Resolve(stand); out {
					t.Fatalf("%s is left out in favour of %s (%s), which is left out in favour of %s", u,
						stand, by.From, again)
				}
			}
		}
		var y, c bytes.Buffer
		if err := errors.Join(table.WriteYAML(&y), table.WriteCSV(&c)); err != nil {
			t.Fatal(err)
		}
		fromYAML, err := ReadYAML(y.Bytes())
		if err != nil {
			t.Fatalf("%v\n%s", err, y.String())
		}
		fromCSV, err := ReadCSV(&c)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(table.All(), fromYAML.All()); d != "" {
			t.Fatalf("YAML:\n%s\n%s", d, y.String())
		}
		if d := cmp.Diff(table.All(), fromCSV.All()); d != "" {
			t.Fatalf("CSV:\n%s", d)
		}
	})
}

func TestLife(t *testing.T) {
	var table Table
	steps := []struct {
		name string
		do   func() error
		want State
		err  error
	}{
		{
			"propose", func() error {
				_,
					err := table.Propose(confirmed("m.example", "w.example"))
				return err
			},
			Proposed, nil,
		},
		{
			"prune what is only proposed",
			func() error { return table.Prune("m.example", Change{Time: day}) },
			Proposed, ErrState,
		},
		{
			"confirm", func() error { return table.Confirm("m.example", 2, Change{Time: day, By: "test"}) },
			Confirmed, nil,
		},
		{
			"prune", func() error { return table.Prune("m.example", Change{Time: day.AddDate(0, 1, 0)}) },
			Pruned, nil,
		},
		{
			"not yet old", func() error { table.Expire(defaultExpire, day.AddDate(0, 11, 0)); return nil },
			Pruned, nil,
		},
		{
			"verify", func() error { return table.Verify("m.example", Evidence{}, day.AddDate(0, 6, 0)) },
			Pruned, nil,
		},
		{
			"verified since", func() error { table.Expire(defaultExpire, day.AddDate(1, 1, 0)); return nil },
			Pruned, nil,
		},
		{
			"expire", func() error { table.Expire(defaultExpire, day.AddDate(2, 0, 0)); return nil },
			Expired, nil,
		},
		{"confirm again", func() error {
			return table.Confirm("m.example", 0, Change{Time: day.AddDate(2, 0, 1)})
		}, Confirmed, nil},
		{
			"reopen", func() error { return table.Reopen("m.example", Change{Time: day.AddDate(2, 1, 0)}) },
			Reopened, nil,
		},
		{"reject", func() error { return table.Reject("m.example", Change{By: "archivist"}) }, Rejected, nil},
		{"a proposal does not undo it", func() error {
			_, err := table.Propose(confirmed("m.example", "w.example"))
			return err
		}, Rejected, nil},
		{"nobody", func() error { return table.Reject("x.example", Change{}) }, Rejected, ErrUnknown},
	}
	for _, s := range steps {
		if err := s.do(); !errors.Is(err, s.err) {
			t.Fatalf("%s: %v", s.name, err)
		}
		if e, _ := table.Get("m.example"); e.State != s.want {
			t.Fatalf("%s: %s", s.name, e.State)
		}
	}
	e, _ := table.Get("m.example")
	var states []string
	for _, c := range e.History {
		states = append(states, c.State.String())
	}
	if got, want := strings.Join(states, " "),
		"proposed confirmed pruned expired confirmed reopened"; got != want {
		t.Errorf("history %q, want %q", got, want)
	}
	if e.Level != 2 {
		t.Errorf("level %d", e.Level)
	}
}

// TestOneOriginal: of a pair that is found one way and then the other, the table has one entry.
func TestOneOriginal(t *testing.T) {
	const a, b, c = "a.example", "b.example", "c.example"
	at := func(days int, from, to string) Entry {
		when := day.AddDate(0, 0, days)
		return Entry{From: from, To: to, Found: when, Decided: when}
	}
	confirm := func(t *Table, from string) error { return t.Confirm(from, 0, Change{By: "rule"}) }
	level := at(0, a, b)
	level.Level = 3
	for _, x := range []struct {
		name string
		old  Entry
		do   func(*Table) error // in between
		then Entry
		want string // all of the entries
	}{
		{"found the other way later", at(0, a, b), nil, at(1, b, a), "b.example = a.example: proposed"},
		{"by the same search", at(0, a, b), nil, at(0, b, a), "a.example = b.example: proposed"},
		{"by a test before", level, nil, at(1, b, a), "a.example = b.example: proposed, level 3"},
		{
			"in force", at(0, a, b), func(t *Table) error { return confirm(t, a) }, at(1, b, a),
			"a.example = b.example: confirmed",
		},
		{
			"of a third", at(0, a, b), nil, at(1, b, c),
			"a.example = b.example: proposed; b.example = c.example: proposed",
		},
		{"of which the other way was rejected", at(0, a, b), func(t *Table) error {
			return t.Reject(a, Change{By: "archivist"})
		}, at(1, b, a), "a.example = b.example: rejected; b.example = a.example: proposed"},
		{
			"both are there", at(0, a, b), func(t *Table) error { return t.Put(at(0, b, a)) }, at(1, b, a),
			"b.example = a.example: proposed",
		},
		{"both are there, and one is confirmed", at(0, a, b), func(t *Table) error {
			return errors.Join(t.Put(at(0, b, a)), confirm(t, a))
		}, at(1, b, a), "a.example = b.example: confirmed"},
		{"read while the other way is in force", at(0, a, b), func(t *Table) error {
			return errors.Join(confirm(t, a), t.Put(at(0, b, a)))
		}, at(1, b, a), "a.example = b.example: confirmed"},
		{
			"the end of a chain", at(0, a, b), func(t *Table) error {
				return errors.Join(t.Put(Entry{From: b, To: c, State: Confirmed}),
					t.Put(Entry{From: c, To: a, State: Confirmed}))
			}, at(2, a, b),
			"b.example = a.example: confirmed, through c.example; c.example = a.example: confirmed",
		},
	} {
		t.Run(x.name, func(t *testing.T) {
			var table Table
			_, err := table.Propose(x.old)
			if x.do != nil {
				err = errors.Join(err, x.do(&table))
			}
			_, err2 := table.Propose(x.then)
			var got []string
			for _, e := range table.All() {
				got = append(got, e.String())
			}
			if all := strings.Join(got, "; "); errors.Join(err, err2) != nil || all != x.want {
				t.Errorf("%s, want %s (%v, %v)", all, x.want, err, err2)
			}
		})
	}
}

func TestUndated(t *testing.T) {
	var table Table
	if err := table.Put(Entry{From: "m.example", To: "w.example", State: Confirmed}); err != nil {
		t.Fatal(err)
	}
	if old := table.Expire(time.Hour, day); len(old) != 0 {
		t.Errorf("an entry without a date has expired: %v", old)
	}
	table.Date(Change{Time: day, By: "list"})
	if e, _ := table.Get("m.example"); e.Decided != day || e.Found != day || e.Verified != day ||
		e.By != "list" {
		t.Errorf("%+v", e)
	}
	if old := table.Expire(time.Hour, day.Add(2*time.Hour)); len(old) != 1 {
		t.Errorf("%d entries have expired, want 1", len(old))
	}
}

// TestSmallShares: numbers that are written with an exponent are read again.
func TestSmallShares(t *testing.T) {
	e := Entry{
		From: "a.example", To: "b.example", State: Confirmed,
		Evidence: Evidence{Pages: 3, Resemblance: 5e-5, Containment: 1e-9, Purity: 1. / 3},
		History:  []Change{{State: Proposed, By: "yes", Note: "1e3"}},
	}
	var table Table
	if err := table.Put(e); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := table.WriteYAML(&text); err != nil {
		t.Fatal(err)
	}
	read, err := ReadYAML(text.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	if got, _ := read.Get(e.From); !cmp.Equal(got, e) {
		t.Errorf("%+v, want %+v", got, e)
	}
}

func TestReadFaults(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "line 1: the table of replicas is empty"},
		{"list", "- a\n", "line 1: not a table"},
		{"version", "version: 7\nreplicas: []\n", "line 1: the table has another version: 7"},
		{"key", "version: 1\nmirrors: []\n", "line 2: unknown key \"mirrors\""},
		{"entry key", "version: 1\nreplicas:\n  - from: a.example\n    too: b.example\n", "line 3: "},
		{"no host", "version: 1\nreplicas:\n  - {from: a.example, to: b.example}\n  - {from: \"a b\", to: " +
			"c.example}\n", "line 4: copy \"a b\""},
		{
			"case", "version: 1\nreplicas:\n  - {from: A.example, to: b.example}\n",
			"that would be \"a.example\"",
		},
		{"twice", "version: 1\nreplicas:\n  - {from: a.example, to: b.example}\n  - {from: a.example, to: " +
			"c.example}\n", "line 4: copy \"a.example\": a second entry"},
		{"circle", "version: 1\nreplicas:\n  - {from: a.example, to: b.example}\n  - {from: b.example, to: " +
			"a.example}\n", "line 4: "},
		{
			"state", "version: 1\nreplicas:\n  - {from: a.example, to: b.example, state: maybe}\n",
			"state \"maybe\" is none of",
		},
		{
			"date", "version: 1\nreplicas:\n  - {from: a.example, to: b.example, found: yesterday}\n",
			"\"yesterday\" is no date",
		},
		{"share", "version: 1\nreplicas:\n  - {from: a.example, to: b.example, evidence: " +
			"{resemblance: 1.5}}\n", "1.5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := ReadYAML([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "line 1: the line of headings"},
		{"column", "from,to,shade\n", "unknown column \"shade\""},
		{"no to", "from\na.example\n", "\"from\" and \"to\" are needed"},
		{"twice", "from,to,to\n", "column \"to\" comes twice"},
		{"level", "from,to,level\na.example,b.example,9\n", "line 2: copy \"a.example\": level 9"},
		{"short row", "from,to\na.example,b.example\nc.example\n", "line 3"},
	} {
		t.Run("CSV "+c.name, func(t *testing.T) {
			if _, err := ReadCSV(strings.NewReader(c.text)); err == nil ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestReadAliases(t *testing.T) {
	hosts := []page.Host{"www.a.example", "m1.a.example", "m2.a.example", "b.example"}
	table, err := ReadAliases(strings.NewReader(`
# made by hand
m.example, https://www2.example = www.example
*.a.example = www.a.example   # all of them
http://b.example/copy/ = http://www.a.example/doc/
m.example = last.example
`), hosts, Change{Time: day, By: "archivist"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range table.All() {
		got = append(got, e.From+" = "+e.To)
	}
	want := []string{
		"http://b.example/copy/ = http://www.a.example/doc/", "m.example = last.example",
		"m1.a.example = www.a.example",
		"m2.a.example = www.a.example", "www2.example = www.example",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, line := range []string{
		"a.example", "a = b = c", "=b.example", "a.example/x = b.example",
		"http://a.example/x = http://b.example/", "*.x = y", "*.x = http://b.example/",
		"*.x/ = y", "a = b, c",
	} {
		if _, err := ReadAliases(strings.NewReader("\n"+line), nil, Change{}); err == nil ||
			!strings.HasPrefix(err.Error(), "line 2: ") {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// TestAliasesOf: a host has the same entry when it is met as it has in the table of all hosts.
func TestAliasesOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		host := rapid.StringMatching(`[ab]{1,2}\.[xy]`)
		name := rapid.OneOf(host, rapid.SampledFrom([]string{"*.x", "a*.y", "*", "b.*", "*b.x:8080"}))
		var text strings.Builder
		for range rapid.IntRange(1, 5).Draw(t, "rules") {
			names := rapid.SliceOfN(name, 1, 3).Draw(t, "names")
			// A host that stands for others is left out for none, so that no rule leads on to
			// another.
			fmt.Fprintf(&text, "%s = to%d.z\n", strings.Join(names, ", "), rapid.IntRange(0, 2).Draw(t, "to"))
		}
		hosts := []page.Host{"to0.z", "ab.x:8080"}
		for _, h := range rapid.SliceOfDistinct(host, rapid.ID).Draw(t, "hosts") {
			hosts = append(hosts, page.Host(h))
		}
		if strings.Contains(text.String(), "*,") || strings.Contains(text.String(), "* =") {
			hosts = hosts[1:] // "*" has one that stands for others stand for another
		}
		a, err := ParseAliases(strings.NewReader(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		c := Change{Time: day, By: "archivist"}
		table, err := a.Table(hosts, c)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hosts {
			met, ok := a.Of(h, c)
			e, there := table.Get(string(h))
			if d := cmp.Diff(e, met); ok != there || d != "" {
				t.Fatalf("%s by\n%s%s", h, &text, d)
			}
		}
		if patterns := strings.Contains(text.String(), "*"); a.Patterns() != patterns {
			t.Fatalf("%s: patterns %v", &text, a.Patterns())
		}
	})
}

func TestAgreeing(t *testing.T) {
	var table Table
	for _, e := range []Entry{
		{From: "m.example", To: "o.example"},
		{From: "http://m.example/doc/", To: "http://o.example/doc/"},
		{From: "http://m.example/doc/de/", To: "http://o.example/doc/en/"},
		{From: "http://m.example/doc/fr/", To: "http://p.example/fr/"},
		{From: "http://o.example/doc/fr/", To: "http://p.example/fr/"},
		{From: "http://m.example/doc/no/", To: "http://o.example/doc/no/"},
	} {
		if e.State = Confirmed; strings.HasSuffix(e.From, "/no/") {
			e.State = Proposed
		}
		if err := table.Put(e); err != nil {
			t.Fatal(err)
		}
	}
	for u, want := range map[page.URL][]string{
		"http://m.example/x":        {"m.example"},
		"http://m.example/doc/x":    {"http://m.example/doc/", "m.example"},
		"http://m.example/doc/de/x": {"http://m.example/doc/de/"},
		// through o.example/doc/fr/
		"http://m.example/doc/fr/x": {"http://m.example/doc/fr/", "http://m.example/doc/", "m.example"},
		"http://m.example/doc/no/x": {"http://m.example/doc/", "m.example"},
		"http://o.example/x":        nil,
	} {
		if d := cmp.Diff(want, table.Agreeing(u)); d != "" {
			t.Errorf("%s: (-want +got)\n%s", u, d)
		}
	}
}

// TestDenial: what a person has rejected or reopened the program does not confirm again for a place within
// or around, nor is it left out by that; nor does it confirm the opposite of what a sample has reopened.
func TestDenial(t *testing.T) {
	person := Change{Time: day, By: "archivist"}
	found := func(from, to string, s State) Entry {
		return Entry{From: from, To: to, State: s, Method: "collection", Decided: day, By: "rule"}
	}
	const host, dir, u = "m.example", "http://m.example/d/", "http://m.example/d/x"
	host2, dir2 := "w.example", "http://w.example/d/"
	for name, c := range map[string]struct {
		entries []Entry
		decide  func(*Table) error
		confirm string // by the rule in the end
		refused bool
		leftOut bool // u
		dir     State
	}{
		"nothing decided": {
			[]Entry{found(host, host2, Proposed), found(dir, dir2, Proposed)},
			nil, dir, false, true, Confirmed,
		},
		"host rejected": {
			[]Entry{found(host, host2, Proposed), found(dir, dir2, Proposed)},
			func(t *Table) error { return t.Reject(host, person) }, dir, true, false, Proposed,
		},
		"host rejected, directory in force": {
			[]Entry{found(host, host2, Proposed), found(dir, dir2, Confirmed)},
			func(t *Table) error { return t.Reject(host, person) }, "", false, false, Reopened,
		},
		"host reopened": {
			[]Entry{found(host, host2, Confirmed), found(dir, dir2, Proposed)},
			func(t *Table) error { return t.Reopen(host, person) }, dir, true, false, Proposed,
		},
		"host reopened by a sample": {
			[]Entry{found(host, host2, Confirmed), found(dir, dir2, Proposed)},
			func(t *Table) error { return t.Reopen(host, Change{By: "sample"}) }, dir, false, true, Confirmed,
		},
		"directory rejected": {
			[]Entry{found(host, host2, Proposed), found(dir, dir2, Proposed)},
			func(t *Table) error { return t.Reject(dir, person) }, host, false, false, Rejected,
		},
		"another original": {
			[]Entry{found(host, "v.example", Proposed), found(dir, dir2, Proposed)},
			func(t *Table) error { return t.Reject(host, person) }, dir, false, true, Confirmed,
		},
		"the opposite of what a sample reopened": {
			[]Entry{found(host2, host, Confirmed), found(dir, dir2, Proposed)},
			func(t *Table) error { return t.Reopen(host2, Change{By: "sample"}) }, dir, true, false, Proposed,
		},
		"the opposite of what a rule reopened": {
			[]Entry{found(host2, host, Confirmed), found(dir, dir2, Proposed)},
			func(t *Table) error { return t.Reopen(host2, Change{By: "rule"}) }, dir, false, true, Confirmed,
		},
		"a person insists": {
			[]Entry{found(host, host2, Proposed), found(dir, dir2, Proposed)},
			func(t *Table) error { return errors.Join(t.Reject(host, person), t.Insist(dir, 0, person)) },
			"", false, true, Confirmed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var table Table
			for _, e := range c.entries {
				if err := table.Put(e); err != nil {
					t.Fatal(err)
				}
			}
			if c.decide != nil {
				if err := c.decide(&table); err != nil {
					t.Fatal(err)
				}
			}
			if c.confirm != "" {
				err := table.Confirm(c.confirm, 0, Change{Time: day, By: "rule"})
				if errors.Is(err, ErrDenied) != c.refused {
					t.Errorf("confirmed by the rule: %v", err)
				}
			}
			if _, _, out := table.Resolve(u); out != c.leftOut {
				t.Errorf("left out: %v", out)
			}
			if e, _ := table.Get(dir); e.State != c.dir {
				t.Errorf("the directory is %s, not %s", e.State, c.dir)
			}
		})
	}
}
