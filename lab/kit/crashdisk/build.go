package crashdisk

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Crash says when and how it ends.
type Crash struct {
	At    int  // the operation before which it ends, or within it, if it is a write; 0 to Disk.Len
	Power bool // the power fails; else the process dies
	Seed  uint64
}

func (c Crash) String() string {
	how := "process dies"
	if c.Power {
		how = "power fails"
	}
	return fmt.Sprintf("%s at operation %d, seed %d", how, c.At, c.Seed)
}

// Build makes the folder as it may be after a crash, in an empty folder. The same Crash of the same
// record gives the same bytes. Several goroutines may build at a time.
func (d *Disk) Build(c Crash, into string) error {
	d.mu.Lock()
	ops, inodes, foreign := d.ops, len(d.nodes), d.foreign
	d.mu.Unlock()
	if c.At < 0 || c.At > len(ops) {
		return fmt.Errorf("crashdisk: there is no operation %d", c.At)
	}
	r := rand.New(rand.NewPCG(c.Seed, uint64(c.At)))
	m := newImage(inodes)
	for i := range ops[:c.At] {
		m.add(ops[i])
	}
	if c.At < len(ops) {
		foreign = ops[c.At].foreign
		if o := ops[c.At]; o.kind == write {
			o.data = o.data[:r.IntN(len(o.data)+1)]
			m.add(o)
		}
	}
	if c.Power {
		m.fail(r)
		if r.IntN(4) > 0 {
			foreign = m.foreign
		}
	} else {
		m.settleAll()
	}
	if err := m.write(into, foreign); err != nil {
		return fmt.Errorf("crashdisk: %w", err)
	}
	return nil
}

// writer makes a disk's folders and files anew.
type writer struct {
	inodes  []*content
	foreign map[int]*copied
	written map[int]string // the path of each file that has one already
}

func (m *image) write(into string, foreign map[int]*copied) error {
	w := writer{inodes: m.inodes, foreign: foreign, written: map[int]string{}}
	return w.folder(0, into)
}

// folder fills a folder that is there.
func (w *writer) folder(node int, into string) error {
	if c := w.foreign[node]; c != nil {
		return c.write(into)
	}
	names := w.inodes[node].names
	for _, name := range sorted(names) {
		n, at := names[name], filepath.Join(into, name)
		var err error
		switch c := w.inodes[n]; {
		case c.names != nil:
			err = errors.Join(os.Mkdir(at, 0o777), w.folder(n, at), os.Chmod(at, c.mode))
		case w.written[n] != "":
			err = os.Link(w.written[n], at)
		default:
			w.written[n] = at
			err = errors.Join(os.WriteFile(at, c.data, 0o666), os.Chmod(at, c.mode))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
