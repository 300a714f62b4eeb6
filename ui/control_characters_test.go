package ui

import (
	"html"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	links  = regexp.MustCompile(`(?:href|src|action)="(/[^"]*)"`)
	fields = regexp.MustCompile(`value="[^"]*"`) // of forms, which have to be sent as they were asked for
)

// TestEveryPageIsPlain goes to every page of the desk that a link leads to, and to its metrics.
// None has a control character or one that turns the direction of writing, with which a page of the
// web might order a terminal about, and none a password of the harvest's settings.
func TestEveryPageIsPlain(t *testing.T) {
	most := 400
	if testing.Short() {
		most = 100
	}
	d := newDesk(t)
	settings := d.folder.Run(1).Config()
	write(t, settings, []byte(testYAML+"network: {proxy: \"http://ann:hunter2secret@127.0.0.1:3128\"}\n"))
	if text, err := os.ReadFile(settings); err != nil || !strings.Contains(string(text), "hunter2secret") {
		t.Fatalf("the test's settings: %v", err)
	}
	d.enter()
	todo := []string{
		"/", "/metrics", "/harvests/gemo/settings", "/api/harvests",
		"/harvests/gemo/search?q=" + url.QueryEscape(evil),
	}
	seen, shown := map[string]bool{}, 0
	for len(todo) > 0 && len(seen) < most {
		target := todo[0]
		todo = todo[1:]
		if seen[target] {
			continue
		}
		seen[target] = true
		r := d.do("GET", target, nil, nil)
		kind := r.Header.Get("Content-Type")
		if r.StatusCode != 200 ||
			!strings.HasPrefix(kind, "text/html") && !strings.HasPrefix(kind, "text/plain") &&
				!strings.Contains(kind, "json") {
			continue // what a file of the archive holds is its own
		}
		text := d.text(r, 200)
		shown++
		if strings.Contains(text, "hunter2") {
			t.Errorf("%s tells the password", target)
		}
		// data for programs has what JSON does not escape
		shows := func(c rune) bool { return c < ' ' || c == 0x7f }
		if strings.HasPrefix(kind, "text/html") {
			shows = turns
		}
		plain := strings.NewReplacer("\n", "", "\t", "", "\r", "").Replace(fields.ReplaceAllString(text, ""))
		if i := strings.IndexFunc(plain, shows); i >= 0 {
			t.Errorf("%s has %.40q", target, plain[max(0, i-20):])
		}
		if strings.HasPrefix(kind, "text/html") {
			for _, m := range links.FindAllStringSubmatch(text, -1) {
				to, _, _ := strings.Cut(html.UnescapeString(m[1]), "#")
				todo = append(todo, to)
			}
		}
	}
	if shown < 30 {
		t.Errorf("%d pages were seen", shown)
	}
	t.Logf("%d pages", shown)
}

// turns reports a character that a terminal, or the order of writing, heeds.
func turns(c rune) bool {
	return unicode.IsControl(c) || c >= '\u202a' && c <= '\u202e' || c >= '\u2066' && c <= '\u2069'
}
