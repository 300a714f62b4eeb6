package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"watershed/cluster"
	"watershed/configs"
	"watershed/harvest"
	"watershed/harvest/control"
	"watershed/internal/coding"
	"watershed/internal/console"
	"watershed/internal/disk"
	"watershed/report"
	"watershed/store"
	"watershed/ui"
	"watershed/upload"
)

// shardNode is a node that harvests shards.
type shardNode struct {
	name    string
	cluster string // its YAML
	folder  string
	member  *cluster.Member
	log     *slog.Logger
	drain   func() // orders it to hand its shards over, and to end

	placing  sync.Mutex // held while files are written that the shards of a harvest have in common
	deciding sync.Mutex // held while files with decisions are compared with the broker's
	looked   map[cluster.ShardID]looked

	lack atomic.Pointer[lack]
}

// lack is room on a disk without which a harvest ended.
type lack struct {
	at   string
	need uint64 // bytes that must be free
}

// fit reports that there is room where a harvest of this node lacked it.
func (n *shardNode) fit() bool {
	x := n.lack.Load()
	if x == nil {
		return true
	}
	free, ok := disk.Free(x.at)
	return !ok || free >= x.need // also where the folder has been moved
}

// workShards has a node harvest shards until the context ends.
func workShards(ctx context.Context, file, name string, config *configs.Cluster, b cluster.Broker,
	log *slog.Logger,
) error {
	at, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	draining, drain := context.WithCancel(context.Background())
	defer drain()
	told, when := "", time.Time{}
	failed := 0 // attempts in a row: a broker of the node's own is not there at once
	for {
		failed++
		err := cluster.With(ctx, b, "node "+name, log, func(ctx context.Context, m *cluster.Member) error {
			failed = 0
			n := &shardNode{
				name: name, cluster: at, folder: string(config.Harvests), member: m, log: log, drain: drain,
				looked: map[cluster.ShardID]looked{},
			}
			group, ctx := errgroup.WithContext(ctx)
			ctx, stop := context.WithCancel(ctx)
			group.Go(func() error { return m.Office.Answer(ctx, name, n.answer) })
			group.Go(func() error { return n.keepAll(ctx) })
			group.Go(func() error {
				defer stop()
				return (&cluster.Worker{
					Node: name, Room: config.Room, Patience: max(config.Patience.Std(), 1),
					Harvest: n.harvest, Has: n.has, Fetch: n.fetch, Drain: draining.Done(), Log: log,
					Fit: n.fit,
				}).Work(ctx, m)
			})
			return group.Wait()
		})
		switch {
		case err == nil, ctx.Err() != nil:
			return nil
		case errors.Is(err, cluster.ErrTwice), errors.Is(err, cluster.ErrClock):
			return err
		}
		text := err.Error()
		if errors.Is(err, cluster.ErrProtocol) { // by others, whose names change with each shard
			text = cluster.ErrProtocol.Error()
		}
		if failed != 1 && (text != told || time.Since(when) > 10*time.Minute) {
			told, when = text, time.Now()
			log.Warn("no shard is harvested; it is tried again", "node", name, "cause", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(2 * time.Second):
		}
	}
}

// bundle is a harvest's YAML and the lists that it names, as nodes get them.
type bundle struct {
	YAML  string            `json:"yaml"`
	Files map[string][]byte `json:"files"` // by their names relative to the YAML's folder
}

// bundleName is that of a bundle at the broker, by the SHA-256 that the record of the harvest has.
func bundleName(harvest, sum string) string { return harvest + "/yaml" + sum }

// mostBundle bounds a bundle, in bytes: two lists of the greatest size, and the YAML.
const mostBundle = 192 << 20

// readBundle reads a bundle of so many bytes at most.
func readBundle(from io.Reader, most int64) (b bundle, err error) {
	more := fmt.Errorf("a YAML and its lists have more than %s", console.Size(most))
	err = json.NewDecoder(coding.AtMost(from, most, more)).Decode(&b)
	return b, err
}

// place writes a bundle into a folder.
func (b *bundle) place(folder string) error {
	for name, text := range b.Files {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("the cluster has a file %q, which lies outside of the harvest's folder", name)
		}
		at := filepath.Join(folder, name)
		if old, err := os.ReadFile(at); err == nil && bytes.Equal(old, text) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			return err
		}
		err := disk.WriteText(disk.OS{}, at, 0o666, text)
		if err != nil {
			return err
		}
	}
	return nil
}

