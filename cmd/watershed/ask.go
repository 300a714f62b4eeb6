package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"watershed/configs"
	"watershed/crawler"
	"watershed/harvest"
	"watershed/harvest/control"
	"watershed/harvest/depot"
	"watershed/internal/console"
	"watershed/page"
	"watershed/report"
	"watershed/sitemap"
	"watershed/store"
	"watershed/ui"
	"watershed/upload"
)

type statusCommand struct {
	File string `arg:""`
	JSON bool   `name:"json"`
	clusterFlag
}

func (c *statusCommand) Run(ctx context.Context, s console.Streams) error {
	if c.Cluster != "" {
		return statusOfShared(ctx, s, c.Cluster, c.File, c.JSON)
	}
	now := time.Now()
	if info, err := os.Stat(c.File); err == nil && info.IsDir() {
		return listStatus(s, c.File, c.JSON, now)
	}
	run, x, err := statusOf(c.File, now)
	switch {
	case err != nil:
		return err
	case x == nil:
		return fmt.Errorf("%s: nothing is told of it yet", run)
	}
	orders, err := harvest.ReadOrders(run)
	if err != nil {
		return err
	}
	sum, err := run.Uploaded()
	if err != nil {
		return err
	}
	if c.JSON {
		return console.JSON(s.Out, statusAnswer{run.Name(), x, orEmpty(orders), sum})
	}
	printStatus(s, run, x, now)
	if sum != nil {
		fmt.Fprintf(s.Out, "upload: %s\n", visible(sum.String()))
	}
	if len(orders) == 0 {
		return nil
	}
	fmt.Fprintln(s.Out, "changed by hand:")
	return printEntries(s.Out, orders, false, "")
}

// statusOf tells how the last run of a harvest stands, or a dry run of it that is under way while no
// process tells of that run.
func statusOf(file string, now time.Time) (run harvest.Run, x *ui.Status, err error) {
	config, err := load(file)
	if err != nil {
		return "", nil, err
	}
	return statusIn(&config, now)
}

// statusIn is the status of a harvest's last run, or of a dry run that is under way or alone.
func statusIn(config *configs.Harvest, now time.Time) (run harvest.Run, x *ui.Status, err error) {
	if run, err = folderOf(config).Last(); err == nil {
		x, err = ui.ReadStatus(run, now)
	}
	if err != nil && !errors.Is(err, harvest.ErrNoRun) || x != nil && x.Live {
		return run, x, err
	}
	dry, found, e := dryRunOf(string(config.Archive.Dir), config.Harvest)
	if found {
		x, err = ui.ReadStatus(dry, now)
		return dry, x, err
	}
	return run, x, errors.Join(err, e)
}

// statusAnswer is how a run stands, as JSON has it.
type statusAnswer struct {
	Run string `json:"run"`
	*ui.Status
	Orders []control.Entry `json:"orders"`           // what was changed by hand while it went on
	Upload *upload.Sum     `json:"upload,omitempty"` // how far it has come, where one was begun
}

// listedStatus is how a harvest of a folder stands, as JSON has it.
type listedStatus struct {
	File    string     `json:"file"`
	Harvest string     `json:"harvest,omitempty"`
	Run     string     `json:"run,omitempty"` // the last one
	Error   string     `json:"error,omitempty"`
	Status  *ui.Status `json:"status,omitempty"`
}

