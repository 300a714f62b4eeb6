package frontier

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"watershed/page"
	"watershed/store"
)

func TestTraps(t *testing.T) {
	deep := "http://a.example" + strings.Repeat("/x", 21)
	for i := range 21 {
		deep = strings.Replace(deep, "/x", fmt.Sprintf("/s%d", i), 1)
	}
	rules, off := Traps{}.withDefaults(), Traps{-1, -1, -1, -1, -1, -1, -1}.withDefaults()
	for _, tt := range []struct {
		name, url, hops string
		want            store.Reason
	}{
		{"plain", "http://a.example/a/b/c?x=1&y=2", "LLL", store.NoReason},
		{"long", "http://a.example/" + strings.Repeat("a", 2083), "", store.TrapLength},
		{"just not long", "http://a.example/" + strings.Repeat("a", 2083-17), "", store.NoReason},
		{"deep", deep, "", store.TrapDepth},
		{"far", "http://a.example/", strings.Repeat("L", 21), store.TrapHops},
		{"twice in a row", "http://a.example/a/a/b", "", store.NoReason},
		{"three times in a row", "http://a.example/a/a/a/b", "", store.TrapRepeat},
		{"three times, not in a row", "http://a.example/a/b/a/c/a/d", "", store.NoReason},
		{"a pair three times", "http://a.example/x/a/b/a/b/a/b/", "", store.TrapRepeat},
		{"a pair twice and a half", "http://a.example/x/a/b/a/b/a/", "", store.NoReason},
		{"an argument three times", "http://a.example/?a=1&a=1&a=1", "", store.NoReason},
		{"an argument four times", "http://a.example/?a=1&b=2&a=1&a=1&a=1", "", store.TrapQuery},
		{"a name four times", "http://a.example/?a=1&a=2&a=3&a=4", "", store.NoReason},
	} {
		got := rules.refuse(page.URL(tt.url), tt.hops)
		if got.reason != tt.want || (got.rule == "") != (got.reason == store.NoReason) {
			t.Errorf("%s: %+v, want %v", tt.name, got, tt.want)
		}
		if got := off.refuse(page.URL(tt.url), tt.hops); got.reason != store.NoReason {
			t.Errorf("%s, with all rules off: %+v", tt.name, got)
		}
	}
	got := rules.refuse("http://a.example/x/a/b/a/b/a/b/a/b", "")
	if got.rule != `"a/b" 4 times in a row, at most 2` {
		t.Error(got.rule)
	}
}

// repeated agrees with the slow and obvious search.
func TestRepeated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seg := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b"}), 1, 12).Draw(t, "segments")
		limit := rapid.IntRange(1, 3).Draw(t, "limit")
		want := false
		for start := range seg {
			for period := 1; start+period*(limit+1) <= len(seg); period++ {
				run, all := seg[start:start+period], true
				for i := 1; i <= limit; i++ {
					all = all && slices.Equal(run, seg[start+i*period:start+(i+1)*period])
				}
				want = want || all
			}
		}
		run, n := repeated("/"+strings.Join(seg, "/"), limit)
		if (n > 0) != want {
			t.Fatalf("%v, at most %d: %q %d times, want %v", seg, limit, run, n, want)
		}
		if n > 0 &&
			(n <= limit ||
				!strings.Contains(strings.Join(seg, "/"),
					strings.TrimSuffix(strings.Repeat(run+"/", n), "/"))) {
			t.Fatalf("%v: %q does not stand %d times in a row", seg, run, n)
		}
	})
}

