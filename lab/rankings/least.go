package rankings

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"watershed/replica/mirror"
)

// errLeast says that a text is no list of least fingerprints.
var errLeast = errors.New("no least fingerprints")

const leastMark = "least:"

// textOf writes "least:" and eight hexadecimal digits for each fingerprint.
func textOf(l mirror.Least) []byte {
	text := []byte(leastMark)
	for _, x := range l {
		if x != 0 {
			text = fmt.Appendf(text, "%08x", x)
		}
	}
	return text
}

// readLeast reads what textOf wrote. The error is an errLeast.
func readLeast(text []byte) (l mirror.Least, err error) {
	digits, ok := bytes.CutPrefix(text, []byte(leastMark))
	if !ok || len(digits)%8 != 0 || len(digits) > 8*len(l) {
		return l, fmt.Errorf("%w: %q", errLeast, text)
	}
	for i := range len(digits) / 8 {
		x, err := strconv.ParseUint(string(digits[8*i:8*i+8]), 16, 32)
		if err != nil || x == 0 || i > 0 && uint32(x) < l[i-1] {
			return l, fmt.Errorf("%w: %q", errLeast, text)
		}
		l[i] = uint32(x)
	}
	return l, nil
}
