package archive

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"watershed/page"
)

// LogLine is a line of crawl.log in the field order of Heritrix (its operating manual,
// "crawl.log"), so that tools which read that log read ours:
//
//	1 time of logging  2 status, below 0 when none came  3 bytes  4 URL  5 discovery path
//	6 via  7 MIME  8 #worker  9 start+duration  10 digest of the payload, as in the records
//	11 source tag (the site)  12 annotations  13 JSON: where the record lies
//
// The fields are aligned as Heritrix aligns them and separated by spaces; "-" stands for what is
// not there.
type LogLine struct {
	Logged   time.Time
	Status   int
	Size     int64 // of the payload; below 0 for none
	URL      page.URL
	Hops     string
	Via      page.URL
	Spelled  page.Spelling // of the URL
	MIME     string
	Start    time.Time // of the fetch; zero when there was none
	Duration time.Duration
	Digest   page.Digest // of the payload; zero when there is none
	Source   string      // the site's name
	// "3t" tries, "lenTrunc", "timeTrunc", "duplicate:digest", "unfetched" and the like
	Annotations []string
	Record      page.Location // zero when nothing was written
}

// hopsShown is how many letters of a discovery path Heritrix writes; of a longer one it tells the
// number left out.
const hopsShown = 50

// Append appends the line with its LF.
func (l *LogLine) Append(b []byte) []byte {
	size, start, digest, record := "-", "-", "-", "{}"
	if l.Size >= 0 {
		size = strconv.FormatInt(l.Size, 10)
	}
	if !l.Start.IsZero() {
		start = fmt.Sprintf("%s+%d", stamp17(l.Start), l.Duration.Milliseconds())
	}
	if !l.Digest.IsZero() {
		digest = l.Digest.String()
	}
	if !l.Record.IsZero() {
		record = fmt.Sprintf(`{"warcFilename":%s,"warcFileOffset":%d}`, appendJSON(nil, l.Record.File),
			l.Record.Offset)
	}
	return fmt.Appendf(b, "%s %5d %10s %s %s %s %s #000 %s %s %s %s %s\n",
		Date(l.Logged), l.Status, size, word(l.URL.As(l.Spelled)), word(shortHops(l.Hops)),
		word(string(l.Via)), word(l.MIME),
		start, digest, word(l.Source), word(strings.Join(l.Annotations, ",")), record)
}

// TruncationNote is Heritrix' annotation for a response that was cut.
func TruncationNote(t page.Truncation) string {
	switch t {
	case page.Whole:
		return ""
	case page.CutLength:
		return "lenTrunc"
	case page.CutTime, page.CutEndless:
		return "timeTrunc"
	case page.CutConnected:
		return "disconnectTrunc"
	}
	return "unspecifiedTrunc"
}

func stamp17(t time.Time) string {
	t = t.UTC()
	return t.Format("20060102150405") + fmt.Sprintf("%03d", t.Nanosecond()/int(time.Millisecond))
}

func shortHops(hops string) string {
	if n := len(hops) - hopsShown; n > 0 {
		return strconv.Itoa(n) + "+" + hops[n:]
	}
	return hops
}

// word makes s one field of the line.
func word(s string) string {
	if s == "" {
		return "-"
	}
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7F {
			return '_'
		}
		return r
	}, s)
}
