package ui

import (
	"strconv"
	"strings"

	"watershed/harvest"
	"watershed/page"
	"watershed/quality"
	"watershed/replay"
)

// QualityModel is a check of a sample of pages, if one was asked for, and what waits to be fetched.
type QualityModel struct {
	Pages  int              `json:"pages,omitempty"` // that were to be drawn; 0 for no check
	Seed   uint64           `json:"seed"`
	Report *quality.Report  `json:"report,omitempty"`
	Wanted []harvest.Wanted `json:"wanted"`         // the first of them
	Waits  int              `json:"waits"`          // all of them
	Kept   *quality.Kept    `json:"kept,omitempty"` // the last check by drawing again

	root string
}

// Bounds of a check that a page of the desk makes, and of what it tells.
const (
	maxQualityPages = 200
	maxShownWanted  = 100
)

func qualityModel(s *Server, q *query) (any, error) {
	if _, err := q.need(); err != nil {
		return nil, err
	}
	m := QualityModel{Seed: 1, root: s.replayRoot(q.request, q.harvest.Name)}
	var err error
	if text := q.value("seed"); text != "" {
		if m.Seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			return nil, badRequest("seed is a number from 0 on")
		}
	}
	if m.Wanted, err = q.harvest.Folder.Wanted(); err != nil {
		return nil, err
	}
	m.Waits = len(m.Wanted)
	m.Wanted = append([]harvest.Wanted{}, m.Wanted[:min(len(m.Wanted), maxShownWanted)]...)
	if m.Kept, err = quality.ReadKept(q.harvest.Folder); err != nil {
		return nil, err
	}
	text := q.value("pages")
	if text == "" {
		return m, nil
	}
	if m.Pages, err = strconv.Atoi(text); err != nil || m.Pages < 1 || m.Pages > maxQualityPages {
		return nil, badRequest("pages is a number from 1 to %d; watershed quality checks more",
			maxQualityPages)
	}
	o := quality.Options{Pages: m.Pages, Seed: m.Seed}
	if q.value("run") != "" {
		o.Runs = []harvest.Run{q.run}
	}
	m.Report, err = quality.Check(q.request.Context(), q.harvest.Folder, o)
	return m, err
}

// Fetchable is how many of what is missing may be fetched.
func (m QualityModel) Fetchable() (n int) {
	if m.Report == nil {
		return 0
	}
	for i := range m.Report.MissingURLs {
		if m.Report.MissingURLs[i].Fetchable() {
			n++
		}
	}
	return n
}

// View is where a page is shown as it was, "" for nowhere.
func (m QualityModel) View(p quality.Page) string {
	if m.root == "" || p.Time.IsZero() {
		return ""
	}
	return m.root + replay.Address("view", p.URL, p.Time)
}

// Picture is where a picture of a page is that was drawn again, "" for nowhere.
func (m QualityModel) Picture(p quality.Page, of string) string {
	if m.root == "" || p.Again == nil || p.Again.Differs == nil {
		return ""
	}
	return m.root + replay.PictureAddress(of, p.URL, p.Time)
}

// Pictures are those of a page that are shown side by side.
func (m QualityModel) Pictures() []struct{ Of, Name string } {
	return []struct{ Of, Name string }{
		{"view", "when it was captured"},
		{string(harvest.PictureAgain), "out of the archive"},
		{string(harvest.PictureDifference), "difference, in red"},
	}
}

// wish is what a person asks the next run to fetch.
type wish struct {
	URLs []string `json:"urls"`
	For  string   `json:"for"` // the page that needs them; may be empty
	Note string   `json:"note"`
	By   string   `json:"by"` // "archivist" where it is empty
}

// maxWish bounds the URLs of one wish. The size of a form (maxForm) bounds them, too.
const maxWish = 1000

// want asks the next run for URLs.
func (a *actions) want(q *query, w wish) error {
	if _, err := q.need(); err != nil {
		return err
	}
	if len(w.URLs) == 0 || len(w.URLs) > maxWish {
		return badRequest("1 to %d URLs can be asked for at once", maxWish)
	}
	by, note := q.person(w.By, w.Note)
	var list []harvest.Wanted
	var needs page.URL
	if w.For != "" {
		u, err := page.ParseURL(w.For)
		if err != nil {
			return badRequest("%s is no address of a web page", plain(w.For, longText))
		}
		needs = u
	}
	for _, text := range w.URLs {
		u, as, err := page.ParseSpelled(text)
		if err != nil {
			return badRequest("%s is no address of a web page", plain(text, longText))
		}
		list = append(list, harvest.Wanted{
			URL: u, Spelled: as, For: needs, Time: a.options.Now(), By: by, Note: note,
		})
	}
	if err := q.harvest.Folder.Want(list); err != nil {
		return err
	}
	a.log.Info("asked the next run for URLs", "harvest", q.harvest.Name, "urls", len(list), "by", by)
	return nil
}

// wantForm takes the desk's form: a check's missing URLs, found again by its seed and number, or
// URLs that were typed.
func (s *Server) wantForm(q *query) (to string, err error) {
	r := q.request
	wish := wish{
		URLs: strings.Fields(r.PostFormValue("urls")), Note: r.PostFormValue("note"),
		By: r.PostFormValue("by"),
	}
	if len(wish.URLs) > 0 {
		err = s.want(q, wish)
	} else {
		err = s.wantMissing(q, wish.By)
	}
	return q.same("quality"), err
}

// wantMissing makes the check of the address again, and asks for what it misses.
func (s *Server) wantMissing(q *query, by string) error {
	model, err := qualityModel(s, q)
	if err != nil {
		return err
	}
	m := model.(QualityModel) // qualityModel gives no other
	if m.Report == nil {
		return badRequest("pages is how many pages are to be checked")
	}
	by, _ = q.person(by, "")
	return q.harvest.Folder.Want(m.Report.Wanted(s.options.Now(), by))
}

// wish takes a wish of a program, and gives what waits.
func (s *Server) wish(q *query, x wish) (any, error) {
	if err := s.want(q, x); err != nil {
		return nil, err
	}
	return qualityModel(s, q)
}
