package acceptance

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"watershed/lab/kit/bucket"
)

// Ten makes attacks on the finished program, each of which once destroyed an archive, lost pages
// without a word, or kept a harvest from its end; see "Ten attacks" in docs/hostile.md. The drill
// makes those on state, spool, copies and disk, and tests those that need no harvest.
type Ten struct {
	Program string `required:"" placeholder:"FILE"`
	Match   string
}

// finding is what an attack came to.
type finding struct {
	held bool
	said string
}

// found tells an attack's end in words.
func found(held bool, format string, args ...any) finding {
	return finding{held, fmt.Sprintf(format, args...)}
}

func (c *Ten) Run(out io.Writer) (err error) {
	lab, err := os.Executable()
	if err != nil {
		return err
	}
	d := &ten{drill: drill{
		lab: lab, seed: 1, out: io.Discard, table: map[string]*row{},
		store: bucket.Store{Bucket: "drill", AccessKey: storeKey},
	}}
	store := httptest.NewServer(&d.store)
	defer store.Close()
	d.web = &drillWeb{pages: 50, net: loopWeb, store: store.URL}
	if d.program, err = filepath.Abs(c.Program); err != nil {
		return err
	}
	if d.work, err = os.MkdirTemp("", "ten-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(d.work)) }()
	return d.web.serve(func() error { return d.attackAll(out, c.Match) })
}

// ten are the attacks under way: the web of the drill, and a hostile one beside it.
type ten struct {
	drill
	port int // of the hostile web
}

// attackAll makes the attacks in turn, and prints a line for each as it ends.
func (d *ten) attackAll(out io.Writer, match string) error {
	port, stop, err := serve(0, http.HandlerFunc(hostilePage))
	if err != nil {
		return err
	}
	defer stop()
	d.port = port
	attacks := []struct {
		name string
		make func() (finding, error)
	}{
		{"5 many hosts", func() (finding, error) { return d.costs("hosts", 1024, 16) }},
		{"5 many hosts, INT", d.interrupted},
		{"7 few descriptors", d.fewDescriptors},
		{"9 opening", d.opening},
		{"9 large pages", func() (finding, error) { return d.costs("large", 1024, 0, 16) }},
		{"10 FIFO", d.readsFIFO},
	}
	table := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	bad := 0
	for _, a := range attacks {
		if !strings.Contains(a.name, match) {
			continue
		}
		f, err := a.make()
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		verdict := "held"
		if !f.held {
			verdict = "BAD"
			bad++
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", a.name, verdict, f.said)
		_ = table.Flush() // to the terminal
	}
	if bad > 0 {
		return fmt.Errorf("%d attacks did harm", bad)
	}
	return nil
}

// hostilePage answers for all hosts of the hostile web, by the first label of the host's name.
func hostilePage(w http.ResponseWriter, r *http.Request) {
	kind, _, _ := strings.Cut(r.Host, ".")
	w.Header().Set("Content-Type", "text/html")
	text := bytes.NewBufferString("<!doctype html><title>A page</title>")
	switch {
	case r.URL.Path == "/robots.txt":
		http.NotFound(w, r)
		return
	case kind == "hosts" && r.URL.Path == "/":
		for i := range 200_000 {
			fmt.Fprintf(text, "<a href=http://h%d.hosts.evil.example/q>a</a>\n", i)
		}
	case kind == "large" && r.URL.Path == "/":
		for i := range 96 {
			fmt.Fprintf(text, "<a href=http://n%d.large.evil.example/>a</a>\n", i)
		}
	case strings.Contains(r.Host, ".large."):
		text.WriteString(strings.Repeat("<p>"+strings.Repeat("all work and no play ", 50)+"\n", 16<<20/1054))
	}
	_, _ = w.Write(text.Bytes()) // as above
}

// evil describes a harvest of a host of the hostile web.
func (d *ten) evil(name string) (site, error) {
	s := site(filepath.Join(d.work, fmt.Sprintf("%s-%d", name, time.Now().UnixNano())))
	text := fmt.Sprintf(`harvest: drill
operator: {name: Drill, contact: "mailto:drill@example.org"}
sites: [{name: %s, seeds: ["http://%s.evil.example/"], boundary: domain}]
politeness: {min_delay: 5ms, max_delay: 20ms, address_delay: 1ms, delay_factor: 0}
limits: {pages: 300, free_disk: 100MB, disk_wait: 5s}
network:
  allow_private: ["127.0.0.0/8"]
  resolve: [{match: "*", address: 127.0.0.1}]
  dial_ports: {80: %d}
archive: {dir: .}
`, name, name, d.port)
	return s, errors.Join(os.Mkdir(string(s), 0o777), os.WriteFile(s.yaml(), []byte(text), 0o666))
}

// used tells what a process that has ended took.
func (p *process) used() (cpu time.Duration, mib int64) {
	state := p.cmd.ProcessState
	return state.UserTime() + state.SystemTime(), mostResident(state)
}

// costs harvests a host of the hostile web, and tells what that took.
func (d *ten) costs(name string, most int64, well ...int) (finding, error) {
	s, err := d.evil(name)
	if err != nil {
		return finding{}, err
	}
	p, err := d.start("harvest", s.yaml())
	if err != nil {
		return finding{}, err
	}
	o := p.endOf(s)
	cpu, mib := p.used()
	return found(slices.Contains(well, o.code) && mib <= most && !o.crashed(),
		"exit code %d, %.1f s of processor time, %d MB", o.code, cpu.Seconds(), mib), nil
}

// whole starts a harvest until its end, and tells which pages its archive lacks.
func (d *ten) whole(s site) (finding, error) {
	var r row
	r.codes, r.said = map[int]int{}, map[string]int{}
	o, err := d.operate(&r, s)
	if err != nil {
		return finding{}, err
	}
	list, err := index(s.lastRun())
	has := map[string]bool{}
	for _, x := range list {
		has[x.URL] = true
	}
	lost := slices.DeleteFunc(d.web.mustHave(), func(u string) bool { return has[u] })
	told := telling.FindString(o.said) != ""
	return found(len(lost) == 0 && !r.bad(), "%d of %d pages lost; told: %v; exit codes %s",
		len(lost), len(d.web.mustHave()), told, codes(r.codes)), err
}

// interrupted sends SIGINT while a page of many hosts is committed.
func (d *ten) interrupted() (finding, error) {
	s, err := d.evil("hosts")
	if err != nil {
		return finding{}, err
	}
	p, err := d.start("harvest", s.yaml())
	if err != nil {
		return finding{}, err
	}
	p.await(visited(1, s), s)
	begun := time.Now()
	if err := p.signal(syscall.SIGINT); err != nil {
		return finding{}, err
	}
	o := p.end()
	const heeded = 10 * time.Second // two on a quiet machine
	return found(o.code == exitInterrupted && time.Since(begun) < heeded,
		"exit code %d %.1f s after SIGINT", o.code, time.Since(begun).Seconds()), nil
}

// fewDescriptors harvests with fewer descriptors than it needs, then goes on with enough.
func (d *ten) fewDescriptors() (finding, error) {
	s, err := d.fresh("few")
	if err != nil {
		return finding{}, err
	}
	p, err := d.startOf("/bin/sh", "-c", `ulimit -n 24; exec "$0" harvest "$1"`, d.program, s.yaml())
	if err != nil {
		return finding{}, err
	}
	o := p.end()
	f, err := d.whole(s)
	f.held = f.held && !o.crashed()
	f.said = fmt.Sprintf("with 24: exit code %d, %q; then %s", o.code, lastLine(o.said), f.said)
	return f, err
}

func lastLine(said string) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	return lines[len(lines)-1]
}

// opening interrupts a harvest of a maze, and takes the processor time until it goes on.
func (d *ten) opening() (finding, error) {
	port, stop, err := serve(0, maze{hosts: 16, links: 10})
	if err != nil {
		return finding{}, err
	}
	defer stop()
	s := site(filepath.Join(d.work, "opening"))
	plan := fmt.Appendf(nil, soakPlan, port, "domain", 0)
	plan = bytes.Replace(plan, []byte("harvest: soak"), []byte("harvest: drill"), 1)
	err = errors.Join(os.Mkdir(string(s), 0o777), os.WriteFile(s.yaml(), plan, 0o666))
	if err != nil {
		return finding{}, err
	}
	p, err := d.start("harvest", s.yaml())
	if err != nil {
		return finding{}, err
	}
	p.await(visited(20_000, s), s)
	if err := p.signal(syscall.SIGINT); err != nil {
		return finding{}, err
	}
	p.end()
	pages := s.status().Visits
	if p, err = d.start("harvest", s.yaml()); err != nil {
		return finding{}, err
	}
	p.await(inPhase("crawling", s, 0), s)
	cpu, err := processorTime(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	p.kill()
	each := cpu.Seconds() * 100_000 / float64(max(pages, 1))
	return found(each <= 5, "%.2f s of processor time for %d pages, %.1f for 100,000",
		cpu.Seconds(), pages, each), err
}

// readsFIFO has a file checked that waits for bytes: it is refused before it is opened.
func (d *ten) readsFIFO() (finding, error) {
	path := filepath.Join(d.work, "fifo.warc")
	made, err := d.startOf("mkfifo", path)
	if err != nil {
		return finding{}, err
	}
	made.end()
	o, err := d.run("warc", "check", path)
	if err != nil {
		return finding{}, err
	}
	const damaged = 9 // the exit code of a check that finds something
	return found(o.code == damaged && strings.Contains(o.said, "no regular file"), "exit code %d, %q", o.code,
		lastLine(o.said)), nil
}