func (n *shardNode) yaml(id cluster.ShardID) string {
	return filepath.Join(n.folder, id.Harvest, id.String()+".yaml")
}

// prepare writes the YAML of a shard. Only the process that harvests the shard reads it, since that of very
// many sites takes long.
func (n *shardNode) prepare(ctx context.Context, id cluster.ShardID) error {
	var b bundle
	file := n.yaml(id)
	board := n.member.Board()
	x, at := board.Harvests[id.Harvest], board.At(id)
	text, err := n.member.Office.Fetch(ctx, bundleName(id.Harvest, x.YAML), n.folder)
	if err == nil {
		b, err = readBundle(text, mostBundle)
		err = errors.Join(err, text.Close())
	}
	if err == nil {
		n.placing.Lock()
		err = b.place(filepath.Dir(file))
		n.placing.Unlock()
	}
	if err == nil {
		shard := configs.Shard{
			Shard: id.Shard, Count: x.Count, Of: configs.Path(b.YAML), Dir: ".",
			Cluster: configs.Path(n.cluster), Former: at.Run(at.Round) - 1, Node: n.name,
		}
		err = disk.WriteText(disk.OS{}, file, 0o666, shard.YAML()) // commands read it meanwhile
	}
	return err
}

// keepOrders has the run of a shard that is begun next, or goes on, find what was ordered before.
func (n *shardNode) keepOrders(id cluster.ShardID) (orders []json.RawMessage, err error) {
	file := harvest.Folder(n.shardFolder(id)).Kept()
	if orders = n.member.Board().Harvests[id.Harvest].Orders; len(orders) > 0 {
		return orders, disk.WriteFile(disk.OS{}, file, 0o666, func(w io.Writer) error {
			return json.NewEncoder(w).Encode(orders)
		})
	}
	if err = os.Remove(file); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return nil, err
}

// giveOrders gives the run of a shard those orders that the broker keeps and that it was not given yet: some
// may have come while it began. To give an order twice changes nothing.
func (n *shardNode) giveOrders(ctx context.Context, b *cluster.Board, id cluster.ShardID,
	given []json.RawMessage,
) []json.RawMessage {
	for _, text := range b.Harvests[id.Harvest].Orders {
		if slices.ContainsFunc(given, func(x json.RawMessage) bool { return bytes.Equal(x, text) }) {
			continue
		}
		var k harvest.KeptOrder
		err := json.Unmarshal(text, &k)
		if err == nil {
			_, err = harvest.Folder(n.shardFolder(id)).Order(ctx, k.Order)
		}
		if errors.Is(err, control.ErrNoRun) {
			return given // it is given later
		}
		if err != nil {
			n.log.Warn("an order is not carried out", "shard", id.String(), "cause", err)
		}
		given = append(given, text)
	}
	return given
}

// round is what a node notes before it begins a round of a shard.
type round struct {
	Round int `json:"round"`
	Ended int `json:"ended"` // runs that had ended by then
}

// begun notes a round, and reports that its run has ended already. A folder whose run has a number that was
// given before the shard was lost elsewhere is left aside: this node had the shard before that one.
func (n *shardNode) begun(job cluster.Job, folder harvest.Folder) (ended bool, err error) {
	runs, err := folder.Runs()
	if err != nil {
		return false, err
	}
	finished := 0
	for _, r := range runs {
		if r.Finished() {
			finished++
		}
	}
	noted, err := n.noted(job.ID)
	here := err == nil && noted.Round == job.Round
	ended = here && finished > noted.Ended
	x := n.member.Board().At(job.ID)
	if k := len(runs); k > 0 && (ended || finished < k) && runs[k-1].Number() < x.Run(job.Round) {
		n.log.Warn("a shard is harvested anew; what this node had of it before another one is left aside",
			"shard", job.ID.String())
		if err := setAside(disk.OS{}, string(folder)); err != nil {
			return false, err
		}
		here, ended, finished = false, false, 0
	}
	if here {
		return ended, nil
	}
	if err := os.MkdirAll(string(folder), 0o777); err != nil {
		return false, err
	}
	return false, disk.WriteFile(disk.OS{}, n.roundFile(job.ID), 0o666, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(round{job.Round, finished})
	})
}

// number has the broker keep that a round of a shard is begun here: should the disk be lost before the first
// figures are told, its run is lost with it, and that number is no other's.
func (n *shardNode) number(ctx context.Context, job cluster.Job) error {
	return changeShard(ctx, n.member, job.ID, func(b *cluster.Board, x *cluster.ShardRecord) bool {
		news := x.Begun < job.Round && x.Round == job.Round && n.owns(b, job.ID)
		x.Begun = job.Round
		return news
	})
}