func TestCandidates(t *testing.T) {
	s := stepped(t, Options{Sites: []Site{{Name: "Gemo", Limits: Limits{Depth: 2}}}})
	var fresh []Fresh
	update(t, s.Frontier, func(tx *store.Tx) (err error) {
		fresh, err = s.Add(tx, []Candidate{
			{URL: "http://a.example/seed", Wanted: true},
			{URL: "http://a.example/known", Via: "http://a.example/seed", Hops: "L"},
			{URL: "http://a.example/far", Via: "http://a.example/seed", Hops: "LLL", Wanted: true},
			{
				URL: "http://a.example/within", Via: "http://a.example/seed",
				Hops: strings.Repeat("L", 250), Inside: 248, Wanted: true,
			},
			{
				URL: "http://a.example/trap", Via: "http://a.example/seed",
				Hops: strings.Repeat("LR", 30), Inside: 39, Wanted: true,
			},
			{
				URL: "http://a.example/image", Via: "http://a.example/seed", Hops: "LLE", Kind: page.Embed,
				Wanted: true,
			},
			{URL: "http://a.example/x/x/x", Hops: "L"},
			{URL: "http://a.example/y/y/y", Wanted: true, Forced: true},
			{URL: "http://a.example/no", Skip: store.Excluded, Rule: "prefix:http://a.example/n"},
			{URL: "http://a.example/quiet", Wanted: true, Skip: store.NoFollow},
			{URL: "http://a.example/known"},
		})
		return err
	})
	var got []string
	for _, f := range fresh {
		got = append(got, fmt.Sprint(f.Index, f.State, f.Reason))
	}
	want := []string{
		"0pending", "1known", "2skipped limitDepth", "3pending", "4skipped trapHops", "5pending",
		"6skipped trapRepeat", "7pending", "8skipped excluded", "9skipped nofollow",
	}
	if strings.ReplaceAll(fmt.Sprint(got), " ", "") != strings.ReplaceAll(fmt.Sprint(want), " ", "") {
		t.Errorf("%v, want %v", got, want)
	}
	add(t, s.Frontier,
		// a shorter way
		Candidate{URL: "http://a.example/far", Via: "http://a.example/known", Hops: "LL", Wanted: true},
		// a link that asks nothing
		Candidate{URL: "http://a.example/quiet", Via: "http://a.example/known", Hops: "L", Wanted: true},
		// a longer way of which less counts
		Candidate{
			URL: "http://a.example/trap", Via: "http://a.example/known", Hops: strings.Repeat("L", 80),
			Inside: 79, Wanted: true,
		},
		Candidate{URL: "http://a.example/no", Wanted: true},
		Candidate{URL: "http://a.example/x/x/x", Wanted: true, Forced: true},
		Candidate{URL: "http://a.example/known", Skip: store.OutOfBoundary, Rule: "host"},
	)
	for u, want := range map[page.URL]string{
		"http://a.example/far": "pending  LL", "http://a.example/quiet": "pending  ",
		"http://a.example/no":    "skipped excluded ",
		"http://a.example/trap":  "pending  " + strings.Repeat("L", 80),
		"http://a.example/x/x/x": "pending  ", "http://a.example/known": "skipped outOfBoundary L",
	} {
		if u := stateOf(t, s.Frontier, u); fmt.Sprint(u.State, " ", u.Reason, " ", u.Hops) != want {
			t.Errorf("%s: %+v, want %s", u.URL, u, want)
		}
	}
	x, found, err := s.Explain("http://a.example/no")
	if err != nil || !found || x.Rule != "prefix:http://a.example/n" {
		t.Errorf("%+v, %v, %v", x, found, err)
	}
	if x, _, err := s.Explain("http://a.example/far"); err != nil || x.Via != "http://a.example/known" {
		t.Errorf("%+v, %v", x, err)
	}
	if _, found, err := s.Explain("http://nowhere.example/"); found || err != nil {
		t.Error(found, err)
	}
	left := map[store.State]int{}
	for l, err := range s.Left() {
		if err != nil {
			t.Fatal(err)
		}
		left[l.State]++
		if l.URL.URL == "http://a.example/no" && l.Rule == "" {
			t.Errorf("no rule: %+v", l)
		}
	}
	if left[store.Pending] != 8 || left[store.Skipped] != 2 {
		t.Errorf("%v", left)
	}
}

