package login

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"watershed/page"
)

const door page.URL = "https://www.a.example/login?do=in"

func formLogin(t *testing.T, success string) *Login {
	t.Helper()
	return newLogin(t, Options{Form: &Form{
		Page: door, Success: success,
		Fields: map[string]string{"user": "ann", "pass": "correct horse battery"},
	}})
}

// formPage is a page with a form of some attributes.
func formPage(attrs string) string {
	return `<form><input name=q></form><FORM ` + attrs + `><input type=hidden name=t value="a&amp;b">
<input name=user><input type=password name=pass>
<select name=l><option value=de><option value=en selected></select>
<input type=checkbox name=on checked><input type=checkbox name=off><input type=submit name=one value=1>
<input type=submit name=two value=2><input name=gone disabled value=x></form>`
}

func TestFormIsFilledIn(t *testing.T) {
	l := formLogin(t, "")
	step, due := l.Due()
	if !due || step.URL != door || step.Method != "GET" {
		t.Fatalf("%+v", step)
	}
	l.Took(said(door, 200, formPage(`method=POST action="in?x=1"`)))
	step, due = l.Due()
	got, err := url.ParseQuery(string(step.Body))
	if !due || step.URL != "https://www.a.example/in?x=1" || err != nil || got.Encode() !=
		"l=en&on=on&one=1&pass=correct+horse+battery&t=a%26b&user=ann" {
		t.Errorf("%+v: %s", step, step.Body)
	}
}

// TestFormControls: a form is sent as a browser sends it when the return key is pressed: by its first
// button, also where that has no name; options and areas without a value have their text.
func TestFormControls(t *testing.T) {
	fields := "<input name=user><input name=pass>"
	for controls, want := range map[string]string{
		"<button>In</button><button name=forgot value=1>Forgot</button>": "",
		"<input type=submit><input type=submit name=forgot>":             "",
		"<input type=image name=go value=x><button name=two></button>":   "go.x=0&go.y=0&",
		"<button type=button name=no></button><button name=go value=1>":  "go=1&",
		"<select name=l><option>de<option selected> en \n us </select>":  "l=en+us&",
		"<select name=l><option value=''>none<option>de</select>":        "l=&",
		"<select name=l><option>none</option><option>de</select>x":       "l=none&",
		"<textarea name=a>\n&lt;b> </textarea>":                          "a=%3Cb%3E+&",
	} {
		l := formLogin(t, "")
		l.Due()
		l.Took(said(door, 200, "<form method=post>"+controls+fields+"</form>"))
		step, due := l.Due()
		if got := string(step.Body); !due || got != want+"pass=correct+horse+battery&user=ann" {
			t.Errorf("%s: %s, %s", controls, got, l.Lost())
		}
	}
}

// TestFormBase: the address of a form counts from the base of its page; a form without one is sent to the
// page itself.
func TestFormBase(t *testing.T) {
	for attrs, want := range map[string]page.URL{
		`method=post action=in`: "https://www.a.example/shop/in", `method=post action=""`: door,
	} {
		l := formLogin(t, "")
		l.Due()
		l.Took(said(door, 200, `<base target=x><base href="/shop/"><base href="/no/">`+formPage(attrs)))
		if step, due := l.Due(); !due || step.URL != want {
			t.Errorf("%s: %+v", attrs, step)
		}
	}
}

// TestFormRefused: a form that would give the secret away, or is not the one described.
func TestFormRefused(t *testing.T) {
	for body, want := range map[string]string{
		formPage(`method=get`): "not sent by POST",
		formPage(``):           "not sent by POST",
		formPage(`method=post action="http://b.example/"`):          "where the login is not sent",
		formPage(`method=post action="//b.example/"`):               "where the login is not sent",
		formPage(`method=post enctype=multipart/form-data`):         "not done here",
		`<form method=post><input name=user><input name=pw></form>`: `["user pw"]`,
		`nothing`: "no form of the page",
	} {
		l := formLogin(t, "")
		l.Due()
		l.Took(said(door, 200, body))
		_, due := l.Due()
		if lost := l.Lost(); due || !strings.Contains(lost, want) || strings.Contains(lost, "horse") {
			t.Errorf("%.60s: %s", body, lost)
		}
	}
}

