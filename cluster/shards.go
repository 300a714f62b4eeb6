package cluster

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"watershed/internal/console"
)

// NodeRecord is what a node says of itself.
type NodeRecord struct {
	Session string `json:"session"`
	Room    int    `json:"room"`            // shards that it harvests at a time
	Cause   string `json:"cause,omitempty"` // why it begins none; "" where it does
	// Patience is for how long its shards wait for it when it is gone, in nanoseconds: its own, as it ends
	// its harvests by that.
	Patience time.Duration `json:"patience"`
}

// HarvestRecord is a harvest that the nodes share.
type HarvestRecord struct {
	Round    int    `json:"round"`  // counted from 1: the first harvest, then recrawls
	Count    int    `json:"count"`  // into which its sites are divided
	Shards   []int  `json:"shards"` // of these, that have sites
	By       string `json:"by"`
	Gathered bool   `json:"gathered,omitempty"` // the results of the round are with whoever asked for it
	YAML     string `json:"yaml"`               // SHA-256 of what the nodes harvest by
	Extend   bool   `json:"extend,omitempty"`   // the round asks only for what the one before has not
	// Orders are for shards that are begun, or go on, later than they were given.
	Orders []json.RawMessage `json:"orders,omitempty"`
}

// divides reports a record whose shards are among those into which it divides the sites.
func (x HarvestRecord) divides() bool {
	return x.Count > 0 && !slices.ContainsFunc(x.Shards, func(n int) bool { return n < 0 || n >= x.Count })
}

// Decided is what was decided for each site of a harvest, in the order in which it was written.
type Decided struct {
	List     []json.RawMessage
	Revision uint64 // of the last that was written
}

// State is how a shard stands.
type State string

// The states of a shard in a round.
const (
	Waiting State = "waiting" // for a node, or for its own
	Running State = "running"
	Stopped State = "stopped" // by order: whoever asked for the harvest has it go on
	Ended   State = "ended"
)

// ShardRecord is how a shard of a harvest stands.
type ShardRecord struct {
	Node  string `json:"node"`           // which has its folder, or fetches it; "" for none
	From  string `json:"from,omitempty"` // which has its folder until Node has fetched it; "" for Node
	Round int    `json:"round"`
	State State  `json:"state"`
	Code  int    `json:"code,omitempty"` // the exit code of an ended one
	Said  string `json:"said,omitempty"` // the last that its harvest said
	// Begun is the last round that the node which has its folder has begun: the number of its run is taken.
	Begun int `json:"begun,omitempty"`
	// Before counts the captures of the rounds before that its node alone has.
	Before int64 `json:"before,omitempty"`
	Kept   bool  `json:"kept,omitempty"` // its files were uploaded: they outlive the node
	// Missing is set while what it brought is not on its node's disk, until it begins anew in the next round.
	Missing bool   `json:"missing,omitempty"`
	Lost    []Loss `json:"lost,omitempty"` // with nodes that are gone
	// Refused are the nodes that cannot harvest it by its YAML, and why; it is stopped when all have said so.
	Refused map[string]string `json:"refused,omitempty"`
	// Given are the nodes that lagged, and gave it away.
	Given []string `json:"given,omitempty"`
	// Broken counts the times in a row that its harvest broke off, at whichever node, and had come no further
	// since the time before; Said is then why.
	Broken int `json:"broken,omitempty"`
	// Stop says that a running one is to be stopped, by whichever node has it, or an ended one should it be
	// lost.
	Stop bool `json:"stop,omitempty"`
	Figures
}

// Figures are the numbers of a shard's last run.
type Figures struct {
	Visits   int64 `json:"visits"`
	Captured int64 `json:"captured"`
	Failed   int64 `json:"failed"`
	Pending  int64 `json:"pending"`
	Bytes    int64 `json:"bytes"`
	// Doing is, when the run has ended and its process has not, as it uploads, the last that it said.
	Doing string `json:"doing,omitempty"`
}

// Add adds those of another shard.
func (f *Figures) Add(g Figures) {
	f.Visits += g.Visits
	f.Captured += g.Captured
	f.Failed += g.Failed
	f.Pending += g.Pending
	f.Bytes += g.Bytes
}

// Run is the number of the run that the shard made in a round: each makes one, and each loss another.
func (x *ShardRecord) Run(round int) int {
	number := round
	for _, l := range x.Lost {
		if l.Round <= round {
			number++
		}
	}
	return number
}

// alone counts the captures that its node alone has.
func (x *ShardRecord) alone() int64 {
	if x.Kept {
		return x.Before
	}
	return x.Before + x.Captured
}

