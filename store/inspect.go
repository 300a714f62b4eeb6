package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"github.com/klauspost/compress/s2"
	"google.golang.org/protobuf/proto"

	"watershed/internal/disk"
)

// inspect looks for damage before Badger opens the folder. Badger answers some damage by ending the
// process (a table that is cut short), some by deleting files (a manifest that is gone) and some by
// going on as if nothing had been stored (a table whose index is damaged, a block that does not
// decode). Only checksums are compared, and nothing is written but what unbegun takes away.
func inspect(o Options) (err error) {
	release, err := lock(o)
	if err != nil {
		return err
	}
	defer release()
	defer func() {
		if p := recover(); p != nil {
			err = corrupt(o.Dir, fmt.Errorf("%v", p))
		}
	}()
	if !o.ReadOnly {
		if err := unbegun(o.Dir); err != nil {
			return fmt.Errorf("open state %s: %w", o.Dir, err)
		}
	}
	manifest, err := readManifest(o.Dir)
	if err != nil {
		return corrupt(o.Dir, err)
	}
	if o.SkipCheck {
		return nil
	}
	var i inspector
	for id := range manifest.Tables {
		if err := i.table(table.NewFilename(id, o.Dir), manifest.Tables[id].Compression); err != nil {
			return corrupt(o.Dir, err)
		}
	}
	return nil
}

