package replicas

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"watershed/configs"
	"watershed/corpus"
	"watershed/crawler/extract"
	"watershed/internal/console"
	"watershed/lab/questions"
	"watershed/replica/catalog"
	"watershed/replica/cluster"
	"watershed/replica/sketch"
)

// paths are the archives.
func (c *Analyze) paths() []string { return append(slices.Clone(c.From), c.More...) }

// catalogName is the folder of the catalog in what replicas analyze writes.
const catalogName = "catalog"

// Analyze finds the copies in archives that exist.
type Analyze struct {
	From []string `sep:"none" placeholder:"PATH"`
	More []string `arg:"" optional:"" name:"path"`
	Out  string   `short:"o" default:"replicas" placeholder:"DIR"`
	Add  bool

	Memory configs.Size `default:"128MiB"`
	Quiet  bool         `short:"q"`

	method
}

// Run reads the archives into a catalog, searches it, and writes what was found.
func (c *Analyze) Run(ctx context.Context, s console.Streams) (err error) {
	dir := filepath.Join(c.Out, catalogName)
	if len(c.paths()) == 0 && !isCatalog(dir) {
		return fmt.Errorf("%s holds no analysis that could be searched again: --from names the archives",
			c.Out)
	}
	a := analysis{c: c, s: s, damage: console.Damage{Out: s.Err}}
	o := c.options()
	o.Memory = int(c.Memory.Bytes())
	if err := o.Validate(); err != nil {
		return err
	}
	x, err := catalog.Open(dir, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	if len(c.paths()) == 0 {
		return a.find(ctx, x)
	}
	if len(x.Sweeps()) > 0 && !c.Add {
		return fmt.Errorf("%s holds an analysis: --add adds a sweep to it, and without archives it is "+
			"searched again", c.Out)
	}
	info, err := a.read(ctx, x)
	if err != nil {
		return err
	}
	a.say("sweep %d: %d documents, %d gone", info.Number, info.Documents, info.Gone)
	if err := a.find(ctx, x); err != nil {
		return err
	}
	return a.damage.Err()
}

// analysis is a call of replicas analyze.
type analysis struct {
	c      *Analyze
	s      console.Streams
	damage console.Damage
}

func (a *analysis) say(format string, args ...any) {
	if !a.c.Quiet {
		fmt.Fprintf(a.s.Err, format+"\n", args...)
	}
}

// read adds archives, and tables of documents, as a sweep.
func (a *analysis) read(ctx context.Context, x *catalog.Catalog) (info catalog.SweepInfo, err error) {
	isTable := func(path string) bool { return filepath.Ext(path) == ".parquet" }
	paths := slices.DeleteFunc(a.c.paths(), isTable)
	tables := slices.DeleteFunc(a.c.paths(), func(path string) bool { return !isTable(path) })
	builder, err := sketch.NewBuilder(x.Options.Sketch)
	if err != nil {
		return info, err
	}
	var before earlier
	info, err = x.Add(ctx, 0, strings.Join(a.c.paths(), " "),
		func(yield func(catalog.Document, error) bool) {
			some := false
			add := func(d catalog.Document) bool {
				some = true
				return yield(d, nil)
			}
			for _, path := range tables {
				if more, err := readTable(path, add); err != nil {
					yield(catalog.Document{}, err)
					return
				} else if !more {
					return
				}
			}
			err := a.archives(ctx, paths, func(p *corpus.Page) error {
				if p.Unresolved && (p.Status == 0 || p.Status == http.StatusNotModified || p.OK()) {
					before.wait(p)
					return nil
				}
				if d, ok := documentOf(p, builder); ok && !add(d) {
					return errStopped
				}
				return nil
			})
			if err == nil && !some && len(before.waiting) == 0 { // a sweep that saw nothing would be no sweep
				err = fmt.Errorf("no page in %s: %w", strings.Join(a.c.paths(), ", "), corpus.ErrNothing)
			}
			switch {
			case err == nil:
				before.resolve(ctx, x, yield)
			case !errors.Is(err, errStopped):
				yield(catalog.Document{}, err)
			}
		})
	if n := len(before.waiting); n > 0 {
		a.say("%d pages are revisits of captures in no archive here: %d of them are pages of earlier sweeps",
			n, before.resolved)
	}
	return info, err
}

// archives gives the pages of archives, if there are some.
func (a *analysis) archives(ctx context.Context, paths []string, each func(*corpus.Page) error) (err error) {
	if len(paths) == 0 {
		return nil
	}
	archives, err := corpus.Open(ctx, paths, corpus.Options{
		Text: true, Extract: extract.Options{Driver: extract.Scan},
		Damaged: func(x corpus.Damage) { a.damage.Tell(x.File, x) },
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, archives.Close()) }()
	a.say("%d files, %d records, %d captures of %d URLs", archives.Stats().Files, archives.Stats().Records,
		archives.Stats().Captures, archives.Stats().URLs)
	return archives.Pages(ctx, each)
}

var errStopped = errors.New("stopped")

// mostCommon is how many shingles that say nothing are listed.
const mostCommon = 50

// documentOf sketches a page of an archive.
func documentOf(p *corpus.Page, b *sketch.Builder) (catalog.Document, bool) {
	if p.Listed {
		return catalog.Document{}, false // nothing is known of its text
	}
	b.Text(p.Text)
	if s := b.Sketch(); s.Tokens > 0 {
		p.Sketch = s.AppendEncode(nil)
	}
	d, ok := catalog.Of(&p.Visit)
	if ok && !d.Gone {
		d.Label = labelOf(p.Label)
	}
	return d, ok
}

// find searches the catalog and writes what was found.
func (a *analysis) find(ctx context.Context, x *catalog.Catalog) error {
	asked, err := questions.Read(ctx, x)
	if err != nil {
		return err
	}
	finding, err := x.Find(ctx)
	if err != nil {
		return err
	}
	a.say("%d clusters of the documents of all sweeps", finding.Clusters.Clusters)
	proposals, err := finding.Propose(catalog.Rule{Pages: a.c.MinPages}, time.Now())
	if err != nil {
		return err
	}
	common, found := asked.Common(mostCommon), newTables(x, asked, finding)
	err = errors.Join(found.write(ctx, a.c.Out, proposals), writeCommonTable(a.c.Out, common))
	if err != nil {
		return err
	}
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
	err = errors.Join(found.writeText(ctx, report, proposals), writeCommon(report, common),
		report.Close(), a.summary(finding, proposals, full))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.s.Out, "%d pages, %d clusters, %d replicated collections; %d replicas may be "+
		"left out, %d of them with full evidence\n%s\n",
		finding.Result.Stats.Pages, finding.Result.Stats.Trivial,
		len(finding.Result.Collections), len(proposals),
		full, a.c.Out)
	return err
}

// summary writes summary.json.
func (a *analysis) summary(f *catalog.Finding, proposals []catalog.Proposal, full int) error {
	text, err := json.MarshalIndent(struct {
		Pages        int           `json:"pages"`
		SimilarPages int           `json:"similar_pages"`
		Clusters     int           `json:"clusters"`
		Collections  int           `json:"collections"`
		Replicas     int           `json:"replicas"`
		Full         int           `json:"full_evidence"`
		Counts       cluster.Stats `json:"counts"`
	}{
		f.Result.Stats.Pages, f.Result.Stats.SimilarPages, f.Result.Stats.Trivial, len(f.Result.Collections),
		len(proposals), full, f.Clusters,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(a.c.Out, "summary.json"), append(text, '\n'), 0o666)
}

// isCatalog reports whether a folder holds a catalog.
func isCatalog(path string) bool {
	_, err := os.Stat(filepath.Join(path, "catalog.json"))
	return err == nil
}
