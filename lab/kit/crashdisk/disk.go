package crashdisk

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"watershed/internal/disk"
)

// Options say what is to be known of the folder.
type Options struct {
	// Foreign is a pattern (path.Match) for names in the root: the folders of these names are made
	// and filled past this package. They hold files only. "" is for none.
	Foreign string
}

// Disk records what is done to a folder. Its methods may be called by several goroutines;
// operations take place one at a time.
type Disk struct {
	root    string
	opt     Options
	os      disk.OS
	mu      sync.Mutex // guards what follows
	phase   string
	ops     []op
	nodes   []*inode        // by number; the root is 0
	foreign map[int]*copied // the foreign folders by their numbers, as last seen; replaced when one changes
	err     error           // of looking at foreign folders; Err tells it
}

// inode is a file or a folder as it is now.
type inode struct {
	names   map[string]int // of a folder; nil for a file
	size    int64          // of a file
	foreign bool           // a folder whose names are not known
}

// New records what is done in an empty folder.
func New(root string, o Options) (*Disk, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, fmt.Errorf("crashdisk: %w", err)
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("crashdisk: %s is not empty", root)
	}
	if _, err := path.Match(o.Foreign, ""); err != nil {
		return nil, fmt.Errorf("crashdisk: pattern of foreign folders: %w", err)
	}
	return &Disk{root: root, opt: o, nodes: []*inode{{names: map[string]int{}}}, foreign: map[int]*copied{}},
		nil
}

// Err tells whether the foreign folders could always be read.
func (d *Disk) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// Phase names what the following operations belong to.
func (d *Disk) Phase(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.phase = name
}

// Len is the number of operations so far. A crash may be before each of them, and after the last.
func (d *Disk) Len() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.ops)
}

// Describe tells an operation in a line.
func (d *Disk) Describe(k int) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if k >= len(d.ops) {
		return "after the last operation"
	}
	return d.ops[k].String()
}

// Snapshot keeps the foreign folders. Their owner has just synced them, and writes nothing until
// Snapshot returns.
func (d *Disk) Snapshot() error {
	d.begin()
	defer d.mu.Unlock()
	d.ops = append(d.ops, op{kind: snapshot, path: d.opt.Foreign, phase: d.phase, foreign: d.foreign})
	return d.err
}

// begin locks the Disk for an operation, and looks at the foreign folders.
func (d *Disk) begin() {
	d.mu.Lock()
	if d.opt.Foreign == "" {
		return
	}
	if err := d.look(); err != nil {
		d.err = errors.Join(d.err, fmt.Errorf("crashdisk: copy foreign folders: %w", err))
	}
}

// look copies the foreign folders where they have changed, and notes those that are new.
func (d *Disk) look() error {
	entries, err := os.ReadDir(d.root)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() || !d.isForeign(e.Name()) {
			continue
		}
		n, known := d.nodes[0].names[e.Name()]
		if !known {
			n = d.grow(true)
			d.nodes[n].foreign = true
			d.add(op{
				kind: mkdir, path: e.Name(), node: n, mode: modeOf(filepath.Join(d.root, e.Name())),
				names: []entry{{0, e.Name(), n}},
			})
		}
		before := d.foreign[n]
		now, err := copyFolder(filepath.Join(d.root, e.Name()), before)
		if err != nil {
			return err
		}
		if before == nil || !now.equal(before) {
			d.foreign = maps.Clone(d.foreign)
			d.foreign[n] = now
		}
	}
	return nil
}

// isForeign reports a name in the root that the Disk was told of.
func (d *Disk) isForeign(rel string) bool {
	ok, _ := path.Match(d.opt.Foreign, rel) // New has seen the pattern
	return ok && d.opt.Foreign != ""
}

// add records an operation.
func (d *Disk) add(o op) {
	o.phase, o.foreign = d.phase, d.foreign
	for _, e := range o.names {
		if e.node == none {
			delete(d.nodes[e.folder].names, e.name)
		} else {
			d.nodes[e.folder].names[e.name] = e.node
		}
	}
	d.ops = append(d.ops, o)
}

// carryOut does an operation and, unless it fails, has record tell it. The caller holds the lock.
func (d *Disk) carryOut(do func() error, record func() op) error {
	if err := do(); err != nil {
		return err
	}
	d.add(record())
	return nil
}

// place is a name in a folder, and what it stands for.
type place struct {
	rel    string // slash-separated, from the root
	folder int    // none where the folder is not known
	name   string
	node   int // none where nothing has the name
}

// find looks a path up. The root itself has no place.
func (d *Disk) find(at string) (place, error) {
	rel, err := d.relative(at)
	if err != nil {
		return place{}, err
	}
	p := place{rel: rel, folder: 0, node: none}
	names := strings.Split(rel, "/")
	p.name = names[len(names)-1]
	for _, name := range names[:len(names)-1] {
		n, ok := d.nodes[p.folder].names[name]
		if !ok || d.nodes[n].names == nil {
			p.folder = none
			return p, nil
		}
		p.folder = n
	}
	if n, ok := d.nodes[p.folder].names[p.name]; ok {
		p.node = n
	}
	return p, nil
}

// relative gives the path from the root, "." for the root itself.
func (d *Disk) relative(at string) (string, error) {
	rel, err := filepath.Rel(d.root, at)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("crashdisk: %s is not below %s", at, d.root)
	}
	return filepath.ToSlash(rel), nil
}

