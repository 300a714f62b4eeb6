package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// members is a web whose hosts ask for logins, and others that have none.
type members struct {
	mu    sync.Mutex
	leaks []string // requests with a secret to somebody else
	ask   func(w http.ResponseWriter, r *http.Request) bool
}

const (
	memberSecret = "hunter2secret"
	cookieSecret = "0123456789abcdefcookie"
)

func (m *members) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w.Header().Set("Content-Type", "text/html")
	if r.Host != "a.example" {
		if s := fmt.Sprint(r.URL, r.Header); r.Header.Get("Authorization")+r.Header.Get("Cookie") != "" ||
			strings.Contains(s, memberSecret) {
			m.leaks = append(m.leaks, r.Host+" "+s)
		}
		_, _ = io.WriteString(w, "<title>elsewhere</title>")
		return
	}
	if !m.ask(w, r) {
		return
	}
	http.SetCookie(w, &http.Cookie{Name: "sid", Value: cookieSecret, HttpOnly: true})
	switch r.URL.Path {
	case "/":
		_, _ = io.WriteString(w, `<title>members</title><p>for members only<a href="/page">a</a>`+
			`<a href="/out">b</a><img src="http://b.example/x.png"><img src="http://a.example:81/y.png">`)
	case "/out":
		http.Redirect(w, r, "http://b.example/landing", http.StatusFound)
	case "/robots.txt":
		_, _ = io.WriteString(w, "User-agent: *\nDisallow: /never\n")
	default:
		_, _ = io.WriteString(w, "<title>"+r.URL.Path+"</title><p>a page of the members")
	}
}

// harvestMembers harvests a.example with a login and gives the exit code, what was printed, and the
// harvest's folder.
func harvestMembers(t *testing.T, m *members, login string, commands ...[]string) (int, string, string) {
	t.Helper()
	server := httptest.NewServer(m)
	defer server.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.yaml")
	port := server.URL[strings.LastIndexByte(server.URL, ':')+1:]
	text := fmt.Sprintf(`harvest: a
operator: {name: Test, contact: "mailto:test@a.example"}
politeness: {min_delay: 0s, max_delay: 0s, address_delay: 0s,
  retry: {attempts: 1, delay: 1s, host_attempts: 3}}
network: {allow_private: [127.0.0.0/8], resolve: [{match: "*", address: 127.0.0.1}],
  dial_ports: {80: %[1]s, 81: %[1]s}}
sites:
  - name: A
    seeds: ["http://a.example/"]
    boundary: list
    extra_hops: 1
    login:
%[2]s`, port, login)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("MEMBER_SECRET", memberSecret)
	var said bytes.Buffer
	code := run(t.Context(), []string{"harvest", file}, &said, &said)
	for _, args := range commands {
		run(t.Context(), append(args, file), &said, &said)
	}
	if len(m.leaks) > 0 {
		t.Errorf("others were sent secrets: %q", m.leaks)
	}
	return code, said.String(), filepath.Join(dir, "harvests", "a")
}

