package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"golang.org/x/sync/errgroup"

	"watershed/archive"
	"watershed/cluster"
	"watershed/configs"
	"watershed/harvest"
	"watershed/harvest/control"
	"watershed/internal/coding"
	"watershed/internal/console"
	"watershed/internal/disk"
)

// clusterFlag has a command work with a harvest that the nodes of a cluster share.
type clusterFlag struct {
	Cluster string `placeholder:"FILE"`
}

// shardCommands are those that a node runs for a shard.
var shardCommands = []string{
	"status", "control", "decide", "explain", "report", "skipped", "changes", "upload",
}

// ownCluster are the commands that ask the broker themselves.
var ownCluster = []string{"harvest", "status", "ui"}

// ofCluster is the YAML of the cluster that a call names, "" for none, and that of the harvest.
func ofCluster(call *kong.Context) (file, yaml string) {
	for _, p := range call.Path {
		if p.Flag != nil && p.Flag.Name == "cluster" {
			file = p.Flag.Target.String()
		}
		x := p.Positional
		if x != nil && x.Name == "file" && x.Target.Kind().String() == "string" {
			yaml = x.Target.String()
		}
	}
	return file, yaml
}

// atCluster has work done as whoever asks the nodes of a cluster. late is that of a Broker.
func atCluster(ctx context.Context, file, harvest string, late func(error),
	work func(context.Context, *cluster.Member) error,
) error {
	_, b, err := brokerOf(file)
	if err != nil {
		return err
	}
	b.Late = late
	host, _ := os.Hostname() // for messages alone
	return cluster.With(ctx, b, fmt.Sprintf("%s, about harvest %s", host, harvest), discard, work)
}

// forShards has the nodes run a command for each shard of a harvest, and prints what they say. A stream
// of JSON has no headings. Nobody keeps an order for a shard that no node has, unless it is to stop, and
// nobody has anything of it to upload.
func forShards(ctx context.Context, s console.Streams, file, yaml string, args []string, name string) error {
	config, err := load(yaml)
	if err != nil {
		return err
	}
	order := strings.HasPrefix(name, "control ") || strings.HasPrefix(name, "upload") ||
		strings.HasPrefix(name, "decide ") && !strings.HasPrefix(name, "decide list")
	asJSON := slices.Contains(args, "--json")
	return atCluster(ctx, file, config.Harvest, nil, func(ctx context.Context, m *cluster.Member) error {
		b := m.Board()
		if len(b.Of(config.Harvest)) == 0 {
			return fmt.Errorf("the cluster has no harvest %s: %s begins it",
				config.Harvest, command("harvest", "--cluster", file, yaml))
		}
		if args[0] == "explain" {
			return explainShared(ctx, m, s, file, yaml, config.Harvest, args, asJSON)
		}
		if strings.HasPrefix(name, "control stop") {
			return stopShared(ctx, m, s, config.Harvest, args, asJSON)
		}
		shards := b.Of(config.Harvest)
		if strings.HasPrefix(name, "control ") { // an order is for what is under way
			shards = slices.DeleteFunc(shards, func(id cluster.ShardID) bool {
				return b.At(id).State == cluster.Ended
			})
			if len(shards) == 0 {
				return control.ErrNoRun
			}
		}
		worst := 0
		var errs []error
		for _, id := range shards {
			if x := b.At(id); order && x.Node == "" {
				errs = append(errs, fmt.Errorf("shard %s: %s, and none keeps the order", id, nowhere(&x)))
				continue
			}
			if !asJSON {
				fmt.Fprintf(s.Out, "%s:\n", styleOf(s.Out).strong(id.String()))
			}
			code, err := askShard(ctx, m, id, args, s.Out, s.Err)
			errs, worst = append(errs, err), max(worst, code)
		}
		if err := errors.Join(errs...); err != nil || worst == 0 {
			return err
		}
		return &exitError{worst, errors.New("a node's command failed")}
	})
}

