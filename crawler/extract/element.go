package extract

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"watershed/page"
)

// readElement takes the links and facts of a start tag. The rules are the same for both drivers.
func (c *collector) readElement(a atom.Atom, name string, attrs []html.Attribute) {
	for i := range attrs {
		c.readAttribute(&attrs[i])
	}
	if c.svg > 0 {
		c.inlays.element(name, attrs, a == atom.Svg && c.svg == 1)
	}
	switch a {
	case atom.A:
		c.readAnchor(attrs)
	case atom.Area:
		m := mention{
			kind: page.Navigation, context: "area/@href", ref: attr(attrs, "href"),
			noFollow: notFollowed(attrs),
		}
		c.label(c.take(m), attr(attrs, "alt"))
	case atom.Link:
		c.readLink(attrs)
	case atom.Meta:
		c.readMeta(attrs)
	case atom.Img, atom.Image:
		c.readImage(attrs)
	case atom.Script:
		c.embed("script/@src", attr(attrs, "src"))
		c.script = scriptKindOf(attrs)
		if c.svg > 0 {
			c.embed("script/@href", svgHref(attrs))
		}
	case atom.Form:
		c.formGets = sentByGet(attr(attrs, "method"))
		if c.formGets {
			c.take(mention{
				kind: page.Form, context: "form/@action", ref: attr(attrs, "action"),
				noFollow: notFollowed(attrs),
			})
		}
	case atom.Button, atom.Input:
		c.readControl(a, attrs)
	case atom.Option: // of a menu whose script goes to what is chosen
		if ref := attr(attrs, "value"); pageName.MatchString(ref) {
			c.add(page.Navigation, "option/@value", ref)
		}
	case atom.Frame:
		c.add(page.Frame, "frame/@src", attr(attrs, "src"))
	case atom.Iframe:
		c.readInlineFrame(attrs)
	case atom.Base:
		if href, ok := find(attrs, "href"); ok && !c.foreign && c.noscript == 0 {
			c.readBase(href)
		}
	case atom.Html:
		c.readRoot(attrs)
	case atom.Body, atom.Table, atom.Tr, atom.Td, atom.Th, atom.Tbody, atom.Thead, atom.Tfoot:
		c.embed("@background", attr(attrs, "background"))
	default:
		if name == "layer" || name == "ilayer" { // of Netscape 4
			c.add(page.Frame, name+"/@src", attr(attrs, "src"))
		}
		c.readMedia(a, name, attrs)
	}
}

// readAttribute takes attributes that any element may have: a style, and in pictures the addresses
// of paints.
func (c *parts) readAttribute(a *html.Attribute) {
	switch a.Key {
	case "style":
		c.readStyle(a.Val, "@style/url", "@style/@import")
	case "fill", "stroke", "filter", "mask", "clip-path", "marker", "marker-start", "marker-mid",
		"marker-end", "cursor":
		if c.svg > 0 && strings.Contains(a.Val, "(") {
			c.readStyle(a.Val, "svg/url", "svg/url")
		}
	case "data-bg", "data-background", "data-background-image", "data-bg-src", "data-bg-hidpi":
		if !c.options.Lazy {
			return
		}
		if strings.Contains(a.Val, "(") {
			c.readStyle(a.Val, "@data-bg", "@data-bg")
		} else if isFile(a.Val) {
			c.embed("@data-bg", a.Val)
		}
	case "data-bgset":
		if c.options.Lazy {
			c.readSrcset("@data-bg", a.Val)
		}
	case "onclick", "onmousedown", "onmouseup", "onkeydown", "onkeypress", "onchange", "onsubmit":
		c.readOpens("@"+a.Key, a.Val, true)
		c.readHandler("@"+a.Key, a.Val, true)
	case "onload", "onmouseover", "onmouseout", "onmouseenter", "onmouseleave", "onfocus", "onblur":
		c.readHandler("@"+a.Key, a.Val, false)
	case "href":
		c.readScriptURL(scriptURL(a.Val))
	}
}

// isFile reports a value that is the address of a picture, and no colour or name of one.
func isFile(v string) bool {
	path, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(v)), "?")
	if strings.ContainsAny(path, " ;{}") {
		return false
	}
	return isPicture(path) || strings.HasPrefix(path, "/") || strings.HasPrefix(path, "http://") ||
		strings.HasPrefix(path, "https://")
}

