package archive

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"watershed/page"
)

// delivered has the content of a file that an earlier compaction made. The zero value means that
// there is no such file.
type delivered struct {
	path     string                   // "" where there is no such file
	info     part                     // its warcinfo
	places   map[string]page.Location // of the main records, by their ids
	bundles  []bundle                 // all but the warcinfo, with the entries that were asked for
	captures int
	dropped  bool // some of it: see drop
	damaged  []error
}

// readDelivered reads a file through; one that is not there has nothing. Damage is passed over.
func readDelivered(path string, index bool) (d delivered, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return delivered{}, nil
	}
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	d = delivered{path: path, places: map[string]page.Location{}}
	err = newParts(f, filepath.Base(path), index).each(func(b bundle) error { d.take(b); return nil },
		func(err error) { d.damaged = append(d.damaged, err) })
	return d, err
}

func (d *delivered) take(b bundle) {
	if !b.sought() {
		return // what follows is told as damage
	}
	main := b.main()
	if main.kind == TypeWarcinfo && d.info.id == "" {
		d.info = *main
		return
	}
	d.places[main.id] = main.loc
	if main.captured() {
		d.captures++
	}
	d.bundles = append(d.bundles, b)
}

// has reports that the file has the capture whose main record has that id.
func (d *delivered) has(id string) bool {
	_, ok := d.places[id]
	return ok
}

// tell calls index with the entries of the file.
func (d *delivered) tell(index func(Entry) error) error { return tellEntries(d.bundles, index) }

// drop forgets the records that other captures have, and reports whether there were any. A file that
// is damaged keeps what it has.
func (d *delivered) drop(others ...[]bundle) bool {
	if len(d.bundles) == 0 || len(d.damaged) > 0 {
		return false
	}
	ids := map[string]bool{}
	for _, b := range slices.Concat(others...) {
		for i := range b.parts {
			ids[b.parts[i].id] = true
		}
	}
	for i := range d.bundles {
		b := &d.bundles[i]
		n := len(b.parts)
		b.parts = slices.DeleteFunc(b.parts, func(p part) bool { return ids[p.id] })
		d.dropped = d.dropped || len(b.parts) < n
	}
	d.bundles = slices.DeleteFunc(d.bundles, func(b bundle) bool { return len(b.parts) == 0 })
	return d.dropped
}

// copyTo copies the file as it is, but for records that were dropped, and gives its length.
func (d *delivered) copyTo(w io.Writer) (n int64, err error) {
	f, err := os.Open(d.path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if !d.dropped {
		return io.Copy(w, f)
	}
	for _, b := range slices.Insert(d.bundles, 0, bundle{parts: []part{d.info}}) {
		for i := range b.parts {
			loc := b.parts[i].loc
			m, err := io.Copy(w, io.NewSectionReader(f, loc.Offset, loc.Length))
			if n += m; err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// take counts a file that is in To.
func (s *Compacted) take(d *delivered, name string) {
	s.Files = append(s.Files, name)
	s.Damaged = append(s.Damaged, d.damaged...)
	s.Kept += d.captures
}
