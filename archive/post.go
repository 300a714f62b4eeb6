package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"mime"
	"mime/multipart"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"watershed/page"
)

// Answers to other requests than GET are found by the address with the method and the body as
// arguments, as pywb, cdxj-indexer and ReplayWeb.page agreed:
//
//	http://example.org/search  by POST, with the form q=dam  →  org,example)/search?__wb_method=post&q=dam
//
// The arguments of POST and PUT are the fields of a form, in one part or several; the values of JSON
// by their names; else the body itself in base64. Sources: the manual of pywb ("POST request replay"),
// and the tests of pywb and cdxj-indexer, whose cases are those of TestPost.

// MethodArgument stands in the key of an answer to a request of another method than GET.
const MethodArgument = "__wb_method="

// digestArgument stands before the digest in an address.
const digestArgument = "&__wb_digest="

// maxArguments bounds the arguments that a request body stands for, in characters, as pywb and
// cdxj-indexer cut them.
const maxArguments = 4096

// Bounds on a request body.
const (
	maxPosted    = 16 << 20 // bytes of a body that is read
	unsaidLength = 8192     // bytes of a body whose length is not told, as cdxj-indexer reads it
)

// otherMethods are those of RFC 9110 and RFC 5789 without GET, and without HEAD, which pywb and
// others look up like GET.
var otherMethods = []string{"POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"}

// asked is a request of one of otherMethods.
type asked struct {
	method string
	query  string // the body as arguments
	digest string // of the body; "" where the arguments tell all of it
}

// MethodOf is the method that a request line begins with; "GET" where that word is none of HTTP's,
// and says nothing of what was asked: some write "HTTP/1.1 200 OK" there.
func MethodOf(line string) string {
	word, _, _ := strings.Cut(line, " ")
	if word = strings.ToUpper(word); word == "HEAD" || slices.Contains(otherMethods, word) {
		return word
	}
	return "GET"
}

// askedBy reads a request record; nil where its method is none of otherMethods.
func askedBy(rec *Record) (*asked, error) {
	m, err := rec.HTTP()
	if err != nil {
		return nil, err
	}
	a := &asked{method: MethodOf(m.Start)}
	if !slices.Contains(otherMethods, a.method) {
		return nil, nil
	}
	if a.method != "POST" && a.method != "PUT" {
		return a, nil
	}
	length := int64(unsaidLength)
	if text := m.Header.Get("Content-Length"); text != "" {
		if length, err = parseLength(strings.TrimSpace(text)); err != nil {
			return a, nil
		}
	}
	body := m.Decoded(min(length, maxPosted))
	var format *FormatError
	if errors.As(body.Err, &format) {
		return nil, body.Err
	}
	a.sends(m.Header.Get("Content-Type"), body.Bytes)
	return a, nil
}

// sends takes up what is sent. Browsers draw the boundary of a form anew each time, so the digest
// leaves it out.
func (a *asked) sends(mediaType string, body []byte) {
	text, whole := bodyArguments(mediaType, body)
	if a.query = cutRunes(text, maxArguments); !whole || a.query != text {
		if _, params, err := mime.ParseMediaType(mediaType); err == nil && params["boundary"] != "" {
			body = bytes.ReplaceAll(body, []byte(params["boundary"]), nil)
		}
		sum := sha256.Sum256(body)
		a.digest = hex.EncodeToString(sum[:16])
	}
}

// AddressOf is the address of an answer to a request of a body of that media type: that of the request,
// unless its method is another than GET and HEAD, with method and body as arguments then, and a digest
// of the body where these do not tell all of it, which no index has.
func AddressOf(method, uri, mediaType string, body []byte) string {
	if method == "GET" || method == "HEAD" {
		return uri
	}
	a := asked{method: method}
	a.sends(mediaType, body)
	return a.ownAddress(uri)
}

// PostedBy is the address of the answer to a request, as AddressOf gives it; "" where it is no
// POST.
func PostedBy(request *Record) (string, error) {
	a, err := askedBy(request)
	if a == nil || a.method != "POST" {
		return "", err
	}
	return a.ownAddress(request.TargetURI()), err
}

