package ui

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"watershed/crawler"
	"watershed/harvest"
	"watershed/internal/console"
	"watershed/internal/disk"
	"watershed/page"
	"watershed/report"
)

// Status is how a run stands.
type Status struct {
	Phase    string    `json:"phase"`
	Live     bool      `json:"live"` // it was renewed just now, so the run is under way
	Time     time.Time `json:"time"` // when it was renewed
	Visits   int64     `json:"visits"`
	Captured int64     `json:"captured"`
	Failed   int64     `json:"failed"`
	Bytes    int64     `json:"bytes"`
	// captures of the run that are in no WARC file, and were not made again
	Missing int     `json:"missing"`
	Rate    float64 `json:"rate"`    // visits a second, since the run went on last
	Pending int64   `json:"pending"` // wanted URLs that wait
	Known   int64   `json:"known"`
	Due     int     `json:"due"`     // hosts
	Resting int     `json:"resting"` // hosts
	Backoff int     `json:"backoff"` // hosts
	Excess  float64 `json:"excess"`
	Left    float64 `json:"left"`   // seconds that it takes at least; 0 for unknown
	Paused  bool    `json:"paused"` // the disk is full
	Held    bool    `json:"held"`   // paused by hand
	// Inside are of a delivered run the pages that were had.
	Sites []crawler.SiteProgress `json:"sites"`
	// Ending is how the run ended; nil while it is under way, and where its process died.
	Ending *report.Ending `json:"ending,omitempty"`
}

// StatusFile is what a run's status.json has.
type StatusFile struct {
	Phase string    `json:"phase"`
	PID   int       `json:"pid"`
	Time  time.Time `json:"time"`
	// Missing is how many captures of the run are in no WARC file, and were not made again so far.
	Missing int `json:"missing"`
	// Ending is how the run ended; nil while it is under way.
	Ending *report.Ending `json:"ending,omitempty"`
	crawler.Progress
}

// liveFor is how long after its last renewal a status counts as live; it is renewed each second.
const liveFor = 10 * time.Second

// readStatus is ReadStatus at this moment. All who watch a run have its file read once.
func (s *Server) readStatus(run harvest.Run) (*Status, error) {
	return statusAt(run, s.options.Now(), s.statuses.get)
}

// ReadStatus tells how a run stands at a time; nil without an error where the run has not written
// its status yet.
func ReadStatus(run harvest.Run, now time.Time) (*Status, error) {
	return statusAt(run, now, func(path string, read func(string) (*Status, error)) (*Status, error) {
		return read(path)
	})
}

// statusAt is the status of a run as it is at a time, of files that get reads. How a run has ended whose
// process died before it told so, or whose status is damaged, the report tells, where it can be read.
func statusAt(run harvest.Run, now time.Time,
	get func(path string, read func(string) (*Status, error)) (*Status, error),
) (*Status, error) {
	x, err := get(run.Status(), readStatusFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		x = &Status{Sites: []crawler.SiteProgress{}}
	}
	y := *x
	y.Live = now.Sub(x.Time) < liveFor && !y.ended()
	if !y.Live && y.Ending == nil && run.Finished() {
		if r, e := get(reportFile(run), readEnding); e == nil && r.Ending != nil {
			err = nil
			y.Phase, y.Ending, y.Missing = "finished", r.Ending, r.Missing
			y.Known, y.Captured, y.Failed = r.Known, r.Captured, r.Failed
		}
	}
	if err != nil {
		return nil, err
	}
	// files may have been lost since, or brought back; earlier versions of the program told no files
	if y.Ending != nil && (y.Ending.Damaged == nil || y.Ending.Files != nil) {
		e := *y.Ending
		e.Damaged = harvest.Damaged(run, e.Files)
		y.Ending = &e
	}
	return &y, nil
}

// ended reports the status of a run that has come to its end, and of none that is held up or has died.
func (x *Status) ended() bool { return x.Phase == "finished" || x.Phase == "stopped" }

// readEnding reads of a report.json what a status tells of a run that has ended.
func readEnding(path string) (*Status, error) {
	r, err := disk.ReadJSON[struct{ Ending *report.Ending }](path)
	x := &Status{}
	if err != nil || r.Ending == nil {
		return x, err
	}
	e := r.Ending
	x.Ending, x.Missing = e, int(e.Losses.Captures)
	x.Known, x.Captured, x.Failed = e.Sum.Known, e.Sum.Captured, e.Sum.Failed
	return x, nil
}

