package corpus

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"watershed/archive"
	"watershed/page"
)

// maxLine bounds a line of a link list, in bytes: two URLs of the greatest length, and some more.
const maxLine = 64 << 10

// linkKinds are the words of the third column.
var linkKinds = func() map[string]page.LinkKind {
	words := map[string]page.LinkKind{}
	for k := page.Navigation; k <= page.Form; k++ {
		words[k.String()] = k
	}
	return words
}()

// feedList hands out the pages of a link list: lines that stand together and have one source are
// one page. A damaged list is read to the damage.
func (c *Corpus) feedList(f *file, emit func(func() *Page) error) (err error) {
	in, err := os.Open(f.Path)
	if err != nil {
		c.damaged(Damage{File: f.Path, Err: err})
		return nil
	}
	defer in.Close() //nolint:errcheck // it was only read
	r := listReader{c: c, f: f}
	text, err := archive.Unpack(in)
	if err == nil {
		err = r.read(text, emit)
	}
	if stop, ok := errors.AsType[*stopped](err); ok {
		return stop.err
	}
	if err != nil {
		c.damaged(Damage{File: f.Path, Offset: int64(r.line), Err: err})
	}
	return nil
}

// stopped is an error that is not the list's.
type stopped struct{ err error }

func (s *stopped) Error() string { return s.err.Error() }

type listReader struct {
	c    *Corpus
	f    *file
	line int
	text string // of the source, as it stands
	page *Page
}

func (r *listReader) read(in io.Reader, emit func(func() *Page) error) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, maxLine), maxLine)
	for lines.Scan() {
		r.line++
		if err := r.take(lines.Bytes(), emit); err != nil {
			return err
		}
	}
	return errors.Join(lines.Err(), r.flush(emit))
}

// take reads a line: a source, and perhaps a target and a kind. Lines that begin with "#" are
// remarks.
func (r *listReader) take(line []byte, emit func(func() *Page) error) error {
	fields := bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == '\r' })
	n := len(fields)
	if n == 0 || fields[0][0] == '#' {
		return nil
	}
	if r.page == nil || r.text != string(fields[0]) {
		u, err := page.ParseURL(string(fields[0]))
		if err != nil {
			r.bad(err)
			return nil
		}
		if r.page == nil || r.page.URL != u || len(r.page.Links) >= mostLinks {
			if err := r.flush(emit); err != nil {
				return err
			}
			r.page = &Page{Path: r.f.Path, Listed: true}
			r.page.URL, r.page.Status = u, 200
		}
		r.text = string(fields[0])
	}
	if n == 1 {
		return nil
	}
	l := page.Link{Kind: page.Navigation}
	var err error
	if n > 2 {
		if l.Kind = linkKinds[string(fields[2])]; l.Kind == 0 {
			r.bad(fmt.Errorf("link kind %q", fields[2]))
			return nil
		}
	}
	if l.URL, err = page.ParseURL(string(fields[1])); err != nil {
		return nil // mailto and the like: a link, but none to a page
	}
	r.page.Links = append(r.page.Links, l)
	return nil
}

// mostLinks bounds the links of a page that are held at once.
const mostLinks = 1 << 16

// flush hands out the page at hand.
func (r *listReader) flush(emit func(func() *Page) error) error {
	p := r.page
	if p == nil {
		return nil
	}
	r.page = nil
	if err := emit(func() *Page { return p }); err != nil {
		return &stopped{err}
	}
	return nil
}

func (r *listReader) bad(err error) {
	r.c.damaged(Damage{File: r.f.Path, Offset: int64(r.line), Err: err})
}
