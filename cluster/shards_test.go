package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// TestReconsider: a node that was unfit begins nothing for a minute, and nothing until it is fit.
func TestReconsider(t *testing.T) {
	fit, now := false, time.Now()
	w := &Worker{cause: "no room", causeEnd: now.Add(unfitTime), Fit: func() bool { return fit }}
	for i, tc := range []struct {
		after time.Duration
		fit   bool
		again bool
	}{
		{time.Second, true, false},
		{unfitTime + 1, false, false},
		{unfitTime + 2, true, false},
		{2*unfitTime + 2, true, true},
	} {
		fit = tc.fit
		if w.reconsider(now.Add(tc.after)); (w.cause == "") != tc.again {
			t.Errorf("look %d: the cause is %q", i, w.cause)
		}
	}
}

// farm is what harvests of shards do, seen from outside.
type farm struct {
	t    *testing.T
	mu   sync.Mutex
	busy map[ShardID]string         // the process that harvests
	had  map[string]map[ShardID]int // by node, rounds that its folder has

	drained int // nodes that have handed over all that they had
	stops   int // orders to stop that held
}

// fetch is a transfer of some seconds.
func (f *farm) fetch(node string) func(context.Context, Job, string) Result {
	return func(ctx context.Context, job Job, from string) Result {
		if (job.ID.Shard+job.Round)%4 == 0 && node == "b" {
			return Result{Verdict: Unfit, Said: "no room on its disk"}
		}
		if pause(ctx, time.Duration(3+job.ID.Shard%5)*time.Second); ctx.Err() != nil {
			return Result{Verdict: Again}
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if other := f.busy[job.ID]; other != "" {
			f.t.Errorf("%s is fetched while %s harvests it", job.ID, other)
		}
		if round := f.had[from][job.ID]; round > 0 {
			f.had[node][job.ID] = round
		}
		return Result{}
	}
}

// harvest is a harvest of some seconds, which ends at the latest 3 s after it was told to. The folder of
// a node outlives its process.
func (f *farm) harvest(alive context.Context, process, node string,
) func(context.Context, Job, func(Figures)) Result {
	return func(ctx context.Context, job Job, tell func(Figures)) Result {
		f.mu.Lock()
		if other := f.busy[job.ID]; other != "" {
			f.t.Errorf("%s is harvested by %s and %s", job.ID, other, process)
		}
		f.busy[job.ID] = process
		free := func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.busy[job.ID] == process {
				delete(f.busy, job.ID)
			}
		}
		defer context.AfterFunc(alive, free)() // a process that is killed takes its harvests along
		r := rand.New(rand.NewPCG(uint64(job.ID.Shard), uint64(time.Now().UnixNano())))
		f.mu.Unlock()
		defer free()
		for i := range 2 + r.IntN(120) {
			tell(Figures{Captured: int64(i), Visits: int64(i), Pending: 60})
			if r.IntN(300) == 0 {
				return Result{Verdict: Unfit, Said: "no room on its disk"}
			}
			if node != "a" && r.IntN(150) == 0 {
				return Result{Verdict: Refused, Said: "no such file"}
			}
			if pause(ctx, time.Second); ctx.Err() != nil {
				time.Sleep(time.Duration(r.IntN(3000)) * time.Millisecond)
				return Result{Verdict: Again}
			}
		}
		f.mu.Lock()
		if alive.Err() == nil {
			f.had[node][job.ID] = job.Round
		}
		f.mu.Unlock()
		return Result{Figures: Figures{Captured: 100}}
	}
}

// handedOver looks whether others have what a node had, and gives its disk away.
func (f *farm) handedOver(b *Board, node string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drained++
	for _, id := range b.Of("h") {
		x := b.At(id)
		if x.Node == node || x.From == node {
			f.t.Errorf("node %s has ended with %s: %+v", node, id, x)
		}
		if old := f.had[node][id]; old == x.Round && x.State == Ended &&
			f.had[cmp.Or(x.From, x.Node)][id] != old {
			f.t.Errorf("round %d of %s was on node %s alone: %+v", old, id, node, x)
		}
	}
	clear(f.had[node])
}

