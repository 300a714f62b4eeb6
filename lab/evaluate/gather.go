package evaluate

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/zeebo/xxh3"

	"watershed/archive"
	"watershed/corpus"
	"watershed/crawler/extract"
	"watershed/internal/console"
	"watershed/lab/rankings"
	"watershed/page"
	"watershed/replica/mirror"
	"watershed/replica/sketch"
	"watershed/replica/witness"
	"watershed/sitemap/protocol"
)

// gathering reads files of whatever kind for a ranking, and puts URLs, links and addresses into
// lists in a folder: what is read need not fit into memory, but for the witness.
type gathering struct {
	dir       string
	urls      *os.File
	links     *os.File
	addresses *os.File
	out       map[*os.File]*bufio.Writer
	witness   *witness.Witness
	read      bool // pages whose content is known
	damage    *console.Damage
}

// kindOfInput is what a file holds.
type kindOfInput uint8

const (
	archiveInput kindOfInput = iota // WARC file, WACZ package, or folder of them
	indexInput                      // CDXJ
	sitemapInput
	urlsInput      // a URL a line
	linksInput     // two URLs a line
	addressesInput // host and address
)

// gather reads the files that --from names.
func (c *Rank) gather(ctx context.Context, bad *console.Damage, dir string) (in mirror.Input, err error) {
	g := &gathering{dir: dir, witness: witness.New(), out: map[*os.File]*bufio.Writer{}, damage: bad}
	for _, f := range []**os.File{&g.urls, &g.links, &g.addresses} {
		if *f, err = os.CreateTemp(dir, "list-"); err != nil {
			return in, err
		}
		g.out[*f] = bufio.NewWriter(*f)
	}
	var archives []string
	for _, path := range c.From {
		bad.Read(path, func() error {
			kind, err := inputKind(path)
			switch {
			case err != nil:
				return err
			case kind == archiveInput:
				archives = append(archives, path)
				return nil
			case kind == indexInput:
				return g.index(path)
			case kind == sitemapInput:
				return g.sitemap(path)
			}
			return g.list(path, kind)
		})
	}
	if len(archives) > 0 {
		// its damage was told
		if err := g.archives(ctx, archives); err != nil && !errors.Is(err, corpus.ErrNothing) {
			return in, err
		}
	}
	return g.input()
}

// input is what was gathered. Facts that no file told are left unknown.
func (g *gathering) input() (in mirror.Input, err error) {
	size := map[*os.File]int64{}
	for f, w := range g.out {
		at, err := f.Seek(0, io.SeekCurrent)
		size[f] = at + int64(w.Buffered())
		if err = errors.Join(err, w.Flush(), f.Close()); err != nil {
			return in, err
		}
	}
	if in.URLs, err = rankings.SortURLs(opener(g.urls.Name())); err != nil {
		return in, err
	}
	if size[g.links] > 0 {
		in.Links = rankings.ReadLinks(opener(g.links.Name()))
	}
	if size[g.addresses] > 0 {
		in.Addresses = rankings.ReadAddresses(opener(g.addresses.Name()))
	}
	if g.read {
		in.Pages = g.witness.Pages
	}
	in.Declared = g.witness.Declared
	return in, nil
}

func (g *gathering) put(f *os.File, columns ...string) error {
	_, err := g.out[f].WriteString(strings.Join(columns, "\t") + "\n")
	return err
}

