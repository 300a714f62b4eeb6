package draw

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"watershed/crawler/extract"
	"watershed/page"
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

// hydrations are texts of scripts, names of elements and attributes, and ids by which a page tells that
// its framework draws it anew in the browser, and follows its links by itself.
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

// frameworkOf is the framework that a text tells; "" for none.
func frameworkOf(text string) string {
	for _, h := range hydrations {
		if strings.Contains(text, h.mark) {
			return h.name
		}
	}
	return ""
}

// waits begin texts that stand where a script is to put something else.
var waits = []string{
	"please wait", "enable javascript", "javascript is required", "requires javascript",
	"javascript to run", "javascript is disabled", "without javascript", "turn on javascript",
	"activate javascript", "javascript aktivieren", "wird geladen", "bitte warten", "laden...",
}

// loads begin likewise, and are words of other texts, too: dots follow them within so many bytes, or
// nothing stands before them.
var loads = []string{"loading", "chargement", "cargando", "caricamento", "laddar", "загрузка"}

const dotsWithin = 30

// awaits is where a text, in lower case, says that something is to take its place; -1 for nowhere.
func awaits(text string) int {
	for _, w := range waits {
		if i := strings.Index(text, w); i >= 0 {
			return i
		}
	}
	for _, w := range loads {
		i := strings.Index(text, w)
		if i < 0 {
			continue
		}
		after := text[i+len(w):]
		if i == 0 || strings.ContainsAny(after[:min(len(after), dotsWithin)], "….") {
			return i
		}
	}
	return -1
}

// signs are those of scripts in the markup of a page.
type signs struct {
	manual  bool   // it names a program as its generator that writes manuals
	frame   string // the framework that draws it anew; "" for none
	scripts int    // that may draw something
	root    string // of a framework, nearly empty: how it is written; "" for none
	filled  string // of a framework, with words: how it is written; "" for none
	modules int    // scripts that are modules in files of their own, as bundlers write them
	files   int    // scripts in files of their own
	idle    int    // of these, libraries that do nothing by themselves
	menu    bool   // one of these is named among menus
	doubt   string // by which scripts may add to what stands there; "" for none
	frames  string // that it has frames, of which the scripts may; "" for none
}

// Verdict says whether scripts make a page, or may.
type Verdict struct {
	// Shell is by what the page shows that its scripts draw it, or may; "" for a page that can be called
	// whole without a browser.
	Shell string
	// Thin is whether it is called a shell for having few words alone, and has all its scripts in files.
	// Many such pages are just short: whether their scripts add to them is told by the drawing of others
	// that have the same ones.
	Thin bool
	// Doubt is by what a page that is no shell shows that its scripts may still add words, links or
	// requests; "" where it shows nothing of the kind. Whether they do is told by the drawing of pages
	// like it.
	Doubt string
	Files bool // it has scripts in files, which may add something, too: see Asks
}

// Asks reports that a script in a file of its own may ask for data, or for more when it is run: by its
// text, and unless its name is that of a library, which does nothing by itself.
func Asks(u page.URL, body []byte) bool {
	has := func(text string) bool { return bytes.Contains(body, []byte(text)) }
	if isLibrary(u.Path(), libraries) {
		return slices.ContainsFunc(configuring, has)
	}
	return slices.ContainsFunc(asking, has) || slices.ContainsFunc(bringing, has)
}

// isLibrary reports a path whose file is named like one of some libraries.
func isLibrary(at string, libraries []string) bool {
	name := strings.ToLower(path.Base(at))
	return slices.ContainsFunc(libraries, func(l string) bool { return strings.HasPrefix(name, l) })
}

// libraries begin the names of their files. Libraries that read attributes of a page are told by
// these: see binding.
var libraries = []string{
	"jquery", "bootstrap", "popper", "modernizr", "lodash", "underscore", "backbone", "moment",
	"d3.", "three.", "prism", "highlight", "hljs", "mathjax", "katex", "tex-", "mermaid",
	"clipboard", "font-awesome", "fontawesome", "polyfill", "es5-shim", "es6-shim", "html5shiv",
	"respond", "require.", "react.", "react-dom", "vue.", "angular.", "ember.", "htmx", "alpine",
	"stimulus", "turbo", "axios", "handlebars", "mustache", "analytics", "gtag", "gtm", "ga.js",
	"matomo", "piwik", "plausible", "umami", "sentry", "recaptcha", "zepto", "mootools",
	"prototype.js", "doctools", "sphinx_highlight", "haddock", "searchtools",
	"searchindex", "search_index", "search-index", "language_data", "documentation_options",
	"swiper", "slick", "lightbox", "fancybox", "hammer", "gsap", "video.min.js", "video.js", "hls.",
	"leaflet", "chart.", "codemirror", "ace.js", "elasticlunr", "lunr", "fuse.", "mark.min.js",
	"simplebar", "workbox",
}

