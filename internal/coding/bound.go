package coding

import "strings"

// Unread bounds the bodies of media that are never read for links, in bytes: enough to tell their
// kind.
const Unread = 64 << 10

// Bound is how much of a body is worth decoding, in bytes, by its Content-Type: most, or Unread of
// a picture, a sound, a film or a font.
func Bound(contentType string, most int) int {
	kind, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	kind = strings.TrimSpace(kind)
	major, _, _ := strings.Cut(kind, "/")
	switch major {
	case "image", "audio", "video", "font":
		if !strings.HasSuffix(kind, "+xml") {
			return min(most, Unread)
		}
	}
	return most
}
