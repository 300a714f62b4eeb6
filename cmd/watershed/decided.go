package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"watershed/cluster"
	"watershed/harvest"
	"watershed/harvest/control"
	"watershed/harvest/decision"
	"watershed/internal/console"
	"watershed/internal/disk"
)

// decidedFiles are those of a shard's folder with what people decided on it. The broker has the last of
// each, so that it outlives the disk of the node.
func decidedFiles(folder harvest.Folder) []string {
	return []string{folder.Decisions(), folder.Replicas()}
}

// mostDecided bounds such a file, in bytes.
const mostDecided = 64 << 20

// keepEvery is how often a node looks whether somebody decided anything in the folders of its shards.
const keepEvery = 10 * time.Second

func decidedName(id cluster.ShardID, file string) string {
	return fmt.Sprintf("%s/%s/%s", id.Harvest, id, filepath.Base(file))
}

// wide are the decisions for each site of a harvest that the broker has, in their order. It is their home:
// each node that has a shard takes them over from there, and tells it what was decided at the node itself.
func wide(b *cluster.Board, harvest string) (list []decision.Last) {
	for _, text := range b.Decided[harvest].List {
		var x decision.Last
		if json.Unmarshal(text, &x) == nil && x.Validate() == nil && x.Site == "" {
			list = append(list, x)
		}
	}
	return list
}

// putWide has the broker have decisions for each site of a harvest, but where it has later ones.
func putWide(ctx context.Context, m *cluster.Member, harvest string, list []decision.Last) error {
	return m.Insist(ctx, func(b *cluster.Board) error {
		known := decision.ByKey(wide(b, harvest))
		for _, x := range list {
			key := x.Key()
			old, there := known[key]
			if !there && x.End != nil || there && !x.Replaces(&old) {
				continue
			}
			if err := m.PutDecided(b, harvest, key, x); err != nil {
				return fmt.Errorf("have the broker keep a decision: %w", err)
			}
		}
		return nil
	})
}

// decideShared decides something for each site of a harvest, and has the nodes obey at once. It holds for
// shards that begin, or go on, later, too.
func decideShared(ctx context.Context, m *cluster.Member, s console.Streams, c *shardCall,
	shards []cluster.ShardID, asJSON bool,
) error {
	name := shards[0].Harvest
	l := &decision.List{}
	for _, x := range wide(m.Board(), name) {
		l.Take(x)
	}
	said, err := c.edit(l)
	if err != nil {
		return err
	}
	now := l.ForEach()
	if err := putWide(ctx, m, name, now); err != nil {
		return err
	}
	text, err := json.Marshal(now)
	if err != nil {
		return err
	}
	return askOwners(ctx, m, s, shards, asJSON, said, decidedQuestion, string(text))
}

// looked is what a node knew of the decisions on a shard when it compared them last.
type looked struct {
	sum      string // of the file
	revision uint64 // of those for each site, with the broker
	untold   bool   // a run that begins may have read the file before
	by       string // who made the last of these
	fault    string // that was told last; "" for none
}

// heed tells of an error with the decisions on a shard, unless it was told of that already.
func (n *shardNode) heed(ctx context.Context, id cluster.ShardID, said string, err error) {
	look, text := n.looked[id], ""
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		text = err.Error()
	}
	if text != look.fault && err != nil {
		n.log.Warn(said+"; it is tried again", "shard", id.String(), "cause", err)
	}
	look.fault = text
	n.looked[id] = look
}

// obeyWide has the folder of a shard, and the run in it, hold what was decided for each site of the harvest.
// more are such decisions that this node may not have heard of yet.
func (n *shardNode) obeyWide(ctx context.Context, id cluster.ShardID, more []decision.Last,
) (a control.Answer, err error) {
	folder, b := harvest.Folder(n.shardFolder(id)), n.member.Board()
	here, err := harvest.ReadDecisions(folder.Decisions())
	if err != nil {
		return a, err
	}
	var news []decision.Last
	last := decision.ByKey(here.ForEach())
	for _, x := range append(wide(b, id.Harvest), more...) {
		old, there := last[x.Key()]
		if there && x.Replaces(&old) || !there && x.End == nil {
			news, last[x.Key()] = append(news, x), x
		}
	}
	look, taken := n.looked[id], false
	switch {
	case len(news) > 0:
		slices.SortStableFunc(news, func(x, y decision.Last) int { return x.When().Compare(y.When()) })
		look.untold, look.by = true, news[len(news)-1].Author()
		a.Done, taken, err = folder.Decide(ctx, look.by, func(l *decision.List) error {
			for _, x := range news {
				l.Take(x)
			}
			return nil
		})
	case look.untold:
		a, err = folder.Order(ctx, control.Order{Do: control.Decisions, By: look.by})
		if taken = err == nil; errors.Is(err, control.ErrNoRun) {
			err = nil
		}
	default:
		return control.Answer{}, nil
	}
	if a.Later == "" && !taken {
		a.Later = countsLater
	}
	look.untold = !taken && b.At(id).State == cluster.Running
	n.looked[id] = look
	return a, err
}

