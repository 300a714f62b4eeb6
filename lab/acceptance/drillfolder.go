package acceptance

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// drillName is the name of the harvests of a drill, and so of their folders.
const drillName = "drill"

// site is a folder with the description of a harvest, and the harvest's folder in it. Harvests that
// were moved aside lie beside it, under its name and the time.
type site string

func (s site) yaml() string    { return filepath.Join(string(s), "drill.yaml") }
func (s site) harvest() string { return filepath.Join(string(s), drillName) }
func (s site) state() string   { return filepath.Join(s.harvest(), "state") }

// runs are the folders of all runs, those of a harvest that was moved aside among them.
func (s site) runs() ([]string, error) {
	runs, err := filepath.Glob(filepath.Join(string(s), drillName+"*", "run-[0-9][0-9][0-9][0-9]"))
	slices.Sort(runs)
	return runs, err
}

// lastRun is the folder of the latest run, "" for none.
func (s site) lastRun() string {
	runs, err := filepath.Glob(filepath.Join(s.harvest(), "run-[0-9][0-9][0-9][0-9]"))
	if err != nil || len(runs) == 0 {
		return ""
	}
	return slices.Max(runs)
}

// status is what status.json says of the latest run.
type drillStatus struct {
	Phase  string
	Visits int64 // of the run
	Before int64 // of these, by earlier processes
}

// status is the zero value where no run has said anything.
func (s site) status() (x drillStatus) {
	text, err := os.ReadFile(filepath.Join(s.lastRun(), "status.json"))
	if err != nil || json.Unmarshal(text, &x) != nil {
		return drillStatus{}
	}
	return x
}

// capture is what a run must not lose.
type capture struct{ URL, Status, Digest string }

func (c capture) String() string { return fmt.Sprintf("%s %s %s", c.URL, c.Status, c.Digest) }

// indexed is a line of an index.
type indexed struct {
	capture
	Time string // 14 digits
}

// index reads the index of a run, which has none before it is delivered. DNS records are left out:
// each tells its time.
func index(run string) (list []indexed, err error) {
	text, err := os.ReadFile(filepath.Join(run, "indexes", "index.cdxj"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var x indexed
		_, rest, _ := strings.Cut(lines.Text(), " ")
		x.Time, rest, _ = strings.Cut(rest, " ")
		if err := json.Unmarshal([]byte(rest), &x.capture); err != nil {
			return nil, fmt.Errorf("read the index of %s: %w", run, err)
		}
		if strings.HasPrefix(x.URL, "http") {
			list = append(list, x)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the index of %s: %w", run, err)
	}
	return list, nil
}

// captures are those of the indexes of runs from one on. A revisit counts as the capture that it
// vouches for, which an earlier one of the runs has: a page that is fetched again comes whole.
func captures(runs []string, from int) (map[capture]bool, error) {
	all, latest := map[capture]bool{}, map[string]capture{}
	for i, run := range runs {
		list, err := index(run)
		if err != nil {
			return nil, err
		}
		for _, x := range list {
			c := x.capture
			if old, ok := latest[c.URL]; ok && c.Status == "" && (c.Digest == "" || c.Digest == old.Digest) {
				c = old
			}
			latest[c.URL] = c
			if i >= from {
				all[c] = true
			}
		}
	}
	return all, nil
}

// seed are the addresses of the seeds.
var seed = regexp.MustCompile(`^http://www\.[a-z]+\.example/$`)

// reused names the runs that were begun again under their number: those of before in which a seed
// was fetched since.
func reused(before []string, since time.Time) (list []string, err error) {
	stamp := since.UTC().Format("20060102150405")
	for _, run := range before {
		entries, err := index(run)
		if err != nil {
			return nil, err
		}
		for _, x := range entries {
			if seed.MatchString(x.URL) && x.Time >= stamp {
				list = append(list, filepath.Base(run))
				break
			}
		}
	}
	return list, nil
}

// lacking are the captures of want that got lacks, sorted.
func lacking(want, got map[capture]bool) (list []capture) {
	for c := range want {
		if !got[c] {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b capture) int { return strings.Compare(a.String(), b.String()) })
	return list
}

// deliveredParts are what a finished run leaves that nothing may touch any more.
var deliveredParts = []string{"archive/*", "outside/*", "indexes/*", "*.wacz"}

// delivered are the sums of the delivered files of runs.
type delivered map[string][sha256.Size]byte

func deliveredBy(runs []string) (delivered, error) {
	sums := delivered{}
	for _, run := range runs {
		for _, part := range deliveredParts {
			paths, err := filepath.Glob(filepath.Join(run, part))
			if err != nil {
				return nil, err
			}
			for _, path := range paths {
				if sums[path], err = sumOf(path); err != nil {
					return nil, err
				}
			}
		}
	}
	return sums, nil
}

// harmed names the files that are no longer there or have other bytes. A file of a harvest that was
// moved aside as a whole is looked for there.
func (d delivered) harmed(s site) (list []string, err error) {
	moved, err := filepath.Glob(s.harvest() + ".[0-9]*")
	if err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(d)) {
		rest, err := filepath.Rel(s.harvest(), path)
		if err != nil {
			return nil, err
		}
		found := false
		for _, home := range append(moved, s.harvest()) {
			sum, err := sumOf(filepath.Join(home, rest))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			found = found || err == nil && sum == d[path]
		}
		if !found {
			list = append(list, rest)
		}
	}
	return list, nil
}

// under are the same files in a copy of the harvest.
func (d delivered) under(from, to site) delivered {
	out := delivered{}
	for path, sum := range d {
		out[string(to)+strings.TrimPrefix(path, string(from))] = sum
	}
	return out
}

func sumOf(path string) (sum [sha256.Size]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return [sha256.Size]byte(h.Sum(nil)), err
}

// copyFolder copies a folder's files in an order by chance, as a copy of a folder in which somebody
// works may. An entry that vanishes or is no file, such as a socket, is left out. A file that grows
// meanwhile is copied as far as it goes. Between two files pause passes at most.
func copyFolder(from, to string, rng *rand.Rand, pause time.Duration) error {
	var files []string
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, strings.TrimPrefix(path, from)), 0o777)
		case d.Type().IsRegular():
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	rng.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	for _, path := range files {
		err := copyFile(path, filepath.Join(to, strings.TrimPrefix(path, from)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("copy %s: %w", from, err)
		}
		<-time.After(time.Duration(rng.Int64N(int64(pause) + 1)))
	}
	return nil
}

// copyFile copies a file. Holes stay holes: Badger's files are gigabytes of which a few are
// written.
func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, info.Mode().Perm())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	size, err := copySparse(out, in)
	if err != nil {
		return err
	}
	return out.Truncate(size)
}

// copySparse copies all but blocks of zeros, and returns how long the file was.
func copySparse(out *os.File, in io.Reader) (size int64, err error) {
	block, zeros := make([]byte, 1<<16), make([]byte, 1<<16)
	for {
		n, err := io.ReadFull(in, block)
		if n > 0 && !bytes.Equal(block[:n], zeros[:n]) {
			if _, err := out.WriteAt(block[:n], size); err != nil {
				return size, err
			}
		}
		size += int64(n)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return size, nil
		}
		if err != nil {
			return size, err
		}
	}
}
