package harvest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"watershed/archive"
	"watershed/internal/disk"
	"watershed/page"
	"watershed/store"
)

// Folder is the folder of a harvest.
type Folder string

// Quality is where the last check by drawing again is kept: what it found, and its pictures.
func (f Folder) Quality() string { return filepath.Join(string(f), "quality") }

// Picture is a picture of a page there, as JPEG; it may be missing.
func (f Folder) Picture(u page.URL, of Picture) string {
	return filepath.Join(f.Quality(), fmt.Sprintf("%016x-%s.jpg", uint64(u.Key()), of))
}

// Picture names a picture of a page that was drawn again.
type Picture string

// The pictures of a page that was drawn again.
const (
	PictureAgain      Picture = "again"      // as it was drawn out of the archive
	PictureDifference Picture = "difference" // the same with what is not as it was when it was drawn live
)

// State is where the store lies.
func (f Folder) State() string { return filepath.Join(string(f), "state") }

// Run is the folder of a run, counted from 1.
func (f Folder) Run(n int) Run { return Run(filepath.Join(string(f), fmt.Sprintf("run-%04d", n))) }

// Round is the folder of what the machines of a cluster brought in a round.
func (f Folder) Round(n int) string { return filepath.Join(string(f), fmt.Sprintf("round-%04d", n)) }

// Shared reports a harvest of which machines of a cluster brought something.
func (f Folder) Shared() bool {
	_, err := os.Stat(f.Round(1))
	return err == nil
}

// Runs are the folders of all runs that exist, in order. A run may lie elsewhere behind a link; its
// number is taken while it cannot be reached, too.
func (f Folder) Runs() ([]Run, error) {
	entries, err := os.ReadDir(string(f))
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return nil, fmt.Errorf("list runs of %s: %w", f, err)
	}
	var runs []Run
	for _, e := range entries {
		r := Run(filepath.Join(string(f), e.Name()))
		if linked := e.Type()&fs.ModeSymlink != 0; (e.IsDir() || linked) && r.Number() > 0 {
			runs = append(runs, r)
		}
	}
	slices.SortFunc(runs, func(a, b Run) int { return a.Number() - b.Number() })
	return runs, nil
}

// ErrNoRun says that a harvest was never started.
var ErrNoRun = errors.New("no run of the harvest is there")

// Last is the folder of the latest run.
func (f Folder) Last() (Run, error) {
	runs, err := f.Runs()
	if err == nil && len(runs) == 0 {
		err = fmt.Errorf("%w: %s has no run-0001", ErrNoRun, f)
		if f.Shared() {
			err = fmt.Errorf("%w: machines of a cluster share it, and its runs are with them: status, "+
				"report, skipped, changes and explain have --cluster, which asks them", err)
		}
	}
	if err != nil {
		return "", err
	}
	return runs[len(runs)-1], nil
}

// Run is the folder of a run.
type Run string

func (r Run) path(names ...string) string {
	return filepath.Join(append([]string{string(r)}, names...)...)
}

// The parts of a run's folder.
func (r Run) Spool() string   { return r.path("spool") }
func (r Run) Archive() string { return r.path("archive") }
func (r Run) Outside() string { return r.path("outside") }
func (r Run) Index() string   { return r.path("indexes", "index.cdxj") }
func (r Run) Logs() string    { return r.path("logs") }
func (r Run) Reports() string { return r.path("reports") }
func (r Run) Sites() string   { return r.path("sites") }
func (r Run) Status() string  { return r.path("status.json") }
func (r Run) Mirrors() string { return r.path("mirrors.json") }

// the last words of the program when it ends by a fault of its own
func (r Run) Crash() string  { return r.path("crash.txt") }
func (r Run) Config() string { return r.path("harvest.yaml") }

// extendsLine is the last line of the configuration of a run that extends another one, with the number
// of that: a state that is made anew knows it from here.
const extendsLine = "# extends: %d\n"

// extending is a configuration as it is kept with a run that extends another one; 0 for none.
func extending(config []byte, run int) []byte {
	if run == 0 {
		return config
	}
	if config = slices.Clip(config); len(config) > 0 && config[len(config)-1] != '\n' {
		config = append(config, '\n')
	}
	return fmt.Appendf(config, extendsLine, run)
}

// extendedBy is the number of the run that a run extends, by its configuration; 0 where that names
// none.
func extendedBy(r Run) (n int) {
	if info, err := os.Stat(r.Config()); err != nil || !info.Mode().IsRegular() { // a pipe never ends
		return 0
	}
	text, err := os.ReadFile(r.Config())
	if err != nil {
		return 0
	}
	last := text[bytes.LastIndexByte(bytes.TrimSuffix(text, []byte("\n")), '\n')+1:]
	if _, err := fmt.Sscanf(string(last), extendsLine, &n); err != nil || n < 1 || n >= r.Number() {
		return 0
	}
	return n
}

// Name is that of the run's own folder, "run-0001".
func (r Run) Name() string { return filepath.Base(string(r)) }

// Number is that of the run, counted from 1; 0 where its folder has another name than a run's.
func (r Run) Number() int {
	digits, ok := strings.CutPrefix(r.Name(), "run-")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || len(digits) < 4 || fmt.Sprintf("%04d", n) != digits {
		return 0
	}
	return n
}

