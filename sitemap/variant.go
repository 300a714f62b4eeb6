package sitemap

import (
	"strings"

	"golang.org/x/text/language"
)

// Versions, editions and languages of one work lie side by side and seldom link to each other's
// pages: /tool-2.1/ and /tool-3.0/, /en/ and /de/; or an edition lies below the others' pages, as
// /2018-edition/. Their names tell it: codes of languages, and names with a dotted version or a word
// such as "latest". A number alone tells nothing, for teams and users have numbers, too.

// work is what the name of a ward says that it is a variant of. Wards with the same work are variants
// of each other.
type work struct {
	name string // with the directory in which it lies; "" where the name does not say it
	bare bool   // the name is that of a language or of a version, and of nothing else
	// edition tells that it is that of a version right in the root of a host, and so one of what lies
	// there
	edition bool
}

// workOf reads the path of a ward.
func workOf(path string) work {
	segments := strings.Split(strings.TrimSuffix(path, "/"), "/")
	last := len(segments) - 1
	name, dir := segments[last], strings.Join(segments[:last], "/")
	switch rest := undated(name); {
	case isDated(name):
		return work{dir + "/version of " + rest, rest == "", rest == "" && last == 1}
	case isTongue(name):
		return work{name: dir + "/language", bare: true}
	}
	return work{}
}

// dating are words that tell a version or an edition, whichever it is now.
var dating = map[string]bool{
	"current": true, "dev": true, "devel": true, "development": true, "head": true, "latest": true,
	"main": true, "master": true, "next": true, "nightly": true, "old": true, "oldstable": true,
	"release": true, "snapshot": true, "stable": true, "testing": true, "trunk": true, "unstable": true,
	"alpha": true, "beta": true, "pre": true, "rc": true, "lts": true, "version": true, "ver": true,
	"ed": true, "edition": true, "first": true, "second": true, "third": true, "fourth": true,
	"fifth": true, "sixth": true, "v": true, "x": true,
}

// undated is a segment in lower case without the words and numbers that tell a version or an
// edition: "tool" for Tool-3.2.x, tool_4.0rc1 and tool-latest, "" for 13, v5.10-beta, stable and
// 2nd-edition.
func undated(segment string) string {
	var rest []string
	for word := range strings.FieldsFuncSeq(strings.ToLower(segment), func(r rune) bool {
		return strings.ContainsRune("-_.", r)
	}) {
		if !dating[word] && !isNumber(word) {
			rest = append(rest, word)
		}
	}
	return strings.Join(rest, "-")
}

// isNumber reports a word that is a number as versions and editions have it: 13, v3, 0rc1, 2nd.
func isNumber(word string) bool {
	word = strings.TrimPrefix(word, "v")
	rest := strings.TrimLeft(word, "0123456789")
	if len(rest) == len(word) {
		return false
	}
	switch letters := strings.TrimRight(rest, "0123456789"); letters {
	case "", "a", "b", "e", "x", "rc", "st", "nd", "rd", "th":
		return true
	default:
		return dating[letters]
	}
}

// isDated reports a segment with a part that is nothing but a version or an edition: 2.1, v3, latest.
func isDated(segment string) bool {
	for part := range strings.FieldsFuncSeq(strings.ToLower(segment), func(r rune) bool {
		return r == '-' || r == '_'
	}) {
		major, _, dotted := strings.Cut(part, ".")
		if dating[part] || year.FindString(part) == part || isNumber(major) && (dotted || major[0] == 'v') {
			return true
		}
	}
	return false
}

// isTongue reports a language tag (BCP 47) whose code of a language has two letters (ISO 639-1),
// with a script or a region maybe: de, pt-BR, zh_Hant. Few names are one by chance, as all of it
// must be known: st-mary and el-paso only begin like one, and so-far is read as far, a dialect of
// so.
func isTongue(segment string) bool {
	name := strings.ReplaceAll(segment, "_", "-")
	if code, _, _ := strings.Cut(name, "-"); len(code) != 2 || len(name) > longestTag {
		return false
	}
	tag, err := language.Raw.Parse(name)
	base, _, _ := tag.Raw()
	return err == nil && base.String() == strings.ToLower(name[:2])
}

const longestTag = len("zh-Hant-TW")
