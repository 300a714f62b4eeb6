// Package upload brings the files of a finished run to a store that speaks Amazon's S3, and proves
// that they arrived.
//
// A file is uploaded when the store tells its SHA-256, or, where it tells none, when it was read
// back and has that SHA-256. Large files go in parts; each part that arrived is noted in the record
// (RecordName) of the run's folder, so that an upload which was interrupted goes on behind the last
// one. Nothing at the store is overwritten that bears not the mark of the same record, no WARC file
// unless the new one begins with it, and the former index or package keeps a name of its own.
//
// Invariants:
//
//  1. An entry of the record is Verified only after the store was asked what it holds. Each upload asks
//     again, by size and mark, and sends once more what the store has lost.
//  2. A local file is removed only by Remove: after it was read again, the store was asked again,
//     and the record that says so is on disk.
//  3. Keys of the store are sent to its own address: redirects are not followed. They are in no
//     error, no log and no file.
package upload

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"watershed/internal/disk"
)

// Kind says what a file holds, and so what may become of one that was uploaded before.
type Kind int

const (
	Report  Kind = iota // is replaced
	Index               // the former keeps a name of its own: index.before-TIME.cdxj
	Package             // likewise, and it may be removed here once it is uploaded
	WARC                // is replaced only by one that begins with it; may be removed here, too
)

// File is a file that is to be uploaded.
type File struct {
	Path string // below the run's folder, with slashes
	Kind Kind
}

// Options say where files go. Zero values are the defaults; Store, Bucket and the keys have none.
type Options struct {
	Store     string // http or https, and the host
	Bucket    string
	Prefix    string // of all names in the bucket
	Region    string
	AccessKey string
	SecretKey string

	Part     int64         // bytes of a part, 5 MiB at least; 0 is 16 MiB. Larger for more than 10,000 parts
	Attempts int           // of each request; 0 is 5
	Pause    time.Duration // before the second attempt; it doubles; 0 is 2 s
	Timeout  time.Duration // of an attempt, and a second more for 64 KiB; 0 is 2 min
	Disk     disk.FS       // nil is the machine's
	Log      *slog.Logger  // nil is silent
	Told     func(f File, size int64)
}

const (
	mib = 1 << 20
	// Limits of Amazon's S3: parts of an object, and bytes of one that is copied in one piece.
	mostParts  = 10_000
	mostCopied = 5 << 30
	slowest    = 64 << 10 // bytes a second that an attempt is given time for
)

func (o Options) withDefaults() Options {
	o.Part = cmp.Or(o.Part, 16*mib)
	o.Attempts = cmp.Or(o.Attempts, 5)
	o.Pause = cmp.Or(o.Pause, 2*time.Second)
	o.Timeout = cmp.Or(o.Timeout, 2*time.Minute)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Told == nil {
		o.Told = func(File, int64) {}
	}
	o.Disk = disk.Or(o.Disk)
	o.Store = strings.TrimRight(o.Store, "/")
	o.Prefix = strings.Trim(o.Prefix, "/")
	return o
}

// Validate tells what cannot be.
func (o Options) Validate() error {
	_, err := open(o.withDefaults())
	return err
}

// The causes why a single file is not uploaded; the others are.
var (
	// errTaken: the store holds another object of that name, which this record did not put there.
	errTaken = errors.New("the store holds something else under this name, which is left as it is: give " +
		"upload.prefix another value, or move that object away")
	// errDiffers: a WARC file is not the one that was uploaded, nor does it begin with it.
	errDiffers = errors.New("it is no longer the file that was uploaded, nor does it begin with it: the " +
		"store keeps what it has, which is the better copy unless you know why this one differs")
	// errChanged: a file changed while it was read.
	errChanged = errors.New("it changed while it was uploaded: the next upload takes it as it is then")
	// errAbsent: a WARC file that was to be uploaded is not here, and the store does not have it.
	errAbsent = errors.New("it belongs to the archive, and is not here")
	// errLost: the store has lost what is no longer here either.
	errLost = errors.New("it was removed here once it was uploaded, and the store holds it no longer: have " +
		"it brought back there from a backup")
	// errUnheld ends the upload: the store may hold nothing of what is sent.
	errUnheld = errors.New("the store said that it took it, and does not hold it now")
)

// Left are the causes why single files are not at the store, each errTaken, errDiffers, errChanged,
// errAbsent or errLost; all others are. At most ten are told.
type Left struct {
	Files  int
	causes []error
}

