package archive

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"watershed/page"
)

// Compaction promotes captures from the folder that a harvest wrote into to the folder of a site. See Compact.
type Compaction struct {
	From, To string // folders; To is made if it is not there

	// Keep is asked once for each capture, by the location of its main record (response, revisit or resource), in the
	// order of the files.
	Keep func(page.Location) bool

	// Outside is the folder for captures that are not kept, made if it is not there; "" drops them.
	Outside string

	// Rename gives a file in To another base name than it has in From; nil keeps the names.
	Rename func(name string) string

	// Moved is called for each file once its captures are safe in their new place, before the file in From is taken
	// away. It may be called again for the same file after a crash.
	Moved func([]Move) error

	// Index is called with the index entry of each record kept, at its new place, before Moved; nil for none.
	Index func(Entry) error

	// RemoveSource takes a file in From away after Moved.
	RemoveSource bool

	Options Options // Level and Digest, for what is written anew
}

// Move tells where the main record of a capture was and is; To is zero when the capture was dropped.
type Move struct {
	From, To page.Location
	Outside  bool // To is in the folder Outside
}

// Compacted sums up a compaction.
type Compacted struct {
	Files   []string // base names in To
	Outside []string // base names in Outside
	Kept    int      // captures
	Left    int      // captures not kept
	Bytes   int64    // of the files in To
	Damaged []error  // files in From that could be read only in part; what was readable was taken
}

// Compact copies the captures that are to be kept, member for member and without compressing anew, from each ".warc.gz" file in
// one folder to a file in another. A new file begins with a warcinfo that has the record id of the old one, so that the
// WARC-Warcinfo-ID of the members stays true; where all captures are kept and the name stays, the file itself is linked.
// Captures left outside are compressed anew under a warcinfo of their own, since the same id cannot stand in two files.
//
// It may be interrupted at any point and called again with the same Keep: a file appears in To under its name only when it
// is whole and on disk. Files that are still ".open" are passed over; call Repair first. Files are read through, so each
// member that is copied was seen to be whole: by the sum that the file's register has of it, else by unzipping it.
// Memory: some hundred bytes a capture of one file.
func Compact(c Compaction) (Compacted, error) {
	var sum Compacted
	entries, err := os.ReadDir(c.From)
	if err != nil {
		return sum, fmt.Errorf("compact: %w", err)
	}
	for _, dir := range []string{c.To, c.Outside} {
		if dir != "" {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return sum, fmt.Errorf("compact: %w", withSpace(err))
			}
		}
	}
	c.Options = c.Options.withDefaults()
	zippers := newZippers(c.Options.Level)
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), suffixWARC) {
			continue
		}
		f := compacting{c: &c, sum: &sum, name: e.Name(), final: e.Name(), zippers: zippers}
		if c.Rename != nil {
			f.final = c.Rename(e.Name())
		}
		if err := f.run(); err != nil {
			return sum, fmt.Errorf("compact %s: %w", e.Name(), withSpace(err))
		}
	}
	return sum, nil
}

// compacting is the compaction of one file.
type compacting struct {
	c           *Compaction
	sum         *Compacted
	zippers     *zippers
	name, final string

	src     *os.File
	info    part // the old warcinfo
	kept    []bundle
	left    []bundle
	damaged bool
	moves   []Move
}

func (f *compacting) run() (err error) {
	if f.src, err = os.Open(filepath.Join(f.c.From, f.name)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.src.Close()) }()
	if err := f.sort(); err != nil {
		return err
	}
	if err := f.promote(); err != nil {
		return err
	}
	if err := f.putOutside(); err != nil {
		return err
	}
	if err := f.tell(); err != nil {
		return err
	}
	if f.c.RemoveSource && !f.damaged {
		_ = os.Remove(f.src.Name() + suffixRegister) // most files have none
		return os.Remove(f.src.Name())
	}
	return nil
}

// sort reads the file through, unzipping what its register does not tell, and asks what is to be kept. Damage is passed over and told.
func (f *compacting) sort() error {
	p := newParts(f.src, f.name, f.c.Index != nil)
	defer func() { _ = p.close() }() // it was only read
	for {
		err := bundles(p.next, f.take)
		var format *FormatError
		if !errors.As(err, &format) {
			return err
		}
		f.damaged = true
		f.sum.Damaged = append(f.sum.Damaged, err)
		if errors.Is(err, errShared) || p.r.err != nil && !p.r.Recover() {
			return nil
		}
	}
}

// take puts a capture to those that are kept or to the others.
func (f *compacting) take(b bundle) error {
	main := b.main()
	for _, p := range b.parts {
		if p.loc.Length == 0 {
			return &FormatError{File: f.name, Offset: p.loc.Offset, Err: fmt.Errorf("%w: %w", ErrGzip, errShared)}
		}
	}
	switch {
	case main.kind == TypeWarcinfo && f.info.loc.IsZero():
		f.info = *main
	case main.kind == TypeWarcinfo: // of a file that was put together from several
		f.kept = append(f.kept, b)
	case f.damaged && len(b.names) > 0 && (main.kind == TypeRequest || main.kind == TypeMetadata):
		// the rest of a capture whose main record cannot be read
	case f.c.Keep(main.loc):
		f.kept = append(f.kept, b)
		f.sum.Kept++
	default:
		f.left = append(f.left, b)
		f.sum.Left++
	}
	return nil
}

