package cookie

import (
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"

	"watershed/page"
)

// maxAttribute is how long a domain or path may be, in bytes; browsers take no notice of longer ones
// (RFC 6265bis, 5.6).
const maxAttribute = 1024

// Set is what the head of an answer sets, read as browsers do. net/http refuses or changes quotes,
// blanks and letters beyond ASCII, which many sites have in theirs. The cookies keep nothing of the head
// alive.
func Set(h http.Header) (list []*http.Cookie) {
	for _, line := range h["Set-Cookie"] {
		pair, attributes, _ := strings.Cut(line, ";")
		name, value, named := strings.Cut(pair, "=")
		c, err := http.ParseSetCookie("name=value;" + attributes)
		if err != nil || !named {
			continue
		}
		name, value = strings.Trim(name, " \t"), strings.Trim(value, " \t")
		if !Sendable(name, value) || len(c.Domain) > maxAttribute || len(c.Path) > maxAttribute {
			continue
		}
		list = append(list, &http.Cookie{
			Name: strings.Clone(name), Value: strings.Clone(value), Domain: strings.Clone(c.Domain),
			Path: strings.Clone(c.Path), Expires: c.Expires, MaxAge: c.MaxAge, Secure: c.Secure,
			HttpOnly: c.HttpOnly,
		})
	}
	return list
}

// Sendable reports a cookie that browsers send: of any bytes but controls and the marks that end its
// name or value. Source: RFC 6265, 5.2.
func Sendable(name, value string) bool {
	return name != "" && !strings.ContainsAny(name, " \t=;") && strings.IndexByte(value, ';') < 0 &&
		httpguts.ValidHeaderFieldValue(name+value)
}

// Place is a URL as a jar looks at it: its path as it is sent, of any bytes.
func Place(u page.URL) *url.URL {
	return &url.URL{Scheme: u.Scheme(), Host: string(u.Host()), Path: u.Path()}
}

// Field is the value of the field Cookie with so many cookies; "" for none.
func Field(list []*http.Cookie) string {
	parts := make([]string, 0, len(list))
	for _, c := range list {
		parts = append(parts, c.Name+"="+c.Value)
	}
	return strings.Join(parts, "; ")
}
