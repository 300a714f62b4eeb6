package corpus

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"github.com/klauspost/compress/gzip"

	"watershed/archive"
	"watershed/internal/guard"
	"watershed/page"
)

// readIndexes takes the captures from indexes, and does not read the WARC files through. The WARC
// files that an index names are looked for among the arguments, beside the index, and in the folder
// archive beside that of the index, as harvests and packages have it.
func (c *Corpus) readIndexes(indexes []string) error {
	given := c.files
	c.files = nil
	at := map[string]int32{}
	for i := range given {
		if given[i].kind == listFile {
			c.files = append(c.files, given[i])
			continue
		}
		given[i].indexed = true
		at[given[i].name] = int32(len(c.files))
		c.files = append(c.files, given[i])
	}
	for _, p := range indexes {
		x := indexReader{c: c, path: p, at: at}
		var err error
		if fault := guard.Call(func() { err = x.read() }); fault != nil {
			err = fault
		}
		if err != nil {
			c.damaged(Damage{File: p, Offset: int64(x.line), Err: err})
		}
	}
	return nil
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
	in, err := plain(f)
	if err != nil {
		return err
	}
	entries := archive.NewEntries(in)
	for {
		e, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		x.line++
		if err != nil {
			return err // a line that is none spoils what comes after it: the reader cannot know how much
		}
		x.c.stats.Records++
		x.take(e)
	}
}

// plain reads a file that may be gzipped.
func plain(f io.Reader) (io.Reader, error) {
	in := bufio.NewReaderSize(f, 256<<10)
	// a short file is not gzipped
	if head, _ := in.Peek(2); len(head) == 2 && head[0] == 0x1F && head[1] == 0x8B {
		return gzip.NewReader(in)
	}
	return in, nil
}

// take makes an entry a capture, if it is one of a page.
func (x *indexReader) take(e *archive.Entry) {
	if method := e.Extra["method"]; method != "" && method != "GET" {
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
	x.c.add(y)
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
			x.c.files = append(x.c.files, file{path: p, name: name, kind: warcFile, indexed: true})
			return x.at[name]
		}
	}
	x.at[name] = -1
	x.c.damaged(Damage{File: name, Err: errGone})
	return -1
}