// spooled reports that the run has a spool, be it on a disk that is not there now: it was not finished.
func (r Run) spooled() bool {
	_, err := os.Lstat(r.Spool())
	return err == nil
}

// delivered reports that the run was delivered, whole or in part.
func (r Run) delivered() bool {
	_, err := os.Stat(r.Index())
	return err == nil
}

// captured reports that the run has WARC files, or an index of them. A folder that cannot be listed
// may have them.
func (r Run) captured() bool {
	if r.delivered() {
		return true
	}
	for _, dir := range []string{r.Spool(), r.Archive()} {
		if files, err := archive.Files(dir); len(files) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Make makes the folders of the run that a crawl needs.
func (r Run) Make() error { return r.make(disk.OS{}) }

func (r Run) make(d disk.FS) error {
	for _, dir := range []string{
		r.Spool(), r.Archive(), r.Logs(), r.Reports(), r.Sites(),
		filepath.Dir(r.Index()),
	} {
		to, err := os.Readlink(dir)
		if err == nil && !isDir(dir) {
			return fmt.Errorf("%s is a link to %s, which is not there: bring that back, or mount its disk",
				dir, to)
		}
		if err := d.MkdirAll(dir, 0o777); err != nil {
			return fmt.Errorf("make folder of the run: %w", err)
		}
	}
	return nil
}

// keepCrash renames the file with the last words of a process that ended by a fault of its own, and
// reports whether there was one.
func (r Run) keepCrash(now time.Time) (bool, error) {
	stat, err := os.Stat(r.Crash())
	if errors.Is(err, os.ErrNotExist) || err == nil && stat.Size() == 0 {
		return false, nil
	}
	if err == nil {
		err = os.Rename(r.Crash(), r.path("crash-"+now.UTC().Format("20060102150405")+".txt"))
	}
	if err != nil {
		return false, fmt.Errorf("keep what a crash has said: %w", err)
	}
	return true, nil
}

// Site is the folder of a site's map. Sites whose names differ only in characters that file names
// should not have share a folder name's beginning and differ in their number, their place in the
// harvest.
func (r Run) Site(number int, name string) string {
	return r.path("sites", SiteFolder(number, name))
}

// SiteFolder names the folder of a site's map.
func SiteFolder(number int, name string) string {
	return fmt.Sprintf("%03d-%s", number, fileName(name))
}

// fileName is a name with only such characters as any file system takes.
func fileName(name string) string {
	safe := strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
			return c
		}
		return '-'
	}, name)
	safe = strings.Trim(safe, "-")
	return safe[:min(len(safe), 60)]
}

// MoveAside gives the folder another name, so that a harvest can start over and nothing of it is
// lost. It returns the new name, "" where there is no folder. The error is store.ErrLocked while
// another process works on it.
func (f Folder) MoveAside(now time.Time) (aside string, err error) {
	if _, err := os.Stat(string(f)); errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	release, err := store.Hold(f.State())
	if errors.Is(err, store.ErrLocked) {
		return "", err
	}
	if err == nil { // a lock that cannot be taken is no reason to keep the folder where it is
		defer func() { err = errors.Join(err, release()) }()
	}
	st, err := store.Open(store.Options{Dir: f.State(), SkipCheck: true, MinFreeBytes: 1})
	if errors.Is(err, store.ErrLocked) {
		return "", err
	}
	if err == nil { // nor is a damaged store
		if err := st.Close(); err != nil {
			return "", err
		}
	}
	aside = string(f) + "." + now.UTC().Format("20060102150405")
	if err := os.Rename(string(f), aside); err != nil {
		return "", fmt.Errorf("move the former harvest aside: %w", err)
	}
	return aside, nil
}

// SiteFiles are the files of a name in the folders of the sites, in the order of their numbers.
func (r Run) SiteFiles(name string) (files []string, err error) {
	sites, err := disk.List(r.Sites(), "", "")
	if err != nil {
		return nil, fmt.Errorf("list the sites of %s: %w", r, err)
	}
	for _, dir := range sites {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err == nil {
			files = append(files, path)
		}
	}
	return files, nil
}

// archived are the WARC files of the finished run, outside ones not among them.
func (r Run) archived() ([]string, error) {
	files, err := disk.List(r.Archive(), "", ".warc.gz")
	if err != nil {
		return nil, fmt.Errorf("list WARC files: %w", err)
	}
	return files, nil
}

// dropSpool takes the spool of a finished run away: its name first, so that there is a whole spool
// or none.
func (r Run) dropSpool(d disk.FS) error {
	err := d.Rename(r.Spool(), r.spent())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err = errors.Join(err, d.SyncDir(string(r)), d.RemoveAll(r.spent())); err != nil {
		return fmt.Errorf("take away the spool: %w", err)
	}
	return nil
}

// spent is the spool of a finished run while it is being removed.
func (r Run) spent() string { return r.path("spool.spent") }

// logsOf are the files of a run's logs and reports, for the package.
func logsOf(r Run) ([]string, error) {
	var files []string
	for _, dir := range []string{r.Logs(), r.Reports()} {
		list, err := disk.List(dir, "", "")
		if err != nil {
			return nil, fmt.Errorf("list logs: %w", err)
		}
		for _, path := range list {
			if stat, err := os.Stat(path); err == nil && stat.Mode().IsRegular() {
				files = append(files, path)
			}
		}
	}
	return files, nil
}