// add notes the cause of a file, nil for none. Another error is given back.
func (l *Left) add(name string, err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s: %w", name, err)
	for _, cause := range []error{errTaken, errDiffers, errChanged, errAbsent, errLost} {
		if errors.Is(err, cause) {
			if l.Files++; l.Files <= mostTold {
				l.causes = append(l.causes, err)
			}
			return nil
		}
	}
	return err
}

func (l *Left) Error() string {
	text := errors.Join(l.causes...).Error()
	if more := l.Files - len(l.causes); more > 0 {
		text += fmt.Sprintf("\nand %d files more", more)
	}
	return text
}

func (l *Left) Unwrap() []error { return l.causes }

// Send uploads those of the files, in a folder, that the store does not have yet. It goes on where
// an earlier call stopped, and with the other files where one cannot be uploaded. The record is
// that of all files; it is nil where it could not be read. A second process on the same folder is
// refused (disk.ErrLocked).
func Send(ctx context.Context, dir string, files []File, o Options) (record *Record, err error) {
	err = withSender(dir, files, o, func(w *sender) error {
		err := w.send(ctx, files)
		record = w.record
		record.Time, record.Error = time.Now().UTC().Truncate(time.Second), ""
		switch {
		case err != nil && ctx.Err() != nil:
			record.Error = "interrupted; the next upload goes on"
		case err != nil:
			record.Error = err.Error()
		}
		return errors.Join(err, w.save())
	})
	return record, err
}

// withSender has work done on a folder, which no other process does meanwhile.
func withSender(dir string, files []File, o Options, work func(*sender) error) error {
	w := &sender{dir: dir, opt: o.withDefaults()}
	f, err := os.Open(dir)
	if err == nil {
		defer func() { _ = f.Close() }() // which unlocks; a folder has nothing to lose
		err = disk.Lock(f, disk.TryAlone)
	}
	if errors.Is(err, disk.ErrLocked) {
		err = fmt.Errorf("it is being uploaded by another process: %w", err)
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", dir, err)
	}
	if w.store, err = open(w.opt); err != nil {
		return err
	}
	defer w.store.close()
	if w.record, err = w.begin(files); err != nil {
		return err
	}
	return work(w)
}

// sender uploads the files of one folder. It is not safe for concurrent use.
type sender struct {
	store  *store
	record *Record
	dir    string
	opt    Options
	sent   int64 // bytes since the record was saved
}

// begin reads the record, and enters the files that are new.
func (w *sender) begin(files []File) (*Record, error) {
	r, err := Read(w.dir)
	if err != nil {
		return nil, err
	}
	o := &w.opt
	if r != nil && (r.Store != o.Store || r.Bucket != o.Bucket || r.Prefix != o.Prefix) {
		if n := r.Sum().Removed; n > 0 {
			return nil, fmt.Errorf("%d files were removed here once they were at %s: set upload back to "+
				"that, or fetch them from there first", n, r.Place())
		}
		former := filepath.Join(w.dir, aside(RecordName, time.Now()))
		if err := o.Disk.Rename(filepath.Join(w.dir, RecordName), former); err != nil {
			return nil, fmt.Errorf("set the record of another store aside: %w", err)
		}
		r = nil
	}
	if r == nil {
		r = &Record{
			ID: rand.Text(), Store: o.Store, Bucket: o.Bucket, Prefix: o.Prefix, Files: map[string]*Entry{},
		}
	}
	r.Error = "" // of an earlier call
	listed := map[string]bool{}
	for _, f := range files {
		listed[f.Path] = true
		e := r.Files[f.Path]
		if e == nil {
			e = &Entry{}
			r.Files[f.Path] = e
		}
		if info, err := os.Stat(w.local(f)); err == nil && !e.here(info) {
			e.Size = info.Size()
			e.Waits = true
		}
	}
	for name, e := range r.Files {
		switch {
		case listed[name]:
		case e.Multipart != nil: // see abort
		case e.Verified.IsZero():
			delete(r.Files, name) // never uploaded, and no longer there
		case e.Removed.IsZero():
			e.Waits = false
		}
	}
	return r, r.write(o.Disk, w.dir)
}

func (w *sender) local(f File) string { return filepath.Join(w.dir, filepath.FromSlash(f.Path)) }

func (w *sender) key(name string) string { return path.Join(w.opt.Prefix, name) }

