package ui

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"watershed/harvest"
	"watershed/holdings"
	"watershed/internal/worddiff"
	"watershed/page"
	"watershed/replay"
	"watershed/replica"
)

// CompareModel is an entry of the table of replicas with sample pages of both sides, next to each
// other.
type CompareModel struct {
	Entry replica.Entry `json:"entry"`
	Seed  uint64        `json:"seed"` // of the draw
	From  side          `json:"from"`
	To    side          `json:"to"`

	LeftOut int `json:"leftOut"` // URLs that runs have left out by it
	// requests that a run spares by it: those that were left out last, else the replica's captures
	Spares int `json:"spares"`
	// in the archive, which it spares with them: measured, or by the mean of the representative
	Bytes int64 `json:"bytes"`

	Valid int        `json:"valid"` // of the pairs, those whose both sides are held
	Pairs []pagePair `json:"pairs"`
}

// side is what the archive holds of a replica or of its representative.
type side struct {
	Name      string   `json:"name"`
	Captures  int      `json:"captures"`
	Bytes     int64    `json:"bytes"`
	More      bool     `json:"more,omitempty"` // there are more captures than were counted
	Addresses []string `json:"addresses"`      // of the servers that gave the sample pages
}

// pagePair is a page of the replica and the one that stands for it.
type pagePair struct {
	From sidePage `json:"from"`
	To   sidePage `json:"to"`
	// share of the words of both that both have in the same order, 0 to 1; 0 where a side is not
	// held
	Alike float64 `json:"alike"`
	Exact bool    `json:"exact"` // the differences are the fewest
	Parts []Words `json:"parts"` // of the texts, with the differences marked
	Cut   bool    `json:"cut,omitempty"`
}

// sidePage is one of both.
type sidePage struct {
	URL   page.URL  `json:"url"`
	Time  time.Time `json:"time,omitzero"` // of the capture; zero where none is held
	Title string    `json:"title,omitempty"`
	Fault string    `json:"fault,omitempty"`
	Frame string    `json:"frame,omitempty"` // where it is shown
	View  string    `json:"view,omitempty"`  // and where with what there is to say of it

	text string
}

// Words are a run of words of a text.
type Words struct {
	In   string `json:"in"` // both, from or to
	Text string `json:"text"`
}

// Bounds of a comparison.
const (
	defaultPairs = 3
	maxPairs     = 10
	maxWords     = 20_000 // of a text that is compared
	maxParts     = 400    // that are told
	aroundWords  = 12     // of what both have, told on either side of a difference
)

// Choices are what may be decided of the entry.
func (m CompareModel) Choices() []string { return MirrorsModel{}.Choices(m.Entry) }

func compareModel(s *Server, q *query) (any, error) {
	table, err := harvest.ReadTable(q.harvest.Folder.Replicas())
	if err != nil {
		return nil, err
	}
	e, ok := table.Get(q.value("from"))
	if !ok {
		return nil, notFound("The table of copies has no such entry.")
	}
	m := CompareModel{Entry: e, Seed: 1, Pairs: []pagePair{}}
	pairs := defaultPairs
	if text := q.value("pages"); text != "" {
		if pairs, err = strconv.Atoi(text); err != nil || pairs < 1 || pairs > maxPairs {
			return nil, badRequest("pages is a number from 1 to %d", maxPairs)
		}
	}
	if text := q.value("seed"); text != "" {
		if m.Seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			return nil, badRequest("seed is a number from 0 on")
		}
	}
	c := comparison{model: &m, sources: []source{{q.harvest.Folder, s.replayRoot(q.request, q.harvest.Name)}}}
	if proofs := q.harvest.Folder.Proofs(); isFolder(string(proofs)) {
		c.sources = append(c.sources, source{proofs, s.replayRoot(q.request, proofsName(q.harvest.Name))})
	}
	if err := c.draw(pairs); err != nil {
		return nil, err
	}
	return m, c.savings(q.harvest.Folder)
}

func isFolder(path string) bool {
	stat, err := os.Stat(path)
	return err == nil && stat.IsDir()
}

// proofsName is that of the runs of tests of a harvest among those that are replayed; "~" stands in
// no name of a harvest.
func proofsName(harvest string) string { return harvest + "~proofs" }

// comparison finds the pages of both sides.
type comparison struct {
	model   *CompareModel
	sources []source
}

// source is a folder with captures, and where they are shown.
type source struct {
	folder harvest.Folder
	root   string
}

// keyOf is what the keys of a name's captures begin with.
func keyOf(name string) string {
	if replica.IsHost(name) {
		key := page.URL("http://" + name + "/").SURT()
		return key[:strings.IndexByte(key, ')')+1]
	}
	return page.URL(name).SURT()
}

// draw finds pairs: pages of the replica and what stands for them, and where these are too few,
// pages of the representative and what they stand for. Pairs that are held on both sides come
// first.
func (c *comparison) draw(n int) error {
	e, m := &c.model.Entry, c.model
	m.From.Name, m.To.Name = e.From, e.To
	var from, to []page.URL
	for _, x := range c.sources {
		a, err := holdings.SampleBelow(x.folder, keyOf(e.From), e.Covers, 4*n, m.Seed)
		if err != nil {
			return err
		}
		b, err := holdings.SampleBelow(x.folder, keyOf(e.To), func(u page.URL) bool {
			_, ok := e.Twin(u)
			return ok
		}, 4*n, m.Seed)
		if err != nil {
			return err
		}
		m.From.add(a)
		m.To.add(b)
		from, to = append(from, a.Pages...), append(to, b.Pages...)
	}
	seen := map[page.URL]bool{}
	var whole, half []pagePair
	try := func(u page.URL) error {
		if seen[u] || len(whole) >= n {
			return nil
		}
		seen[u] = true
		p, err := c.pair(u, e.Stand(u))
		if err != nil {
			return err
		}
		if p.From.Time.IsZero() || p.To.Time.IsZero() {
			half = append(half, p)
		} else {
			whole = append(whole, p)
		}
		return nil
	}
	for _, u := range from {
		if err := try(u); err != nil {
			return err
		}
	}
	for _, u := range to {
		twin, _ := e.Twin(u) // SampleBelow gave no others
		if err := try(twin); err != nil {
			return err
		}
	}
	m.Valid = len(whole)
	m.Pairs = append(m.Pairs, whole...)
	m.Pairs = append(m.Pairs, half[:min(len(half), n-len(whole))]...)
	return nil
}

