package pdf

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"io"
	"slices"
)

// file is what was found in a PDF file.
type file struct {
	objects   map[int]value
	packed    []*stream // streams of objects, in the order of the file
	catalog   dict
	encrypted bool
	left      int64 // work that may still be done, in bytes unpacked or what costs as much
	spent     bool
	room      int // values that may still be kept
}

// maxObjects bounds the objects of a file, maxValues those and what is in their lists and dicts:
// 100 and 10 times what a long book has. Of what is beyond, nothing is known, and Text ends with
// ErrTooLarge. A value takes 16 to 100 bytes of memory.
const (
	maxObjects = 1 << 20
	maxValues  = 1 << 21
)

// scan finds the objects. Section 7.3.10.
func (f *file) scan(body []byte) {
	noEnd := false // no stream behind here has an end
	for at := 0; len(f.objects) < maxObjects; {
		i := bytes.Index(body[at:], []byte("obj"))
		if i < 0 {
			break
		}
		number, ok := numberBefore(body[:at+i])
		at += i + len("obj")
		if !ok {
			continue
		}
		v, l := f.read(body, at)
		if d, ok := v.(dict); ok {
			if raw, after, ok := f.bytesOf(body, l.at, d, &noEnd); ok {
				s := &stream{d, raw}
				if v = s; d["Type"] == name("ObjStm") {
					f.packed = append(f.packed, s)
				}
				l.at = after
			}
		}
		at = l.at
		f.put(number, v)
	}
	for _, i := range trailers(body) {
		if v, _ := f.read(body, i); f.dict(v)["Encrypt"] != nil {
			f.encrypted = true
		}
	}
}

// read reads the object at a place; the lexer stands behind it.
func (f *file) read(b []byte, at int) (value, *lexer) {
	l := &lexer{b: b, at: at, room: f.room}
	v := l.next(0)
	f.room = l.room
	return v, l
}

// trailers are the places of the last few trailers.
func trailers(body []byte) (list []int) {
	word := []byte("trailer")
	for rest := body; len(list) < 4; {
		i := bytes.LastIndex(rest, word)
		if i < 0 {
			return list
		}
		list, rest = append(list, i+len(word)), rest[:i]
	}
	return list
}

// put takes an object.
func (f *file) put(number int, v value) {
	f.objects[number] = v
	d, ok := v.(dict)
	if s, is := v.(*stream); is {
		d, ok = s.dict, true
	}
	if !ok {
		return
	}
	switch d["Type"] {
	case name("Catalog"):
		f.catalog = d
	case name("XRef"):
		f.encrypted = f.encrypted || d["Encrypt"] != nil
	}
}

// numberBefore reads "12 0 " at the end of bytes.
func numberBefore(b []byte) (int, bool) {
	digits := func() (n int, some bool) {
		for scale := 1; len(b) > 0 && b[len(b)-1] >= '0' && b[len(b)-1] <= '9' && scale < 1e9; scale *= 10 {
			n, some = n+scale*int(b[len(b)-1]-'0'), true
			b = b[:len(b)-1]
		}
		return n, some
	}
	space := func() bool {
		n := len(b)
		for len(b) > 0 && isSpace(b[len(b)-1]) && n-len(b) < 16 {
			b = b[:len(b)-1]
		}
		return len(b) < n
	}
	if !space() {
		return 0, false
	}
	if _, ok := digits(); !ok || !space() {
		return 0, false
	}
	return digits()
}

// bytesOf finds the bytes of a stream whose dict ends at a place, and the place behind them.
// Section 7.3.8.
func (f *file) bytesOf(body []byte, at int, d dict, noEnd *bool) (raw []byte, after int, ok bool) {
	l := lexer{b: body, at: at}
	l.skip()
	rest := body[l.at:]
	if !bytes.HasPrefix(rest, []byte("stream")) {
		return nil, 0, false
	}
	start := l.at + len("stream")
	switch {
	case bytes.HasPrefix(body[start:], []byte("\r\n")):
		start += 2
	case start < len(body) && (body[start] == '\n' || body[start] == '\r'):
		start++
	}
	word := []byte("endstream")
	if n, is := d["Length"].(float64); is && n >= 0 && int(n) <= len(body)-start {
		stop := start + int(n)
		if bytes.HasPrefix(bytes.TrimLeft(body[stop:min(len(body), stop+len(word)+4)], "\r\n "), word) {
			return body[start:stop], stop, true
		}
	}
	if *noEnd {
		return nil, 0, false
	}
	i := bytes.Index(body[start:], word)
	if i < 0 {
		*noEnd = true
		return body[start:], len(body), true
	}
	return body[start : start+i], start + i, true
}

