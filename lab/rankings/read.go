package rankings

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/netip"
	"strconv"
	"strings"

	"watershed/replica/mirror"
)

// maxLine bounds a line of a list, in bytes: two URLs of 16 KiB and what stands between.
const maxLine = 1 << 16

var tab = []byte("\t")

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
	return mirror.Sorted(ReadURLs(open))
}

// ReadLinks reads a list of links: two absolute URLs a line, separated by a tab. Of further
// columns, the first is the kind of the link; of lines that have one, those of kind "a", "n", "f"
// and "m" are read: links between pages.
func ReadLinks(open func() (io.ReadCloser, error)) iter.Seq2[mirror.Link, error] {
	return func(yield func(mirror.Link, error) bool) {
		n := 0
		lines(open, func(line []byte) bool {
			n++
			if len(line) == 0 || line[0] == '#' {
				return true
			}
			from, rest, ok := bytes.Cut(line, tab)
			if !ok {
				return yield(mirror.Link{}, fmt.Errorf("line %d: one column, not two", n))
			}
			to, kind, _ := bytes.Cut(rest, tab)
			if len(kind) > 0 && !strings.ContainsRune("anfm", rune(kind[0])) {
				return true
			}
			return yield(mirror.Link{From: from, To: to}, nil)
		}, func(err error) { yield(mirror.Link{}, err) })
	}
}

// ReadAddresses reads a list of hosts and addresses, separated by a tab, one address a line.
func ReadAddresses(open func() (io.ReadCloser, error)) iter.Seq2[mirror.Address, error] {
	return rows(open, 2, func(f []string) (mirror.Address, string) {
		ip, err := netip.ParseAddr(f[1])
		if err != nil {
			return mirror.Address{}, err.Error()
		}
		return mirror.Address{Host: strings.ToLower(f[0]), IP: ip}, ""
	})
}

// ReadPages reads clusters of alike pages: the number of a cluster and a URL, separated by a tab, a
// page a line. A page of cluster 0 is like no other. Further columns are passed over.
func ReadPages(open func() (io.ReadCloser, error)) iter.Seq2[mirror.Page, error] {
	return rows(open, 2, func(f []string) (mirror.Page, string) {
		n, err := strconv.ParseUint(f[0], 10, 64)
		if err != nil {
			return mirror.Page{}, err.Error()
		}
		return mirror.Page{URL: []byte(f[1]), Cluster: n}, ""
	})
}

// ReadDeclared reads declarations: kind, host, target and, if it is not the host as a whole, how
// many pages say so.
func ReadDeclared(open func() (io.ReadCloser, error)) iter.Seq2[mirror.Declaration, error] {
	return rows(open, 3, func(f []string) (d mirror.Declaration, what string) {
		k, ok := kindOf(f[0])
		if !ok {
			return d, "kind " + strconv.Quote(f[0])
		}
		d = mirror.Declaration{Kind: k, Host: f[1], Target: f[2]}
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

// rows reads a list of rows.
func rows[T any](open func() (io.ReadCloser, error), columns int,
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
		err = mirror.ReadRows(f, columns, func(row []string) string {
			if stopped {
				return "enough"
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
			err = fmt.Errorf("line %d: longer than %d bytes", n, maxLine)
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

// kindOf is the kind of declaration of a name.
func kindOf(name string) (mirror.Kind, bool) {
	for k := mirror.Kind(0); ; k++ {
		switch {
		case k.String() == name:
			return k, true
		case k > 0 && k.String() == (k-1).String(): // beyond the last one
			return 0, false
		}
	}
}
