package harvest

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"watershed/archive"
	"watershed/crawler/robots"
	"watershed/frontier"
	"watershed/page"
	"watershed/store"
)

// losses are captures of the run that the state claims and no WARC file has, whole: a power cut, a
// damaged disk, a copy made while the files were changing. Their URLs are fetched again. A run that
// has just begun has none.
type losses struct {
	*ground
	seqs   map[uint64]bool        // of the visits that claim them
	places map[page.Location]bool // by file and offset
}

func placeOf(l page.Location) page.Location { return page.Location{File: l.File, Offset: l.Offset} }

// has reports that a record is lost.
func (l *losses) has(loc page.Location) bool { return l.places[placeOf(loc)] }

// of reports that the capture of a visit is lost, or stands for one that is.
func (l *losses) of(v *page.Visit) bool {
	return l.seqs[v.Seq] || v.Revisit && l.has(v.Origin.Record)
}

// claims are the captures that the state claims of a run, by WARC file: 32 bytes for each.
type claims map[string][]claim

type claim struct {
	offset, length int64
	seq            uint64 // of the visit
	whole          bool   // the file has it
}

// add takes over what a visit claims; it keeps nothing else of it.
func (c claims) add(v *page.Visit) {
	if v.Record.IsZero() {
		return
	}
	x := claim{offset: v.Record.Offset, length: v.Record.Length, seq: v.Seq}
	if list, known := c[v.Record.File]; known {
		c[v.Record.File] = append(list, x)
	} else {
		c[strings.Clone(v.Record.File)] = []claim{x}
	}
}

// claims reads what the state claims of the run.
func (g *ground) claims() (claims, error) {
	c := claims{}
	for v, err := range g.store.Heads(g.record.Number, 0) {
		if err != nil {
			return nil, err
		}
		c.add(v)
	}
	return c, nil
}

// verify compares the captures that the state claims of the run with the WARC files: each record is
// there, from its first byte to its last, by the sum in the file's register, else by its own
// checksum. It reads all files of the spool once; after a delivery none, whose claims it has marked.
func (l *losses) verify(all claims, delivered bool) error {
	known := l.seqs
	l.seqs, l.places = map[uint64]bool{}, map[page.Location]bool{}
	for _, file := range slices.Sorted(maps.Keys(all)) {
		claims := all[file]
		var err error
		if !delivered || !exists(filepath.Join(l.run.Spool(), file)) {
			err = seek(claims, l.run.find(file))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		lost := 0
		for _, c := range claims {
			if !c.whole {
				l.seqs[c.seq], l.places[page.Location{File: file, Offset: c.offset}] = true, true
				if !known[c.seq] {
					lost++
				}
			}
		}
		if lost > 0 {
			l.log.Error("a WARC file lacks captures", "file", file, "captures", lost, "of",
				len(claims), "cause", err)
		}
	}
	return nil
}

// seek marks those of the claims that a WARC file has whole. A folder or a pipe of its name is as
// good as no file: to read a pipe would take for ever.
func seek(claims []claim, path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file but %s: %w", path, info.Mode(), fs.ErrNotExist)
	}
	slices.SortFunc(claims, func(a, b claim) int { return cmp.Compare(a.offset, b.offset) })
	return archive.Intact(path, func(loc page.Location) { mark(claims, loc) })
}

// mark marks those of the claims of a file, in the order of their offsets, that are at a place.
func mark(claims []claim, loc page.Location) {
	i, _ := slices.BinarySearchFunc(claims, loc.Offset, func(c claim, at int64) int {
		return cmp.Compare(c.offset, at)
	})
	for ; i < len(claims) && claims[i].offset == loc.Offset; i++ {
		claims[i].whole = claims[i].whole || claims[i].length == loc.Length
	}
}

// delivered marks the claims of captures of which a delivery has decided where they go.
func (c claims) delivered(moves []archive.Move) {
	if len(moves) == 0 {
		return
	}
	claims := c[moves[0].From.File]
	slices.SortFunc(claims, func(a, b claim) int { return cmp.Compare(a.offset, b.offset) })
	for _, m := range moves {
		mark(claims, m.From)
	}
}