// starting are those that do something by themselves, as soon as a page names them.
var starting = []string{"mathjax", "tex-", "mermaid", "prism", "recaptcha", "require.", "video."}

// bringing are texts of scripts that bring more into a page by other ways than those of asking.
var bringing = []string{
	"IntersectionObserver", "new Image", "importScripts(", ".src=", ".src =", "attachShadow", "MediaSource",
	"pushState(", "hashchange", "<img", "<iframe", "stylesheet", "document.write",
}

// writing are those by which a script in the markup of a page brings more. Such scripts often count
// visits, by which they are told.
var (
	writing  = []string{".src=", ".src =", "new Image", "document.write"}
	counting = []string{
		"google-analytics", "googletagmanager", "_paq", "matomo", "piwik", "plausible", "hotjar", "clarity",
		"doubleclick", "fbevents", "statcounter", "mc.yandex",
	}
)

// writers are programs that write manuals, in lower case, as their pages name them as generator. Their
// scripts are for menus and the search, also on pages of few words.
var writers = []string{
	"doxygen", "rustdoc", "javadoc", "docutils", "docbook", "makeinfo", "texi2any", "asciidoc",
	"libxml2", "gtk-doc", "latex2html", "tex4ht", "pandoc", "pod2", "ford", "ghc", "haddock", "epydoc",
	"gi-docgen",
}

// notes are comments by which such programs name themselves where they write no generator: within so
// many bytes.
var notes = []string{
	"<!-- Book generated using mdBook", "<!-- Generated by javadoc", "<!-- Created by GNU Texinfo",
	"<!-- Generated by Doxygen",
}

const notesIn = 4 << 10

// menus are scripts that programs which write manuals give to each of their pages, for its menu and the
// search: a page that names one is short where it has few words. Such pages may have scripts of a theme
// beside these, which are looked at as those of other pages are. Searching is all that it waits for.
var menus = []string{"_static/doctools.js", "haddock-bundle", "haddock-util.js"}

// isManual reports a page of a program that writes manuals, which are whole without their scripts.
func (s *signs) isManual(body []byte) bool {
	head := body[:min(len(body), notesIn)]
	has := func(note string) bool { return bytes.Contains(head, []byte(note)) }
	return s.manual || slices.ContainsFunc(notes, has)
}

// asking are texts of scripts that ask for data.
var asking = []string{
	"fetch(", "XMLHttpRequest", ".ajax(", ".getJSON(", "$.get(", "$.post(", "import(",
	"EventSource(", "WebSocket(", "Worker(", "serviceWorker.register(", "axios",
	"require.config(", "requirejs(", "requirejs.config(", "require([", "System.import(", // modules
}

// configuring are those of scripts that say where modules are, which no library does, whatever its
// name: an application's own bootstrap.js.
var configuring = []string{"require.config(", "requirejs.config("}

// binding are beginnings of attributes by which libraries have scripts fill or replace an element, the
// "data-" before them left out: htmx, Alpine, Vue, AngularJS, Livewire, Stimulus, react-rails.
var binding = []string{
	"hx-", "x-data", "x-init", "v-if", "v-for", "v-cloak", "v-bind", "v-html", "v-text", "v-model",
	"ng-app", "ng-controller", "ng-repeat", "ng-view", "ng-include", "ng-bind", "wire:", "controller",
	"react-class",
}

// plainNames are the names with a hyphen that are of SVG and MathML (HTML standard, 4.13.3).
var plainNames = map[string]bool{
	"annotation-xml": true, "color-profile": true, "font-face": true, "font-face-src": true,
	"font-face-uri": true, "font-face-format": true, "font-face-name": true, "missing-glyph": true,
}

// doubtOf is by what an element shows that scripts may fill it. The elements of mdBook are its menu,
// which is a page of its own, too.
func doubtOf(p *extract.Piece) string {
	if p.Atom == 0 && strings.Contains(p.Name, "-") && !plainNames[p.Name] &&
		!strings.HasPrefix(p.Name, "mdbook-") {
		return fmt.Sprintf("it has the element <%s>", p.Name)
	}
	for i := range p.Attrs {
		a := &p.Attrs[i]
		switch a.Key {
		case "", "class", "href", "id", "rel", "src", "style", "title", "type", "width", "height", "content",
			"name": // the most frequent ones
			continue
		}
		name, data := strings.CutPrefix(a.Key, "data-")
		for _, b := range binding {
			if (data || b != "controller" && b != "react-class") && strings.HasPrefix(name, b) {
				return fmt.Sprintf("it has the attribute %q", a.Key)
			}
		}
	}
	return ""
}

// Judge judges a page. body is its markup, and text what it shows, or the beginning of that. It costs
// time linear in the length of the page.
func Judge(body []byte, text string) Verdict { return LookAt(body, text).Judge(body) }

