package sitemap

import (
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
	"golang.org/x/text/language"
)

// Versions, editions and languages of one work lie side by side and seldom link to each other's
// pages: /docs/13/ and /docs/15/, /tool-2.1/ and /tool-3.0/, /en/ and /de/; or one of them lies
// below the other: /book/ and /book/2018-edition/. They have the names of their pages in common. So
// have strangers who use the same program; the names of their directories tell them from variants
// of one work. Codes of languages and dotted versions side by side tell enough by themselves: pages
// have other names in other languages.

const (
	// likeness is the part of its paths that a variant of a work has in common with the other, of
	// whichever has fewer.
	likeness = 0.5
	// leastAlike is how many paths they have in common at least: an index and a page or two are in
	// any directory.
	leastAlike = 4
)

// work is the pages of a ward, or of the core, below a directory.
type work struct {
	b        *book
	dir      string   // host and path
	segments []string // of dir
	pages    []uint32
	hashes   []uint64 // see paths; nil until they are asked for
	shared   []uint64 // see keys; likewise
}

func newWork(b *book, dir string, pages []uint32) work {
	return work{b: b, dir: dir, segments: strings.Split(strings.TrimSuffix(dir, "/"), "/"), pages: pages}
}

// paths of its pages below its directory, hashed, each once.
func (k *work) paths() []uint64 {
	if k.hashes != nil || len(k.pages) == 0 {
		return k.hashes
	}
	k.hashes = make([]uint64, 0, len(k.pages))
	for _, p := range k.pages {
		if path, below := strings.CutPrefix(schemeless(k.b.web.text(k.b.places[p].id)), k.dir); below {
			k.hashes = append(k.hashes, xxh3.HashString(path))
		}
	}
	slices.Sort(k.hashes)
	k.hashes = slices.Compact(k.hashes)
	return k.hashes
}

// variety is of works in one directory that are called by nothing but a language, or a version.
type variety struct {
	dir    string
	tongue bool
}

// families are those of a work: two works of one are beside each other, bare.
func (k *work) families() (list []variety) {
	a := k.segments
	name, dir := a[len(a)-1], strings.Join(a[:len(a)-1], "/")
	if isTongue(name) {
		list = append(list, variety{dir, true})
	}
	if isDated(name) && undated(name) == "" {
		list = append(list, variety{dir, false})
	}
	return list
}

// beside reports whether two works lie side by side under names that are certain to tell variants of
// one, and whether these tell nothing else: then what lies around them is of the work, too.
func (k *work) beside(l *work) (bare, certain bool) {
	a, b := k.segments, l.segments
	i := len(a) - 1
	if len(a) != len(b) || a[i] == b[i] || !slices.Equal(a[:i], b[:i]) {
		return false, false
	}
	if isTongue(a[i]) && isTongue(b[i]) {
		return true, true
	}
	name := undated(a[i])
	certain = name == undated(b[i]) && isDated(a[i]) && isDated(b[i])
	return certain && name == "", certain
}

// variants reports whether two paths differ in one segment, which tells two versions, editions or
// languages of one thing, or which one of them lacks.
func variants(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 0:
		return i < len(a) && slices.Equal(a[i+1:], b[i+1:]) && variantNames(a[i], b[i])
	case 1:
		return slices.Equal(a[i:], b[i+1:]) && (isLanguage(b[i]) || undated(b[i]) == "")
	}
	return false
}

// variantNames reports whether two segments are the same but for a language, or for versions and
// editions.
func variantNames(a, b string) bool {
	if isLanguage(a) && isLanguage(b) {
		return true
	}
	name, other := undated(a), undated(b)
	if name == other {
		return true
	}
	i, j := strings.LastIndexAny(a, "-_."), strings.LastIndexAny(b, "-_.")
	return i > 0 && i == j && a[:i] == b[:j] && isLanguage(a[i+1:]) && isLanguage(b[j+1:])
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
		if dating[part] || isNumber(major) && (dotted || major[0] == 'v') {
			return true
		}
	}
	return false
}

// isTongue reports a language whose code has two letters (ISO 639-1), which few names are by chance.
func isTongue(segment string) bool {
	return isLanguage(segment) && (len(segment) == 2 || strings.ContainsRune("-_", rune(segment[2])))
}

// isLanguage reports a segment that is a language tag (BCP 47): the code of a language, then maybe a
// script or a region: de, pt-BR, zh_Hant.
func isLanguage(segment string) bool {
	name := strings.ToLower(strings.ReplaceAll(segment, "_", "-"))
	for i, part := range strings.Split(name, "-") {
		if strings.Trim(part, "abcdefghijklmnopqrstuvwxyz") != "" || len(part) < 2 || len(part) > 4 ||
			i == 0 && len(part) > 3 || i > 2 {
			return false
		}
	}
	code, _, _ := strings.Cut(name, "-")
	_, err := language.ParseBase(code)
	return err == nil
}
