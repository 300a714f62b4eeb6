package robots

import (
	"errors"
	"fmt"
	"net/textproto"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"watershed/internal/coding"
	"watershed/page"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// answer makes the exchange that a robots.txt brings.
func answer(status int, body string, fields ...string) *page.Exchange {
	x := &page.Exchange{Status: status, Header: textproto.MIMEHeader{}, Body: page.Body{Bytes: []byte(body)}}
	for i := 0; i+1 < len(fields); i += 2 {
		x.Header.Set(fields[i], fields[i+1])
	}
	return x
}

func newCache(t testing.TB, o Options) *Cache {
	t.Helper()
	if o.Product == "" {
		o.Product = "b"
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// fetch takes a fetching through the answers, by URL; a URL that has none fails.
func fetch(t testing.TB, c *Cache, u page.URL, now time.Time,
	answers map[page.URL]*page.Exchange,
) (asked []page.URL) {
	t.Helper()
	f := c.Start(u)
	for next, ok := f.URL(); ok; next, ok = f.URL() {
		asked = append(asked, next)
		x := answers[next]
		if x == nil {
			f.Fail(page.StatusConnect, errors.New("connection refused"), now)
			continue
		}
		x.URL = next
		f.Step(x, now)
	}
	c.Put(f.File())
	return asked
}

func TestStatuses(t *testing.T) {
	const u, robots = page.URL("http://example.org/x?y"), page.URL("http://example.org/robots.txt")
	forbids := rules("/x")
	for _, tt := range []struct {
		name   string
		answer *page.Exchange
		state  State
		allow  bool
		cause  string
		until  time.Duration
	}{
		{name: "found", answer: answer(200, forbids), state: Known, until: 24 * time.Hour},
		{
			name: "found, allows", answer: answer(200, rules("/z")), state: Known, allow: true,
			until: 24 * time.Hour,
		},
		{name: "found, empty", answer: answer(200, ""), state: Known, allow: true, until: 24 * time.Hour},
		{name: "no content", answer: answer(204, ""), state: Known, allow: true, until: 24 * time.Hour},
		{
			name: "not found", answer: answer(404, forbids), state: Known, allow: true,
			cause: "no robots.txt: 404", until: 24 * time.Hour,
		},
		{
			name: "forbidden", answer: answer(403, ""), state: Known, allow: true,
			cause: "no robots.txt: 403",
			until: 24 * time.Hour,
		},
		{
			name: "gone", answer: answer(410, ""), state: Known, allow: true, cause: "no robots.txt: 410",
			until: 24 * time.Hour,
		},
		{
			name: "too many requests", answer: answer(429, ""), state: Waiting,
			cause: "robots.txt answers 429",
			until: time.Minute,
		},
		{
			name: "unavailable", answer: answer(503, forbids), state: Waiting,
			cause: "robots.txt answers 503",
			until: time.Minute,
		},
		{
			name: "unavailable for 10 minutes", answer: answer(503, "", "Retry-After", "600"), state: Waiting,
			cause: "robots.txt answers 503", until: 10 * time.Minute,
		},
		{
			name: "unavailable until", answer: answer(503, "", "Retry-After",
				"Sat, 21 Nov 2026 14:00:00 GMT"),
			state: Waiting, cause: "robots.txt answers 503", until: 2 * time.Hour,
		},
		{
			name: "unavailable for a year", answer: answer(503, "", "Retry-After", "31536000"),
			state: Waiting,
			cause: "robots.txt answers 503", until: 24 * time.Hour,
		},
		{name: "connection refused", state: Waiting, cause: "connection refused", until: time.Minute},
		{
			name: "lost", answer: &page.Exchange{Err: errors.New("connection broke")}, state: Waiting,
			cause: "connection broke", until: time.Minute,
		},
		{
			name: "broke off",
			answer: &page.Exchange{
				Status: 200, Truncated: page.CutConnected, Err: errors.New("broke"),
				Body: page.Body{Bytes: []byte("User-agent: *\nDis")},
			}, state: Waiting,
			cause: "robots.txt broke off: broke", until: time.Minute,
		},
		{
			name: "of an unknown coding, and text",
			answer: &page.Exchange{
				Status: 200,
				Body:   page.Body{Bytes: []byte(forbids), Err: fmt.Errorf("rot13: %w", coding.ErrWhole)},
			}, state: Known, until: 24 * time.Hour,
		},
		{
			name: "of a broken coding",
			answer: &page.Exchange{
				Status: 200, Body: page.Body{Bytes: []byte("User-agent: *\nDis"), Err: errors.New("flate")},
			}, state: Waiting,
			cause: "robots.txt broke off: flate", until: time.Minute,
		},
		{
			name: "longer than anybody reads",
			answer: &page.Exchange{
				Status: 200, Truncated: page.CutLength,
				Body: page.Body{Bytes: []byte(forbids + strings.Repeat("#\n", MaxBytes))},
			}, state: Known,
			until: 24 * time.Hour,
		},
		{
			name: "redirect to nowhere", answer: answer(302, ""), state: Known, allow: true,
			cause: "no robots.txt: 302 leads nowhere", until: 24 * time.Hour,
		},
		{
			name:   "redirect to another scheme",
			answer: answer(302, "", "Location", "ftp://example.org/robots.txt"), state: Known, allow: true,
			cause: "no robots.txt: 302 leads nowhere", until: 24 * time.Hour,
		},
		{
			name: "redirect to itself", answer: answer(302, "", "Location", "/robots.txt"), state: Known,
			allow: true, cause: "no robots.txt: its redirects lead back to it", until: 24 * time.Hour,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newCache(t, Options{})
			if a := c.Ask(u, noon); a.State != Unknown {
				t.Errorf("before: %+v", a)
			}
			fetch(t, c, u, noon, map[page.URL]*page.Exchange{robots: tt.answer})
			a := c.Ask(u, noon)
			if a.State != tt.state || a.Verdict.Allowed != tt.allow || a.Verdict.Cause != tt.cause ||
				a.Until.Sub(noon) != tt.until {
				t.Errorf("%+v, until %v; want %v, %v, %q, %v", a, a.Until.Sub(noon), tt.state, tt.allow,
					tt.cause, tt.until)
			}
			if a := c.Ask(u, noon.Add(tt.until)); a.State != Unknown {
				t.Errorf("when it is out of date: %+v", a)
			}
			again := reread(t, c.Get(Origin(u)))
			c.Put(again)
			if b := c.Ask(u, noon); b != a {
				t.Errorf("stored and read again: %+v, was %+v", b, a)
			}
		})
	}
}

func reread(t *testing.T, f *File) *File {
	t.Helper()
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var again File
	if err := again.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(f, &again) {
		t.Errorf("stored is\n%+v, %+v\nread again it is\n%+v, %+v", f, f.Rules, again, again.Rules)
	}
	return &again
}

// Five redirects are followed, also to other hosts; what is at their end holds for where they
// began.
func TestRedirects(t *testing.T) {
	chain := func(n int) map[page.URL]*page.Exchange {
		m := map[page.URL]*page.Exchange{"http://example.org/robots.txt": answer(301, "", "Location",
			"https://h1.example/1")}
		for i := 1; i < n; i++ {
			m[page.URL(fmt.Sprintf("https://h%d.example/%d", i, i))] = answer(307, "", "Location",
				fmt.Sprintf("https://h%d.example/%d", i+1, i+1))
		}
		m[page.URL(fmt.Sprintf("https://h%d.example/%d", n, n))] = answer(200, rules("/x"))
		return m
	}
	for n, allowed := range map[int]bool{1: false, 5: false, 6: true} {
		c := newCache(t, Options{})
		asked := fetch(t, c, "http://example.org/x", noon, chain(n))
		if a := c.Ask("http://example.org/x", noon); a.State != Known || a.Verdict.Allowed != allowed ||
			len(asked) != 1+min(n, 5) {
			t.Errorf("%d redirects: %+v after %v", n, a, asked)
		}
		for _, other := range []page.URL{
			"https://h1.example/x", "https://example.org/x",
			"http://example.org:8080/x",
		} {
			if a := c.Ask(other, noon); a.State != Unknown {
				t.Errorf("%s: %+v", other, a)
			}
		}
	}
}

// TestRedirectsThatGoRound: no URL is asked for twice, and each robots.txt that leads back to itself
// forbids nothing.
func TestRedirectsThatGoRound(t *testing.T) {
	for _, round := range []string{
		"http://example.org/robots.txt",
		"http://example.org/robots.txt http://EXAMPLE.org:80/robots.txt#again",
		"http://example.org/robots.txt https://example.org/robots.txt",
		"http://example.org/robots.txt http://a.example/x http://b.example/%7e http://a.example/x",
		"http://example.org/robots.txt http://example.org/%3f http://example.org/%3F",
	} {
		urls := strings.Fields(round)
		answers := map[page.URL]*page.Exchange{}
		for i, u := range urls {
			from, err := page.ParseURL(u)
			if err != nil {
				t.Fatal(err)
			}
			if answers[from] == nil {
				answers[from] = answer(302, "", "Location", urls[(i+1)%len(urls)])
			}
		}
		c := newCache(t, Options{})
		asked := fetch(t, c, "http://example.org/x", noon, answers)
		if a := c.Ask("http://example.org/x", noon); len(asked) != len(answers) || !a.Verdict.Allowed {
			t.Errorf("%s: %+v after %v", round, a, asked)
		}
	}
}

// A site that cannot be reached is asked again at growing distances; a copy read before is used on;
// after thirty days of silence a site that never answered counts as one without robots.txt.
func TestUnreachable(t *testing.T) {
	const u, robots = page.URL("http://example.org/x"), page.URL("http://example.org/robots.txt")
	t.Run("never reached", func(t *testing.T) {
		c, now := newCache(t, Options{}), noon
		var waits []time.Duration
		for now.Sub(noon) < longUnreachable {
			fetch(t, c, u, now, nil)
			c.Put(reread(t, c.Get(Origin(u))))
			a := c.Ask(u, now)
			if a.State != Waiting || a.Verdict.Allowed {
				t.Fatalf("after %v: %+v", now.Sub(noon), a)
			}
			waits = append(waits, a.Until.Sub(now))
			now = a.Until
		}
		if want := "[1m0s 2m0s 4m0s 8m0s 16m0s 32m0s 1h4m0s 2h8m0s 4h16m0s 6h0m0s 6h0m0s]"; fmt.Sprint(
			waits[:11]) != want {
			t.Errorf("waits %v, want %s", waits[:11], want)
		}
		fetch(t, c, u, now, nil)
		if a := c.Ask(u, now); a.State != Known || !a.Verdict.Allowed ||
			a.Verdict.Cause != "robots.txt unreachable for 30 days: connection refused" {
			t.Errorf("after %v: %+v", now.Sub(noon), a)
		}
		fetch(t, c, u, now.Add(time.Hour), map[page.URL]*page.Exchange{robots: answer(200, rules("/x"))})
		if a := c.Ask(u, now.Add(time.Hour)); a.State != Known || a.Verdict.Allowed ||
			c.Get(Origin(u)).Tries != 0 {
			t.Errorf("reached at last: %+v", a)
		}
	})
	t.Run("other waits", func(t *testing.T) {
		c, now := newCache(t, Options{Retry: time.Second, MaxRetry: 3 * time.Second}), noon
		for i, want := range []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second} {
			fetch(t, c, u, now, nil)
			if got := c.Ask(u, now).Until.Sub(now); got != want {
				t.Errorf("after failure %d the wait is %v, want %v", i+1, got, want)
			}
			now = now.Add(want)
		}
	})
	t.Run("reached before", func(t *testing.T) {
		c := newCache(t, Options{})
		fetch(t, c, u, noon, map[page.URL]*page.Exchange{robots: answer(200, rules("/x"))})
		for days := 1; days < 60; days++ {
			now := noon.AddDate(0, 0, days)
			fetch(t, c, u, now, map[page.URL]*page.Exchange{robots: answer(500, "")})
			if a := c.Ask(u, now); a.State != Known || a.Verdict.Allowed || a.Verdict.Line != 2 {
				t.Fatalf("after %d days: %+v", days, a)
			}
			if a := c.Ask("http://example.org/free", now); a.State != Known || !a.Verdict.Allowed {
				t.Fatalf("after %d days: %+v", days, a)
			}
		}
	})
	t.Run("there was none before", func(t *testing.T) {
		c := newCache(t, Options{})
		fetch(t, c, u, noon, map[page.URL]*page.Exchange{robots: answer(404, "")})
		c.Put(reread(t, c.Get(Origin(u))))
		now := noon.Add(24 * time.Hour)
		fetch(t, c, u, now, map[page.URL]*page.Exchange{robots: answer(503, "")})
		if a := c.Ask(u, now); a.State != Waiting || a.Verdict.Allowed {
			t.Errorf("a 404 serves as a copy: %+v", a)
		}
	})
	t.Run("twice in a month", func(t *testing.T) {
		c := newCache(t, Options{})
		fetch(t, c, u, noon, nil)
		now := noon.Add(longUnreachable)
		fetch(t, c, u, now, nil)
		if a := c.Ask(u, now); a.State != Waiting || a.Verdict.Allowed {
			t.Errorf("nobody asked meanwhile: %+v", a)
		}
	})
	t.Run("always broken off", func(t *testing.T) {
		c, now := newCache(t, Options{}), noon
		for i := range 4 {
			x := answer(200, rules("/x"))
			x.Truncated = page.CutConnected
			fetch(t, c, u, now, map[page.URL]*page.Exchange{robots: x})
			a := c.Ask(u, now)
			if want := map[bool]State{true: Waiting, false: Known}[i < partTries]; a.State != want ||
				a.Verdict.Allowed {
				t.Fatalf("try %d: %+v", i+1, a)
			}
			if got := a.Verdict.String(); !strings.Contains(got, "robots.txt broke off") {
				t.Errorf("try %d says %q", i+1, got)
			}
			now = a.Until
		}
	})
}

func TestIgnored(t *testing.T) {
	const found, missing, down, unknown = page.URL("http://a.example/x"), page.URL("http://b.example/x"),
		page.URL("http://c.example/x"), page.URL("http://d.example/x")
	c := newCache(t, Options{})
	fetch(t, c, found, noon, map[page.URL]*page.Exchange{"http://a.example/robots.txt": answer(200,
		"User-agent: *\nCrawl-delay: 3\nDisallow: /y\n")})
	fetch(t, c, missing, noon, map[page.URL]*page.Exchange{"http://b.example/robots.txt": answer(404, "")})
	fetch(t, c, down, noon, nil)
	for _, tt := range []struct {
		ignored bool
		u       page.URL
		state   State
		allow   bool
		says    string
	}{
		{false, found, Known, true, "allowed: no rule"},
		{false, "http://a.example/y", Known, false, "disallowed by line 3"},
		{false, missing, Known, true, "allowed: no robots.txt: 404"},
		{false, down, Waiting, false, "disallowed: connection refused"},
		{false, unknown, Unknown, false, ""},
		{true, found, Known, true, "allowed: no rule"},
		{true, "http://a.example/y", Known, true, "allowed by line 3"},
		{true, missing, Known, true, "allowed: no robots.txt: 404"},
		{true, down, Known, true, "allowed: connection refused; policy is to ignore robots.txt"},
		{true, unknown, Unknown, false, ""},
	} {
		a := c.Ask(tt.u, noon)
		if tt.ignored {
			a = a.Ignore()
		}
		if a.State != tt.state || a.Verdict.Allowed != tt.allow ||
			tt.says != "" && !strings.Contains(a.Verdict.String(), tt.says) {
			t.Errorf("%t, %s: %v, %v; want %v, %v, %q", tt.ignored, tt.u, a.State, a.Verdict, tt.state,
				tt.allow, tt.says)
		}
	}
	if d := c.Get(Origin(found)).Rules.CrawlDelay(); d != 3*time.Second {
		t.Errorf("delay: %v", d)
	}
}

func TestValidate(t *testing.T) {
	for _, o := range []Options{
		{},
		{Product: "a b"},
		{Product: "bot/1"},
		{Product: "b", MaxAge: 25 * time.Hour},
		{Product: "b", MaxAge: -1},
		{Product: "b", MaxFiles: -1},
		{Product: "b", MaxBytes: -1},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

func TestCacheIsBounded(t *testing.T) {
	long := &File{
		Origin: "http://long.example",
		Rules:  Parse([]byte(rules("/"+strings.Repeat("x", 5000))), "b"),
	}
	c := newCache(t, Options{MaxFiles: 3, MaxBytes: 6000})
	origin := func(i int) string { return fmt.Sprintf("http://h%d.example", i) }
	for i := range 4 {
		c.Put(&File{Origin: origin(i), Rules: &Rules{}})
		c.Get(origin(0))
	}
	for i, want := range []bool{true, false, true, true} {
		if got := c.Get(origin(i)) != nil; got != want {
			t.Errorf("file %d is there: %v", i, got)
		}
	}
	c.Put(long)
	if c.Get(long.Origin) == nil || c.order.Len() != 1 || c.bytes != long.size() {
		t.Errorf("%d files of %d bytes", c.order.Len(), c.bytes)
	}
	c.Put(&File{Origin: long.Origin})
	if c.order.Len() != 1 || c.bytes != c.Get(long.Origin).size() || c.Get(long.Origin).Rules != nil {
		t.Errorf("%d files of %d bytes", c.order.Len(), c.bytes)
	}
}

func TestCacheTogether(t *testing.T) {
	c := newCache(t, Options{MaxFiles: 10})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 200 {
				u := page.URL(fmt.Sprintf("http://h%d.example/x", (i+k)%20))
				f := c.Start(u)
				f.Step(&page.Exchange{URL: u, Status: 200, Body: page.Body{Bytes: []byte(rules("/x"))}}, noon)
				c.Put(f.File())
				if a := c.Ask(u, noon); a.State == Known && a.Verdict.Allowed {
					t.Error(a)
				}
			}
		})
	}
	wg.Wait()
}