// readStatusFile reads a status.json, but for whether it is live.
func readStatusFile(path string) (*Status, error) {
	file, err := disk.ReadJSON[StatusFile](path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the next run, or this one where it goes on, writes a status of its "+
			"own", err)
	}
	p := &file.Progress
	x := &Status{
		Phase: file.Phase, Time: file.Time, Visits: p.Visits, Captured: p.Captured, Failed: p.Failed,
		Bytes: p.Bytes, Missing: file.Missing, Ending: file.Ending,
		Pending: p.Pending, Known: p.Known, Due: p.Due, Resting: p.Resting, Backoff: p.Backoff,
		Excess: p.Excess,
		Left:   p.Left.Seconds(), Paused: p.Paused, Held: p.Held, Rate: p.Rate(),
		Sites: append([]crawler.SiteProgress{}, p.Sites...),
	}
	return x, nil
}

// figure is a number that the harvest's page shows and renews.
type figure struct {
	Key   string `json:"key"`
	Label string `json:"-"`
	Value string `json:"value"`
}

// interrupted reports a run that is not under way and has not come to its end.
func (x *Status) interrupted() bool {
	return !x.Live && (x.Ending == nil || x.Ending.Ended == report.Interrupted)
}

// failed reports a run of which a fault or the want of any page was the end.
func (x *Status) failed() bool { return x.Ending != nil && x.Ending.Ended == report.Failed }

// TimeLeft is what the run takes at least.
func (x *Status) TimeLeft() string {
	if x.Left < 1 {
		return "unknown"
	}
	return time.Duration(x.Left*float64(time.Second)).Round(time.Second).String() + " or more"
}

// Reach is how many URLs the run will have asked for, as far as it knows.
func (x *Status) Reach() int64 { return max(1, x.Visits+x.Pending) }

// Figures are the numbers as they are shown; those that only a run under way has come last.
func (x *Status) Figures() []figure {
	if x.Ending != nil {
		return x.endingFigures()
	}
	phase := x.Phase
	if x.Live && x.Held {
		phase += ", paused by hand"
	}
	list := []figure{
		{"phase", "Phase", phase},
		{"visits", "URLs asked for", count(x.Visits)},
		{"captured", "Captured", count(x.Captured)},
		{"failed", "Failed", count(x.Failed)},
		{"bytes", "Received", console.Size(x.Bytes)},
		{"known", "URLs known", count(x.Known)},
		{"pending", "Waiting", count(x.Pending)},
		{"time", "As of (UTC)", when(x.Time)},
	}
	if x.Missing > 0 {
		list = append(list, figure{"missing", "Captures missing", count(x.Missing)})
	}
	if !x.Live {
		return list
	}
	return append(list, []figure{
		{"rate", "URLs a second", strconv.FormatFloat(x.Rate, 'f', 1, 64)},
		{"due", "Hosts asked next", count(x.Due)},
		{"resting", "Hosts between two requests", count(x.Resting)},
		{"backoff", "Hosts to try again later", count(x.Backoff)},
		{"left", "Time left", x.TimeLeft()},
	}...)
}

// endingFigures are the numbers of a run that has ended.
func (x *Status) endingFigures() []figure {
	e := x.Ending
	known := "URLs known"
	if e.Ended == report.Interrupted {
		known = "Asked for or waiting"
	}
	list := []figure{
		{"ended", "Ended", plain(e.String(), shortText)},
		{"known", known, count(e.Sum.Known)},
		{"captured", "Captured", count(e.Sum.Captured)},
		{"outside", "Outside", count(e.Sum.Outside)},
		{"leftOut", "Left out", count(e.Sum.LeftOut)},
		{"failed", "Failed", count(e.Sum.Failed)},
		{"notReached", "Not reached", count(e.Sum.NotReached)},
		{"lost", "Lost", e.Losses.String()},
		{"bytes", "Received", console.Size(x.Bytes)},
		{"time", "As of (UTC)", when(x.Time)},
	}
	if e.InPart > 0 {
		list = append(list, figure{"inPart", "Pages or streams read or drawn in part", count(e.InPart)})
	}
	if n := int64(len(e.Damaged)); n > 0 {
		list = append(list, figure{"damaged", "WARC files missing or damaged", count(n)})
	}
	if e.Endless > 0 {
		list = append(list, figure{"endless", "Left out of places without an end", count(e.Endless)})
	}
	return list
}

func reportFile(run harvest.Run) string { return filepath.Join(run.Reports(), "report.json") }

// readReport reads the report of a run, an empty one where it was not delivered yet.
func readReport(run harvest.Run) (r *report.Tables, done bool, err error) {
	r, err = disk.FindJSON[report.Tables](reportFile(run))
	done = r != nil
	if !done || r.Report == nil {
		r = &report.Tables{Report: &report.Report{}}
	}
	return r, done, err
}

// HomeModel is the list of harvests.
type HomeModel struct {
	Harvests []harvestLine `json:"harvests"`
}

