package harvest

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"watershed/archive"
	"watershed/corpus"
	"watershed/crawler"
	"watershed/crawler/draw"
	"watershed/crawler/extract"
	"watershed/crawler/robots"
	"watershed/frontier"
	"watershed/page"
	"watershed/replica/sketch"
	"watershed/store"
)

// restorer makes a state from the files of runs: the captures with their links and sketches from
// the archived pages, which are read again; the way in which they were found from the metadata
// records, and what was sent to those that answer a POST from the requests; what a browser found on
// pages that it has drawn from the records of the drawings; failures from crawl.log; and left out
// URLs from skipped.jsonl.
//
// A run without a spool was finished; of a page that was to be drawn and is not, nobody knows what it
// shows. The last run, where it has a spool, goes on: its captures are not fetched again, and its pages
// that were not drawn yet are drawn. Hosts, robots.txt, queues and
// waiting times are not known from files; a run learns them anew.
type restorer struct {
	opener  *opener
	st      *store.Store
	runs    map[string]store.Run // of the WARC files, by their paths
	text    *sketch.Builder      // nil where pages are not sketched
	extract *extract.Extractor
	batch   []*page.Visit
	number  store.Run // of the batch
	goesOn  store.Run // the run that does, 0 for none

	path  string // of the file whose metadata are known
	meta  map[int64]found
	drawn []drawnAt

	told map[string]bool // paths of files whose metadata were read
}

// drawnAt is where the records of a drawing lie.
type drawnAt struct {
	run        store.Run
	dir        string
	info, text page.Location
}

// found is how a capture was found, by its metadata record.
type found struct {
	via               page.URL
	hops, site, login string
	took              time.Duration
	step              bool     // of a login
	posted            page.URL // of an answer to POST: what stands for it; "" for any other
	unchanged         bool     // the server said that an earlier capture is still good
}

// restore fills a new store in a folder with what the runs have.
func (x *opener) restore(dir string, runs []Run) (err error) {
	r := &restorer{
		opener: x, runs: map[string]store.Run{}, told: map[string]bool{},
	}
	if o := x.plan.Crawl.Sketch; o != nil {
		if r.text, err = sketch.NewBuilder(*o); err != nil {
			return err
		}
	}
	if r.extract, err = extract.New(x.plan.Extract); err != nil {
		return err
	}
	if r.st, err = store.Open(x.stateOptions(dir)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.st.Close()) }()
	runs = slices.DeleteFunc(slices.Clone(runs), func(run Run) bool { return !run.captured() })
	var files []string
	for i, run := range runs {
		list, err := r.begin(run, i == len(runs)-1)
		if err != nil {
			return err
		}
		files = append(files, list...)
	}
	if err := errors.Join(r.captures(files), r.drawings(files)); err != nil {
		return err
	}
	for _, run := range runs {
		if err := errors.Join(r.failures(run), r.leftOut(run)); err != nil {
			return fmt.Errorf("%s: %w", run.Name(), err)
		}
	}
	x.rebuilt.Runs = len(runs)
	return r.st.Update(func(tx *store.Tx) error { tx.Distrust(); return nil })
}

