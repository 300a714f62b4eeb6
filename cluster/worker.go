package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Worker is how a node harvests shards.
type Worker struct {
	Node     string
	Room     int           // shards that it harvests at a time
	Patience time.Duration // for which the shards of a node that is gone wait for it
	// Harvest has a shard harvested until the context ends, and tells how it goes. It is called by one
	// goroutine a shard, and returns within a few seconds when the context has ended.
	Harvest func(ctx context.Context, job Job, tell func(Figures)) Result
	// Has reports that the node has what a shard brought by its last record; all of it, where it has ended.
	Has func(id ShardID, last ShardRecord) bool
	// Fetch has the folder of a shard come from the node that has it. It returns like Harvest.
	Fetch func(ctx context.Context, job Job, from string) Result
	// Fit reports that what made the node unfit is over, as far as that can be known; nil for nobody knows.
	Fit func() bool
	// Drain is closed when the node is to hand its shards over to others, and to end.
	Drain <-chan struct{}
	Log   *slog.Logger

	member   *Member
	mu       sync.Mutex // guards the keys of children, and claimed
	children map[ShardID]*child
	claimed  string          // the session in which others know the node, and that its shards are its own
	sessions map[string]bool // of this process, which may have claimed
	ended    chan *child
	rest     map[ShardID]time.Time // since when a shard rests whose harvest or transfer broke off
	seen     map[Job]time.Time     // when the node was found to have it
	unfit    map[ShardID]Result    // of those that are to be handed over, since this node cannot harvest them
	cause    string                // why no shard is begun, until causeEnd, if it is not drainCause
	causeEnd time.Time
	lag      time.Time        // since when the node lags; zero where it does not
	given    map[ShardID]bool // that are to be given away, since the node lags
	drained  bool             // others have what the node had
}

// Job is a shard to be harvested. With a new round it is harvested again.
type Job struct {
	ID    ShardID
	Round int
}

// Result is how the harvest of a shard ended.
type Result struct {
	Verdict Verdict
	Code    int    // exit code
	Said    string // the last that it said
	Kept    bool   // its files were uploaded
	Figures

	broken int // as the record of the shard is to say
}

// Verdict is what becomes of a shard.
type Verdict uint8

// The verdicts on a harvest that has ended.
const (
	Done    Verdict = iota // it came to its end
	Ordered                // it was stopped by order
	Again                  // it goes on at the next try
	Unfit                  // this node cannot harvest anything now, for what Said says; others may
	Refused                // this node cannot harvest it by its YAML, for what Said says; others may
)

const (
	// tickTime is how often a worker looks what is to be done, and tellTime how often it tells figures.
	tickTime, tellTime = 500 * time.Millisecond, 3 * time.Second
	// againTime is after what time a harvest that broke off is begun again: twice that where it had come no
	// further since it broke off before, and so on, mostAgain at most.
	againTime, mostAgain = 10 * time.Second, 5 * time.Minute
	// mostBroken is how often in a row the harvest of a shard may break off, at last before it told anything,
	// until the node counts as unfit, as by a certificate that has ended.
	mostBroken = 3
	// unfitTime is for how long a node begins nothing that could not harvest a shard, and how often it looks
	// whether it could.
	unfitTime = time.Minute
	// seenTime is how often a node looks whether it has what it alone has: its disk may be lost.
	seenTime = time.Minute
	// lagTime is for how long a node lags before it gives a shard away.
	lagTime = 30 * time.Second
)

// ErrTwice is the error of a node whose name another process goes by.
var ErrTwice = errors.New("another process is this node")

// child is a shard that is being harvested, or fetched from another node.
type child struct {
	job    Job
	from   string // the node from which it is fetched; "" for a harvest
	stop   context.CancelFunc
	ctx    context.Context
	since  int64 // visits of the shard by then
	result Result
	done   bool // it has ended, or broken off, and that is to be told

	mu      sync.Mutex // guards what follows
	figures Figures
	changed bool
	told    time.Time
}

// drainCause is why a node takes no shards that hands its own over.
const drainCause = "it hands its shards over, and ends"