// TestFormEnds: by the sign of success, within bounds.
func TestFormEnds(t *testing.T) {
	in := page.URL("https://www.a.example/in")
	for name, x := range map[string]struct {
		success string
		answer  *page.Exchange
		lost    string
	}{
		"a page":            {"", said(in, 200, "hello"), ""},
		"the text":          {"Log Out", said(in, 200, "Log Out"), ""},
		"no text":           {"Log Out", said(in, 200, "hello"), "login.form.success"},
		"the form again":    {"", said(in, 200, formPage("method=post")), "the form came back"},
		"403":               {"", said(in, 403, ""), "status 403"},
		"elsewhere":         {"", said(in, 302, "", "Location", "http://b.example/"), ""},
		"elsewhere, a text": {"x", said(in, 302, "", "Location", "http://b.example/"), "b.example"},
		"again elsewhere":   {"", said(in, 307, "", "Location", "/in2"), "a second time"},
	} {
		l := formLogin(t, x.success)
		l.Due()
		l.Took(said(door, 200, formPage("method=post")))
		x.answer.Method = "POST"
		l.Took(x.answer)
		_, due := l.Due()
		if due || (x.lost == "") != (l.Lost() == "") || !strings.Contains(l.Lost(), x.lost) {
			t.Errorf("%s: due %v, lost %q", name, due, l.Lost())
		}
	}
	for name, answer := range map[string]*page.Exchange{
		"redirects": said(door, 302, "", "Location", "/login?do=in"), "no answer": said(door, 0, ""),
		"busy": said(door, 503, ""),
	} {
		l, n := formLogin(t, ""), 0
		for ; l.Lost() == "" && n < 100; n++ {
			l.Due()
			l.Took(answer)
		}
		if n > maxFollows+1 {
			t.Errorf("%s: %d requests", name, n)
		}
	}
}

// enter takes a login through its form.
func enter(l *Login) (logins int) {
	if _, due := l.Due(); !due {
		return 0
	}
	l.Took(said(door, 200, formPage("method=post")))
	l.Took(said(site, 200, "hello"))
	return 1
}

// TestRenewalsEnd: a site whose every page, or every second one, looks as if nobody were logged in
// costs ever fewer logins, and no page is asked for more than twice; where the sign is true, each
// page is had.
func TestRenewalsEnd(t *testing.T) {
	form := formPage("method=post")
	for name, shows := range map[string]func(i int) bool{
		"every page": func(int) bool { return true }, "every second": func(i int) bool { return i%2 == 0 },
	} {
		l, logins, most := formLogin(t, ""), 0, 0
		for i := range 400 {
			u := page.URL(fmt.Sprintf("https://www.a.example/%d", i))
			body := "hello"
			if shows(i) {
				body = form
			}
			asked := 0
			for v := Again; v == Again && asked < 10; asked++ {
				logins += enter(l)
				v = ask(l, u, said(u, 200, body))
			}
			most = max(most, asked)
		}
		if logins > 60 || most > 2 || l.Lost() != "" {
			t.Errorf("%s: %d logins, a page was asked for %d times, lost %q", name, logins, most, l.Lost())
		}
	}
	l, left, logins := formLogin(t, ""), 0, 0 // sessions of three pages
	for i := range 30 {
		u := page.URL(fmt.Sprintf("https://www.a.example/%d", i))
		for asked := 0; ; asked++ {
			if n := enter(l); n > 0 {
				logins, left = logins+n, 3
			}
			body := form
			if left--; left >= 0 {
				body = "hello"
			}
			v := ask(l, u, said(u, 200, body))
			if v == Good {
				break
			}
			if v == Doubt || asked > 2 {
				t.Fatalf("page %d: a page of strangers is taken", i)
			}
		}
	}
	if logins != 10 {
		t.Errorf("%d logins", logins)
	}
}

// TestTwoPagesAtOnce: pages of two hosts that expire together bring one renewal, and cannot renew by
// turns for ever.
func TestTwoPagesAtOnce(t *testing.T) {
	l := formLogin(t, "")
	enter(l)
	a, b := page.URL("https://www.a.example/a"), page.URL("https://www.a.example/b")
	first, second := l.Session(a), l.Session(b)
	form := formPage("method=post")
	if first.Judge(said(a, 200, form)) != Again || second.Judge(said(b, 200, form)) != Again {
		t.Fatal("a page of strangers is taken")
	}
	logins := 0
	for range 20 {
		logins += enter(l)
		ask(l, b, said(b, 200, form))
		logins += enter(l)
		ask(l, a, said(a, 200, form))
	}
	if logins > 10 {
		t.Errorf("%d logins", logins)
	}
}
