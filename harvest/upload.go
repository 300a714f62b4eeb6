package harvest

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"watershed/archive"
	"watershed/internal/disk"
	"watershed/page"
	"watershed/upload"
)

// Handed are the files of a delivered run that are handed over, of the kinds that are wanted: small
// ones first, so that what is wrong shows early. A run that was not delivered has none. WARC files
// that the index names are among them also where they are not here.
func (r Run) Handed(kinds []upload.Kind) ([]upload.File, error) {
	if !r.delivered() {
		return nil, nil
	}
	var files []upload.File
	sizes := map[string]int64{}
	var walk func(folder string) error // each folder may lie elsewhere, behind a link
	walk = func(folder string) error {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // it was renamed meanwhile
			return err
		}
		for _, e := range entries {
			path := filepath.Join(folder, e.Name())
			name, err := filepath.Rel(string(r), path)
			if err != nil {
				return err
			}
			name = filepath.ToSlash(name)
			kind, handed := handedAs(name)
			info, err := os.Stat(path)
			switch {
			case !handed || errors.Is(err, fs.ErrNotExist):
			case err != nil:
				return err
			case info.IsDir():
				if err := walk(path); err != nil {
					return err
				}
			case info.Mode().IsRegular() && slices.Contains(kinds, kind):
				files, sizes[name] = append(files, upload.File{Path: name, Kind: kind}), info.Size()
			}
		}
		return nil
	}
	if err := walk(string(r)); err != nil {
		return nil, err
	}
	if slices.Contains(kinds, upload.WARC) {
		ends, _ := r.ends() // of an index that is damaged, those that it still names
		for file := range ends {
			name := "archive/" + file
			if strings.ContainsAny(file, `/\`) {
				continue // no file of this folder
			}
			if _, here := sizes[name]; !here {
				files = append(files, upload.File{Path: name, Kind: upload.WARC})
			}
		}
	}
	slices.SortStableFunc(files, func(a, b upload.File) int {
		switch x, y := sizes[a.Path], sizes[b.Path]; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return strings.Compare(a.Path, b.Path)
	})
	return files, nil
}

// handedAs says as what a file or folder of a run is handed over; ok is false for what stays.
func handedAs(name string) (kind upload.Kind, ok bool) {
	if strings.HasSuffix(name, disk.Suffix) { // it is being written
		return 0, false
	}
	top, rest, within := strings.Cut(name, "/")
	switch top {
	case "archive":
		return upload.WARC, !within || strings.HasSuffix(rest, ".warc.gz")
	case "indexes":
		return upload.Index, !strings.HasSuffix(name, ".part")
	case "logs", "reports", "sites", "mirrors.json", "harvest.yaml":
		return upload.Report, true
	}
	return upload.Package, strings.HasSuffix(top, ".wacz")
}

// Finished reports that the run will get no further captures: nothing of it may be removed before.
func (r Run) Finished() bool { return r.delivered() && !r.spooled() }

// Uploaded is how far the upload of the run has come, nil where none was begun.
func (r Run) Uploaded() (*upload.Sum, error) {
	record, err := upload.Read(string(r))
	if record == nil || err != nil {
		return nil, err
	}
	x := record.Sum()
	return &x, nil
}

// ErrRemoved says that a WARC file was removed here after its upload.
var ErrRemoved = errors.New("it was removed here after its upload")

// Record opens the record at a location of the run's archive. It has to be closed. The error is
// ErrRemoved for a file that lies at a store only, and says where.
func (r Run) Record(at page.Location) (*archive.Record, error) {
	rec, err := archive.Open(r.Archive(), at)
	if errors.Is(err, fs.ErrNotExist) {
		err = cmp.Or(removed(r, at.File), err)
	}
	return rec, err
}

// removed is ErrRemoved of a WARC file that was removed here after its upload, or why that is not known.
func removed(r Run, file string) error {
	uploads, err := upload.Read(string(r))
	if err != nil || !removedBy(uploads, file) {
		return err
	}
	name := inArchive(file)
	on := uploads.Files[name].Removed.Format(time.DateOnly)
	return fmt.Errorf("%s: %w, on %s, and lies at %s/%s; a copy of it in %s is read as before",
		file, ErrRemoved, on, uploads.Place(), name, r.Archive())
}

// removedBy reports a WARC file that was removed, as the record of an upload says, nil for none.
func removedBy(uploads *upload.Record, file string) bool {
	if uploads == nil {
		return false
	}
	x := uploads.Files[inArchive(file)]
	return x != nil && !x.Removed.IsZero()
}

// inArchive is a WARC file in the record of an upload.
func inArchive(file string) string { return "archive/" + file }