// harvestLine is a harvest in the list.
type harvestLine struct {
	Name   string  `json:"name"`
	Runs   int     `json:"runs"`
	Status *Status `json:"status,omitempty"` // of the last run
	Disk   int64   `json:"disk"`             // bytes that its folder takes, within the last minute
	// when its schedule begins the next run; in the past while that waits for another; nil for never
	Next   *time.Time `json:"next,omitempty"`
	Decide []matter   `json:"decide"` // what needs a person
	Stands string     `json:"-"`
	Acts   runActs    `json:"-"`
	unread bool       // the status cannot be read
}

func homeModel(s *Server, _ *query) (any, error) {
	all, err := s.all()
	if err != nil {
		return nil, err
	}
	m := HomeModel{Harvests: []harvestLine{}}
	for _, h := range all {
		runs, err := h.Folder.Runs()
		if err != nil {
			return nil, err
		}
		line := harvestLine{
			Name: h.Name, Runs: len(runs), Disk: s.sizes.of(string(h.Folder), s.options.Now()),
		}
		var unread error
		if len(runs) > 0 {
			line.Status, unread = s.readStatus(runs[len(runs)-1])
		}
		if h.kept != nil && !h.kept.Next.IsZero() {
			line.Next = &h.kept.Next
		}
		line.Stands = standing(&h, line.Runs, line.Status)
		line.Decide, line.Acts = matters(&h, line.Status), actsOf(&h, line.Runs, line.Status)
		if unread != nil {
			line.Stands, line.unread = "not known", true
			at := "/harvests/" + url.PathEscape(h.Name)
			line.Decide = append(line.Decide, matter{plain(unread.Error(), longText), at})
		}
		m.Harvests = append(m.Harvests, line)
	}
	return m, nil
}

// Moves reports that a harvest begins or runs, so that the page will soon tell something else.
func (m HomeModel) Moves() bool {
	return slices.ContainsFunc(m.Harvests, func(h harvestLine) bool { return h.Acts.Live || h.Acts.Starting })
}

// NextText is when the next run begins, for people.
func (h harvestLine) NextText() string {
	switch {
	case h.Next == nil:
		return ""
	case h.Acts.Live || h.Acts.Starting || h.Next.After(time.Now()):
		return when(*h.Next)
	}
	return "waits for another"
}

// Lost is what the last run has lost.
func (h harvestLine) Lost() string {
	if h.Status == nil || h.Status.Ending == nil {
		return ""
	}
	return h.Status.Ending.Losses.String()
}

// Matters is how many things need a person.
func (m HomeModel) Matters() (n int) {
	for i := range m.Harvests {
		n += len(m.Harvests[i].Decide)
	}
	return n
}

// HarvestModel is how a run stands and what it delivered.
type HarvestModel struct {
	Run       string           `json:"run,omitempty"`
	Present   *Present         `json:"present,omitempty"` // of what follows the status
	Runs      []string         `json:"runs"`
	Status    *Status          `json:"status,omitempty"`
	Delivered bool             `json:"delivered"` // the reports below are those of the end
	Seeds     []*report.Seed   `json:"seeds"`
	Sites     []*report.Site   `json:"sites"`
	Hosts     []*report.Host   `json:"hosts"` // the first hundred, by URLs
	MIME      []namedCount     `json:"mime"`  // the first hundred
	Skipped   []*report.Reason `json:"skipped"`
	Acts      runActs          `json:"-"`
}

// siteRow is a site in the harvest's view.
type siteRow struct {
	report.Site
	Open int // asked for and not answered, while the run is under way
}

// folded is how many rows of a table are seen before it is opened.
const folded = 12

// Folds reports that so many rows are more than are seen at once.
func (HarvestModel) Folds(rows int) bool { return rows > folded }

// Greatest are the sites with most pages. Before anything is reported they are those that the
// survey tells of.
func (m HarvestModel) Greatest() []siteRow {
	var rows []siteRow
	open := map[string]int{}
	if m.Status != nil {
		for _, s := range m.Status.Sites {
			open[s.Name] = s.Open
			if len(m.Sites) == 0 {
				rows = append(rows,
					siteRow{Site: report.Site{Name: s.Name, Pages: s.Inside, Settled: s.Settled}})
			}
		}
	}
	for _, s := range m.Sites {
		rows = append(rows, siteRow{Site: *s})
	}
	for i := range rows {
		rows[i].Open = open[rows[i].Name]
	}
	slices.SortStableFunc(rows, func(a, b siteRow) int { return cmp.Compare(b.Pages, a.Pages) })
	return rows[:min(len(rows), folded)]
}

// Silent counts the seeds without a page.
func (m HarvestModel) Silent() (n int) {
	answered := m.answered()
	for i := range m.Seeds {
		n += b2i(!answered(m.Seeds[i]))
	}
	return n
}