func (w *sender) save() error {
	w.sent = 0
	return w.record.write(w.opt.Disk, w.dir)
}

// mostTold is how many files are named that could not be uploaded.
const mostTold = 10

// send uploads the files in their order.
func (w *sender) send(ctx context.Context, files []File) error {
	if err := w.store.greet(ctx); err != nil {
		return err
	}
	if err := w.abort(ctx, files); err != nil {
		return err
	}
	left := &Left{}
	for _, f := range files {
		if err := left.add("upload "+f.Path, w.foreign(ctx, f)); err != nil || left.Files > 0 {
			return cmp.Or[error](err, left)
		}
	}
	for _, f := range files {
		if err := left.add("upload "+f.Path, w.file(ctx, f)); err != nil {
			return err
		}
		if w.sent > w.opt.Part {
			if err := w.save(); err != nil {
				return err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.record.Files)) {
		if e := w.record.Files[name]; !e.Removed.IsZero() {
			held, err := w.held(ctx, name)
			if e.Waits = err == nil && !held; e.Waits {
				err = errLost
			}
			if err := left.add(name, err); err != nil {
				return err
			}
		}
	}
	if left.Files > 0 {
		return left
	}
	return nil
}

// foreign refuses a place at the store where the index is another record's, as before a harvest was begun
// anew: nothing of this one is sent beside the files of that.
func (w *sender) foreign(ctx context.Context, f File) error {
	if f.Kind != Index || !w.record.Files[f.Path].Verified.IsZero() {
		return nil
	}
	at, found, err := w.store.stat(ctx, w.key(f.Path), nil)
	if err != nil || !found || at.UserMetadata[markField] == w.record.ID {
		return err
	}
	in, err := os.Open(w.local(f))
	if err != nil {
		return nil //nolint:nilerr // it is told when its turn comes
	}
	sum, err := hashOf(in)
	if err == nil && at.UserMetadata[sumField] != sum {
		err = errTaken
	}
	return errors.Join(err, in.Close())
}

// abort takes the parts from the store that were sent of files which are no longer to be uploaded.
func (w *sender) abort(ctx context.Context, files []File) error {
	for name, e := range w.record.Files {
		if e.Multipart == nil || slices.ContainsFunc(files, func(f File) bool { return f.Path == name }) {
			continue
		}
		if err := w.store.abort(ctx, w.key(name), e.Multipart.ID); err != nil && !gone(err) {
			return err
		}
		e.Multipart, e.Waits = nil, false
		if e.Verified.IsZero() {
			delete(w.record.Files, name)
		}
	}
	return nil
}

// absent is the cause why a file that is not here is not at the store, nil where it is.
func (w *sender) absent(ctx context.Context, f File) error {
	e := w.record.Files[f.Path]
	switch {
	case !e.Removed.IsZero(): // send asks for those
		return nil
	case f.Kind != WARC:
		return errChanged
	}
	e.Waits = true
	if !e.Verified.IsZero() {
		held, err := w.held(ctx, f.Path)
		if e.Waits = !held; held || err != nil {
			return err
		}
	}
	return errAbsent
}

// held reports that the store still has what was uploaded of a file, by its size and its mark.
func (w *sender) held(ctx context.Context, name string) (bool, error) {
	e := w.record.Files[name]
	at, found, err := w.store.stat(ctx, w.key(name), nil)
	mark := at.UserMetadata[sumField]
	return found && at.Size == e.Uploaded && (mark == "" || mark == e.SHA256), err
}

// file uploads a file, unless the store has it.
func (w *sender) file(ctx context.Context, f File) (err error) {
	in, err := os.Open(w.local(f))
	if errors.Is(err, fs.ErrNotExist) {
		return w.absent(ctx, f)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	e := w.record.Files[f.Path]
	if e.here(info) {
		held, err := w.held(ctx, f.Path)
		if e.Waits = !held; held || err != nil {
			return err
		}
		w.opt.Log.Warn("uploaded again, for the store has it no longer", "file", f.Path)
	}
	x, err := sumOf(ctx, in, info, w.opt.Part)
	if err != nil {
		return err
	}
	if err := w.replace(ctx, f, in, x); err != nil {
		if now, e := os.Stat(w.local(f)); e != nil || now.Size() != x.size ||
			!now.ModTime().Equal(info.ModTime()) {
			return fmt.Errorf("%w (%w)", errChanged, err)
		}
		return err
	}
	w.opt.Told(f, x.size)
	return nil
}

// replace puts a file to the store if that has nothing of its name, or something that the file may
// take the place of.
func (w *sender) replace(ctx context.Context, f File, in io.ReaderAt, x *sums) error {
	e, key := w.record.Files[f.Path], w.key(f.Path)
	at, found, err := w.store.stat(ctx, key, nil)
	if err != nil {
		return err
	}
	if found {
		by, err := w.store.holds(ctx, key, at, x)
		if err != nil {
			return err
		}
		if by != "" {
			e.note(x, by)
			return nil
		}
		if at.UserMetadata[markField] != w.record.ID {
			return errTaken
		}
		if err := w.former(ctx, f, at, in, x); err != nil {
			return err
		}
	}
	if err := w.put(ctx, e, key, in, x); err != nil {
		return err
	}
	if at, _, err = w.store.stat(ctx, key, x); err != nil {
		return err
	}
	by, err := w.store.holds(ctx, key, at, x)
	if err == nil && by == "" {
		err = errUnheld
	}
	if err == nil {
		e.note(x, by)
	}
	return err
}

// former makes sure that what the store has of a file is not lost by what takes its place.
func (w *sender) former(ctx context.Context, f File, at minio.ObjectInfo, in io.ReaderAt, x *sums) error {
	if at.UserMetadata[sumField] == x.whole {
		return nil // it was this file, and is damaged
	}
	switch f.Kind {
	case WARC:
		if at.Size > x.size {
			return errDiffers
		}
		begins, err := hashOf(io.NewSectionReader(in, 0, at.Size))
		if err != nil {
			return err
		}
		if begins != at.UserMetadata[sumField] {
			return errDiffers
		}
	case Index, Package:
		return w.store.copy(ctx, at, w.key(aside(f.Path, at.LastModified)))
	}
	return nil
}

// aside is the name that the former one of a file is kept under: "index.cdxj" is
// "index.before-20260304050607.cdxj".
func aside(name string, at time.Time) string {
	end := path.Ext(name)
	return strings.TrimSuffix(name, end) + ".before-" + at.UTC().Format("20060102150405") + end
}

// put sends a file, in one piece or in parts.
func (w *sender) put(ctx context.Context, e *Entry, key string, in io.ReaderAt, x *sums) error {
	if len(x.parts) <= 1 {
		w.sent += x.size
		return w.store.put(ctx, key, w.record.ID, in, x)
	}
	if err := w.resume(ctx, e, key, x); err != nil {
		return err
	}
	for i := range x.parts {
		if i < len(e.Multipart.ETags) {
			continue
		}
		tag, err := w.store.part(ctx, key, e.Multipart.ID, i, in, x)
		if gone(err) {
			e.Multipart = nil
			return errors.Join(fmt.Errorf("the store has given up what was begun: %w", err), w.save())
		}
		if err != nil {
			return err
		}
		e.Multipart.ETags = append(e.Multipart.ETags, tag)
		if err := w.save(); err != nil {
			return err
		}
	}
	err := w.store.complete(ctx, key, e.Multipart, x)
	if err != nil && gone(err) { // or an attempt whose answer was lost has completed it
		if _, found, look := w.store.stat(ctx, key, nil); look == nil && found {
			err = nil
		}
	}
	if err == nil {
		e.Multipart = nil
	}
	return err
}

// resume goes on with the parts that an earlier call has sent of the same bytes, as far as the store
// still has them one after the other, or begins.
func (w *sender) resume(ctx context.Context, e *Entry, key string, x *sums) error {
	m := e.Multipart
	if m != nil && m.SHA256 == x.whole && m.Part == x.part {
		have, err := w.store.parts(ctx, key, m.ID)
		switch {
		case err == nil:
			n := 0
			for n < len(m.ETags) && have[n+1] == m.ETags[n] {
				n++
			}
			m.ETags = m.ETags[:n]
			return nil
		case !gone(err):
			return err
		}
	} else if m != nil {
		if err := w.store.abort(ctx, key, m.ID); err != nil && !gone(err) {
			return err
		}
	}
	id, err := w.store.begin(ctx, key, w.record.ID, x)
	if err != nil {
		return err
	}
	e.Multipart = &Multipart{ID: id, Part: x.part, SHA256: x.whole}
	return w.save()
}
