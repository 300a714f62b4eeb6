package acceptance

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"watershed/internal/disk"
)

// Soak has the program harvest a web without end, which it serves on loopback, for so long, and
// writes down what the process holds: soak.csv with a row for each sample, and soak.svg with the
// curves. The goroutines are told by Go's own scheduler (GODEBUG=schedtrace, scheddetail), so that
// any binary can be measured. At the end the harvest is interrupted; with -pages it ends by itself,
// and delivery is measured, too.
type Soak struct {
	Program  string        `required:"" placeholder:"FILE"`
	Work     string        `required:"" placeholder:"DIR"`
	For      time.Duration `default:"1h"`
	Every    time.Duration `default:"10s"`
	Hosts    uint64        `default:"16"`
	Links    uint64        `default:"10"`
	Pages    int
	Port     int
	Boundary string `default:"domain" enum:"domain,logical"`
}

func (c *Soak) Run() error {
	port, stop, err := serve(c.Port, maze{hosts: c.Hosts, links: c.Links})
	if err != nil {
		return err
	}
	defer stop()
	plan := fmt.Appendf(nil, soakPlan, port, c.Boundary, c.Pages)
	return soaked(c.Program, c.Work, plan, c.For, c.Every)
}

// serve serves a web at a port of this machine, at any for 0.
func serve(port int, web http.Handler) (at int, stop func(), err error) {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return 0, nil, err
	}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: web}}
	server.Start()
	return l.Addr().(*net.TCPAddr).Port, func() { server.CloseClientConnections(); server.Close() }, nil
}

// soaked harvests, samples and draws.
func soaked(program, work string, plan []byte, last, every time.Duration) error {
	if err := os.MkdirAll(work, 0o777); err != nil {
		return err
	}
	yaml := filepath.Join(work, "soak.yaml")
	if err := os.WriteFile(yaml, plan, 0o666); err != nil {
		return err
	}
	cmd := exec.Command(program, "harvest", "-q", yaml)
	cmd.Env = append(os.Environ(), fmt.Sprintf("GODEBUG=scheddetail=1,schedtrace=%d", every.Milliseconds()))
	trace, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var goroutines atomic.Int64
	done := make(chan error, 1)
	go func() {
		err := follow(trace, &goroutines)
		done <- errors.Join(err, cmd.Wait())
	}()
	samples, err := sample(cmd.Process, work, &goroutines, done, last, every)
	return errors.Join(err, writeSoak(work, samples))
}

// soakPlan is the harvest; the maze answers at once, so that the process has as much to do as it
// can.
const soakPlan = `harvest: soak
operator: {name: Watershed acceptance, contact: "mailto:acceptance@watershed.example"}
politeness: {delay_factor: 0, min_delay: 1ms, max_delay: 1ms, address_delay: 0s}
network:
  allow_private: [127.0.0.0/8]
  resolve: [{match: "*.maze.example", address: 127.0.0.1}]
  dial_ports: {80: %d}
limits: {free_disk: 1GB, time: 30d, bytes: 10TB}
archive: {dir: .}
sites:
  - name: maze
    seeds: ["http://h00.maze.example/"]
    boundary: %s
    limits: {pages: %d, bytes: 10TB, depth: 0}
`

// follow reads the scheduler's traces, keeps the number of goroutines that live, and passes on
// every other line.
func follow(trace io.Reader, goroutines *atomic.Int64) error {
	lines := bufio.NewScanner(trace)
	lines.Buffer(nil, 1<<20)
	alive := int64(0)
	for lines.Scan() {
		line := lines.Bytes()
		switch {
		case bytes.HasPrefix(line, []byte("SCHED ")):
			if alive > 0 {
				goroutines.Store(alive)
			}
			alive = 0
		case bytes.HasPrefix(line, []byte("  G")):
			if !bytes.Contains(line, []byte(" status=6(")) { // dead, kept for reuse
				alive++
			}
		case bytes.HasPrefix(line, []byte("  P")), bytes.HasPrefix(line, []byte("  M")):
		default:
			fmt.Fprintf(os.Stderr, "%s\n", line)
		}
	}
	return lines.Err()
}

// Exit codes of the program, as cmd/watershed has them.
const exitInterrupted, exitPages = 11, 16

// footprint is what the process holds at a moment.
type footprint struct {
	at                      time.Duration
	cpu                     time.Duration
	resident, anonymous     int64 // bytes
	goroutines, descriptors int64
	disk                    int64 // bytes of the folder
	phase                   string
	known, visits           int64 // URLs, of those visits of this process, as status.json tells
}

