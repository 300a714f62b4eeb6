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

// Drawn is what a resource record beside the capture of a page tells of its drawing by a browser. It
// begins the record's address, and the page's own follows. All but DrawnMarkup are those of Browsertrix;
// in DrawnInfo all from Places on is ours: the places behind a "#" that the page's scripts show, and
// what a state needs that is made anew from archives.
type Drawn string

// DrawnPrefix begins the addresses of all of them.
const DrawnPrefix = "urn:"

// The records of a drawing.
const (
	DrawnText      Drawn = "urn:text:"
	DrawnInfo      Drawn = "urn:pageinfo:"  // what it asked for, as JSON
	DrawnMarkup    Drawn = "urn:markup:"    // the page as it stood, without its scripts, as HTML
	DrawnView      Drawn = "urn:view:"      // a picture of it
	DrawnThumbnail Drawn = "urn:thumbnail:" // the same, smaller
)

// Drawing is what the records of a drawn page say.
type Drawing struct {
	PageID string                  `json:"pageid"`
	URL    string                  `json:"url"`
	Time   string                  `json:"ts"`
	Asked  map[string]DrawnRequest `json:"urls"` // by AddressOf
	Places []Place                 `json:"places,omitempty"`
	Errors []string                `json:"errors"` // of its scripts; nil in records that do not tell
	Title  string                  `json:"title,omitempty"`
	Links  []DrawnLink             `json:"links"`         // to other pages; nil in records that do not tell
	Cut    string                  `json:"cut,omitempty"` // why not all of it was looked at
	// Text is what it showed; a second line is what it showed as things were pressed that might have led
	// elsewhere.
	Text string `json:"-"`

	Markup          string `json:"-"` // "" for none
	View, Thumbnail []byte `json:"-"` // as JPEG; nil for none
}

// DrawnRequest is what came of a request of a drawn page.
type DrawnRequest struct {
	Status int    `json:"status"` // 0 for none
	MIME   string `json:"mime,omitempty"`
	Type   string `json:"type,omitempty"` // as Chromium calls it: script, image
	Cause  string `json:"error,omitempty"`
}

// DrawnLink is a link that a drawn page showed.
type DrawnLink struct {
	URL      string `json:"url"`
	Context  string `json:"context"`
	Text     string `json:"text,omitempty"`
	NoFollow bool   `json:"nofollow,omitempty"`
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
	drafts := []Draft{Resource(string(DrawnText)+name, "text/plain; charset=utf-8", at, []byte(d.Text))}
	for _, x := range []struct {
		drawn Drawn
		mime  string
		block []byte
	}{
		{DrawnMarkup, "text/html; charset=utf-8", []byte(d.Markup)},
		{DrawnView, "image/jpeg", d.View},
		{DrawnThumbnail, "image/jpeg", d.Thumbnail},
		{DrawnInfo, "application/json", told},
	} {
		if len(x.block) > 0 {
			drafts = append(drafts, Resource(string(x.drawn)+name, x.mime, at, x.block))
		}
	}
	return drafts, nil
}

// maxDrawn bounds what is read of a record of a drawing, in bytes.
const maxDrawn = 64 << 20

// OpenDrawing reads a drawing by where its records lie, the text where text is not zero.
func OpenDrawing(dir string, info, text page.Location) (*Drawing, error) {
	d := new(Drawing)
	told, err := openDrawn(dir, info)
	if err == nil {
		err = json.Unmarshal(told, d)
	}
	if err != nil {
		return nil, fmt.Errorf("what a drawn page asked for: %w", err)
	}
	if !text.IsZero() {
		told, err = openDrawn(dir, text)
		d.Text = string(told)
	}
	return d, err
}

func openDrawn(dir string, at page.Location) ([]byte, error) {
	rec, err := Open(dir, at)
	if err != nil {
		return nil, err
	}
	block, err := io.ReadAll(io.LimitReader(rec.Block, maxDrawn))
	return block, errors.Join(err, rec.Close())
}

// FindDrawing reads the last drawing of a page, as it is spelled, out of the files of a folder by
// their index; nil where it was not drawn.
func FindDrawing(x *Index, dir, name string) (*Drawing, error) {
	info, err := FindDrawn(x, dir, DrawnInfo, name)
	if err != nil || info == nil {
		return nil, err
	}
	d := new(Drawing)
	if err := json.Unmarshal(info, d); err != nil {
		return nil, fmt.Errorf("what %s asked for: %w", name, err)
	}
	text, err := FindDrawn(x, dir, DrawnText, name)
	d.Text = string(text)
	return d, err
}

// DrawnPage is the page whose drawing an entry tells of, as it is spelled; drawn is false, and the
// address that of the entry, where it is of something else.
func DrawnPage(e *Entry) (address string, drawn bool) {
	return strings.CutPrefix(e.URL, string(DrawnInfo))
}

// FindDrawn reads a record of the last drawing of a page likewise; nil where there is none.
func FindDrawn(x *Index, dir string, d Drawn, name string) (block []byte, err error) {
	last, err := lastDrawn(x, d, name)
	if err != nil || last == nil {
		return nil, err
	}
	return openDrawn(dir, last.Location())
}

// HasDrawn reports that there is such a record, by the index alone.
func HasDrawn(x *Index, d Drawn, name string) (bool, error) {
	last, err := lastDrawn(x, d, name)
	return last != nil, err
}

func lastDrawn(x *Index, d Drawn, name string) (last *Entry, err error) {
	address := string(d) + name
	for e, err := range x.Key(keyOf(address)) {
		if err != nil {
			return nil, err
		}
		if e.URL == address {
			last = e
		}
	}
	return last, nil
}
