package draw

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// fewWords is how many words a page with scripts must have to be judged without running them. A
// shell that scripts fill has the words of a menu and a footer.
const fewWords = 50

// roots are the elements that frameworks fill, by their id or, for custom elements, by their name.
var (
	roots = map[string]bool{
		"app": true, "root": true, "__next": true, "__nuxt": true, "___gatsby": true, "q-app": true,
		"svelte": true, "main-app": true, "react-root": true, "app-root": true, "application": true,
		"swagger-ui": true, "redoc": true, "redoc-container": true, "ember-app": true, "mount": true,
		"spa": true, "gatsby-focus-wrapper": true, "vue-app": true, "react-app": true,
	}
	rootTags = map[string]bool{
		"app-root": true, "my-app": true, "redoc": true, "rapi-doc": true, "elements-api": true,
		"ion-app": true, "astro-island": true,
	}
)

// hydrations are texts by which a page tells that its framework draws it anew in the browser, and
// follows its links by itself.
var hydrations = []struct{ mark, name string }{
	{"__VP_HASH_MAP__", "VitePress"},
	{"__NEXT_DATA__", "Next.js"},
	{"self.__next_f", "Next.js"},
	{"__NUXT__", "Nuxt"},
	{"__NUXT_DATA__", "Nuxt"},
	{"___gatsby", "Gatsby"},
	{"__docusaurus", "Docusaurus"},
	{"__remixContext", "Remix"},
	{"__sveltekit", "SvelteKit"},
	{"data-server-rendered", "Vue"},
	{"data-v-app", "Vue"},
	{"ng-server-context", "Angular"},
	{"astro-island", "Astro"},
	{"data-reactroot", "React"},
	{"__vuepress", "VuePress"},
	{"data-sveltekit", "SvelteKit"},
}

// waits begin texts that stand where a script is to put something else.
var waits = []string{
	"loading", "please wait", "enable javascript", "javascript is required", "requires javascript",
	"javascript to run", "javascript is disabled", "without javascript", "turn on javascript",
	"activate javascript", "javascript aktivieren", "chargement", "wird geladen", "bitte warten",
	"cargando", "caricamento", "laden...", "laddar", "загрузка",
}

// signs are those of scripts in the markup of a page.
type signs struct {
	scripts int    // that may draw something
	root    string // of a framework, nearly empty: how it is written; "" for none
	filled  string // of a framework, with words: how it is written; "" for none
	modules int    // scripts that are modules in files of their own, as bundlers write them
}

// Shell says by what a page shows that its scripts draw it, or may; "" for a page that can be called
// whole without a browser. body is its markup, and text what it shows, or the beginning of that. It
// costs time linear in the length of the page.
func Shell(body []byte, text string) string {
	s := look(body)
	if s.scripts == 0 {
		return ""
	}
	words := len(strings.Fields(text))
	short := strings.ToLower(strings.Join(strings.Fields(text), " "))
	switch {
	case s.root != "":
		return "its scripts fill " + s.root + ", which is empty as captured"
	case words == 0:
		return "it has no text before its scripts run"
	}
	for _, w := range waits {
		if i := strings.Index(short, w); i >= 0 && (words < 4*fewWords || i == 0) {
			return fmt.Sprintf("its text says that scripts are to draw it: %q", clip(short[i:]))
		}
	}
	if words < fewWords {
		return fmt.Sprintf("it has only %d words before its scripts run", words)
	}
	for _, h := range hydrations {
		if bytes.Contains(body, []byte(h.mark)) {
			return "its framework, " + h.name + ", draws it anew and follows its links by scripts"
		}
	}
	if s.filled != "" && s.modules > 0 {
		return "its scripts may draw the root of its framework anew, " + s.filled
	}
	return ""
}

// Fallback reports that an answer whose status is that of an error is the shell of a single-page
// application, which hosts of files send for the places that only its scripts know: with the empty
// root of a framework, or, in place of what is not found, scripts and no word.
func Fallback(status int, body []byte, text string) bool {
	s := look(body)
	gone := status == http.StatusNotFound || status == http.StatusGone
	return s.scripts > 0 && (s.root != "" || gone && strings.TrimSpace(text) == "")
}

// clip is the beginning of a text.
func clip(text string) string {
	if r := []rune(text); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return text
}

// nearlyEmpty is how many words the root of a framework may have that is called empty.
const nearlyEmpty = 5

// look goes once through the markup of a page.
func look(body []byte) (s signs) {
	z := html.NewTokenizer(bytes.NewReader(body))
	z.SetMaxBuf(1 << 20)
	silent, inside := "", ""          // the element whose text is not shown; the root that is open
	depth, words, written := 0, 0, "" // of the root
	shut := func() {
		switch {
		case inside == "":
		case words < nearlyEmpty:
			s.root = cmp.Or(s.root, written)
		default:
			s.filled = cmp.Or(s.filled, written)
		}
		inside = ""
	}
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			shut() // the end, or a token that is too long: the markup before it counts
			return s
		case html.TextToken:
			if silent == "" && inside != "" {
				words += len(bytes.Fields(z.Text()))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			if t.DataAtom == atom.Script && draws(&t) {
				s.scripts++
				s.modules += module(&t)
			}
			switch t.DataAtom {
			case atom.Script, atom.Style, atom.Template, atom.Noscript:
				silent = t.Data
			}
			if inside == t.Data {
				depth++
			}
			if name := rootOf(&t); inside == "" && name != "" {
				inside, written, depth, words = t.Data, name, 1, 0
			}
		case html.EndTagToken:
			tag, _ := z.TagName()
			if string(tag) == silent {
				silent = ""
			}
			if inside == string(tag) {
				if depth--; depth == 0 {
					shut()
				}
			}
		}
	}
}

// draws reports a script that may draw something: data that other scripts read does not.
func draws(t *html.Token) bool {
	for _, a := range t.Attr {
		if a.Key == "type" {
			k := strings.ToLower(strings.TrimSpace(a.Val))
			return k == "" || k == "module" || strings.Contains(k, "javascript") ||
				strings.Contains(k, "ecmascript") || k == "text/babel"
		}
	}
	return true
}

// module counts a script that is a module in a file of its own.
func module(t *html.Token) int {
	file, is := false, false
	for _, a := range t.Attr {
		file = file || a.Key == "src"
		is = is || a.Key == "type" && strings.EqualFold(strings.TrimSpace(a.Val), "module")
	}
	if file && is {
		return 1
	}
	return 0
}

// rootOf is how the root of a framework is written; "" for any other element.
func rootOf(t *html.Token) string {
	if rootTags[t.Data] {
		return "<" + t.Data + ">"
	}
	for _, a := range t.Attr {
		if a.Key == "id" && roots[strings.ToLower(a.Val)] {
			return fmt.Sprintf("<%s id=%q>", t.Data, a.Val)
		}
	}
	return ""
}