// isPicture reports a path in lower case that ends like the name of a picture.
func isPicture(path string) bool {
	switch ext := path[strings.LastIndexByte(path, '.')+1:]; ext {
	case "jpg", "jpeg", "png", "gif", "webp", "avif", "svg", "bmp", "jxl":
		return len(ext) < len(path)
	}
	return false
}

// readMedia takes the elements that show something from elsewhere.
func (c *parts) readMedia(a atom.Atom, name string, attrs []html.Attribute) {
	switch a {
	case atom.Source, atom.Video, atom.Audio, atom.Track, atom.Bgsound, atom.Embed:
		c.embed(name+"/@src", attr(attrs, "src"))
	}
	switch a {
	case atom.Source:
		c.readSrcset("source/@srcset", attr(attrs, "srcset"))
		c.lazy(attrs)
	case atom.Video:
		c.embed("video/@poster", attr(attrs, "poster"))
		c.lazy(attrs)
	case atom.Audio:
		c.lazy(attrs)
	case atom.Object:
		c.embed("object/@data", attr(attrs, "data")) // browsers do not heed its codebase
	case atom.Applet:
		c.readApplet(attrs)
	case atom.Param:
		c.readParam(attrs)
	case 0: // names that only pictures have, or AMP
		c.readAMP(name, attrs)
		if c.svg > 0 && (name == "use" || strings.EqualFold(name, "feimage")) {
			c.embed("svg/@href", svgHref(attrs))
		}
	}
}

// readAMP takes the elements that the scripts of AMP put in the place of img and its like. Source:
// amp.dev, "Components".
func (c *parts) readAMP(name string, attrs []html.Attribute) {
	switch name {
	case "amp-img", "amp-anim":
		c.readImage(attrs)
	case "amp-video", "amp-audio":
		c.embed("video/@src", attr(attrs, "src"))
		c.embed("video/@poster", attr(attrs, "poster"))
	case "amp-iframe":
		c.add(page.Frame, "iframe/@src", attr(attrs, "src"))
	}
}

func (c *gathering) embed(context, ref string) int32 {
	if ref == "" {
		return -1
	}
	return c.add(page.Embed, context, ref)
}

// label gives a mention, if it is one, its text.
func (c *gathering) label(mention int32, text string) {
	if mention >= 0 && text != "" && c.mentions[mention].text == "" {
		c.mentions[mention].text = folded(text, maxLinkText)
	}
}

func (c *parts) readAnchor(attrs []html.Attribute) {
	ref := attr(attrs, "href")
	if ref == "" && c.svg > 0 {
		ref = svgHref(attrs)
	}
	c.beginAnchor(c.take(mention{
		kind: page.Navigation, context: "a/@href", ref: ref,
		noFollow: notFollowed(attrs),
	}))
}

// notFollowed reports a link whose author does not vouch for it. Source: Google, "Qualify your
// outbound links" (nofollow, ugc, sponsored).
func notFollowed(attrs []html.Attribute) bool {
	rel := attr(attrs, "rel")
	return rel != "" && (hasToken(rel, "nofollow") || hasToken(rel, "ugc") || hasToken(rel, "sponsored"))
}

func (c *parts) readImage(attrs []html.Attribute) {
	alt := attr(attrs, "alt")
	c.label(c.embed("img/@src", attr(attrs, "src")), alt)
	if c.svg > 0 {
		c.embed("image/@href", svgHref(attrs))
	}
	c.readSrcset("img/@srcset", attr(attrs, "srcset"))
	c.embed("img/@lowsrc", attr(attrs, "lowsrc"))
	c.embed("img/@dynsrc", attr(attrs, "dynsrc"))
	if long := attr(attrs, "longdesc"); long != "" {
		c.add(page.Navigation, "img/@longdesc", long)
	}
	c.lazy(attrs)
	if c.anchor.mention >= 0 && alt != "" {
		c.anchor.text = appendFolded(c.anchor.text, alt, maxLinkText)
	}
}

// lazy takes the attributes from which scripts fill src and srcset once a picture comes into view.
func (c *parts) lazy(attrs []html.Attribute) {
	if !c.options.Lazy {
		return
	}
	for i := range attrs {
		a := &attrs[i]
		if !strings.HasPrefix(a.Key, "data-") {
			continue
		}
		switch {
		case a.Key == "data-original-set", hasWord(a.Key, "srcset"):
			c.readSrcset("@data-srcset", a.Val)
		case a.Key == "data-original", a.Key == "data-lazy", a.Key == "data-poster", hasWord(a.Key, "src"):
			c.readLazy(a.Val)
		}
	}
}

