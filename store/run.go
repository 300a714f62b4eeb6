package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"
)

// Format is the version of the key layout and the value codecs that doc.go tells. A store of an
// earlier version from oldestFormat on is read, and has this version once it has been opened for
// writing: version 4 knows how URLs are spelled, version 5 why hosts did not answer, version 6 which
// URLs are files, version 7 what was asked for of URLs that are redirected to themselves, version 8
// which visits were made with a login, version 10 where the parts of a visit are that was amended,
// version 11 what a page holds in itself and the names of sites.
const Format = 11

// oldestFormat is the first that has the origins of hosts apart.
const oldestFormat = 3

const (
	metaFormat     = "format"
	metaHarvest    = "harvest"
	metaSplit      = "split"      // there while a large transaction is half committed
	metaCheckpoint = "checkpoint" // and a number: see checkpointKey
)

// RunState says how a run stands.
type RunState uint8

const (
	RunOpen        RunState = 1 + iota // under way, or its process died
	RunInterrupted                     // stopped by signal or limit; goes on when started again
	RunFinished                        // nothing was left to do
)

func (s RunState) String() string {
	switch s {
	case RunOpen:
		return "open"
	case RunInterrupted:
		return "interrupted"
	case RunFinished:
		return "finished"
	}
	return fmt.Sprintf("RunState(%d)", uint8(s))
}

// RunRecord tells of one crawl of the harvest.
type RunRecord struct {
	Number   Run
	Started  time.Time
	Finished time.Time // last time that it was stopped; zero while it never was
	State    RunState
	Config   string // the effective configuration it was started with, or a digest of it, as the caller likes
	Extends  Run    // the run that it extends, whose captures it does not ask for again; 0 for none
}

// identify writes format and harvest into a new folder and compares them in an old one.
func (s *Store) identify() error {
	var format uint64
	var harvest string
	fresh := false
	err := s.View(func(tx *Tx) error {
		found, err := tx.read(metaKey(metaFormat), func(v []byte) error {
			d := decoder{b: v}
			format = d.uint()
			return d.end()
		})
		if err != nil {
			return err
		}
		if fresh = !found; fresh {
			return tx.empty()
		}
		_, err = tx.read(metaKey(metaHarvest), func(v []byte) error {
			harvest = string(v)
			return nil
		})
		if err == nil {
			s.checkpoint, err = lastCheckpoint(tx)
		}
		if err == nil {
			s.seq, err = tx.lastSeq()
		}
		return err
	})
	switch {
	case err != nil:
		return corrupt(s.dir, err)
	case fresh && s.opt.ReadOnly:
		return corrupt(s.dir, errors.New("no format is written in it"))
	case fresh:
		return s.Update(func(tx *Tx) error {
			tx.holdFormat()
			tx.hold(metaKey(metaHarvest), []byte(s.opt.Harvest))
			return nil
		})
	case format < oldestFormat || format > Format:
		return &OpenError{
			Dir: s.dir, Kind: errVersion, Cause: fmt.Errorf("format %d, this program reads %d to %d",
				format, oldestFormat, Format),
			Hint: "use the version of the program that wrote it, or start a new harvest",
		}
	case s.opt.Harvest != "" && harvest != s.opt.Harvest:
		return &OpenError{
			Dir: s.dir, Kind: errHarvest,
			Cause: fmt.Errorf("it is that of %q, not of %q", harvest, s.opt.Harvest),
			Hint: fmt.Sprintf("give folder and harvest the name %q again, or move the folder state away: "+
				"it is made anew from the runs beside it", harvest),
		}
	case format < Format && !s.opt.ReadOnly:
		return s.Update(func(tx *Tx) error { tx.holdFormat(); return nil })
	}
	return nil
}

func (tx *Tx) holdFormat() {
	var e encoder
	e.uint(Format)
	tx.hold(metaKey(metaFormat), e.b)
}

// keptCheckpoints is how many of the last numbers of checkpoints the state has: one of Badger's logs that
// is damaged, with a good one behind it, leaves a gap.
const keptCheckpoints = 64

func checkpointKey(n uint64) []byte {
	return metaKey(metaCheckpoint + strconv.FormatUint(n%keptCheckpoints, 10))
}

