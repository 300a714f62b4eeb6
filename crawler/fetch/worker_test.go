package fetch

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"watershed/page"
)

func TestRequest(t *testing.T) {
	s := newSite(t, false, func(string) said { return whole(length("", "")) })
	o := at(local(), s, nil)
	o.From = "archive@example.org"
	o.Header = http.Header{"accept-language": {"br, fr"}, "X-Two": {"1", "2"}}
	w := newFetcher(t, o).Worker()
	const first = "Host: a.test\r\nUser-Agent: watershed-test/1.0\r\nAccept: " +
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\nAccept-Encoding: gzip, " +
		"deflate\r\nAccept-Language: br, fr\r\nFrom: archive@example.org\r\n"
	for _, tt := range []struct {
		q    Request
		want string
	}{
		{Request{URL: "http://a.test/"}, "GET / HTTP/1.1\r\n" + first + "X-Two: 1\r\nX-Two: 2\r\n\r\n"},
		{
			Request{
				URL: "http://a.test/x?", ETag: `W/"v1"`, LastModified: "Sat, 21 Nov 2026 00:00:00 GMT",
				Referer: "http://b.test/",
			},
			"GET /x? HTTP/1.1\r\n" + first + "If-Modified-Since: Sat, 21 Nov 2026 00:00:00 " +
				"GMT\r\nIf-None-Match: W/\"v1\"\r\nReferer: http://b.test/\r\nX-Two: 1\r\nX-Two: 2\r\n\r\n",
		},
		{
			Request{URL: "http://a.test/y", Referer: "https://b.test/", Header: http.Header{"x-two": {"3"}}},
			"GET /y HTTP/1.1\r\n" + first + "X-Two: 3\r\n\r\n",
		},
	} {
		x := do(t, w, tt.q)
		if got := text(t, x.Request); got != tt.want || got != s.received(tt.q.URL.PathQuery()) {
			t.Errorf("%s: %v, sent\n%q\nwant\n%q", tt.q.URL, x.Err, got, tt.want)
		}
	}
}

// The target on the wire is the URL's, whatever colly and net/url make of it.
func TestTargetIsSentAsItStands(t *testing.T) {
	s := newSite(t, false, func(string) said { return whole(length("", "")) })
	w := newFetcher(t, at(local(), s, nil)).Worker()
	for _, raw := range []string{
		"http://a.test/a|b^c", "http://a.test/%7Ejoe/%2F%2f", "http://a.test/?q=[a|b]&x=%zz",
		"http://a.test/a//b/;c?d?e",
		"http://a.test/?b=2&a=1&&", "http://a.test/caf\u00e9?\u00fc", "http://a.test/a'b?c'd",
		"http://a.test/?", "http://a.test/%", "http://a_b.test/x", "http://a.test/50%off?a=%",
		"http://a.test/%u00e9/%2f%d0%bf",
		"http://a.test/http://b.test/", "http://a.test/*$,!()", "http://a.test/{x}`\"<>",
	} {
		u, err := page.ParseURL(raw)
		if err != nil {
			t.Fatal(err)
		}
		x := do(t, w, Request{URL: u})
		if got := text(t, x.Request); x.Err != nil ||
			!strings.HasPrefix(got, "GET "+u.PathQuery()+" HTTP/1.1\r\n") {
			t.Errorf("%s: %v, sent %.80q", u, x.Err, got)
		}
	}
}

func TestRefusedRequests(t *testing.T) {
	w := newFetcher(t, local()).Worker()
	for _, q := range []Request{
		{},
		{URL: "ftp://a.test/"},
		{URL: "http://a.test/", Method: "PUT"},
		{URL: "http://a.test/", Body: []byte("a=b")},
		{URL: "http://a.test/", Header: http.Header{"X": {"a\r\nInjected: b"}}},
		{URL: "http://a.test/", Header: http.Header{"X Y": {"a"}}},
		{URL: "http://a.test/", ETag: "a\nb"},
		{URL: "http://a.test/", Referer: "http://b.test/\r\nInjected: b"},
		{URL: "http://a.test/\r\nInjected: b"},
		{URL: "http://a.test/a b"},
		{URL: "not a URL"},
	} {
		x := do(t, w, q)
		if !errors.Is(x.Err, errRequest) || StatusOf(x.Err) != page.StatusRefused || x.Request != nil ||
			x.Response != nil {
			t.Errorf("%+v: %v", q, x.Err)
		}
	}
}

// COLLY_ variables change nothing.
func TestEnvironmentIsNotHeard(t *testing.T) {
	for name, value := range map[string]string{
		"ALLOWED_DOMAINS": "elsewhere.test", "CACHE_DIR": t.TempDir(), "DISALLOWED_DOMAINS": "a.test",
		"DISABLE_COOKIES":  "no",
		"IGNORE_ROBOTSTXT": "no", "FOLLOW_REDIRECTS": "yes", "MAX_BODY_SIZE": "3", "MAX_DEPTH": "1",
		"MAX_REQUESTS":              "1",
		"PARSE_HTTP_ERROR_RESPONSE": "no", "USER_AGENT": "somebody else", "DETECT_CHARSET": "yes",
		"NOBODY_KNOWS": "x",
	} {
		t.Setenv("COLLY_"+name, value)
	}
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	s := newSite(t, false, func(target string) said {
		if target == "/robots.txt" {
			return whole(length("", "User-agent: *\nDisallow: /\n"))
		}
		return whole("HTTP/1.1 302 Found\r\nLocation: /next\r\nSet-Cookie: a=b\r\nContent-Length: " +
			"5\r\n\r\nmoved")
	})
	w := newFetcher(t, at(local(), s, nil)).Worker()
	for range 3 {
		x := do(t, w, Request{URL: "http://a.test/"})
		if x.Err != nil || x.Status != 302 || string(x.Body.Bytes) != "moved" ||
			!strings.Contains(text(t, x.Request), "User-Agent: watershed-test/1.0\r\n") {
			t.Errorf("%v, status %d, body %q, request %q", x.Err, x.Status, x.Body.Bytes, text(t, x.Request))
		}
		if strings.Contains(text(t, x.Request), "Cookie") {
			t.Errorf("a cookie was kept: %q", text(t, x.Request))
		}
	}
	if s.times("/") != 3 || s.times("/robots.txt")+s.times("/next") > 0 {
		t.Errorf("asked for %v", s.count)
	}
}

