package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"watershed/cluster"
	"watershed/demo"
	"watershed/harvest"
	"watershed/lab/kit/ports"
	"watershed/notify"
	"watershed/page"
	"watershed/ui"
)

// clusterYAML writes the YAML of a cluster of so many nodes on loopback, a file for each, since they
// share the machine.
func clusterYAML(t *testing.T, dir string, count int, more string) (files []string) {
	t.Helper()
	var nodes strings.Builder
	free := ports.Free(t, 2*count)
	for i := range count {
		fmt.Fprintf(&nodes, "  - {name: n%d, clients: %q, peers: %q}\n", i, free[2*i], free[2*i+1])
	}
	writeFile(t, filepath.Join(dir, "cluster.key"), "a key that is long enough\n")
	for i := range count {
		file := filepath.Join(dir, fmt.Sprintf("n%d.yaml", i))
		text := fmt.Sprintf("cluster: trial\nkey: file:cluster.key\nfolder: n%d\n%snodes:\n%s", i, more,
			nodes.String())
		writeFile(t, file, strings.ReplaceAll(text, "NODE", fmt.Sprintf("n%d", i)))
		files = append(files, file)
	}
	return files
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// process is a command that runs beside the test.
type process struct {
	*exec.Cmd
	said output
}

// output is what a process has said so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(text)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func begin(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command("watershed", args...)}
	p.Stdout, p.Stderr = &p.said, &p.said
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// kill ends a process as a power failure does.
func (p *process) kill() {
	_ = p.Process.Kill() // it may have ended
	_ = p.Wait()         // its exit code is that of a process that was killed
}

// TestCluster has three harvests of the same web take turns through a broker of three nodes, one of
// which is killed on the way, as is one of the harvests, which goes on afterwards. No host is asked
// by two, or before it has rested; each harvest has all.
func TestCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("short: TestShared runs nodes and harvests, too")
	}
	dir := t.TempDir()
	files := clusterYAML(t, dir, 3, "")
	nodes := make([]*process, len(files))
	for i, file := range files {
		nodes[i] = begin(t, "node", "--name", fmt.Sprintf("n%d", i), file)
		defer nodes[i].kill()
	}
	for i, n := range nodes {
		within(t, fmt.Sprintf("n%d is ready", i), func() bool {
			return strings.Contains(n.said.String(), "the broker is ready")
		})
	}
	web := demo.New(demo.Options{})
	err := web.Serve(t.Context(), func(ctx context.Context) error {
		var harvests []*process
		var folders []harvest.Folder
		of := func(i int) string { return filepath.Join(dir, fmt.Sprintf("h%d", i), "demo.yaml") }
		for i := range 3 {
			text := strings.Replace(string(demoYAML(web)), "politeness:\n",
				fmt.Sprintf("politeness:\n  shared: always\n  shared_dir: %s\n  cluster: ../n%d.yaml\n",
					filepath.Join(dir, fmt.Sprint("machine", i)), i), 1)
			if err := os.Mkdir(filepath.Dir(of(i)), 0o700); err != nil {
				return err
			}
			writeFile(t, of(i), text)
			folders = append(folders, harvest.Folder(filepath.Join(filepath.Dir(of(i)), demoName)))
			harvests = append(harvests, begin(t, "harvest", "--quiet", of(i)))
			defer harvests[i].kill()
		}
		for start := time.Now(); len(web.Log()) < 60 && time.Since(start) < time.Minute; {
			time.Sleep(20 * time.Millisecond)
		}
		nodes[2].kill()
		harvests[1].kill()
		harvests[1] = begin(t, "harvest", "--quiet", of(1))
		defer harvests[1].kill()
		var all sync.WaitGroup
		for i, p := range harvests {
			all.Go(func() {
				if err := p.Wait(); err != nil {
					t.Errorf("harvest %d: %v\n%s", i, err, p.said.String())
				}
			})
		}
		all.Wait()
		for i, f := range folders {
			run, err := f.Last()
			if err != nil {
				return err
			}
			for j, name := range []string{"gemo", "anna", "society"} {
				m, err := harvest.ReadMap(filepath.Join(run.Site(j, name), "map.json"))
				if err != nil {
					return err
				}
				truth, _ := web.Site(name)
				all := len(truth.Pages)
				if found, strays := compare(web, truth, m); found != all || all == 0 || strays > 0 {
					t.Errorf("harvest %d has %d of %d pages of %s, and %d of others", i, found, all, name,
						strays)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r := web.Politeness(20 * time.Millisecond)
	for name, h := range r.Hosts {
		if h.InFlight > 1 {
			t.Errorf("%s was asked by %d at once", name, h.InFlight)
		}
	}
	for _, x := range r.Hasty {
		t.Errorf("%s was asked before it had rested, at %v", x.URL(), x.Start)
	}
	for i, n := range nodes[:2] {
		n.kill() // what it says is written until it has ended
		if !strings.Contains(n.said.String(), "the broker is ready") {
			t.Errorf("node %d said: %s", i, n.said.String())
		}
	}
}

// TestShared has three nodes share a harvest. A node is killed on the way and begun again; the
// harvest has all, and what a person asks of it the nodes answer. A second round recrawls.
func TestShared(t *testing.T) {
	dir := t.TempDir()
	files := clusterYAML(t, dir, 3, "harvests: NODE/harvests\npatience: 1m\n")
	nodes := make([]*process, len(files))
	for i, file := range files {
		nodes[i] = begin(t, "node", "--name", fmt.Sprintf("n%d", i), file)
		defer func() { nodes[i].kill() }()
	}
	web := demo.New(demo.Options{})
	err := web.Serve(t.Context(), func(ctx context.Context) error {
		yaml := filepath.Join(dir, "demo.yaml")
		writeFile(t, yaml, string(demoYAML(web)))
		within(t, "the broker listens", func() bool {
			out, _ := exec.Command("watershed", "status", "--cluster", files[0], yaml).CombinedOutput()
			return strings.Count(string(out), "takes up to 4 shards") == 3
		})
		first := begin(t, "harvest", "--cluster", files[0], yaml)
		defer first.kill()
		within(t, "the harvest is under way", func() bool { return len(web.Log()) >= 60 })
		other := filepath.Join(t.TempDir(), "demo.yaml")
		writeFile(t, other, strings.Replace(string(demoYAML(web)), "max_delay: 200ms", "max_delay: 201ms", 1))
		_, refused := ends(t, ctx, exitConfig, "harvest", "--cluster", files[1], other)
		if !strings.Contains(refused, "demo is under way by another YAML") {
			t.Errorf("another YAML: %s", refused)
		}
		nodes[2].kill()
		nodes[2] = begin(t, "node", "--name", "n2", files[2])
		if err := first.Wait(); err != nil {
			t.Errorf("%v\n%s", err, first.said.String())
		}
		judgeShared(t, web, filepath.Join(dir, "demo", "round-0001"))
		report := web.Politeness(20 * time.Millisecond)
		for name, h := range report.Hosts {
			if h.InFlight > 1 {
				t.Errorf("%s was asked by %d at once", name, h.InFlight)
			}
		}
		for _, x := range report.Hasty {
			t.Errorf("%s was asked before it had rested, at %v", x.URL(), x.Start)
		}
		inside := "http://osage.example/verso/"
		explained, _ := succeed(t, ctx, "explain", "--cluster", files[1], yaml, inside)
		if !strings.Contains(explained, "site gemo: "+inside+" is inside") {
			t.Errorf("explain: %s", explained)
		}
		unknown := "http://people.campus.example/~anna/never"
		explained, _ = succeed(t, ctx, "explain", "--cluster", files[1], yaml, unknown)
		if !strings.Contains(explained, "site anna: "+unknown) {
			t.Errorf("explain of a page that no shard has met: %s", explained)
		}
		if _, said := ends(t, ctx, exitUsage, "explain", "--cluster", files[1], yaml); said == "" {
			t.Error("a command line without an address is taken")
		}
		said, _ := succeed(t, ctx, "node", "--drain", "--name", "n2", files[2])
		if err := nodes[2].Wait(); err != nil || !strings.Contains(said, "other nodes have its shards") {
			t.Errorf("%v, %s", err, said)
		}
		if err := os.RemoveAll(filepath.Join(dir, "n2", "harvests")); err != nil {
			return err
		}
		asked, had := len(web.Log()), 0
		succeed(t, ctx, "harvest", "--cluster", files[1], yaml)
		if len(web.Log()) == asked {
			t.Error("the second round asked for nothing")
		}
		judgeShared(t, web, filepath.Join(dir, "demo", "round-0002"))
		status, _ := succeed(t, ctx, "status", "--cluster", files[0], yaml)
		if !strings.Contains(status, "round 2: 3 of 3 shards have ended") ||
			strings.Count(status, "captured, its boundary was found") != 3 {
			t.Error(status)
		}
		sites, _ := succeed(t, ctx, "report", "--cluster", files[0], yaml, "sites")
		text, err := os.ReadFile(filepath.Join(dir, "demo", "round-0002", "reports", "sites.txt"))
		if err != nil || sites != string(text) || strings.Count(sites, "\n") != 4 {
			t.Errorf("sites are %q, delivered was %q, %v", sites, text, err)
		}
		judgeWhole(t, ctx, files[0], yaml)
		extendShared(t, ctx, web, files[0], yaml)
		for i := range nodes[:2] {
			runs, err := filepath.Glob(
				filepath.Join(dir, fmt.Sprintf("n%d/harvests/demo/demo-*/run-0001", i)))
			if err != nil {
				return err
			}
			had += len(runs)
		}
		if had != 3 {
			t.Errorf("of the first round %d of 3 shards are there", had)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range nodes {
		if n.kill(); t.Failed() {
			t.Logf("node %d said: %s", i, n.said.String())
		}
	}
}

// TestUnderOther: a YAML takes the place of another one where no node is at work by that, or about to be.
func TestUnderOther(t *testing.T) {
	id := cluster.ShardID{Harvest: "h", Shard: 1}
	there := map[string]cluster.NodeRecord{"a": {}}
	for _, tc := range []struct {
		name    string
		nodes   map[string]cluster.NodeRecord
		shard   cluster.ShardRecord
		refused bool
	}{
		{"at work", there, cluster.ShardRecord{Round: 1, State: cluster.Running, Node: "a"}, true},
		{"sent a moment ago", there, cluster.ShardRecord{}, true},
		{"no node is there", nil, cluster.ShardRecord{}, false},
		{"stopped", there, cluster.ShardRecord{Round: 1, State: cluster.Stopped}, false},
		{
			"refused by a node", there,
			cluster.ShardRecord{Round: 1, State: cluster.Waiting, Refused: map[string]string{"b": "why"}},
			false,
		},
	} {
		b := &cluster.Board{
			Nodes:    tc.nodes,
			Harvests: map[string]cluster.HarvestRecord{"h": {Round: 1, Shards: []int{1}, YAML: "one"}},
			Shards:   map[cluster.ShardID]cluster.ShardRecord{id: tc.shard},
		}
		if err := underOther(b, "h", "two"); (err != nil) != tc.refused {
			t.Errorf("%s: %v", tc.name, err)
		}
		if err := underOther(b, "h", "one"); err != nil {
			t.Errorf("%s, the same YAML: %v", tc.name, err)
		}
	}
}

// TestFolderOfTwoNodes starts a node whose folder for harvests another one has.
func TestFolderOfTwoNodes(t *testing.T) {
	dir := t.TempDir()
	held, err := cluster.Hold("harvests", filepath.Join(dir, "harvests"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	file := filepath.Join(dir, "cluster.yaml")
	writeFile(t, file, "cluster: t\nnats: ['nats://127.0.0.1:1']\nharvests: harvests\n")
	ctx, stop := context.WithCancel(t.Context())
	stop() // else it would wait for the broker
	if _, said := ends(t, ctx, exitFailed, "node", "--name", "b", file); !strings.Contains(said,
		"another node uses it") {
		t.Error(said)
	}
}

// TestOneFolder runs a node that keeps its streams and its harvests in one folder, by whatever path.
func TestOneFolder(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"NODE", dir + "/NODE/."} {
		file := clusterYAML(t, dir, 1, "harvests: "+path+"\n")[0]
		ctx, stop := context.WithCancel(t.Context())
		log := &untilReady{stop: stop}
		if code := run(ctx, []string{"node", "--name", "n0", file}, io.Discard, log); code != exitOK {
			t.Errorf("%s: exit %d\n%s", path, code, log)
		}
	}
}

// untilReady is a log that ends its node when that is ready.
type untilReady struct {
	strings.Builder
	stop func()
}

func (l *untilReady) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("the broker is ready")) {
		l.stop()
	}
	return l.Builder.Write(p)
}

// TestStopShared: an order to stop ends the shards that a node harvests, and those that wait for one begin
// no more. The same command goes on with all of them. Decisions on a shard outlive its node's disk, and
// none is taken for a shard that no node has. Whoever is to be told of its end is told once.
func TestStopShared(t *testing.T) {
	dir := t.TempDir()
	var mu sync.Mutex
	var told []string
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var n notify.News
		err := json.NewDecoder(r.Body).Decode(&n)
		mu.Lock()
		defer mu.Unlock()
		if told = append(told, n.Run+" "+n.Subject); err != nil {
			t.Error(err)
		}
	}))
	defer hook.Close()
	file := clusterYAML(t, dir, 1, "harvests: NODE/harvests\nroom: 1\n")[0]
	node := begin(t, "node", "--name", "n0", file)
	defer func() { node.kill() }()
	web := demo.New(demo.Options{})
	err := web.Serve(t.Context(), func(ctx context.Context) error {
		yaml := filepath.Join(dir, "demo.yaml")
		writeFile(t, yaml, string(demoYAML(web))+"notify: {webhook: {url: \""+hook.URL+"\"}}\n")
		first := begin(t, "harvest", "--cluster", file, yaml)
		defer first.kill()
		within(t, "the harvest is under way", func() bool { return len(web.Log()) >= 20 })
		_, said := succeed(t, ctx, "control", "stop", "--cluster", file, yaml)
		if !strings.Contains(said, "stopped, as no node was harvesting: 2 shards") {
			t.Error(said)
		}
		if err := first.Wait(); first.ProcessState.ExitCode() != exitInterrupted {
			t.Errorf("%v\n%s", err, first.said.String())
		}
		asked := len(web.Log())
		status, _ := succeed(t, ctx, "status", "--cluster", file, yaml)
		if strings.Contains(status, "waiting") || strings.Contains(status, "running") {
			t.Error(status)
		}
		t.Setenv("WATERSHED_BY", "anna") // which the node's process does not have
		decided, _ := succeed(t, ctx, "decide", "out", "--cluster", file, yaml, "http://no.example/page")
		if strings.Count(decided, "demo-") != 1 {
			t.Errorf("two shards have not begun, and decided was at %s", decided)
		}
		second := begin(t, "harvest", "--cluster", file, yaml)
		defer second.kill()
		within(t, "the harvest goes on", func() bool { return len(web.Log()) > asked })
		second.kill()
		within(t, "the shards end", func() bool {
			status, _ := succeed(t, ctx, "status", "--cluster", file, yaml)
			return strings.Contains(status, "3 of 3 shards have ended")
		})
		forget(t, ctx, file, 1)
		asked = len(web.Log())
		_, said = succeed(t, ctx, "harvest", "--cluster", file, yaml)
		if len(web.Log()) > asked || strings.Contains(said, "lost the results") {
			t.Errorf("for results that nodes have %d pages were asked for: %s", len(web.Log())-asked, said)
		}
		judgeShared(t, web, filepath.Join(dir, "demo", "round-0001"))
		decided, _ = succeed(t, ctx, "decide", "list", "--cluster", file, yaml)
		if strings.Count(decided, "out url:http://no.example/page for each site, by anna") != 3 {
			t.Errorf("what was decided before two shards began: %s", decided)
		}
		node.kill()
		if err := os.RemoveAll(filepath.Join(dir, "n0", "harvests")); err != nil {
			return err
		}
		node = begin(t, "node", "--name", "n0", file)
		for _, anew := range []int{3, 0} { // a loss is told in the round that begins anew for it
			_, said = succeed(t, ctx, "harvest", "--cluster", file, yaml)
			if strings.Count(said, "is harvested anew; captures lost with node n0: ") != anew {
				t.Errorf("%d shards are begun anew: %s", anew, said)
			}
		}
		decided, _ = succeed(t, ctx, "decide", "list", "--cluster", file, yaml)
		if strings.Count(decided, "out url:http://no.example/page for each site, by anna") != 3 {
			t.Errorf("what was decided before the disk was lost: %s", decided)
		}
		mu.Lock()
		if want := []string{
			" Harvest demo: stopped", "round-0001 Harvest demo: complete",
			"round-0002 Harvest demo: complete", "round-0003 Harvest demo: complete",
		}; !slices.Equal(told, want) {
			t.Errorf("told is %q", told)
		}
		mu.Unlock()
		drain := begin(t, "node", "--drain", "--name", "n0", file)
		defer drain.kill()
		within(t, "shards that no node takes keep no decision, and say so", func() bool {
			var out, errs strings.Builder
			args := []string{
				"decide", "out", "--cluster", file, yaml, "http://no.example/late", "--site", "gemo",
			}
			return run(ctx, args, &out, &errs) == exitFailed &&
				strings.Count(errs.String(), "on its way to another node, and none keeps the order") == 1
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if node.kill(); t.Failed() {
		t.Log(node.said.String())
	}
}

// forget has the broker lose the results of all shards of a round.
func forget(t *testing.T, ctx context.Context, file string, round int) {
	t.Helper()
	_, broker, err := brokerOf(file)
	if err == nil {
		err = cluster.With(ctx, broker, "test", discard, func(ctx context.Context, m *cluster.Member) error {
			for _, id := range m.Board().Of(demoName) {
				if err := m.Office.Remove(ctx, resultsName(cluster.Job{ID: id, Round: round})); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// extendShared does what explain says of a page that is out, by the command that it prints, and wants
// that page alone of its site.
func extendShared(t *testing.T, ctx context.Context, web *demo.Web, cluster, yaml string) {
	t.Helper()
	const door, home = "http://people.campus.example/~boris/", "http://people.campus.example/~anna/"
	explained, _ := succeed(t, ctx, "explain", "--cluster", cluster, yaml, door)
	next := "harvest --extend --cluster " + quoted(cluster) + " " + quoted(yaml)
	if !strings.Contains(explained, next) {
		t.Errorf("explain: %s", explained)
	}
	writeFile(t, yaml, string(demoYAML(web))+"\nboundary:\n  alpha: 0.0004\n")
	before := len(web.Log())
	succeed(t, ctx, strings.Fields(next)...)
	asked := map[page.URL]bool{}
	for _, r := range web.Log()[before:] {
		asked[r.URL()] = true
	}
	if !asked[door] || asked[home] {
		t.Errorf("asked for the page that was out: %v; for one that is had: %v", asked[door], asked[home])
	}
	never := filepath.Join(t.TempDir(), "never.yaml")
	writeFile(t, never, strings.Replace(string(demoYAML(web)), "harvest: "+demoName, "harvest: never", 1))
	_, said := ends(t, ctx, exitFailed, "harvest", "--extend", "--cluster", cluster, never)
	if !strings.Contains(said, "extend harvest never in the cluster: no run of the harvest is there") {
		t.Errorf("a harvest that was never begun: %s", said)
	}
}

// judgeWhole wants one answer of all shards, with bounds that count over all of them.
func judgeWhole(t *testing.T, ctx context.Context, cluster, yaml string) {
	t.Helper()
	var all, few ui.SkippedModel
	for limit, m := range map[string]*ui.SkippedModel{"0": &all, "2": &few} {
		text, _ := succeed(t, ctx, "skipped", "--cluster", cluster, "--json", "--limit", limit, yaml)
		if err := json.Unmarshal([]byte(text), m); err != nil {
			t.Fatal(err)
		}
	}
	hosts := 0
	for _, g := range all.Hosts {
		hosts += g.URLs
	}
	if all.Total != len(all.Lines) || all.Total != hosts || len(few.Lines) != 2 || few.Total != all.Total ||
		!reflect.DeepEqual(few.Lines, all.Lines[:2]) || !reflect.DeepEqual(few.Hosts, all.Hosts[:2]) {
		t.Errorf("left out are %d, with %d lines, and %d by host; of two lines %d of %d are shown: %v",
			all.Total, len(all.Lines), hosts, len(few.Lines), few.Total, few.Hosts)
	}
	text, _ := succeed(t, ctx, "skipped", "--cluster", cluster, "--by", "site", yaml)
	if strings.Count(text, "lines in the ledger of round-0002") != 1 {
		t.Error(text)
	}
	text, _ = succeed(t, ctx, "changes", "--cluster", cluster, yaml)
	if strings.Count(text, "from run 1 ") != 1 || strings.Count(text, "site ") != 3 ||
		strings.Index(text, "site gemo") > strings.Index(text, "site anna") {
		t.Error(text)
	}
}

// judgeShared compares the results of a round with the truth.
func judgeShared(t *testing.T, web *demo.Web, folder string) {
	t.Helper()
	shards, err := filepath.Glob(filepath.Join(folder, "demo-*"))
	if err != nil || len(shards) != 3 {
		t.Fatal(shards, err)
	}
	lines := 0
	for _, shard := range shards {
		maps, err := harvest.Run(shard).Maps()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range maps {
			truth, _ := web.Site(m.Site)
			all := len(truth.Pages)
			if found, strays := compare(web, truth, m); found != all || found == 0 || strays > 0 {
				t.Errorf("%d of %d pages of %s, and %d of others", found, all, m.Site, strays)
			}
		}
		text, err := os.ReadFile(harvest.Run(shard).Index())
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(text, []byte("\n"))
	}
	text, err := os.ReadFile(filepath.Join(folder, "index.cdxj"))
	all := strings.SplitAfter(string(text), "\n")
	if err != nil || len(all)-1 != lines || !slices.IsSorted(all[:lines]) {
		t.Errorf("the index has %d lines of %d, or not in order: %v", len(all)-1, lines, err)
	}
}
