package extract

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A film that is sent in pieces has a list of them for each of several sizes. A player chooses by the speed
// of its line. In a replay it has no choice: wabac.js, which ReplayWeb.page is made of, shows it one size
// alone, the largest within these bounds.
const (
	maxPoints = 1280 * 720
	maxRate   = 2_000_000 // bits a second, where no size is told
)

// MaxFilm bounds a list of the pieces of a film, in bytes.
const MaxFilm = 4 << 20

// filmType is the kind of list that a media type names.
type filmType uint8

const (
	noFilm filmType = iota
	hls             // RFC 8216
	dash            // ISO/IEC 23009-1
)

func filmOf(contentType string, body []byte) filmType {
	mime, _, _ := strings.Cut(contentType, ";")
	switch mime = strings.ToLower(strings.TrimSpace(mime)); mime {
	case "application/x-mpegurl", "application/vnd.apple.mpegurl", "audio/mpegurl", "audio/x-mpegurl":
		return hls
	case "application/dash+xml":
		return dash
	default:
		if (mime == "text/plain" || saysNothing(mime)) && bytes.HasPrefix(body, []byte("#EXTM3U")) {
			return hls
		}
	}
	return noFilm
}

// IsFilm reports the media type of a list of the pieces of a film.
func IsFilm(contentType string) bool { return filmOf(contentType, nil) != noFilm }

// OneSize leaves of a list of a film's sizes the one that programs for replay play, and any other text as
// it is. Time is linear in the text.
func OneSize(contentType string, body []byte) []byte {
	switch filmOf(contentType, body) {
	case hls:
		return oneOfHLS(body)
	case dash:
		return oneOfDASH(body)
	default:
		return body
	}
}

// size is one of several in which a film is there: the bytes of the list that are its own, and how large it
// is.
type size struct{ from, to, points, rate int }

// without is a text without the sizes that differ from the best one of each set.
func without(text []byte, others []size) []byte {
	var out []byte
	at := 0
	for _, s := range others {
		out, at = append(out, text[at:s.from]...), s.to
	}
	return append(out, text[at:]...)
}

// others are all sizes but the best one; none where none is.
func others(sizes []size, best int) []size {
	if best < 0 {
		return nil
	}
	return slices.Delete(sizes, best, best+1)
}

var (
	sizeLine   = regexp.MustCompile(`^#EXT-X-STREAM-INF:(?:.*,)?BANDWIDTH=\d`)
	resolution = regexp.MustCompile(`RESOLUTION=(\d{1,9})x(\d{1,9})`)
)

// oneOfHLS is OneSize for HLS: a line tells the size, and the next one where its pieces are listed. The
// first of the largest sizes within the bounds stays, else the first of the smallest.
func oneOfHLS(body []byte) []byte {
	var sizes []size
	best, at, open := -1, 0, false
	for line := range bytes.Lines(body) {
		to := at + len(line)
		switch {
		case sizeLine.Match(line):
			s := size{from: at, to: to}
			if m := resolution.FindSubmatch(line); m != nil {
				s.points = number(m[1]) * number(m[2])
			}
			sizes = append(sizes, s)
			open = true
			if best < 0 || within(s) != within(sizes[best]) && within(s) ||
				within(s) && s.points > sizes[best].points ||
				!within(s) && s.points < sizes[best].points {
				best = len(sizes) - 1
			}
		case open:
			sizes[len(sizes)-1].to = to
			open = false
		}
		at = to
	}
	return without(body, others(sizes, best))
}

func within(s size) bool { return s.points <= maxPoints }

func number(digits []byte) int {
	n, _ := strconv.Atoi(string(digits)) // of a number that is none nothing is known
	return n
}

// oneOfDASH is OneSize for DASH: of each set of representations one stays. The rule is that of wabac.js: by
// the points of a picture, and by the rate where these are none or too many.
func oneOfDASH(body []byte) []byte {
	var sizes, left []size // of a set, and what is left out of all
	best, most := -1, size{}
	d := xml.NewDecoder(bytes.NewReader(body))
	for {
		from := int(d.InputOffset())
		token, err := d.Token()
		if err != nil {
			return without(body, left)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if t.Name.Local != "Representation" {
				continue
			}
			s := sizeOf(t)
			s.from = from
			if s.points > 0 && within(s) && s.points > most.points ||
				(s.points == 0 || !within(s)) && s.rate <= maxRate && s.rate > most.rate {
				best, most = len(sizes), s
			}
			sizes = append(sizes, s)
		case xml.EndElement:
			switch n := len(sizes); {
			case t.Name.Local == "Representation" && n > 0:
				sizes[n-1].to = int(d.InputOffset())
			case t.Name.Local == "AdaptationSet":
				left = append(left, others(sizes, best)...)
				sizes, best, most = nil, -1, size{}
			}
		}
	}
}

