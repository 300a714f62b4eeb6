package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"watershed/cluster"
	"watershed/harvest"
	"watershed/harvest/control"
	"watershed/harvest/decision"
	"watershed/internal/console"
	"watershed/internal/disk"
)

// Questions about files of a shard, and the order to hand all shards over.
const (
	listQuestion, readQuestion, drainQuestion = "list", "read", "drain"
	// resultsQuestion asks for the files that packResults has, of the run of a round.
	resultsQuestion = "results"
	// standingQuestion asks how the last run of a shard stands.
	standingQuestion = "standing"
	// orderQuestion gives an order, in JSON, to the run of a shard.
	orderQuestion = "order"
	// decidedQuestion has a shard heed what was decided for each site, in JSON: see obeyWide.
	decidedQuestion = "decided"
)

type shardFile struct {
	Name string `json:"name"` // relative to the shard's folder
	Size int64  `json:"size"`
	Time int64  `json:"time"` // in nanoseconds
}

// mostRead is how many bytes of a file are asked for at a time.
const mostRead = 8 << 20

func (n *shardNode) shardFolder(id cluster.ShardID) string {
	return filepath.Join(n.folder, id.Harvest, id.String())
}

// own answers what nodes ask each other; ok is false for a command.
func (n *shardNode) own(ctx context.Context, q cluster.Question, id cluster.ShardID, out io.Writer) (ok bool,
	err error,
) {
	if len(q.Args) == 0 {
		return false, nil
	}
	var said any
	switch args := q.Args[1:]; {
	case len(args) == 0 && q.Args[0] == drainQuestion:
		n.drain()
		return true, nil
	case len(args) == 0 && q.Args[0] == listQuestion:
		said, err = filesOf(n.shardFolder(id))
	case len(args) == 0 && q.Args[0] == standingQuestion:
		if _, said, err = lastStatus(harvest.Folder(n.shardFolder(id))); errors.Is(err, harvest.ErrNoRun) {
			err = nil
		}
	case len(args) == 1 && q.Args[0] == orderQuestion:
		var o control.Order
		if err = json.Unmarshal([]byte(args[0]), &o); err == nil {
			said, err = n.obey(ctx, id, o)
		}
	case len(args) == 1 && q.Args[0] == decidedQuestion:
		var more []decision.Last
		if err = json.Unmarshal([]byte(args[0]), &more); err == nil {
			n.deciding.Lock()
			said, err = n.obeyWide(ctx, id, more)
			n.deciding.Unlock()
		}
	case len(args) == 1 && q.Args[0] == resultsQuestion:
		said, err = n.resultFiles(id, args[0])
	case len(args) == 2 && q.Args[0] == readQuestion && filepath.IsLocal(args[0]):
		offset, err := strconv.ParseInt(args[1], 10, 64)
		if err != nil {
			return true, err
		}
		f, err := os.Open(filepath.Join(n.shardFolder(id), args[0]))
		if err != nil {
			return true, err
		}
		_, err = io.Copy(out, io.NewSectionReader(f, offset, mostRead))
		return true, errors.Join(err, f.Close())
	default:
		return false, nil
	}
	if err == nil {
		err = json.NewEncoder(out).Encode(said)
	}
	return true, err
}

// obey gives an order to the run of a shard. A run that begins has it from giveOrders.
func (n *shardNode) obey(ctx context.Context, id cluster.ShardID, o control.Order) (control.Answer, error) {
	a, err := harvest.Folder(n.shardFolder(id)).Order(ctx, o)
	var phase *control.PhaseError
	switch {
	case o.Do == control.Stop: // which is kept otherwise
	case errors.As(err, &phase) && phase.Phase == control.Delivering:
		return control.Answer{Later: err.Error()}, nil
	case errors.Is(err, control.ErrNoRun):
		return control.Answer{Later: "no run takes orders now: one that begins carries this out"}, nil
	}
	return a, err
}

// resultFiles lists the results of the last run of a shard, which is to be that of a round. The error has the
// exit code of losses where they are not here.
func (n *shardNode) resultFiles(id cluster.ShardID, round string) (list []shardFile, err error) {
	number, err := strconv.Atoi(round)
	if err == nil && !n.has(id, cluster.ShardRecord{Round: number, Begun: number, State: cluster.Ended}) {
		err = &exitError{exitLosses, fmt.Errorf("shard %s has no results of round %s here", id, round)}
	}
	if err != nil {
		return nil, err
	}
	run, err := harvest.Folder(n.shardFolder(id)).Last()
	if err != nil {
		return nil, err
	}
	below, err := filepath.Rel(n.shardFolder(id), string(run))
	if err != nil {
		return nil, err
	}
	return list, eachResult(run, func(name, _ string, info fs.FileInfo) error {
		name = path.Join(filepath.ToSlash(below), name)
		list = append(list, shardFile{name, info.Size(), info.ModTime().UnixNano()})
		return nil
	})
}

