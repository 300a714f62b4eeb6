package catalog

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"watershed/page"
	"watershed/replica/collection"
	"watershed/replica/sketch"
)

// WideHosts is the number of hosts from which on a text is listed as spread widely.
const WideHosts = 5

// Write writes the tables of a finding into a folder, as Parquet and CSV: pages, sketches,
// clusters, collections, replicas, mapping, hosts, wide; and figure11.svg and figure12.svg.
// proposals are those of Propose.
func (f *Finding) Write(ctx context.Context, dir string, proposals []Proposal) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, t := range []struct {
		name  string
		write func(context.Context, string) error
	}{
		{"pages", f.writePages},
		{"clusters", f.writeClusters},
		{"collections", func(_ context.Context, dir string) error { return f.writeCollections(dir) }},
		{"replicas", func(_ context.Context, dir string) error { return f.writeReplicas(dir, proposals) }},
		{"mapping", f.writeMapping},
		{"hosts", f.writeHosts},
		{"wide", f.writeWide},
		{"figures", func(_ context.Context, dir string) error { return f.writeFigures(dir) }},
	} {
		if err := t.write(ctx, dir); err != nil {
			return fmt.Errorf("write %s: %w", t.name, err)
		}
	}
	return nil
}

// writePages writes pages and sketches.
func (f *Finding) writePages(ctx context.Context, dir string) (err error) {
	pages, err := newTable[PageRow](dir, "pages")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pages.close()) }()
	sketches, err := newTable[SketchRow](dir, "sketches")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sketches.close()) }()
	var x sketch.Sketch
	var d Document
	for i := range f.Pages {
		p := &f.Pages[i]
		pages.add(PageRow{
			string(p.URL), string(p.URL.Host()), p.Sweep, p.Time * 1000, p.Size, p.Digest, p.Cluster,
			max(p.Similar, 1), p.Part,
		})
		if !p.Text {
			continue
		}
		if err := errors.Join(ctx.Err(), p.at.read(p.offset, &d)); err != nil {
			return err
		}
		if _, err := d.sketch(&x); err != nil {
			return fmt.Errorf("sketch of %s: %w", p.URL, err)
		}
		sketches.add(SketchRow{string(p.URL), x.Tokens, x.Features(), x.Lexical, x.SimHash, d.Sketch})
	}
	return nil
}

func (f *Finding) writeClusters(ctx context.Context, dir string) (err error) {
	t, err := newTable[ClusterRow](dir, "clusters")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	for c, err := range f.catalog.clusters.All(ctx) {
		if err != nil {
			return err
		}
		for i, m := range c.Members {
			u, err := f.url(page.Key(m.Page))
			if err != nil {
				return err
			}
			at, current := f.index[page.Key(m.Page)]
			current = current && f.Pages[at].Sweep == m.Sweep
			t.add(ClusterRow{
				c.Number, uint32(i + 1), string(u), m.Sweep, m.Time * 1000,
				m.Relation.String(), current,
			})
		}
	}
	return nil
}

// url is the URL of a page of any sweep.
func (f *Finding) url(k page.Key) (page.URL, error) {
	if i, ok := f.index[k]; ok {
		return f.Pages[i].URL, nil
	}
	return f.catalog.url(k)
}

func (f *Finding) writeCollections(dir string) (err error) {
	t, err := newTable[CollectionRow](dir, "collections")
	if err != nil {
		return err
	}
	for i := range f.Result.Collections {
		c := &f.Result.Collections[i]
		t.add(CollectionRow{
			uint32(c.ID), uint32(c.Cardinality()), uint32(c.Size), c.Origin.String(),
			c.Representative().Prefix,
		})
	}
	return t.close()
}

func (f *Finding) writeReplicas(dir string, proposals []Proposal) error {
	t, err := newTable[ReplicaRow](dir, "replicas")
	if err != nil {
		return err
	}
	of := map[[2]int]*Proposal{}
	for i := range proposals {
		of[[2]int{proposals[i].Collection, proposals[i].Replica}] = &proposals[i]
	}
	for i := range f.Result.Collections {
		c := &f.Result.Collections[i]
		for j := range c.Replicas {
			x := &c.Replicas[j]
			e := &x.Evidence
			row := ReplicaRow{
				Collection: uint32(c.ID), Replica: uint32(j + 1), Host: string(x.Host), Prefix: x.Prefix,
				Pages:   uint32(len(x.Pairs)),
				Similar: uint32(e.Similar), Moved: uint32(e.Moved), Nearby: uint32(e.Nearby),
				Known:    uint32(e.Known),
				Coverage: e.Coverage(), Links: uint32(e.Links), LinksCommon: uint32(e.LinksCommon),
				InLinks: uint32(e.InLinks),
			}
			if p := of[[2]int{c.ID, j + 1}]; p != nil {
				row.propose(p)
			}
			t.add(row)
		}
	}
	return t.close()
}

