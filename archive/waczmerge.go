package archive

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"watershed/internal/disk"
	"watershed/page"
)

// MergeWACZ writes a package with the WARC files, index lines and pages of others, the oldest first:
// revisits of a later crawl have their originals beside them. p tells title, software, time and key;
// the main page is that of the last. The pages of all but the last get numbers of their own, so that
// viewers, which know a page by its number, show each capture. Logs are not taken over.
// Everything is streamed, as by WriteWACZ.
func MergeWACZ(d disk.FS, path string, p Package, packages []string) (err error) {
	lines := NewSorter(filepath.Dir(path), 0)
	defer func() { err = errors.Join(err, lines.Close()) }()
	for _, name := range packages {
		w, err := OpenWACZ(name)
		if err != nil {
			return err
		}
		defer w.Close() // it was only read
		p.from = append(p.from, w)
		for e, err := range w.Entries() {
			if err == nil {
				err = lines.Add(e)
			}
			if err != nil {
				return fmt.Errorf("read the index of %s: %w", name, err)
			}
		}
	}
	if len(p.from) > 0 {
		last := &p.from[len(p.from)-1].Data
		p.MainPage = page.URL(last.MainPage)
		p.MainDate, _ = time.Parse(time.RFC3339Nano, last.MainPageDate) // zero for none
	}
	p.Pages, p.Extra = pagesOf(p.from, true), pagesOf(p.from, false)
	sorted, in := io.Pipe()
	p.index = sorted
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, err := lines.WriteTo(in)
		_ = in.CloseWithError(err) // never fails
	}()
	err = WriteWACZ(d, path, p)
	_ = sorted.Close() // never fails
	<-written
	return err
}

// pagesOf gives the pages that packages list first, or the other ones.
func pagesOf(packages []*WACZ, first bool) iter.Seq2[PackagePage, error] {
	name := "pages/extraPages.jsonl"
	if first {
		name = "pages/pages.jsonl"
	}
	return func(yield func(PackagePage, error) bool) {
		for i, w := range packages {
			if w.files[name] == nil {
				continue
			}
			more := w.pages(name, func(p PackagePage, err error) bool {
				if i < len(packages)-1 {
					p.ID = fmt.Sprintf("%s-%d", p.ID, i+1)
				}
				return yield(p, err)
			})
			if !more {
				return
			}
		}
	}
}

// copyWARCs takes over the WARC files of a package.
func (w *waczWriter) copyWARCs(from *WACZ) error {
	for _, name := range from.Files() {
		if !strings.HasPrefix(name, "archive/") || strings.HasSuffix(name, "/") {
			continue
		}
		in, stored := from.Section(name)
		if !stored {
			return fmt.Errorf("%s is compressed in its package", name)
		}
		if err := w.put(name, zip.Store, in); err != nil {
			return fmt.Errorf("pack %s: %w", name, err)
		}
	}
	return nil
}
