package upload

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// errNotWhole says that not all files of a run are at the store, so that none is removed here.
var errNotWhole = errors.New("nothing is removed: not all files are at the store")

// Remove removes WARC files and packages of a folder that are uploaded: each is read again, the
// store is asked again whether it holds these bytes, and the record on disk says so first. Where
// one is not as the store has it, it stays, and the error says so.
func Remove(ctx context.Context, dir string, files []File, o Options) (removed int, err error) {
	err = withSender(dir, files, o, func(w *sender) error {
		if !w.record.Sum().Whole() {
			return errNotWhole
		}
		var failed []error
		for _, f := range files {
			if f.Kind != WARC && f.Kind != Package || ctx.Err() != nil {
				continue
			}
			switch err := w.remove(ctx, f); {
			case err == nil:
				removed++
			case !errors.Is(err, fs.ErrNotExist):
				failed = append(failed, fmt.Errorf("remove %s: %w", f.Path, err))
			}
		}
		return errors.Join(append(failed, ctx.Err())...)
	})
	return removed, err
}

func (w *sender) remove(ctx context.Context, f File) error {
	x, err := w.read(ctx, f)
	if err != nil {
		return err
	}
	e := w.record.Files[f.Path]
	if x.whole != e.SHA256 {
		return fmt.Errorf("it stays: %w", errDiffers)
	}
	at, found, err := w.store.stat(ctx, w.key(f.Path), nil)
	if err != nil {
		return fmt.Errorf("it stays: %w", err)
	}
	by := ""
	if found {
		if by, err = w.store.holds(ctx, w.key(f.Path), at, x); err != nil {
			return fmt.Errorf("it stays: %w", err)
		}
	}
	if by == "" {
		e.Waits, e.Verified = true, time.Time{}
		return errors.Join(w.save(),
			errors.New("it stays: the store no longer has it; the next upload brings it there"))
	}
	e.note(x, by)
	e.Removed = e.Verified
	if err := w.save(); err != nil {
		return err
	}
	if now, err := os.Stat(w.local(f)); err != nil || !e.here(now) {
		e.Removed = time.Time{}
		return errors.Join(errChanged, err, w.save())
	}
	if err := w.opt.Disk.Remove(w.local(f)); err != nil {
		return err
	}
	return w.opt.Disk.SyncDir(filepath.Dir(w.local(f)))
}

// read gives the sums of a file as it is now.
func (w *sender) read(ctx context.Context, f File) (x *sums, err error) {
	in, err := os.Open(w.local(f))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", f.Path, fs.ErrInvalid)
	}
	return sumOf(ctx, in, info, w.opt.Part)
}
