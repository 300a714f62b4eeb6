package replay

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"watershed/page"
)

// dropped elements are left out; their content stays where it is markup, such as the content of an
// object for browsers that cannot show the object. An object or embed that is a picture becomes
// one.
var dropped = set("script base object embed applet param portal fencedframe animate animatemotion " +
	"animatetransform set noembed noframes")

// silent elements have a text that is not for reading; it is left out.
var silent = set("script noembed noframes iframe")

// unwrapped elements are left out, and their content stays. With scripts off, browsers show what
// noscript has.
var unwrapped = set("noscript")

// shownPlain are elements whose text is no markup; they become pre.
var shownPlain = set("xmp plaintext listing")

// kept are the attributes that have no address in them and do nothing; with those that begin as
// harmlessPrefixes do, they are the attributes that style sheets may ask for. All that are not here
// or in addresses are left out.
var kept = set(
	`abbr accept align alt axis bgcolor border cellpadding cellspacing char charoff checked class clear
	color cols colspan compact content controls coords datetime dir disabled face for frame frameborder
	headers height hidden high hreflang hspace id ismap itemprop kind label lang language link list loop
	low marginheight marginwidth max maxlength media min multiple muted name nohref noresize noshade
	nowrap open optimum part placeholder property readonly rel required rev reversed role rows rowspan
	rules scheme scope scrolling selected shadowrootmode shape size sizes slot span start step summary
	tabindex text title type
	usemap valign value valuetype vlink vspace width wrap xml:lang xml:space alignment-baseline
	amplitude azimuth basefrequency baseline-shift bias clip-path clip-rule clippathunits
	color-interpolation color-interpolation-filters cx cy d diffuseconstant direction display divisor
	dominant-baseline dx dy edgemode elevation exponent fill fill-opacity fill-rule filter filterunits
	flood-color flood-opacity font-family font-size font-stretch font-style font-variant font-weight fr
	fx fy gradienttransform gradientunits image-rendering in in2 intercept k1 k2 k3 k4 kernelmatrix
	letter-spacing lighting-color marker-end marker-mid marker-start markerheight markerunits
	markerwidth mask maskcontentunits maskunits mode numoctaves offset opacity operator order orient
	overflow paint-order pathlength patterncontentunits patterntransform patternunits pointer-events
	points preserveaspectratio primitiveunits r radius refx refy result rotate rx ry scale seed
	shape-rendering slope specularconstant specularexponent spreadmethod startoffset stddeviation
	stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin
	stroke-miterlimit stroke-opacity stroke-width surfacescale tablevalues targetx targety text-anchor
	text-decoration text-rendering textlength transform transform-origin vector-effect viewbox
	visibility word-spacing writing-mode x x1 x2 xchannelselector xmlns y y1 y2 ychannelselector z
	accent accentunder bevelled columnalign columnlines columnspacing columnspan denomalign displaystyle
	fence form linethickness lspace mathbackground mathcolor mathsize mathvariant maxsize minsize
	movablelimits notation numalign rowalign rowlines rowspacing rspace scriptlevel separator stretchy
	subscriptshift superscriptshift symmetric voffset`)

// harmlessPrefixes begin the names of attributes that say something to scripts and readers of
// screens alone.
var harmlessPrefixes = []string{"data-", "aria-"}

