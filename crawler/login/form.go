package login

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"watershed/crawler/robots"
	"watershed/page"
)

// form is a form of a page as it would be sent.
type form struct {
	action, method, coding string
	base                   string     // of the page that stands before the form; "" for none
	fields                 url.Values // with the values that the page gives them
	names                  []string   // of all fields, for messages
	submit                 bool       // its first button was met, the one that a browser sends
}

// maxForms is how much of a page is looked at for its forms, in bytes.
const maxForms = 2 << 20

// formsOf are the forms of a page, in one pass over its tags. A form ends at the next one, too.
func formsOf(body []byte) (list []*form) {
	z := html.NewTokenizer(bytes.NewReader(body[:min(len(body), maxForms)]))
	z.SetMaxBuf(maxForms)
	var f *form
	choice, base := "", "" // the name of the select that is open; the first address that is a base
	worded := ""           // the field whose value is the text that comes next
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return list
		}
		t := z.Token()
		if kind == html.TextToken && worded != "" {
			f.fields.Set(worded, wordsOf(t.Data, choice != ""))
		}
		worded = ""
		switch {
		case kind == html.EndTagToken && t.Data == "form":
			f = nil
		case kind == html.EndTagToken && t.Data == "select":
			choice = ""
		case kind != html.StartTagToken && kind != html.SelfClosingTagToken:
		case t.Data == "base":
			base = cmp.Or(base, attr(t, "href"))
		case t.Data == "form":
			f = &form{fields: url.Values{}, base: base}
			f.action, f.method, f.coding = attr(t, "action"), attr(t, "method"), attr(t, "enctype")
			list = append(list, f)
		case f != nil && t.Data == "select":
			choice = attr(t, "name")
			f.names = append(f.names, choice)
		case f != nil && t.Data == "option":
			if has(t, "selected") || choice != "" && !f.fields.Has(choice) {
				f.fields.Set(choice, attr(t, "value"))
				if !has(t, "value") {
					worded = choice
				}
			}
		case f != nil && (t.Data == "input" || t.Data == "button" || t.Data == "textarea"):
			f.control(t)
			if t.Data == "textarea" && !has(t, "disabled") {
				worded = attr(t, "name")
			}
		}
	}
}

// wordsOf is the value that a text gives an option, without white space around and more than one between
// words, or an area, without the line break that it may begin with.
func wordsOf(text string, option bool) string {
	if option {
		return strings.Join(strings.Fields(text), " ")
	}
	return strings.TrimPrefix(text, "\n")
}

// control adds a field as a browser would send it that nobody has touched.
func (f *form) control(t html.Token) {
	name, kind, value := attr(t, "name"), strings.ToLower(attr(t, "type")), attr(t, "value")
	if t.Data == "button" && kind == "" {
		kind = "submit"
	}
	if has(t, "disabled") {
		return
	}
	first := !f.submit
	f.submit = f.submit || kind == "submit" || kind == "image"
	if name == "" {
		return
	}
	f.names = append(f.names, name)
	switch kind {
	case "submit":
		if !first {
			return
		}
	case "image":
		if first { // where it was clicked
			f.fields.Set(name+".x", "0")
			f.fields.Set(name+".y", "0")
		}
		return
	case "checkbox", "radio":
		if !has(t, "checked") {
			return
		}
		if !has(t, "value") {
			value = "on"
		}
	case "button", "reset", "file":
		return
	}
	f.fields.Add(name, value)
}

func attr(t html.Token, key string) string {
	for _, a := range t.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func has(t html.Token, key string) bool {
	return slices.ContainsFunc(t.Attr, func(a html.Attribute) bool { return a.Key == key })
}

// filled is the form of a page that has all the fields, filled in; nil where there is none.
func filled(body []byte, fields map[string]string) *form {
	for name := range fields {
		if !bytes.Contains(body, []byte(html.EscapeString(name))) {
			return nil // most pages: no form is looked for
		}
	}
	for _, f := range formsOf(body) {
		if slices.ContainsFunc(slices.Collect(maps.Keys(fields)), func(name string) bool {
			return !slices.Contains(f.names, name)
		}) {
			continue
		}
		for name, value := range fields {
			f.fields.Set(name, value)
		}
		return f
	}
	return nil
}

// Step is the next request of a form's login.
type Step struct {
	URL    page.URL
	Method string
	Body   []byte      // of a POST
	Header http.Header // its Content-Type
}

// flow is a form's login under way.
type flow struct {
	next    Step
	sent    bool // the form was
	follows int  // redirects
}

// maxFollows is how many redirects of the form's page, or behind it, are followed.
const maxFollows = 5

// begin starts anew with the page of the form.
func (l *Login) begin() *flow {
	return &flow{next: Step{URL: l.opt.Form.Page, Method: http.MethodGet}}
}

// Due is the request that is to be made before any page is asked for with the login; false for none.
// All of them are on the host of the form's page.
func (l *Login) Due() (Step, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opt.Form == nil || l.lost != "" {
		return Step{}, false
	}
	if l.flow == nil && l.number == 0 {
		l.flow = l.begin()
		l.number = 1
	}
	if l.flow == nil {
		return Step{}, false
	}
	return l.flow.next, true
}

// attempts are how often a login is begun before a server that does not answer is left alone; the
// host rests longer each time.
const attempts = 4

// Page is the page of the login's form.
func (l *Login) Page() page.URL { return l.opt.Form.Page }

// Took is shown the answer to what was due.
func (l *Login) Took(x *page.Exchange) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.flow
	if f == nil || l.lost != "" {
		return
	}
	switch {
	case x.Status >= 300 && x.Status < 400 && x.Status != 304:
		l.follow(x)
	case x.Status == 0 || x.Status == http.StatusTooManyRequests || x.Status >= 500:
		if l.fails++; l.fails < attempts {
			l.flow = l.begin()
			return
		}
		l.lose("%s: no good answer in %d attempts, status %d", x.URL, attempts, x.Status)
	case x.Status >= 400 && f.sent:
		l.lose("%s: the form was answered with status %d: the user or the password is refused; see "+
			"login.user and login.password", x.URL, x.Status)
	case x.Status >= 400:
		l.lose("%s: the page of the form was answered with status %d", x.URL, x.Status)
	case !f.sent:
		l.fill(x)
	default:
		l.ended(x)
	}
}