// had reports a record by which a node has something of a shard.
func (x *ShardRecord) had() bool { return x.Begun > 0 || x.Captured+x.Before > 0 }

// anew is the record of a shard in the round of x when what a node had of it is lost, by its last record.
func (x *ShardRecord) anew(node string, last ShardRecord) ShardRecord {
	return ShardRecord{
		Round: x.Round, State: Waiting, Stop: x.Stop,
		Lost: append(slices.Clone(x.Lost), Loss{node, x.Round, last.Captured, last.Kept, last.Before}),
	}
}

// Loss is what was lost with a node, or its disk, of a shard that was begun anew in a round.
type Loss struct {
	Node     string `json:"node"`
	Round    int    `json:"round"`
	Captured int64  `json:"captured"`         // by its last run
	Kept     bool   `json:"kept,omitempty"`   // that run was uploaded
	Before   int64  `json:"before,omitempty"` // in the rounds before, and not uploaded
}

func (l Loss) String() string {
	text := fmt.Sprintf("captures lost with node %s: %d", l.Node, l.Captured)
	switch {
	case l.Kept:
		text = fmt.Sprintf("captures that node %s has no more, and that were uploaded: %d", l.Node,
			l.Captured)
	case l.Captured == 0: // it may have been some seconds from its first figures
		text = fmt.Sprintf("captures lost with node %s: none that it had told of", l.Node)
	}
	if l.Before > 0 {
		text += fmt.Sprintf("; lost of the rounds before: %d", l.Before)
	}
	return text
}

// ShardID names a shard.
type ShardID struct {
	Harvest string
	Shard   int
}

func (id ShardID) String() string { return fmt.Sprintf("%s-%03d", id.Harvest, id.Shard) }

func nodeKey(name string) string    { return "node." + name }
func harvestKey(name string) string { return "harvest." + name }
func shardKey(id ShardID) string    { return fmt.Sprintf("shard.%s.%03d", id.Harvest, id.Shard) }

// ofHarvest are the parts of a key of which a harvest has several.
func ofHarvest(key string) (kind, harvest, last string) {
	kind, rest, _ := strings.Cut(key, ".")
	i := max(strings.LastIndexByte(rest, '.'), 0)
	return kind, rest[:i], strings.TrimPrefix(rest[i:], ".")
}

// Board is what is known of nodes, harvests and shards.
type Board struct {
	Nodes    map[string]NodeRecord
	Harvests map[string]HarvestRecord
	Shards   map[ShardID]ShardRecord
	Decided  map[string]Decided // by harvest
	Stale    bool               // the broker does not answer at present: so it stood before

	revs map[string]uint64 // by key
	// removed are the keys of which nothing is left, or that they were removed.
	removed map[string]bool
	gone    func(session string) (time.Time, bool) // since when a session is over
	since   time.Time                              // when the member's own session began
}

// Board gives what the broker has told so far.
func (m *Member) Board() *Board {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := &Board{
		Nodes: map[string]NodeRecord{}, Harvests: map[string]HarvestRecord{},
		Shards: map[ShardID]ShardRecord{}, revs: map[string]uint64{}, removed: map[string]bool{},
		Decided: map[string]Decided{}, gone: m.over, since: time.Now(), Stale: m.session == nil,
	}
	if !b.Stale {
		b.since = m.session.began
	}
	var decided []entry
	for key, e := range m.board {
		b.revs[key] = e.rev
		if len(e.value) == 0 {
			b.removed[key] = true
			continue
		}
		kind, name, _ := strings.Cut(key, ".")
		_, harvest, number := ofHarvest(key)
		if kind != "node" && (strings.Contains(name, "/") || strings.HasPrefix(name, ".")) {
			continue // no program gives a harvest such a name, which is to be one of a folder
		}
		switch kind {
		case "node":
			put(b.Nodes, name, e.value)
		case "harvest":
			if put(b.Harvests, name, e.value); !b.Harvests[name].divides() {
				delete(b.Harvests, name)
			}
		case "decided":
			decided = append(decided, e)
		case "shard":
			n, err := strconv.ParseUint(number, 10, 31)
			if id := (ShardID{harvest, int(n)}); err == nil && shardKey(id) == key {
				put(b.Shards, id, e.value)
			}
		}
	}
	slices.SortFunc(decided, func(x, y entry) int { return cmp.Compare(x.rev, y.rev) })
	for _, e := range decided {
		_, harvest, _ := ofHarvest(e.key)
		b.Decided[harvest] = Decided{append(b.Decided[harvest].List, e.value), e.rev}
	}
	return b
}