// archives reads the pages of WARC files and packages.
func (g *gathering) archives(ctx context.Context, paths []string) (err error) {
	c, err := corpus.Open(ctx, paths, corpus.Options{
		Text: true, Extract: extract.Options{Driver: extract.Scan},
		Damaged: func(x corpus.Damage) { g.damage.Tell(x.File, x) },
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	b, err := sketch.NewBuilder(sketch.Options{})
	if err != nil {
		return err
	}
	return c.Pages(ctx, func(p *corpus.Page) error {
		if !p.Listed && !p.Unresolved {
			b.Text(p.Text)
			if s := b.Sketch(); s.Tokens > 0 {
				p.Sketch = s.AppendEncode(nil)
			}
		}
		return g.visit(&p.Visit)
	})
}

// visit takes over a page.
func (g *gathering) visit(v *page.Visit) error {
	g.witness.Learn(v)
	g.read = true
	errs := []error{g.put(g.urls, string(v.URL))}
	if a, err := netip.ParseAddrPort(v.Remote); err == nil {
		errs = append(errs, g.put(g.addresses, string(v.URL.Host()), a.Addr().String()))
	}
	for _, l := range v.Links {
		if l.Kind.Joins() {
			errs = append(errs, g.put(g.urls, string(l.URL)), g.put(g.links, string(v.URL), string(l.URL)))
		}
	}
	return errors.Join(errs...)
}

// index reads a CDXJ index by itself: its URLs, and by their digests which pages have the same
// bytes.
func (g *gathering) index(path string) error {
	return readPlain(path, func(r io.Reader) error {
		entries := archive.NewEntries(r)
		for n := 1; ; n++ {
			e, err := entries.Next()
			switch {
			case err == io.EOF:
				return nil
			case err != nil:
				return err
			}
			u, err := page.ParseURL(e.URL)
			if method := e.Extra["method"]; err != nil || method != "" && method != "GET" {
				continue // a DNS answer, or what a form was told
			}
			if err := g.put(g.urls, string(u)); err != nil {
				return err
			}
			if html := strings.HasPrefix(e.MIME, "text/html") || e.MIME == "application/xhtml+xml"; html &&
				e.Status == "200" && e.Digest != "" {
				g.same(u, e.Digest)
				g.read = true
			}
		}
	})
}

// noText is the sketch of a page of whose text nothing is known.
var noText = (&sketch.Sketch{
	Scheme: sketch.Scheme{Bits: 40, Width: 10, Size: 128},
}).AppendEncode(nil)

// same tells the witness of a page that has the bytes of a digest, and of which no more is known.
func (g *gathering) same(u page.URL, digest string) {
	v := page.Visit{URL: u, Status: 200, Sketch: noText}
	binary.BigEndian.PutUint64(v.Digest[:], xxh3.HashString(digest))
	g.witness.Learn(&v)
}

// sitemap reads the pages that a site map or feed names.
func (g *gathering) sitemap(path string) error {
	return readPlain(path, func(r io.Reader) error {
		_, err := protocol.Read(r, protocol.MaxBytes, func(_ protocol.Kind, loc string) error {
			if u, err := page.ParseURL(loc); err == nil {
				return g.put(g.urls, string(u))
			}
			return nil // no address of the web
		})
		return err
	})
}

// list reads lines of columns, which stand apart by tabs or spaces.
func (g *gathering) list(path string, kind kindOfInput) error {
	return eachLine(path, func(columns []string) error {
		switch kind {
		case addressesInput:
			return g.put(g.addresses, columns[:2]...)
		case linksInput:
			return errors.Join(g.put(g.links, columns...), g.put(g.urls, columns[0]),
				g.put(g.urls, columns[1]))
		}
		return g.put(g.urls, columns[0])
	})
}

// inputKind tells what a path holds, by its name and, of text, by its first line.
func inputKind(path string) (kindOfInput, error) {
	stat, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	name := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ".gz"), ".open")
	switch {
	case stat.IsDir(), strings.HasSuffix(name, ".warc"), strings.HasSuffix(name, ".wacz"):
		return archiveInput, nil
	case strings.HasSuffix(name, ".cdxj"):
		return indexInput, nil
	}
	kind := urlsInput
	err = readPlain(path, func(r io.Reader) error {
		head := make([]byte, 512)
		n, err := io.ReadFull(r, head)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = nil
		}
		if bytes.HasPrefix(bytes.TrimLeft(head[:n], "\ufeff \t\r\n"), []byte("<")) {
			kind = sitemapInput
		}
		return err
	})
	if err != nil || kind == sitemapInput {
		return kind, err
	}
	var unknown error
	err = eachLine(path, func(columns []string) error {
		kind, unknown = kindOfLine(columns)
		return errEnough
	})
	if errors.Is(err, errEnough) {
		err = unknown
	}
	return kind, err
}

// kindOfLine is the kind of a list of such lines.
func kindOfLine(columns []string) (kindOfInput, error) {
	isURL := func(text string) bool { _, _, ok := mirror.SplitURL([]byte(text)); return ok }
	switch {
	case len(columns) > 1 && isURL(columns[0]) && isURL(columns[1]):
		return linksInput, nil
	case isURL(columns[0]):
		return urlsInput, nil
	case len(columns) > 1:
		if _, err := netip.ParseAddr(columns[1]); err == nil {
			return addressesInput, nil
		}
	}
	return 0, fmt.Errorf("%w: %q is neither a URL, nor a link, nor a host with its address", errList,
		strings.Join(columns, " "))
}

// errList says that a file is no list that is known.
var errList = errors.New("no list of URLs")
