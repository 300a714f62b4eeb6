package mirror

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// maxLine bounds a line of a list, in bytes: two URLs of 16 KiB and what stands between.
const maxLine = 1 << 16

// ReadURLs reads a list of URLs, one a line, as it is. open is called each time the list is gone
// through.
func ReadURLs(open func() (io.ReadCloser, error)) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		lines(open, func(line []byte) bool { return yield(line, nil) }, func(err error) { yield(nil, err) })
	}
}

// SortURLs reads a list of URLs in any order into memory, and gives them by host and path, each
// once, whatever their scheme.
func SortURLs(open func() (io.ReadCloser, error)) (iter.Seq2[[]byte, error], error) {
	return Sorted(ReadURLs(open))
}

// Sorted takes URLs in any order into memory, about 40 bytes more than their text each, and gives
// them by host and path, each once, whatever their scheme. A text that is no URL is left out.
func Sorted(urls iter.Seq2[[]byte, error]) (iter.Seq2[[]byte, error], error) {
	type span struct{ from, host, to int }
	var text []byte
	var list []span
	for url, err := range urls {
		if err != nil {
			return nil, err
		}
		if host, _, ok := SplitURL(url); ok {
			at := len(text)
			text = append(text, url...)
			list = append(list, span{at, at + bytes.Index(url, []byte("://")) + 3 + len(host), at + len(url)})
		}
	}
	host := func(s span) []byte { h, _, _ := SplitURL(text[s.from:s.to]); return h }
	path := func(s span) []byte { return text[s.host:s.to] }
	slices.SortFunc(list, func(a, b span) int {
		return cmp.Or(bytes.Compare(host(a), host(b)), bytes.Compare(path(a), path(b)))
	})
	list = slices.CompactFunc(list, func(a, b span) bool {
		return bytes.Equal(host(a), host(b)) && bytes.Equal(path(a), path(b))
	})
	return func(yield func([]byte, error) bool) {
		for _, s := range list {
			if !yield(text[s.from:s.to], nil) {
				return
			}
		}
	}, nil
}

// ReadLinks reads a list of links: two absolute URLs a line, separated by a tab. Of further
// columns, the first is the kind of the link; of lines that have one, those of kind "a", "n", "f"
// and "m" are read: links between pages.
func ReadLinks(open func() (io.ReadCloser, error)) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		n := 0
		lines(open, func(line []byte) bool {
			n++
			if len(line) == 0 || line[0] == '#' {
				return true
			}
			from, rest, ok := bytes.Cut(line, tab)
			if !ok {
				return yield(Link{}, &LineError{n, "one column, not two"})
			}
			to, kind, _ := bytes.Cut(rest, tab)
			if len(kind) > 0 && !strings.ContainsRune("anfm", rune(kind[0])) {
				return true
			}
			return yield(Link{from, to}, nil)
		}, func(err error) { yield(Link{}, err) })
	}
}

var tab = []byte("\t")

// ReadAddresses reads a list of hosts and addresses, separated by a tab, one address a line.
func ReadAddresses(open func() (io.ReadCloser, error)) iter.Seq2[Address, error] {
	return rows(open, 2, func(f []string) (Address, string) {
		ip, err := netip.ParseAddr(f[1])
		if err != nil {
			return Address{}, err.Error()
		}
		return Address{strings.ToLower(f[0]), ip}, ""
	})
}

// ReadPages reads clusters of alike pages: the number of a cluster, a URL and, if known, the Least
// of the page's text, separated by tabs, a page a line. A page of cluster 0 is like no other. A
// third column that does not begin with "least:" is passed over.
func ReadPages(open func() (io.ReadCloser, error)) iter.Seq2[Page, error] {
	return rows(open, 2, func(f []string) (Page, string) {
		n, err := strconv.ParseUint(f[0], 10, 64)
		if err != nil {
			return Page{}, err.Error()
		}
		p := Page{URL: []byte(f[1]), Cluster: n}
		if len(f) > 2 && strings.HasPrefix(f[2], leastMark) {
			if err := p.Least.UnmarshalText([]byte(f[2])); err != nil {
				return Page{}, err.Error()
			}
		}
		return p, ""
	})
}

