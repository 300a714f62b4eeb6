package ui

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"watershed/archive"
	"watershed/harvest"
	"watershed/harvest/control"
	"watershed/harvest/decision"
	"watershed/page"
	"watershed/replay"
	"watershed/sitemap"
)

// ExplainModel is why a URL is in or out.
type ExplainModel struct {
	Run     string            `json:"run"`
	Present *Present          `json:"present,omitempty"`
	Asked   string            `json:"asked"`
	URL     page.URL          `json:"url,omitempty"` // canonical; "" where nothing was asked
	Sites   []SiteExplanation `json:"sites"`
	Skipped []SkippedLine     `json:"skipped"` // lines of skipped.jsonl

	// the run under way says this, by what it knows so far
	Live bool `json:"live"`
	// what became of the URL there; nil where it was never wanted
	Fetching *harvest.Fetching `json:"fetching,omitempty"`
	Capture  *capture          `json:"-"` // the last one that the run has of the URL, nil for none
	lacks    string            // what that lacks; "" for nothing
	// what to do to have the URL; "" where it was captured and belongs
	Advice    string              `json:"advice,omitempty"`
	Decisions []decision.Decision `json:"decisions"` // on the URL; of each site the first one holds
	Choices   []string            `json:"-"`         // sites that may be decided on
}

// Told are the sites that know of the URL: those that it is inside of first.
func (m ExplainModel) Told() []SiteExplanation {
	list := slices.DeleteFunc(slices.Clone(m.Sites), strange)
	slices.SortStableFunc(list, func(a, b SiteExplanation) int {
		return b2i(b.Data.Inside) - b2i(a.Data.Inside)
	})
	return list
}

// Strangers are the sites that do not.
func (m ExplainModel) Strangers() []SiteExplanation {
	return slices.DeleteFunc(slices.Clone(m.Sites), func(s SiteExplanation) bool { return !strange(s) })
}

// strange reports that no page of the site links to the URL.
func strange(s SiteExplanation) bool {
	return s.Data.Reason == "unknown" && !s.Data.Inside && s.Scale == nil
}

// SiteExplanation is why, for one site.
type SiteExplanation struct {
	Site    string              `json:"site"`
	Folder  string              `json:"folder"`
	Text    string              `json:"text"`
	Details []string            `json:"details"`
	Data    sitemap.Explanation `json:"data"`
	// the first at which the URL belongs; nil where none is known
	Scale *ScaleRow `json:"scale,omitempty"`
}

// firstScale is the scale at which a URL comes in.
func (x *siteMap) firstScale(e *sitemap.Explanation) *ScaleRow {
	i := slices.IndexFunc(x.Scales, func(c sitemap.Scale) bool { return c.Most == e.Since })
	if i < 0 {
		return nil
	}
	row := x.scaleRow(i)
	return &row
}

// addLinks tells what the links of a site say of a page, where the run has left them.
func (s *Server) addLinks(dir string, x *siteMap, e *sitemap.Explanation) error {
	c, err := s.links.get(filepath.Join(dir, harvest.ChartFile), readChart)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		c.Tell(x.Map, e)
	}
	return err
}

func readChart(path string) (_ *sitemap.Chart, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	c, err := sitemap.ReadChart(f)
	if err != nil {
		return nil, fmt.Errorf("links of the site: %w", err)
	}
	return c, nil
}

func explainModel(s *Server, q *query) (any, error) {
	run, err := q.need()
	if err != nil {
		return nil, err
	}
	m := ExplainModel{
		Run: run.Name(), Asked: q.value("url"), Sites: []SiteExplanation{},
		Skipped: []SkippedLine{}, Decisions: []decision.Decision{}, Choices: q.harvest.Sites,
	}
	if m.Asked == "" {
		return m, nil
	}
	if m.URL, err = page.ParseURL(m.Asked); err != nil {
		return nil, badRequest("This is no address of a web page: %v", err)
	}
	l, err := harvest.ReadDecisions(q.harvest.Folder.Decisions())
	if err != nil {
		return nil, err
	}
	m.Decisions = l.On(m.URL)
	if asked, err := s.explainLive(q, &m); asked || err != nil {
		return m, err
	}
	run, m.Present, err = s.shown(q, 0)
	if err != nil {
		return nil, err
	}
	folders, err := siteFolders(run)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		x, err := s.maps.get(filepath.Join(run.Sites(), folder, "map.json"), readSiteMap)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		e := x.Explain(m.URL)
		if e.Reason != "unknown" {
			if err := s.addLinks(filepath.Join(run.Sites(), folder), x, &e); err != nil {
				return nil, err
			}
		}
		m.Sites = append(m.Sites, SiteExplanation{
			Site: x.Site, Folder: folder, Text: e.String(),
			Details: append([]string{}, e.Details()...), Data: e, Scale: x.firstScale(&e),
		})
	}
	index, err := s.skips.get(filepath.Join(run.Logs(), "skipped.jsonl"), readSkips)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	found, err := index.find(m.URL)
	if err != nil {
		return nil, err
	}
	rules, err := s.ruleBook(q)
	for _, l := range found {
		m.Skipped = append(m.Skipped, SkippedLine{l, rules.source(l)})
	}
	if err == nil {
		err = m.look(s, q)
	}
	if err == nil {
		err = m.findLacks(s, q)
	}
	m.advise()
	return m, err
}

