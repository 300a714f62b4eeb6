package ui

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"watershed/harvest"
	"watershed/replica"
)

func TestNothingWithoutASession(t *testing.T) {
	d := newDesk(t)
	for _, target := range []string{
		"/", "/harvests/gemo", "/harvests/gemo/sites", "/harvests/gemo/events",
		"/harvests/gemo/sites/000-gemo/files/map.json",
		"/api/v1/harvests", "/api/v1/harvests/gemo/skipped", "/metrics", "/static/live.js", "/nothing",
	} {
		r := d.do("GET", target, nil, nil)
		if text := d.text(r, http.StatusUnauthorized); strings.Contains(text, "gemo") &&
			!strings.Contains(target, "gemo") || strings.Contains(text, "http://www.gemo") {
			t.Errorf("%s tells of the harvest: %s", target, text)
		}
	}
	for _, target := range []string{"/healthz", "/static/desk.css"} {
		d.get(target)
	}
}

func TestRefusals(t *testing.T) {
	d := newDesk(t)
	d.enter()
	header := func(pairs ...string) func(*http.Request) {
		return func(r *http.Request) {
			for i := 0; i < len(pairs); i += 2 {
				r.Header.Set(pairs[i], pairs[i+1])
			}
		}
	}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	for _, c := range []struct {
		name, method, target string
		change               func(*http.Request)
		want                 int
	}{
		{"as it should be", "GET", "/", nil, 200},
		{"localhost", "GET", "/", host("localhost:8123"), 200},
		{"rebound name", "GET", "/", host("evil.example:8123"), 421},
		{"rebound name, open page", "GET", "/healthz", host("evil.example"), 421},
		{"another address", "GET", "/", host("127.0.0.2:8123"), 421},
		{"another port", "GET", "/", host("127.0.0.1:8124"), 421},
		{"no host", "GET", "/", host(""), 421},
		{"a name that ends as an address", "GET", "/", host("127.0.0.1.evil.example:8123"), 421},
		{"image on another site's page", "GET", "/", header("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode",
			"no-cors", "Sec-Fetch-Dest", "image"), 403},
		{"frame on a page of another port", "GET", "/", header("Sec-Fetch-Site", "same-site",
			"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"), 403},
		{"link on another site's page", "GET", "/", header("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode",
			"navigate", "Sec-Fetch-Dest", "document"), 200},
		{"foreign origin", "GET", "/", header("Origin", "http://evil.example"), 403},
		{"opaque origin", "GET", "/", header("Origin", "null"), 403},
		{"foreign origin, post", "POST", "/leave", header("Origin", "http://evil.example"), 403},
		{"another port's origin, post", "POST", "/leave", header("Origin", "http://127.0.0.1:8124"), 403},
		{"post that was clicked elsewhere", "POST", "/leave", header("Sec-Fetch-Site", "cross-site",
			"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"), 403},
		{"post without the form's token", "POST", "/leave", header("Origin", "http://127.0.0.1:8123"), 403},
		{"post with another token", "POST", "/leave", header("Origin", "http://127.0.0.1:8123",
			"X-CSRF-Token", "guess"), 403},
		{"put", "PUT", "/", nil, 405},
		{"no such harvest", "GET", "/harvests/other", nil, 404},
		{"no such run", "GET", "/harvests/gemo?run=run-0009", nil, 404},
		{"run that climbs", "GET", "/harvests/gemo?run=../../x", nil, 404},
		{"site that climbs", "GET", "/harvests/gemo/sites/..%2f..%2flogs", nil, 404},
		{"site that is a dot", "GET", "/harvests/gemo/sites/%2e%2e/files/map.json", nil, 404},
		{"file that climbs", "GET", "/harvests/gemo/sites/000-gemo/files/..%2fmap.json", nil, 404},
		{"file that is none of a site's", "GET", "/harvests/gemo/sites/000-gemo/files/other.json", nil, 404},
		{"static that climbs", "GET", "/static/..%2ftemplates%2fhome.html", nil, 404},
		{"page below 1", "GET", "/harvests/gemo/skipped?page=0", nil, 400},
		{"page that is no number", "GET", "/harvests/gemo/skipped?page=x", nil, 400},
		{"list of no kind", "GET", "/harvests/gemo/sites/000-gemo?which=x", nil, 400},
		{"no address", "GET", "/harvests/gemo/explain?url=javascript:alert(1)", nil, 400},
		{"no state", "GET", "/harvests/gemo/mirrors?state=x", nil, 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := d.do(c.method, c.target, nil, c.change)
			if r.StatusCode != c.want {
				t.Errorf("status %d, want %d", r.StatusCode, c.want)
			}
			if p := r.Header.Get("Content-Security-Policy"); p != deskPolicy {
				t.Errorf("policy %q", p)
			}
		})
	}
}

