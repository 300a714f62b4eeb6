package extract

import (
	"bytes"
	"net/textproto"
	"strings"
	"sync"

	"watershed/internal/guard"
	"watershed/page"
)

// Input is a page for Extract. Body is the payload without transfer and content coding; it is
// neither changed nor kept.
type Input struct {
	URL     page.URL
	Spelled page.Spelling
	Status  int // 0 is taken for 200; of a redirect only the header is read
	Header  textproto.MIMEHeader
	Body    []byte
	Sitemap bool // the URL is known as a sitemap, so plain text and gzip are read as such

	// Text, when not nil, is called with the visible text of an HTML page in order, piece by piece:
	// entities decoded, white space as it stands, "\n" where a block of text begins or ends; and
	// with that of plain text, PDF and office documents. A piece is valid during the call only.
	// Without Text no text is collected.
	Text func(piece []byte)

	// Each, when not nil, is called with the pieces of an HTML page's markup, as Pieces calls it, while
	// the page is read.
	Each func(*Piece)
}

// InputOf is the input that an exchange makes. It holds no reference to the exchange but to its
// header and decoded body.
func InputOf(x *page.Exchange) Input {
	return Input{URL: x.URL, Spelled: x.Spelled, Status: x.Status, Header: x.Header, Body: x.Body.Bytes}
}

// Result has the links, facts and text of a page. It holds no part of Input.Body.
type Result struct {
	// Links are distinct by URL and kind, in the order of their first appearance, those of the
	// header first. A link that appears again is followed if any of its appearances may be, and has
	// the first text that is not empty.
	Links    []page.Link
	LinksCut bool // there were more than Options.MaxLinks, or than 64 MiB of them
	Read     bool // the body is of a kind that is read for links or text
	TextCut  bool // there was more than Options.MaxText

	Format    Format     // what the body was read as
	Declared  string     // media type as declared, in lower case, without parameters
	Sniffed   string     // media type as the first bytes look; "" for an empty body
	Charset   string     // WHATWG name of the encoding that the text was read in; "" where no text was read
	Title     string     // white space folded, at most 1 KiB
	Language  string     // html/@lang, else Content-Language; as found
	Base      page.URL   // what references were resolved against
	Canonical page.URL   // link rel=canonical, "" for none
	Icon      page.URL   // the first that it names; where it names none, /favicon.ico with Options.Icons
	NoIndex   bool       // robots meta or X-Robots-Tag
	NoFollow  bool       // the same, for the whole page
	Unended   bool       // it is HTML without an end tag of its body, as that of an answer which was cut
	Inlay     page.Inlay // what the page holds in itself that is no text; "" where nothing was read
	Err       error      // why the body was not read to its end, for a report; what was found before is there
}

// Extractor reads pages by one set of options. It is safe for concurrent use.
type Extractor struct {
	options Options
	pool    sync.Pool // of *collector
}

// New makes an Extractor. The error is that of Options.Validate.
func New(o Options) (*Extractor, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	e := &Extractor{options: o.withDefaults()}
	e.pool.New = func() any { return newCollector(&e.options) }
	return e, nil
}

// Extract reads one page. A failure is told in the result; where a reader of this package panics,
// or Input.Text does, the result has no links and its error wraps guard.ErrPanic.
func (e *Extractor) Extract(in Input) Result {
	c, ok := e.pool.Get().(*collector)
	if !ok {
		c = newCollector(&e.options)
	}
	var r Result
	// what c holds may be half done: it is left to the collector of garbage
	if err := guard.Call(func() { r = c.read(in) }); err != nil {
		return Result{Declared: contentType(in.Header), Base: in.URL, Err: err}
	}
	c.reset()
	e.pool.Put(c)
	return r
}

func (c *collector) read(in Input) Result {
	c.begin(in)
	c.readHeader()
	if !c.redirects() && len(in.Body) > 0 {
		c.readBody()
	}
	c.addIcon()
	c.addTwin()
	return c.finish()
}

func isRedirect(status int) bool { return status >= 300 && status < 400 }

// redirects reports an answer whose body no browser shows. A redirect that does not say where it
// leads is a page like any other, and so is a choice among several addresses (RFC 9110, 15.4.1).
func (c *gathering) redirects() bool {
	return isRedirect(c.in.Status) && c.in.Status != 300 && c.in.Header.Get("Location") != ""
}

