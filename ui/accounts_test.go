package ui

import (
	"bytes"
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"watershed/harvest"
)

// The hashes of testAccounts were made by the program argon2 of the reference implementation.
const testAccounts = `
# name role hash
rita  read   $argon2id$v=19$m=8192,t=1,p=1$c2FsdHlzYWx0MQ$8O2C3k2RXTRFwhecDY69VlSwxRjhMVWg9dqNeoRKLVk
dora  decide $argon2id$v=19$m=8192,t=2,p=2$c2FsdHlzYWx0Mg$PgFGFMD3qudVKI0H+zh1YysaamjZKmLE
ralf  run    $argon2id$v=19$m=16384,t=3,p=1$c2FsdHlzYWx0Mw$Z40HTCiZqJU6wTJ0RcYeudgjXaIDrwO1lK5OTvazMe4
`

var testPasswords = map[string]string{
	"rita": "reader's password", "dora": "decider's password", "ralf": "runner's password",
}

func accountsOf(t *testing.T, text string) []Account {
	t.Helper()
	list, err := ReadAccounts(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// enterAs gives a name and a password, as the form does.
func (d *desk) enterAs(name, password string) *http.Response {
	d.cookie = nil
	r := d.post("/enter", url.Values{"name": {name}, "secret": {password}}, nil)
	if list := r.Cookies(); r.StatusCode == http.StatusSeeOther && len(list) == 1 {
		d.cookie = list[0]
	}
	return r
}

// TestAccounts: each account enters by its password alone, may do what its role says, whatever a form
// claims, and shows no button of which that is not so; what it decides bears its name, and the log
// tells.
func TestAccounts(t *testing.T) {
	var log bytes.Buffer
	d := newDeskOf(t, accountsOf(t, testAccounts))
	d.server.log = slog.New(slog.NewTextHandler(&log, nil))
	if !strings.Contains(d.text(d.do("GET", "/", nil, nil), http.StatusUnauthorized), `name="name"`) {
		t.Error("nobody is asked for a name")
	}
	posts := []struct {
		target string
		needs  Role
	}{
		{"/harvests/gemo/decisions", Decides},
		{apiRoot + "/harvests/gemo/decisions", Decides},
		{"/harvests/gemo/mirrors", Decides},
		{apiRoot + "/harvests/gemo/quality", Decides},
		{"/harvests/gemo/search", Decides},
		{"/harvests/gemo/control", Runs},
		{apiRoot + "/harvests/gemo/orders", Runs},
		{"/harvests/gemo/runs", Runs},
		{"/harvests/gemo/yaml", Runs},
		{"/new", Runs},
		{"/new/check", Runs},
		{"/anything", Runs},
	}
	for name, role := range map[string]Role{"rita": Reads, "dora": Decides, "ralf": Runs} {
		if r := d.enterAs(name, testPasswords[name]+"."); r.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s enters by a wrong password: %d", name, r.StatusCode)
		}
		if r := d.enterAs(name, testPasswords[name]); r.StatusCode != http.StatusSeeOther {
			t.Fatalf("%s does not enter: %d", name, r.StatusCode)
		}
		form := d.form()
		for _, p := range posts {
			r := d.post(p.target, url.Values{"csrf": {form}}, nil)
			if refused := r.StatusCode == http.StatusForbidden; refused != (role < p.needs) {
				t.Errorf("%s, POST %s: %d", name, p.target, r.StatusCode)
			}
		}
		for _, target := range []string{"/new", "/harvests/gemo/yaml"} {
			r := d.do("GET", target, nil, nil)
			if refused := r.StatusCode == http.StatusForbidden; refused != (role < Runs) {
				t.Errorf("%s, GET %s: %d", name, target, r.StatusCode)
			}
		}
		for page, needs := range map[string]Role{
			"/harvests/gemo/decisions": Decides, "/harvests/gemo/quality": Decides,
			"/harvests/gemo/mirrors": Decides,
		} {
			text := d.get(page)
			if shows := strings.Count(text, `method="post"`) > 1; shows != (role >= needs) {
				t.Errorf("%s, %s: a form is shown: %t", name, page, shows)
			}
			if strings.Contains(text, `name="by"`) || !strings.Contains(text, name) {
				t.Errorf("%s is asked who they are, or not told: %s", name, page)
			}
		}
	}
	if r := d.enterAs("dora", testPasswords["dora"]); r.StatusCode != http.StatusSeeOther {
		t.Fatal(r.StatusCode)
	}
	values := url.Values{
		"csrf": {d.form()}, "do": {"exclude"}, "rule": {"http://a.example/"}, "site": {"gemo"},
		"by": {"ralf"},
	}
	if r := d.post("/harvests/gemo/decisions", values, nil); r.StatusCode != http.StatusSeeOther {
		t.Fatalf("status %d", r.StatusCode)
	}
	list, err := harvest.ReadDecisions(d.folder.Decisions())
	if err != nil {
		t.Fatal(err)
	}
	last := list.Decisions[len(list.Decisions)-1]
	if last.By != "dora" || last.Rule.String() != "url:http://a.example/" {
		t.Errorf("decided: %+v", last)
	}
	if !strings.Contains(log.String(), "account=dora path=/harvests/gemo/decisions do=exclude") {
		t.Errorf("the log tells not who decided: %s", log.String())
	}
	d.cookie = nil
	if r := d.enterAs("", testSecret); r.StatusCode != http.StatusSeeOther {
		t.Errorf("the token of the desk: %d", r.StatusCode)
	}
}

// TestAccountGuesses: after ten wrong passwords of an account none is tried from there for a minute;
// names that nobody has count as one; others, and other addresses, enter.
func TestAccountGuesses(t *testing.T) {
	now := testTime
	s := newSessions("", accountsOf(t, testAccounts), func() time.Time { return now })
	here, there := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	enters := func(name string, from netip.Addr) (ok, late bool) {
		_, ok, late = s.openAs(name, testPasswords[name], from)
		return ok, late
	}
	for i := range maxFailures {
		if _, ok, late := s.openAs("rita", "guess", here); ok || late {
			t.Fatalf("guess %d: %t, %t", i, ok, late)
		}
		if _, ok, _ := s.openAs("nobody"+strings.Repeat("x", i), testPasswords["rita"], here); ok {
			t.Fatal("somebody without an account enters")
		}
	}
	if ok, late := enters("rita", here); ok || !late {
		t.Errorf("after too many guesses: %t, %t", ok, late)
	}
	if _, _, late := s.openAs("somebody", "x", here); !late {
		t.Error("guesses of names go on")
	}
	if ok, _ := enters("dora", here); !ok {
		t.Error("another account is locked out")
	}
	if ok, _ := enters("rita", there); !ok {
		t.Error("another address is locked out")
	}
	if len(s.failed) != 2 {
		t.Errorf("%d guessers are remembered", len(s.failed))
	}
	now = now.Add(2 * time.Minute)
	if ok, _ := enters("rita", here); !ok {
		t.Error("a minute later nobody may try")
	}
}

// TestReadAccounts: each mistake of a file is told with its line, and without the hash.
func TestReadAccounts(t *testing.T) {
	const good = `$argon2id$v=19$m=8192,t=1,p=1$c2FsdHlzYWx0MQ$8O2C3k2RXTRFwhecDY69VlSwxRjhMVWg9dqNeoRKLVk`
	for _, c := range []struct{ text, want string }{
		{"", "no account"},
		{"# only a comment\n\n", "no account"},
		{"a read " + good + "\na run " + good, "line 2: there is an account a"},
		{"a read", "line 1: 2 words"},
		{"\na write " + good, `line 2: "write" is no role: read, decide or run`},
		{"a/b read " + good, `"a/b" is no name`},
		{"a read secret-in-clear", "no hash of Argon2id"},
		{"a read " + strings.Replace(good, "argon2id", "argon2i", 1), "no hash of Argon2id"},
		{"a read " + strings.Replace(good, "m=8192", "m=4096", 1), "m from 8192"},
		{"a read " + strings.Replace(good, "m=8192", "m=99999999", 1), "m from 8192"},
		{"a read " + strings.Replace(good, "t=1", "t=0", 1), "t from 1"},
		{"a read " + strings.Replace(good, "p=1", "p=0", 1), "p from 1"},
		{"a read " + strings.Repeat("x", 70_000), "too long"},
	} {
		_, err := ReadAccounts(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "secret-in-clear") || strings.Contains(err.Error(), "8O2C3k2") {
			t.Errorf("%.60q: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestTLS: with a certificate desk and replay speak TLS alone, the link says so, and the session's
// cookie goes nowhere else.
func TestTLS(t *testing.T) {
	other := httptest.NewTLSServer(http.NotFoundHandler())
	defer other.Close()
	o := newDesk(t).server.options
	o.Certificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		return &other.TLS.Certificates[0], nil
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	link := make(chan string, 1)
	go func() { ended <- s.Serve(ctx, func(at string) { link <- at }) }()
	at := <-link
	jar := &http.Client{
		Transport:     other.Client().Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	r, err := jar.Get(at)
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Body.Close() // nothing is read
	list := r.Cookies()
	if !strings.HasPrefix(at, "https://127.0.0.1:") || len(list) != 1 || !list[0].Secure {
		t.Errorf("%s: %d, %v", at, r.StatusCode, list)
	}
	plain, err := jar.Get(strings.Replace(at, "https:", "http:", 1))
	if err != nil {
		t.Fatal(err)
	}
	if _ = plain.Body.Close(); plain.StatusCode != http.StatusBadRequest {
		t.Errorf("in clear: %d", plain.StatusCode)
	}
	if root := s.replayRoot(&http.Request{Host: "127.0.0.1:1"}, "a"); !strings.HasPrefix(root, "https://") {
		t.Errorf("replay at %s", root)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