func TestUnmarshalRefuses(t *testing.T) {
	for _, s := range []string{
		"", "{", `{"known":true,"rules":[{"line":1,"text":"Sitemap: x"}]}`,
		`{"known":true,"rules":[{"line":1,"text":"junk"}]}`, `{"known":true,"lists":true}`,
		`{"known":true,"lists":true}` + "\n\x01", `{"known":true,"lists":true}` + "\n\x00\x02\x20Allow: /a",
		`{"known":true,"lists":true}` + "\n\x00\x02",
		`{"known":true,"lists":true}` + "\n\xff\xff\xff\xff\xff\xff\x01",
	} {
		if err := new(File).UnmarshalBinary([]byte(s)); err == nil {
			t.Errorf("%q is taken", s)
		}
	}
}

// The form in which a File is kept.
func TestStoredForm(t *testing.T) {
	f := &File{
		Origin: "https://example.org", URL: "https://www.example.org/robots.txt", Status: 200, Fetched: noon,
		Until: noon.Add(time.Hour),
		Rules: Parse([]byte("Sitemap: /m.xml\nUser-agent: b\nCrawl-delay: 1.5\nAllow: /a # "+
			"x\nDisallow: /ab*\n"), "b"),
	}
	const want = `{"origin":"https://example.org","url":"https://www.example.org/robots.txt",` +
		`"status":200,"fetched":"2026-11-21T12:00:00Z","until":"2026-11-21T13:00:00Z","known":true,` +
		`"agent":"b","delayMs":1500,"lists":true}` +
		"\n\x01\x06/m.xml\x0a\x0eDisallow: /ab*\x01\x09Allow: /a"
	if b, err := f.MarshalBinary(); err != nil || string(b) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, b, want)
	}
	reread(t, f)
	var before File
	if err := before.UnmarshalBinary([]byte(`{"origin":"https://example.org",` +
		`"url":"https://www.example.org/robots.txt","status":200,"fetched":"2026-11-21T12:00:00Z",` +
		`"until":"2026-11-21T13:00:00Z","known":true,"agent":"b","delayMs":1500,"sitemaps":["/m.xml"],` +
		`"rules":[{"line":5,"text":"Disallow: /ab*"},{"line":4,"text":"Allow: /a"}]}`)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(f, &before) {
		t.Errorf("the earlier form gives %+v, %+v", before, before.Rules)
	}
}

// TestStoredLarge: the rules of the longest robots.txt that is read take little more than itself.
func TestStoredLarge(t *testing.T) {
	for name, line := range map[string]string{
		"short": "Allow:/\n", "numbered": "Disallow: /%d/\n", "site maps": "Sitemap: /%d?a=1&b=2&c=3\n",
		"escaped by JSON": "Disallow: /%d&&&<<<>>>&&&\n",
	} {
		var text []byte
		for i := 0; len(text) < MaxBytes; i++ {
			next := line
			if strings.Contains(line, "%d") {
				next = fmt.Sprintf(line, i)
			}
			text = append(text, next...)
		}
		f := &File{Origin: "http://a.example", Rules: Parse(append([]byte("User-agent: *\n"), text...), "b")}
		again := reread(t, f)
		if n := len(again.Rules.rules) + len(again.Rules.sitemaps); n == 0 {
			t.Errorf("%s: nothing is there", name)
		}
		if b, err := f.MarshalBinary(); err != nil || len(b) > MaxBytes*5/4 {
			t.Errorf("%s: %d bytes, %v", name, len(b), err)
		}
	}
}
