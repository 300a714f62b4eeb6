package harvest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"watershed/archive"
	"watershed/internal/disk"
)

// Delivered captures are never taken back. WARC files only grow (archive.Compact). An index is
// replaced only by one that names every capture which the former names, at the same place and with
// the same digest, a package only by one whose WARC files begin with the bytes of the former's. Where
// that is not so, for somebody took WARC files away or a disk has spoilt them, the former is set
// aside under another name.

// writeIndex writes the index of the run's archive.
func writeIndex(g *ground, sorter *archive.Sorter) error {
	path := g.run.Index()
	guard := guardOf(g, path)
	err := disk.Replace(g.disk(), path, 0o644, func(f disk.File) error {
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

// guard has the captures that a delivered index names, and sets that index aside if the new one
// lacks a capture.
type guard struct {
	*ground
	path   string
	former map[uint64]bool // captures; nil where there is nothing to be replaced
	torn   bool            // not all of them could be read
}

// guardOf reads the index that lies at a path.
func guardOf(on *ground, path string) *guard {
	g := &guard{ground: on, path: path}
	for e, err := range archive.EntriesIn(path) {
		if errors.Is(err, fs.ErrNotExist) {
			return g
		}
		if err != nil {
			g.log.Warn("what was delivered before cannot be read as a whole", "file", path, "cause", err)
			g.torn = true
			continue
		}
		if g.former == nil {
			g.former = map[uint64]bool{}
		}
		g.former[captureOf(e)] = true
	}
	return g
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
	for e, err := range archive.EntriesIn(index) {
		if err != nil {
			return err
		}
		delete(g.former, captureOf(e))
	}
	if len(g.former) == 0 && !g.torn {
		return nil
	}
	kept, err := g.setAside(g.path)
	if err == nil {
		g.log.Error("captures that were delivered before are no longer in the archive; the former index is "+
			"kept", "captures", len(g.former), "file", kept)
	}
	return err
}

// keepPackage sets the package at a path aside if the WARC files in it are not the beginnings of
// those that its successor is made of. kept is where it then is.
func (g *ground) keepPackage(path string, files []string) (kept string, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	lacks := spoilt(path, files)
	if lacks == nil {
		return "", nil
	}
	kept, err = g.setAside(path)
	if err == nil {
		g.log.Error("the archive is not what was packed before; the former package is kept", "file", kept,
			"cause", lacks)
	}
	return kept, err
}

// spoilt says which bytes of the WARC files of a package their successors lack, or that the package
// cannot be read.
func spoilt(path string, files []string) (err error) {
	w, err := archive.OpenWACZ(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for _, packed := range w.Files() {
		folder, name := filepath.Split(packed)
		if folder != "archive/" {
			continue
		}
		i := slices.IndexFunc(files, func(f string) bool { return filepath.Base(f) == name })
		if i < 0 {
			return fmt.Errorf("there is no %s", name)
		}
		if err := begins(files[i], w, packed); err != nil {
			return err
		}
	}
	return nil
}

// begins says that a file does not begin with the bytes that a package has under a name.
func begins(file string, w *archive.WACZ, packed string) (err error) {
	was, err := w.File(packed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, was.Close()) }()
	is, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, is.Close()) }()
	old, now := make([]byte, 256<<10), make([]byte, 256<<10)
	for {
		n, err := io.ReadFull(was, old)
		if m, _ := io.ReadFull(is, now[:n]); m < n || // a file that fails has less
			!bytes.Equal(old[:n], now[:n]) {
			return fmt.Errorf("%s has other bytes", filepath.Base(file))
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// errSpoilt says that WARC files which were delivered are no longer what they were.
var errSpoilt = errors.New("the archive is not what was delivered")

// ends are the WARC files that the index names, each with the end of the last record that it names
// there. Where there is an error, they are those that it names before.
func (r Run) ends() (map[string]int64, error) {
	ends := map[string]int64{}
	if err := Emptied(r); err != nil {
		return nil, err
	}
	for entry, err := range archive.EntriesIn(r.Index()) {
		if err != nil {
			return ends, IndexAnew(r, fmt.Errorf("read the index of %s: %w", r.Name(), err))
		}
		ends[entry.File] = max(ends[entry.File], entry.Offset+entry.Length)
	}
	return ends, nil
}

// Emptied tells of an index without a line, which is delivered for a run without captures alone.
func Emptied(r Run) error {
	info, err := os.Stat(r.Index())
	if err != nil || info.Size() > 0 {
		return nil //nolint:nilerr // whoever opens it tells that
	}
	files, err := r.archived()
	if slices.ContainsFunc(files, func(f string) bool {
		return !strings.Contains(filepath.Base(f), replicaPrefix("")) // which tell of what was not captured
	}) {
		err = IndexAnew(r, fmt.Errorf("%s has no %w beside WARC files", r.Index(), archive.ErrEntry))
	}
	return err
}

// IndexAnew adds to the error of an index that was delivered how it is made anew.
func IndexAnew(r Run, err error) error {
	if r.spooled() {
		return err
	}
	return fmt.Errorf("%w; watershed cdxj '%s' -o '%s' makes it anew", err, r.Archive(), r.Index())
}

// LostIndex is the error of a run that has ended and has no index of its WARC files any more; nil of
// another one.
func LostIndex(r Run) error {
	if list, err := r.archived(); err == nil && len(list) > 0 && !r.delivered() && !r.spooled() {
		return IndexAnew(r, fmt.Errorf("%s has lost its index", r.Name()))
	}
	return nil
}

// indexed says which WARC files have less than the index names.
func (r Run) indexed() error {
	ends, err := r.ends()
	if err != nil {
		return err
	}
	var list []error
	for _, name := range slices.Sorted(maps.Keys(ends)) {
		info, err := os.Stat(filepath.Join(r.Archive(), name))
		if err == nil && info.Size() < ends[name] {
			err = fmt.Errorf("%s has %d bytes, and the index names %d", name, info.Size(), ends[name])
		}
		list = append(list, err)
	}
	if err := errors.Join(list...); err != nil {
		return fmt.Errorf("%w: bring the files of %s back first: %w", errSpoilt, r.Name(), err)
	}
	return nil
}

// setAside keeps what lies at a path under another name, too, before it is replaced: as a copy where the
// disk knows no links.
func (g *ground) setAside(path string) (kept string, err error) {
	err = fs.ErrExist
	for at := time.Now(); errors.Is(err, fs.ErrExist); at = at.Add(time.Second) {
		kept = aside(path, at)
		if _, e := os.Lstat(kept); e == nil {
			continue
		}
		if err = g.disk().Link(path, kept); err != nil && !errors.Is(err, fs.ErrExist) {
			err = g.copyFile(path, kept)
		}
	}
	if err != nil {
		return "", fmt.Errorf("set %s aside: %w", path, err)
	}
	return kept, g.disk().SyncDir(filepath.Dir(path))
}

func (g *ground) copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	err = disk.Replace(g.disk(), to, 0o644, func(out disk.File) error {
		_, err := io.Copy(out, in)
		return err
	})
	return errors.Join(err, in.Close())
}

// aside is the name under which a file is kept that is to be replaced: "index.cdxj" is
// "index.before-20260304050607.cdxj".
func aside(path string, now time.Time) string {
	end := filepath.Ext(path)
	return strings.TrimSuffix(path, end) + ".before-" + now.UTC().Format("20060102150405") + end
}
