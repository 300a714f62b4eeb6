package evaluate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"watershed/internal/console"
	"watershed/internal/extsort"
	"watershed/lab/hostweb"
	"watershed/lab/kit/parameters"
	"watershed/lab/rankings"
	"watershed/replica/mirror"
)

// Mirrors compares rankings of pairs of hosts on a web whose mirrors are known.
type Mirrors struct {
	Truth       string
	URLs        string `name:"urls" placeholder:"FILE"`
	Links       string `placeholder:"FILE"`
	Hosts       string `placeholder:"FILE"`
	Clusters    string `placeholder:"FILE"`
	Collections string `placeholder:"FILE"`
	Declared    string `placeholder:"FILE"`
	Content     bool
	Told        bool
	Parameters  string   `placeholder:"FILE"`
	Without     []string `enum:"links,hosts,clusters,texts,collections,declared"`

	Generate int      `placeholder:"HOSTS"`
	Mean     int      `placeholder:"N"`
	Seed     uint64   `default:"1"`
	Write    string   `placeholder:"FILE"`
	Fit      int      `placeholder:"WEBS"`
	With     []string `sep:"none" placeholder:"DIR"`
	Weights  string   `placeholder:"FILE"`

	MinURLs  int `name:"min-urls" default:"10"`
	Depth    int `default:"100000"`
	Rank     int `name:"rank" placeholder:"K"`
	Memory   int `default:"512"`
	Outside  bool
	NoClose  bool
	CSV      string `name:"csv" placeholder:"FILE"`
	Verified string `placeholder:"FILE"`
	Pairs    string `placeholder:"RANKING"`
	Most     int    `default:"100"`
}