func (n *shardNode) roundFile(id cluster.ShardID) string {
	return filepath.Join(n.shardFolder(id), "round.json")
}

// noted is the round that was noted last.
func (n *shardNode) noted(id cluster.ShardID) (*round, error) {
	return disk.ReadJSON[round](n.roundFile(id))
}

// has reports that what a shard brought by its last record is on this node's disk, or that nothing was had;
// all of it, where the round has ended: a disk that was restored may be one of before.
func (n *shardNode) has(id cluster.ShardID, last cluster.ShardRecord) bool {
	noted, err := n.noted(id)
	if pathErr := new(fs.PathError); errors.As(err, &pathErr) && !errors.Is(err, fs.ErrNotExist) {
		return true // it cannot be looked up now
	}
	if err != nil || noted.Round < last.Begun || noted.Round > last.Round {
		return false
	}
	runs, err := harvest.Folder(n.shardFolder(id)).Runs()
	if ended := last.State == cluster.Ended; err != nil || len(runs) == 0 || !ended {
		return err != nil || len(runs) > 0 || !ended && last.Visits+last.Before == 0
	}
	ofRound := runs[min(noted.Ended, len(runs)-1):] // a later one may have been begun by hand
	return slices.ContainsFunc(ofRound, func(r harvest.Run) bool {
		x, err := ui.ReadStatus(r, time.Now())
		if err != nil || x == nil {
			return err != nil
		}
		if x.Ending == nil { // a report that is there is damaged
			_, err := os.Stat(filepath.Join(r.Reports(), "report.json"))
			return err == nil && r.Finished()
		}
		return x.Ending.Ended != report.Interrupted
	})
}

// harvest harvests a shard by a process of its own.
func (n *shardNode) harvest(ctx context.Context, job cluster.Job, tell func(cluster.Figures)) cluster.Result {
	err := n.prepare(ctx, job.ID)
	var ended bool
	folder := harvest.Folder(n.shardFolder(job.ID))
	if err == nil {
		ended, err = n.begun(job, folder)
	}
	if err == nil {
		err = n.recall(ctx, job.ID)
	}
	if err == nil {
		err = n.number(ctx, job)
	}
	if err == nil && !n.has(job.ID, n.member.Board().At(job.ID)) { // the worker finds that, too, and tells it
		err = fmt.Errorf("shard %s: what it brought is not on this node's disk any more", job.ID)
	}
	var given []json.RawMessage
	if err == nil {
		given, err = n.keepOrders(job.ID)
	}
	if err != nil {
		return n.failed(err)
	}
	r := cluster.Result{Code: exitOK}
	if !ended || n.lacks(job.ID, folder) != "" {
		out, err := os.OpenFile(n.logFile(job.ID), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
		if err != nil {
			return n.failed(err)
		}
		watching, stop := context.WithCancel(ctx)
		var watched sync.WaitGroup
		last := &lastLine{to: out}
		watched.Go(func() {
			watchShard(watching, folder, ended, tell, last, func() {
				given = n.giveOrders(watching, n.member.Board(), job.ID, given)
			})
		})
		if ended {
			r.Code, r.Said = n.upload(ctx, job.ID, last)
		} else {
			r.Code, r.Said, err = n.run(ctx, job.ID, last)
		}
		stop()
		watched.Wait()
		err = errors.Join(err, out.Close())
		var config configs.Harvest
		if err == nil && (r.Code == exitConfig || r.Code == exitNoSpace) {
			config, err = load(n.yaml(job.ID)) // of whose mistakes the last line is only what to do
		}
		if r.Code == exitNoSpace {
			need := max(config.Limits.FreeDisk.Bytes(), store.DefaultMinFreeBytes)
			n.lack.Store(&lack{string(folder), uint64(need)})
		}
		if err != nil {
			return n.failed(err)
		}
	}
	return n.result(ctx, job, folder, r, ended)
}

// failed is the result of what did not come to a run.
func (n *shardNode) failed(err error) cluster.Result {
	code := exitCode(err)
	verdict := verdictOf(code)
	if errors.Is(err, syscall.EROFS) { // which hinders all shards of this node
		verdict = cluster.Unfit
	}
	return cluster.Result{Verdict: verdict, Code: code, Said: err.Error()}
}

// verdictOf says what becomes of a shard that was not harvested to its end.
func verdictOf(code int) cluster.Verdict {
	switch code {
	case exitNoSpace:
		return cluster.Unfit
	case exitConfig:
		return cluster.Refused
	}
	return cluster.Again
}

// watchShard tells how the run of a shard goes, when that has ended also what the process said last, which
// may still upload; it calls each at each look. A run is looked at once the process has begun it, or goes on
// with it; seen is true for one that had ended before.
func watchShard(ctx context.Context, folder harvest.Folder, seen bool, tell func(cluster.Figures),
	last *lastLine, each func(),
) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for end := false; !end; {
		select {
		case <-ctx.Done():
			end = true
		case <-tick.C:
			each()
		}
		_, x, err := lastStatus(folder)
		if err != nil || x == nil {
			continue
		}
		if seen = seen || x.Live; seen {
			f := figuresOf(x)
			if x.Ending != nil {
				f.Doing = last.text()
			}
			tell(f)
		}
	}
}

