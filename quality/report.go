package quality

import (
	"fmt"
	"io"
	"strings"
	"time"

	"watershed/archive"
	"watershed/harvest"
	"watershed/internal/console"
	"watershed/page"
)

// Report is the result of a check.
type Report struct {
	Seed  uint64 `json:"seed"`
	Pages []Page `json:"pages"`

	// The numbers of pages by verdict. Each page has one.
	Whole    int `json:"whole"`
	Lacking  int `json:"lacking"`
	Unjudged int `json:"unjudged"` // without a browser
	Away     int `json:"away"`     // their files were removed here after their upload

	// Sites have the pages of each site, by name; those of none are under "".
	Sites []Site `json:"sites"`

	// Requisites of all pages, each counted once for each page.
	Requisites int `json:"requisites"`
	Held       int `json:"held"`    // answered as a page would have them
	Errors     int `json:"errors"`  // answered with an error by their server, which is held
	Missing    int `json:"missing"` // not held

	// Missing requisites, each URL once, those first that most pages need.
	MissingURLs []Missing `json:"missingUrls"`
}

// Site has the numbers of a site's pages.
type Site struct {
	Name  string          `json:"name"`
	Pages map[Verdict]int `json:"pages"`
	Again int             `json:"again"` // of all of them, drawn again
}

// Page is a page that was checked. The URLs of a report are named as they are spelled.
type Page struct {
	URL   page.URL  `json:"url"`
	Site  string    `json:"site,omitempty"`
	Time  time.Time `json:"time"` // of its capture
	Run   string    `json:"run"`
	By    Means     `json:"by"`
	Fault string    `json:"fault,omitempty"` // why it could not be checked

	Words int `json:"words"` // of its text, as captured
	Lost  int `json:"lost"`  // of these, which the replay does not show
	// words that the replay shows besides, such as what it has for browsers without scripts
	Added int      `json:"added"`
	Like  []string `json:"like,omitempty"` // the first few of those that are lost

	// Unjudged is why the page cannot be called whole without a browser: scripts, which were not run,
	// draw it. "" for a page that can.
	Unjudged string `json:"unjudged,omitempty"`
	// Away says where its WARC file lies that was removed here after its upload; "" for a file that is
	// here.
	Away string `json:"away,omitempty"`

	Again      *Again      `json:"again,omitempty"`
	Requisites []Requisite `json:"requisites"`
	Passed     int         `json:"passed,omitempty"` // further requisites, which were not looked at
}

// State says which capture answers for a requisite.
type State string

// The states of a requisite.
const (
	Own     State = "own"     // its own capture
	Revisit State = "revisit" // its own capture, whose payload is an earlier one's
	Mirror  State = "mirror"  // the capture of what stands for it
	Error   State = "error"   // an answer of 400 and above, or a page in place of a picture
	Like    State = "like"    // that of a request that differs by a made-up value, such as the time
	Absent  State = "missing" // nothing
)

// Means are those by which a page is judged.
type Means string

// The means of judging a page, each with those before it.
const (
	ByMarkup  Means = "markup"  // its text in the replay, and what its markup needs
	ByDrawing Means = "drawing" // what it asked for when a browser drew it live
	ByAgain   Means = "again"   // a browser draws it out of the archive alone: its requests and its text
)

// Requisite is something that a page needs.
type Requisite struct {
	URL    page.URL `json:"url"`
	In     page.URL `json:"in"`     // the page, frame or style sheet that names it
	As     string   `json:"as"`     // element and attribute
	State  State    `json:"state"`  // of where it leads, if it redirects
	Status int      `json:"status"` // of the answer; 0 for none
	At     page.URL `json:"at"`     // the capture that answers; the URL that is missing, where it is another
	Run    string   `json:"run,omitempty"`
}

// neverFound is the reason of a URL that no run knew: it was named where the harvest does not look,
// or by a page that was captured since.
const neverFound archive.Reason = "neverFound"

// Dropped is the reason of a URL that was fetched and not kept, because it lay outside the boundary
// then.
const Dropped archive.Reason = "notKept"

// damaged is the reason of a URL whose capture is held, and cannot be read to its end, or was cut short
// when it was made.
const damaged archive.Reason = "damaged"

// Missing is a URL that is not held.
type Missing struct {
	URL    page.URL       `json:"url"`
	For    page.URL       `json:"for"`   // the first page that needs it
	Pages  int            `json:"pages"` // that need it
	As     string         `json:"as"`
	Reason archive.Reason `json:"reason"`
	Rule   string         `json:"rule,omitempty"`
	Detail string         `json:"detail,omitempty"`
	Run    string         `json:"run,omitempty"` // that says so
}

// Fetchable reports that the next run may fetch it: no rule forbids it.
func (m *Missing) Fetchable() bool {
	switch m.Reason {
	case archive.ReasonRobots, archive.ReasonExcluded, archive.ReasonPrivate, archive.ReasonScheme:
		return false
	}
	return true
}