// stop has the harvest stopped, and go on. All orders are given before the first is heeded, or each when
// the one before has been.
func (f *farm) stop(ctx context.Context, m *Member, atOnce bool) {
	order := func(id ShardID, change func(*ShardRecord)) {
		err := m.Insist(ctx, func(b *Board) error {
			x := b.At(id)
			change(&x)
			return m.PutShard(b, id, x)
		})
		if err != nil {
			f.t.Error(err)
		}
	}
	rests := func(id ShardID) bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		x := m.Board().At(id)
		return f.busy[id] == "" && (x.State == Stopped && !x.Stop || x.State == Ended)
	}
	await := func(ids ...ShardID) {
		for end := time.Now().Add(15 * time.Minute); slices.ContainsFunc(ids, func(id ShardID) bool {
			return !rests(id)
		}); pause(ctx, time.Second) {
			if time.Now().After(end) {
				for _, id := range ids {
					f.t.Errorf("%s does not stop: %+v", id, m.Board().At(id))
				}
				return
			}
		}
	}
	ids := m.Board().Of("h")
	for _, id := range ids {
		order(id, func(x *ShardRecord) { x.Order() })
		if !atOnce {
			await(id)
		}
	}
	await(ids...)
	for _, id := range ids {
		order(id, (*ShardRecord).GoOn)
	}
	f.stops++
}

// TestShards has nodes harvest shards while lines break, answers are lost, and processes die and come
// back, some without their disks: no shard is harvested by two at once, each comes to its end in each
// round, and the node that the broker names has the folder of it.
func TestShards(t *testing.T) {
	seeds := 8
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { share(t, uint64(seed)) })
		})
	}
}