// stopShared stops a harvest. Nodes note who has given the order. It holds whatever they answer, since the
// broker keeps it.
func stopShared(ctx context.Context, m *cluster.Member, s console.Streams, name string, args []string,
	asJSON bool,
) error {
	if err := stopShards(ctx, m, name, false, s.Err); err != nil {
		return err
	}
	for _, id := range m.Board().Of(name) {
		if m.Board().At(id).State != cluster.Running {
			continue
		}
		if !asJSON {
			fmt.Fprintf(s.Out, "%s:\n", styleOf(s.Out).strong(id.String()))
		}
		if _, err := askShard(ctx, m, id, args, s.Out, s.Err); err != nil {
			fmt.Fprintf(s.Err, "%s: %v; the broker keeps the order\n", id, err)
		}
	}
	return stopShards(ctx, m, name, true, s.Err)
}

// stopShards has the shards of a harvest stopped that no node harvests at the moment, and with all those,
// too, that are being harvested: the broker keeps that, for whichever node has them.
func stopShards(ctx context.Context, m *cluster.Member, name string, all bool, said io.Writer) error {
	stopped := 0
	for _, id := range m.Board().Of(name) {
		rested := false
		err := m.Insist(ctx, func(b *cluster.Board) error {
			x := b.At(id)
			y := x
			if y.Order() {
				rested = true
			} else if !all || y.Stop == x.Stop {
				return nil // or an attempt that was not answered has done it
			}
			return m.PutShard(b, id, y)
		})
		if err != nil {
			return fmt.Errorf("stop shard %s: %w", id, err)
		}
		if rested {
			stopped++
		}
	}
	if stopped > 0 {
		fmt.Fprintf(said, "stopped, as no node was harvesting: %s\n",
			console.Plural(stopped, "shard", "shards"))
	}
	return nil
}

// askShard has the node of a shard run a command.
func askShard(ctx context.Context, m *cluster.Member, id cluster.ShardID, args []string, out, errs io.Writer,
) (code int, err error) {
	x := m.Board().At(id)
	if x.Node == "" {
		fmt.Fprintf(errs, "%s: %s\n", id, nowhere(&x))
		return exitOK, nil
	}
	q := cluster.Question{Harvest: id.Harvest, Shard: id.Shard, Args: args}
	return m.Office.Ask(ctx, x.Node, q, out, errs)
}

// nowhere says why no node has a shard.
func nowhere(x *cluster.ShardRecord) string {
	if x.From != "" {
		return "it is on its way to another node"
	}
	return "no node has begun it"
}

// askedAtOnce is how many shards are asked at the same time.
const askedAtOnce = 8

// explainShared tells what those shards know of a URL that have met it; where none has, what the first
// says that has met its host, or the first of all.
func explainShared(ctx context.Context, m *cluster.Member, s console.Streams, file, yaml, name string,
	args []string, asJSON bool,
) error {
	if !asJSON {
		args = append(slices.Clone(args), "--json")
	}
	shards := m.Board().Of(name)
	known, said := make([]*harvest.Explanation, len(shards)), make([]bytes.Buffer, len(shards))
	errs := make([]error, len(shards))
	var group errgroup.Group
	group.SetLimit(askedAtOnce)
	for i, id := range shards {
		group.Go(func() error {
			var out bytes.Buffer
			code, err := askShard(ctx, m, id, args, &bounded{to: &out, left: mostAnswer},
				&bounded{to: &said[i], left: mostAnswer})
			switch {
			case err != nil:
				errs[i] = err
			case code != exitOK:
				errs[i] = &exitError{code, fmt.Errorf("%s: %s", id, strings.TrimSpace(said[i].String()))}
				said[i].Reset()
			case out.Len() > 0:
				errs[i] = json.Unmarshal(out.Bytes(), &known[i])
			}
			return nil
		})
	}
	_ = group.Wait() // errs has them
	met := func(x *harvest.Explanation) bool { return x != nil && (x.Fetching != nil || x.Capture != nil) }
	shown := slices.ContainsFunc(known, met)
	for i, id := range shards { // one that has asked for nothing yet has nothing to say against another
		if x := m.Board().At(id); shown && x.State != cluster.Ended && x.Figures == (cluster.Figures{}) {
			errs[i] = nil
			said[i].Reset()
		}
	}
	if !shown {
		nearest := max(slices.IndexFunc(known, func(x *harvest.Explanation) bool {
			return x != nil && x.Host != nil
		}), 0)
		known[0], known[nearest] = known[nearest], known[0]
		shards[0], shards[nearest] = shards[nearest], shards[0]
	}
	for i, x := range known {
		if _, err := s.Err.Write(said[i].Bytes()); err != nil {
			return err
		}
		if x == nil || shown != met(x) {
			continue
		}
		if asJSON {
			if err := console.JSON(s.Out, x); err != nil {
				return err
			}
		} else {
			fmt.Fprintf(s.Out, "%s:\n", styleOf(s.Out).strong(shards[i].String()))
			if err := printExplanation(s, "--cluster "+quoted(file)+" "+quoted(yaml), x); err != nil {
				return err
			}
		}
		if !shown {
			return errors.Join(errs...)
		}
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 && !shown {
		return errs[i] // each has the same to say
	}
	return errors.Join(errs...)
}

// forwarded are the arguments of a call as nodes get them: without the flag of the cluster.
func forwarded(args []string, yaml string) (list []string) {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--cluster":
			i++
		case strings.HasPrefix(args[i], "--cluster="):
		case args[i] == yaml:
			list = append(list, cluster.FileArg)
		default:
			list = append(list, args[i])
		}
	}
	return list
}

