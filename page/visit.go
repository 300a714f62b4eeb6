package page

import (
	"strings"
	"time"
)

// Location is where a record lies: a whole gzip member of a WARC file.
type Location struct {
	File   string // base name, without ".open"
	Offset int64
	Length int64
}

// IsZero reports the location of nothing.
func (l Location) IsZero() bool { return l.File == "" }

// Visit is the record of one attempt to fetch a page, whatever its result: a page that fails is a
// visit with its cause, not an error. The survey learns from visits, so a visit holds the links and
// not the bytes; those are in the archive, at Record.
type Visit struct {
	Seq     uint64 // order of commitment in the harvest, from 1; given by the store
	URL     URL
	Spelled Spelling  // what was asked for, and is recorded
	Time    time.Time // start of the capture, as in WARC-Date

	Status   int // of the response; below 0 one of the Status constants when none came
	Cause    string
	Duration time.Duration
	Remote   string // address and port

	MIME         string // as declared, without parameters, lower case
	Charset      string // as found
	Language     string // Content-Language or html/@lang
	Title        string
	ETag         string
	LastModified string
	Size         int64 // payload as sent, bytes
	Digest       Digest
	// xxh3 of the payload without content coding, which two servers may compress differently; 0
	// where it is not known
	Content   uint64
	Truncated Truncation
	Unread    bool // not all that it says was read for links; Cause says why
	DrawnCut  bool // Unread and Cause are of its drawing, which failed or came to a bound
	Unended   bool // it is HTML without an end tag of its body, as that of an answer which was cut
	// it answered as if it had a page, and has none: the page says so, or the server redirects the URL
	// to itself again and again
	SoftError bool
	NoIndex   bool   // robots meta or X-Robots-Tag
	Sketch    []byte // of the visible text, as replica/sketch writes it; nil for none
	Inlay     Inlay  // what it holds in itself that is no text

	Record  Location // the response or revisit record; zero when nothing was written
	Revisit bool     // the record stands for an earlier one with the same payload
	Origin  Origin   // of a revisit

	Links []Link

	Via  URL    // the page on which the URL was found
	Hops string // discovery path, a letter a hop (LinkKind.Hop), empty for a seed
	Site string // name of the harvest's site on whose behalf it was fetched

	Login string // whose login it was asked with, by the name of the site; "" for none

	Drawing Drawing // by a browser; Links, Title and Sketch have what a drawn page shows, too
}

// Drawing says whether a browser draws a page. Its values are stored: a number never changes its
// meaning.
type Drawing uint8

const (
	NotDrawn    Drawing = iota // nobody asks for it
	ToBeDrawn                  // its scripts are to run, when the page belongs to a site
	Drawn                      // a browser has drawn it
	DrawFailed                 // no browser could; Cause says why
	DrawDoubted                // to be drawn where the drawing of others of its place brings something
	// of a page: to be drawn likewise if one of the scripts that it names asks for data; of a script: it
	// does
	DrawScripted
	// of few words: to be drawn where the drawing of others with the same scripts brings something
	DrawThin
)

// DrawnContext begins the contexts of links that were met when a page was drawn.
const DrawnContext = "drawn/"

// Origin is the capture that a revisit refers to.
type Origin struct {
	URL     URL
	Spelled Spelling
	Time    time.Time
	Record  Location
	Digest  Digest // of its payload; zero when it is not known
}

// Statuses of a visit that brought no response; the numbers are those of Heritrix, so that tools
// which read its crawl.log understand ours.
const (
	StatusDNS         = -1    // the host name has no address
	StatusConnect     = -2    // no connection
	StatusLost        = -3    // the connection broke before a whole head came
	StatusTimeout     = -4    // no answer in time
	StatusRefused     = -5    // something unexpected: not HTTP, a head beyond its limit
	StatusDenied      = -8    // its host gives no page any more ("multiple retries all failed")
	StatusPrivate     = -6000 // the address is private and not allowed by the harvest
	StatusRobots      = -9998 // robots.txt forbids it
	StatusUnreachable = -61   // robots.txt could not be had, so nothing may be fetched
	StatusLogin       = -62   // the login of its site could not be had ("some other prerequisite failed")
	StatusOutOfScope  = -5000 // a rule or the boundary keeps it out
	StatusBlocked     = -5003 // a limit of host, site or harvest
)

// OK reports a capture with a successful answer.
func (v *Visit) OK() bool { return v.Status >= 200 && v.Status < 300 }

