package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"watershed/internal/console"
	"watershed/page"
)

// Ended says how a run ended.
type Ended string

// The ways in which a run ends. A run that is under way has none of them.
const (
	Complete    Ended = "complete"    // nothing was left to fetch, and nothing that was asked for is missing
	WithLosses  Ended = "losses"      // nothing was left to fetch, and something is missing: see Losses
	Limited     Ended = "limit"       // a limit ended it, or kept pages of a site from being fetched
	Interrupted Ended = "interrupted" // by a signal, an order or a full disk: the same command goes on
	Failed      Ended = "failed"      // no site has a page, or a fault ended it
)

var endedSays = map[Ended]string{
	Complete: "complete", WithLosses: "complete with losses", Limited: "stopped by a limit",
	Interrupted: "interrupted", Failed: "failed",
}

// Says is the way in words for people; "" stays "".
func (e Ended) Says() string { return endedSays[e] }

// Limit is the quantity that a limit bounds.
type Limit string

// The things that limits are of.
const (
	LimitTime  Limit = "time"
	LimitBytes Limit = "bytes"
	LimitPages Limit = "pages"
	LimitFiles Limit = "files"
)

// Ending is how a run ended, and the number of its URLs by their fate. It is made once, when the
// run ends, and every report of it shows these numbers.
type Ending struct {
	Ended   Ended    `json:"ended"`
	Cause   string   `json:"cause,omitempty"` // which limit, or what interrupted it or made it fail
	Limit   Limit    `json:"limit,omitempty"` // of what, where one ended it
	Sum     Sum      `json:"sum"`
	Losses  Losses   `json:"losses"`
	Lost    []Lost   `json:"lost,omitempty"`    // the first MaxLost
	InPart  int64    `json:"inPart,omitempty"`  // pages and streams of sites, not read or drawn whole
	Endless int64    `json:"endless,omitempty"` // pages left out of places that seem to have no end
	Idle    []Idle   `json:"idle,omitempty"`
	Left    []Left   `json:"leftBelow,omitempty"`
	Logins  []Login  `json:"logins,omitempty"`
	Wide    []Wide   `json:"wideSeeds,omitempty"`
	Shrunk  []Shrunk `json:"shrunk,omitempty"`
	Alone   []Alone  `json:"alone,omitempty"`
	Missed  []Missed `json:"missed,omitempty"`
	Moved   []Moved  `json:"moved,omitempty"`
	// the WARC files that were delivered
	Files []File `json:"files,omitempty"`
	// those that are not whole by now, of this run or an earlier one
	Damaged []Damaged `json:"damaged,omitempty"`
}

// File is a WARC file of a run's archive.
type File struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// Damaged is a WARC file that is missing or damaged.
type Damaged struct {
	File  string `json:"file"`
	Cause string `json:"cause,omitempty"` // "" for one that is missing
}

// UnmarshalJSON reads the name alone, too, which earlier versions of the program wrote.
func (x *Damaged) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &x.File) == nil {
		x.Cause = "the run could not read it whole"
		return nil
	}
	type plain Damaged
	return json.Unmarshal(text, (*plain)(x))
}

func (x Damaged) String() string {
	is := "is missing"
	if x.Cause != "" {
		is = "is damaged: " + x.Cause
	}
	return fmt.Sprintf("WARC file %s %s. Bring a copy of it back; a recrawl asks in full for what it needs "+
		"of that", x.File, is)
}

// Moved is a seed's host whose pages lead to the same places on another one, which is outside, or was
// followed.
type Moved struct {
	Site  string    `json:"site"`
	From  page.Host `json:"from"`
	To    page.URL  `json:"to"` // the root of the other host
	Pages int       `json:"pages"`

	Followed bool `json:"followed,omitempty"`
}

func (x Moved) String() string {
	if x.Followed {
		return fmt.Sprintf("site %s: %d pages of %s lead to the same places on %s, which was taken as the "+
			"site's, too: `exclude` keeps it out", x.Site, x.Pages, x.From, x.To.Host())
	}
	return fmt.Sprintf("site %s: %d pages of %s lead to the same places on %s, which is outside: if the "+
		"site has moved there, write %s as a seed, too", x.Site, x.Pages, x.From, x.To.Host(), x.To)
}

