package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"watershed/configs"
	"watershed/corpus"
	"watershed/crawler/extract"
	"watershed/delimit"
	"watershed/harvest"
	"watershed/internal/console"
	"watershed/page"
	"watershed/sitemap"
)

type delimitCommand struct {
	From     []string `required:"" sep:"none" placeholder:"PATH"`
	More     []string `arg:"" optional:"" name:"path"`
	Seed     []string `sep:"none" placeholder:"URL"`
	Config   string   `placeholder:"FILE"`
	Out      string   `short:"o" default:"delimit" placeholder:"DIR"`
	MinPages int      `default:"5"`
}

// Run divides an archive into sites and writes what was found.
func (c *delimitCommand) Run(ctx context.Context, s console.Streams) (err error) {
	if c.MinPages < 1 || c.MinPages > 1e6 {
		err := fmt.Errorf("--min-pages is %d; it lies between 1 and 1000000", c.MinPages)
		return &exitError{exitUsage, err}
	}
	o := delimit.Options{MinPages: c.MinPages}
	sites, err := c.sites(&o)
	if err != nil {
		return err
	}
	if err := there(slices.Concat(c.From, c.More)...); err != nil {
		return err
	}
	out, err := newDelimited(c.Out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.close()) }()
	d := delimiting{c: c, s: s, out: out, damage: console.Damage{Out: s.Err}}
	w, seeds, err := d.read(ctx)
	if err != nil {
		return err
	}
	d.say("%s, %s, %s; drawing boundaries", console.Plural(w.Pages(), "page", "pages"),
		console.Plural(w.URLs(), "URL", "URLs"), console.Plural(w.Links(), "link", "links"))
	var res *delimit.Result
	if len(sites) > 0 {
		res, err = w.DelimitSites(ctx, sites, o, out.site)
	} else {
		res, err = w.Delimit(ctx, seeds, o, out.site)
	}
	if err != nil {
		return err
	}
	if err := out.result(res); err != nil {
		return err
	}
	never := "URLs that belong were never captured"
	_, err = fmt.Fprintf(s.Out, "%s of %s and %s; %s\n%s\n", console.Plural(res.Pages, "page", "pages"),
		console.Plural(res.Sites-res.Rests, "site", "sites"), console.Plural(res.Rests, "rest", "rests"),
		console.Plural(out.missing, "URL that belongs was never captured", never), c.Out)
	return errors.Join(err, d.damage.Err())
}

// sites are those that the flags name; none: they are to be found.
func (c *delimitCommand) sites(o *delimit.Options) ([]sitemap.Site, error) {
	var sites []sitemap.Site
	if c.Config != "" {
		config, err := load(c.Config)
		if err != nil {
			return nil, err
		}
		o.Survey = surveyOf(&config.Boundary)
		if sites, err = sitesOf(&config); err != nil {
			return nil, err
		}
	}
	for _, text := range c.Seed {
		u, err := page.ParseURL(text)
		if err != nil {
			return nil, &exitError{exitUsage, fmt.Errorf("--seed: %w", err)}
		}
		sites = append(sites, sitemap.Site{Name: strings.TrimPrefix(strings.TrimPrefix(string(u), "https://"),
			"http://"), Seeds: []page.URL{u}})
	}
	return sites, nil
}

func sitesOf(c *configs.Harvest) (sites []sitemap.Site, err error) {
	for i := range c.Sites {
		s, err := siteOf(&c.Sites[i])
		if err != nil {
			return nil, err
		}
		sites = append(sites, s)
	}
	return sites, nil
}

// delimiting reads an archive into a web.
type delimiting struct {
	c      *delimitCommand
	s      console.Streams
	out    *delimited
	damage console.Damage
}

func (d *delimiting) say(format string, args ...any) {
	fmt.Fprintf(d.s.Err, format+"\n", args...)
}

// read reads the archive.
func (d *delimiting) read(ctx context.Context) (_ *delimit.Web, seeds []page.URL, err error) {
	paths := append(d.c.From, d.c.More...)
	c, err := corpus.Open(ctx, paths, corpus.Options{
		Extract: extract.Options{Driver: extract.Scan, Lazy: true},
		Damaged: func(x corpus.Damage) {
			d.damage.Tell(x.File, x)
			d.out.damaged(x)
		},
	})
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	st := c.Stats()
	tellLeft(d.s, st.Left)
	d.say("%s, %s, %s of %s", console.Plural(st.Files, "file", "files"),
		console.Plural(st.Records, "record", "records"), console.Plural(st.Captures, "capture", "captures"),
		console.Plural(st.URLs, "URL", "URLs"))
	if st.Unresolved > 0 {
		fmt.Fprintf(d.s.Err, "%d of %d revisits stand for records that are not here, or cannot be sought: "+
			"where no other capture has the page, its links are not known\n", st.Unresolved, st.Revisits)
	}
	w := delimit.NewWeb()
	if err := c.Pages(ctx, func(p *corpus.Page) error { w.Add(&p.Visit, p.Listed); return nil }); err != nil {
		return nil, nil, err
	}
	if w.Pages() == 0 {
		return nil, nil, fmt.Errorf("no page in %s: %w: none of %d captures is HTML (text alone, as in WET "+
			"files, has no links)", strings.Join(paths, ", "), corpus.ErrNothing, st.Captures)
	}
	st = c.Stats()
	d.out.corpus = st
	if st.Damaged > 0 {
		fmt.Fprintf(d.s.Err, "%s could not be read: see damage.csv\n",
			console.Plural(st.Damaged, "place", "places"))
	}
	return w, c.Seeds(), nil
}

