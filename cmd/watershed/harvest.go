package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"watershed/configs"
	"watershed/crawler"
	"watershed/harvest"
	"watershed/harvest/control"
	"watershed/internal/console"
	"watershed/notify"
	"watershed/page"
	"watershed/replica"
	"watershed/report"
	"watershed/search"
	"watershed/sitemap"
)

type harvestCommand struct {
	From    []string `arg:"" name:"file"`
	Fresh   bool     `xor:"begin"`
	Extend  bool     `xor:"begin"`
	DryRun  bool     `xor:"begin,look,words,ui"`
	Look    *int64   `xor:"look" placeholder:"N"`
	Words   bool     `xor:"words"`
	JSONLog bool     `name:"json-log"`
	Quiet   bool     `short:"q"`
	UI      bool     `xor:"ui" name:"ui"`
	clusterFlag
	oneOffFlags
	deskFlags
}

// AfterApply checks what the parser cannot.
func (c *harvestCommand) AfterApply() error {
	if c.Look != nil && *c.Look < 1 {
		return errors.New("--look is 1 or more")
	}
	return nil
}

func (c *harvestCommand) Run(ctx context.Context, s console.Streams) error {
	file, err := c.file(s)
	if err != nil {
		return err
	}
	config, err := load(file)
	if err != nil {
		return err
	}
	if c.Cluster != "" {
		return c.shared(ctx, s, file, &config)
	}
	if c.DryRun {
		return c.dryRun(ctx, s, &config)
	}
	folder := folderOf(&config)
	if c.Fresh {
		if err := moveAside(folder, s.Err); err != nil {
			return err
		}
	}
	look := int64(0)
	if c.Look != nil {
		look = *c.Look
	}
	work := func(ctx context.Context) error {
		return runHarvest(ctx, s, file, &config, folder, c.reporter(s), how{c.Extend, look, c.Words})
	}
	if !c.UI {
		return work(ctx)
	}
	return c.beside(ctx, s, file, work)
}

// reporter shows how the harvest goes, as the flags want it.
func (c *harvestCommand) reporter(s console.Streams) *reporter {
	return newReporter(s.Err, c.JSONLog, c.Quiet)
}

// moveAside keeps an old harvest under another name.
func moveAside(folder harvest.Folder, out io.Writer) error {
	aside, err := folder.MoveAside(time.Now())
	if err == nil && aside != "" {
		fmt.Fprintf(out, "the former harvest is now %s\n", aside)
	}
	return err
}

// how is what a run does other than to harvest all.
type how struct {
	extend bool
	look   int64 // URLs after which it pauses; 0 for never
	words  bool  // are indexed when it has ended, however complete it is
}

// runHarvest crawls and delivers what file describes. The error has the exit code of what ended the
// crawl.
func runHarvest(ctx context.Context, s console.Streams, file string, config *configs.Harvest,
	folder harvest.Folder, r *reporter, as how,
) error {
	warnOf(s, file, config)
	told, err := tellers(config, r.log)
	if err != nil {
		return err
	}
	var u *uploader
	if config.Upload.When == configs.UploadEnded {
		if u, err = uploaderOf(config, s.Err); err != nil {
			return err
		}
	}
	plan, err := planOf(config, r.log)
	if err != nil {
		return err
	}
	if err := logIn(&plan, config, r.log); err != nil {
		return err
	}
	defer r.close()
	defer sayUntold(&told, s.Err, file)()
	return notify.With(ctx, told, func(t *notify.Teller) error {
		n := &news{
			teller: t, name: config.Harvest, file: file, folder: folder, node: config.Node(),
		}
		plan.Extend = as.extend
		hold := pauseAfter(ctx, as.look, folder, r.log)
		plan.Crawl.Progress = func(p crawler.Progress) {
			r.crawling(p)
			n.watch(&p)
			hold(p.Visits)
		}
		plan.Begun = func(run harvest.Run) {
			r.attach(run)
			r.keepCrash(run)
			n.attach(run)
		}
		var d *harvest.Delivered
		err := inCluster(ctx, config, &plan, r.log, func(ctx context.Context) (err error) {
			d, err = crawlAndDeliver(ctx, s, file, plan, folder, r)
			return err
		})
		n.ended(d, err)
		if d != nil {
			if e := u.afterwards(ctx, s.Out, folder, n); e != nil {
				err = notStored(err, e)
				if n.node != "" { // which tells it from a loss of the harvest by that
					err = &exitError{exitFailed, err}
				}
			}
		}
		if d != nil && as.words {
			_, e := search.Update(ctx, folder, nil)
			err = errors.Join(err, e)
		}
		return err
	})
}

