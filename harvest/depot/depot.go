package depot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"watershed/configs"
	"watershed/harvest"
	"watershed/internal/disk"
)

// LockFile is the file in the folder on which the process that keeps it holds a lock.
const LockFile = ".watershed-desk"

// Bounds of a folder.
const (
	maxHarvests = 1000
	maxYAML     = 1 << 20 // bytes of a YAML, as configs has it
	maxSaid     = 4 << 10 // bytes of what a start printed last
)

// Errors by which a depot refuses. The text of each is fit for the person who asked.
var (
	ErrTaken   = errors.New("another desk keeps this folder of harvests: use that, or stop it first")
	ErrUnknown = errors.New("there is no such harvest in the folder")
	ErrThere   = errors.New("a harvest of this name is there: give another name, or edit that one")
	ErrChanged = errors.New("the YAML was changed by another hand meanwhile: put what is to stay of both " +
		"into one, and save again")
	ErrUnderWay = errors.New("the harvest is under way: stop it first, or wait until it has ended")
	ErrBroken   = errors.New("the YAML is not in order")
	ErrShard    = errors.New("a node of the cluster harvests this shard: watershed harvest --cluster " +
		"begins a round")
)

// Options say which folder is kept, and how runs are begun.
type Options struct {
	Dir      string         // must be there; required
	Program  string         // the program that harvests; required
	Private  []netip.Prefix // networks that a YAML of a browser may allow
	Operator configs.Operator
	Orderly  []int // exit codes of a program that did what it could

	Log *slog.Logger     // nil is silent
	Now func() time.Time // nil is time.Now
}

// Depot is a folder of harvests. It is safe for concurrent use.
type Depot struct {
	options Options
	root    *os.Root
	lock    *os.File
	lookUp  func(ctx context.Context, network, host string) ([]netip.Addr, error)

	mu     sync.Mutex // guards what follows
	read   map[string]loaded
	starts map[string]*Start    // the last of each harvest, by its YAML's name
	tried  map[string]time.Time // when each was begun by its schedule last, or could not be
	opened time.Time            // when the folder began to be kept, not after the clock of now
}

// loaded is a YAML in order, as it was read, and how each file was of which it was read.
type loaded struct {
	config configs.Harvest
	files  map[string]state // by path
}

// state tells a file that was changed from what it was.
type state struct {
	size int64
	at   time.Time
}

// stateOf is how a file is; the zero state where it is not there.
func stateOf(path string) state {
	info, err := os.Stat(path)
	if err != nil {
		return state{}
	}
	return state{info.Size(), info.ModTime()}
}

// fresh reports that no file was changed.
func (l *loaded) fresh() bool {
	for path, was := range l.files {
		if is := stateOf(path); is.size != was.size || !is.at.Equal(was.at) {
			return false
		}
	}
	return len(l.files) > 0
}

// Harvest is one of a depot.
type Harvest struct {
	Name   string // that its YAML gives it; of a YAML with errors the file's
	File   string // the YAML's name in the folder
	Folder harvest.Folder
	Config *configs.Harvest // nil where Err tells what is wrong
	Err    error
	Since  time.Time // the YAML's last change
	Start  *Start    // the last one of this process; nil for none
	Next   time.Time // when its schedule begins the next run; in the past while that waits; zero for never
}

// Start is a process that was begun.
type Start struct {
	At     time.Time `json:"at"`
	Ended  bool      `json:"ended"`
	Wrong  bool      `json:"wrong"`  // it ended, and not in order
	ByRule bool      `json:"byRule"` // the schedule began it
	Code   int       `json:"code"`   // exit code; -1 where a signal ended it
	Said   string    `json:"said"`   // the last lines that it printed, where it ended
	name   string    // of the harvest
	pid    int
}

