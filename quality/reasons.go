package quality

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"watershed/archive"
	"watershed/harvest"
	"watershed/page"
)

// explain gives missing requisites the reason that the latest run has for them.
func explain(ctx context.Context, runs []harvest.Run, missing map[page.URL]*Missing) error {
	open := map[page.URL]*Missing{}
	for u, m := range missing {
		if m.Reason == neverFound {
			open[u] = m
		}
	}
	for _, run := range slices.Backward(runs) {
		for _, log := range logs {
			if len(open) == 0 {
				return nil
			}
			path := filepath.Join(run.Logs(), log.name)
			for line, err := range harvest.Lines(path) {
				if err = cmp.Or(ctx.Err(), err); err != nil {
					return fmt.Errorf("read %s: %w", path, err)
				}
				log.learn(line, open, run.Name())
			}
		}
		for u, m := range open { // a run that knew it has the last word
			if m.Run != "" {
				delete(open, u)
			}
		}
	}
	return nil
}

// logs are those that know why a URL is missing; the first that does counts.
var logs = []struct {
	name  string
	learn func(line []byte, open map[page.URL]*Missing, run string)
}{{"skipped.jsonl", fromSkipped}, {"crawl.log", fromLog}}

// fromSkipped takes a reason from a line of skipped.jsonl. Most lines are of other URLs, and are
// passed over undecoded.
func fromSkipped(line []byte, open map[page.URL]*Missing, run string) {
	begin := []byte(`{"url":"`)
	if rest, ok := bytes.CutPrefix(line, begin); ok {
		if i := bytes.IndexByte(rest, '"'); i >= 0 && bytes.IndexByte(rest[:i], '\\') < 0 &&
			open[urlOf(rest[:i])] == nil {
			return
		}
	}
	s, err := archive.ParseSkipped(line)
	if err != nil {
		return // a damaged line says nothing
	}
	m := open[s.URL]
	if m == nil {
		return
	}
	m.Reason, m.Rule, m.Run = s.Reason, s.Rule, run
	var parts []string
	for _, name := range []string{"why", "detail", "status", "tries", "representative"} {
		if v, ok := s.Evidence[name]; ok {
			parts = append(parts, fmt.Sprintf("%s %v", name, v))
		}
	}
	m.Detail = strings.Join(parts, ", ")
}

// urlOf is the URL that is spelled so.
func urlOf[T ~string | ~[]byte](spelled T) page.URL {
	u, _ := page.Spelling(spelled).URL()
	return u
}

// fromLog takes a reason from a line of crawl.log, where skipped.jsonl has none: for URLs that were
// fetched, and are not in the archive.
func fromLog(line []byte, open map[page.URL]*Missing, run string) {
	fields := bytes.Fields(line)
	if len(fields) < 4 {
		return
	}
	m := open[urlOf(fields[3])]
	if m == nil || m.Run != "" && m.Reason != neverFound {
		return
	}
	status, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return
	}
	m.Run, m.Detail = run, fmt.Sprintf("status %d", status)
	switch {
	case status == page.StatusRobots:
		m.Reason = archive.ReasonRobots
	case status == page.StatusPrivate:
		m.Reason = archive.ReasonPrivate
	case status > 0:
		m.Reason = Dropped
	default:
		m.Reason = archive.ReasonFailed
	}
}
