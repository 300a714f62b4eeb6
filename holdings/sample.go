package holdings

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"watershed/archive"
	"watershed/harvest"
	"watershed/page"
)

// oversample is how many URLs are drawn for each page that is wanted: the media type of a revisit
// shows only when it is opened.
const oversample = 8

// Sample draws n pages out of runs: URLs whose last capture there was answered with 200 by a page,
// or found unchanged since it was; with drawn, of those alone that a browser has drawn. The same
// harvest, number and seed give the same URLs, in the same order, by the bottom-k sketch (Cohen and
// Kaplan 2007): those whose hash is least. There are fewer where the runs have no more, or where
// nearly all of their captures are revisits of other things. It reads each index once, opens O(n)
// records and holds O(n). The error is fs.ErrNotExist where no run has an index.
func Sample(folder harvest.Folder, runs []harvest.Run, n int, seed uint64, drawn bool) ([]page.URL,
	error,
) {
	s := sample{most: n * oversample, drawn: map[page.URL]bool{}}
	binary.LittleEndian.PutUint64(s.seed[:], seed)
	missing := error(fs.ErrNotExist)
	for _, run := range runs {
		err := s.read(run, drawn)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil {
			missing = nil
		}
	}
	if missing != nil {
		return nil, fmt.Errorf("sample pages: %w", missing)
	}
	var pages []page.URL
	for _, d := range s.draws {
		if len(pages) == n {
			break
		}
		if is, err := isPage(folder, d.url); err != nil {
			return nil, err
		} else if is {
			pages = append(pages, d.url)
		}
	}
	return pages, nil
}

// Below has the figures of the captures below a host or directory.
type Below struct {
	Pages    []page.URL // drawn, as by Sample
	Captures int        // of pages and of anything else, of all runs
	Bytes    int64      // in the archive
	Cut      bool       // there are more captures than were looked at
}

// maxBelow bounds the captures that SampleBelow looks at.
const maxBelow = 200_000

// SampleBelow draws n pages among the captures that covers reports, which all lie below a key of
// the index (page.URL.SURT, or what it begins with). It costs one walk along them.
func SampleBelow(folder harvest.Folder, key string, covers func(page.URL) bool, n int,
	seed uint64,
) (b Below, err error) {
	runs, err := folder.Runs()
	if err != nil {
		return b, err
	}
	s := sample{most: n, drawn: map[page.URL]bool{}}
	binary.LittleEndian.PutUint64(s.seed[:], seed)
	for _, run := range runs {
		if err := s.below(&b, run, key, covers); err != nil {
			return b, err
		}
	}
	for _, d := range s.draws {
		b.Pages = append(b.Pages, d.url)
	}
	return b, nil
}

func (s *sample) below(b *Below, run harvest.Run, key string, covers func(page.URL) bool) (err error) {
	index, err := archive.OpenIndex(run.Index())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	for e, err := range index.Prefix(key) {
		if err != nil {
			return err
		}
		u, err := page.ParseURL(e.URL)
		if err != nil || !covers(u) {
			continue
		}
		if b.Captures == maxBelow {
			b.Cut = true
			return nil
		}
		b.Captures++
		b.Bytes += e.Length
		if e.Status == "200" && IsPage(e.MIME) {
			s.add(draw{u, xxh3.Hash(append(s.seed[:], e.URL...))})
		}
	}
	return nil
}

// isPage reports whether the last capture of a URL, or the capture to which it refers, is a page.
func isPage(folder harvest.Folder, u page.URL) (is bool, err error) {
	f, err := Find(folder, u, time.Time{})
	if errors.Is(err, ErrNotHeld) {
		return false, nil // the index has it under a key that is not its own
	}
	if err != nil {
		return false, err
	}
	if f.entry.Status != "200" && !unchanged(f.entry) {
		return false, nil // it is gone
	}
	if f.entry.MIME != archive.MIMERevisit {
		return IsPage(f.entry.MIME), nil
	}
	rec, err := f.Open(folder)
	if errors.Is(err, ErrNotHeld) {
		return false, nil
	}
	if err != nil {
		return true, nil //nolint:nilerr // a damaged record is for those to tell who read the page
	}
	defer func() { err = errors.Join(err, rec.Close()) }()
	m, err := rec.HTTP()
	return err == nil && IsPage(m.MIME()), nil // a record that cannot be read shows no page
}

// read draws among the pages and revisits of a run, or among those that a browser has drawn.
func (s *sample) read(run harvest.Run, drawn bool) error {
	if err := harvest.Emptied(run); err != nil {
		return err
	}
	for e, err := range archive.EntriesIn(run.Index()) {
		if errors.Is(err, archive.ErrEntry) {
			return harvest.IndexAnew(run, fmt.Errorf("%s: %w", run.Index(), err))
		}
		if err != nil {
			return err
		}
		name, is := archive.DrawnPage(e)
		if drawn != is || !is && !unchanged(e) &&
			(e.Status != "200" || !IsPage(e.MIME) && e.MIME != archive.MIMERevisit) {
			continue
		}
		if u, err := page.ParseURL(name); err == nil && u.PathQuery() != "/robots.txt" {
			s.add(draw{u, xxh3.Hash(append(s.seed[:], name...))})
		}
	}
	return nil
}

// IsPage reports the media type of a page.
func IsPage(mime string) bool {
	mime, _, _ = strings.Cut(mime, ";")
	switch strings.ToLower(strings.TrimSpace(mime)) {
	case "text/html", "application/xhtml+xml":
		return true
	}
	return false
}

type draw struct {
	url  page.URL
	hash uint64
}

func (d draw) compare(e draw) int {
	return cmp.Or(cmp.Compare(d.hash, e.hash), strings.Compare(string(d.url), string(e.url)))
}

// sample has the first of those drawn, in their order.
type sample struct {
	seed  [8]byte
	most  int
	draws []draw
	drawn map[page.URL]bool
}

func (s *sample) add(d draw) {
	at, _ := slices.BinarySearchFunc(s.draws, d, draw.compare)
	if at >= s.most || s.drawn[d.url] {
		return
	}
	s.drawn[d.url] = true
	s.draws = slices.Insert(s.draws, at, d)
	if len(s.draws) > s.most {
		delete(s.drawn, s.draws[s.most].url)
		s.draws = s.draws[:s.most]
	}
}