// begin notes a run, and gives its WARC files.
func (r *restorer) begin(run Run, last bool) (files []string, err error) {
	number := store.Run(run.Number())
	known := map[string]bool{}
	// delivered captures of a spool's file lie in both
	for _, dir := range []string{run.Spool(), run.Archive()} {
		if _, err := archive.Repair(r.opener.disk(), dir); err != nil {
			return nil, err
		}
		names, err := archive.Files(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, name := range names {
			if !known[name] {
				known[name] = true
				path := filepath.Join(dir, name)
				r.runs[path] = number
				files = append(files, path)
			}
		}
	}
	record := store.RunRecord{
		Number: number, State: store.RunFinished, Started: madeAt(files), Extends: store.Run(extendedBy(run)),
	}
	if info, err := os.Stat(run.Index()); err == nil {
		record.Finished = info.ModTime()
		if err := run.indexed(); err != nil {
			r.opener.rebuilt.Away++
			r.opener.log.Warn("captures of a run are not in its WARC files", "run", number, "cause", err)
		}
	}
	if last && run.spooled() {
		record.State, record.Config = store.RunInterrupted, r.opener.plan.Changed
		r.goesOn = number
	}
	return files, r.st.Update(func(tx *store.Tx) error {
		tx.PutRun(record)
		return store.PutSiteNames(tx, number, r.opener.plan.sites())
	})
}

// madeAt is the date of the first record of the first file that tells one; now where none does.
func madeAt(files []string) time.Time {
	for _, path := range files {
		f, err := archive.OpenFile(path)
		if err != nil {
			continue
		}
		rec, err := f.Next()
		var at time.Time
		if err == nil {
			at, err = rec.Date()
		}
		if err = errors.Join(err, f.Close()); err == nil {
			return at
		}
	}
	return time.Now()
}

// captures reads all captures, in the order of runs and files.
func (r *restorer) captures(files []string) error {
	if len(files) == 0 {
		return nil
	}
	ctx := context.Background()
	c, err := corpus.Open(ctx, files, corpus.Options{
		All: true, Posts: true, Body: true,
		Text:    r.text != nil || r.opener.plan.Crawl.Draws != nil,
		Extract: r.opener.plan.Extract,
		Damaged: func(d corpus.Damage) {
			r.opener.rebuilt.Damaged++
			r.opener.log.Error("a WARC file could be read only in part", "cause", d.String())
		},
	})
	if errors.Is(err, corpus.ErrNothing) {
		return nil
	}
	if err != nil {
		return err
	}
	err = c.Pages(ctx, r.add)
	return errors.Join(err, r.flush(), c.Close())
}

// add makes a visit of a capture.
func (r *restorer) add(p *corpus.Page) error {
	if p.Path != r.path {
		if err := r.readMeta(p.Path); err != nil {
			return err
		}
	}
	v := &p.Visit
	m := r.meta[v.Record.Offset]
	if m.step {
		return nil
	}
	v.Via, v.Hops, v.Site, v.Duration, v.Login = m.via, m.hops, m.site, m.took, m.login
	if b := p.Body; v.Truncated == page.Whole && !b.Cut && b.Err == nil && len(b.Bytes) > 0 {
		v.Content = xxh3.Hash(b.Bytes)
	}
	r.listed(p)
	v.Sketch = r.sketch(p.Text)
	number := r.runs[p.Path]
	if number != r.number || len(r.batch) == restoreBatch {
		if err := r.flush(); err != nil {
			return err
		}
		r.number = number
	}
	v.Drawing = r.draws(p)
	if m.posted != "" {
		v.URL, v.Spelled = m.posted, ""
	}
	if m.unchanged {
		v.Status, v.Size = http.StatusNotModified, 0
	}
	r.batch = append(r.batch, v)
	return nil
}

// listed gives a robots.txt the site maps that it names, and a site map the URLs that it lists. The
// way in which a URL was found tells that it is one of these.
func (r *restorer) listed(p *corpus.Page) {
	switch {
	case !p.OK():
	case p.URL.PathQuery() == robotsPath && strings.HasSuffix(p.Hops, "P"):
		p.Links = append(p.Links,
			crawler.SitemapLinks(p.URL,
				robots.Parse(p.Body.Bytes, r.opener.plan.Robots.Product).Sitemaps())...)
	case page.FoundBy(p.Hops) == page.Sitemap.Hop():
		x := r.extract.Extract(extract.Input{
			URL: p.URL, Status: p.Status, Header: textproto.MIMEHeader{"Content-Type": {p.MIME}},
			Body: p.Body.Bytes, Sitemap: true,
		})
		if x.Format == extract.Sitemap { // else a page that one lists
			p.Charset, p.Language, p.Title, p.Links, p.Text = x.Charset, x.Language, x.Title, x.Links, nil
			p.Unended = false
		}
	}
}

// draws says whether a page is drawn, as when it was captured; what others need is not.
func (r *restorer) draws(p *corpus.Page) page.Drawing {
	draws := r.opener.plan.Crawl.Draws
	switch {
	case draws == nil:
		return page.NotDrawn
	case p.OK() && extract.IsScript(p.MIME):
		return draws(p.Site).OfScript(p.URL, p.Body.Bytes)
	case !p.OK() && p.Status < http.StatusBadRequest || page.FoundBy(p.Hops) == page.Embed.Hop():
		return page.NotDrawn
	case p.OK() && !strings.Contains(p.MIME, "html"):
		return draws(p.Site).OfXML(p.MIME, p.Hops, func() []byte { return p.Body.Bytes })
	case !strings.Contains(p.MIME, "html"):
		return page.NotDrawn
	}
	return draws(p.Site).Of(p.Status, p.Body.Bytes, draw.LookAt(p.Body.Bytes, string(p.Text)))
}

// restoreBatch is how many visits are committed at a time.
const restoreBatch = 128

// flush commits the visits that were gathered.
func (r *restorer) flush() error {
	r.opener.rebuilt.Captures += len(r.batch)
	return commitEach(r.st, &r.batch, r.put)
}

// commitEach does something with each of a batch in one transaction, and empties the batch.
func commitEach[T any](st *store.Store, batch *[]T, do func(*store.Tx, T) error) error {
	err := st.Update(func(tx *store.Tx) error {
		for _, x := range *batch {
			if err := do(tx, x); err != nil {
				return err
			}
		}
		return nil
	})
	*batch = (*batch)[:0]
	return err
}

func (r *restorer) put(tx *store.Tx, v *page.Visit) error {
	if err := tx.PutVisit(r.number, v); err != nil {
		return err
	}
	if err := crawler.Remember(tx, r.number, v); err != nil {
		return err
	}
	site, _ := r.opener.siteOf(v.Site)
	return frontier.Adopt(tx, r.number, v, site)
}

// maxMeta bounds the part of a metadata record that is read, in bytes; the fields on how a page was
// found stand before its links.
const maxMeta = 64 << 10

// readMeta reads how the captures of a file were found, in a damaged file as far as it can be read.
func (r *restorer) readMeta(path string) (err error) {
	r.path, r.meta, r.told[path] = path, map[int64]found{}, true
	f, err := archive.OpenFile(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	main, at := "", int64(0)
	for {
		rec, err := f.Next()
		var format *archive.FormatError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &format):
			if f.Broken() && !f.Recover() {
				return nil
			}
			continue
		case err != nil:
			return err
		}
		switch rec.Type() {
		case archive.TypeResponse, archive.TypeRevisit:
			if loc, err := f.Location(); err == nil {
				main, at = rec.ID(), loc.Offset
				r.meta[at] = found{unchanged: rec.Header.Get("WARC-Profile") == archive.ProfileNotModified}
			}
		case archive.TypeRequest, archive.TypeMetadata:
			if rec.Header.Get("WARC-Concurrent-To") != main || main == "" {
				continue
			}
			m := r.meta[at]
			m.learn(rec)
			r.meta[at] = m
		case archive.TypeResource:
			if loc, err := f.Location(); err == nil {
				r.drawing(rec.TargetURI(), loc)
			}
		}
	}
}

