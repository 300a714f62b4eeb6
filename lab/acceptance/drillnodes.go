package acceptance

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// watch is what the servers of the drill's web see of those that ask.
type watch struct {
	mu    sync.Mutex
	busy  map[string]int         // requests under way, by host
	free  map[string]time.Time   // when the last one was answered
	asked map[string]time.Time   // for the first time, by host and path
	turns map[string][]time.Time // of requests, by host

	rest          time.Duration // of a host between two requests
	beside, hasty int           // requests beside another, and sooner than the host allows
	again         []repeat      // what was asked for repeatedly
	struck        []time.Time   // when nodes were killed
}

// repeat is a request for what had been asked for.
type repeat struct {
	host, what  string
	first, then time.Time
}

// nodesDelay is for how long a host rests, as the harvests of nodes have it.
const nodesDelay = 20 * time.Millisecond

// begin notes a request, and how it is answered: where much is not found, the crawler asks for some
// of that once more at the end.
func (w *watch) begin(host, path string, status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.busy[host]++; w.busy[host] > 1 {
		w.beside++
	}
	if time.Since(w.free[host]) < w.rest {
		w.hasty++
	}
	now, what := time.Now(), host+path
	w.turns[host] = append(w.turns[host], now)
	if first, asked := w.asked[what]; !asked {
		w.asked[what] = now
	} else if path != "/robots.txt" && status != http.StatusNotFound {
		w.again = append(w.again, repeat{host, what, first, now})
	}
}

// repeats are the requests for what had been asked for, by the first time that a node was killed since then:
// without any, on their way at that time, and stored. A host is asked for the next one when the last is
// stored, however long the machine took for that.
func (w *watch) repeats() (without, underWay, stored []string) {
	for _, x := range w.again {
		i := slices.IndexFunc(w.struck, func(at time.Time) bool {
			return at.After(x.first) && at.Before(x.then)
		})
		switch {
		case i < 0:
			without = append(without, x.what)
		case slices.ContainsFunc(w.turns[x.host], func(at time.Time) bool {
			return at.After(x.first) && at.Before(w.struck[i])
		}):
			stored = append(stored, x.what)
		default:
			underWay = append(underWay, x.what)
		}
	}
	return without, underWay, stored
}

// end tells that a request has ended, whose answer was there at a time.
func (w *watch) end(host string, answered time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy[host]--
	w.free[host] = answered
}

// nodeCount is how many nodes share a harvest.
const nodeCount = 3

// farm are nodes on loopback.
type farm struct {
	d    *drill
	dir  string
	runs [nodeCount]*process
	rand *rand.Rand

	rest    time.Duration // of hosts between two requests
	orderly bool          // nothing is to be asked for twice
	burns   bool          // disks are removed: what was on them is asked for again
	seen    *watch        // of the harvest that is shared
}

func (f *farm) name(i int) string   { return fmt.Sprintf("n%d", i) }
func (f *farm) folder(i int) string { return filepath.Join(f.dir, f.name(i)) }
func (f *farm) file(i int) string   { return f.folder(i) + ".yaml" }

// nodes has nodes share harvests, each of a name of its own, and kills nodes meanwhile: when six more are
// killed, those of a harvest with their disks.
func (d *drill) nodes() error {
	return d.farm("nodes", func(f *farm) error {
		if err := f.share("calm", 0, nil); err != nil {
			return err
		}
		for killed, burnt := 0, 0; killed < d.kills; {
			attack, name := "nodes killed", "killed"
			if f.burns = (killed+2)/6 > burnt; f.burns {
				attack, name = "nodes killed, their disks removed", "burnt"
				burnt++
			}
			n := min(1+f.rand.IntN(3), d.kills-killed)
			err := f.share(fmt.Sprint(name, "-", killed), n, func() error { return f.strike(attack) })
			if err != nil {
				return err
			}
			killed += n
		}
		return nil
	})
}

// rolling has nodes share harvests, and meanwhile ends one after another in order, or has one hand over
// what it has.
func (d *drill) rolling() error {
	return d.farm("rolling", func(f *farm) error {
		f.orderly = true
		for i := range 3 {
			if err := f.share(fmt.Sprint("rolling-", i), 1, f.roll); err != nil {
				return err
			}
			if err := f.share(fmt.Sprint("drained-", i), 1, f.drain); err != nil {
				return err
			}
		}
		return nil
	})
}

