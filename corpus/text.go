package corpus

import (
	"errors"
	"io/fs"
	"net/textproto"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"watershed/archive"
	"watershed/crawler/extract"
	"watershed/page"
)

// documents gives the files of a folder without archives, each as a page: the form in which "wget
// -r" and people keep them. A folder in it whose name has a dot is a host, and the files in that
// have its paths; the other files belong to a host with the name of the folder itself. Hidden files
// are left out. The files are in the order of their paths.
func documents(dir string) ([]file, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	var list []file
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch hidden := strings.HasPrefix(d.Name(), ".") && name != dir; {
		case err != nil:
			return err
		case hidden && d.IsDir():
			return filepath.SkipDir
		case hidden || !d.Type().IsRegular():
			return nil
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		if u, err := addressOf(filepath.Base(root), filepath.ToSlash(rel)); err == nil {
			list = append(list, file{
				Source:   archive.Source{Path: name, Name: d.Name()},
				document: true, url: u,
			})
		}
		return nil
	})
	slices.SortFunc(list, func(a, b file) int { return strings.Compare(a.Path, b.Path) })
	return list, err
}

// addressOf is the URL of a file by its path in the folder.
func addressOf(folder, rel string) (page.URL, error) {
	host, rest, deep := strings.Cut(rel, "/")
	if !deep || !strings.Contains(host, ".") {
		host, rest = strings.ToLower(folder), rel
	}
	at, query, _ := strings.Cut(rest, "?")
	u := url.URL{Scheme: "http", Host: host, Path: "/" + at, RawQuery: query}
	return page.ParseURL(u.String())
}

// mediaTypeOf is the media type by the end of a file's name: "" where its bytes must tell.
func mediaTypeOf(name string) string {
	name, _, _ = strings.Cut(name, "?")
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm", ".shtml", ".php", ".asp", ".aspx", ".jsp":
		return "text/html"
	case ".xhtml":
		return "application/xhtml+xml"
	case ".txt", ".text", ".md":
		return "text/plain"
	case ".css":
		return "text/css"
	case ".js":
		return "text/javascript"
	}
	return ""
}

// readDocument makes a page of a file; nil where it cannot be read.
func (c *Corpus) readDocument(f *file) (p *Page) {
	ok := c.guarded(Damage{File: f.Path}, func() (err error) {
		p, err = c.document(f)
		return err
	})
	if !ok {
		return nil
	}
	return p
}

func (c *Corpus) document(f *file) (p *Page, err error) {
	in, err := os.Open(f.Path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	p = &Page{Path: f.Path}
	p.URL, p.Status, p.Time = f.url, 200, info.ModTime()
	says := extract.Input{URL: p.URL, Status: p.Status, Header: textproto.MIMEHeader{}}
	if kind := mediaTypeOf(f.Name); kind != "" {
		says.Header.Set("Content-Type", kind)
	}
	if err := c.readBody(p, &says, in, nil); err != nil {
		return nil, err
	}
	return p, c.readLinks(p, says)
}