// shared harvests by the nodes of a cluster: it begins a harvest there, or goes on to look at it, and
// gathers the results.
func (c *harvestCommand) shared(ctx context.Context, s console.Streams, file string,
	config *configs.Harvest,
) error {
	for flag, set := range map[string]bool{
		"--fresh": c.Fresh, "--dry-run": c.DryRun, "--look": c.Look > 0, "--words": c.Words, "--ui": c.UI,
	} {
		if set {
			return &exitError{exitUsage, fmt.Errorf("%s is for a harvest on one machine: not with --cluster",
				flag)}
		}
	}
	files, err := config.Shared()
	if err != nil {
		return &exitError{exitConfig, err}
	}
	b := bundle{YAML: filepath.Base(file), Files: map[string][]byte{}}
	for _, name := range files {
		if b.Files[name], err = os.ReadFile(filepath.Join(filepath.Dir(file), name)); err != nil {
			return err
		}
	}
	late := func(err error) { fmt.Fprintf(s.Err, "%v. It is waited for\n", err) }
	work := func(ctx context.Context, m *cluster.Member) error {
		if err := beginShared(ctx, m, config, &b, c.Extend, s.Err); err != nil {
			return err
		}
		lost := map[cluster.ShardID]int{} // as was told
		for {
			if err := c.follow(ctx, m, config.Harvest, file, lost, s); err != nil {
				return err
			}
			lacking, err := gather(ctx, m, config, disk.OS{}, s.Out)
			if err != nil || len(lacking) == 0 {
				return err
			}
			fmt.Fprintf(s.Err, "the broker has lost the results of %s: the nodes send them again, or "+
				"harvest anew what they have lost, too\n", strings.Join(lacking, ", "))
		}
	}
	return atCluster(ctx, c.Cluster, config.Harvest, late, work)
}

