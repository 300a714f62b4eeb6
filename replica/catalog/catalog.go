package catalog

import (
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
	"watershed/page"
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
	// Total is the number of documents in the clusters after this sweep.
	Total uint64 `json:"total"`
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
	Sweeps      []SweepInfo    `json:"sweeps"`
}

const (
	manifestName    = "catalog.json"
	manifestVersion = 1
)

// Catalog is a folder of sweeps, opened. Methods that only read are safe for concurrent use; those
// that add are not, nor is reading meanwhile. A single process has it open at a time.
//
// Invariants:
//  1. A sweep of the manifest has both its files, and its documents are in the clusters.
//  2. At most one sweep is in the clusters and not in the manifest: one whose addition was cut
//     short. Open drops or completes it.
type Catalog struct {
	path     string
	Options  Options      // in force: those given, completed by those of the catalog; not to be changed
	Dir      *extsort.Dir // where its tables are
	clusters *cluster.Store
	sweeps   []*sweep // by number
}

// Open opens the catalog in a folder, or begins one. The error is extsort.ErrInUse, wrapped, while
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
	if c.Dir, err = extsort.OpenDirOn(c.Options.Disk, path); err != nil {
		return c, err
	}
	m, err := c.readManifest()
	if err != nil {
		return c, err
	}
	if err := c.Options.settle(&m); err != nil {
		return c, err
	}
	if c.clusters, err = cluster.Open(c.Dir, c.Options.Cluster); err != nil {
		return c, err
	}
	c.Options.Cluster = c.clusters.Options()
	for _, info := range m.Sweeps {
		s, err := openSweep(path, c.Dir, info)
		if err != nil {
			return c, err
		}
		c.sweeps = append(c.sweeps, s)
	}
	return c, c.complete()
}