// Alone is a seed whose site is a page or some, and that is often a door, behind which the site lies: it
// leads to another host or place, or it is a page of few words that leads nowhere.
type Alone struct {
	Site  string   `json:"site"`
	Seed  page.URL `json:"seed"`
	Pages int      `json:"pages"`          // of the site
	To    page.URL `json:"to,omitempty"`   // "" for nowhere
	Words uint32   `json:"words"`          // of the seed's page, where that leads nowhere
	Flaw  string   `json:"flaw,omitempty"` // why that may not be all of the page
}

func (x Alone) String() string {
	switch {
	case x.To == "" && x.Pages > 1:
		return fmt.Sprintf("site %s: it has only %d pages, and that of its seed, %s, has %s and leads "+
			"nowhere else: see in a browser whether it is a notice, or asks something, in place of the site",
			x.Site, x.Pages, x.Seed, console.Plural(int64(x.Words), "word", "words"))
	case x.To == "":
		words, flaw := console.Plural(int64(x.Words), "word", "words"), ""
		if x.Flaw != "" {
			flaw = "; " + x.Flaw
		}
		return fmt.Sprintf("site %s: its only page is %s, which has %s and leads to no other of the "+
			"site: see in a browser whether it is a notice, or asks something, in place of the site%s",
			x.Site, x.Seed, words, flaw)
	case x.Pages > 1:
		return fmt.Sprintf("site %s: it has only %d pages, and %s leads to %s: if the site lies there, "+
			"write that as a seed, too", x.Site, x.Pages, x.Seed, x.To)
	}
	return fmt.Sprintf("site %s: its only page is %s, which leads to %s: if the site lies there, write "+
		"that as a seed, too", x.Site, x.Seed, x.To)
}

// Missed is a site of which the server had fewer pages than it said of that there are none: a site
// that is gone, or sent with the status of an error.
type Missed struct {
	Site    string   `json:"site"`
	Answers int      `json:"answers"` // of 404 or 410, for pages that the site leads to
	URL     page.URL `json:"url"`     // the first of them
	Pages   int      `json:"pages"`   // of the site
}

func (x Missed) String() string {
	return fmt.Sprintf("site %s: %s, and %s 404 or 410, as %s. The links of such answers are not followed: "+
		"if these are pages, give what they lead to as seeds", x.Site,
		console.Plural(int64(x.Pages), "page", "pages"),
		console.Plural(int64(x.Answers), "address was answered", "addresses were answered"), x.URL)
}

// Shrunk is a site of which a run found less than half of the pages that the run before had.
type Shrunk struct {
	Site   string `json:"site"`
	Pages  int    `json:"pages"`
	Before int    `json:"before"`
	Run    int    `json:"run"` // the one before
	// Whole is that run, or the one that it extends, whose captures are to be compared.
	Whole int `json:"whole"`
}

// leastBefore is of how many pages a site must have been for Shrinks to tell of it.
const leastBefore = 10

// Shrinks reports that a site has lost so many pages that somebody should look why.
func (x Shrunk) Shrinks() bool { return x.Before >= leastBefore && 2*x.Pages < x.Before }

func (x Shrunk) String() string {
	return fmt.Sprintf("site %s: %s, where run %d had %d: watershed changes FILE %d tells what became of "+
		"the others", x.Site, console.Plural(int64(x.Pages), "page", "pages"), x.Run, x.Before, x.Whole)
}

// Wide is a seed for a place of its host that redirects to the root of a host, which is then all taken
// for the site's.
type Wide struct {
	Site string   `json:"site"`
	Seed page.URL `json:"seed"`
	To   page.URL `json:"to"`
}

func (x Wide) String() string { return fmt.Sprintf("site %s: %s", x.Site, x.Says()) }

// Says is String without the site.
func (x Wide) Says() string {
	return fmt.Sprintf("seed %s redirects to %s, so all of %s is taken for the site's. If that is too much, "+
		"write the places that are meant in its place, or exclude: [%q]", x.Seed, x.To, x.To.Host(),
		"host:"+x.To.Host())
}

