package crashdisk

import (
	"io/fs"
	"math/rand/v2"
)

// image is a disk after some operations: what is durable, and what came later.
type image struct {
	inodes  []*content      // by number, as Disk.nodes
	pending []op            // changes of names that may be lost
	foreign map[int]*copied // by number, at the last Snapshot
}

// content is a file or a folder on the disk.
type content struct {
	names   map[string]int // of a folder; nil for a file
	data    []byte
	mode    fs.FileMode
	pending []op // changes of the content that may be lost
}

func newImage(inodes int) *image {
	m := &image{inodes: make([]*content, inodes)}
	m.inodes[0] = &content{names: map[string]int{}, mode: 0o777}
	return m
}

// add has an operation done.
func (m *image) add(o op) {
	switch o.kind {
	case create:
		m.inodes[o.node] = &content{mode: o.mode}
	case mkdir:
		m.inodes[o.node] = &content{names: map[string]int{}, mode: o.mode}
	case write, truncate, chmod:
		m.inodes[o.node].pending = append(m.inodes[o.node].pending, o)
	case syncFile:
		m.inodes[o.node].settle()
	case syncDir:
		m.settle(o.node)
	case snapshot:
		m.foreign = o.foreign
	}
	if len(o.names) > 0 {
		m.pending = append(m.pending, o)
	}
}

// key is what two changes have to share to keep their order: a name in a folder.
type key struct {
	folder int
	name   string
}

// settle makes the changes of a folder durable, and those before of the same names.
func (m *image) settle(folder int) {
	durable := make([]bool, len(m.pending))
	needed := map[key]bool{}
	for i := len(m.pending) - 1; i >= 0; i-- {
		for _, e := range m.pending[i].names {
			durable[i] = durable[i] || e.folder == folder || needed[key{e.folder, e.name}]
		}
		if !durable[i] {
			continue
		}
		for _, e := range m.pending[i].names {
			needed[key{e.folder, e.name}] = true
		}
	}
	rest := m.pending[:0]
	for i, o := range m.pending {
		if durable[i] {
			m.put(o.names)
		} else {
			rest = append(rest, o)
		}
	}
	m.pending = rest
}

func (m *image) put(names []entry) {
	for _, e := range names {
		if e.node == none {
			delete(m.inodes[e.folder].names, e.name)
		} else {
			m.inodes[e.folder].names[e.name] = e.node
		}
	}
}

// settleAll makes everything durable.
func (m *image) settleAll() {
	for _, o := range m.pending {
		m.put(o.names)
	}
	m.pending = nil
	for _, c := range m.inodes {
		if c != nil {
			c.settle()
		}
	}
}

// fail cuts the power: of what is pending some survives.
func (m *image) fail(r *rand.Rand) {
	m.failNames(r)
	for _, c := range m.inodes {
		if c != nil && len(c.pending) > 0 {
			c.fail(r)
		}
	}
}

// failNames keeps some of the changes of names, those of the same name in their order.
func (m *image) failNames(r *rand.Rand) {
	keep := lot(r, len(m.pending))
	blocked := map[key]bool{}
	for i, o := range m.pending {
		kept := keep(i) == whole
		for _, e := range o.names {
			kept = kept && !blocked[key{e.folder, e.name}]
		}
		if kept {
			m.put(o.names)
			continue
		}
		for _, e := range o.names {
			blocked[key{e.folder, e.name}] = true
		}
	}
	m.pending = nil
}

// fate is what becomes of an operation.
type fate uint8

const (
	lost  fate = iota
	grown      // lost, but for the size that the file has by it
	torn
	whole
)

// lot draws what becomes of n operations: all are lost, none, those from one on, or some.
func lot(r *rand.Rand, n int) func(i int) fate {
	cut := r.IntN(n + 1)
	switch r.IntN(4) {
	case 0:
		return func(int) fate { return lost }
	case 1:
		return func(int) fate { return whole }
	case 2:
		return func(i int) fate {
			switch {
			case i < cut:
				return whole
			case i == cut:
				return torn
			}
			return lost
		}
	}
	return func(int) fate {
		if r.IntN(2) == 0 {
			return whole
		}
		return fate(r.IntN(int(whole)))
	}
}

// settle makes the content durable.
func (c *content) settle() {
	for i := range c.pending {
		c.apply(&c.pending[i])
	}
	c.pending = nil
}

// fail keeps some of the changes.
func (c *content) fail(r *rand.Rand) {
	draw := lot(r, len(c.pending))
	for i := range c.pending {
		o := &c.pending[i]
		f := draw(i)
		switch {
		case o.kind == truncate && f < whole:
			c.pending = nil // nothing behind it is there
			return
		case f == whole:
			c.apply(o)
		case o.kind != write:
		case f == torn:
			c.tear(o, r)
		case f == grown:
			c.extend(o.at + int64(len(o.data)))
		}
	}
	c.pending = nil
}

func (c *content) apply(o *op) {
	switch o.kind {
	case write:
		c.writeAt(o.data, o.at)
	case truncate:
		c.extend(o.at)
		c.data = c.data[:o.at]
	case chmod:
		c.mode = o.mode
	}
}

// sector is what a disk writes whole, in bytes, or not at all.
const sector = 512

// tear writes the first bytes of a write, or some of its sectors.
func (c *content) tear(o *op, r *rand.Rand) {
	if r.IntN(2) == 0 {
		c.writeAt(o.data[:r.IntN(len(o.data)+1)], o.at)
		return
	}
	for from := 0; from < len(o.data); {
		to := min(len(o.data), from+sector-int((o.at+int64(from))%sector))
		if r.IntN(2) == 0 {
			c.writeAt(o.data[from:to], o.at+int64(from))
		}
		from = to
	}
}

func (c *content) writeAt(b []byte, at int64) {
	if len(b) == 0 {
		return
	}
	c.extend(at + int64(len(b)))
	copy(c.data[at:], b)
}

// extend makes the file that long with zeros, if it is shorter.
func (c *content) extend(size int64) {
	if more := size - int64(len(c.data)); more > 0 {
		c.data = append(c.data, make([]byte, more)...)
	}
}