// lastStatus is how the last run of a harvest stands, nil where it has not told yet.
func lastStatus(folder harvest.Folder) (run harvest.Run, x *ui.Status, err error) {
	if run, err = folder.Last(); err == nil {
		x, err = ui.ReadStatus(run, time.Now())
	}
	return run, x, err
}

func figuresOf(x *ui.Status) cluster.Figures {
	return cluster.Figures{
		Visits: x.Visits, Captured: x.Captured, Failed: x.Failed, Pending: x.Pending, Bytes: x.Bytes,
	}
}

// endTime is how long a harvest that is told to end may take.
const endTime = 2 * patience

// run runs the harvest of a shard, and gives its exit code and the last line that it said. A round that
// extends the one before harvests all of a shard that has no run here: it is new, or was lost.
func (n *shardNode) run(ctx context.Context, id cluster.ShardID, last *lastLine,
) (code int, said string, err error) {
	program, err := os.Executable()
	if err != nil {
		return 0, "", err
	}
	file, args := n.yaml(id), []string{"harvest", "--quiet"}
	if x, err := n.noted(id); err == nil && x.Ended > 0 && n.member.Board().Harvests[id.Harvest].Extend {
		args = append(args, "--extend")
	}
	cmd := exec.CommandContext(ctx, program, append(args, file)...)
	cmd.Stdout, cmd.Stderr = last.to, last
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = endTime
	if err := runBound(cmd); cmd.ProcessState == nil {
		return 0, "", err
	}
	said = last.text()
	switch code = cmd.ProcessState.ExitCode(); {
	case last.fault != "" && code != exitOK:
		said = fmt.Sprintf("%s (node %s has all of it in %s)", last.fault, n.name, n.logFile(id))
	case code < 0:
		said = fmt.Sprintf("its process was ended (%s): where the system had no memory left, its log says so",
			cmd.ProcessState)
	}
	return code, said, nil
}

// runBound runs a child that ends with this process, as it does with the thread that has begun it.
func runBound(cmd *exec.Cmd) error {
	cmd.SysProcAttr = bound()
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		done <- cmd.Run()
	}()
	return <-done
}

// logFile is the file with what the processes of a shard say.
func (n *shardNode) logFile(id cluster.ShardID) string {
	return strings.TrimSuffix(n.yaml(id), ".yaml") + ".log"
}

// upload goes on with the upload of a shard's run that has ended, which a former process of the node broke
// off, or never began. Whatever fails in it, the run is as it is.
func (n *shardNode) upload(ctx context.Context, id cluster.ShardID, last *lastLine) (code int, said string) {
	code = run(ctx, []string{"upload", n.yaml(id)}, last.to, last)
	if code == exitOK || code == exitInterrupted {
		return code, ""
	}
	return exitFailed, last.text()
}

// lastLine keeps the last line that is written, and the first that tells a fault of the program: its stacks
// follow.
type lastLine struct {
	to io.Writer

	mu    sync.Mutex // guards what follows
	tail  []byte
	fault string
}

// faultLine is a line by which Go's runtime, or this program, begins to tell a fault.
var faultLine = regexp.MustCompile(
	`(?m)^(?:watershed: )?(?:panic|fatal error|SIG[A-Z]+|a fault of the program): .*`)

// mostSaid bounds that line, in bytes.
const mostSaid = 1000