// TestFormOfABrowser: a form of the desk counts when the browser says that it came from the desk's own
// page, also if it hides the origin, and the desk does not ask browsers to hide it.
func TestFormOfABrowser(t *testing.T) {
	d := newDesk(t)
	d.enter()
	values := url.Values{"csrf": {d.form()}, "do": {"exclude"}, "rule": {"http://a.example/"}}
	r := d.post("/harvests/gemo/decisions", values, func(r *http.Request) {
		r.Header.Set("Origin", "null")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	})
	if r.StatusCode != http.StatusSeeOther {
		t.Errorf("status %d", r.StatusCode)
	}
	if policy := r.Header.Get("Referrer-Policy"); policy != "same-origin" {
		t.Errorf("browsers without Sec-Fetch-Site would send no origin: %s", policy)
	}
}

func TestLinkIsGoodOnce(t *testing.T) {
	d := newDesk(t)
	link, err := url.Parse(d.server.Link(deskAddress))
	if err != nil {
		t.Fatal(err)
	}
	d.text(d.do("HEAD", link.RequestURI(), nil, nil), http.StatusUnauthorized) // a preview must not use it up
	d.text(d.do("GET", link.RequestURI(), nil, func(r *http.Request) {
		r.Header.Set("Sec-Purpose", "prefetch")
	}), http.StatusUnauthorized)
	d.enter()
	c := d.cookie
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Name != "watershed-8123" {
		t.Errorf("cookie %v", c)
	}
	d.cookie = nil
	d.text(d.do("GET", link.RequestURI(), nil, nil), http.StatusUnauthorized)
}

func TestSecret(t *testing.T) {
	d := newDesk(t)
	bearer := func(text string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+text) }
	}
	d.text(d.do("GET", "/api/v1/harvests", nil, bearer(testSecret)), http.StatusOK)
	r := d.post("/enter", url.Values{"secret": {testSecret}}, nil)
	if r.StatusCode != http.StatusSeeOther {
		t.Fatalf("the form gave %d", r.StatusCode)
	}
	for range maxFailures {
		d.text(d.do("GET", "/api/v1/harvests", nil, bearer("wrong wrong wrong")), http.StatusUnauthorized)
	}
	d.text(d.do("GET", "/api/v1/harvests", nil, bearer("wrong wrong wrong")), http.StatusTooManyRequests)
	d.text(d.post("/enter", url.Values{"secret": {"wrong wrong wrong"}}, nil), http.StatusTooManyRequests)
	d.text(d.do("GET", "/api/v1/harvests", nil, bearer(testSecret)), http.StatusOK)
	if r := d.post("/enter", url.Values{"secret": {testSecret}}, nil); r.StatusCode != http.StatusSeeOther {
		t.Errorf("the right secret, after wrong ones, gave %d", r.StatusCode)
	}
}

// TestWrongSecretsByAddress: wrong secrets count against the address that they come from, and
// addresses take bounded memory.
func TestWrongSecretsByAddress(t *testing.T) {
	now := testTime
	s := newSessions(testSecret, nil, func() time.Time { return now })
	at := func(n int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)}) }
	for range 3 * maxFailures {
		s.knows("wrong", at(0))
	}
	if _, late := s.knows("wrong", at(0)); !late {
		t.Error("guessing goes on")
	}
	if _, late := s.knows("wrong", at(1)); late {
		t.Error("another address is locked out")
	}
	for n := range 3 * maxWrong {
		s.knows("wrong", at(n))
	}
	if len(s.failed) > maxWrong {
		t.Errorf("%d addresses", len(s.failed))
	}
	now = now.Add(2 * time.Minute)
	if _, late := s.knows("wrong", at(5000)); late {
		t.Error("a minute later nobody may try")
	}
}

// TestSlowBody: a body that does not come ends the request without the handler, whichever it is.
func TestSlowBody(t *testing.T) {
	server := httptest.NewServer(bodyFirst(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the handler was called")
	}), time.Millisecond))
	defer server.Close()
	c, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "POST /enter HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\ns"); err !=
		nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(c) // ends only when the server closes
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408 ") {
		t.Errorf("%v: %s", err, answer)
	}
}

func TestSessionEnds(t *testing.T) {
	d := newDesk(t)
	d.enter()
	r := d.post("/leave", url.Values{"csrf": {d.form()}}, nil)
	if r.StatusCode != http.StatusSeeOther {
		t.Fatalf("status %d", r.StatusCode)
	}
	d.text(d.do("GET", "/", nil, nil), http.StatusUnauthorized)

	d = newDesk(t)
	d.enter()
	d.server.sessions.now = func() time.Time { return testTime.Add(sessionLife + 1) }
	d.text(d.do("GET", "/", nil, nil), http.StatusUnauthorized)
}