func (r *ReplicaRow) propose(p *Proposal) {
	v := &p.Entry.Evidence
	r.From, r.To, r.FromPages, r.Common, r.Agreed = p.Entry.From, p.Entry.To, uint32(v.Pages),
		uint32(v.Common), uint32(v.Agreed)
	r.Unlike, r.Alone = uint32(p.Unlike), uint32(p.Alone)
	r.Containment, r.Purity, r.Resemblance, r.Full, r.Lacks = v.Containment, v.Purity, v.Resemblance,
		p.Full(), p.Lacks
}

func (f *Finding) writeMapping(ctx context.Context, dir string) (err error) {
	t, err := newTable[MappingRow](dir, "mapping")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	for i := range f.Result.Collections {
		c := &f.Result.Collections[i]
		for j := range c.Replicas[1:] {
			for _, p := range c.Replicas[j+1].Pairs {
				r, err := f.Resemblance(p.Page, p.Original)
				if err = errors.Join(err, ctx.Err()); err != nil {
					return err
				}
				t.add(MappingRow{
					uint32(c.ID), uint32(j + 2), string(f.Pages[p.Page].URL),
					string(f.Pages[p.Original].URL), p.Likeness.String(), r,
				})
			}
		}
	}
	return nil
}

func (f *Finding) writeHosts(ctx context.Context, dir string) error {
	pairs, err := f.Hosts(ctx, 1)
	if err != nil {
		return err
	}
	t, err := newTable[HostRow](dir, "hosts")
	if err != nil {
		return err
	}
	for i := range pairs {
		p := &pairs[i]
		t.add(HostRow{
			string(p.A), string(p.B), uint32(p.PagesA), uint32(p.PagesB), uint32(p.Common),
			uint32(p.Paths), p.Share(),
		})
	}
	return t.close()
}

func (f *Finding) writeWide(ctx context.Context, dir string) error {
	wide, err := f.catalog.Wide(ctx, WideHosts, 10000)
	if err != nil {
		return err
	}
	t, err := newTable[WideRow](dir, "wide")
	if err != nil {
		return err
	}
	for _, w := range wide {
		t.add(WideRow{w.Cluster, uint32(w.Hosts), uint32(w.Documents), string(w.URL)})
	}
	return t.close()
}

func (f *Finding) series() []collection.Series {
	return []collection.Series{{Name: "resemblance of sketches", Bars: f.Result.Histogram()}}
}

func (f *Finding) writeFigures(dir string) error {
	return errors.Join(
		create(filepath.Join(dir, "figure11.svg"), func(w io.Writer) error {
			return collection.WriteHistogramSVG(w, f.series())
		}),
		create(filepath.Join(dir, "figure12.svg"), f.Result.WriteScatterSVG),
	)
}

// create writes a file as a whole.
func create(path string, fill func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	return errors.Join(fill(w), w.Flush(), file.Close())
}

// WriteText writes the finding for people: how much is copied, the largest collections (Table 2 of
// Cho, Shivakumar, Garcia-Molina), how often pages are replicated (their Figure 11), cardinality
// against size (Figure 12), what may be left out, and the texts that most hosts have.
func (f *Finding) WriteText(ctx context.Context, out io.Writer, proposals []Proposal) error {
	w := bufio.NewWriter(out)
	r := f.Result
	full := 0
	for i := range proposals {
		if proposals[i].Full() {
			full++
		}
	}
	fmt.Fprintf(w, "%d pages, %d links between them; %d pages in %d clusters of similar pages\n",
		r.Stats.Pages, r.Stats.Links, r.Stats.SimilarPages, r.Stats.Trivial)
	fmt.Fprintf(w, "%d replicated collections; %d replicas may be left out, %d of them with full evidence\n",
		len(r.Collections), len(proposals), full)
	fmt.Fprintf(w, "\nCollections of most replicas\n")
	if err := r.WriteTop(w, 20); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nPages by the number of similar pages\n")
	if err := collection.WriteHistogram(w, f.series()); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nCollections by replicas (upwards) and pages\n")
	if err := r.WriteScatter(w); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nWhat may be left out\n")
	for i := range proposals {
		proposals[i].tell(w)
	}
	wide, err := f.catalog.Wide(ctx, WideHosts, 20)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\nTexts on %d hosts and more\n", WideHosts)
	for _, x := range wide {
		fmt.Fprintf(w, "%5d hosts  %6d documents  %s\n", x.Hosts, x.Documents, x.URL)
	}
	return w.Flush()
}

func (p *Proposal) tell(w io.Writer) {
	v := &p.Entry.Evidence
	fmt.Fprintf(w, "%s = %s\n  %d pages, %d with a counterpart, %d similar, mean resemblance %.3f, "+
		"containment %.3f, purity %.3f, %d alone\n",
		p.Entry.From, p.Entry.To, v.Pages, v.Common, v.Agreed, v.Resemblance, v.Containment,
		v.Purity, p.Alone)
	if !p.Full() {
		fmt.Fprintf(w, "  not full evidence: %s\n", p.Lacks)
	}
}