// delimited is the folder that is written.
type delimited struct {
	dir                        string
	sites, miss, pages, claims *table
	damage                     *table
	missing                    int
	corpus                     corpus.Stats
}

func newDelimited(dir string) (*delimited, error) {
	if list, err := os.ReadDir(dir); err == nil && len(list) > 0 {
		return nil, fmt.Errorf("%s is not empty", dir)
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	d := &delimited{dir: dir}
	for _, t := range []struct {
		to   **table
		name string
		head []string
	}{
		{&d.sites, "sites.csv", []string{
			"site", "name", "title", "pages", "missing", "requisites", "hosts",
			"roots", "claims", "rest", "converged", "seeds",
		}},
		{&d.miss, "missing.csv", []string{"url", "site", "why", "excess", "links", "from"}},
		{&d.pages, "pages.tsv", nil},
		{&d.claims, "claims.csv", []string{"url", "site", "also"}},
		{&d.damage, "damage.csv", []string{"file", "at", "error"}},
	} {
		var err error
		if *t.to, err = newTable(filepath.Join(dir, t.name), t.head); err != nil {
			return nil, errors.Join(err, d.close())
		}
	}
	return d, nil
}

func (d *delimited) close() error {
	var errs []error
	for _, t := range []*table{d.damage, d.claims, d.pages, d.miss, d.sites} {
		if t != nil {
			errs = append(errs, t.close())
		}
	}
	return errors.Join(errs...)
}

func (d *delimited) damaged(x corpus.Damage) {
	d.damage.line(x.File, strconv.FormatInt(x.Offset, 10), x.Err.Error())
}

// site writes one site.
func (d *delimited) site(s *delimit.Site) error {
	number, requisites, converged := strconv.Itoa(s.Number), "", ""
	if s.Map != nil {
		requisites, converged = strconv.Itoa(len(s.Map.Requisites)), strconv.FormatBool(s.Map.Converged)
		if err := harvest.WriteMap(filepath.Join(d.dir, "sites", harvest.SiteFolder(s.Number, s.Name)),
			s.Map); err != nil {
			return err
		}
	}
	d.sites.line(number, s.Name, s.Title, strconv.Itoa(s.Pages), strconv.Itoa(len(s.Missing)), requisites,
		join(s.Hosts), strconv.Itoa(s.Roots),
		strconv.Itoa(s.Claims), strconv.FormatBool(s.Rest), converged, join(s.Seeds))
	for i := range s.Missing {
		m := &s.Missing[i]
		excess := ""
		if m.Excess > 0 {
			excess = strconv.FormatFloat(float64(m.Excess)/1e6, 'f', 3, 64)
		}
		d.miss.line(string(m.URL), number, m.Why.String(), excess, strconv.Itoa(m.Links), string(m.From))
	}
	d.missing += len(s.Missing)
	return d.sites.csv.Error()
}

func join[T ~string](list []T) string {
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = string(x)
	}
	return strings.Join(texts, " ")
}

// result writes what is told of all sites together.
func (d *delimited) result(r *delimit.Result) error {
	err := r.Each(func(u page.URL, site int) error {
		_, err := d.pages.out.WriteString(string(u) + "\t" + strconv.Itoa(site) + "\n")
		return err
	})
	if err != nil {
		return err
	}
	for _, x := range r.Claims {
		d.claims.line(string(x.URL), strconv.Itoa(x.Site), strconv.Itoa(x.And))
	}
	text, err := json.MarshalIndent(struct {
		Sites   int          `json:"sites"`
		Rests   int          `json:"rests"`
		Pages   int          `json:"pages"`
		Missing int          `json:"missing"`
		Claims  int          `json:"claims"`
		Corpus  corpus.Stats `json:"corpus"`
	}{r.Sites, r.Rests, r.Pages, d.missing, len(r.Claims), d.corpus}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(d.dir, "summary.json"), append(text, '\n'), 0o666)
}

// table is a file of lines that is being written.
type table struct {
	f   *os.File
	out *bufio.Writer
	csv *csv.Writer
}

func newTable(path string, head []string) (*table, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	t := &table{f: f, out: bufio.NewWriter(f)}
	t.csv = csv.NewWriter(t.out)
	if head != nil {
		t.line(head...)
	}
	return t, nil
}

// line writes a line; close tells of errors.
func (t *table) line(fields ...string) { _ = t.csv.Write(fields) }

func (t *table) close() error {
	t.csv.Flush()
	return errors.Join(t.csv.Error(), t.out.Flush(), t.f.Close())
}