// hasWord reports a word of an attribute's name: data-full-src and data-src-small have "src".
func hasWord(key, word string) bool { return slices.Contains(strings.Split(key, "-"), word) }

// readLazy takes an address, or a list of them with commas between, perhaps with widths behind. A
// comma within an address divides nothing.
func (c *parts) readLazy(value string) {
	value = strings.TrimSpace(value)
	if strings.HasPrefix(value, "data:") {
		return
	}
	if strings.ContainsAny(value, " \t\n") && strings.Contains(value, ",") {
		c.readSrcset("@data-src", value)
		return
	}
	parts := strings.Split(value, ",")
	for _, part := range parts {
		if !isPicture(strings.ToLower(part)) {
			c.embed("@data-src", value)
			return
		}
	}
	for _, part := range parts {
		c.embed("@data-src", part)
	}
}

// sentByGet reports the method of a form; one that is missing or senseless means GET. Source: HTML
// standard, 4.10.19.6.
func sentByGet(method string) bool {
	return !strings.EqualFold(method, "post") && !strings.EqualFold(method, "dialog")
}

// readControl takes the pictures of buttons, and their own actions.
func (c *parts) readControl(a atom.Atom, attrs []html.Attribute) {
	if a == atom.Input && strings.EqualFold(attr(attrs, "type"), "image") {
		c.label(c.embed("input/@src", attr(attrs, "src")), attr(attrs, "alt"))
	}
	action := attr(attrs, "formaction")
	if action == "" {
		return
	}
	gets := c.formGets
	if method := attr(attrs, "formmethod"); method != "" {
		gets = sentByGet(method)
	}
	if gets {
		c.add(page.Form, "@formaction", action)
	}
}

func (c *collector) readInlineFrame(attrs []html.Attribute) {
	c.add(page.Frame, "iframe/@src", attr(attrs, "src"))
	if c.options.Lazy {
		c.add(page.Frame, "iframe/@data-src", attr(attrs, "data-src"))
		c.add(page.Frame, "iframe/@data-src", attr(attrs, "data-lazy-src"))
	}
	if doc := attr(attrs, "srcdoc"); doc != "" {
		c.inlays.add(doc)
		c.readNested(doc)
	}
}

func (c *parts) readRoot(attrs []html.Attribute) {
	if c.nested > 0 {
		return
	}
	if c.result.Language == "" {
		lang := cmp.Or(attr(attrs, "lang"), attr(attrs, "xml:lang"))
		c.result.Language = folded(lang[:min(len(lang), 64)], 64)
	}
	c.embed("html/@manifest", attr(attrs, "manifest"))
}

// readApplet takes the files from which a Java applet is loaded. Source: HTML 4.01, 13.4.
func (c *parts) readApplet(attrs []html.Attribute) {
	codebase := attr(attrs, "codebase")
	for archive := range strings.SplitSeq(attr(attrs, "archive"), ",") {
		c.take(mention{kind: page.Embed, context: "applet/@archive", ref: archive, codebase: codebase})
	}
	if code := attr(attrs, "code"); code != "" {
		if !strings.HasSuffix(code, ".class") {
			code = strings.ReplaceAll(code, ".", "/") + ".class"
		}
		c.take(mention{kind: page.Embed, context: "applet/@code", ref: code, codebase: codebase})
	}
}

// readParam takes the parameters that name the file which a plug-in shows.
func (c *parts) readParam(attrs []html.Attribute) {
	switch name := attr(attrs, "name"); {
	case strings.EqualFold(attr(attrs, "valuetype"), "ref"),
		strings.EqualFold(name, "movie"), strings.EqualFold(name, "src"), strings.EqualFold(name, "filename"):
		c.embed("param/@value", attr(attrs, "value"))
	}
}

// find is the first attribute of that name.
func find(attrs []html.Attribute, key string) (string, bool) {
	for i := range attrs {
		if attrs[i].Key == key && attrs[i].Namespace == "" {
			return attrs[i].Val, true
		}
	}
	return "", false
}

func attr(attrs []html.Attribute, key string) string {
	v, _ := find(attrs, key)
	return v
}

// svgHref is the href of an SVG element, in its own or the older notation, whatever the name that a
// document gives to it is; href comes first.
// Source: SVG 2, 16.1.5.
func svgHref(attrs []html.Attribute) string {
	if v, ok := find(attrs, "href"); ok {
		return v
	}
	for i := range attrs {
		if a := &attrs[i]; strings.HasSuffix(a.Key, ":href") || a.Key == "href" && a.Namespace == "xlink" {
			return a.Val
		}
	}
	return ""
}
