package upload

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"watershed/internal/disk"
)

// RecordName is the name of a record in a run's folder.
const RecordName = "upload.json"

// Record says how far the upload of a run has come. No secret is in it.
type Record struct {
	ID     string            `json:"id"` // is a mark of the objects that were put by it
	Store  string            `json:"store"`
	Bucket string            `json:"bucket"`
	Prefix string            `json:"prefix"`
	Time   time.Time         `json:"time"`            // of the last attempt
	Error  string            `json:"error,omitempty"` // by which that ended
	Files  map[string]*Entry `json:"files"`           // by their paths below the run's folder
}

// Entry is a file of a record. Its size and SHA-256 are those of the object at the store once it is
// verified.
type Entry struct {
	Size      int64      `json:"size"`               // as it is here
	Waits     bool       `json:"waits,omitempty"`    // what is here is not at the store yet
	Uploaded  int64      `json:"uploaded,omitempty"` // bytes of the object
	SHA256    string     `json:"sha256,omitempty"`
	Modified  time.Time  `json:"modified,omitzero"` // the file, as it was read
	Verified  time.Time  `json:"verified,omitzero"`
	By        string     `json:"by,omitempty"` // "checksum" or "reading"
	Removed   time.Time  `json:"removed,omitzero"`
	Multipart *Multipart `json:"multipart,omitempty"`
}

// Multipart is an upload in parts that has begun.
type Multipart struct {
	ID     string   `json:"id"`
	Part   int64    `json:"part"`   // bytes of a part
	SHA256 string   `json:"sha256"` // of the file
	ETags  []string `json:"etags"`  // of the parts that arrived, the first ones of the file
}

// here reports that the file as it is now was uploaded.
func (e *Entry) here(info fs.FileInfo) bool {
	return !e.Verified.IsZero() && info.Size() == e.Uploaded && info.ModTime().Equal(e.Modified)
}

// note says that the store holds what was read.
func (e *Entry) note(x *sums, by string) {
	*e = Entry{
		Size: x.size, Uploaded: x.size, SHA256: x.whole, Modified: x.modified,
		Verified: time.Now().UTC().Truncate(time.Second), By: by,
	}
}

// Read is the record in a run's folder, nil where it has none.
func Read(dir string) (*Record, error) {
	text, err := os.ReadFile(filepath.Join(dir, RecordName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the record of the upload: %w", err)
	}
	r := &Record{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w: move it away, and the next upload compares all files with the "+
			"store", filepath.Join(dir, RecordName), err)
	}
	if r.Files == nil {
		r.Files = map[string]*Entry{}
	}
	for name, e := range r.Files {
		if e == nil {
			r.Files[name] = &Entry{}
		}
	}
	return r, nil
}

func (r *Record) write(d disk.FS, dir string) error {
	return disk.WriteFile(d, filepath.Join(dir, RecordName), 0o644, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(r)
	})
}

// Place is where the files lie.
func (r *Record) Place() string { return r.Store + "/" + path.Join(r.Bucket, r.Prefix) }

// Sum is how far an upload has come. Its JSON is part of what commands answer.
type Sum struct {
	Place   string    `json:"place"`
	Time    time.Time `json:"time"` // of the last attempt
	Files   int       `json:"files"`
	Bytes   int64     `json:"bytes"`
	Done    int       `json:"done"` // files that the store has, verified
	Had     int64     `json:"had"`  // bytes of these, and of parts of others
	Removed int       `json:"removed"`
	Error   string    `json:"error,omitempty"` // by which the last attempt ended
}

// Sum counts the record's files.
func (r *Record) Sum() Sum {
	s := Sum{Place: r.Place(), Time: r.Time, Files: len(r.Files), Error: r.Error}
	for _, e := range r.Files {
		s.Bytes += e.Size
		switch {
		case !e.Waits && !e.Verified.IsZero():
			s.Done++
			s.Had += e.Size
		case e.Multipart != nil:
			s.Had += int64(len(e.Multipart.ETags)) * e.Multipart.Part
		}
		if !e.Removed.IsZero() {
			s.Removed++
		}
	}
	return s
}

// Whole reports that the store has every file.
func (s Sum) Whole() bool { return s.Done == s.Files }

// String is a line for people.
func (s Sum) String() string {
	text := fmt.Sprintf("%d of %d files, %d of %d bytes, at %s", s.Done, s.Files, min(s.Had, s.Bytes),
		s.Bytes, s.Place)
	if s.Removed > 0 {
		text += fmt.Sprintf("; %d removed here", s.Removed)
	}
	if s.Error != "" {
		text += fmt.Sprintf("; stopped at %s UTC: %s", s.Time.UTC().Format(time.DateTime), s.Error)
	}
	return text
}