// keeps reports an attribute that is written as it is.
func keeps(name string) bool {
	return kept[name] || len(name) <= maxAttributeName && plainName(name) &&
		slices.ContainsFunc(harmlessPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// Bounds of the output, against pages made to grow: a long base address with many short links, for
// example.
const (
	maxWritten    = 64 << 20 // bytes of a page or style sheet; it is cut there
	maxBase       = 2048     // bytes of the address of a base element; a longer one is passed over
	maxAttributes = 256      // of an element; the others are left out

	maxAttributeName = 64 // bytes
)

// rewriteMarkup rewrites a page in UTF-8, token by token. It costs O(len(body)) and the length of
// the output.
func rewriteMarkup(body []byte, base page.URL, link func(page.URL, kind) string) []byte {
	m := markup{z: html.NewTokenizer(bytes.NewReader(body)), page: base, base: baseOf(body, base), link: link}
	m.out.Grow(len(body) + len(body)/4)
	for m.out.Len() < maxWritten && m.next() {
	}
	return m.out.Bytes()
}

// markup is a page on its way.
type markup struct {
	z     *html.Tokenizer
	page  page.URL
	base  page.URL
	based bool // the element that tells the base has come
	link  func(page.URL, kind) string
	out   bytes.Buffer

	text    string // the element whose text alone comes next, "" for any
	objects int    // open object elements whose picture is shown, and not what is in them
}

// notMarkup keeps a document type from ending before its end. Its quotes decide on how the page is
// laid out, and stay: a browser ends it at ">" whatever is quoted (HTML standard, 13.2.5.59).
var notMarkup = strings.NewReplacer("<", "", ">", "")

func (m *markup) next() bool {
	token := m.z.Next()
	if m.objects > 0 && token != html.ErrorToken {
		m.within(token)
		return true
	}
	switch token {
	case html.ErrorToken:
		return false
	case html.TextToken:
		m.writeText(m.z.Token().Data)
	case html.StartTagToken, html.SelfClosingTagToken:
		m.start(m.z.Token())
	case html.EndTagToken:
		m.text = ""
		t := m.z.Token()
		if shownPlain[t.Data] {
			t.Data = "pre"
		}
		if plainName(t.Data) && !dropped[t.Data] && !unwrapped[t.Data] {
			m.out.WriteString("</" + t.Data + ">")
		}
	case html.DoctypeToken:
		m.out.WriteString("<!DOCTYPE " + notMarkup.Replace(m.z.Token().Data) + ">")
	case html.CommentToken: // browsers see conditions in some; none is shown
	}
	return true
}

// within passes over the content of an object for browsers that cannot show it.
func (m *markup) within(token html.TokenType) {
	name, _ := m.z.TagName()
	if string(name) != "object" {
		return
	}
	switch token {
	case html.StartTagToken:
		m.objects++
	case html.EndTagToken:
		m.objects--
	}
}

// picture reports an object or embed that is a picture, by its type or by the name of its file.
func picture(t html.Token) bool {
	switch {
	case t.Data != "object" && t.Data != "embed":
		return false
	case attribute(t, "type") != "":
		return hasFold(attribute(t, "type"), "image/")
	}
	path, _, _ := strings.Cut(strings.ToLower(attribute(t, source(t))), "?")
	ends := []string{".svg", ".png", ".gif", ".jpg", ".jpeg", ".webp", ".avif"}
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(path, end) })
}

// source is the attribute with the address of the file that an object or embed shows.
func source(t html.Token) string {
	if t.Data == "object" {
		return "data"
	}
	return "src"
}

// asPicture makes an object or embed an img.
func (m *markup) asPicture(t html.Token) html.Token {
	img := html.Token{Type: html.SelfClosingTagToken, Data: "img"}
	for _, a := range t.Attr[:min(len(t.Attr), maxAttributes)] {
		switch a.Key {
		case source(t): // asked for once the page is there
			a.Key = "src"
			if u, err := m.base.Resolve(a.Val); err == nil && !m.based {
				a.Val = string(u)
			}
		case "src", "srcset", "type":
			continue
		}
		img.Attr = append(img.Attr, a)
	}
	if t.Data == "object" && t.Type == html.StartTagToken {
		m.objects = 1
	}
	return img
}

// writeText writes the text of an element.
func (m *markup) writeText(text string) {
	name := m.text
	m.text = ""
	switch {
	case silent[name]:
	case name == "style":
		m.out.WriteString(rewriteStyle(text, m.atOnce(), m.link))
	default:
		m.out.WriteString(html.EscapeString(text))
	}
}

// atOnce is what those references are relative to that browsers follow when they come to them: where
// the base element comes later, that is the page.
func (m *markup) atOnce() page.URL {
	if m.based {
		return m.base
	}
	return m.page
}

// plainName reports the name of an element that any parser reads as such.
func plainName(name string) bool {
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (i == 0 || (c < '0' || c > '9') && c != '-') {
			return false
		}
	}
	return name != ""
}