func TestDecide(t *testing.T) {
	d := newDesk(t)
	d.enter()
	state := func(from string) replica.State {
		table, err := harvest.ReadTable(d.folder.Replicas())
		if err != nil {
			t.Fatal(err)
		}
		e, _ := table.Get(from)
		return e.State
	}
	values := url.Values{
		"from": {"m0.example"}, "action": {"confirm"}, "note": {"seen\nby eye"},
		"by": {"anna"},
	}
	d.text(d.post("/harvests/gemo/mirrors", values, nil), http.StatusForbidden)
	if state("m0.example") != replica.Proposed {
		t.Fatal("a form without a token decided")
	}
	values.Set("csrf", d.form())
	r := d.post("/harvests/gemo/mirrors?state=proposed", values, nil)
	if r.StatusCode != http.StatusSeeOther ||
		r.Header.Get("Location") != "/harvests/gemo/mirrors?state=proposed" {
		t.Fatalf("status %d to %s", r.StatusCode, r.Header.Get("Location"))
	}
	if state("m0.example") != replica.Confirmed {
		t.Fatal("not confirmed")
	}
	if text := d.get("/harvests/gemo/mirrors"); !strings.Contains(text, "seen⟨U+000A⟩by eye") ||
		!strings.Contains(text, "by <bdi>anna</bdi>") {
		t.Error("the decision is not shown")
	}
	for name, c := range map[string]struct {
		from, action string
		want         int
	}{
		"unknown":      {"nobody.example", "confirm", 404},
		"no action":    {"m0.example", "delete", 400},
		"not in state": {"m2.example", "reopen", 409},
	} {
		values.Set("from", c.from)
		values.Set("action", c.action)
		if r := d.post("/harvests/gemo/mirrors", values, nil); r.StatusCode != c.want {
			t.Errorf("%s: status %d, want %d", name, r.StatusCode, c.want)
		}
	}
	api := func(body string) *http.Response {
		return d.do("POST", "/api/v1/harvests/gemo/mirrors", strings.NewReader(body),
			func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+testSecret) })
	}
	if text := d.text(api(`{"from":"m1.example","action":"reject"}`), 200); !strings.Contains(text,
		`"state": "rejected"`) || state("m1.example") != replica.Rejected {
		t.Error(text)
	}
	d.text(api(`{"from":"m1.example","action":"reject","more":1}`), 400)
	d.text(api(`{"from":"`+strings.Repeat("x", maxForm)+`"}`), http.StatusRequestEntityTooLarge)
}

func noCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) { return nil, errors.New("none") }

func TestOptions(t *testing.T) {
	one := []Harvest{{Name: "a", Folder: "x"}}
	for _, c := range []struct {
		name string
		o    Options
		ok   bool
	}{
		{"default", Options{Harvests: one}, true},
		{"none", Options{}, false},
		{"twice", Options{Harvests: append(one, one...)}, false},
		{"everywhere", Options{Harvests: one, Listen: "0.0.0.0:80"}, false},
		{"everywhere, unnamed", Options{Harvests: one, Listen: ":80"}, false},
		{"by name", Options{Harvests: one, Listen: "desk.example:80"}, false},
		{"everywhere in clear", Options{Harvests: one, Listen: "[::]:80", Secret: testSecret}, false},
		{"everywhere with a secret", Options{
			Harvests: one, Listen: "[::]:80", Secret: testSecret, Certificate: noCertificate,
		}, true},
		{"everywhere with accounts", Options{
			Harvests: one, Listen: ":80", Accounts: []Account{{Name: "rita"}}, Certificate: noCertificate,
		}, true},
		{"without a secret", Options{Harvests: one, Listen: ":80", Certificate: noCertificate}, false},
		{"everywhere behind a proxy", Options{
			Harvests: one, Listen: ":80", Secret: testSecret, ReplayURL: "https://replay.example.org",
		}, true},
		{"in a container", Options{
			Harvests: one, Listen: ":80", Secret: testSecret, ReplayURL: "http://127.0.0.1:8081",
		}, true},
		{"behind a proxy in clear", Options{
			Harvests: one, Listen: ":80", Secret: testSecret, ReplayURL: "http://replay.example.org",
		}, false},
		{"short secret", Options{Harvests: one, Secret: "short"}, false},
		{"replay elsewhere", Options{Harvests: one, Replay: "0.0.0.0:0"}, false},
		{"replay behind a proxy", Options{Harvests: one, ReplayURL: "https://replay.example.org"}, true},
		{"replay nowhere", Options{Harvests: one, ReplayURL: "javascript:alert(1)"}, false},
		{"no port", Options{Harvests: one, Listen: "127.0.0.1"}, false},
	} {
		if err := c.o.Validate(); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
