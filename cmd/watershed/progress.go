package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"watershed/crawler"
	"watershed/harvest"
	"watershed/internal/console"
	"watershed/internal/disk"
	"watershed/report"
	"watershed/ui"
)

// reporter shows how a harvest goes: one line that renews itself on a terminal, a line every ten
// seconds elsewhere, JSON lines where they are asked for. Whatever it shows, the run's status.json
// is renewed each second, and its log is kept.
type reporter struct {
	out   io.Writer
	log   *slog.Logger
	file  *logFile
	json  bool
	quiet bool
	crash string   // the file of keepCrash, "" for none
	tty   *os.File // on which the line renews itself; nil for none

	mu   sync.Mutex // guards what follows
	run  harvest.Run
	name string // of the phase
	last crawler.Progress
	told time.Time
	wide int // columns of the line that stands on the terminal
	turn int // of its first sign

	missing int            // captures
	ending  *report.Ending // nil while the run is under way

	keeping sync.Mutex // status.json is written by one at a time
}

// plainEvery is the time between two lines where there is no terminal.
const plainEvery = 10 * time.Second

func newReporter(out io.Writer, jsonLog, quiet bool) *reporter {
	r := &reporter{out: out, json: jsonLog, quiet: quiet, file: &logFile{}}
	writers := []io.Writer{r.file}
	if jsonLog {
		writers = append(writers, console.Whole(out))
	}
	r.log = slog.New(slog.NewJSONHandler(io.MultiWriter(writers...),
		&slog.HandlerOptions{ReplaceAttr: readable}))
	if !jsonLog && !quiet {
		r.tty = console.Terminal(out)
	}
	return r
}

// readable has durations logged with their unit, such as 2.687s, and not in nanoseconds.
func readable(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.StringValue(a.Value.Duration().Round(time.Millisecond).String())
	}
	return a
}

// attach has the log and the status kept with a run, whose figures are those of the process before
// until it is open.
func (r *reporter) attach(run harvest.Run) {
	r.mu.Lock()
	r.run = run
	if x, err := disk.ReadJSON[ui.StatusFile](run.Status()); err == nil {
		r.last = crawler.Progress{
			Visits: x.Visits, Before: x.Visits, Captured: x.Captured, Failed: x.Failed,
			Bytes: x.Bytes, Pending: x.Pending, Known: x.Known, Sites: x.Sites,
		}
	}
	r.mu.Unlock()
	if err := r.file.open(filepath.Join(run.Logs(), "watershed.log")); err != nil {
		fmt.Fprintf(r.out, "watershed: the log is not kept: %v\n", err)
	}
	r.keep()
}

// keepCrash has what the program says when it ends by a fault of its own kept with a run too: the
// next process takes from it that nobody else ended it.
func (r *reporter) keepCrash(run harvest.Run) {
	f, err := os.OpenFile(run.Crash(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		r.crash = run.Crash()
		err = errors.Join(debug.SetCrashOutput(f, debug.CrashOptions{}), f.Close())
	}
	if err != nil {
		r.log.Warn("what a crash would say is not kept", "cause", err)
	}
}

// during names what is being done, and says each second that it still is, until it is done.
func (r *reporter) during(name string, work func() error) error {
	r.phase(name)
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				r.keep()
			}
		}
	})
	err := work()
	close(done)
	group.Wait()
	return err
}