func share(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 21))
	patience := func() time.Duration { return time.Duration(8+r.IntN(25)) * time.Second }
	f := &farm{t: t, busy: map[ShardID]string{}, had: map[string]map[ShardID]int{}}
	b := newBroker()
	ctx, stop := context.WithCancel(t.Context())
	quiet := slog.New(slog.DiscardHandler)
	var all sync.WaitGroup
	lines := map[string]*line{}
	kills, drains := map[string]context.CancelFunc{}, map[string]chan struct{}{}
	count := 0
	enter := func(node string) {
		count++
		process := fmt.Sprintf("%s.%d", node, count)
		l := &line{broker: b, rand: rand.New(rand.NewPCG(seed, uint64(count))), slow: 1 + r.IntN(200)}
		mine, kill := context.WithCancel(ctx)
		drain := make(chan struct{})
		lines[node], kills[node], drains[node] = l, kill, drain
		own := patience() // the YAML of one node need not be that of another
		all.Go(func() {
			for mine.Err() == nil {
				err := with(mine, l, process, quiet, func(ctx context.Context, m *Member) error {
					err := (&Worker{
						Node: node, Room: 3, Patience: own, Log: quiet,
						Harvest: f.harvest(mine, process, node), Fetch: f.fetch(node), Drain: drain,
						Has: func(id ShardID, last ShardRecord) bool {
							f.mu.Lock()
							defer f.mu.Unlock()
							return f.had[node][id] == last.Round
						},
					}).Work(ctx, m)
					if err == nil && ctx.Err() == nil {
						f.handedOver(m.Board(), node)
					}
					return err
				})
				if errors.Is(err, ErrTwice) {
					t.Errorf("%s takes itself for another one", process)
				}
				if err == nil {
					kill()
				}
				pause(mine, 2*time.Second)
			}
		})
	}
	nodes := []string{"a", "b", "c"}
	for _, n := range nodes {
		f.had[n] = map[ShardID]int{}
		enter(n)
	}
	client := &line{broker: b, rand: rand.New(rand.NewPCG(seed, 99)), slow: 5}
	err := with(ctx, client, "client", quiet, func(ctx context.Context, m *Member) error {
		for round := 1; round <= 3; round++ {
			for {
				board := m.Board()
				x := HarvestRecord{Round: round, Count: 256, Shards: []int{1, 2, 3, 5, 8, 13, 21, 34}}
				if m.PutHarvest(board, "h", x) == nil {
					break
				}
				pause(ctx, time.Second)
			}
			for range 12 {
				time.Sleep(time.Duration(r.IntN(8000)) * time.Millisecond)
				node := nodes[r.IntN(len(nodes))]
				l := lines[node]
				switch r.IntN(7) {
				case 6:
					f.stop(ctx, m, r.IntN(2) == 0)
				case 5: // hands its shards over; killed where that takes long
					close(drains[node])
					time.Sleep(time.Duration(r.IntN(60)) * time.Second)
					l.set(func(l *line) { l.dead = true })
					kills[node]()
					time.Sleep(time.Second)
					enter(node)
				case 0:
					l.set(func(l *line) { l.down = true })
					time.Sleep(time.Duration(r.IntN(60000)) * time.Millisecond)
					l.set(func(l *line) { l.down = false })
				case 1:
					l.set(func(l *line) { l.loss = r.IntN(50) })
				case 2, 3: // killed, and begun again some time later
					l.set(func(l *line) { l.dead = true })
					kills[node]()
					time.Sleep(time.Duration(r.IntN(2)*60+1) * time.Second)
					if r.IntN(2) == 0 {
						f.mu.Lock()
						clear(f.had[node])
						f.mu.Unlock()
					}
					enter(node)
				}
				l.set(func(l *line) { l.slow = 1 + r.IntN(100) })
			}
			for _, l := range lines {
				l.set(func(l *line) { l.loss, l.slow = 0, 20 })
			}
			ended := func() bool {
				board := m.Board()
				f.mu.Lock()
				defer f.mu.Unlock()
				for _, id := range board.Of("h") {
					x := board.At(id)
					if x.State == Stopped { // by those that were there; whoever has begun it has it go on
						x.State = Waiting
						_ = m.PutShard(board, id, x) // else the next time
					}
					if x.State != Ended || f.had[x.Node][id] != round {
						return false
					}
				}
				return len(board.Of("h")) > 0 && board.Harvests["h"].Round == round
			}
			for end := time.Now().Add(15 * time.Minute); !ended(); pause(ctx, time.Second) {
				if time.Now().After(end) {
					board := m.Board()
					for _, id := range board.Of("h") {
						t.Errorf("round %d: %s: %+v, gone %v", round, id, board.At(id),
							board.Gone(board.At(id).Node))
					}
					return nil
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	stop()
	all.Wait()
	t.Logf("%d nodes have handed over what they had, %d orders to stop held", f.drained, f.stops)
}

// TestRefused: a shard that some nodes refuse is harvested by another one; one that each node refuses is
// stopped, with the words of all. With another YAML it goes on.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const some, all = 1, 2
		b := newBroker()
		ctx, stop := context.WithCancel(t.Context())
		quiet := slog.New(slog.DiscardHandler)
		var mended atomic.Bool
		var working sync.WaitGroup
		for _, node := range []string{"a", "b", "c"} {
			var had sync.Map // by jobs
			w := &Worker{
				Node: node, Room: 3, Patience: time.Minute, Log: quiet,
				Has: func(id ShardID, last ShardRecord) bool {
					_, ok := had.Load(Job{id, last.Round})
					return ok
				},
				Fetch: func(context.Context, Job, string) Result { return Result{} },
				Harvest: func(_ context.Context, job Job, _ func(Figures)) Result {
					if !mended.Load() && (job.ID.Shard == all || job.ID.Shard == some && node != "b") {
						said := map[string]string{"b": "another version"}[node]
						return Result{Verdict: Refused, Code: 4, Said: cmp.Or(said, "no file")}
					}
					had.Store(job, true)
					return Result{}
				},
			}
			working.Go(func() {
				if err := with(ctx, sound(b), node, quiet, func(ctx context.Context, m *Member) error {
					return w.Work(ctx, m)
				}); err != nil && ctx.Err() == nil {
					t.Errorf("node %s: %v", node, err)
				}
			})
		}
		err := with(ctx, sound(b), "client", quiet, func(_ context.Context, m *Member) error {
			time.Sleep(5 * time.Second)
			h := HarvestRecord{Round: 1, Count: 256, Shards: []int{some, all}}
			if err := m.PutHarvest(m.Board(), "h", h); err != nil {
				return err
			}
			time.Sleep(30 * time.Second)
			board, id := m.Board(), ShardID{"h", all}
			if x := board.At(ShardID{"h", some}); x.State != Ended || x.Node != "b" || x.Refused != nil {
				t.Errorf("refused by some, who had begun nothing that can be lost: %+v", x)
			}
			x := board.At(id)
			if x.State != Stopped || x.Code != 4 || x.Said != "b: another version; a, c: no file" {
				t.Errorf("refused by all: %+v", x)
			}
			mended.Store(true)
			x.State = Waiting
			if err := m.PutShard(board, id, x); err != nil {
				return err
			}
			time.Sleep(30 * time.Second)
			if x := m.Board().At(id); x.State != Ended {
				t.Errorf("by another YAML: %+v", x)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		stop()
		working.Wait()
	})
}

// TestBroken: a node where harvests break off at once, as by a certificate that has ended, says so and hands
// them over, and the others go on.
func TestBroken(t *testing.T) {
	for said, cause := range map[string]string{"the certificate has ended": "", "": "exit code 9"} {
		cause = cmp.Or(cause, said)
		synctest.Test(t, func(t *testing.T) {
			b, id := newBroker(), ShardID{"h", 1}
			ctx, stop := context.WithCancel(t.Context())
			quiet := slog.New(slog.DiscardHandler)
			var working sync.WaitGroup
			for node, room := range map[string]int{"a": 1, "b": 0} {
				w := &Worker{
					Node: node, Room: room, Patience: time.Minute, Log: quiet,
					// The broken one has made no run.
					Has:   func(_ ShardID, last ShardRecord) bool { return last.State == Ended },
					Fetch: func(context.Context, Job, string) Result { return Result{} },
					Harvest: func(context.Context, Job, func(Figures)) Result {
						if node == "a" {
							return Result{Verdict: Again, Code: 9, Said: said}
						}
						return Result{}
					},
				}
				working.Go(func() {
					_ = with(ctx, sound(b), node, quiet, func(ctx context.Context, m *Member) error {
						if node == "b" { // only now, so that a has the shard first
							pause(ctx, againTime)
							w.Room = 1
						}
						return w.Work(ctx, m)
					})
				})
			}
			err := with(ctx, sound(b), "client", quiet, func(_ context.Context, m *Member) error {
				h := HarvestRecord{Round: 1, Count: 256, Shards: []int{1}}
				if err := m.PutHarvest(m.Board(), "h", h); err != nil {
					return err
				}
				time.Sleep(againTime)
				if x := m.Board().At(id); x.Node != "a" {
					t.Errorf("it is to be with the broken node: %+v", x)
				}
				time.Sleep((mostBroken + 2) * againTime)
				board := m.Board()
				if x, a := board.At(id), board.Nodes["a"]; x.Node != "b" || x.State != Ended ||
					x.Broken > 0 || a.Cause != cause {
					t.Errorf("%+v, the node says %q", x, a.Cause)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			stop()
			working.Wait()
		})
	}
}

// TestBreaksOff: a harvest that breaks off is begun again after a pause, which grows where it comes no
// further; its record says how often, and why, until it comes further. Told to go on it does so soon.
func TestBreaksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, id, quiet := newBroker(), ShardID{"h", 1}, slog.New(slog.DiscardHandler)
		err := with(t.Context(), sound(b), "a", quiet, func(ctx context.Context, m *Member) error {
			ctx, end := context.WithCancel(ctx)
			var all sync.WaitGroup
			defer all.Wait()
			defer end()
			var times atomic.Int64
			var further atomic.Bool
			w := &Worker{
				Node: "a", Room: 1, Patience: time.Minute, Log: quiet,
				Has: func(ShardID, ShardRecord) bool { return true },
				Harvest: func(ctx context.Context, _ Job, tell func(Figures)) Result {
					tell(Figures{Visits: 7})
					times.Add(1)
					if further.Load() {
						tell(Figures{Visits: 8})
						<-ctx.Done()
					}
					return Result{Verdict: Again, Code: -1, Said: "no memory"}
				},
			}
			h := HarvestRecord{Round: 1, Count: 256, Shards: []int{1}}
			if err := m.PutHarvest(m.Board(), "h", h); err != nil {
				return err
			}
			all.Go(func() { _ = w.Work(ctx, m) }) // until it is told to end
			time.Sleep(15 * time.Minute)
			if x := m.Board().At(id); x.State != Running || x.Said != "no memory" ||
				x.Broken != int(times.Load()) || x.Broken < 6 || x.Broken > 8 {
				t.Errorf("begun %d times in a quarter of an hour, not 7 or so: %+v", times.Load(), x)
			}
			before, x := times.Load(), m.Board().At(id)
			x.GoOn()
			further.Store(true)
			if err := m.PutShard(m.Board(), id, x); err != nil {
				return err
			}
			time.Sleep(2 * againTime)
			x = m.Board().At(id)
			if times.Load() != before+1 || x.Broken != 0 || x.Said != "" || x.Visits != 8 {
				t.Errorf("begun %d times more: %+v", times.Load()-before, x)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestLocalError: a file of this machine that cannot be written is no trouble of the broker's, and is told
// at once.
func TestLocalError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, start := newBroker(), time.Now()
		full := &fs.PathError{Op: "write", Path: "fetched", Err: syscall.ENOSPC}
		err := with(t.Context(), sound(b), "one", slog.New(slog.DiscardHandler),
			func(ctx context.Context, m *Member) error {
				return m.Insist(ctx, func(*Board) error { return fmt.Errorf("fetch: %w", full) })
			})
		if !errors.Is(err, syscall.ENOSPC) || time.Since(start) > leaseTime {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

// TestLostBetweenRounds: what a shard brought is looked for on its node when the next round begins, and again
// when that is under way and its run has not begun. The run that comes then has a number that none had.
func TestLostBetweenRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		b, id, quiet := newBroker(), ShardID{"h", 1}, slog.New(slog.DiscardHandler)
		var gone atomic.Bool
		err := with(ctx, sound(b), "a", quiet, func(ctx context.Context, m *Member) error {
			ctx, end := context.WithCancel(ctx)
			var all sync.WaitGroup
			defer all.Wait()
			defer end()
			w := &Worker{
				Node: "a", Room: 3, Patience: time.Minute, Log: quiet,
				Has: func(ShardID, ShardRecord) bool { return !gone.Load() },
				Harvest: func(_ context.Context, job Job, _ func(Figures)) Result {
					if x := m.Board().At(id); job.Round == 4 && len(x.Lost) == 1 {
						gone.Store(true) // before anything of the round was noted
						return Result{Verdict: Again}
					}
					return Result{Figures: Figures{Captured: 100}}
				},
			}
			all.Go(func() { _ = w.Work(ctx, m) }) // until it is told to end
			first := Loss{"a", 3, 100, false, 100}
			for round, want := range [][]Loss{nil, nil, {first}, {first, {"a", 4, 0, false, 100}}} {
				gone.Store(round == 2)
				h := HarvestRecord{Round: round + 1, Count: 256, Shards: []int{1}}
				if err := m.PutHarvest(m.Board(), "h", h); err != nil {
					return err
				}
				time.Sleep(10 * time.Second)
				if round == 3 {
					time.Sleep(againTime)
				}
				x := m.Board().At(id)
				if x.State != Ended || !slices.Equal(x.Lost, want) || x.Run(round+1) != round+1+len(want) {
					t.Errorf("round %d: %+v", round+1, x)
				}
				h.Gathered = true
				if err := m.PutHarvest(m.Board(), "h", h); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		stop()
	})
}

// TestFetchedEmpty: a node that fetches a shard from one whose disk is lost has nothing of it: no round is
// harvested on it. That is told, with the name of the other one where the next round begins meanwhile.
func TestFetchedEmpty(t *testing.T) {
	t.Run("in the next round", func(t *testing.T) { fetchEmpty(t, 2, Loss{"a", 2, 0, false, 100}) })
	t.Run("when it was gathered", func(t *testing.T) { fetchEmpty(t, 1) })
}

func fetchEmpty(t *testing.T, last int, lost ...Loss) {
	synctest.Test(t, func(t *testing.T) {
		b, id, quiet := newBroker(), ShardID{"h", 1}, slog.New(slog.DiscardHandler)
		err := with(t.Context(), sound(b), "b", quiet, func(ctx context.Context, m *Member) error {
			ctx, end := context.WithCancel(ctx)
			var all sync.WaitGroup
			defer all.Wait()
			defer end()
			begin := func(round int) error {
				h := HarvestRecord{Round: round, Count: 256, Shards: []int{1}, Gathered: true}
				return m.PutHarvest(m.Board(), "h", h)
			}
			w := &Worker{
				Node: "b", Room: 1, Patience: time.Minute, Log: quiet,
				Has: func(ShardID, ShardRecord) bool { return false },
				Fetch: func(_ context.Context, job Job, from string) Result {
					if job.Round == 1 && from == "a" {
						return Result{Said: fmt.Sprint(begin(last))}
					}
					return Result{}
				},
				Harvest: func(context.Context, Job, func(Figures)) Result {
					return Result{Verdict: Ordered}
				},
			}
			x := ShardRecord{Node: "b", From: "a", Round: 1, State: Ended, Figures: Figures{Captured: 100}}
			a := NodeRecord{Session: "a", Patience: time.Hour}
			err := errors.Join(begin(1), m.PutShard(m.Board(), id, x), m.Change(m.Board(), nodeKey("a"), a))
			if err != nil {
				return err
			}
			all.Go(func() { _ = w.Work(ctx, m) }) // until it is told to end
			time.Sleep(time.Minute)
			if x := m.Board().At(id); !slices.Equal(x.Lost, lost) || x.Missing != (len(lost) == 0) {
				t.Errorf("%+v, want %+v", x, lost)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestLostUnderLife: a disk that is lost while its node lives is noticed, where the harvest broke off before
// it had told anything, at once, later, and when the shard has ended; then also one that was restored from
// a moment before. The run that comes then has a number that none had. In a harvest that was stopped none
// comes.
func TestLostUnderLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, id, quiet := newBroker(), ShardID{"h", 1}, slog.New(slog.DiscardHandler)
		err := with(t.Context(), sound(b), "a", quiet, func(ctx context.Context, m *Member) error {
			ctx, end := context.WithCancel(ctx)
			var all sync.WaitGroup
			defer all.Wait()
			defer end()
			var gone, restored atomic.Bool
			var former []int
			w := &Worker{
				Node: "a", Room: 1, Patience: time.Minute, Log: quiet,
				Has: func(_ ShardID, last ShardRecord) bool {
					return !gone.Load() && !(last.State == Ended && restored.Load())
				},
				Harvest: func(ctx context.Context, _ Job, tell func(Figures)) Result {
					x := m.Board().At(id)
					former = append(former, x.Run(x.Round)-1)
					gone.Store(false)
					restored.Store(false)
					if len(former) == 1 { // lost before there are figures
						gone.Store(true)
						x.Begun = 1
						return Result{Verdict: Again, Said: fmt.Sprint(m.PutShard(m.Board(), id, x))}
					}
					tell(Figures{Captured: 10})
					switch len(former) {
					case 2: // lost before the figures are told
						gone.Store(true)
					case 3: // the harvest fails, and its disk is there
						pause(ctx, 2*tellTime)
					case 4:
						pause(ctx, 2*tellTime)
						gone.Store(true)
					default:
						return Result{Figures: Figures{Captured: 100}}
					}
					return Result{Verdict: Again}
				},
			}
			h := HarvestRecord{Round: 1, Count: 256, Shards: []int{1}}
			if err := m.PutHarvest(m.Board(), "h", h); err != nil {
				return err
			}
			all.Go(func() { _ = w.Work(ctx, m) }) // until it is told to end
			time.Sleep(2 * time.Minute)
			if x := m.Board().At(id); x.State != Ended {
				t.Errorf("%+v", x)
			}
			for _, at := range []*atomic.Bool{&gone, &restored} {
				at.Store(true)
				time.Sleep(2 * seenTime)
			}
			if want := []int{0, 1, 2, 2, 3, 4, 5}; !slices.Equal(former, want) {
				t.Errorf("so many runs were before: %d, want %d", former, want)
			}
			x := m.Board().At(id)
			none, ten := Loss{"a", 1, 0, false, 0}, Loss{"a", 1, 10, false, 0}
			hundred := Loss{"a", 1, 100, false, 0}
			want := []Loss{none, ten, ten, hundred, hundred}
			if !slices.Equal(x.Lost, want) || x.State != Ended {
				t.Errorf("%+v, want %+v", x, want)
			}
			for _, gathered := range []bool{true, false} {
				h.Gathered = gathered
				err := errors.Join(m.PutHarvest(m.Board(), "h", h), m.PutShard(m.Board(), id, x))
				for _, there := range []bool{false, true} {
					gone.Store(!there)
					time.Sleep(2 * seenTime)
					missing := strings.Contains(m.Board().Told(id), "its node's disk has lost 100 captures")
					if gathered && (missing == there || len(former) != 7) {
						t.Errorf("there %v: %q", there, m.Board().Told(id))
					}
				}
				if x.Order(); err != nil {
					return err
				}
			}
			if x := m.Board().At(id); x.State != Stopped || x.Stop || len(x.Lost) != 6 || len(former) != 7 {
				t.Errorf("lost in a harvest that was stopped: %+v, runs before %d", x, former)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestStopOnItsWay: a shard that is handed over stops by an order that is given at any moment of that, and
// goes on at its new node when it is told to.
func TestStopOnItsWay(t *testing.T) {
	for at := range 30 {
		if testing.Short() && at%4 > 0 {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			b, id, quiet := newBroker(), ShardID{"h", 1}, slog.New(slog.DiscardHandler)
			ctx, end := context.WithCancel(t.Context())
			var all sync.WaitGroup
			defer all.Wait()
			defer end()
			var busy atomic.Int32
			drain := make(chan struct{})
			enter := func(node string, drain chan struct{}) {
				w := &Worker{
					Node: node, Room: 1, Patience: time.Minute, Log: quiet, Drain: drain,
					Has: func(ShardID, ShardRecord) bool { return true },
					Fetch: func(ctx context.Context, _ Job, _ string) Result {
						pause(ctx, 2*time.Second)
						return Result{}
					},
					Harvest: func(ctx context.Context, _ Job, _ func(Figures)) Result {
						busy.Add(1)
						defer busy.Add(-1)
						<-ctx.Done()
						pause(t.Context(), time.Second)
						return Result{Verdict: Again}
					},
				}
				all.Go(func() { // until it is told to end
					_ = with(ctx, sound(b), node, quiet, func(ctx context.Context, m *Member) error {
						return w.Work(ctx, m)
					})
				})
			}
			err := with(ctx, sound(b), "client", quiet, func(ctx context.Context, m *Member) error {
				h := HarvestRecord{Round: 1, Count: 256, Shards: []int{1}}
				if err := m.PutHarvest(m.Board(), "h", h); err != nil {
					return err
				}
				enter("a", drain)
				time.Sleep(10 * time.Second)
				enter("b", nil)
				time.Sleep(10 * time.Second)
				close(drain)
				time.Sleep(time.Duration(at) * 300 * time.Millisecond)
				change := func(order func(*ShardRecord)) {
					err := m.Insist(ctx, func(b *Board) error {
						x := b.At(id)
						order(&x)
						return m.PutShard(b, id, x)
					})
					if err != nil {
						t.Error(err)
					}
					time.Sleep(30 * time.Second)
				}
				change(func(x *ShardRecord) { x.Order() })
				if x := m.Board().At(id); x.State != Stopped || x.Stop || busy.Load() > 0 {
					t.Errorf("stopped after %d steps: %+v, %d harvest", at, x, busy.Load())
				}
				change((*ShardRecord).GoOn)
				if x := m.Board().At(id); x.State != Running || x.Node != "b" || busy.Load() != 1 {
					t.Errorf("told to go on: %+v, %d harvest", x, busy.Load())
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestLag: a node that falls behind gives shards to one that has nothing left to do, each once, and keeps
// those that are nearly done. A node that comes late has its part, and none is begun by two.
func TestLag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, quiet := newBroker(), slog.New(slog.DiscardHandler)
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		var mu sync.Mutex
		busy, most, fetched := map[ShardID]string{}, 0, 0
		enter := func(node string, speed int64) {
			w := &Worker{
				Node: node, Room: 8, Patience: time.Minute, Log: quiet,
				Has: func(ShardID, ShardRecord) bool { return true },
				Fetch: func(ctx context.Context, _ Job, _ string) Result {
					pause(ctx, 2*time.Second)
					mu.Lock()
					defer mu.Unlock()
					fetched++
					return Result{}
				},
				Harvest: func(ctx context.Context, job Job, tell func(Figures)) Result {
					mu.Lock()
					if busy[job.ID] != "" {
						t.Errorf("%s is harvested by %s and %s", job.ID, busy[job.ID], node)
					}
					busy[job.ID] = node
					mu.Unlock()
					defer func() {
						mu.Lock()
						defer mu.Unlock()
						delete(busy, job.ID)
					}()
					total := int64(4000)
					if job.ID.Shard == 1 {
						total = 10 // nearly done, ever
					}
					for done := int64(0); done < total; done += speed {
						tell(Figures{Captured: done, Visits: done, Pending: total - done})
						if job.ID.Shard == 1 {
							tell(Figures{Captured: done, Visits: 100, Pending: 10})
							done -= speed
						}
						if pause(ctx, time.Second); ctx.Err() != nil {
							return Result{Verdict: Again}
						}
					}
					return Result{Figures: Figures{Captured: total}}
				},
			}
			all.Go(func() {
				_ = with(ctx, sound(b), node, quiet, func(ctx context.Context, m *Member) error {
					return w.Work(ctx, m) // until the test ends
				})
			})
		}
		enter("slow", 1)
		err := with(ctx, sound(b), "client", quiet, func(_ context.Context, m *Member) error {
			time.Sleep(5 * time.Second)
			h := HarvestRecord{Round: 1, Count: 256, Shards: []int{1, 2, 3, 4, 5}}
			if err := m.PutHarvest(m.Board(), "h", h); err != nil {
				return err
			}
			time.Sleep(20 * time.Second)
			enter("fast", 100)
			for range 400 {
				time.Sleep(time.Second)
				if n := m.Board().running()["fast"]; n > most {
					most = n
				}
			}
			at := m.Board().Shards
			given, ended := 0, 0
			for id, x := range at {
				given += len(x.Given)
				if x.State == Ended {
					ended++
				}
				if len(x.Given) > 1 || id.Shard == 1 && len(x.Given) > 0 {
					t.Errorf("%s was given away by %q", id, x.Given)
				}
			}
			// The fast one ends each in 40 s; the slow one keeps the one that is nearly done.
			x := at[ShardID{"h", 1}]
			if given != 4 || ended != 4 || fetched != 4 || x.Node != "slow" || most > 2 {
				t.Errorf("given %d, ended %d, fetched %d, at most %d at once; %+v", given, ended, fetched,
					most, at)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		stop()
		all.Wait()
	})
}

// TestAllAway: where all machines were off for longer than patience, shards wait for the node that comes back
// last: nobody was there to wait for it before.
func TestAllAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, quiet, patience := newBroker(), slog.New(slog.DiscardHandler), time.Minute
		work := func(ctx context.Context, node string, all *sync.WaitGroup) {
			w := &Worker{
				Node: node, Room: 12, Patience: patience, Log: quiet,
				Has: func(ShardID, ShardRecord) bool { return true },
				Harvest: func(ctx context.Context, _ Job, tell func(Figures)) Result {
					tell(Figures{Captured: 7})
					<-ctx.Done()
					return Result{Verdict: Again}
				},
			}
			all.Go(func() { _ = with(ctx, sound(b), node, quiet, w.Work) }) // until it is told to end
		}
		h := HarvestRecord{Round: 1, Count: 256, Shards: []int{1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233}}
		for _, round := range []struct {
			late time.Duration // of node c
			lost bool
		}{{late: 0}, {late: patience / 2}, {late: 3 * patience, lost: true}} {
			ctx, stop := context.WithCancel(t.Context())
			var all sync.WaitGroup
			work(ctx, "a", &all)
			time.Sleep(5 * time.Second)
			work(ctx, "b", &all)
			time.Sleep(round.late)
			work(ctx, "c", &all)
			time.Sleep(30 * time.Second)
			err := with(ctx, sound(b), "client", quiet, func(_ context.Context, m *Member) error {
				if m.Board().Harvests["h"].Round == 0 {
					if err := m.PutHarvest(m.Board(), "h", h); err != nil {
						return err
					}
					time.Sleep(30 * time.Second)
				}
				board := m.Board()
				lost, nodes := 0, map[string]int{}
				for _, id := range board.Of("h") {
					x := board.At(id)
					lost += len(x.Lost)
					nodes[x.Node]++
				}
				if (lost > 0) != round.lost || !round.lost && (nodes["c"] != 4) {
					t.Errorf("c comes %v after b: %d shards lost, shards by node %v", round.late, lost, nodes)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			stop()
			all.Wait()
			time.Sleep(time.Hour)
		}
	})
}

// TestStoppedFigures: a shard that was stopped, by an order to its run or in its record, keeps the figures
// that its harvest had told. When it ends though it was to stop, the order holds should it be lost.
func TestStoppedFigures(t *testing.T) {
	for _, how := range []struct{ recorded, ends bool }{{}, {recorded: true}, {recorded: true, ends: true}} {
		recorded, verdict, state := how.recorded, Ordered, Stopped
		if how.ends {
			verdict, state = Done, Ended
		}
		synctest.Test(t, func(t *testing.T) {
			b, id, quiet := newBroker(), ShardID{"h", 1}, slog.New(slog.DiscardHandler)
			ctx, stop := context.WithCancel(t.Context())
			var all sync.WaitGroup
			w := &Worker{
				Node: "a", Room: 1, Patience: time.Minute, Log: quiet,
				Has: func(ShardID, ShardRecord) bool { return true },
				Harvest: func(ctx context.Context, _ Job, tell func(Figures)) Result {
					tell(Figures{Captured: 7})
					if pause(ctx, 10*time.Second); recorded {
						<-ctx.Done()
					}
					tell(Figures{Captured: 9, Doing: "it ends"})
					return Result{Verdict: verdict, Said: "stopped"}
				},
			}
			all.Go(func() { _ = with(ctx, sound(b), "a", quiet, w.Work) }) // until it is told to end
			err := with(ctx, sound(b), "client", quiet, func(_ context.Context, m *Member) error {
				err := m.PutHarvest(m.Board(), "h", HarvestRecord{Round: 1, Count: 256, Shards: []int{1}})
				time.Sleep(30 * time.Second)
				x := m.Board().At(id)
				if recorded && err == nil {
					x.Order()
					err = m.PutShard(m.Board(), id, x)
				}
				time.Sleep(30 * time.Second)
				if x = m.Board().At(id); x.State != state || x.Stop != how.ends || x.Captured != 9 {
					t.Errorf("%+v: %+v", how, x)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
			stop()
			all.Wait()
		})
	}
}

// TestLoss: of a node that was lost before its first figures nobody knows that it had captured nothing.
func TestLoss(t *testing.T) {
	for want, l := range map[string]Loss{
		"captures lost with node a: 7":                                {Node: "a", Captured: 7},
		"captures lost with node a: none that it had told of":         {Node: "a"},
		"captures that node a has no more, and that were uploaded: 7": {Node: "a", Captured: 7, Kept: true},
		"captures lost with node a: none that it had told of; lost of the rounds before: 7": {
			Node: "a", Before: 7,
		},
	} {
		if got := l.String(); got != want {
			t.Errorf("%+v is told as %q", l, got)
		}
	}
}
