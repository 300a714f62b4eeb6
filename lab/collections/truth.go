package collections

import (
	"errors"
	"fmt"
	"io/fs"
	"net/textproto"
	"strconv"
	"strings"

	"watershed/crawler/extract"
	"watershed/lab/testweb"
	"watershed/page"
	"watershed/replica/collection"
)

// Truth is a web of which it is known what it holds copies of: the tables of a test web.
type Truth struct {
	Pages  []collection.Page // HTML pages, in the order of the table
	Copies []Copy            // of targets, as collections.tsv lists them

	links  [][2]uint32
	body   []testweb.File
	place  []uint32 // of a page: one copy of one tree
	work   []string // of a place: what it is a copy of
	tongue []string // of a place: the language, "" for unknown
	split  []bool   // of a place: its tree is spread over several hosts
	base   []string // of a place: the directory that it fills on its host
	twins  []uint32 // of a page: its near-duplicate cluster, or NoCluster
	byURL  map[page.URL]uint32
}

// Copy is one row of collections.tsv: a copy of a target.
type Copy struct {
	Target string
	Prefix string
	Pages  int
	Note   string
}

// ReadTruth reads the tables of a test web's folder:
//
//	sites.tsv        url, site, group, place, html, …     site is WORK or WORK@HOST, place one
//	                 copy of one tree
//	links.tsv        src, dst, kind                       kinds a, n, f and m join pages
//	manifest.tsv     host, path, offset, bytes, media type, mtime, …
//	collections.tsv  collection, host, prefix, pages, …, note
//	dupclusters.tsv  cluster, url, …                      near duplicates by content
//
// Lines that begin with "#" are skipped. The error is a *testweb.RowError or one of fsys.
func ReadTruth(fsys fs.FS) (*Truth, error) {
	t := &Truth{byURL: make(map[page.URL]uint32)}
	r := truthReader{Truth: t, ids: make(map[string]uint32), places: make(map[string]uint32)}
	for _, table := range []struct {
		file   string
		fields int
		row    func(f []string) error
	}{
		{"sites.tsv", 5, r.page},
		{"links.tsv", 3, r.link},
		{"collections.tsv", 8, r.copy},
		{"dupclusters.tsv", 2, r.twin},
	} {
		if err := testweb.Rows(fsys, table.file, table.fields, table.row); err != nil {
			return nil, err
		}
	}
	if err := testweb.Files(fsys, r.file); err != nil {
		return nil, err
	}
	r.bases()
	return t, nil
}

// Input is the web without what tells which pages are similar.
func (t *Truth) Input() collection.Input {
	return collection.Input{Pages: t.Pages, Links: func(add func(from, to uint32) error) error {
		for _, l := range t.links {
			if err := add(l[0], l[1]); err != nil {
				return err
			}
		}
		return nil
	}}
}

// bodies calls fn with the body of every page, which is valid during the call only. The file
// pack.dat of fsys must be an io.ReaderAt, as those of os.DirFS are.
func (t *Truth) bodies(fsys fs.FS, fn func(p uint32, mediaType string, body []byte) error) (err error) {
	bodies, err := testweb.OpenBodies(fsys)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bodies.Close()) }()
	var buffer []byte
	for p, f := range t.body {
		if f.Extent.Length == 0 {
			continue
		}
		if buffer, err = bodies.Read(f.Extent, buffer); err != nil {
			return fmt.Errorf("body of %s: %w", t.Pages[p].URL, err)
		}
		if err := fn(uint32(p), f.Type, buffer); err != nil {
			return err
		}
	}
	return nil
}

// Texts reads the text of pages, of which of tells, nil of all: take has the pieces of a text, and end is
// told of its end, with the page's links and its bytes, which are valid during the call only.
func (t *Truth) Texts(fsys fs.FS, of func(p uint32) bool, take func(piece []byte),
	end func(p uint32, body []byte, links []page.Link) error,
) error {
	reader, err := extract.New(extract.Options{})
	if err != nil {
		return err
	}
	return t.bodies(fsys, func(p uint32, mediaType string, body []byte) error {
		if of != nil && !of(p) {
			return nil
		}
		return end(p, body, reader.Extract(extract.Input{
			URL: t.Pages[p].URL, Header: textproto.MIMEHeader{"Content-Type": {mediaType}}, Body: body,
			Text: take,
		}).Links)
	})
}

// Number is that of a page by its URL.
func (t *Truth) Number(u page.URL) (p uint32, ok bool) {
	p, ok = t.byURL[u]
	return p, ok
}