// listStatus tells of each harvest whose YAML lies in a folder. A YAML with mistakes is told by these.
func listStatus(s console.Streams, dir string, asJSON bool, now time.Time) error {
	if err := noRuns(dir); err != nil {
		return err
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	list := []listedStatus{}
	for _, f := range files {
		if !depot.IsYAML(f.Name()) {
			continue
		}
		x := listedStatus{File: filepath.Join(dir, f.Name())}
		config, err := load(x.File)
		if x.Harvest = config.Harvest; err == nil {
			var run harvest.Run
			if run, x.Status, err = statusIn(&config, now); err == nil {
				x.Run = run.Name()
			}
		}
		if err != nil && !errors.Is(err, harvest.ErrNoRun) {
			x.Error = err.Error()
		}
		list = append(list, x)
	}
	if asJSON {
		return console.JSON(s.Out, list)
	}
	if len(list) == 0 {
		return notYAML(dir, "a folder without the YAML of a harvest")
	}
	for _, x := range list {
		told := "not harvested yet"
		switch {
		case x.Error != "":
			told, _, _ = strings.Cut(x.Error, "\n")
			told = styleOf(s.Out).bad(visible(told))
		case x.Status != nil:
			told = fmt.Sprintf("%s, %s ago: %s: %s", x.Run, since(now, x.Status.Time),
				x.Status.Phase, figures(x.Status))
		}
		name := cmp.Or(x.Harvest, strings.TrimSuffix(filepath.Base(x.File), filepath.Ext(x.File)))
		fmt.Fprintf(s.Out, "%s (%s)\n  %s\n", visible(name), visible(x.File), told)
	}
	return nil
}

// since is the time from t to now, in seconds; none where t, of a run under way, is later.
func since(now, t time.Time) time.Duration { return max(0, now.Sub(t).Round(time.Second)) }

func printStatus(s console.Streams, run harvest.Run, x *ui.Status, now time.Time) {
	paint := styleOf(s.Out)
	phase := paint.strong(x.Phase)
	if !x.Live && slices.Contains([]string{control.Opening, control.Crawling, control.Delivering}, x.Phase) {
		phase = paint.bad(x.Phase + ", but no process has told of it since; the same command goes on")
	}
	fmt.Fprintf(s.Out, "%s, %s ago\n%s: %s\n", run, since(now, x.Time), phase, figures(x))
	for i := range x.Sites[:min(len(x.Sites), sitesShown)] {
		printSite(s.Out, x, &x.Sites[i])
	}
	if more := len(x.Sites) - sitesShown; more > 0 {
		fmt.Fprintf(s.Out, "  %s more, in status.json\n", console.Plural(more, "site", "sites"))
	}
}

// printSite tells how a site of a run stands.
func printSite(out io.Writer, x *ui.Status, site *crawler.SiteProgress) {
	paint := styleOf(out)
	state := paint.open(fmt.Sprintf("%d open", site.Open))
	switch {
	case site.Settled:
		state = paint.good("its boundary was found")
	case site.Open == 0 && x.Ending != nil:
		state = paint.bad("its boundary was not found: pages were not asked for")
	}
	pages := console.Plural(site.Inside, "page belongs", "pages belong")
	if x.Ending != nil && x.Phase == "finished" { // else nothing was delivered
		pages = console.Plural(site.Inside, "page captured", "pages captured")
	}
	fmt.Fprintf(out, "  site %-24s %s, %s, boundary computed %s\n", site.Name, pages, state,
		console.Plural(site.Epochs, "time", "times"))
}

// figures are the numbers of a run; what still waits is told where something does.
func figures(x *ui.Status) string {
	if e := x.Ending; e != nil {
		text := fmt.Sprintf("%s; %s; %s", e, e.Counted(), console.Size(x.Bytes))
		if e.Losses.Any() {
			text += "; lost: " + e.Losses.String()
		}
		for _, x := range e.Notes() {
			text += "; " + x
		}
		for _, x := range e.Left[:min(len(e.Left), leftShown)] {
			text += "; " + x.String()
		}
		return visible(text)
	}
	text := fmt.Sprintf("%d URLs asked for, %d captured, %d failed, %s", x.Visits, x.Captured, x.Failed,
		console.Size(x.Bytes))
	if x.Missing > 0 {
		text += fmt.Sprintf(", %d captures MISSING: see watershed report FILE", x.Missing)
	}
	if !x.Live {
		if x.Pending > 0 {
			text += fmt.Sprintf(", %d waiting", x.Pending)
		}
		return text
	}
	p := crawler.Progress{
		Pending: x.Pending, Due: x.Due, Resting: x.Resting, Backoff: x.Backoff, Held: x.Held,
		Paused: x.Paused, Left: time.Duration(x.Left) * time.Second,
	}
	parts := append([]string{text, fmt.Sprintf("%.1f a second", x.Rate)}, standing(&p)...)
	return strings.Join(parts, ", ")
}

// runOf is the run of that number, or with 0 the latest one.
func runOf(folder harvest.Folder, number int) (harvest.Run, error) {
	switch {
	case number == 0:
		return folder.Last()
	case number < 0:
		return "", &exitError{exitUsage, fmt.Errorf("no run %d: they are counted from 1", number)}
	}
	run := folder.Run(number)
	_, err := os.Stat(string(run))
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("no run %d: it has no folder %s", number, run)
	}
	return run, err
}

// presentPatience is how long a command waits for the present state of a run that it could show an
// older one of.
const presentPatience = 10 * time.Second

// shownRun is a run, and where what it has to show lies; of one under way this is its present
// state, and it is said how old that is.
func shownRun(ctx context.Context, s console.Streams, config *configs.Harvest, number int) (run harvest.Run,
	x harvest.Shown, err error,
) {
	if run, err = runOf(folderOf(config), number); err != nil {
		return "", x, err
	}
	x, err = folderOf(config).Shown(ctx, run, presentPatience)
	if err == nil && x.Drawing != nil {
		state := "was stopped before it was delivered"
		if x.Live {
			state = "is under way"
		}
		fmt.Fprintf(s.Err, "%s %s; this is how it stood at %s UTC, after %d URLs\n", run.Name(), state,
			x.Drawing.Time.UTC().Format(time.DateTime), x.Drawing.Visits)
	}
	return run, x, err
}

