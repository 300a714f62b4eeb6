package ui

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"watershed/drift"
)

// timelineRow is what one run found of the sites, against the run before it.
type timelineRow struct {
	Run      string     `json:"run"`
	Time     *time.Time `json:"time,omitempty"` // at which the run ended, where it is known
	Compared bool       `json:"compared"`       // with an earlier run; otherwise only Pages is told
	Pages    int        `json:"pages"`          // that belong
	Same     int        `json:"same"`
	Born     int        `json:"born"`
	Changed  int        `json:"changed"` // links, text, or most of it
	Moved    int        `json:"moved"`
	Gone     int        `json:"gone"`
	Failed   int        `json:"failed"`
	Dropped  int        `json:"dropped"` // no longer linked, left out as a copy, or outside of the boundary
	Joined   int        `json:"joined"`  // blocks that have pages inside now and had none
	Left     int        `json:"left"`    // and the other way round
}

// timelineRuns is how many runs are told, the last ones.
const timelineRuns = 60

// readDrift reads the head of a run's changes.json, up to the list of single changes, which may be
// long.
func readDrift(path string) (r *drift.Report, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r = &drift.Report{}
	fields := map[string]any{
		"old": &r.Old, "new": &r.New, "oldTime": &r.OldTime, "newTime": &r.NewTime,
		"sites": &r.Sites, "rates": &r.Rates,
	}
	in := json.NewDecoder(f)
	if begin, err := in.Token(); err != nil || begin != json.Delim('{') {
		return nil, fmt.Errorf("changes of a run: %w",
			cmp.Or(err, errors.New("it does not begin as an object")))
	}
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return nil, fmt.Errorf("changes of a run: %w", err)
		}
		name, _ := key.(string) // what is no string is no key
		if name == "changes" {
			return r, nil
		}
		value, ok := fields[name]
		if !ok {
			value = new(json.RawMessage)
		}
		if err := in.Decode(value); err != nil {
			return nil, fmt.Errorf("changes of a run: %w", err)
		}
	}
	if _, err := in.Token(); err != nil {
		return nil, fmt.Errorf("changes of a run: %w", err)
	}
	return r, nil
}

