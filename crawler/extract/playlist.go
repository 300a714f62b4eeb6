package extract

import (
	"bytes"
	"strings"

	"golang.org/x/net/html/atom"

	"watershed/page"
)

// maxPlaylist bounds the bytes that are read of a playlist.
const maxPlaylist = 1 << 20

// readPlaylist takes the addresses in playlists, lists of subscriptions and shortcuts: small files
// by which a page shows a film or leads to sound. Servers call these files by many types, so the
// beginning tells most of them.
func (c *collector) readPlaylist() {
	body := bytes.TrimPrefix(c.in.Body[:min(len(c.in.Body), maxPlaylist)], []byte("\ufeff"))
	body = bytes.TrimLeft(body, " \t\r\n")
	switch {
	case len(body) == 0:
	case body[0] == '<':
		switch rootOf(body) {
		case "asx", "smil", "playlist", "opml":
			c.result.Read = true
			c.readListedElements(c.decode(body))
		}
	case hasPrefixFold(body, "[playlist]"), hasPrefixFold(body, "[reference]"),
		hasPrefixFold(body, "[internetshortcut]"):
		c.result.Read = true
		for line := range strings.Lines(string(body)) {
			name, ref, _ := strings.Cut(strings.TrimSpace(line), "=")
			switch strings.TrimRight(asciiLower(name), "0123456789") {
			case "file", "ref":
				c.embed("playlist", ref)
			case "url":
				c.add(page.Navigation, "shortcut", ref)
			}
		}
	case isRAM(c.result.Declared) && !binary(body):
		c.result.Read = true
		for line := range strings.Lines(string(body)) {
			if scheme, _, ok := strings.Cut(line, ":"); ok && isWeb(scheme) {
				c.embed("playlist", line)
			}
		}
	}
}

// isRAM reports the media type of RealPlayer's lists, which is that of its sound, too.
func isRAM(declared string) bool {
	switch declared {
	case "audio/x-pn-realaudio", "audio/x-pn-realaudio-plugin", "audio/vnd.rn-realaudio":
		return true
	}
	return false
}

// readListedElements takes the addresses in lists that are markup. Sources: W3C, SMIL 2.0;
// Microsoft, "ASX Elements Reference"; XSPF 1; OPML 2.0.
func (c *collector) readListedElements(text string) {
	s := newScanner(text)
	s.xml = true
	located := false
	for s.next() {
		switch s.kind {
		case startTag:
			located = s.name == "location" && !s.empty
			switch {
			case s.atom == atom.Base:
				c.readBase(attr(s.attrs, "href"))
				continue
			case s.atom == atom.Meta && strings.EqualFold(attr(s.attrs, "name"), "base"):
				c.readBase(attr(s.attrs, "content"))
			}
			for i := range s.attrs {
				switch a := &s.attrs[i]; {
				case a.Key == "src", a.Key == "href" && strings.HasSuffix(s.name, "ref"):
					c.embed("playlist", a.Val)
				case a.Key == "href", a.Key == "htmlurl", a.Key == "url":
					c.add(page.Navigation, "playlist", a.Val)
				case a.Key == "xmlurl":
					c.add(page.Feed, "playlist", a.Val)
				}
			}
		case textRun:
			if located {
				c.embed("playlist", plainText(s))
			}
		case endTag:
			located = false
		}
	}
}
