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

	"watershed/internal/disk"
	"watershed/page"
)

// Compaction promotes captures from the folder that a harvest wrote into to the folder of a site.
// See Compact.
type Compaction struct {
	From, To string // folders; To is made if it is not there

	// Keep is asked once for each capture that To does not have yet, by the location of its main
	// record (response, revisit or resource), in the order of the files.
	Keep func(page.Location) bool

	// Outside is the folder for captures that are not kept, made if it is not there; "" drops them.
	Outside string

	// Moved is called for each file once its captures are safe in their new place. It may be called
	// again for the same file after a crash.
	Moved func([]Move) error

	// Index is called with the index entry of each record in To, at its place, before Moved; nil
	// for none.
	Index func(Entry) error

	Options Options // Disk, and Level for what is written anew
}

// Move tells where the main record of a capture was and is; To is zero for one that is not kept.
type Move struct {
	From, To page.Location
}

// Compacted sums up a compaction.
type Compacted struct {
	Files   []string // base names in To
	Kept    int      // captures in To
	Left    int      // captures not kept
	Damaged []error  // files that could be read only in part; what was readable was taken
}

// Compact copies the captures that are to be kept, member for member and without compressing anew,
// from each ".warc.gz" file in one folder to a file of the same name in another. A new file begins
// with the warcinfo of the old one, so that the WARC-Warcinfo-ID of the members stays true; where
// all captures are kept, the file itself is linked. Captures left outside are compressed anew under
// a warcinfo of their own, since the same id cannot stand in two files.
//
// Captures in To are never taken back. A file there that lacks captures grows: the longer file
// begins with the bytes of the shorter one, which it replaces once it is whole and on disk; so the
// place, offset and bytes of each capture that was delivered stay as they are. Files in To that
// From does not have stay as well, and are indexed. Files in Outside grow likewise, but for records
// that To has by now: once they are on disk there, the file in Outside is replaced by one without
// them, since the same record cannot stand in two files.
//
// It may be interrupted at any point and called again. Files that are still ".open" are passed
// over; call Repair first, on both folders. Files are read through, so each member that is copied
// was seen to be whole: by the sum that the file's register has of it, else by unzipping it.
// Memory: some hundred bytes a capture of one file.
func Compact(c Compaction) (Compacted, error) {
	var sum Compacted
	entries, err := os.ReadDir(c.From)
	if err != nil {
		return sum, fmt.Errorf("compact: %w", err)
	}
	c.Options = c.Options.withDefaults()
	for _, dir := range []string{c.To, c.Outside} {
		if dir != "" {
			if err := c.Options.Disk.MkdirAll(dir, 0o755); err != nil {
				return sum, fmt.Errorf("compact: %w", withSpace(err))
			}
		}
	}
	zippers := newZippers(c.Options.Level)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), suffixWARC) || !isFile(c.From, e) {
			continue
		}
		f := compacting{c: &c, sum: &sum, name: e.Name(), zippers: zippers}
		if err := f.run(); err != nil {
			return sum, fmt.Errorf("compact %s: %w", e.Name(), withSpace(err))
		}
	}
	return sum, c.others(&sum)
}

// others counts and indexes the files in To that come from elsewhere.
func (c *Compaction) others(sum *Compacted) error {
	entries, err := os.ReadDir(c.To)
	if err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), suffixWARC) || slices.Contains(sum.Files, e.Name()) ||
			!isFile(c.To, e) {
			continue
		}
		d, err := readDelivered(filepath.Join(c.To, e.Name()), c.Index != nil)
		if err != nil {
			return fmt.Errorf("read %s: %w", e.Name(), err)
		}
		sum.take(&d, e.Name())
		if err := d.tell(c.Index); err != nil {
			return err
		}
	}
	return nil
}

// compacting is the compaction of one file.
type compacting struct {
	c       *Compaction
	sum     *Compacted
	zippers *zippers
	name    string

	src        *os.File
	info       part      // the warcinfo
	had, apart delivered // what To and Outside have of it already
	same       bool      // the file in To is this very file
	kept       []bundle  // to be added to To
	left       []bundle  // to be added to Outside
	known      int       // not kept, and in Outside already
	damaged    bool
	moves      []Move
}

