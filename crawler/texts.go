package crawler

import (
	"net/http"
	"sync"

	"watershed/page"
	"watershed/replica/novelty"
	"watershed/replica/sketch"
)

// texts lends the workers what reads the text of pages as they are parsed; the zero value reads
// nothing.
type texts struct {
	pool *sync.Pool // of *text; nil reads nothing
}

// text reads the text of one page after the other. A nil text reads nothing.
type text struct {
	sketches *sketch.Builder // nil without
	novelty  *novelty.Reader // nil without
}

func (s *texts) begin(o *sketch.Options, novel bool) error {
	if o == nil && !novel {
		return nil
	}
	build := func() (*text, error) {
		t := &text{}
		if novel {
			t.novelty = novelty.NewReader()
		}
		if o == nil {
			return t, nil
		}
		var err error
		t.sketches, err = sketch.NewBuilder(*o)
		return t, err
	}
	first, err := build()
	if err != nil {
		return err
	}
	s.pool = &sync.Pool{New: func() any {
		t, err := build()
		if err != nil { // never: the options were good for the first
			return (*text)(nil)
		}
		return t
	}}
	s.pool.Put(first)
	return nil
}

// get lends a text for the page of an address. Give it back with put.
func (s *texts) get(u page.URL) *text {
	if s.pool == nil {
		return nil
	}
	t, _ := s.pool.Get().(*text)
	if t != nil && t.novelty != nil {
		t.novelty.Begin(u)
	}
	return t
}

func (s *texts) put(t *text) {
	if t == nil {
		return
	}
	if t.sketches != nil {
		t.sketches.Reset()
	}
	s.pool.Put(t)
}

// reader takes the pieces of a page; nil where nobody does.
func (t *text) reader() func([]byte) {
	if t == nil {
		return nil
	}
	return func(piece []byte) {
		if t.sketches != nil {
			t.sketches.Text(piece)
		}
		if t.novelty != nil {
			t.novelty.Text(piece)
		}
	}
}

// sketch gives the sketch of the page that was read, as it is stored: nil where it had no text.
func (t *text) sketch() []byte {
	if t == nil || t.sketches == nil {
		return nil
	}
	s := t.sketches.Sketch()
	if s.Tokens == 0 {
		return nil
	}
	return s.AppendEncode(nil)
}

// learnPlace tells the monitor what a page has brought to its place.
func (r *recorder) learnPlace(v *page.Visit, t *text) {
	if r.Novelty == nil || t == nil || t.novelty == nil {
		return
	}
	var shown []page.URL
	for i := range v.Links {
		if v.Links[i].Kind.Requisite() {
			shown = append(shown, v.Links[i].URL)
		}
	}
	t.novelty.Text([]byte("\n" + v.Title))
	r.Novelty.Learn(v.URL, t.novelty.Features(), shown)
}

// learnUnread tells the monitor of a page whose text is not read, and that it need not read.
func (r *recorder) learnUnread(v *page.Visit) {
	if r.Novelty != nil && page.FoundBy(v.Hops) != page.Embed.Hop() {
		r.Novelty.Brings(v.URL)
	}
}

// learnFile tells the monitor what a file was that pages show.
func (r *recorder) learnFile(v *page.Visit) {
	if r.Novelty == nil || v.Status <= 0 || v.Status == http.StatusNotModified || page.Redirects(v.Status) ||
		page.FoundBy(v.Hops) != page.Embed.Hop() {
		return
	}
	switch {
	case !v.OK() || v.MIME == "text/html":
		r.Novelty.Had(v.URL, 0)
	case v.Content != 0: // all of it is known
		r.Novelty.Had(v.URL, v.Content)
	}
}
