package frontier

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"watershed/page"
	"watershed/store"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("FRONTIER_TEST_CHILD"); dir != "" {
		crawlChild(dir)
		return
	}
	// The model opens a database for each check; -rapid.checks asks for more.
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/golang/glog.(*fileSink).flushDaemon"))
}

// A small web that is the same for all processes: page i of 400 links to some others.
const crawlPages = 400

func crawlURL(i int) page.URL { return page.URL(fmt.Sprintf("http://h%d.example/%d", i%9, i)) }

func crawlLinks(u page.URL) (xs []Candidate) {
	var host, i int
	if _, err := fmt.Sscanf(string(u), "http://h%d.example/%d", &host, &i); err != nil {
		return nil
	}
	for _, j := range []int{2*i + 1, 2*i + 2, i / 2, (i * 7) % crawlPages} {
		if j < crawlPages {
			xs = append(xs, Candidate{
				URL: crawlURL(j), Via: u, Hops: "L", Kind: page.Navigation,
				Wanted: true, Priority: int64(j % 5),
			})
		}
	}
	return xs
}

func crawlOptions() Options {
	return Options{Politeness: Politeness{Factor: -1, Min: -1, Max: -1}}
}

// crawlChild crawls that web until it is killed or through, and says which URLs it asks for.
func crawlChild(dir string) {
	err := func() error {
		st, err := store.Open(store.Options{Dir: dir, MinFreeBytes: 1})
		if err != nil {
			return err
		}
		f, err := Open(st, 1, crawlOptions())
		if err != nil {
			return err
		}
		err = st.Update(func(tx *store.Tx) error {
			_, err := f.Add(tx, []Candidate{{URL: crawlURL(0), Wanted: true}})
			return err
		})
		if err != nil {
			return err
		}
		out := bufio.NewWriter(os.Stdout)
		for {
			l, next, err := f.next()
			if errors.Is(err, ErrDone) {
				fmt.Fprintln(out, "done")
				return errors.Join(out.Flush(), st.Close())
			}
			if err != nil {
				return err
			}
			if l == nil {
				return fmt.Errorf("nothing due before %v", timeOf(next))
			}
			fmt.Fprintln(out, l.URL)
			if err := out.Flush(); err != nil {
				return err
			}
			err = st.Update(func(tx *store.Tx) error {
				v := page.Visit{URL: l.URL, Status: 200}
				if err := tx.PutVisit(1, &v); err != nil {
					return err
				}
				if _, err := f.Add(tx, crawlLinks(l.URL)); err != nil {
					return err
				}
				_, err := f.Finish(tx, l, Outcome{Status: 200, Visit: v.Seq})
				return err
			})
			if err != nil {
				return err
			}
		}
	}()
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
}

// A crawl that is killed again and again asks for no URL more often than once for each kill and
// once more, visits each exactly once, and loses none.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	asked := map[string]int{}
	kills := 0
	for done := false; !done; {
		after := 20 + r.IntN(100)
		if kills >= 8 {
			after = 1 << 30
		}
		done = crawlUntilKilled(t, dir, after, asked)
		kills++
	}
	t.Logf("killed %d times", kills-1)
	st := openStore(t, dir)
	visits := map[page.URL]int{}
	last := uint64(0)
	for v, err := range st.Visits(1, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if v.Seq <= last {
			t.Errorf("visit %d after %d", v.Seq, last)
		}
		last = v.Seq
		visits[v.URL]++
	}
	repeats := 0
	for i := range crawlPages {
		u := crawlURL(i)
		if visits[u] != 1 {
			t.Errorf("%d visits of %s", visits[u], u)
		}
		repeats += asked[string(u)] - 1
	}
	if len(visits) != crawlPages || repeats > kills {
		t.Errorf("%d URLs visited, %d asked for again after %d kills", len(visits), repeats, kills)
	}
	f := openFrontier(t, st, crawlOptions())
	if s := f.Stats(); s.States[store.Done] != crawlPages || s.Known() != crawlPages {
		t.Errorf("%+v", s)
	}
}

// crawlUntilKilled runs the crawl in another process and kills it (signal 9) after so many URLs.
func crawlUntilKilled(t *testing.T, dir string, after int, asked map[string]int) (done bool) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), "FRONTIER_TEST_CHILD="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		line := lines.Text()
		switch {
		case line == "done":
			done = true
		case strings.HasPrefix(line, "error"):
			t.Fatal(line)
		default:
			asked[line]++
		}
		if n == after {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			for lines.Scan() { // what it still said
				asked[lines.Text()]++
			}
			break
		}
	}
	if _, err := io.Copy(io.Discard, out); err != nil && !errors.Is(err, os.ErrClosed) {
		t.Fatal(err)
	}
	_ = cmd.Wait() // that it was killed is known
	return done
}

