package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"watershed/internal/extsort"
	"watershed/replica/cluster"
	"watershed/replica/sketch"
)

// SweepInfo tells of a sweep.
type SweepInfo struct {
	Number    uint32 `json:"number"`
	Name      string `json:"name,omitempty"` // what was read: a run, or files
	Documents uint64 `json:"documents"`      // without pages that are gone
	Gone      uint64 `json:"gone,omitempty"`
	First     int64  `json:"first,omitempty"` // times of the documents, in seconds since 1970
	Last      int64  `json:"last,omitempty"`
	// Replaced are the places in the sweep's file of documents that a later one of the same page
	// replaces.
	Replaced []uint64 `json:"replaced,omitempty"`
}

// manifest is the file that says which sweeps there are. It is replaced as a whole, after
// everything else.
type manifest struct {
	Version     int            `json:"version"` // 1
	Sketch      sketch.Options `json:"sketch,omitzero"`
	SuperLength int            `json:"super_length,omitempty"`
	Cluster     linking        `json:"cluster,omitzero"`
	Sweeps      []SweepInfo    `json:"sweeps"`
}

// linking are the options that say which documents are linked; zero is a default.
type linking struct {
	Threshold    float64 `json:"threshold,omitempty"`
	Containment  float64 `json:"containment,omitempty"`
	MaxDocuments int     `json:"max_documents,omitempty"`
	MinSample    int     `json:"min_sample,omitempty"`
	Super        int     `json:"super,omitempty"`
}

const (
	manifestName    = "catalog.json"
	manifestVersion = 1
)

// Catalog is a folder of sweeps, opened. Methods that only read are safe for concurrent use; those
// that add are not, nor is reading meanwhile. A single process has it open at a time.
//
// Invariant: a sweep of the manifest has both its files.
type Catalog struct {
	path    string
	Options Options // in force: those given, completed by those of the catalog; not to be changed
	dir     *extsort.Dir
	sweeps  []*sweep // by number
}

// Open opens the catalog in a folder, or begins one. The error is disk.ErrLocked, wrapped, while
// another process has it open.
func Open(path string, o Options) (c *Catalog, err error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	c = &Catalog{path: path, Options: o.withDefaults()}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("open catalog %s: %w", path, err), c.Close())
		}
	}()
	if c.dir, err = extsort.OpenDirOn(c.Options.Disk, path); err != nil {
		return c, err
	}
	m, err := c.readManifest()
	if err != nil {
		return c, err
	}
	begun := m.Cluster
	if err := c.Options.settle(&m); err != nil {
		return c, err
	}
	for _, info := range m.Sweeps {
		s, err := openSweep(path, c.dir, info)
		if err != nil {
			return c, err
		}
		c.sweeps = append(c.sweeps, s)
	}
	if len(m.Sweeps) > 0 && m.Cluster != begun {
		err = c.writeManifest()
	}
	return c, err
}

