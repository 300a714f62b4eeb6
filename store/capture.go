package store

import (
	"fmt"
	"iter"
	"time"

	"watershed/page"
)

// Original is a capture that later ones with the same payload may refer to.
type Original struct {
	page.Origin
	Run   Run
	Visit uint64
}

// Capture is the last capture of a URL, in whatever run: the facts that a conditional request and a
// "not modified" need.
type Capture struct {
	URL          page.URL
	Time         time.Time
	Status       int
	ETag         string
	LastModified string
	Digest       page.Digest
	Size         int64         // of the payload, also where it was not sent again
	Record       page.Location // of the response, or of the one that a revisit refers to
	Run          Run
	Visit        uint64 // where its links are
}

func (e *encoder) location(l page.Location) {
	e.text(l.File)
	e.int(l.Offset)
	e.int(l.Length)
}

func (d *decoder) location() page.Location {
	return page.Location{File: d.text(), Offset: d.int(), Length: d.int()}
}

func (e *encoder) origin(o *page.Origin) {
	e.text(string(o.URL))
	e.time(o.Time)
	e.location(o.Record)
}

func (d *decoder) origin() page.Origin {
	return page.Origin{URL: page.URL(d.text()), Time: d.time(), Record: d.location()}
}

func (d *decoder) digest() (sum page.Digest) {
	copy(sum[:], d.raw(uint64(len(sum))))
	return sum
}

// PutOriginal makes o the original of its payload, in place of any other.
func (tx *Tx) PutOriginal(payload page.Digest, o *Original) {
	var e encoder
	e.origin(&o.Origin)
	e.uint(uint64(o.Run))
	e.uint(o.Visit)
	if o.Spelled != "" {
		e.text(string(o.Spelled))
	}
	tx.hold(digestKey(payload), e.b)
}

// Original finds the capture whose payload has this digest, in any run.
func (tx *Tx) Original(payload page.Digest) (o Original, found bool, err error) {
	found, err = tx.read(digestKey(payload), func(v []byte) error {
		d := decoder{b: v}
		o = Original{Origin: d.origin(), Run: Run(d.uint()), Visit: d.uint()}
		if len(d.b) > 0 { // since format 4
			o.Spelled = page.Spelling(d.text())
		}
		return d.end()
	})
	if err != nil {
		err = damaged(fmt.Sprintf("original of %s", payload), err)
	}
	return o, found, err
}

// PutCapture makes c the last capture of its URL.
func (tx *Tx) PutCapture(c *Capture) {
	var e encoder
	e.text(string(c.URL))
	e.time(c.Time)
	e.int(int64(c.Status))
	e.text(c.ETag)
	e.text(c.LastModified)
	e.raw(c.Digest[:])
	e.int(c.Size)
	e.location(c.Record)
	e.uint(uint64(c.Run))
	e.uint(c.Visit)
	tx.hold(captureKey(c.URL.Key()), e.b)
}

// Capture finds the last capture of a URL in any run. Of two URLs with one key only the later one
// is found.
func (tx *Tx) Capture(u page.URL) (c Capture, found bool, err error) {
	found, err = tx.read(captureKey(u.Key()), func(v []byte) (err error) {
		c, err = decodeCapture(v)
		return err
	})
	if err != nil {
		return c, false, damaged(fmt.Sprintf("last capture of %s", u), err)
	}
	if c.URL != u {
		return Capture{}, false, nil
	}
	return c, found, nil
}

func decodeCapture(v []byte) (Capture, error) {
	d := decoder{b: v}
	c := Capture{
		URL: page.URL(d.text()), Time: d.time(), Status: int(d.int()), ETag: d.text(), LastModified: d.text(),
		Digest: d.digest(), Size: d.int(), Record: d.location(), Run: Run(d.uint()), Visit: d.uint(),
	}
	return c, d.end()
}

// Captures gives the last capture of each URL, in the order of their keys, in a transaction of its
// own.
func (s *Store) Captures() iter.Seq2[Capture, error] {
	decode := func(_, value []byte) (Capture, error) { return decodeCapture(value) }
	return viewed(s, func(tx *Tx) iter.Seq2[Capture, error] {
		return sequence(&tx.batch, []byte{tableCapture}, decode)
	})
}

// DeleteCapture forgets the last capture of a URL, because its record was given up.
func (tx *Tx) DeleteCapture(u page.URL) { tx.hold(captureKey(u.Key()), nil) }

// DeleteOriginal forgets the original of a payload, because its record was given up.
func (tx *Tx) DeleteOriginal(payload page.Digest) { tx.hold(digestKey(payload), nil) }
