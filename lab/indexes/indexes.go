// Package indexes compares the index that the program makes of archives with the one that
// cdxj-indexer makes of them, record by record.
package indexes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"watershed/archive"
)

// Compare is a command of the laboratory.
type Compare struct {
	Folders []string `arg:""`
	Judge   string   `default:"cdxj-indexer" placeholder:"COMMAND"`
}

// Run prints a table of the files, their records and how many are equal, and each record that is
// not. The judge is asked twice for a file: it gives keys and bodies of requests with -p, and
// digests of records without one only without it.
func (c *Compare) Run(ctx context.Context, out io.Writer) error {
	files, err := archives(c.Folders)
	if err != nil {
		return err
	}
	var total tally
	fmt.Fprintln(out, "| file | records | equal |\n|---|---|---|")
	var differences []string
	for _, path := range files {
		t, list, err := c.compare(ctx, path)
		if err != nil {
			return err
		}
		total.records += t.records
		total.equal += t.equal
		fmt.Fprintf(out, "| %s | %d | %d |\n", path, t.records, t.equal)
		differences = append(differences, list...)
	}
	fmt.Fprintf(out, "| %d files | %d | %d |\n\n", len(files), total.records, total.equal)
	for _, line := range differences {
		fmt.Fprintln(out, line)
	}
	return nil
}

type tally struct{ records, equal int }

// archives are the WARC and ARC files in the folders, by their content.
func archives(folders []string) ([]string, error) {
	var files []string
	for _, dir := range folders {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			if f, err := archive.Sniff(path); err == nil && f.Records() {
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// compare indexes one file in both ways.
func (c *Compare) compare(ctx context.Context, path string) (t tally, list []string, err error) {
	ours := map[int64]archive.Entry{}
	damage := (&archive.Source{Path: path}).Entries(func(e archive.Entry) error {
		ours[e.Offset] = e
		return nil
	})
	theirs, failed := c.judge(ctx, path)
	if failed != nil && len(theirs) == 0 {
		list = append(list, fmt.Sprintf("%s: the judge fails (%v); %d records of ours, damage: %v", path,
			failed, len(ours), damage))
	}
	for _, at := range slices.Sorted(maps.Keys(theirs)) {
		t.records++
		mine, ok := ours[at]
		if !ok {
			list = append(list, fmt.Sprintf("%s@%d: not in ours; damage: %v", path, at, damage))
			continue
		}
		if diff := differ(mine, theirs[at]); diff != "" {
			list = append(list, fmt.Sprintf("%s@%d: %s", path, at, diff))
			continue
		}
		t.equal++
	}
	for at := range ours {
		if _, ok := theirs[at]; !ok && failed == nil {
			list = append(list, fmt.Sprintf("%s@%d: not the judge's", path, at))
		}
	}
	return t, list, nil
}

// judge asks the other program.
func (c *Compare) judge(ctx context.Context, path string) (map[int64]archive.Entry, error) {
	keyed, err := c.ask(ctx, path, "-p")
	if err != nil {
		return keyed, err
	}
	plain, err := c.ask(ctx, path)
	for at, e := range keyed {
		e.Digest = plain[at].Digest
		keyed[at] = e
	}
	return keyed, err
}

func (c *Compare) ask(ctx context.Context, path string, options ...string) (map[int64]archive.Entry, error) {
	words := append(strings.Fields(c.Judge), append(options, path)...)
	if len(words) < 2 {
		return nil, errors.New("no judge is named")
	}
	run := exec.CommandContext(ctx, words[0], words[1:]...)
	var text, said bytes.Buffer
	run.Stdout, run.Stderr, run.Env = &text, &said, os.Environ()
	if err := run.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(lines[len(lines)-1]))
	}
	entries := map[int64]archive.Entry{}
	for in := archive.NewEntries(&text); ; {
		e, err := in.Next()
		if errors.Is(err, io.EOF) {
			return entries, nil
		}
		if err != nil {
			return entries, err
		}
		entries[e.Offset] = *e
	}
}

// differ tells the members in which two entries differ.
func differ(ours, theirs archive.Entry) string {
	var list []string
	for _, m := range []struct{ name, ours, theirs string }{
		{"key", ours.Key, theirs.Key},
		{"timestamp", ours.Timestamp, theirs.Timestamp},
		{"url", ours.URL, theirs.URL},
		{"mime", ours.MIME, theirs.MIME},
		{"status", ours.Status, theirs.Status},
		{"digest", ours.Digest, theirs.Digest},
		{"length", fmt.Sprint(ours.Length), fmt.Sprint(theirs.Length)},
		{"method", ours.Extra["method"], theirs.Extra["method"]},
		{"requestBody", ours.Extra["requestBody"], theirs.Extra["requestBody"]},
	} {
		if m.ours != m.theirs {
			list = append(list, fmt.Sprintf("%s %q, the judge %q", m.name, m.ours, m.theirs))
		}
	}
	return strings.Join(list, "; ")
}
