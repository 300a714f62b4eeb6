package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"unsafe"

	"github.com/dgraph-io/badger/v4"

	"watershed/page"
)

// partBytes is the size beyond which the links of a visit go on in another part. Small enough that
// many parts fit one Badger transaction and none reaches its value log, large enough that nearly
// all pages have one part.
const partBytes = 128 << 10

// maxPart is what a part may reach when a single field is huge.
const maxPart = 768 << 10

// PutVisit appends v to the visits of the run and gives it the next sequence number of the harvest.
func (tx *Tx) PutVisit(run Run, v *page.Visit) error {
	v.Seq = tx.seq + 1
	if err := tx.putParts(run, v, false); err != nil {
		return err
	}
	tx.seq = v.Seq
	return nil
}

// AmendVisit writes a visit of the run anew, under the number that it has: a browser has drawn the
// page since. Parts beyond the first may be on disk before it, and one process may die in between:
// so they have other numbers than those of the visit that is there until then, and these go with it.
func (tx *Tx) AmendVisit(run Run, v *page.Visit) error {
	var former span
	_, err := tx.read(visitKey(run, v.Seq, 0), func(b []byte) (err error) {
		former, err = new(visitReader).head(b, new(page.Visit))
		return err
	})
	if err != nil {
		return damaged(fmt.Sprintf("visit %d of run %d", v.Seq, run), err)
	}
	for i := 1; i < former.parts; i++ {
		tx.hold(visitKey(run, v.Seq, former.key(i)), nil)
	}
	return tx.putParts(run, v, former.parts > 1 && !former.upper)
}

// putParts writes the first part last.
func (tx *Tx) putParts(run Run, v *page.Visit, upper bool) error {
	for i, part := range encodeVisit(v, partBytes, upper) {
		if len(part) > maxPart {
			return tooLarge("visit of "+string(v.URL), len(part), maxPart)
		}
		part = pack(part)
		key := visitKey(run, v.Seq, span{upper: upper}.key(i))
		if i == 0 {
			tx.hold(key, part)
			continue
		}
		if err := tx.group(1, len(key)+len(part)); err != nil {
			return err
		}
		if err := tx.write(key, part); err != nil {
			return err
		}
	}
	return nil
}

// Visit finds a visit by its number.
func (tx *Tx) Visit(run Run, seq uint64) (v page.Visit, found bool, err error) {
	var at span
	r := visitReader{links: true}
	found, err = tx.read(visitKey(run, seq, 0), func(b []byte) (err error) {
		at, err = r.head(b, &v)
		return err
	})
	v.Seq = seq
	for i := 1; i < at.parts && err == nil; i++ {
		var more bool
		more, err = tx.read(visitKey(run, seq, at.key(i)), func(b []byte) (err error) {
			return r.more(b, &v)
		})
		if err == nil && !more {
			err = fmt.Errorf("part %d of %d is not there", i, at.parts)
		}
	}
	if err != nil {
		err = damaged(fmt.Sprintf("visit %d of run %d", seq, run), err)
	}
	return v, found, err
}

// visitReader reads the parts of visits, one after the other, through its buffers.
type visitReader struct {
	links bool // are wanted
	lent  bool // the visit and its texts are good until the next one only

	visit   page.Visit
	buf     []byte // of one that is lent what is behind the texts of visits before
	sketch  []byte // of a visit that is lent
	reading linkReader
	found   []page.Link // of the first part, until their number is known
}

// next gives room for a visit.
func (r *visitReader) next() *page.Visit {
	if r.lent {
		return &r.visit
	}
	return new(page.Visit)
}

// unpack readies a part for reading.
func (r *visitReader) unpack(b []byte) (d decoder, err error) {
	part, err := unpack(b, r.buf)
	d.b = part
	switch packed := err == nil && b[0] == packedS2; {
	case packed && r.lent: // nothing writes to it again
		d.whole = unsafe.String(unsafe.SliceData(part), len(part))
		if len(part) <= cap(r.buf) {
			r.buf = r.buf[len(part):len(part):cap(r.buf)]
		}
		if cap(r.buf) < lentBytes/16 {
			r.buf = make([]byte, 0, lentBytes)
		}
	case packed:
		r.buf = part[:0]
	case r.lent: // it is part of b
		d.whole = string(part)
	}
	return d, err
}

// lentBytes is the room for the texts of some hundred visits that are lent.
const lentBytes = 256 << 10

// head reads a first part into v, and tells where the others are.
func (r *visitReader) head(b []byte, v *page.Visit) (at span, err error) {
	d, err := r.unpack(b)
	if err != nil {
		return span{}, err
	}
	links := v.Links[:0]
	at, err = decodeVisit(&d, v)
	if r.lent && v.Sketch != nil {
		r.sketch = append(r.sketch[:0], v.Sketch...)
		v.Sketch = r.sketch
	} else {
		v.Sketch = bytes.Clone(v.Sketch)
	}
	if err == nil && r.links {
		r.found, err = r.reading.read(&d, v.URL, r.found[:0])
		v.Links = append(links, r.found...)
	}
	return at, err
}

