package harvest

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"watershed/archive"
	"watershed/drift"
	"watershed/frontier"
	"watershed/harvest/decision"
	"watershed/internal/console"
	"watershed/internal/disk"
	"watershed/page"
	"watershed/report"
	"watershed/sitemap"
	"watershed/store"
)

// view answers questions on a run by what is known of it.
type view struct {
	*rulings
	survey   *sitemap.Survey
	frontier *frontier.Frontier
}

// Examination looks at the last run of a harvest that is not under way, without changing it.
type Examination struct {
	*view
}

// Examine opens the last run for questions. It replays the run's visits, about a second for a
// hundred thousand.
func Examine(folder Folder, plan Plan) (e *Examination, err error) {
	if _, err := folder.Last(); err != nil {
		return nil, err
	}
	if err := store.CheckThere(folder.State()); err != nil {
		return nil, err
	}
	g := newGround(folder, plan)
	plan.Store.Dir, plan.Store.Harvest = folder.State(), plan.Name
	if disk.Writable(folder.State()) != nil {
		plan.Store.ReadOnly = true // such as an archive on a medium of its own
	}
	if g.store, err = store.Open(plan.Store); err != nil {
		return nil, err
	}
	e = &Examination{view: &view{rulings: &rulings{ground: g}}}
	if err := e.open(); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// open reads what the last run knows.
func (e *Examination) open() error {
	err := e.store.View(func(tx *store.Tx) (err error) {
		var found bool
		if e.record, found, err = tx.LastRun(); err == nil && !found {
			err = store.Gone(e.folder.State())
		}
		return err
	})
	if err != nil {
		return err
	}
	order, err := e.siteOrder(&e.record)
	if err != nil {
		return err
	}
	e.plan.keepOrder(order) // without one of them it stays as the YAML has it
	e.run = e.folder.Run(int(e.record.Number))
	if e.decided, err = ReadDecisions(e.folder.Decisions()); err != nil {
		return err
	}
	if e.survey, err = e.newSurvey(); err != nil {
		return err
	}
	done, err := e.replay(e.survey, nil)
	if err != nil {
		return err
	}
	o := e.plan.Frontier
	o.Waiting = done.Waiting
	e.frontier, err = frontier.Open(e.store, e.record.Number, o)
	return err
}

// Close ends the examination.
func (e *Examination) Close() error { return e.store.Close() }

// Maps draws the map of each site.
func (e *Examination) Maps() ([]*sitemap.Map, error) {
	return (&atlas{ground: e.ground, survey: e.survey}).present()
}

// Explanation is all that a run knows of a URL.
type Explanation struct {
	URL      page.URL          `json:"url"`
	Sites    []SiteExplanation `json:"sites"`
	Fetching *Fetching         `json:"fetching,omitempty"` // nil where it was never wanted
	Host     *HostLine         `json:"host,omitempty"`     // nil where nothing was ever wanted from it
	// the last one with success, of any run; nil where there is none
	Capture *CaptureLine `json:"capture,omitempty"`
	// Advice is what to do to have the URL; "" where it was captured and belongs.
	Advice string `json:"advice,omitempty"`
}

// Fetching tells whether a wanted URL was fetched, and with what result.
type Fetching struct {
	State string `json:"state"`
	// of the answer, or below 0 as in crawl.log; 0 while there is none
	Status         int      `json:"status"`
	Tries          int      `json:"tries"`            // that brought nothing
	Hops           string   `json:"hops"`             // a letter a hop, from the seed
	Via            page.URL `json:"via,omitempty"`    // the page on which it was found; "" for a seed
	Reason         string   `json:"reason,omitempty"` // why it was left out or failed
	Rule           string   `json:"rule,omitempty"`   // which rule or limit did so
	Evidence       string   `json:"evidence,omitempty"`
	Representative page.URL `json:"representative,omitempty"` // what stands for it
	// it answered with success, and its text is that of pages that are not there
	SoftError bool `json:"softError,omitempty"`
	// no page had named it when it was asked for: the crawler made it up
	MadeUp bool `json:"madeUp,omitempty"`
	// the address to which its server redirects it
	Redirect page.URL `json:"redirect,omitempty"`
	// what its visit tells besides, such as why its redirect leads nowhere
	Cause string `json:"cause,omitempty"`
	// what its capture lacks, where not all of the answer is in the archive, or nothing has drawn it
	Lacks string `json:"lacks,omitempty"`
	// the site with whose login it was asked for
	Login string `json:"login,omitempty"`
}

func fetchingOf(x *frontier.Explanation) *Fetching {
	f := &Fetching{
		State: x.State.String(), Status: x.Status, Tries: int(x.Tries), Hops: x.Hops,
		Via: x.Via, Rule: x.Rule,
		Evidence: x.Entry.Evidence, Representative: x.Entry.Representative,
	}
	if x.Reason != store.NoReason {
		f.Reason = x.Reason.String()
	}
	if x.Vain() {
		f.State = store.Failed.String()
	}
	return f
}

// HostLine is how a host is asked.
type HostLine struct {
	Host    page.Host `json:"host"`
	Pending int       `json:"pending"` // URLs that wait
	// seconds from the end of a fast answer to the next request
	Delay      float64 `json:"delay"`
	CrawlDelay float64 `json:"crawlDelay,omitempty"` // seconds that robots.txt asks for
	ByHand     float64 `json:"byHand,omitempty"`     // seconds, the delay that was set by hand
	// the schemes of those of its addresses that were given up
	GivenUp []string `json:"givenUp,omitempty"`
	// seconds that it rests from now on, where that is longer than the delay
	Rests float64 `json:"rests,omitempty"`
}

func hostLineOf(x *frontier.HostInfo) *HostLine {
	h := &HostLine{
		Host: x.Name, Pending: x.Pending, Delay: x.Gap.Seconds(), CrawlDelay: x.CrawlDelay.Seconds(),
		ByHand: x.MinDelay.Seconds(),
	}
	for lane, o := range x.Origins {
		if o.GivenUp {
			h.GivenUp = append(h.GivenUp, store.Lane(lane).String())
		}
	}
	if x.Rests > x.Gap { // because it failed, or asked for that
		h.Rests = x.Rests.Seconds()
	}
	return h
}

// CaptureLine is a capture, and where its record lies.
type CaptureLine struct {
	Time   time.Time `json:"time"`
	Status int       `json:"status"`
	Bytes  int64     `json:"bytes"` // of the payload
	File   string    `json:"file"`
	Offset int64     `json:"offset"`
	Run    int       `json:"run"`
	Of     *Payload  `json:"of,omitempty"` // of a revisit record: where the record with the payload lies
}

// Payload is where a record with a payload lies, and the URL that it is of.
type Payload struct {
	URL    page.URL `json:"url"`
	File   string   `json:"file"`
	Offset int64    `json:"offset"`
}

// SiteExplanation is what a site's map says of a URL.
type SiteExplanation struct {
	Site string `json:"site"`
	sitemap.Explanation
	Text      string              `json:"text"`
	Decisions []decision.Decision `json:"decisions,omitempty"` // that match the URL; the first one holds
}

// Explain says whether a URL belongs to each of the harvest's sites and why, and whether it was
// fetched. alpha is the scale; 0 means that of the harvest.
func (v *view) Explain(u page.URL, alpha float64) (*Explanation, error) {
	x := &Explanation{URL: u}
	var says []sitemap.Explanation
	for _, site := range v.plan.Sites {
		at := alpha
		if site.Boundary != sitemap.Logical {
			at = 0 // it has no scales
		}
		s, err := v.survey.Explain(site.Name, u, at)
		if err != nil {
			return nil, err
		}
		x.Sites = append(x.Sites, SiteExplanation{
			Site: site.Name, Explanation: s, Decisions: v.decided.About(site.Name, u),
		})
	}
	var before []store.Run
	if err := v.store.View(func(tx *store.Tx) (err error) {
		before, err = lineage(tx, v.record.Extends)
		return err
	}); err != nil {
		return nil, err
	}
	f, known, err := v.frontier.Explain(u, before...)
	if err != nil {
		return nil, err
	}
	if known {
		x.Fetching = fetchingOf(&f)
		x.Fetching.MadeUp = f.Kind == page.Inferred
		if err := v.tellVisit(x.Fetching, f.Run, f.Visit); err != nil {
			return nil, err
		}
	}
	from, err := v.redirect(&f, before)
	if err != nil {
		return nil, err
	}
	for i := range x.Sites {
		s := &x.Sites[i]
		if !s.Known() {
			s.From = from
		}
		s.Text = s.Explanation.String()
		wide, err := v.wide(&v.plan.Sites[i], u, before)
		if err != nil {
			return nil, err
		}
		for _, w := range wide {
			s.Text += "; " + w.Says()
		}
		says = append(says, s.Explanation)
	}
	if x.Advice = Advice(u, says, x.Fetching); x.Fetching == nil {
		if x.Advice, err = v.seedFirst(x.Advice, says, before); err != nil {
			return nil, err
		}
	}
	as := f.Spelled
	for i := 0; i < len(says) && !known && u.Spellable(); i++ {
		spelled, err := v.linked(says[i].From, []page.URL{u})
		if err != nil {
			return nil, err
		}
		as = cmp.Or(as, spelled[u])
	}
	x.spell(as)
	if host, ok := v.frontier.Host(u.Host()); ok {
		x.Host = hostLineOf(&host)
	}
	v.waits(x, v.frontier.Stats().Bytes)
	err = v.store.View(func(tx *store.Tx) error {
		c, found, err := tx.Capture(u)
		if err != nil || !found {
			return err
		}
		x.Capture = &CaptureLine{
			Time: c.Time, Status: c.Status, Bytes: c.Size, File: c.Record.File,
			Offset: c.Record.Offset, Run: int(c.Run),
		}
		v, found, err := tx.Visit(c.Run, c.Visit)
		if found && v.Revisit {
			x.Capture.Of = &Payload{URL: v.Origin.URL, File: c.Record.File, Offset: c.Record.Offset}
			x.Capture.File, x.Capture.Offset = v.Record.File, v.Record.Offset
		}
		return err
	})
	return x, err
}

// seedFirst is the advice about a URL that was never wanted: where it lies below a seed that could not
// be had, no page of which led to it, that seed comes first.
func (v *view) seedFirst(advice string, says []sitemap.Explanation, before []store.Run) (string, error) {
	for i := range says {
		seed := says[i].Below
		if seed == "" || says[i].Known() {
			continue
		}
		f, known, err := v.frontier.Explain(seed, before...)
		if err != nil || !known || !f.Vain() && f.State == store.Done && f.Status < http.StatusBadRequest {
			return advice, err
		}
		x := fetchingOf(&f)
		why := x.State
		if x.Reason != "" {
			why += ", " + x.because()
		}
		return fmt.Sprintf("its seed %s comes first (%s): %s", seed, why, x.advice(seed, false)), nil
	}
	return advice, nil
}

// redirect gives the redirect by which a URL was found; "" where it was not found by one. The survey
// forgets a redirect that leads nowhere in the end.
func (v *view) redirect(f *frontier.Explanation, before []store.Run) (page.URL, error) {
	if f.Via == "" {
		return "", nil
	}
	via, _, err := v.frontier.Explain(f.Via, before...)
	if err != nil || via.Visit == 0 {
		return "", err
	}
	x := Fetching{}
	if err := v.tellVisit(&x, via.Run, via.Visit); err != nil || x.Redirect == "" {
		return "", err
	}
	return f.Via, nil
}

// wide gives the seeds of a site that lead to the root of a URL's host, and so to all of it.
func (v *view) wide(s *sitemap.Site, u page.URL, before []store.Run) (list []report.Wide, err error) {
	for _, seed := range s.Seeds {
		to, next := seed, seed
		for n := 0; next != "" && n < maxLed; n++ {
			to = next
			f, _, err := v.frontier.Explain(to, before...)
			x := Fetching{}
			if err = errors.Join(err, v.tellVisit(&x, f.Run, f.Visit)); err != nil {
				return nil, err
			}
			next, _ = page.Spelling(x.Redirect).URL()
		}
		if to.Host() == u.Host() && widens(s, seed, to) {
			list = append(list, report.Wide{Site: s.Name, Seed: seed, To: to})
		}
	}
	return list, nil
}

// spell has the explanation name its URL as it is spelled, "" for one that is spelled as its name.
func (x *Explanation) spell(as page.Spelling) {
	if as == "" {
		return
	}
	name := string(x.URL)
	x.URL, x.Advice = page.URL(as), strings.ReplaceAll(x.Advice, name, string(as))
	for i := range x.Sites {
		s := &x.Sites[i]
		s.Explanation.URL, s.Text = page.URL(as), strings.ReplaceAll(s.Text, name, string(as))
	}
}

// tellVisit adds what the visit of a run tells, if there is one.
func (v *view) tellVisit(f *Fetching, run store.Run, seq uint64) error {
	if seq == 0 {
		return nil
	}
	return v.store.View(func(tx *store.Tx) error {
		x, _, err := tx.Visit(run, seq)
		f.SoftError = x.SoftError && x.OK()
		if l := x.Redirected(); l != nil {
			f.Redirect = page.URL(l.URL.As(l.Spelled))
		}
		f.Login = x.Login
		switch f.Lacks = lacking(&x); {
		case f.Lacks == "" && x.Drawing == page.ToBeDrawn:
			f.Lacks = "its scripts wait for a browser that draws it"
		case f.Lacks == "" && f.Reason == "":
			f.Cause = x.Cause
		}
		return err
	})
}

// Text prints an explanation for people. Of several sites, those that fetched no page that links to
// the URL, and below no seed of which it lies, are only counted.
func (x *Explanation) Text(w io.Writer) error {
	p, strangers := bufio.NewWriter(w), 0 // p keeps the first error
	for _, s := range x.Sites {
		if len(x.Sites) > 1 && !s.Known() && s.Below == "" && s.Left == nil && !s.LinkedBy.Any() &&
			len(s.Decisions) == 0 {
			strangers++
			continue
		}
		fmt.Fprintf(p, "site %s: %s\n", s.Site, s.Text)
		for _, line := range s.Details() {
			fmt.Fprintf(p, "  %s\n", line)
		}
		for i := range s.Decisions {
			fmt.Fprintf(p, "  decided: %s\n", s.Decisions[i].String())
		}
	}
	switch {
	case strangers > 0 && strangers == len(x.Sites):
		fmt.Fprintf(p, "%s is outside all %d sites: no page of theirs links to it\n", x.URL, strangers)
	case strangers == 1:
		fmt.Fprintf(p, "1 other site: no page of it links to it\n")
	case strangers > 0:
		fmt.Fprintf(p, "%d other sites: no page of theirs links to it\n", strangers)
	}
	switch {
	case x.Fetching == nil && x.URL.PathQuery() == robotsPath:
		fmt.Fprintf(p, "fetching: the rules of its host, which are read before anything is asked for there\n")
	case x.Fetching == nil && slices.ContainsFunc(x.Sites, func(s SiteExplanation) bool { return s.Inside }):
		fmt.Fprintf(p, "fetching: its turn has not come\n")
	case x.Fetching == nil:
		fmt.Fprintf(p, "fetching: it was never wanted\n")
	default:
		x.Fetching.text(p)
	}
	if x.Host != nil {
		x.Host.text(p)
	}
	if c := x.Capture; c != nil {
		fmt.Fprintf(p, "last good capture: %s, status %d, %d bytes, %s at %d\n",
			c.Time.Format("2006-01-02 15:04:05"), c.Status, c.Bytes, c.File, c.Offset)
		if c.Of != nil {
			fmt.Fprintf(p, "  its payload: %s, %s at %d\n", c.Of.URL, c.Of.File, c.Of.Offset)
		}
	}
	if x.Advice != "" {
		fmt.Fprintf(p, "to do: %s\n", x.Advice)
	}
	return p.Flush()
}

func (f *Fetching) text(p io.Writer) {
	found := "found on " + orDash(f.Via)
	if f.MadeUp {
		found = "made up by the crawler, and named by no page when it was asked for"
	}
	vain := ""
	if f.Tries > 0 {
		vain = console.Plural(f.Tries, "try", "tries") + " in vain, "
	}
	fmt.Fprintf(p, "fetching: %s, status %d, %spath %q, %s\n", f.State, f.Status, vain, f.Hops, found)
	if f.SoftError {
		fmt.Fprintln(p, "  it answered with success and says that there is no such page: it counts as an "+
			"error")
	}
	if f.Reason != "" {
		fmt.Fprintf(p, "  because: %s\n", f.because())
	}
	if f.Redirect != "" {
		fmt.Fprintf(p, "  its server redirects it to %s\n", f.Redirect)
	}
	if f.Cause != "" {
		fmt.Fprintf(p, "  %s\n", f.Cause)
	}
	if f.Lacks != "" {
		fmt.Fprintf(p, "  in the archive in part: %s\n", f.Lacks)
	}
	if f.Representative != "" {
		fmt.Fprintf(p, "  %s stands for it\n", f.Representative)
	}
}

// because tells the reason, by which rule, and what shows it.
func (f *Fetching) because() string {
	text := f.Reason
	if r, ok := store.ParseReason(f.Reason); ok {
		text = r.Says()
	}
	for _, more := range []string{f.Rule, f.Evidence} {
		if more != "" {
			text += "; " + more
		}
	}
	return text
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func (h *HostLine) text(p io.Writer) {
	var why []string
	if h.CrawlDelay > 0 {
		why = append(why, fmt.Sprintf("its robots.txt asks for %v", seconds(h.CrawlDelay)))
	}
	if h.ByHand > 0 {
		why = append(why, fmt.Sprintf("%v were set by hand", seconds(h.ByHand)))
	}
	if len(h.GivenUp) > 0 {
		why = append(why, "given up for "+strings.Join(h.GivenUp, " and "))
	}
	if h.Rests > 0 {
		why = append(why, fmt.Sprintf("it rests for %v more", seconds(h.Rests).Round(time.Second)))
	}
	text := strings.Join(why, ", ")
	if text != "" {
		text = ": " + text
	}
	fmt.Fprintf(p, "host %s: %s, %v or more between requests%s\n", h.Host,
		console.Plural(h.Pending, "URL waits", "URLs wait"), seconds(h.Delay), text)
}

func orDash(u page.URL) string {
	if u == "" {
		return "- (a seed)"
	}
	return string(u)
}

// unpackable says why a run has no WARC file to be packed.
func (v *view) unpackable() error {
	index, err := os.Stat(v.run.Index())
	switch {
	case err != nil:
		return fmt.Errorf("%s was not delivered, so that there is nothing to be packed yet", v.run)
	case index.Size() == 0:
		return fmt.Errorf("%s captured nothing, so that there is nothing to be packed: see %s", v.run,
			filepath.Join(v.run.Reports(), "seeds.txt"))
	}
	return fmt.Errorf("the WARC files that %s names are gone from %s: bring them back there", v.run.Index(),
		v.run.Archive())
}

// Pack writes the package of the run, which must have been delivered, again.
func (e *Examination) Pack() (string, error) {
	d := &Delivered{Run: e.run}
	var err error
	if d.Files, err = e.run.archived(); err != nil {
		return "", err
	}
	if len(d.Files) == 0 {
		return "", e.unpackable()
	}
	if err := e.run.indexed(); err != nil {
		return "", err
	}
	if d.Maps, err = e.Maps(); err != nil {
		return "", err
	}
	p := packer{ground: e.ground, losses: &losses{ground: e.ground}}
	if err = p.pack(d); err != nil {
		return "", err
	}
	return d.Package, notWhole(d.Package, strings.Join(p.kept, ", "))
}

// notWhole tells of former packages that have what the archive lacks, "" for none.
func notWhole(path, kept string) error {
	if kept == "" {
		return nil
	}
	return fmt.Errorf("%w: the package of today's archive is %s, the former one is kept in %s", errSpoilt,
		path, kept)
}

// PackAll writes a package of all runs, from the packages of each, into the harvest's folder: a recrawl's
// revisits have their originals in it. A former one that has what the archive lacks is set aside, as by
// Pack. Captures that are kept apart for their login stay apart; left are runs that were not delivered yet.
func (e *Examination) PackAll() (path string, left []Run, err error) {
	folder := Folder(filepath.Dir(string(e.run)))
	runs, err := folder.Runs()
	if err != nil {
		return "", nil, err
	}
	var packages, files []string
	apart := false // a run has only captures that are kept apart
	for _, r := range runs {
		list, err := r.archived()
		switch {
		case err != nil:
			return "", nil, err
		case !r.delivered() && (len(list) == 0 || r.spooled()):
			left = append(left, r)
			continue
		case !r.delivered():
			return "", nil, LostIndex(r)
		}
		path := r.path(fmt.Sprintf("%s-%04d.wacz", e.plan.Name, r.Number()))
		if _, err := os.Stat(path); err != nil {
			own := func(f string) bool { return !e.keptApart(f) }
			if len(list) > 0 && !slices.ContainsFunc(list, own) {
				apart = true
				continue
			}
			if info, noIndex := os.Stat(r.Index()); noIndex == nil && info.Size() == 0 {
				continue // it has captured nothing, as one that extends what is whole
			}
			return "", nil, fmt.Errorf("%s is not here: bring it back from where %s was uploaded or moved",
				path, r.Name())
		}
		packages = append(packages, path)
		files = append(files, list...)
	}
	switch {
	case len(packages) == 0 && apart:
		return "", nil, fmt.Errorf("all captures of %s are kept apart for their login: the package of each "+
			"run, in its folder, has them", e.plan.Name)
	case len(packages) == 0:
		return "", nil, e.unpackable()
	}
	path = filepath.Join(string(folder), e.plan.Name+".wacz")
	kept, err := e.keepPackage(path, files)
	if err != nil {
		return "", nil, err
	}
	if err := archive.MergeWACZ(e.disk(), path, archive.Package{
		Title: e.plan.Title, Description: fmt.Sprintf("Harvest %s, all runs", e.plan.Name),
		Software: Software, Created: time.Now(), Key: e.plan.Key,
	}, packages); err != nil {
		return "", nil, err
	}
	return path, left, notWhole(path, kept)
}

// Forecast gives the forecast of the next run, as the table of replicas stands now.
func (e *Examination) Forecast() (*Forecast, error) {
	next := e.record.Number + 1
	copies, err := readRoom(e.ground, next)
	if err != nil {
		return nil, err
	}
	if err := copies.Open(); err != nil {
		return nil, err
	}
	x := forecaster{ground: e.ground, copies: copies}
	return x.forecast(next)
}

// Changes compares two runs of the examined harvest.
func (e *Examination) Changes(older, newer int) (*drift.Report, error) {
	return history{e.ground}.compare(older, newer, nil)
}