// filesOf lists the files in a folder, and those to which links in it lead; none where it is not there.
func filesOf(folder string) (list []shardFile, err error) {
	if _, err := os.Lstat(folder); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return list, eachFile(folder, "", func(name, _ string, info fs.FileInfo) error {
		list = append(list, shardFile{name, info.Size(), info.ModTime().UnixNano()})
		return nil
	})
}

// eachFile goes through the files of a name, or below it, in a folder, and those to which links lead, which
// may be on another disk. A link to what is not there is an error.
func eachFile(folder, name string, do func(name, at string, info fs.FileInfo) error) error {
	at := filepath.Join(folder, name)
	info, err := os.Stat(at)
	switch {
	case err == nil && info.Mode().IsRegular():
		return do(name, at, info)
	case err != nil || !info.IsDir():
		return err
	}
	entries, err := os.ReadDir(at)
	for _, e := range entries {
		if err == nil {
			err = eachFile(folder, path.Join(name, e.Name()), do)
		}
	}
	return err
}

// fetch has the folder of a shard come from another node, in place of what is here of it, which is left
// beside it.
func (n *shardNode) fetch(ctx context.Context, job cluster.Job, from string) cluster.Result {
	if err := n.fetchFolder(ctx, job.ID, from); err != nil {
		n.log.Warn("a shard is not fetched; it is tried again", "shard", job.ID.String(), "node", from,
			"cause", err)
		return n.failed(err)
	}
	return cluster.Result{}
}

func (n *shardNode) fetchFolder(ctx context.Context, id cluster.ShardID, from string) error {
	// First, as nothing is fetched again when it fails.
	if err := n.prepare(ctx, id); err != nil {
		return err
	}
	list, err := askFiles(ctx, n.member, from, id, listQuestion)
	if err != nil {
		return err
	}
	to, part := n.shardFolder(id), n.shardFolder(id)+".fetched"
	if err := thinOut(part, list); err != nil {
		return err
	}
	for _, f := range list {
		if err := fetchFile(ctx, n.member, disk.OS{}, id, from, f, filepath.Join(part, f.Name)); err != nil {
			return err
		}
	}
	return take(disk.OS{}, part, to) // an empty one, too: what is here is not what that node had
}

// take gives a folder that was fetched its name, and leaves what had that beside it. It is durable when
// there is no error: the node that had the folder may be told to remove it.
func take(d disk.FS, part, to string) error {
	if err := disk.SyncAll(d, part); err != nil {
		return err
	}
	if err := setAside(d, to); err != nil {
		return err
	}
	if err := d.Rename(part, to); err != nil {
		return err
	}
	return syncParents(d, to)
}

