package ui

import (
	"bytes"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// deskPolicy lets a page of the desk use what the desk serves, and nothing else.
const deskPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src " +
	"'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// headers are those of every answer. The desk's own pages are told where a request comes from, and
// nobody else: a browser that may not tell sends a form with the origin "null".
func headers(h http.Header, policy string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-DNS-Prefetch-Control", "off")
	h.Set("Cache-Control", "no-store")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
}

// gate lets in those who may see the desk, and no page of another origin.
type gate struct{ *Server }

// hostAllowed reports whether a request was addressed to this server by a name of its own. A page
// of another site that has its name resolve to this machine (DNS rebinding) asks under that name,
// never under an address.
func (s gate) hostAllowed(r *http.Request) bool {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		host, port = strings.Trim(r.Host, "[]"), ""
	}
	if slices.ContainsFunc(s.options.Names, func(name string) bool {
		return strings.EqualFold(name, host) || strings.EqualFold(name, r.Host)
	}) {
		return true
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	usual := uint16(80)
	if r.TLS != nil {
		usual = 443
	}
	if err != nil || port != strconv.Itoa(int(at.Port())) && (port != "" || at.Port() != usual) {
		return false
	}
	if strings.EqualFold(host, "localhost") {
		return at.Addr().Unmap().IsLoopback()
	}
	asked, err := netip.ParseAddr(host)
	return err == nil && asked.Unmap() == at.Addr().Unmap()
}

// ownRequest reports that no page of another origin made the request, but for one that was clicked
// to come here. The word of the browser counts, which no page can set. A browser that does not say
// who asks (an old one, or any on plain HTTP to another machine) is taken at the word of its
// Origin.
func ownRequest(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return true
	case "":
	default:
		return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
			r.Header.Get("Sec-Fetch-Dest") == "document"
	}
	origin := r.Header.Get("Origin")
	return origin == "" || origin == "http://"+r.Host || origin == "https://"+r.Host
}

// caller is who asks.
type caller struct {
	id   string // of the session; "" for a program that gave the secret
	form string
	name string // of the account; "" for whoever had the link or the secret
	role Role
}

type callerKey struct{}

func callerOf(r *http.Request) caller {
	c, _ := r.Context().Value(callerKey{}).(caller) // without one, nobody
	return c
}

// cookieName has the port, since cookies know none: two desks on one machine must not end each
// other's sessions.
func cookieName(r *http.Request) string {
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		if at, err := netip.ParseAddrPort(local.String()); err == nil {
			return "watershed-" + strconv.Itoa(int(at.Port()))
		}
	}
	return "watershed"
}

// openPaths need no session.
var openPaths = []string{"/enter", "/healthz", "/static/desk.css", "/static/icon.svg"}

// maxForm bounds what a POST may bring, in bytes.
const maxForm = 256 << 10

// bodyTime is how long a request may take to bring its body of at most maxForm.
const bodyTime = 10 * time.Second

// bodyFirst has the whole body of a request before any handler runs. A caller that sends a byte now
// and then would otherwise hold a connection and a goroutine for ever. The deadline is lifted
// afterwards, since an answer may take longer.
func bodyFirst(next http.Handler, within time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		c := http.NewResponseController(w)
		if err := c.SetReadDeadline(time.Now().Add(within)); err != nil {
			http.Error(w, "no deadline can be set", http.StatusInternalServerError)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxForm))
		var large *http.MaxBytesError
		if err != nil {
			code := http.StatusRequestTimeout
			if errors.As(err, &large) {
				code = http.StatusRequestEntityTooLarge
			}
			w.Header().Set("Connection", "close")
			http.Error(w, http.StatusText(code), code)
			return
		}
		if err := c.SetReadDeadline(time.Time{}); err != nil {
			return // the connection has gone
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// guard lets through what may pass, by invariants 1 to 3.
func (s gate) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		headers(w.Header(), deskPolicy)
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		switch {
		case !s.hostAllowed(r):
			s.refuse(w, r, &refusal{
				http.StatusMisdirectedRequest,
				"This is not a name of this desk. Ask it by its address, or start it with --name.",
			})
			return
		case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost:
			w.Header().Set("Allow", "GET, HEAD, POST")
			s.refuse(w, r, &refusal{http.StatusMethodNotAllowed, "Only GET, HEAD and POST are understood."})
			return
		case !ownRequest(r):
			s.refuse(w, r, &refusal{http.StatusForbidden, "A page of another origin asked for this."})
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if slices.Contains(openPaths, r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		c, err := s.admit(r)
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		r = r.WithContext(context.WithValue(r.Context(), callerKey{}, c))
		if c.role < needed(r) {
			s.refuse(w, r, &refusal{http.StatusForbidden, fmt.Sprintf("The account %s may not do this. "+
				"Its role stands in the file of accounts with which the desk was started.", c.name)})
			return
		}
		if c.name != "" && r.Method == http.MethodPost {
			s.log.Info("asked", "account", c.name, "path", r.URL.Path, "do", r.PostFormValue("do"))
		}
		next.ServeHTTP(w, r)
	})
}