// beginShared has the nodes harvest, and go on where they were stopped. A round that it begins asks for
// what the one before has not, if it is to extend that.
func beginShared(ctx context.Context, m *cluster.Member, config *configs.Harvest, b *bundle, extend bool,
	out io.Writer,
) error {
	name := config.Harvest
	if extend && m.Board().Harvests[name].Round == 0 {
		return fmt.Errorf("extend harvest %s in the cluster: %w", name, harvest.ErrNoRun)
	}
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	if len(text) > mostBundle {
		err := fmt.Errorf("harvest %s: its YAML and the lists that it names have %s as nodes get them, "+
			"and nodes read %s at most", name, console.Size(int64(len(text))), console.Size(mostBundle))
		return &exitError{exitConfig, err}
	}
	yaml := fmt.Sprintf("%x", sha256.Sum256(text))
	if err := underOther(m.Board(), name, yaml); err != nil {
		return err
	}
	if err := m.Office.Send(ctx, bundleName(name, yaml), bytes.NewReader(text)); err != nil {
		return err
	}
	host, _ := os.Hostname() // for messages alone
	var before, x cluster.HarvestRecord
	var other error
	err = m.Insist(ctx, func(b *cluster.Board) error {
		if other = underOther(b, name, yaml); other != nil {
			return nil
		}
		before = b.Harvests[name]
		x = before
		switch {
		case x.Round == 0:
			x.Count = config.ShardCount()
		case x.Count == 0: // begun by a version before
			x.Count = configs.Shards
		}
		if x.Shards = config.Numbers(x.Count); x.Round == 0 || x.Gathered {
			x.Round, x.By, x.Gathered, x.Extend = x.Round+1, host, false, extend
		} else if x.YAML == yaml && slices.Equal(x.Shards, before.Shards) {
			return nil
		}
		x.YAML = yaml
		return m.PutHarvest(b, name, x)
	})
	if err = cmp.Or(other, err); err != nil {
		return fmt.Errorf("begin harvest %s in the cluster: %w", name, err)
	}
	if x.Round > before.Round {
		fmt.Fprintf(out, "round %d of harvest %s: %d shards\n", x.Round, name, len(x.Shards))
		if err := m.Office.Remove(ctx, brought(name, &before, yaml)...); err != nil {
			fmt.Fprintf(out, "what the broker keeps of the round before stays there: %v\n", err)
		}
		return nil
	}
	fmt.Fprintf(out, "round %d of harvest %s is under way\n", x.Round, name)
	for _, n := range x.Shards {
		id := cluster.ShardID{Harvest: name, Shard: n}
		err := m.Insist(ctx, func(b *cluster.Board) error {
			y := b.At(id)
			if y.State != cluster.Stopped && !y.Stop && len(y.Refused) == 0 {
				return nil
			}
			y.GoOn()
			return m.PutShard(b, id, y)
		})
		if err != nil {
			return fmt.Errorf("have shard %s go on: %w", id, err)
		}
	}
	return nil
}

// brought are the names of what the broker keeps of a round that was gathered, but for the YAML that is
// still in use.
func brought(name string, x *cluster.HarvestRecord, yaml string) []string {
	list := resultNames(name, x)
	if x.Round > 0 && x.YAML != "" && x.YAML != yaml {
		list = append(list, bundleName(name, x.YAML))
	}
	return list
}

// resultNames are the names of the results of a round at the broker.
func resultNames(name string, x *cluster.HarvestRecord) (list []string) {
	for _, n := range x.Shards {
		id := cluster.ShardID{Harvest: name, Shard: n}
		list = append(list, resultsName(cluster.Job{ID: id, Round: x.Round}))
	}
	return list
}

// underOther is the error of a harvest whose nodes are at work by another YAML, or about to be: shards by
// two of them would be no harvest of either.
func underOther(b *cluster.Board, name, yaml string) error {
	x := b.Harvests[name]
	if x.Round == 0 || x.Gathered || x.YAML == yaml || x.YAML == "" { // "": begun by a version before
		return nil
	}
	taken := slices.ContainsFunc(slices.Collect(maps.Keys(b.Nodes)), b.Takes)
	for _, id := range b.Of(name) {
		y := b.At(id)
		if y.State == cluster.Running || y.State == cluster.Waiting && taken && len(y.Refused) == 0 {
			err := fmt.Errorf("harvest %s is under way by another YAML, which %s sent, "+
				"for instance shard %s at node %s: give this one another name under harvest, or stop that "+
				"one (%s control stop --cluster …) and have it go on by this", name, x.By, id,
				cmp.Or(y.Node, "that takes it next"), commandName())
			return &exitError{exitConfig, err}
		}
	}
	return nil
}

