package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"watershed/lab/kit/ports"
)

// beside is a command that runs beside a trial. Its messages go to a file, so that they can be read
// meanwhile.
type beside struct {
	*exec.Cmd
	x    *trial
	line string
	said string // the file's path
}

// beside has a shell begin a line, as somebody types it at another terminal. Its output may go to
// another file than its messages.
func (x *trial) beside(line string, prints ...*os.File) *beside {
	x.Helper()
	out, err := os.CreateTemp(x.dir, "said-*")
	if err != nil {
		x.Fatal(err)
	}
	cmd := exec.CommandContext(x.Context(), "sh", "-c", "exec "+line)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = x.dir, x.environ(), out, out
	if len(prints) > 0 {
		cmd.Stdout = prints[0]
	}
	if err := cmd.Start(); err != nil {
		x.Fatal(err)
	}
	b := &beside{cmd, x, line, out.Name()}
	x.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // and then tells of the signal
		_ = out.Close()        // what it said is in the folder of a test
	})
	return b
}

// read makes what the command has said so far what was said last.
func (b *beside) read() {
	b.x.Helper()
	text, err := os.ReadFile(b.said)
	if err != nil {
		b.x.Fatal(err)
	}
	b.x.said = string(text)
}

// says waits until the command has said something.
func (b *beside) says(text string) {
	b.x.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if b.read(); strings.Contains(b.x.said, text) {
			return
		}
		if time.Now().After(end) {
			b.x.Fatalf("%s does not say %s:\n%s", b.line, text, b.x.said)
		}
	}
}

// over waits for the end of the command, whose exit code it returns.
func (b *beside) over() int {
	b.x.Helper()
	_ = b.Wait() // the exit code tells it
	b.read()
	return b.ProcessState.ExitCode()
}

// ends waits for the end of the command.
func (b *beside) ends(want int) {
	b.x.Helper()
	if code := b.over(); code != want {
		b.x.Fatalf("%s: exit code %d, want %d\n%s", b.line, code, want, b.x.said)
	}
}

func (b *beside) interrupt() { _ = b.Process.Signal(os.Interrupt) } // it may have ended

// until runs a line until it says something.
func (x *trial) until(text, line string) {
	x.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		cmd := exec.CommandContext(x.Context(), "sh", "-c", line)
		cmd.Dir, cmd.Env = x.dir, x.environ()
		out, _ := cmd.CombinedOutput() // it fails until it does not
		if x.said = string(out); strings.Contains(x.said, text) {
			return
		}
		if time.Now().After(end) {
			x.Fatalf("%s does not say %s:\n%s", line, text, x.said)
		}
	}
}

// nodes is the part of a cluster's YAML that tells of its broker, with a node for each name.
func (x *trial) nodes(names ...string) string {
	x.Helper()
	text, free := "", ports.Free(x.T, 2*len(names))
	for i, name := range names {
		text += fmt.Sprintf("- {name: %s, clients: %q, peers: %q}\n", name, free[2*i], free[2*i+1])
	}
	return "cluster: trial\nkey: file:key\nnodes:\n" + text
}