// pauseAfter has a run pause, by an order as a person gives it, once it has asked for so many URLs; 0
// is never. The function is called with their number as it grows.
func pauseAfter(ctx context.Context, look int64, folder harvest.Folder, log *slog.Logger) func(int64) {
	return func(visits int64) {
		if look == 0 || visits < look {
			return
		}
		look = 0
		go func() { // the run answers between two pages, which waits for who calls this
			_, err := folder.Order(ctx, control.Order{
				Do: control.Pause, By: "watershed", Note: "to be looked at before it goes on",
			})
			if err != nil && ctx.Err() == nil {
				log.Warn("the run was not paused to be looked at", "cause", err)
			}
		}()
	}
}

// crawlAndDeliver carries a plan out. It gives nil for a run that stopped before its delivery.
func crawlAndDeliver(ctx context.Context, s console.Streams, file string, plan harvest.Plan,
	folder harvest.Folder, r *reporter,
) (*harvest.Delivered, error) {
	defer boundGarbage()()
	var h *harvest.Harvest
	err := r.during(control.Opening, func() (err error) {
		h, err = harvest.Open(folder, plan)
		return err
	})
	if err != nil {
		r.finish("stopped", nil)
		return nil, err
	}
	stop := crawl(ctx, h, r)
	if err := unfinished(stop); err != nil {
		return nil, errors.Join(err, r.stopped(s.Out, h, stop))
	}
	var d *harvest.Delivered
	err = r.during(control.Delivering, func() (err error) {
		d, err = h.Deliver(ctx, stop)
		return err
	})
	if err != nil {
		return nil, errors.Join(unfinished(err), r.stopped(s.Out, h, err))
	}
	if err := h.Close(); err != nil {
		return d, err
	}
	r.lacks(len(d.Missing))
	r.delivered(d)
	if err := printResult(s.Out, d); err != nil {
		return d, err
	}
	if err := printCopies(s.Out, folder, file); err != nil {
		return d, err
	}
	return d, endingError(d.Run, d.Ending)
}

// endingError gives how a run ended its exit code; nil for one that is complete.
func endingError(run harvest.Run, e *report.Ending) error {
	switch e.Ended {
	case report.Limited:
		return &exitError{code: exitOfLimit(e.Limit), err: errors.New(e.Cause)}
	case report.Failed:
		return fmt.Errorf("nothing was captured: see %s", filepath.Join(run.Reports(), "losses.txt"))
	case report.WithLosses:
		return &exitError{code: exitLosses, err: &lossError{fmt.Errorf("lost: %s; see %s", e.Losses,
			filepath.Join(run.Reports(), "losses.txt")), e.Losses}}
	}
	return nil
}

// lossError says what a run that is complete has lost.
type lossError struct {
	error

	losses report.Losses
}

func crawl(ctx context.Context, h *harvest.Harvest, r *reporter) error {
	r.began(h)
	r.phase(control.Crawling)
	return h.Crawl(ctx)
}

// unfinished is the error of a crawl that stopped before there was anything to deliver. To reach a
// limit is no error.
func unfinished(stop error) error {
	switch {
	case stop == nil, harvest.LimitOf(stop) != "":
		return nil
	case errors.Is(stop, harvest.ErrStopped):
		return &exitError{exitInterrupted, errors.New(
			"stopped by order: the same command goes on where this stopped")}
	case errors.Is(stop, context.Canceled):
		return &exitError{exitInterrupted, errors.New(
			"interrupted: the same command goes on where this stopped")}
	}
	return stop
}

