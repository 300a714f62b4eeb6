package provebench

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"watershed/lab/testweb"
	"watershed/page"
	"watershed/replica/prove"
	"watershed/replica/sketch"
)

// web is a built test web, as a crawl would remember it.
type web struct {
	bodies   *testweb.Bodies
	pages    map[page.URL]testweb.File
	hosts    map[string][]page.URL // HTML pages of each host
	sketches *sketch.Builder
	visits   map[page.URL]*page.Visit
}

// openWeb reads a web. With trees, the pages known of a host are those that were placed there as
// trees, which is what the levels of mirrors.tsv were measured on; the pages that the builder wrote
// for the host itself are left out.
func openWeb(dir fs.FS, trees bool) (*web, error) {
	w := &web{
		pages: map[page.URL]testweb.File{}, hosts: map[string][]page.URL{},
		visits: map[page.URL]*page.Visit{},
	}
	own := map[string]bool{}
	err := testweb.Rows(dir, "sites.tsv", 4, func(f []string) error {
		if trees && f[3] == "gen" {
			own[f[0]] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = testweb.Files(dir, func(f testweb.File) error {
		u, err := page.ParseURL(f.URL())
		if err != nil {
			return err
		}
		w.pages[u] = f
		if mediaType(f) == html && !own[f.URL()] {
			w.hosts[f.Host] = append(w.hosts[f.Host], u)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if w.sketches, err = sketch.NewBuilder(sketch.Options{}); err != nil {
		return nil, err
	}
	w.bodies, err = testweb.OpenBodies(dir)
	return w, err
}

const html = "text/html"

// mediaType is the type of a file without its parameters.
func mediaType(f testweb.File) string {
	name, _, _ := strings.Cut(f.Type, ";")
	return name
}

// visit is what a crawl of the web would remember of a page.
func (w *web) visit(u page.URL) (*page.Visit, error) {
	if v := w.visits[u]; v != nil {
		return v, nil
	}
	v := &page.Visit{URL: u, Status: 404}
	w.visits[u] = v
	if len(w.hosts[string(u.Host())]) == 0 {
		v.Status = page.StatusDNS
	}
	file, ok := w.pages[u]
	if !ok {
		if _, dir := w.pages[u+"/"]; dir {
			v.Status, v.Links = 301, []page.Link{{Kind: page.Redirect, URL: u + "/"}}
		}
		return v, nil
	}
	body, err := w.bodies.Read(file.Extent, nil)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", u, err)
	}
	v.Status, v.MIME, v.Size, v.Digest = 200, mediaType(file), int64(len(body)), page.SumDigest(body)
	if v.MIME == html {
		if err := testweb.Text(body, w.sketches.Text); err != nil {
			return nil, fmt.Errorf("read the text of %s: %w", u, err)
		}
		if s := w.sketches.Sketch(); s.Tokens > 0 {
			v.Sketch = s.AppendEncode(nil)
		}
	}
	return v, nil
}

// labelled is a pair whose class is known.
type labelled struct {
	prove.Pair
	class prove.Class
	note  string
}

// readTruth reads the pairs of mirrors.tsv; those marked "?" are left out.
func readTruth(dir fs.FS) (list []labelled, err error) {
	err = testweb.Rows(dir, "mirrors.tsv", 4, func(f []string) error {
		if f[2] == "?" {
			return nil
		}
		level, err := strconv.Atoi(f[2])
		if err != nil || level < 0 || level > 5 {
			return fmt.Errorf("level %q", f[2])
		}
		class := prove.Mismatch
		if level > 0 {
			class = prove.Class(level)
		}
		list = append(list, labelled{prove.Pair{A: f[0], B: f[1]}, class, strings.Join(f[3:], " ")})
		return nil
	})
	return list, err
}