// key is the index key of an answer from that address.
func (a *asked) key(uri string) string { return keyOf(a.address(uri)) }

// address is that address with method and body as arguments.
func (a *asked) address(uri string) string {
	mark := "?"
	if strings.Contains(uri, "?") {
		mark = "&"
	}
	uri += mark + MethodArgument + a.method
	if a.query != "" {
		uri += "&" + a.query
	}
	return uri
}

// ownAddress is the address, and the digest where there is one.
func (a *asked) ownAddress(uri string) string {
	if uri = a.address(uri); a.digest != "" {
		uri, _, _ = strings.Cut(uri, "#") // as keys have it
		uri += digestArgument + a.digest
	}
	return uri
}

// keyOf is the key of an address in an index, which has no white space.
func keyOf(uri string) string { return strings.Join(strings.Fields(page.SURT(uri)), "%20") }

// mark makes an entry that of an answer to the request.
func (a *asked) mark(e *Entry) {
	e.Key = a.key(e.URL)
	if e.Extra == nil {
		e.Extra = map[string]string{}
	}
	e.Extra["method"] = a.method
	if a.method == "POST" || a.method == "PUT" {
		e.Extra["requestBody"] = a.query
	}
}

func cutRunes(text string, most int) string {
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i]
		}
	}
	return text
}

// bodyArguments are the arguments that a body of that type stands for; whole is false where other bodies
// have the same: values of JSON without a name are left out, and escapes of a form are undone.
func bodyArguments(mediaType string, body []byte) (text string, whole bool) {
	is := func(prefix string) bool { return strings.HasPrefix(mediaType, prefix) }
	if len(body) == 0 {
		return "", true
	}
	switch {
	case is("application/x-www-form-urlencoded") && utf8.Valid(body):
		text = unquotePlus(string(body))
		return text, !ambiguous(string(body), text)
	case is("multipart/"):
		if text, ok := formArguments(mediaType, body); ok {
			return text, true
		}
	case is("application/json"), is("text/plain"):
		text, ok, whole := jsonArguments(body)
		if ok || is("application/json") { // no arguments of what is no JSON
			return text, whole
		}
	}
	return "__wb_post_data=" + base64.StdEncoding.EncodeToString(body), true
}

// ambiguous reports a form whose escapes stood for what divides arguments, or for the sign at which an
// address ends.
func ambiguous(form, text string) bool {
	return strings.Contains(text, "#") || strings.Count(form, "&") != strings.Count(text, "&") ||
		strings.Count(form, "=") != strings.Count(text, "=")
}

// unquotePlus undoes "+" and percent escapes; wrong escapes stay, and bytes that are no UTF-8 become
// U+FFFD.
func unquotePlus(text string) string {
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '+' {
			c = ' '
		} else if c == '%' && i+2 < len(text) {
			if n, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				c = byte(n)
				i += 2
			}
		}
		b = append(b, c)
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

// formArguments are the fields of a form in several parts; ok is false where it has no boundary.
func formArguments(mediaType string, body []byte) (text string, ok bool) {
	_, params, err := mime.ParseMediaType(mediaType)
	boundary := params["boundary"]
	if err != nil || boundary == "" {
		_, boundary, _ = strings.Cut(mediaType, "boundary=")
	}
	if boundary == "" {
		return "", false
	}
	var list arguments
	for parts := multipart.NewReader(bytes.NewReader(body), boundary); ; {
		part, err := parts.NextRawPart()
		if err != nil || list.full() { // the end, or damage: the fields before it count
			return list.String(), true
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return list.String(), true
		}
		list.add(part.FormName(), string(value))
	}
}

// arguments are encoded one by one, until there are more than are used.
type arguments struct{ text strings.Builder }

// full reports as many characters, each of a byte, as are used.
func (l *arguments) full() bool { return l.text.Len() > maxArguments }

func (l *arguments) add(name, value string) {
	if l.text.Len() > 0 {
		l.text.WriteByte('&')
	}
	l.text.WriteString(url.QueryEscape(name) + "=" + url.QueryEscape(value))
}

func (l *arguments) String() string { return l.text.String() }