// Login tells of what was had with the login of a site.
type Login struct {
	Site     string `json:"site"`
	Captures int64  `json:"captures"`          // answers, those that the boundary leaves out too
	Refused  int64  `json:"refused,omitempty"` // URLs that were answered by 401 all the same
	Lost     string `json:"lost,omitempty"`    // why the login could not be had any more
}

func (x Login) String() string {
	text := fmt.Sprintf("site %s: answers had with its login: %d", x.Site, x.Captures)
	if x.Refused > 0 {
		text += fmt.Sprintf("; it is refused at %s: see losses.txt", console.Plural(x.Refused, "URL", "URLs"))
	}
	if x.Lost != "" {
		text += "; the login is lost: " + x.Lost
	}
	return text
}

// maxSeedNotes is how many seeds of a kind Notes names; losses.txt and seeds.txt have all that are lost.
const maxSeedNotes = 10

// Notes are the lines that the archivist should read beside the numbers: of seeds that led to no page,
// or to a whole host, of sites that became much smaller, are hardly a page, have moved or are mostly
// errors, of WARC files that are missing or damaged, of pages that were read or drawn in part, of
// places without an end, of logins, and of rules that matched nothing.
func (e *Ending) Notes() (lines []string) {
	for _, x := range e.Lost {
		if x.What == "seed" && len(lines) < maxSeedNotes {
			lines = append(lines, fmt.Sprintf("seed %s: %s", x.URL, x.Cause))
		}
	}
	lines = tell(tell(lines, e.Wide, maxSeedNotes), e.Shrunk, maxSeedNotes)
	lines = tell(tell(lines, e.Alone, maxSeedNotes), e.Moved, maxSeedNotes)
	lines = tell(tell(lines, e.Missed, maxSeedNotes), e.Damaged, maxSeedNotes)
	if more := len(e.Damaged) - maxSeedNotes; more > 0 {
		lines = append(lines, console.Plural(more, "WARC file more is", "WARC files more are")+
			" missing or damaged")
	}
	if e.InPart > 0 {
		lines = append(lines, console.Plural(e.InPart, "page or stream", "pages or streams")+
			" read or drawn in part: watershed skipped FILE --reason unread tells why")
	}
	if e.Endless > 0 {
		lines = append(lines, console.Plural(e.Endless, "page", "pages")+
			" left out of places that seem to have no end, with what they alone lead to: watershed skipped "+
			"FILE --reason lowNovelty tells which")
	}
	return tell(tell(lines, e.Logins, len(e.Logins)), e.Idle, len(e.Idle))
}

// tell adds the first of a list.
func tell[T fmt.Stringer](lines []string, list []T, most int) []string {
	for _, x := range list[:min(len(list), most)] {
		lines = append(lines, x.String())
	}
	return lines
}

// Left is a place below a seed's directory, or on another host, whose pages are not of the site.
type Left struct {
	Site    string    `json:"site"`
	Name    string    `json:"name"` // host and directory
	Pages   int       `json:"pages"`
	Include page.Rule `json:"include"` // takes it in
	// pages of the site that name the place, where that is on another host
	Named int `json:"named,omitempty"`
}

func (x Left) String() string {
	where := "is below a seed"
	if x.Named > 0 {
		where = console.Plural(x.Named, "page of the site names", "pages of the site name") +
			", and which leads back"
	}
	return fmt.Sprintf("site %s: of %s, which %s, %s out. If it belongs: include: [%q]", x.Site, x.Name,
		where, console.Plural(x.Pages, "known page is", "known pages are"), x.Include)
}

// Idle is a rule of a site that nothing matched of all that was found: mostly a slip of the pen, or
// a place to which nothing leads.
type Idle struct {
	Site string    `json:"site"`
	List string    `json:"list"` // include or exclude
	Rule page.Rule `json:"rule"`
}

func (x Idle) String() string {
	return fmt.Sprintf("site %s, %s: nothing that was found matches %s", x.Site, x.List, x.Rule)
}

