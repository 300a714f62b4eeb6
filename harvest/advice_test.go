package harvest

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"watershed/page"
	"watershed/sitemap"
	"watershed/store"
)

// TestAdvice: for each state that a URL can be in, and each reason, there is something to do, until
// it was captured and belongs.
func TestAdvice(t *testing.T) {
	const u = page.URL("http://a.example/x")
	outside := []sitemap.Explanation{{URL: u, Reason: "outOfBoundary"}}
	for r := store.NoReason + 1; r < store.Reasons; r++ {
		for _, state := range []store.State{store.Skipped, store.Failed} {
			f := &Fetching{State: state.String(), Reason: r.String()}
			if got := Advice(u, outside, f); got == "" {
				t.Errorf("%s, %s: nothing is to be done", state, r)
			}
		}
	}
	done := func(status int) *Fetching { return &Fetching{State: "done", Status: status} }
	inside := []sitemap.Explanation{{URL: u, Inside: true}}
	for _, c := range []struct {
		name  string
		sites []sitemap.Explanation
		f     *Fetching
		want  string // in the advice; "" for none
	}{
		{"captured and inside", inside, done(200), ""},
		{"inside, not reached", inside, nil, "the same command goes on"},
		{"waits", inside, &Fetching{State: "pending"}, "waits for its turn"},
		{"gone", inside, done(404), "404 Not Found"},
		{
			"a body too long", inside,
			&Fetching{State: "done", Status: 200, Reason: "unread", Lacks: tooLong}, "raise fetch.max_body",
		},
		{"an error of the server", inside, &Fetching{State: "failed", Status: 500}, "asks again"},
		{
			"a head too long", inside,
			&Fetching{State: "failed", Status: page.StatusRefused, Reason: store.Refused.String()},
			"fetch.max_head",
		},
		{
			"in a place below the seed that is out", []sitemap.Explanation{{
				URL: u, Reason: "outOfBoundary", Since: .1,
				Left: &sitemap.LeftBelow{
					Pages: 7, Include: page.Rule{Kind: page.RulePrefix, Value: "a.example/t/"},
				},
			}}, nil, `with 7 pages: if that belongs, write under the site in the YAML: ` +
				`include: ["prefix:a.example/t/"]`,
		},
		{
			"never found",
			[]sitemap.Explanation{{Reason: "unknown"}},
			nil,
			`include: ["url:http://a.example/x"]`,
		},
		{
			"never found, below a seed",
			[]sitemap.Explanation{{Reason: "unknown"}, {Reason: "unknown", Below: "http://a.example/"}},
			nil,
			`a form does. To have it, write under the site in the YAML: include: ["url:http://a.example/x"]`,
		},
		{
			"not to be followed",
			[]sitemap.Explanation{{Reason: "noFollow"}},
			nil,
			"set politeness.nofollow to follow",
		},
		{"looked at, and outside", outside, done(200), `include: ["url:http://a.example/x"]`},
		{
			"in a place of several pages", append(outside, sitemap.Explanation{
				Reason: "outOfBoundary", Since: .004,
				Place: &sitemap.LeftBelow{
					Name: "b.example/", Pages: 9,
					Include: page.Rule{Kind: page.RulePrefix, Value: "b.example/"},
				},
			}), nil, `for all of b.example/, where 9 known pages are outside: ` +
				`include: ["prefix:b.example/"], then`,
		},
		{
			"never found, in a place of several pages", []sitemap.Explanation{{
				Reason: "unknown", Place: &sitemap.LeftBelow{
					Name: "b.example/", Pages: 9,
					Include: page.Rule{Kind: page.RulePrefix, Value: "b.example/"},
				},
			}}, nil, `include: ["url:http://a.example/x"], or for all of b.example/, where 9 known ` +
				`pages are outside: include: ["prefix:b.example/"], or name it under seeds`,
		},
		{
			"excluded",
			[]sitemap.Explanation{{Reason: "rule", Note: "host:a.example"}},
			nil,
			`"host:a.example" away from exclude`,
		},
		{"robots.txt", inside, &Fetching{State: "skipped", Reason: "robots"}, "robots: ignore"},
		{"a trap", outside, &Fetching{State: "skipped", Reason: "trapRepeat"}, "traps.max_repeated_segments"},
		{"a limit", inside, &Fetching{State: "skipped", Reason: "limitPages"}, "raise the limit"},
		{"a copy", inside, &Fetching{State: "skipped", Reason: "mirror"}, "copies reject"},
		{"no such name", inside, &Fetching{State: "failed", Reason: "dns"}, "spelt right"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Advice(u, c.sites, c.f); !strings.Contains(got, c.want) || c.want == "" && got != "" {
				t.Errorf("%q, want %q in it", got, c.want)
			}
		})
	}
}

