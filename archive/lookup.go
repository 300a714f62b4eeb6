package archive

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"os"
	"slices"
	"strings"

	"watershed/page"
)

// Index looks up captures in a sorted CDXJ file by binary search: nothing of it is held in memory,
// and a look-up reads O(log n) blocks of the file. It is safe for concurrent use.
type Index struct {
	r    io.ReaderAt
	size int64
	f    *os.File
}

// lookupBuffer is how many bytes of the file a look-up reads at a time: a dozen lines, since most keys
// have few.
const lookupBuffer = 4 << 10

// OpenIndex opens a CDXJ file.
func OpenIndex(path string) (*Index, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	stat, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Index{r: f, size: stat.Size(), f: f}, nil
}

// Close closes the file that OpenIndex opened.
func (x *Index) Close() error {
	if x.f == nil {
		return nil
	}
	return x.f.Close()
}

// URL gives the captures whose address is u, however it is spelled, in order of time: the key may
// stand for others too, which are left out. Of the digest in an AddressOf it knows nothing, as no
// index does.
func (x *Index) URL(u page.URL) iter.Seq2[*Entry, error] {
	if address, _, own := strings.Cut(string(u), digestArgument); own {
		u = page.URL(address)
	}
	return func(yield func(*Entry, error) bool) {
		for e, err := range x.Key(u.SURT()) {
			if err == nil && !e.Spells(u) {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// Key gives the entries of exactly that key, in order of time.
func (x *Index) Key(key string) iter.Seq2[*Entry, error] { return x.from(key + " ") }

// Prefix gives the entries whose key begins with prefix, in order. "org,example)" is a host,
// "org,example," its subdomains.
func (x *Index) Prefix(prefix string) iter.Seq2[*Entry, error] { return x.from(prefix) }

// from gives the lines that begin with the text. An error ends the sequence. A line that is damaged
// is passed over; where it began with the text, too, and no other line does, it is the error.
func (x *Index) from(text string) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		at, err := x.search(text)
		if err != nil {
			yield(nil, err)
			return
		}
		s := &Entries{r: bufio.NewReaderSize(io.NewSectionReader(x.r, at, x.size-at), lookupBuffer)}
		var damage error
		found := false
		for {
			e, err := s.Next()
			if errors.Is(err, ErrEntry) {
				if bytes.HasPrefix(s.text, []byte(text)) {
					damage = cmp.Or(damage, err)
				}
				continue
			}
			if err == nil && strings.HasPrefix(e.Key+" ", text) {
				if found = true; !yield(e, nil) {
					return
				}
				continue
			}
			if err == nil || errors.Is(err, io.EOF) {
				err = damage
			}
			if err != nil && !(found && errors.Is(err, ErrEntry)) {
				yield(nil, err)
			}
			return
		}
	}
}

// search finds the offset before which all lines are below text, and from which none is. Lines that
// are damaged tell nothing of the order.
func (x *Index) search(text string) (int64, error) {
	target, buf := []byte(text), make([]byte, lookupBuffer)
	low, high := int64(0), x.size // the answer begins a line in low … high
	for low < high {
		mid := low + (high-low)/2
		line, begin, end, err := x.lineAt(buf, mid, low)
		sound := ordered(line)
		for err == nil && !sound && end < high {
			line, _, end, err = x.lineAt(buf, end, end)
			sound = ordered(line)
		}
		if err != nil {
			return 0, err
		}
		if sound && bytes.Compare(line, target) < 0 {
			low = end
		} else {
			high = begin
		}
	}
	return low, nil
}

// ordered reports a line that has the form of an entry, so that it stands where its key belongs. A
// search looks at some twenty lines and reads none of them further.
func ordered(line []byte) bool {
	_, _, object, err := cutEntry(line)
	var whole json.RawMessage
	return err == nil && json.NewDecoder(bytes.NewReader(object)).Decode(&whole) == nil
}

// lineAt reads the line that has the byte at mid: it begins at begin (not before low) and the next
// one at end. It is read into buf, where that is large enough.
func (x *Index) lineAt(buf []byte, mid, low int64) (line []byte, begin, end int64, err error) {
	for reach := int64(lookupBuffer / 4); ; reach *= 2 {
		from, to := max(low, mid-reach), min(x.size, mid+reach)
		part := slices.Grow(buf[:0], int(to-from))[:to-from]
		if n, err := x.r.ReadAt(part, from); n < len(part) {
			return nil, 0, 0, err
		}
		head := bytes.LastIndexByte(part[:mid-from], '\n') + 1
		tail := bytes.IndexByte(part[mid-from:], '\n') + 1
		if (head > 0 || from == low) && (tail > 0 || to == x.size) {
			begin, end = from+int64(head), mid+int64(tail)
			if tail == 0 {
				end = to
			}
			return part[head : end-from], begin, end, nil
		}
	}
}