func (m *markup) start(t html.Token) {
	if picture(t) {
		t = m.asPicture(t)
	}
	m.text = t.Data
	if t.Data == "base" {
		u, err := m.page.Resolve(attribute(t, "href"))
		m.based = m.based || err == nil && u == m.base
	}
	switch {
	case t.Data == "noscript":
		m.z.NextIsNotRawText()
		m.text = ""
		return
	case !plainName(t.Data), dropped[t.Data], unwrapped[t.Data],
		t.Data == "meta" && attribute(t, "name") == "":
		return
	case t.Data == "link" && !wanted(attribute(t, "rel")):
		return
	case shownPlain[t.Data]:
		t.Data = "pre"
	}
	m.out.WriteString("<" + t.Data)
	seen := map[string]bool{}
	for _, a := range t.Attr[:min(len(t.Attr), maxAttributes)] {
		if !seen[a.Key] { // the first counts
			seen[a.Key] = true
			m.attribute(t, a)
		}
	}
	if t.Data == "a" || t.Data == "area" {
		if ref := attribute(t, "href") + attribute(t, "xlink:href"); ref != "" &&
			!strings.HasPrefix(strings.TrimSpace(ref), "#") {
			m.out.WriteString(` target="_top"`)
		}
	}
	if t.Type == html.SelfClosingTagToken {
		m.out.WriteString("/")
	}
	m.out.WriteString(">")
}

// wanted reports a relation for which a page loads something that is to be seen. Relations that
// only prepare later requests, such as preconnect, would ask other hosts in spite of the policy.
func wanted(rel string) bool {
	words := strings.Fields(strings.ToLower(rel))
	return slices.Contains(words, "stylesheet") || slices.Contains(words, "icon")
}

func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// attribute writes an attribute that is harmless, or made so.
func (m *markup) attribute(t html.Token, a html.Attribute) {
	value := a.Val
	if m.out.Len() > maxWritten {
		return
	}
	switch a.Key {
	case "style":
		value = rewriteStyle(value, m.atOnce(), m.link)
	case "href", "xlink:href":
		switch t.Data {
		case "a", "area":
			value = address(value, m.base, Page, m.link)
		case "link":
			kind := Embed
			if strings.Contains(strings.ToLower(attribute(t, "rel")), "stylesheet") {
				kind = style
			}
			value = address(value, m.atOnce(), kind, m.link)
		case "image", "feimage":
			value = address(value, m.atOnce(), Embed, m.link)
		default:
			if !strings.HasPrefix(value, "#") {
				return
			}
		}
	case "src", "poster", "background":
		kind, base := Embed, m.base
		switch t.Data {
		case "iframe", "frame":
			kind, base = frame, m.atOnce()
		case "img", "image":
			base = m.atOnce()
		}
		value = address(value, base, kind, m.link)
	case "srcset", "imagesrcset":
		value = m.sources(value)
	default:
		if !keeps(a.Key) {
			return
		}
		if strings.Contains(strings.ToLower(value), "url(") {
			value = rewriteStyle(value, m.atOnce(), m.link)
		}
	}
	if value == "" && a.Val != "" {
		return
	}
	m.out.WriteString(" " + a.Key + `="` + html.EscapeString(value) + `"`)
}

// sources rewrites the addresses of a srcset. Source: HTML standard, 4.8.4.3.6 (parsing a srcset
// attribute), simplified: a descriptor has no brackets.
func (m *markup) sources(text string) string {
	var list []string
	written := 0
	for text = strings.TrimLeft(text, " \t\r\n\f,"); text != ""; text = strings.TrimLeft(text, " \t\r\n\f,") {
		end := strings.IndexAny(text, " \t\r\n\f")
		if end < 0 {
			end = len(text)
		}
		ref, rest := text[:end], text[end:]
		size := ""
		if trimmed := strings.TrimRight(ref, ","); trimmed != ref {
			ref = trimmed
		} else {
			size, rest, _ = strings.Cut(rest, ",")
		}
		text = rest
		if to := address(ref, m.atOnce(), Embed, m.link); to != "" {
			if written += len(to); written > maxWritten {
				break
			}
			list = append(list, strings.TrimSpace(to+" "+strings.TrimSpace(size)))
		}
	}
	return strings.Join(list, ", ")
}