// began tells how a run starts.
func (r *reporter) began(h *harvest.Harvest) {
	r.lacks(len(h.Missing))
	r.log.Info("run begins", "run", h.Number(), "resumed", h.Resumed, "visits", h.Visits, "missing",
		len(h.Missing), "suspects", h.Suspects, "unread", h.Unread)
	if r.json {
		return
	}
	r.clear()
	if b := h.Rebuilt; b != nil {
		fmt.Fprintf(r.out, "%v\nthe state was rebuilt from the archives: %s, %s\n", b.Cause,
			console.Plural(b.Runs, "run", "runs"), console.Plural(b.Captures, "capture", "captures"))
		if b.Former != "" {
			fmt.Fprintf(r.out, "the former state is now %s\n", b.Former)
		}
		if b.Damaged > 0 {
			fmt.Fprintf(r.out, "%s in WARC files could not be read; see the log\n",
				console.Plural(b.Damaged, "place", "places"))
		}
		if b.Away > 0 {
			fmt.Fprintf(r.out, "of %s not all WARC files are here, so that their captures are not "+
				"known: bring\nthem back to archive and take the folder state away, and the next harvest "+
				"knows them\n",
				console.Plural(b.Away, "run", "runs"))
		}
	}
	if h.Paused {
		fmt.Fprintln(r.out, "paused, as it was: watershed control resume FILE goes on")
	}
	if r.quiet {
		return
	}
	switch {
	case h.Resumed:
		fmt.Fprintf(r.out, "%s goes on after %d visits\n", h.Run(), h.Visits)
	case h.Extends() > 0:
		fmt.Fprintf(r.out, "%s extends run %d\n", h.Run(), h.Extends())
	case h.Number() > 1:
		fmt.Fprintf(r.out, "%s: recrawl\n", h.Run())
		if f, err := h.Forecast(); err != nil {
			fmt.Fprintf(r.out, "watershed: no forecast: %v\n", err)
		} else if f != nil {
			fmt.Fprintln(r.out, f)
		}
	default:
		fmt.Fprintf(r.out, "%s\n", h.Run())
	}
	if h.Undrawn != nil {
		fmt.Fprintf(r.out, "no page is drawn: %v\n", h.Undrawn)
	}
	for _, f := range h.Repaired {
		if f.Cut == 0 && f.Damaged == 0 {
			continue // it had only to be finished
		}
		fmt.Fprintf(r.out, "repaired %s: %s kept, %s cut off its end, in which no capture is whole\n", f.File,
			console.Plural(f.Captures, "capture", "captures"), console.Plural(int(f.Cut), "byte", "bytes"))
		if f.Damaged > 0 {
			fmt.Fprintf(r.out, "it is damaged at %s: %v\n", console.Plural(f.Damaged, "place", "places"),
				f.Cause)
		}
	}
	for _, u := range h.Suspects {
		fmt.Fprintf(r.out, "%s was being read when the process ended: it is read alone\n", visible(string(u)))
	}
	for _, u := range h.Unread {
		fmt.Fprintf(r.out, "%s is archived but not read: reading it ended the process\n", visible(string(u)))
	}
	if n := len(h.Missing); n > 0 {
		fmt.Fprintf(r.out, "%d captures are not in the WARC files, or not whole: they are fetched again\n", n)
	}
}

// lacks tells how many captures are missing.
func (r *reporter) lacks(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.missing = n
}

// phase names what is being done.
func (r *reporter) phase(name string) {
	r.mu.Lock()
	r.name = name
	p := r.last
	r.mu.Unlock()
	r.log.Info("phase", "phase", name)
	r.show(p, true)
	r.keep()
}

// crawling is told how the crawl stands, each second.
func (r *reporter) crawling(p crawler.Progress) {
	r.mu.Lock()
	r.last = p
	due := time.Since(r.told) >= plainEvery
	if due {
		r.told = time.Now()
	}
	r.mu.Unlock()
	r.show(p, due)
	if r.json && due {
		r.log.Info("progress", "pages", p.Visits, "captured", p.Captured, "failed", p.Failed,
			"bytes", p.Bytes,
			"wanted", p.Pending, "known", p.Known, "hosts_due", p.Due, "hosts_resting", p.Resting, "rate",
			p.Rate(), "left", p.Left.String())
	}
	r.keep()
}

// barSigns are the columns that the line needs besides its text, one of them for the cursor.
const barSigns = 3

