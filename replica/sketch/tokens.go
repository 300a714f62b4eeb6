package sketch

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A raw word is a run of ASCII letters and digits and of bytes beyond ASCII; all else separates. A
// raw word of ASCII alone is a token, in lower case. Any other is taken to canonical form and cut
// into tokens there: no ASCII separator can combine with what follows it to a letter, so raw words
// can be taken one by one.

// maxWord bounds a raw word in bytes; a longer one is cut there, before a rune. It bounds the
// memory of a word in pieces.
const maxWord = 16 << 10

const (
	ones   = 0x0101010101010101
	highs  = 0x80 * ones
	cases8 = 0x20 * ones // makes letters small and leaves digits alone
)

// wordBits has the high bit of each byte of eight that is an ASCII letter or digit.
func wordBits(w uint64) uint64 {
	x := w &^ highs
	l := x | cases8
	letter := (l + (0x80-'a')*ones) &^ (l + (0x80-'z'-1)*ones)
	digit := (x + (0x80-'0')*ones) &^ (x + (0x80-'9'-1)*ones)
	return (letter | digit) & highs &^ w
}

// Text takes a piece of visible text in UTF-8. Pieces may be cut anywhere, even within a word or a
// rune; what separates words must be in the text. Invalid UTF-8 separates words. The piece is not
// kept, nor changed.
func (b *Builder) Text(p []byte) {
	if len(b.word) > 0 {
		p = b.resume(p)
	}
	i := 0
	for i+8 <= len(p) {
		w := binary.LittleEndian.Uint64(p[i:])
		t := wordBits(w)
		n := bits.TrailingZeros64(^t&highs) >> 3
		if n == 0 {
			skip := t | w&highs
			if skip == 0 {
				i += 8
				continue
			}
			if skip = uint64(bits.TrailingZeros64(skip) >> 3); skip != 0 {
				i += int(skip)
				continue
			}
		}
		if n == 8 || p[i+n] >= utf8.RuneSelf {
			j := b.longWord(p[i:])
			if j < 0 {
				return
			}
			i += j
			continue
		}
		b.token(bits.ReverseBytes64((w | cases8) & (1<<(8*n) - 1)))
		i += n + 1
	}
	b.rest(p[i:])
}

// rest takes the last bytes of a piece, fewer than eight.
func (b *Builder) rest(p []byte) {
	for len(p) > 0 {
		if !inWord(p[0]) {
			p = p[1:]
			continue
		}
		j := b.longWord(p)
		if j < 0 {
			return
		}
		p = p[j:]
	}
}

// longWord takes the raw word that p begins with and tells its length; -1 when it reaches the end
// of p and was put by.
func (b *Builder) longWord(p []byte) int {
	n, ascii := wordEnd(p[:min(len(p), maxWord)])
	switch {
	case n == len(p) && n < maxWord:
		b.word = append(b.word[:0], p...)
		return -1
	case n == maxWord:
		n = runeCut(p, n)
	}
	b.wholeWord(p[:n], ascii)
	return n
}

// resume takes the rest of a word that the last piece ended within, and returns what follows.
func (b *Builder) resume(p []byte) []byte {
	for {
		n, _ := wordEnd(p[:min(len(p), maxWord-len(b.word))])
		b.word = append(b.word, p[:n]...)
		p = p[n:]
		if len(b.word) < maxWord && len(p) == 0 {
			return p
		}
		if len(b.word) < maxWord {
			b.endWord()
			return p
		}
		// The word is cut where it would be cut if it were in one piece; up to three bytes of a
		// rune wait.
		k := runeCut(b.word, maxWord)
		_, ascii := wordEnd(b.word[:k])
		b.wholeWord(b.word[:k], ascii)
		b.word = b.word[:copy(b.word, b.word[k:])]
		if len(b.word) == 0 {
			return p
		}
	}
}

// endWord takes the word that was put by, if any: the text ends here, or a separator follows.
func (b *Builder) endWord() {
	if len(b.word) == 0 {
		return
	}
	word := b.word
	b.word = b.word[:0]
	_, ascii := wordEnd(word)
	b.wholeWord(word, ascii)
}

// wordEnd is the length of the raw word that p begins with, and whether it is of ASCII alone.
func wordEnd(p []byte) (n int, ascii bool) {
	var or byte
	for n < len(p) && inWord(p[n]) {
		or |= p[n]
		n++
	}
	return n, or < utf8.RuneSelf
}

func inWord(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c >= utf8.RuneSelf
}