// Verdict is the judgement on a page.
type Verdict string

// The verdicts on a page.
const (
	Whole    Verdict = "whole"      // its text is shown in full and all that it needs is held
	Lacking  Verdict = "lacking"    // some of that is missing, or the page cannot be read
	Unjudged Verdict = "not judged" // nothing is known to be missing, and scripts that were not run draw it
	Away     Verdict = "not here"   // its WARC file was removed after its upload
)

// Verdict is the judgement on the page.
func (p *Page) Verdict() Verdict {
	switch {
	case p.Away != "":
		return Away
	case p.Fault != "" || p.Lost > 0 || p.Count(Absent) > 0 || p.Again.lacks():
		return Lacking
	case p.Unjudged != "":
		return Unjudged
	}
	return Whole
}

// Count is how many requisites are in a state.
func (p *Page) Count(s State) (n int) {
	for i := range p.Requisites {
		if p.Requisites[i].State == s {
			n++
		}
	}
	return n
}

// WriteText writes the report for people.
func (r *Report) WriteText(out io.Writer) error {
	away := ""
	if r.Away > 0 {
		away = fmt.Sprintf(", %d not here, but uploaded", r.Away)
	}
	fmt.Fprintf(out, "%s: %d whole, %d lacking, %d not judged without a browser%s; %s: %d held, "+
		"%d answered with an error, %d missing\n", console.Plural(len(r.Pages), "page", "pages"), r.Whole,
		r.Lacking, r.Unjudged, away, console.Plural(r.Requisites, "required file", "required files"), r.Held,
		r.Errors, r.Missing)
	for _, s := range r.Sites {
		if s.Name != "" {
			fmt.Fprintf(out, "site %q: %d whole, %d lacking, %d not judged, %d drawn again\n", s.Name,
				s.Pages[Whole], s.Pages[Lacking], s.Pages[Unjudged], s.Again)
		}
	}
	for i := range r.Pages {
		p := &r.Pages[i]
		if p.Away != "" {
			fmt.Fprintf(out, "%-10s %q: %s\n", p.Verdict(), string(p.URL), p.Away)
			continue
		}
		fmt.Fprintf(out, "%-10s %q: %d of %d words shown, %s, %d missing", p.Verdict(), string(p.URL),
			p.Words-p.Lost, p.Words, console.Plural(len(p.Requisites), "required file", "required files"),
			p.Count(Absent))
		switch {
		case p.Again != nil:
			fmt.Fprintf(out, "; drawn again: %d requests, %d alike, %d of %d words", p.Again.Requests,
				p.Count(Like), p.Again.Words-p.Again.Lost, p.Again.Words)
			if d := p.Again.Differs; d != nil {
				fmt.Fprintf(out, ", %.1f %% of the picture differs", 100**d)
			}
			if n := len(p.Again.Errors); n > 0 {
				fmt.Fprintf(out, ", %s that it did not have live, as %q",
					console.Plural(n, "error", "errors"), p.Again.Errors[0])
			}
		case p.By == ByDrawing:
			fmt.Fprint(out, "; judged by what it asked for when it was drawn")
		}
		if p.Fault != "" {
			fmt.Fprintf(out, "; %q", p.Fault)
		}
		if p.Unjudged != "" {
			fmt.Fprintf(out, "; %q", p.Unjudged)
		}
		fmt.Fprintln(out)
	}
	for _, m := range r.MissingURLs {
		fmt.Fprintf(out, "missing %q (%s), needed by %s, as by %q: %s", string(m.URL), m.As,
			console.Plural(m.Pages, "page", "pages"), string(m.For), m.Reason)
		if m.Rule != "" {
			fmt.Fprintf(out, ", %q", m.Rule)
		}
		if m.Detail != "" {
			fmt.Fprintf(out, ", %q", m.Detail)
		}
		fmt.Fprintln(out)
	}
	return nil
}

// Wanted has the URLs that a run should be asked for (harvest.Folder.Want): missing requisites that
// may be fetched, and of an answer to a POST, which is sent only while its page is drawn, that page.
// by names the person who asks.
func (r *Report) Wanted(now time.Time, by string) (list []harvest.Wanted) {
	for i := range r.MissingURLs {
		m := &r.MissingURLs[i]
		if !m.Fetchable() {
			continue
		}
		spelled := page.Spelling(m.URL)
		if strings.Contains(string(m.URL), archive.MethodArgument) {
			spelled = page.Spelling(m.For)
		}
		u, as := spelled.URL()
		list = append(list, harvest.Wanted{
			URL: u, Spelled: as, For: urlOf(m.For), Time: now, By: by, Note: string(m.Reason),
		})
	}
	return list
}
