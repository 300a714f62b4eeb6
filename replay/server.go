package replay

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/subtle"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"golang.org/x/net/html"

	"watershed/archive"
	"watershed/harvest"
	"watershed/holdings"
	"watershed/page"
)

//go:embed view.html
var files embed.FS

var viewPage = template.Must(template.ParseFS(files, "view.html"))

// Server replays the captures of harvests. Its addresses are
//
//	/KEY/HARVEST/view?u=URL&t=TIME    the view of the capture that is nearest to a time (14
//	                                  digits, or none for the last)
//	/KEY/HARVEST/page?u=URL&t=TIME    the capture itself, for the view's frame and for what a page needs
//	/KEY/HARVEST/drawn?u=URL&t=TIME   the page as it stood when a browser had drawn it
//	/KEY/HARVEST/picture?u=URL&t=TIME&of=WHAT  a picture of it
//	/KEY/HARVEST/files/NAME           a WARC file or package, by range; files/RUN/NAME has the
//	                                  index of a run too
//	/KEY/HARVEST/cdx?url=URL          lines of the indexes of all runs, by the CDX server API
//
// The last two are for replay programs, which have the key by their configuration.
//
// It is safe for concurrent use where Folder is, and does not change.
type Server struct {
	Key string // hard to guess
	// Folder is that of a harvest by its name; ok is false where there is none.
	Folder func(name string) (folder harvest.Folder, ok bool)
	// Allowed reports a request that was addressed to this server by a name of its own, and not by
	// another site's page.
	Allowed func(*http.Request) bool
	// Text makes a text from the web fit to be read.
	Text func(string) string
	// Sheet is the style sheet of the views.
	Sheet []byte
}

// Bounds of the memory held.
const (
	maxMarkup  = 8 << 20  // bytes of a page or style sheet; a longer one is shown to there
	maxDecoded = 64 << 20 // bytes of anything else that is compressed
)

