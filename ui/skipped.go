package ui

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"watershed/archive"
	"watershed/store"
)

// SkippedModel is the ledger of what a run left out, tried in vain or did not take as it is, filtered.
type SkippedModel struct {
	Run     string     `json:"run"`
	Present *Present   `json:"present,omitempty"`
	All     int        `json:"all"` // lines of skipped.jsonl
	Damaged int        `json:"damaged"`
	Filter  SkipFilter `json:"filter"`
	// of what passes the filter, URLs that were captured, and taken for errors or not read in full
	Captured int `json:"captured"`

	// Of what passes the filter, the most frequent first.
	Reasons  []Group  `json:"reasons"`
	Hosts    []Group  `json:"hosts"`
	Rules    []Group  `json:"rules"`
	Sites    []Group  `json:"sites"`
	Prefixes []Group  `json:"prefixes"`
	Cut      []string `json:"cut,omitempty"` // of these, the ones of which there are more

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

// Detail is why a page was not read whole, "" where that is not the reason.
func (l SkippedLine) Detail() string {
	text, _ := l.Evidence["detail"].(string) // else it has none
	return text
}

// told is how evidence is said, in this order; %v is the value. Evidence with another key is said
// as it is.
var told = []struct{ key, say string }{
	{"detail", "%v"},
	{"status", "status %v"},
	{"tries", "%v tries"},
	{"links_from_site", "%v links from it"},
	{"cut", "the cut takes %.3g there"},
	{"share", "mutual share %.3g"},
	{"context", "context, %v links from it"},
	{"links_back", "links back that weigh %.3g"},
}

// Why is the evidence in words, without what is shown elsewhere.
func (l SkippedLine) Why() string {
	rest := maps.Clone(l.Evidence)
	delete(rest, "representative")
	if why, _ := rest["why"].(string); samesaid[why] {
		delete(rest, "why")
	}
	if n, ok := rest["status"].(float64); ok && n <= 0 { // a code of crawl.log, for what the reason says
		delete(rest, "status")
	}
	var parts []string
	if l.Site != "" {
		parts = append(parts, "site "+l.Site)
	}
	for _, t := range told {
		v, ok := rest[t.key]
		delete(rest, t.key)
		if number, is := v.(float64); !ok || is && number == 0 {
			continue
		}
		say := t.say
		if v == 1.0 {
			say = strings.NewReplacer("links from", "link from", "tries", "try").Replace(say)
		}
		parts = append(parts, fmt.Sprintf(say, v))
	}
	for _, key := range slices.Sorted(maps.Keys(rest)) {
		if key == "why" {
			parts = append(parts, says(fmt.Sprint(rest[key])))
			continue
		}
		parts = append(parts, fmt.Sprintf("%s %v", key, rest[key]))
	}
	return strings.Join(parts, "; ")
}

// says is a word of the store as a clause; another text stays as it is.
func says(why string) string {
	if r, ok := store.ParseReason(why); ok {
		return r.Says()
	}
	return why
}

// samesaid are words of the frontier that say what the reason says.
var samesaid = map[string]bool{
	"robots": true, "mirror": true, "collection": true, "copy": true,
	"outOfBoundary": true, "excluded": true,
}

// reasonNames are the reasons for people.
var reasonNames = map[archive.Reason]string{
	archive.ReasonOutOfScope: "outside the boundary", archive.ReasonExcluded: "excluded by a rule",
	archive.ReasonRobots:   "forbidden by robots.txt",
	archive.ReasonNoFollow: "not to be followed", archive.ReasonLimit: "a limit was reached",
	archive.ReasonFileLimit: "a limit was reached, of files",
	archive.ReasonByteLimit: "a limit was reached, of bytes",
	archive.ReasonDepth:     "too many hops away",
	archive.ReasonTrap:      "looks like a trap", archive.ReasonLowNovelty: "brought nothing new there",
	archive.ReasonMirror:      "a copy of what is held",
	archive.ReasonDuplicate:   "held under another URL",
	archive.ReasonRateLimited: "the host asked to be left alone",
	archive.ReasonRedirect:    "leads to what is excluded",
	archive.ReasonPrivate:     "a private address", archive.ReasonScheme: "another scheme",
	archive.ReasonFailed:    "failed",
	archive.ReasonUnread:    "archived, not read in full",
	archive.ReasonSoftError: "archived, and taken for an error",
}

// reasonName says a reason for people.
func reasonName(v any) string {
	text := fmt.Sprint(v)
	if name := reasonNames[archive.Reason(text)]; name != "" {
		return name
	}
	return plain(text, shortText)
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
		return nil,
			notFound("What was left out is written while a run is under way, and when it has ended or " +
				"reached a limit; this one was stopped before.")
	}
	if err != nil {
		return nil, err
	}
	m, chosen, err := x.model(q.run.Name(), SkipFilter{
		Reason: q.value("reason"), Host: q.value("host"),
		Rule: q.value("rule"), Site: q.value("site"), Prefix: q.value("prefix"),
	}, groupRows)
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
	return m, m.fill(x, chosen[from:to], rules)
}

// model groups the lines that pass a filter, rows groups of a kind at most, and tells which lines
// they are; none of them is in it yet.
func (x *skipIndex) model(run string, f SkipFilter, rows int) (m SkippedModel, chosen []int, err error) {
	m = SkippedModel{Run: run, All: len(x.lines), Damaged: x.damaged, Filter: f, Lines: []SkippedLine{}}
	if chosen, err = x.chosen(f); err != nil {
		return m, nil, err
	}
	for _, k := range chosen {
		switch archive.Reason(x.reasons.list[x.lines[k].reason]) {
		case archive.ReasonSoftError, archive.ReasonUnread:
			m.Captured++
		}
	}
	m.Reasons = x.groups(chosen, &x.reasons, func(l *skipLine) uint32 { return uint32(l.reason) })
	m.Hosts = x.groups(chosen, &x.hosts, func(l *skipLine) uint32 { return l.host })
	m.Rules = x.groups(chosen, &x.rules, func(l *skipLine) uint32 { return l.rule })
	m.Sites = x.groups(chosen, &x.sites, func(l *skipLine) uint32 { return uint32(l.site) })
	m.Prefixes = x.groups(chosen, &x.prefixes, func(l *skipLine) uint32 { return l.prefix })
	m.cut(rows)
	return m, chosen, nil
}

// cut keeps so many groups of a kind, and tells the kinds that have more.
func (m *SkippedModel) cut(most int) {
	for _, kind := range []struct {
		key    string
		groups *[]Group
	}{
		{"reasons", &m.Reasons},
		{"hosts", &m.Hosts},
		{"rules", &m.Rules},
		{"sites", &m.Sites},
		{"prefixes", &m.Prefixes},
	} {
		if len(*kind.groups) > most {
			*kind.groups, m.Cut = (*kind.groups)[:most], append(m.Cut, kind.key)
		}
	}
}

// fill reads lines, with what made their rules where rules is not nil.
func (m *SkippedModel) fill(x *skipIndex, chosen []int, rules *ruleBook) error {
	m.Lines = make([]SkippedLine, len(chosen))
	return x.read(chosen, func(k int, l *archive.Skipped) { m.Lines[k] = SkippedLine{l, rules.source(l)} })
}
