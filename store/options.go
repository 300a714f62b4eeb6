package store

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// Options say where the state lies and how much memory it may take. Everything but Dir has a
// default.
type Options struct {
	// Dir is the folder, usually "state" in the harvest's folder. It is made when it is not there.
	Dir string
	// Harvest is the harvest's name. It is written into a new folder and compared with that of an
	// old one; "" compares nothing.
	Harvest string
	// ReadOnly opens an existing folder for reading. Several readers may share it, but not with a
	// writer.
	ReadOnly bool
	// SkipCheck leaves out the check of all checksums when opening, which reads the whole folder
	// once (about three seconds for a gigabyte). Damage is then found when it is met, and some of
	// it reads as if nothing had been written there.
	SkipCheck bool
	// MinFreeBytes is how much room the disk must keep: below it, writes are refused with
	// ErrNoSpace. Badger's work in the background, which merges tables, needs some of it for a
	// while. Default 256 MiB.
	MinFreeBytes int64
	// MemTableBytes is the size of one of three write buffers; default 8 MiB. A transaction holds
	// at most 15 % of one. Less is for harvests without large pages: a value of more than an eighth
	// of one goes to Badger's value log.
	MemTableBytes int64
	// MappedBytes is how much of the tables may stay resident, as the kernel counts files mapped
	// into the process; on Linux their pages leave it beyond that, which is looked at fifty times a
	// second. Default 320 MiB.
	MappedBytes int64
	// Synced is called after the state was made durable, by Checkpoint, Sync and Close, before
	// anything else is written, with the number of the last checkpoint in it. It may be nil.
	Synced func(checkpoint uint64)
}

const (
	DefaultMinFreeBytes = 256 << 20
	defaultMemTable     = 8 << 20
	defaultMapped       = 320 << 20
	smallestMemTable    = 1 << 20
)

// Validate reports what cannot work.
func (o Options) Validate() error {
	var errs []error
	if o.Dir == "" {
		errs = append(errs, errors.New("store: Dir is empty"))
	}
	if o.MemTableBytes != 0 && o.MemTableBytes < smallestMemTable {
		errs = append(errs, fmt.Errorf("store: MemTableBytes %d is below %d", o.MemTableBytes,
			smallestMemTable))
	}
	for name, n := range map[string]int64{
		"MinFreeBytes": o.MinFreeBytes, "MappedBytes": o.MappedBytes,
	} {
		if n < 0 {
			errs = append(errs, fmt.Errorf("store: %s %d is negative", name, n))
		}
	}
	return errors.Join(errs...)
}

func (o Options) withDefaults() Options {
	o.MinFreeBytes = cmp.Or(o.MinFreeBytes, DefaultMinFreeBytes)
	o.MemTableBytes = cmp.Or(o.MemTableBytes, defaultMemTable)
	o.MappedBytes = cmp.Or(o.MappedBytes, defaultMapped)
	if o.Synced == nil {
		o.Synced = func(uint64) {}
	}
	return o
}

// tableBytes is the size of a table. Badger keeps eight builders of tables for reuse, each as large
// as the largest table needed so far, rounded up. Smaller tables are more files.
const tableBytes = 3 << 20

// baseBytes is the size up to which a level takes what was just written. Level zero holds as much,
// eight write buffers, before it is merged: each merge then writes about twice what is new. With less
// in either, Badger writes a third more of tables, and waits for the disk as much longer.
const baseBytes = 64 << 20

// blockBytes is the size of what is read at once. Looking for one record takes longer the larger its
// block.
const blockBytes = 8 << 10

// badger is the tuning for bounded memory on two cores. Values stay inline (with buffers of the
// default size all are below the threshold), so that the value log is idle and its known faults do
// not matter; there is one writer, so that conflicts need no detection. Blocks, indexes and Bloom
// filters of tables are mapped from the files and need no cache: nothing is compressed, but for
// visits, which the store packs.
func (o Options) badger(log *badgerLog) badger.Options {
	b := badger.DefaultOptions(o.Dir)
	b.TableSizeMultiplier = 1
	return b.
		WithLogger(log).
		WithReadOnly(o.ReadOnly).
		WithMemTableSize(o.MemTableBytes).WithNumMemtables(3).
		// a value just below it fits a transaction
		WithValueThreshold(min(b.ValueThreshold, o.MemTableBytes/8)).
		WithBaseTableSize(tableBytes).WithBaseLevelSize(baseBytes).
		WithBlockCacheSize(0).WithBlockSize(blockBytes).
		WithNumCompactors(2).WithNumLevelZeroTables(8).WithNumLevelZeroTablesStall(16).
		// the file takes twice that while it is open, although nothing is written to it
		WithValueLogFileSize(2 << 20).
		WithDetectConflicts(false).WithMetricsEnabled(false).
		WithSyncWrites(false).WithNumVersionsToKeep(1).
		WithChecksumVerificationMode(options.OnBlockRead).
		WithCompression(options.None)
}
