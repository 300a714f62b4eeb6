package archive

import (
	"fmt"

	"github.com/zeebo/xxh3"
)

// related is a record as others of its file may name it, and what its naming another asks of that.
type related struct {
	offset    int64
	uri, date uint64 // sums of its address and its date
	warcinfo  bool
}

// naming is that a record names another one as concurrent.
type naming struct {
	by related
	id xxh3.Uint128
}

// relations are the ids of a file's records, by their sums, and the names that wait for the end of the
// file. They take some 100 bytes a record.
type relations struct {
	known map[xxh3.Uint128]related
	named []naming
}

// mostRelated is of how many records and names of a file the relations are looked at: a file of a
// gigabyte has some hundred thousand, a hostile one of a megabyte may have millions.
const mostRelated = 4 << 20

// full reports that the file has more.
func (r *relations) full() bool { return len(r.known)+len(r.named) >= mostRelated }

// identity checks the form of the record's id, that no record before it in the file has it, and that a
// warcinfo that it names stands there.
func (f *checking) identity() {
	rec, id := f.rec, f.rec.ID()
	if !idForm.MatchString(id) {
		f.problem(false, "%s %q is no URI in angle brackets", fieldID, id)
		return
	}
	if f.full() {
		return
	}
	here := related{
		rec.Offset, xxh3.HashString(rec.TargetURI()), xxh3.HashString(rec.Header.Get(fieldDate)),
		rec.Type() == TypeWarcinfo,
	}
	key := xxh3.HashString128(id)
	if other, shared := f.known[key]; shared {
		f.problem(false, "%s is that of another record, at %d", fieldID, other.offset)
	}
	f.known[key] = here
	for _, target := range rec.Header.All(fieldConcurrent) {
		f.named = append(f.named, naming{here, xxh3.HashString128(target)})
	}
	if info := rec.Header.Get(fieldWarcinfo); info != "" && !f.known[xxh3.HashString128(info)].warcinfo {
		f.problem(true, "%s names no warcinfo before it in this file", fieldWarcinfo)
	}
}

// concurrent checks, at the end of the file, that each record that another one names is there, with its
// address and its date.
func (f *checking) concurrent() {
	if f.full() {
		f.rep.add(Problem{Offset: -1, Warning: true, Text: fmt.Sprintf("more than %d records: how they name "+
			"each other was not looked at", mostRelated/2)})
		return
	}
	for _, n := range f.named {
		text := ""
		switch to, there := f.known[n.id]; {
		case !there:
			text = fieldConcurrent + " names a record that is not in this file"
		case to.uri != n.by.uri:
			text = "concurrent with a record of another address"
		case to.date != n.by.date:
			text = "concurrent with a record of another date"
		default:
			continue
		}
		f.rep.add(Problem{Offset: n.by.offset, Text: text, Warning: true})
	}
}
