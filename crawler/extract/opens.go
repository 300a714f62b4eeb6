package extract

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"

	"watershed/page"
)

// readOpens takes the addresses that a script goes to: window.open("a.html"), location = "a.html" and
// their like, in the attribute of an element, which runs when a reader acts, and in a script of the
// page: many a home page does nothing else than to lead on. Only a whole string counts, so nothing is
// guessed, and in a script, where location may be anybody's name, one that looks like an address. Time
// is linear in the text.
func (c *parts) readOpens(context, text string, acts bool) {
	if c.template > 0 {
		return
	}
	for _, word := range openWords {
		for rest := text; ; {
			i := strings.Index(rest, word.text)
			if i < 0 {
				break
			}
			before, after := rest[:i], rest[i+len(word.text):]
			rest = after
			if before != "" && ofName(before[len(before)-1]) {
				continue
			}
			ref := stringAt(after, word.opening)
			if ref != "" && (acts || !word.loose || looksLikeAddress(ref)) {
				c.add(page.Navigation, context, ref)
			}
		}
	}
}

// scriptURL is the script of a javascript: address, which runs when the link is followed; "" of any
// other. Source: HTML standard, 7.4.2.3.2 (the javascript: URL special case).
func scriptURL(ref string) string {
	const scheme = "javascript:"
	ref = trimSpaceLeft(ref)
	if len(ref) < len(scheme) || !strings.EqualFold(ref[:len(scheme)], scheme) {
		return ""
	}
	script := ref[len(scheme):]
	if plain, err := url.PathUnescape(script); err == nil {
		return plain
	}
	return script
}

// readScriptURL takes the addresses in the script of a javascript: address, also one that it hands to a
// function of the page's own, such as show("/a.html", 300). Nobody knows here how the function uses it;
// but a link that has no other address most likely leads there.
func (c *parts) readScriptURL(script string) {
	c.readOpens("@href/javascript", script, true)
	if c.template > 0 {
		return
	}
	for _, m := range ownCall.FindAllStringSubmatch(script, -1) {
		if ref := m[1] + m[2]; len(ref) <= maxOpened && pageName.MatchString(ref) {
			c.add(page.Navigation, "@href/javascript", ref)
		}
	}
}

// readHandler takes the files that a handler of events names: pictures that it shows when the mouse
// comes; where it acts, pages or larger pictures that are the first or second argument of a function of
// the page's own, as in MM_goToURL('parent', 'a.html'). Time is linear in the text.
func (c *parts) readHandler(context, text string, acts bool) {
	if c.template > 0 {
		return
	}
	last, own, commas := 0, false, 0 // of the call in which the last string stands
	for _, m := range argument.FindAllStringSubmatchIndex(text, -1) {
		between := text[last:m[2]]
		if i := strings.LastIndexByte(between, '('); i >= 0 {
			own, commas = ofOwn.MatchString(text[max(0, last+i-maxCalled):last+i]), 0
			between = between[i:]
		}
		last = m[3]
		commas += strings.Count(between, ",")
		rest := trimSpaceLeft(text[m[1]:])
		if rest != "" && strings.IndexByte(",;)", rest[0]) < 0 {
			continue
		}
		ref := strings.Trim(text[m[2]:m[3]], `"'`)
		switch {
		case len(ref) > maxOpened:
		case !acts && isFileOfPicture(ref):
			c.embed(context, ref)
		case acts && own && commas < 2 && (isFileOfPicture(ref) || fileName.MatchString(ref)):
			c.add(page.Navigation, context, ref)
		}
	}
}

// isFileOfPicture reports an address that ends like the name of a picture, perhaps with a query.
func isFileOfPicture(ref string) bool {
	path, _, _ := strings.Cut(strings.ToLower(ref), "?")
	return !strings.ContainsAny(ref, " <>{}") && isPicture(path)
}

// readSources takes the pictures whose addresses a script sets, as for those that show when the mouse
// comes: over.src = "over.gif".
func (c *parts) readSources(text string) {
	const set = ".src"
	for rest := text; ; {
		i := strings.Index(rest, set)
		if i < 0 || c.template > 0 {
			return
		}
		rest = rest[i+len(set):]
		if ref := stringAt(rest, '='); isFileOfPicture(ref) {
			c.embed("script/src", ref)
		}
	}
}

// readWritten takes the markup that a script writes into the page as it is read:
// document.write("<a href='a.html'>"). The text ends at the first part that is no string.
func (c *collector) readWritten(text string) {
	const call = "document.write"
	for c.nested < maxNested {
		i := strings.Index(text, call)
		if i < 0 {
			return
		}
		text = text[i+len(call):]
		s := moduleRefs{src: text}
		s.take("ln")
		s.blank()
		called := s.take("(")
		var written strings.Builder
		for s.blank(); called && s.pos < len(s.src) && isQuote(s.src[s.pos]); s.blank() {
			from := s.pos + 1
			if _, ok := s.text(); !ok {
				break
			}
			written.WriteString(unescapeString(s.src[from : s.pos-1]))
			if s.blank(); !s.take("+") && !s.take(",") {
				break
			}
		}
		text = text[s.pos:]
		if strings.Contains(written.String(), "<") {
			c.readNested(written.String())
		}
	}
}