// Open begins to keep a folder. The error is ErrTaken while another process does.
func Open(o Options) (*Depot, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	var err error
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return nil, fmt.Errorf("folder of harvests: %w", err)
	}
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("folder of harvests: %w", err)
	}
	d := &Depot{
		options: o, root: root, read: map[string]loaded{}, starts: map[string]*Start{},
		tried: map[string]time.Time{}, lookUp: net.DefaultResolver.LookupNetIP, opened: o.Now(),
	}
	if d.lock, err = root.OpenFile(LockFile, os.O_CREATE|os.O_RDWR, 0o600); err == nil {
		err = disk.Lock(d.lock, disk.TryAlone)
	}
	if errors.Is(err, disk.ErrLocked) {
		err = fmt.Errorf("%w (%s)", ErrTaken, o.Dir)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Close ends keeping the folder. The runs that were begun go on.
func (d *Depot) Close() error {
	var err error
	if d.lock != nil {
		err = d.lock.Close() // which unlocks
		d.lock = nil
	}
	return errors.Join(err, d.root.Close())
}

// Dir is the folder.
func (d *Depot) Dir() string { return d.options.Dir }

// List is the harvests of the folder by their names, maxHarvests at most. A YAML is read again where
// it or a list of sites that it names has changed, and where it is not in order. That of a harvest of
// which there are shards is none of them.
func (d *Depot) List() ([]Harvest, error) {
	folder, err := d.root.Open(".")
	if err != nil {
		return nil, fmt.Errorf("list harvests: %w", err)
	}
	names, err := folder.Readdirnames(-1)
	if err = errors.Join(err, folder.Close()); err != nil {
		return nil, fmt.Errorf("list harvests: %w", err)
	}
	slices.Sort(names)
	d.mu.Lock()
	defer d.mu.Unlock()
	list, seen := []Harvest{}, map[string]string{}
	for _, file := range names {
		if !IsYAML(file) || len(list) == maxHarvests {
			continue
		}
		h, err := d.harvest(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it went away just now
		}
		if first, twice := seen[h.Name]; twice {
			h.Err = fmt.Errorf("%w: %s has the same name: change harvest: in one of them", ErrBroken, first)
			h.Name, h.Config = file, nil
		}
		seen[h.Name] = file
		list = append(list, h)
	}
	slices.SortFunc(list, func(a, b Harvest) int { return cmp.Compare(a.Name, b.Name) })
	whole := map[string]bool{}
	for _, h := range list {
		if h.Config != nil {
			whole[h.Config.Whole()] = true
		}
	}
	return slices.DeleteFunc(list, func(h Harvest) bool { return whole[d.path(h.File)] }), nil
}

// IsYAML reports a name that a harvest's YAML may have.
func IsYAML(file string) bool {
	ext := filepath.Ext(file)
	return (ext == ".yaml" || ext == ".yml") && !strings.HasPrefix(file, ".")
}

// base is a YAML's name without its end.
func base(file string) string { return strings.TrimSuffix(file, filepath.Ext(file)) }

// harvest reads a YAML, unless it is as it was read before. The error says that it is not there. The
// caller holds mu.
func (d *Depot) harvest(file string) (Harvest, error) {
	h := Harvest{Name: base(file), File: file}
	info, err := d.root.Stat(file)
	if err != nil {
		h.Err = fmt.Errorf("%w: %w", ErrBroken, err)
		return h, err
	}
	h.Since = info.ModTime()
	was := d.read[file]
	if !was.fresh() {
		if was, h.Err = d.load(file, state{info.Size(), info.ModTime()}); h.Err == nil {
			d.read[file] = was
		} else {
			delete(d.read, file) // it may name a file that comes
		}
	}
	if h.Err == nil {
		h.Config, h.Name, h.Folder = &was.config, was.config.Harvest, harvest.Folder(was.config.Folder())
	}
	h.Next = d.next(&h)
	if s := d.starts[file]; s != nil {
		d.look(file, s)
		copied := *s
		h.Start = &copied
	}
	return h, nil
}

// load reads a YAML of a state. Its other files are looked at behind the reading, as only it names them.
func (d *Depot) load(file string, is state) (l loaded, err error) {
	text, err := d.text(file)
	if err == nil {
		l.config, err = configs.Compose(d.path(file), text)
	}
	l.files = map[string]state{}
	for _, path := range l.config.Files() {
		l.files[path] = stateOf(path)
	}
	l.files[d.path(file)] = is
	return l, err
}

func (d *Depot) path(file string) string { return filepath.Join(d.options.Dir, file) }

// text reads a file of the folder.
func (d *Depot) text(file string) ([]byte, error) {
	f, err := d.root.Open(file)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxYAML+1))
	return text, errors.Join(err, f.Close())
}

func (d *Depot) find(name string) (Harvest, error) {
	list, err := d.List()
	if err != nil {
		return Harvest{}, err
	}
	return named(list, name)
}

// named is the harvest of a name in a list.
func named(list []Harvest, name string) (Harvest, error) {
	i := slices.IndexFunc(list, func(h Harvest) bool { return h.Name == name })
	if i < 0 {
		return Harvest{}, ErrUnknown
	}
	return list[i], nil
}

// Text is the YAML of a harvest.
func (d *Depot) Text(name string) (string, error) {
	h, err := d.find(name)
	if err != nil {
		return "", err
	}
	text, err := d.text(h.File)
	return string(text), err
}
