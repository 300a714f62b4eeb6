// Package collectionbench measures package replica/collection on test webs whose copies are known,
// and on generated ones. Each exported type is a command of the laboratory.
package collectionbench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"watershed/internal/extsort"
	"watershed/lab/collections"
	"watershed/lab/kit/parameters"
	"watershed/lab/kit/planted"
	"watershed/lab/kit/rusage"
	"watershed/lab/sketchbench"
	"watershed/page"
	"watershed/replica/collection"
	"watershed/replica/sketch"
)

// step is one way to search, from the paper as printed to our default.
type step struct {
	name    string
	options collection.Options
}

var steps = []step{
	{"strict, as printed", collection.Options{CoresOnly: true, Condition: collection.Strict, Faithful: true}},
	{"strict, with matching", collection.Options{CoresOnly: true, Condition: collection.Strict}},
	{"extended, as printed", collection.Options{CoresOnly: true, Faithful: true}},
	{"extended, with matching", collection.Options{CoresOnly: true}},
	{"default: joined, extended by nearby pages", collection.Options{}},
}

// Web prints the scores of each step of the method on the pages of a built test web, whose similar
// pages are told by chunks of lines.
type Web struct {
	Folder     string `arg:"" name:"web"`
	Similar    string `default:"four"`
	Common     int    `placeholder:"T"`
	Parameters string `placeholder:"FILE"`
	Problems   int
}

func (c *Web) Run(out io.Writer) error {
	web := os.DirFS(c.Folder)
	truth, err := collections.ReadTruth(web)
	if err != nil {
		return err
	}
	t, err := readTexts(truth, web, c.Similar)
	if err != nil {
		return err
	}
	in := truth.Input()
	t.tell(&in)
	var last *collection.Result
	for i, s := range steps {
		s.options.Threshold = cmp.Or(c.Common, t.threshold)
		if i == len(steps)-1 {
			if err := parameters.Read(c.Parameters, &s.options); err != nil {
				return err
			}
		}
		start := rusage.CPU()
		if last, err = collection.Find(context.Background(), in, s.options); err != nil {
			return err
		}
		fmt.Fprintf(out, "== %s: %.1f s, %d trivial clusters, %d cores, %d merges rejected\n", s.name,
			(rusage.CPU() - start).Seconds(),
			last.Stats.Trivial, last.Stats.Cores, len(last.Stats.Rejected))
		score, list := collections.Evaluation{Truth: truth, Result: last}.Score()
		if err := score.WriteText(out); err != nil {
			return err
		}
		if s.name == steps[len(steps)-1].name {
			for _, p := range list[:min(c.Problems, len(list))] {
				fmt.Fprintln(out, p)
			}
		}
	}
	return collections.WriteHistogram(out, []collections.Series{{
		Name: "Figure 11, similar by " + c.Similar, Bars: collections.Histogram(last),
	}})
}

// texts is what tells which pages are similar.
type texts struct {
	similar   string
	threshold int
	chunks    [][]uint64
	sketches  []sketch.Sketch
}

// readTexts reads the visible text of every page. Sketches are made in any case: they say how much
// pages resemble that only their path maps.
func readTexts(truth *collections.Truth, web fs.FS, similar string) (*texts, error) {
	chunking, ok := map[string]collections.Chunking{
		"four": collections.FourLines, "two": collections.TwoLines, "whole": collections.WholeDocument,
	}[similar]
	if !ok {
		return nil, fmt.Errorf("--similar %s: not four, two or whole", similar)
	}
	n := len(truth.Pages)
	t := &texts{
		similar: similar, threshold: chunking.Threshold(), chunks: make([][]uint64, n),
		sketches: make([]sketch.Sketch, n),
	}
	chunker, err := collections.NewChunker(collections.ChunkOptions{Chunking: chunking})
	if err != nil {
		return nil, err
	}
	builder, err := sketch.NewBuilder(sketch.Options{})
	if err != nil {
		return nil, err
	}
	take := func(piece []byte) {
		chunker.Text(piece)
		builder.Text(piece)
	}
	return t, truth.Texts(web, nil, take, func(p uint32, _ []byte, _ []page.Link) error {
		f := chunker.Page()
		truth.Pages[p].Whole, t.chunks[p] = f.Whole, f.Chunks
		t.sketches[p] = builder.Sketch()
		return nil
	})
}

// tell adds to an input what makes pages similar.
func (t *texts) tell(in *collection.Input) {
	in.Resemblance = func(p, q uint32) float64 {
		e, err := sketchbench.MinResemblance(&t.sketches[p], &t.sketches[q])
		if err != nil {
			return 0 // a page without a sketch resembles nothing
		}
		return e.Value
	}
	if t.similar != "whole" {
		in.Chunks = func(add func(p uint32, chunk uint64) error) error {
			for p, list := range t.chunks {
				for _, c := range list {
					if err := add(uint32(p), c); err != nil {
						return err
					}
				}
			}
			return nil
		}
	}
}

// Synthetic prints time and memory of a search in a generated web.
type Synthetic struct {
	Pages  int    `default:"1000000"`
	Spill  string `placeholder:"DIR"`
	Memory int    `default:"16"`
}

func (c *Synthetic) Run(out io.Writer) (err error) {
	web := planted.Spec{
		Collections: c.Pages / 3000, Replicas: 6, Size: 100, Links: 8, Strangers: 5,
		Missing: 0.3, Changed: 0.1, Background: c.Pages * 79 / 100, Seed: 1,
	}.Make()
	in := inputOf(web)
	before, start := rusage.Peak(), rusage.CPU()
	o := collection.Options{Memory: c.Memory << 20}
	if o.Dir, err = extsort.OpenDir(cmp.Or(c.Spill, os.TempDir())); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Dir.Close()) }()
	r, err := collection.Find(context.Background(), in, o)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out,
		"%d pages, %d links, %d copies: %d collections in %.2f s; peak memory %d MiB, %d of them the web\n",
		r.Stats.Pages, r.Stats.Links, len(web.Copies), len(r.Collections), (rusage.CPU() - start).Seconds(),
		rusage.Peak()>>20, before>>20)
	return err
}

// inputOf is what a search is given of a planted web.
func inputOf(w *planted.Web) collection.Input {
	in := collection.Input{Clusters: w.Clusters, Links: w.EachLink}
	for _, u := range w.Pages {
		in.Pages = append(in.Pages, collection.Page{URL: u})
	}
	return in
}
