package login

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/http/httpguts"

	"watershed/crawler/robots"
	"watershed/page"
)

// Scheme is a way of authentication of HTTP itself.
type Scheme string

// The schemes. Basic sends the password as it is, with each request; Digest never does.
const (
	None   Scheme = "none"
	Basic  Scheme = "basic"
	Digest Scheme = "digest"
)

// Options of a login.
type Options struct {
	Name    string     // of the site whose login it is
	Origins []page.URL // any URL of each origin
	Scheme  Scheme     // "" is None

	User, Password string
	Header         http.Header // fields with secret values
	Cookies        []Cookie
	Form           *Form // nil for none

	// Expired is a text that pages have once the login has expired. "" looks for the signs that any
	// login has: status 401, a redirect to the page of the form, and the form itself.
	Expired string

	Log *slog.Logger // nil is silent
}

// Form is a form that logs in. All else of it, such as hidden fields with tokens against forged
// requests, is taken from the page each time.
type Form struct {
	Page   page.URL
	Fields map[string]string // to be filled in, by their names
	// Success is a text of the page that one is led to when the login is done; "" takes any page
	// that has not the form itself, with a status below 400.
	Success string
}

// Login is the login of a site. It is safe for concurrent use.
type Login struct {
	opt     Options
	origins map[string]bool
	secrets [][]byte // that no answer may repeat

	mu     sync.Mutex // guards what follows
	jar    *jar
	nonces map[string]*nonce // of digest authentication, by origin
	flow   *flow             // the form's requests; nil while none is under way
	number int               // of the login in force: 0 before the first
	proved bool              // it was good for a page
	signs  int               // answers in a row that looked as if the login had expired
	vain   int               // renewals in a row that did not take a sign away
	after  map[page.URL]bool // the pages for which it was renewed, and that were not had since
	fails  int               // of the form's requests in a row, to be repeated
	lost   string            // why there is none any more
}

// Validate tells of values that no header can have, which would not be sent.
func (o *Options) Validate() error {
	const why = "has a line break or another control character"
	var errs []error
	if !httpguts.ValidHeaderFieldValue(o.User) {
		errs = append(errs, errors.New("user: the name "+why))
	}
	for _, name := range slices.Sorted(maps.Keys(o.Header)) {
		if !httpguts.ValidHeaderFieldName(name) || slices.ContainsFunc(o.Header[name], func(v string) bool {
			return !httpguts.ValidHeaderFieldValue(v)
		}) {
			errs = append(errs, fmt.Errorf("headers.%s: the value or the name %s", name, why))
		}
	}
	return errors.Join(errs...)
}

// New makes a login. The error tells of values that no header can have, of cookies that no site may
// set, and of a file of cookies of which none is good any more.
func New(o Options) (*Login, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	l := &Login{opt: o, origins: map[string]bool{}, nonces: map[string]*nonce{}, after: map[page.URL]bool{}}
	if l.opt.Log == nil {
		l.opt.Log = slog.New(slog.DiscardHandler)
	}
	for _, u := range o.Origins {
		l.origins[robots.Origin(u)] = true
	}
	var err error
	if l.jar, err = newJar(o.Cookies, o.Origins, time.Now()); err != nil {
		return nil, err
	}
	if o.Form != nil && !l.origins[robots.Origin(o.Form.Page)] {
		return nil, fmt.Errorf("the form's page %s is on none of the login's origins", o.Form.Page)
	}
	if o.Scheme == Basic {
		l.guard(strings.TrimPrefix(l.basic(), "Basic "))
	}
	for _, name := range slices.Sorted(maps.Keys(o.Header)) {
		for _, v := range o.Header[name] {
			l.guard(v[strings.LastIndexByte(v, ' ')+1:]) // the scheme before it is no secret
		}
	}
	return l, nil
}

// leastSecret is the length from which on a value is looked for in answers: shorter ones, such as
// the language in a cookie, are words that any page has.
const leastSecret = 12

func (l *Login) guard(secret string) {
	if len(secret) >= leastSecret {
		l.secrets = append(l.secrets, []byte(secret))
	}
}

// Logins are those of a harvest. A nil Logins has none.
type Logins struct{ all []*Login }

// Join makes the Logins of a harvest. No two may have an origin in common.
func Join(all []*Login) (*Logins, error) {
	owner := map[string]string{}
	for _, l := range all {
		for _, o := range slices.Sorted(maps.Keys(l.origins)) {
			if first, taken := owner[o]; taken {
				return nil, fmt.Errorf("%s and %s both have a login for %s: give each origin one", first,
					l.opt.Name, o)
			}
			owner[o] = l.opt.Name
		}
	}
	return &Logins{all}, nil
}