// unescapeString is the text of a string of JavaScript. Characters that are told by number stay as they
// are told.
func unescapeString(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		switch i++; s[i] {
		case 'n', 'r', 't':
			b.WriteByte(' ')
		case 'x', 'u':
			b.WriteString(s[i-1 : i+1])
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

var (
	// ownCall is a call of a function, not of a method, with a string as its first argument.
	ownCall = regexp.MustCompile(`(?:^|[^\w.$])[\w$]+\s*\(\s*(?:"([^"\\\n]+)"|'([^'\\\n]+)')\s*[,)]`)
	// argument is a string that nothing is added to in front.
	argument = regexp.MustCompile(`(?:^|[(,=])\s*("[^"\\\n]+"|'[^'\\\n]+')`)
	// ofOwn is what stands before the arguments of a function, not of a method.
	ofOwn = regexp.MustCompile(`(?:^|[^\w.$])[\w$]+\s*$`)
	// fileName ends as the name of a page.
	fileName = regexp.MustCompile(
		`(?i)^(?:https?://)?[\w./%~-]+\.(?:s?html?|php|aspx?|jsp|pdf)(?:\?[^\s<>{}]*)?$`)
	// pageName begins as an address does, or ends as the name of a page.
	pageName = regexp.MustCompile(`(?i)^(?:https?:/)?/[^\s$<>{}]+$|` + fileName.String())
)

// openWords are the calls and properties that lead to another page.
var openWords = []struct {
	text    string
	opening byte // what stands between the word and the string
	loose   bool // it may be the name of something else
}{
	{"window.open", '(', false},
	{"location.assign", '(', false},
	{"location.replace", '(', false},
	{"location.href", '=', false},
	{"location", '=', true},
}

// looksLikeAddress tells an address, such as "a.html" or "/b", from a word.
func looksLikeAddress(ref string) bool {
	return strings.ContainsAny(ref, "/?") || !strings.Contains(ref, " ") && strings.Contains(ref, ".")
}

// maxCalled bounds the name of a function, in bytes.
const maxCalled = 64

// maxOpened bounds a string that is an address, in bytes.
const maxOpened = 2 << 10

// stringAt is the string behind an opening, if nothing is added to it; "" where it is none.
func stringAt(text string, opening byte) string {
	text = trimSpaceLeft(text)
	if text == "" || text[0] != opening {
		return ""
	}
	text = trimSpaceLeft(text[1:])
	if text == "" || text[0] != '"' && text[0] != '\'' {
		return ""
	}
	quote := text[0]
	text = text[1:min(len(text), maxOpened)]
	end := strings.IndexByte(text, quote)
	if end < 0 || strings.ContainsAny(text[:end], "\\\n") {
		return ""
	}
	ref, rest := text[:end], strings.TrimLeft(text[end+1:], " \t\r")
	if rest != "" && strings.IndexByte("),;}\n", rest[0]) < 0 {
		return ""
	}
	if strings.HasPrefix(ref, "#") || strings.HasPrefix(ref, "javascript:") || ref == "about:blank" {
		return ""
	}
	return ref
}

// readLinkedData takes the addresses in JSON-LD: pages, pictures, videos and sounds. Source: JSON-LD
// 1.1; schema.org for the names.
func (c *parts) readLinkedData(text string) {
	if c.template > 0 || c.nested > 0 || !json.Valid([]byte(text)) {
		return
	}
	walkNames(json.NewDecoder(strings.NewReader(text)), "", "", func(name, outer, value string) {
		name = strings.ToLower(name)
		known := strings.HasPrefix(value, "https://") || strings.HasPrefix(value, "http://") ||
			strings.HasPrefix(value, "/") && addressed[name] && !strings.ContainsAny(value, " \n")
		if !known || strings.HasPrefix(name, "@") && name != "@id" || isSchema(value) {
			return
		}
		if name == "url" && outer != "" {
			name = strings.ToLower(outer)
		}
		switch name {
		case "image", "logo", "photo", "thumbnail", "thumbnailurl", "contenturl", "primaryimageofpage":
			c.embed("script/ld+json", value)
		default:
			c.add(page.Navigation, "script/ld+json", value)
		}
	})
}

// addressed are the names of JSON-LD whose values are addresses, also such as begin with "/".
var addressed = map[string]bool{
	"@id": true, "url": true, "image": true, "logo": true, "photo": true, "thumbnail": true,
	"thumbnailurl": true, "contenturl": true, "embedurl": true, "downloadurl": true, "item": true,
	"mainentityofpage": true, "primaryimageofpage": true, "sameas": true, "ispartof": true,
}

// isSchema reports a name of a vocabulary, which is no page of a site.
func isSchema(value string) bool {
	_, rest, _ := strings.Cut(value, "://")
	rest = strings.TrimPrefix(rest, "www.")
	return strings.HasPrefix(rest, "schema.org") || strings.HasPrefix(rest, "purl.org/")
}

// walkNames calls yield with each string of the next value of a JSON text, with the member that holds it,
// also through lists, and with the one that holds the object of that. The depth of the text, which is
// valid, is 10,000 at most, as json.Valid bounds it.
func walkNames(d *json.Decoder, name, outer string, yield func(name, outer, value string)) {
	token, err := d.Token()
	if err != nil {
		return
	}
	begins, nested := token.(json.Delim)
	if value, ok := token.(string); ok {
		yield(name, outer, value)
	}
	for outer = name; nested && d.More(); {
		if begins == '{' {
			key, _ := d.Token() // valid
			name, _ = key.(string)
		}
		walkNames(d, name, outer, yield)
	}
	if nested {
		_, _ = d.Token() // its end
	}
}
