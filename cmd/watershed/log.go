package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"watershed/harvest"
	"watershed/internal/console"
)

// logCommand shows what a run asked for and what happened to it, the newest lines last.
type logCommand struct {
	File   string `arg:""`
	Follow bool   `short:"f"`
	Lines  int    `short:"n" default:"40" placeholder:"N"`
}

// logTail is how much of the end of a log is read at first, and at most at once: some thousand lines.
const logTail = 256 << 10

// logEvery is the time between two looks at logs that are followed.
const logEvery = 500 * time.Millisecond

func (c *logCommand) Run(ctx context.Context, s console.Streams) error {
	run, status, err := statusOf(c.File, time.Now())
	if err != nil {
		return err
	}
	logs := []*tail{
		{path: filepath.Join(run.Logs(), "crawl.log"), say: sayFetched},
		{path: filepath.Join(run.Logs(), "watershed.log"), say: sayEvent},
	}
	list, err := readTails(logs)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Err, "%s, %s\n", run, run.Logs())
	if err := printLog(s.Out, list[max(0, len(list)-max(c.Lines, 0)):]); err != nil {
		return err
	}
	if !c.Follow || status == nil || !status.Live {
		return nil
	}
	return c.follow(ctx, s, run, logs)
}

// follow prints what is added until the run has ended or is of another process no more.
func (c *logCommand) follow(ctx context.Context, s console.Streams, run harvest.Run, logs []*tail) error {
	tick := time.NewTicker(logEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil // who follows ends it so
		case <-tick.C:
		}
		// before the logs, so that none of their lines is missed
		now, status, err := statusOf(c.File, time.Now())
		if err != nil {
			return err
		}
		list, err := readTails(logs)
		if err != nil {
			return err
		}
		if err := printLog(s.Out, list); err != nil {
			return err
		}
		if now != run || status == nil || !status.Live {
			return console.Flush(s.Out)
		}
		if err := console.Flush(s.Out); err != nil {
			return err
		}
	}
}

// said is a line as it is shown, and the moment it stands for.
type said struct {
	at   string // RFC 3339, so that texts order as moments do
	text string
}

func printLog(out io.Writer, list []said) error {
	for _, l := range list {
		clock := l.at
		if t, err := time.Parse(time.RFC3339Nano, l.at); err == nil {
			clock = t.Local().Format(time.TimeOnly)
		}
		if _, err := fmt.Fprintf(out, "%s  %s\n", clock, l.text); err != nil {
			return err
		}
	}
	return nil
}

// readTails reads what was added to logs, in the order of time.
func readTails(logs []*tail) (list []said, err error) {
	for _, l := range logs {
		more, err := l.read()
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	slices.SortStableFunc(list, func(a, b said) int { return strings.Compare(a.at, b.at) })
	return list, nil
}

// tail reads a log from near its end on. When another file replaces it, as the delivery writes
// crawl.log anew, what is later than the last line that was read is added.
type tail struct {
	path string
	say  func(line []byte) (said, bool)

	file os.FileInfo // nil before the first line was there
	at   int64
	last string // the moment of the last line that was read
	anew string // of the last one of the file before, "" for the first file
}

// read gives the whole lines that were added; of many only the last.
func (t *tail) read() (list []said, err error) {
	f, err := os.Open(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if t.file != nil && !os.SameFile(t.file, info) {
		t.at, t.anew = 0, t.last
	}
	t.file = info
	if info.Size() <= t.at {
		return nil, nil
	}
	before := t.at
	from := max(before, info.Size()-logTail)
	b := make([]byte, info.Size()-from)
	n, err := f.ReadAt(b, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	b = b[:n]
	end := bytes.LastIndexByte(b, '\n') + 1
	t.at = from + int64(end)
	lines := bytes.Split(b[:end], []byte("\n"))
	if from > before { // the first line began before
		lines = lines[1:]
	}
	for _, line := range lines {
		if l, ok := t.say(line); ok && l.at > t.anew {
			list = append(list, l)
			t.last = max(t.last, l.at)
		}
	}
	return list, nil
}

// sayFetched is a line of crawl.log: status, size, address and type.
func sayFetched(line []byte) (said, bool) {
	w := strings.Fields(string(line))
	if len(w) < 7 {
		return said{}, false
	}
	return said{w[0], fmt.Sprintf("%4s %9s %s %s", w[1], w[2], w[3], w[6])}, true
}

// sayEvent is a line of watershed.log: the message, and what belongs to it by its keys.
func sayEvent(line []byte) (said, bool) {
	var keys map[string]any
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber() // 1234567, and not 1.234567e+06
	if d.Decode(&keys) != nil {
		return said{}, false
	}
	at, _ := keys["time"].(string)
	text, _ := keys["msg"].(string)
	if level, _ := keys["level"].(string); level != "INFO" {
		text = level + ": " + text
	}
	for _, k := range []string{"time", "msg", "level"} {
		delete(keys, k)
	}
	var more []string
	for k, v := range keys {
		if v != nil {
			more = append(more, fmt.Sprintf("%s=%v", k, v))
		}
	}
	slices.Sort(more)
	return said{at, strings.Join(append([]string{text}, more...), " ")}, at != ""
}
