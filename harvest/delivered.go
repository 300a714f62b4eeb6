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
)

// Delivered captures are never taken back. WARC files only grow (archive.Compact). An index and a
// package are replaced only by ones that name every capture which the former name, at the same
// place and with the same digest; where that is not so, for somebody took WARC files away, the
// former are set aside under another name.

// writeIndex writes the index of the run's archive.
func writeIndex(g *ground, sorter *archive.Sorter) error {
	path := g.run.Index()
	guard, err := guardOf(g, path, indexEntries)
	if err != nil {
		return err
	}
	err = disk.Replace(g.disk(), path, 0o644, func(f disk.File) error {
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
	*ground
	path   string
	former map[uint64]bool // captures; nil where there is nothing to be replaced
	torn   bool            // not all of them could be read
}

// guardOf reads what lies at a path, by entries.
func guardOf(on *ground, path string, entries func(string) iter.Seq2[*archive.Entry, error]) (*guard, error) {
	g := &guard{ground: on, path: path}
	for e, err := range entries(path) {
		if errors.Is(err, fs.ErrNotExist) {
			return g, nil
		}
		if err != nil {
			g.log.Warn("what was delivered before cannot be read to its end", "file", path, "cause", err)
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
	if err := g.disk().Link(g.path, aside); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("set %s aside: %w", g.path, err)
	}
	g.log.Error("captures that were delivered before are no longer in the archive; the former file is kept",
		"captures", len(g.former), "file", aside)
	return g.disk().SyncDir(filepath.Dir(g.path))
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