// follow follows a redirect.
func (l *Login) follow(x *page.Exchange) {
	f := l.flow
	to, err := x.URL.Resolve(x.Header.Get("Location"))
	f.follows++
	switch {
	case err != nil:
		l.lose("%s: a redirect without a good Location", x.URL)
	case f.follows > maxFollows:
		l.lose("%s: more than %d redirects", x.URL, maxFollows)
	case !l.here(to) && f.sent && l.opt.Form.Success == "":
		l.succeed() // it leads to another host, which is asked as any other
	case !l.here(to):
		l.lose("%s: it redirects to %s, where the login is not sent to; see login.origins", x.URL, to.Host())
	case f.sent && x.Method == http.MethodPost && (x.Status == 307 || x.Status == 308):
		l.lose("%s: the form is to be sent a second time, to %s", x.URL, to)
	default:
		f.next = Step{URL: to, Method: http.MethodGet}
	}
}

// here reports a URL on the host of the form's page that the login is for.
func (l *Login) here(u page.URL) bool {
	return l.origins[robots.Origin(u)] && u.Host() == l.opt.Form.Page.Host()
}

// fill fills the form in.
func (l *Login) fill(x *page.Exchange) {
	want := slices.Sorted(maps.Keys(l.opt.Form.Fields))
	f := filled(x.Body.Bytes, l.opt.Form.Fields)
	if f == nil {
		var others []string
		for _, f := range formsOf(x.Body.Bytes) {
			others = append(others, strings.Join(f.names, " "))
		}
		l.lose("%s: no form of the page has the fields %q; its forms have: %.300q; see login.form", x.URL,
			want, others)
		return
	}
	to := x.URL
	var err error
	if f.action != "" {
		from := x.URL
		if base, err := x.URL.Resolve(f.base); err == nil {
			from = base
		}
		to, err = from.Resolve(f.action)
	}
	switch {
	case err != nil || !l.here(to):
		l.lose("%s: the form is sent to %s, where the login is not sent to; see login.origins", x.URL,
			page.Redact(fmt.Sprintf("%.200s", f.action)))
	case !strings.EqualFold(f.method, http.MethodPost):
		l.lose("%s: the form is not sent by POST, so the password would stand in an address", x.URL)
	case f.coding != "" && !strings.EqualFold(f.coding, formType):
		l.lose("%s: the form is sent as %.60q, which is not done here", x.URL, f.coding)
	case x.URL.Scheme() == "https" && to.Scheme() == "http":
		l.lose("%s: the form is sent without encryption from an encrypted page", x.URL)
	default:
		l.flow.sent, l.flow.follows = true, 0
		l.flow.next = Step{
			URL: to, Method: http.MethodPost, Body: []byte(f.fields.Encode()),
			Header: http.Header{"Content-Type": {formType}, "Referer": {string(x.URL)}},
		}
	}
}

const formType = "application/x-www-form-urlencoded"

// ended looks for the sign of success in the page behind the form.
func (l *Login) ended(x *page.Exchange) {
	form := l.opt.Form
	switch {
	case form.Success != "" && !bytes.Contains(x.Body.Bytes, []byte(form.Success)):
		l.lose("%s: the page behind the form has not the text of login.form.success: the user or the "+
			"password is refused, or the text has changed", x.URL)
	case form.Success == "" && filled(x.Body.Bytes, form.Fields) != nil:
		l.lose("%s: the form came back: the user or the password is refused; see login.user and "+
			"login.password", x.URL)
	default:
		l.succeed()
	}
}

func (l *Login) succeed() {
	l.flow, l.signs, l.fails = nil, 0, 0
	l.opt.Log.Info("logged in", "site", l.opt.Name)
}
