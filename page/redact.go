package page

import (
	"regexp"
	"strings"
)

// Redacted stands in a URL for the user name and password that were there.
const Redacted = "redacted"

// userinfo matches the beginning of a URL with a user name or a password, as a text holds it: the
// scheme is the first group.
var userinfo = regexp.MustCompile(`(?i)\b(https?:[/\\]*|[a-z][a-z0-9+.-]*://)[^/\\?#\s"'<>]*@`)

// Redact gives a text in which no URL has a user name or a password:
// "http://ann:secret@example.org/" becomes "http://redacted@example.org/". All else stays, so that
// lines keep their numbers. It takes linear time.
func Redact(text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	return userinfo.ReplaceAllString(text, "${1}"+Redacted+"@")
}

// HasUser reports that a text, parsed as a URL, would have a user name or a password, which
// ParseURL drops.
func HasUser(text string) bool {
	_, rest, ok := strings.Cut(text, ":")
	if !ok {
		return false
	}
	rest = strings.TrimLeft(rest, `/\`)
	if i := strings.IndexAny(rest, `/\?#`); i >= 0 {
		rest = rest[:i]
	}
	return strings.Contains(rest, "@")
}
