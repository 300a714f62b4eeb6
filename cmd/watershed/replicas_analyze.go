package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"watershed/configs"
	"watershed/corpus"
	"watershed/crawler/extract"
	"watershed/internal/rusage"
	"watershed/replica/catalog"
	"watershed/replica/cluster"
	"watershed/replica/collection"
	"watershed/replica/sketch"
)

// catalogName is the folder of the catalog in what replicas analyze writes.
const catalogName = "catalog"

type replicasAnalyze struct {
	From []string `required:"" sep:"none" placeholder:"PATH" help:"WARC file, WACZ package, CDXJ index with its WARC files, or folder of WARC files; may be given several times."`
	More []string `arg:"" optional:"" name:"path" help:"More of the same."`
	Out  string   `short:"o" default:"replicas" placeholder:"DIR" help:"Folder to be written."`
	Add  bool     `help:"Add a later sweep to what is there: pages that it has are brought up to date, those that it found gone are gone."`

	Threshold   float64      `default:"0.5" help:"Resemblance from which on pages are similar."`
	Containment float64      `help:"Containment from which on pages are similar, too; 0 for never."`
	MinPages    int          `default:"10" help:"Pages that make a collection."`
	Strict      bool         `help:"Let trivial clusters be merged only where all sites have both, as in section 3 of the paper."`
	Memory      configs.Size `default:"128MiB" help:"Memory for sorting."`
	Quiet       bool         `short:"q" help:"Print only the result."`
}