// Page reports a capture that a reader opens by itself: HTML or a document, had with success or
// unchanged, under a type of its own, what scripts draw, and whatever a seed leads to, but for
// other XML, which is a sitemap, a feed or data. All else that is fetched, but redirects, is a
// file: images, styles and the like, errors but for those that scripts draw, sitemaps, robots.txt.
func (v *Visit) Page() bool {
	if !v.OK() && v.Status != 304 && !v.fallback() || v.SoftError || v.URL.PathQuery() == "/robots.txt" {
		return false
	}
	switch v.MIME {
	case "", "text/html", "application/xhtml+xml", "text/plain", "text/markdown", "text/rtf",
		"application/pdf", "application/rtf", "application/msword", "application/epub+zip",
		"application/vnd.ms-excel", "application/vnd.ms-powerpoint":
		return true
	}
	if v.Drawing != NotDrawn && v.Drawing < DrawDoubted { // it is shown as scripts or style sheets say
		return true
	}
	if strings.Trim(v.Hops, "R") == "" { // a seed, or where it redirects
		return !strings.HasSuffix(v.MIME, "xml") || v.MIME == "image/svg+xml"
	}
	return strings.HasPrefix(v.MIME, "application/vnd.openxmlformats-officedocument.") ||
		strings.HasPrefix(v.MIME, "application/vnd.oasis.opendocument.")
}

// Undrawn reports a page that scripts draw, and that no browser has drawn: nobody knows what it shows.
func (v *Visit) Undrawn() bool { return v.Drawing == ToBeDrawn || v.Drawing == DrawFailed }

// Shown is that by which what a page shows is told from what another one shows: the digest of its
// payload, zero where that does not tell it, and the sketch of its text, nil for none. A page that a
// browser has drawn is told by its text alone: thousands of pages may have the bytes of one shell.
func (v *Visit) Shown() (payload Digest, text []byte) {
	switch {
	case v.Undrawn():
		return Digest{}, nil
	case v.Drawing == Drawn, v.Digest == EmptyDigest:
		return Digest{}, v.Sketch
	}
	return v.Digest, v.Sketch
}

// File reports a capture that is neither a page nor a redirect.
func (v *Visit) File() bool { return !v.Page() && !Redirects(v.Status) }

// files are the extensions of files that a reader downloads, hears, or looks at alone.
var files = extensions("7z bz2 csv deb djvu dmg exe gz iso jar json mobi msi rar rpm tar tgz xz zip zst " +
	"aac avi flac flv m4a m4v mkv mov mp3 mp4 mpeg mpg oga ogg ogv opus wav webm wma wmv " +
	"bmp gif jpeg jpg png svg tif tiff webp")

// documents are the extensions of documents that count as pages.
var documents = extensions("doc docx epub odp ods odt pdf ppt pptx ps rtf txt xls xlsx")

func extensions(list string) map[string]bool {
	set := make(map[string]bool)
	for x := range strings.FieldsSeq(list) {
		set[x] = true
	}
	return set
}

// NamesFile reports a URL whose name says that it leads to a file (Visit.File) and not to a page.
func (u URL) NamesFile() bool { return files[u.extension()] }

// NamesDocument reports a URL whose name says that it leads to a file, or to a document that a reader
// opens as he opens a page.
func (u URL) NamesDocument() bool { x := u.extension(); return files[x] || documents[x] }

// extension is what stands behind the last "." of the last part of the path that has a name, in lower
// case; "" for nothing.
func (u URL) extension() string {
	path := strings.TrimSuffix(u.Path(), "/")
	name := path[strings.LastIndexByte(path, '/')+1:]
	i := strings.LastIndexByte(name, '.')
	if i <= 0 {
		return ""
	}
	return strings.ToLower(name[i+1:])
}

// Redirects reports a status by which a server leads to another URL. 300 is none: it offers several.
func Redirects(status int) bool { return status > 300 && status <= 399 && status != 304 }

// Alive reports that the URL answered with a page or with a way to one; a dead one is no vertex of
// the page graph.
func (v *Visit) Alive() bool {
	return (v.Status >= 200 && v.Status < 400 || v.fallback()) && !v.SoftError
}

// fallback reports an error that scripts make a page of: hosts of files answer so for the places of
// a single-page application.
func (v *Visit) fallback() bool { return v.Status >= 400 && v.Drawing != NotDrawn }

// Redirected is the link by which a server redirects the visit, nil where it does not.
func (v *Visit) Redirected() *Link {
	if v.Status < 300 || v.Status > 399 {
		return nil
	}
	for i := range v.Links {
		if v.Links[i].Kind == Redirect {
			return &v.Links[i]
		}
	}
	return nil
}
