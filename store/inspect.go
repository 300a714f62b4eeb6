package store

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
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
	manifest, torn, err := readManifest(o.Dir)
	if err != nil {
		return corrupt(o.Dir, err)
	}
	var i inspector
	if !o.SkipCheck {
		for id := range manifest.Tables {
			if err := i.table(table.NewFilename(id, o.Dir), manifest.Tables[id].Compression); err != nil {
				return corrupt(o.Dir, err)
			}
		}
	}
	if !o.SkipCheck || torn || len(manifest.Tables) == 0 {
		if err := i.unlisted(o.Dir, manifest, torn); err != nil {
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

// readManifest lists the tables that make up the database; torn tells that the list has lost its end.
func readManifest(dir string) (m badger.Manifest, torn bool, err error) {
	f, err := os.Open(filepath.Join(dir, badger.ManifestFilename))
	if errors.Is(err, os.ErrNotExist) {
		return m, false, orphans(dir)
	}
	if err != nil {
		return m, false, err
	}
	defer f.Close() // read only
	m, end, err := badger.ReplayManifestFile(f, 0, badger.DefaultOptions(dir).WithLogger(nil))
	if err != nil {
		return m, false, fmt.Errorf("%s: %w", badger.ManifestFilename, err)
	}
	info, err := f.Stat()
	if err != nil {
		return m, false, err
	}
	return m, end < info.Size(), nil
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

// unlisted refuses tables that the manifest does not list, which Badger would delete, if they may have what
// is nowhere else: any where the end of the manifest is torn, for a log beside it may hold what came later;
// else one that is newer than all that are listed and that no log begins before. A process that dies may
// leave other ones: the table of a log that is still there, or one that was being made of listed tables.
func (i *inspector) unlisted(dir string, m badger.Manifest, torn bool) error {
	tables, err := disk.List(dir, "", ".sst")
	if err != nil {
		return err
	}
	listed := func(name string) bool {
		id, ok := table.ParseFileID(name)
		_, there := m.Tables[id]
		return ok && there
	}
	logs, err := disk.List(dir, "", ".mem")
	if err != nil {
		return err
	}
	for _, name := range slices.DeleteFunc(tables, listed) {
		last := uint64(math.MaxUint64) // of what cannot be read
		var x inspector
		if _, index, err := x.index(name); err == nil {
			last = index.MaxVersion()
		}
		held := slices.ContainsFunc(logs, func(log string) bool {
			first, ok := firstVersion(log)
			return ok && first <= last
		})
		if torn || last > i.newest && !held {
			return fmt.Errorf("%s does not list %s", badger.ManifestFilename, filepath.Base(name))
		}
	}
	return nil
}

// logHead is the length of the head of a log, in bytes.
const logHead = 20

// firstVersion is that of the first entry of a log; ok is false where it has none. An entry begins with two
// bytes of marks and three numbers, the first of which is the length of the key behind them, whose last
// eight bytes are the version, turned round.
func firstVersion(name string) (version uint64, ok bool) {
	f, err := os.Open(name)
	if err != nil {
		return 0, false
	}
	defer f.Close() // read only
	r := bufio.NewReader(io.NewSectionReader(f, logHead+2, 1<<20))
	var numbers [3]uint64
	for i := range numbers {
		if numbers[i], err = binary.ReadUvarint(r); err != nil {
			return 0, false
		}
	}
	if numbers[0] < 8 || numbers[0] > 1<<16 {
		return 0, false
	}
	key := make([]byte, numbers[0])
	if _, err := io.ReadFull(r, key); err != nil {
		return 0, false
	}
	return y.ParseTs(key), true
}

// inspector compares checksums of tables, one after the other, through its buffers.
type inspector struct {
	file   bytes.Buffer
	block  []byte
	newest uint64 // the last version in the tables that were inspected
}

// table compares all checksums of a table.
func (i *inspector) table(name string, c options.CompressionType) error {
	b, ti, err := i.index(name)
	if err != nil {
		return err
	}
	i.newest = max(i.newest, ti.MaxVersion())
	for k := range ti.OffsetsLength() {
		var at fb.BlockOffset
		if !ti.Offsets(&at, k) {
			return inTable(name, "index", errShort)
		}
		start, size := uint64(at.Offset()), uint64(at.Len())
		if start+size > uint64(len(b)) {
			return inTable(name, fmt.Sprintf("block %d", k), errShort)
		}
		if err := i.inspect(b[start:start+size], c); err != nil {
			return inTable(name, fmt.Sprintf("block %d", k), err)
		}
	}
	return nil
}

// index reads a table and compares the checksum of its index. A table ends with the index, the index'
// length, the index' checksum and that one's length, each length in four bytes.
func (i *inspector) index(name string) (b []byte, ti *fb.TableIndex, err error) {
	if b, err = i.read(name); err != nil {
		return nil, nil, err
	}
	rest, sum, err := cutTail(b)
	if err != nil {
		return nil, nil, inTable(name, "index checksum", err)
	}
	_, index, err := cutTail(rest)
	if err == nil && len(index) == 0 { // as in a file of zeros
		err = errShort
	}
	if err == nil {
		err = verify(index, sum)
	}
	if err != nil {
		return nil, nil, inTable(name, "index", err)
	}
	return b, fb.GetRootAsTableIndex(index, 0), nil
}

func inTable(name, what string, err error) error {
	return fmt.Errorf("%s: %s: %w", filepath.Base(name), what, err)
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
