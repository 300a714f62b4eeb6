package archive

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// zippers lends gzip writers of one level; each costs some hundred kilobytes to make and nothing to
// use again.
type zippers struct {
	level int
	pool  sync.Pool
}

func newZippers(level int) *zippers { return &zippers{level: level} }

// member appends the draft to the spool as one gzip member and gives its length.
func (z *zippers) member(s *spool, d Draft, info string) (int64, error) {
	start := s.size
	err := z.zip(s, func(w io.Writer) error { return d.write(w, info) })
	if err != nil {
		return 0, fmt.Errorf("%s record for %s: %w", d.Type(), d.Header.Get(fieldURI), err)
	}
	return s.size - start, nil
}

// record writes a record that was read as one gzip member.
func (z *zippers) record(w io.Writer, rec *Record) error {
	return z.zip(w, func(w io.Writer) error {
		head := append([]byte(rec.Version), "\r\n"...)
		head = append(rec.Header.appendTo(head), "\r\n"...)
		if _, err := w.Write(head); err != nil {
			return err
		}
		if err := copyPooled(w, rec.Block); err != nil {
			return err
		}
		_, err := io.WriteString(w, "\r\n\r\n")
		return err
	})
}

// zip writes what fill writes as one gzip member.
func (z *zippers) zip(w io.Writer, fill func(io.Writer) error) error {
	zw, ok := z.pool.Get().(*gzip.Writer)
	if ok {
		zw.Reset(w)
	} else {
		var err error
		if zw, err = gzip.NewWriterLevel(w, z.level); err != nil {
			return err
		}
	}
	defer z.pool.Put(zw)
	return errors.Join(fill(zw), zw.Close())
}