// farm has work done with nodes that run.
func (d *drill) farm(name string, work func(*farm) error) error {
	f := &farm{d: d, dir: filepath.Join(d.work, name), rand: d.chance(name), rest: nodesDelay}
	if err := f.write(); err != nil {
		return err
	}
	for i := range f.runs {
		if err := f.start(i); err != nil {
			return err
		}
		defer func() { f.runs[i].kill() }()
	}
	d.web.epoch.Store(0)
	time.Sleep(5 * time.Second)
	return work(f)
}

// write describes the cluster to each node.
func (f *farm) write() error {
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return err
	}
	var list strings.Builder
	for i := range f.runs {
		fmt.Fprintf(&list, "  - {name: %s", f.name(i))
		for _, key := range []string{"clients", "peers"} {
			at := fmt.Sprintf("%s:%d", wiredAt(i), 4222+len(key))
			if f.d.wires == nil {
				l, err := net.Listen("tcp4", "127.0.0.1:0")
				if err != nil {
					return err
				}
				at = l.Addr().String()
				if err := l.Close(); err != nil {
					return err
				}
			}
			fmt.Fprintf(&list, ", %s: %q", key, at)
		}
		list.WriteString("}\n")
	}
	if f.d.wires != nil {
		list.WriteString("tls: {certificate: machine.pem, key: machine.key, authority: machine.pem}\n")
		if err := f.certify(); err != nil {
			return err
		}
	}
	key := os.WriteFile(filepath.Join(f.dir, "cluster.key"), []byte("a key for a drill's nodes\n"), 0o600)
	for i := range f.runs {
		text := fmt.Sprintf("cluster: drill\nkey: file:cluster.key\nfolder: %s/broker\n"+
			"harvests: %s/harvests\npatience: 1m\nnodes:\n%s", f.name(i), f.name(i), &list)
		key = errors.Join(key, os.WriteFile(f.file(i), []byte(text), 0o666))
	}
	return key
}

func (f *farm) start(i int) (err error) {
	args := []string{"node", "--name", f.name(i), f.file(i)}
	if f.d.wires == nil {
		f.runs[i], err = f.d.start(args...)
	} else {
		args = append([]string{"netns", "exec", spaceOf(i), f.d.program}, args...)
		f.runs[i], err = f.d.startOf("ip", args...)
	}
	return err
}

// strike kills a node, and starts it again some time later. Where its disk is removed, no other node is
// struck until it has told that it is ready, as the guide asks for.
func (f *farm) strike(attack string) error {
	i := f.rand.IntN(nodeCount)
	f.runs[i].kill()
	f.seen.struck = append(f.seen.struck, time.Now())
	f.d.row(attack).times++
	if f.burns {
		if err := os.RemoveAll(f.folder(i)); err != nil {
			return err
		}
	}
	time.Sleep(time.Duration(f.rand.IntN(5000)) * time.Millisecond)
	if err := f.start(i); err != nil || !f.burns {
		return err
	}
	ready := func(site) bool { return strings.Contains(f.runs[i].said.String(), "the broker is ready") }
	f.runs[i].await(moment{there: ready}, "")
	return nil
}

// roll ends one node after another in order, and starts it again.
func (f *farm) roll() error {
	for i, p := range f.runs {
		r := f.d.row("nodes started again in turn")
		r.times++
		if err := p.signal(syscall.SIGTERM); err != nil {
			return err
		}
		if o := p.end(); o.code != 0 {
			r.heard(o)
			r.broken++
		}
		if err := f.start(i); err != nil {
			return err
		}
		time.Sleep(3 * time.Second)
	}
	return nil
}

// drain has a node hand over what it has, removes its harvests, and starts it again.
func (f *farm) drain() error {
	i := f.rand.IntN(nodeCount)
	r := f.d.row("nodes drained, their harvests removed")
	r.times++
	o, err := f.d.run("node", "--drain", "--name", f.name(i), f.file(i))
	if err != nil {
		return err
	}
	if r.heard(o); o.code != 0 {
		r.broken++
		r.note("%s", tail(o.said, 400))
	} else if o = f.runs[i].end(); o.code != 0 {
		r.broken++
		r.note("node %s: exit code %d: %s", f.name(i), o.code, tail(o.said, 400))
	}
	f.runs[i].kill()
	if err := os.RemoveAll(filepath.Join(f.folder(i), "harvests")); err != nil {
		return err
	}
	return f.start(i)
}