// unbegun takes away the logs in which nothing was ever written: a process that is killed between
// making a log and giving it its size leaves one of no bytes, which Badger calls an error. Values
// are in the tables, so a value log without bytes is no loss.
func unbegun(dir string) error {
	logs, err := disk.List(dir, "", ".mem")
	if err != nil {
		return err
	}
	values, err := disk.List(dir, "", ".vlog")
	if err != nil {
		return err
	}
	for _, name := range append(logs, values...) {
		info, err := os.Stat(name)
		if err == nil && info.Size() == 0 {
			err = os.Remove(name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lock takes Badger's own lock on the folder, so that no other process writes during the
// inspection.
func lock(o Options) (release func(), err error) {
	dir, err := os.Open(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("open state %s: %w", o.Dir, err)
	}
	how := disk.TryAlone
	if o.ReadOnly {
		how = disk.TryShared
	}
	err = disk.Lock(dir, how)
	if err == nil {
		return func() { _ = dir.Close() }, nil // closing is unlocking; a folder has nothing to lose
	}
	_ = dir.Close() // as above
	if errors.Is(err, disk.ErrLocked) {
		return nil, locked(o.Dir)
	}
	return nil, fmt.Errorf("lock state %s: %w", o.Dir, err)
}

// readManifest lists the tables that make up the database.
func readManifest(dir string) (m badger.Manifest, err error) {
	f, err := os.Open(filepath.Join(dir, badger.ManifestFilename))
	if errors.Is(err, os.ErrNotExist) {
		return m, orphans(dir)
	}
	if err != nil {
		return m, err
	}
	defer f.Close() // read only
	m, end, err := badger.ReplayManifestFile(f, 0, badger.DefaultOptions(dir).WithLogger(nil))
	if err != nil {
		return m, fmt.Errorf("%s: %w", badger.ManifestFilename, err)
	}
	info, err := f.Stat()
	if err != nil {
		return m, err
	}
	if torn := end < info.Size(); torn || len(m.Tables) == 0 {
		return m, unlisted(dir, m, torn)
	}
	return m, nil
}

// orphans refuses a folder with tables or logs but no manifest.
func orphans(dir string) error {
	for _, ending := range []string{".sst", ".mem", ".vlog"} {
		if names, err := disk.List(dir, "", ending); err != nil || len(names) > 0 {
			return fmt.Errorf("there are %s files but no %s", ending, badger.ManifestFilename)
		}
	}
	return nil
}

// unlisted refuses tables that a manifest without tables or with a torn end does not list, and that
// Badger would delete. A process that dies may leave such a table, but then the manifest is whole, and
// the log of what the table holds is there too. A log beside a torn one may hold what came later.
func unlisted(dir string, m badger.Manifest, torn bool) error {
	tables, err := disk.List(dir, "", ".sst")
	if err != nil {
		return err
	}
	listed := func(name string) bool {
		id, ok := table.ParseFileID(name)
		_, there := m.Tables[id]
		return ok && there
	}
	if tables = slices.DeleteFunc(tables, listed); len(tables) == 0 {
		return nil
	}
	logs, err := disk.List(dir, "", ".mem")
	if err != nil || !torn && slices.ContainsFunc(logs, hasEntries) {
		return err
	}
	return fmt.Errorf("%s does not list %s", badger.ManifestFilename, filepath.Base(tables[0]))
}

// hasEntries reports whether anything follows the header, 20 bytes, of a log.
func hasEntries(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close() // read only
	var first [8]byte
	_, err = f.ReadAt(first[:], 20)
	return err == nil && first != [8]byte{}
}

// inspector compares checksums of tables, one after the other, through its buffers.
type inspector struct {
	file  bytes.Buffer
	block []byte
}

// table compares all checksums of a table. It ends with the index, the index' length, the index'
// checksum and that one's length, each length in four bytes.
func (i *inspector) table(name string, c options.CompressionType) error {
	b, err := i.read(name)
	if err != nil {
		return err
	}
	fault := func(what string, err error) error {
		return fmt.Errorf("%s: %s: %w", filepath.Base(name), what, err)
	}
	rest, sum, err := cutTail(b)
	if err != nil {
		return fault("index checksum", err)
	}
	_, index, err := cutTail(rest)
	if err != nil {
		return fault("index", err)
	}
	if err := verify(index, sum); err != nil {
		return fault("index", err)
	}
	ti := fb.GetRootAsTableIndex(index, 0)
	for k := range ti.OffsetsLength() {
		var at fb.BlockOffset
		if !ti.Offsets(&at, k) {
			return fault("index", errShort)
		}
		start, size := uint64(at.Offset()), uint64(at.Len())
		if start+size > uint64(len(b)) {
			return fault(fmt.Sprintf("block %d", k), errShort)
		}
		if err := i.inspect(b[start:start+size], c); err != nil {
			return fault(fmt.Sprintf("block %d", k), err)
		}
	}
	return nil
}

// read reads a file whole, into memory that is good until the next one.
func (i *inspector) read(name string) (_ []byte, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only
	i.file.Reset()
	_, err = i.file.ReadFrom(f)
	return i.file.Bytes(), err
}

// inspect compares the checksum of a block.
func (i *inspector) inspect(b []byte, c options.CompressionType) error {
	switch c {
	case options.None:
	case options.Snappy:
		n, err := s2.DecodedLen(b)
		if err == nil && n > maxBlock {
			err = fmt.Errorf("%d bytes unpacked", n)
		}
		if err == nil {
			b, err = s2.Decode(i.block[:cap(i.block)], b)
		}
		if err != nil {
			return err
		}
		i.block = b
	default:
		return nil // not written by this program
	}
	data, sum, err := cutTail(b)
	if err != nil {
		return err
	}
	return verify(data, sum)
}

// maxBlock bounds an unpacked block: blockBytes, or one value below Badger's threshold of 1 MiB.
const maxBlock = 4 << 20

// cutTail splits b before a part that is followed by its length.
func cutTail(b []byte) (rest, part []byte, err error) {
	if len(b) < 4 {
		return nil, nil, errShort
	}
	b, size := b[:len(b)-4], uint64(binary.BigEndian.Uint32(b[len(b)-4:]))
	if size > uint64(len(b)) {
		return nil, nil, errShort
	}
	at := len(b) - int(size)
	return b[:at], b[at:], nil
}

func verify(data, checksum []byte) error {
	var sum pb.Checksum
	if err := proto.Unmarshal(checksum, &sum); err != nil {
		return err
	}
	return y.VerifyChecksum(data, &sum)
}
