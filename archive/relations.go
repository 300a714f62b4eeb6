package archive

import (
	"context"
	"errors"
	"fmt"

	"github.com/zeebo/xxh3"

	"watershed/internal/extsort"
)

// mention is that a record has an id, or names that of another. Mentions are sorted by id, file,
// role and the number of the record in its file, so that all that concerns an id comes together:
//
//	[0], [1]  the id, as a 128-bit sum
//	[2]       number of the file × 4 + role
//	[3]       number of the record in the file
//	[4]       its offset
//	[5]       sum of its header fields
//	[6]       sum of its address << 32 | sum of its date
type mention [7]uint64

// The roles of an id where it is mentioned, in the order in which they are read.
const (
	isWarcinfo    uint64 = iota // the id of a warcinfo
	isRecord                    // the id of any other record
	isConcurrent                // in WARC-Concurrent-To
	namesWarcinfo               // in WARC-Warcinfo-ID
)

func (m *mention) file() uint64 { return m[2] / 4 }
func (m *mention) role() uint64 { return m[2] % 4 }

// mention keeps that the record at hand mentions an id.
func (f *checking) mention(id string, role uint64) {
	rec := f.rec
	sum := xxh3.HashString128(id)
	_ = f.c.ids.Add(mention{ // the sort keeps its error for Finish, which is no fault of the file
		sum.Hi, sum.Lo, uint64(len(f.c.files)-1)*4 + role, uint64(f.rep.Records), uint64(rec.Offset),
		xxh3.HashString(fmt.Sprintf("%q", rec.Header)),
		xxh3.HashString(rec.TargetURI())<<32 | xxh3.HashString(rec.Header.Get(fieldDate))>>32,
	})
}

// fault is a Problem of a mention, sorted as files and their records were read: number of the file,
// number of the record, its offset, kind, number of the other file.
type fault [5]uint64

// The kinds of faults; their numbers decide the order within a record.
const (
	sharesID uint64 = iota
	lacksWarcinfo
	lacksConcurrent
	otherAddress
	otherDate
)

// faultTexts are the texts of the kinds; the first one ends with a path.
var faultTexts = [...]string{
	sharesID:        fieldID + " is that of another record, in ",
	lacksWarcinfo:   fieldWarcinfo + " names no warcinfo before it in this file",
	lacksConcurrent: fieldConcurrent + " names a record that is not in this file",
	otherAddress:    "concurrent with a record of another address",
	otherDate:       "concurrent with a record of another date",
}

// Finish ends the checks: it compares the ids of all records of the files that were checked, and
// gives a further report, which has its path and its problems only, for each file that is not as it
// should be, in the order of the files. An id is that of one record; a record of another file with
// the same header fields is a copy, as a package has them of the files beside it. A record that
// another one names has to be in the file of that one.
func (c *Checker) Finish(ctx context.Context, tell func(Report)) (err error) {
	if c.ids == nil {
		return nil
	}
	mentions, err := c.ids.Sort(ctx)
	if err != nil {
		return errors.Join(err, c.Close())
	}
	sorted, err := extsort.NewSorter(c.Spill, extsort.Options[fault]{})
	if err != nil {
		return errors.Join(err, mentions.Close())
	}
	defer func() { err = errors.Join(err, sorted.Close()) }()
	var of group
	if err := mentions.Each(ctx, func(m mention) error { return of.take(&m, sorted.Add) }); err != nil {
		return err
	}
	found, err := sorted.Sort(ctx)
	if err != nil {
		return err
	}
	var rep Report
	for err == nil && found.Next() {
		x := found.Record()
		if path := c.files[x[0]]; path != rep.File {
			if rep.File != "" {
				tell(rep)
			}
			rep = Report{File: path}
		}
		p := Problem{Offset: int64(x[2]), Warning: x[3] != sharesID, Text: faultTexts[x[3]]}
		if x[3] == sharesID {
			p.Text += c.files[x[4]]
		}
		rep.add(p)
		err = ctx.Err()
	}
	if rep.File != "" && err == nil {
		tell(rep)
	}
	return errors.Join(err, found.Err())
}

// Close removes what Check has spilled; after Finish, and when called again, it does nothing.
func (c *Checker) Close() error {
	if c.ids == nil {
		return nil
	}
	return c.ids.Close()
}

// group is what is known of an id while its mentions are read in order.
type group struct {
	last   mention // that was read
	holder mention // the last record that has the id
	known  bool    // there is a holder
	info   mention // the first warcinfo of the present file that has it
	named  bool    // there is such a warcinfo
}

// take reads a mention, and adds its fault.
func (g *group) take(m *mention, add func(fault) error) error {
	if m[0] != g.last[0] || m[1] != g.last[1] {
		*g = group{}
	} else if m.file() != g.last.file() {
		g.named = false
	}
	g.last = *m
	fail := func(kind, other uint64) error {
		return add(fault{m.file(), m[3], m[4], kind, other})
	}
	here := g.known && g.holder.file() == m.file()
	switch role := m.role(); {
	case role <= isRecord:
		other, shared := g.holder, g.known && (here || g.holder[5] != m[5])
		if role == isWarcinfo && !g.named {
			g.info, g.named = *m, true
		}
		g.holder, g.known = *m, true
		if shared {
			return fail(sharesID, other.file())
		}
	case role == namesWarcinfo:
		if !g.named || g.info[3] > m[3] {
			return fail(lacksWarcinfo, 0)
		}
	case !here:
		return fail(lacksConcurrent, 0)
	case g.holder[6]>>32 != m[6]>>32:
		return fail(otherAddress, 0)
	case g.holder[6] != m[6]:
		return fail(otherDate, 0)
	}
	return nil
}