func (l *lastLine) Write(p []byte) (int, error) {
	l.mu.Lock()
	l.tail = append(l.tail, p...)
	m := faultLine.FindIndex(l.tail) // up to its end, or to where it is too long
	if l.fault == "" && m != nil && (m[1] < len(l.tail) || m[1]-m[0] >= mostSaid) {
		l.fault = string(l.tail[m[0]:min(m[1], m[0]+mostSaid)])
	}
	if n := len(l.tail); n > mostSaid {
		l.tail = slices.Clone(l.tail[n-mostSaid:])
	}
	l.mu.Unlock()
	return l.to.Write(p)
}

func (l *lastLine) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := strings.TrimSpace(string(l.tail))
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// lacks says how far the upload of a shard's last run came that was broken off, or never begun; "" for none.
func (n *shardNode) lacks(id cluster.ShardID, folder harvest.Folder) string {
	run, err := folder.Last()
	if err != nil {
		return ""
	}
	sum, err := run.Uploaded()
	switch {
	case err != nil:
	case sum == nil:
		if config, err := load(n.yaml(id)); err == nil && config.Upload.AtEnd() {
			return "it was not begun"
		}
	case !sum.Whole():
		return sum.String()
	}
	return ""
}

// result says what becomes of a shard whose harvest has ended; before, when its results are sent again, or
// for the first time after all.
func (n *shardNode) result(ctx context.Context, job cluster.Job, folder harvest.Folder, r cluster.Result,
	before bool,
) cluster.Result {
	switch r.Code {
	case exitOK:
		r.Said = "" // the last that it said is no cause
	case exitBytes, exitTime, exitPages, exitLosses, exitFailed:
	case exitInterrupted:
		r.Verdict = cluster.Ordered
		return r
	default:
		r.Verdict = verdictOf(r.Code)
		return r
	}
	run, x, err := lastStatus(folder)
	if err != nil || x == nil || x.Ending == nil { // it did not come to its end
		r.Verdict = cluster.Again
		return r
	}
	if before {
		err := endingError(run, x.Ending)
		if lacks := n.lacks(job.ID, folder); lacks != "" {
			cause := cmp.Or(r.Said, "not uploaded: "+lacks)
			err = &exitError{exitFailed, notUploaded(errors.New(cause), n.yaml(job.ID), n.name)}
		}
		if r.Code, r.Said = exitOK, ""; err != nil {
			r.Code, r.Said = exitCode(err), err.Error()
		}
	}
	r.Figures = figuresOf(x)
	if r.Kept, err = uploaded(run); err != nil {
		n.log.Warn("whether a shard was uploaded is not known", "shard", job.ID.String(), "cause", err)
	}
	pack, err := os.CreateTemp(n.folder, ".results-*")
	if err == nil {
		if err = errors.Join(os.Remove(pack.Name()), packResults(pack, run)); err == nil {
			err = n.member.Office.Send(ctx, resultsName(job), pack)
		}
		err = errors.Join(err, pack.Close())
	}
	if errors.Is(err, cluster.ErrFull) { // they are gathered from here
		n.log.Warn("the results of a shard stay at this node, until they are gathered", "shard",
			job.ID.String(), "cause", err)
		return r
	}
	if err != nil {
		n.log.Warn("the results of a shard are not sent; it is tried again", "shard", job.ID.String(),
			"cause", err)
		return n.failed(err)
	}
	return r
}

// uploaded reports that the store has all WARC files of a run, and whatever else it was to get.
func uploaded(run harvest.Run) (bool, error) {
	record, err := upload.Read(string(run))
	if record == nil || err != nil {
		return false, err
	}
	files, err := run.Handed([]upload.Kind{upload.WARC})
	sum := record.Sum()
	return sum.Done == sum.Files && !slices.ContainsFunc(files, func(f upload.File) bool {
		return record.Files[f.Path] == nil
	}), err
}

// kept tells that the runs of a shard were uploaded by order, from the last one on.
func (n *shardNode) kept(ctx context.Context, id cluster.ShardID) error {
	runs, err := harvest.Folder(n.shardFolder(id)).Runs()
	left := len(runs)
	for done := true; left > 0 && done && err == nil; {
		if done, err = uploaded(runs[left-1]); done {
			left--
		}
	}
	if err != nil || left == len(runs) {
		return err
	}
	return changeShard(ctx, n.member, id, func(_ *cluster.Board, x *cluster.ShardRecord) bool {
		news := x.Node == n.name && x.From == "" && x.State == cluster.Ended &&
			(!x.Kept || left == 0 && x.Before > 0)
		if x.Kept = true; left == 0 {
			x.Before = 0
		}
		return news
	})
}

