package harvest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"watershed/archive"
	"watershed/internal/disk"
	"watershed/page"
)

// Delivered captures are never taken back. WARC files only grow (archive.Compact). An index and a
// package are replaced only by ones that name every capture which the former name, at the same
// place and with the same digest; where that is not so, for somebody took WARC files away, the
// former are set aside under another name.

// writeIndex writes the index of the run's archive.
func (h *Harvest) writeIndex(sorter *archive.Sorter) error {
	path := h.run.Index()
	guard, err := h.guard(path, indexEntries)
	if err != nil {
		return err
	}
	err = disk.Replace(h.disk(), path, 0o644, func(f disk.File) error {
		w := bufio.NewWriterSize(f, 256<<10)
		if _, err := sorter.WriteTo(w); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
		return guard.compare(f.Name())
	})
	if err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	return nil
}

// guard has the captures that a delivered file names, and sets that file aside if the new one lacks
// a capture.
type guard struct {
	h      *Harvest
	path   string
	former map[uint64]bool // captures; nil where there is nothing to be replaced
	torn   bool            // not all of them could be read
}

// guard reads what lies at a path, by entries.
func (h *Harvest) guard(path string, entries func(string) iter.Seq2[*archive.Entry, error]) (*guard, error) {
	g := &guard{h: h, path: path}
	for e, err := range entries(path) {
		if errors.Is(err, fs.ErrNotExist) {
			return g, nil
		}
		if err != nil {
			h.log.Warn("what was delivered before cannot be read to its end", "file", path, "cause", err)
			g.torn = true
			break
		}
		if g.former == nil {
			g.former = map[uint64]bool{}
		}
		g.former[captureOf(e)] = true
	}
	return g, nil
}

// captureOf is a number for the place and the digest of a capture.
func captureOf(e *archive.Entry) uint64 {
	return xxh3.HashString(fmt.Sprintf("%s %d %d %s", e.File, e.Offset, e.Length, e.Digest))
}

// compare sets the former file aside if the index that is about to take its place lacks any of its
// captures.
func (g *guard) compare(index string) error {
	if len(g.former) == 0 && !g.torn {
		return nil
	}
	for e, err := range indexEntries(index) {
		if err != nil {
			return err
		}
		delete(g.former, captureOf(e))
	}
	if len(g.former) == 0 && !g.torn {
		return nil
	}
	aside := aside(g.path, time.Now())
	if err := g.h.disk().Link(g.path, aside); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("set %s aside: %w", g.path, err)
	}
	g.h.log.Error("captures that were delivered before are no longer in the archive; the former file is kept",
		"captures", len(g.former), "file", aside)
	return g.h.disk().SyncDir(filepath.Dir(g.path))
}

// aside is the name under which a file is kept that is to be replaced: "index.cdxj" is
// "index.before-20260304050607.cdxj".
func aside(path string, now time.Time) string {
	end := filepath.Ext(path)
	return strings.TrimSuffix(path, end) + ".before-" + now.UTC().Format("20060102150405") + end
}

// indexEntries gives the entries of an index.
func indexEntries(path string) iter.Seq2[*archive.Entry, error] {
	return func(yield func(*archive.Entry, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = f.Close() }() // it was only read
		lines := archive.NewEntries(f)
		for {
			e, err := lines.Next()
			if errors.Is(err, io.EOF) || !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// packageEntries gives the entries of a package's index.
func packageEntries(path string) iter.Seq2[*archive.Entry, error] {
	return func(yield func(*archive.Entry, error) bool) {
		w, err := archive.OpenWACZ(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = w.Close() }() // it was only read
		for e, err := range w.Entries() {
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// notesHeld are the notes on left out URLs that the archive has already, in files of an earlier
// delivery of the run.
func (h *Harvest) notesHeld() (map[uint64]bool, error) {
	held := map[uint64]bool{}
	files, err := filepath.Glob(filepath.Join(h.run.Archive(),
		replicaPrefix(h.plan.Archive.Prefix)+"-*.warc.gz"))
	for _, path := range files {
		if err := addNotes(held, path); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
	}
	return held, err
}

func addNotes(held map[uint64]bool, path string) (err error) {
	r, err := archive.OpenFile(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		rec, err := r.Next()
		var format *archive.FormatError
		// notes that cannot be read are written once more
		if errors.Is(err, io.EOF) || errors.As(err, &format) {
			return nil
		}
		var block []byte
		if err == nil {
			block, err = io.ReadAll(rec.Block)
		}
		if errors.As(err, &format) {
			return nil
		}
		if err != nil {
			return err
		}
		held[noteOn(page.URL(rec.Header.Get("WARC-Target-URI")), block)] = true
	}
}

// noteOn is a number for the statement of a note: the URL, whether it was left out or asked
// elsewhere, and the page that stands for it. The first two lines of a note say so; the later lines
// tell how the decision stood at the time.
func noteOn(u page.URL, block []byte) uint64 {
	lines := strings.SplitAfterN(string(block), "\n", 3)
	return xxh3.HashString(string(u) + "\n" + strings.Join(lines[:min(len(lines), 2)], ""))
}