// ReadCollections reads places of collections, separated by tabs: name of the collection, host,
// anything, number of pages. Where a line of headings, which begins with "#collection", comes
// first, the columns are those that it calls collection, host and pages.
func ReadCollections(open func() (io.ReadCloser, error)) iter.Seq2[Place, error] {
	return func(yield func(Place, error) bool) {
		host, pages := 1, 3
		heading := func(line string) {
			if f := strings.Split(line, "\t"); f[0] == "#collection" {
				if i, j := slices.Index(f, "host"), slices.Index(f, "pages"); i > 0 && j > 0 {
					host, pages = i, j
				}
			}
		}
		rowsOf(open, 2, heading, func(f []string) (Place, string) {
			if len(f) <= max(host, pages) {
				return Place{}, strconv.Itoa(len(f)) + " columns are too few"
			}
			n, err := strconv.Atoi(f[pages])
			if err != nil || n < 0 {
				return Place{}, "pages: " + strconv.Quote(f[pages])
			}
			return Place{f[0], f[host], n}, ""
		})(yield)
	}
}

// ReadDeclared reads declarations: kind, host, target and, if it is not the host as a whole, how
// many pages say so.
func ReadDeclared(open func() (io.ReadCloser, error)) iter.Seq2[Declaration, error] {
	return rows(open, 3, func(f []string) (d Declaration, what string) {
		k := slices.Index(kindNames[:], f[0])
		if k < 0 {
			return d, "kind " + strconv.Quote(f[0])
		}
		d = Declaration{Kind: Kind(k), Host: f[1], Target: f[2]}
		if len(f) > 3 {
			n, err := strconv.Atoi(f[3])
			if err != nil || n < 0 {
				return d, "pages: " + strconv.Quote(f[3])
			}
			d.Pages = n
		}
		return d, ""
	})
}

// errStop ends the reading of a list whose reader has enough.
var errStop = errors.New("enough")

// rows reads a list of rows.
func rows[T any](open func() (io.ReadCloser, error), columns int,
	parse func([]string) (T, string),
) iter.Seq2[T, error] {
	return rowsOf(open, columns, func(string) {}, parse)
}

// rowsOf reads a list of rows, and hands lines that begin with "#" to comment.
func rowsOf[T any](open func() (io.ReadCloser, error), columns int, comment func(string),
	parse func([]string) (T, string),
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		f, err := open()
		if err != nil {
			yield(zero, err)
			return
		}
		stopped := false
		err = eachLine(f, columns, comment, func(row []string) string {
			if stopped {
				return errStop.Error()
			}
			v, what := parse(row)
			if what == "" && !yield(v, nil) {
				stopped = true
			}
			return what
		})
		if err = errors.Join(err, f.Close()); err != nil && !stopped {
			yield(zero, err)
		}
	}
}

// lines calls f for each line, until it is false. fail gets the error that ended the reading.
func lines(open func() (io.ReadCloser, error), f func([]byte) bool, fail func(error)) {
	file, err := open()
	if err != nil {
		fail(err)
		return
	}
	in := bufio.NewReaderSize(file, maxLine)
	for n := 1; ; n++ {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			err = &LineError{n, fmt.Sprintf("longer than %d bytes", maxLine)}
		}
		line = bytes.TrimRight(line, "\r\n")
		if (err == nil || err == io.EOF) && len(line) > 0 && !f(line) {
			break
		}
		if err != nil {
			if err = errors.Join(ifNot(err, io.EOF), file.Close()); err != nil {
				fail(err)
			}
			return
		}
	}
	if err := file.Close(); err != nil {
		fail(err)
	}
}

// ifNot is err, unless it is another.
func ifNot(err, other error) error {
	if err == other {
		return nil
	}
	return err
}