// Of is the login for a URL, by its origin; nil for none.
func (s *Logins) Of(u page.URL) *Login {
	if s == nil || len(s.all) == 0 {
		return nil
	}
	origin := robots.Origin(u)
	for _, l := range s.all {
		if l.origins[origin] {
			return l
		}
	}
	return nil
}

// Name is whose login a URL is asked for with, "" for none.
func (s *Logins) Name(u page.URL) string {
	if l := s.Of(u); l != nil {
		return l.opt.Name
	}
	return ""
}

// Session is the session for a URL, nil where it is asked for without a login.
func (s *Logins) Session(u page.URL) *Session {
	if l := s.Of(u); l != nil {
		return l.Session(u)
	}
	return nil
}

// Loss tells of a login that is lost.
type Loss struct{ Name, Cause string }

// Lost gives the logins that are lost.
func (s *Logins) Lost() (list []Loss) {
	if s == nil {
		return nil
	}
	for _, l := range s.all {
		if cause := l.Lost(); cause != "" {
			list = append(list, Loss{l.opt.Name, cause})
		}
	}
	return list
}

// Lost says why the login cannot be had any more; "" while it can.
func (l *Login) Lost() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// Lose gives the login up. The first cause counts.
func (l *Login) Lose(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lose(format, args...)
}

func (l *Login) lose(format string, args ...any) {
	if l.lost != "" {
		return
	}
	l.lost, l.flow = fmt.Sprintf(format, args...), nil
	l.opt.Log.Error("the login is lost: nothing more is asked for with it", "site", l.opt.Name,
		"cause", l.lost)
}

// basic is the value of Authorization by RFC 7617.
func (l *Login) basic() string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(l.opt.User+":"+l.opt.Password))
}

// Session is the login as it is for one request. It is a fetch.Credentials.
type Session struct {
	login  *Login
	url    page.URL
	number int
	nonce  *nonce // that was answered; nil for none
}

// Session gives what a request for a URL of one of the login's origins is sent with.
func (l *Login) Session(u page.URL) *Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &Session{login: l, url: u, number: l.number}
}

// Name is the site whose login it is.
func (s *Session) Name() string { return s.login.opt.Name }

// Fields gives the fields with secrets. A session of a URL that is not of the login's origins, which
// nobody should ask for, has none.
func (s *Session) Fields(method, target string) http.Header {
	l := s.login
	l.mu.Lock()
	defer l.mu.Unlock()
	h := http.Header{}
	if !l.origins[robots.Origin(s.url)] {
		return h
	}
	for name, values := range l.opt.Header {
		h[textproto.CanonicalMIMEHeaderKey(name)] = values
	}
	switch l.opt.Scheme {
	case Basic:
		h["Authorization"] = []string{l.basic()}
	case Digest:
		if s.nonce = l.nonces[robots.Origin(s.url)]; s.nonce != nil {
			h["Authorization"] = []string{s.nonce.answer(&l.opt, method, target, rand.Text())}
		}
	}
	if cookies := l.jar.cookies(s.url); cookies != "" {
		h["Cookie"] = append(h["Cookie"][:0:0], strings.Join(append(h["Cookie"], cookies), "; "))
	}
	return h
}

// Answered keeps the cookies that an answer sets, and the number that the next digest is made of.
func (s *Session) Answered(status int, h http.Header) {
	l := s.login
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.origins[robots.Origin(s.url)] {
		return
	}
	if l.opt.Form != nil || len(l.opt.Cookies) > 0 { // else cookies stay off, as everywhere
		l.jar.set(s.url, h)
	}
	if l.opt.Scheme == Digest {
		l.challenged(robots.Origin(s.url), status, h)
	}
}

// Betrays reports that an answer repeats a secret of the login: it must not be archived. A password
// by itself is looked for in answers to the form only, as it may be a word of the site.
func (s *Session) Betrays(x *page.Exchange) bool {
	l := s.login
	l.mu.Lock()
	defer l.mu.Unlock()
	secrets := slices.Concat(l.secrets, l.jar.secrets())
	if x.Method == http.MethodPost && l.opt.Form != nil {
		for _, v := range l.opt.Form.Fields {
			secrets = append(secrets, []byte(v))
		}
		secrets = slices.DeleteFunc(secrets, func(v []byte) bool { return string(v) == l.opt.User })
	}
	head := make([]byte, x.Head)
	if x.Response != nil {
		_, _ = x.Response.ReadAt(head, 0) // what cannot be read is told where it is archived
	}
	forms := map[string]bool{}
	for _, v := range secrets {
		forms[string(v)] = true
		forms[html.EscapeString(string(v))], forms[url.QueryEscape(string(v))] = true, true
	}
	delete(forms, "")
	for form := range forms {
		if bytes.Contains(x.Body.Bytes, []byte(form)) || bytes.Contains(head, []byte(form)) {
			return true
		}
	}
	return false
}