// limitError gives a limit that ended a crawl its exit code.
func limitError(stop error) error {
	if limit := harvest.LimitOf(stop); limit != "" {
		return &exitError{code: exitOfLimit(limit), err: stop}
	}
	return stop
}

// exitOfLimit is the exit code of a run that a limit ended.
func exitOfLimit(limit report.Limit) int {
	switch limit {
	case report.LimitTime:
		return exitTime
	case report.LimitBytes:
		return exitBytes
	}
	return exitPages
}

// printResult tells what was delivered and where it lies.
func printResult(out io.Writer, d *harvest.Delivered) error {
	paint := styleOf(out)
	fmt.Fprintf(out, "%s: %s\n", d.Run, paint.ending(d.Ending))
	if err := printEnding(out, d.Ending); err != nil {
		return err
	}
	for i, m := range d.Maps[:min(len(d.Maps), sitesShown)] {
		places, note, had := "", "", d.Sites[i]
		if n := inside(m); n > 0 {
			places = ", in " + console.Plural(n, "place", "places")
		}
		if m.Limited {
			note = ", stopped by its limit"
		}
		if had.Context > 0 {
			note += fmt.Sprintf(", with %d URLs of context", had.Context)
		}
		fmt.Fprintf(out, "  site %-24s %s, %s%s, boundary %s%s\n", m.Site,
			console.Plural(had.Pages, "page", "pages"),
			console.Plural(had.Requisites, "required file", "required files"),
			places, m.Boundary, note)
		if text := called(m); text != "" {
			fmt.Fprintf(out, "       %s\n", text)
		}
	}
	if more := len(d.Maps) - sitesShown; more > 0 {
		fmt.Fprintf(out, "  %s more, which reports/sites.txt lists\n",
			console.Plural(more, "site", "sites"))
	}
	fmt.Fprintf(out, "  archive   %s: %s in %s, %d bytes\n", d.Run.Archive(),
		console.Plural(d.Kept, "capture", "captures"),
		console.Plural(len(d.Files), "file", "files"), d.Bytes)
	fmt.Fprintf(out, "  left out  %s\n", filepath.Join(d.Run.Logs(), "skipped.jsonl"))
	fmt.Fprintf(out, "  reports   %s\n", d.Run.Reports())
	_, err := fmt.Fprintf(out, "  maps      %s\n", d.Run.Sites())
	if err == nil && d.Package != "" {
		_, err = fmt.Fprintf(out, "  package   %s\n", d.Package)
	}
	return err
}

// sitesShown is how many sites have a line of their own where a run is told in short.
const sitesShown = 50

// leftShown is how many places below the seeds and beside them that are out are shown.
const leftShown = 10

// printEnding tells what became of the URLs, and what was lost where something was.
func printEnding(out io.Writer, e *report.Ending) error {
	_, err := fmt.Fprintf(out, "  %s\n", e.Counted())
	if err == nil && e.Losses.Any() {
		_, err = fmt.Fprintf(out, "  lost      %s\n", e.Losses)
	}
	for _, x := range e.Notes() {
		if err == nil {
			_, err = fmt.Fprintf(out, "  note      %s\n", x)
		}
	}
	return errors.Join(err, printLeft(out, "note      ", e.Left, ": see watershed report FILE"))
}

// printLeft prints the first of the places that are out, with a word before each, and how many more are.
func printLeft(out io.Writer, word string, list []report.Left, see string) (err error) {
	for _, x := range list[:min(len(list), leftShown)] {
		_, err = fmt.Fprintf(out, "  %s%s\n", word, x)
	}
	if more := len(list) - leftShown; more > 0 {
		_, err = fmt.Fprintf(out, "  %s%d places more are out%s\n", word, more, see)
	}
	return err
}