// Sum counts URLs. Each that is known is of exactly one of the others. Addresses that the crawler
// made up, to see what is there, count where they are in the archive, and nowhere else.
type Sum struct {
	Known    int64 `json:"known"`
	Captured int64 `json:"captured"` // asked for and answered, and in the archive
	Outside  int64 `json:"outside"`  // kept out by the boundary, those that were looked at too
	// for a reason that skipped.jsonl tells: robots.txt, rule, trap, copy
	LeftOut    int64 `json:"leftOut"`
	Failed     int64 `json:"failed"`     // asked for and not had: no answer, or one of 500 and above, or 429
	NotReached int64 `json:"notReached"` // wanted, and the run ended before their turn
}

// Losses count the URLs that were asked for and not had, or not had whole, or not drawn. An answer
// below 500 but 429 is had: a page that the server says is gone is no loss, unless it is a seed. A URL
// is counted once.
type Losses struct {
	Seeds      int64 `json:"seeds"`      // that led to no page
	Pages      int64 `json:"pages"`      // of a site, its seeds apart
	Requisites int64 `json:"requisites"` // of pages of a site
	Parts      int64 `json:"parts"`      // that are in the archive, and of which not all came
	Drawings   int64 `json:"drawings"`   // of pages of a site that scripts make, which no browser drew
	Captures   int64 `json:"captures"`   // that were made, and are in no WARC file
	Hosts      int64 `json:"hosts"`      // given up, on which something of the above lies
}

// Any reports that something was lost.
func (l Losses) Any() bool { return l != Losses{} }

// Lost is something that was asked for and not had.
type Lost struct {
	What   string   `json:"what"` // seed, page, requisite, part, drawing or capture
	URL    page.URL `json:"url"`
	Status int      `json:"status"` // of the last answer, or below 0 as in crawl.log; 0 for none
	Cause  string   `json:"cause"`
}

// MaxLost is how many of the things lost an ending names. All that failed are in skipped.jsonl.
const MaxLost = 1000

// Judge says how a run ended that nothing interrupted. A limit of a site or host, which is none of
// the whole harvest, does not hide that no site has a page.
func (e *Ending) Judge(hadPage, whole bool) {
	switch {
	case e.Limit != "" && (whole || hadPage):
		e.Ended = Limited
	case !hadPage:
		e.Limit = ""
		e.Ended, e.Cause = Failed, "no page was captured"
	case e.Losses.Any():
		e.Ended = WithLosses
	default:
		e.Ended = Complete
	}
}

// String is the ending in a line: how the run ended, and why where that is not plain.
func (e *Ending) String() string {
	if e.Cause == "" {
		return e.Ended.Says()
	}
	return e.Ended.Says() + ": " + e.Cause
}

// Counted tells the sum in a line. For a run that was interrupted nothing is drawn: of the URLs that are
// known of its pages' links, only those count that were asked for or wait.
func (e *Ending) Counted() string {
	if e.Ended == Interrupted {
		return strings.Replace(e.Sum.String(), " known:", " asked for or waiting:", 1)
	}
	return e.Sum.String()
}

// String tells the sum in a line.
func (s Sum) String() string {
	return fmt.Sprintf("%s known: %d captured, %d outside, %d left out, %d failed, %d not reached",
		console.Plural(s.Known, "URL", "URLs"), s.Captured, s.Outside, s.LeftOut, s.Failed, s.NotReached)
}

// String tells what was lost in a line, "nothing" where nothing was.
func (l Losses) String() string {
	var parts []string
	for _, x := range []struct {
		n         int64
		one, more string
	}{
		{l.Seeds, "seed without a page", "seeds without a page"},
		{l.Pages, "page", "pages"},
		{l.Requisites, "required file", "required files"},
		{l.Parts, "capture in part", "captures in part"},
		{l.Drawings, "page that was not drawn", "pages that were not drawn"},
		{l.Captures, "capture that is in no WARC file", "captures that are in no WARC file"},
		{l.Hosts, "host given up", "hosts given up"},
	} {
		if x.n > 0 {
			parts = append(parts, console.Plural(x.n, x.one, x.more))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}