// clusterAdvised has the machines of a cluster fail in turn.
func clusterAdvised(x *trial) {
	x.web.links = []string{"/p1", "/held", "/members/1"}
	x.set("site.login", "{scheme: basic, user: ann, password: env:KEY}")
	x.file("key", "a key that is long enough\n")
	broker := x.nodes("n")
	x.file("broker.yaml", broker+"folder: n\n")
	x.file("work.yaml", broker+"folder: n\nharvests: work\n")
	const of = " --cluster broker.yaml '" + trialYAML + "'"
	const worker = "watershed node --name w work.yaml"

	three := x.nodes("a", "b", "c")
	for _, name := range []string{"a", "b", "c"} {
		x.file(name+".yaml", three+"folder: "+name+"\n")
	}
	x.file("v.yaml", three+"folder: v\nharvests: v\n")
	x.file("u.yaml", three+"folder: u\nharvests: u\n")
	x.beside("watershed node --name a a.yaml")
	undecided := x.beside(`sh -c 'until watershed status --cluster a.yaml "` + trialYAML + `" > undecided ` +
		`2>&1; ` +
		`grep "did not answer" undecided; do sleep 1; done'`)

	x.run(exitFailed, "watershed status"+of)
	node := x.told(`see that its nodes run \((watershed node)\) and that a firewall lets this machine ` +
		`reach`)[0]
	x.run(exitConfig, node+" broker.yaml")
	name := x.told("no folder for harvests: give (--name) with one of its nodes, list it, or set harvests")[0]
	x.beside(node + " " + name + " n broker.yaml")
	x.until("the cluster has no harvest", "watershed status --json"+of)

	shared := x.beside("watershed harvest" + of)
	shared.says("no node harvests now")
	got := x.told("no node harvests now: see that (watershed node) runs on the machines, with harvests in " +
		"its " +
		"YAML, and what (status --cluster) says of them")
	x.run(0, "watershed "+got[1]+strings.TrimPrefix(of, " --cluster"))
	x.beside("env -u KEY " + got[0] + " --name w work.yaml").stopped(func() {
		shared.ends(exitConfig)
		x.told(`no node can harvest 1 of 1 shards by this YAML, .*KEY.* Mend the YAML, or the machines; ` +
			`the ` +
			`same command goes on`)
	})
	w := x.beside(worker)

	release, end := x.begin("watershed harvest -q" + of)
	x.run(0, "watershed status"+of)
	desk := x.desk("watershed ui work/site")
	shards, err := filepath.Glob(x.path("work/site/site-*.yaml"))
	if err != nil || len(shards) != 1 {
		x.Fatal(shards, err)
	}
	shard := shards[0]
	home := "/harvests/" + strings.TrimSuffix(filepath.Base(shard), ".yaml")
	desk.form = formOf(desk.get(desk.root + home))
	x.page("409", desk.post(home+"/runs", "do", "start"))
	round := x.told("A node of the cluster harvests this shard: (watershed harvest --cluster) begins a " +
		"round")[0]
	x.page("404", desk.get(desk.root+"/api/v1/machines"))
	desk.kill()
	desk = x.desk(x.told("This desk is of no cluster: (watershed ui --cluster) shows one")[0] +
		" broker.yaml work/site")
	x.page("200", desk.get(desk.root+"/api/v1/machines"))
	desk.kill()

	drain := x.beside("watershed node --drain --name w work.yaml")
	drain.says("start one")
	drain.interrupt()
	drain.ends(exitInterrupted)
	x.told("the node goes on to hand its shards over; to keep what is left, start it again")
	w.stopped(func() {})
	w = x.beside(worker)
	select {
	case <-x.web.asked: // for /held
	case <-time.After(time.Minute):
		x.Fatal("the node does not go on with its shard")
	}

	x.interrupt()
	end(exitInterrupted)
	stop := x.told("the nodes go on: the same command looks at it again; (.*) ends it")[0]
	x.set("politeness.max_delay", "1ms")
	x.run(exitConfig, "watershed harvest -q"+of)
	x.told("is under way by another YAML, .*: give this one another name under harvest, or stop that one " +
		`\(watershed control stop --cluster …\) and have it go on by this`)
	x.follow(0, stop)
	release()
	x.until(" stopped ", "watershed status"+of)
	x.follow(0, "watershed harvest -q"+of)

	text, err := os.ReadFile(shard)
	if err != nil {
		x.Fatal(err)
	}
	x.said = string(text)
	x.told(`(?s)# Written by watershed node\.\nshard: .*\ncluster: .*`)
	if err := os.WriteFile(shard, regexp.MustCompile("count: .*").ReplaceAll(text, []byte("count: 0")),
		0o666); err != nil {
		x.Fatal(err)
	}
	x.run(exitConfig, "watershed config check "+shard)
	x.told("(watershed node) writes this file")
	x.follow(0, round+" broker.yaml -q '"+trialYAML+"'")
	x.follow(0, "watershed config check "+shard)
	x.run(exitFailed, about("status"))
	asks := x.told("machines of a cluster share it, .*: status, report, skipped, changes and explain have " +
		"(--cluster), which asks them")[0]
	x.follow(0, about("status "+asks+" broker.yaml"))

	w.stopped(func() {})
	x.run(exitFailed, "watershed explain"+of+" http://a.example/p1")
	again := x.told("node w does not answer for shard .*: see that (watershed node) runs there")[0]
	x.beside(again + " --name w work.yaml")
	x.until("http://a.example/p1 is inside", "watershed explain"+of+" http://a.example/p1")
	x.undecided(undecided)
}

// undecided starts the other nodes of a broker that could not decide, and two processes of a node that
// harvests.
func (x *trial) undecided(b *beside) {
	x.Helper()
	b.ends(0)
	node := x.told("did not answer: start (watershed node) there, or mend the line")[0]
	x.beside(node + " --name b b.yaml")
	x.beside(node + " --name c c.yaml")
	x.until("the cluster has no harvest", "watershed status --cluster a.yaml '"+trialYAML+"'")
	x.beside(node + " --name v v.yaml")
	x.until("node v", "watershed status --cluster a.yaml '"+trialYAML+"'")
	x.beside(node + " --name u v.yaml").ends(exitFailed)
	x.told("node u: harvests: v: .* another node uses it; each node on a machine needs a folder of its own")
	x.beside(node + " --name v u.yaml").ends(exitFailed)
	name := x.told("node v: .*: end that, or give another name: (--name)")[0]
	x.beside(node + " " + name + " u u.yaml")
	x.until("node u", "watershed status --cluster a.yaml '"+trialYAML+"'")
}

// stopped interrupts the command when something was done, and waits for its end.
func (b *beside) stopped(first func()) {
	b.x.Helper()
	first()
	_ = b.Process.Signal(syscall.SIGINT) // it may have ended
	_ = b.Wait()                         // and then tells of the signal
}