// TestChains: redirects in a row, and files of which each needs the next one, end at max_hops, though each is
// a page of the site; such a file is fetched where a page needs it itself. Pages that show the next one by
// themselves may do so without end, also in a frame and by way of a redirect, and have their images.
func TestChains(t *testing.T) {
	kinds := map[rune]page.LinkKind{
		'L': page.Navigation, 'E': page.Embed, 'F': page.Frame, 'R': page.Redirect, 'S': page.Refresh,
	}
	for chain, want := range map[string]store.Reason{
		"L" + strings.Repeat("ER", 10): store.NoReason, "L" + strings.Repeat("ER", 10) + "E": store.TrapHops,
		strings.Repeat("R", 21): store.TrapHops, "LRR" + strings.Repeat("E", 20): store.NoReason,
		"F" + strings.Repeat("S", 40) + "E": store.NoReason, "L" + strings.Repeat("SR", 40): store.NoReason,
		strings.Repeat("F", 21): store.TrapHops, strings.Repeat("L", 40) + "ER": store.NoReason,
	} {
		s, x := stepped(t, Options{}), Candidate{URL: "http://a.example/", Wanted: true}
		add(t, s.Frontier, x)
		for i, k := range chain {
			x = Candidate{
				URL: page.URL(fmt.Sprintf("http://a.example/%d", i)), Via: x.URL, Kind: kinds[k],
				Hops: x.Hops + string(kinds[k].Hop()), Inside: i + 1, Wanted: true,
			}
			add(t, s.Frontier, x)
		}
		if u := stateOf(t, s.Frontier, x.URL); u.Reason != want {
			t.Errorf("%s: %s, want %s", chain, u.Reason, want)
		}
		x.Via, x.Kind, x.Hops, x.Inside = "http://a.example/", page.Embed, "E", 1
		add(t, s.Frontier, x)
		if u := stateOf(t, s.Frontier, x.URL); u.State != store.Pending {
			t.Errorf("%s: %s where a page needs it", chain, u.Reason)
		}
	}
}

// A place that brings nothing new is told when the turn of its pages comes: those that waited when that
// was found out are left out as well. Seeds, what pages need, also while they are drawn, what was asked for
// by hand, and what is asked for once more are fetched.
func TestNoveltyInTurn(t *testing.T) {
	dull := false
	const drawn = 1 << 20
	s := stepped(t, Options{Hasty: Hasty{Priority: drawn}, Novelty: func(u page.URL) (rule string) {
		if dull && strings.Contains(string(u), "/dull/") {
			return "nothing new"
		}
		return ""
	}})
	const at = "http://a.example/dull/"
	add(t, s.Frontier, Candidate{URL: at + "had", Hops: "L", Wanted: true})
	s.fetchAll(func(*Lease) Outcome { return Outcome{Status: 200, Visit: 1} })
	add(t, s.Frontier,
		Candidate{URL: at + "1", Hops: "L", Wanted: true},
		Candidate{URL: at + "2", Hops: "L", Wanted: true},
		Candidate{URL: at + "style.css", Hops: "LE", Kind: page.Embed, Wanted: true, Part: true},
		Candidate{URL: at + "seed", Wanted: true},
		Candidate{URL: at + "forced", Hops: "L", Wanted: true, Forced: true},
		Candidate{URL: at + "shown", Hops: "L", Wanted: true, Priority: drawn},
		Candidate{URL: "http://a.example/else", Hops: "L", Wanted: true},
	)
	dull = true
	s.fetchAll(ok)
	update(t, s.Frontier, func(tx *store.Tx) error { return s.Again(tx, []page.URL{at + "had"}) })
	s.fetchAll(ok)
	for u, want := range map[page.URL]string{
		at + "had": "done ", at + "1": "skipped lowNovelty", at + "2": "skipped lowNovelty",
		at + "style.css": "done ", at + "seed": "done ", at + "forced": "done ", at + "shown": "done ",
		"http://a.example/else": "done ",
	} {
		if x := stateOf(t, s.Frontier, u); fmt.Sprint(x.State, " ", x.Reason) != want {
			t.Errorf("%s: %s %s, want %s", u, x.State, x.Reason, want)
		}
	}
}

