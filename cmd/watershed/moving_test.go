package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/errgroup"

	"watershed/cluster"
	"watershed/configs"
	"watershed/harvest"
	"watershed/harvest/control"
	"watershed/internal/console"
	"watershed/internal/disk"
	"watershed/lab/kit/crashdisk"
	"watershed/sitemap"
	"watershed/upload"
)

// nodesOf has work done with nodes that answer questions, but harvest nothing.
func nodesOf(t *testing.T, names []string, work func(context.Context, ...*shardNode) error) {
	t.Helper()
	file := clusterYAML(t, t.TempDir(), 1, "")[0]
	config, broker, err := brokerOf(file)
	if err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	broker.Patient = true
	serving, end := context.WithCancel(t.Context())
	var all errgroup.Group
	all.Go(func() error {
		nodes := []cluster.Node{cluster.Node(config.Nodes[0])}
		return cluster.RunNode(serving, broker, nodes[0].Name, t.TempDir(), nodes, quiet)
	})
	var enter func(ctx context.Context, names []string, nodes ...*shardNode) error
	enter = func(ctx context.Context, names []string, nodes ...*shardNode) error {
		if len(names) == 0 {
			return work(ctx, nodes...)
		}
		name := names[0]
		return cluster.With(ctx, broker, name, quiet, func(ctx context.Context, m *cluster.Member) error {
			n := &shardNode{
				name: name, cluster: file, folder: t.TempDir(), member: m, log: quiet,
				looked: map[cluster.ShardID]looked{},
			}
			ctx, stop := context.WithCancel(ctx)
			var answering errgroup.Group
			answering.Go(func() error { return m.Office.Answer(ctx, n.name, n.answer) })
			err := enter(ctx, names[1:], append(nodes, n)...)
			stop()
			return errors.Join(err, answering.Wait())
		})
	}
	err = enter(t.Context(), names)
	end()
	if err = errors.Join(err, all.Wait()); err != nil {
		t.Error(err)
	}
}