// findLacks finds what the capture of the URL lacks, by how the run ended.
func (m *ExplainModel) findLacks(s *Server, q *query) error {
	x, err := s.readStatus(q.run)
	if err != nil || x == nil || x.Ending == nil {
		return err
	}
	for _, l := range x.Ending.Lost {
		if l.What == "part" && l.URL.Key() == m.URL.Key() {
			m.lacks = l.Cause
			break
		}
	}
	return nil
}

// look finds the capture of the URL.
func (m *ExplainModel) look(s *Server, q *query) (err error) {
	x, err := archive.OpenIndex(q.run.Index())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	for e, err := range x.URL(m.URL) {
		if err != nil {
			return err
		}
		at, err := e.Time()
		if err != nil {
			return err
		}
		m.Capture = &capture{Time: at, Status: e.Status}
		if root := s.replayRoot(q.request, q.harvest.Name); root != "" {
			m.Capture.View = root + replay.Address("view", m.URL, at)
		}
	}
	return nil
}

// advise says what to do, by the maps and the list of what was left out: what was captured has no
// line there.
func (m *ExplainModel) advise() {
	var says []sitemap.Explanation
	held := false
	for i := range m.Sites {
		says = append(says, m.Sites[i].Data)
		held = held || m.Sites[i].Data.Inside && had(m.Sites[i].Data.State)
	}
	var f *harvest.Fetching
	if len(m.Skipped) > 0 {
		f = fetchingOf(m.Skipped[0].Skipped)
	} else if m.Capture != nil {
		f = &harvest.Fetching{State: "done"}
		f.Status, _ = strconv.Atoi(m.Capture.Status) // of a revisit there may be none
	}
	if f != nil && f.State == "done" {
		f.Lacks = m.lacks
	}
	if len(says) > 0 && (f != nil || !held) {
		m.Advice = harvest.Advice(m.URL, says, f)
	}
}

// fetchingOf is what became of a URL by its line in the list of what was left out; nil where the
// boundary left it out.
func fetchingOf(l *archive.Skipped) *harvest.Fetching {
	f := &harvest.Fetching{State: "skipped", Rule: l.Rule}
	f.Reason, _ = l.Evidence["why"].(string) // else there is none
	if status, is := l.Evidence["status"].(float64); is {
		f.Status = int(status)
	}
	switch l.Reason {
	case archive.ReasonOutOfScope:
		return nil
	case archive.ReasonFailed, archive.ReasonRateLimited:
		f.State = "failed"
	case archive.ReasonUnread, archive.ReasonSoftError:
		f.State, f.SoftError = "done", l.Reason == archive.ReasonSoftError
	}
	return f
}

// explainLive asks the run, where it is the one that is looked at and takes orders; asked tells
// whether it does.
func (s *Server) explainLive(q *query, m *ExplainModel) (asked bool, err error) {
	if len(q.runs) == 0 || q.run.Name() != q.runs[len(q.runs)-1] {
		return false, nil
	}
	a, err := s.order(q, control.Order{Do: control.Explain, URL: m.URL})
	if errors.Is(err, control.ErrNoRun) {
		return false, nil
	}
	if err != nil {
		return true, err
	}
	var x harvest.Explanation
	if err := json.Unmarshal(a.Reply, &x); err != nil {
		return true, fmt.Errorf("the run's answer: %w", err)
	}
	m.Live, m.Fetching, m.Advice = true, x.Fetching, x.Advice
	for i := range x.Sites {
		e := &x.Sites[i]
		m.Sites = append(m.Sites, SiteExplanation{
			Site: e.Site, Folder: harvest.SiteFolder(i, e.Site), Text: e.Text,
			Details: append([]string{}, e.Details()...), Data: e.Explanation,
		})
	}
	return true, nil
}