func (c *Catalog) readManifest() (m manifest, err error) {
	text, err := c.Dir.ReadFile(manifestName)
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
	m := manifest{Version: manifestVersion, Sketch: c.Options.Sketch, SuperLength: c.Options.SuperLength}
	for _, s := range c.sweeps {
		m.Sweeps = append(m.Sweeps, s.SweepInfo)
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return c.Dir.WriteFile(manifestName, append(text, '\n'))
}

// pendingName is the file that announces a sweep before it goes into the clusters.
const pendingName = "adding.json"

// complete ends an addition that was cut short: a sweep that reached the clusters is taken over,
// another one is forgotten.
func (c *Catalog) complete() error {
	text, err := c.Dir.ReadFile(pendingName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var info SweepInfo
	if err := json.Unmarshal(text, &info); err != nil {
		return fmt.Errorf("read %s: %w", pendingName, err)
	}
	known := slices.ContainsFunc(c.sweeps, func(s *sweep) bool { return s.Number == info.Number })
	switch {
	case known:
	case c.clusters.Documents() == info.Total && info.Documents > 0:
		s, err := openSweep(c.path, c.Dir, info)
		if err != nil {
			return err
		}
		c.sweeps = append(c.sweeps, s)
		if err := c.writeManifest(); err != nil {
			return err
		}
	default:
		if err := c.removeSweep(info.Number); err != nil {
			return err
		}
	}
	return c.Dir.Remove(pendingName)
}

func (c *Catalog) removeSweep(number uint32) error {
	err := c.Options.Disk.Remove(filepath.Join(c.path, pagesName(number)))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, c.Dir.Remove(indexName(number)))
}

// Close closes the catalog. It may be called twice.
func (c *Catalog) Close() error {
	var errs []error
	for _, s := range slices.Backward(c.sweeps) {
		errs = append(errs, s.close())
	}
	c.sweeps = nil
	if c.clusters != nil {
		errs = append(errs, c.clusters.Close())
		c.clusters = nil
	}
	if c.Dir != nil {
		errs = append(errs, c.Dir.Close())
		c.Dir = nil
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

// Clusters gives all clusters, of the documents of all sweeps. The catalog must not change
// meanwhile.
func (c *Catalog) Clusters(ctx context.Context) iter.Seq2[cluster.Cluster, error] {
	return c.clusters.All(ctx)
}

// Add adds a sweep. Its number must be above those that are there; 0 stands for the next one. Of
// two documents of one page the later one counts; they may be made of documents of sweeps that are
// there, read meanwhile by docs itself. A sweep without documents is not an error. When Add fails,
// or ctx ends it, the catalog is as before.
func (c *Catalog) Add(ctx context.Context, number uint32, name string,
	docs iter.Seq2[Document, error],
) (info SweepInfo, st cluster.Stats, err error) {
	last := uint32(0)
	if n := len(c.sweeps); n > 0 {
		last = c.sweeps[n-1].Number
	}
	if number == 0 {
		number = last + 1
	}
	if number <= last {
		return info, st, fmt.Errorf("add sweep %d after %d: %w", number, last, errSweep)
	}
	info = SweepInfo{Number: number, Name: name}
	if err := c.write(ctx, &info, docs); err != nil {
		return info, st, fmt.Errorf("write sweep %d: %w", number, err)
	}
	s, err := openSweep(c.path, c.Dir, info)
	if err != nil {
		return info, st, err
	}
	forget := func(err error) error {
		return errors.Join(fmt.Errorf("add sweep %d: %w", number, err), s.close(), c.removeSweep(number))
	}
	if err := s.count(ctx); err != nil {
		return info, st, forget(err)
	}
	s.Total = c.clusters.Documents() + s.Documents
	text, err := json.Marshal(s.SweepInfo)
	if err == nil {
		err = c.Dir.WriteFile(pendingName, text)
	}
	if err != nil {
		return info, st, forget(err)
	}
	if st, err = c.clusters.Add(ctx, s.clusterable(ctx, c.Options.SuperLength)); err != nil {
		return info, st, errors.Join(forget(err), c.Dir.Remove(pendingName))
	}
	c.sweeps = append(c.sweeps, s)
	return s.SweepInfo, st, errors.Join(c.writeManifest(), c.Dir.Remove(pendingName))
}

func (c *Catalog) write(ctx context.Context, info *SweepInfo, docs iter.Seq2[Document, error]) (err error) {
	w, err := newSweepWriter(c.Options.Disk, c.path, c.Dir, info.Number, c.Options.Memory/2)
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

// clusterable gives the sweep's documents as package cluster takes them, with super shingles of
// that length, 0 for those of the sketches.
func (s *sweep) clusterable(ctx context.Context, superLength int) iter.Seq2[cluster.Document, error] {
	return func(yield func(cluster.Document, error) bool) {
		var x sketch.Sketch
		for d, err := range s.all(ctx) {
			if err != nil {
				yield(cluster.Document{}, err)
				return
			}
			if d.Gone {
				continue
			}
			doc, err := d.clusterable(&x, s.Number)
			if superLength > 0 && err == nil && len(d.Sketch) > 0 {
				doc.Super = x.SuperShingles(nil, superLength)
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

// clusterable is the document as package cluster takes it. It shares the memory of into.
func (d *Document) clusterable(into *sketch.Sketch, sweep uint32) (cluster.Document, error) {
	info := cluster.Info{
		Key:  cluster.Key{Page: uint64(d.URL.Key()), Sweep: sweep},
		Host: hostKey(d.URL), Time: d.Time, Size: d.Size, Digest: d.Digest,
	}
	some, err := d.sketch(into)
	if err != nil {
		return cluster.Document{}, fmt.Errorf("sketch of %s: %w", d.URL, err)
	}
	if !some {
		return cluster.Document{Info: info}, nil
	}
	return cluster.Of(info, into), nil
}

// hostKey is a number for the host of a URL.
func hostKey(u page.URL) uint64 { return uint64(page.URL(u.Host()).Key()) }