// share has the nodes share a harvest, strikes some times while it goes on, and judges what comes of it.
func (f *farm) share(name string, strikes int, strike func() error) error {
	d := f.d
	s := site(filepath.Join(f.dir, name))
	if err := os.MkdirAll(string(s), 0o777); err != nil {
		return err
	}
	if _, err := d.web.yaml(string(s)); err != nil {
		return err
	}
	text, err := os.ReadFile(s.yaml())
	if err != nil {
		return err
	}
	hosts := filepath.Join(f.dir, "hosts.txt") // on each machine
	if err := os.Rename(filepath.Join(string(s), "hosts.txt"), hosts); err != nil {
		return err
	}
	edited := strings.NewReplacer("harvest: "+drillName+"\n", "harvest: "+name+"\n", "hosts.txt", hosts,
		"min_delay: 5ms", fmt.Sprintf("min_delay: %s", f.rest), "max_delay: 20ms", "max_delay: 2s",
	).Replace(string(text))
	if err := os.WriteFile(s.yaml(), []byte(edited), 0o666); err != nil {
		return err
	}
	seen := &watch{
		rest: f.rest,
		busy: map[string]int{}, free: map[string]time.Time{}, asked: map[string]time.Time{},
		turns: map[string][]time.Time{},
	}
	f.seen = seen
	d.web.seen.Store(seen)
	defer d.web.seen.Store(nil)
	r := d.row("nodes share a harvest")
	r.times++
	begun, before := time.Now(), r.broken
	p, err := d.start("harvest", "--cluster", f.file(0), s.yaml())
	if err != nil {
		return err
	}
	for range strikes {
		if p.ended(time.After(time.Duration(f.rand.IntN(8000)) * time.Millisecond)) {
			break
		}
		if err := strike(); err != nil {
			return err
		}
	}
	o := p.end()
	r.heard(o)
	if o.code != 0 {
		r.broken++
		r.note("%s: exit code %d: %s", name, o.code, tail(o.said, 400))
		return f.tell(name)
	}
	without, underWay, stored := seen.repeats()
	fmt.Fprintf(d.out, "%s, %d strikes: %s, %d requests, %d of them repeated: %d on their way at a kill, "+
		"%d stored before it, %d without one\n", name, strikes,
		time.Since(begun).Round(time.Second/10), len(seen.asked)+len(seen.again), len(seen.again),
		len(underWay), len(stored), len(without))
	killed := len(seen.struck) > 0 && !f.burns
	if f.orderly && len(seen.again) > 0 || killed && len(stored)+len(without) > 0 {
		r.broken++
		r.note("%s: asked for repeatedly: %q", name, slices.Concat(without, stored, underWay))
	}
	if seen.beside+seen.hasty > 0 {
		r.broken++
		r.note("%s: %d requests beside another one to the host, %d too soon", name, seen.beside, seen.hasty)
	}
	if err := f.judge(r, s, name); err != nil || r.broken == before {
		return err
	}
	return f.tell(name)
}

// tell keeps what the nodes have said, below the folder of a harvest.
func (f *farm) tell(name string) (err error) {
	for i, p := range f.runs {
		p.kill()
		file := filepath.Join(f.dir, name, f.name(i)+".log")
		err = errors.Join(err, os.WriteFile(file, []byte(p.said.String()), 0o666), f.start(i))
	}
	return err
}

// judge compares the captures of all shards with those of the undisturbed harvest, and has the WARC files
// of the nodes checked that hold them.
func (f *farm) judge(r *row, s site, name string) error {
	round := filepath.Join(string(s), name, "round-0001")
	o, err := f.d.run("status", "--json", "--cluster", f.file(0), s.yaml()) // a shard may have moved since
	if err != nil {
		return err
	}
	var status struct {
		Shards map[string]struct{ Node string } `json:"shards"`
	}
	if err := json.Unmarshal([]byte(o.said), &status); err != nil {
		return fmt.Errorf("%w: %s", err, tail(o.said, 400))
	}
	got := map[capture]bool{}
	for shard, x := range status.Shards {
		list, err := captures([]string{filepath.Join(round, shard)}, 0)
		if err != nil {
			return err
		}
		at := site(filepath.Join(f.dir, x.Node, "harvests", name))
		runs, err := filepath.Glob(filepath.Join(string(at), shard, "run-*"))
		if err != nil {
			return err
		}
		held, err := captures(runs, 0)
		if err != nil {
			return err
		}
		r.lacks(lacking(list, held), true)
		if err := f.d.check(r, runs); err != nil {
			return err
		}
		for c := range list {
			got[c] = true
		}
	}
	r.lacks(lacking(f.d.brought[0], got), true)
	if more := lacking(got, f.d.brought[0]); len(more) > 0 {
		r.broken++
		r.note("%s: %d captures more, the first is %s", name, len(more), more[0])
	}
	return nil
}
