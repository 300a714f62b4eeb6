package harvest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"watershed/archive"
	"watershed/internal/disk"
	"watershed/page"
	"watershed/report"
	"watershed/upload"
)

// flaw is a WARC file of a delivered run that is missing, or shorter than it was, or a record in it
// that could not be read when something needed it. A file in the harvest's folder has a line of each,
// for a run meets a record once, and may be killed. Whether a flaw still stands is looked up whenever
// it is told of: it is gone once the file is brought back.
type flaw struct {
	Run    int    `json:"run"`
	File   string `json:"file"`
	Offset int64  `json:"offset"` // of the record; 0 for a whole file
	Length int64  `json:"length"` // of that in bytes
}

// flaws is the file that has them; there is none where nothing was found.
func (f Folder) flaws() string { return filepath.Join(string(f), "damaged.jsonl") }

func readFlaws(f Folder) (list []flaw) {
	for line, err := range Lines(f.flaws()) {
		var x flaw
		if err == nil && json.Unmarshal(line, &x) == nil { // another line is no finding
			list = append(list, x)
		}
	}
	return list
}

// flawSeeker looks whether flaws stand. It reads the record of a run's upload once.
type flawSeeker struct {
	folder  Folder
	uploads map[int]*upload.Record
}

func newFlawSeeker(f Folder) *flawSeeker { return &flawSeeker{f, map[int]*upload.Record{}} }

// stands tells of the file where something is still wrong with it. A file that was removed here after
// its upload is as it should be.
func (s *flawSeeker) stands(x flaw) (told report.Damaged, stands bool) {
	run := s.folder.Run(x.Run)
	told.File = filepath.Join(run.Archive(), x.File)
	info, err := os.Stat(told.File)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return told, !s.removed(x)
	case err == nil && info.Size() < x.Offset+x.Length:
		err = fmt.Errorf("it has %d bytes, and had %d or more", info.Size(), x.Offset+x.Length)
	case err == nil && x.Offset > 0:
		err = archive.Sound(run.Archive(), page.Location{File: x.File, Offset: x.Offset, Length: x.Length})
		if err != nil {
			err = fmt.Errorf("%w (watershed warc check '%s' tells all damage)", err, told.File)
		}
	}
	if err != nil {
		told.Cause = err.Error()
	}
	return told, err != nil
}

// removed reports a file that was removed after its upload; where no record says so, it is missing.
func (s *flawSeeker) removed(x flaw) bool {
	uploads, known := s.uploads[x.Run]
	if !known {
		uploads, _ = upload.Read(string(s.folder.Run(x.Run))) // a record that cannot be read says nothing
		s.uploads[x.Run] = uploads
	}
	return removedBy(uploads, x.File)
}

// Damaged are the WARC files that are missing or damaged by now: of a run those that it delivered, and
// of it and earlier ones those of which a run has found it.
func Damaged(r Run, delivered []report.File) []report.Damaged {
	f, told := Folder(filepath.Dir(string(r))), map[string]report.Damaged{}
	seek := newFlawSeeker(f)
	for _, x := range append(wholeFiles(r, delivered), readFlaws(f)...) {
		if x.Run > r.Number() {
			continue
		}
		if is, stands := seek.stands(x); stands {
			told[is.File] = is
		}
	}
	list := slices.Collect(maps.Values(told))
	slices.SortFunc(list, func(a, b report.Damaged) int { return strings.Compare(a.File, b.File) })
	return list
}

// wholeFiles are files of a run, with what they had.
func wholeFiles(r Run, delivered []report.File) (list []flaw) {
	for _, x := range delivered {
		list = append(list, flaw{Run: r.Number(), File: x.Name, Length: x.Bytes})
	}
	return list
}

// lookForFlaws looks whether the WARC files of earlier runs are there, as long as they were, and forgets
// what stands no more.
func (g *ground) lookForFlaws() error {
	runs, err := g.folder.Runs()
	if err != nil {
		return err
	}
	known := readFlaws(g.folder)
	all := slices.Clone(known)
	for _, r := range runs {
		x, err := disk.ReadJSON[struct{ Ending *report.Ending }](filepath.Join(r.Reports(), "report.json"))
		if err == nil && x.Ending != nil && r.Number() < g.Number() {
			all = append(all, wholeFiles(r, x.Ending.Files)...)
		}
	}
	var list []flaw
	seek := newFlawSeeker(g.folder)
	for _, x := range all {
		same := func(y flaw) bool { return y.Run == x.Run && y.File == x.File }
		if told, stands := seek.stands(x); stands && !slices.ContainsFunc(list, same) {
			g.log.Warn("a WARC file of an earlier run is damaged or missing", "file", told.File,
				"cause", told.Cause)
			list = append(list, x)
		}
	}
	if slices.Equal(list, known) {
		return nil
	}
	return g.writeFlaws(list)
}

func (g *ground) writeFlaws(list []flaw) error {
	if len(list) == 0 {
		return g.disk().Remove(g.folder.flaws())
	}
	return g.write(g.folder.flaws(), func(w io.Writer) error { return disk.WriteLines(w, list) })
}
