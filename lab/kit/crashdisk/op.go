package crashdisk

import (
	"fmt"
	"io/fs"
)

// kind is what an operation does.
type kind uint8

const (
	create kind = iota
	write
	truncate
	chmod
	syncFile
	mkdir
	link
	rename
	remove
	syncDir
	snapshot
)

var kindNames = [...]string{
	"create", "write", "truncate", "chmod", "sync", "mkdir", "link", "rename", "remove",
	"syncdir", "snapshot",
}

// none is the number of no inode.
const none = -1

// entry gives a name in a folder another meaning; node is none where the name is removed.
type entry struct {
	folder int
	name   string
	node   int
}

// op is an operation that was carried out.
type op struct {
	kind     kind
	phase    string
	path, to string          // for people
	node     int             // that is changed, made or synced
	names    []entry         // that change, all at once
	at       int64           // where a write begins; the size that a truncate leaves
	data     []byte          // of a write
	mode     fs.FileMode     // of create, mkdir, chmod
	foreign  map[int]*copied // the foreign folders, as they were before
}

func (o *op) String() string {
	s := kindNames[o.kind] + " " + o.path
	switch o.kind {
	case write:
		return fmt.Sprintf("%s, %d bytes at %d", s, len(o.data), o.at)
	case truncate:
		return fmt.Sprintf("%s to %d bytes", s, o.at)
	case chmod:
		return fmt.Sprintf("%s to %v", s, o.mode)
	case link, rename:
		return s + " as " + o.to
	}
	return s
}