// jsonArguments are the values of a JSON text, or of lines of JSON, by the names of the objects that
// hold them: {"a": 1, "b": [{"a": true}]} is a=1&a.2_=true. A value without a name is left out; ok
// is false for what is no JSON, and whole where a value was left out.
func jsonArguments(body []byte) (text string, ok, whole bool) {
	w := jsonWalk{times: map[string]int{}}
	switch {
	case json.Valid(body):
		w.read(body)
	case !bytes.Contains(body, []byte("\n")):
		return "", false, false
	default:
		for line := range bytes.SplitSeq(body, []byte("\n")) {
			if !json.Valid(line) {
				return "", false, false
			}
			w.read(line)
		}
	}
	return w.list.String(), true, !w.nameless
}

// jsonWalk collects the values of JSON texts.
type jsonWalk struct {
	list     arguments
	times    map[string]int // that a name was used
	nameless bool           // a value was left out
}

// read reads a valid text.
func (w *jsonWalk) read(text []byte) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	w.walk(d, "")
}

// walk reads the next value of the text, whose depth json.Valid has bounded to 10,000.
func (w *jsonWalk) walk(d *json.Decoder, name string) {
	token, err := d.Token()
	if err != nil {
		return
	}
	begins, nested := token.(json.Delim)
	if !nested {
		w.add(name, token)
		return
	}
	for d.More() && !w.list.full() {
		if begins == '{' {
			key, _ := d.Token() // valid
			name, _ = key.(string)
		}
		w.walk(d, name)
	}
	_, _ = d.Token() // its end
}

func (w *jsonWalk) add(name string, value any) {
	if name == "" {
		w.nameless = true
		return
	}
	w.times[name]++
	if n := w.times[name]; n > 1 {
		name += "." + strconv.Itoa(n) + "_"
	}
	w.list.add(name, scalar(value))
}

// scalar writes a value as JavaScript and pywb do: 2.0 is "2". Replay looks up that; cdxj-indexer
// 1.4.6 has Python's None and True.
func scalar(value any) string {
	switch v := value.(type) {
	case bool:
		return strconv.FormatBool(v)
	case string:
		return v
	case json.Number:
		return number(string(v))
	}
	return "null"
}

func number(text string) string {
	if !strings.ContainsAny(text, ".eE") {
		return text
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	if i, accuracy := big.NewFloat(f).Int(nil); accuracy == big.Exact {
		return i.String()
	}
	form := byte('f')
	if f < 1e-4 && f > -1e-4 {
		form = 'e'
	}
	return strconv.FormatFloat(f, form, -1, 64)
}

// pairing finds the request of each answer among the records about it: those of one address of which
// one names the other as concurrent, with nothing but metadata between them. An entry waits until
// its request can no longer come.
type pairing struct {
	yield     func(Entry) error
	stopped   error  // of yield
	described bool   // entries tell more
	entry     *Entry // that waits
	ids       pairIDs
	request   *asked // that came before its answer
	before    pairIDs
}

type pairIDs struct {
	id, uri string
	named   []string
}

// with reports that the records belong together.
func (p pairIDs) with(q pairIDs) bool {
	return p.uri == q.uri && (slices.Contains(p.named, q.id) || slices.Contains(q.named, p.id))
}

// asked takes in a request.
func (p *pairing) asked(ids pairIDs, a *asked) error {
	if p.entry == nil || !p.ids.with(ids) {
		p.request, p.before = a, ids
		return nil
	}
	if a != nil {
		a.mark(p.entry)
	}
	return p.flush()
}

// answer takes in the entry of a record.
func (p *pairing) answer(ids pairIDs, e *Entry) error {
	if err := p.flush(); err != nil {
		return err
	}
	p.entry, p.ids = e, ids
	if p.before.id == "" || !p.before.with(ids) {
		return nil
	}
	if p.request != nil {
		p.request.mark(e)
	}
	p.request, p.before = nil, pairIDs{}
	return p.flush()
}

// flush yields the entry that waits.
func (p *pairing) flush() error {
	e := p.entry
	if e == nil {
		return nil
	}
	p.entry = nil
	return p.yield(*e)
}
