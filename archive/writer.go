package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/zeebo/xxh3"

	"watershed/internal/disk"
	"watershed/page"
)

// Writer writes WARC files into a folder, one after the other. Its methods may be called by several
// goroutines: each compresses its own batch, and only the appending is one at a time.
//
// Invariants:
//  1. The current file, up to size, is a row of whole batches; nothing is ever written behind a
//     batch that failed: the file is cut back to where the batch began, or given up where that
//     cannot be done (it stays ".open" for Repair).
//  2. A record's WARC-Warcinfo-ID names the first record of the file it lies in: a batch that was
//     compressed for a file which was closed meanwhile is compressed again.
//  3. A name without ".open" is a whole file that is safe on disk.
//  4. After the system could not make bytes durable the writer takes nothing more: such an error is
//     told once and the bytes are gone from memory, so that a second try would only seem to
//     succeed.
//
// The outline of Write:
//
//	again:  file ← current file, closed and followed by a new one when it has MaxBytes
//	        members ← compress(batch, file's warcinfo)            without the lock
//	        with the lock: is file still the current one? if not, again
//	                       append members; on failure cut back
type Writer struct {
	opt     Options
	zippers *zippers
	sums    sync.Pool // of *xxh3.Hasher

	mu     sync.Mutex // guards what follows
	names  names
	cur    *warcFile // nil before the first batch and after a file was closed or given up
	broken error     // bytes that were written are perhaps not on disk; sticky
	closed bool
}

// warcFile is a file being written.
type warcFile struct {
	f        disk.File
	name     string // final base name
	info     string // WARC-Record-ID of its warcinfo
	size     int64
	batches  int
	register *registerWriter // nil for none
	use      sync.RWMutex    // read-locked while the file is synced without Writer.mu, locked to close it
}

// NewWriter makes the folder, where it is not there, and a writer into it. No file is made before
// the first batch.
func NewWriter(o Options) (*Writer, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	if err := o.Disk.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("make archive folder: %w", withSpace(err))
	}
	return &Writer{
		opt:     o,
		zippers: newZippers(o.Level),
		names:   names{prefix: o.Prefix, host: o.Host, pid: os.Getpid()},
	}, nil
}

// Write appends the drafts as one batch and gives the place of each. They lie in one file without a
// gap, or, when there is an error, not at all. They are safe on disk after the next Sync or Close
// that gives no error. ErrNoSpace tells that the same call may be made again when there is room;
// errClosed that Close was called; any other error that the system failed.
func (w *Writer) Write(drafts ...Draft) ([]page.Location, error) {
	if len(drafts) == 0 {
		return nil, nil
	}
	for {
		f, err := w.current()
		if err != nil {
			return nil, err
		}
		locs, err := w.writeTo(f, drafts)
		if !errors.Is(err, errGone) {
			return locs, err
		}
	}
}

// errGone says that the file for which a batch was compressed is no longer the current one.
var errGone = errors.New("file was closed meanwhile")

func (w *Writer) writeTo(f *warcFile, drafts []Draft) (locs []page.Location, err error) {
	s := newSpool(w.opt.MemoryBytes, w.opt.Dir)
	defer func() { err = errors.Join(err, s.Close()) }()
	locs = make([]page.Location, len(drafts))
	var told []registered
	for i, d := range drafts {
		start := s.size
		n, r, err := w.member(s, d, f.info)
		if err != nil {
			return nil, fmt.Errorf("compress %w", err)
		}
		locs[i] = page.Location{File: f.name, Offset: start, Length: n}
		if w.opt.Register {
			told = append(told, r)
		}
	}

	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		return nil, err
	}
	if w.cur != f {
		return nil, errGone
	}
	for i := range locs {
		locs[i].Offset += f.size
	}
	if err := w.append(s); err != nil {
		return nil, fmt.Errorf("append to %s: %w", f.name, err)
	}
	for i := range told {
		told[i].loc = locs[i]
	}
	f.register.add(told)
	f.batches++
	return locs, nil
}

// member appends the draft to the spool as one gzip member, and gives its length and its row for
// the register.
func (w *Writer) member(s *spool, d Draft, info string) (n int64, r registered, err error) {
	if !w.opt.Register {
		n, err = w.zippers.member(s, d, info)
		return n, r, err
	}
	s.sum, _ = w.sums.Get().(*xxh3.Hasher)
	if s.sum == nil {
		s.sum = xxh3.New()
	}
	s.sum.Reset()
	if n, err = w.zippers.member(s, d, info); err == nil {
		r = d.register(s.sum.Sum64())
	}
	w.sums.Put(s.sum)
	s.sum = nil
	return n, r, err
}

// append writes the spool at the end of the current file. The caller holds the lock.
func (w *Writer) append(s *spool) error {
	f := w.cur
	n, err := s.WriteTo(f.f)
	if err == nil && n != s.size {
		err = io.ErrShortWrite
	}
	if err == nil {
		f.size += n
		return nil
	}
	err = withSpace(err)
	if _, seekErr := f.f.Seek(f.size, io.SeekStart); seekErr != nil {
		return w.giveUp(errors.Join(err, seekErr))
	}
	if cutErr := f.f.Truncate(f.size); cutErr != nil {
		return w.giveUp(errors.Join(err, cutErr))
	}
	return err
}