// find is where a WARC file of the run lies: in the spool, or in the archive of a run whose state
// was made anew.
func (r Run) find(file string) string {
	if path := filepath.Join(r.Spool(), file); exists(path) || !exists(filepath.Join(r.Archive(), file)) {
		return path
	}
	return filepath.Join(r.Archive(), file)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// missing gives the visits of the run whose capture is lost, or refers to one that is, and whose
// URLs were not captured again, or with an error where the lost capture had content; the last one of
// each URL, without its links, in the order of URLs.
func (l *losses) missing() ([]*page.Visit, error) {
	if len(l.seqs) == 0 {
		return nil, nil
	}
	gone := map[page.URL]*page.Visit{}
	for v, err := range l.store.Heads(l.record.Number, 0) {
		switch {
		case err != nil:
			return nil, err
		case v.Record.IsZero():
		case l.of(v):
			gone[v.URL] = v
		case gone[v.URL] != nil && gone[v.URL].Alive() && v.Status >= http.StatusBadRequest:
		default:
			delete(gone, v.URL)
		}
	}
	list := slices.Collect(maps.Values(gone))
	slices.SortFunc(list, func(a, b *page.Visit) int { return strings.Compare(string(a.URL), string(b.URL)) })
	return list, nil
}

// search finds out which of the captures that the state claims are missing, after a delivery those
// of which it has not decided where they go: damaged, or gone with their file since the run was opened.
func (l *losses) search(all claims, delivered bool) (missing []*page.Visit, err error) {
	if err := l.verify(all, delivered); err != nil {
		return nil, fmt.Errorf("compare the state with the WARC files: %w", err)
	}
	if missing, err = l.missing(); err != nil {
		return nil, fmt.Errorf("look for captures that are lost: %w", err)
	}
	return missing, nil
}

// mostWanted is how many lost captures a transaction takes back, which may be a gigabyte of small
// pages in all. Where the process dies between two, the rest is found lost by the next one.
const mostWanted = 256

// want has the URLs of visits fetched again, and takes back all references to their lost
// captures.
func (l *losses) want(f *frontier.Frontier, list []*page.Visit) error {
	for some := range slices.Chunk(list, mostWanted) {
		if err := l.store.Update(func(tx *store.Tx) error { return l.wantAgain(tx, f, some) }); err != nil {
			return fmt.Errorf("ask again for captures that are lost: %w", err)
		}
	}
	return nil
}

func (l *losses) wantAgain(tx *store.Tx, f *frontier.Frontier, list []*page.Visit) error {
	var urls []page.URL
	var unasked []frontier.Candidate
	for _, v := range list {
		if err := l.forget(tx, v); err != nil {
			return err
		}
		urls = append(urls, v.URL)
		if u, found, err := tx.URL(l.record.Number, v.URL.Key()); err != nil || found && u.URL == v.URL {
			if err != nil {
				return err
			}
			continue
		}
		// a robots.txt has no turn of its own
		x := frontier.Candidate{
			URL: v.URL, Spelled: v.Spelled, Via: v.Via, Hops: v.Hops,
			Wanted: true, Forced: true,
		}
		x.Site, _ = l.siteOf(v.Site)
		unasked = append(unasked, x)
	}
	if err := f.Again(tx, urls); err != nil {
		return err
	}
	_, err := f.Add(tx, unasked)
	return err
}

// forget removes from the state the references to a lost capture.
func (l *losses) forget(tx *store.Tx, v *page.Visit) error {
	if v.URL.PathQuery() == robotsPath {
		tx.DeleteRobots(robots.Origin(v.URL))
	}
	c, found, err := tx.Capture(v.URL)
	if err != nil {
		return err
	}
	if found && c.Run == l.record.Number && placeOf(c.Record) == placeOf(v.Record) {
		tx.DeleteCapture(v.URL)
	}
	payload := v.Digest.Within(v.Login)
	o, found, err := tx.Original(payload)
	if err == nil && found && o.Run == l.record.Number && l.has(o.Record) {
		tx.DeleteOriginal(payload)
	}
	return err
}

// holder answers whether captures of earlier runs can be read. It looks for each file once. It is safe
// for concurrent use.
type holder struct {
	*ground
	mu    sync.Mutex        // guards what follows
	files map[string]string // the folder that a WARC file lies in; "" where it is not there
	sound map[page.Location]bool

	flawed map[string]bool // files in which a record was met that is not sound
}

// mostSound is how many answers a holder remembers: a page is asked about twice, before it is asked for
// and when it answers.
const mostSound = 1 << 10

func newHolder(g *ground) *holder {
	return &holder{
		ground: g, files: map[string]string{}, sound: map[page.Location]bool{}, flawed: map[string]bool{},
	}
}

// held reports that the record of a run's capture can be read to its end, with the sums of its
// compression: nothing may refer to a damaged one, and nothing less finds damage. It costs a reading of
// the record. The record of a page that the run found unchanged is one of an earlier run.
func (x *holder) held(run store.Run, loc page.Location) bool {
	x.mu.Lock()
	dir, known := x.files[loc.File]
	if !known {
		dir = x.find(run, loc.File)
		x.files[loc.File] = dir
	}
	sound, asked := x.sound[loc]
	x.mu.Unlock()
	if asked || dir == "" {
		return sound
	}
	err := archive.Sound(dir, loc)
	if err != nil {
		x.log.Warn("a capture of an earlier run cannot be read; its page is fetched in full", "file",
			filepath.Join(dir, loc.File), "offset", loc.Offset, "cause", err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.sound) >= mostSound {
		clear(x.sound)
	}
	x.sound[loc] = err == nil
	if path := filepath.Join(dir, loc.File); err != nil && !x.flawed[path] {
		x.flawed[path] = true
		found := flaw{Run(filepath.Dir(dir)).Number(), loc.File, loc.Offset, loc.Length}
		if err := x.writeFlaws(append(readFlaws(x.folder), found)); err != nil {
			x.log.Error("a damaged file is not noted", "file", path, "cause", err)
		}
	}
	return err == nil
}

// find gives the folder with a WARC file of a run or an earlier one, "" for none.
func (x *holder) find(run store.Run, file string) string {
	for n := int(run); n > 0; n-- {
		dir := x.folder.Run(n).Archive()
		info, err := os.Stat(filepath.Join(dir, file))
		if err == nil && info.Mode().IsRegular() {
			return dir
		}
	}
	x.log.Warn("a WARC file of an earlier run is not there; what it had is fetched in full", "file",
		file, "run", run)
	return ""
}