// sizeOf reads the attributes of a representation.
func sizeOf(e xml.StartElement) (s size) {
	var width, height int
	for _, a := range e.Attr {
		switch n := number([]byte(a.Value)); a.Name.Local {
		case "width":
			width = n
		case "height":
			height = n
		case "bandwidth":
			s.rate = n
		}
	}
	s.points = width * height
	return s
}

// readFilm takes the pieces of a film, in the size that programs for replay play.
func (c *parts) readFilm() {
	kind := filmOf(c.result.Declared, c.in.Body)
	if kind == noFilm || len(c.in.Body) > MaxFilm {
		return
	}
	c.result.Read = true
	body := OneSize(c.result.Declared, c.in.Body)
	if kind == hls {
		c.readHLS(body)
	} else {
		c.readDASH(body)
	}
}

var (
	listed = regexp.MustCompile(`[:,]URI="([^"]+)"`)
	group  = regexp.MustCompile(`[:,]GROUP-ID=("[^"]+")`)
	quoted = regexp.MustCompile(`"[^"]+"`)
)

// readHLS takes what a list of HLS names: pieces or the list of a size, keys, and the sound and the
// subtitles that belong to that size.
func (c *parts) readHLS(body []byte) {
	groups := map[string]bool{} // of the size
	for line := range bytes.Lines(body) {
		if sizeLine.Match(line) {
			clear(groups)
			for _, name := range quoted.FindAll(line, -1) {
				groups[string(name)] = true
			}
		}
	}
	for line := range strings.Lines(string(body)) {
		line = strings.TrimSpace(line)
		tag, _, _ := strings.Cut(line, ":")
		switch tag {
		case "#EXT-X-MEDIA", "#EXT-X-MAP", "#EXT-X-KEY":
			of := group.FindStringSubmatch(line)
			m := listed.FindStringSubmatch(line)
			if m != nil && (of == nil || groups[of[1]]) {
				c.embed("m3u8/URI", m[1])
			}
		default:
			if !strings.HasPrefix(line, "#") {
				c.embed("m3u8", line)
			}
		}
	}
}

// level is a level of a DASH list that says where pieces are; what it leaves out is as the one above says.
type level struct {
	Base     string    `xml:"BaseURL"`
	Template *template `xml:"SegmentTemplate"`
	List     struct {
		First struct {
			URL string `xml:"sourceURL,attr"`
		} `xml:"Initialization"`
		Files []struct {
			URL string `xml:"media,attr"`
		} `xml:"SegmentURL"`
	} `xml:"SegmentList"`
}

// template makes the addresses of pieces, by their numbers or times.
type template struct {
	First    string `xml:"initialization,attr"`
	Media    string `xml:"media,attr"`
	Number   string `xml:"startNumber,attr"`
	Scale    string `xml:"timescale,attr"`
	Duration string `xml:"duration,attr"`
	Times    []span `xml:"SegmentTimeline>S"`
}

// span is a run of pieces of one length.
type span struct {
	At     string `xml:"t,attr"`
	Length int    `xml:"d,attr"`
	More   int    `xml:"r,attr"` // after the first; below 0 as many as there is time for
}

// readDASH takes what a list of DASH names.
func (c *parts) readDASH(body []byte) {
	var film struct {
		level
		Length  string `xml:"mediaPresentationDuration,attr"`
		Periods []struct {
			level
			Length string `xml:"duration,attr"`
			Sets   []struct {
				level
				Representations []struct {
					level
					ID   string `xml:"id,attr"`
					Rate string `xml:"bandwidth,attr"`
				} `xml:"Representation"`
			} `xml:"AdaptationSet"`
		} `xml:"Period"`
	}
	if err := xml.Unmarshal(body, &film); err != nil && !errors.Is(err, io.EOF) {
		c.result.Err = fmt.Errorf("read a list of DASH: %w", err)
		return
	}
	left := maxPieces
	for _, period := range film.Periods {
		for _, set := range period.Sets {
			for _, r := range set.Representations {
				if left--; left < 0 {
					c.result.LinksCut = true
					return
				}
				p := representation{
					parts: c, left: &left, base: string(c.in.URL),
					names:  map[string]string{"RepresentationID": r.ID, "Bandwidth": r.Rate},
					length: seconds(cmp.Or(period.Length, film.Length)),
				}
				if len(r.ID)+len(r.Rate) <= maxTemplate {
					p.take(&film.level, &period.level, &set.level, &r.level)
				}
			}
		}
	}
}

