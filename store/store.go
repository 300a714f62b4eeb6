package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/dgraph-io/badger/v4"

	"watershed/internal/disk"
)

// Store is one harvest's state. Its methods may be called by several goroutines; of Update one runs
// at a time.
//
// Invariants:
//  1. A change for which Update returned nil is seen by every later View, and survives the death of
//     the process.
//  2. A change that was committed before Checkpoint returned nil survives a power cut.
//  3. A URL is pending if and only if its record says so; a queue row without such a record means
//     nothing.
type Store struct {
	db  *badger.DB
	log *badgerLog
	dir string
	opt Options

	writing    sync.Mutex // held by Update and Checkpoint: one writer
	written    int64      // bytes committed since the disk was last looked at; guarded by writing
	seq        uint64     // of the last committed visit; guarded by writing
	checkpoint uint64     // number of the last one; guarded by writing
	next       string     // the log that Badger will begin next, made already; guarded by writing

	mu     sync.Mutex // guards closed and calls to users.Add
	closed bool
	err    error          // what Close returned
	users  sync.WaitGroup // transactions and iterations under way
	done   chan struct{}  // closed when Badger is to be closed
}

// Open opens the state in o.Dir and makes it when there is none. The error is an *OpenError when
// the folder is locked, damaged, of another version or another harvest's, or when the disk is full.
func Open(o Options) (*Store, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	if err := prepare(o); err != nil {
		return nil, err
	}
	log := newBadgerLog()
	db, err := openBadger(o, log)
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, log: log, dir: o.Dir, opt: o, done: make(chan struct{})}
	go s.trim()
	if err := s.identify(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// prepare looks at folder and disk before Badger does, which would create files or end the process
// over what it finds.
func prepare(o Options) error {
	if err := CheckPlace(o.Dir); err != nil {
		return err
	}
	if o.ReadOnly {
		if err := CheckThere(o.Dir); err != nil {
			return err
		}
	} else {
		if err := os.MkdirAll(o.Dir, 0o755); err != nil {
			return fmt.Errorf("open state %s: %w", o.Dir, writeError(err))
		}
		if err := disk.Writable(o.Dir); err != nil {
			return unwritable(o.Dir, err)
		}
		if err := enoughSpace(o); err != nil {
			return noRoom(o.Dir, err)
		}
	}
	if err := enoughFiles(o.Dir); err != nil {
		return fmt.Errorf("open state %s: %w", o.Dir, err)
	}
	return inspect(o)
}

// spareFiles are the files that an opening needs beside those of the state: Badger has eight open with
// an empty one, and some for a moment.
const spareFiles = 24

// enoughFiles is the system's error where this process may not open all files of the state and some
// more. Badger ends the process when it cannot list its folder.
func enoughFiles(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var held []*os.File
	for len(held) < len(files)+spareFiles && err == nil {
		var f *os.File
		if f, err = os.Open(os.DevNull); err == nil {
			held = append(held, f)
		}
	}
	for _, f := range held {
		_ = f.Close() // which nothing was written to
	}
	return errors.Unwrap(err) // without the name of a file that is not the state's
}

// Words on what a harvest does that finds no state.
const (
	rebuilds = "rebuilds the state from the archive"
	rebuild  = "the archive is not affected: start the harvest again, which rebuilds the state from it"
)

// CheckPlace refuses a place of a state at which there is something that is no folder, or a link that
// leads to none, with an *OpenError. Nothing there is no error.
func CheckPlace(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err == nil && !info.IsDir():
		return &OpenError{
			Dir: dir, Kind: errNoFolder, Hint: "take it away, and start the harvest again, which " + rebuilds,
		}
	case errors.Is(err, os.ErrNotExist):
		if to, err := os.Readlink(dir); err == nil {
			return &OpenError{
				Dir: dir, Kind: errNoFolder, Cause: fmt.Errorf("it is a link to %s, which is not there", to),
				Hint: "bring that back, or take the link away and start the harvest again, which " + rebuilds,
			}
		}
	}
	return nil
}

// CheckThere refuses a place at which there is no state, as that of a harvest is whose folder was cleared
// or came without it, with an *OpenError.
func CheckThere(dir string) error {
	if err := CheckPlace(dir); err != nil {
		return err
	}
	switch _, err := os.Stat(filepath.Join(dir, badger.ManifestFilename)); {
	case errors.Is(err, os.ErrNotExist):
		return Gone(dir)
	case err != nil:
		return fmt.Errorf("open state %s: %w", dir, err)
	}
	return nil
}

// Gone is the error of a state that is not there, or has nothing in it.
func Gone(dir string) error { return &OpenError{Dir: dir, Kind: errGone, Hint: rebuild} }

// Hold keeps the place of a state for one process until it is released or the process ends, also
// while there is no state, or another one is made to take its place. It locks a file beside the
// state, which Open does not need: who only looks at a state is not kept out. The error is an
// *OpenError as that of Open is.
func Hold(dir string) (release func() error, err error) {
	f, err := os.OpenFile(dir+".lock", os.O_RDWR|os.O_CREATE, 0o666)
	if err == nil {
		if err = disk.Lock(f, disk.TryAlone); err == nil {
			return f.Close, nil // which unlocks
		}
		err = errors.Join(err, f.Close())
	}
	switch {
	case errors.Is(err, disk.ErrLocked):
		return nil, locked(dir)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return nil, unwritable(dir, err)
	case errors.Is(writeError(err), ErrNoSpace):
		return nil, noRoom(dir, err)
	}
	return nil, fmt.Errorf("lock state %s: %w", dir, err)
}