// follow tells how a harvest goes until each of its shards has ended.
func (c *harvestCommand) follow(ctx context.Context, m *cluster.Member, name, file string,
	lost map[cluster.ShardID]int, s console.Streams,
) error {
	told := time.Now()
	for {
		news := m.News()
		b := m.Board()
		count, sum := countShards(b, name)
		total := len(b.Of(name))
		for _, id := range b.Of(name) {
			for _, l := range b.At(id).Lost[lost[id]:] {
				fmt.Fprintf(s.Err, "shard %s is harvested anew: node %s is gone, with %d captures of it\n",
					id, l.Node, l.Captured)
				lost[id]++
			}
		}
		switch {
		case total > 0 && count[cluster.Ended] == total:
			return nil
		case total > 0 && count[cluster.Ended]+count[cluster.Stopped] == total:
			if err := refused(b, name); err != nil {
				return err
			}
			return &exitError{exitInterrupted, errors.New("stopped by order: the same command goes on")}
		}
		if !c.Quiet && time.Since(told) >= plainEvery {
			told = time.Now()
			nodes := slices.Collect(maps.Keys(b.Nodes))
			if !slices.ContainsFunc(nodes, b.Takes) {
				fmt.Fprintln(s.Err, "no node harvests now: see that watershed node runs on the machines, "+
					"with harvests in its YAML, and what status --cluster says of them")
			}
			fmt.Fprintf(s.Err, "%d of %d shards have ended, %d are harvested: %d URLs asked for, "+
				"%d captured, %d failed, %s\n", count[cluster.Ended], total, count[cluster.Running],
				sum.Visits, sum.Captured, sum.Failed, console.Size(sum.Bytes))
		}
		select {
		case <-ctx.Done():
			return &exitError{exitInterrupted, fmt.Errorf("the nodes go on: the same command looks at "+
				"it again; %s ends it", command("control", "stop", "--cluster", c.Cluster, file))}
		case <-news:
		case <-time.After(plainEvery):
		}
	}
}

// refused is the error of a harvest with shards that each node has refused.
func refused(b *cluster.Board, name string) error {
	var errs []error
	for _, id := range b.Of(name) {
		if x := b.At(id); x.State == cluster.Stopped && x.Code == exitConfig {
			errs = append(errs, fmt.Errorf("shard %s: %s", id, visible(x.Said)))
		}
	}
	if len(errs) == 0 {
		return nil
	}
	err := fmt.Errorf("no node can harvest %d of %d shards by this YAML, the first is %w. Mend the YAML, or "+
		"the machines; the same command goes on", len(errs), len(b.Of(name)), errs[0])
	return &exitError{exitConfig, err}
}

// countShards counts a harvest's shards by their states, and adds their figures.
func countShards(b *cluster.Board, name string) (map[cluster.State]int, cluster.Figures) {
	count := map[cluster.State]int{}
	var sum cluster.Figures
	for _, id := range b.Of(name) {
		x := b.At(id)
		count[x.State]++
		sum.Add(x.Figures)
	}
	return count, sum
}

// gather writes the results of all shards into the folder of the harvest, with one index of their
// captures, and prints them. Where the broker has none of a shard that has ended, its node is asked for them;
// where that has none, either, the shard is named, its node is to send them again, and the harvest is not
// gathered.
func gather(ctx context.Context, m *cluster.Member, config *configs.Harvest, d disk.FS, out io.Writer,
) (lacking []string, err error) {
	board := m.Board()
	x := board.Harvests[config.Harvest]
	folder := harvest.Folder(config.Folder()).Round(x.Round)
	if err := d.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	list := map[string]cluster.ShardRecord{}
	var indexes []string
	worst, soon := 0, disk.Unsynced{FS: d} // all is made durable together, before the round is gathered
	for _, id := range board.Of(config.Harvest) {
		at := board.At(id)
		list[id.String()] = at
		worst = worseCode(worst, at.Code)
		to := filepath.Join(folder, id.String())
		err := fetchResults(ctx, m, soon, cluster.Job{ID: id, Round: x.Round}, to)
		if errors.Is(err, os.ErrNotExist) {
			err = askResults(ctx, m, soon, at.Node, cluster.Job{ID: id, Round: x.Round}, to)
			if local := new(fs.PathError); err != nil && !errors.As(err, &local) && ctx.Err() == nil {
				lacking = append(lacking, id.String())
				err = sendAgain(ctx, m, id)
			}
		}
		if err != nil {
			return nil, err
		}
		indexes = append(indexes, filepath.Join(to, "indexes", "index.cdxj"))
	}
	if len(lacking) > 0 && m.Board().Harvests[config.Harvest].Gathered {
		return nil, fmt.Errorf("round %d of harvest %s was gathered by another command meanwhile, and "+
			"results of %s are nowhere else", x.Round, config.Harvest, strings.Join(lacking, ", "))
	}
	if len(lacking) > 0 {
		return lacking, nil
	}
	err = disk.WriteFile(soon, filepath.Join(folder, "index.cdxj"), 0o666, func(w io.Writer) error {
		return mergeLines(w, indexes)
	})
	if err == nil {
		err = disk.WriteFile(soon, filepath.Join(folder, "shards.json"), 0o666, func(w io.Writer) error {
			return console.JSON(w, list)
		})
	}
	if err == nil {
		err = errors.Join(disk.SyncAll(d, folder), syncParents(d, folder))
	}
	if err == nil {
		err = gathered(ctx, m, config.Harvest, x.Round)
	}
	if err == nil { // the next round tries again
		if e := m.Office.Remove(ctx, resultNames(config.Harvest, &x)...); e != nil {
			fmt.Fprintf(out, "what the broker keeps of the round stays there: %v\n", e)
		}
	}
	if err != nil {
		return nil, err
	}
	_, sum := countShards(board, config.Harvest)
	if err := printShards(out, board, config.Harvest); err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "%d captures, %s\n  index     %s\n  results   %s\n", sum.Captured,
		console.Size(sum.Bytes), filepath.Join(folder, "index.cdxj"), folder)
	if worst != exitOK {
		return nil, &exitError{worst, errors.New("not every shard is complete: the last column says why")}
	}
	return nil, nil
}

