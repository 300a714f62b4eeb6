package evaluate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"watershed/internal/console"
	"watershed/lab/judge"
	"watershed/sitemap"
)

// suiteWeb is a line of a suite: a web, and the way in which it is judged.
type suiteWeb struct {
	kind string // webs of one kind are judged together
	half string // seen, or unseen by whoever chose the method
	path string // folder of the truth, from that of the suite
	set  func(*judge.Evaluation) error
}

// readSuite reads a table of webs: kind, half and folder of each, then settings as NAME=VALUE, the
// columns separated by spaces. Lines that begin with "#" are skipped.
func readSuite(name string) (webs []suiteWeb, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	in := bufio.NewScanner(f)
	for line := 1; in.Scan(); line++ {
		columns := strings.Fields(in.Text())
		if len(columns) == 0 || strings.HasPrefix(columns[0], "#") {
			continue
		}
		if len(columns) < 3 || columns[1] != "seen" && columns[1] != "unseen" {
			return nil, fmt.Errorf("%s:%d: want a kind, seen or unseen, a folder, and settings", name, line)
		}
		webs = append(webs, suiteWeb{
			kind: columns[0], half: columns[1],
			path: filepath.Join(filepath.Dir(name), columns[2]),
			set:  func(e *judge.Evaluation) error { return setAll(e, columns[3:]) },
		})
	}
	return webs, in.Err()
}

// setAll applies the settings of a line.
func setAll(e *judge.Evaluation, settings []string) error {
	for _, text := range settings {
		name, value, _ := strings.Cut(text, "=")
		var err error
		switch name {
		case "urls":
			var spelling judge.Spelling
			spelling, err = byName("spelling", value, judge.AsIs, judge.Hashed)
			e.Truth = e.Truth.Respell(spelling)
		case "given":
			e.Given, err = byName("given", value, judge.EntryPage, judge.KeywordOnly)
		case "class":
			e.Classes = strings.Split(value, ",")
		case "sitemaps":
			e.Sitemaps, err = strconv.ParseFloat(value, 64)
		default:
			err = errors.New("no such setting")
		}
		if err != nil {
			return fmt.Errorf("setting %s: %w", text, err)
		}
	}
	return nil
}

// runSuite compares methods on one half of a suite.
func (c *Boundary) runSuite(ctx context.Context, s console.Streams, o sitemap.Options) (rows []judge.Row,
	err error,
) {
	webs, err := readSuite(c.Suite)
	if err != nil {
		return nil, err
	}
	webs = slices.DeleteFunc(webs, func(w suiteWeb) bool { return w.half != c.Half })
	if len(webs) == 0 {
		return nil, fmt.Errorf("%s: no web is %s", c.Suite, c.Half)
	}
	truths := make(map[string]*judge.Truth)
	byKind := make(map[string][]*judge.Evaluation)
	var kinds []string
	for _, w := range webs {
		if truths[w.path] == nil {
			if truths[w.path], err = readTruth(w.path, ""); err != nil {
				return nil, err
			}
		}
		e := &judge.Evaluation{Truth: truths[w.path], Options: o, MaxPages: c.MaxPages, Seed: c.Seed}
		if err := w.set(e); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Suite, err)
		}
		if !slices.Contains(kinds, w.kind) {
			kinds = append(kinds, w.kind)
		}
		byKind[w.kind] = append(byKind[w.kind], e)
	}
	for _, kind := range kinds {
		more, err := c.evaluate(ctx, s, byKind[kind], kind)
		if err != nil {
			return nil, fmt.Errorf("evaluate on %s: %w", kind, err)
		}
		rows = append(rows, more...)
	}
	return rows, nil
}
