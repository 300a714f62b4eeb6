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

var (
	// ownCall is a call of a function, not of a method, with a string as its first argument.
	ownCall = regexp.MustCompile(`(?:^|[^\w.$])[\w$]+\s*\(\s*(?:"([^"\\\n]+)"|'([^'\\\n]+)')\s*[,)]`)
	// pageName begins as an address does, or ends as the name of a page.
	pageName = regexp.MustCompile(`(?i)^(?:https?:/)?/[^\s$<>{}]+$|` +
		`^[\w./%~-]+\.(?:s?html?|php|aspx?|jsp|pdf)(?:\?[^\s<>{}]*)?$`)
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
	walkNames(text, func(name, value string) {
		name = strings.ToLower(name)
		known := strings.HasPrefix(value, "https://") || strings.HasPrefix(value, "http://") ||
			strings.HasPrefix(value, "/") && addressed[name] && !strings.ContainsAny(value, " \n")
		if !known || strings.HasPrefix(name, "@") && name != "@id" || isSchema(value) {
			return
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

// walkNames calls yield with each string of a JSON text that is valid, and with the member that
// holds it, also through lists; the address of an object that is the value of a picture counts as one.
// Depth costs memory and no recursion.
func walkNames(text string, yield func(name, value string)) {
	d := json.NewDecoder(strings.NewReader(text))
	type level struct {
		object, named bool
		name, outer   string
	}
	var levels []level
	for {
		token, err := d.Token()
		if err != nil {
			return
		}
		top := len(levels) - 1
		if key, ok := token.(string); ok && top >= 0 && levels[top].object && !levels[top].named {
			levels[top].name, levels[top].named = key, true
			continue
		}
		switch v := token.(type) {
		case json.Delim:
			if v == '{' || v == '[' {
				l := level{object: v == '{'}
				if top >= 0 {
					l.name, l.outer = levels[top].name, levels[top].name
				}
				levels = append(levels, l)
				continue
			}
			levels = levels[:top]
			top--
		case string:
			if top >= 0 {
				name := levels[top].name
				if name == "url" && levels[top].outer != "" {
					name = levels[top].outer
				}
				yield(name, v)
			}
		}
		if top >= 0 {
			levels[top].named = false
		}
	}
}