func (f *compacting) run() (err error) {
	if f.src, err = os.Open(filepath.Join(f.c.From, f.name)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.src.Close()) }()
	if err := f.look(); err != nil {
		return err
	}
	if err := f.sort(); err != nil {
		return err
	}
	if err := f.promote(); err != nil {
		return err
	}
	if err := f.putOutside(); err != nil {
		return err
	}
	return f.tell()
}

// look reads the part of the file that was delivered before.
func (f *compacting) look() (err error) {
	path := filepath.Join(f.c.To, f.name)
	here, err := f.src.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(path); err == nil && os.SameFile(here, there) {
		f.same = true
	} else if f.had, err = readDelivered(path, f.c.Index != nil); err != nil {
		return err
	}
	if f.c.Outside != "" {
		f.apart, err = readDelivered(filepath.Join(f.c.Outside, outsideName(f.name)), false)
	}
	f.sum.Damaged = append(f.sum.Damaged, f.apart.damaged...)
	return err
}

// outsideName is the base name of the file for the captures of another file that are not kept.
func outsideName(name string) string { return "outside-" + name }

// sort reads the file through, unzipping the members that its register does not tell, and asks
// which captures are to be kept. Damage is passed over and told.
func (f *compacting) sort() error {
	shared := int64(-1) // the last member that was told to have several records
	return newParts(f.src, f.name, f.c.Index != nil).each(f.take, func(err error) {
		f.damaged = true
		var format *FormatError
		isShared := errors.Is(err, errShared) && errors.As(err, &format)
		if !isShared || format.Offset != shared {
			f.sum.Damaged = append(f.sum.Damaged, err)
		}
		if isShared {
			shared = format.Offset
		}
	})
}

// take puts a capture to those that are kept or to the others.
func (f *compacting) take(b bundle) error {
	main := b.main()
	if !b.sought() {
		return &FormatError{
			File: f.name, Offset: b.parts[len(b.parts)-1].loc.Offset,
			Err: fmt.Errorf("%w: %w", errGzip, errShared),
		}
	}
	for i := range b.parts {
		if err := b.parts[i].unlisted; err != nil {
			f.sum.Damaged = append(f.sum.Damaged, fmt.Errorf("a capture has no line in the index: %w", err))
		}
	}
	switch {
	case main.kind == TypeWarcinfo && f.info.loc.IsZero():
		f.info = *main
	case !f.same && f.damaged && len(b.names) > 0 && (main.kind == TypeRequest || main.kind == TypeMetadata):
		// the rest of a capture whose main record cannot be read
	case f.had.has(main.id):
		f.moves = append(f.moves, Move{From: main.loc, To: f.had.places[main.id]})
	case f.same, main.kind == TypeWarcinfo, f.c.Keep(main.loc):
		// another warcinfo is of a file that was put together from several
		f.kept = append(f.kept, b)
		if main.captured() {
			f.sum.Kept++
		}
	default:
		f.sum.Left++
		f.moves = append(f.moves, Move{From: main.loc})
		if f.apart.has(main.id) {
			f.known++
		} else {
			f.left = append(f.left, b)
		}
	}
	return nil
}

// promote makes the file in To, or adds to the one that is there.
func (f *compacting) promote() error {
	path := filepath.Join(f.c.To, f.name)
	switch {
	case f.same:
		f.stay()
	case f.had.path == "" && len(f.kept) == 0:
		return nil
	case f.had.path == "" && len(f.left)+f.known == 0 && !f.damaged && f.link(path):
		f.stay()
	case len(f.kept) > 0:
		if err := f.grow(path); err != nil {
			return err
		}
	}
	f.sum.take(&f.had, f.name)
	return f.c.Options.Disk.SyncDir(f.c.To)
}

// stay tells that the captures lie where they lay, in a file of the same name.
func (f *compacting) stay() {
	for _, b := range f.kept {
		if main := b.main(); main.kind != TypeWarcinfo {
			f.moves = append(f.moves, Move{From: main.loc, To: main.loc})
		}
	}
}

// link gives the old file a second name; false where the system does not do that, or the file lies
// behind a link, which would then be all that To has.
func (f *compacting) link(path string) bool {
	if info, err := os.Lstat(f.src.Name()); err != nil || !info.Mode().IsRegular() {
		return false
	}
	d, temp := f.c.Options.Disk, disk.Temporary(path)
	_ = d.Remove(temp) // of an earlier attempt
	if err := d.Link(f.src.Name(), temp); err != nil {
		return false
	}
	return d.Rename(temp, path) == nil
}

