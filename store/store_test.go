package store

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"watershed/page"
)

func update(t testing.TB, s *Store, fn func(tx *Tx) error) {
	t.Helper()
	if err := s.Update(fn); err != nil {
		t.Fatal(err)
	}
}

func view(t testing.TB, s *Store, fn func(tx *Tx) error) {
	t.Helper()
	if err := s.View(fn); err != nil {
		t.Fatal(err)
	}
}

// hugeVisit has so many links that no Badger transaction holds the URLs they lead to.
func hugeVisit(links int) *page.Visit {
	v := &page.Visit{URL: "http://example.org/huge", Time: noon, Status: 200}
	for i := range links {
		v.Links = append(v.Links, page.Link{
			URL: page.URL(fmt.Sprintf("http://h%d.example/a/rather/long/path/to/%x/%d", i%7,
				uint64(i)*0x9e3779b97f4a7c15, i)), Kind: page.Navigation, Context: "a/@href", Text: "a link",
		})
	}
	return v
}

func putLinks(tx *Tx, v *page.Visit, order uint64) error {
	for i, l := range v.Links {
		u := URL{
			URL: l.URL, State: Pending, Host: 1 + uint32(i%7),
			Place: Place{Rank: 1, Order: order + uint64(i)},
		}
		if err := tx.PutURL(1, u.Key(), &u, nil); err != nil {
			return err
		}
	}
	return nil
}

func countURLs(t *testing.T, s *Store) (n, pending int) {
	t.Helper()
	for u, err := range s.URLs(1) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if u.State == Pending {
			pending++
		}
	}
	return n, pending
}

func TestHugePage(t *testing.T) {
	links := 100_000
	if testing.Short() {
		links = 60_000 // the transaction is still split
	}
	s := openTest(t, t.TempDir())
	want := hugeVisit(links)
	page1 := URL{URL: want.URL, State: Pending, Host: 9, Place: Place{Rank: 2, Order: 1}}
	update(t, s, func(tx *Tx) error { return tx.PutURL(1, page1.Key(), &page1, nil) })
	done := page1
	done.State = Done
	var split bool
	update(t, s, func(tx *Tx) error {
		if err := tx.SettleURL(1, done.Key(), &done, &page1); err != nil {
			return err
		}
		if u, found, err := tx.URL(1, done.Key()); err != nil || !found || u.State != Done {
			t.Errorf("what was settled reads as %+v, %v, %v", u, found, err)
		}
		if err := tx.PutVisit(1, want); err != nil {
			return err
		}
		if err := putLinks(tx, want, 2); err != nil {
			return err
		}
		split = tx.Split()
		return nil
	})
	if !split {
		t.Error("the transaction was not split")
	}
	if n, pending := countURLs(t, s); n != links+1 || pending != links {
		t.Errorf("%d URLs, %d pending", n, pending)
	}
	check := func(got *page.Visit, err error) {
		t.Helper()
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%v %.1000s", err, diff)
		}
	}
	view(t, s, func(tx *Tx) error {
		if cut, err := tx.Interrupted(); cut || err != nil {
			t.Errorf("interrupted %v, %v", cut, err)
		}
		v, _, err := tx.Visit(1, want.Seq)
		check(&v, err)
		rows := 0
		err = tx.EachRow(1, func(uint32, Place) { rows++ })
		if rows != links {
			t.Errorf("%d rows", rows)
		}
		return err
	})
	for v, err := range s.Visits(1, 0) {
		check(v, err)
	}
	view(t, s, func(tx *Tx) error {
		for v, err := range tx.Lent(1, 0) {
			check(v, err)
		}
		return nil
	})
	want.Links = nil
	for v, err := range s.Heads(1, 0) {
		check(v, err)
	}
}

