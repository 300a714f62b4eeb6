package replay

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"

	"watershed/page"
)

// dropped elements are left out; what is in them stays where it is markup, such as what an object has for browsers that cannot show
// it.
var dropped = set("script base object embed applet param portal fencedframe animate animatemotion animatetransform set noembed noframes")

// silent elements have a text that is not for reading; it is left out.
var silent = set("script noembed noframes iframe")

// unwrapped elements are left out, and what is in them stays. With scripts off, browsers show what noscript has.
var unwrapped = set("noscript form")

// shownPlain are elements whose text is no markup; they become pre.
var shownPlain = set("xmp plaintext listing")

// kept are the attributes that have no address in them and do nothing. All that are not here or in addresses are left out.
var kept = set(`abbr accept align alt axis bgcolor border cellpadding cellspacing char charoff checked class clear color cols colspan compact
	content controls coords datetime dir disabled face frame frameborder height hidden high hreflang hspace id ismap kind label lang link loop
	low marginheight marginwidth max maxlength media min multiple muted name nohref noresize noshade nowrap open optimum placeholder readonly
	rel rev reversed role rows rowspan rules scheme scope scrolling selected shape size sizes span start step summary tabindex text title type
	usemap valign value valuetype vlink vspace width wrap xml:lang
	clip-path clip-rule cx cy d dx dy fill fill-opacity fill-rule filter font-family font-size font-style font-weight fx fy gradienttransform
	gradientunits marker-end marker-mid marker-start mask offset opacity orient pathlength patternunits points preserveaspectratio r refx refy
	rotate rx ry stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit
	stroke-opacity stroke-width text-anchor transform viewbox x x1 x2 xmlns y y1 y2`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// Bounds of what is written, whatever a page is made to multiply: a long base address with many short links, for example.
const (
	maxWritten    = 64 << 20 // bytes of a page or style sheet; it is cut there
	maxBase       = 2048     // bytes of the address of a base element; a longer one is passed over
	maxAttributes = 256      // of an element; the others are left out
)

// rewriteMarkup rewrites a page in UTF-8, token by token. It costs O(len(body)) and what it writes.
func rewriteMarkup(body []byte, base page.URL, link func(page.URL, Kind) string) []byte {
	m := markup{z: html.NewTokenizer(bytes.NewReader(body)), base: base, link: link}
	m.out.Grow(len(body) + len(body)/4)
	for m.out.Len() < maxWritten && m.next() {
	}
	return m.out.Bytes()
}

// markup is a page on its way.
type markup struct {
	z    *html.Tokenizer
	base page.URL
	link func(page.URL, Kind) string
	out  bytes.Buffer

	based bool   // the first base element was seen, which is the one that counts
	text  string // the element whose text alone comes next, "" for any
}

func (m *markup) next() bool {
	switch m.z.Next() {
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
		m.out.WriteString("<!DOCTYPE " + html.EscapeString(strings.ReplaceAll(m.z.Token().Data, ">", "")) + ">")
	case html.CommentToken: // browsers see conditions in some; none is shown
	}
	return true
}

// writeText writes the text of an element.
func (m *markup) writeText(text string) {
	name := m.text
	m.text = ""
	switch {
	case silent[name]:
	case name == "style":
		m.out.WriteString(rewriteStyle(text, m.base, m.link))
	default:
		m.out.WriteString(html.EscapeString(text))
	}
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
	m.text = t.Data
	switch {
	case t.Data == "base" && !m.based && attribute(t, "href") != "":
		m.based = true
		if u, err := m.base.Resolve(attribute(t, "href")); err == nil && len(u) <= maxBase {
			m.base = u
		}
		return
	case t.Data == "noscript":
		m.z.NextIsNotRawText()
		m.text = ""
		return
	case !plainName(t.Data), dropped[t.Data], unwrapped[t.Data], t.Data == "meta" && attribute(t, "name") == "":
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
		if ref := attribute(t, "href") + attribute(t, "xlink:href"); ref != "" && !strings.HasPrefix(strings.TrimSpace(ref), "#") {
			m.out.WriteString(` target="_top"`)
		}
	}
	if t.Type == html.SelfClosingTagToken {
		m.out.WriteString("/")
	}
	m.out.WriteString(">")
}

// wanted reports a relation for which a page loads something that is to be seen. Those that only prepare what may come, such as
// preconnect, would ask other hosts in spite of the policy.
func wanted(rel string) bool {
	for _, word := range strings.Fields(strings.ToLower(rel)) {
		if word == "stylesheet" || word == "icon" {
			return true
		}
	}
	return false
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
	switch a.Key {
	case "style":
		value = rewriteStyle(value, m.base, m.link)
	case "href", "xlink:href":
		switch t.Data {
		case "a", "area":
			value = address(value, m.base, Page, m.link)
		case "link":
			kind := Embed
			if strings.Contains(strings.ToLower(attribute(t, "rel")), "stylesheet") {
				kind = Style
			}
			value = address(value, m.base, kind, m.link)
		case "image", "feimage":
			value = address(value, m.base, Embed, m.link)
		default:
			if !strings.HasPrefix(value, "#") {
				return
			}
		}
	case "src", "poster", "background":
		kind := Embed
		if t.Data == "iframe" || t.Data == "frame" {
			kind = Frame
		}
		value = address(value, m.base, kind, m.link)
	case "srcset", "imagesrcset":
		value = m.sources(value)
	default:
		if !kept[a.Key] {
			return
		}
		if strings.Contains(strings.ToLower(value), "url(") {
			value = rewriteStyle(value, m.base, m.link)
		}
	}
	if value == "" && a.Val != "" {
		return
	}
	m.out.WriteString(" " + a.Key + `="` + html.EscapeString(value) + `"`)
}

// sources rewrites the addresses of a srcset. Source: HTML standard, 4.8.4.3.6 (parsing a srcset attribute), simplified: a
// descriptor has no brackets.
func (m *markup) sources(text string) string {
	var list []string
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
		if to := address(ref, m.base, Embed, m.link); to != "" {
			list = append(list, strings.TrimSpace(to+" "+strings.TrimSpace(size)))
		}
	}
	return strings.Join(list, ", ")
}