// known is find for a path whose folder must have been made through the Disk.
func (d *Disk) known(at string) (place, error) {
	p, err := d.find(at)
	if err == nil && p.folder == none {
		err = fmt.Errorf("crashdisk: the folder of %s was made past the interface", p.rel)
	}
	return p, err
}

// existing is find for a file or folder that must have been made through the Disk.
func (d *Disk) existing(at string) (place, error) {
	p, err := d.find(at)
	if err == nil && p.node == none {
		if _, err = os.Lstat(at); err == nil {
			err = fmt.Errorf("crashdisk: %s was made past the interface", p.rel)
		}
	}
	return p, err
}

// grow makes an inode. The caller holds the lock.
func (d *Disk) grow(folder bool) int {
	n := &inode{}
	if folder {
		n.names = map[string]int{}
	}
	d.nodes = append(d.nodes, n)
	return len(d.nodes) - 1
}

// Rename implements disk.FS.
func (d *Disk) Rename(from, to string) error {
	return d.between(from, to, d.os.Rename, func(a, b place) op {
		o := op{kind: rename, path: a.rel, to: b.rel}
		if a.node != b.node { // else POSIX says that nothing is to be done
			o.names = []entry{{a.folder, a.name, none}, {b.folder, b.name, a.node}}
		}
		return o
	})
}

// Link implements disk.FS.
func (d *Disk) Link(from, to string) error {
	return d.between(from, to, d.os.Link, func(a, b place) op {
		return op{kind: link, path: a.rel, to: b.rel, names: []entry{{b.folder, b.name, a.node}}}
	})
}

// between does something with a file that is there and a name that may be, and records it.
func (d *Disk) between(from, to string, do func(from, to string) error, told func(a, b place) op) error {
	d.begin()
	defer d.mu.Unlock()
	a, err := d.existing(from)
	if err != nil {
		return err
	}
	b, err := d.known(to)
	if err != nil {
		return err
	}
	return d.carryOut(func() error { return do(from, to) }, func() op { return told(a, b) })
}

// Remove implements disk.FS.
func (d *Disk) Remove(at string) error {
	d.begin()
	defer d.mu.Unlock()
	return d.remove(at, d.os.Remove)
}

// remove takes a name away by do: a file, or a folder with what others have in it.
func (d *Disk) remove(at string, do func(string) error) error {
	p, err := d.existing(at)
	if err != nil {
		return err
	}
	return d.carryOut(func() error { return do(at) }, func() op {
		return op{kind: remove, path: p.rel, names: []entry{{p.folder, p.name, none}}}
	})
}

// RemoveAll implements disk.FS. Each name that it takes away is an operation of its own.
func (d *Disk) RemoveAll(at string) error {
	d.begin()
	defer d.mu.Unlock()
	p, err := d.find(at)
	if err != nil {
		return err
	}
	if p.node != none {
		if err := d.removeTree(at, p.node); err != nil {
			return err
		}
	}
	return d.os.RemoveAll(at) // and what was made past the interface
}

func (d *Disk) removeTree(at string, node int) error {
	names := d.nodes[node].names
	if names == nil {
		return d.remove(at, d.os.Remove)
	}
	for _, name := range sorted(names) {
		if err := d.removeTree(filepath.Join(at, name), names[name]); err != nil {
			return err
		}
	}
	return d.remove(at, d.os.RemoveAll)
}

// MkdirAll implements disk.FS. Each folder that it makes is an operation of its own.
func (d *Disk) MkdirAll(at string, perm fs.FileMode) error {
	d.begin()
	defer d.mu.Unlock()
	rel, err := d.relative(at)
	if err != nil {
		return err
	}
	if rel == "." {
		return d.os.MkdirAll(at, perm)
	}
	var above string
	for name := range strings.SplitSeq(rel, "/") {
		above = path.Join(above, name)
		if err := d.mkdir(filepath.Join(d.root, filepath.FromSlash(above)), perm); err != nil {
			return err
		}
	}
	return nil
}

func (d *Disk) mkdir(at string, perm fs.FileMode) error {
	p, err := d.known(at)
	if err != nil || p.node != none {
		return errors.Join(err, d.os.MkdirAll(at, perm))
	}
	return d.carryOut(func() error { return d.os.MkdirAll(at, perm) }, func() op {
		n := d.grow(true)
		d.nodes[n].foreign = d.isForeign(p.rel)
		return op{kind: mkdir, path: p.rel, node: n, mode: modeOf(at), names: []entry{{p.folder, p.name, n}}}
	})
}

// SyncDir implements disk.FS.
func (d *Disk) SyncDir(at string) error {
	d.begin()
	defer d.mu.Unlock()
	rel, err := d.relative(at)
	if err != nil {
		return err
	}
	node := 0
	if rel != "." {
		p, err := d.existing(at)
		if err != nil {
			return err
		}
		node = p.node
	}
	return d.carryOut(func() error { return d.os.SyncDir(at) }, func() op {
		return op{kind: syncDir, path: rel, node: node}
	})
}

// modeOf is the mode with which a file was made; the process may have narrowed what was asked for.
func modeOf(at string) fs.FileMode {
	info, err := os.Lstat(at)
	if err != nil {
		return 0 // taken away meanwhile
	}
	return info.Mode().Perm()
}

func sorted(names map[string]int) []string {
	list := make([]string, 0, len(names))
	for name := range names {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
