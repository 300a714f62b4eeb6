package extract

import (
	"bytes"
	"errors"
	"fmt"

	"watershed/page"
	"watershed/sitemap/protocol"
)

// maxSitemap is ten times what the protocol allows, decompressed: sites break the rule, and nothing
// is held.
const maxSitemap = 10 * protocol.MaxBytes

// errEnough ends the reading of a sitemap when no more links are taken.
var errEnough = errors.New("enough links")

// readProtocol takes the entries of a sitemap or feed.
func (c *collector) readProtocol() {
	take := func(k protocol.Kind, loc string) error {
		m := mention{ref: loc}
		m.kind, m.context = entryKind(k)
		c.take(m)
		if c.result.LinksCut {
			return errEnough
		}
		return nil
	}
	format, err := protocol.Read(bytes.NewReader(c.in.Body), maxSitemap, take)
	switch format {
	case protocol.Urlset, protocol.Index, protocol.Text:
		c.result.Format = Sitemap
	case protocol.RSS, protocol.Atom:
		c.result.Format = Feed
	}
	if err != nil && !errors.Is(err, errEnough) {
		c.result.Err = fmt.Errorf("read sitemap or feed: %w", err)
	}
}

func entryKind(k protocol.Kind) (page.LinkKind, string) {
	switch k {
	case protocol.Page:
		return page.Sitemap, "url/loc"
	case protocol.Sitemap:
		return page.Sitemap, "sitemap/loc"
	case protocol.Alternate:
		return page.Alternate, "url/link"
	case protocol.Enclosure:
		return page.Embed, "item/enclosure"
	case protocol.More:
		return page.Feed, "feed/link"
	}
	return page.Navigation, "item/link"
}
