package corpus

import (
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"watershed/archive"
	"watershed/internal/guard"
	"watershed/page"
)

// readIndexes takes the captures from indexes, and does not read the WARC files through. The WARC
// files that an index names are looked for among the arguments, beside the index, and in the folder
// archive beside that of the index, as harvests and packages have it.
func (c *Corpus) readIndexes(indexes []string) {
	given := c.files
	c.files = nil
	at := map[string]int32{}
	for i := range given {
		if given[i].Format == archive.FormatLinks {
			c.files = append(c.files, given[i])
			continue
		}
		given[i].indexed = true
		at[given[i].Name] = int32(len(c.files))
		c.files = append(c.files, given[i])
	}
	for _, p := range indexes {
		x := indexReader{c: c, path: p, at: at}
		if err := guard.Try(x.read); err != nil {
			c.damaged(Damage{File: p, Offset: int64(x.line), Err: err})
		}
	}
}

type indexReader struct {
	c    *Corpus
	path string
	at   map[string]int32 // file by base name, -1 for one that is not there
	line int
}

func (x *indexReader) read() (err error) {
	f, err := os.Open(x.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	entries, err := archive.IndexLines(f)
	if err != nil {
		return err
	}
	for {
		e, err := entries.Next()
		x.line = entries.Line()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, archive.ErrEntry):
			x.c.damaged(Damage{File: x.path, Offset: int64(x.line), Err: err})
		case err != nil:
			return err
		default:
			x.c.stats.Records++
			x.take(e)
		}
	}
}

// take makes an entry a capture, if it is one of a page.
func (x *indexReader) take(e *archive.Entry) {
	if method := e.Extra["method"]; method != "" && method != "GET" ||
		strings.Contains(e.Key, archive.MethodArgument) {
		return
	}
	u, err := page.ParseURL(e.URL)
	if err != nil {
		return // a DNS answer, a text or picture under a urn
	}
	k := x.file(e.File)
	if k < 0 {
		return
	}
	status, _ := strconv.Atoi(e.Status) // "-" and "" are no HTTP status
	y := capture{
		key: u.Key(), payload: digestKey(e.Digest), offset: e.Offset, length: e.Length, origin: -1,
		file: k, status: int16(status), revisit: e.MIME == archive.MIMERevisit,
	}
	if t, err := e.Time(); err == nil {
		y.time = t.UnixNano()
	}
	if status == 0 && !y.revisit {
		y.status = 200 // a resource
	}
	if y.length == 0 { // CDX of 9 columns tells none
		y.length = x.rest(k, y.offset)
	}
	x.c.add(y)
}

// rest is the number of bytes from an offset to the end of a file, where that can be told.
func (x *indexReader) rest(k int32, offset int64) int64 {
	f := &x.c.files[k]
	if f.Package != nil {
		return 0
	}
	stat, err := os.Stat(f.Path)
	if err != nil {
		return 0 // told where the record is read
	}
	return max(0, stat.Size()-offset)
}

// file finds a WARC file by the name in an index.
func (x *indexReader) file(name string) int32 {
	name = path.Base(filepath.ToSlash(name))
	if k, ok := x.at[name]; ok {
		return k
	}
	dir := filepath.Dir(x.path)
	for _, p := range []string{filepath.Join(dir, name), filepath.Join(dir, "..", "archive", name)} {
		if stat, err := os.Stat(p); err == nil && !stat.IsDir() {
			x.at[name] = int32(len(x.c.files))
			x.c.files = append(x.c.files, file{Source: archive.Source{Path: p, Name: name}, indexed: true})
			return x.at[name]
		}
	}
	x.at[name] = -1
	x.c.damaged(Damage{File: name, Err: errors.New("file of the index is not found")})
	return -1
}
