package evaluate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"watershed/internal/console"
	"watershed/lab/judge"
	"watershed/lab/kit/parameters"
	"watershed/sitemap"
)

// Boundary compares ways to draw the boundaries of sites on webs whose sites are known.
type Boundary struct {
	Truth  []string `sep:"none" placeholder:"[NAME=]PATH[,PATH]..."`
	Suite  string   `placeholder:"FILE"`
	Half   string   `default:"seen"`
	Links  string
	URLs   []string `name:"urls" default:"as-is"`
	Given  string   `default:"entry"`
	Class  []string
	Method []string `sep:"none"`
	Sites  bool
	Wide   bool

	Ablate  bool
	Without []string `sep:"none" placeholder:"PART,..."`
	Table1  string   `name:"table1" placeholder:"SITE"`
	Table2  int      `name:"table2" placeholder:"N"`
	Fig10   bool     `name:"figure10"`

	Preset       string `default:"shares"`
	Lean         float64
	Sitemaps     float64
	Superset     string  `default:"host"`
	ClusterGrain float64 `name:"inflation"`
	Toll         float64
	Threshold    float64
	MaxPages     int    `default:"2500"`
	Seed         uint32 `default:"5"`
	Parameters   string `placeholder:"FILE"`
	JSON         bool   `name:"json" xor:"format"`
	CSV          bool   `name:"csv" xor:"format"`
}

func (c *Boundary) Run(ctx context.Context, s console.Streams) error {
	o, err := c.options()
	if err != nil {
		return err
	}
	given, err := byName("given", c.Given, judge.EntryPage, judge.KeywordOnly)
	if err != nil {
		return err
	}
	var spellings []judge.Spelling
	for _, name := range c.URLs {
		spelling, err := byName("spelling", name, judge.AsIs, judge.Hashed)
		if err != nil {
			return err
		}
		spellings = append(spellings, spelling)
	}
	if c.Links != "" && len(c.Truth) > 1 {
		return errors.New("--links serves one --truth")
	}
	if (c.Suite == "") == (len(c.Truth) == 0) {
		return errors.New("want --truth or --suite")
	}
	bad := console.Damage{Out: s.Err}
	if c.Suite != "" {
		rows, err := c.runSuite(ctx, s, o)
		if err != nil {
			return err
		}
		return c.print(s, rows)
	}
	var rows []judge.Row
	for _, text := range c.Truth {
		var name string
		var truths []*judge.Truth
		bad.Read(text, func() (err error) {
			name, truths, err = c.readWeb(text)
			return err
		})
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(truths) == 0 {
			continue
		}
		for _, spelling := range spellings {
			web := name
			if len(spellings) > 1 && spelling != judge.AsIs {
				web += " " + spelling.String()
			}
			var list []*judge.Evaluation
			for _, truth := range truths {
				list = append(list, &judge.Evaluation{
					Truth: truth.Respell(spelling), Options: o,
					Given: given, MaxPages: c.MaxPages, Seed: c.Seed, Sitemaps: c.Sitemaps, Classes: c.Class,
				})
			}
			more, err := c.evaluate(ctx, s, list, web)
			if err != nil {
				return fmt.Errorf("evaluate on %s: %w", text, err)
			}
			rows = append(rows, more...)
		}
	}
	if len(rows) == 0 {
		return bad.Err()
	}
	return errors.Join(c.print(s, rows), bad.Err())
}

// readWeb reads the truths that count as one web, which is called by its name or its first folder.
func (c *Boundary) readWeb(text string) (name string, truths []*judge.Truth, err error) {
	name, list, named := strings.Cut(text, "=")
	if !named {
		list = text
	}
	for path := range strings.SplitSeq(list, ",") {
		truth, err := readTruth(path, c.Links)
		if err != nil {
			return "", nil, err
		}
		if !named {
			name, named = filepath.Base(strings.TrimSuffix(path, "/sites.tsv")), true
		}
		truths = append(truths, truth)
	}
	return name, truths, nil
}

func (c *Boundary) options() (o sitemap.Options, err error) {
	if o.Preset, err = byName("preset", c.Preset, sitemap.Shares, sitemap.PaperClusters); err != nil {
		return o, err
	}
	if o.Process.Superset, err = byName("superset", c.Superset, sitemap.SeedHosts,
		sitemap.Surveyed); err != nil {
		return o, err
	}
	o.Lean = c.Lean
	o.Process.Inflation, o.Process.Toll, o.Process.Flow.Threshold = c.ClusterGrain, c.Toll, c.Threshold
	return o, errors.Join(parameters.Read(c.Parameters, &o), o.Validate())
}

func (c *Boundary) format() judge.Format {
	switch {
	case c.JSON:
		return judge.JSON
	case c.CSV:
		return judge.CSV
	}
	return judge.Text
}

// evaluate compares methods on a web, or prints what else was asked for of it.
func (c *Boundary) evaluate(ctx context.Context, s console.Streams, list []*judge.Evaluation,
	web string,
) ([]judge.Row, error) {
	switch {
	case c.Table1 != "" || c.Table2 > 0 || c.Fig10:
		for _, e := range list {
			if err := c.printPaper(ctx, s, e); err != nil {
				return nil, err
			}
		}
		return nil, nil
	case c.Ablate, len(c.Without) > 0:
		methods, err := c.variants(list[0].Options)
		if err != nil {
			return nil, err
		}
		return c.compare(ctx, s, list, web, methods)
	}
	return c.compare(ctx, s, list, web, judge.Methods())
}

