package robots

import (
	"strconv"
	"strings"
	"time"

	"github.com/temoto/robotstxt"
)

// maxDelay bounds a Crawl-delay. A longer one is a way to say that one is not wanted, for which
// there is Disallow.
const maxDelay = 24 * time.Hour

// maxSitemaps bounds the Sitemap lines that are heard.
const maxSitemaps = 1000

// extensions reads the fields that robots.txt has beside the standard. temoto/robotstxt does it, on
// the lines that concern us and in a form that it cannot take amiss: by itself it gives a whole
// file up for one bad number, and ends a group at a Crawl-delay.
func extensions(delay string, sitemaps []string) (time.Duration, []string) {
	if delay == "" && len(sitemaps) == 0 {
		return 0, nil
	}
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	if n := number(delay); n != "" {
		b.WriteString("Crawl-delay: " + n + "\n")
	}
	for _, s := range sitemaps[:min(len(sitemaps), maxSitemaps)] {
		if s = strings.ReplaceAll(s, " ", "%20"); s != "" {
			b.WriteString("Sitemap: " + s + "\n")
		}
	}
	data, err := robotstxt.FromString(b.String())
	if err != nil { // a number too large for it
		return 0, nil
	}
	d := data.FindGroup("*").CrawlDelay
	if d < 0 || d > maxDelay {
		d = maxDelay
	}
	return d, data.Sitemaps
}

// longer is the longer of two delays as they were written; a text that is no number is the
// shortest.
func longer(a, b string) string {
	x, errX := strconv.ParseFloat(number(a), 64)
	y, errY := strconv.ParseFloat(number(b), 64)
	if errX != nil || errY == nil && y > x {
		return b
	}
	return a
}

// number is the decimal number that s begins with: "10" of "10 s", "1.5" of "1,5". "" when there is
// none.
func number(s string) string {
	s = strings.Replace(s, ",", ".", 1)
	digits, point := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case '0' <= s[i] && s[i] <= '9':
			digits++
		case s[i] == '.' && !point:
			point = true
		default:
			s = s[:i]
		}
	}
	if digits == 0 || s == "." || s == "" {
		return ""
	}
	return s[:min(len(s), 12)]
}