// learn reads a record beside the capture; of one that is damaged it learns nothing.
func (m *found) learn(rec *archive.Record) {
	if rec.Type() == archive.TypeRequest {
		if posted, err := archive.PostedBy(rec); err == nil && posted != "" {
			m.posted, _ = page.ParseURL(posted) // "" for what is too long, as when it was asked for
		}
		return
	}
	text, err := io.ReadAll(io.LimitReader(rec.Block, maxMeta))
	if err != nil {
		return
	}
	f := archive.ParseFields(text)
	took, _ := strconv.ParseInt(f.Get("fetchTimeMs"), 10, 64) // 0 where it is not told
	m.via, m.hops, m.site = page.URL(f.Get("via")), f.Get("hopsFromSeed"), f.Get("site")
	m.took, m.login = time.Duration(took)*time.Millisecond, f.Get("login")
	m.step = f.Get("loginStep") != ""
}

// drawing notes where a record of a drawing lies. That of its text comes before that which tells of
// all.
func (r *restorer) drawing(address string, at page.Location) {
	x := drawnAt{run: r.runs[r.path], dir: filepath.Dir(r.path)}
	if _, is := strings.CutPrefix(address, string(archive.DrawnText)); is {
		x.text = at
		r.drawn = append(r.drawn, x)
		return
	}
	if _, is := strings.CutPrefix(address, string(archive.DrawnInfo)); !is {
		return
	}
	if n := len(r.drawn); n > 0 && r.drawn[n-1].info.IsZero() && r.drawn[n-1].text.File == at.File {
		r.drawn[n-1].info = at
		return
	}
	x.info = at
	r.drawn = append(r.drawn, x)
}

// drawings adds to the visits what was found when their pages were drawn.
func (r *restorer) drawings(files []string) error {
	for _, path := range files {
		if r.told[path] {
			continue // it has captures
		}
		if err := r.readMeta(path); err != nil {
			return err
		}
	}
	slices.SortStableFunc(r.drawn, func(a, b drawnAt) int { return cmp.Compare(a.run, b.run) })
	for _, x := range r.drawn {
		if x.info.IsZero() {
			continue
		}
		d, err := archive.OpenDrawing(x.dir, x.info, x.text)
		if err != nil {
			r.opener.rebuilt.Damaged++
			r.opener.log.Error("what was drawn of a page is not known", "cause", err)
			continue
		}
		if err := r.st.Update(func(tx *store.Tx) error { return r.amend(tx, x.run, d) }); err != nil {
			return err
		}
	}
	return nil
}

// amend adds what a drawing tells to the visit of its page. Where an older program has recorded it,
// which did not tell to where it leads, and the run goes on, the page is drawn again.
func (r *restorer) amend(tx *store.Tx, run store.Run, d *archive.Drawing) error {
	u, err := page.ParseURL(d.URL)
	if err != nil || d.Links == nil && run == r.goesOn {
		return nil
	}
	v, err := lastVisit(tx, run, u)
	if err != nil || v == nil || archive.Date(v.Time) != d.Time {
		return err
	}
	crawler.LearnDrawing(v, d)
	if s := r.sketch([]byte(d.Text)); s != nil {
		v.Sketch = s
	}
	return tx.AmendVisit(run, v)
}