// TestAdviceOnScales: a harvest at another scale asks for other pages, and may settle elsewhere than the
// map says, so that none is advised.
func TestAdviceOnScales(t *testing.T) {
	for _, e := range []sitemap.Explanation{
		{Reason: "outOfBoundary", Since: .004},
		{Inside: true, Why: sitemap.WhyFlow, Since: .02},
	} {
		got := Advice("http://a.example/x", []sitemap.Explanation{e}, nil)
		if strings.Contains(got, "alpha") {
			t.Errorf("inside %v: %s", e.Inside, got)
		}
	}
}

// An address that no harvest asks for by default takes two lines of the YAML.
func TestAdviceOnPrivateAddresses(t *testing.T) {
	outside := []sitemap.Explanation{{Reason: "outOfBoundary"}}
	for u, private := range map[page.URL]bool{
		"http://10.1.2.3/x": true, "http://[::1]:80/": true, "http://169.254.1.1/": true,
		"http://93.184.216.34/": false, "http://a.example/": false,
	} {
		if got := Advice(u, outside, nil); strings.Contains(got, "network.allow_private, then") != private {
			t.Errorf("%s: %s", u, got)
		}
		below := []sitemap.Explanation{{Reason: "unknown", Below: u}}
		if got := Advice(u, below, nil); strings.Contains(got, "allow_private") {
			t.Errorf("%s, beside a seed that was fetched: %s", u, got)
		}
	}
}

var includeLine = regexp.MustCompile(`include: \["([^"]+)"\]`)