// grow writes the file in To with the captures that it lacks behind those that it has.
func (f *compacting) grow(path string) error {
	return disk.Replace(f.c.Options.Disk, path, 0o644, func(out disk.File) error {
		w := bufio.NewWriterSize(out, 256<<10)
		at, err := f.begin(w)
		if err != nil {
			return err
		}
		for i := range f.kept {
			b := &f.kept[i]
			for j := range b.parts {
				p := &b.parts[j]
				old, to := p.loc, page.Location{File: f.name, Offset: at, Length: p.loc.Length}
				if _, err := io.Copy(w, io.NewSectionReader(f.src, old.Offset, old.Length)); err != nil {
					return err
				}
				if p == b.main() {
					f.moves = append(f.moves, Move{From: old, To: to})
				}
				if p.entry != nil {
					p.entry.place(to)
				}
				at += old.Length
			}
		}
		return w.Flush()
	})
}

// begin writes the beginning of the longer file, the file in To or else the warcinfo, and gives its
// length.
func (f *compacting) begin(w io.Writer) (int64, error) {
	if f.had.path != "" {
		return f.had.copyTo(w)
	}
	if f.info.loc.IsZero() {
		return 0, nil // the old file had none, so no record names it
	}
	return io.Copy(w, io.NewSectionReader(f.src, f.info.loc.Offset, f.info.loc.Length))
}

// newInfo writes a warcinfo with the facts that the old one has of the harvest.
func (f *compacting) newInfo(w io.Writer, id, name string) error {
	rec, err := OpenAt(f.src, f.info.loc)
	if err != nil {
		return err
	}
	block, err := io.ReadAll(rec.Block)
	if err != nil {
		return err
	}
	at, err := rec.Date()
	if err != nil {
		return err
	}
	s := newSpool(f.c.Options.MemoryBytes, f.c.To)
	d := warcinfo(id, name, at, nil)
	d.Block = blockOf(block)
	if _, err = f.zippers.member(s, d, ""); err == nil {
		_, err = s.WriteTo(w)
	}
	return errors.Join(err, s.Close())
}

// putOutside writes the captures that are not kept, and takes those out that To has by now.
func (f *compacting) putOutside() error {
	if f.c.Outside == "" {
		return nil
	}
	name := outsideName(f.name)
	if f.apart.drop(f.had.bundles, f.kept) || len(f.left) > 0 {
		if err := f.replaceOutside(name); err != nil {
			return err
		}
	}
	return f.c.Options.Disk.SyncDir(f.c.Outside)
}

// replaceOutside writes the file in Outside with the captures that it lacks behind those that stay
// in it, and takes it away where there are none.
func (f *compacting) replaceOutside(name string) error {
	if len(f.left) == 0 && len(f.apart.bundles) == 0 {
		return f.c.Options.Disk.Remove(f.apart.path)
	}
	return disk.Replace(f.c.Options.Disk, filepath.Join(f.c.Outside, name), 0o644, func(out disk.File) error {
		id := f.apart.info.id
		switch {
		case f.apart.path != "":
			if _, err := f.apart.copyTo(out); err != nil {
				return err
			}
		case !f.info.loc.IsZero():
			id = NewID()
			if err := f.newInfo(out, id, name); err != nil {
				return err
			}
		}
		for _, b := range f.left {
			for i := range b.parts {
				if err := f.rewrite(out, b.parts[i].loc, id); err != nil {
					return err
				}
			}
		}
		return nil
	})
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

// tell reports the records that lie in To now, and those that moved there.
func (f *compacting) tell() error {
	if err := f.had.tell(f.c.Index); err != nil {
		return err
	}
	if err := tellEntries(f.kept, f.c.Index); err != nil {
		return err
	}
	slices.SortFunc(f.moves, func(a, b Move) int { return int(a.From.Offset - b.From.Offset) })
	if f.c.Moved != nil {
		return f.c.Moved(f.moves)
	}
	return nil
}

// tellEntries calls index with the entries of captures; nil asks for none.
func tellEntries(list []bundle, index func(Entry) error) error {
	if index == nil {
		return nil
	}
	for i := range list {
		if err := list[i].entries(index); err != nil {
			return err
		}
	}
	return nil
}
