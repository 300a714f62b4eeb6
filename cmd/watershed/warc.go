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
	"strings"
	"syscall"

	"watershed/archive"
	"watershed/archive/columnar"
	"watershed/corpus"
	"watershed/internal/console"
	"watershed/internal/disk"
)

type warcCommand struct {
	Ls    warcLs    `cmd:""`
	Cat   warcCat   `cmd:""`
	Check warcCheck `cmd:""`
}

type warcLs struct {
	Paths []string `arg:""`
}

// there refuses paths that a person named where none is there: the command line is wrong then, and no
// archive or YAML. Of several, the ones that are there are read, and the others told.
func there(paths ...string) error {
	for _, path := range paths {
		_, err := os.Stat(path)
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return nil
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return &exitError{exitUsage, fmt.Errorf("%s: there is no such file", strings.Join(paths, ", "))}
}

func (c *warcLs) Run(ctx context.Context, s console.Streams) error {
	out := bufio.NewWriter(s.Out)
	bad := console.Damage{Out: s.Err}
	err := eachSource(ctx, c.Paths, s, &bad, func(src *archive.Source) error {
		err := listRecords(ctx, out, src, &bad)
		if out.Flush() != nil {
			return nil // what cannot be printed is no damage of the source
		}
		return err
	}, nil)
	return errors.Join(err, out.Flush())
}

// eachSource calls do with each row of records that the paths name, in their order, and then beside,
// unless it is nil, with each index beside them in a folder and with all sources. An index that is named,
// or a list of links, is damage to its commands. The error ends with that of the damage.
func eachSource(ctx context.Context, paths []string, s console.Streams, bad *console.Damage,
	do func(*archive.Source) error, beside func(index string, all []archive.Source) error,
) (err error) {
	if err := there(paths...); err != nil {
		return err
	}
	found := archive.Gather(paths, func(path string, err error) {
		bad.Read(path, func() error { return err })
	})
	defer func() { err = errors.Join(err, found.Close()) }()
	if beside == nil {
		found.Indexes = nil
	} else {
		found.Left.Indexes = 0
	}
	tellLeft(s, found.Left)
	read := 0
	for i := range found.Sources {
		src := &found.Sources[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		bad.Read(src.Path, func() error {
			if src.Format != archive.FormatUnknown && !src.Format.Records() {
				return fmt.Errorf("a %s has no records; delimit reads it", src.Format)
			}
			read++
			return do(src)
		})
	}
	for _, index := range found.Indexes {
		bad.Read(index, func() error { return beside(index, found.Sources) })
	}
	if err := errors.Join(ctx.Err(), bad.Err()); err != nil || read > 0 {
		return err
	}
	return fmt.Errorf("no archive in %s", strings.Join(paths, ", "))
}

// tellLeft tells what of folders is not read.
func tellLeft(s console.Streams, left archive.Left) {
	if text := left.String(); text != "" {
		fmt.Fprintln(s.Err, text)
	}
}

// listRecords lists a file to its end. Damage within it is told.
func listRecords(ctx context.Context, out io.Writer, src *archive.Source, bad *console.Damage) (err error) {
	r, err := src.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for ctx.Err() == nil {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if format, ok := errors.AsType[*archive.FormatError](err); ok {
			more := r.Recover()
			bad.Tell(src.Path, corpus.Damage{File: src.Path, Offset: format.Offset, Err: r.Lost(err)})
			if !more {
				return nil
			}
			continue
		}
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%s\t%d\t%s\t%s\t%d\t%s\n", filepath.Base(src.Path),
			rec.Offset, rec.Type(),
			rec.Header.Get("WARC-Date"), rec.Size, rec.TargetURI()); err != nil {
			return err
		}
	}
	return nil
}

type warcCat struct {
	File    string `arg:""`
	Offset  int64  `arg:""`
	Payload bool
}

func (c *warcCat) Run(s console.Streams) (err error) {
	if err := there(c.File); err != nil {
		return err
	}
	src, found, err := archive.FindSource(c.File)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	defer func() { err = errors.Join(err, found.Close()) }()
	rec, err := src.OpenAt(c.Offset)
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
	Paths []string `arg:""`
	Quiet bool     `short:"q"`
}

func (c *warcCheck) Run(ctx context.Context, s console.Streams) (err error) {
	spill, remove, err := spillFolder()
	if err != nil {
		return err
	}
	checker := archive.Checker{Spill: spill}
	defer func() { err = errors.Join(err, checker.Close(), remove()) }()
	bad := console.Damage{Out: s.Err}
	packages, files := 0, 0
	wrong := make(map[string]bool)
	var last *archive.WACZ
	report := func(rep archive.Report) {
		c.problems(s.Out, &rep)
		if !rep.OK() {
			wrong[rep.File] = true
		}
	}
	err = eachSource(ctx, c.Paths, s, &bad, func(src *archive.Source) error {
		if src.Package != nil && src.Package != last {
			last = src.Package
			files++
			packages += c.packaged(s.Out, strings.TrimSuffix(src.Path, "/"+src.In), last)
		}
		files++
		rep, err := checker.Check(ctx, src)
		if err != nil {
			return err
		}
		report(rep)
		if !c.Quiet {
			fmt.Fprintf(s.Out, "%s: %d records, %d digests agree, %d bytes\n", rep.File, rep.Records,
				rep.Digests, rep.Bytes)
		}
		return nil
	}, func(index string, all []archive.Source) error {
		files++
		rep, err := archive.CheckIndex(ctx, index, all)
		report(rep)
		return err
	})
	if ctx.Err() != nil {
		return err
	}
	if err := checker.Finish(ctx, report); err != nil {
		return fmt.Errorf("compare the ids of records: %w", err)
	}
	if n := len(wrong) + packages + bad.Files(); n > 0 {
		return fmt.Errorf("%d of %s damaged, or against the format", n,
			console.Plural(max(files, n), "file", "files"))
	}
	return err
}

// packaged compares a package with its lists, and gives 1 where they differ.
func (c *warcCheck) packaged(out io.Writer, path string, w *archive.WACZ) (wrong int) {
	for _, err := range w.Verify() {
		fmt.Fprintf(out, "%s: %v\n", path, err)
		wrong = 1
	}
	if s, err := w.Signature(); err == nil && s != nil && wrong == 0 && !c.Quiet {
		by := "key " + s.PublicKey
		if s.PublicKey == "" {
			by = "domain " + s.Domain + ", whose certificates are not checked here"
		}
		fmt.Fprintf(out, "%s: signed at %s by %s\n", path, s.Created, by)
	}
	return wrong
}

func (c *warcCheck) problems(out io.Writer, rep *archive.Report) {
	for _, p := range rep.Problems {
		fmt.Fprintf(out, "%s: %s\n", rep.File, p)
	}
	if rep.Unnamed > 0 {
		fmt.Fprintf(out, "%s: %d problems more\n", rep.File, rep.Unnamed)
	}
}

type cdxjCommand struct {
	Paths []string `arg:""`
	Out   string   `short:"o" placeholder:"FILE" xor:"out"`

	Parquet string `placeholder:"FILE" xor:"out"`
}

// Run writes one sorted index of all files. Records that cannot be read are told and left out of
// it.
func (c *cdxjCommand) Run(ctx context.Context, s console.Streams) (err error) {
	if err := there(c.Paths...); err != nil {
		return err
	}
	sorter := archive.NewSorter(os.TempDir(), 0)
	defer func() { err = errors.Join(err, sorter.Close()) }()
	bad := console.Damage{Out: s.Err}
	found := archive.Gather(c.Paths, func(path string, err error) {
		bad.Read(path, func() error { return err })
	})
	defer func() { err = errors.Join(err, found.Close()) }()
	tellLeft(s, found.Left)
	if len(found.Sources) == 0 && bad.Err() == nil {
		return fmt.Errorf("no archive in %s", strings.Join(c.Paths, ", "))
	}
	all := 0
	for i := range found.Sources {
		src := &found.Sources[i]
		src.Described = c.Parquet != ""
		var ours error // that ends the command: of the sorter or the context
		entries := 0
		bad.Read(src.Path, func() error {
			err := src.Entries(func(e archive.Entry) error {
				entries++
				ours = errors.Join(ctx.Err(), sorter.Add(&e))
				return ours
			})
			if ours != nil {
				return nil
			}
			if err == nil && entries == 0 {
				fmt.Fprintf(s.Err, "%s: it has no record that belongs in an index: responses, revisits "+
					"and resources do, metadata on others and the text of WET files do not\n", src.Path)
			}
			return err
		})
		all += entries
		if ours != nil {
			return ours
		}
	}
	if all == 0 && bad.Err() == nil {
		return fmt.Errorf("the index of %s would be empty", strings.Join(c.Paths, ", "))
	}
	if c.Parquet != "" {
		other := 0
		err := disk.WriteNamed(c.Parquet, func(w io.Writer) (err error) {
			other, err = c.writeTable(w, sorter)
			return err
		})
		if other > 0 {
			fmt.Fprintf(s.Err, "%d entries have no http or https address, and no row\n", other)
		}
		return errors.Join(err, bad.Err())
	}
	if c.Out == "" || c.Out == "-" { // as other programs call the standard output
		_, err := sorter.WriteTo(console.Data(s.Out))
		return errors.Join(err, bad.Err())
	}
	return errors.Join(disk.WriteNamed(c.Out, func(w io.Writer) error {
		_, err := sorter.WriteTo(w)
		return err
	}), bad.Err())
}

// writeTable writes the sorted entries as a table, which is complete or not there, and returns how
// many of them have no row.
func (c *cdxjCommand) writeTable(w io.Writer, sorter *archive.Sorter) (other int, err error) {
	table := columnar.NewWriter(w, strings.TrimSuffix(filepath.Base(c.Parquet), ".parquet"))
	from, to := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, err := sorter.WriteTo(to)
		to.CloseWithError(err)
	}()
	in := archive.NewEntries(from)
	for err == nil {
		var e *archive.Entry
		if e, err = in.Next(); err == nil {
			err = table.Write(e)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	from.CloseWithError(err)
	<-done
	return table.Other(), errors.Join(err, table.Close())
}