// Work has a node harvest shards until the context ends, or until others have taken over all that it has:
// it takes those that are free, and goes on with its own. Its harvests have ended when it returns.
func (w *Worker) Work(ctx context.Context, m *Member) error {
	w.member, w.children = m, map[ShardID]*child{}
	w.ended, w.rest = make(chan *child), map[ShardID]time.Time{}
	w.seen, w.sessions, w.unfit = map[Job]time.Time{}, map[string]bool{}, map[ShardID]Result{}
	w.given = map[ShardID]bool{}
	if err := w.enter(ctx); err != nil {
		return err
	}
	guarding, stop := context.WithCancel(ctx)
	var guard sync.WaitGroup
	guard.Go(func() { w.guard(guarding) })
	tick := time.NewTicker(tickTime)
	defer tick.Stop()
	var err error
	for err == nil && ctx.Err() == nil && !w.drained {
		select {
		case <-ctx.Done():
		case <-w.Drain:
			w.Log.Info("the shards of this node are handed over")
			w.Drain, w.cause = nil, drainCause
			w.stopAll()
		case c := <-w.ended:
			w.conclude(c)
		case <-tick.C:
			if err = w.step(time.Now()); !errors.Is(err, ErrTwice) {
				w.heed(err)
				err = nil
			}
		}
	}
	stop()
	guard.Wait()
	w.stopAll()
	for slices.ContainsFunc(slices.Collect(maps.Values(w.children)), func(c *child) bool { return !c.done }) {
		w.conclude(<-w.ended)
	}
	if w.member.alive() != "" {
		w.tell(w.member.Board(), time.Now())
	}
	return err
}

// guard ends the harvests of a node whose session is lost, and whose shards are not claimed in another
// one, before others take them over. It waits for nothing.
func (w *Worker) guard(ctx context.Context) {
	var lost time.Time
	for ctx.Err() == nil {
		id := w.member.alive()
		w.mu.Lock()
		claimed := w.claimed
		w.mu.Unlock()
		switch {
		case id != "" && id == claimed:
			lost = time.Time{}
		case lost.IsZero():
			lost = time.Now()
		case time.Since(lost) > w.Patience/2:
			w.stopAll()
		}
		pause(ctx, tickTime)
	}
}

func (w *Worker) stopAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.children {
		c.stop()
	}
}