// A page whose links do not fit one transaction: undone, the frontier asks for a new start and
// counts rightly after it.
func TestSplitUndone(t *testing.T) {
	dir := t.TempDir()
	st := openStore(t, dir)
	clk := &clock{epoch}
	o := Options{Now: clk.now, Politeness: Politeness{Factor: -1, Min: -1, Max: -1}}
	f := openFrontier(t, st, o)
	add(t, f, wanted("http://a.example/")...)
	var links []Candidate
	for i := range 30_000 {
		links = append(links, wanted(fmt.Sprintf("http://h%d.example/some/long/path/%d", i%20, i))...)
	}
	errUndo := errors.New("undo")
	err := st.Update(func(tx *store.Tx) error {
		if _, err := f.Add(tx, links); err != nil {
			return err
		}
		if !tx.Split() {
			t.Error("the transaction was not split")
		}
		return errUndo
	})
	if !errors.Is(err, errUndo) {
		t.Fatal(err)
	}
	if _, err := f.Lease(t.Context()); !errors.Is(err, ErrBroken) {
		t.Errorf("lease: %v", err)
	}
	err = st.Update(func(tx *store.Tx) error { _, err := f.Add(tx, links); return err })
	if !errors.Is(err, ErrBroken) {
		t.Errorf("add: %v", err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	st = openStore(t, dir)
	s := &step{Frontier: openFrontier(t, st, o), t: t, clk: clk}
	n := s.Stats().States[store.Pending]
	if n < 2 || n > 30_000 || n != int64(countPending(t, st)) {
		t.Errorf("%d pending, %d in the store", n, countPending(t, st))
	}
	update(t, s.Frontier, func(tx *store.Tx) error { // the page is fetched again
		fresh, err := s.Add(tx, links)
		if len(fresh) != 30_001-int(n) {
			t.Errorf("%d fresh, %d were pending", len(fresh), n)
		}
		return err
	})
	hosts := map[uint32]page.Host{}
	for h, err := range st.Hosts(1) {
		if err != nil {
			t.Fatal(err)
		}
		if other, taken := hosts[h.Number]; taken {
			t.Errorf("%s and %s are host %d", other, h.Name, h.Number)
		}
		hosts[h.Number] = h.Name
	}
	if got := s.fetchAll(ok); len(got) != 30_001 {
		t.Errorf("fetched %d", len(got))
	}
}

func countPending(t *testing.T, st *store.Store) (n int) {
	t.Helper()
	for u, err := range st.URLs(1) {
		if err != nil {
			t.Fatal(err)
		}
		if u.State == store.Pending {
			n++
		}
	}
	return n
}

// Rows that came back although they were deleted, and rows that are gone although their records
// wait.
func TestQueueRepair(t *testing.T) {
	dir := t.TempDir()
	st := openStore(t, dir)
	clk := &clock{epoch}
	s := &step{Frontier: openFrontier(t, st, Options{Now: clk.now}), t: t, clk: clk}
	add(t, s.Frontier, wanted("http://a.example/1", "http://a.example/2", "http://a.example/3",
		"http://a.example/4")...)
	var all []store.Row
	err := st.View(func(tx *store.Tx) error {
		for r, err := range tx.Rows(1) {
			if err != nil {
				return err
			}
			all = append(all, r)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	finish(t, s.Frontier, s.mustLease(), Outcome{Status: 200})
	damage := func() {
		err := st.Update(func(tx *store.Tx) error {
			back := store.URL{
				URL: "http://b.example/", State: store.Pending, Host: all[0].Host,
				Place: all[0].Place,
			}
			gone := back
			gone.State = store.Known // put without the old one, so that the row stays
			if err := tx.PutURL(1, all[0].Key+1, &back, nil); err != nil {
				return err
			}
			if err := tx.PutURL(1, all[0].Key+1, &gone, nil); err != nil {
				return err
			}
			return tx.DeleteRow(1, all[2])
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	damage()
	s.queueOf("a.example").window = nil // as if the rows in memory had been used up
	for _, want := range []page.URL{"http://a.example/2", "http://a.example/4"} {
		if l := s.mustLease(); l.URL != want {
			t.Errorf("leased %s, want %s", l.URL, want)
		} else {
			finish(t, s.Frontier, l, Outcome{Status: 200})
		}
	}
	if _, err := s.lease(); !errors.Is(err, ErrBroken) {
		t.Errorf("with a URL in no queue: %v", err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	st = openStore(t, dir)
	s.Frontier = openFrontier(t, st, Options{Now: clk.now})
	if got := s.fetchAll(ok); fmt.Sprint(got) != "[http://a.example/3]" {
		t.Errorf("fetched %v", got)
	}
	if n := s.Stats(); n.States[store.Pending] != 0 || n.States[store.Done] != 4 {
		t.Errorf("%+v", n)
	}
}

func (s *step) queueOf(name page.Host) *queue { return &s.hosts[name].lanes[store.HTTP].queue }