// TestHugeAmendUndone: a visit that is written anew is the former one until the transaction is
// whole, though parts of the new one are on disk before; and nothing of the former one stays.
func TestHugeAmendUndone(t *testing.T) {
	s := openTest(t, t.TempDir())
	v := hugeVisit(6000)
	update(t, s, func(tx *Tx) error { return tx.PutVisit(1, v) })
	former := *v
	errUndo := errors.New("undo")
	for n, links := range []int{5900, 10, 5800} {
		amended := former
		amended.Title, amended.Links = fmt.Sprint("drawn ", n), hugeVisit(7000).Links[7000-links:]
		for _, undo := range []error{errUndo, nil} {
			err := s.Update(func(tx *Tx) error {
				if err := tx.AmendVisit(1, &amended); err != nil {
					return err
				}
				return errors.Join(tx.flush(), undo) // as what is wanted of so many links does it
			})
			if !errors.Is(err, undo) {
				t.Fatal(err)
			}
			want := &former
			if undo == nil {
				want = &amended
			}
			view(t, s, func(tx *Tx) error {
				got, _, err := tx.Visit(1, v.Seq)
				if diff := cmp.Diff(want, &got, cmpopts.EquateEmpty()); err != nil || diff != "" {
					t.Errorf("%d links, undone %v: %v %.500s", links, undo, err, diff)
				}
				return nil
			})
			for got, err := range s.Visits(1, 0) {
				if err != nil || len(got.Links) != len(want.Links) || got.Title != want.Title {
					t.Errorf("%d links, undone %v: %d links, %v", links, undo, len(got.Links), err)
				}
			}
		}
		former = amended
	}
	parts := 0
	view(t, s, func(tx *Tx) error {
		return tx.scan(runKey(tableVisit, 1, 0), nil, false, func(_, _ []byte) (bool, error) {
			parts++
			return true, nil
		})
	})
	if want := len(encodeVisit(&former, partBytes, false)); parts != want {
		t.Errorf("%d parts are kept, want %d", parts, want)
	}
}

