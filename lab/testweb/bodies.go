package testweb

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
)

// File is a row of the manifest: a file of the web.
type File struct {
	Host, Path string
	Type       string // as in the header Content-Type
	Modified   int64  // seconds since 1970
	Extent     Extent
}

// URL is the address of a file as the tables write it.
func (f File) URL() string { return "http://" + f.Host + f.Path }

// Extent is where a body lies in the pack, in bytes.
type Extent struct{ Offset, Length int64 }

// Files calls fn for each file of a web, in the order of the manifest. A mistake in a row is told
// as a *RowError.
func Files(fsys fs.FS, fn func(f File) error) error {
	return Rows(fsys, "manifest.tsv", 6, func(row []string) error {
		f := File{Host: row[0], Path: row[1], Type: row[4]}
		var err [3]error
		f.Extent.Offset, err[0] = strconv.ParseInt(row[2], 10, 64)
		f.Extent.Length, err[1] = strconv.ParseInt(row[3], 10, 64)
		f.Modified, err[2] = strconv.ParseInt(row[5], 10, 64)
		if err := errors.Join(err[:]...); err != nil {
			return err
		}
		if f.Extent.Offset < 0 || f.Extent.Length < 0 {
			return errors.New("negative extent")
		}
		return fn(f)
	})
}

// Bodies is the pack of a web, open. It may be read by several goroutines at once.
type Bodies struct {
	file fs.File
	at   io.ReaderAt
}

// OpenBodies opens the pack, which must be an io.ReaderAt, as the files of os.DirFS are. The caller
// closes it.
func OpenBodies(fsys fs.FS) (*Bodies, error) {
	file, err := fsys.Open("pack.dat")
	if err != nil {
		return nil, err
	}
	at, ok := file.(io.ReaderAt)
	if !ok {
		return nil, errors.Join(errors.New("pack.dat cannot be read at an offset"), file.Close())
	}
	return &Bodies{file, at}, nil
}

// Read gives a body, in the memory of buffer where that suffices.
func (b *Bodies) Read(e Extent, buffer []byte) ([]byte, error) {
	body := slices.Grow(buffer[:0], int(e.Length))[:e.Length]
	if _, err := b.at.ReadAt(body, e.Offset); err != nil {
		return nil, fmt.Errorf("read %d bytes of pack.dat from %d on: %w", e.Length, e.Offset, err)
	}
	return body, nil
}

// Close closes the pack.
func (b *Bodies) Close() error { return b.file.Close() }
