// Package testweb reads the folder of a built test web, a web of which the truth is told: tables of
// tab-separated values, and the bodies of all its files in one, pack.dat, with manifest.tsv to say
// where each lies.
//
// It is for the judges of methods and for their benchmarks; no harvest needs it. Rows reads any of
// the tables, Files the manifest, Bodies the pack. Nothing is held: a table of a million rows costs
// the memory of its longest line.
package testweb

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxLine is the longest line of a table in bytes: addresses are the longest fields, and two of the
// longest that page.ParseURL takes fit many times over.
const maxLine = 1 << 20

// RowError says which line of which table cannot be read.
type RowError struct {
	File string
	Line int // from 1
	Err  error
}

func (e *RowError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

func (e *RowError) Unwrap() error { return e.Err }

// Rows calls row with the fields of each line of a table; empty lines and those that begin with "#"
// are none. A line of fewer fields than least, or an error of row, ends it with a *RowError.
func Rows(fsys fs.FS, name string, least int, row func(fields []string) error) (err error) {
	file, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) < least {
			return &RowError{name, n, fmt.Errorf("%d fields, fewer than %d", len(fields), least)}
		}
		if err := row(fields); err != nil {
			return &RowError{name, n, err}
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}

// FileRows is Rows of a table that lies anywhere.
func FileRows(path string, least int, row func(fields []string) error) error {
	return Rows(os.DirFS(filepath.Dir(path)), filepath.Base(path), least, row)
}
