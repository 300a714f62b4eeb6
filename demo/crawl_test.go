package demo

import (
	"context"
	"fmt"
	"html"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"watershed/page"
)

// start serves a web for a test, and makes a client that knows its hosts and follows no redirect.
func start(t *testing.T, o Options) (*Web, *http.Client) {
	t.Helper()
	goleak.VerifyNone(t)
	w := New(o)
	stop, err := w.start()
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, network,
		addr string,
	) (net.Conn, error) {
		name, _, _ := strings.Cut(addr, ":")
		a, ok := w.Hosts()[page.Host(name)]
		if !ok {
			return nil, fmt.Errorf("the web has no host %s", name)
		}
		return new(net.Dialer).DialContext(ctx, network, netip.AddrPortFrom(a, w.Port()).String())
	}}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := stop(); err != nil {
			t.Error(err)
		}
		if err := stop(); err != nil {
			t.Errorf("second stop: %v", err)
		}
		goleak.VerifyNone(t)
	})
	return w,
		&http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
}

// get fetches a URL, once more where the server has it spelt otherwise; headers are pairs.
func get(t *testing.T, c *http.Client, u page.URL, headers ...string) (*http.Response, []byte) {
	t.Helper()
	resp, text := getAs(t, c, u, string(u), headers...)
	to := resp.Header.Get("Location")
	if v, err := page.ParseURL(to); err == nil && v == u && to != string(u) {
		return getAs(t, c, u, to, headers...)
	}
	return resp, text
}

// getAs fetches a URL by a spelling of it.
func getAs(t *testing.T, c *http.Client, u page.URL, address string,
	headers ...string,
) (*http.Response, []byte) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, string(u.Root()), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.URL.Opaque = address[len(u.Root())-1:] // net/url has no address with a "%" that begins no escape
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := c.Do(r)
	if err != nil {
		t.Fatalf("get %s: %v", u, err)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("read %s: %v", u, err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return resp, text
}

// The links from one document to another, as they stand in the bytes; the crawl below shares no
// code with the writer of these bytes.
var (
	anchorTag = regexp.MustCompile(`<(?:a|iframe) (?:href|src)="([^"]*)"( rel="nofollow")?`)
	feedTag   = regexp.MustCompile(`<link rel="alternate" type="application/rss\+xml"[^>]* href="([^"]*)"`)
	embedTag  = regexp.MustCompile(
		`<(?:img|script) src="([^"]*)"|<link rel="(?:stylesheet|icon)" href="([^"]*)"|srcset="\S+ ` +
			`320w, (\S+) 640w"`)
	styleRef = regexp.MustCompile(`@import "([^"]*)"|url\('?([^')]*)`)
	itemTag  = regexp.MustCompile(`<item>.*?<link>([^<]*)</link>`)
	locTag   = regexp.MustCompile(`<loc>([^<]*)</loc>`)
)

// surfer crawls one site by its bytes.
type surfer struct {
	t        *testing.T
	web      *Web
	client   *http.Client
	site     string
	noFollow bool
	seen     map[page.URL]bool
	found    Site
}

func (s *surfer) visit(u page.URL) {
	if s.seen[u] || s.web.Owner(u) != s.site || slices.Contains(s.web.disallowed(), u) {
		return
	}
	s.seen[u] = true
	resp, text := get(s.t, s.client, u)
	switch kind := resp.Header.Get("Content-Type"); {
	case resp.StatusCode >= 400:
	case resp.StatusCode >= 300:
		s.follow(u, resp.Header.Get("Location"))
	case strings.HasPrefix(kind, "text/html"):
		s.found.Pages = append(s.found.Pages, u)
		s.page(u, string(text))
	case strings.HasPrefix(kind, "text/plain"):
		s.found.Pages = append(s.found.Pages, u)
	case strings.HasSuffix(kind, "xml"):
		s.found.Discovery = append(s.found.Discovery, u)
		for _, m := range slices.Concat(itemTag.FindAllStringSubmatch(string(text), -1),
			locTag.FindAllStringSubmatch(string(text), -1)) {
			s.follow(u, m[1])
		}
	default:
		s.t.Errorf("%s is %s", u, kind)
	}
}

func (s *surfer) page(u page.URL, text string) {
	for _, m := range embedTag.FindAllStringSubmatch(text, -1) {
		s.requisite(u, m[1]+m[2]+m[3])
	}
	for _, m := range feedTag.FindAllStringSubmatch(text, -1) {
		s.follow(u, m[1])
	}
	closed := strings.Contains(text, `content="nofollow"`)
	for _, m := range anchorTag.FindAllStringSubmatch(text, -1) {
		if s.noFollow || m[2] == "" && !closed {
			s.follow(u, m[1])
		}
	}
}

func (s *surfer) follow(from page.URL, ref string) { s.visit(s.resolve(from, ref)) }

func (s *surfer) resolve(from page.URL, ref string) page.URL {
	u, err := from.Resolve(html.UnescapeString(ref))
	if err != nil {
		s.t.Errorf("%s links to %q: %v", from, ref, err)
	}
	return u
}

func (s *surfer) requisite(from page.URL, ref string) {
	u := s.resolve(from, ref)
	if slices.Contains(s.found.Requisites, u) {
		return
	}
	s.found.Requisites = append(s.found.Requisites, u)
	resp, text := get(s.t, s.client, u)
	if resp.StatusCode != 200 {
		s.t.Errorf("%s needs %s: status %d", from, u, resp.StatusCode)
	}
	if resp.Header.Get("Content-Type") == "text/css" {
		for _, m := range styleRef.FindAllStringSubmatch(string(text), -1) {
			s.requisite(u, m[1]+m[2])
		}
	}
}

// crawl surfs a site from its seeds and the sitemaps that its robots.txt name.
func crawl(t *testing.T, w *Web, c *http.Client, site Site, noFollow bool) Site {
	s := &surfer{t: t, web: w, client: c, site: site.Name, noFollow: noFollow, seen: map[page.URL]bool{}}
	for _, h := range site.Hosts {
		_, text := get(t, c, page.URL("http://"+string(h)+"/robots.txt"))
		for line := range strings.Lines(string(text)) {
			if u, ok := strings.CutPrefix(line, "Sitemap: "); ok {
				s.visit(page.URL(strings.TrimSpace(u)))
			}
		}
	}
	for _, u := range site.Seeds {
		s.visit(u)
	}
	for _, list := range []*[]page.URL{&s.found.Pages, &s.found.Requisites, &s.found.Discovery} {
		slices.Sort(*list)
	}
	return s.found
}

func TestCrawlAgreesWithTruth(t *testing.T) {
	for _, o := range []Options{{}, {Seed: 7, Epoch: 3}} {
		t.Run(fmt.Sprintf("seed %d epoch %d", o.Seed, o.Epoch), func(t *testing.T) {
			w, c := start(t, o)
			wake(t, c)
			total := 0
			for _, site := range w.Sites() {
				got := crawl(t, w, c, site, false)
				total += len(got.Pages)
				want := Site{Pages: site.Pages, Requisites: site.Requisites, Discovery: site.Discovery}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("site %s, truth against crawl:\n%s", site.Name, diff)
				}
				var more []page.URL
				for _, u := range crawl(t, w, c, site, true).Pages {
					if !slices.Contains(site.Pages, u) {
						more = append(more, u)
					}
				}
				if !slices.Equal(more, site.NoFollow) {
					t.Errorf("site %s: marked links lead to %v, the truth says %v", site.Name, more,
						site.NoFollow)
				}
			}
			if total < 280 || total > 420 {
				t.Errorf("%d pages in all, want some 320", total)
			}
		})
	}
}