// promote makes the file in To.
func (f *compacting) promote() error {
	if len(f.kept) == 0 {
		return nil
	}
	path := filepath.Join(f.c.To, f.final)
	if len(f.left) == 0 && f.final == f.name && !f.damaged && f.link(path) {
		for _, b := range f.kept {
			f.moves = append(f.moves, Move{From: b.main().loc, To: b.main().loc})
		}
	} else if err := f.copyKept(path); err != nil {
		return err
	}
	stat, err := os.Stat(path)
	if err != nil {
		return err
	}
	f.sum.Bytes += stat.Size()
	f.sum.Files = append(f.sum.Files, f.final)
	return syncDir(f.c.To)
}

// link gives the old file a second name; false where the system does not do that.
func (f *compacting) link(path string) bool {
	temp := path + suffixTemp
	_ = os.Remove(temp) // of an earlier attempt
	if err := os.Link(f.src.Name(), temp); err != nil {
		return false
	}
	if err := os.Rename(temp, path); err != nil {
		return false
	}
	_ = os.Remove(temp) // rename does nothing, and leaves it, where both names are one file already
	return true
}

func (f *compacting) copyKept(path string) error {
	return writeWhole(path, func(out *os.File) error {
		w := bufio.NewWriterSize(out, 256<<10)
		at, err := f.copyInfo(w)
		if err != nil {
			return err
		}
		for i := range f.kept {
			b := &f.kept[i]
			for j := range b.parts {
				p := &b.parts[j]
				old := p.loc
				if _, err := io.Copy(w, io.NewSectionReader(f.src, old.Offset, old.Length)); err != nil {
					return err
				}
				if p == b.main() {
					f.moves = append(f.moves, Move{From: old, To: page.Location{File: f.final, Offset: at, Length: old.Length}})
				}
				if p.entry != nil {
					p.entry.place(page.Location{File: f.final, Offset: at, Length: old.Length})
				}
				at += old.Length
			}
		}
		return w.Flush()
	})
}

// copyInfo writes the warcinfo of the new file and gives its length.
func (f *compacting) copyInfo(w io.Writer) (int64, error) {
	if f.info.loc.IsZero() {
		return 0, nil // the old file had none, so no record names it
	}
	if f.final == f.name {
		return io.Copy(w, io.NewSectionReader(f.src, f.info.loc.Offset, f.info.loc.Length))
	}
	return f.newInfo(w, f.info.id, f.final)
}

// newInfo writes a warcinfo that says what the old one says of the harvest.
func (f *compacting) newInfo(w io.Writer, id, name string) (int64, error) {
	rec, err := OpenAt(f.src, f.info.loc)
	if err != nil {
		return 0, err
	}
	block, err := io.ReadAll(rec.Block)
	if err != nil {
		return 0, err
	}
	at, err := rec.Date()
	if err != nil {
		return 0, err
	}
	s := newSpool(f.c.Options.MemoryBytes, f.c.To)
	d := warcinfo(id, name, at, nil)
	d.Block = blockOf(block)
	n, err := f.zippers.member(s, d, "", f.c.Options.Digest)
	if err == nil {
		_, err = s.WriteTo(w)
	}
	return n, errors.Join(err, s.Close())
}

// putOutside writes the captures that are not kept.
func (f *compacting) putOutside() error {
	if len(f.left) == 0 || f.c.Outside == "" {
		for _, b := range f.left {
			f.moves = append(f.moves, Move{From: b.main().loc})
		}
		return nil
	}
	name := "outside-" + f.final
	err := writeWhole(filepath.Join(f.c.Outside, name), func(out *os.File) error {
		w := &counter{w: out}
		id := NewID()
		if !f.info.loc.IsZero() {
			if _, err := f.newInfo(w, id, name); err != nil {
				return err
			}
		}
		for _, b := range f.left {
			for i := range b.parts {
				at := w.bytes
				if err := f.rewrite(w, b.parts[i].loc, id); err != nil {
					return err
				}
				if &b.parts[i] == b.main() {
					f.moves = append(f.moves, Move{From: b.parts[i].loc, To: page.Location{File: name, Offset: at, Length: w.bytes - at}, Outside: true})
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	f.sum.Outside = append(f.sum.Outside, name)
	return syncDir(f.c.Outside)
}

// rewrite writes a record as a new member that belongs to another warcinfo.
func (f *compacting) rewrite(w io.Writer, loc page.Location, info string) error {
	rec, err := OpenAt(f.src, loc)
	if err != nil {
		return err
	}
	if old := rec.Header.Get(fieldWarcinfo); old != "" {
		rec.Header.Set(fieldWarcinfo, info)
		if rec.Header.Get(fieldRefers) == old {
			rec.Header.Set(fieldRefers, info)
		}
	}
	return f.zippers.record(w, rec)
}

// tell reports what moved.
func (f *compacting) tell() error {
	if f.c.Index != nil {
		for _, b := range f.kept {
			for _, p := range b.parts {
				if p.entry == nil {
					continue
				}
				if err := f.c.Index(*p.entry); err != nil {
					return err
				}
			}
		}
	}
	slices.SortFunc(f.moves, func(a, b Move) int { return int(a.From.Offset - b.From.Offset) })
	if f.c.Moved != nil {
		return f.c.Moved(f.moves)
	}
	return nil
}

// writeWhole makes a file that appears under its name only when fill has written all of it and it is on disk.
func writeWhole(path string, fill func(*os.File) error) (err error) {
	temp := path + suffixTemp
	f, err := os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	if err = errors.Join(fill(f), f.Sync(), f.Close()); err != nil {
		_ = os.Remove(temp) // the error before matters more
		return err
	}
	return os.Rename(temp, path)
}