// openBadger is badger.Open with typed errors; what makes it panic is damage too.
func openBadger(o Options, log *badgerLog) (db *badger.DB, err error) {
	allocateMappings()
	defer func() {
		if p := recover(); p != nil {
			db, err = nil, corrupt(o.Dir, fmt.Errorf("%v", p))
		}
	}()
	db, err = badger.Open(o.badger(log))
	if err != nil {
		return nil, openError(o.Dir, err)
	}
	if table := log.ignoredTable(); table != "" {
		return nil, errors.Join(corrupt(o.Dir, errors.New(table)), db.Close())
	}
	return db, nil
}

// openError tells from Badger's text what happened: it keeps no causes.
func openError(dir string, err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "Cannot acquire directory lock"):
		return locked(dir)
	case errors.Is(writeError(err), ErrNoSpace):
		return noRoom(dir, err)
	}
	return corrupt(dir, err)
}

func noRoom(dir string, cause error) error {
	return &OpenError{
		Dir: dir, Kind: ErrNoSpace, Cause: cause,
		Hint: "free some disk space or put the harvest elsewhere, then start again",
	}
}

func unwritable(dir string, cause error) error {
	return &OpenError{
		Dir: dir, Kind: errUnwritable, Cause: cause,
		Hint: "give the right to write there, or work on a copy of the harvest's folder",
	}
}

func locked(dir string) error {
	return &OpenError{
		Dir: dir, Kind: ErrLocked,
		Hint: "another harvest or command is working on this folder: wait for it or stop it",
	}
}

// corrupt is the error of a folder that is damaged, unless the system failed to read it: that says
// nothing of what is in it.
func corrupt(dir string, cause error) error {
	if fault := systemFault(cause); fault != nil {
		return fmt.Errorf("open state %s: %w", dir, fault)
	}
	return &OpenError{
		Dir: dir, Kind: ErrCorrupt, Cause: cause,
		Hint: rebuild,
	}
}

// Update runs fn in the only writing transaction and commits what it wrote, all or nothing but for
// what Tx says of large ones. An error of fn is returned as it is and nothing is kept. fn must not
// call Update or Checkpoint.
func (s *Store) Update(fn func(*Tx) error) error {
	if s.opt.ReadOnly {
		return errReadOnly
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.enter(); err != nil {
		return err
	}
	defer s.users.Done()
	if err := s.space(); err != nil {
		return err
	}
	tx := s.begin()
	defer tx.end()
	if err := fn(tx); err != nil {
		return err
	}
	return tx.commit()
}

// View runs fn in a reading transaction: it sees what was committed before it began.
func (s *Store) View(fn func(*Tx) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.users.Done()
	tx := newTx(s, false)
	defer tx.end()
	return fn(tx)
}

// Checkpoint is Sync, and looks whether there is room for more. It takes one to some tens of
// milliseconds; once a second is meant. The files that the commits speak of must have been synced
// before.
func (s *Store) Checkpoint() error {
	return s.sync(s.look)
}

// Checkpoints is how many checkpoints the state has: what was committed before each is in it. A state
// that has fewer than Options.Synced was told has lost commits, or is an older copy.
func (s *Store) Checkpoints() uint64 {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.checkpoint
}

// Sync makes all that was committed before the call survive a power cut, as a checkpoint that is
// counted: it writes Badger's logs to the disk. Badger's own Sync leaves out a log that it has just
// put aside and not yet turned into a table, so all are synced here.
func (s *Store) Sync() error {
	return s.sync(func() error { return nil })
}

// sync is Sync, unless there is no room for more.
func (s *Store) sync(room func() error) error {
	var n uint64
	if err := s.Update(func(tx *Tx) error {
		n = s.checkpoint + 1
		holdCheckpoint(tx, n)
		return room()
	}); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	s.checkpoint = max(s.checkpoint, n)
	if err := s.enter(); err != nil {
		return err
	}
	defer s.users.Done()
	logs, err := disk.List(s.dir, "", ".mem")
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	errs := []error{s.db.Sync()}
	if len(logs) > 1 {
		for _, name := range logs {
			errs = append(errs, syncFile(name))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("sync state: %w", writeError(err))
	}
	s.opt.Synced(s.checkpoint)
	return nil
}

// syncFile syncs a file that may have been deleted since it was listed.
func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Close waits for transactions and iterations under way, refuses new ones, and closes the folder. A
// second call returns what the first one did. Where a last table cannot be written, as on a full
// disk (ErrNoSpace), the error says so and the folder stays locked until the process ends; nothing
// is lost, since Badger's logs hold what the table was to have.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		defer s.mu.Unlock()
		return s.err
	}
	s.closed = true
	s.mu.Unlock()
	s.users.Wait()
	close(s.done)
	err := writeError(s.closeBadger())
	if err != nil {
		err = fmt.Errorf("close state %s: %w", s.dir, err)
	} else if !s.opt.ReadOnly {
		s.opt.Synced(s.checkpoint)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
	return err
}

// closeBadger closes the database, or gives up when a table cannot be written: Badger itself tries
// again for ever.
func (s *Store) closeBadger() error {
	s.log.close()
	done := make(chan error, 1)
	go func() { done <- s.db.Close() }()
	select {
	case err := <-done:
		return errors.Join(err, s.release())
	case err := <-s.log.full:
		return err
	}
}

// enter announces a user of the database; it calls users.Done when it is through.
func (s *Store) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	s.users.Add(1)
	return nil
}

// ReadOnly reports a store opened for reading.
func (s *Store) ReadOnly() bool { return s.opt.ReadOnly }