// wake asks the host that refuses its first requests.
func wake(t *testing.T, c *http.Client) {
	t.Helper()
	for _, want := range []int{503, 503, 200} {
		resp, _ := get(t, c, "http://tired.example/")
		if resp.StatusCode != want {
			t.Errorf("status %d, want %d", resp.StatusCode, want)
		}
		if after := resp.Header.Get("Retry-After"); (want == 503) != (after == "1") {
			t.Errorf("status %d has Retry-After %q", want, after)
		}
	}
}

// The sizes that tests of others rely on.
func TestSizes(t *testing.T) {
	w := New(Options{})
	sizes := map[string]int{}
	for _, s := range w.Sites() {
		sizes[s.Name] = len(s.Pages)
	}
	want := map[string]int{
		"gemo": 75, "anna": 15, "boris": 16, "clara": 11, "dmitri": 16, "emil": 13, "society": 41,
		"atlas": 30, "atlas-mirror": 30,
		"atlas-1.2": 26, "library": 14, "parish": 5, "tired": 6, "wanderer": 17, "links": 8, "letters": 13,
	}
	if diff := cmp.Diff(want, sizes); diff != "" {
		t.Error(diff)
	}
	if n := len(w.disallowed()); n != 7 {
		t.Errorf("%d documents are disallowed, want 7: %v", n, w.disallowed())
	}
	if names := slices.Sorted(maps.Keys(w.Hosts())); len(names) != 19 {
		t.Errorf("hosts %v", names)
	}
}

// disallowed are the documents that a robots.txt closes, sorted.
func (w *Web) disallowed() []page.URL {
	var out []page.URL
	for u := range w.docs {
		if !w.hosts[u.Host()].rules.allows(u.PathQuery()) {
			out = append(out, u)
		}
	}
	slices.Sort(out)
	return out
}