type reportCommand struct {
	File string `arg:""`
	Name string `arg:"" optional:"" enum:",${reports}" default:""`
	JSON bool   `name:"json"`
	clusterFlag
}

func (c *reportCommand) Run(ctx context.Context, s console.Streams, config *configs.Harvest) error {
	last, run, err := shownRun(ctx, s, config, 0)
	if err != nil {
		return err
	}
	if c.JSON {
		return printFile(console.Whole(s.Out), filepath.Join(run.Reports(), "report.json"))
	}
	paint := styleOf(s.Out)
	names := report.Names
	if c.Name != "" {
		names = []string{c.Name}
	}
	for _, n := range names {
		if c.Name == "" {
			fmt.Fprintln(s.Out, paint.strong("== "+n))
		}
		var text bytes.Buffer
		err := printFile(&text, filepath.Join(run.Reports(), n+".txt"))
		if err == nil {
			err = printReport(s.Out, text.Bytes())
		}
		if err != nil {
			return err
		}
	}
	if x, err := ui.ReadStatus(last, time.Now()); c.Name == "" && err == nil && x != nil {
		printDamaged(s.Out, x.Ending)
	}
	sum, err := run.Uploaded()
	if c.Name == "" && err == nil && sum != nil {
		fmt.Fprintf(s.Out, "%s\n%s\n", paint.strong("== upload"), visible(sum.String()))
	}
	return err
}

// printDamaged tells of the WARC files that are missing or damaged, of a run that has ended.
func printDamaged(out io.Writer, e *report.Ending) {
	if e == nil || len(e.Damaged) == 0 {
		return
	}
	fmt.Fprintln(out, styleOf(out).strong("== damaged"))
	for _, file := range e.Damaged {
		fmt.Fprintln(out, visible(file.String()))
	}
}

// printReport prints a report as it is, or on a terminal as a table: its first line names the
// columns, and has a column less than those lines that end with several words.
func printReport(out io.Writer, text []byte) error {
	if console.Width(out) == 0 {
		_, err := out.Write(text)
		return err
	}
	table, columns := console.NewTable(out), 0
	table.Head = true
	for line := range strings.Lines(string(text)) {
		columns = cmp.Or(columns, len(strings.Fields(line)))
		cells := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", columns)
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	return table.Flush()
}

func printFile(out io.Writer, path string) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: reports are written while a run crawls, and when it has ended or "+
			"reached a limit", err)
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(out, f)
	return errors.Join(err, f.Close())
}

type explainCommand struct {
	File string   `arg:""`
	URL  string   `arg:""`
	At   *float64 `placeholder:"ALPHA"`
	JSON bool     `name:"json"`
	clusterFlag
}

// url is the URL to be explained. The error is that of a wrong command line.
func (c *explainCommand) url() (page.URL, error) {
	u, err := page.ParseURL(c.URL)
	if err != nil && !strings.Contains(c.URL, "://") {
		err = fmt.Errorf("%q is no web address: it has no scheme, such as https://", c.URL)
	}
	if err == nil && c.At != nil && !(*c.At > 0 && *c.At <= 1) {
		err = fmt.Errorf("--at is %g; a scale lies between 0 and 1", *c.At)
	}
	if err != nil {
		return "", &exitError{code: exitUsage, err: err}
	}
	return u, nil
}

func (c *explainCommand) Run(ctx context.Context, s console.Streams, config *configs.Harvest) error {
	u, err := c.url()
	if err != nil {
		return err
	}
	x, err := c.ask(ctx, config, u)
	switch {
	case err != nil:
		return err
	case c.JSON:
		return console.JSON(s.Out, x)
	}
	return printExplanation(s, quoted(c.File), x)
}

// printExplanation prints an explanation. which are the arguments by which commands of its advice know the
// harvest.
func printExplanation(s console.Streams, which string, x *harvest.Explanation) error {
	names := strings.NewReplacer(" FILE", " "+which, "watershed ", commandName()+" ")
	x.Advice = names.Replace(x.Advice)
	var b strings.Builder
	if err := x.Text(&b); err != nil {
		return err
	}
	_, err := io.WriteString(s.Out, visible(b.String()))
	return err
}

