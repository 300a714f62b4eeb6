package login

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"watershed/crawler/cookie"
	"watershed/page"
)

// Cookie is a line of a file of cookies.
type Cookie struct {
	Domain      string // without a leading dot
	Below       bool   // hosts below the domain are sent it, too
	Path        string
	Secure      bool      // over TLS only
	HTTPOnly    bool      // scripts do not see it: nothing but a session is kept so
	Expires     time.Time // zero for never
	Name, Value string
}

// maxCookieFile bounds a file of cookies, in bytes: browsers keep some thousands.
const maxCookieFile = 4 << 20

// ReadCookies reads a file in the format of Netscape's cookies.txt, as browsers, curl and wget write
// it: a line has domain, whether hosts below it are meant, path, secure, seconds since 1970 or 0,
// name and value, with tabs between. Errors name the line, and nothing that stands in it.
func ReadCookies(r io.Reader) (list []Cookie, err error) {
	s := bufio.NewScanner(io.LimitReader(r, maxCookieFile+1))
	s.Buffer(nil, 64<<10)
	read := 0
	for n := 1; s.Scan(); n++ {
		if read += len(s.Bytes()) + 1; read > maxCookieFile {
			return nil, fmt.Errorf("more than %d MiB of cookies", maxCookieFile>>20)
		}
		line, only := strings.CutPrefix(strings.TrimRight(s.Text(), "\r"), "#HttpOnly_")
		if strings.TrimSpace(line) == "" || line[0] == '#' && !only {
			continue
		}
		c, err := parseCookie(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		c.HTTPOnly = only
		list = append(list, c)
	}
	if err := s.Err(); err != nil {
		return nil, errors.New("no file of cookies in Netscape's format: a line is too long")
	}
	return list, nil
}

func parseCookie(line string) (c Cookie, err error) {
	f := strings.Split(line, "\t")
	if len(f) == 6 {
		f = append(f, "")
	}
	if len(f) != 7 {
		return c, fmt.Errorf("%d fields, not 7 with tabs between, as Netscape's format has", len(f))
	}
	seconds, err := strconv.ParseFloat(f[4], 64) // some browsers write fractions
	if err != nil || seconds > 1<<40 {
		return c, errors.New("the fifth field is no number of seconds since 1970")
	}
	c = Cookie{
		Domain: strings.ToLower(strings.TrimPrefix(f[0], ".")), Below: strings.EqualFold(f[1], "TRUE"),
		Path: f[2], Secure: strings.EqualFold(f[3], "TRUE"), Name: f[5], Value: f[6],
	}
	if seconds > 0 {
		c.Expires = time.Unix(int64(seconds), 0)
	}
	if c.Domain == "" || !cookie.Sendable(c.Name, c.Value) {
		return c, errors.New("no cookie that a browser would send")
	}
	return c, nil
}

// jar keeps the cookies of a login as RFC 6265 tells, with the list of public suffixes, and within
// its bounds (6.1).
type jar struct {
	kept   *cookiejar.Jar
	names  map[string]bool   // domain, path and name of those that were ever kept
	hidden map[string][]byte // values that scripts do not see, by name
}

// Bounds of a login's cookies. A domain may rely on 50 of 4,096 bytes (RFC 6265, 6.1); Chromium and
// Firefox keep 180 of a domain. Each page is looked through for each value that scripts do not see.
const (
	maxCookies = 180
	maxCookie  = 4096 // bytes of name and value
)

// newJar makes a jar with the cookies of a file that are for some of the origins. The error tells
// that there are such cookies, or none, and that none of them is good any more.
func newJar(list []Cookie, origins []page.URL, now time.Time) (*jar, error) {
	kept, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	if err != nil {
		return nil, err
	}
	j := &jar{kept: kept, names: map[string]bool{}, hidden: map[string][]byte{}}
	var last time.Time
	good := 0
	for _, c := range list {
		if !c.meant(origins) {
			continue
		}
		if !c.Expires.IsZero() && !c.Expires.After(now) {
			if c.Expires.After(last) {
				last = c.Expires
			}
			continue
		}
		good++
		domain := ""
		if c.Below {
			domain = c.Domain
		}
		j.keep(&url.URL{Scheme: "https", Host: c.Domain, Path: c.Path}, []*http.Cookie{{
			Name: c.Name, Value: c.Value, Path: c.Path, Domain: domain, Secure: c.Secure,
			HttpOnly: c.HTTPOnly, Expires: c.Expires,
		}})
	}
	switch {
	case good > 0 || len(list) == 0:
		return j, nil
	case last.IsZero():
		return nil, errors.New("the file has no cookie for the login's origins")
	}
	return nil, fmt.Errorf("all cookies for the login's origins have expired, the last one on %s: log in "+
		"with a browser and export them anew", last.UTC().Format(time.DateOnly))
}

// meant reports a cookie for a host of some of the origins.
func (c *Cookie) meant(origins []page.URL) bool {
	return slices.ContainsFunc(origins, func(u page.URL) bool {
		host := u.Host().Name()
		return host == c.Domain || c.Below && strings.HasSuffix(host, "."+c.Domain)
	})
}

// cookies is the value of the field Cookie for a URL; "" for none.
func (j *jar) cookies(u page.URL) string { return cookie.Field(j.kept.Cookies(cookie.Place(u))) }

// set keeps what an answer sets.
func (j *jar) set(u page.URL, h http.Header) { j.keep(cookie.Place(u), cookie.Set(h)) }

func (j *jar) keep(at *url.URL, list []*http.Cookie) {
	for _, c := range list {
		key := c.Domain + "\t" + c.Path + "\t" + c.Name
		if len(c.Name)+len(c.Value) > maxCookie || !j.names[key] && len(j.names) >= maxCookies {
			continue
		}
		j.names[key] = true
		if c.HttpOnly {
			j.hidden[c.Name] = []byte(strings.Trim(c.Value, `"`))
		}
		j.kept.SetCookies(at, []*http.Cookie{c})
	}
}

// secrets are the values that no page has a reason to show.
func (j *jar) secrets() (list [][]byte) {
	for _, v := range j.hidden {
		if len(v) >= leastSecret {
			list = append(list, v)
		}
	}
	return list
}
