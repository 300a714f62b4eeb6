package login

import (
	"fmt"
	"net/http"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"watershed/page"
)

// TestDigest has the example of RFC 2617, 3.5, and the same with other algorithms, computed with
// Python's hashlib.
func TestDigest(t *testing.T) {
	o := Options{User: "Mufasa", Password: "Circle Of Life"}
	for algorithm, want := range map[string]string{
		"MD5":          "6629fae49393a05397450978507c4ef1",
		"SHA-256":      "5abdd07184ba512a22c53f41470e5eea7dcaa3a93a59b630c13dfe0a5dc6e38b",
		"SHA-256-sess": "b8822e12417cb7750f4e2b8515f0dcf25b7dd26993e80bee1426201446a7f59b",
	} {
		list := challenges(`Negotiate, Digest realm="testrealm@host.com", qop="auth, auth-int", ` +
			`algorithm=` + algorithm + `, nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", ` +
			`opaque="5ccc069c403ebaf9f0171e9517f40e41", Basic realm="a \"b\""`)
		if len(list) != 3 || list[2]["realm"] != `a "b"` || list[0]["scheme"] != "negotiate" {
			t.Fatalf("%v", list)
		}
		n, _ := nonceOf(list[1])
		got := n.answer(&o, "GET", "/dir/index.html", "0a4f113b")
		if !strings.Contains(got, `response="`+want+`"`) || strings.Contains(got, o.Password) {
			t.Errorf("%s: %s", algorithm, got)
		}
	}
}

// said is an answer to a request with a session.
func said(u page.URL, status int, body string, header ...string) *page.Exchange {
	x := &page.Exchange{
		URL: u, Method: "GET", Status: status, Header: textproto.MIMEHeader{},
		Body: page.Body{Bytes: []byte(body)},
	}
	for i := 0; i+1 < len(header); i += 2 {
		x.Header.Add(header[i], header[i+1])
	}
	return x
}

const site page.URL = "https://www.a.example/"