// A page that was refused when it was only named is told as refused to who wants it, each time.
func TestRefusedIsTold(t *testing.T) {
	s := stepped(t, Options{})
	const u = "http://a.example/x"
	add(t, s.Frontier, Candidate{URL: u, Skip: store.NoFollow}, Candidate{URL: "http://a.example/known"})
	add(t, s.Frontier, Candidate{URL: u, Skip: store.Excluded})
	for range 2 {
		update(t, s.Frontier, func(tx *store.Tx) error {
			fresh, err := s.Add(tx, []Candidate{
				{URL: u},
				{URL: "http://a.example/a/a/a/a", Wanted: true},
				{URL: "http://a.example/known", Wanted: true},
			})
			for _, f := range fresh {
				if f.Index != 1 || f.State != store.Skipped {
					t.Errorf("%+v", f)
				}
			}
			if len(fresh) != 1 {
				t.Errorf("%+v", fresh)
			}
			return err
		})
	}
}

// Two URLs of one key: the second is recorded, and not taken for the first.
func TestKeyCollision(t *testing.T) {
	s := stepped(t, Options{})
	s.keyOf = func(page.URL) page.Key { return 7 }
	add(t, s.Frontier, wanted("http://a.example/1", "http://a.example/2", "http://a.example/2")...)
	add(t, s.Frontier, wanted("http://a.example/1", "http://a.example/2")...)
	if got := s.fetchAll(ok); fmt.Sprint(got) != "[http://a.example/1]" {
		t.Errorf("fetched %v", got)
	}
	if st := s.Stats(); st.Known() != 2 || st.Reasons[store.Collision] != 1 || st.States[store.Done] != 1 {
		t.Errorf("%+v", st)
	}
}

func TestLimits(t *testing.T) {
	var urls []string
	for i := range 20 {
		urls = append(urls, fmt.Sprintf("http://h%d.example/%d", i%10, i))
	}
	sized := func(*Lease) Outcome { return Outcome{Status: 200, Bytes: 100} }
	for _, tt := range []struct {
		name    string
		o       Options
		fetched int
		left    store.Reason // of all others
	}{
		{"none", Options{}, 20, store.NoReason},
		{"site, pages", Options{Sites: []Site{{Name: "s", Limits: Limits{Pages: 7}}}}, 7, store.LimitPages},
		{"site, bytes", Options{Sites: []Site{{Name: "s", Limits: Limits{Bytes: 650}}}}, 7, store.LimitBytes},
		{"host, pages", Options{HostLimits: Limits{Pages: 1}}, 10, store.LimitPages},
		{"host, bytes", Options{HostLimits: Limits{Bytes: 1}}, 10, store.LimitBytes},
		{"harvest, pages", Options{Limits: Limits{Pages: 7}}, 7, store.LimitPages},
	} {
		s := stepped(t, tt.o)
		add(t, s.Frontier, wanted(urls...)...)
		if got := s.fetchAll(sized); len(got) != tt.fetched {
			t.Errorf("%s: fetched %d, want %d", tt.name, len(got), tt.fetched)
		}
		st := s.Stats()
		if int(st.States[store.Done]) != tt.fetched || int(st.States[store.Skipped]) != 20-tt.fetched ||
			tt.left != 0 && int(st.Reasons[tt.left]) != 20-tt.fetched {
			t.Errorf("%s: %+v", tt.name, st)
		}
		if site := s.site(0).totals; site.States != st.States || site.Bytes != st.Bytes {
			t.Errorf("%s: site %+v, all %+v", tt.name, site, st.Totals)
		}
	}
	s := stepped(t, Options{Limits: Limits{Bytes: 650}})
	add(t, s.Frontier, wanted(urls...)...)
	n := 0
	var err error
	for {
		var l *Lease
		if l, err = s.lease(); err != nil {
			break
		}
		finish(t, s.Frontier, l, sized(l))
		n++
	}
	if n != 7 || !errors.Is(err, ErrLimit) || s.Stats().States[store.Pending] != 13 {
		t.Errorf("harvest, bytes: %d fetched, %v", n, err)
	}
}