// enter has the node known by its name, when a former process of that name is known to have ended.
func (w *Worker) enter(ctx context.Context) error {
	waiting := false
	for end := time.Now().Add(2 * leaseTime); ; {
		b, id := w.member.Board(), w.member.alive()
		x, known := b.Nodes[w.Node]
		switch {
		case id == "":
			end = time.Now().Add(2 * leaseTime)
		case !known, x.Session == id, b.Gone(w.Node) > 0:
			err := w.claim(b, NodeRecord{id, w.Room, "", w.Patience})
			if err == nil {
				return nil
			}
			w.Log.Warn("the broker does not take that the node is there; it is told again", "cause", err)
		case time.Now().After(end):
			return fmt.Errorf("node %s: %w: end that, or give another name: --name", w.Node, ErrTwice)
		case !waiting:
			waiting = true
			w.Log.Info("waiting until the former process of this node is known to have ended")
		}
		if pause(ctx, tickTime); ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// step does what is to be done now.
func (w *Worker) step(now time.Time) error {
	id := w.member.alive()
	if id == "" {
		return nil // guard ends what is to end
	}
	b := w.member.Board()
	w.reconsider(now)
	if own := (NodeRecord{id, w.Room, w.cause, w.Patience}); b.Nodes[w.Node] != own || w.claimed != id {
		if x := b.Nodes[w.Node]; !w.sessions[x.Session] && b.Gone(w.Node) == 0 {
			return fmt.Errorf("node %s: %w", w.Node, ErrTwice)
		}
		return w.claim(b, own)
	}
	w.tell(b, now)
	for id, x := range b.All() {
		step := w.attend
		_, unfit := w.unfit[id]
		switch {
		case x.Node != w.Node:
			delete(w.unfit, id)
			delete(w.given, id)
			if !b.refused(&x) {
				continue
			}
			step = w.giveUp
		case x.Stop && x.State == Running:
			step = w.halt
		case w.cause == drainCause || unfit || w.given[id] && x.State == Running:
			step = w.handOver
		}
		if err := step(b, id, x, now); err != nil {
			return err
		}
	}
	w.catchUp(b, now)
	w.drained = w.cause == drainCause && b.Held(w.Node) == 0
	if len(w.children) >= w.Room || w.cause != "" {
		return nil
	}
	if id, next, ok := b.choose(w.Node); ok {
		if n := len(next.Lost); n > len(b.At(id).Lost) {
			w.Log.Warn("a node is gone, and the harvest of a shard begins anew", "shard", id.String(), "lost",
				next.Lost[n-1])
		}
		return w.member.PutShard(b, id, next)
	}
	return nil
}

// reconsider has a node that was unfit begin shards again when that is over.
func (w *Worker) reconsider(now time.Time) {
	switch {
	case w.cause == "" || w.cause == drainCause || !now.After(w.causeEnd):
	case w.Fit == nil || w.Fit():
		w.cause = ""
	default:
		w.causeEnd = now.Add(unfitTime)
	}
}

// catchUp gives a shard away when the node has lagged for lagTime, so that another one, which has nothing
// left to do, goes on with it. Each makes the nodes more equal, and no shard is given twice in a round: so
// none goes to and fro.
func (w *Worker) catchUp(b *Board, now time.Time) {
	id, lags := b.lags(w.Node)
	switch c := w.children[id]; {
	case !lags || w.cause != "" || len(w.given) > 0:
		w.lag = time.Time{}
	case w.lag.IsZero():
		w.lag = now
	case now.Sub(w.lag) > lagTime && c != nil && !c.done:
		w.Log.Info("this node lags, and gives a shard to another one that has nothing left to do", "node",
			w.Node, "shard", id.String(), "pending", b.At(id).Pending)
		w.lag, w.given[id] = time.Time{}, true
		c.stop()
	}
}

// attend goes on with a shard of this node.
func (w *Worker) attend(b *Board, id ShardID, x ShardRecord, now time.Time) error {
	idle := w.children[id] == nil && (x.State == Running || x.From != "")
	last := b.Shards[id]           // of the round before where this one has not begun
	begins := last.Round < x.Round // a disk may be gone since then
	has := b.open(id, &x) || x.State == Ended && x.alone() > 0 || (idle || begins) && last.had()
	if job := (Job{id, last.Round}); has && x.From == "" && (begins || now.Sub(w.seen[job]) > seenTime) {
		if w.lost(b, id, &x, last, w.Node) {
			return w.member.PutShard(b, id, x)
		}
		w.seen[job] = now
	}
	rest := x.pause()
	if x.From != "" && x.From != w.Node { // a transfer has not broken off so often
		rest = againTime
	}
	if !idle || now.Sub(w.rest[id]) < rest || x.From != "" && b.given(x.From) {
		return nil
	}
	if x.From == w.Node { // it was handed over, and nobody had fetched it
		x.From = ""
	}
	if err := w.member.PutShard(b, id, x); err != nil {
		return err
	}
	if x.State == Running || x.From != "" {
		w.begin(Job{id, x.Round}, x.From)
	}
	return nil
}

// lost has the record of a shard say, and reports, that what it brought by its last record is not on this
// node's disk, on which it was, or to which it came from another node: it begins anew, in the next round
// where nobody waits for this one.
func (w *Worker) lost(b *Board, id ShardID, x *ShardRecord, last ShardRecord, from string) bool {
	has := w.Has(id, last)
	if has != x.Missing { // as its record says
		return false
	}
	if x.Missing = !has; has {
		w.Log.Info("what a shard brought is on its node's disk again", "shard", id.String())
		return true
	}
	if x.State != Ended || b.open(id, x) {
		*x = x.anew(from, last)
		w.Log.Warn("what a shard brought is not on its node's disk any more: it is to be harvested anew",
			"shard", id.String(), "lost", x.Lost[len(x.Lost)-1])
		return true
	}
	w.Log.Warn("what a shard brought is not on its node's disk any more: it is harvested anew in the next "+
		"round", "shard", id.String(), "captures lost", x.alone())
	return true
}

// handOver has others take a shard of this node, which has come to rest.
func (w *Worker) handOver(b *Board, id ShardID, x ShardRecord, _ time.Time) error {
	if w.children[id] != nil {
		return nil
	}
	if r := w.unfit[id]; r.Verdict == Refused {
		refused := map[string]string{}
		maps.Copy(refused, x.Refused)
		refused[w.Node] = r.Said
		x.Refused, x.Code = refused, r.Code
	}
	if r := w.unfit[id]; r.broken > 0 {
		x.Broken, x.Said = r.broken, r.Said
	}
	if w.given[id] {
		x.Given = append(slices.Clone(x.Given), w.Node)
	}
	x.Node, x.From = "", cmp.Or(x.From, w.Node)
	return w.member.PutShard(b, id, x)
}

// halt stops a shard of this node by order.
func (w *Worker) halt(b *Board, id ShardID, x ShardRecord, _ time.Time) error {
	if c := w.children[id]; c != nil && c.from == "" {
		c.stop()
		return nil
	}
	delete(w.given, id) // when it goes on nobody may lag any more
	x.State, x.Stop = Stopped, false
	return w.member.PutShard(b, id, x)
}

// giveUp stops a shard that each node has refused.
func (w *Worker) giveUp(b *Board, id ShardID, x ShardRecord, _ time.Time) error {
	by := map[string][]string{} // nodes, by what they say
	for _, node := range slices.Sorted(maps.Keys(x.Refused)) {
		by[x.Refused[node]] = append(by[x.Refused[node]], node)
	}
	var words []string
	for _, said := range slices.Sorted(maps.Keys(by)) {
		words = append(words, strings.Join(by[said], ", ")+": "+said)
	}
	x.State, x.Said, x.Refused = Stopped, strings.Join(words, "; "), nil
	return w.member.PutShard(b, id, x)
}

// holds reports that the record of a shard is that of a child.
func (w *Worker) holds(c *child, x *ShardRecord) bool {
	return x.Node == w.Node && x.From == c.from && x.Round == c.job.Round &&
		(c.from != "" || x.State == Running)
}

// claim has the node known, and then its shards, by records that replace those that others have read:
// who believes that the node is gone cannot take a shard any more, since the write is refused.
func (w *Worker) claim(b *Board, own NodeRecord) error {
	w.sessions[own.Session] = true // also where nobody answers
	if err := w.member.Change(b, nodeKey(w.Node), own); err != nil {
		return err
	}
	for id, c := range w.children {
		if x := b.At(id); w.holds(c, &x) {
			if err := w.member.PutShard(b, id, x); err != nil {
				return err
			}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.claimed = own.Session
	return nil
}

// heed tells of an error after which the next step tries again, and reports that there is none.
func (w *Worker) heed(err error) bool {
	if err != nil && !errors.Is(err, errStale) {
		w.Log.Warn("the broker does not take how shards stand; it is told again", "cause", err)
	}
	return err == nil
}

// tell tells the figures of the shards that are being harvested, and ends those that are another
// node's by now.
func (w *Worker) tell(b *Board, now time.Time) {
	for id, c := range w.children {
		x := b.At(id)
		if !w.holds(c, &x) {
			if c.done {
				w.forget(id)
				continue
			}
			if c.ctx.Err() == nil && x.Node != w.Node {
				w.Log.Warn("a shard is another node's by now; what there is of it here is left aside",
					"shard", id.String(), "node", x.Node)
			}
			c.stop()
			continue
		}
		r, due := &c.result, true
		again := c.done && c.from == "" && r.Verdict == Again
		switch {
		case c.done && c.from != "":
			x.From = ""
			_ = x.had() && w.lost(b, id, &x, b.Shards[id], c.from) // empty where that node lost its disk
		case again:
			if x.Broken, x.Said = r.broken, r.Said; c.figures != (Figures{}) {
				x.Figures = c.figures
			}
		case c.done:
			delete(w.given, id)
			x.State, x.Code, x.Said, x.Kept = Ended, r.Code, r.Said, r.Kept
			x.Figures, x.Doing = cmp.Or(r.Figures, c.figures), ""
			x.Refused, x.Broken = nil, 0
			if r.Verdict == Ordered { // else an order that came too late holds should the shard be lost
				x.State, x.Stop = Stopped, false
			}
		default:
			due = c.due(&x, now)
		}
		if due && w.heed(w.member.PutShard(b, id, x)) && again {
			w.forget(id)
		}
	}
}

// due has a record have the figures of a shard that is being harvested, and reports that they are to be told.
func (c *child) due(x *ShardRecord, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	x.Figures = c.figures
	if x.Broken > 0 && x.Visits > c.since {
		x.Broken, x.Said = 0, ""
	}
	due := c.changed && now.Sub(c.told) >= tellTime
	if due {
		c.changed, c.told = false, now
	}
	return due
}

// begin has a shard harvested, or fetched from a node.
func (w *Worker) begin(job Job, from string) {
	ctx, stop := context.WithCancel(context.Background())
	c := &child{job: job, from: from, ctx: ctx, stop: stop, since: w.member.Board().At(job.ID).Visits}
	w.mu.Lock()
	w.children[job.ID] = c
	w.mu.Unlock()
	if from == "" {
		w.Log.Info("a shard is harvested", "shard", job.ID.String(), "round", job.Round)
	} else {
		w.Log.Info("a shard is fetched", "shard", job.ID.String(), "node", from)
	}
	go func() {
		if from == "" {
			c.result = w.Harvest(ctx, job, c.tell)
		} else {
			c.result = w.Fetch(ctx, job, from)
		}
		w.ended <- c
	}()
}

func (c *child) tell(f Figures) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed = c.changed || c.figures != f
	c.figures = f
}

// conclude takes over how the harvest of a shard ended; the next step tells of it, unless it goes on.
func (w *Worker) conclude(c *child) {
	r := &c.result
	if r.Verdict >= Again { // for which records have to say something
		r.Said = cmp.Or(r.Said, fmt.Sprintf("exit code %d", r.Code))
	}
	w.Log.Info("the harvest or transfer of a shard ended", "shard", c.job.ID.String(), "exit", r.Code, "said",
		r.Said)
	stopped := c.ctx.Err() != nil
	c.stop()
	delete(w.seen, c.job) // a folder that was fetched may be empty: its node has lost its disk
	w.count(c, stopped)
	switch {
	case r.Verdict == Done, r.Verdict == Ordered && (!stopped || w.member.Board().At(c.job.ID).Stop):
		c.done = true
		if c.from == "" {
			w.seen[c.job] = time.Now()
		}
		return
	case r.broken > 0 && r.Verdict == Again:
		c.done, w.rest[c.job.ID] = true, time.Now()
		return
	case r.Verdict == Again && !stopped:
		w.rest[c.job.ID] = time.Now()
	case r.Verdict == Unfit:
		w.rest[c.job.ID] = time.Now()
		w.Log.Error("this node takes no shards for now, and hands over those that it cannot harvest",
			"node", w.Node, "shard", c.job.ID.String(), "cause", r.Said)
		if w.cause != drainCause {
			w.cause, w.causeEnd = r.Said, time.Now().Add(unfitTime)
		}
		w.unfit[c.job.ID] = *r
	case r.Verdict == Refused:
		w.Log.Error("this node hands over a shard that it cannot harvest", "node", w.Node, "shard",
			c.job.ID.String(), "cause", r.Said)
		w.unfit[c.job.ID] = *r
	}
	w.forget(c.job.ID)
}

// count counts how often in a row a harvest broke off, though the broker answers. It counts as one that this
// node cannot harvest each time that it has done so mostBroken times, at last before it told anything.
func (w *Worker) count(c *child, stopped bool) {
	r := &c.result
	if r.Verdict != Again || stopped || c.from != "" || w.member.alive() == "" {
		return
	}
	if r.broken = w.member.Board().At(c.job.ID).Broken + 1; c.figures.Visits > c.since {
		r.broken = 1
	}
	if r.broken%mostBroken == 0 && c.figures == (Figures{}) {
		r.Verdict = Unfit
	}
}

func (w *Worker) forget(id ShardID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.children, id)
}