// TestAdviceHelps: the line that explain prints, written into the site, has the effect that it
// promises: for a page to which nothing leads, one outside, and one that is taken for a trap.
func TestAdviceHelps(t *testing.T) {
	const unlinked, trapped, cited = "http://lone.example/x", "http://a.example/d/d/d/d", "http://b.example/"
	for _, u := range []page.URL{unlinked, trapped, cited} {
		w, site := example()
		w.pages["a.example/two"] += links("/d/d/d/d")
		w.pages["a.example/d/d/d/d"], w.pages["lone.example/x"] = links("/"), links("/")
		p := w.start(t, site)
		p.Frontier.Traps.Repeats = 2
		folder := Folder(t.TempDir())
		d := run(t, folder, p)
		if captured(t, d)[string(u)] != "" {
			t.Fatalf("%s is captured before it is included", u)
		}
		e, err := Examine(folder, p)
		if err != nil {
			t.Fatal(err)
		}
		x, err := e.Explain(u, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := x.Text(&text); err != nil || !strings.HasSuffix(text.String(), "to do: "+x.Advice+"\n") {
			t.Errorf("the explanation does not end with what to do: %v\n%s", err, text.String())
		}
		found := includeLine.FindStringSubmatch(x.Advice)
		if found == nil {
			t.Fatalf("%s: no line to be written in %q", u, x.Advice)
		}
		rule, err := page.ParseRule(found[1])
		if err != nil {
			t.Fatal(err)
		}
		p.Sites[0].Include = []page.Rule{rule}
		p.Extend = true
		if captured(t, run(t, folder, p))[string(u)] == "" {
			t.Errorf("%s is not captured, with include %q", u, rule)
		}
	}
}

// TestAdviceBelowLostSeed: a page to which nothing leads because the seed above it was not had is no
// page to be included; the seed comes first.
func TestAdviceBelowLostSeed(t *testing.T) {
	for _, c := range []struct{ robots, want string }{
		{"User-agent: *\nDisallow: /\n", "robots: ignore"},
		{"", "politeness.retry"},
	} {
		w := &web{pages: map[string]string{"a.example/": links("/one")}}
		if c.robots == "" {
			w.pages["a.example/"] = "!"
		} else {
			w.pages["a.example/robots.txt"] = c.robots
		}
		p := w.start(t, sitemap.Site{
			Name: "A", Seeds: []page.URL{"http://a.example/"}, Boundary: sitemap.HostOnly,
		})
		folder := Folder(t.TempDir())
		run(t, folder, p)
		e, err := Examine(folder, p)
		if err != nil {
			t.Fatal(err)
		}
		x, err := e.Explain("http://a.example/one", 0)
		if err := errors.Join(err, e.Close()); err != nil || strings.Contains(x.Advice, "include") ||
			!strings.HasPrefix(x.Advice, "its seed http://a.example/ comes first") ||
			!strings.Contains(x.Advice, c.want) {
			t.Errorf("%v: %+v", err, x)
		}
	}
}

// TestAdviceOfRobotsHelps: once robots.txt no longer binds the crawl on a host, a run that extends the
// last one fetches what it forbade; before that, it does not.
func TestAdviceOfRobotsHelps(t *testing.T) {
	const u = "http://a.example/secret/x"
	w, site := example()
	p := w.start(t, site)
	folder := Folder(t.TempDir())
	run(t, folder, p)
	e, err := Examine(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.Explain(u, 0)
	if err := errors.Join(err, e.Close()); err != nil || !strings.Contains(x.Advice, "{match: a.example, ") {
		t.Fatalf("%v: %v", x, err)
	}
	p.Extend = true
	if run(t, folder, p); w.asked("a.example/secret/x") > 0 {
		t.Error("it was asked for, and robots.txt forbids it")
	}
	if e, err = Examine(folder, p); err != nil {
		t.Fatal(err)
	}
	again, err := e.Explain(u, 0)
	held, fault := e.Explain("http://a.example/one", 0)
	if err := errors.Join(err, fault, e.Close()); err != nil || again.Advice != x.Advice ||
		held.Fetching == nil || held.Fetching.Status != 200 ||
		!strings.HasPrefix(held.Advice, "if it does not belong") {
		t.Errorf("%v: after an extension: %+v, and of a page that is held %+v", err, again, held)
	}
	p.Crawl.ObeyRobots = func(h page.Host) bool { return h != "a.example" }
	if captured(t, run(t, folder, p))[u] == "" {
		t.Error("it is not captured, though robots.txt is ignored")
	}
}

// A rule that names an address has it fetched though nothing leads there; exclude wins.
func TestIncludeNamesAnAddress(t *testing.T) {
	w, site := example()
	w.pages["lone.example/d/"], w.pages["lone.example/d/one"] = links("one", "/elsewhere"), links("/d/")
	w.pages["lone.example/no/"] = "no"
	for _, text := range []string{"prefix:http://lone.example/d/", "prefix:http://lone.example/no/"} {
		r, err := page.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		site.Include = append(site.Include, r)
	}
	site.Exclude = site.Include[1:2]
	got := captured(t, run(t, Folder(t.TempDir()), w.start(t, site)))
	if got["http://lone.example/d/"] == "" || got["http://lone.example/d/one"] == "" {
		t.Errorf("what the rule names is not captured: %v", got)
	}
	if w.asked("lone.example/no/") > 0 {
		t.Error("an excluded address was asked for")
	}
}

// An explanation does not say of one page that nothing leads to it and where it was found; and it
// tells of a page that says that it is none.
func TestExplanationAgrees(t *testing.T) {
	const u = page.URL("http://a.example/x")
	unknown := []sitemap.Explanation{{URL: u, Reason: "unknown"}}
	for _, x := range []struct {
		name     string
		fetching *Fetching
		says, no string
	}{
		{
			"found, and known to no site", &Fetching{State: "done", Status: 200, Via: "http://a.example/"},
			"found on http://a.example/", "no page of the site leads to it",
		},
		{"never found", nil, "no page of the site leads to it", "found on"},
		{
			"made up", &Fetching{State: "done", Status: 200, MadeUp: true, SoftError: true},
			"says that there is no such page", "a seed",
		},
	} {
		var b strings.Builder
		e := &Explanation{URL: u, Fetching: x.fetching, Advice: Advice(u, unknown, x.fetching)}
		if err := e.Text(&b); err != nil {
			t.Fatal(err)
		}
		if text := b.String(); !strings.Contains(text, x.says) || strings.Contains(text, x.no) {
			t.Errorf("%s: %s", x.name, text)
		}
	}
}
