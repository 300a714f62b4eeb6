package acceptance

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// killedCode is the exit code that the table has for a process that the drill killed, hungCode for
// one that came to no end.
const (
	killedCode = -9
	hungCode   = -1
)

// longestRun is when a process counts as hung: a step of the drill takes some seconds on a quiet machine.
const longestRun = 5 * time.Minute

// process is a command under way.
type process struct {
	cmd  *exec.Cmd
	said words
	done chan struct{}
	code int // once done is closed
}

// words are what a process says, which may be read while it goes on.
type words struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *words) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// outcome is how a process ended.
type outcome struct {
	code int
	said string
}

// begin starts a step for a site.
func (d *drill) begin(st step, s site) (*process, error) {
	program := d.program
	if st.lab {
		program = d.lab
	}
	return d.startOf(program, st.command(s)...)
}

// start starts the program.
func (d *drill) start(args ...string) (*process, error) { return d.startOf(d.program, args...) }

func (d *drill) startOf(program string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command(program, args...), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.said, &p.said
	p.cmd.Dir = d.work
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait() // the state tells
		p.code = p.cmd.ProcessState.ExitCode()
		if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			p.code = -int(status.Signal())
		}
	}()
	return p, nil
}

// run lets a command come to its end.
func (d *drill) run(args ...string) (outcome, error) {
	p, err := d.start(args...)
	if err != nil {
		return outcome{}, err
	}
	return p.end(), nil
}

// ended tells whether the process came to its end by itself until a moment.
func (p *process) ended(until <-chan time.Time) bool {
	select {
	case <-p.done:
		return true
	case <-until:
		return false
	}
}

// end waits for the process, and kills it where it is hung.
func (p *process) end() outcome {
	if p.ended(time.After(longestRun)) {
		return outcome{p.code, p.said.String()}
	}
	_ = p.cmd.Process.Kill() // it may just have ended
	<-p.done
	return outcome{hungCode, p.said.String()}
}

// endOf waits for the process of a long run, which is hung where nothing came of it for longestRun.
func (p *process) endOf(s site) outcome {
	for before := s.status(); !p.ended(time.After(longestRun)); {
		now := s.status()
		if now == before {
			p.kill()
			return outcome{hungCode, p.said.String()}
		}
		before = now
	}
	return outcome{p.code, p.said.String()}
}

// kill kills the process without warning. It may have come to its end just before.
func (p *process) kill() outcome {
	_ = p.cmd.Process.Signal(syscall.SIGKILL) // as above
	<-p.done
	return outcome{p.code, p.said.String()}
}

func (p *process) signal(s os.Signal) error {
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// moment is when something is done to a process.
type moment struct {
	name  string            // of the phase that is waited for, "" for none
	there func(s site) bool // nil for at once
	after time.Duration     // from then
}

// pollEvery is how often a moment is looked for, and longestWait for how long.
const (
	pollEvery   = 5 * time.Millisecond
	longestWait = 3 * time.Minute
)

// await waits for a moment of a process that works on s; it is false where the process came to its
// end before.
func (p *process) await(m moment, s site) bool {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for begun := time.Now(); m.there != nil && !m.there(s) && time.Since(begun) < longestWait; {
		if p.ended(tick.C) {
			return false
		}
	}
	return !p.ended(time.After(m.after))
}

// inPhase is the moment at which status.json tells of a phase. That of a process before does not
// count, thus its time.
func inPhase(phase string, s site, after time.Duration) moment {
	before := s.statusTime()
	return moment{name: phase, after: after, there: func(s site) bool {
		return s.status().Phase == phase && s.statusTime().After(before)
	}}
}

// statusTime is when status.json of the last run was written.
func (s site) statusTime() time.Time {
	info, err := os.Stat(filepath.Join(s.lastRun(), "status.json"))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// visited is the moment at which status.json tells of so many visits of a process, or of a phase
// behind the crawl.
func visited(visits int64, s site) moment {
	before := s.statusTime()
	return moment{name: "crawling", there: func(s site) bool {
		st := s.status()
		return s.statusTime().After(before) && (st.Visits-st.Before >= visits || st.Phase == "delivering")
	}}
}

// rotation is the moment at which the last run begins another file.
func rotation(s site, after time.Duration) moment {
	before := len(s.spooled())
	return moment{
		name: "rotation", after: after,
		there: func(s site) bool { return len(s.spooled()) > before },
	}
}

// spooled are the WARC files in the spool of the last run, those under way among them.
func (s site) spooled() []string {
	files, _ := filepath.Glob(filepath.Join(s.lastRun(), "spool", "*.warc.gz*")) // the pattern is good
	return slices.DeleteFunc(files, func(path string) bool { return strings.HasSuffix(path, ".register") })
}

// crashed tells of a process that did not end as a program should, by its exit code or by a stack
// trace.
func (o outcome) crashed() bool {
	return o.code == hungCode || o.code == 2 || o.code < 0 && o.code != killedCode ||
		strings.Contains(o.said, "goroutine ") && strings.Contains(o.said, "runtime")
}

// paths are what differs in messages from place to place, and numbers from time to time.
var (
	pathsInText   = regexp.MustCompile(`/[^ :,;)]*/`)
	numbersInText = regexp.MustCompile(`[0-9]+([.,:][0-9]+)*`)
)

// telling are words of lines that tell what is not as it should be.
var telling = regexp.MustCompile(
	`(?i)missing|lost|repair|damage|rebuil|again|aside|lack|cannot|corrupt|watershed:|panic|fatal`)

// messages are the lines of what was said that tell of something, without what differs.
func (o outcome) messages() (list []string) {
	for line := range strings.Lines(o.said) {
		line = strings.TrimSpace(line)
		if line == "" || !telling.MatchString(line) {
			continue
		}
		line = numbersInText.ReplaceAllString(pathsInText.ReplaceAllString(line, "…/"), "N")
		if line = line[:min(len(line), 300)]; !slices.Contains(list, line) {
			list = append(list, line)
		}
	}
	return list
}
