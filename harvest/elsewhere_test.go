package harvest

import (
	"fmt"
	"strings"
	"testing"
	"time"
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

// An origin whose robots.txt is always out of order is given up like one that does not answer,
// however many of its URLs are wanted.
func TestRobotsOutOfOrder(t *testing.T) {
	w, site := example()
	var page strings.Builder
	page.WriteString(links("/"))
	for i := range 20 {
		fmt.Fprintf(&page, `<img src="http://broken.example/%d.txt">`, i)
	}
	w.pages["a.example/one"], w.pages["broken.example/robots.txt"] = page.String(), "500"
	p := w.start(t, site)
	p.Robots.Retry = time.Millisecond
	d := run(t, Folder(t.TempDir()), p)
	if n := w.asked("broken.example/robots.txt"); n != p.Frontier.HostTries {
		t.Errorf("its robots.txt was asked for %d times, want %d", n, p.Frontier.HostTries)
	}
	for u := range captured(t, d) {
		if strings.HasPrefix(u, "http://broken.example/") && !strings.HasSuffix(u, "/robots.txt") {
			t.Errorf("%s was fetched", u)
		}
	}
}