// A large transaction that fails leaves its bulk writes and the mark of a split, and nothing else.
func TestHugePageUndone(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir)
	errUndo := errors.New("undo")
	v := hugeVisit(30_000)
	var told []bool
	err := s.Update(func(tx *Tx) error {
		tx.After(func(committed bool) { told = append(told, committed) })
		if err := tx.PutVisit(1, v); err != nil {
			return err
		}
		tx.PutTotals(1, &Totals{Bytes: 1})
		if err := putLinks(tx, v, 1); err != nil {
			return err
		}
		return errUndo
	})
	if !errors.Is(err, errUndo) || len(told) != 1 || told[0] {
		t.Fatalf("%v, told %v", err, told)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openTest(t, dir)
	n, pending := countURLs(t, s)
	if n == 0 || n != pending {
		t.Errorf("%d URLs, %d pending", n, pending)
	}
	view(t, s, func(tx *Tx) error {
		cut, err := tx.Interrupted()
		if !cut || err != nil {
			t.Errorf("interrupted %v, %v", cut, err)
		}
		rows := 0
		for r, err := range tx.Rows(1) {
			if err != nil {
				return err
			}
			if u, found, err := tx.URL(1, r.Key); err != nil || !found || u.Place != r.Place {
				t.Fatalf("row %+v without its record: %+v, %v", r, u, err)
			}
			rows++
		}
		if rows != n {
			t.Errorf("%d rows for %d URLs", rows, n)
		}
		if sum, err := tx.Totals(1); sum != (Totals{}) || err != nil {
			t.Errorf("totals %+v, %v", sum, err)
		}
		return nil
	})
	for v := range s.Visits(1, 0) {
		t.Errorf("visit %d of a transaction that failed", v.Seq)
	}
	if s.lastVisit() != 0 {
		t.Errorf("last visit %d", s.lastVisit())
	}
	small := &page.Visit{URL: "http://example.org/small", Time: noon, Links: v.Links[:1]}
	update(t, s, func(tx *Tx) error { tx.Repaired(); return tx.PutVisit(1, small) })
	for got, err := range s.Visits(1, 0) { // under the number of the one that failed
		if diff := cmp.Diff(small, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	}
}

func TestVisitsInOrder(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir)
	for run := Run(1); run <= 2; run++ {
		for range 3 {
			update(t, s, func(tx *Tx) error {
				return tx.PutVisit(run, &page.Visit{URL: "http://example.org/"})
			})
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openTest(t, dir)
	v := page.Visit{URL: "http://example.org/"}
	update(t, s, func(tx *Tx) error { return tx.PutVisit(2, &v) })
	if v.Seq != 7 || s.lastVisit() != 7 {
		t.Errorf("number %d, last %d", v.Seq, s.lastVisit())
	}
	for _, tt := range []struct {
		run  Run
		from uint64
		want []uint64
	}{
		{1, 0, []uint64{1, 2, 3}},
		{1, 3, []uint64{3}},
		{2, 0, []uint64{4, 5, 6, 7}},
		{2, 6, []uint64{6, 7}},
		{3, 0, nil},
	} {
		for _, visits := range []iter.Seq2[*page.Visit, error]{
			s.Visits(tt.run, tt.from),
			s.Heads(tt.run, tt.from),
		} {
			var got []uint64
			for v, err := range visits {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, v.Seq)
			}
			if !cmp.Equal(got, tt.want) {
				t.Errorf("run %d from %d: %v, want %v", tt.run, tt.from, got, tt.want)
			}
		}
	}
	for range s.Visits(2, 0) {
		break // an iteration may be left
	}
}

func TestCollision(t *testing.T) {
	s := openTest(t, t.TempDir())
	a := URL{URL: "http://a.example/", State: Known}
	b := URL{URL: "http://b.example/", State: Skipped, Reason: Collision}
	update(t, s, func(tx *Tx) error { return tx.PutURL(1, goldenKey, &a, nil) })
	err := s.Update(func(tx *Tx) error {
		old, _, err := tx.URL(1, goldenKey)
		if err != nil {
			return err
		}
		return tx.PutURL(1, goldenKey, &b, &old)
	})
	if err == nil || !strings.HasSuffix(err.Error(), " of http://b.example/ is taken by "+string(a.URL)) {
		t.Fatalf("%v", err)
	}
	update(t, s, func(tx *Tx) error { tx.PutCollision(1, goldenKey, b); return nil })
	view(t, s, func(tx *Tx) error {
		for u, want := range map[page.URL]bool{a.URL: false, b.URL: true} {
			if got, err := tx.Collided(1, goldenKey, u); got != want || err != nil {
				t.Errorf("%s collided: %v, %v", u, got, err)
			}
		}
		return nil
	})
	if n, _ := countURLs(t, s); n != 2 {
		t.Errorf("%d URLs", n)
	}
}

// A recrawl sees nothing of the run before but what serves all runs.
func TestRuns(t *testing.T) {
	s := openTest(t, t.TempDir())
	first, err := s.StartRun(RunRecord{Started: noon, State: RunOpen, Config: "a"})
	if err != nil {
		t.Fatal(err)
	}
	c := Capture{
		URL: "http://example.org/", Time: noon, Status: 200, ETag: "e", Run: first, Visit: 1,
		Record: page.Location{File: "f"},
	}
	o := Original{Origin: page.Origin{URL: c.URL, Time: noon, Record: c.Record}, Run: first, Visit: 1}
	sum := page.SumDigest([]byte("x"))
	update(t, s, func(tx *Tx) error {
		tx.PutCapture(&c)
		tx.PutOriginal(sum, &o)
		tx.PutTotals(first, &Totals{Bytes: 5})
		tx.PutRun(RunRecord{
			Number: first, Started: noon, Finished: noon.Add(time.Hour),
			State: RunFinished, Config: "a",
		})
		u := URL{URL: c.URL, State: Done}
		return tx.PutURL(first, u.Key(), &u, nil)
	})
	second, err := s.StartRun(RunRecord{Started: noon.Add(2 * time.Hour), State: RunOpen, Config: "b"})
	if err != nil || second != first+1 {
		t.Fatalf("run %d, %v", second, err)
	}
	view(t, s, func(tx *Tx) error {
		if _, found, err := tx.URL(second, c.URL.Key()); found || err != nil {
			t.Errorf("found %v, %v", found, err)
		}
		if got, found, err := tx.Capture(c.URL); got != c || !found || err != nil {
			t.Errorf("capture %+v, %v, %v", got, found, err)
		}
		if got, found, err := tx.Original(sum); got != o || !found || err != nil {
			t.Errorf("original %+v, %v, %v", got, found, err)
		}
		if _, found, err := tx.Original(page.EmptyDigest); found || err != nil {
			t.Errorf("original of nothing: %v, %v", found, err)
		}
		var states []RunState
		for r, err := range tx.Runs() {
			if err != nil {
				return err
			}
			states = append(states, r.State)
		}
		if !cmp.Equal(states, []RunState{RunFinished, RunOpen}) {
			t.Errorf("runs %v", states)
		}
		return nil
	})
}

func TestCheckpoint(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir)
	fill(t, s, 20_000) // enough for a second log
	want := s.lastVisit()
	if err := s.Checkpoint(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	o := testOptions(dir)
	o.ReadOnly = true
	r, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	view(t, r, func(tx *Tx) error {
		if _, found, err := tx.Visit(1, want); !found || err != nil {
			t.Errorf("the last visit: %v, %v", found, err)
		}
		return nil
	})
	if err := r.Update(func(*Tx) error { return nil }); !errors.Is(err, errReadOnly) {
		t.Errorf("update: %v", err)
	}
	if n, _ := countURLs(t, r); n != 20_000 {
		t.Errorf("%d URLs", n)
	}
}

// Close waits for readers and turns late ones away; with the race detector this is a test of
// locking.
func TestCloseWhileReading(t *testing.T) {
	s := openTest(t, t.TempDir())
	fill(t, s, 2000)
	var wg sync.WaitGroup
	started := make(chan struct{}, 4)
	for range cap(started) {
		wg.Go(func() {
			for i := 0; ; i++ {
				n := 0
				for _, err := range s.URLs(1) {
					if errors.Is(err, errClosed) && n == 0 {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					n++
				}
				if n != 2000 {
					t.Errorf("%d URLs", n)
				}
				if i == 0 {
					started <- struct{}{}
				}
			}
		})
	}
	for range cap(started) {
		<-started
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if err := s.Update(func(*Tx) error { return nil }); !errors.Is(err, errClosed) {
		t.Errorf("update after close: %v", err)
	}
}

// Memory that is given back at a checkpoint takes nothing with it.
func TestTrim(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir)
	fill(t, s, 60_000)
	if err := s.Close(); err != nil { // so that all is in tables
		t.Fatal(err)
	}
	o := testOptions(dir)
	o.MappedBytes = 1
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 3 {
		if n, _ := countURLs(t, s); n != 60_000 {
			t.Errorf("%d URLs", n)
		}
		if err := s.Checkpoint(); err != nil {
			t.Fatal(err)
		}
	}
	if size, err := s.Size(); size < 1<<20 || size > 64<<20 || err != nil {
		t.Errorf("%d bytes on disk, %v", size, err)
	}
}

func TestTooLarge(t *testing.T) {
	s := openTest(t, t.TempDir())
	big := string(make([]byte, 1<<20))
	for name, put := range map[string]func(tx *Tx) error{
		"robots":   func(tx *Tx) error { return tx.PutRobots("http://example.org", []byte(big)) },
		"visit":    func(tx *Tx) error { return tx.PutVisit(1, &page.Visit{Title: big}) },
		"evidence": func(tx *Tx) error { return tx.PutEntry(1, Entry{Evidence: big}) },
	} {
		if err := s.Update(put); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s.lastVisit() != 0 {
		t.Error("a visit was counted that was not put")
	}
}

func TestOptions(t *testing.T) {
	for name, o := range map[string]Options{
		"no folder":    {},
		"small buffer": {Dir: "x", MemTableBytes: 1},
		"negative":     {Dir: "x", MinFreeBytes: -1},
	} {
		if o.Validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	o := testOptions(t.TempDir() + "/none")
	o.ReadOnly = true
	if _, err := Open(o); err == nil {
		t.Error("a folder that is not there was opened for reading")
	}
}

func BenchmarkVisitCodec(b *testing.B) {
	v := hugeVisit(50)
	part := pack(encodeVisit(v, partBytes, false)[0])
	b.Run("encode 50 links", func(b *testing.B) {
		b.SetBytes(int64(len(part)))
		for b.Loop() {
			pack(encodeVisit(v, partBytes, false)[0])
		}
	})
	b.Run("decode 50 links", func(b *testing.B) {
		b.SetBytes(int64(len(part)))
		for b.Loop() {
			if _, err := (&visitReader{links: true}).head(part, &page.Visit{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// A run is numbered behind the last one, and behind the number that is given.
func TestStartRun(t *testing.T) {
	s := openTest(t, t.TempDir())
	for _, tt := range []struct{ extends, above, want Run }{{0, 0, 1}, {1, 0, 2}, {0, 7, 8}, {0, 3, 9}} {
		extends := tt.extends
		run, err := s.StartRun(RunRecord{
			Number: tt.above, Started: noon, State: RunOpen, Config: "yaml",
			Extends: extends,
		})
		if err != nil || run != tt.want {
			t.Fatalf("run %d, want %d, %v", run, tt.want, err)
		}
		err = s.View(func(tx *Tx) error {
			r, _, err := tx.LastRun()
			if r.Extends != extends || r.Number != run || r.Config != "yaml" {
				t.Errorf("read %+v, extends %d", r, extends)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestReasonsAreSaid: each reason has a clause for people of its own.
func TestReasonsAreSaid(t *testing.T) {
	seen := map[string]Reason{}
	for r := NoReason + 1; r < Reasons; r++ {
		if before, twice := seen[r.Says()]; r.Says() == "" || twice {
			t.Errorf("%s and %s say %q", r, before, r.Says())
		}
		seen[r.Says()] = r
	}
}

// TestEveryPlaceOfASplit has the bulk writes of a transaction reach the bound of a Badger
// transaction at every place within a group of writes: the mark of the split and Badger's own last
// entry always have room.
func TestEveryPlaceOfASplit(t *testing.T) {
	s := openTest(t, t.TempDir())
	many := int(s.db.MaxBatchCount())
	for before := range 4 {
		run := Run(before + 1)
		err := s.Update(func(tx *Tx) error {
			for i := range many {
				h := Host{Name: page.Host(fmt.Sprintf("h%d.example", i)), Number: uint32(i + 1)}
				u := URL{
					URL: page.URL("http://" + h.Name + "/"), State: Pending, Host: h.Number,
					Place: Place{Rank: 2, Order: uint64(i + 1)},
				}
				if i >= before {
					if err := tx.PutHost(run, &h, true); err != nil {
						return err
					}
				} else if err := tx.PutURL(run, u.Key(), &u, nil); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%d writes before: %v", before, err)
		}
	}
}

// A failure of the system is no damage of the state, whether Badger keeps the cause or only its
// text.
func TestSystemFaultIsNoDamage(t *testing.T) {
	for _, err := range []error{
		&os.PathError{Op: "open", Path: "MANIFEST", Err: syscall.EMFILE},
		errors.New("while opening memtables: too many open files"),
		errors.New("mmap: cannot allocate memory"), syscall.EIO,
	} {
		if errors.Is(openError("state", err), ErrCorrupt) {
			t.Errorf("%v counts as damage", err)
		}
	}
	for _, err := range []error{
		errors.New("manifest has bad magic"),
		&os.PathError{Op: "open", Path: "1.sst", Err: syscall.ENOENT},
	} {
		if !errors.Is(openError("state", err), ErrCorrupt) {
			t.Errorf("%v counts as no damage", err)
		}
	}
}

// lastVisit is the number of the last committed visit, of whatever run; 0 when there is none.
func (s *Store) lastVisit() uint64 {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.seq
}
