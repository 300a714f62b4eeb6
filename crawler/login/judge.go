package login

import (
	"bytes"
	"net/http"
	"strings"

	"watershed/crawler/robots"
	"watershed/page"
)

// Verdict is what becomes of an answer to a request with a login.
type Verdict uint8

const (
	Good  Verdict = iota // it is the page
	Again                // the page is to be asked for again, after what is due
	Doubt                // it looks as if the login had expired, and is taken all the same
)

// doubts are how many such answers in a row are taken from a site whose login cannot be renewed and
// was good before, until the login is given up: a directory may be closed to its user.
const doubts = 3

// Judge says what an answer means for the login.
func (s *Session) Judge(x *page.Exchange) Verdict {
	l := s.login
	if x.Status == 0 {
		return Good // no answer says nothing
	}
	sign := l.sign(x)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case sign == "":
		if l.after[x.URL] {
			l.vain = 0 // the renewal helped
			delete(l.after, x.URL)
		}
		l.proved, l.signs = l.proved || x.Status < http.StatusBadRequest, 0
		return Good
	case l.lost != "" || s.number < l.number:
		return Again // under a login that has been replaced since, or is to be
	}
	l.signs++
	switch {
	case x.Status == http.StatusUnauthorized && l.opt.Scheme == Digest && l.fresh(s):
		return Again
	case l.opt.Form != nil:
		return l.renew(x.URL, sign)
	case l.opt.Expired != "" && x.Status != http.StatusUnauthorized,
		!l.proved, l.signs >= doubts:
		l.lose("%s: %s", x.URL, l.refused(sign))
		return Again
	}
	l.opt.Log.Warn("it looks as if the login were refused", "site", l.opt.Name, "url", x.URL,
		"sign", sign)
	return Doubt
}

// Challenged reports an answer to a request for a robots.txt, which is never judged, that says how
// digest authentication goes: it is worth asking for again.
func (s *Session) Challenged(x *page.Exchange) bool {
	l := s.login
	l.mu.Lock()
	defer l.mu.Unlock()
	if x.Status != http.StatusUnauthorized || l.opt.Scheme != Digest || l.lost != "" {
		return false
	}
	l.signs++
	return l.fresh(s)
}

// refused says what a sign means where the login cannot be renewed, and what to do.
func (l *Login) refused(sign string) string {
	switch {
	case l.opt.Scheme == Basic || l.opt.Scheme == Digest:
		return sign + ": the user or the password is refused; see login.user and login.password"
	case len(l.opt.Cookies) > 0:
		return sign + ": the cookies are refused or have expired; export the file of login.cookies anew"
	}
	return sign + ": the fields of login.headers are refused"
}

// renew has the form filled in again, unless signs that remained after a renewal make this one
// doubtful.
func (l *Login) renew(u page.URL, sign string) Verdict {
	if l.after[u] {
		l.vain, l.signs = l.vain+1, 0
		delete(l.after, u)
		l.opt.Log.Warn("a page still looks as if the login had expired, right after it was renewed",
			"site", l.opt.Name, "url", u, "sign", sign)
		return Doubt
	}
	if l.signs < l.vain {
		return Doubt
	}
	l.opt.Log.Info("the login has expired and is renewed", "site", l.opt.Name, "url", u, "sign", sign)
	l.after[u], l.flow = true, l.begin()
	l.number++
	return Again
}

// sign says by what an answer looks as if nobody were logged in; "" where it does not.
func (l *Login) sign(x *page.Exchange) string {
	switch form := l.opt.Form; {
	case x.Status == http.StatusUnauthorized:
		return "status 401"
	case l.opt.Expired != "" && bytes.Contains(x.Body.Bytes, []byte(l.opt.Expired)):
		return "the text of login.expired"
	case form == nil || l.opt.Expired != "":
		return ""
	case x.Status >= 300 && x.Status < 400:
		to, err := x.URL.Resolve(x.Header.Get("Location"))
		if err == nil && samePlace(to, form.Page) && !samePlace(x.URL, form.Page) {
			return "a redirect to the page of the form"
		}
	case !samePlace(x.URL, form.Page) && filled(x.Body.Bytes, form.Fields) != nil:
		return "the form of the login"
	}
	return ""
}

// samePlace reports URLs of one origin and path, and with the arguments that the second one has.
func samePlace(u, of page.URL) bool {
	if robots.Origin(u) != robots.Origin(of) || u.Path() != of.Path() {
		return false
	}
	has := "&" + u.Query() + "&"
	for arg := range strings.SplitSeq(of.Query(), "&") {
		if arg != "" && !strings.Contains(has, "&"+arg+"&") {
			return false
		}
	}
	return true
}