// FirstSeeds are those that the page shows.
func (m HarvestModel) FirstSeeds() []*report.Seed { return m.Seeds[:min(len(m.Seeds), reportRows)] }

// answered reports a seed that led to a page: one that the run has not lost. Before it has ended, and
// where it has lost more than its ending names, the status of the answer tells.
func (m HarvestModel) answered() func(*report.Seed) bool {
	lost, all := map[page.URL]bool{}, false
	if m.Status != nil && m.Status.Ending != nil {
		all = len(m.Status.Ending.Lost) < report.MaxLost
		for _, x := range m.Status.Ending.Lost {
			lost[x.URL] = lost[x.URL] || x.What == "seed"
		}
	}
	return func(s *report.Seed) bool {
		return !lost[s.URL] && (all || s.Status >= 200 && s.Status < 400)
	}
}

// namedCount is a number of URLs and bytes under a name.
type namedCount struct {
	Name  string `json:"name"`
	URLs  int64  `json:"urls"`
	Bytes int64  `json:"bytes"`
}

// reportRows is how many rows of a report are shown.
const reportRows = 100

func harvestModel(s *Server, q *query) (any, error) {
	m := HarvestModel{
		Runs: append([]string{}, q.runs...), Seeds: []*report.Seed{}, Sites: []*report.Site{},
		Hosts: []*report.Host{}, MIME: []namedCount{}, Skipped: []*report.Reason{},
	}
	m.Acts = actsOf(q.harvest, len(q.runs), nil)
	if q.run == "" {
		return m, nil
	}
	m.Run = q.run.Name()
	var err error
	if m.Status, err = s.readStatus(q.run); err != nil {
		return nil, err
	}
	m.Acts = actsOf(q.harvest, len(q.runs), m.Status)
	run, present, err := s.shown(q, 0)
	if err != nil {
		return nil, err
	}
	r, done, err := readReport(run)
	if err != nil {
		return nil, err
	}
	m.Present, m.Delivered = present, done && present == nil
	m.Seeds, m.Sites, m.Skipped = append(m.Seeds, r.Seeds...), append(m.Sites, r.Sites...),
		append(m.Skipped, r.Skipped...)
	answered := m.answered()
	slices.SortStableFunc(m.Seeds, func(a, b *report.Seed) int {
		return b2i(answered(a)) - b2i(answered(b))
	})
	m.Hosts = append(m.Hosts, r.Hosts[:min(len(r.Hosts), reportRows)]...)
	for _, x := range r.MIME[:min(len(r.MIME), reportRows)] {
		m.MIME = append(m.MIME, namedCount{x.Name, x.URLs, x.Bytes})
	}
	return m, nil
}

// Bounds of the event streams.
const (
	maxStreams  = 64
	streamEvery = time.Second // status.json is renewed as often
)

// events streams the figures of a run, as server-sent events, whenever its status.json was renewed,
// and when that has not come for so long that the process of the run must have died. A stream costs
// a look at one file a second, and ends with the session that asked for it.
func (s *Server) events(w http.ResponseWriter, q *query) error {
	if _, err := q.need(); err != nil {
		return err
	}
	if s.streams.Add(1) > maxStreams {
		s.streams.Add(-1)
		return &refusal{http.StatusServiceUnavailable, "Too many pages are watching."}
	}
	defer s.streams.Add(-1)
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	tick := time.NewTicker(streamEvery)
	defer tick.Stop()
	var last time.Time
	live := false
	for {
		x, err := s.readStatus(q.run)
		if err == nil && x != nil && (x.Live != live || !x.Time.Equal(last)) {
			last, live = x.Time, x.Live
			drawn, err := s.drawings.get(q.run.DrawingFile(), harvest.DrawnAt)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				s.log.Warn("it is not known when the run was drawn", "cause", err)
			}
			if err := writeEvent(w, x, drawn); err != nil {
				return nil // who watched is gone
			}
			if x.Live {
				s.nudge(q.request.Context(), q.harvest.Folder)
			}
		}
		if out.Flush() != nil {
			return nil
		}
		select {
		case <-q.request.Context().Done():
			return nil
		case <-tick.C:
		}
		if _, err := (gate{s}).admit(q.request); err != nil {
			return nil // the session has ended
		}
	}
}

func writeEvent(w http.ResponseWriter, x *Status, drawn time.Time) error {
	text, err := json.Marshal(struct {
		Live    bool     `json:"live"`
		Ended   bool     `json:"ended"`   // it will not be live again
		Present string   `json:"present"` // which state of the run is the last
		Figures []figure `json:"figures"`
	}{x.Live, x.ended(), stamp(drawn, x.Held), x.Figures()})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "data: %s\n\n", text)
	return err
}
