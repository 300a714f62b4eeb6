package sitemap

import (
	"cmp"
	"iter"
	"slices"

	"watershed/page"
)

// Members are pages of a site by URL, each once, packed: some 40 bytes a page, where a Member takes
// 80 and its URL. Members are unpacked when they are asked for. A copy of the value is the same
// list.
type Members struct {
	urls   packed
	rows   [][]memberRow // of packedChunkLen each
	asides []memberAside // by index
}

// memberRow has the fields that each member has.
type memberRow struct {
	block int32
	scale uint32
	why   Why
	state uint8 // 1 + index in memberStates, 0 for one that stands aside
}

var memberStates = [...]string{"fetched", "known", "redirect", "skipped", "failed"}

// memberAside has the fields that few members have.
type memberAside struct {
	index       int
	state, note string
}

// MembersOf packs a list, in whatever order, which it sorts. Of members with one URL one stays.
func MembersOf(list ...Member) (m Members) {
	slices.SortFunc(list, func(a, b Member) int { return cmp.Compare(a.URL, b.URL) })
	for i := range list {
		m.add([]byte(list[i].URL), &list[i])
	}
	return m
}

// add appends a member, whose URL is text. A member that is not greater than the last one is left
// out, and ok is false.
func (m *Members) add(text []byte, x *Member) (ok bool) {
	i := m.urls.n
	if !m.urls.add(text) {
		return false
	}
	if i%packedChunkLen == 0 {
		m.rows = append(m.rows, nil)
	}
	row := memberRow{
		int32(x.Block), uint32(x.Scale), x.Why,
		uint8(1 + slices.Index(memberStates[:], x.State)),
	}
	last := &m.rows[len(m.rows)-1]
	*last = append(*last, row)
	switch {
	case row.state == 0:
		m.asides = append(m.asides, memberAside{i, x.State, x.Note})
	case x.Note != "":
		m.asides = append(m.asides, memberAside{i, memberStates[row.state-1], x.Note})
	}
	return true
}

// Len is the number of members.
func (m Members) Len() int { return m.urls.n }

// At gives the member of an index. It costs an allocation, and O(log members) for one that has a
// note.
func (m Members) At(i int) Member {
	return m.member(i, page.URL(m.urls.get(i)), m.aside(i))
}

// aside is the index of the first of the asides that is not before a member.
func (m *Members) aside(i int) int {
	k, _ := slices.BinarySearchFunc(m.asides, i, func(a memberAside, i int) int { return a.index - i })
	return k
}

// member puts a member together; k is the index of the first of the asides that is not before it.
func (m *Members) member(i int, u page.URL, k int) Member {
	row := &m.rows[i/packedChunkLen][i%packedChunkLen]
	x := Member{URL: u, Why: row.why, Block: int(row.block), Scale: int(row.scale)}
	if row.state > 0 {
		x.State = memberStates[row.state-1]
	}
	if k < len(m.asides) && m.asides[k].index == i {
		x.State, x.Note = m.asides[k].state, m.asides[k].note
	}
	return x
}

// All calls yield with each member and its index, in the order of URLs. It costs an allocation
// each.
func (m Members) All() iter.Seq2[int, Member] { return m.From("") }

// From is All without the members whose URLs are less than a text.
func (m Members) From(least string) iter.Seq2[int, Member] {
	return func(yield func(int, Member) bool) {
		first, _ := m.urls.search(least)
		k := m.aside(first)
		for r := m.urls.from(first); r.next(); {
			x := m.member(r.i-1, page.URL(r.text), k)
			for k < len(m.asides) && m.asides[k].index < r.i {
				k++
			}
			if !yield(r.i-1, x) {
				return
			}
		}
	}
}

// Find gives the index of a page, ok is false where it is none of them. It costs O(log members).
func (m Members) Find(u page.URL) (i int, ok bool) { return m.urls.search(string(u)) }

// Scale tells from which scale on a page is one of them. It costs O(log members).
func (m Members) Scale(u page.URL) (scale int, ok bool) {
	i, ok := m.Find(u)
	if ok {
		scale = int(m.rows[i/packedChunkLen][i%packedChunkLen].scale)
	}
	return scale, ok
}

// Has reports a member.
func (m Members) Has(u page.URL) bool {
	_, ok := m.Find(u)
	return ok
}

// Fetched is how many of them are fetched.
func (m Members) Fetched() (n int) {
	for _, rows := range m.rows {
		for i := range rows {
			n += b2i(rows[i].state == 1)
		}
	}
	return n
}

// renumber changes the block of each member.
func (m *Members) renumber(block func(int) int) {
	for _, rows := range m.rows {
		for i := range rows {
			rows[i].block = int32(block(int(rows[i].block)))
		}
	}
}

// Equal reports that two lists have the same members.
func (m Members) Equal(other Members) bool {
	if m.Len() != other.Len() {
		return false
	}
	for i, x := range m.All() {
		if x != other.At(i) {
			return false
		}
	}
	return true
}

// read reads a list, in whatever order; in that of URLs it takes no memory beside what it keeps.
func (m *Members) read(in *mapReader) error {
	*m = Members{}
	var late []Member // that come after one with a greater URL
	var text []byte
	err := readList(in, memberField, func(x Member) {
		x.URL, _ = page.Spelling(x.URL).URL()
		if text = append(text[:0], x.URL...); !m.add(text, &x) {
			late = append(late, x)
		}
	})
	if len(late) > 0 {
		for _, x := range m.All() {
			late = append(late, x)
		}
		*m = MembersOf(late...)
	}
	return err
}
