package ui

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"watershed/archive"
)

// SkippedModel is what a run left out, filtered.
type SkippedModel struct {
	Run     string     `json:"run"`
	Present *Present   `json:"present,omitempty"`
	All     int        `json:"all"` // lines of skipped.jsonl
	Damaged int        `json:"damaged"`
	Filter  SkipFilter `json:"filter"`

	// Of what passes the filter, the most frequent first.
	Reasons  []Group `json:"reasons"`
	Hosts    []Group `json:"hosts"`
	Rules    []Group `json:"rules"`
	Sites    []Group `json:"sites"`
	Prefixes []Group `json:"prefixes"`

	list
	Lines []SkippedLine `json:"lines"`
}

// SkippedLine is a URL that was left out, as skipped.jsonl has it.
type SkippedLine struct {
	*archive.Skipped
	Source *Source `json:"source,omitempty"` // of its rule; nil where none is known
}

// Representative is the URL that stands for it, "" for none.
func (l SkippedLine) Representative() string {
	text, _ := l.Evidence["representative"].(string) // else it has none
	return text
}

// Why is the evidence as JSON, without what is shown elsewhere.
func (l SkippedLine) Why() string {
	if len(l.Evidence) == 0 {
		return ""
	}
	text, err := json.Marshal(l.Evidence)
	if err != nil {
		return ""
	}
	return string(text)
}

// groupRows is how many groups of a kind are told.
const groupRows = 30

func skippedModel(s *Server, q *query) (any, error) {
	if _, err := q.need(); err != nil {
		return nil, err
	}
	page, err := q.page()
	if err != nil {
		return nil, err
	}
	run, present, err := s.shown(q, patience)
	if err != nil {
		return nil, err
	}
	x, err := s.skips.get(filepath.Join(run.Logs(), "skipped.jsonl"), readSkips)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notFound("What was left out is written while a run is under way, and when it has ended or reached a limit; this one was stopped before.")
	}
	if err != nil {
		return nil, err
	}
	m, chosen, err := x.model(q.run.Name(), SkipFilter{Reason: q.value("reason"), Host: q.value("host"), Rule: q.value("rule"), Site: q.value("site"), Prefix: q.value("prefix")}, groupRows)
	if err != nil {
		return nil, err
	}
	m.Present = present
	var from, to int
	m.list, from, to = pageOf(page, len(chosen))
	rules, err := s.ruleBook(q)
	if err != nil {
		return nil, err
	}
	err = x.read(chosen[from:to], func(_ int, l *archive.Skipped) { m.add(l, rules) })
	return m, err
}

// model groups the lines that pass a filter, rows groups of a kind at most, and tells which lines they are; none of them is in it yet.
func (x *skipIndex) model(run string, f SkipFilter, rows int) (m SkippedModel, chosen []int, err error) {
	m = SkippedModel{Run: run, All: len(x.lines), Damaged: x.damaged, Filter: f, Lines: []SkippedLine{}}
	if chosen, err = x.chosen(f); err != nil {
		return m, nil, err
	}
	m.Reasons = x.groups(chosen, &x.reasons, func(l *skipLine) uint32 { return uint32(l.reason) }, rows)
	m.Hosts = x.groups(chosen, &x.hosts, func(l *skipLine) uint32 { return l.host }, rows)
	m.Rules = x.groups(chosen, &x.rules, func(l *skipLine) uint32 { return l.rule }, rows)
	m.Sites = x.groups(chosen, &x.sites, func(l *skipLine) uint32 { return uint32(l.site) }, rows)
	m.Prefixes = x.groups(chosen, &x.prefixes, func(l *skipLine) uint32 { return l.prefix }, rows)
	return m, chosen, nil
}

// add takes a line over, with what made its rule where rules is not nil.
func (m *SkippedModel) add(l *archive.Skipped, rules *ruleBook) {
	m.Lines = append(m.Lines, SkippedLine{l, rules.source(l)})
}
