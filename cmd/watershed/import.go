package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"watershed/configs"
	"watershed/configs/peer"
	"watershed/internal/console"
	"watershed/internal/disk"
)

// headColumns is the width of a note in the head of a YAML, which a terminal of 80 columns shows.
const headColumns = 74

// importCommand makes a harvest's YAML of another crawler's configuration.
type importCommand struct {
	File string `arg:""`
	Out  string `short:"o" placeholder:"FILE"`
}

func (c *importCommand) Run(s console.Streams) error {
	if err := there(c.File); err != nil {
		return err
	}
	path := projectFile(c.File)
	data, err := configs.ReadFile(path)
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	got, err := peer.Read(path, data, configs.ReadFile)
	if errors.Is(err, peer.ErrUnknown) {
		err = fmt.Errorf("%w. If it is a harvest of this program: %s", err,
			command("config", "check", path))
	}
	if err != nil {
		return &exitError{exitConfig, err}
	}
	if o := &got.Draft.Operator; o.Contact == "" {
		if kept, err := configs.LoadOperator(operatorFile()); err == nil {
			*o = kept
		}
	}
	got.Draft.Head = append(got.Draft.Head, fmt.Sprintf("Made by watershed import of %s (%s).",
		filepath.Base(path),
		got.Program))
	if len(got.Notes) > 0 {
		got.Draft.Head = append(got.Draft.Head, "Without an equal, or to be looked at:")
	}
	for _, n := range got.Notes {
		for i, line := range console.Wrap(n.String(), headColumns) {
			got.Draft.Head = append(got.Draft.Head, strings.Repeat("  ", min(i+1, 2))+line)
		}
	}
	return c.write(s, path, got)
}

// projectFile is the file to read of a folder: that of an HTTrack project, or of a Heritrix job.
func projectFile(path string) string {
	for _, name := range []string{
		"hts-cache/doit.log", "doit.log", "crawler-beans.cxml",
	} {
		if inside := filepath.Join(path, filepath.FromSlash(name)); isFile(inside) {
			return inside
		}
	}
	return path
}

// write prints the YAML, or writes it where nothing is yet, and says what is left to be done.
func (c *importCommand) write(s console.Streams, path string, got *peer.Import) error {
	text := got.Draft.YAML()
	target := c.Out
	if target == "" {
		target = "harvest.yaml"
		if _, err := console.Whole(s.Out).Write(text); err != nil {
			return err
		}
	} else {
		if _, err := os.Stat(target); err == nil {
			return fmt.Errorf("import: %s is there, and is not written over", target)
		}
		if err := disk.WriteText(disk.OS{}, target, 0o666, text); err != nil {
			return fmt.Errorf("import: %w", err)
		}
	}
	fmt.Fprintf(s.Err, "%s is %s; sites: %d\n", path, of(got.Program), len(got.Draft.Sites))
	for _, n := range got.Notes {
		fmt.Fprintln(s.Err, n)
	}
	if _, err := configs.Compose(target, text); err != nil {
		fmt.Fprintf(s.Err, "still to be filled in:\n%v\n", err)
	}
	return nil
}

// peers gives an error of a harvest's YAML that is another crawler's file the message that helps.
func peers(path string, err error) error {
	data, readErr := readHead(path, sniffed)
	if readErr != nil {
		return err
	}
	switch p := peer.Sniff(data); p {
	case "":
		return err
	case peer.Seeds:
		if strings.ToLower(filepath.Ext(path)) != ".txt" && isList(path) {
			return err // a table: what its first row lacks is said
		}
		return fmt.Errorf("%w\n\n%s may be %s as Heritrix has them: translate it by\n  %s", err, path, p,
			command("import", path, "-o", "harvest.yaml"))
	default:
		return fmt.Errorf("%s is no harvest of this program but %s: translate it by\n  %s", path,
			of(p), command("import", path, "-o", "harvest.yaml"))
	}
}

// sniffed is how much of a file is looked at to know whose it is, in bytes.
const sniffed = 1 << 20

func readHead(path string, n int64) (data []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, n))
}

// of names whose file it is in a sentence.
func of(p peer.Program) string {
	if p == peer.Seeds {
		return string(p)
	}
	return "a configuration of " + string(p)
}
