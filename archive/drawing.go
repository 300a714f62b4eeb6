package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"watershed/page"
)

// A page that a browser has drawn has two resource records beside its capture, under the addresses
// that Browsertrix gives them: its text as shown, and as JSON what it asked for. Places, which are
// our own, are those behind a "#" that its scripts show.
const (
	drawnText = "urn:text:"
	drawnInfo = "urn:pageinfo:"
)

// Drawing is what the records of a drawn page say.
type Drawing struct {
	PageID string                  `json:"pageid"`
	URL    string                  `json:"url"`
	Time   string                  `json:"ts"`
	Asked  map[string]DrawnRequest `json:"urls"` // by their addresses; a POST by PostAddress
	Places []Place                 `json:"places,omitempty"`
	Cut    string                  `json:"cut,omitempty"` // why not all of it was looked at
	Text   string                  `json:"-"`
}

// DrawnRequest is what came of a request of a drawn page.
type DrawnRequest struct {
	Status int    `json:"status"` // 0 for none
	MIME   string `json:"mime,omitempty"`
	Type   string `json:"type,omitempty"` // as Chromium calls it: script, image
	Cause  string `json:"error,omitempty"`
}

// Place is what a page shows at an address that differs behind a "#" alone.
type Place struct {
	URL   string `json:"url"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// Drafts are the records of the drawing of a page that was captured at a time.
func (d *Drawing) Drafts(u page.URL, as page.Spelling, at time.Time) ([]Draft, error) {
	name := u.As(as)
	d.PageID, d.URL, d.Time = PageID(u), name, Date(at)
	told, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	return []Draft{
		Resource(drawnText+name, "text/plain; charset=utf-8", at, []byte(d.Text)),
		Resource(drawnInfo+name, "application/json", at, told),
	}, nil
}

// Bounds of what is read of a drawing, in bytes.
const (
	maxDrawnInfo = 64 << 20
	maxDrawnText = 4 << 20
)

// FindDrawing reads the last drawing of a page, as it is spelled, out of the files of a folder by
// their index; nil where it was not drawn.
func FindDrawing(x *Index, dir, name string) (*Drawing, error) {
	info, err := lastOf(x, dir, drawnInfo+name, maxDrawnInfo)
	if err != nil || info == nil {
		return nil, err
	}
	d := new(Drawing)
	if err := json.Unmarshal(info, d); err != nil {
		return nil, fmt.Errorf("what %s asked for: %w", name, err)
	}
	text, err := lastOf(x, dir, drawnText+name, maxDrawnText)
	d.Text = string(text)
	return d, err
}

// DrawnPage is the page whose drawing an entry tells of, as it is spelled; drawn is false, and the
// address that of the entry, where it is of something else.
func DrawnPage(e *Entry) (address string, drawn bool) { return strings.CutPrefix(e.URL, drawnInfo) }

// lastOf is the beginning of the last resource of an address; nil for none.
func lastOf(x *Index, dir, address string, most int64) (block []byte, err error) {
	var last *Entry
	for e, err := range x.Key(keyOf(address)) {
		if err != nil {
			return nil, err
		}
		if e.URL == address {
			last = e
		}
	}
	if last == nil {
		return nil, nil
	}
	rec, err := Open(dir, last.Location())
	if err != nil {
		return nil, err
	}
	block, err = io.ReadAll(io.LimitReader(rec.Block, most))
	return block, errors.Join(err, rec.Close())
}