// mostRecord bounds the bytes of a record: a broker of nodes takes no longer message, and reading ten million
// bytes of another's takes seconds.
const mostRecord = 1 << 20

func put[K comparable, R any](list map[K]R, key K, text []byte) {
	var x R
	if len(text) <= mostRecord && json.Unmarshal(text, &x) == nil { // else this program did not write it
		list[key] = x
	}
}

// over tells since when a session is over, as this member knows it. A session that the broker has not
// told of counts as over since it was asked for first.
func (m *Member) over(session string) (time.Time, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.session; s != nil && s.id == session {
		return time.Time{}, false
	}
	p := m.peers.of(session)
	if p.rev == 0 {
		return p.at, true
	}
	return p.ended, !p.ended.IsZero()
}

// Gone tells for how long a node is gone; 0 for one that is there.
func (b *Board) Gone(node string) time.Duration {
	x, known := b.Nodes[node]
	if !known {
		return 1 << 62
	}
	if b.gone == nil { // the board is of no member
		return 0
	}
	since, over := b.gone(x.Session)
	if !over {
		return 0
	}
	return max(time.Since(since), 1)
}

// given reports a node that is gone for longer than it is waited for. It is waited for by nodes that are
// there: while all are switched off, or the broker cannot decide, no time passes.
func (b *Board) given(node string) bool {
	waited := min(b.Gone(node), time.Since(b.since))
	return waited > b.Nodes[node].Patience
}

// Takes reports a node that harvests shards.
func (b *Board) Takes(node string) bool { return b.Nodes[node].Cause == "" && b.Gone(node) == 0 }

// Of are the shards of a harvest, in order, in its present round.
func (b *Board) Of(harvest string) (list []ShardID) {
	for _, n := range b.Harvests[harvest].Shards {
		list = append(list, ShardID{harvest, n})
	}
	return list
}

// All are the shards of all harvests, in order, as they stand in the present rounds.
func (b *Board) All() iter.Seq2[ShardID, ShardRecord] {
	return func(yield func(ShardID, ShardRecord) bool) {
		for _, name := range slices.Sorted(maps.Keys(b.Harvests)) {
			for _, id := range b.Of(name) {
				if !yield(id, b.At(id)) {
					return
				}
			}
		}
	}
}

// Held counts the shards whose folders a node has, or fetches.
func (b *Board) Held(node string) (count int) {
	for _, x := range b.All() {
		if x.Node == node || x.From == node {
			count++
		}
	}
	return count
}

// At is how a shard stands in the present round of its harvest.
func (b *Board) At(id ShardID) ShardRecord {
	x := b.Shards[id]
	if round := b.Harvests[id.Harvest].Round; x.Round < round {
		x = ShardRecord{
			Node: x.Node, From: x.From, Round: round, State: Waiting, Lost: x.Lost,
			Begun: x.Begun, Before: x.alone(),
		}
	}
	return x
}

// Begun reports a shard of which figures were told in the present round, or that has ended.
func (b *Board) Begun(id ShardID) bool {
	x := b.At(id)
	return x.State == Ended || x.Figures != (Figures{})
}

// Told is how a shard stands, in words.
func (b *Board) Told(id ShardID) string {
	x := b.At(id)
	said := string(x.State)
	switch {
	case x.State == Ended && x.Code != 0:
		said = fmt.Sprintf("ended, with exit code %d", x.Code)
	case x.Stop && x.State != Ended:
		said = "is to stop"
	case x.State == Running && x.Node == "":
		said = "left by " + x.From + ", and free for others"
	}
	if node := x.Holder(); node != "" && b.Gone(node) > 0 {
		said += ", its node is gone"
		if alone := x.alone(); x.State == Ended && alone > 0 {
			said += ", which alone has " + console.Plural(int(alone), "capture", "captures")
		}
	}
	if x.Missing {
		said += ", and its node's disk has lost " + console.Plural(int(x.alone()), "capture", "captures")
	}
	if x.Broken > 0 {
		said += ", broke off " + console.Plural(x.Broken, "time", "times")
	}
	if len(x.Given) > 0 {
		said += ", given away by " + strings.Join(x.Given, ", ") + ", which lagged"
	}
	return said
}

// ToldNode is how a node stands, in words.
func (b *Board) ToldNode(name string) string {
	x := b.Nodes[name]
	switch gone := b.Gone(name); {
	case gone > 0:
		return fmt.Sprintf("gone, for at least %s", gone.Round(time.Second))
	case x.Cause != "":
		return "takes no shards: " + x.Cause
	}
	return fmt.Sprintf("takes up to %d shards at a time", x.Room)
}

