package search

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"syscall"

	"modernc.org/sqlite" // a database/sql driver, in Go
	sqlite3 "modernc.org/sqlite/lib"

	"watershed/harvest"
	"watershed/internal/disk"
)

// path is the file of a harvest's index.
func path(folder harvest.Folder) string { return filepath.Join(string(folder), "search.db") }

// Index is the index of a harvest's words. It is safe for concurrent use.
type Index struct {
	folder harvest.Folder
	db     *sql.DB
}

// version is that of the tables. An index of another version is made anew.
const version = 2

// tables are those of the index. words has no texts of its own (content=”), only where each word
// stands.
const tables = `
CREATE TABLE IF NOT EXISTS captures (id INTEGER PRIMARY KEY, run TEXT NOT NULL, url TEXT NOT NULL, host ` +
	`TEXT NOT NULL, time INTEGER NOT NULL,
	mime TEXT NOT NULL, title TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS captures_run ON captures (run);
CREATE TABLE IF NOT EXISTS runs (name TEXT PRIMARY KEY, stamp TEXT NOT NULL, done INTEGER NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (title, url, text, content='', ` +
	`contentless_delete=1, tokenize="unicode61 remove_diacritics 2");
PRAGMA user_version = 2;`

// cacheKiB bounds the pages that a connection holds.
const cacheKiB = 16 << 10

// Open opens the index of a harvest to be asked. The error is ErrNoIndex where there is none.
func Open(ctx context.Context, folder harvest.Folder) (*Index, error) {
	if _, err := os.Stat(path(folder)); errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoIndex
	}
	return open(ctx, folder, "ro")
}

// open opens the file: mode is "ro" or "rwc".
func open(ctx context.Context, folder harvest.Folder, mode string) (*Index, error) {
	query := url.Values{
		"mode":    {mode},
		"_pragma": {"busy_timeout(5000)", fmt.Sprintf("cache_size(-%d)", cacheKiB), "temp_store(1)"},
	}
	if disk.Writable(string(folder)) != nil {
		query.Set("immutable", "1") // no other process writes either, and SQLite makes no files beside it
	}
	if mode == "rwc" {
		query.Add("_pragma", "journal_mode(WAL)")
		query.Add("_pragma", "synchronous(NORMAL)")
		query.Set("_txlock", "immediate")
	}
	name := (&url.URL{Scheme: "file", OmitHost: true, Path: path(folder), RawQuery: query.Encode()}).String()
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, fmt.Errorf("open the index of words: %w", err)
	}
	db.SetMaxOpenConns(2)
	x := &Index{folder: folder, db: db}
	var is int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&is); err != nil {
		return nil, errors.Join(x.wrap("open", err), db.Close())
	}
	switch {
	case is == version:
		return x, nil
	case mode == "ro":
		return nil, errors.Join(ErrNoIndex, db.Close())
	}
	if _, err := db.ExecContext(ctx,
		"DROP TABLE IF EXISTS words; DROP TABLE IF EXISTS captures; DROP TABLE IF EXISTS runs;"+
			tables); err != nil {
		return nil, errors.Join(x.wrap("make", err), db.Close())
	}
	return x, nil
}

// Close closes the file.
func (x *Index) Close() error { return x.db.Close() }

// wrap adds to an error what was being done; another process's lock has words of its own, and a full disk
// one that the system tells.
func (x *Index) wrap(doing string, err error) error {
	if code, ok := errors.AsType[*sqlite.Error](err); ok {
		switch code.Code() & 0xff {
		case sqlite3.SQLITE_BUSY:
			return errors.New("another process indexes the words of this harvest")
		case sqlite3.SQLITE_FULL:
			err = syscall.ENOSPC
		case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
			return fmt.Errorf("the index of words is damaged (delete %s: it is made anew): %w",
				path(x.folder), err)
		}
	}
	return fmt.Errorf("%s the index of words: %w", doing, err)
}
