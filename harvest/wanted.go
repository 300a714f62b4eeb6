package harvest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"watershed/internal/disk"
	"watershed/page"
)

// Wanted is a URL that an archivist asks the next run to fetch, such as a requisite that a check
// found missing. It is fetched by the rules that hold for all others: robots.txt, politeness,
// limits and the harvest's exclude rules.
type Wanted struct {
	URL     page.URL      `json:"url"`
	Spelled page.Spelling `json:"spelled,omitempty"` // how it is asked for, where that is not its name
	For     page.URL      `json:"for,omitempty"`     // the page that needs it
	Time    time.Time     `json:"time"`              // when it was asked for
	By      string        `json:"by,omitempty"`
	Note    string        `json:"note,omitempty"`
}

// wantedDir holds the wanted URLs, a file for each time that somebody asked. A file appears whole,
// is never changed, and is removed by the run that has fetched its URLs; what a limit kept from being
// fetched waits in another file then. So the asking process and the run need no lock.
func (f Folder) wantedDir() string { return filepath.Join(string(f), "wanted") }

// maxWanted bounds the number of URLs that wait.
const maxWanted = 100_000

// ErrManyWanted says that more URLs wait than a run should be asked for by hand.
var ErrManyWanted = errors.New("too many URLs wait to be fetched; let a run fetch them first")

// Want asks the next run for URLs. URLs that wait already are passed over. The error is
// ErrManyWanted where too many would wait.
func (f Folder) Want(list []Wanted) error { return f.want(disk.OS{}, list) }

func (f Folder) want(d disk.FS, list []Wanted) error {
	waiting, err := f.Wanted()
	if err != nil {
		return err
	}
	known := map[page.URL]bool{}
	for _, w := range waiting {
		known[w.URL] = true
	}
	list = slices.DeleteFunc(slices.Clone(list), func(w Wanted) bool {
		had := known[w.URL]
		known[w.URL] = true
		return had
	})
	if len(list) == 0 {
		return nil
	}
	if len(waiting)+len(list) > maxWanted {
		return ErrManyWanted
	}
	return f.putWanted(d, list)
}

// putWanted writes a file of wanted URLs, of a name that no other one has.
func (f Folder) putWanted(d disk.FS, list []Wanted) error {
	if err := d.MkdirAll(f.wantedDir(), 0o777); err != nil {
		return err
	}
	name := filepath.Join(f.wantedDir(), fmt.Sprintf("%s-%08x.jsonl",
		time.Now().UTC().Format("20060102150405.000000000"), uint32(list[0].URL.Key())))
	return disk.WriteFile(d, name, 0o644, func(w io.Writer) error { return disk.WriteLines(w, list) })
}

// Wanted gives the URLs that wait to be fetched, in the order in which they were asked for.
func (f Folder) Wanted() ([]Wanted, error) {
	list, _, err := f.readWanted()
	return list, err
}

// readWanted gives the URLs that wait, and the files that name them.
func (f Folder) readWanted() (list []Wanted, files []string, err error) {
	if files, err = disk.List(f.wantedDir(), "", ".jsonl"); err != nil {
		return nil, nil, err
	}
	for _, path := range files {
		if list, err = appendWanted(list, path); err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", path, err)
		}
	}
	return list, files, nil
}

func appendWanted(list []Wanted, path string) (_ []Wanted, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil // a run has done it meanwhile
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	in := json.NewDecoder(bufio.NewReader(f))
	for {
		var w Wanted
		err := in.Decode(&w)
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err == nil {
			_, err = page.ParseURL(w.URL.As(w.Spelled))
		}
		if err != nil {
			return nil, err
		}
		list = append(list, w)
	}
}
