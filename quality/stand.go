package quality

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"watershed/page"
)

// fewWords is how many words a page has at most that a server shows in place of others: refusals,
// tests of browsers, errors and notices of maintenance say little.
const fewWords = 60

// someWords are how many words such a page has at most that loads itself again until a test is passed.
const someWords = 300

var (
	// machinery are addresses and names by which the pages of firewalls work that test browsers.
	machinery = regexp.MustCompile(`(?i)/cdn-cgi/challenge|cf-chl|cf-turnstile|g-recaptcha|h-captcha|` +
		`_Incapsula_Resource|captcha-delivery|px-captcha|awswaf|ddos-guard|sucuri_cloudproxy`)
	// refusals are the words of such pages, of the text of one that leads nowhere.
	refusals = regexp.MustCompile(`(?i)checking (if |your |the ).{0,30}(browser|connection)|` +
		`just a moment|verify(ing)? (that )?you are (a )?human|are you (a )?(human|robot)|` +
		`captcha|access (is |was )?denied|` +
		`(been|is|are|was) (temporarily )?(blocked|banned)|unusual traffic|too many requests|forbidden|` +
		`internal server error|service (is )?(temporarily )?unavailable|bad gateway|under maintenance|` +
		`down for maintenance|fatal error|zugriff verweigert|accès refusé|acceso denegado|доступ запрещ`)
	// reloads are ways in which a page comes back by itself.
	reloads = regexp.MustCompile(`(?i)\blocation\.reload\s*\(|<meta[^>]{1,80}http-equiv=["']?refresh`)
	// requests and changes are what an inline script does that fills a page.
	requests = regexp.MustCompile(`\bfetch\s*\(|\bXMLHttpRequest\b|\$\.(get|post|ajax|getJSON)\b`)
	changes  = regexp.MustCompile(`\b(inner|outer)HTML\b|insertAdjacentHTML|appendChild|textContent|` +
		`\.append\(|\.html\(`)
	fills = regexp.MustCompile(`\bdocument\.write(ln)?\s*\(|\.load\s*\(\s*["'/]`)
	// templates are the places of a text that scripts fill.
	templates = regexp.MustCompile(`\{\{[^{}]{1,80}\}\}`)
)

// standIn says by what a page shows that a server answers so in place of the page that was asked for,
// though with success; "" for one that shows no such thing.
func standIn(body []byte, text string, links []page.Link) string {
	words := strings.Fields(text)
	few := len(words) <= fewWords
	if !few && (len(words) > someWords || !reloads.Match(body)) {
		return ""
	}
	found := ""
	if few {
		found = string(machinery.Find(body))
	}
	leads := func(l page.Link) bool { return l.Kind == page.Navigation }
	if found == "" && !slices.ContainsFunc(links, leads) {
		found = refusals.FindString(strings.Join(words, " "))
	}
	if found == "" {
		return ""
	}
	return fmt.Sprintf("it has %d words and looks like what a server shows in place of a page: %q",
		len(words), found)
}

// filled says by what the markup of a page shows that scripts within it fill it, whatever words it has
// before; "" where nothing does.
func filled(body []byte, text string) string {
	scripts, inline := false, false
	for z := html.NewTokenizer(bytes.NewReader(body)); ; {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			if t := templates.FindString(text); scripts && t != "" {
				return fmt.Sprintf("scripts fill the template %q in its text", t)
			}
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			script := kind == html.StartTagToken && t.Data == "script"
			scripts, inline = scripts || script, script
			for _, a := range t.Attr {
				inline = inline && a.Key != "src"
				if a.Key == "hx-get" || a.Key == "aria-busy" && a.Val == "true" || a.Key == "ng-repeat" {
					return fmt.Sprintf("scripts fill its <%s %s>", t.Data, a.Key)
				}
			}
		case html.TextToken:
			script := z.Raw()
			if inline && (fills.Match(script) || requests.Match(script) && changes.Match(script)) {
				return "a script within it fills it with what it asks for or writes"
			}
			inline = false
		default:
			inline = false
		}
	}
}

// pictured reports a requisite that only a picture, a film or a sound can be.
func pictured(context string) bool {
	element, _, _ := strings.Cut(context, "/")
	return slices.Contains([]string{"img", "image", "picture", "source", "video", "audio", "track"}, element)
}

// frameless reports a page of which nothing is shown, since its frames were answered with errors.
func (p *Page) frameless() bool {
	frames := 0
	for i := range p.Requisites {
		if r := &p.Requisites[i]; strings.HasPrefix(r.As, "frame/") || strings.HasPrefix(r.As, "iframe/") {
			if r.State != Error {
				return false
			}
			frames++
		}
	}
	return frames > 0 && p.Words == 0
}
