package ui

import (
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"watershed/archive"
	"watershed/harvest"
	"watershed/holdings"
	"watershed/page"
	"watershed/replay"
)

// CapturesModel is what a search in the captures of a run finds, and the files of its archive.
type CapturesModel struct {
	Run      string        `json:"run"`
	Text     string        `json:"text,omitempty"` // what was searched for; "" finds every capture
	Captures []capture     `json:"captures"`
	More     bool          `json:"more"`              // there are more than are told
	Damaged  int           `json:"damaged,omitempty"` // lines of the index that cannot be read
	Files    []archiveFile `json:"files"`

	Lost string `json:"-"` // says that the last run has ended and has no index, "" of another one
	root string // of the replay, "" for none
}

// capture is a line of the index.
type capture struct {
	URL    string    `json:"url"`
	Time   time.Time `json:"time"`
	Title  string    `json:"title,omitempty"`
	MIME   string    `json:"mime"`
	Status string    `json:"status"`
	Digest string    `json:"digest,omitempty"`
	File   string    `json:"file"`
	Offset int64     `json:"offset"`
	Length int64     `json:"length"`
	View   string    `json:"view,omitempty"` // where it is shown as it was
	// Thumbnail is where a small picture is of a page that a browser has drawn.
	Thumbnail string `json:"thumbnail,omitempty"`
}

// archiveFile is a file that other programs replay from. It is served by range.
type archiveFile struct {
	Name    string `json:"name"`
	Bytes   int64  `json:"bytes"`
	Address string `json:"address,omitempty"` // for replay programs, which need no token there
}

// Bounds of a search.
const (
	maxCaptures = 200
	maxSearch   = 500     // characters
	maxTitles   = 200_000 // pages whose titles are held
)

// indexed is the run that is asked for; where none is named, the last one that has an index.
func (q *query) indexed() (harvest.Run, error) {
	run, err := q.need()
	if err != nil || q.value("run") != "" {
		return run, err
	}
	for _, name := range slices.Backward(q.runs) {
		earlier := harvest.Run(filepath.Join(filepath.Dir(string(run)), name))
		if _, err := os.Stat(earlier.Index()); err == nil {
			return earlier, nil
		}
	}
	return run, nil
}

func capturesModel(s *Server, q *query) (any, error) {
	run, err := q.indexed()
	if err != nil {
		return nil, err
	}
	m := CapturesModel{Run: run.Name(), Text: q.value("text"), Captures: []capture{}, Files: []archiveFile{}}
	if len(m.Text) > maxSearch {
		return nil, badRequest("at most %d characters can be searched for", maxSearch)
	}
	if lost := harvest.LostIndex(q.run); lost != nil {
		m.Lost = lost.Error()
	}
	m.root = s.replayRoot(q.request, q.harvest.Name)
	files, err := replay.Files(run)
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		stat, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		file := archiveFile{Name: filepath.Base(path), Bytes: stat.Size()}
		if m.root != "" {
			file.Address = m.root + "files/" + run.Name() + "/" + url.PathEscape(file.Name)
		}
		m.Files = append(m.Files, file)
	}
	titles, err := s.titlesOf(run)
	if err != nil {
		return nil, err
	}
	if err = m.search(run, titles, q.request.Context().Err); err == nil && m.root != "" {
		err = m.picture(run)
	}
	if errors.Is(err, fs.ErrNotExist) && m.Lost != "" {
		return nil, notFound(m.Lost)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil,
			notFound("The index of the captures is written when the run has ended or reached a limit.")
	}
	return m, err
}

// search reads the index through, until it has found enough or who asked has gone: pages that were
// had come first, then files, redirects and errors. It costs the index's length.
func (m *CapturesModel) search(run harvest.Run, titles map[string]string, gone func() error) error {
	want := strings.ToLower(m.Text)
	var others []capture
	defer func() {
		most := maxCaptures - len(m.Captures)
		m.More = m.More || len(others) > most
		m.Captures = append(m.Captures, others[:min(len(others), most)]...)
	}()
	n := 0
	for e, err := range archive.EntriesIn(run.Index()) {
		if n++; n%4096 == 1 && gone() != nil {
			return gone()
		}
		if errors.Is(err, archive.ErrEntry) {
			m.Damaged++
			continue
		}
		if err != nil {
			return err
		}
		title, titled := titles[e.URL]
		if strings.HasPrefix(e.URL, archive.DrawnPrefix) && !strings.HasPrefix(want, archive.DrawnPrefix) {
			continue // of a drawing, which its page shows
		}
		if !strings.Contains(strings.ToLower(e.URL), want) &&
			!strings.Contains(strings.ToLower(title), want) {
			continue
		}
		list := &others
		if e.Status == "200" && (titled || e.MIME == "text/html") {
			list = &m.Captures
		}
		if len(*list) == maxCaptures {
			m.More = true
			if list == &m.Captures {
				return nil
			}
			continue
		}
		at, err := e.Time()
		if err != nil {
			return err
		}
		*list = append(*list, capture{
			URL: e.URL, Time: at, Title: title, MIME: e.MIME, Status: e.Status, Digest: e.Digest,
			File: e.File, Offset: e.Offset, Length: e.Length, View: m.viewOf(e, at),
		})
	}
	return nil
}

// picture finds which of the captures have a thumbnail.
func (m *CapturesModel) picture(run harvest.Run) (err error) {
	x, err := archive.OpenIndex(run.Index())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	for i := range m.Captures {
		c := &m.Captures[i]
		if !holdings.IsPage(c.MIME) && c.MIME != archive.MIMERevisit {
			continue
		}
		if c.Thumbnail, err = thumbnail(x, m.root, c.URL, c.Time); err != nil {
			return err
		}
	}
	return nil
}

// readTitles reads the titles of the pages of a package, by URL.
func readTitles(path string) (_ map[string]string, err error) {
	w, err := archive.OpenWACZ(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	titles := map[string]string{}
	for p, err := range w.Pages() {
		if err != nil {
			return nil, err
		}
		if p.Title != "" && len(titles) < maxTitles {
			titles[string(p.URL)] = p.Title
		}
	}
	return titles, nil
}

// archiveFile serves one of them, by range where that is asked for.
func (s *Server) archiveFile(w http.ResponseWriter, q *query) error {
	run, err := q.need()
	if err != nil {
		return err
	}
	files, err := replay.Files(run)
	if err != nil {
		return err
	}
	name := q.request.PathValue("file")
	i := slices.IndexFunc(files, func(p string) bool { return filepath.Base(p) == name })
	if i < 0 {
		return notFound("The archive of the run has no such file.")
	}
	return download(w, q.request, files[i], replay.FileTypes[filepath.Ext(files[i])])
}

// download serves a file of a listing, to be kept.
func download(w http.ResponseWriter, r *http.Request, path, mime string) error {
	w.Header().Set("Content-Disposition", "attachment")
	err := replay.ServeFile(w, r, path, mime)
	if err != nil {
		w.Header().Del("Content-Disposition")
	}
	return err
}

// viewOf is where a capture is shown; "" where it cannot be.
func (m *CapturesModel) viewOf(e *archive.Entry, at time.Time) string {
	u, err := page.ParseURL(e.URL)
	if m.root == "" || err != nil || e.Status == "" && e.MIME != archive.MIMERevisit {
		return ""
	}
	return m.root + replay.Address("view", u, at)
}