// TestPagesAndFiles: limits of pages count pages, those of files files, whatever a URL was asked
// for as; and what pages need is fetched when no page is.
func TestPagesAndFiles(t *testing.T) {
	const pages, gone, parts = 10, 5, 8
	for name, limits := range map[string]Limits{
		"neither": {}, "pages": {Pages: 6}, "files": {Files: 8}, "both": {Pages: 6, Files: 12},
	} {
		for _, where := range []string{"harvest", "site", "host"} {
			o := Options{HostLimits: limits}
			switch where {
			case "harvest":
				o = Options{Limits: limits}
			case "site":
				o = Options{Sites: []Site{{Name: "s", Limits: limits}}}
			}
			s := stepped(t, o)
			list := wanted()
			for i := range pages + gone + parts {
				x := Candidate{URL: page.URL(fmt.Sprintf("http://a.example/%02d", i)), Wanted: true}
				x.Part = i >= pages+gone
				list = append(list, x)
			}
			add(t, s.Frontier, list...)
			s.fetchAll(func(l *Lease) Outcome {
				switch i, _ := strconv.Atoi(string(l.URL[len("http://a.example/"):])); {
				case i >= pages+gone:
					return Outcome{Status: 200, File: true}
				case i%3 == 1: // 1, 4, 7, 10, 13
					return Outcome{Status: 404, File: true}
				}
				return Outcome{Status: 200}
			})
			wantPages, wantFiles := int64(pages), int64(gone+parts)
			if limits.Pages > 0 {
				wantPages, wantFiles = limits.Pages, 2+parts // of 0, 1, 2 to 8 two are errors; 7 is one
			}
			got := s.Stats().Totals
			if p, f := got.Pages(), got.Files(); p != wantPages ||
				limits.Files == 0 && f < wantFiles || limits.Files > 0 && f > max(limits.Files, gone) {
				t.Errorf("%s of the %s: %d pages, %d files", name, where, p, f)
			}
			rec, _ := s.Host("a.example")
			if int64(rec.Done-rec.Files) != got.Pages() || s.site(0).totals != got {
				t.Errorf("%s of the %s: host %+v, site %+v, all %+v", name, where, rec, s.site(0).totals, got)
			}
		}
	}
}

// Leases in force count against limits, so that many workers fetch no more than one.
func TestLimitsWithManyLeases(t *testing.T) {
	for name, o := range map[string]Options{
		"site": {Sites: []Site{{Limits: Limits{Pages: 3}}}}, "harvest": {Limits: Limits{Pages: 3}},
	} {
		s := stepped(t, o)
		for i := range 10 {
			add(t, s.Frontier, wanted(fmt.Sprintf("http://h%d.example/", i))...)
		}
		var leases []*Lease
		for range 10 {
			if l, _, err := s.next(); err != nil {
				t.Fatal(err)
			} else if l != nil {
				leases = append(leases, l)
			}
		}
		if len(leases) != 3 {
			t.Errorf("%s: %d leases", name, len(leases))
		}
		// one brought nothing, so that one more may go
		finish(t, s.Frontier, leases[0], Outcome{Status: page.StatusRefused})
		if l := s.mustLease(); l == nil {
			t.Errorf("%s: no lease", name)
		}
	}
}

