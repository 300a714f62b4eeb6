package extract

import (
	"cmp"
	"strings"

	"golang.org/x/text/encoding"

	"watershed/page"
)

// gathering is what is gathered of one page while it is read: its links, its text, its character
// set. References are kept as they stand and resolved at the end, when the base of the page is
// known, and each spelling only once.
//
// Invariants: (1) mentions are distinct by reference and kind; those of one reference are chained
// by next from index; (2) there are at most Options.MaxLinks of them; (3) strings in it may be
// parts of the page's text, those in a result are not.
type gathering struct {
	options *Options
	in      Input
	result  Result
	scanner scanner

	mentions []mention
	index    map[string]int32 // reference → its first mention
	links    map[linkKey]int32
	linked   int // bytes of the links

	base     string        // of the first base/@href
	spelled  page.Spelling // of the base
	based    bool
	inner    string // the same of the document within the page that is read
	language string // of the header or a meta, when html/@lang is missing
	encoder  *encoding.Encoder

	title    []byte
	titling  bool // Scan is in a title element
	titled   bool // the title is complete
	anchor   anchor
	noscript int  // noscript elements open
	template int  // template elements open whose content is not part of the page
	svg      int  // svg elements open
	foreign  bool // the element that is read is one of SVG or MathML
	nested   int  // documents within documents: iframe/@srcdoc, noframes
	given    int  // bytes of text given to Input.Text
	broken   bool // the last of them was a break
	parted   bool // a link has ended since
	piece    []byte
	inlays   inlays
}

// parts reads the parts of a page that stand for themselves: attributes, header fields, scripts,
// styles and JSON.
type parts struct {
	gathering
	formGets bool              // the form that is open is sent by GET
	script   scriptKind        // what the last script element holds
	iconed   bool              // the page names an icon
	imports  map[string]string // folders of the page's import map by the prefix that stands for them
}

// collector reads pages, one after the other: it finds out the format of each, and takes it apart.
type collector struct{ parts }

// mention is a reference as it stands in the page.
type mention struct {
	ref      string
	codebase string // what ref is relative to, itself relative to the base; "" for the base
	kind     page.LinkKind
	context  string
	text     string
	noFollow bool
	icon     bool  // the page shows it as its icon
	header   bool  // relative to the page, not to its base
	next     int32 // another kind of the same reference, -1 for none
}

type linkKey struct {
	url     page.URL
	spelled page.Spelling
	kind    page.LinkKind
}

// anchor is the link whose text is being read.
type anchor struct {
	mention int32 // -1 when none is, or its text is known
	text    []byte
}

const (
	maxLinkText = 200      // bytes, as page.Link says
	maxTitle    = 1 << 10  // bytes
	maxRef      = 16 << 10 // bytes; page.ParseURL takes no longer ones
	maxPooled   = 8 << 10  // mentions; a collector that held more is not worth keeping whole

	// of all links of a page: a long base makes long URLs of short references; the others are cut
	maxLinkBytes = 64 << 20
)

func newCollector(o *Options) *collector { return &collector{parts{gathering: newGathering(o)}} }

func newGathering(o *Options) gathering {
	return gathering{
		options: o, index: map[string]int32{}, links: map[linkKey]int32{},
		anchor: anchor{mention: -1},
	}
}

func (c *gathering) begin(in Input) {
	c.in = in
	c.result.Declared = contentType(in.Header)
}

// reset lets go of the page and keeps the memory, unless the page was large.
func (c *collector) reset() { c.parts = parts{gathering: c.emptied()} }

// emptied is the gathering for another page, in the same memory, unless the page was large.
func (c *gathering) emptied() gathering {
	if len(c.mentions) > maxPooled {
		return newGathering(c.options)
	}
	clear(c.mentions)
	clear(c.index)
	clear(c.links)
	c.scanner.reset("")
	return gathering{
		options: c.options, mentions: c.mentions[:0], index: c.index, links: c.links, scanner: c.scanner,
		title: c.title[:0], anchor: anchor{mention: -1, text: c.anchor.text[:0]}, piece: c.piece[:0],
		inlays: inlays{digests: c.inlays.digests[:0]},
	}
}

// add takes a reference and gives its mention, -1 when it cannot be fetched.
func (c *gathering) add(kind page.LinkKind, context, ref string) int32 {
	return c.take(mention{ref: ref, kind: kind, context: context})
}

func (c *gathering) take(m mention) int32 {
	c.inlays.reference(m.ref)
	if m.ref = usable(m.ref); m.ref == "" {
		return -1
	}
	if m.codebase == "" && !m.header {
		m.codebase = c.inner
	}
	key := m.ref
	if m.codebase != "" || m.header {
		key = m.codebase + "\x00" + m.ref // no reference has a NUL
	}
	first, known := c.index[key]
	if known {
		for i := first; i >= 0; i = c.mentions[i].next {
			if old := &c.mentions[i]; old.kind == m.kind {
				old.noFollow = old.noFollow && m.noFollow
				old.text = cmp.Or(old.text, m.text)
				return i
			}
		}
	}
	if len(c.mentions) >= c.options.MaxLinks {
		c.result.LinksCut = true
		return -1
	}
	i := int32(len(c.mentions))
	m.next = -1
	if known {
		m.next, c.mentions[first].next = c.mentions[first].next, i
	} else {
		c.index[key] = i
	}
	c.mentions = append(c.mentions, m)
	return i
}

