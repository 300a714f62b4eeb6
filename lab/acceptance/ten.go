package acceptance

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
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
// makes those on state, spool, copies and disk.
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
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	d.port = l.Addr().(*net.TCPAddr).Port
	server := &http.Server{Handler: http.HandlerFunc(hostilePage), ReadHeaderTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	defer func() { _ = server.Close(); <-served }() // nobody waits for its answers
	attacks := []struct {
		name string
		make func() (finding, error)
	}{
		{"3 deep PDF", d.deepPDF},
		{"5 many hosts", func() (finding, error) { return d.costs("hosts", 1024, 16) }},
		{"5 many hosts, INT", d.interrupted},
		{"6 cut WACZ", d.cutPackage},
		{"7 few descriptors", d.fewDescriptors},
		{"8 passwords", d.passwords},
		{"9 opening", d.opening},
		{"9 large pages", func() (finding, error) { return d.costs("large", 1024, 0, 16) }},
		{"10 escapes", d.escapes},
		{"10 FIFO, INT", d.readsFIFO},
		{"10 killed decisions", d.killedDecisions},
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
	case kind == "pdf" && r.URL.Path == "/p.pdf":
		w.Header().Set("Content-Type", "application/pdf")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, err := io.WriteString(z, "%PDF-1.5\n1 0 obj\n"+strings.Repeat("[", 8_000_000))
		_ = errors.Join(err, z.Close()) // a client may go away
		return
	case kind == "pdf":
		text.WriteString("<a href=/p.pdf>paper</a> <a href=/2.html>other</a>")
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
func (d *ten) evil(name, more string, pages int) (site, error) {
	s := site(filepath.Join(d.work, fmt.Sprintf("%s-%d", name, time.Now().UnixNano())))
	text := fmt.Sprintf(`harvest: drill
operator: {name: Drill, contact: "mailto:drill@example.org"}
sites: [{name: %s, seeds: ["http://%s.evil.example/"], boundary: domain}]
politeness: {min_delay: 5ms, max_delay: 20ms, address_delay: 1ms, delay_factor: 0}
limits: {pages: %d, free_disk: 100MB, disk_wait: 5s}
network:
  allow_private: ["127.0.0.0/8"]
  resolve: [{match: "*", address: 127.0.0.1}]
  dial_ports: {80: %d}
%sarchive: {dir: .}
`, name, name, pages, d.port, more)
	return s, errors.Join(os.Mkdir(string(s), 0o777), os.WriteFile(s.yaml(), []byte(text), 0o666))
}

// used tells what a process that has ended took.
func (p *process) used() (cpu time.Duration, mib int64) {
	state := p.cmd.ProcessState
	return state.UserTime() + state.SystemTime(), mostResident(state)
}

// finished harvests the web of the drill once.
func (d *ten) finished(name string) (site, delivered, error) {
	s, err := d.fresh(name)
	if err != nil {
		return "", nil, err
	}
	o, err := d.run("harvest", s.yaml())
	if err == nil && o.code != 0 {
		err = fmt.Errorf("%w: exit code %d: %s", errDrill, o.code, tail(o.said, 400))
	}
	if err != nil {
		return "", nil, err
	}
	sums, err := deliveredBy([]string{s.lastRun()})
	return s, sums, err
}

// costs harvests a host of the hostile web, and tells what that took.
func (d *ten) costs(name string, most int64, well ...int) (finding, error) {
	s, err := d.evil(name, "", 300)
	if err != nil {
		return finding{}, err
	}
	p, err := d.start("harvest", s.yaml())
	if err != nil {
		return finding{}, err
	}
	o := p.end()
	cpu, mib := p.used()
	return found(slices.Contains(well, o.code) && mib <= most && !o.crashed(),
		"exit code %d, %.1f s of processor time, %d MB", o.code, cpu.Seconds(), mib), nil
}

func (d *ten) deepPDF() (finding, error) { return d.costs("pdf", 256, 0) }

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
	s, err := d.evil("hosts", "", 300)
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

// aResource is a record of a WARC file, about an address.
func aResource(address string) []byte {
	return fmt.Appendf(nil, "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: %s\r\n"+
		"WARC-Date: 2024-01-01T00:00:00Z\r\n"+
		"WARC-Record-ID: <urn:uuid:12345678-1234-4234-8234-123456789012>\r\n"+
		"Content-Type: text/html\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n", address)
}

// cutPackage has archives read of which one is a package with a WARC file that is cut.
func (d *ten) cutPackage() (finding, error) {
	dir := filepath.Join(d.work, "packages")
	good := aResource("http://good.example/")
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("archive/cut.warc")
	if err == nil {
		_, err = w.Write(good[:len(good)-40])
	}
	err = errors.Join(err, z.Close(), os.Mkdir(dir, 0o777),
		os.WriteFile(filepath.Join(dir, "bad.wacz"), b.Bytes(), 0o666),
		os.WriteFile(filepath.Join(dir, "good.warc"), good, 0o666))
	if err != nil {
		return finding{}, err
	}
	bad, whole := filepath.Join(dir, "bad.wacz"), filepath.Join(dir, "good.warc")
	held, said := true, []string{fmt.Sprintf("a WACZ of %d bytes", b.Len())}
	for _, x := range []struct {
		program string
		args    []string
	}{
		{d.program, []string{"warc", "ls", bad, whole}},
		{d.program, []string{"warc", "check", bad, whole}},
		{d.program, []string{
			"delimit", "--from", bad, "--seed", "http://good.example/", "--out", dir + "-map", whole,
		}},
		{d.lab, []string{"replicas", "analyze", "-q", "-o", dir + "-copies", "--from", bad, "--from", whole}},
	} {
		p, err := d.startOf(x.program, x.args...)
		if err != nil {
			return finding{}, err
		}
		o := p.end()
		reads := x.args[1] != "ls" || strings.Contains(o.said, "good.example")
		held = held && !o.crashed() && reads
		said = append(said, fmt.Sprintf("%s: exit code %d", strings.Join(x.args[:2], " "), o.code))
	}
	return found(held, "%s", strings.Join(said, ", ")), nil
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

// passwords looks for those of a proxy and of a seed in all that a harvest writes.
func (d *ten) passwords() (finding, error) {
	const secret = "opensesame"
	more := fmt.Sprintf("  proxy: \"http://user:%s@127.0.0.1:%d\"\n", secret, d.port)
	s, err := d.evil("proxied", more, 300)
	if err != nil {
		return finding{}, err
	}
	o, err := d.run("harvest", s.yaml())
	if err != nil {
		return finding{}, err
	}
	text, err := os.ReadFile(s.yaml())
	if err != nil {
		return finding{}, err
	}
	text = bytes.ReplaceAll(text, []byte("http://proxied."), []byte("http://me:"+secret+"@proxied."))
	if err := os.WriteFile(s.yaml(), text, 0o600); err != nil {
		return finding{}, err
	}
	seeded, err := d.run("harvest", s.yaml())
	if err != nil {
		return finding{}, err
	}
	var clear []string
	err = filepath.WalkDir(s.harvest(), func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(secret)) {
			clear = append(clear, path)
		}
		return err
	})
	spoken := strings.Contains(o.said+seeded.said, secret)
	return found(len(clear) == 0 && !spoken && o.code == 0,
		"in clear in %d files, on the terminal: %v; exit codes %d with a proxy's, %d with a seed's",
		len(clear), spoken, o.code, seeded.code), err
}

// opening interrupts a harvest of a maze, and takes the processor time until it goes on.
func (d *ten) opening() (finding, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return finding{}, err
	}
	server := &http.Server{Handler: maze{hosts: 16, links: 10}, ReadHeaderTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	defer func() { _ = server.Close(); <-served }() // nobody waits for its answers
	s := site(filepath.Join(d.work, "opening"))
	plan := fmt.Appendf(nil, soakPlan, l.Addr().(*net.TCPAddr).Port, "domain", 0)
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

// escapes looks for raw control bytes of a foreign archive on the terminal, and for an order that
// changes.
func (d *ten) escapes() (finding, error) {
	dir := filepath.Join(d.work, "escapes")
	if err := os.Mkdir(dir, 0o777); err != nil {
		return finding{}, err
	}
	for i := range 5 {
		text := aResource("http://a.example/\x1b]0;owned\x07")
		text = bytes.Replace(text, []byte("hello"), []byte("hell"), 1)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.warc", i)), text, 0o666); err != nil {
			return finding{}, err
		}
	}
	raw, orders := 0, map[string]bool{}
	for range 5 {
		for _, verb := range []string{"ls", "check"} {
			o, err := d.run("warc", verb, dir)
			if err != nil {
				return finding{}, err
			}
			raw += strings.Count(o.said, "\x1b")
			orders[verb+o.said] = true
		}
	}
	return found(raw == 0 && len(orders) == 2, "%d raw bytes; %d texts of ls and check, five times each",
		raw, len(orders)), nil
}

// readsFIFO interrupts a check that waits for bytes.
func (d *ten) readsFIFO() (finding, error) {
	path := filepath.Join(d.work, "fifo.warc")
	made, err := d.startOf("mkfifo", path)
	if err != nil {
		return finding{}, err
	}
	made.end()
	p, err := d.start("warc", "check", path)
	if err != nil {
		return finding{}, err
	}
	p.await(moment{after: time.Second}, "")
	begun := time.Now()
	if err := p.signal(syscall.SIGINT); err != nil {
		return finding{}, err
	}
	ended := p.ended(time.After(30 * time.Second))
	p.kill()
	return found(ended, "ended: %v, %.1f s after SIGINT, %q", ended, time.Since(begun).Seconds(),
		lastLine(p.said.String())), nil
}

// killedDecisions kills decisions while they are written, and looks for what they leave.
func (d *ten) killedDecisions() (finding, error) {
	s, _, err := d.finished("decisions")
	if err != nil {
		return finding{}, err
	}
	rng := d.chance("decisions")
	killed := 0
	for i := range 40 {
		p, err := d.start("decide", "in", s.yaml(), "host:"+manyHost(i))
		if err != nil {
			return finding{}, err
		}
		p.await(moment{after: time.Duration(rng.Int64N(int64(200 * time.Millisecond)))}, s)
		if p.kill().code == killedCode {
			killed++
		}
	}
	o, err := d.run("decide", "in", s.yaml(), "host:"+annexHost)
	left := leftovers(s.harvest())
	return found(o.code == 0 && len(left) == 0, "%d killed; the next ends with %d; %d files left over",
		killed, o.code, len(left)), err
}