// unpackObjects takes the objects that lie in streams, where none of their number is outside.
// Section 7.5.7.
func (f *file) unpackObjects() {
	inside := map[int]value{}
	for _, s := range f.packed {
		b := f.unpack(s)
		n, first := int(f.number(s.dict["N"])), int(f.number(s.dict["First"]))
		if first < 0 || first > len(b) {
			continue
		}
		head := lexer{b: b[:first]}
		for range min(n, maxObjects) {
			number, ok1 := head.next(0).(float64)
			offset, ok2 := head.next(0).(float64)
			if !ok1 || !ok2 || len(inside) > maxObjects {
				break
			}
			if at := first + int(offset); at >= first && at < len(b) {
				v, l := f.read(b, at)
				inside[int(number)] = v
				if !f.spend(l.at - at) { // several numbers may lead to one place
					break
				}
			}
		}
	}
	for number, v := range inside {
		if _, there := f.objects[number]; !there {
			f.put(number, v)
		}
	}
}

// The least that is counted for a stream that is unpacked, and for a part of a page's content, in
// bytes: what it costs beside its bytes.
const (
	streamCost = 1 << 10
	partCost   = 16
)

// spend counts work of so many bytes; false when there is none left.
func (f *file) spend(n int) bool {
	if f.left -= int64(n); f.left <= 0 {
		f.left, f.spent = 0, true
	}
	return !f.spent
}

// maxFilters bounds the filters of a stream, one on top of the other; those behind are left on.
const maxFilters = 4

// unpack decodes a stream as far as it goes; nil for one with a filter that is not text's. Section
// 7.4. A stream may give nothing for many bytes, so that these count too.
func (f *file) unpack(s *stream) []byte {
	if !f.spend(streamCost + len(s.raw)) {
		return nil
	}
	filters := f.list(s.dict["Filter"])
	if n := f.name(s.dict["Filter"]); n != "" {
		filters = list{n}
	}
	b := s.raw
	for _, filter := range filters[:min(len(filters), maxFilters)] {
		var r io.Reader
		switch f.name(filter) {
		case "FlateDecode", "Fl":
			z, err := zlib.NewReader(bytes.NewReader(b))
			if err != nil {
				return nil
			}
			r = z
		case "ASCII85Decode", "A85":
			b, _, _ = bytes.Cut(bytes.TrimPrefix(bytes.TrimSpace(b), []byte("<~")), []byte("~>"))
			r = ascii85.NewDecoder(bytes.NewReader(b))
		case "ASCIIHexDecode", "AHx":
			l := lexer{b: slices.Concat([]byte("<"), b)}
			h, _ := l.hex().(text)
			r = bytes.NewReader(h)
		default:
			return nil
		}
		limited := &io.LimitedReader{R: r, N: f.left}
		b, _ = io.ReadAll(limited) // what a broken stream gives up to its break is text, too
		if f.left = limited.N; f.left == 0 {
			f.spent = true
			return b
		}
	}
	if len(filters) == 0 {
		if int64(len(b)) > f.left {
			b, f.spent = b[:f.left], true
		}
		f.left -= int64(len(b))
	}
	return b
}

// leaf is a page with what it inherits.
type leaf struct {
	dict
	resources dict
}

// maxPages bounds the pages that are read.
const maxPages = 10_000

// pages are the pages in their order; where there is no tree of them, those that are found, by
// their numbers. Section 7.7.3.
func (f *file) pages() (found []leaf) {
	type node struct {
		v         value
		resources dict
	}
	seen := map[reference]bool{}
	open := []node{{v: f.catalog["Pages"]}}
	for len(open) > 0 && len(found) < maxPages && len(open) < maxObjects {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		if r, ok := n.v.(reference); ok {
			if seen[r] {
				continue
			}
			seen[r] = true
		}
		d := f.dict(n.v)
		if d == nil {
			continue
		}
		resources := n.resources
		if own := f.dict(d["Resources"]); own != nil {
			resources = own
		}
		kids := f.list(d["Kids"])
		if !f.spend(partCost * len(kids)) { // many nodes may have one list of kids
			break
		}
		if kids == nil {
			found = append(found, leaf{d, resources})
			continue
		}
		for _, k := range slices.Backward(kids) {
			if _, ok := k.(reference); ok { // a page is an object of its own: no page has itself for a kid
				open = append(open, node{k, resources})
			}
		}
	}
	if len(found) > 0 {
		return found
	}
	var numbers []int
	for n, v := range f.objects {
		if d, ok := v.(dict); ok && d["Type"] == name("Page") {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	for _, n := range numbers[:min(len(numbers), maxPages)] {
		d := f.dict(f.objects[n])
		found = append(found, leaf{d, f.dict(d["Resources"])})
	}
	return found
}