// readBase takes the base of a document. Browsers ask for pictures, styles, scripts and frames when
// they come to them: those that stand before it are relative to the page. Plug-ins, films and the
// pictures of scripts come later, as links are followed later. Source: HTML standard, 4.2.3 (the base
// element, "affected by a base URL change"); Chromium 156, by what it asked for.
func (c *gathering) readBase(href string) {
	switch {
	case c.nested > 0 && c.inner == "":
		c.inner = href
	case c.nested == 0 && !c.based:
		c.base, c.based = href, true
		for i := range c.mentions {
			m := &c.mentions[i]
			switch m.kind {
			case page.Refresh, page.Embed, page.Frame:
				m.header = m.header || !m.icon && !late(m.context)
			}
		}
		clear(c.index) // the same reference now means another file
	}
}

// late reports the context of a file that browsers do not ask for at once.
func late(context string) bool {
	switch context {
	case "object/@data", "embed/@src", "video/@src", "video/@poster", "audio/@src", "source/@src",
		"input/@src", "@background", "favicon":
		return true
	}
	return strings.HasPrefix(context, "@data-") || strings.HasSuffix(context, "/@data-src") ||
		strings.HasPrefix(context, "applet/")
}

// usable takes white space and the fragment off a reference. It is "" for a reference that cannot
// be fetched: a mere fragment, or another scheme than http and https (mailto, javascript, data, tel
// and so on).
func usable(ref string) string {
	for ref != "" && ref[0] <= ' ' {
		ref = ref[1:]
	}
	for i := 0; i < len(ref); i++ {
		c := ref[i]
		if letter(c) || i > 0 && (digit(c) || c == '+' || c == '-' || c == '.') || c == '\t' || c == '\n' ||
			c == '\r' {
			continue
		}
		if c == ':' && i > 0 && !isWeb(ref[:i]) {
			return ""
		}
		break
	}
	if i := strings.IndexByte(ref, '#'); i >= 0 {
		ref = ref[:i]
	}
	for ref != "" && ref[len(ref)-1] <= ' ' {
		ref = ref[:len(ref)-1]
	}
	if len(ref) > maxRef {
		return ""
	}
	return ref
}

// isWeb reports a scheme that is fetched. Tabs and line ends within a URL do not count.
func isWeb(scheme string) bool {
	if strings.ContainsAny(scheme, "\t\n\r") {
		scheme = withoutBreaks.Replace(scheme)
	}
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}

var withoutBreaks = strings.NewReplacer("\t", "", "\n", "", "\r", "")

// finish resolves the references and gives the result.
func (c *gathering) finish() Result {
	r := &c.result
	r.Base, c.spelled = c.in.URL, c.in.Spelled
	if c.based {
		if u, s, err := c.in.URL.ResolveSpelled(c.base, c.in.Spelled); err == nil {
			r.Base, c.spelled = page.URL(strings.Clone(string(u))), page.Spelling(strings.Clone(string(s)))
		}
	}
	if !c.titled {
		c.endTitle()
	}
	r.Language = cmp.Or(r.Language, c.language)
	if r.Language == "" {
		r.Language = firstLanguage(c.in.Header.Get("Content-Language"))
	}
	r.Inlay = c.inlays.inlay()
	if len(c.mentions) > 0 {
		r.Links = make([]page.Link, 0, len(c.mentions))
	}
	for i := range c.mentions {
		if c.linked > maxLinkBytes {
			r.LinksCut = true
			break
		}
		c.link(&c.mentions[i])
	}
	return *r
}

// link makes the link of a mention, or lets it go into one that is the same.
func (c *gathering) link(m *mention) {
	r := &c.result
	u, spelled, err := c.resolve(m)
	if err != nil || m.kind == page.Refresh && u == c.in.URL { // a page that reloads itself leads nowhere
		return
	}
	if m.icon && r.Icon == "" {
		r.Icon = u
	}
	noFollow := !c.options.Follow && (m.noFollow || r.NoFollow && heeds(m.kind))
	key := linkKey{u, spelled, m.kind}
	if i, ok := c.links[key]; ok {
		same := &r.Links[i]
		same.NoFollow = same.NoFollow && noFollow
		same.Text = cmp.Or(same.Text, m.text)
		return
	}
	c.links[key] = int32(len(r.Links))
	if m.kind == page.Canonical && r.Canonical == "" {
		r.Canonical = u
	}
	c.linked += len(u) + len(spelled) + len(m.text)
	r.Links = append(r.Links, page.Link{
		URL: u, Spelled: spelled, Kind: m.kind, NoFollow: noFollow,
		Context: m.context, Text: m.text,
	})
}

// resolve makes the URL of a mention, in memory of its own.
func (c *gathering) resolve(m *mention) (page.URL, page.Spelling, error) {
	base, spelled := c.result.Base, c.spelled
	if m.header {
		base, spelled = c.in.URL, c.in.Spelled
	}
	if m.codebase != "" {
		if u, s, err := base.ResolveSpelled(m.codebase, spelled); err == nil {
			base, spelled = u, s
		}
	}
	ref := m.ref
	if c.encoder != nil {
		ref = c.encodeQuery(ref)
	}
	u, s, err := base.ResolveSpelled(ref, spelled)
	// an absolute URL may have been taken as it stands, as a part of the page
	if err == nil && ref[0]|0x20 == 'h' {
		u, s = page.URL(strings.Clone(string(u))), page.Spelling(strings.Clone(string(s)))
	}
	return u, s, err
}

// heeds reports whether a page-wide nofollow counts for links of a kind: not for requisites of the
// page, nor for pages that stand for it.
func heeds(k page.LinkKind) bool {
	switch k {
	case page.Navigation, page.Form, page.Alternate, page.Feed:
		return true
	}
	return false
}

// firstLanguage is the first language of a Content-Language field.
func firstLanguage(s string) string {
	s, _, _ = strings.Cut(s, ",")
	return strings.Clone(strings.TrimSpace(s[:min(len(s), 64)]))
}
