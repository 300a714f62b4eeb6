package sketch

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// The canonical form of text is NFKC_Casefold: compatibility forms are replaced, case is folded,
// what is invisible is dropped, and the result is in NFC. Source: Unicode Standard 15, section
// 3.13, and Annex 44 (NFKC_Casefold). We depart from it in one point: U+200B, the space of no
// width, ends a word, as writers of Thai and Khmer mean it.
//
// runeInfo is what the canonical form needs to know of one rune: the rune it becomes, in the low 21
// bits, and the flags.
type runeInfo uint32

const (
	runeOf     runeInfo = 1<<21 - 1
	isWord     runeInfo = 1 << 21 // letter or number
	isMark     runeInfo = 1 << 22 // continues a word, begins none
	isSingle   runeInfo = 1 << 23 // a letter of a script without spaces
	isDropped  runeInfo = 1 << 24 // invisible
	isSeveral  runeInfo = 1 << 25 // becomes several runes: see expand
	isUnsettle runeInfo = 1 << 26 // may combine with its neighbours, so the word must be taken to NFC
)

// runeTable tells of the runes up to U+FFFF, and what those of them become that become several.
type runeTable struct {
	info    [1 << 16]runeInfo
	several map[rune]string
}

// runes is made when a rune beyond ASCII is first met.
var runes = sync.OnceValue(func() *runeTable {
	t := &runeTable{several: make(map[rune]string)}
	fold := cases.Fold()
	for i := range t.info {
		r := rune(i)
		t.info[r] = describe(r, fold)
		if t.info[r]&isSeveral != 0 {
			t.several[r] = canonical(r, fold)
		}
	}
	return t
})

// of tells of any rune.
func (t *runeTable) of(r rune) runeInfo {
	if uint32(r) < uint32(len(t.info)) {
		return t.info[r]
	}
	return describe(r, cases.Fold())
}

// expand is what a rune becomes that becomes several.
func (t *runeTable) expand(r rune) string {
	if s, ok := t.several[r]; ok {
		return s
	}
	return canonical(r, cases.Fold())
}

// describe finds what the canonical form needs to know of a rune.
func describe(r rune, fold cases.Caser) runeInfo {
	if r == '\u200B' || r == utf8.RuneError || r >= 0xD800 && r < 0xE000 {
		return runeInfo(r)
	}
	if ignorable(r) {
		return isDropped
	}
	text := canonical(r, fold)
	if text == "" {
		return isDropped
	}
	if c, n := utf8.DecodeRuneInString(text); n == len(text) {
		return runeInfo(c) | classOf(c) | settled(text)
	}
	return runeInfo(r) | isSeveral | isUnsettle
}

// canonical is what a rune becomes: the fixed point of folding and NFKC.
func canonical(r rune, fold cases.Caser) string {
	text := string(r)
	for range 4 { // three rounds suffice for every rune of Unicode 15; a test holds it
		next := norm.NFKC.String(foldCase(fold, norm.NFKC.String(text)))
		if next == text {
			break
		}
		text = next
	}
	return text
}

// foldCase folds the case of a text. Cherokee, whose small letters are the younger ones and fold to
// capitals, is folded here: cases.Fold takes each of its letters to the other. Source: Unicode
// Character Database 15, CaseFolding.txt.
func foldCase(fold cases.Caser, text string) string {
	if !strings.ContainsFunc(text, cherokee) {
		return fold.String(text)
	}
	var out strings.Builder
	for _, r := range text {
		switch {
		case r >= 0xAB70 && r <= 0xABBF:
			out.WriteRune(r - 0xAB70 + 0x13A0)
		case r >= 0x13F8 && r <= 0x13FD:
			out.WriteRune(r - 8)
		case cherokee(r):
			out.WriteRune(r)
		default:
			out.WriteString(fold.String(string(r)))
		}
	}
	return out.String()
}

func cherokee(r rune) bool { return unicode.Is(unicode.Cherokee, r) }

// classOf tells what a rune in canonical form is to a word.
func classOf(r rune) runeInfo {
	switch {
	case unicode.IsMark(r):
		return isMark
	case !unicode.IsLetter(r) && !unicode.IsNumber(r):
		return 0
	case r == 'ー' ||
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Yi,
			unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tai_Le, unicode.New_Tai_Lue,
			unicode.Tai_Tham, unicode.Tai_Viet,
			unicode.Javanese, unicode.Balinese, unicode.Tibetan) && unicode.IsLetter(r):
		return isWord | isSingle
	}
	return isWord
}

// settled is 0 when NFC never changes the rune nor its neighbours because of it.
func settled(text string) runeInfo {
	p := norm.NFC.PropertiesString(text)
	if p.CCC() != 0 || p.LeadCCC() != 0 || p.TrailCCC() != 0 || !p.BoundaryBefore() {
		return isUnsettle
	}
	return 0
}

// ignorable reports a rune that has no look of its own. Source: Unicode Annex 44,
// Default_Ignorable_Code_Point.
func ignorable(r rune) bool {
	switch {
	case r >= 0xFFF9 && r <= 0xFFFB || unicode.Is(unicode.Prepended_Concatenation_Mark, r) ||
		unicode.Is(unicode.White_Space, r):
		return false
	case r >= 0x13430 && r <= 0x13455: // Egyptian hieroglyph format controls
		return false
	}
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Cf)
}