// more reads a further part into v.
func (r *visitReader) more(b []byte, v *page.Visit) error {
	if !r.links {
		return nil
	}
	d, err := r.unpack(b)
	if err == nil {
		v.Links, err = r.reading.read(&d, v.URL, v.Links)
	}
	return err
}

// Visits gives the visits of a run in the order of their commitment, from a number on.
func (tx *Tx) Visits(run Run, from uint64) iter.Seq2[*page.Visit, error] {
	return tx.visits(run, from, visitReader{links: true})
}

// Lent is Visits for those who keep nothing: a visit and its links are good until the next one is
// asked for, and a text that is kept is to be cloned, as it keeps all texts of its visit in memory.
// It takes a third of the time.
func (tx *Tx) Lent(run Run, from uint64) iter.Seq2[*page.Visit, error] {
	return tx.visits(run, from, visitReader{links: true, lent: true})
}

// Heads is Visits without their links, which are most of what a visit is, for those who do not ask
// for them.
func (tx *Tx) Heads(run Run, from uint64) iter.Seq2[*page.Visit, error] {
	return tx.visits(run, from, visitReader{})
}

func (tx *Tx) visits(run Run, from uint64, r visitReader) iter.Seq2[*page.Visit, error] {
	return func(yield func(*page.Visit, error) bool) {
		var v *page.Visit // whose parts are being read
		var at span
		next := 0
		lacking := func() error {
			return damaged(fmt.Sprintf("visit %d", v.Seq),
				fmt.Errorf("part %d of %d is not there", next, at.parts))
		}
		stopped := false
		give := func() bool {
			stopped = !yield(v, nil)
			v = nil
			return !stopped
		}
		err := tx.scan(runKey(tableVisit, run, 0), visitKey(run, from, 0), true,
			func(key, value []byte) (bool, error) {
				if len(key) != 15 {
					return false, damaged(fmt.Sprintf("visit key %x", key), errShort)
				}
				seq, part := binary.BigEndian.Uint64(key[5:]), binary.BigEndian.Uint16(key[13:])
				if part == 0 {
					if v != nil {
						return false, lacking()
					}
					whole := r.next()
					var err error
					at, err = r.head(value, whole)
					if err != nil {
						return false, damaged(fmt.Sprintf("visit %d", seq), err)
					}
					whole.Seq = seq
					v, next = whole, 1
				} else if v == nil || seq != v.Seq || part != at.key(next) {
					return true, nil // left by a transaction that was never finished
				} else {
					if err := r.more(value, v); err != nil {
						return false, damaged(fmt.Sprintf("visit %d part %d", seq, part), err)
					}
					next++
				}
				if next == max(at.parts, 1) {
					return give(), nil
				}
				return true, nil
			})
		if err == nil && v != nil && !stopped {
			err = lacking()
		}
		if err != nil && !stopped {
			yield(nil, err)
		}
	}
}

// Visits is Tx.Visits in a transaction of its own.
func (s *Store) Visits(run Run, from uint64) iter.Seq2[*page.Visit, error] {
	return viewed(s, func(tx *Tx) iter.Seq2[*page.Visit, error] { return tx.Visits(run, from) })
}

// Lent is Tx.Lent in a transaction of its own.
func (s *Store) Lent(run Run, from uint64) iter.Seq2[*page.Visit, error] {
	return viewed(s, func(tx *Tx) iter.Seq2[*page.Visit, error] { return tx.Lent(run, from) })
}

// Heads is Tx.Heads in a transaction of its own.
func (s *Store) Heads(run Run, from uint64) iter.Seq2[*page.Visit, error] {
	return viewed(s, func(tx *Tx) iter.Seq2[*page.Visit, error] { return tx.Heads(run, from) })
}

// lastSeq finds the highest number of a whole visit.
func (tx *Tx) lastSeq() (uint64, error) {
	o := badger.DefaultIteratorOptions
	o.Reverse, o.PrefetchValues = true, false
	it := tx.txn.NewIterator(o)
	defer it.Close()
	last := uint64(0)
	for it.Seek([]byte{tableVisit + 1}); it.Valid(); it.Next() {
		key := it.Item().Key()
		if key[0] > tableVisit {
			continue
		}
		if key[0] < tableVisit {
			break
		}
		if len(key) != 15 {
			return 0, errors.New("visit key of another length")
		}
		if binary.BigEndian.Uint16(key[13:]) == 0 {
			last = binary.BigEndian.Uint64(key[5:])
			break
		}
	}
	return last, nil
}