// show prints the line; due says that it is time for one where there is no terminal.
func (r *reporter) show(p crawler.Progress, due bool) {
	if r.quiet || r.json {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	text := line(r.name, p, max(console.Width(r.out)-barSigns, 0))
	switch {
	case r.tty != nil:
		r.turn++
		r.draw(string(`|/-\`[r.turn%4]) + " " + text)
	case due:
		fmt.Fprintln(r.out, text)
	}
}

// draw writes the line in place of the one that stands on the terminal; "" for none. A terminal that is gone
// is no reason to stop.
func (r *reporter) draw(text string) {
	_, _ = fmt.Fprintf(r.tty, "\r%*s\r%s", r.wide, "", text)
	r.wide = console.Columns(text)
}

// clear takes the line away, so that what is told next stands in its place.
func (r *reporter) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tty != nil && r.wide > 0 {
		r.draw("")
	}
}

// line is the progress line, of at most most columns; 0 is without bound. Of its parts those are
// left out at the end that do not fit.
func line(phase string, p crawler.Progress, most int) string {
	if p.Time.IsZero() {
		return phase
	}
	text := fmt.Sprintf("%s: %d URLs asked for", phase, p.Visits)
	for _, part := range append(standing(&p), fmt.Sprintf("%d failed", p.Failed), console.Size(p.Bytes),
		fmt.Sprintf("%.1f a second", p.Rate())) {
		if longer := text + ", " + part; most == 0 || console.Columns(longer) <= most {
			text = longer
		}
	}
	if most > 0 {
		text = console.Wrap(text, most)[0]
	}
	return text
}

// standing says whether a crawl is paused, how much waits, and when it may be done.
func standing(p *crawler.Progress) (parts []string) {
	if p.Held {
		parts = append(parts, "PAUSED by hand: watershed control resume FILE")
	}
	if p.Paused {
		parts = append(parts, "PAUSED: the disk is full")
	}
	if p.Pending > 0 {
		text := fmt.Sprintf("%d waiting", p.Pending)
		if hosts := p.Due + p.Resting; hosts > 0 {
			text += " on " + console.Plural(hosts, "host", "hosts")
		}
		parts = append(parts, text)
	}
	if p.Backoff > 0 {
		parts = append(parts, console.Plural(p.Backoff, "host", "hosts")+" to be tried again later")
	}
	if p.Left >= time.Minute {
		parts = append(parts, "done in "+roughly(p.Left)+" at the earliest")
	}
	return parts
}

// roughly is a time of a minute or more as people say it.
func roughly(d time.Duration) string {
	switch {
	case d < 90*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}

// keep renews status.json.
func (r *reporter) keep() {
	r.mu.Lock()
	run, phase, missing, ending, p := r.run, r.name, r.missing, r.ending, r.last
	r.mu.Unlock()
	if run == "" {
		return
	}
	r.keeping.Lock()
	defer r.keeping.Unlock()
	text, err := json.Marshal(ui.StatusFile{ // in one line: with many sites indents cost the most of it
		Phase: phase, PID: os.Getpid(), Time: time.Now(),
		Missing: missing, Ending: ending, Progress: p,
	})
	if err == nil {
		err = os.WriteFile(run.Status()+".new", append(text, '\n'), 0o666)
	}
	if err == nil {
		err = os.Rename(run.Status()+".new", run.Status())
	}
	if err != nil {
		r.log.Warn("status is not kept", "cause", err)
	}
}

// stopped closes a run that did not come to its end, tells of it, so that who reads that may go on with
// the run, and prints how it ended.
func (r *reporter) stopped(out io.Writer, h *harvest.Harvest, cause error) error {
	ending, err := h.Interrupted(cause)
	err = errors.Join(err, h.Close())
	r.finish("stopped", ending)
	r.log.Warn("run stopped", "run", h.Number(), "cause", cause)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s\n", h.Run(), styleOf(out).ending(ending))
	return printEnding(out, ending)
}

// delivered tells that the run was delivered, and how many pages of each site that is.
func (r *reporter) delivered(d *harvest.Delivered) {
	r.mu.Lock()
	r.last.Sites = slices.Clone(r.last.Sites)
	pages := make(map[string]int, len(d.Sites))
	for _, had := range d.Sites {
		pages[had.Name] = had.Pages
	}
	for i := range r.last.Sites {
		if n, had := pages[r.last.Sites[i].Name]; had {
			r.last.Sites[i].Inside = n
		}
	}
	r.mu.Unlock()
	r.finish("finished", d.Ending)
}

// finish says how the run ended, nil where it is not kept.
func (r *reporter) finish(phase string, ending *report.Ending) {
	r.clear()
	r.mu.Lock()
	r.name, r.ending = phase, ending
	if ending != nil { // its numbers count from now on, those of the crawl no more
		sum := &ending.Sum
		r.last.Known, r.last.Captured, r.last.Failed = sum.Known, sum.Captured, sum.Failed
		r.missing = int(ending.Losses.Captures)
	}
	r.mu.Unlock()
	r.keep()
}

func (r *reporter) close() {
	r.clear() // where an error ends the command
	r.file.close()
	if r.crash == "" {
		return
	}
	err := errors.Join(debug.SetCrashOutput(nil, debug.CrashOptions{}), os.Remove(r.crash))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		fmt.Fprintf(r.out, "watershed: %v\n", err)
	}
}

// logFile is a log that is kept from the moment on at which its file is known.
type logFile struct {
	mu sync.Mutex
	f  *os.File
}

func (l *logFile) open(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f != nil {
		_ = l.f.Close() // nothing is buffered
	}
	l.f = f
	return nil
}

// Write keeps a line; one that cannot be written is lost, since a harvest does not end for want of
// its log.
func (l *logFile) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f != nil {
		_, _ = l.f.Write(b) // see above
	}
	return len(b), nil
}

func (l *logFile) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f != nil {
		_ = l.f.Close() // nothing is buffered
		l.f = nil
	}
}