// timeline tells of the last runs, of one site where that is not "".
func (s *Server) timeline(q *query, site string) ([]timelineRow, error) {
	runs, err := q.harvest.Folder.Runs()
	if err != nil {
		return nil, err
	}
	rows := []timelineRow{}
	for _, run := range runs[max(0, len(runs)-timelineRuns):] {
		row := timelineRow{Run: run.Name()}
		r, err := s.drifts.get(filepath.Join(run.Reports(), "changes.json"), readDrift)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			report, done, err := readReport(run)
			if err != nil {
				return nil, err
			}
			if !done {
				continue
			}
			x, err := s.readStatus(run)
			if err != nil {
				return nil, err
			}
			if x != nil && x.Ending != nil {
				row.Time = &x.Time
			}
			for _, x := range report.Sites {
				if site == "" || x.Name == site {
					row.Pages += x.Pages
				}
			}
		case err != nil:
			return nil, err
		default:
			row.Compared = true
			if !r.NewTime.IsZero() {
				row.Time = &r.NewTime
			}
			for i := range r.Sites {
				if site == "" || r.Sites[i].Name == site {
					row.add(&r.Sites[i])
				}
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (r *timelineRow) add(x *drift.SiteDrift) {
	r.Pages += x.After
	r.Joined += len(x.Joined)
	r.Left += len(x.Left)
	for kind, n := range x.Counts {
		r.count(kind, n)
	}
}

func (r *timelineRow) count(kind drift.Kind, n int) {
	switch kind {
	case drift.Unchanged:
		r.Same += n
	case drift.Born:
		r.Born += n
	case drift.Links, drift.Edited, drift.Rewritten:
		r.Changed += n
	case drift.Moved:
		r.Moved += n
	case drift.Gone:
		r.Gone += n
	case drift.Failed:
		r.Failed += n
	case drift.Reached: // nothing is known of how it was before
	default:
		r.Dropped += n
	}
}

// Measures of the picture of the timeline, in units of its own.
const (
	lineWidth, lineHeight  = 960.0, 340.0
	lineLeft, lineRight    = 70.0, 16.0
	pagesTop, pagesBottom  = 24.0, 120.0 // of the panel of pages
	barsTop, barsBottom    = 160.0, 300.0
	widestStep, barOfAStep = 220.0, .5
)

// timelineKey are the parts of a bar from the bottom: those of the legend.
var timelineKey = []legendKey{
	{kindInside, "", "born"},
	{kindMissing, patterns[kindMissing], "changed"},
	{kindPinned, patterns[kindPinned], "moved"},
	{kindExcluded, patterns[kindExcluded], "gone"},
	{kindOutside, "", "failed, or no longer taken"},
}

func (r *timelineRow) bars() [5]int {
	return [5]int{r.Born, r.Changed, r.Moved, r.Gone, r.Failed + r.Dropped}
}

// TimelineLegend tells what the bars mean.
func (m ChangesModel) TimelineLegend() template.HTML { return legend(timelineKey) }

// Picture draws pages and changes over the runs; each run is a link. It is empty where nothing was
// compared.
func (m ChangesModel) Picture(v *shown) (template.HTML, error) {
	most, tallest, compared := 1, 1, false
	for i := range m.Timeline {
		sum := 0
		for _, n := range m.Timeline[i].bars() {
			sum += n
		}
		most, tallest, compared = max(most, m.Timeline[i].Pages), max(tallest, sum), compared ||
			m.Timeline[i].Compared
	}
	if !compared {
		return "", nil
	}
	var b strings.Builder
	fmt.Fprintf(&b,
		`<svg class="timeline" viewBox="0 0 %g %g" role="group" aria-label="Pages and changes by run; `+
			`the table below has the numbers">`, lineWidth, lineHeight)
	step := min(widestStep, (lineWidth-lineLeft-lineRight)/float64(len(m.Timeline)))
	var path strings.Builder
	for i := range m.Timeline {
		r := &m.Timeline[i]
		address, err := v.With("run", r.Run, "kind", "")
		if err != nil {
			return "", err
		}
		x := lineLeft + step*(float64(i)+.5)
		y := pagesBottom - (pagesBottom-pagesTop)*float64(r.Pages)/float64(most)
		fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(i, 1)], x, y)
		drawRun(&b, r, address, x, y, step, float64(tallest), r.Run == m.Run)
	}
	axis := func(top, bottom float64, most int, name string) {
		fmt.Fprintf(&b,
			`<path class="grid" d="M%g %gH%gM%g %gH%g"/><text x="%g" y="%g" text-anchor="end">%s</text>`+
				`<text x="%g" y="%g" text-anchor="end">0</text><text x="%g" y="%g">%s</text>`,
			lineLeft, top, lineWidth-lineRight, lineLeft, bottom, lineWidth-lineRight, lineLeft-8, top+5,
			count(most), lineLeft-8, bottom+5, lineLeft+4, top-6, name)
	}
	axis(pagesTop, pagesBottom, most, "pages that belong")
	axis(barsTop, barsBottom, tallest, "pages by what happened to them since the run before")
	fmt.Fprintf(&b, `<path class="steps" d="%s"/></svg>`, path.String())
	return template.HTML(b.String()), nil // it is of numbers and the names of runs' folders
}

// drawRun draws one run: the point of its pages, and its bar.
func drawRun(b *strings.Builder, r *timelineRow, address string, x, y, step, tallest float64, here bool) {
	label := fmt.Sprintf("%s: %s pages", r.Run, count(r.Pages))
	for i, n := range r.bars() {
		if n > 0 {
			label += fmt.Sprintf(", %s %s", count(n), timelineKey[i].text)
		}
	}
	class := "reach"
	if here {
		class = "reach chosen"
	}
	fmt.Fprintf(b, `<a href="%s" aria-label="%s"><rect class="%s" x="%.1f" y="%g" width="%.1f" height="%g"/>`,
		template.HTMLEscapeString(address), template.HTMLEscapeString(label), class, x-step/2, pagesTop, step,
		barsBottom-pagesTop)
	at := barsBottom
	for i, n := range r.bars() {
		if n == 0 {
			continue
		}
		h := (barsBottom - barsTop) * float64(n) / tallest
		at -= h
		fmt.Fprintf(b, `<rect class="bar %s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`,
			timelineKey[i].class, x-step*barOfAStep/2, at, step*barOfAStep, h)
		if p := timelineKey[i].pattern; p != "" {
			fmt.Fprintf(b,
				`<rect class="pattern" fill="url(#%s)" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, p,
				x-step*barOfAStep/2, at, step*barOfAStep, h)
		}
	}
	fmt.Fprintf(b, `<circle class="here" cx="%.1f" cy="%.1f" r="4"/><title>%s</title></a>`, x, y,
		template.HTMLEscapeString(label))
	const wordWidth = 70 // of "run-0001"
	if number := strings.TrimPrefix(r.Run, "run-"); step >= wordWidth {
		fmt.Fprintf(b, `<text x="%.1f" y="%g" text-anchor="middle">%s</text>`, x, barsBottom+20,
			template.HTMLEscapeString(r.Run))
	} else if step >= wordWidth/2 {
		fmt.Fprintf(b, `<text x="%.1f" y="%g" text-anchor="middle">%s</text>`, x, barsBottom+20,
			template.HTMLEscapeString(strings.TrimLeft(number, "0")))
	}
}