func (c *Catalog) readManifest() (m manifest, err error) {
	text, err := c.dir.ReadFile(manifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return manifest{Version: manifestVersion}, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err == nil && m.Version != manifestVersion {
		err = fmt.Errorf("version %d is not %d", m.Version, manifestVersion)
	}
	if err != nil {
		return m, fmt.Errorf("read %s: %w", manifestName, err)
	}
	return m, nil
}

func (c *Catalog) writeManifest() error {
	m := manifest{
		Version: manifestVersion, Sketch: c.Options.Sketch, SuperLength: c.Options.SuperLength,
		Cluster: c.Options.linking(),
	}
	for _, s := range c.sweeps {
		m.Sweeps = append(m.Sweeps, s.SweepInfo)
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return c.dir.WriteFile(manifestName, append(text, '\n'))
}

func (c *Catalog) removeSweep(number uint32) error {
	err := c.Options.Disk.Remove(filepath.Join(c.path, pagesName(number)))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, c.dir.Remove(indexName(number)))
}

// Close closes the catalog. It may be called twice.
func (c *Catalog) Close() error {
	var errs []error
	for _, s := range slices.Backward(c.sweeps) {
		errs = append(errs, s.close())
	}
	c.sweeps = nil
	if c.dir != nil {
		errs = append(errs, c.dir.Close())
		c.dir = nil
	}
	return errors.Join(errs...)
}

// Sweeps are the sweeps, in order.
func (c *Catalog) Sweeps() []SweepInfo {
	list := make([]SweepInfo, len(c.sweeps))
	for i, s := range c.sweeps {
		list[i] = s.SweepInfo
	}
	return list
}

// Documents gives the documents of a sweep, those of pages that are gone too, in the order in which
// they were added. A document is valid until the next one. A sweep that is not there has none.
func (c *Catalog) Documents(ctx context.Context, number uint32) iter.Seq2[*Document, error] {
	return func(yield func(*Document, error) bool) {
		for _, s := range c.sweeps {
			if s.Number != number {
				continue
			}
			for d, err := range s.all(ctx) {
				if !yield(d.Document, err) || err != nil {
					return
				}
			}
		}
	}
}

// Clusters calls each with the clusters of the documents of all sweeps, in the order of their
// numbers.
func (c *Catalog) Clusters(ctx context.Context, each func(cluster.Cluster) error) (cluster.Stats, error) {
	return cluster.Find(ctx, c.dir, c.clusterable(ctx), c.Options.Cluster, each)
}

// Add adds a sweep. Its number must be above those that are there; 0 stands for the next one. Of
// two documents of one page the later one counts; they may be made of documents of sweeps that are
// there, read meanwhile by docs itself. A sweep without documents is not an error. When Add fails,
// or ctx ends it, the catalog is as before.
func (c *Catalog) Add(ctx context.Context, number uint32, name string,
	docs iter.Seq2[Document, error],
) (info SweepInfo, err error) {
	last := uint32(0)
	if n := len(c.sweeps); n > 0 {
		last = c.sweeps[n-1].Number
	}
	if number = cmp.Or(number, last+1); number <= last {
		return info, fmt.Errorf("add sweep %d after %d: %w", number, last, errSweep)
	}
	info = SweepInfo{Number: number, Name: name}
	if err := c.write(ctx, &info, docs); err != nil {
		return info, fmt.Errorf("write sweep %d: %w", number, err)
	}
	s, err := openSweep(c.path, c.dir, info)
	if err != nil {
		return info, err
	}
	if err := s.count(ctx); err != nil {
		return info, errors.Join(fmt.Errorf("add sweep %d: %w", number, err), s.close(),
			c.removeSweep(number))
	}
	c.sweeps = append(c.sweeps, s)
	return s.SweepInfo, c.writeManifest()
}

func (c *Catalog) write(ctx context.Context, info *SweepInfo, docs iter.Seq2[Document, error]) (err error) {
	w, err := newSweepWriter(c.Options.Disk, c.path, c.dir, info.Number, c.Options.Memory/2)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.abort()) }()
	for d, err := range docs {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = w.add(&d)
		}
		if err != nil {
			return err
		}
	}
	info.Replaced, err = w.commit(ctx)
	return err
}

// count counts the documents, and sees that all can be read.
func (s *sweep) count(ctx context.Context) error {
	for d, err := range s.all(ctx) {
		if err != nil {
			return err
		}
		if d.Gone {
			s.Gone++
			continue
		}
		if s.Documents++; s.First == 0 || d.Time < s.First {
			s.First = d.Time
		}
		s.Last = max(s.Last, d.Time)
	}
	return nil
}

// clusterable gives the documents of all sweeps as package cluster takes them.
func (c *Catalog) clusterable(ctx context.Context) iter.Seq2[cluster.Document, error] {
	return func(yield func(cluster.Document, error) bool) {
		var x sketch.Sketch
		for _, s := range c.sweeps {
			for d, err := range s.all(ctx) {
				if err != nil {
					yield(cluster.Document{}, err)
					return
				}
				if d.Gone {
					continue
				}
				doc, err := d.Clusterable(&x, s.Number)
				if n := c.Options.SuperLength; n > 0 && err == nil && len(d.Sketch) > 0 {
					doc.Super = x.SuperShingles(nil, n)
				}
				if !yield(doc, err) || err != nil {
					return
				}
			}
		}
	}
}

// Clusterable is the document of a sweep as package cluster takes it. It shares the memory of into.
func (d *Document) Clusterable(into *sketch.Sketch, sweep uint32) (cluster.Document, error) {
	doc := cluster.Document{
		Key: cluster.Key{Page: uint64(d.URL.Key()), Sweep: sweep}, Time: d.Time, Digest: d.Digest,
	}
	some, err := d.sketch(into)
	if err != nil {
		return doc, fmt.Errorf("sketch of %s: %w", d.URL, err)
	}
	if some {
		doc.Take(into)
	}
	return doc, nil
}