// representation is one of a film whose pieces are taken.
type representation struct {
	*parts
	left   *int // pieces that may be taken of the list
	base   string
	names  map[string]string // that stand between dollar signs in the templates of addresses
	length float64           // of the film, in seconds; 0 where it is not told
}

// Bounds of a list of DASH: the pieces that are taken of it, eleven hours of picture and sound at four
// seconds each, with its representations and the runs that have none; and the bytes of a base, of a template
// and of a name in it.
const (
	maxPieces   = 20_000
	maxTemplate = 2 << 10
)

// take takes what the levels of a list say, the outermost one first.
func (p *representation) take(levels ...*level) {
	var t template
	var files []string
	alone := false
	for _, l := range levels {
		if len(l.Base) > maxTemplate {
			return
		}
		if l.Base != "" {
			p.base, alone = p.resolve(strings.TrimSpace(l.Base)), true
		}
		if l.List.Files != nil {
			files = []string{l.List.First.URL}
			for _, f := range l.List.Files {
				files = append(files, f.URL)
			}
		}
		if o := l.Template; o != nil {
			t.First, t.Media = cmp.Or(o.First, t.First), cmp.Or(o.Media, t.Media)
			t.Number, t.Scale = cmp.Or(o.Number, t.Number), cmp.Or(o.Scale, t.Scale)
			if t.Duration = cmp.Or(o.Duration, t.Duration); o.Times != nil {
				t.Times = o.Times
			}
		}
	}
	switch {
	case t.Media != "":
		p.made(&t)
	case files != nil:
		for _, f := range files {
			p.file(f)
		}
	case alone: // it is in one file
		p.embed("mpd", p.base)
	}
}

func (p *representation) resolve(ref string) string {
	base, err := url.Parse(p.base)
	if err != nil {
		return ref
	}
	to, err := base.Parse(ref)
	if err != nil {
		return p.base
	}
	return to.String()
}

func (p *representation) file(ref string) {
	switch *p.left -= 1 + len(ref)/maxTemplate; {
	case *p.left < 0:
		p.result.LinksCut = true
	case ref != "":
		p.embed("mpd", p.resolve(ref))
	}
}

// made takes the pieces whose addresses a template makes (ISO/IEC 23009-1, 5.3.9).
func (p *representation) made(t *template) {
	n, err := strconv.Atoi(cmp.Or(t.Number, "1"))
	if err != nil || len(t.First) > maxTemplate || len(t.Media) > maxTemplate {
		return
	}
	p.file(p.filled(t.First))
	end := p.length * float64(max(number([]byte(t.Scale)), 1))
	if t.Times == nil {
		t.Times = append(t.Times, span{Length: number([]byte(t.Duration)), More: -1})
	}
	at := 0
	for i, s := range t.Times {
		first := n
		if s.At != "" {
			at = number([]byte(s.At))
		}
		until := end // of one that goes on until the next begins
		if i+1 < len(t.Times) {
			until = float64(number([]byte(t.Times[i+1].At)))
		}
		for last := at + s.More*s.Length; s.Length > 0 && *p.left > 0 &&
			(at <= last || s.More < 0 && float64(at) < until); at += s.Length {
			p.names["Number"], p.names["Time"] = strconv.Itoa(n), strconv.Itoa(at)
			p.file(p.filled(t.Media))
			n++
		}
		if n == first { // it has no pieces, or too many were taken
			*p.left--
		}
		if *p.left <= 0 {
			p.result.LinksCut = true
			return
		}
	}
}

var (
	placeholder = regexp.MustCompile(`\$(?:(RepresentationID|Number|Time|Bandwidth)(?:%0(\d\d?)d)?)?\$`)
	period      = regexp.MustCompile(`^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$`)
)

// filled is a template with the names of a piece.
func (p *representation) filled(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		m := placeholder.FindStringSubmatch(found)
		value := p.names[m[1]]
		if m[1] == "" {
			return "$"
		}
		return strings.Repeat("0", max(number([]byte(m[2]))-len(value), 0)) + value
	})
}

// seconds reads a duration as XML Schema writes it; 0 for none.
func seconds(text string) (sum float64) {
	m := period.FindStringSubmatch(text)
	for i, unit := range []float64{86400, 3600, 60, 1} {
		if m != nil {
			n, _ := strconv.ParseFloat(m[i+1], 64) // "" is none
			sum += n * unit
		}
	}
	return sum
}