// sharedOf is the record of a harvest h with one shard, by a YAML that the broker has where it is sent.
func sharedOf(t *testing.T) (h cluster.HarvestRecord, id cluster.ShardID, send func(*shardNode)) {
	t.Helper()
	const sum = "sum"
	const text = "harvest: h\noperator: {name: a, contact: \"mailto:a@example.org\"}\n" +
		"sites: [{name: a, seeds: [\"http://a.example/\"]}]\n"
	return cluster.HarvestRecord{Round: 1, Count: 1, Shards: []int{0}, YAML: sum},
		cluster.ShardID{Harvest: "h"}, func(n *shardNode) {
			files := map[string][]byte{"h.yaml": []byte(text)}
			pack, err := json.Marshal(bundle{YAML: "h.yaml", Files: files})
			if err == nil {
				err = n.member.Office.Send(t.Context(), bundleName("h", sum), bytes.NewReader(pack))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
}

// TestMoving: a node that is to fetch a shard, and has an older folder of it, changes nothing by order in
// the meantime. It takes the folder of the other one as it is, an empty one, too, leaves its own beside it,
// and fetches nothing before it knows the YAML.
func TestMoving(t *testing.T) {
	nodesOf(t, []string{"a", "b"}, func(ctx context.Context, list ...*shardNode) error {
		a, b := list[0], list[1]
		h, id, send := sharedOf(t)
		job := cluster.Job{ID: id, Round: 1}
		x := cluster.ShardRecord{Node: "a", From: "b", Round: 1, State: cluster.Ended}
		m := a.member
		if err := errors.Join(m.PutHarvest(m.Board(), "h", h), m.PutShard(m.Board(), id, x)); err != nil {
			return err
		}
		within(t, "the other one knows the shard", func() bool { return b.member.Board().At(id).Node == "a" })
		for n, text := range map[*shardNode]string{a: `{"round":1}`, b: `{"round":1,"ended":1}`} {
			for _, folder := range []string{"run-0001", ""} {
				at := filepath.Join(n.shardFolder(id), folder)
				if err := os.MkdirAll(at, 0o777); err != nil {
					return err
				}
				writeFile(t, filepath.Join(at, "round.json"), text)
			}
		}
		writeFile(t, a.yaml(id), "")
		for _, args := range [][]string{
			{"decide", "out", cluster.FileArg, "http://a.example/"},
			{"upload", cluster.FileArg},
			{orderQuestion, `{"do":"pause"}`},
		} {
			var out, errs strings.Builder
			code := a.answer(ctx, cluster.Question{Harvest: "h", Args: args}, &out, &errs)
			want := "on its way there: " + args[0] + " is not done"
			if code != exitFailed || !strings.Contains(errs.String(), want) {
				t.Errorf("%s: exit code %d, %s%s", args[0], code, out.String(), errs.String())
			}
		}
		aside := func(want int) {
			t.Helper()
			list, err := filepath.Glob(a.shardFolder(id) + ".2*")
			if err != nil || len(list) != want {
				t.Errorf("beside it lie %q, want %d: %v", list, want, err)
			}
		}
		if err := a.fetchFolder(ctx, id, "b"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("without the YAML: %v", err)
		}
		aside(0)
		send(a)
		if err := a.fetchFolder(ctx, id, "b"); err != nil {
			return err
		}
		aside(1)
		if noted, err := a.noted(id); err != nil || noted.Ended != 1 {
			t.Errorf("%+v, %v is not what the other node had", noted, err)
		}
		if err := os.RemoveAll(b.shardFolder(id)); err != nil {
			return err
		}
		if err := a.fetchFolder(ctx, id, "b"); err != nil {
			return err
		}
		aside(2)
		if last := (cluster.ShardRecord{Round: job.Round, Begun: job.Round}); a.has(id, last) {
			t.Error("what was here counts as that of a node that had nothing")
		}
		if err := os.Symlink("round.json", filepath.Join(a.shardFolder(id), "round.json")); err != nil {
			return err
		}
		if !a.has(id, cluster.ShardRecord{Round: job.Round}) {
			t.Error("what cannot be read at the moment counts as lost")
		}
		return nil
	})
}

// TestOrdersWhileSomeHaveEnded: an order goes to the shards of a harvest that have not ended; where all have,
// it is refused as on one machine.
func TestOrdersWhileSomeHaveEnded(t *testing.T) {
	nodesOf(t, []string{"a"}, func(ctx context.Context, list ...*shardNode) error {
		a := list[0]
		m, yaml := a.member, filepath.Join(t.TempDir(), "h.yaml")
		writeFile(t, yaml, "harvest: h\noperator: {name: a, contact: \"mailto:a@example.org\"}\n"+
			"sites: [{name: a, seeds: [\"http://a.example/\"]}]\n")
		h := cluster.HarvestRecord{Round: 1, Count: 2, Shards: []int{0, 1}}
		if err := m.PutHarvest(m.Board(), "h", h); err != nil {
			return err
		}
		for _, second := range []cluster.State{cluster.Running, cluster.Ended} {
			for i, state := range []cluster.State{cluster.Ended, second} {
				x := cluster.ShardRecord{Node: "a", Round: 1, State: state}
				err := m.PutShard(m.Board(), cluster.ShardID{Harvest: "h", Shard: i}, x)
				if err != nil {
					return err
				}
			}
			var out, errs strings.Builder
			err := forShards(ctx, console.Streams{Out: &out, Err: &errs}, &shardCall{
				args:  []string{"control", "pause", yaml},
				given: map[string]string{"cluster": a.cluster, "file": yaml},
				order: &control.Order{Do: control.Pause},
			})
			later := "h-001:\nno run takes orders now: one that begins carries this out\n"
			if second == cluster.Running && (out.String() != later || err != nil) {
				t.Errorf("asked are %q: %s, %v", out.String(), errs.String(), err)
			}
			within(t, "the broker keeps one order", func() bool { // the command was a member of its own
				return len(m.Board().Harvests["h"].Orders) == 1
			})
			if second == cluster.Ended && !errors.Is(err, control.ErrNoRun) {
				t.Errorf("where all have ended: %s%s, %v", out.String(), errs.String(), err)
			}
		}
		return takesOrders(ctx, t, a, cluster.ShardID{Harvest: "h", Shard: 1})
	})
}

// takesOrders has a run of a shard begin, which finds a kept order, and is given it once when it takes
// orders.
func takesOrders(ctx context.Context, t *testing.T, a *shardNode, id cluster.ShardID) error {
	t.Helper()
	folder := harvest.Folder(a.shardFolder(id))
	if err := os.MkdirAll(string(folder), 0o777); err != nil {
		return err
	}
	var kept []json.RawMessage
	within(t, "the node knows the order", func() (ok bool) {
		var err error
		kept, err = a.keepOrders(id)
		return err == nil && len(kept) == 1
	})
	if text, err := os.ReadFile(folder.Kept()); !strings.Contains(string(text), `"do":"pause"`) {
		t.Errorf("the run that begins finds %s, %v", text, err)
	}
	if given := a.giveOrders(ctx, a.member.Board(), id, nil); len(given) > 0 {
		t.Errorf("given to no run: %s", given)
	}
	l, err := control.Listen(folder.Socket())
	if err != nil {
		return err
	}
	serving, end := context.WithCancel(ctx)
	got := make(chan string, 3)
	var all errgroup.Group
	all.Go(func() error {
		return l.Serve(serving, func(o control.Order) control.Answer {
			got <- o.Do
			return control.Answer{}
		})
	})
	given := a.giveOrders(ctx, a.member.Board(), id, nil)
	again := a.giveOrders(ctx, a.member.Board(), id, given)
	if len(given) != 1 || len(again) != 1 || len(got) != 1 {
		t.Errorf("given are %s, then %s, and the run got %d", given, again, len(got))
	}
	end()
	return all.Wait()
}

// TestCommandsOfSites: a decision on a site is for the shard that has the site, and bears the name of whoever
// made it, at another machine. A limit of the whole harvest is for no shard.
func TestCommandsOfSites(t *testing.T) {
	nodesOf(t, []string{"a"}, func(ctx context.Context, list ...*shardNode) error {
		a := list[0]
		yaml := filepath.Join(t.TempDir(), "h.yaml")
		text := "harvest: h\noperator: {name: a, contact: \"mailto:a@example.org\"}\n" +
			"sites:\n- {name: a, seeds: [\"http://a.example/\"]}\n" +
			"- {name: b, seeds: [\"http://b.example/\"]}\n"
		writeFile(t, yaml, text)
		config, err := load(yaml)
		if err != nil {
			return err
		}
		m, numbers := a.member, config.Numbers(256)
		h := cluster.HarvestRecord{Round: 1, Count: 256, Shards: numbers, YAML: "sum"}
		pack, err := json.Marshal(bundle{YAML: "h.yaml", Files: map[string][]byte{"h.yaml": []byte(text)}})
		if err == nil {
			err = m.Office.Send(ctx, bundleName("h", "sum"), bytes.NewReader(pack))
		}
		if err = errors.Join(err, m.PutHarvest(m.Board(), "h", h)); err != nil {
			return err
		}
		var preparing errgroup.Group // a node begins as many shards at once as it has room for
		for _, id := range m.Board().Of("h") {
			x := cluster.ShardRecord{Node: "a", Round: 1, State: cluster.Stopped}
			if err := m.PutShard(m.Board(), id, x); err != nil {
				return err
			}
			preparing.Go(func() error { return a.prepare(ctx, id) })
		}
		for i := range 6 {
			preparing.Go(func() error { return a.prepare(ctx, cluster.ShardID{Harvest: "h", Shard: i}) })
		}
		if err := preparing.Wait(); err != nil {
			t.Error(err)
		}
		of := cluster.ShardID{Harvest: "h", Shard: config.Sites[1].ShardOf(256)}
		decided, _ := succeed(t, ctx, "decide", "out", "--cluster", a.cluster, yaml, "http://b.example/x",
			"--site", "b")
		if !strings.Contains(decided, of.String()) || strings.Count(decided, "h-") != 1 {
			t.Errorf("decided is %q, and not for shard %s alone", decided, of)
		}
		_, said := ends(t, ctx, exitUsage, "decide", "out", "--cluster", a.cluster, yaml, "http://b.example/",
			"--site", "c")
		if !strings.Contains(said, `no site "c"; it has ["a" "b"]`) {
			t.Errorf("a site that the harvest does not have: %s", said)
		}
		_, said = ends(t, ctx, exitUsage, "control", "limit", "--cluster", a.cluster, yaml, "pages", "9")
		if !strings.Contains(said, "all of its shards to count together") {
			t.Errorf("a limit of the whole harvest: %s", said)
		}
		var out, errs strings.Builder
		a.answer(ctx, cluster.Question{
			Harvest: "h", Shard: of.Shard, By: "carol",
			Args: []string{"decide", "out", cluster.FileArg, "http://b.example/y"},
		}, &out, &errs)
		if !strings.Contains(out.String(), "by carol") {
			t.Errorf("a decision of somebody else: %s%s", out.String(), errs.String())
		}
		return nil
	})
}

// TestDecidedForEachSite: what is decided for each site of a harvest holds in all of its shards, wherever it
// was decided or withdrawn, also in those that a node begins later; the last word holds.
func TestDecidedForEachSite(t *testing.T) {
	nodesOf(t, []string{"a", "b"}, func(ctx context.Context, list ...*shardNode) error {
		a, b := list[0], list[1]
		yaml, m := filepath.Join(t.TempDir(), "h.yaml"), a.member
		text := "harvest: h\noperator: {name: a, contact: \"mailto:a@example.org\"}\nsites:\n" +
			"- {name: a, seeds: [\"http://a.example/\"]}\n- {name: b, seeds: [\"http://b.example/\"]}\n" +
			"- {name: c, seeds: [\"http://c.example/\"]}\n"
		writeFile(t, yaml, text)
		config, err := load(yaml)
		if err != nil {
			return err
		}
		h := cluster.HarvestRecord{Round: 1, Count: 256, Shards: config.Numbers(256), YAML: "sum"}
		pack, err := json.Marshal(bundle{YAML: "h.yaml", Files: map[string][]byte{"h.yaml": []byte(text)}})
		if err == nil {
			err = m.Office.Send(ctx, bundleName("h", "sum"), bytes.NewReader(pack))
		}
		if err = errors.Join(err, m.PutHarvest(m.Board(), "h", h)); err != nil {
			return err
		}
		ids := m.Board().Of("h")
		for i, n := range list {
			x := cluster.ShardRecord{Node: n.name, Round: 1, State: cluster.Stopped}
			if err := m.PutShard(m.Board(), ids[i], x); err != nil {
				return err
			}
			within(t, "the node knows its shard", func() bool {
				return n.member.Board().At(ids[i]).Node == n.name
			})
			if err := n.prepare(ctx, ids[i]); err != nil {
				return err
			}
		}
		const out, bar = "out url:http://x.example/", "exclude host:y.example"
		const own = "in url:http://x.example/own"
		site := config.Sites[slices.IndexFunc(config.Sites, func(s configs.Site) bool {
			return s.ShardOf(256) == ids[1].Shard
		})].Name
		has := func(n *shardNode, id cluster.ShardID, want ...string) {
			t.Helper()
			var got []string
			within(t, fmt.Sprintf("shard %s has %q", id, want), func() bool {
				if err := n.keep(ctx, id); err != nil {
					t.Fatal(err)
				}
				l, err := harvest.ReadDecisions(harvest.Folder(n.shardFolder(id)).Decisions())
				if err != nil {
					t.Fatal(err)
				}
				got = nil
				for _, d := range l.Decisions {
					got = append(got, d.Do+" "+d.Rule.String())
				}
				return slices.Equal(got, want)
			})
		}
		decided, said := succeed(t, ctx, "decide", "out", "--cluster", a.cluster, yaml, "http://x.example/")
		const kept = "kept for when a node harvests them: 1 shard"
		if strings.Count(decided, "h-") != 2 || !strings.Contains(said, kept) {
			t.Errorf("decided: %s%s", decided, said)
		}
		has(a, ids[0], out)
		has(b, ids[1], out)
		succeed(t, ctx, "decide", "exclude", b.yaml(ids[1]), "host:y.example")
		succeed(t, ctx, "decide", "in", b.yaml(ids[1]), "http://x.example/own", "--site", site)
		has(b, ids[1], out, bar, own)
		has(a, ids[0], out, bar)
		succeed(t, ctx, "decide", "withdraw", "--cluster", a.cluster, yaml, "http://x.example/")
		has(a, ids[0], bar)
		has(b, ids[1], bar, own)
		if _, said := ends(t, ctx, exitFailed, "decide", "withdraw", "--cluster", a.cluster, yaml,
			"http://x.example/"); !strings.Contains(said, "nothing was decided on this") {
			t.Errorf("withdrawn twice: %s", said)
		}
		x := cluster.ShardRecord{Node: "b", Round: 1, State: cluster.Running}
		if err := errors.Join(m.PutShard(m.Board(), ids[2], x), b.recall(ctx, ids[2])); err != nil {
			return err
		}
		has(b, ids[2], bar)
		succeed(t, ctx, "decide", "withdraw", "--cluster", a.cluster, yaml, "host:y.example")
		succeed(t, ctx, "decide", "soft", "--cluster", a.cluster, yaml, "http://x.example/")
		has(a, ids[0], "soft url:http://x.example/")
		has(b, ids[2], "soft url:http://x.example/")
		succeed(t, ctx, "decide", "withdraw", "--cluster", a.cluster, yaml, "http://x.example/")
		has(a, ids[0])
		var order []string // which counts also within a second
		for _, below := range []string{"c", "c/b", "c/b/a", "d"} {
			rule := "prefix:http://x.example/" + below
			succeed(t, ctx, "decide", "in", a.yaml(ids[0]), rule)
			order = append(order, "in "+rule)
		}
		has(a, ids[0], order...)
		has(b, ids[2], order...)
		return nil
	})
}

// TestUnreadableDecisions: a node tells once that it cannot read what was decided, with the file, and not at
// each look.
func TestUnreadableDecisions(t *testing.T) {
	nodesOf(t, []string{"a"}, func(ctx context.Context, list ...*shardNode) error {
		n, m, id := list[0], list[0].member, cluster.ShardID{Harvest: "h"}
		h := cluster.HarvestRecord{Round: 1, Count: 256, Shards: []int{0}}
		err := errors.Join(m.PutHarvest(m.Board(), "h", h), m.PutDecided(m.Board(), "h", "a", "b"),
			os.MkdirAll(n.shardFolder(id), 0o777))
		file := harvest.Folder(n.shardFolder(id)).Decisions()
		writeFile(t, file, "no: [list")
		var said output
		n.log = slog.New(slog.NewTextHandler(&said, nil))
		for range 3 {
			n.heed(ctx, id, "what was decided on a shard is on this node alone", n.keep(ctx, id))
		}
		text := said.String()
		if strings.Count(text, "level=WARN") != 1 || !strings.Contains(text, file) {
			t.Errorf("said was %q", text)
		}
		return err
	})
}

// TestWhileOwned: the harvest of a shard that another node has taken over ends, though its own node hangs.
func TestWhileOwned(t *testing.T) {
	nodesOf(t, []string{"a"}, func(ctx context.Context, list ...*shardNode) error {
		m, id := list[0].member, cluster.ShardID{Harvest: "h", Shard: 1}
		x := cluster.ShardRecord{Node: "a", Round: 1, State: cluster.Running}
		h := cluster.HarvestRecord{Round: 1, Count: 2, Shards: []int{1}}
		if err := errors.Join(m.PutHarvest(m.Board(), "h", h), m.PutShard(m.Board(), id, x)); err != nil {
			return err
		}
		return whileOwned(ctx, m, id.String(), "a", discard, func(ctx context.Context) error {
			x.Visits++
			if err := m.PutShard(m.Board(), id, x); err != nil || ctx.Err() != nil {
				t.Errorf("while node a has the shard: %v, %v", err, ctx.Err())
			}
			x.Node = "b"
			err := m.PutShard(m.Board(), id, x)
			<-ctx.Done()
			return err
		})
	})
}

// TestFailed: a shard that cannot be begun is handed over where the cause is this node's, or the YAML's.
func TestFailed(t *testing.T) {
	for err, want := range map[error]cluster.Verdict{
		&fs.PathError{Err: syscall.EROFS}:        cluster.Unfit,
		&fs.PathError{Err: syscall.ENOSPC}:       cluster.Unfit,
		&exitError{exitConfig, errors.New("no")}: cluster.Refused,
		errors.New("the broker is silent"):       cluster.Again,
	} {
		if r := (&shardNode{}).failed(err); r.Verdict != want || r.Said != err.Error() {
			t.Errorf("%v: %+v, want verdict %d", err, r, want)
		}
	}
}

// TestOwnership: a harvest whose member is told late that its node has the shard, and that which did before
// has it no more, goes on.
func TestOwnership(t *testing.T) {
	over := takenOver("a")
	for i, node := range []string{"", "c", "a", "a", "b"} {
		if lost := over(node); lost != (node == "b") {
			t.Errorf("look %d, node %q: lost is %v", i, node, lost)
		}
	}
}

// TestRestoredDisk: a shard that has ended is not on a disk that was restored from a moment at which its run
// was under way, or interrupted; its harvest goes on by what is there.
func TestRestoredDisk(t *testing.T) {
	id := cluster.ShardID{Harvest: "h"}
	n := &shardNode{folder: t.TempDir()}
	ended := cluster.ShardRecord{Round: 2, State: cluster.Ended}
	is := func(want bool, runs ...string) {
		t.Helper()
		err := errors.Join(os.RemoveAll(n.shardFolder(id)), os.MkdirAll(n.shardFolder(id), 0o777))
		if err != nil {
			t.Fatal(err)
		}
		for i, status := range runs {
			run := filepath.Join(n.shardFolder(id), fmt.Sprintf("run-%04d", i+1))
			if err := os.Mkdir(run, 0o777); err != nil {
				t.Fatal(err)
			}
			if status != "" {
				writeFile(t, harvest.Run(run).Status(), status)
			}
		}
		writeFile(t, n.roundFile(id), `{"round":2,"ended":1}`)
		if got := n.has(id, ended); got != want {
			t.Errorf("with runs %q: %v", runs, got)
		}
		for visits := range int64(2) {
			last := cluster.ShardRecord{Round: 2, Begun: 2, Figures: cluster.Figures{Visits: visits}}
			if got, want := n.has(id, last), len(runs) > 0 || visits == 0; got != want {
				t.Errorf("with runs %q, while the round is under way with %d visits: %v", runs, visits, got)
			}
		}
	}
	const complete, interrupted = `{"ending":{"ended":"complete"}}`, `{"ending":{"ended":"interrupted"}}`
	is(true, complete, complete)
	is(true, complete, complete, `{"phase":"crawling"}`)
	is(true, complete, "{not whole")
	is(false, complete, `{"phase":"crawling"}`)
	run := harvest.Run(filepath.Join(n.shardFolder(id), "run-0002"))
	for i, at := range []string{run.Index(), filepath.Join(run.Reports(), "report.json")} {
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			t.Fatal(err)
		}
		writeFile(t, at, "{not whole")
		if got := n.has(id, ended); got != (i == 1) {
			t.Errorf("of a run that has delivered, and %d of whose reports are cut: %v", i, got)
		}
	}
	is(false, complete, interrupted)
	is(false, complete, "")
	is(false)
}

// TestGather: a round is gathered when the broker has what each of its shards brought, and not before.
// The gathered files outlive a power failure, and are made durable together: of a round with very many sites,
// waiting for the disk after each takes most of the time.
func TestGather(t *testing.T) {
	nodesOf(t, []string{"a"}, func(ctx context.Context, list ...*shardNode) error {
		m, root := list[0].member, crashdisk.Folder(t)
		d, err := crashdisk.New(root, crashdisk.Options{})
		if err != nil {
			return err
		}
		config := &configs.Harvest{
			Harvest: "h", Archive: configs.Archive{Dir: configs.Path(root)},
			Upload: configs.Upload{Store: "https://store.example", When: configs.UploadEnded},
		}
		ids := []cluster.ShardID{{Harvest: "h"}, {Harvest: "h", Shard: 1}}
		h := cluster.HarvestRecord{Round: 1, Count: 256, Shards: []int{0, 1}}
		if err := m.PutHarvest(m.Board(), "h", h); err != nil {
			return err
		}
		bring := func(id cluster.ShardID) {
			t.Helper()
			run := t.TempDir()
			for _, folder := range []string{"indexes", "reports"} {
				if err := os.Mkdir(filepath.Join(run, folder), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			writeFile(t, filepath.Join(run, "reports", "report.json"), `{"ending":{"ended":"complete"}}`)
			writeFile(t, filepath.Join(run, "indexes", "index.cdxj"), id.String()+"\n")
			var pack bytes.Buffer
			err := packResults(&pack, harvest.Run(run))
			if err == nil {
				name := resultsName(cluster.Job{ID: id, Round: 1})
				err = m.Office.Send(ctx, name, bytes.NewReader(pack.Bytes()))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		ended := func(id cluster.ShardID, code int) {
			t.Helper()
			x := cluster.ShardRecord{Node: "a", Round: 1, State: cluster.Ended, Code: code, Stop: true}
			if err := m.PutShard(m.Board(), id, x); err != nil {
				t.Fatal(err)
			}
		}
		bring(ids[0])
		ended(ids[0], exitOK)
		ended(ids[1], exitOK)
		_, lacking, err := gather(ctx, m, config, d, io.Discard, "")
		if err != nil || !slices.Equal(lacking, []string{"h-001"}) {
			t.Errorf("lacking are %q: %v", lacking, err)
		}
		b := m.Board()
		h, x, y := b.Harvests["h"], b.At(ids[0]), b.At(ids[1])
		if h.Gathered || x.State != cluster.Ended || y.State != cluster.Waiting || y.Stop {
			t.Errorf("%+v, %+v, %+v", h, x, y)
		}
		bring(ids[1])
		ended(ids[1], exitFailed) // after its harvest was complete, so that its upload failed
		_, lacking, err = gather(ctx, m, config, d, io.Discard, "mend it so")
		if exitCode(err) != exitLosses || !strings.Contains(err.Error(), "not uploaded: 1 shard;") ||
			!strings.HasSuffix(err.Error(), "mend it so") || len(lacking) > 0 ||
			!m.Board().Harvests["h"].Gathered {
			t.Errorf("lacking are %q: %v", lacking, err)
		}
		pack, err := m.Office.Fetch(ctx, resultsName(cluster.Job{ID: ids[0], Round: 1}), t.TempDir())
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the broker has still what was gathered: %v, %v", pack, err)
		}
		elsewhere := &configs.Harvest{Harvest: "h", Archive: configs.Archive{Dir: configs.Path(t.TempDir())}}
		_, lacking, err = gather(ctx, m, elsewhere, disk.OS{}, io.Discard, "")
		if err == nil || !strings.Contains(err.Error(), "another command") || len(lacking) > 0 {
			t.Errorf("by another command: lacking are %q: %v", lacking, err)
		}
		for k := range d.Len() {
			if did := d.Describe(k); strings.HasSuffix(did, disk.Suffix) && strings.Contains(did, "sync ") {
				t.Errorf("each file is waited for: %s", did)
			}
		}
		for seed := range uint64(20) {
			built := crashdisk.Folder(t)
			if err := d.Build(crashdisk.Crash{At: d.Len(), Power: true, Seed: seed}, built); err != nil {
				return err
			}
			for name, want := range map[string]string{
				"index.cdxj": "h-000\nh-001\n", "h-001/indexes/index.cdxj": "h-001\n",
			} {
				text, err := os.ReadFile(filepath.Join(built, "h", "round-0001", name))
				if err != nil || string(text) != want {
					t.Fatalf("seed %d: %s is %q, %v", seed, name, text, err)
				}
			}
		}
		return nil
	})
}

// TestSilentBroker: whoever waits for the end of a harvest waits also while the broker is silent, and says
// so. A stopped shard that has lost captures is harvested anew when it goes on, and not before.
func TestSilentBroker(t *testing.T) {
	t.Parallel()
	file := clusterYAML(t, t.TempDir(), 1, "")[0]
	config, broker, err := brokerOf(file)
	if err != nil {
		t.Fatal(err)
	}
	quiet, folder := slog.New(slog.DiscardHandler), t.TempDir()
	broker.Patient = true
	node := func() (end func()) {
		ctx, stop := context.WithCancel(t.Context())
		var serving errgroup.Group
		nodes := []cluster.Node{cluster.Node(config.Nodes[0])}
		serving.Go(func() error { return cluster.RunNode(ctx, broker, nodes[0].Name, folder, nodes, quiet) })
		return func() {
			if stop(); serving.Wait() != nil {
				t.Error("the node broke off")
			}
		}
	}
	end := node()
	defer func() { end() }()
	err = cluster.With(t.Context(), broker, "a", quiet, func(ctx context.Context, m *cluster.Member) error {
		id, x := cluster.ShardID{Harvest: "h"}, cluster.ShardRecord{Node: "a", Round: 1, State: cluster.Ended}
		h := cluster.HarvestRecord{Round: 1, Count: 256, Shards: []int{0}}
		if err := errors.Join(m.PutHarvest(m.Board(), "h", h), m.PutShard(m.Board(), id, x)); err != nil {
			return err
		}
		end()
		within(t, "the broker is silent", func() bool { return m.Board().Stale })
		var said output
		var following errgroup.Group
		following.Go(func() error {
			return new(harvestCommand).follow(ctx, m, &news{name: "h", file: file}, map[cluster.ShardID]int{},
				console.Streams{Out: io.Discard, Err: &said})
		})
		within(t, "it is said", func() bool { return strings.Contains(said.String(), "does not answer") })
		end = node()
		err := following.Wait()
		if text := said.String(); !strings.Contains(text, "the broker answers again") {
			t.Errorf("said was %q", text)
		}
		x.State, x.Lost = cluster.Stopped, []cluster.Loss{{Node: "a", Round: 1, Captured: 7}}
		if err := errors.Join(err, m.PutShard(m.Board(), id, x)); err != nil {
			return err
		}
		err = new(harvestCommand).follow(ctx, m, &news{name: "h", file: file}, map[cluster.ShardID]int{},
			console.Streams{Out: io.Discard, Err: &said})
		if !strings.Contains(said.String(), "is harvested anew when the harvest goes on; captures lost") ||
			exitCode(err) != exitInterrupted {
			t.Errorf("said was %q, and %v", said.String(), err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestGatherFromNode: results that the broker does not have, or had no room for, come from the node of their
// shard, where it has those of the round.
func TestGatherFromNode(t *testing.T) {
	nodesOf(t, []string{"a"}, func(ctx context.Context, list ...*shardNode) error {
		a, m := list[0], list[0].member
		config := &configs.Harvest{Harvest: "h", Archive: configs.Archive{Dir: configs.Path(t.TempDir())}}
		id := cluster.ShardID{Harvest: "h"}
		x := cluster.ShardRecord{Node: "a", Round: 2, State: cluster.Ended}
		h := cluster.HarvestRecord{Round: 2, Count: 256, Shards: []int{0}}
		if err := errors.Join(m.PutHarvest(m.Board(), "h", h), m.PutShard(m.Board(), id, x)); err != nil {
			return err
		}
		have := map[string]string{"indexes/index.cdxj": "a line\n", "harvest.yaml": "yaml"}
		for _, run := range []string{"run-0001", "run-0002"} {
			for name, text := range have {
				at := filepath.Join(a.shardFolder(id), run, name)
				if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
					return err
				}
				writeFile(t, at, text)
			}
		}
		writeFile(t, filepath.Join(a.shardFolder(id), "run-0002", "1.warc.gz"), "")
		for i, want := range [][]string{{"h-000"}, {"h-000"}, nil} {
			round := min(i+1, 2)
			writeFile(t, a.roundFile(id), fmt.Sprintf(`{"round":%d}`, round))
			// The second is that of a disk that was restored.
			ending := []string{"complete", "interrupted", "complete"}[i]
			writeFile(t, filepath.Join(a.shardFolder(id), "run-0002", "status.json"),
				fmt.Sprintf(`{"ending":{"ended":%q}}`, ending))
			if err := m.PutShard(m.Board(), id, x); err != nil { // which may be to go on
				return err
			}
			if causes, err := held(ctx, m, "h"); err != nil || len(causes) != len(want) {
				t.Errorf("%d: round %d: that the node has what the shard brought: %q, %v", i, round, causes,
					err)
			}
			_, lacking, err := gather(ctx, m, config, disk.OS{}, io.Discard, "")
			if err != nil || !slices.Equal(lacking, want) {
				t.Errorf("%d: round %d: lacking are %q: %v", i, round, lacking, err)
			}
		}
		again := cluster.HarvestRecord{Round: 2, Count: 256}
		const mend = "That is to be mended at node a"
		for i, c := range []struct {
			node   string
			causes int
			err    string
		}{{"gone", 0, ""}, {"gone", 1, ""}, {"gone", 1, ""}, {"gone too", 2, ""}, {"a", 0, mend}} {
			id := cluster.ShardID{Harvest: "i", Shard: i}
			again.Shards = append(again.Shards, i)
			x.Node, x.Kept = c.node, i == 0 // of what is elsewhere nobody is asked
			if c.err != "" {
				if err := os.MkdirAll(filepath.Dir(a.shardFolder(id)), 0o777); err != nil {
					return err
				}
				writeFile(t, a.shardFolder(id), "")
			}
			err := errors.Join(m.PutHarvest(m.Board(), "i", again), m.PutShard(m.Board(), id, x))
			if err != nil {
				return err
			}
			causes, err := held(ctx, m, "i")
			if len(causes) != c.causes || (err != nil) != (c.err != "") ||
				err != nil && !strings.HasSuffix(err.Error(), c.err) {
				t.Errorf("shard %d of node %s: %q, %v", i, c.node, causes, err)
			}
		}
		got := map[string]string{}
		folder := filepath.Join(string(config.Archive.Dir), "h", "round-0002", "h-000")
		err := eachFile(folder, "", func(name, at string, _ fs.FileInfo) error {
			text, err := os.ReadFile(at)
			got[name] = string(text)
			return err
		})
		if !maps.Equal(got, have) {
			t.Errorf("gathered are %q", got)
		}
		return err
	})
}

// TestBrokenOffGoesOn: whoever asks for a harvest again has a shard that broke off tried soon.
func TestBrokenOffGoesOn(t *testing.T) {
	nodesOf(t, []string{"a"}, func(ctx context.Context, list ...*shardNode) error {
		m := list[0].member
		config, err := configs.Parse(filepath.Join(t.TempDir(), "h.yaml"), []byte("harvest: h\n"+
			"operator: {name: a, contact: \"mailto:a@example.org\"}\n"+
			"sites: [{name: a, seeds: [\"http://a.example/\"]}]\n"))
		if err != nil {
			return err
		}
		begin := func() error { return beginShared(ctx, m, &config, &bundle{}, false, io.Discard) }
		if err := begin(); err != nil {
			return err
		}
		id := m.Board().Of("h")[0]
		x := cluster.ShardRecord{Node: "a", Round: 1, State: cluster.Running, Broken: 6, Said: "no memory"}
		if err := errors.Join(m.PutShard(m.Board(), id, x), begin()); err != nil {
			return err
		}
		x = m.Board().At(id)
		if x.Broken > 0 || x.Said != "" || x.Node != "a" || x.State != cluster.Running {
			t.Errorf("%+v", x)
		}
		return nil
	})
}

// TestInFolder: a name that another node tells leads out of no folder, nor does what is left of it without
// the folder of a run.
func TestInFolder(t *testing.T) {
	for name, want := range map[string]bool{
		"run-0001/indexes/index.cdxj": true, "harvest.yaml": true, "/etc/passwd": false, "../x": false,
		"run-0001/../x": false, "run-0001/a/../../x": false, "run-0001/./x": false, "": false,
	} {
		if inFolder(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// TestForget: of a harvest that was gathered the broker keeps nothing but the number of its last round, by
// which no run of a later harvest has a number that one had; decisions that a node has are sent again then.
func TestForget(t *testing.T) {
	nodesOf(t, []string{"a"}, func(ctx context.Context, list ...*shardNode) error {
		a, m := list[0], list[0].member
		h, id, send := sharedOf(t)
		h.Round, h.Count, h.Shards = 3, 2, []int{0, 1}
		x := cluster.ShardRecord{Node: "a", Round: 3, State: cluster.Ended, Lost: []cluster.Loss{{Node: "b"}}}
		other := cluster.ShardID{Harvest: "h", Shard: 1}
		y := cluster.ShardRecord{Node: "a", Round: 3, State: cluster.Ended, Lost: slices.Repeat(x.Lost, 2)}
		folder := harvest.Folder(a.shardFolder(id))
		names := []string{
			resultsName(cluster.Job{ID: id, Round: 3}), bundleName("h", h.YAML),
			decidedName(id, folder.Decisions()),
		}
		err := errors.Join(m.PutHarvest(m.Board(), "h", h), m.PutShard(m.Board(), id, x),
			m.PutShard(m.Board(), other, y), m.Office.Send(ctx, names[0], strings.NewReader("results")),
			m.Office.Send(ctx, "hh/other", strings.NewReader("another")), os.MkdirAll(string(folder), 0o777))
		if err != nil {
			return err
		}
		send(a)
		writeFile(t, folder.Decisions(), "version: 1\n")
		if err := a.keep(ctx, id); err != nil {
			return err
		}
		there := func(want bool, names ...string) {
			t.Helper()
			for _, name := range names {
				f, err := m.Office.Fetch(ctx, name, t.TempDir())
				if err == nil {
					err = f.Close()
				}
				if (err == nil) != want {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		if err := m.Forget(ctx, "h"); !errors.Is(err, cluster.ErrUngathered) {
			t.Errorf("before it is gathered: %v", err)
		}
		there(true, names...)
		h.Gathered = true
		if err := m.PutHarvest(m.Board(), "h", h); err != nil {
			return err
		}
		if err := m.Forget(ctx, "h"); err != nil {
			return err
		}
		there(false, names...)
		there(true, "hh/other")
		b := m.Board()
		if h = b.Harvests["h"]; len(b.Shards) > 0 || len(b.Of("h")) > 0 || h.Round != 5 || h.Count != 2 {
			t.Errorf("%+v, %+v", h, b.Shards)
		}
		if err := m.Forget(ctx, "h"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("again: %v", err)
		}
		h = cluster.HarvestRecord{Round: 6, Count: 256, Shards: []int{0}}
		x = cluster.ShardRecord{Node: "a", Round: 6}
		if err := errors.Join(m.PutHarvest(b, "h", h), m.PutShard(b, id, x), a.recall(ctx, id)); err != nil {
			return err
		}
		if err := a.keep(ctx, id); err != nil {
			return err
		}
		there(true, names[2])
		return nil
	})
}

// TestSentAgain: a harvest whose results are sent later than it ended counts as what it was.
func TestSentAgain(t *testing.T) {
	nodesOf(t, []string{"a"}, func(ctx context.Context, list ...*shardNode) error {
		a, job := list[0], cluster.Job{Round: 1}
		folder := harvest.Folder(t.TempDir())
		run := folder.Run(1)
		if err := os.MkdirAll(filepath.Dir(run.Status()), 0o777); err != nil {
			return err
		}
		const ending = `"ending":{"ended":"losses","losses":{"failed":2}}`
		var r cluster.Result
		for _, at := range []string{run.Index(), filepath.Join(run.Reports(), "report.json")} {
			if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
				return err
			}
			writeFile(t, at, "{"+ending+"}")
		}
		// The process of the second was killed when the run had ended, and before it told so.
		for _, status := range []string{`{"phase":"finished",` + ending + "}", `{"phase":"delivering"}`} {
			writeFile(t, run.Status(), status)
			r = a.result(ctx, job, folder, cluster.Result{Code: exitOK}, true)
			if r.Verdict != cluster.Done || r.Code != exitLosses || !strings.HasPrefix(r.Said, "lost: ") {
				t.Errorf("%s: %+v", status, r)
			}
		}
		r = a.result(ctx, job, folder, cluster.Result{Code: exitOK, Said: "warning: …"}, false)
		if r.Verdict != cluster.Done || r.Said != "" {
			t.Errorf("of a harvest that is whole: %+v", r)
		}
		writeFile(t, filepath.Join(string(run), upload.RecordName), `{"files":{"a":{"size":7}}}`)
		r = a.result(ctx, job, folder, cluster.Result{Code: exitOK}, true)
		if r.Verdict != cluster.Done || r.Code != exitFailed ||
			!strings.HasPrefix(r.Said, "not uploaded: 0 of 1 files") ||
			!strings.Contains(r.Said, "is whole at node a. To go on with the upload there: ") {
			t.Errorf("of an upload that was broken off: %+v", r)
		}
		pack, err := a.member.Office.Fetch(ctx, resultsName(job), t.TempDir())
		if err != nil {
			return err
		}
		return pack.Close()
	})
}

// TestNumbered: the broker keeps that a round of a shard is begun before its run is. A folder that is
// lost before a later round is noted in it is not taken for that of a shard which has had no run.
func TestNumbered(t *testing.T) {
	nodesOf(t, []string{"a"}, func(ctx context.Context, list ...*shardNode) error {
		a := list[0]
		h, id, send := sharedOf(t)
		m, kept := a.member, harvest.Folder(a.shardFolder(id)).Kept()
		send(a)
		x := cluster.ShardRecord{Node: "a", Round: 1, State: cluster.Running}
		err := errors.Join(m.PutHarvest(m.Board(), "h", h), m.PutShard(m.Board(), id, x),
			os.MkdirAll(filepath.Join(kept, "in the way"), 0o777)) // so that no run begins
		if err != nil {
			return err
		}
		r := a.harvest(ctx, cluster.Job{ID: id, Round: 1}, nil)
		x = m.Board().At(id)
		if x.Begun != 1 || !a.has(id, x) || !strings.Contains(r.Said, kept) {
			t.Errorf("%+v of %+v", r, x)
		}
		h.Round, x.Round, x.Before = 2, 2, 7
		err = errors.Join(m.PutHarvest(m.Board(), "h", h), m.PutShard(m.Board(), id, x),
			os.Remove(a.roundFile(id)))
		r = a.harvest(ctx, cluster.Job{ID: id, Round: 2}, nil)
		if x := m.Board().At(id); x.Begun != 2 || a.has(id, x) || strings.Contains(r.Said, kept) {
			t.Errorf("what was there is lost: %+v of %+v", r, x)
		}
		return errors.Join(err, checkOlder(t, a, id))
	})
}

// checkOlder: a node that takes a shard again, which another one has lost, goes on with no run whose number
// was given. The folder that it had of the shard is left beside the new one.
func checkOlder(t *testing.T, a *shardNode, id cluster.ShardID) (err error) {
	m, folder := a.member, harvest.Folder(a.shardFolder(id))
	for _, c := range []struct {
		name         string
		noted, ended int // the round, and the runs that had ended by then
		finished     int // runs that have ended by now
		run          int // the last one
		losses       int
		aside        bool
	}{
		{"under way", 2, 1, 1, 2, 0, false},
		{"under way, and of a number that was given", 2, 1, 1, 2, 1, true},
		{"under way in the round before", 1, 0, 0, 1, 1, true},
		{"ended", 2, 1, 2, 2, 0, false},
		{"ended, and of a number that was given", 2, 1, 2, 2, 1, true},
		{"ended in the round before", 1, 0, 1, 1, 1, false},
		{"begun after the loss", 2, 0, 0, 3, 1, false},
	} {
		list, _ := filepath.Glob(a.shardFolder(id) + "*")
		for _, old := range list {
			err = errors.Join(err, os.RemoveAll(old))
		}
		for n := 1; n <= c.run; n++ {
			lacks := folder.Run(n).Spool()
			if n <= c.finished {
				lacks = filepath.Dir(folder.Run(n).Index())
			}
			err = errors.Join(err, os.MkdirAll(lacks, 0o777))
			if n <= c.finished {
				writeFile(t, folder.Run(n).Index(), "")
			}
		}
		writeFile(t, a.roundFile(id), fmt.Sprintf(`{"round":%d,"ended":%d}`, c.noted, c.ended))
		x := cluster.ShardRecord{
			Node: "a", Round: 2, State: cluster.Running, Lost: make([]cluster.Loss, c.losses),
		}
		if err = errors.Join(err, m.PutShard(m.Board(), id, x)); err != nil {
			return err
		}
		ended, err := a.begun(cluster.Job{ID: id, Round: 2}, folder)
		left, _ := filepath.Glob(a.shardFolder(id) + ".*T*")
		noted, e := a.noted(id)
		if err = errors.Join(err, e); err != nil {
			return err
		}
		if (len(left) > 0) != c.aside || ended != (c.noted == 2 && c.finished > c.ended && !c.aside) ||
			noted.Round != 2 || c.aside && noted.Ended > 0 {
			t.Errorf("%s: left aside %q, ended %v, noted %+v", c.name, left, ended, *noted)
		}
	}
	return nil
}

// TestObey: an order for a run that is delivered is answered with that.
func TestObey(t *testing.T) {
	n, id := &shardNode{folder: t.TempDir()}, cluster.ShardID{Harvest: "h"}
	at := harvest.Folder(n.shardFolder(id)).Socket()
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		t.Fatal(err)
	}
	for phase, want := range map[string]string{
		"": "no run takes orders now", control.Opening: "no run takes orders now",
		control.Delivering: "it is being delivered",
	} {
		l, err := control.Listen(at)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var serving errgroup.Group
		serving.Go(func() error {
			return l.Serve(ctx, func(control.Order) control.Answer {
				return control.Answer{Ended: phase == "", Phase: phase, Error: "it is being delivered"}
			})
		})
		a, err := n.obey(ctx, id, control.Order{Do: control.Delay, Seconds: 1})
		if err != nil || !strings.HasPrefix(a.Later, want) {
			t.Errorf("phase %q: %+v, %v", phase, a, err)
		}
		stop()
		if err := serving.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// TestKept: captures of rounds before are no more its node's alone once an order has uploaded all of them.
func TestKept(t *testing.T) {
	nodesOf(t, []string{"a"}, func(ctx context.Context, list ...*shardNode) error {
		a, id := list[0], cluster.ShardID{Harvest: "h"}
		m, folder := a.member, harvest.Folder(a.shardFolder(id))
		h := cluster.HarvestRecord{Round: 3, Count: 1, Shards: []int{0}}
		x := cluster.ShardRecord{Node: "a", Round: 3, State: cluster.Ended, Before: 7}
		err := errors.Join(m.PutHarvest(m.Board(), "h", h), m.PutShard(m.Board(), id, x))
		for n := 1; n <= 3 && err == nil; n++ {
			err = os.MkdirAll(string(folder.Run(n)), 0o777)
		}
		for _, c := range []struct {
			uploaded int // besides
			kept     bool
			before   int64
		}{{1, false, 7}, {3, true, 7}, {2, true, 0}} {
			if err == nil {
				writeFile(t, filepath.Join(string(folder.Run(c.uploaded)), upload.RecordName), "{}")
				err = a.kept(ctx, id)
			}
			if x := m.Board().At(id); err != nil || x.Kept != c.kept || x.Before != c.before {
				t.Errorf("run %d is uploaded, too: %+v, %v", c.uploaded, x, err)
			}
		}
		return err
	})
}

// TestOwns: a node changes nothing of a shard that another one may have by now.
func TestOwns(t *testing.T) {
	id := cluster.ShardID{Harvest: "h", Shard: 1}
	for _, tc := range []struct {
		name  string
		x     cluster.ShardRecord
		stale bool
		owns  bool
	}{
		{"its own", cluster.ShardRecord{Node: "a"}, false, true},
		{"of another", cluster.ShardRecord{Node: "b"}, false, false},
		{"of nobody", cluster.ShardRecord{From: "a"}, false, false},
		{"to be fetched", cluster.ShardRecord{Node: "a", From: "b"}, false, false},
		{"its own once, while the broker does not answer", cluster.ShardRecord{Node: "a"}, true, false},
	} {
		b := &cluster.Board{Stale: tc.stale, Shards: map[cluster.ShardID]cluster.ShardRecord{id: tc.x}}
		if owns := (&shardNode{name: "a"}).owns(b, id); owns != tc.owns {
			t.Errorf("%s: %v", tc.name, owns)
		}
	}
}

// TestMovingLinks: files that lie on another disk, where links lead to them, go with a shard as bytes, and a
// link to a disk that is not there is an error: the other node's folder counts as a copy afterwards.
func TestMovingLinks(t *testing.T) {
	nodesOf(t, []string{"a", "b"}, func(ctx context.Context, list ...*shardNode) error {
		a, b := list[0], list[1]
		h, id, send := sharedOf(t)
		send(a)
		m := a.member
		x := cluster.ShardRecord{Node: "a", From: "b", Round: 1, State: cluster.Ended}
		if err := errors.Join(m.PutHarvest(m.Board(), "h", h), m.PutShard(m.Board(), id, x)); err != nil {
			return err
		}
		within(t, "the other one knows the shard", func() bool { return b.member.Board().At(id).Node == "a" })
		other := t.TempDir()
		for _, name := range []string{"archive/1.warc.gz", "2.warc.gz", "shard/round.json"} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(other, name)), 0o777); err != nil {
				return err
			}
			writeFile(t, filepath.Join(other, name), name)
		}
		links := map[string]string{
			b.shardFolder(id):                       filepath.Join(other, "shard"),
			filepath.Join(other, "shard/archive"):   filepath.Join(other, "archive"),
			filepath.Join(other, "shard/2.warc.gz"): filepath.Join(other, "2.warc.gz"),
		}
		if err := os.MkdirAll(filepath.Dir(b.shardFolder(id)), 0o777); err != nil {
			return err
		}
		for link, to := range links {
			if err := os.Symlink(to, link); err != nil {
				return err
			}
		}
		if err := a.fetchFolder(ctx, id, "b"); err != nil {
			return err
		}
		for _, name := range []string{"archive/1.warc.gz", "2.warc.gz", "round.json"} {
			at := filepath.Join(a.shardFolder(id), name)
			if info, err := os.Lstat(at); err != nil || !info.Mode().IsRegular() {
				t.Errorf("%s did not come: %v", name, err)
			}
		}
		if err := os.RemoveAll(filepath.Join(other, "archive")); err != nil {
			return err
		}
		if err := a.fetchFolder(ctx, id, "b"); err == nil || !strings.Contains(err.Error(), "archive") {
			t.Errorf("a disk that is not there: %v", err)
		}
		return nil
	})
}

// TestFault: of a program that ends by a fault the first line is told, whatever is said after it, and
// however it is written.
func TestFault(t *testing.T) {
	long := strings.Repeat("x", 2*mostSaid)
	for said, want := range map[string]string{
		"a line\npanic: it is odd\n\ngoroutine 1 [running]:\n": "panic: it is odd",
		"fatal error: stack overflow\npanic: later\n":          "fatal error: stack overflow",
		"watershed: a fault of the program: 7\nAll\n":          "watershed: a fault of the program: 7",
		"panic: " + long + "\nmain.go:1\n":                     ("panic: " + long)[:mostSaid],
		"SIGBUS: bus error\nPC=0x1 m=0\n":                      "SIGBUS: bus error",
		"do not panic: it goes on\n":                           "",
	} {
		for _, size := range []int{1, 7, len(said)} {
			l := &lastLine{to: io.Discard}
			for part := range slices.Chunk([]byte(said), size) {
				if _, err := l.Write(part); err != nil {
					t.Error(err)
				}
			}
			if l.fault != want {
				t.Errorf("of %.60q, %d bytes at a time, told is %.60q", said, size, l.fault)
			}
		}
	}
}

// TestInLine: a table has an error of a YAML in a single line, with its advice.
func TestInLine(t *testing.T) {
	for said, want := range map[string]string{
		"b.yaml:3:5: no\n    3 | a: b\n      = write one": "b.yaml:3:5: no: write one",
		"upload.key: none\nupload.secret: none":           "upload.key: none",
		"as it is":                                        "as it is",
	} {
		if got := inLine(said); got != want {
			t.Errorf("of %q: %q", said, got)
		}
	}
}

// TestWatchShard: when the run of a shard has ended, and its process has not, the node tells what that said
// last; of the run before it tells nothing.
func TestWatchShard(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		run := filepath.Join(string(folder), "run-0001")
		status := func(phase, more string) {
			if err := os.MkdirAll(run, 0o777); err != nil {
				t.Fatal(err)
			}
			now := time.Now().Format(time.RFC3339Nano)
			writeFile(t, harvest.Run(run).Status(),
				fmt.Sprintf(`{"phase":%q,"time":%q,"Visits":7%s}`, phase, now, more))
		}
		const ended = `,"ending":{"ended":"complete"}`
		status("finished", ended)
		ctx, stop := context.WithCancel(t.Context())
		last := &lastLine{to: io.Discard}
		var told []cluster.Figures
		var watching sync.WaitGroup
		watching.Go(func() {
			tell := func(f cluster.Figures) { told = append(told, f) }
			watchShard(ctx, folder, false, tell, last, func() {})
		})
		time.Sleep(2500 * time.Millisecond)
		run = filepath.Join(string(folder), "run-0002")
		status("crawling", "")
		time.Sleep(time.Second)
		status("finished", ended)
		if _, err := io.WriteString(last, "other\nthe store is silent\n"); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Second)
		status("finished", `,"Visits":9`+ended)
		stop()
		watching.Wait()
		want := []cluster.Figures{
			{Visits: 7}, {Visits: 7, Doing: "the store is silent"}, {Visits: 9, Doing: "the store is silent"},
		}
		if !slices.Equal(told, want) {
			t.Errorf("told %+v, want %+v", told, want)
		}
	})
}

// TestNear: of shards that have not met a URL the one speaks whose site's pages link to it, or would have it.
func TestNear(t *testing.T) {
	of := func(e sitemap.Explanation, host *harvest.HostLine) *harvest.Explanation {
		return &harvest.Explanation{Sites: []harvest.SiteExplanation{{Explanation: e}}, Host: host}
	}
	host := &harvest.HostLine{}
	order := []*harvest.Explanation{
		of(sitemap.Explanation{}, nil), of(sitemap.Explanation{}, host),
		of(sitemap.Explanation{Below: "http://a.example/"}, nil),
		of(sitemap.Explanation{Links: 1}, host), of(sitemap.Explanation{Links: 8}, nil),
	}
	for i := range order[1:] {
		if near(order[i]) >= near(order[i+1]) {
			t.Errorf("%+v comes not behind %+v", order[i], order[i+1])
		}
	}
}

// TestExplainAway: while the node of a shard is gone nobody says that a URL is outside: that shard may have
// it. Whoever follows the harvest is told what waits for the node.
func TestExplainAway(t *testing.T) {
	nodesOf(t, []string{"a"}, func(ctx context.Context, list ...*shardNode) error {
		m := list[0].member
		answering, end := context.WithCancel(ctx)
		var all sync.WaitGroup
		defer all.Wait()
		defer end()
		here := func(_ context.Context, _ cluster.Question, out, _ io.Writer) int {
			_ = console.JSON(out, &harvest.Explanation{URL: "http://b.example/"}) // to who asks
			return exitOK
		}
		all.Go(func() { _ = m.Office.Answer(answering, "here", here) }) // until it is told to end
		h := cluster.HarvestRecord{Round: 1, Count: 2, Shards: []int{0, 1}}
		id := cluster.ShardID{Harvest: "h"}
		at := cluster.ShardRecord{Node: "here", Round: 1, State: cluster.Running}
		at.Visits = 1
		err := errors.Join(m.PutHarvest(m.Board(), "h", h), m.PutShard(m.Board(), id, at))
		if err != nil {
			return err
		}
		explain := func() (string, error) {
			var out bytes.Buffer
			c := &explainCommand{URL: "http://b.example/", clusterFlag: clusterFlag{"c.yaml"}}
			s := console.Streams{Out: &out, Err: io.Discard}
			err := c.whole(ctx, m, s, &configs.Harvest{Harvest: "h"})
			return out.String(), err
		}
		within(t, "the node answers, and the other shard has not begun", func() bool {
			_, err := explain()
			return err != nil && strings.Contains(err.Error(), "and 1 have brought nothing yet")
		})
		id.Shard, at.Node = 1, "gone"
		if err := m.PutShard(m.Board(), id, at); err != nil {
			return err
		}
		said, err := explain()
		if said != "" || err == nil || !strings.Contains(err.Error(), "node gone does not answer") {
			t.Errorf("it says %q, %v", said, err)
		}
		if got, want := awaited(m.Board(), "h"), "gone with 1 shard, here with 1 shard"; got != want {
			t.Errorf("waits %q, want %q", got, want)
		}
		at.Node, at.From = "", "gone"
		if err := m.PutShard(m.Board(), id, at); err != nil {
			return err
		}
		b, out := m.Board(), new(bytes.Buffer)
		count, _ := b.Sum("h")
		if err := printShards(out, b, "h"); err != nil || count[cluster.Running] != 0 ||
			!strings.Contains(out.String(), "left by gone, and free for others") {
			t.Errorf("%d are harvested, %v: %s", count[cluster.Running], err, out)
		}
		full := cluster.Board{Nodes: map[string]cluster.NodeRecord{"full": {Cause: "the disk is full"}}}
		if got := unfit(&full); got != ", such as of full: the disk is full" {
			t.Errorf("why no node harvests: %q", got)
		}
		return nil
	})
}