// admit finds out who asks, and whether a POST was meant.
func (s gate) admit(r *http.Request) (caller, error) {
	if given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		switch ok, late := s.sessions.knows(given, callerAddress(r)); {
		case late:
			return caller{}, &refusal{http.StatusTooManyRequests, "Too many wrong secrets. Wait a minute."}
		case !ok:
			return caller{}, &refusal{http.StatusUnauthorized, "This is not the secret."}
		}
		return caller{role: Runs}, nil
	}
	cookie, err := r.Cookie(cookieName(r))
	if err != nil {
		return caller{},
			&refusal{
				http.StatusUnauthorized,
				"Open the link that was printed when the desk was started, or give its token or password.",
			}
	}
	c, ok := s.sessions.get(cookie.Value)
	if !ok {
		return caller{},
			&refusal{
				http.StatusUnauthorized,
				"This session has ended. Give the token or password, or start the desk again for a new link.",
			}
	}
	if r.Method == http.MethodPost {
		given := r.Header.Get("X-CSRF-Token")
		if given == "" { // the form is read only then
			given = r.PostFormValue("csrf")
		}
		if subtle.ConstantTimeCompare([]byte(given), []byte(c.form)) != 1 {
			return caller{},
				&refusal{
					http.StatusForbidden,
					"The form is not of this session. Go back, load the page again, and repeat.",
				}
		}
	}
	return c, nil
}

// callerAddress is where a request comes from; behind a proxy that is the proxy's.
func callerAddress(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{} // all whose address is not known count as one
	}
	return at.Addr().Unmap()
}

// enter lets a browser in: by the link's token, or by the secret that a form gives.
func (s gate) enter(w http.ResponseWriter, r *http.Request) {
	given := r.URL.Query().Get("token")
	if r.Method == http.MethodPost {
		given = r.PostFormValue("secret")
	}
	if given == "" || r.Header.Get("Sec-Purpose") != "" || r.Method == http.MethodHead {
		s.refuse(w, r, &refusal{http.StatusUnauthorized, "Give the token or password of this desk."})
		return
	}
	id, ok, late := s.open(r, given)
	switch {
	case late:
		s.refuse(w, r, &refusal{http.StatusTooManyRequests, "Too many wrong secrets. Wait a minute."})
		return
	case !ok:
		s.refuse(w, r,
			&refusal{
				http.StatusUnauthorized,
				"This was not right, or the link was used before: it is good once.",
			})
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r), Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https",
	})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// open begins a session for who has what a request gives.
func (s gate) open(r *http.Request, given string) (id string, ok, late bool) {
	if name := r.PostFormValue("name"); name != "" && len(s.sessions.accounts) > 0 {
		return s.sessions.openAs(name, given, callerAddress(r))
	}
	return s.sessions.open(given, callerAddress(r))
}

// leave ends the session.
func (s gate) leave(w http.ResponseWriter, r *http.Request) {
	s.sessions.end(callerOf(r).id)
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r), Path: "/", MaxAge: -1, HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
	})
	http.Redirect(w, r, "/enter", http.StatusSeeOther)
}
