package replicas

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/parquet-go/parquet-go"

	"watershed/lab/collections"
	"watershed/lab/questions"
	"watershed/page"
	"watershed/replica/catalog"
	"watershed/replica/cluster"
	"watershed/replica/sketch"
)

// wideHosts is the number of hosts from which on a text is listed as spread widely.
const wideHosts = 5

// tables writes what was found as tables.
type tables struct {
	*catalog.Finding
	catalog *catalog.Catalog
	asked   *questions.Collection
	numbers map[page.Key]uint32 // of pages in the finding
}

func newTables(x *catalog.Catalog, c *questions.Collection, f *catalog.Finding) *tables {
	t := &tables{Finding: f, catalog: x, asked: c, numbers: map[page.Key]uint32{}}
	for i := range f.Pages {
		t.numbers[f.Pages[i].URL.Key()] = uint32(i)
	}
	return t
}

// write writes the tables of a finding into a folder, as Parquet and CSV: pages, documents,
// clusters, collections, replicas, mapping, wide. proposals are those of
// catalog.Finding.Propose.
func (f *tables) write(ctx context.Context, dir string, proposals []catalog.Proposal) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, t := range []struct {
		name  string
		write func(context.Context, string) error
	}{
		{"pages", f.writePages},
		{"documents", f.writeDocuments},
		{"clusters", func(_ context.Context, dir string) error { return f.writeClusters(dir) }},
		{"collections", func(_ context.Context, dir string) error { return f.writeCollections(dir) }},
		{"replicas", func(_ context.Context, dir string) error { return f.writeReplicas(dir, proposals) }},
		{"mapping", f.writeMapping},
		{"wide", func(_ context.Context, dir string) error { return f.writeWide(dir) }},
	} {
		if err := t.write(ctx, dir); err != nil {
			return fmt.Errorf("write %s: %w", t.name, err)
		}
	}
	return nil
}

func (f *tables) writePages(ctx context.Context, dir string) (err error) {
	t, err := newTable[pageRow](dir, "pages")
	if err != nil {
		return err
	}
	for i := range f.Pages {
		p := &f.Pages[i]
		t.add(pageRow{
			string(p.URL), string(p.URL.Host()), p.Sweep, p.Time * 1000, p.Size, p.Digest, p.Cluster,
			max(p.Similar, 1), p.Part,
		})
	}
	return errors.Join(ctx.Err(), t.close())
}

// writeDocuments writes the current pages so that readTable gives them again.
func (f *tables) writeDocuments(ctx context.Context, dir string) (err error) {
	t, err := newTable[documentRow](dir, "documents")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	for _, sweep := range f.catalog.Sweeps() {
		for d, err := range f.catalog.Documents(ctx, sweep.Number) {
			if err != nil {
				return err
			}
			at, current := f.numbers[d.URL.Key()]
			if !current || f.Pages[at].Sweep != sweep.Number || d.Gone {
				continue
			}
			row := documentRow{
				URL: string(d.URL), Time: d.Time * 1000, Size: d.Size, Digest: d.Digest, Label: d.Label,
				Part: d.Part, Sketch: d.Sketch,
			}
			if len(d.Sketch) > 0 {
				var x sketch.Sketch
				if err := x.Decode(d.Sketch); err != nil {
					return err
				}
				var of cluster.Document
				of.Take(&x)
				row.Tokens, row.Rate, row.Lexical, row.Shingles = x.Tokens, float64(of.Rate),
					x.Lexical, x.Values
			}
			for _, k := range d.Links {
				row.Links = append(row.Links, uint64(k))
			}
			t.add(row)
		}
	}
	return nil
}

// readTable gives the documents of a table that writeDocuments wrote, until yield is false.
func readTable(path string, yield func(catalog.Document) bool) (more bool, err error) {
	in, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	r := parquet.NewGenericReader[documentRow](in)
	defer func() { err = errors.Join(err, r.Close()) }()
	rows := make([]documentRow, 256)
	for {
		n, err := r.Read(rows)
		for i := range rows[:n] {
			row := &rows[i]
			d := catalog.Document{
				URL: page.URL(row.URL), Time: row.Time / 1000, Size: row.Size, Digest: row.Digest,
				Label: row.Label, Part: row.Part, Sketch: row.Sketch,
			}
			for _, k := range row.Links {
				d.Links = append(d.Links, page.Key(k))
			}
			if !yield(d) {
				return false, nil
			}
		}
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, fmt.Errorf("read %s: %w", path, err)
		}
	}
}

func (f *tables) writeClusters(dir string) (err error) {
	t, err := newTable[clusterRow](dir, "clusters")
	if err != nil {
		return err
	}
	for n, members := range f.asked.Clusters() {
		for i, m := range members {
			at, current := f.numbers[page.Key(m.Page)]
			current = current && f.Pages[at].Sweep == m.Sweep
			t.add(clusterRow{
				uint32(n + 1), uint32(i + 1), string(m.URL), m.Sweep, m.Time * 1000,
				m.Relation.String(), current,
			})
		}
	}
	return t.close()
}