func resultsName(job cluster.Job) string {
	return fmt.Sprintf("%s/%s/%d", job.ID.Harvest, job.ID, job.Round)
}

// results are what whoever asked for a harvest gets of the run of a shard: all but the captures.
var results = []string{"indexes", "reports", "sites", "logs/skipped.jsonl", "harvest.yaml"}

// packResults writes the results of a run as tar.gz.
func packResults(to io.Writer, run harvest.Run) error {
	zip := gzip.NewWriter(to)
	out := tar.NewWriter(zip)
	err := eachResult(run, func(name, at string, info fs.FileInfo) error {
		return packFile(out, name, at, info)
	})
	if err != nil {
		return err
	}
	return errors.Join(out.Close(), zip.Close())
}

// eachResult goes through the files of a run that whoever asked for the harvest gets.
func eachResult(run harvest.Run, do func(name, at string, info fs.FileInfo) error) error {
	for _, part := range results {
		if _, err := os.Stat(filepath.Join(string(run), part)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := eachFile(string(run), part, do); err != nil {
			return err
		}
	}
	return nil
}

func packFile(out *tar.Writer, name, at string, info fs.FileInfo) error {
	f, err := os.Open(at)
	if err != nil {
		return err
	}
	err = out.WriteHeader(&tar.Header{
		Name: name, Mode: 0o666, Size: info.Size(), ModTime: info.ModTime(),
	})
	if err == nil {
		_, err = io.CopyN(out, f, info.Size())
	}
	return errors.Join(err, f.Close())
}

// owns reports that the folder of a shard is this node's for certain. A shard that another node has by
// now, or that is still to be fetched, may lie here as it was before.
func (n *shardNode) owns(b *cluster.Board, id cluster.ShardID) bool {
	x := b.At(id)
	return !b.Stale && x.Node == n.name && x.From == ""
}

// authorKey is the key of a context's value that names who gives a command, on another machine.
type authorKey struct{}

// author is who gives a command.
func author(ctx context.Context) string {
	by, _ := ctx.Value(authorKey{}).(string) // "" for a command that was given here
	return cmp.Or(by, whoami())
}

// answer runs a command for a shard of this node.
func (n *shardNode) answer(ctx context.Context, q cluster.Question, out, errs io.Writer) (code int) {
	id := cluster.ShardID{Harvest: q.Harvest, Shard: q.Shard}
	drain := len(q.Args) == 1 && q.Args[0] == drainQuestion
	if !drain && !slices.Contains(n.member.Board().Of(q.Harvest), id) {
		fmt.Fprintf(errs, "node %s knows of no shard %d of a harvest %q\n", n.name, q.Shard, q.Harvest)
		return exitFailed
	}
	name := ""
	if len(q.Args) > 0 {
		name = q.Args[0]
	}
	decides := name == "decide" && !slices.Contains(q.Args, "list")
	changes := decides || slices.Contains([]string{orderQuestion, decidedQuestion, "control", "upload"}, name)
	if changes && !n.owns(n.member.Board(), id) {
		fmt.Fprintf(errs, "shard %s is not at node %s, or is on its way there: %s is not done\n", id, n.name,
			name)
		return exitFailed
	}
	if ok, err := n.own(ctx, q, id, out); ok {
		if err != nil {
			fmt.Fprintln(errs, err)
		}
		return exitCode(err)
	}
	if !slices.Contains(shardCommands, name) {
		fmt.Fprintf(errs, "node %s runs no such command for others\n", n.name)
		return exitUsage
	}
	if _, err := os.Stat(n.yaml(id)); err != nil {
		fmt.Fprintf(errs, "node %s has nothing of shard %s\n", n.name, id)
		return exitFailed
	}
	args := slices.Clone(q.Args)
	for i, x := range args {
		if x == cluster.FileArg {
			args[i] = n.yaml(id)
		}
	}
	code = run(context.WithValue(ctx, authorKey{}, q.By), args, out, errs)
	if code == exitOK && decides {
		if err := n.keep(ctx, id); err != nil {
			fmt.Fprintf(errs, "the decision is on the disk of node %s alone: %v\n", n.name, err)
			return exitCode(err)
		}
	}
	if code == exitOK && name == "upload" {
		if err := n.kept(ctx, id); err != nil {
			fmt.Fprintf(errs, "that shard %s is uploaded is not told to the cluster: %v\n", id, err)
			return exitCode(err)
		}
	}
	return code
}
