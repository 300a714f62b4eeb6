package search

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"watershed/archive"
	"watershed/harvest"
	"watershed/holdings"
	"watershed/internal/disk"
	"watershed/page"
)

// Standing is how far the index has come.
type Standing struct {
	Documents int64 `json:"documents"` // that can be found
	Behind    int   `json:"behind"`    // runs whose captures are not, or not all, in the index
}

// Bounds of an update.
const (
	batch   = 500     // documents a transaction, a second or two of work
	maxText = 1 << 20 // bytes of a document's text; what comes after is not found
)

// Update brings the index up to the archive. progress, which may be nil, is called now and then
// with the documents that can be found. An interruption loses some hundred documents, which the
// next update adds. It is an error while another process updates. Where it is an archive.ErrEntry, lines
// of the runs' indexes are damaged, and everything else was added.
func Update(ctx context.Context, folder harvest.Folder, progress func(documents int64)) (_ Standing,
	err error,
) {
	runs, err := folder.Runs()
	if err != nil {
		return Standing{}, err
	}
	if cause := disk.Writable(string(folder)); cause != nil {
		return unwritable(ctx, folder, cause)
	}
	x, err := open(ctx, folder, "rwc")
	if err != nil {
		return Standing{}, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	reader, err := holdings.NewReader(folder)
	if err != nil {
		return Standing{}, err
	}
	var damage error
	for _, run := range runs {
		u := update{index: x, run: run, reader: reader, progress: progress}
		if err := u.do(ctx); err != nil {
			return Standing{}, err
		}
		damage = errors.Join(damage, u.damage)
	}
	s, err := x.Standing(ctx)
	return s, cmp.Or(err, damage)
}

// unwritable tells how far the index came of a harvest that lies on a medium for reading alone.
func unwritable(ctx context.Context, folder harvest.Folder, cause error) (_ Standing, err error) {
	x, err := Open(ctx, folder)
	if errors.Is(err, ErrNoIndex) {
		return Standing{}, fmt.Errorf("the index of words was not made yet, and cannot be in %s: %w; "+
			"work on a copy", folder, cause)
	}
	if err != nil {
		return Standing{}, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	return x.Standing(ctx)
}

// Standing tells how far the index has come.
func (x *Index) Standing(ctx context.Context) (s Standing, err error) {
	runs, err := x.folder.Runs()
	if err != nil {
		return s, err
	}
	if err := x.db.QueryRowContext(ctx, "SELECT count(*) FROM captures").Scan(&s.Documents); err != nil {
		return s, x.wrap("read", err)
	}
	for _, run := range runs {
		now, err := stampOf(run)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // it is not delivered
			return s, err
		}
		stamp, done, err := x.read(ctx, run)
		if err != nil {
			return s, err
		}
		if stamp != now || done >= 0 {
			s.Behind++
		}
	}
	return s, nil
}

// read gives how far the index has read a run: the stamp of the run's own index then, and how many
// of its lines were read; -1 where all were.
func (x *Index) read(ctx context.Context, run harvest.Run) (stamp string, done int64, err error) {
	err = x.db.QueryRowContext(ctx, "SELECT stamp, done FROM runs WHERE name = ?", run.Name()).Scan(&stamp,
		&done)
	if errors.Is(err, sql.ErrNoRows) {
		return "", 0, nil
	}
	if err != nil {
		return "", 0, x.wrap("read", err)
	}
	return stamp, done, nil
}

// stampOf changes when a run is delivered anew.
func stampOf(run harvest.Run) (string, error) {
	stat, err := os.Stat(run.Index())
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d %d", stat.Size(), stat.ModTime().UnixNano()), nil
}

// update adds a run.
type update struct {
	index    *Index
	run      harvest.Run
	reader   *holdings.Reader
	progress func(int64)
	stamp    string
	damage   error // the first line of the run's index that is none
}

func (u *update) do(ctx context.Context) (err error) {
	u.damage = harvest.Emptied(u.run)
	if u.stamp, err = stampOf(u.run); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	stamp, done, err := u.index.read(ctx, u.run)
	if err != nil || stamp == u.stamp && done < 0 {
		return err
	}
	if stamp != u.stamp {
		done = 0
		if err := u.forget(ctx); err != nil {
			return err
		}
	}
	f, err := os.Open(u.run.Index())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	in := archive.NewEntries(f)
	for range done {
		if _, err := u.next(in); err != nil {
			return err
		}
	}
	for done >= 0 {
		if done, err = u.batch(ctx, in, done); err != nil {
			return err
		}
	}
	return nil
}

// next is the next entry of the run's index. Damaged lines are passed over; the first one is told.
func (u *update) next(in *archive.Entries) (*archive.Entry, error) {
	for {
		e, err := in.Next()
		if !errors.Is(err, archive.ErrEntry) {
			return e, err
		}
		if u.damage == nil {
			u.damage = harvest.IndexAnew(u.run, fmt.Errorf("%s: %w", u.run.Index(), err))
		}
	}
}

// forget takes the documents of the run out of the index.
func (u *update) forget(ctx context.Context) error {
	return u.within(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx,
			"DELETE FROM words WHERE rowid IN (SELECT id FROM captures WHERE run = ?)", u.run.Name())
		if err == nil {
			_, err = tx.ExecContext(ctx, "DELETE FROM captures WHERE run = ?", u.run.Name())
		}
		if err == nil {
			err = u.note(ctx, tx, 0)
		}
		return err
	})
}