func (s *side) add(b holdings.Below) {
	s.Captures += b.Captures
	s.Bytes += b.Bytes
	s.More = s.More || b.Cut
	if s.Addresses == nil {
		s.Addresses = []string{}
	}
}

// pair reads both pages and compares their texts.
func (c *comparison) pair(from, to page.URL) (p pagePair, err error) {
	p.Parts = []Words{}
	if p.From, err = c.page(from, &c.model.From); err != nil {
		return p, err
	}
	if p.To, err = c.page(to, &c.model.To); err != nil {
		return p, err
	}
	if p.From.Time.IsZero() || p.To.Time.IsZero() {
		return p, nil
	}
	a, b := strings.Fields(p.From.text), strings.Fields(p.To.text)
	p.Cut = len(a) > maxWords || len(b) > maxWords
	a, b = a[:min(len(a), maxWords)], b[:min(len(b), maxWords)]
	parts, exact := worddiff.Diff(a, b)
	p.Exact = exact
	common := 0
	for _, x := range parts {
		if x.Op == worddiff.Both {
			common += len(x.Words)
		}
	}
	p.Alike = 1
	if len(a)+len(b) > 0 {
		p.Alike = 2 * float64(common) / float64(len(a)+len(b))
	}
	p.tell(parts)
	return p, nil
}

// tell tells the parts, and of those that both have only what stands around a difference.
func (p *pagePair) tell(parts []worddiff.Part) {
	name := map[worddiff.Op]string{worddiff.Both: "both", worddiff.OnlyA: "from", worddiff.OnlyB: "to"}
	for i, x := range parts {
		if len(p.Parts) == maxParts {
			p.Cut = true
			return
		}
		words := x.Words
		if len(parts) == 1 && x.Op == worddiff.Both { // nothing differs
			words = words[:min(len(words), 2*aroundWords)]
		}
		text := strings.Join(words, " ")
		if x.Op == worddiff.Both && len(words) > 2*aroundWords {
			before, after := strings.Join(words[:aroundWords], " "),
				strings.Join(words[len(words)-aroundWords:], " ")
			switch i {
			case 0:
				text = "… " + after
			case len(parts) - 1:
				text = before + " …"
			default:
				text = before + " … " + after
			}
		}
		p.Parts = append(p.Parts, Words{name[x.Op], text})
	}
}

// page reads a page out of the first source that holds it.
func (c *comparison) page(u page.URL, side *side) (sidePage, error) {
	p := sidePage{URL: u}
	for _, x := range c.sources {
		f, err := holdings.Find(x.folder, u, time.Time{})
		if errors.Is(err, holdings.ErrNotHeld) || err == nil && f.Rules != nil {
			continue // what stands for it is not it
		}
		if err != nil {
			return p, err
		}
		reader, err := holdings.NewReader(x.folder)
		if err != nil {
			return p, err
		}
		d, err := reader.Read(f)
		if err != nil {
			p.Fault = err.Error()
			continue
		}
		if d.Status != 200 {
			p.Fault = fmt.Sprintf("status %d", d.Status)
			continue
		}
		p.Time, p.Title, p.text, p.Fault = f.Time, d.Says.Title, d.Text, ""
		if x.root != "" {
			p.Frame, p.View = x.root+replay.Address("page", f.URL, f.Time),
				x.root+replay.Address("view", f.URL, f.Time)
		}
		if d.Address != "" && !slices.Contains(side.Addresses, d.Address) {
			side.Addresses = append(side.Addresses, d.Address)
		}
		return p, nil
	}
	return p, nil
}

// savings reckons what the entry spares.
func (c *comparison) savings(folder harvest.Folder) error {
	runs, err := folder.Runs()
	if err != nil {
		return err
	}
	m := c.model
	last := 0
	for _, run := range runs {
		rules, err := run.ReadMirrors()
		if err != nil {
			return err
		}
		for _, r := range rules.Rules {
			if r.From == m.Entry.From {
				m.LeftOut += r.URLs
				last = r.URLs
			}
		}
	}
	if m.Spares, m.Bytes = m.From.Captures, m.From.Bytes; last > 0 {
		m.Spares, m.Bytes = last, 0
		if m.To.Captures > 0 {
			m.Bytes = m.To.Bytes / int64(m.To.Captures) * int64(last)
		}
	}
	return nil
}

// replayPolicy lets a page of the desk show what the replay has, and nothing else that others do not:
// pictures, or frames.
func replayPolicy(root string, frames bool) string {
	u, err := url.Parse(root)
	if err != nil || root == "" {
		return deskPolicy
	}
	at := " " + u.Scheme + "://" + u.Host
	if frames {
		return deskPolicy + "; frame-src" + at
	}
	return strings.Replace(deskPolicy, "img-src 'self'", "img-src 'self'"+at, 1)
}
