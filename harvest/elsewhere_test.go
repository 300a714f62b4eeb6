package harvest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"watershed/page"
)

// A robots.txt that redirects to another host is read there, whatever its path: one that moved with
// all of its host, to the new one's entry page, forbids nothing, and one that lies elsewhere is
// obeyed. Two that redirect to each other do not wait for each other.
func TestRobotsElsewhere(t *testing.T) {
	w, site := example()
	for key, text := range map[string]string{
		"a.example/one": links("/") +
			`<img src="http://old.example/i.txt"><img src="http://older.example/i.txt">` +
			`<img src="http://rules.example/i.txt">` +
			`<img src="http://rules.example/no/i.txt"><img src="http://far.example/no/i.txt">` +
			`<img src="http://far.example/i.txt"><img src="http://round1.example/i.txt">` +
			`<img src="http://round2.example/i.txt">`,
		"old.example/robots.txt":        "-> http://a.example/",
		"old.example/i.txt":             "a picture",
		"older.example/robots.txt":      "-> http://a.example/",
		"older.example/i.txt":           "a second picture",
		"rules.example/robots.txt":      "-> http://cdn.example/rules/for-all.txt",
		"rules.example/i.txt":           "a third picture",
		"rules.example/no/i.txt":        "forbidden",
		"cdn.example/rules/for-all.txt": "User-agent: *\nDisallow: /no/\n",
		"far.example/robots.txt":        "-> http://cdn.example/rules",
		"cdn.example/rules":             "-> http://cdn.example/rules/for-all.txt",
		"far.example/i.txt":             "a fourth picture",
		"far.example/no/i.txt":          "forbidden",
		"round1.example/robots.txt":     "-> http://round2.example/robots.txt",
		"round2.example/robots.txt":     "-> http://round1.example/robots.txt",
		"round1.example/i.txt":          "a fifth picture",
		"round2.example/i.txt":          "a sixth picture",
	} {
		w.pages[key] = text
	}
	got := captured(t, run(t, Folder(t.TempDir()), w.start(t, site)))
	for _, want := range []string{
		"old.example/i.txt", "older.example/i.txt", "rules.example/i.txt",
		"far.example/i.txt", "round1.example/i.txt", "round2.example/i.txt",
	} {
		if got["http://"+want] == "" {
			t.Errorf("%s is not in the archive", want)
		}
	}
	for _, no := range []string{"rules.example/no/i.txt", "far.example/no/i.txt"} {
		if w.asked(no) > 0 {
			t.Errorf("%s was asked for", no)
		}
	}
	if n := w.asked("cdn.example/rules/for-all.txt"); n > 2 {
		t.Errorf("the rules were asked for %d times", n)
	}
}

// TestRobotsElsewhereLater: where the place that a robots.txt redirects to did not answer at first, it
// is asked again.
func TestRobotsElsewhereLater(t *testing.T) {
	w, site := example()
	const rules = "cdn.example/rules/for-all.txt"
	w.pages["a.example/one"] = links("/") + `<img src="http://rules.example/i.txt">` +
		`<img src="http://rules.example/no/i.txt">`
	w.pages["rules.example/robots.txt"] = "-> http://" + rules
	w.pages[rules] = "500, then User-agent: *\nDisallow: /no/\n"
	w.pages["rules.example/i.txt"], w.pages["rules.example/no/i.txt"] = "a picture", "forbidden"
	p := w.start(t, site)
	p.Robots.Retry, p.Frontier.HostTries = time.Millisecond, 50
	p.Frontier.Tries, p.Frontier.RetryBase, p.Frontier.RetryMax = 1, time.Millisecond, time.Millisecond
	got := captured(t, run(t, Folder(t.TempDir()), p))
	if got["http://rules.example/i.txt"] == "" || w.asked("rules.example/no/i.txt") > 0 {
		t.Errorf("the rules were asked for %d times: %v", w.asked(rules), got)
	}
}

// An origin whose robots.txt is always out of order is given up like one that does not answer,
// however many of its URLs are wanted. A stranger, which nobody named and of which nothing was ever had,
// does not keep a run open for longer than a URL of its own would.
func TestRobotsOutOfOrder(t *testing.T) {
	for name, c := range map[string]struct {
		rules []page.Rule
		asked int
	}{
		"a stranger":                  {nil, 2},
		"a host that a rule includes": {[]page.Rule{rule(t, "host:broken.example")}, 6},
	} {
		t.Run(name, func(t *testing.T) {
			w, site := example()
			var text strings.Builder
			text.WriteString(links("/"))
			for i := range 20 {
				fmt.Fprintf(&text, `<img src="http://broken.example/%d.txt">`, i)
			}
			w.pages["a.example/one"], w.pages["broken.example/robots.txt"] = text.String(), "500"
			site.Include = c.rules
			p := w.start(t, site)
			p.Robots.Retry, p.Frontier.HostTries = time.Millisecond, 6
			d := run(t, Folder(t.TempDir()), p)
			if n := w.asked("broken.example/robots.txt"); n != c.asked {
				t.Errorf("its robots.txt was asked for %d times, want %d", n, c.asked)
			}
			for u := range captured(t, d) {
				if strings.HasPrefix(u, "http://broken.example/") && !strings.HasSuffix(u, "/robots.txt") {
					t.Errorf("%s was fetched", u)
				}
			}
		})
	}
}

// A host is no stranger if it was named, or if an earlier run had something of it.
func TestStranger(t *testing.T) {
	w, site := example()
	w.pages["a.example/one"] = links("/") +
		`<img src="http://files.example/i.txt"><img src="http://dead.example/i.txt">`
	w.pages["files.example/i.txt"] = "a picture"
	w.pages["dead.example/robots.txt"] = "500"
	site.Include = []page.Rule{rule(t, "regex:^http://wide[.]example/of/")}
	p := w.start(t, site)
	p.Robots.Retry = time.Millisecond
	folder := Folder(t.TempDir())
	run(t, folder, p)
	h, err := Open(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	for u, want := range map[page.URL]bool{
		"http://a.example/never-seen": false,
		"http://files.example/other":  false,
		"http://wide.example/of/it":   false,
		"http://wide.example/":        true,
		"http://dead.example/i.txt":   true,
		"http://never.example/":       true,
	} {
		if got := h.strangers()(u); got != want {
			t.Errorf("%s: %v", u, got)
		}
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
}