// keepsSecrets looks for secrets in all files of a harvest and in what was printed; it gives the
// text of the WARC files.
func keepsSecrets(t *testing.T, folder, said string, secrets ...string) (warcs string) {
	t.Helper()
	tellsNone(t, "what commands print", []byte(said), secrets)
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		tellsNone(t, path, b, secrets)
		if strings.HasSuffix(path, ".warc.gz") && err == nil {
			warcs += unzipped(t, b)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return warcs
}

// TestBasicLogin: a user and password, a field and a cookie reach their origin and nobody else, and
// no file of the harvest.
func TestBasicLogin(t *testing.T) {
	m := &members{ask: func(w http.ResponseWriter, r *http.Request) bool {
		user, password, _ := r.BasicAuth()
		if user == "ann" && password == memberSecret && r.Header.Get("X-Key") == memberSecret {
			return true
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="members"`)
		w.WriteHeader(http.StatusUnauthorized)
		return false
	}}
	code, said, folder := harvestMembers(t, m, `      {scheme: basic, user: ann, password: env:MEMBER_SECRET,
        headers: {X-Key: env:MEMBER_SECRET}}
`, []string{"config", "show"}, []string{"report"}, []string{"harvest"})
	if code != exitOK || !strings.Contains(said, "complete") {
		t.Fatalf("exit %d\n%s", code, said)
	}
	warcs := keepsSecrets(t, folder, said, memberSecret, "YW5uOmh1bnRlcjJzZWNyZXQ=", cookieSecret)
	for _, want := range []string{
		"Authorization: redacted\r\n", "X-Key: redacted\r\n", "Set-Cookie: redacted\r\n",
		"masked: Authorization X-Key Set-Cookie\r\n", "login: A\r\n", "for members only",
	} {
		if !strings.Contains(warcs, want) {
			t.Errorf("no %q in the archive", want)
		}
	}
	if strings.Contains(warcs, "\r\nCookie:") {
		t.Error("cookies were kept, which nobody asked for")
	}
	log, err := os.ReadFile(filepath.Join(folder, "run-0001", "logs", "crawl.log"))
	if err != nil || !strings.Contains(string(log), " A login ") {
		t.Errorf("%v\n%s", err, log)
	}
}

// TestWrongPassword: it is told, with where to look, and the rest of the harvest goes on.
func TestWrongPassword(t *testing.T) {
	asked := 0
	m := &members{ask: func(w http.ResponseWriter, _ *http.Request) bool {
		asked++
		w.WriteHeader(http.StatusUnauthorized)
		return false
	}}
	login := "      {scheme: basic, user: ann, password: env:MEMBER_SECRET}\n"
	code, said, folder := harvestMembers(t, m, login)
	if code != exitFailed || asked > 2 ||
		!strings.Contains(said, "login.password") {
		t.Errorf("exit %d, %d requests\n%s", code, asked, said)
	}
	keepsSecrets(t, folder, said, memberSecret)
}

// unzipped is what gzip members hold.
func unzipped(t *testing.T, b []byte) string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(whole)
}

// club is a web behind a form, with a token that is good once and sessions that end after some pages.
type club struct {
	members
	field            string // of the password
	pages, left, ins int    // of a session; logins
	session, token   int
	closed           bool // nobody is let in any more
	doors            bool // the page has a link to one that shows the form to members, too
}

func newClub(pages int) *club {
	c := &club{field: "passwd", pages: pages}
	c.ask = c.enter
	return c
}

func (c *club) form(w io.Writer) {
	c.token++
	_, _ = fmt.Fprintf(w, `<title>Log in</title><form action="/search"><input name="q"></form>
<form method=post action="/enter?x=1"><input type=hidden name=token value="t%d"><input name="user" value="">
<input type="password" name="%s"><input type=checkbox name=stay value=1>
<button name=go value=in>In</button></form>`,
		c.token, c.field)
}

func (c *club) enter(w http.ResponseWriter, r *http.Request) bool {
	sid, _ := r.Cookie("session")
	in := sid != nil && sid.Value == fmt.Sprintf("%s%d", cookieSecret, c.session) && c.left > 0
	switch {
	case r.URL.Path == "/robots.txt":
		return true
	case r.URL.Path == "/login":
		c.form(w)
	case r.URL.Path == "/enter":
		_ = r.ParseForm()
		if c.closed || r.PostForm.Get("user") != "ann" || r.PostForm.Get(c.field) != memberSecret ||
			r.PostForm.Get("token") != fmt.Sprintf("t%d", c.token) || r.PostForm.Get("go") != "in" ||
			r.PostForm.Has("stay") || r.URL.RawQuery != "x=1" {
			c.form(w)
			return false
		}
		c.ins++
		c.session++
		c.left = c.pages
		http.SetCookie(w, &http.Cookie{
			Name: "session", Value: fmt.Sprintf("%s%d", cookieSecret, c.session), HttpOnly: true,
		})
		http.Redirect(w, r, "/", http.StatusSeeOther)
	case !in:
		http.Redirect(w, r, "/login", http.StatusFound)
	case r.URL.Path == "/page" && c.doors:
		c.form(w)
	default:
		c.left--
		return true
	}
	return false
}

const clubLogin = `      user: ann
      password: env:MEMBER_SECRET
      apart: true
      form: {page: "http://a.example/login", user: user, password: passwd}
`

// TestFormLogin: a form with a token is filled in, also again when the session has ended; no page is
// lost by that, the secrets are in no file, and what was had lies in a package of its own.
func TestFormLogin(t *testing.T) {
	c := newClub(3)
	code, said, folder := harvestMembers(t, &c.members, clubLogin, []string{"harvest"}, []string{"report"})
	if code != exitOK || c.ins < 3 {
		t.Fatalf("exit %d, %d logins\n%s", code, c.ins, said)
	}
	warcs := keepsSecrets(t, folder, said, memberSecret, cookieSecret)
	for _, want := range []string{
		"POST /enter?x=1 HTTP/1.1\r\n", "Content-Length: 8\r\n", "\r\n\r\nredacted\r\n\r\n",
		"masked: Cookie body Set-Cookie\r\n", "loginStep: true\r\n",
		"for members only", "<title>/page</title>",
	} {
		if !strings.Contains(warcs, want) {
			t.Errorf("no %q in the archive", want)
		}
	}
	at := filepath.Join(folder, "run-0001")
	for name, behind := range map[string]bool{"a-0001.wacz": false, "a-0001-login.wacz": true} {
		b, err := os.ReadFile(filepath.Join(at, name))
		if err != nil {
			t.Fatal(err)
		}
		text := packaged(t, b)
		if strings.Contains(text, "for members only") != behind ||
			strings.Contains(text, "<title>elsewhere") == behind ||
			strings.Contains(text, `"url": "http://a.example/`) != behind {
			t.Errorf("%s holds what belongs into the other package", name)
		}
	}
	var out bytes.Buffer
	check := []string{"warc", "check", filepath.Join(at, "archive")}
	if code := run(t.Context(), check, &out, &out); code != exitOK {
		t.Errorf("warc check: %d\n%s", code, out.String())
	}
}

// TestFormTrouble: a form that is not the one described, a user who is refused, a session that cannot
// be renewed, and a page that looks like the login for ever.
func TestFormTrouble(t *testing.T) {
	for name, x := range map[string]struct {
		club func(*club)
		code int
		says string
		most int // logins
	}{
		"fields have changed": {
			func(c *club) { c.field = "pass" }, exitFailed,
			`"token user pass stay go"`, 0,
		},
		"refused":              {func(c *club) { c.closed = true }, exitFailed, "the form came back", 0},
		"a page with the form": {func(c *club) { c.doors = true }, exitOK, "complete", 2},
	} {
		c := newClub(100)
		x.club(c)
		code, said, folder := harvestMembers(t, &c.members, clubLogin)
		if code != x.code || !strings.Contains(said, x.says) || c.ins > x.most {
			t.Errorf("%s: exit %d, %d logins\n%s", name, code, c.ins, said)
		}
		keepsSecrets(t, folder, said, memberSecret, cookieSecret)
	}
	c := newClub(2)
	inner := c.ask
	c.ask = func(w http.ResponseWriter, r *http.Request) bool {
		c.closed = c.ins > 0
		return inner(w, r)
	}
	code, said, _ := harvestMembers(t, &c.members, clubLogin)
	if code != exitLosses || !strings.Contains(said, "the login is lost") {
		t.Errorf("a login that cannot be renewed: exit %d\n%s", code, said)
	}
}

// packaged is all that a package holds, unzipped.
func packaged(t *testing.T, b []byte) (text string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		inner, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f.Name, ".gz") {
			text += unzipped(t, inner)
		} else {
			text += string(inner)
		}
	}
	return text
}
