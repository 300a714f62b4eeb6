package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"watershed/archive"
	"watershed/corpus"
	"watershed/internal/console"
	"watershed/page"
)

type warcCommand struct {
	Ls    warcLs    `cmd:"" help:"List the records of WARC files: offset, type, date, address."`
	Cat   warcCat   `cmd:"" help:"Print one record as it lies in the file."`
	Check warcCheck `cmd:"" help:"Check digests, framing and header fields; exit 9 when something is wrong."`
}

type warcLs struct {
	Paths []string `arg:"" help:"WARC files, or folders with some."`
}

func (c *warcLs) Run(ctx context.Context, s console.Streams) error {
	files, err := warcFiles(c.Paths)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(s.Out)
	bad := console.Damage{Out: s.Err}
	for _, path := range files {
		bad.Read(path, func() error { return listRecords(ctx, out, path, &bad) })
		if err := errors.Join(ctx.Err(), out.Flush()); err != nil {
			return err
		}
	}
	return bad.Err()
}

// listRecords lists a file to its end. Damage within it is told.
func listRecords(ctx context.Context, out io.Writer, path string, bad *console.Damage) (err error) {
	r, err := archive.OpenFile(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for ctx.Err() == nil {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var format *archive.FormatError
		if errors.As(err, &format) {
			bad.Tell(path, corpus.Damage{File: path, Offset: format.Offset, Err: err})
			if !r.Recover() {
				return nil
			}
			continue
		}
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%s\t%d\t%s\t%s\t%d\t%s\n", filepath.Base(path), rec.Offset, rec.Type(),
			rec.Header.Get("WARC-Date"), rec.Size, rec.TargetURI()); err != nil {
			return err
		}
	}
	return nil
}

type warcCat struct {
	File    string `arg:"" help:"WARC file."`
	Offset  int64  `arg:"" help:"Offset of the record or its gzip member, as ls prints it."`
	Payload bool   `help:"Print only the payload of an HTTP response, without transfer and content coding."`
}

func (c *warcCat) Run(s console.Streams) (err error) {
	stat, err := os.Stat(c.File)
	if err != nil {
		return err
	}
	rec, err := archive.Open(filepath.Dir(c.File), page.Location{
		File:   filepath.Base(c.File),
		Offset: c.Offset, Length: stat.Size() - c.Offset,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rec.Close()) }()
	out := console.Data(s.Out)
	if c.Payload {
		m, err := rec.HTTP()
		if err != nil {
			return err
		}
		body := m.Decoded(maxPrinted)
		if _, err := out.Write(body.Bytes); err != nil {
			return err
		}
		return body.Err
	}
	for _, f := range rec.Header {
		if _, err := fmt.Fprintf(out, "%s: %s\r\n", f.Name, f.Value); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(out, "\r\n"); err != nil {
		return err
	}
	_, err = io.Copy(out, rec.Block)
	return err
}

// maxPrinted bounds the payload that cat decodes, in bytes.
const maxPrinted = 1 << 30

type warcCheck struct {
	Paths []string `arg:"" help:"WARC files, or folders with some."`
	Quiet bool     `short:"q" help:"Print only what is wrong."`
}

func (c *warcCheck) Run(ctx context.Context, s console.Streams) error {
	files, err := warcFiles(c.Paths)
	if err != nil {
		return err
	}
	var checker archive.Checker
	bad := console.Damage{Out: s.Err}
	wrong := 0
	for _, path := range files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		bad.Read(path, func() error {
			rep, err := checker.Check(ctx, path)
			if err != nil {
				return err
			}
			if c.print(s.Out, path, &rep); !rep.OK() {
				wrong++
			}
			return nil
		})
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if wrong += bad.Files(); wrong > 0 {
		return fmt.Errorf("%d of %d files are damaged or break the format", wrong, len(files))
	}
	return nil
}

func (c *warcCheck) print(out io.Writer, path string, rep *archive.Report) {
	for _, p := range rep.Problems {
		fmt.Fprintf(out, "%s: %s\n", path, p)
	}
	if !c.Quiet {
		fmt.Fprintf(out, "%s: %d records, %d digests agree, %d bytes\n", path, rep.Records,
			rep.Digests, rep.Bytes)
	}
}

type cdxjCommand struct {
	Paths []string `arg:"" help:"WARC files, or folders with some."`
	Out   string   `short:"o" placeholder:"FILE" help:"File to write; standard output by default."`
}

// Run writes one sorted index of all files. Records that cannot be read are told and left out of
// it.
func (c *cdxjCommand) Run(ctx context.Context, s console.Streams) (err error) {
	files, err := warcFiles(c.Paths)
	if err != nil {
		return err
	}
	sorter := archive.NewSorter(os.TempDir(), 0)
	defer func() { err = errors.Join(err, sorter.Close()) }()
	bad := console.Damage{Out: s.Err}
	for _, path := range files {
		var ours error // that ends the command: of the sorter or the context
		bad.Read(path, func() error {
			err := archive.IndexWARC(path, func(e archive.Entry) error {
				ours = errors.Join(ctx.Err(), sorter.Add(&e))
				return ours
			})
			if ours != nil {
				return nil
			}
			return err
		})
		if ours != nil {
			return ours
		}
	}
	if c.Out == "" {
		_, err := sorter.WriteTo(console.Data(s.Out))
		return errors.Join(err, bad.Err())
	}
	f, err := os.Create(c.Out)
	if err != nil {
		return err
	}
	_, err = sorter.WriteTo(f)
	return errors.Join(err, f.Close(), bad.Err())
}

// warcFiles are the WARC files that paths name, and those in the folders among them, sorted. A path
// that is not there is one of them: whoever opens it tells why it cannot be read.
func warcFiles(paths []string) ([]string, error) {
	var files []string
	for _, p := range paths {
		if stat, err := os.Stat(p); err != nil || !stat.IsDir() {
			files = append(files, p)
			continue
		}
		err := filepath.WalkDir(p, func(path string, d fs.DirEntry, err error) error {
			if err != nil && path != p { // told by whoever opens it
				files = append(files, path)
				return nil
			}
			if err == nil && !d.IsDir() &&
				(strings.HasSuffix(path, ".warc.gz") || strings.HasSuffix(path, ".warc")) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no .warc or .warc.gz file in %s", strings.Join(paths, ", "))
	}
	slices.Sort(files)
	return files, nil
}