// LookAt looks at a page that was read before: see Judge.
func LookAt(body []byte, text string) *Look {
	l := &Look{text: []byte(text)}
	extract.Pieces(body, l.Piece)
	return l
}

// Judge judges the page that was read, whose markup is body.
func (l *Look) Judge(body []byte) Verdict {
	l.shut()
	s, words := &l.signs, 0
	for range bytes.FieldsSeq(l.text) {
		words++
	}
	switch {
	case words > 0 && s.isManual(body):
		return Verdict{}
	case s.scripts == 0:
		return Verdict{Doubt: s.frames}
	}
	if s.doubt == "" && s.modules > 0 {
		s.doubt = "it has a module"
	}
	v := Verdict{Shell: s.shell(l.text, words), Doubt: s.doubt, Files: s.files > 0}
	if v.Shell == "" && words < fewWords && !s.menu && s.idle < s.scripts {
		v.Shell = fmt.Sprintf("it has only %d words before its scripts run", words)
		v.Thin = v.Doubt == "" && s.files == s.scripts
	}
	v.Doubt = cmp.Or(v.Doubt, s.frames)
	return v
}

// shell is a Verdict's Shell of a page with scripts.
func (s *signs) shell(text []byte, words int) string {
	switch {
	case s.root != "":
		return "its scripts fill " + s.root + ", which is empty as captured"
	case words == 0:
		return "it has no text before its scripts run"
	}
	if waits := awaited(text, words); waits != "" && !s.menu {
		return fmt.Sprintf("its text says that scripts are to draw it: %q", clip(waits))
	}
	switch {
	case s.frame != "":
		return "its framework, " + s.frame + ", draws it anew and follows its links by scripts"
	case s.filled != "" && s.modules > 0:
		return "its scripts may draw the root of its framework anew, " + s.filled
	}
	return ""
}

// awaited is what a page says of what its scripts are to put in its place, in lower case; "" for
// nothing. Only what a longer text begins with counts.
func awaited(text []byte, words int) string {
	long := words >= 4*fewWords
	if long {
		text = bytes.TrimLeftFunc(text, unicode.IsSpace)
		text = text[:min(len(text), beginning)]
	}
	short := strings.ToLower(strings.Join(strings.Fields(string(text)), " "))
	if i := awaits(short); i == 0 || i > 0 && !long {
		return short[i:]
	}
	return ""
}

// beginning bounds what a text begins with, in bytes.
const beginning = 128