// compare tells the broker what was decided for each site in the folder of a shard, and takes over what was
// decided elsewhere, where either has changed since.
func (n *shardNode) compare(ctx context.Context, id cluster.ShardID) error {
	file := harvest.Folder(n.shardFolder(id)).Decisions()
	text, sum, err := readDecided(file)
	now, last := n.member.Board().Decided[id.Harvest].Revision, n.looked[id]
	if err != nil || last.sum == sum && last.revision == now && !last.untold {
		return err
	}
	if sum != last.sum {
		l := new(decision.List) // where its file is not there
		if sum != "" {
			l, err = decision.Read(text)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := putWide(ctx, n.member, id.Harvest, l.ForEach()); err != nil {
			return err
		}
	}
	_, err = n.obeyWide(ctx, id, nil)
	if err == nil {
		last = n.looked[id]
		last.sum, last.revision = sum, now
		n.looked[id] = last
	}
	return err
}

// sums are the SHA-256 of the files with decisions, by name, as the broker had them when this folder was
// last compared with it. Where a file has another one, it was changed here since then.
type sums map[string]string

func (n *shardNode) sumsFile(id cluster.ShardID) string {
	return filepath.Join(n.shardFolder(id), "decided.json")
}

func (n *shardNode) sums(id cluster.ShardID) sums {
	list := sums{}
	if text, err := os.ReadFile(n.sumsFile(id)); err != nil || json.Unmarshal(text, &list) != nil {
		return sums{} // all that is here counts as changed, and is sent
	}
	return list
}

func (n *shardNode) note(id cluster.ShardID, list sums) error {
	return disk.WriteFile(disk.OS{}, n.sumsFile(id), 0o666, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(list)
	})
}

// readDecided reads a file with decisions, and gives its SHA-256; "" for a file that is not there.
func readDecided(file string) (text []byte, sum string, err error) {
	text, err = harvest.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	return text, fmt.Sprintf("%x", sha256.Sum256(text)), err
}

// keep sends the broker what was decided in the folder of a shard, and takes over what was decided for each
// site elsewhere.
func (n *shardNode) keep(ctx context.Context, id cluster.ShardID) error {
	n.deciding.Lock()
	defer n.deciding.Unlock()
	noted := n.sums(id)
	for _, file := range decidedFiles(harvest.Folder(n.shardFolder(id))) {
		text, sum, err := readDecided(file)
		if err == nil && sum != "" && sum != noted[filepath.Base(file)] {
			err = n.member.Office.Send(ctx, decidedName(id, file), bytes.NewReader(text))
			if err == nil {
				noted[filepath.Base(file)] = sum
				err = n.note(id, noted)
			}
		}
		if err != nil {
			return err
		}
	}
	return n.compare(ctx, id)
}

// recall has the folder of a shard hold what was decided at another node, or on a disk that is lost,
// unless something else was decided here since; and what was decided for each site.
func (n *shardNode) recall(ctx context.Context, id cluster.ShardID) error {
	n.deciding.Lock()
	defer n.deciding.Unlock()
	noted := n.sums(id)
	for _, file := range decidedFiles(harvest.Folder(n.shardFolder(id))) {
		_, sum, err := readDecided(file)
		if err == nil && (sum == "" || sum == noted[filepath.Base(file)]) {
			err = n.recallFile(ctx, id, file, sum, noted)
		}
		if err != nil {
			return err
		}
	}
	return n.compare(ctx, id)
}

func (n *shardNode) recallFile(ctx context.Context, id cluster.ShardID, file, sum string, noted sums,
) (err error) {
	from, err := n.member.Office.Fetch(ctx, decidedName(id, file), n.folder)
	base := filepath.Base(file)
	if errors.Is(err, os.ErrNotExist) && noted[base] != "" { // the broker has lost it, or was to forget it
		delete(noted, base)
		return n.note(id, noted)
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil // nobody has decided anything
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	var text bytes.Buffer
	if _, err := io.Copy(&bounded{to: &text, left: mostDecided}, from); err != nil {
		return fmt.Errorf("%s of the cluster: %w", decidedName(id, file), err)
	}
	last := fmt.Sprintf("%x", sha256.Sum256(text.Bytes()))
	if last == sum {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	err = disk.WriteText(disk.OS{}, file, 0o666, text.Bytes())
	if err != nil {
		return err
	}
	n.log.Info("what was decided on a shard is here again", "shard", id.String(), "file", file)
	noted[base] = last
	return n.note(id, noted)
}

// keepAll sends, until the context ends, what is decided in the folders of this node's shards by its desk
// or by commands at the machine itself, and takes over what was decided elsewhere.
func (n *shardNode) keepAll(ctx context.Context) error {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		b := n.member.Board()
		for id := range b.All() {
			if !n.owns(b, id) {
				continue
			}
			err := n.keep(ctx, id)
			n.deciding.Lock()
			n.heed(ctx, id, "what was decided on a shard is on this node alone", err)
			n.deciding.Unlock()
		}
	}
}