// Sum counts a harvest's shards by their states, and adds their figures. A shard that was left by its node,
// or whose node is gone, counts as one that waits.
func (b *Board) Sum(harvest string) (count map[State]int, sum Figures) {
	count = map[State]int{}
	for _, id := range b.Of(harvest) {
		x := b.At(id)
		if x.State == Running && (x.Node == "" || b.Gone(x.Node) > 0) {
			x.State = Waiting
		}
		count[x.State]++
		sum.Add(x.Figures)
	}
	return count, sum
}

// Holder is the node that has what there is of a shard; "" for none.
func (x *ShardRecord) Holder() string { return cmp.Or(x.From, x.Node) }

// Order notes the order to stop a shard, for whichever node has it; rests reports a shard that none
// harvests at the moment: it is stopped at once.
func (x *ShardRecord) Order() (rests bool) {
	if rests = x.State == Waiting || x.State == Running && (x.Node == "" || x.From != ""); rests {
		x.State = Stopped
	}
	x.Stop = x.State != Stopped
	return rests
}

// GoOn has a shard that was stopped, or is to be, go on, and one that has broken off do so soon.
func (x *ShardRecord) GoOn() {
	if x.State == Stopped {
		x.State, x.Code, x.Said = Waiting, 0, ""
	}
	if x.Broken > 0 {
		x.Broken, x.Said = 0, ""
	}
	x.Stop, x.Refused = false, nil
}

// pause is for how long the shard rests when it has broken off.
func (x *ShardRecord) pause() time.Duration {
	return min(againTime<<min(max(x.Broken-1, 0), 5), mostAgain)
}

// free reports a shard that a node may take, whose folder is lost with another node where lost is set.
func (b *Board) free(id ShardID, node string) (free, lost bool) {
	x := b.At(id)
	over := func(other string) bool { return other != "" && other != node && b.given(other) }
	if x.Node != "" && x.Node != node && !over(x.Node) {
		return false, false
	}
	if lost = over(x.From); x.From == "" {
		lost = over(x.Node)
	}
	left := x.From != "" && x.Node != node // for whoever comes, by the node that has its folder
	switch x.State {
	case Waiting:
		return true, lost
	case Running:
		return lost || left, lost
	case Ended:
		return left && !lost || lost && b.open(id, &x), lost
	case Stopped:
		return left && !lost, lost
	}
	return false, false
}

// open reports a shard that has ended, and of whose captures there is no other copy than its node's
// while the harvest is not gathered.
func (b *Board) open(id ShardID, x *ShardRecord) bool {
	return x.State == Ended && !x.Kept && !b.Harvests[id.Harvest].Gathered
}

// refused reports a shard that each node which is there has refused.
func (b *Board) refused(x *ShardRecord) bool {
	for name := range b.Nodes {
		if x.Refused[name] == "" && b.Gone(name) == 0 {
			return false
		}
	}
	return x.Node == "" && len(x.Refused) > 0
}

// running counts the shards that each node harvests.
func (b *Board) running() map[string]int {
	list := map[string]int{}
	for _, x := range b.All() {
		if x.State == Running {
			list[x.Node]++
		}
	}
	return list
}

// lags reports a node that harvests at least two shards more than another one that has room, while nothing
// waits for that one. heavy is the shard to give it: of those with more URLs before them than behind them,
// so that to send the folder is worth it, and which no node has given away, the one with most.
func (b *Board) lags(node string) (heavy ShardID, ok bool) {
	count := b.running()
	idle := slices.ContainsFunc(slices.Collect(maps.Keys(b.Nodes)), func(other string) bool {
		return b.Takes(other) && count[other] < b.Nodes[other].Room && count[other]+2 <= count[node]
	})
	most := int64(0)
	for id, x := range b.All() {
		if x.State == Waiting || x.State == Running && x.Node == "" {
			return ShardID{}, false
		}
		if x.State == Running && x.Node == node && x.From == "" && len(x.Given) == 0 &&
			x.Pending > max(most, x.Visits) {
			heavy, most = id, x.Pending
		}
	}
	return heavy, idle && most > 0
}

// choose is the shard that a node should take now. Of the nodes that have room the one with the fewest
// shards is first, of several the one with the greatest hash of name and shard.
func (b *Board) choose(node string) (id ShardID, next ShardRecord, ok bool) {
	count := b.running()
	for id, next := range b.All() {
		free, lost := b.free(id, node)
		if !free || next.Node != node && b.first(id, count) != node {
			continue
		}
		if lost {
			next = next.anew(cmp.Or(next.From, next.Node), b.Shards[id])
		}
		if next.Node = node; next.State == Waiting {
			next.State = Running
		}
		return id, next, true
	}
	return id, next, false
}

