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
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"watershed/archive"
	"watershed/cluster"
	"watershed/configs"
	"watershed/crawler"
	"watershed/harvest"
	"watershed/harvest/control"
	"watershed/harvest/decision"
	"watershed/internal/coding"
	"watershed/internal/console"
	"watershed/internal/disk"
	"watershed/notify"
	"watershed/report"
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

// shardCall is a command that the nodes of a cluster run for the shards of a harvest.
type shardCall struct {
	args  []string          // as they were given
	given map[string]string // the texts among them, by the names of arguments and flags
	order *control.Order    // nil for a command that is none
	whole whole             // nil for a command that is none
	// edit changes decisions, and tells what it has changed; nil for a command that decides nothing.
	edit func(*decision.List) (said string, err error)
}

// whole is a command that prints one answer of all shards of a harvest.
type whole interface {
	whole(ctx context.Context, m *cluster.Member, s console.Streams, config *configs.Harvest) error
}

func shardCallOf(call *kong.Context, args []string) (*shardCall, error) {
	c := &shardCall{args: args, given: map[string]string{}}
	for _, p := range call.Path {
		x := p.Positional
		if p.Flag != nil {
			x = p.Flag.Value
		}
		if x != nil && x.Target.Kind() == reflect.String {
			c.given[x.Name] = x.Target.String()
		}
	}
	command := call.Selected().Target.Addr().Interface()
	c.whole, _ = command.(whole)
	if decides, ok := command.(deciding); ok && c.cluster() != "" {
		var err error
		if c.edit, err = decides.edit(call.Selected().Name, whoami()); err != nil {
			return c, err
		}
	}
	asks, ok := command.(asking)
	if c.cluster() == "" || !ok {
		return c, nil
	}
	o, err := asks.asks(call.Selected().Name)
	if err == nil {
		err = o.Validate()
	}
	o.By, c.order = whoami(), &o
	return c, err
}

// cluster is the YAML of the cluster, "" where the command is not for one.
func (c *shardCall) cluster() string { return c.given["cluster"] }

// check is the error of a command that shards cannot carry out each by itself.
func (c *shardCall) check(config *configs.Harvest) error {
	if o := c.order; o != nil && o.Do == control.Limit && o.Host == "" && o.Limit != control.Seconds {
		return &exitError{exitUsage, fmt.Errorf("a limit of %s for a whole harvest would need all of its "+
			"shards to count together: it is for one machine alone, or for a host", o.Limit)}
	}
	return hasSite(config, c.given["site"])
}

// shards are those of a harvest that the command is for.
func (c *shardCall) shards(b *cluster.Board, config *configs.Harvest) []cluster.ShardID {
	return slices.DeleteFunc(b.Of(config.Harvest), func(id cluster.ShardID) bool {
		if c.order != nil && b.At(id).State == cluster.Ended {
			return true
		}
		count := b.Harvests[id.Harvest].Count
		return c.given["site"] != "" && !slices.ContainsFunc(config.Sites, func(s configs.Site) bool {
			return s.Name == c.given["site"] && s.ShardOf(count) == id.Shard
		})
	})
}

// atCluster has work done as whoever asks the nodes of a cluster; patient is that of a Broker.
func atCluster(ctx context.Context, s console.Streams, file, harvest string, patient bool,
	work func(context.Context, *cluster.Member) error,
) error {
	_, b, err := brokerOf(file)
	if err != nil {
		return err
	}
	b.Patient = patient
	b.Late = func(err error) { fmt.Fprintf(s.Err, "%v. It is waited for\n", err) }
	host, _ := os.Hostname() // for messages alone
	return cluster.With(ctx, b, fmt.Sprintf("%s, about harvest %s", host, harvest), discard, work)
}