// setAside leaves a folder, if it is there, beside where it was, with the date in its name.
func setAside(d disk.FS, folder string) error {
	err := d.Rename(folder, folder+time.Now().UTC().Format(".20060102T150405.000"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// syncParents makes the name of a folder of a harvest durable, and that of the harvest's.
func syncParents(d disk.FS, folder string) error {
	harvest := filepath.Dir(folder)
	return errors.Join(d.SyncDir(harvest), d.SyncDir(filepath.Dir(harvest)))
}

// thinOut removes what an earlier attempt left of other files, and looks whether there is room for the
// rest.
func thinOut(part string, list []shardFile) error {
	if err := os.MkdirAll(part, 0o777); err != nil {
		return err
	}
	wanted, need := map[string]shardFile{}, int64(0)
	for _, f := range list {
		wanted[f.Name] = f
		need += f.Size
	}
	old, err := filesOf(part)
	if err != nil {
		return err
	}
	for _, f := range old {
		if wanted[f.Name] == f {
			need -= f.Size
		} else if err := os.Remove(filepath.Join(part, f.Name)); err != nil {
			return err
		}
	}
	if free, ok := disk.Free(part); ok && free < uint64(max(need, 0)) {
		return fmt.Errorf("%s: %d bytes are needed, and %d free: %w", part, need, free, syscall.ENOSPC)
	}
	return nil
}

// fetchFile copies a file from another node, unless it is here.
func fetchFile(ctx context.Context, m *cluster.Member, d disk.FS, id cluster.ShardID, from string,
	f shardFile, at string,
) error {
	if i, err := os.Stat(at); err == nil && (shardFile{f.Name, i.Size(), i.ModTime().UnixNano()}) == f {
		return nil
	}
	if err := d.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		return err
	}
	err := disk.WriteFile(d, at, 0o666, func(to io.Writer) error {
		return readFile(ctx, m, id, from, f, to)
	})
	if err != nil {
		return err
	}
	when := time.Unix(0, f.Time)
	return os.Chtimes(at, when, when)
}

// readFile copies a file of a shard from its node.
func readFile(ctx context.Context, m *cluster.Member, id cluster.ShardID, node string, f shardFile,
	to io.Writer,
) error {
	for offset := int64(0); offset < f.Size; {
		part := min(mostRead, f.Size-offset)
		b := &bounded{to: to, left: part}
		err := askNode(ctx, m, node, id, b, readQuestion, f.Name, strconv.FormatInt(offset, 10))
		if err == nil && b.left > 0 {
			err = fmt.Errorf("%s: node %s sent %d bytes too few", f.Name, node, b.left)
		}
		if err != nil {
			return err
		}
		offset += part
	}
	return nil
}

// mostAnswer bounds what a node answers that is kept in memory: the list of some 500,000 files.
const mostAnswer = 64 << 20

// bounded takes no more than so many bytes.
type bounded struct {
	to   io.Writer
	left int64
}

func (b *bounded) Write(p []byte) (int, error) {
	if int64(len(p)) > b.left {
		return 0, errors.New("a node answers more than it was asked for")
	}
	n, err := b.to.Write(p)
	b.left -= int64(n)
	return n, err
}

// askNode has a node answer what nodes ask each other.
func askNode(ctx context.Context, m *cluster.Member, node string, id cluster.ShardID, out io.Writer,
	args ...string,
) error {
	var said bytes.Buffer
	q := cluster.Question{Harvest: id.Harvest, Shard: id.Shard, Args: args}
	code, err := m.Office.Ask(ctx, node, q, out, &bounded{to: &said, left: mostAnswer})
	if err == nil && code != exitOK {
		err = fmt.Errorf("node %s: %s", node, bytes.TrimSpace(said.Bytes()))
	}
	return err
}

// askAbout has a node answer, in JSON, what nodes ask each other.
func askAbout[T any](ctx context.Context, m *cluster.Member, node string, id cluster.ShardID, args ...string,
) (x T, err error) {
	var text bytes.Buffer
	err = askNode(ctx, m, node, id, &bounded{to: &text, left: mostAnswer}, args...)
	if err == nil {
		err = json.Unmarshal(text.Bytes(), &x)
	}
	return x, err
}

// inFolder reports the name of a file that lies in the folder from which it counts, and its end without the
// first folders in what these stand for.
func inFolder(name string) bool { return filepath.IsLocal(name) && path.Clean(name) == name }

// askFiles has a node list files of a shard.
func askFiles(ctx context.Context, m *cluster.Member, node string, id cluster.ShardID, args ...string,
) (list []shardFile, err error) {
	if list, err = askAbout[[]shardFile](ctx, m, node, id, args...); err != nil {
		return nil, err
	}
	for _, f := range list {
		if !inFolder(f.Name) {
			return nil, fmt.Errorf("node %s has a file %q outside of the shard's folder", node, f.Name)
		}
	}
	return list, nil
}

// drainNode has a node hand its shards over, and tells how that goes until the node has ended.
func drainNode(ctx context.Context, s console.Streams, file, name string) error {
	return atCluster(ctx, s, file, "node "+name, false, func(ctx context.Context, m *cluster.Member) error {
		if m.Board().Gone(name) > 0 {
			return fmt.Errorf("node %s does not run, or harvests no shards", name)
		}
		if err := askNode(ctx, m, name, cluster.ShardID{}, s.Out, drainQuestion); err != nil {
			return err
		}
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for told := -1; ; {
			b := m.Board()
			left := b.Held(name)
			gone := b.Gone(name) > 0
			switch {
			case gone && left == 0:
				fmt.Fprintf(s.Out, "node %s has ended: other nodes have its shards, and its folder is "+
					"a copy\n", name)
				return nil
			case gone:
				return fmt.Errorf("node %s ended before it had handed over %d shards: "+
					"start it, and give the order again", name, left)
			case left != told:
				told = left
				fmt.Fprintf(s.Err, "node %s has %s left\n", name,
					console.Plural(left, "shard", "shards"))
				delete(b.Nodes, name) // which may not have told yet that it takes none
				if !slices.ContainsFunc(slices.Collect(maps.Keys(b.Nodes)), b.Takes) {
					fmt.Fprintln(s.Err, "no other node takes shards now: start one")
				}
			}
			select {
			case <-ctx.Done():
				return &exitError{exitInterrupted, errors.New("the node goes on to hand its shards over; " +
					"to keep what is left, start it again")}
			case <-tick.C:
			}
		}
	})
}

// forgetHarvest has the broker keep nothing more of a harvest, and tells which nodes have folders of it.
func forgetHarvest(ctx context.Context, s console.Streams, file, name string) error {
	return atCluster(ctx, s, file, name, false, func(ctx context.Context, m *cluster.Member) error {
		at := map[string]bool{}
		for id, x := range m.Board().Shards {
			if id.Harvest == name && x.Node != "" {
				at[x.Node] = true
			}
		}
		switch err := m.Forget(ctx, name); {
		case errors.Is(err, os.ErrNotExist):
			return fmt.Errorf("the cluster has no harvest %s", name)
		case err != nil:
			return fmt.Errorf("have the cluster forget a harvest: %w", err)
		}
		fmt.Fprintf(s.Out, "the broker keeps nothing of harvest %s any more; captures and state are in the "+
			"folders %s of: %s\n", name, name, strings.Join(slices.Sorted(maps.Keys(at)), ", "))
		return nil
	})
}