// first is the node whose turn it is to take a shard; "" for none.
func (b *Board) first(id ShardID, count map[string]int) (best string) {
	least, most, refused := 0, uint64(0), b.At(id).Refused
	for name, x := range b.Nodes {
		n := count[name]
		if n >= x.Room || !b.Takes(name) || refused[name] != "" {
			continue
		}
		sum := sha256.Sum256([]byte(id.String() + " " + name))
		weight := binary.BigEndian.Uint64(sum[:])
		if best == "" || n < least || n == least && weight > most {
			best, least, most = name, n, weight
		}
	}
	return best
}

// Change replaces the record of a node, harvest or shard as the board has it, and fails where somebody
// else was first. Boards that are asked for from then on have it.
func (m *Member) Change(b *Board, key string, x any) error {
	text, err := json.Marshal(x)
	if err != nil {
		return err
	}
	err = m.replace(b, key, text)
	if errors.Is(err, errStale) && b.removed[key] { // what is left of it may be gone by now
		delete(b.revs, key)
		err = m.replace(b, key, text)
	}
	return err
}

// replace writes a record; an empty one for that it is removed.
func (m *Member) replace(b *Board, key string, text []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), renewTime)
	defer cancel()
	rev, err := m.records.bucket.put(ctx, key, text, b.revs[key])
	if err == nil {
		m.learn(&entry{key: key, value: text, rev: rev}, 0)
	}
	return err
}

// ErrUngathered is the error of a harvest that is not to be forgotten yet.
var ErrUngathered = errors.New("its last round is under way, or nobody has gathered it")

// Forget has the broker keep nothing of a harvest whose last round was gathered but the number of that, so
// that a later one of that name has runs of other numbers. The folders of nodes stay. The
// error wraps os.ErrNotExist where there is no such harvest.
func (m *Member) Forget(ctx context.Context, name string) error {
	if _, err := m.Board().forget(name); err != nil {
		return err
	}
	if err := m.Office.removeAll(ctx, name+"/"); err != nil {
		return err
	}
	return m.Insist(ctx, func(b *Board) error {
		x, err := b.forget(name)
		if err == nil {
			err = m.PutHarvest(b, name, x) // first: no shard is to begin another round
		}
		for key := range b.revs {
			kind, harvest, _ := ofHarvest(key)
			if err == nil && harvest == name && (kind == "shard" || kind == "decided") && !b.removed[key] {
				err = m.replace(b, key, nil)
			}
		}
		return err
	})
}

// forget is what is left of the record of a harvest that is forgotten.
func (b *Board) forget(name string) (HarvestRecord, error) {
	x := b.Harvests[name]
	more, left := 0, len(x.Shards)
	for id, y := range b.Shards {
		if id.Harvest == name {
			left++ // after an attempt that broke off, too
			more = max(more, len(y.Lost))
		}
	}
	switch {
	case left == 0:
		return x, fmt.Errorf("harvest %s: %w", name, os.ErrNotExist)
	case !x.Gathered:
		return x, fmt.Errorf("harvest %s: %w", name, ErrUngathered)
	}
	return HarvestRecord{Round: x.Round + more, Count: x.Count, By: x.By, Gathered: true}, nil
}

// Insist tries again, with what the broker has told meanwhile, until something is done or somebody else
// was known to be before, for two minutes at most. The attempt finds out by the board whether it was done
// by an earlier one that nobody answered. An error of this machine's files, or one that wraps
// os.ErrNotExist, is not tried again.
func (m *Member) Insist(ctx context.Context, attempt func(b *Board) error) error {
	for end := time.Now().Add(insistTime); ; pause(ctx, tickTime) {
		err := attempt(m.Board())
		local := new(fs.PathError)
		if err == nil || errors.Is(err, os.ErrNotExist) || errors.As(err, &local) || ctx.Err() != nil ||
			time.Now().After(end) {
			return err
		}
	}
}

// PutHarvest changes the record of a harvest.
func (m *Member) PutHarvest(b *Board, name string, x HarvestRecord) error {
	return m.Change(b, harvestKey(name), x)
}

// PutDecided changes what was decided for each site of a harvest on a subject.
func (m *Member) PutDecided(b *Board, harvest, subject string, x any) error {
	sum := sha256.Sum256([]byte(subject))
	return m.Change(b, fmt.Sprintf("decided.%s.%x", harvest, sum[:16]), x)
}

// PutShard changes the record of a shard.
func (m *Member) PutShard(b *Board, id ShardID, x ShardRecord) error {
	return m.Change(b, shardKey(id), x)
}
