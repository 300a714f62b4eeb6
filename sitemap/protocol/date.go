package protocol

import (
	"strings"
	"time"
)

// layouts are the date formats met in sitemaps and feeds, the commonest first. "Z07:00" also takes
// a plain "Z". Sources: W3C NOTE-datetime (sitemaps, Atom, RSS 1.0's dc:date); RFC 822 as RSS 2.0
// uses it.
var layouts = [...]string{
	time.RFC3339, // takes fractions of a second as well
	"2006-01-02",
	"2006-01-02T15:04Z07:00",
	time.RFC1123Z,
	time.RFC1123,
	"Mon, 2 Jan 2006 15:04:05 -0700",
	"Mon, 2 Jan 2006 15:04:05 MST",
	"2 Jan 2006 15:04:05 -0700",
	"2 Jan 2006 15:04:05 MST",
	"Mon, 2 Jan 2006 15:04 MST",
	"Mon, 2 Jan 2006 15:04 -0700",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05", // without a zone, against the note; read as UTC
	"2006-01-02 15:04:05",
	"2006-01-02 15:04:05 Z07:00",
	"2006-01",
	"2006",
}

// parseDate reads a date as sitemaps and feeds write it; ok is false when it has none of the known
// forms.
func parseDate(s string) (t time.Time, ok bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 64 {
		return time.Time{}, false
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