// sample looks at the process until it ends, which it is told to when its time is over.
func sample(
	p *os.Process, work string, goroutines *atomic.Int64, done <-chan error, last, every time.Duration,
) ([]footprint, error) {
	start := time.Now()
	tick := time.NewTicker(every)
	defer tick.Stop()
	over := time.NewTimer(last)
	defer over.Stop()
	var all []footprint
	for {
		select {
		case err := <-done:
			var exit *exec.ExitError
			if errors.As(err, &exit) && (exit.ExitCode() == exitInterrupted || exit.ExitCode() == exitPages) {
				err = nil
			}
			return all, err
		case <-over.C:
			if err := p.Signal(syscall.SIGINT); err != nil {
				return all, err
			}
		case <-tick.C:
			h, err := look(p.Pid, work)
			if errors.Is(err, fs.ErrNotExist) {
				continue // it has ended
			}
			if err != nil {
				return all, err
			}
			h.at, h.goroutines = time.Since(start), goroutines.Load()
			all = append(all, h)
		}
	}
}

// look reads what the system tells of a process, and the size of its folder.
func look(pid int, work string) (h footprint, err error) {
	proc := fmt.Sprintf("/proc/%d/", pid)
	status, err := os.ReadFile(proc + "status")
	if err != nil {
		return h, err
	}
	for line := range strings.Lines(string(status)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &kib); n == 1 { // another line is no error
			h.resident = kib << 10
		}
		if n, _ := fmt.Sscanf(line, "RssAnon: %d kB", &kib); n == 1 {
			h.anonymous = kib << 10
		}
	}
	open, err := os.ReadDir(proc + "fd")
	if err != nil {
		return h, err
	}
	h.descriptors = int64(len(open))
	if h.cpu, err = processorTime(proc + "stat"); err != nil {
		return h, err
	}
	if err := h.readStatus(filepath.Join(work, "soak", "run-0001", "status.json")); err != nil {
		return h, err
	}
	h.disk, err = folderSize(work)
	return h, err
}

// readStatus takes over what the harvest tells of itself; nothing before it does.
func (h *footprint) readStatus(name string) error {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var status struct {
		Phase                 string `json:"phase"`
		Known, Visits, Before int64
	}
	if err == nil {
		err = json.Unmarshal(text, &status)
	}
	h.phase, h.known, h.visits = status.Phase, status.Known, status.Visits-status.Before
	return err
}

// ticksPerSecond is USER_HZ, which Linux fixes for /proc (proc_pid_stat(5)).
const ticksPerSecond = 100

// processorTime is that of a process and all its threads.
func processorTime(stat string) (time.Duration, error) {
	text, err := os.ReadFile(stat)
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), ") ") // the name may have blanks
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0, fmt.Errorf("%s has %d fields", stat, len(f))
	}
	user, err := strconv.ParseInt(f[11], 10, 64)
	if err != nil {
		return 0, err
	}
	system, err := strconv.ParseInt(f[12], 10, 64)
	return time.Duration(user+system) * time.Second / ticksPerSecond, err
}

// folderSize is what the files of a folder take on disk; those that vanish meanwhile take nothing.
func folderSize(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return nil // it was deleted meanwhile
		}
		size += disk.Occupied(info)
		return nil
	})
	return size, err
}

// writeSoak writes the samples as a table and as a picture.
func writeSoak(work string, all []footprint) (err error) {
	f, err := os.Create(filepath.Join(work, "soak.csv"))
	if err != nil {
		return err
	}
	table := csv.NewWriter(f)
	rows := [][]string{{
		"seconds", "phase", "known", "visits", "cpu_seconds",
		"rss_bytes", "anonymous_bytes", "goroutines", "descriptors", "disk_bytes",
	}}
	for _, h := range all {
		row := []string{
			fmt.Sprintf("%.0f", h.at.Seconds()), h.phase, strconv.FormatInt(h.known, 10),
			strconv.FormatInt(h.visits, 10), fmt.Sprintf("%.1f", h.cpu.Seconds()),
		}
		for _, n := range []int64{h.resident, h.anonymous, h.goroutines, h.descriptors, h.disk} {
			row = append(row, strconv.FormatInt(n, 10))
		}
		rows = append(rows, row)
	}
	if err := errors.Join(table.WriteAll(rows), f.Close()); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(work, "soak.svg"), soakPicture(all), 0o666)
}
