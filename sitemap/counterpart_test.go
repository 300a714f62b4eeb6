package sitemap

import (
	"fmt"
	"strings"
	"testing"

	"watershed/page"
)

// TestCounterpart: a site whose pages redirect to the same paths on another host is there, too.
func TestCounterpart(t *testing.T) {
	const home = "http://old.example/club/home.html"
	inner := func(host string, n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("http://%s/club/%d.html", host, i))
		}
		return list
	}
	line := func(from string, to ...string) string { return from + " -> " + strings.Join(to, " ") + "\n" }
	for _, c := range []struct {
		name         string
		moved, stay  int
		path, answer string
		want         int // pages of the new host, of 12
	}{
		{"the entry page alone answers", 9, 0, "/club/", "", 12},
		{"as many stay", 7, 6, "/club/", "", 12},
		{"most stay", 6, 9, "/club/", "", 0},
		{"few", 4, 0, "/club/", "", 0},
		{"to other paths", 9, 0, "/shop/", "", 0},
		{"nothing is there", 9, 0, "/club/", "404", 0},
		{"one page is there", 9, 0, "/club/", "200", 0},
	} {
		text := line(home, inner("old.example", c.moved+c.stay)...)
		for i := range c.moved {
			text += fmt.Sprintf("http://old.example/club/%d.html => http://www.new.example%s%d.html\n",
				i, c.path, i)
		}
		for i := range c.stay {
			text += fmt.Sprintf("http://old.example/club/%d.html -> %s\n", c.moved+i, home)
		}
		// The new host does not name the old one, and has pages that the old one never had.
		text += line("http://www.new.example/aside", "http://www.new.example/")
		pages := inner("www.new.example", 12)
		for i, u := range pages {
			text += line(strings.Replace(u, "/club/", c.path, 1),
				strings.Replace(pages[(i+1)%12], "/club/", c.path, 1), "http://www.new.example/aside")
		}
		w := parseWeb(t, text)
		if c.answer != "" {
			for u := range w {
				if u.Host() == "www.new.example" {
					w[u] = &page.Visit{URL: u, Status: 404}
					if c.answer == "200" {
						w[u] = &page.Visit{URL: u, Status: 200, Digest: page.Digest{1}}
					}
				}
			}
		}
		_, m := w.surveyed(t, Site{Seeds: []page.URL{home}}, Options{})
		got := 0
		for _, x := range m.Members.All() {
			got += b2i(strings.HasPrefix(string(x.URL), "http://www.new.example"+c.path))
		}
		if got != c.want || (len(m.Counterparts) > 0) != (c.want > 0) {
			t.Errorf("%s: %d pages there, want %d; %v", c.name, got, c.want, m.Counterparts)
		}
		if c.want > 0 {
			x := m.Explain("http://www.new.example/club/11.html").String()
			want := fmt.Sprintf("to which %d pages of old.example/club/ redirect", c.moved)
			if !strings.Contains(x, want) {
				t.Errorf("%s: %s", c.name, x)
			}
			if m.Has("http://www.new.example/aside") {
				t.Errorf("%s: more than the seed's directory came in", c.name)
			}
		}
	}
}

// TestCounterpartInSteps: the new host leads on from http to https, with either boundary that has
// directories.
func TestCounterpartInSteps(t *testing.T) {
	text := "http://old.example/ -> /0 /1 /2 /3 /4 /5\n"
	for i := range 6 {
		text += fmt.Sprintf("http://old.example/%d => http://new.example/%[1]d\n"+
			"http://new.example/%[1]d => https://new.example/%[1]d\n"+
			"https://new.example/%[1]d -> i=/%[1]d.png /x%[1]d\nhttps://new.example/x%[1]d ->\n", i)
	}
	for _, mode := range []Mode{Logical, Prefix} {
		s, m := parseWeb(t, text).surveyed(t, Site{Seeds: []page.URL{"http://old.example/"}, Boundary: mode},
			Options{})
		if len(m.Counterparts) != 1 || !s.Belongs("https://new.example/5") ||
			!m.Has("https://new.example/x5") || !m.Has("https://new.example/5.png") {
			t.Errorf("%s: %v, %d pages", mode, m.Counterparts, m.Members.Len())
		}
	}
}

// TestCounterpartWaits: a host is followed by what answers in the end, not by the first pages.
func TestCounterpartWaits(t *testing.T) {
	text := "http://old.example/ -> /0 /1 /2 /3 /4 /5 /stay0\n"
	for i := range 6 {
		text += fmt.Sprintf("http://old.example/%d => http://new.example/%[1]d\n"+
			"http://new.example/%[1]d -> /x%[1]d\n", i)
	}
	for i := range 20 {
		text += fmt.Sprintf("http://old.example/stay%d -> /stay%d\n", i, (i+1)%20)
	}
	_, m := parseWeb(t, text).surveyed(t, Site{Seeds: []page.URL{"http://old.example/"}}, Options{})
	if len(m.Counterparts) > 0 {
		t.Errorf("%v", m.Counterparts)
	}
}

// TestCounterpartKnownBefore: one page for all is no move, too, where it was visited for another site
// first.
func TestCounterpartKnownBefore(t *testing.T) {
	text := "http://old.example/ -> /0 /1 /2 /3 /4 /5\n"
	for i := range 6 {
		text += fmt.Sprintf("http://old.example/%d => http://sale.example/%[1]d\n"+
			"http://sale.example/%[1]d -> http://sale.example/offer\n", i)
	}
	w := parseWeb(t, text)
	s, err := NewSurvey([]Site{{Name: "a", Seeds: []page.URL{"http://old.example/"}}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range w {
		v.Digest = page.Digest{1}
		if v.URL.Host() == "sale.example" {
			s.Learn(v)
		}
	}
	w.crawl(s)
	if m, err := s.Map("a"); err != nil || len(m.Counterparts) > 0 {
		t.Errorf("%v, %v", m.Counterparts, err)
	}
}