// addIcon takes the icon that browsers ask for where a page names none. Source: HTML standard,
// 4.6.7.8 (link type "icon").
func (c *collector) addIcon() {
	if c.options.Icons && !c.iconed && c.result.Format == HTML && c.in.Status < 300 {
		c.take(mention{kind: page.Embed, context: "favicon", ref: "/favicon.ico", header: true, icon: true})
	}
}

// addTwin takes the address by which Chromium asks for one whose path has a vertical bar: it escapes
// the bar, though the URL standard does not, and replay in it finds nothing else.
func (c *collector) addTwin() {
	path, query, asked := strings.Cut(c.in.URL.As(c.in.Spelled), "?")
	if !strings.Contains(path, "|") || c.in.Status >= 300 {
		return
	}
	if path = strings.ReplaceAll(path, "|", "%7C"); asked {
		path += "?" + query
	}
	c.take(mention{kind: page.Embed, context: "chromium", ref: path, header: true})
}

// maxHead bounds the bytes that are read of modules' declarations, and of XML documents that are no
// pages: the files that they name stand in front.
const maxHead = 64 << 10

// maxScript bounds the bytes that are read of a script, and of an XML document that is no page.
const maxScript = 4 << 20

// readBody reads the body by its format.
func (c *collector) readBody() {
	body := c.in.Body
	c.result.Sniffed = sniff(body)
	c.result.Format = c.format()
	c.result.Read = c.result.Format != Opaque
	switch c.result.Format {
	case HTML, SVG:
		c.result.Unended = c.result.Format == HTML && !ended(body)
		text := c.decode(body)
		if c.isXML() {
			text = withEntities(text)
			c.readProlog(text)
		}
		c.readMarkup(text)
	case CSS:
		c.readStyle(c.decode(body), "css/url", "css/@import")
	case Feed, Sitemap:
		c.readProlog(ascii(body[:min(len(body), maxHead)]))
		c.readProtocol()
	case Opaque:
		c.readFilm()
		c.readPlaylist()
		switch head := body[:min(len(body), maxHead)]; {
		case IsScript(c.result.Declared):
			c.result.Read = true
			c.readScript(string(head))
			script := string(body[:min(len(body), maxScript)])
			c.readCalls(script, false)
			c.readData(script)
		case isXML(c.result.Declared):
			c.readProlog(ascii(head))
			switch root := rootOf(body); root {
			case "stylesheet", "transform":
				c.readTransform(c.decode(body))
			default:
				c.readXML(c.decode(body[:min(len(body), maxScript)]), root)
			}
		}
		c.readJSON()
		c.readDocument()
	}
}

// endSize is how much of a page is looked at for its end, in bytes: some write scripts behind it.
const endSize = 4 << 10

// ended reports HTML that has the end tag of its body, or of all of it, near its end.
func ended(body []byte) bool {
	end := body[max(0, len(body)-endSize):]
	for at := bytes.LastIndex(end, []byte("</")); at >= 0; at = bytes.LastIndex(end, []byte("</")) {
		name := end[at+2 : min(at+6, len(end))]
		if bytes.EqualFold(name, []byte("body")) || bytes.EqualFold(name, []byte("html")) {
			return true
		}
		end = end[:at]
	}
	return false
}

// contentType is the declared media type without parameters, in lower case; "" for none, as is a word
// that is no type. Of several that make sense, in fields of their own or between commas outside of
// quotes, the last counts. Source: WHATWG, Fetch, "extract a MIME type" and "get, decode, and split".
func contentType(h textproto.MIMEHeader) string {
	declared := ""
	rest := linkField{rest: strings.Join(h.Values("Content-Type"), ",")}
	for more := true; more; {
		value := rest.rest
		rest.skip()
		t, _, _ := strings.Cut(value[:len(value)-len(rest.rest)], ";")
		rest.rest, more = strings.CutPrefix(rest.rest, ",")
		t = strings.ToLower(strings.TrimSpace(t))
		if strings.Contains(t, "/") && (t != "*/*" || declared == "") {
			declared = t
		}
	}
	return strings.Clone(declared)
}