// Fallback reports that an answer whose status is that of an error is the shell of a single-page
// application, which hosts of files send for the places that only its scripts know: with the empty
// root of a framework, or, in place of what is not found, scripts and no word.
func (l *Look) Fallback(status int) bool {
	l.shut()
	gone := status == http.StatusNotFound || status == http.StatusGone
	return l.scripts > 0 && (l.root != "" || gone && len(bytes.TrimSpace(l.text)) == 0)
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

// Look is the judging of a page while it is read: of the pieces of its markup, and of its text. The zero
// value has seen nothing.
type Look struct {
	signs
	text    []byte    // that it shows, the beginning
	silent  atom.Atom // the element whose text is not shown; 0 for none
	running bool      // the element before is a script that may draw something
	module  bool      // and a module
	inside  string    // the root that is open, by the name of its element; "" for none
	written string    // how it is written
	depth   int       // of elements of its name, in it
	words   int       // in it
}

// shownText bounds the text by which a page is told from a shell that scripts fill, in bytes.
const shownText = 4 << 10

// Text gives the pieces of the page's text to a reader, which may be nil, and keeps their beginning.
func (l *Look) Text(read func([]byte)) func([]byte) {
	return func(piece []byte) {
		if len(l.text) < shownText {
			l.text = append(l.text, piece...)
		}
		if read != nil {
			read(piece)
		}
	}
}

// shut ends the root that is open.
func (l *Look) shut() {
	switch {
	case l.inside == "":
	case l.words < nearlyEmpty:
		l.root = cmp.Or(l.root, l.written)
	default:
		l.filled = cmp.Or(l.filled, l.written)
	}
	l.inside = ""
}

// Piece takes a piece of the markup.
func (l *Look) Piece(p *extract.Piece) {
	switch {
	case p.Start && l.silent == 0:
		l.start(p)
	case p.Start:
	case p.End:
		if p.Atom == l.silent {
			l.silent = 0
		}
		if l.inside == p.Name {
			if l.depth--; l.depth == 0 {
				l.shut()
			}
		}
	case p.Within == atom.Script:
		if !l.running {
			return
		}
		l.frame = cmp.Or(l.frame, frameworkOf(p.Text))
		if l.doubt == "" {
			l.doubt = asks(p.Text, l.module)
		}
	case p.Within == 0 && strings.HasPrefix(p.Text, generated):
		l.wrote(p.Text[len(generated):])
	case p.Within != atom.Style && l.silent == 0 && l.inside != "":
		l.words += len(strings.Fields(p.Text))
	}
}

// far begins addresses of other hosts, most of the time.
var far = regexp.MustCompile(`(?i)^\s*(https?:)?//`)

func (l *Look) start(p *extract.Piece) {
	l.running = false
	switch p.Atom {
	case atom.Script:
		at := p.Attr("src")
		l.module = strings.EqualFold(strings.TrimSpace(p.Attr("type")), "module")
		if l.running = draws(p); l.running {
			l.scripts++
			has := func(name string) bool { return strings.Contains(at, name) }
			l.menu = l.menu || slices.ContainsFunc(menus, has)
			if at != "" {
				l.files++
			}
			if at != "" && l.module {
				l.modules++
			}
			if isLibrary(at, libraries) && !isLibrary(at, starting) {
				l.idle++
			}
		} else if strings.EqualFold(p.Attr("type"), "text/plain") {
			l.running = true // once a reader has agreed to it
			if isOwnFile(p.Attrs) && l.doubt == "" {
				l.doubt = "a script in it waits for consent"
			}
		}
	case atom.Template, atom.Noscript:
		l.silent = p.Atom
	case atom.Iframe:
		if far.MatchString(p.Attr("src")) { // of its own host it is a page
			l.frames = "it has a frame of another host"
		}
	case atom.Meta:
		if strings.EqualFold(p.Attr("name"), "generator") {
			l.wrote(p.Attr("content"))
		}
	}
	if l.frame == "" {
		l.frame = frameworkOfTag(p)
	}
	if l.doubt == "" {
		l.doubt = doubtOf(p)
	}
	if l.inside == p.Name {
		l.depth++
	}
	if l.inside == "" {
		if l.written = rootOf(p); l.written != "" {
			l.inside, l.depth, l.words = p.Name, 1, 0
		}
	}
}

// generated begins the text by which gi-docgen names itself.
const generated = "Generated by "

// wrote takes the name of the program that wrote the page.
func (l *Look) wrote(program string) {
	program = strings.ToLower(program[:min(len(program), 20)])
	by := func(w string) bool { return strings.HasPrefix(program, w) }
	l.manual = l.manual || slices.ContainsFunc(writers, by)
}

// frameworkOfTag is the framework that an element tells by its name, its id or another attribute; ""
// for none.
func frameworkOfTag(p *extract.Piece) (name string) {
	if p.Atom == 0 {
		name = frameworkOf(p.Name)
	}
	for i := range p.Attrs {
		switch a := &p.Attrs[i]; {
		case name != "":
			return name
		case a.Key == "id" && strings.HasPrefix(a.Val, "__"):
			name = frameworkOf(a.Val)
		case strings.Contains(a.Key, "-"):
			name = frameworkOf(a.Key)
		}
	}
	return name
}

// asks is how a script asks for data, or a module for others; "" where it does not.
func asks(script string, module bool) string {
	if module && strings.Contains(script, "import") {
		return "a module in it imports others"
	}
	has := func(text string) bool { return strings.Contains(script, text) }
	for _, a := range asking {
		if has(a) {
			return fmt.Sprintf("a script in it says %q", a)
		}
	}
	if slices.ContainsFunc(counting, has) {
		return ""
	}
	for _, w := range writing {
		if has(w) {
			return fmt.Sprintf("a script in it says %q", w)
		}
	}
	return ""
}

// draws reports a script that may draw something: data that other scripts read does not.
func draws(p *extract.Piece) bool {
	k := strings.ToLower(strings.TrimSpace(p.Attr("type")))
	return k == "" || k == "module" || strings.Contains(k, "javascript") ||
		strings.Contains(k, "ecmascript") || k == "text/babel"
}

// isOwnFile reports a script in a file of the page's host, and of no library or count, wherever a script that
// asks for consent has put its address.
func isOwnFile(attrs []html.Attribute) bool {
	return slices.ContainsFunc(attrs, func(a html.Attribute) bool {
		return strings.HasSuffix(a.Key, "src") && a.Val != "" && !far.MatchString(a.Val) &&
			!isLibrary(a.Val, libraries)
	})
}

// rootOf is how the root of a framework is written; "" for any other element.
func rootOf(p *extract.Piece) string {
	if p.Atom == 0 && rootTags[p.Name] {
		return "<" + p.Name + ">"
	}
	for i := range p.Attrs {
		if a := &p.Attrs[i]; a.Key == "id" && roots[strings.ToLower(a.Val)] {
			return fmt.Sprintf("<%s id=%q>", p.Name, a.Val)
		}
	}
	return ""
}
