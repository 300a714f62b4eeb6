package harvest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zeebo/xxh3"

	"watershed/page"
	"watershed/replica/novelty"
	"watershed/sitemap"
)

// visitors is a web whose hosts tell visitors by cookies; each has ten pages.
type visitors struct {
	mu       sync.Mutex // guards what follows
	asked    map[string]int
	cookies  map[string]map[string]bool // that were sent, by host
	sessions int
}

func (w *visitors) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" || r.URL.Path == "/favicon.ico" {
		http.NotFound(out, r)
		return
	}
	w.mu.Lock()
	w.asked[r.Host+r.URL.String()]++
	for _, c := range r.Cookies() {
		if w.cookies[r.Host] == nil {
			w.cookies[r.Host] = map[string]bool{}
		}
		w.cookies[r.Host][c.Name] = true
	}
	w.sessions++
	session := fmt.Sprintf("5E%014d", w.sessions)
	w.mu.Unlock()
	has := func(name string) bool { _, err := r.Cookie(name); return err == nil }
	set := func(name, value string) { http.SetCookie(out, &http.Cookie{Name: name, Value: value, Path: "/"}) }
	title, suffix, words := r.URL.Path, "", "words of "+r.Host+" and its page "+r.URL.Path
	if has("lang") {
		words = "Wörter"
	}
	set("visits", "1")
	switch r.Host {
	case "java.example":
		if !has("JSESSIONID") {
			set("JSESSIONID", session)
			suffix = ";jsessionid=" + session
		}
	case "php.example":
		if r.URL.Path == "/" && !has("PHPSESSID") {
			set("PHPSESSID", session)
			http.Redirect(out, r, "/start?PHPSESSID="+session, http.StatusFound)
			return
		}
	case "stubborn.example": // it takes no cookie
		set("sid", session)
		if strings.Contains(r.URL.RawQuery, "sid=") {
			http.NotFound(out, r)
			return
		}
		suffix = "?sid=" + session
	case "self.example":
		if !has("seen") {
			set("seen", "1")
			http.Redirect(out, r, r.URL.Path, http.StatusFound)
			return
		}
	case "wall.example":
		to := r.URL.Query().Get("to")
		switch {
		case r.URL.Path == "/check" && has("seen"):
			http.Redirect(out, r, to, http.StatusFound)
			return
		case r.URL.Path == "/check":
			words, suffix = "cookies are off", "#"
		case !has("seen"):
			set("seen", "1")
			http.Redirect(out, r, "/check?to="+r.URL.Path, http.StatusFound)
			return
		}
	case "probe.example":
		if r.URL.RawQuery == "" && !has("probe") {
			set("probe", "1")
			http.Redirect(out, r, r.URL.Path+"?probe=1", http.StatusFound)
			return
		}
		if !has("probe") {
			words = "cookies are off"
		}
	case "home.example", "late.example", "denied.example": // pages are for who comes from the first one
		switch {
		case r.URL.Path == "/" && !has("sid"):
			set("sid", session)
		case r.URL.Path == "/" || has("sid"):
		case r.Host == "home.example":
			http.Redirect(out, r, "/?timeout", http.StatusFound)
			return
		case r.Host == "denied.example":
			out.WriteHeader(http.StatusForbidden)
			return
		default:
			title, words = "Start again", "cookies are off"
		}
	case "asks.example":
		switch {
		case r.URL.Path == "/gate" && r.URL.Query().Get("yes") != "":
			set("age", "18")
			http.Redirect(out, r, "/", http.StatusFound)
			return
		case r.URL.Path == "/gate":
			out.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(out, "<a href='/gate?yes=1'>I am 18.</a>")
			return
		case !has("age"):
			http.Redirect(out, r, "/gate", http.StatusFound)
			return
		}
	case "chooses.example":
		switch {
		case r.URL.Path == "/choose":
			set("lang", r.URL.Query().Get("l"))
			http.Redirect(out, r, "/", http.StatusFound)
			return
		case r.URL.Path == "/" && !has("lang"):
			out.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(out, "<a href='/choose?l=de'>de</a> <a href='/choose?l=fr'>fr</a>")
			return
		case !has("lang"):
			http.Redirect(out, r, "/", http.StatusFound)
			return
		}
	case "plain.example":
		if r.URL.Path == "/de" {
			set("lang", "de")
			http.Redirect(out, r, "/p7", http.StatusFound)
			return
		}
	}
	out.Header().Set("Content-Type", "text/html; charset=utf-8")
	links := ""
	if words != "cookies are off" {
		for i := range 10 {
			links += fmt.Sprintf("<a href='/p%d%s'>%d</a>", i, suffix, i)
		}
	}
	_, _ = fmt.Fprintf(out, "<title>%s</title>%s <a href=/de>de</a> %s", title, words, links) // as ever
}