func TestOptionsValidate(t *testing.T) {
	for name, o := range map[string]Options{
		"pattern": {Hosts: []HostPoliteness{{Match: "["}}}, "no pattern": {Hosts: []HostPoliteness{{}}},
		"delays": {Politeness: Politeness{Min: 2, Max: 1}}, "limit": {Limits: Limits{Pages: -1}},
		"site": {Sites: []Site{{Limits: Limits{Bytes: -1}}}},
	} {
		if o.Validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := (Options{}).Validate(); err != nil {
		t.Error(err)
	}
}

// TestFilesAreNoRedirects: redirects count for no limit, files to which pages link for that of files,
// and the limit that is told is the one that was reached.
func TestFilesAreNoRedirects(t *testing.T) {
	for name, limits := range map[string]Limits{
		"files": {Files: 3}, "pages": {Pages: 4}, "both": {Pages: 5, Files: 3},
	} {
		s := stepped(t, Options{HostLimits: limits})
		for i := range 6 {
			add(t, s.Frontier, wanted(fmt.Sprintf("http://a.example/r%d", i),
				fmt.Sprintf("http://a.example/%d.zip?v=1", i), fmt.Sprintf("http://a.example/p%d", i))...)
		}
		s.fetchAll(func(l *Lease) Outcome {
			switch {
			case strings.HasPrefix(l.URL.Path(), "/r"):
				return Outcome{Status: 301}
			case l.URL.NamesFile():
				return Outcome{Status: 200, File: true}
			}
			return Outcome{Status: 200}
		})
		got := s.Stats().Totals
		if limits.Files > 0 && got.Files() != limits.Files ||
			limits.Pages > 0 && got.Pages() != limits.Pages ||
			limits.Pages == 0 && got.Reasons[store.Redirect] != 6 {
			t.Errorf("limits of %s: %d pages, %d files, %d redirects", name, got.Pages(), got.Files(),
				got.Reasons[store.Redirect])
		}
		for i := range 6 {
			u := page.URL(fmt.Sprintf("http://a.example/%d.zip?v=1", i))
			x, _, err := s.Explain(u)
			if err != nil || x.State == store.Skipped && limits.Pages == 0 && x.Reason != store.LimitFiles {
				t.Errorf("limits of %s: %s: %+v, %v", name, u, x, err)
			}
		}
	}
}

// TestCrowdedDomain: hosts of a domain are counted by transaction, by commit and after a restart;
// a rule that names a URL lets its host in.
func TestCrowdedDomain(t *testing.T) {
	o := Options{Traps: Traps{Hosts: 3}}
	st := openStore(t, t.TempDir())
	f := openFrontier(t, st, o)
	add(t, f, wanted("http://x.example.org/", "http://a.example.com/", "http://b.example.com/")...)
	add(t, f, wanted("http://c.example.com/", "http://d.example.com/", "http://a.example.com/2")...)
	f = openFrontier(t, st, o)
	add(t, f, wanted("http://e.example.com/", "http://b.example.com/2", "http://y.example.org/")...)
	add(t, f, Candidate{URL: "http://f.example.com/", Wanted: true, Forced: true})
	add(t, f, wanted("http://f.example.com/2")...)
	add(t, f, Candidate{URL: "http://known.example.com/"})
	for u, want := range map[page.URL]string{
		"http://x.example.org/": "pending", "http://a.example.com/": "pending",
		"http://b.example.com/": "pending", "http://c.example.com/": "pending",
		"http://d.example.com/":     "skipped trapHosts 3 hosts of example.com, at most 3",
		"http://a.example.com/2":    "pending",
		"http://e.example.com/":     "skipped trapHosts 3 hosts of example.com, at most 3",
		"http://b.example.com/2":    "pending",
		"http://y.example.org/":     "pending",
		"http://f.example.com/":     "pending",
		"http://f.example.com/2":    "pending",
		"http://known.example.com/": "known",
	} {
		u := stateOf(t, f, u)
		if got := strings.TrimSpace(fmt.Sprint(u.State, " ", u.Reason, " ", u.Rule)); got != want {
			t.Errorf("%s: %s, want %s", u.URL, got, want)
		}
	}
}