// giveUp leaves the current file as it is, ".open", for Repair. The caller holds the lock.
func (w *Writer) giveUp(cause error) error {
	f := w.cur
	w.cur = nil
	f.use.Lock()
	defer f.use.Unlock()
	f.register.close()
	if err := f.f.Sync(); err != nil && w.broken == nil {
		w.broken = fmt.Errorf("sync %s: %w", f.name, err)
	}
	if err := f.f.Close(); err != nil {
		cause = errors.Join(cause, err)
	}
	return fmt.Errorf("%s is given up: %w", f.name, cause)
}

// usable tells why the writer takes nothing more. The caller holds the lock.
func (w *Writer) usable() error {
	if w.closed {
		return errClosed
	}
	return w.failed()
}

// failed is the error of an earlier call after which the writer takes nothing more. It is no longer
// ErrNoSpace, as room that was made since then mends nothing. The caller holds the lock.
func (w *Writer) failed() error {
	if errors.Is(w.broken, ErrNoSpace) {
		return fmt.Errorf("what was written could not be made durable, and the next start finds out what "+
			"is: %v", w.broken)
	}
	return w.broken
}

// current gives the file for the next batch.
func (w *Writer) current() (*warcFile, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		return nil, err
	}
	if w.cur != nil && w.cur.size >= w.opt.MaxBytes && w.cur.batches > 0 {
		if err := w.finish(); err != nil {
			return nil, err
		}
	}
	if w.cur == nil {
		if err := w.begin(); err != nil {
			return nil, err
		}
	}
	return w.cur, nil
}

// begin makes a new file with its warcinfo and makes its name durable. The caller holds the lock.
func (w *Writer) begin() error {
	now := time.Now()
	f := &warcFile{info: NewID()}
	for f.f == nil {
		f.name = w.names.next(now)
		if _, err := os.Lstat(filepath.Join(w.opt.Dir, f.name)); err == nil {
			continue
		}
		var err error
		f.f, err = w.opt.Disk.OpenFile(w.path(f)+suffixOpen, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("make WARC file: %w", withSpace(err))
		}
	}
	told, err := w.beginWith(f, now)
	if err != nil {
		_ = f.f.Close()                               // the file is taken away
		_ = w.opt.Disk.Remove(w.path(f) + suffixOpen) // the error before matters more
		return fmt.Errorf("begin %s: %w", f.name, withSpace(err))
	}
	if w.opt.Register {
		// without one, the file itself is read
		f.register, _ = newRegisterWriter(w.opt.Disk, w.path(f)+suffixRegister)
		f.register.add([]registered{told})
	}
	w.cur = f
	return nil
}

func (w *Writer) beginWith(f *warcFile, now time.Time) (registered, error) {
	s := newSpool(w.opt.MemoryBytes, w.opt.Dir)
	n, told, err := w.member(s, warcinfo(f.info, f.name, now, w.opt.Info.fields(w.opt.Host)), "")
	if err == nil {
		f.size, err = s.WriteTo(f.f)
	}
	told.loc.Length = n
	return told, errors.Join(err, s.Close(), w.opt.Disk.SyncDir(w.opt.Dir))
}

func (w *Writer) path(f *warcFile) string { return filepath.Join(w.opt.Dir, f.name) }

// finish makes the current file durable and gives it its final name. The caller holds the lock.
func (w *Writer) finish() error {
	f := w.cur
	if err := f.f.Sync(); err != nil {
		w.broken = fmt.Errorf("sync %s: %w", f.name, withSpace(err))
		return w.giveUp(w.broken)
	}
	w.cur = nil
	f.use.Lock()
	defer f.use.Unlock()
	f.register.close()
	if err := f.f.Close(); err != nil {
		return fmt.Errorf("close %s: %w", f.name, err)
	}
	if f.batches == 0 {
		_ = w.opt.Disk.Remove(w.path(f) + suffixRegister) // where there is one, it is good for nothing
		return w.opt.Disk.Remove(w.path(f) + suffixOpen)
	}
	if err := w.opt.Disk.Rename(w.path(f)+suffixOpen, w.path(f)); err != nil {
		return fmt.Errorf("finish %s: %w", f.name, err)
	}
	if err := w.opt.Disk.SyncDir(w.opt.Dir); err != nil {
		return fmt.Errorf("finish %s: %w", f.name, err)
	}
	return nil
}

// Sync makes all batches durable that were written before the call. After an error some may be on
// disk and others not, and the writer takes nothing more: Close it, Repair the folder, and look
// with Whole which captures are there.
func (w *Writer) Sync() error {
	w.mu.Lock()
	f := w.cur
	if err := w.failed(); err != nil || f == nil {
		w.mu.Unlock()
		return err
	}
	f.use.RLock()
	f.register.flush()
	w.mu.Unlock()

	err := f.f.Sync()
	f.use.RUnlock()

	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil && w.broken == nil {
		w.broken = fmt.Errorf("sync %s: %w", f.name, withSpace(err))
	}
	return w.broken
}

// Close closes the current file and makes all durable. It may be called twice.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	switch {
	case w.cur == nil:
		return w.broken
	case w.broken != nil:
		return w.giveUp(w.broken)
	}
	return w.finish()
}