// lastCheckpoint is the number of the last checkpoint, 0 where none was counted. It refuses a state that
// has it and not each of those before.
func lastCheckpoint(tx *Tx) (last uint64, err error) {
	var kept [keptCheckpoints]uint64
	for i := range kept {
		if _, err := tx.read(checkpointKey(uint64(i)), func(v []byte) error {
			d := decoder{b: v}
			kept[i] = d.uint()
			return d.end()
		}); err != nil {
			return 0, err
		}
		last = max(last, kept[i])
	}
	for n := last; n > 0 && last-n < keptCheckpoints; n-- {
		if kept[n%keptCheckpoints] != n {
			return 0, fmt.Errorf("checkpoint %d is not in it, and a later one is", n)
		}
	}
	return last, nil
}

func holdCheckpoint(tx *Tx, n uint64) {
	var e encoder
	e.uint(n)
	tx.hold(checkpointKey(n), e.b)
}

// empty refuses a folder that has entries but no format: it is not ours.
func (tx *Tx) empty() error {
	return tx.scan(nil, nil, false, func(key, _ []byte) (bool, error) {
		return false, fmt.Errorf("it has a key %q and no format", key)
	})
}

// Interrupted reports that the process died between the parts of a large transaction, so that
// totals may be wrong. See Tx.
func (tx *Tx) Interrupted() (bool, error) {
	return tx.read(metaKey(metaSplit), func([]byte) error { return nil })
}

// Distrust makes Interrupted report true from now on, for one who finds that totals or queues are
// wrong.
func (tx *Tx) Distrust() { tx.hold(metaKey(metaSplit), []byte{1}) }

// Repaired forgets what Interrupted reports.
func (tx *Tx) Repaired() { tx.hold(metaKey(metaSplit), nil) }

// StartRun begins the run that r tells of, numbered one more than the last one and than r.Number, with
// sites of these names, and makes that durable.
func (s *Store) StartRun(r RunRecord, sites ...string) (run Run, err error) {
	err = s.Update(func(tx *Tx) error {
		last, _, err := tx.LastRun()
		if err != nil {
			return err
		}
		r.Number = max(r.Number, last.Number) + 1
		tx.PutRun(r)
		return PutSiteNames(tx, r.Number, sites)
	})
	if err == nil {
		err = s.Sync()
	}
	return r.Number, err
}

// PutRun writes r, for example when it stops or goes on.
func (tx *Tx) PutRun(r RunRecord) {
	var e encoder
	e.time(r.Started)
	e.time(r.Finished)
	e.byte(byte(r.State))
	e.text(r.Config)
	if r.Extends != 0 {
		e.uint(uint64(r.Extends))
	}
	tx.hold(runKey(tableRun, r.Number, 0), e.b)
}

// LastRun is the run with the highest number, if there is any.
func (tx *Tx) LastRun() (last RunRecord, found bool, err error) {
	for r, err := range tx.Runs() {
		if err != nil {
			return RunRecord{}, false, err
		}
		last, found = r, true
	}
	return last, found, nil
}

// Runs gives all runs in order. Runs that were put in the same transaction are not among them.
func (tx *Tx) Runs() iter.Seq2[RunRecord, error] {
	return sequence(&tx.batch, []byte{tableRun}, func(key, value []byte) (RunRecord, error) {
		d := decoder{b: value}
		r := RunRecord{Started: d.time(), Finished: d.time(), State: RunState(d.byte()), Config: d.text()}
		if len(key) != 5 {
			return r, errShort
		}
		if len(d.b) > 0 {
			r.Extends = Run(d.uint())
		}
		r.Number = Run(binary.BigEndian.Uint32(key[1:]))
		return r, d.end()
	})
}

// sequence walks a table in key order and decodes each entry; the first error ends it.
func sequence[T any](tx *batch, prefix []byte,
	decode func(key, value []byte) (T, error),
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		stopped := false
		err := tx.scan(prefix, prefix, true, func(key, value []byte) (bool, error) {
			v, err := decode(key, value)
			if err != nil {
				return false, damaged(fmt.Sprintf("entry %x", key), err)
			}
			stopped = !yield(v, nil)
			return !stopped, nil
		})
		if err != nil && !stopped {
			var none T
			yield(none, err)
		}
	}
}

// viewed is an iteration in a reading transaction of its own.
func viewed[T any](s *Store, walk func(tx *Tx) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		stopped := false
		err := s.View(func(tx *Tx) error {
			for v, err := range walk(tx) {
				if stopped = !yield(v, err); stopped {
					break
				}
			}
			return nil
		})
		if err != nil && !stopped {
			var none T
			yield(none, err)
		}
	}
}
