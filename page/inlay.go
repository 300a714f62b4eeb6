package page

import "strings"

// Inlay tells what a page holds in itself that is no text of it: pictures in data URLs, SVG, documents
// of frames, and the data of its scripts, a digest of four bytes for each. The first byte is
// InlayVersion, and the digests are in ascending order. "" says that nothing is known of it.
type Inlay string

// InlayVersion begins an Inlay. Two of different versions cannot be compared.
const InlayVersion = "\x01"

// inlaySize is the length of a digest.
const inlaySize = 4

// Within reports that all that a page holds in itself is held by another one, too, or that nobody
// knows.
func (x Inlay) Within(other Inlay) bool {
	a, known := strings.CutPrefix(string(x), InlayVersion)
	b, both := strings.CutPrefix(string(other), InlayVersion)
	if !known || !both {
		return true
	}
	for ; len(a) >= inlaySize; a = a[inlaySize:] {
		for len(b) >= inlaySize && b[:inlaySize] < a[:inlaySize] {
			b = b[inlaySize:]
		}
		if !strings.HasPrefix(b, a[:inlaySize]) {
			return false
		}
	}
	return true
}