func (f *tables) writeCollections(dir string) (err error) {
	t, err := newTable[collectionRow](dir, "collections")
	if err != nil {
		return err
	}
	for i := range f.Result.Collections {
		c := &f.Result.Collections[i]
		t.add(collectionRow{
			uint32(c.ID), uint32(c.Cardinality()), uint32(c.Size), c.Origin.String(),
			c.Representative().Prefix,
		})
	}
	return t.close()
}

func (f *tables) writeReplicas(dir string, proposals []catalog.Proposal) error {
	t, err := newTable[replicaRow](dir, "replicas")
	if err != nil {
		return err
	}
	of := map[[2]int]*catalog.Proposal{}
	for i := range proposals {
		of[[2]int{proposals[i].Collection, proposals[i].Replica}] = &proposals[i]
	}
	for i := range f.Result.Collections {
		c := &f.Result.Collections[i]
		for j := range c.Replicas {
			x := &c.Replicas[j]
			e := &x.Evidence
			row := replicaRow{
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

func (r *replicaRow) propose(p *catalog.Proposal) {
	v := &p.Entry.Evidence
	r.From, r.To, r.FromPages, r.Common, r.Agreed = p.Entry.From, p.Entry.To, uint32(v.Pages),
		uint32(v.Common), uint32(v.Agreed)
	r.Unlike, r.Alone = uint32(p.Unlike), uint32(p.Alone)
	r.Containment, r.Purity, r.Resemblance, r.Full, r.Lacks = v.Containment, v.Purity, v.Resemblance,
		p.Full(), p.Lacks
}

func (f *tables) writeMapping(ctx context.Context, dir string) (err error) {
	t, err := newTable[mappingRow](dir, "mapping")
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
				t.add(mappingRow{
					uint32(c.ID), uint32(j + 2), string(f.Pages[p.Page].URL),
					string(f.Pages[p.Original].URL), p.Likeness.String(), r,
				})
			}
		}
	}
	return nil
}

func (f *tables) writeWide(dir string) error {
	t, err := newTable[wideRow](dir, "wide")
	if err != nil {
		return err
	}
	for _, w := range f.asked.Wide(wideHosts, 10000) {
		t.add(wideRow{w.Cluster, uint32(w.Hosts), uint32(w.Documents), string(w.URL)})
	}
	return t.close()
}

func (f *tables) series() []collections.Series {
	return []collections.Series{{Name: "resemblance of sketches", Bars: collections.Histogram(f.Result)}}
}

// writeText writes the finding for people: how much is copied, the largest collections (Table 2 of
// Cho, Shivakumar, Garcia-Molina), how often pages are replicated (their Figure 11), cardinality
// against size (Figure 12), what may be left out, and the texts that most hosts have.
func (f *tables) writeText(ctx context.Context, out io.Writer, proposals []catalog.Proposal) error {
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
	if err := collections.WriteTop(w, r, 20); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nPages by the number of similar pages\n")
	if err := collections.WriteHistogram(w, f.series()); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nCollections by replicas (upwards) and pages\n")
	if err := collections.WriteScatter(w, r); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nWhat may be left out\n")
	for i := range proposals {
		tell(w, &proposals[i])
	}
	fmt.Fprintf(w, "\nTexts on %d hosts and more\n", wideHosts)
	for _, x := range f.asked.Wide(wideHosts, 20) {
		fmt.Fprintf(w, "%5d hosts  %6d documents  %s\n", x.Hosts, x.Documents, x.URL)
	}
	return w.Flush()
}

// tell writes a proposal for people.
func tell(w io.Writer, p *catalog.Proposal) {
	v := &p.Entry.Evidence
	fmt.Fprintf(w, "%s = %s\n  %d pages, %d with a counterpart, %d similar, mean resemblance %.3f, "+
		"containment %.3f, purity %.3f, %d alone\n",
		p.Entry.From, p.Entry.To, v.Pages, v.Common, v.Agreed, v.Resemblance, v.Containment,
		v.Purity, p.Alone)
	if !p.Full() {
		fmt.Fprintf(w, "  not full evidence: %s\n", p.Lacks)
	}
}

// writeCommon writes the list for people.
func writeCommon(out io.Writer, list []questions.Common) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\nShingles that say nothing, and are left out of comparisons\n")
	for _, x := range list {
		fmt.Fprintf(w, "%d documents\t%016x\tas on %s\n", x.Documents, x.Shingle, x.URL)
	}
	if len(list) == 0 {
		fmt.Fprintln(w, "none")
	}
	return w.Flush()
}

// writeCommonTable writes the list as the table "common" into a folder.
func writeCommonTable(dir string, list []questions.Common) error {
	t, err := newTable[commonRow](dir, "common")
	if err != nil {
		return err
	}
	for _, x := range list {
		t.add(commonRow{x.Shingle, uint32(x.Documents), string(x.URL)})
	}
	return t.close()
}