func (c *Mirrors) Run(ctx context.Context, s console.Streams) (err error) {
	if (c.Truth == "") == (c.Generate == 0) && c.Fit == 0 {
		return errors.New("either --truth or --generate is needed")
	}
	folder, err := os.MkdirTemp("", "watershed-mirrors-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	spill, err := extsort.OpenDir(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, spill.Close()) }()
	o, err := c.options()
	switch {
	case err != nil:
		return err
	case c.Fit > 0:
		return c.fit(ctx, s, spill, o)
	case c.Write != "":
		return c.write()
	}
	if c.Verified != "" {
		return c.levels(s.Out)
	}
	in, truth, err := c.input(ctx)
	if err != nil {
		return err
	}
	if !c.NoClose {
		truth.Close()
	}
	r, err := mirror.Rank(ctx, in, spill, o)
	if err != nil {
		return err
	}
	if c.Pairs != "" {
		m, err := rankings.ParseMethod(c.Pairs)
		if err != nil {
			return err
		}
		return rankings.WritePairs(s.Out, r, m, c.Most, true)
	}
	return c.print(s, rankings.Evaluate(r, truth))
}

func (c *Mirrors) options() (o mirror.Options, err error) {
	o = mirror.Options{MinURLs: c.MinURLs, Depth: c.Depth, Seed: c.Seed, Memory: c.Memory << 20}
	o.Graph.Outside = c.Outside
	if err := parameters.Read(c.Parameters, &o); err != nil {
		return o, err
	}
	if c.Weights != "" {
		f, err := os.Open(c.Weights)
		if err != nil {
			return o, err
		}
		if o.Weights, err = mirror.ReadWeights(f); err != nil {
			return o, errors.Join(fmt.Errorf("%s: %w", c.Weights, err), f.Close())
		}
		if err := f.Close(); err != nil {
			return o, err
		}
	}
	return o, o.Validate()
}

// print prints tables, and writes the files that were asked for. Tables are up to the number of
// mirrors, by default.
func (c *Mirrors) print(s console.Streams, e *rankings.Evaluation) error {
	k := c.Rank
	if k == 0 {
		k = min(max(e.Mirrors(), 1), 25_000)
	}
	if err := e.WriteText(s.Out, k); err != nil {
		return err
	}
	if c.CSV == "" {
		return nil
	}
	return writeFile(c.CSV, func(w io.Writer) error { return e.WriteCSV(w, k) })
}

// input is what a generated web or the lists tell.
func (c *Mirrors) input(ctx context.Context) (in mirror.Input, truth *rankings.Truth, err error) {
	if c.Generate > 0 {
		w, err := c.web(c.Generate, c.Seed)
		if err != nil {
			return in, nil, err
		}
		in = w.Input()
		if c.URLs != "" {
			in.URLs = rankings.ReadURLs(opener(c.URLs))
		}
		return c.leaveOut(in), w.Truth(), nil
	}
	return c.folder(ctx, c.Truth)
}

// folder is what a table of mirrors tells, or a folder with it and lists.
func (c *Mirrors) folder(ctx context.Context, path string) (in mirror.Input,
	truth *rankings.Truth, err error,
) {
	dir := path
	list := func(given, name string) string { return given }
	if info, err := os.Stat(path); err != nil {
		return in, nil, err
	} else if info.IsDir() {
		path = filepath.Join(dir, "mirrors.tsv")
		list = func(given, name string) string {
			if given == "" {
				if there := filepath.Join(dir, name); exists(there) {
					return there
				}
			}
			return given
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return in, nil, err
	}
	truth, err = rankings.ReadTruth(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return in, nil, fmt.Errorf("%s: %w", path, err)
	}
	clusters, collections := c.Clusters, c.Collections
	if c.Told {
		clusters, collections = list(clusters, "dupclusters.tsv"), list(collections, "collections.tsv")
	}
	in, err = readInput(list(c.URLs, "urls.txt"), list(c.Links, "links.tsv"), list(c.Hosts, "hosts.tsv"),
		clusters, collections, list(c.Declared, "declared.tsv"))
	if err == nil && c.Content {
		in, err = contentOf(ctx, dir, in)
	}
	return c.leaveOut(in), truth, err
}

func (c *Mirrors) web(hosts int, seed uint64) (*hostweb.Web, error) {
	return hostweb.New(hostweb.Options{Seed: seed, Hosts: hosts, MeanURLs: c.Mean})
}

func (c *Mirrors) leaveOut(in mirror.Input) mirror.Input {
	for _, w := range c.Without {
		switch w {
		case "links":
			in.Links = nil
		case "hosts":
			in.Addresses = nil
		case "clusters":
			in.Pages = nil
		case "texts":
			in.Pages = withoutTexts(in.Pages)
		case "collections":
			in.Collections = nil
		case "declared":
			in.Declared = nil
		}
	}
	return in
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func opener(path string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return os.Open(path) }
}

// readInput reads lists; of those without a name nothing is known.
func readInput(urls, links, hosts, clusters, collections, declared string) (in mirror.Input, err error) {
	if urls == "" {
		return in, errors.New("there is no list of URLs: --urls names one")
	}
	if in.URLs, err = rankings.SortURLs(opener(urls)); err != nil {
		return in, fmt.Errorf("%s: %w", urls, err)
	}
	if links != "" {
		in.Links = named(links, rankings.ReadLinks(opener(links)))
	}
	if hosts != "" {
		in.Addresses = named(hosts, rankings.ReadAddresses(opener(hosts)))
	}
	if clusters != "" {
		in.Pages = withSingles(in.URLs, named(clusters, rankings.ReadPages(opener(clusters))))
	}
	if collections != "" {
		in.Collections = named(collections, mirror.ReadCollections(opener(collections)))
	}
	if declared != "" {
		in.Declared = named(declared, rankings.ReadDeclared(opener(declared)))
	}
	return in, nil
}

// named adds the name of the file to errors.
func named[T any](file string, list iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for v, err := range list {
			if err != nil {
				err = fmt.Errorf("%s: %w", file, err)
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

// withoutTexts gives pages with their clusters alone.
func withoutTexts(pages iter.Seq2[mirror.Page, error]) iter.Seq2[mirror.Page, error] {
	if pages == nil {
		return nil
	}
	return func(yield func(mirror.Page, error) bool) {
		for p, err := range pages {
			p.Least = mirror.Least{}
			if !yield(p, err) {
				return
			}
		}
	}
}

// withSingles gives the pages of clusters, then all other URLs as pages that are like no other.
func withSingles(urls iter.Seq2[[]byte, error],
	pages iter.Seq2[mirror.Page, error],
) iter.Seq2[mirror.Page, error] {
	return func(yield func(mirror.Page, error) bool) {
		have := make(map[string]bool)
		for p, err := range pages {
			have[string(p.URL)] = true
			if !yield(p, err) {
				return
			}
		}
		for u, err := range urls {
			if !have[string(u)] && !yield(mirror.Page{URL: u}, err) {
				return
			}
		}
	}
}

// write writes the URLs of the generated web.
func (c *Mirrors) write() error {
	w, err := c.web(c.Generate, c.Seed)
	if err != nil {
		return err
	}
	return writeFile(c.Write, func(out io.Writer) error {
		b := bufio.NewWriterSize(out, 1<<20)
		for u, err := range w.URLs() {
			if err != nil {
				return err
			}
			_, e := b.Write(u)
			if err := errors.Join(e, b.WriteByte('\n')); err != nil {
				return err
			}
		}
		return b.Flush()
	})
}

// fits are the ways in which a web may be known; weights are fitted to all of them, so that what is
// not known at all weighs nothing.
var fits = [][]string{
	nil,
	{"clusters", "collections", "declared"},
	{"links", "hosts", "clusters", "collections", "declared"},
	{"links"},
	{"hosts", "declared"},
	{"texts", "collections"},
}

// fit fits weights to webs of Generate hosts, of the seeds from Seed on.
func (c *Mirrors) fit(ctx context.Context, s console.Streams, spill *extsort.Dir, o mirror.Options) error {
	hosts := c.Generate
	if hosts == 0 {
		hosts = 1000
	}
	var samples []rankings.Sample
	for i := range c.Fit {
		w, err := hostweb.New(varied(i, hosts, c.Mean, c.Seed+uint64(i)))
		if err != nil {
			return err
		}
		if samples, err = sample(ctx, samples, w.Input(), w.Truth(), spill, o); err != nil {
			return err
		}
		fmt.Fprintf(s.Err, "web %d: %d samples\n", i+1, len(samples))
	}
	for _, dir := range c.With {
		in, truth, err := c.folder(ctx, dir)
		if err != nil {
			return err
		}
		truth.Close()
		if samples, err = sample(ctx, samples, in, truth, spill, o); err != nil {
			return err
		}
		fmt.Fprintf(s.Err, "%s: %d samples\n", dir, len(samples))
	}
	return rankings.WriteWeights(s.Out, rankings.Fit(samples, rankings.FitOptions{}))
}

// sample adds what is known of a web's pairs, in each of the ways of fits.
func sample(ctx context.Context, samples []rankings.Sample, in mirror.Input, truth *rankings.Truth,
	spill *extsort.Dir, o mirror.Options,
) ([]rankings.Sample, error) {
	for _, without := range fits {
		part := Mirrors{Without: without}
		r, err := mirror.Rank(ctx, part.leaveOut(in), spill, o)
		if err != nil {
			return nil, err
		}
		samples = append(samples, rankings.Samples(r, truth)...)
	}
	return samples, nil
}

// varied gives the options of web i of a fit. Nobody knows the parameters of the next web, so webs
// differ in what the papers do not tell: how much of them is known and read, how far mirrors drift,
// how many are of which level, how many sites a program made.
func varied(i, hosts, mean int, seed uint64) hostweb.Options {
	o := hostweb.Options{
		Seed: seed, Hosts: hosts, MeanURLs: mean,
		Known:        []float64{.99, .35, .7, .15}[i%4],
		Read:         []float64{.9, .3, 1}[i%3],
		LinkDrift:    []float64{.25, .9, .5}[i%3],
		ContentDrift: []float64{.35, .8}[i%2],
		Lookalike:    []float64{.15, .6}[i/2%2],
		Programs:     hosts / []int{30, 70, 130}[i%3],
		Rings:        []float64{.5, .9}[i/2%2],
		Found:        []float64{.01, .8, .4}[i%3],
		Outward:      []float64{.33, .02, .1}[i%3],
	}
	if mean == 0 && i%3 == 1 {
		o.MinURLs, o.MeanURLs = 15, 90
	}
	if i%2 == 0 {
		o.Levels = [5]float64{.3, .1, .2, .2, .2}
	}
	return o
}