// forShards has the nodes run a command for each shard of a harvest that it is for, and prints what they say.
// A stream of JSON has no headings. Of a shard that no node has begun nobody keeps decisions on a site, or
// has anything to upload.
func forShards(ctx context.Context, s console.Streams, c *shardCall) error {
	file, yaml := c.cluster(), c.given["file"]
	config, err := load(yaml)
	if err == nil {
		err = c.check(&config)
	}
	if err != nil {
		return err
	}
	args := forwarded(c.args, yaml)
	asJSON := slices.Contains(args, "--json")
	return atCluster(ctx, s, file, config.Harvest, false, func(ctx context.Context, m *cluster.Member) error {
		b := m.Board()
		if len(b.Of(config.Harvest)) == 0 {
			return fmt.Errorf("the cluster has no harvest %s: %s begins it",
				config.Harvest, command("harvest", "--cluster", file, yaml))
		}
		if c.whole != nil {
			return c.whole.whole(ctx, m, s, &config)
		}
		shards := c.shards(b, &config)
		switch {
		case len(shards) == 0 && c.order != nil:
			return control.ErrNoRun
		case len(shards) == 0:
			return fmt.Errorf("the nodes know of no site %q yet: %s sends them the YAML as it is now",
				c.given["site"], command("harvest", "--cluster", file, yaml))
		case c.order != nil && c.order.Do == control.Stop:
			return stopShared(ctx, m, s, c.order, config.Harvest, asJSON)
		case c.edit != nil && c.given["site"] == "":
			return decideShared(ctx, m, s, c, shards, asJSON)
		case c.order != nil:
			return orderShared(ctx, m, s, c.order, shards, asJSON)
		}
		worst := 0
		var errs []error
		for _, id := range shards {
			x := b.At(id)
			if x.Node == "" && (c.edit != nil || args[0] == "upload") {
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

// orderShared gives an order to the shards that are being harvested. The broker keeps it, for those that are
// begun, or go on, later.
func orderShared(ctx context.Context, m *cluster.Member, s console.Streams, o *control.Order,
	shards []cluster.ShardID, asJSON bool,
) error {
	if err := keepOrder(ctx, m, shards[0].Harvest, o); err != nil {
		return fmt.Errorf("have the broker keep the order: %w", err)
	}
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return askOwners(ctx, m, s, shards, asJSON, "", orderQuestion, string(text))
}

// askOwners has the nodes that have shards obey what the broker keeps for later, and prints what came of it,
// after what was said.
func askOwners(ctx context.Context, m *cluster.Member, s console.Streams, shards []cluster.ShardID,
	asJSON bool, said string, question ...string,
) error {
	if said != "" && !asJSON {
		fmt.Fprintln(s.Out, said)
	}
	kept, failed := 0, false
	for _, id := range shards {
		x := m.Board().At(id)
		if x.Node == "" || x.From != "" || question[0] == orderQuestion && x.State != cluster.Running {
			kept++
		} else if err := askOwner(ctx, m, s, id, asJSON, question...); err != nil {
			failed = true
			fmt.Fprintf(s.Err, "%s: %v\n", id, err)
		}
	}
	if kept > 0 {
		fmt.Fprintf(s.Err, "kept for when a node harvests them: %s\n",
			console.Plural(kept, "shard", "shards"))
	}
	if failed {
		return errors.New("not every node has carried out the order; the broker keeps it for when their " +
			"shards go on")
	}
	return nil
}

// askOwner has the node of a shard obey, and prints what came of it.
func askOwner(ctx context.Context, m *cluster.Member, s console.Streams, id cluster.ShardID, asJSON bool,
	question ...string,
) error {
	a, err := askAbout[control.Answer](ctx, m, m.Board().At(id).Node, id, question...)
	if err != nil {
		return err
	}
	if !asJSON {
		fmt.Fprintf(s.Out, "%s:\n", styleOf(s.Out).strong(id.String()))
	}
	return printEntries(s.Out, a.Done, asJSON, cmp.Or(a.Later, "that is so already"))
}

// keepOrder has the broker keep an order for the shards of a round that are begun, or go on, later, in place
// of one on the same subject. A stop is kept shard by shard, and ends a pause.
func keepOrder(ctx context.Context, m *cluster.Member, name string, o *control.Order) error {
	text, err := json.Marshal(harvest.KeptOrder{Time: time.Now(), Order: *o})
	if err != nil {
		return err
	}
	return m.Insist(ctx, func(b *cluster.Board) error {
		x := b.Harvests[name]
		list := kept(x.Orders, func(k *harvest.KeptOrder) bool { return k.Subject() != o.Subject() })
		if o.Do != control.Stop {
			list = append(list, text)
		}
		if slices.EqualFunc(list, x.Orders, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
			return nil // an attempt that was not answered has done it
		}
		x.Orders = list
		return m.PutHarvest(b, name, x)
	})
}

// kept are those of the kept orders that still hold.
func kept(orders []json.RawMessage, holds func(*harvest.KeptOrder) bool) []json.RawMessage {
	return slices.DeleteFunc(slices.Clone(orders), func(text json.RawMessage) bool {
		var k harvest.KeptOrder
		return json.Unmarshal(text, &k) != nil || !holds(&k)
	})
}

// stopShared stops a harvest. Nodes note who has given the order. It holds whatever they answer, since the
// broker keeps it.
func stopShared(ctx context.Context, m *cluster.Member, s console.Streams, o *control.Order, name string,
	asJSON bool,
) error {
	text, err := json.Marshal(o)
	if err == nil {
		err = keepOrder(ctx, m, name, o)
	}
	if err == nil {
		err = stopShards(ctx, m, name, false, s.Err)
	}
	if err != nil {
		return err
	}
	for _, id := range m.Board().Of(name) {
		if m.Board().At(id).State != cluster.Running {
			continue
		}
		if err := askOwner(ctx, m, s, id, asJSON, orderQuestion, string(text)); err != nil {
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
		err := changeShard(ctx, m, id, func(_ *cluster.Board, x *cluster.ShardRecord) bool {
			before := x.Stop
			here := x.Order()
			rested = rested || here
			return here || all && x.Stop != before
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

// changeShard changes the record of a shard where there is something to change: an attempt that was not
// answered may have done it, and others go on meanwhile.
func changeShard(ctx context.Context, m *cluster.Member, id cluster.ShardID,
	change func(b *cluster.Board, x *cluster.ShardRecord) bool,
) error {
	return m.Insist(ctx, func(b *cluster.Board) error {
		x := b.At(id)
		if !change(b, &x) {
			return nil
		}
		return m.PutShard(b, id, x)
	})
}

// askShard has the node of a shard run a command.
func askShard(ctx context.Context, m *cluster.Member, id cluster.ShardID, args []string, out, errs io.Writer,
) (code int, err error) {
	x := m.Board().At(id)
	if x.Node == "" {
		fmt.Fprintf(errs, "%s: %s\n", id, nowhere(&x))
		return exitOK, nil
	}
	q := cluster.Question{Harvest: id.Harvest, Shard: id.Shard, Args: args, By: whoami()}
	return m.Office.Ask(ctx, x.Node, q, out, errs)
}

// nowhere says why no node has a shard.
func nowhere(x *cluster.ShardRecord) string {
	switch {
	case x.From != "":
		return "it is on its way to another node"
	case x.Node != "":
		return "its run is being begun"
	}
	return "no node has begun it"
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
		"--fresh": c.Fresh, "--dry-run": c.DryRun, "--look": c.Look != nil, "--words": c.Words, "--ui": c.UI,
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
	told, err := tellers(config, discard)
	if err != nil {
		return err
	}
	defer sayUntold(&told, s.Err, file)()
	return notify.With(ctx, told, func(t *notify.Teller) error {
		n := &news{teller: t, name: config.Harvest, file: file, folder: folderOf(config)}
		work := func(ctx context.Context, m *cluster.Member) error {
			if err := beginShared(ctx, m, config, &b, c.Extend, s.Err); err != nil {
				return err
			}
			d, err := c.toEnd(ctx, m, config, n, s)
			if d != nil {
				n.attach(d.Run)
			}
			if ctx.Err() == nil { // else the nodes go on
				n.ended(d, err)
			}
			return err
		}
		return atCluster(ctx, s, c.Cluster, config.Harvest, true, work)
	})
}

// toEnd follows a harvest until its results are here.
func (c *harvestCommand) toEnd(ctx context.Context, m *cluster.Member, config *configs.Harvest, n *news,
	s console.Streams,
) (*harvest.Delivered, error) {
	lost, told := map[cluster.ShardID]int{}, map[string]bool{} // as was told
	for {
		if err := c.follow(ctx, m, n, lost, s); err != nil {
			return nil, err
		}
		causes, err := held(ctx, m, config.Harvest)
		if err != nil {
			return nil, err
		}
		for _, cause := range causes {
			if !told[cause] && !m.Board().Stale && ctx.Err() == nil {
				told[cause] = true
				fmt.Fprintf(s.Err, "all shards have ended, and what some have captured is at a node alone "+
					"that does not say that it has it: until it does, or other nodes have harvested that "+
					"anew, it is waited for. %s\n", cause)
			}
		}
		if len(causes) > 0 || ctx.Err() != nil {
			select {
			case <-ctx.Done():
				return nil, c.theyGoOn(n)
			case <-time.After(heldEvery):
			}
			continue
		}
		clear(told)
		d, lacking, err := gather(ctx, m, config, disk.OS{}, s.Out,
			command("upload", "--cluster", c.Cluster, n.file))
		if local := new(fs.PathError); d == nil && err != nil && m.Board().Stale && !errors.As(err, &local) {
			continue // the broker has become silent
		}
		if err != nil || len(lacking) == 0 {
			return d, err
		}
		fmt.Fprintf(s.Err, "the broker has lost the results of %s: the nodes send them again, or "+
			"harvest anew what they have lost, too\n", strings.Join(lacking, ", "))
	}
}

// heldEvery is how often nodes are asked whether they have what they alone have.
const heldEvery = 3 * time.Second

// held is why nodes, each for its first shard, do not say that they have what was captured, of which there is
// no other copy: a node that was killed is there for some seconds by what the broker knows, and its disk may
// be gone. The error is that of a node which cannot read it, and so will not notice that it is gone.
func held(ctx context.Context, m *cluster.Member, name string) (causes []string, err error) {
	b := m.Board()
	if b.Harvests[name].Gathered {
		return nil, nil
	}
	open := slices.DeleteFunc(b.Of(name), func(id cluster.ShardID) bool { return b.At(id).Kept })
	asked := map[string]bool{} // nodes of which the cause is known
	for i, r := range askAll(ctx, m, open, just(resultsQuestion, strconv.Itoa(b.Harvests[name].Round))) {
		node, said := b.At(open[i]).Node, (*exitError)(nil)
		if errors.As(r.err, &said) && said.code != exitLosses {
			return nil, fmt.Errorf("%w. That is to be mended at node %s", r.err, node)
		}
		if r.err != nil && !asked[node] {
			asked[node], causes = true, append(causes, r.err.Error())
		}
	}
	return causes, nil
}

// theyGoOn is how the command ends that was interrupted.
func (c *harvestCommand) theyGoOn(n *news) error {
	return &exitError{exitInterrupted, fmt.Errorf("the nodes go on: the same command looks at it again; "+
		"%s ends it", command("control", "stop", "--cluster", c.Cluster, n.file))}
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
		if x.Round == 0 {
			x.Count = config.ShardCount()
		}
		if x.Shards = config.Numbers(x.Count); x.Round == 0 || x.Gathered {
			x.Round, x.By, x.Gathered, x.Extend = x.Round+1, host, false, extend
			x.Orders = kept(x.Orders, func(k *harvest.KeptOrder) bool { // the delays of hosts hold on
				return k.Do == control.Delay && k.Host != ""
			})
		} else if x.YAML == yaml && slices.Equal(x.Shards, before.Shards) {
			return nil
		}
		x.YAML = yaml
		return m.PutHarvest(b, name, x)
	})
	if err = cmp.Or(other, err); err != nil {
		return fmt.Errorf("begin harvest %s in the cluster: %w", name, err)
	}
	// A desk of this machine begins no run of it from now on.
	if err := os.MkdirAll(harvest.Folder(config.Folder()).Round(1), 0o777); err != nil {
		return err
	}
	if config.Schedule != "" {
		fmt.Fprintln(out, "schedule begins no round of what machines share: have cron or a timer run this "+
			"command")
	}
	if x.Round > before.Round {
		fmt.Fprintf(out, "round %d of harvest %s: %d shards\n", x.Round, name, len(x.Shards))
		old := resultNames(name, &before)
		if before.YAML != "" && before.YAML != yaml { // which was another one
			old = append(old, bundleName(name, before.YAML))
		}
		if err := m.Office.Remove(ctx, old...); err != nil {
			fmt.Fprintf(out, "what the broker keeps of the round before stays there: %v\n", err)
		}
		return nil
	}
	fmt.Fprintf(out, "round %d of harvest %s is under way\n", x.Round, name)
	for _, n := range x.Shards {
		id := cluster.ShardID{Harvest: name, Shard: n}
		err := changeShard(ctx, m, id, func(_ *cluster.Board, x *cluster.ShardRecord) bool {
			rests := x.State == cluster.Stopped || x.Stop || len(x.Refused) > 0 || x.Broken > 0
			x.GoOn()
			return rests
		})
		if err != nil {
			return fmt.Errorf("have shard %s go on: %w", id, err)
		}
	}
	return nil
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
	if x.Round == 0 || x.Gathered || x.YAML == yaml {
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

// follow tells how a harvest goes until each of its shards has ended. While the broker is silent it waits,
// for as long as that takes: so do the nodes.
func (c *harvestCommand) follow(ctx context.Context, m *cluster.Member, n *news,
	lost map[cluster.ShardID]int, s console.Streams,
) error {
	name := n.name
	told, silent := time.Now(), time.Time{}
	broken := map[cluster.ShardID]int{} // as was told
	away := ""                          // as was told
	for {
		news := m.News()
		b := m.Board()
		switch {
		case b.Stale && silent.IsZero():
			silent = time.Now()
			fmt.Fprintln(s.Err, "the broker does not answer: it is asked until it does, and what the nodes "+
				"have harvested is kept; see that more than half of its nodes run")
		case !b.Stale && !silent.IsZero():
			fmt.Fprintf(s.Err, "the broker answers again, after %s\n",
				time.Since(silent).Round(time.Second))
			silent = time.Time{}
		}
		count, sum := b.Sum(name)
		total := len(b.Of(name))
		for _, id := range b.Of(name) {
			x := b.At(id)
			if x.Broken > broken[id] {
				n.broke(id, &x, broken[id], s.Err)
			}
			broken[id] = x.Broken
			later := ""
			if x.Stop || x.State == cluster.Stopped {
				later = " when the harvest goes on"
			}
			for _, l := range x.Lost[min(lost[id], len(x.Lost)):] {
				if l.Round == x.Round { // the others were told in their rounds
					fmt.Fprintf(s.Err, "shard %s is harvested anew%s; %s\n", id, later, l)
				}
			}
			lost[id] = len(x.Lost)
		}
		switch {
		case b.Stale:
		case total > 0 && count[cluster.Ended] == total:
			return nil
		case total > 0 && count[cluster.Ended]+count[cluster.Stopped] == total:
			if err := refused(b, name); err != nil {
				return err
			}
			return &exitError{exitInterrupted, errors.New("stopped by order: the same command goes on")}
		}
		if !c.Quiet && !b.Stale && time.Since(told) >= plainEvery {
			told = time.Now()
			nodes := slices.Collect(maps.Keys(b.Nodes))
			gone := awaited(b, name)
			if gone != "" && gone != away {
				fmt.Fprintf(s.Err, "shards wait for nodes that are gone, until patience is over: %s\n", gone)
			}
			away = gone
			if !slices.ContainsFunc(nodes, b.Takes) {
				fmt.Fprintln(s.Err, "no node harvests now: see that watershed node runs on the machines, "+
					"with harvests in its YAML, and what status --cluster says of them"+unfit(b))
			}
			fmt.Fprintf(s.Err, "%d of %d shards have ended, %d are harvested: %d URLs asked for, "+
				"%d captured, %d failed, %s\n", count[cluster.Ended], total, count[cluster.Running],
				sum.Visits, sum.Captured, sum.Failed, console.Size(sum.Bytes))
		}
		select {
		case <-ctx.Done():
			return c.theyGoOn(n)
		case <-news:
		case <-time.After(plainEvery):
		}
	}
}

// unfit says why a node that is there harvests nothing; "" where none is there.
func unfit(b *cluster.Board) string {
	for _, name := range slices.Sorted(maps.Keys(b.Nodes)) {
		if x := b.Nodes[name]; x.Cause != "" && b.Gone(name) == 0 {
			return ", such as of " + name + ": " + visible(x.Cause)
		}
	}
	return ""
}

// awaited names the nodes that are gone, and that have shards of a harvest which have not ended.
func awaited(b *cluster.Board, name string) string {
	count := map[string]int{}
	for _, id := range b.Of(name) {
		x := b.At(id)
		node := x.Holder()
		if x.State != cluster.Ended && x.State != cluster.Stopped && node != "" && b.Gone(node) > 0 {
			count[node]++
		}
	}
	var list []string
	for _, node := range slices.Sorted(maps.Keys(count)) {
		list = append(list, fmt.Sprintf("%s with %s", node, console.Plural(count[node], "shard", "shards")))
	}
	return strings.Join(list, ", ")
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

// gather writes the results of all shards into the folder of the harvest, with one index of their
// captures, and prints them. Where the broker has none of a shard that has ended, its node is asked for them;
// where that has none, either, the shard is named, its node is to send them again, and the harvest is not
// gathered. The command again uploads what nodes could not.
func gather(ctx context.Context, m *cluster.Member, config *configs.Harvest, on disk.FS, out io.Writer,
	again string,
) (d *harvest.Delivered, lacking []string, err error) {
	board := m.Board()
	x := board.Harvests[config.Harvest]
	folder := harvest.Folder(config.Folder()).Round(x.Round)
	if err := on.MkdirAll(folder, 0o777); err != nil {
		return nil, nil, err
	}
	list, stay := map[string]cluster.ShardRecord{}, 0
	var indexes []string
	var parts []*report.Tables
	soon := disk.Unsynced{FS: on} // all is made durable together, before the round is gathered
	for _, id := range board.Of(config.Harvest) {
		at := board.At(id)
		list[id.String()] = at
		to := filepath.Join(folder, id.String())
		job := cluster.Job{ID: id, Round: x.Round}
		err := fetchResults(ctx, m, soon, job, to)
		if errors.Is(err, os.ErrNotExist) {
			err = askResults(ctx, m, soon, at.Node, job, to)
			if local := new(fs.PathError); err != nil && !errors.As(err, &local) && ctx.Err() == nil {
				lacking = append(lacking, id.String())
				err = sendAgain(ctx, m, id)
			}
		}
		if err != nil {
			return nil, nil, err
		}
		if len(lacking) > 0 {
			continue
		}
		part, err := readTables(to, &at)
		if err != nil {
			return nil, nil, err
		}
		if config.Upload.AtEnd() && at.Code == exitFailed && !at.Kept &&
			part.Ending.Ended != report.Failed { // but it was harvested
			stay++
		}
		parts, indexes = append(parts, part), append(indexes, filepath.Join(to, "indexes", "index.cdxj"))
	}
	switch {
	case len(lacking) > 0 && m.Board().Harvests[config.Harvest].Gathered:
		return nil, nil, fmt.Errorf("round %d of harvest %s was gathered by another command meanwhile, and "+
			"results of %s are nowhere else", x.Round, config.Harvest, strings.Join(lacking, ", "))
	case len(lacking) > 0:
		return nil, lacking, nil
	}
	whole, reports := mergeReports(config, x.Round, parts), harvest.Run(folder).Reports()
	put := func(at string, write func(io.Writer) error) error {
		return disk.WriteFile(soon, at, 0o666, write)
	}
	err = errors.Join(
		put(filepath.Join(folder, "index.cdxj"), func(w io.Writer) error { return mergeLines(w, indexes) }),
		put(filepath.Join(folder, "shards.json"), func(w io.Writer) error { return console.JSON(w, list) }),
		on.MkdirAll(reports, 0o777),
		whole.Files(func(name string, write func(io.Writer) error) error {
			return put(filepath.Join(reports, name), write)
		}))
	if err == nil {
		err = errors.Join(disk.SyncAll(on, folder), syncParents(on, folder))
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
		return nil, nil, err
	}
	d = &harvest.Delivered{Run: harvest.Run(folder), Ending: whole.Ending}
	return d, nil, printGathered(out, board, config.Harvest, d, stay, again)
}

// printGathered prints a round that was gathered, of which so many shards were not uploaded. The error is
// that of the round.
func printGathered(out io.Writer, b *cluster.Board, name string, d *harvest.Delivered, stay int,
	again string,
) error {
	if err := printShards(out, b, name); err != nil {
		return err
	}
	if err := printEnding(out, d.Ending); err != nil {
		return err
	}
	fmt.Fprintf(out, "  index     %s\n  reports   %s\n  results   %s\n",
		filepath.Join(string(d.Run), "index.cdxj"), d.Run.Reports(), d.Run)
	err := endingError(d.Run, d.Ending)
	if d.Ending.Ended == report.Failed {
		err = errors.New("not every shard is complete: the last column says why")
	}
	if stay > 0 {
		err = notStored(err, fmt.Errorf("%s; the last column says why. When that is mended: %s",
			console.Plural(stay, "shard", "shards"), again))
	}
	return err
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
// node sends the results. An order to stop it came too late.
func sendAgain(ctx context.Context, m *cluster.Member, id cluster.ShardID) error {
	return changeShard(ctx, m, id, func(b *cluster.Board, x *cluster.ShardRecord) bool {
		ended := x.State == cluster.Ended && !b.Harvests[id.Harvest].Gathered // else another one has all
		x.State, x.Stop = cluster.Waiting, false
		return ended
	})
}

// printShards prints how the shards of a harvest stand.
func printShards(out io.Writer, b *cluster.Board, name string) error {
	table := console.NewTable(out)
	fmt.Fprintf(table, "shard\tnode\tstate\tURLs\tcaptured\tfailed\tsize\tsaid\n")
	for _, id := range b.Of(name) {
		x := b.At(id)
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\t%d\t%s\t%s\n", id, x.Node, visible(b.Told(id)), x.Visits,
			x.Captured, x.Failed, console.Size(x.Bytes), visible(inLine(cmp.Or(x.Said, x.Doing))))
	}
	return table.Flush()
}

// inLine is an error of a YAML without the lines that it shows.
func inLine(said string) string {
	first, rest, _ := strings.Cut(said, "\n")
	if _, advice, ok := strings.Cut(rest, "\n      = "); ok {
		advice, _, _ = strings.Cut(advice, "\n")
		first += ": " + advice
	}
	return first
}

// statusOfShared prints how the nodes and the shards of a harvest stand.
func statusOfShared(ctx context.Context, s console.Streams, file, yaml string, asJSON bool) error {
	config, err := load(yaml)
	if err != nil {
		return err
	}
	return atCluster(ctx, s, file, config.Harvest, false, func(ctx context.Context, m *cluster.Member) error {
		b := m.Board()
		for _, name := range slices.Sorted(maps.Keys(b.Nodes)) {
			if asJSON {
				break
			}
			state := visible(b.ToldNode(name))
			if !b.Takes(name) {
				state = styleOf(s.Out).bad(state)
			}
			fmt.Fprintf(s.Out, "node %s: %s\n", name, state)
		}
		if len(b.Of(config.Harvest)) == 0 {
			return fmt.Errorf("the cluster has no harvest %s", config.Harvest)
		}
		if asJSON {
			list := map[string]cluster.ShardRecord{}
			for _, id := range b.Of(config.Harvest) {
				list[id.String()] = b.At(id)
			}
			sites := []crawler.SiteProgress{}
			for _, x := range standings(ctx, m, &config, len(config.Sites)) {
				if x.site != nil {
					sites = append(sites, *x.site)
				}
			}
			return console.JSON(s.Out, sharedAnswer{b.Nodes, b.Harvests[config.Harvest], list, sites})
		}
		count, sum := b.Sum(config.Harvest)
		fmt.Fprintf(s.Out, "round %d: %d of %d shards have ended; %d URLs asked for, %d captured, "+
			"%d failed, %s\n", b.Harvests[config.Harvest].Round, count[cluster.Ended],
			len(b.Of(config.Harvest)), sum.Visits, sum.Captured, sum.Failed, console.Size(sum.Bytes))
		if err := printShards(s.Out, b, config.Harvest); err != nil {
			return err
		}
		for _, x := range standings(ctx, m, &config, sitesShown) {
			if x.site == nil {
				fmt.Fprintf(s.Out, "  site %-24s %s\n", x.name, x.why)
			} else {
				printSite(s.Out, x.run, x.site)
			}
		}
		if more := len(config.Sites) - sitesShown; more > 0 {
			fmt.Fprintf(s.Out, "  %s more\n", console.Plural(more, "site", "sites"))
		}
		return nil
	})
}

// sharedAnswer is how a shared harvest stands, as JSON has it.
type sharedAnswer struct {
	Nodes   map[string]cluster.NodeRecord  `json:"nodes"`
	Harvest cluster.HarvestRecord          `json:"harvest"`
	Shards  map[string]cluster.ShardRecord `json:"shards"`
	Sites   []crawler.SiteProgress         `json:"sites"` // of which nodes tell, in the order of the YAML
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
		_, name, _ := strings.Cut(f.Name, "/") // without the folder of the run
		if err == nil {
			err = fetchFile(ctx, m, d, job.ID, node, f, filepath.Join(folder, filepath.FromSlash(name)))
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
