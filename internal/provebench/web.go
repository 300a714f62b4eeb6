package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"watershed/page"
	"watershed/replica/prove"
	"watershed/replica/sketch"
)

// web is a built test web: its pages in one file, and a manifest of host, path, offset, length, media type and time.
type web struct {
	pack     *os.File
	pages    map[page.URL]extent
	hosts    map[string][]page.URL // HTML pages of each host
	sketches *sketch.Builder
	visits   map[page.URL]*page.Visit
}

type extent struct {
	offset int64
	length int
	mime   string
}

// openWeb reads a web. With trees, the pages known of a host are those that were placed there as trees, which is what the levels of
// mirrors.tsv were measured on; the pages that the builder wrote for the host itself are left out.
func openWeb(dir string, trees bool) (*web, error) {
	w := &web{pages: map[page.URL]extent{}, hosts: map[string][]page.URL{}, visits: map[page.URL]*page.Visit{}}
	own := map[string]bool{}
	err := readLines(filepath.Join(dir, "sites.tsv"), func(f []string) error {
		if trees && len(f) > 3 && f[3] == "gen" {
			own[f[0]] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = readLines(filepath.Join(dir, "manifest.tsv"), func(f []string) error {
		if len(f) < 5 {
			return nil
		}
		offset, err1 := strconv.ParseInt(f[2], 10, 64)
		length, err2 := strconv.Atoi(f[3])
		u, err3 := page.ParseURL("http://" + f[0] + f[1])
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		mime, _, _ := strings.Cut(f[4], ";")
		w.pages[u] = extent{offset, length, mime}
		if mime == "text/html" && !own["http://"+f[0]+f[1]] {
			w.hosts[f[0]] = append(w.hosts[f[0]], u)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if w.sketches, err = sketch.NewBuilder(sketch.Options{}); err != nil {
		return nil, err
	}
	w.pack, err = os.Open(filepath.Join(dir, "pack.dat"))
	return w, err
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
	at, ok := w.pages[u]
	if !ok {
		if _, dir := w.pages[u+"/"]; dir {
			v.Status, v.Links = 301, []page.Link{{Kind: page.Redirect, URL: u + "/"}}
		}
		return v, nil
	}
	body := make([]byte, at.length)
	if _, err := w.pack.ReadAt(body, at.offset); err != nil {
		return nil, fmt.Errorf("read %s: %w", u, err)
	}
	v.Status, v.MIME, v.Size, v.Digest = 200, at.mime, int64(at.length), page.SumDigest(body)
	if at.mime == "text/html" {
		w.sketches.HTML(body)
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

// readTruth reads the pairs of a mirrors.tsv; those marked "?" are left out.
func readTruth(path string) (list []labelled, err error) {
	err = readLines(path, func(f []string) error {
		if len(f) < 4 || f[2] == "?" {
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

// readLines gives the fields of each line that is no comment.
func readLines(name string, line func(fields []string) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		if err := line(strings.Split(lines.Text(), "\t")); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	return lines.Err()
}
