package replicas

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"watershed/replica/sketch"
)

// quote finds the words of which features are fingerprints, in the text of a document that has
// them: what a list of common shingles shows to people. Features that are not found, and those that
// are no shingles, have no entry. The words are as they stand in the text, a space between each
// two. Cost: that of sketching the text as many times as a shingle has tokens. The error is that of
// sketch.NewBuilder.
func quote(text []byte, features []uint64, o sketch.Options) (map[uint64]string, error) {
	o.NoSuper, o.NoSimHash, o.Size = true, true, 2
	b, err := sketch.NewBuilder(o)
	if err != nil {
		return nil, err
	}
	width := cmp.Or(o.Width, 10) // sketch.Options has the default
	wanted := make(map[uint64]bool, len(features))
	for _, f := range features {
		wanted[f] = true
	}
	found := map[uint64]string{}
	words := wordsOf(string(text))
	var s sketch.Sketch
	for i := 0; i < len(words) && len(found) < len(wanted); i++ {
		n := i
		for ; n < len(words) && b.Len() < width; n++ {
			b.Text([]byte(words[n]))
			b.Text([]byte{' '}) // ends the word
		}
		exact := b.Len() == width
		if b.Finish(&s); exact && len(s.Values) == 1 && wanted[s.Values[0]] {
			found[s.Values[0]] = strings.Join(words[i:n], " ")
		}
		if n == len(words) && !exact {
			break
		}
	}
	return found, nil
}

// wordsOf cuts text into runs of letters and numbers with their marks; what stands in scripts
// without spaces, character by character.
func wordsOf(text string) (words []string) {
	begin := -1
	end := func(at int) {
		if begin >= 0 {
			words = append(words, text[begin:at])
		}
		begin = -1
	}
	for i, r := range text {
		switch mark := unicode.IsMark(r); {
		case mark && begin >= 0:
		case !unicode.IsLetter(r) && !unicode.IsNumber(r):
			end(i)
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
			unicode.Khmer, unicode.Myanmar):
			end(i)
			begin = i
		case begin < 0:
			begin = i
		default:
			if last, _ := utf8.DecodeLastRuneInString(text[begin:i]); unicode.In(last, unicode.Han,
				unicode.Hiragana, unicode.Katakana) {
				end(i)
				begin = i
			}
		}
	}
	end(len(text))
	return words
}