// lastVisit is the last visit of a URL in a run; nil for none.
func lastVisit(tx *store.Tx, run store.Run, u page.URL) (*page.Visit, error) {
	x, found, err := tx.URL(run, u.Key())
	if err != nil || !found || x.URL != u || x.Visit == 0 {
		return nil, err
	}
	v, found, err := tx.Visit(run, x.Visit)
	if err != nil || !found {
		return nil, err
	}
	return &v, nil
}

// sketch is that of a text, as it is stored; nil where there is none.
func (r *restorer) sketch(text []byte) []byte {
	if r.text == nil || len(text) == 0 {
		return nil
	}
	r.text.Reset()
	r.text.Text(text)
	if s := r.text.Sketch(); s.Tokens > 0 {
		return s.AppendEncode(nil)
	}
	return nil
}

// failures takes the attempts that brought no answer out of crawl.log. Of a run that goes on they
// are tried again.
func (r *restorer) failures(run Run) error {
	if run.spooled() {
		return nil
	}
	r.number = store.Run(run.Number())
	for line, err := range Lines(run.path("logs", "crawl.log")) {
		if err != nil {
			return err
		}
		if v, ok := failureOf(string(line)); ok {
			r.batch = append(r.batch, v)
		}
		if len(r.batch) == restoreBatch {
			if err := r.flushFailures(); err != nil {
				return err
			}
		}
	}
	return r.flushFailures()
}

func (r *restorer) flushFailures() error {
	return commitEach(r.st, &r.batch, func(tx *store.Tx, v *page.Visit) error {
		return tx.PutVisit(r.number, v)
	})
}

// failureOf reads a line of crawl.log that tells of no answer; ok is false for any other.
func failureOf(line string) (v *page.Visit, ok bool) {
	f := strings.Fields(line)
	if len(f) < 11 {
		return nil, false
	}
	at, errTime := time.Parse(time.RFC3339, f[0])
	status, errStatus := strconv.Atoi(f[1])
	u, spelled, errURL := page.ParseSpelled(f[3])
	if errors.Join(errTime, errStatus, errURL) != nil || status > 0 {
		return nil, false
	}
	word := func(s string) string { return strings.TrimPrefix(s, "-") }
	return &page.Visit{
		URL: u, Spelled: spelled, Time: at, Status: status, Hops: word(f[4]),
		Via: page.URL(word(f[5])), Site: word(f[10]),
	}, true
}

// leftOut reads the URLs for which other pages stood from skipped.jsonl.
func (r *restorer) leftOut(run Run) error {
	if run.spooled() {
		return nil
	}
	var batch []store.Entry
	flush := func() error {
		return commitEach(r.st, &batch, func(tx *store.Tx, x store.Entry) error {
			return tx.PutEntry(store.Run(run.Number()), x)
		})
	}
	for line, err := range Lines(run.path("logs", "skipped.jsonl")) {
		if err != nil {
			return err
		}
		if x, ok := leftOutBy(line); ok {
			batch = append(batch, x)
		}
		if len(batch) == restoreBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// leftOutBy reads a line of skipped.jsonl that names the page that stands for its URL; ok is false
// for any other line.
func leftOutBy(line []byte) (x store.Entry, ok bool) {
	var s struct {
		URL      page.URL  `json:"url"`
		Time     time.Time `json:"ts"`
		Evidence struct {
			Why            string   `json:"why"`
			Detail         string   `json:"detail"`
			Representative page.URL `json:"representative"`
		} `json:"evidence"`
	}
	if json.Unmarshal([]byte(line), &s) != nil || s.Evidence.Representative == "" {
		return x, false
	}
	reason, known := store.ParseReason(s.Evidence.Why)
	if !known || !reason.Stood() {
		return x, false
	}
	return store.Entry{
		Key: s.URL.Key(), Reason: reason, Representative: s.Evidence.Representative,
		Evidence: s.Evidence.Detail, Time: s.Time,
	}, true
}

// longestLine bounds the lines that Lines gives, in bytes; a longer one is of no URL, and an error.
const longestLine = 4 << 20

// Lines gives the lines of a file, each until the next one; none where the file is not there.
func Lines(path string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				yield(nil, err)
			}
			return
		}
		defer func() { _ = f.Close() }() // it was only read
		for r := bufio.NewReaderSize(f, longestLine); ; {
			line, err := r.ReadSlice('\n')
			switch {
			case errors.Is(err, bufio.ErrBufferFull):
				yield(nil, fmt.Errorf("%s has a line of more than %d bytes", path, longestLine))
				return
			case len(line) > 0 && !yield(line, nil), errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(nil, err)
				return
			}
		}
	}
}
