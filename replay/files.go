package replay

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"watershed/harvest"
)

// Files are the paths of the files of a run that replay programs read: index, WARC files, package,
// and the rules for left out URLs.
func Files(run harvest.Run) ([]string, error) {
	var list []string
	add := func(dir string, fits func(name string) bool) error {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			if e.Type().IsRegular() && fits(e.Name()) {
				list = append(list, filepath.Join(dir, e.Name()))
			}
		}
		return nil
	}
	err := add(filepath.Dir(run.Index()), func(name string) bool {
		return name == filepath.Base(run.Index())
	})
	err = errors.Join(err, add(run.Archive(), func(name string) bool {
		return strings.HasSuffix(name, ".warc.gz")
	}))
	err = errors.Join(err, add(string(run), func(name string) bool {
		return filepath.Ext(name) == ".wacz" || name == filepath.Base(run.Mirrors())
	}))
	return list, err
}

// FileTypes are the media types of the files, none of which a browser shows.
var FileTypes = map[string]string{
	".cdxj": "application/octet-stream", ".gz": "application/warc",
	".wacz": "application/wacz", ".json": "application/json",
}

// file serves a file of the archive by range: files/RUN/NAME that of a run, files/NAME the WARC
// file or package of any.
func (s *Server) file(w http.ResponseWriter, r *http.Request, folder harvest.Folder, names []string) {
	runs, err := folder.Runs()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	for _, run := range slices.Backward(runs) {
		if len(names) == 2 && names[0] != run.Name() {
			continue
		}
		files, err := Files(run)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		i := slices.IndexFunc(files, func(p string) bool { return filepath.Base(p) == names[len(names)-1] })
		if i < 0 {
			continue
		}
		w.Header().Set("Content-Disposition", "attachment")
		if err := ServeFile(w, r, files[i], FileTypes[filepath.Ext(files[i])]); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
		return
	}
	http.Error(w, "The archive has no such file.", http.StatusNotFound)
}

// ServeFile serves a file of a media type, by range where that is asked for. The error is one before
// anything was written.
func ServeFile(w http.ResponseWriter, r *http.Request, path, mime string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	stat, err := f.Stat()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", mime)
	http.ServeContent(w, r, "", stat.ModTime(), f)
	return nil
}