// runeCut is n, or up to three less so that p[:n] does not end within a rune.
func runeCut(p []byte, n int) int {
	for k := n - 1; k > n-utf8.UTFMax && k > 0; k-- {
		if utf8.RuneStart(p[k]) {
			if p[k] >= utf8.RuneSelf && !utf8.FullRune(p[k:n]) {
				return k
			}
			break
		}
	}
	return n
}

// wholeWord takes a raw word.
func (b *Builder) wholeWord(p []byte, ascii bool) {
	if ascii {
		b.asciiToken(p)
		return
	}
	b.canonicalWord(p)
}

// asciiToken takes a token of ASCII letters and digits in any case.
func (b *Builder) asciiToken(p []byte) {
	f := uint64(0)
	for len(p) > 8 {
		f = b.join(f, binary.BigEndian.Uint64(p)|cases8)
		p = p[8:]
	}
	var last [8]byte
	n := copy(last[:], p)
	b.put(b.join(f, (binary.BigEndian.Uint64(last[:])|cases8)&^(1<<(64-8*n)-1)))
}

// canonicalWord takes a raw word with runes beyond ASCII to canonical form and cuts it into tokens.
// Marks are put in their order before case is folded, since folding makes a letter of one of them.
// Source: Unicode Standard 15, 3.13, D147.
func (b *Builder) canonicalWord(p []byte) {
	t := runes()
	out, unsettled := appendCanonical(b.canon[:0], t, p)
	if unsettled {
		if p = b.kept(t, p); !inNFC(p) {
			b.normal = norm.NFC.Append(b.normal[:0], p...)
			out, _ = appendCanonical(out[:0], t, b.normal)
		}
	}
	b.canon = out
	if unsettled && !inNFC(out) {
		b.normal = norm.NFC.Append(b.normal[:0], out...)
		out = b.normal
	}
	b.cut(t, out)
}

// kept is a raw word without the runes that are dropped: marks on both sides of such a rune are put in
// their order, too. It is valid until the next call.
func (b *Builder) kept(t *runeTable, p []byte) []byte {
	b.raw = b.raw[:0]
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		if t.of(r)&isDropped == 0 {
			b.raw = append(b.raw, p[:n]...)
		}
		p = p[n:]
	}
	return b.raw
}

// inNFC reports that text is in NFC for certain; what is not certain is normalized in vain.
func inNFC(p []byte) bool { return norm.NFC.QuickSpan(p) == len(p) }

// appendCanonical appends what each rune of p becomes; unsettled says that it may not be in NFC.
func appendCanonical(dst []byte, t *runeTable, p []byte) (out []byte, unsettled bool) {
	all := runeInfo(0)
	for len(p) > 0 {
		r, n := rune(p[0]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(p)
		}
		p = p[n:]
		info := t.of(r)
		all |= info
		switch {
		case info&isDropped != 0:
		case info&isSeveral != 0:
			dst = append(dst, t.expand(r)...)
		default:
			dst = utf8.AppendRune(dst, rune(info&runeOf))
		}
	}
	return dst, all&isUnsettle != 0
}

// cut cuts a word in canonical form into tokens: runs of letters, numbers and marks, but each
// letter of a script without spaces, with the marks upon it, alone.
func (b *Builder) cut(t *runeTable, p []byte) {
	from := -1      // where the token begins
	single := false // it is a letter of a script without spaces
	end := func(to int) {
		if from >= 0 {
			b.tokenBytes(p[from:to])
		}
		from = -1
	}
	for i := 0; i < len(p); {
		r, n := rune(p[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(p[i:])
		}
		info := classIn(t, r)
		switch {
		case info&isSingle != 0:
			end(i)
			from, single = i, true
		case info&isWord != 0 && (from < 0 || single):
			end(i)
			from, single = i, false
		case info&(isWord|isMark) == 0:
			end(i)
		}
		i += n
	}
	end(len(p))
}

// classIn is classOf, by table where the rune is its own canonical form.
func classIn(t *runeTable, r rune) runeInfo {
	if uint32(r) < 1<<16 {
		if info := t.info[r]; rune(info&runeOf) == r && info&(isSeveral|isDropped) == 0 {
			return info
		}
	}
	return classOf(r)
}

// tokenBytes takes a token in canonical form.
func (b *Builder) tokenBytes(p []byte) {
	f := uint64(0)
	for len(p) > 8 {
		f = b.join(f, binary.BigEndian.Uint64(p))
		p = p[8:]
	}
	var last [8]byte
	copy(last[:], p)
	b.put(b.join(f, binary.BigEndian.Uint64(last[:])))
}

// token takes a token of at most eight bytes, in canonical form, the first byte the highest, zeros
// behind it.
func (b *Builder) token(word uint64) {
	if b.wide {
		b.put(word)
		return
	}
	b.put(b.tables.reduce.reduce40(word))
}
