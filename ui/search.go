package ui

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"watershed/harvest"
	"watershed/replay"
	"watershed/search"
)

// SearchModel is what the words of a query find in the captures of all runs.
type SearchModel struct {
	Query    string `json:"query,omitempty"`
	Hits     []hit  `json:"hits"`
	From     int    `json:"from"` // hits before these
	More     bool   `json:"more"` // there are more behind them
	Indexing bool   `json:"indexing"`
	search.Standing
}

// hit is a capture that was found.
type hit struct {
	search.Hit
	View string `json:"view,omitempty"` // where it is shown as it was
}

// Next is the number of hits before the next page.
func (m SearchModel) Next() int { return m.From + len(m.Hits) }

// Bounds of a search.
const (
	hitsPage = 20
	maxFrom  = 10_000 // what lies further behind is better searched for by other words
)

func searchModel(s *Server, q *query) (any, error) {
	if _, err := q.need(); err != nil {
		return nil, err
	}
	ctx := q.request.Context()
	m := SearchModel{Query: printable(q.value("q")), Hits: []hit{}, Indexing: s.indexing.is(q.harvest.Folder)}
	if text := q.value("from"); text != "" {
		var err error
		if m.From, err = strconv.Atoi(text); err != nil || m.From < 0 || m.From > maxFrom {
			return nil, badRequest("from is a number from 0 to %d", maxFrom)
		}
	}
	var ask search.Query
	if m.Query != "" {
		var err error
		if ask, err = search.ParseQuery(m.Query); err != nil {
			return nil, badRequest("%v", err)
		}
	}
	x, err := search.Open(ctx, q.harvest.Folder)
	if errors.Is(err, search.ErrNoIndex) {
		return m, countBehind(q, &m)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = x.Close() }() // it was only read
	if m.Standing, err = x.Standing(ctx); err != nil || m.Query == "" {
		return m, err
	}
	found, err := x.Find(ctx, ask, m.From, hitsPage)
	if err != nil {
		return nil, err
	}
	m.More = found.More && m.From+hitsPage <= maxFrom
	root := s.replayRoot(q.request, q.harvest.Name)
	for _, h := range found.Hits {
		hit := hit{Hit: h}
		if root != "" {
			hit.View = root + replay.Address("view", h.URL, h.Time)
		}
		m.Hits = append(m.Hits, hit)
	}
	return m, nil
}

// printable leaves out what is not seen of a query that a link may have brought, and what turns the
// direction of writing.
func printable(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return c
	}, text)
}

// countBehind tells of a harvest without an index how many runs are behind: all of them.
func countBehind(q *query, m *SearchModel) error {
	runs, err := q.harvest.Folder.Runs()
	m.Behind = len(runs)
	return err
}

// indexing knows which harvests' words are being indexed. It is safe for concurrent use.
type indexing struct {
	mu    sync.Mutex // guards what follows
	of    map[harvest.Folder]bool
	start func(func(context.Context)) // runs beside the requests, until the desk ends; nil runs within one
}

func (x *indexing) is(f harvest.Folder) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.of[f]
}

// begin marks a harvest. It is false where it was marked already.
func (x *indexing) begin(f harvest.Folder) (start func(func(context.Context)), fresh bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.of[f] {
		return nil, false
	}
	if x.of == nil {
		x.of = map[harvest.Folder]bool{}
	}
	x.of[f] = true
	return x.start, true
}

func (x *indexing) end(f harvest.Folder) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.of, f)
}

// index brings the index of a harvest's words up to date, beside the requests.
func (a *actions) index(q *query) error {
	if _, err := q.need(); err != nil {
		return err
	}
	folder := q.harvest.Folder
	if start, fresh := a.indexing.begin(folder); fresh {
		work := func(ctx context.Context) {
			defer a.indexing.end(folder)
			if _, err := search.Update(ctx, folder, nil); err != nil && ctx.Err() == nil {
				a.log.Error("words were not indexed", "harvest", q.harvest.Name, "cause", err)
			}
		}
		if start == nil {
			work(q.request.Context())
		} else {
			start(work)
		}
	}
	return nil
}

// indexForm is index, asked for by the desk's form.
func (a *actions) indexForm(q *query) (to string, err error) { return "search", a.index(q) }

// indexAPI is index, asked for by a program, which is told what is indexed.
func (s *Server) indexAPI(q *query) (any, error) {
	if err := s.index(q); err != nil {
		return nil, err
	}
	return searchModel(s, q)
}