// variants of the method that are asked for.
func (c *Boundary) variants(o sitemap.Options) (methods []judge.Method, err error) {
	list := judge.Ablation(o)
	if !c.Ablate {
		list = list[:1]
	}
	for _, text := range c.Without {
		v, err := judge.Without(o, strings.Split(text, ",")...)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	for _, v := range list {
		methods = append(methods, v.Method())
	}
	return methods, nil
}

// print prints rows, if there are any, as asked for.
func (c *Boundary) print(s console.Streams, rows []judge.Row) error {
	if rows == nil {
		return nil
	}
	if c.Wide {
		return judge.WriteWide(s.Out, c.format(), rows)
	}
	return judge.WriteRows(s.Out, c.format(), rows)
}

// printPaper prints a table or figure of the paper.
func (c *Boundary) printPaper(ctx context.Context, s console.Streams, e *judge.Evaluation) error {
	switch {
	case c.Table1 != "":
		i := slices.IndexFunc(e.Truth.Sites(), func(t judge.TruthSite) bool { return t.Name == c.Table1 })
		if i < 0 {
			return fmt.Errorf("sites.tsv names no site %q", c.Table1)
		}
		return judge.WriteTable1(s.Out, c.format(), e.Table1(e.Truth.Sites()[i]))
	}
	return c.printClusters(ctx, s, e)
}

// compare judges methods on the samples of a web.
func (c *Boundary) compare(ctx context.Context, s console.Streams, list []*judge.Evaluation, web string,
	methods []judge.Method,
) ([]judge.Row, error) {
	var rows []judge.Row
	known := make(map[string]bool)
	for _, m := range methods {
		known[m.Name] = true
		if len(c.Method) > 0 && !slices.Contains(c.Method, m.Name) {
			continue
		}
		var scores []judge.Score
		for _, e := range list {
			for _, site := range e.Sample() {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				sc := e.Score(m, site)
				scores = append(scores, sc)
				if c.Sites || sc.BelowPrefix() && strings.Contains(m.Name, judge.Recommended) {
					fmt.Fprintf(s.Err, "%s\t%s\t%s\t%s\t%d of %d\tP %.3f\tR %.3f\tF1 %.3f\t"+
						"outside %d\tprefix %.3f\n",
						m.Name, site.Class, site.Name, e.Truth.Entry(site), sc.Size, site.Pages(),
						sc.Precision, sc.Recall, sc.F1, sc.Outside, sc.Floor)
				}
			}
		}
		for _, r := range judge.Rows(m.Name, scores) {
			r.Web = web
			rows = append(rows, r)
		}
	}
	for _, name := range c.Method {
		if !known[name] {
			return nil, fmt.Errorf("no method is called %q", name)
		}
	}
	return rows, c.tellCertificates(s, list, web)
}

// tellCertificates counts the maps whose cuts were certified. A refused one is an error.
func (c *Boundary) tellCertificates(s console.Streams, list []*judge.Evaluation, web string) error {
	certified, refused := 0, []error(nil)
	for _, e := range list {
		certified += e.Certified
		refused = append(refused, e.Refused...)
	}
	if certified+len(refused) > 0 {
		fmt.Fprintf(s.Err, "%s: the cuts of %d maps were certified, those of %d were refused\n", web,
			certified, len(refused))
	}
	return errors.Join(refused...)
}

// printClusters prints what the paper tells of all clusters of a web.
func (c *Boundary) printClusters(ctx context.Context, s console.Streams, e *judge.Evaluation) error {
	clusters, err := e.Clusters(ctx)
	if err != nil {
		return err
	}
	figure := judge.NewFigure(clusters.Sizes())
	if c.Fig10 {
		if err := figure.WriteText(s.Out); err != nil {
			return err
		}
	}
	if c.Table2 > 0 {
		return judge.WriteTable2(s.Out, c.format(), e.Table2(clusters, c.Table2))
	}
	return nil
}

// readTruth reads a folder, or a sites.tsv and its links.tsv.
func readTruth(path, links string) (_ *judge.Truth, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	sites := path
	if info.IsDir() {
		sites = filepath.Join(path, "sites.tsv")
	}
	if links == "" {
		links = filepath.Join(filepath.Dir(sites), "links.tsv")
	}
	f, err := os.Open(sites)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	g, err := os.Open(links)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	return judge.ReadTruthFrom(f, g)
}

// byName is the option of that name, as String tells it, among the numbers from the first to the
// last; "" is the first.
func byName[T interface {
	~uint8
	fmt.Stringer
}](option, name string, first, last T,
) (T, error) {
	if name == "" {
		return first, nil
	}
	var names []string
	for v := first; v <= last; v++ {
		if v.String() == name {
			return v, nil
		}
		names = append(names, v.String())
	}
	return first, fmt.Errorf("%s %q: want one of %v", option, name, names)
}