func newLogin(t *testing.T, o Options) *Login {
	t.Helper()
	o.Name, o.User, o.Password = "A", "ann", "correct horse battery"
	if o.Origins == nil {
		o.Origins = []page.URL{site}
	}
	l, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// ask is a request for a URL and its answer, as the crawler makes them.
func ask(l *Login, u page.URL, x *page.Exchange) Verdict {
	s := l.Session(u)
	s.Fields("GET", u.PathQuery())
	s.Answered(x.Status, http.Header(x.Header))
	return s.Judge(x)
}

// TestOrigins: nobody else is sent a secret, whatever asks for it.
func TestOrigins(t *testing.T) {
	cookies := []Cookie{
		{Domain: "a.example", Below: true, Path: "/", Name: "all", Value: "1"},
		{Domain: "www.a.example", Path: "/in", Secure: true, Name: "own", Value: "2"},
		{Domain: "example", Below: true, Path: "/", Name: "suffix", Value: "3"},
		{Domain: "b.example", Path: "/", Name: "other", Value: "4"},
	}
	l := newLogin(t, Options{
		Scheme: Basic, Header: http.Header{"X-Key": {"k"}}, Cookies: cookies,
		Origins: []page.URL{site, "http://www.a.example/x"},
	})
	all, err := Join([]*Login{l})
	if err != nil {
		t.Fatal(err)
	}
	for u, want := range map[page.URL]string{
		site: "all=1", "https://www.a.example/in/x": "own=2; all=1", "http://www.a.example/in/x": "all=1",
	} {
		h := all.Session(u).Fields("GET", u.PathQuery())
		if h.Get("Cookie") != want || h.Get("X-Key") != "k" || h.Get("Authorization") != l.basic() {
			t.Errorf("%s: %v", u, h)
		}
	}
	for _, u := range []page.URL{
		"https://www.a.example:8443/", "https://a.example/", "http://b.example/", "https://x.www.a.example/",
	} {
		if all.Session(u) != nil || len(l.Session(u).Fields("GET", "/")) > 0 {
			t.Errorf("%s gets the login", u)
		}
		s := l.Session(u)
		s.Answered(200, http.Header{"Set-Cookie": {"planted=1; Domain=a.example"}})
	}
	if got := l.Session(site).Fields("GET", "/").Get("Cookie"); strings.Contains(got, "planted") {
		t.Errorf("another host set a cookie: %s", got)
	}
	if _, err := Join([]*Login{l, newLogin(t, Options{Scheme: Basic})}); err == nil {
		t.Error("two logins for one origin")
	}
}

func TestReadCookies(t *testing.T) {
	list, err := ReadCookies(strings.NewReader("# Netscape HTTP Cookie File\r\n\r\n" +
		"#HttpOnly_.a.example\tTRUE\t/\tTRUE\t1700000000.5\tsid\tx y\r\n" +
		"b.example\tFALSE\t/\tFALSE\t0\tempty\n"))
	if err != nil || len(list) != 2 || !list[0].HTTPOnly || !list[0].Below || !list[0].Secure ||
		list[0].Expires.Unix() != 1700000000 || !list[1].Expires.IsZero() || list[1].Value != "" {
		t.Errorf("%+v, %v", list, err)
	}
	for text, want := range map[string]string{
		"a.example\tTRUE\t/\tTRUE\t0\n":                       "line 1: 5 fields",
		"#\na.example TRUE / TRUE 0 name hunter2":             "line 2: 1 fields",
		"a.example\tTRUE\t/\tTRUE\tsoon\tname\thunter2":       "line 1: the fifth field",
		"a.example\tTRUE\t/\tTRUE\t0\tna me\thunter2":         "line 1: no cookie",
		"\tTRUE\t/\tTRUE\t0\tname\thunter2":                   "line 1: no cookie",
		"a.example\tTRUE\t/\tTRUE\t0\tname\thun\x00ter2":      "line 1: no cookie",
		strings.Repeat("a", 100<<10) + "\thunter2\thunter2\t": "too long",
	} {
		_, err := ReadCookies(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%.60q: %v", text, err)
		}
	}
	old := Cookie{
		Domain: "www.a.example", Path: "/", Name: "sid", Value: "x", Expires: time.Unix(1700000000, 0),
	}
	_, err = New(Options{Name: "A", Origins: []page.URL{site}, Cookies: []Cookie{old}})
	if err == nil || !strings.Contains(err.Error(), "2023-11-14") {
		t.Error(err)
	}
	old.Domain = "elsewhere.example"
	if _, err = New(Options{Name: "A", Origins: []page.URL{site}, Cookies: []Cookie{old}}); err == nil {
		t.Error("cookies of others alone are taken")
	}
}

// TestOddCookies: cookies are sent back byte for byte, whatever they have, and with each address of their
// origin.
func TestOddCookies(t *testing.T) {
	list, err := ReadCookies(strings.NewReader(
		"www.a.example\tFALSE\t/\tFALSE\t0\tconsent\t{\"all\": true}\n" +
			"www.a.example\tFALSE\t/d%2Fe\tFALSE\t0\tin\t\"ajax:1\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	l := newLogin(t, Options{Cookies: list})
	l.Session(site).Answered(200, http.Header{"Set-Cookie": {
		`session="a,b\c"; Path=/; HttpOnly`, "user[id]=J\xfcrgen;path=/", "none", "a=b\x01; Path=/",
	}})
	for path, want := range map[string]string{
		"50%off": `consent={"all": true}; session="a,b\c"; user[id]=` + "J\xfcrgen",
		"d%2Fe/": `in="ajax:1"; consent={"all": true}; session="a,b\c"; user[id]=` + "J\xfcrgen",
	} {
		if got := l.Session(site+page.URL(path)).Fields("GET", "/"+path).Get("Cookie"); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// TestHostileCookies: a server that sets cookies without end is bounded, and none is set for others.
func TestHostileCookies(t *testing.T) {
	l := newLogin(t, Options{Form: &Form{Page: site + "login", Fields: map[string]string{"p": "x"}}})
	for i := range 2 * maxCookies {
		l.Session(site).Answered(200, http.Header{"Set-Cookie": {
			fmt.Sprintf("c%d=%d; Path=/%d", i, i, i), "big=" + strings.Repeat("x", maxCookie) + "; Path=/",
		}})
	}
	if n := len(l.jar.names); n != maxCookies {
		t.Errorf("%d cookies are kept", n)
	}
	if got := l.jar.cookies(site); got != "" {
		t.Errorf("%.80q", got)
	}
}

// TestUnsendable: a secret that no header can have is refused, and not shown.
func TestUnsendable(t *testing.T) {
	for want, o := range map[string]Options{
		"user":            {User: "horse\r\nX: y"},
		"headers.X-Token": {Header: http.Header{"X-Token": {"horse\n"}}},
		"headers.X Y":     {Header: http.Header{"X Y": {"horse"}}},
	} {
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "horse") {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestBasicRefused: a wrong password is seen at once, a closed directory is not taken for one.
func TestBasicRefused(t *testing.T) {
	l := newLogin(t, Options{Scheme: Basic})
	if v := ask(l, site, said(site, 401, "")); v != Again || !strings.Contains(l.Lost(), "login.password") {
		t.Errorf("%d, %s", v, l.Lost())
	}
	l = newLogin(t, Options{Scheme: Basic})
	for i, want := range []Verdict{Good, Doubt, Doubt, Good, Doubt, Doubt, Again} {
		status := map[Verdict]int{Good: 200, Doubt: 401, Again: 401}[want]
		if v := ask(l, site, said(site, status, "")); v != want {
			t.Errorf("answer %d: %d, want %d", i, v, want)
		}
	}
	if strings.Contains(l.Lost(), "horse") || l.Lost() == "" {
		t.Error(l.Lost())
	}
}

// TestDigestStale: a nonce that is out of date is replaced; a server that says so each time, and one
// that refuses the user, are not asked for ever.
func TestDigestStale(t *testing.T) {
	challenge := func(nonce string, stale bool) *page.Exchange {
		return said(site, 401, "", "Www-Authenticate",
			fmt.Sprintf(`Digest realm="r", qop="auth", nonce=%q, stale=%v`, nonce, stale))
	}
	l := newLogin(t, Options{Scheme: Digest})
	for i, x := range []struct {
		answer *page.Exchange
		want   Verdict
	}{
		{challenge("1", false), Again},
		{said(site, 200, ""), Good},
		{challenge("2", true), Again},
		{said(site, 200, ""), Good},
		{challenge("3", false), Again}, // without the word, after it was good
		{said(site, 200, ""), Good},
	} {
		if v := ask(l, site, x.answer); v != x.want {
			t.Fatalf("answer %d: %d, want %d", i, v, x.want)
		}
	}
	for name, stale := range map[string]bool{"wrong password": false, "stale for ever": true} {
		l, n := newLogin(t, Options{Scheme: Digest}), 0
		for l.Lost() == "" && n < 100 {
			n++
			ask(l, site, challenge(fmt.Sprint(n), stale))
		}
		if n > 5 {
			t.Errorf("%s: asked %d times", name, n)
		}
	}
}

// TestBetrays: an answer that repeats a secret is told, a page with the token of a form is not.
func TestBetrays(t *testing.T) {
	l := newLogin(t, Options{
		Scheme: Basic, Header: http.Header{"X-Key": {"Bearer abcdefghijklmnop"}},
		Form: &Form{Page: site, Fields: map[string]string{"p": "correct horse battery"}},
	})
	s := l.Session(site)
	s.Answered(200, http.Header{"Set-Cookie": {"sid=0123456789abcdef; HttpOnly", "csrf=fedcba9876543210"}})
	for body, want := range map[string]bool{
		"you sent abcdefghijklmnop": true, strings.TrimPrefix(l.basic(), "Basic "): true,
		"0123456789abcdef": true, "fedcba9876543210": false, "ann": false, "correct horse battery": false,
	} {
		if got := s.Betrays(said(site, 200, body)); got != want {
			t.Errorf("%q: %v", body, got)
		}
	}
	x := said(site, 200, "correct horse battery")
	x.Method = "POST"
	if !s.Betrays(x) {
		t.Error("a form that shows the password again is archived")
	}
}