func (u *update) note(ctx context.Context, tx *sql.Tx, done int64) error {
	_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO runs (name, stamp, done) VALUES (?, ?, ?)",
		u.run.Name(), u.stamp, done)
	return err
}

// within commits all changes of do, or none of them.
func (u *update) within(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := u.index.db.BeginTx(ctx, nil)
	if err != nil {
		return u.index.wrap("write", err)
	}
	if err := do(tx); err != nil {
		_ = tx.Rollback() // the error before matters more
		return u.index.wrap("write", err)
	}
	if err := tx.Commit(); err != nil {
		return u.index.wrap("write", err)
	}
	return nil
}

// batch adds some documents, and gives how many lines of the run's index are done with, -1 for all.
func (u *update) batch(ctx context.Context, in *archive.Entries, done int64) (_ int64, err error) {
	err = u.within(ctx, func(tx *sql.Tx) error {
		for n := 0; n < batch; {
			e, err := u.next(in)
			if errors.Is(err, io.EOF) {
				done = -1
				break
			}
			if err != nil {
				return err
			}
			done++
			added, err := u.add(ctx, tx, e)
			if err != nil {
				return err
			}
			if added {
				n++
			}
		}
		return u.note(ctx, tx, done)
	})
	if err == nil && u.progress != nil {
		var documents int64
		if err := u.index.db.QueryRowContext(ctx, "SELECT count(*) FROM captures").Scan(&documents); err !=
			nil {
			return done, u.index.wrap("read", err)
		}
		u.progress(documents)
	}
	return done, err
}

// add adds a capture, if it is a document.
func (u *update) add(ctx context.Context, tx *sql.Tx, e *archive.Entry) (bool, error) {
	if e.Status != "200" || !holdings.IsPage(e.MIME) && e.MIME != "text/plain" {
		return false, nil
	}
	at, err := page.ParseURL(e.URL)
	if err != nil || at.PathQuery() == "/robots.txt" {
		return false, nil //nolint:nilerr // a text that is no URL has no page
	}
	when, err := e.Time()
	if err != nil {
		return false, nil //nolint:nilerr // nor has a line that is damaged
	}
	d, err := u.reader.Read(holdings.At(u.run, e, at, when))
	if err != nil {
		// a damaged record is not found by its words; the check of the archive tells of it
		return false, ctx.Err()
	}
	text := strings.ToValidUTF8(d.Text[:min(len(d.Text), maxText)], "")
	r, err := tx.ExecContext(ctx,
		"INSERT INTO captures (run, url, host, time, mime, title) VALUES (?, ?, ?, ?, ?, ?)",
		u.run.Name(), e.URL, hostName(at), when.Truncate(time.Second).Unix(), e.MIME, d.Says.Title)
	if err != nil {
		return false, err
	}
	id, err := r.LastInsertId()
	if err != nil {
		return false, err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO words (rowid, title, url, text) VALUES (?, ?, ?, ?)", id,
		fold(d.Says.Title), e.URL, fold(text))
	return err == nil, err
}

// hostName is the host of a URL without its port.
func hostName(u page.URL) string {
	h := string(u.Host())
	if i := strings.LastIndexByte(h, ':'); i >= 0 && !strings.HasSuffix(h, "]") {
		return h[:i]
	}
	return h
}