// TestCookiesNeeded: hosts that give no pages to who sends no cookie, or give them under other addresses
// to each visitor, are harvested as by a browser; no other cookie is sent, and nothing is asked for often.
func TestCookiesNeeded(t *testing.T) {
	w := &visitors{asked: map[string]int{}, cookies: map[string]map[string]bool{}}
	hosts := []string{
		"java", "php", "self", "wall", "probe", "plain", "stubborn", "home", "late", "denied", "asks",
		"chooses",
	}
	var sites []sitemap.Site
	for _, h := range hosts {
		sites = append(sites, sitemap.Site{Name: h, Seeds: []page.URL{page.URL("http://" + h + ".example/")}})
	}
	run(t, Folder(t.TempDir()), planOn(hostile(t, "", w.ServeHTTP).Fetch.DialPorts[80], sites...))
	for _, h := range hosts {
		for i := range 10 {
			u := fmt.Sprintf("%s.example/p%d", h, i)
			if h == "probe" {
				u += "?probe=1"
			}
			if h != "stubborn" && w.asked[u] == 0 {
				t.Errorf("%s was not asked for", u)
			}
		}
	}
	for u, n := range w.asked {
		first := strings.HasSuffix(u, ".example/") // it may be asked for to see whether it is still given
		if n > 3 || n > 2 && !first || strings.HasPrefix(u, "java.") && strings.Contains(u, "jsessionid") ||
			strings.HasPrefix(u, "php.") && strings.Contains(u, "PHPSESSID") {
			t.Errorf("%s was asked for %d times", u, n)
		}
	}
	want := map[string]string{
		"java.example": "JSESSIONID", "php.example": "PHPSESSID", "self.example": "seen",
		"wall.example": "seen", "probe.example": "probe", "stubborn.example": "sid",
		"home.example": "sid", "late.example": "sid", "denied.example": "sid",
		"asks.example": "age", "chooses.example": "lang",
	}
	for h, sent := range w.cookies {
		got := slices.Sorted(maps.Keys(sent))
		if h != "plain.example" {
			got = slices.DeleteFunc(got, func(name string) bool { return name == "visits" })
		}
		if strings.Join(got, " ") != want[h] {
			t.Errorf("%s was sent the cookies %q, want %q", h, got, want[h])
		}
	}
	for h := range want {
		if w.cookies[h] == nil {
			t.Errorf("%s was sent no cookie", h)
		}
	}
}

// TestDrawnGates: where a page's script sets a cookie and loads the page once more, the host's pages are
// had as a browser has them, and its other pages are asked for once; scripts that go on so are left alone.
func TestDrawnGates(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string]int{}
	gates := map[string]string{
		"reload.example":  `document.cookie = 'seen=1; path=/'; location.reload()`,
		"query.example":   `document.cookie = 'seen=1; path=/'; location.href = location.pathname + '?i=1'`,
		"waiting.example": `setTimeout(() => { document.cookie = 'seen=1; path=/'; location.reload() }, 200)`,
		"ever.example":    `document.cookie = 'visits=' + Math.random() + '; path=/'; location.reload()`,
		"names.example":   `document.cookie = 'n' + Math.random() + '=1; path=/'; location.reload()`,
		"without.example": `location.reload()`,
	}
	p := hostile(t, "", func(out http.ResponseWriter, r *http.Request) {
		script, is := gates[r.Host]
		if !is || r.URL.Path != "/" && !strings.HasPrefix(r.URL.Path, "/p") {
			http.NotFound(out, r)
			return
		}
		mu.Lock()
		asked[r.Host+r.URL.Path]++
		mu.Unlock()
		out.Header().Set("Content-Type", "text/html")
		text := "<title>Wait</title>Your browser is looked at. <script>" + script + "</script>"
		if _, err := r.Cookie("seen"); err == nil {
			text = "<title>" + r.URL.Path + "</title>" + prose(1) + " <a href=/p1>1</a> <a href=/p2>2</a>"
		}
		_, _ = out.Write([]byte(text)) // a client that goes is gone
	})
	var sites []sitemap.Site
	for host := range gates {
		seed := page.URL("http://" + host + "/")
		sites = append(sites, sitemap.Site{Name: host, Seeds: []page.URL{seed}})
	}
	d := run(t, Folder(t.TempDir()), drawing(t, planOn(p.Fetch.DialPorts[80], sites...)))
	has := captured(t, d)
	for host := range gates {
		endless := host == "ever.example" || host == "names.example" || host == "without.example"
		for _, path := range []string{"/p1", "/p2"} {
			_, had := has["http://"+host+path]
			if got := asked[host+path]; had == endless || got > 1 {
				t.Errorf("%s%s was asked for %d times, had is %t", host, path, got, had)
			}
		}
		if got := asked[host+"/"]; got > 5 {
			t.Errorf("%s/ was asked for %d times", host, got)
		}
	}
}

// TestRedirectsThatDoNotLast: an address to which a redirect leads is asked for next, as by a browser, also
// where the links decide what belongs: the session that it has ends soon.
func TestRedirectsThatDoNotLast(t *testing.T) {
	const pages, lasts, most = 20, 3, 400
	var mu sync.Mutex
	sessions, left, asked, had := 0, 0, 0, map[string]bool{}
	p := hostile(t, "", func(out http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path == "/robots.txt" || r.URL.Path == "/favicon.ico" || asked > most {
			http.NotFound(out, r)
			return
		}
		session, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		asked++
		if left--; left < 0 || session != fmt.Sprintf("(S(%d))", sessions) {
			sessions, left = sessions+1, lasts
			http.Redirect(out, r, fmt.Sprintf("/(S(%d))/%s", sessions, rest), http.StatusFound)
			return
		}
		had[rest] = true
		out.Header().Set("Content-Type", "text/html")
		to := []string{"/" + session + "/"}
		for i := range pages {
			to = append(to, fmt.Sprintf("/%s/p%d", session, i))
		}
		fmt.Fprint(out, links(to...)+prose(int(xxh3.HashString(rest)%1000)))
	})
	p = planOn(p.Fetch.DialPorts[80], sitemap.Site{Name: "A", Seeds: []page.URL{"http://a.example/"}})
	p.Novelty = &novelty.Options{Pages: 50}
	run(t, Folder(t.TempDir()), p)
	if len(had) < pages || asked > most {
		t.Errorf("%d of %d pages by %d requests", len(had), pages+1, asked)
	}
}
