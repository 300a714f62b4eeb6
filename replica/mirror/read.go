package mirror

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Sorted takes URLs in any order into memory, 16 bytes more than their text each, and gives them by
// host and path, each once, whatever their scheme. A text that is no URL, or longer than 64 KiB, is
// left out.
func Sorted(urls iter.Seq2[[]byte, error]) (iter.Seq2[[]byte, error], error) {
	type span struct {
		at         uint64 // chunk and offset
		host, size uint16 // where the host ends, and all
	}
	const chunk = 1 << 20 // text that grows as a whole is there twice for a moment
	var text [][]byte
	var list []span
	for url, err := range urls {
		if err != nil {
			return nil, err
		}
		host, _, ok := SplitURL(url)
		if !ok || len(url) > math.MaxUint16 {
			continue
		}
		if n := len(text); n == 0 || len(text[n-1])+len(url) > chunk {
			text = append(text, make([]byte, 0, chunk))
		}
		last := &text[len(text)-1]
		list = append(list, span{
			at:   uint64(len(text)-1)*chunk + uint64(len(*last)),
			host: uint16(bytes.Index(url, []byte("://")) + 3 + len(host)), size: uint16(len(url)),
		})
		*last = append(*last, url...)
	}
	whole := func(s span) []byte { return text[s.at/chunk][s.at%chunk:][:s.size] }
	host := func(s span) []byte { h, _, _ := SplitURL(whole(s)); return h }
	path := func(s span) []byte { return whole(s)[s.host:] }
	slices.SortFunc(list, func(a, b span) int {
		return cmp.Or(bytes.Compare(host(a), host(b)), bytes.Compare(path(a), path(b)))
	})
	list = slices.CompactFunc(list, func(a, b span) bool {
		return bytes.Equal(host(a), host(b)) && bytes.Equal(path(a), path(b))
	})
	return func(yield func([]byte, error) bool) {
		for _, s := range list {
			if !yield(whole(s), nil) {
				return
			}
		}
	}, nil
}

// ReadCollections reads places of collections, separated by tabs: name of the collection, host,
// anything, number of pages. Where a line of headings, which begins with "#collection", comes
// first, the columns are those that it calls collection, host and pages.
func ReadCollections(open func() (io.ReadCloser, error)) iter.Seq2[Place, error] {
	return func(yield func(Place, error) bool) {
		f, err := open()
		if err != nil {
			yield(Place{}, err)
			return
		}
		host, pages := 1, 3
		heading := func(line string) {
			if f := strings.Split(line, "\t"); f[0] == "#collection" {
				if i, j := slices.Index(f, "host"), slices.Index(f, "pages"); i > 0 && j > 0 {
					host, pages = i, j
				}
			}
		}
		stopped := false
		err = eachLine(f, 2, heading, func(f []string) string {
			if stopped || len(f) <= max(host, pages) {
				return strconv.Itoa(len(f)) + " columns are too few"
			}
			n, err := strconv.Atoi(f[pages])
			if err != nil || n < 0 {
				return "pages: " + strconv.Quote(f[pages])
			}
			stopped = !yield(Place{f[0], f[host], n}, nil)
			return ""
		})
		if err = errors.Join(err, f.Close()); err != nil && !stopped {
			yield(Place{}, err)
		}
	}
}