// timeForm is how addresses tell moments.
const timeForm = "20060102150405"

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-DNS-Prefetch-Control", "off")
	h.Set("Cache-Control", "no-store")
	if !s.Allowed(r) {
		http.Error(w, "This is not a name of this desk.", http.StatusMisdirectedRequest)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodOptions {
		http.Error(w, "Only GET and HEAD are understood.", http.StatusMethodNotAllowed)
		return
	}
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if subtle.ConstantTimeCompare([]byte(parts[0]), []byte(s.Key)) != 1 {
		http.Error(w, "Open archived pages from the desk.", http.StatusForbidden)
		return
	}
	// fonts, which the opaque origin of a page asks for, and replay programs; the key keeps others
	// out
	h.Set("Access-Control-Allow-Origin", "*")
	if r.Method == http.MethodOptions {
		preflight(h)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if len(parts) == 2 && parts[1] == "desk.css" {
		h.Set("Content-Type", "text/css; charset=utf-8")
		_, _ = w.Write(s.Sheet) // who asked is gone if this fails
		return
	}
	if len(parts) < 3 {
		http.NotFound(w, r)
		return
	}
	folder, ok := s.Folder(parts[1])
	if !ok {
		http.NotFound(w, r)
		return
	}
	switch what := parts[2]; {
	case what == "files" && (len(parts) == 4 || len(parts) == 5):
		h.Set("Access-Control-Expose-Headers", "Accept-Ranges, Content-Length, Content-Range, Last-Modified")
		s.file(w, r, folder, parts[3:])
	case what == "cdx" && len(parts) == 3:
		s.captures(w, r, folder)
	case (what == "view" || what == "page" || what == "drawn" || what == "picture") && len(parts) == 3:
		s.shows(w, r, folder, what)
	default:
		http.NotFound(w, r)
	}
}

// preflight tells a page of another origin, such as that of a replay program, that it may ask for
// ranges, also where it comes from the public web and this machine is private (W3C, Private Network
// Access).
func preflight(h http.Header) {
	h.Set("Access-Control-Allow-Methods", "GET, HEAD")
	h.Set("Access-Control-Allow-Headers", "Range")
	h.Set("Access-Control-Allow-Private-Network", "true")
	h.Set("Access-Control-Max-Age", "600")
}

// shows answers for a capture: its view, or the capture itself.
func (s *Server) shows(w http.ResponseWriter, r *http.Request, folder harvest.Folder, what string) {
	u, at, err := asked(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	map[string]func(http.ResponseWriter, *http.Request, harvest.Folder, page.URL, time.Time){
		"view": s.view, "page": s.page, "drawn": s.drawn, "picture": s.picture,
	}[what](w, r, folder, u, at)
}

// asked reads the URL and the time for which an address asks.
func asked(q url.Values) (u page.URL, at time.Time, err error) {
	if u, err = page.ParseURL(q.Get("u")); err != nil {
		return u, at, fmt.Errorf("u is no address of a web page")
	}
	if text := q.Get("t"); text != "" {
		if at, err = time.Parse(timeForm, text); err != nil {
			return u, at, fmt.Errorf("t is a time of 14 digits")
		}
	}
	return u, at, nil
}

// Address is that of a capture, below the harvest's.
func Address(what string, u page.URL, at time.Time) string {
	q := url.Values{"u": {string(u)}}
	if !at.IsZero() {
		q.Set("t", at.UTC().Format(timeForm))
	}
	return what + "?" + q.Encode()
}

// PictureAddress is that of a picture of a page that a browser has drawn, below the harvest's.
func PictureAddress(of string, u page.URL, at time.Time) string {
	return Address("picture", u, at) + "&of=" + of
}

// origin is the server's own, as policies name it. In a page whose origin is opaque, 'self' may
// mean nothing.
func origin(r *http.Request) string { return "'self' http://" + r.Host + " https://" + r.Host }

// shown has the facts that the banner tells.
type shown struct {
	Key, Frame         string
	Asked, URL         string
	Time, Run, Revisit string
	Rules              []string
	Problem            string
	Next, NextURL      string // the view to which the page leads on by itself, after a time
	Other              bool   // what is shown has another address than what was asked for
	Drawn, Sent        string // the views of the page as a browser drew it, and as its server sent it
	File               string // name of a file that no frame can show, and that is saved instead
}

// view shows a capture with its banner.
func (s *Server) view(w http.ResponseWriter, r *http.Request, folder harvest.Folder, u page.URL,
	at time.Time,
) {
	v := shown{Key: s.Key, Asked: s.Text(string(u))}
	status := http.StatusOK
	f, err := holdings.Find(folder, u, at)
	if err == nil {
		var rec *archive.Record
		v.URL, v.Time, v.Run, v.Rules, v.Other = s.Text(string(f.URL)), f.Time.Format(time.DateTime), f.Run,
			f.Rules, f.URL != u
		captured := f.Time
		v.Frame = Address("page", f.URL, captured)
		if err = v.drawing(f, r.URL.Query().Get("as") == "sent"); err == nil {
			rec, err = f.Open(folder)
		}
		if err == nil {
			s.look(&v, rec, f, captured)
			err = rec.Close()
		}
		if f.Revisit != nil {
			v.Revisit = f.Revisit.Time.Format(time.DateTime) + " of " + s.Text(string(f.Revisit.URL))
		}
	}
	for i := range v.Rules {
		v.Rules[i] = s.Text(v.Rules[i])
	}
	if err != nil {
		status, v.Problem = problem(err)
		v.Frame = ""
	}
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; frame-src "+origin(r)+
		"; form-action 'none'; base-uri 'none'; frame-ancestors 'none'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	var b bytes.Buffer
	if err := viewPage.Execute(&b, v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(status)
	_, _ = b.WriteTo(w) // who asked is gone if this fails
}

// look has the view tell where the page leads, and of a file that it is to be saved: in a frame of a page
// that must do nothing, browsers save nothing.
func (s *Server) look(v *shown, rec *archive.Record, f *holdings.Found, captured time.Time) {
	m, err := rec.HTTP()
	if err != nil {
		return // told in the frame
	}
	if next := leadsOn(m, f); next != "" {
		v.Next, v.NextURL = Address("view", next, captured), s.Text(string(next))
	}
	declared := declaredType(m)
	if servedAs(declared) == unknown && !markupType(declared) && !leadsElsewhere(m) {
		v.File = s.Text(fileName(f.URL))
	}
}

// fileName is the last part of the path of a URL that is one.
func fileName(u page.URL) string {
	name := path.Base(u.Path())
	if text, err := url.PathUnescape(name); err == nil && !strings.ContainsAny(text, `/\`) {
		name = text
	}
	return cmp.Or(strings.Trim(name, "/. "), "file")
}

// drawing has the view show the page as a browser has drawn it, unless it was asked for as it was sent.
func (v *shown) drawing(f *holdings.Found, sent bool) error {
	has, err := f.HasDrawn(archive.DrawnMarkup)
	if err != nil || !has {
		return err
	}
	if sent {
		v.Drawn = Address("view", f.URL, f.Time)
		return nil
	}
	v.Sent, v.Frame = Address("view", f.URL, f.Time)+"&as=sent", Address("drawn", f.URL, f.Time)
	return nil
}

// problem is the answer with an error.
func problem(err error) (status int, text string) {
	if errors.Is(err, holdings.ErrNotHeld) {
		return http.StatusNotFound, err.Error()
	}
	if errors.Is(err, harvest.ErrRemoved) {
		return http.StatusNotFound, "The capture is in a WARC file that is not here: " + err.Error()
	}
	return http.StatusInternalServerError, "the capture cannot be read: " + err.Error()
}

// page serves a capture.
func (s *Server) page(w http.ResponseWriter, r *http.Request, folder harvest.Folder, u page.URL,
	at time.Time,
) {
	f, err := holdings.Find(folder, u, at)
	var rec *archive.Record
	if err == nil {
		rec, err = f.Open(folder)
	}
	if err != nil {
		status, text := problem(err)
		http.Error(w, text, status)
		return
	}
	defer func() { _ = rec.Close() }() // it was only read
	m, err := rec.HTTP()
	if err != nil {
		http.Error(w, "the capture cannot be read: "+err.Error(), http.StatusInternalServerError)
		return
	}
	pagePolicy(w, r)
	if leadsElsewhere(m) {
		target, err := f.URL.Resolve(m.Header.Get("Location"))
		if err != nil {
			http.Error(w, "The capture leads to what is no address of a web page.", http.StatusNotFound)
			return
		}
		q := r.URL.Query()
		q.Set("u", string(target))
		w.Header().Set("Location", "page?"+q.Encode())
		w.WriteHeader(http.StatusFound)
		return
	}
	s.content(w, r, m, f)
}

// leadsElsewhere reports a redirect.
func leadsElsewhere(m *archive.Message) bool {
	return m.Status >= 300 && m.Status < 400 && m.Header.Get("Location") != ""
}

// declaredType is the media type of an answer, in lower case; "" for none.
func declaredType(m *archive.Message) string {
	declared, _, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		declared = strings.ToLower(m.MIME())
	}
	return declared
}

// markupType reports the type of a page, or none, which is taken for one.
func markupType(declared string) bool {
	return declared == "text/html" || declared == "application/xhtml+xml" || declared == ""
}

// pagePolicy has an archived page load what is archived, and do nothing.
func pagePolicy(w http.ResponseWriter, r *http.Request) {
	own := origin(r)
	w.Header().Set("Content-Security-Policy",
		"sandbox allow-top-navigation-by-user-activation; default-src 'none'; img-src data: "+own+
			"; style-src 'unsafe-inline' "+own+
			"; font-src data: "+own+"; media-src "+own+"; frame-src "+own+
			"; form-action 'none'; base-uri 'none'")
}

// linker gives what the addresses in a capture become.
func linker(f *holdings.Found) func(page.URL, kind) string {
	return func(u page.URL, k kind) string {
		switch k {
		case Page:
			return Address("view", u, f.Time)
		case style:
			return Address("page", u, f.Time) + "&k=css"
		case Embed:
			return Address("page", u, f.Time) + "&k=part"
		}
		return Address("page", u, f.Time)
	}
}

// content serves the payload by its media type.
func (s *Server) content(w http.ResponseWriter, r *http.Request, m *archive.Message, f *holdings.Found) {
	declared, link := declaredType(m), linker(f)
	status := http.StatusOK
	if m.Status >= 400 && m.Status != http.StatusUnauthorized {
		status = m.Status
	}
	kind := r.URL.Query().Get("k")
	if dest := r.Header.Get("Sec-Fetch-Dest"); kind == "part" &&
		(dest == "document" || strings.HasSuffix(dest, "frame")) {
		kind = "" // a picture that is looked at by itself
	}
	switch {
	case kind == "css":
		text := string(styleText(m, f.URL))
		send(w, status, "text/css; charset=utf-8", strings.NewReader(rewriteSheet(text, f.URL, link, false)))
	case kind == "part":
		s.part(w, m, declared, status)
	case markupType(declared):
		text := pageText(m.Decoded(maxMarkup).Bytes, m.Header.Get("Content-Type"), f.URL)
		send(w, status, "text/html; charset=utf-8", bytes.NewReader(rewriteMarkup(text, f.URL, link)))
	case declared == "image/svg+xml":
		send(w, status, "text/html; charset=utf-8",
			strings.NewReader(`<!doctype html><title>A picture</title><img alt="" src="`+
				html.EscapeString(link(f.URL, Embed))+`">`))
	default:
		send(w, status, servedAs(declared), payload(m))
	}
}

// part serves a requisite of a page: a picture, a font, a sound. Browsers go by its first bytes
// where its type is wrong, and so does this; markup is served as a picture or not at all.
func (s *Server) part(w http.ResponseWriter, m *archive.Message, declared string, status int) {
	in := bufio.NewReaderSize(payload(m), sniffBytes)
	as := servedAs(declared)
	switch {
	case declared == "image/svg+xml":
		as = declared
	case !pictured(declared):
		begin, _ := in.Peek(sniffBytes) // what there is of it
		if found := http.DetectContentType(begin); pictured(found) {
			as = found
		}
	}
	send(w, status, as, in)
}

// sniffBytes is how much of a payload decides on its type. Source: WHATWG MIME Sniffing, 5.2: 1445
// at most; net/http takes 512.
const sniffBytes = 512

// pictured reports the type of a file that is seen or heard, and is no markup.
func pictured(mime string) bool {
	major, _, _ := strings.Cut(mime, "/")
	return major == "image" || major == "audio" || major == "video" || major == "font"
}

// payload is the payload without its content codings.
func payload(m *archive.Message) io.Reader {
	if codings := m.Header.All("Content-Encoding"); len(codings) > 0 {
		return bytes.NewReader(archive.Decode(m.Payload(), codings, maxDecoded).Bytes)
	}
	return m.Payload()
}

// unknown is the media type of what browsers are to save.
const unknown = "application/octet-stream"

func send(w http.ResponseWriter, status int, as string, body io.Reader) {
	if as == unknown {
		w.Header().Set("Content-Disposition", "attachment")
	}
	w.Header().Set("Content-Type", as)
	w.WriteHeader(status)
	_, _ = io.Copy(w, body) // who asked is gone, or the capture is cut: what there is was shown
}

// servedAs is the media type under which a payload that is neither markup nor style is served.
func servedAs(declared string) string {
	switch {
	case declared == "image/svg+xml": // markup, with links that can be clicked
		return "text/plain; charset=utf-8"
	case pictured(declared), strings.HasPrefix(declared, "application/font"),
		strings.HasPrefix(declared, "application/x-font"):
		return declared
	case strings.HasPrefix(declared, "text/"), declared == "application/json",
		strings.HasSuffix(declared, "xml"), strings.HasSuffix(declared, "javascript"):
		return "text/plain; charset=utf-8"
	}
	return unknown
}