// truthReader fills a Truth from rows.
type truthReader struct {
	*Truth
	ids    map[string]uint32 // by URL as written
	places map[string]uint32
}

func (r *truthReader) page(f []string) error {
	if f[4] != "1" {
		return nil
	}
	u, err := page.ParseURL(f[0])
	if err != nil {
		return nil // a URL that cannot be fetched is no page of any crawl
	}
	if _, ok := r.byURL[u]; ok {
		return nil
	}
	id := uint32(len(r.Pages))
	r.byURL[u], r.ids[f[0]] = id, id
	r.Pages = append(r.Pages, collection.Page{URL: u})
	r.body = append(r.body, testweb.File{})
	r.twins = append(r.twins, collection.NoCluster)
	// A generated page has a site, but is in no tree: each site's generated pages are a place of
	// their own. A tree split over hosts is a place on each of them.
	work := f[1]
	if i := strings.IndexAny(work, "@~"); i > 0 { // held by another host, or by a tenant
		work = work[:i]
	}
	name := f[3] + "\t" + f[1] + "\t" + string(u.Host())
	k, ok := r.places[name]
	if !ok {
		k = uint32(len(r.work))
		r.places[name] = k
		r.work, r.base, r.tongue = append(r.work, work), append(r.base, ""), append(r.tongue, tongue(f[3]))
	}
	r.place = append(r.place, k)
	return nil
}

func (r *truthReader) link(f []string) error {
	switch f[2] {
	case "a", "n", "f", "m":
	default:
		return nil
	}
	from, ok := r.ids[f[0]]
	to, found := r.ids[f[1]]
	if ok && found {
		r.links = append(r.links, [2]uint32{from, to})
	}
	return nil
}

func (r *truthReader) file(f testweb.File) error {
	if id, ok := r.ids[f.URL()]; ok {
		r.body[id], r.Pages[id].First = f, f.Modified
	}
	return nil
}

func (r *truthReader) copy(f []string) error {
	u, err := page.ParseURL(f[2])
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(f[3])
	if err != nil {
		return err
	}
	r.Copies = append(r.Copies, Copy{Target: f[0], Prefix: string(u), Pages: n, Note: f[7]})
	return nil
}

func (r *truthReader) twin(f []string) error {
	k, err := strconv.ParseUint(f[0], 10, 32)
	if err != nil {
		return err
	}
	if id, ok := r.ids[f[1]]; ok {
		r.twins[id] = uint32(k)
	}
	return nil
}

// tongue is the language in the name of a tree, which is KIND:…:WORK.LANGUAGE-VERSION or …@RELEASE;
// of a copy it is unknown.
func tongue(place string) string {
	tree := place[strings.LastIndexByte(place, ':')+1:]
	_, rest, ok := strings.Cut(tree, ".")
	if i := strings.IndexAny(rest, "-@"); ok && i > 0 && !strings.HasPrefix(place, "coll:") {
		return rest[:i]
	}
	return ""
}

// bases finds the directory of each place: that of its pages, or of the copy that it is.
func (r *truthReader) bases() {
	hosts := make(map[string]int)
	for name := range r.places {
		hosts[name[:strings.LastIndexByte(name, '\t')]]++
	}
	r.split = make([]bool, len(r.work))
	for name, k := range r.places {
		r.split[k] = hosts[name[:strings.LastIndexByte(name, '\t')]] > 1
	}
	for id, p := range r.Pages {
		k := r.place[id]
		dir := p.URL.Directory()
		if r.base[k] == "" {
			r.base[k] = dir
			continue
		}
		r.base[k] = commonDirectory(r.base[k], dir)
	}
	for k, base := range r.base {
		for _, c := range r.Copies {
			if strings.HasPrefix(base, c.Prefix) {
				r.base[k] = c.Prefix
			}
		}
	}
}

// relative is the path of a page within its place; a directory is its index page.
func (t *Truth) relative(p uint32) string {
	path := strings.TrimPrefix(string(t.Pages[p].URL), t.base[t.place[p]])
	for _, index := range []string{"index.html", "index.htm"} {
		if rest, ok := strings.CutSuffix(path, index); ok && (rest == "" || strings.HasSuffix(rest, "/")) {
			return rest
		}
	}
	return path
}

// commonDirectory is the longest directory that both begin with.
func commonDirectory(a, b string) string {
	n := 0
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			n = i + 1
		}
	}
	return a[:n]
}