func TestValidate(t *testing.T) {
	if err := (Options{UserAgent: "x/1 (+mailto:a@b.c)"}).Validate(); err != nil {
		t.Error(err)
	}
	bad := Options{
		UserAgent: " ", From: "a\nb", Header: http.Header{"a b": nil},
		Proxy:   &url.URL{Scheme: "socks5", Host: "p", User: url.UserPassword("u", "secret")},
		MaxHead: -1, MaxBody: -1, MaxDecoded: -1, ConnectTimeout: -1, IdleTimeout: -1, Timeout: -1,
		SpoolAbove: -1, DNSMaxAge: -1, AllowPrivate: []netip.Prefix{{}},
		Hosts:     map[string]netip.Addr{"a.*": netip.IPv4Unspecified()},
		Resolvers: []netip.AddrPort{{}},
	}
	err := bad.Validate()
	if err == nil {
		t.Fatal("all is accepted")
	}
	for _, word := range []string{
		"user agent", "from", "a b", "proxy", "negative", "private", "a.*", "name server",
	} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("nothing is said of %s: %v", word, err)
		}
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("a password is told: %v", err)
	}
	if _, err := New(bad); err == nil {
		t.Error("New accepts what Validate refuses")
	}
}

func TestTLS(t *testing.T) {
	s := newSite(t, true, func(string) said { return whole(length("", "body")) })
	o := at(local(), nil, s)
	x := get(t, newFetcher(t, o), "https://other.example/")
	if x.Err != nil || x.TLS == nil || x.TLS.Untrusted == "" || len(x.TLS.Names) != 1 ||
		x.TLS.Names[0] != "*.test" {
		t.Errorf("%v, %+v", x.Err, x.TLS)
	}
	plain := newSite(t, false, func(string) said { return said{} })
	o.DialPorts[443], o.ConnectTimeout = plain.port, 100*time.Millisecond
	x = get(t, newFetcher(t, o), "https://a.test/")
	if !errors.Is(x.Err, errTLS) || StatusOf(x.Err) != page.StatusConnect || x.Request != nil {
		t.Errorf("TLS with a server that has none: %v", x.Err)
	}
}

func TestNobodyListens(t *testing.T) {
	o := local()
	o.DialPorts = map[uint16]uint16{80: 1}
	x := get(t, newFetcher(t, o), "http://a.test/")
	if !errors.Is(x.Err, errConnect) || StatusOf(x.Err) != page.StatusConnect || x.Status != 0 ||
		x.Request != nil {
		t.Errorf("%v", x.Err)
	}
}

// Callbacks of the collector see the request and may change it; they see the response without its
// body.
func TestCollyCallbacks(t *testing.T) {
	s := newSite(t, false, func(string) said {
		return whole(length("Content-Type: text/html; charset=nonsense\r\nContent-Encoding: gzip\r\n",
			gzipped("<html>")))
	})
	w := newFetcher(t, at(local(), s, nil)).Worker()
	w.collector.OnRequest(func(r *colly.Request) { r.Headers.Set("X-Added", "1") })
	status := 0
	w.collector.OnResponse(func(r *colly.Response) { status = r.StatusCode })
	x := do(t, w, Request{URL: "http://a.test/a.xml.gz"})
	if x.Err != nil || status != 200 || !strings.Contains(s.received("/a.xml.gz"), "X-Added: 1\r\n") ||
		string(x.Body.Bytes) != "<html>" {
		t.Errorf("%v, status %d, request %q", x.Err, status, s.received("/a.xml.gz"))
	}
}

func BenchmarkFetch(b *testing.B) {
	body := "<html>" + strings.Repeat("<p>lorem ipsum dolor sit amet <a href=\"/p\">link</a></p>", 150) +
		"</html>"
	for name, raw := range map[string]string{
		"8.4KB":      length("Content-Type: text/html\r\n", body),
		"8.4KB,gzip": length("Content-Type: text/html\r\nContent-Encoding: gzip\r\n", gzipped(body)),
		"8.4KB,chunk": ok("Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n",
			chunked(body, 4096, "", "")),
	} {
		b.Run(name, func(b *testing.B) {
			c := &looped{canned: canned{in: reader("")}, raw: []byte(raw)}
			w := dialing(b, local(), func() conner { return c }).Worker()
			b.ReportAllocs()
			for b.Loop() {
				x := w.Fetch(context.Background(), Request{URL: "http://a.test/"})
				if x.Err != nil {
					b.Fatal(x.Err)
				}
				if err := x.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// looped answers each request with the same bytes.
type looped struct {
	canned
	raw []byte
}

func (c *looped) Write(p []byte) (int, error) {
	c.in = bytes.NewReader(c.raw)
	return len(p), nil
}