// printCopies says how many replicas the harvest's table has, where it has some, so that proposals
// are seen.
func printCopies(out io.Writer, folder harvest.Folder, file string) error {
	t, err := harvest.ReadTable(folder.Replicas())
	if err != nil || t.Len() == 0 {
		return err
	}
	count := map[replica.State]int{}
	for _, e := range t.All() {
		count[e.State]++
	}
	var parts []string
	for _, x := range []replica.State{
		replica.Proposed, replica.Confirmed, replica.Pruned, replica.Expired,
		replica.Reopened, replica.Rejected,
	} {
		if count[x] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[x], x))
		}
	}
	_, err = fmt.Fprintf(out, "  copies    %s; see %s\n", strings.Join(parts, ", "),
		command("copies", "list", file))
	return err
}

// dryTries is how often a dry run asks a host in vain on which no seed lies, by one scheme: a host
// that does not answer would keep it waiting for an hour.
const dryTries = 2

// strangerTries gives dryTries for the hosts on which no seed lies.
func strangerTries(sites []sitemap.Site) func(page.Host) int {
	own := map[page.Host]bool{}
	for i := range sites {
		for _, u := range sites[i].Seeds {
			own[u.Host()] = true
		}
	}
	return func(name page.Host) int {
		if own[name] {
			return 0
		}
		return dryTries
	}
}

// dryRun surveys into a folder that is taken away afterwards.
func (c *harvestCommand) dryRun(ctx context.Context, s console.Streams, config *configs.Harvest) (err error) {
	dir, free, err := scratch(string(config.Archive.Dir), config.Harvest)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, free()) }()
	r := c.reporter(s)
	defer r.close()
	plan, err := planOf(config, r.log)
	if err == nil {
		err = logIn(&plan, config, r.log)
	}
	if err != nil {
		return err
	}
	plan.Survey.ContextUnasked = true
	plan.Frontier.HostTriesOf = strangerTries(plan.Sites)
	plan.Crawl.Progress = r.crawling
	plan.Begun = r.attach
	return inCluster(ctx, config, &plan, r.log, func(ctx context.Context) error {
		return survey(ctx, s, dir, plan, r)
	})
}

// mostSilent bounds the hosts that were given up and that a dry run names.
const mostSilent = 20

// survey crawls and prints the maps, and the hosts that were given up.
func survey(ctx context.Context, s console.Streams, dir harvest.Folder, plan harvest.Plan,
	r *reporter,
) error {
	h, err := harvest.Open(dir, plan)
	if err != nil {
		return err
	}
	stop := crawl(ctx, h, r)
	r.finish("finished", nil)
	maps, err := h.Maps()
	var e *report.Ending
	if err == nil {
		e, err = h.Surveyed(maps, stop)
	}
	silent := h.GivenUp()
	if err = errors.Join(err, h.Close()); err != nil {
		return err
	}
	for _, m := range maps {
		if err := printMap(s.Out, m); err != nil {
			return err
		}
	}
	likewise := ""
	if stop == nil && e.Limit == "" {
		likewise = ": a first harvest receives as much for its sites" // and more for their context
	}
	fmt.Fprintf(s.Out, "%s asked for, %s received%s\n",
		console.Plural(int64(r.last.Visits), "URL", "URLs"), console.Size(r.last.Bytes), likewise)
	if more := len(silent) - mostSilent; more > 0 {
		silent = append(silent[:mostSilent], fmt.Sprintf("%d more were given up", more))
	}
	for _, line := range silent {
		fmt.Fprintln(s.Out, visible(line))
	}
	if errors.Is(stop, harvest.ErrStopped) || errors.Is(stop, context.Canceled) {
		return &exitError{exitInterrupted, errors.New("interrupted: a dry run keeps nothing to go on with")}
	}
	if err := unfinished(stop); err != nil {
		return err
	}
	if e.Limit != "" {
		return &exitError{code: exitOfLimit(e.Limit), err: errors.New(e.Cause)}
	}
	if e.Losses.Seeds == 0 {
		return nil
	}
	var text strings.Builder
	for _, x := range e.Lost {
		if x.What == "seed" {
			fmt.Fprintf(&text, "; %s: %s", x.URL, x.Cause)
		}
	}
	return &exitError{code: exitLosses, err: fmt.Errorf("seeds without a page: %s", text.String()[2:])}
}

// discard is a log that nobody reads.
var discard = slog.New(slog.DiscardHandler)
