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
	"watershed/harvest/decision"
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

// wideName is that of the decisions for each site of a harvest, which shards begin with that have none.
func wideName(harvest string) string { return harvest + "/decisions.yaml" }

// keepWide has the broker keep, for shards that begin later, those decisions of a shard that are for each
// site.
func keepWide(ctx context.Context, m *cluster.Member, id cluster.ShardID) error {
	var out, text bytes.Buffer
	var list decision.List
	node := m.Board().At(id).Node
	err := askNode(ctx, m, node, id, &bounded{to: &out, left: mostAnswer}, "decide", "list", cluster.FileArg,
		"--json")
	if err == nil {
		err = json.Unmarshal(out.Bytes(), &list)
	}
	list.Withdrawn = nil
	list.Decisions = slices.DeleteFunc(list.Decisions, func(d decision.Decision) bool { return d.Site != "" })
	if err == nil {
		err = list.Write(&text)
	}
	if err == nil {
		err = m.Office.Send(ctx, wideName(id.Harvest), bytes.NewReader(text.Bytes()))
	}
	if err != nil {
		return fmt.Errorf("have the broker keep the decision for shards that begin later: %w", err)
	}
	return nil
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

// keep sends the broker what was decided in the folder of a shard.
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
	return nil
}

// recall has the folder of a shard hold what was decided at another node, or on a disk that is lost,
// unless something else was decided here since.
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
	return nil
}

func (n *shardNode) recallFile(ctx context.Context, id cluster.ShardID, file, sum string, noted sums,
) (err error) {
	from, err := n.member.Office.Fetch(ctx, decidedName(id, file), n.folder)
	base := filepath.Base(file)
	if errors.Is(err, os.ErrNotExist) && noted[base] != "" { // the broker has lost it, or was to forget it
		delete(noted, base)
		return n.note(id, noted)
	}
	if errors.Is(err, os.ErrNotExist) && sum == "" && file == harvest.Folder(n.shardFolder(id)).Decisions() {
		from, err = n.member.Office.Fetch(ctx, wideName(id.Harvest), n.folder)
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
// or by commands at the machine itself.
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
		for name := range b.Harvests {
			for _, id := range b.Of(name) {
				if !n.owns(b, id) {
					continue
				}
				if err := n.keep(ctx, id); err != nil && ctx.Err() == nil {
					n.log.Warn("what was decided on a shard is on this node alone; it is tried again",
						"shard", id.String(), "cause", err)
				}
			}
		}
	}
}
