package archive

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"watershed/page"
)

// delivered has the content of a file that an earlier compaction made. The zero value means that
// there is no such file.
type delivered struct {
	path     string                   // "" where there is no such file
	info     string                   // id of its warcinfo
	places   map[string]page.Location // of the main records, by their ids
	index    []bundle                 // with the entries that were asked for
	captures int
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
	err = newParts(f, filepath.Base(path), index).each(func(b bundle) error { d.take(b, index); return nil },
		func(err error) { d.damaged = append(d.damaged, err) })
	return d, err
}

func (d *delivered) take(b bundle, index bool) {
	if !b.sought() {
		return // what follows is told as damage
	}
	main := b.main()
	if main.kind == TypeWarcinfo && d.info == "" {
		d.info = main.id
		return
	}
	d.places[main.id] = main.loc
	if main.captured() {
		d.captures++
	}
	if index {
		d.index = append(d.index, b)
	}
}

// has reports that the file has the capture whose main record has that id.
func (d *delivered) has(id string) bool {
	_, ok := d.places[id]
	return ok
}

// tell calls index with the entries of the file.
func (d *delivered) tell(index func(Entry) error) error { return tellEntries(d.index, index) }

// copyTo copies the file as it is, and gives its length.
func (d *delivered) copyTo(w io.Writer) (n int64, err error) {
	f, err := os.Open(d.path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.Copy(w, f)
}

// take counts a file that is in To.
func (s *Compacted) take(d *delivered, name string) {
	s.Files = append(s.Files, name)
	s.Damaged = append(s.Damaged, d.damaged...)
	s.Kept += d.captures
}