// gathered tells the nodes that the results of a round are on disk here, so that they may be removed
// elsewhere.
func gathered(ctx context.Context, m *cluster.Member, name string, round int) error {
	return m.Insist(ctx, func(b *cluster.Board) error {
		x := b.Harvests[name]
		if x.Round != round || x.Gathered {
			return nil // by another one, or by an attempt that was not answered
		}
		x.Gathered = true
		return m.PutHarvest(b, name, x)
	})
}

// sendAgain has the node of a shard that has ended go on with it: its harvest has ended there, so that the
// node sends the results.
func sendAgain(ctx context.Context, m *cluster.Member, id cluster.ShardID) error {
	return m.Insist(ctx, func(b *cluster.Board) error {
		x := b.At(id)
		if x.State != cluster.Ended || b.Harvests[id.Harvest].Gathered {
			return nil // by an attempt that was not answered, or of the next round; or another one has all
		}
		x.State = cluster.Waiting
		return m.PutShard(b, id, x)
	})
}

// worseCode is the exit code that matters more: a failure, then losses, then a limit.
func worseCode(a, b int) int {
	order := []int{exitOK, exitPages, exitTime, exitBytes, exitLosses}
	rank := func(code int) int {
		if i := slices.Index(order, code); i >= 0 {
			return i
		}
		return len(order)
	}
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// printShards prints how the shards of a harvest stand.
func printShards(out io.Writer, b *cluster.Board, name string) error {
	table := console.NewTable(out)
	fmt.Fprintf(table, "shard\tnode\tstate\tURLs\tcaptured\tfailed\tsize\tsaid\n")
	for _, id := range b.Of(name) {
		x := b.At(id)
		state := string(x.State)
		if x.Stop {
			state = "stopping"
		}
		if gone := b.Gone(x.Node); x.Node != "" && gone > 0 {
			state += ", its node is gone"
		}
		if len(x.Given) > 0 {
			state += ", given away by " + visible(strings.Join(x.Given, ", ")) + ", which lagged"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\t%d\t%s\t%s\n", id, x.Node, state, x.Visits, x.Captured,
			x.Failed, console.Size(x.Bytes), visible(x.Said))
	}
	return table.Flush()
}

// statusOfShared prints how the nodes and the shards of a harvest stand.
func statusOfShared(ctx context.Context, s console.Streams, file, yaml string, asJSON bool) error {
	config, err := load(yaml)
	if err != nil {
		return err
	}
	return atCluster(ctx, file, config.Harvest, nil, func(_ context.Context, m *cluster.Member) error {
		b := m.Board()
		if asJSON {
			list := map[string]cluster.ShardRecord{}
			for _, id := range b.Of(config.Harvest) {
				list[id.String()] = b.At(id)
			}
			return console.JSON(s.Out, sharedAnswer{b.Nodes, b.Harvests[config.Harvest], list})
		}
		for _, name := range slices.Sorted(maps.Keys(b.Nodes)) {
			x := b.Nodes[name]
			state := fmt.Sprintf("takes up to %d shards at a time", x.Room)
			if gone := b.Gone(name); gone > 0 {
				state = styleOf(s.Out).bad(fmt.Sprintf("gone, for at least %s", gone.Round(time.Second)))
			} else if x.Cause != "" {
				state = styleOf(s.Out).bad("takes no shards: " + visible(x.Cause))
			}
			fmt.Fprintf(s.Out, "node %s: %s\n", name, state)
		}
		count, sum := countShards(b, config.Harvest)
		if len(b.Of(config.Harvest)) == 0 {
			return fmt.Errorf("the cluster has no harvest %s", config.Harvest)
		}
		fmt.Fprintf(s.Out, "round %d: %d of %d shards have ended; %d URLs asked for, %d captured, "+
			"%d failed, %s\n", b.Harvests[config.Harvest].Round, count[cluster.Ended],
			len(b.Of(config.Harvest)), sum.Visits, sum.Captured, sum.Failed, console.Size(sum.Bytes))
		return printShards(s.Out, b, config.Harvest)
	})
}

// sharedAnswer is how a shared harvest stands, as JSON has it.
type sharedAnswer struct {
	Nodes   map[string]cluster.NodeRecord  `json:"nodes"`
	Harvest cluster.HarvestRecord          `json:"harvest"`
	Shards  map[string]cluster.ShardRecord `json:"shards"`
}

// fetchResults unpacks the results of a shard into a folder, in place of what is there. The error wraps
// os.ErrNotExist where the shard has none.
func fetchResults(ctx context.Context, m *cluster.Member, d disk.FS, job cluster.Job, folder string) error {
	pack, err := m.Office.Fetch(ctx, resultsName(job), filepath.Dir(folder))
	if err != nil {
		return err
	}
	info, err := pack.Stat()
	if err == nil {
		err = d.RemoveAll(folder)
	}
	if err == nil {
		err = unpackResults(d, pack, resultsLeast+resultsShare*info.Size(), folder)
	}
	if err = errors.Join(err, pack.Close()); err != nil {
		return fmt.Errorf("the results of shard %s: %w", job.ID, err)
	}
	return nil
}

// askResults has the node of a shard send its results of a round into a folder, in place of what is there.
func askResults(ctx context.Context, m *cluster.Member, d disk.FS, node string, job cluster.Job,
	folder string,
) error {
	list, err := askFiles(ctx, m, node, job.ID, resultsQuestion, strconv.Itoa(job.Round))
	if err == nil {
		err = d.RemoveAll(folder)
	}
	for _, f := range list {
		if err != nil {
			break
		}
		_, name, _ := strings.Cut(f.Name, "/") // without the folder of the run
		at := filepath.Join(folder, filepath.FromSlash(name))
		if err = d.MkdirAll(filepath.Dir(at), 0o777); err == nil {
			err = disk.WriteFile(d, at, 0o666, func(w io.Writer) error {
				return readFile(ctx, m, job.ID, node, f, w)
			})
		}
	}
	return err
}

// Results unpack to so many bytes, and so many times of what they are packed, at most. Indexes and maps
// unpack to some ten times.
const resultsLeast, resultsShare = 16 << 20, 200

// unpackResults writes the results of a shard into a folder.
func unpackResults(d disk.FS, pack io.Reader, most int64, folder string) error {
	zip, err := gzip.NewReader(pack)
	if err != nil {
		return err
	}
	more := errors.New("they unpack to more than results of a shard do")
	in := tar.NewReader(coding.AtMost(zip, most, more))
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !filepath.IsLocal(h.Name) {
			return fmt.Errorf("they have a file %q outside of their folder", h.Name)
		}
		at := filepath.Join(folder, h.Name)
		if err := d.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			return err
		}
		if err := disk.WriteFile(d, at, 0o666, func(w io.Writer) error {
			_, err := io.Copy(w, in)
			return err
		}); err != nil {
			return err
		}
	}
}

// mergeLines writes the lines of sorted files in one order, by bytes.
func mergeLines(out io.Writer, names []string) (err error) {
	var files []*os.File
	for _, name := range names {
		f, e := os.Open(name)
		if errors.Is(e, fs.ErrNotExist) { // a run without captures
			continue
		}
		if e != nil {
			return e
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		files = append(files, f)
	}
	return archive.MergeSorted(out, files)
}
