package demo

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"unicode"
	"unicode/utf8"
)

// topic is what a site is about: the words its sentences are made of.
type topic struct {
	nouns      []string // one thing; "s" makes it many
	adjectives []string
	verbs      []string // past participles, as in "was measured"
	places     []string
	people     []string
}

// sentences are the patterns of all text: %n a thing, %s many of them, %a an adjective, %v a verb,
// %w a place, %h a person, %y a year, %k a small number. A new one changes all text.
var sentences = []string{
	"The %a %n of %w was %v by %h in %y.",
	"Most %s are %a, but the %n that %h found near %w is not.",
	"By the end of %y no fewer than %k %s had been %v by %h and %h.",
	"It is easily overlooked that a %n can be both %a and %a.",
	"In %w one %n was %v twice, the second time with %a results.",
	"What %h wrote about the %n in %y has been read as a remark on %s in general.",
	"Of the %k %s listed here, all but one were %v at %w.",
	"A %n that has been %v well will outlast any %a %n.",
	"Whoever compares the %n with older %s will notice how %a it has become.",
	"No %n should be %v without a look at the %a ones first.",
	"After %y the %s of %w were %v less and less often.",
	"%h prefers a %a %n to several %a ones, and gives %k reasons.",
	"The %n and the %n are often confused, although only one of them is %a.",
	"Our own %n came from %w, where it had been %v for %k years.",
	"There is a note by %h, dated %y, on how %s are %v in %w.",
	"Every %n has its %n, as they say in %w.",
}

// sentence makes one. No word of a topic is in it twice, as far as the topic has others.
func (t *topic) sentence(r *rand.Rand) string {
	pattern := pick(r, sentences)
	used := map[string]bool{}
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '%' {
			b.WriteByte(pattern[i])
			continue
		}
		i++
		word := t.word(r, pattern[i])
		for range 8 {
			if !used[word] && !used[plural(word)] {
				break
			}
			word = t.word(r, pattern[i])
		}
		used[word] = true
		b.WriteString(word)
	}
	return capital(articles(b.String()))
}

func (t *topic) word(r *rand.Rand, kind byte) string {
	switch kind {
	case 'n':
		return pick(r, t.nouns)
	case 's':
		return plural(pick(r, t.nouns))
	case 'a':
		return pick(r, t.adjectives)
	case 'v':
		return pick(r, t.verbs)
	case 'w':
		return pick(r, t.places)
	case 'h':
		return pick(r, t.people)
	case 'y':
		return fmt.Sprint(1890 + r.IntN(130))
	}
	return fmt.Sprint(3 + r.IntN(60))
}

// plural is many of a thing.
func plural(noun string) string {
	switch {
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "x"), strings.HasSuffix(noun, "ch"),
		strings.HasSuffix(noun, "sh"):
		return noun + "es"
	case strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "ey") && !strings.HasSuffix(noun, "ay"):
		return noun[:len(noun)-1] + "ies"
	}
	return noun + "s"
}

// articles writes "an" before a vowel.
func articles(s string) string {
	words := strings.Split(s, " ")
	for i := 0; i+1 < len(words); i++ {
		if (words[i] == "a" || words[i] == "A") && strings.ContainsAny(words[i+1][:1], "aeiou") {
			words[i] += "n"
		}
	}
	return strings.Join(words, " ")
}

func capital(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[n:]
}

// paragraphs makes the text of a page.
func (t *topic) paragraphs(r *rand.Rand, n int) []string {
	out := make([]string, n)
	for i := range out {
		var s []string
		for range 3 + r.IntN(4) {
			s = append(s, t.sentence(r))
		}
		out[i] = strings.Join(s, " ")
	}
	return out
}

// heading makes the title of a page.
func (t *topic) heading(r *rand.Rand) string {
	switch r.IntN(4) {
	case 0:
		return capital(t.word(r, 'a') + " " + t.word(r, 's'))
	case 1:
		return capital("the " + t.word(r, 'n') + " of " + t.word(r, 'w'))
	case 2:
		return capital(t.word(r, 's') + " and " + t.word(r, 's'))
	}
	return capital(articles("a " + t.word(r, 'a') + " " + t.word(r, 'n')))
}

// slug is a title as part of a path.
func slug(title string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(title) {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}

// random is a source of its own for each thing that is drawn, so that one more page on a site
// changes nothing elsewhere.
func random(seed int, keys ...string) *rand.Rand {
	h := fnv.New64a()
	for _, k := range keys {
		_, _ = h.Write([]byte(k + "\x00")) // a hash takes all
	}
	return rand.New(rand.NewPCG(uint64(seed), h.Sum64()))
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