// Run reads the archives into a catalog, searches it, and writes what was found. A call that was cut short is gone on with by the same call.
func (c *replicasAnalyze) Run(ctx context.Context, s streams) (err error) {
	dir := filepath.Join(c.Out, catalogName)
	a := analysis{c: c, s: s, cost: &costs{}}
	x, err := catalog.Open(dir, catalog.Options{
		Cluster:    cluster.Options{Threshold: c.Threshold, Containment: c.Containment, Phase: func(p cluster.Phase) { a.cost.begin(p.String()) }},
		Collection: collection.Options{MinPages: c.MinPages, Condition: condition(c.Strict)},
		Memory:     int(c.Memory.Bytes()),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	now, read, err := c.begin(x, strings.Join(append(c.From, c.More...), " "))
	if err != nil {
		return err
	}
	if read {
		info, stats, err := a.read(ctx, x)
		if err != nil {
			return errors.Join(err, c.end())
		}
		now.Stats = &stats
		if err := c.note(now); err != nil {
			return err
		}
		a.say("sweep %d: %d pages, %d gone; %d clusters", info.Number, info.Documents, info.Gone, stats.Clusters)
	} else {
		a.say("the analysis was cut short after its pages were read: the search begins again")
	}
	if err := a.find(ctx, x, now.Stats); err != nil {
		return err
	}
	return c.end()
}

func condition(strict bool) collection.Condition {
	if strict {
		return collection.Strict
	}
	return collection.Extended
}

// analysis is a call of replicas analyze.
type analysis struct {
	c    *replicasAnalyze
	s    streams
	cost *costs
	told int
}

func (a *analysis) say(format string, args ...any) {
	if !a.c.Quiet {
		fmt.Fprintf(a.s.err, format+"\n", args...)
	}
}

// read adds the archives as a sweep.
func (a *analysis) read(ctx context.Context, x *catalog.Catalog) (info catalog.SweepInfo, st cluster.Stats, err error) {
	paths := append(a.c.From, a.c.More...)
	archives, err := corpus.Open(ctx, paths, corpus.Options{
		Text: true, Digest: true, Extract: extract.Options{Driver: extract.Scan},
		Damaged: func(x corpus.Damage) {
			if a.told++; a.told <= mostTold {
				a.say("damaged: %s", x)
			}
		},
	})
	if err != nil {
		return info, st, err
	}
	defer func() { err = errors.Join(err, archives.Close()) }()
	a.say("%d files, %d records, %d captures of %d URLs", archives.Stats().Files, archives.Stats().Records, archives.Stats().Captures, archives.Stats().URLs)
	builder, err := sketch.NewBuilder(sketch.Options{})
	if err != nil {
		return info, st, err
	}
	a.cost.begin("Reading and sketching")
	info, st, err = x.Add(ctx, 0, strings.Join(paths, " "), func(yield func(catalog.Document, error) bool) {
		some := false
		err := archives.Pages(ctx, func(p *corpus.Page) error {
			d, ok := documentOf(p, builder)
			if some = some || ok; ok && !yield(d, nil) {
				return errStopped
			}
			return nil
		})
		if err == nil && !some { // a sweep that saw nothing would be no sweep
			err = fmt.Errorf("no page in %s: %w", strings.Join(paths, ", "), corpus.ErrNothing)
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(catalog.Document{}, err)
		}
	})
	a.cost.end()
	if damaged := archives.Stats().Damaged; damaged > 0 {
		a.say("%d places could not be read", damaged)
	}
	return info, st, err
}

var errStopped = errors.New("stopped")

// documentOf sketches a page of an archive.
func documentOf(p *corpus.Page, b *sketch.Builder) (catalog.Document, bool) {
	if p.Listed || p.Unresolved {
		return catalog.Document{}, false // nothing is known of its text
	}
	b.Text(p.Text)
	if s := b.Sketch(); s.Tokens > 0 {
		p.Sketch = s.AppendEncode(nil)
	}
	return catalog.Of(&p.Visit)
}

// find searches the catalog and writes what was found.
func (a *analysis) find(ctx context.Context, x *catalog.Catalog, st *cluster.Stats) error {
	a.cost.begin("Collections")
	finding, err := x.Find(ctx)
	if err != nil {
		return err
	}
	a.cost.begin("Proposals")
	proposals, err := finding.Propose(catalog.Rule{Pages: a.c.MinPages, Similar: a.c.Threshold}, time.Now())
	if err != nil {
		return err
	}
	a.cost.begin("Tables")
	if err := finding.Write(ctx, a.c.Out, proposals); err != nil {
		return err
	}
	a.cost.end()
	full := 0
	for i := range proposals {
		if proposals[i].Full() {
			full++
		}
	}
	report, err := os.Create(filepath.Join(a.c.Out, "report.txt"))
	if err != nil {
		return err
	}
	err = errors.Join(finding.WriteText(ctx, report, proposals), a.cost.write(report), report.Close(), a.summary(finding, proposals, full, st))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.s.out, "%d pages, %d clusters, %d replicated collections; %d replicas may be left out, %d of them with full evidence\n%s\n",
		len(finding.Pages), finding.Result.Stats.Trivial, len(finding.Result.Collections), len(proposals), full, a.c.Out)
	return err
}

// summary writes summary.json.
func (a *analysis) summary(f *catalog.Finding, proposals []catalog.Proposal, full int, st *cluster.Stats) error {
	text, err := json.MarshalIndent(struct {
		Pages        int            `json:"pages"`
		SimilarPages int            `json:"similar_pages"`
		Clusters     int            `json:"clusters"`
		Collections  int            `json:"collections"`
		Replicas     int            `json:"replicas"`
		Full         int            `json:"full_evidence"`
		Sweep        *cluster.Stats `json:"sweep,omitempty"` // nobody knows it where the analysis was cut short as it ended
	}{len(f.Pages), f.Result.Stats.SimilarPages, f.Result.Stats.Trivial, len(f.Result.Collections), len(proposals), full, st}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(a.c.Out, "summary.json"), append(text, '\n'), 0o666)
}

// costs is the table of what each step costs, after the one of Broder and others, 1997, section 7.
type costs struct {
	rows  []costRow
	since time.Duration
	open  bool
}

type costRow struct {
	step string
	cpu  time.Duration
}

// begin begins a step, and ends the one before.
func (c *costs) begin(step string) {
	c.end()
	c.rows = append(c.rows, costRow{step: step})
	c.since, c.open = rusage.CPU(), true
}

func (c *costs) end() {
	if c.open {
		c.rows[len(c.rows)-1].cpu = rusage.CPU() - c.since
		c.open = false
	}
}

func (c *costs) write(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\nStep\tCPU seconds\n")
	for _, r := range c.rows {
		fmt.Fprintf(w, "%s\t%.2f\n", r.step, r.cpu.Seconds())
	}
	return w.Flush()
}