// ask has a run under way explain a URL, and reads the last run where none is.
func (c *explainCommand) ask(ctx context.Context, config *configs.Harvest, u page.URL,
) (x *harvest.Explanation, err error) {
	alpha := 0.0 // that of the harvest
	if c.At != nil {
		alpha = *c.At
	}
	a, err := folderOf(config).Order(ctx, control.Order{Do: control.Explain, URL: u, Alpha: alpha})
	if err == nil {
		if err = json.Unmarshal(a.Reply, &x); err != nil {
			err = fmt.Errorf("the run's answer: %w", err)
		}
		return x, err
	}
	if !errors.Is(err, control.ErrNoRun) {
		return nil, err
	}
	err = examine(config, func(e *harvest.Examination) (err error) {
		x, err = e.Explain(u, alpha)
		return err
	})
	if errors.Is(err, store.ErrLocked) {
		err = fmt.Errorf("a run is being opened or delivered; ask again in a while: %w", err)
	}
	return x, err
}

// examine asks something of the last run of a harvest.
func examine(config *configs.Harvest, ask func(*harvest.Examination) error) (err error) {
	plan, err := planOf(config, discard)
	if err != nil {
		return err
	}
	e, err := harvest.Examine(folderOf(config), plan)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	return ask(e)
}

type waczCommand struct {
	File string `arg:""`
	All  bool   `name:"all-runs"`
}

// Run packs the last run that was delivered again, for example after its archive was moved, or all
// runs in one package.
func (c *waczCommand) Run(s console.Streams, config *configs.Harvest) error {
	return examine(config, func(e *harvest.Examination) (err error) {
		var path string
		var left []harvest.Run
		if c.All {
			path, left, err = e.PackAll()
		} else {
			path, err = e.Pack()
		}
		for _, run := range left {
			fmt.Fprintf(s.Err, "%s is not in it: it was not delivered yet\n", run.Name())
		}
		if err == nil {
			_, err = fmt.Fprintln(console.Whole(s.Out), path)
		}
		return err
	})
}

// inside counts the blocks of a map that have pages inside. A boundary by the URL alone has no
// blocks.
func inside(m *sitemap.Map) (n int) {
	for _, b := range m.Blocks {
		if b.Inside > 0 {
			n++
		}
	}
	return n
}

// called tells what a site is called, "" where nothing is said of it.
func called(m *sitemap.Map) string {
	var parts, terms []string
	if m.Title != "" {
		parts = append(parts, strconv.Quote(m.Title))
	}
	for _, n := range m.Names {
		if !strings.EqualFold(n, m.Title) {
			parts = append(parts, "linked as "+strconv.Quote(n))
		}
	}
	for _, k := range m.Keywords {
		terms = append(terms, k.Term)
	}
	if len(terms) > 0 {
		parts = append(parts, "keywords "+strings.Join(terms, ", "))
	}
	return strings.Join(parts, "; ")
}

// fetchedContext counts what was tried of a site's context.
func fetchedContext(m *sitemap.Map) (n int) {
	for i := range m.Context {
		if m.Context[i].State != "known" {
			n++
		}
	}
	return n
}

// printMap prints where a boundary runs: what is inside, and the dearest links that it cuts.
func printMap(out io.Writer, m *sitemap.Map) error {
	fmt.Fprintf(out, "site %s: %s and %s belong, %d known, boundary %s\n", m.Site,
		console.Plural(m.Members.Len(), "page", "pages"),
		console.Plural(len(m.Requisites), "required file", "required files"), m.Known, m.Boundary)
	if text := called(m); text != "" {
		fmt.Fprintf(out, "  %s\n", text)
	}
	if len(m.Context) > 0 {
		fmt.Fprintf(out, "  %d URLs outside are its context, %d of them fetched so far\n", len(m.Context),
			fetchedContext(m))
	}
	if c := m.Certificate; c != nil {
		fmt.Fprintf(out, "  flow %.3f = cut %.3f at alpha %g, of which links %.3f\n", float64(c.Flow)/1e6,
			float64(c.Value)/1e6, c.Alpha, float64(c.Links)/1e6)
	}
	for _, b := range m.Blocks {
		if b.Inside > 0 {
			fmt.Fprintf(out, "  in   %-50s %d of %d known pages, share %.3f: %s\n", b.Name, b.Inside, b.Known,
				b.Share, b.Why)
		}
	}
	shown := 0
	for _, b := range m.Blocks {
		if b.Inside == 0 && b.Share > 0 && shown < 10 {
			shown++
			fmt.Fprintf(out, "  out  %-50s %s, share %.3f: %s\n", b.Name,
				console.Plural(b.Known, "known page", "known pages"), b.Share, b.Why)
		}
	}
	err := printLeft(out, "", harvest.Left(m), "")
	fmt.Fprintln(out)
	return err
}
