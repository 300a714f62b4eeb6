package ui

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"watershed/drift"
	"watershed/replay"
	"watershed/sitemap"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed static
var staticFiles embed.FS

// Server is a desk and its replay. It is safe for concurrent use.
type Server struct {
	actions
	sessions *sessions
	pages    map[string]*template.Template
	maps     *cache[*siteMap]
	links    *cache[*sitemap.Chart]
	skips    *cache[*skipIndex]
	changes  *cache[*drift.Report]
	drifts   *cache[*drift.Report] // their heads
	titles   *cache[map[string]string]
	settings *cache[*settings]
	streams  atomic.Int64 // open event streams
	nudges   nudges
	statuses *cache[*Status]
	drawings *cache[time.Time]
	sizes    sizes
	replay   *replay.Server
	port     atomic.Value // string: of the replay; empty until it listens
}

// actions carry out what archivists ask for in forms, and programs by the API.
type actions struct {
	options  Options
	log      *slog.Logger
	indexing indexing
}

// New makes a server. The error is that of Options.Validate.
func New(o Options) (*Server, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{
		actions: actions{options: o, log: o.Log}, sessions: newSessions(o.Secret, o.Accounts, o.Now),
		maps:  newCache[*siteMap](4),
		links: newCache[*sitemap.Chart](2), skips: newCache[*skipIndex](2),
		changes: newCache[*drift.Report](2), drifts: newCache[*drift.Report](timelineRuns),
		titles: newCache[map[string]string](2), settings: newCache[*settings](4),
		statuses: newCache[*Status](watchedRuns), drawings: newCache[time.Time](watchedRuns),
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	sheet, err := staticFiles.ReadFile("static/desk.css")
	if err != nil {
		return nil, err
	}
	s.replay = &replay.Server{
		Key: cmp.Or(o.ReplayKey, rand.Text()), Folder: s.replayed, Sheet: sheet,
		Text:    func(text string) string { return plain(text, longText) },
		Allowed: gate{s}.hostAllowed,
	}
	if s.pages, err = readTemplates(); err != nil {
		return nil, err
	}
	return s, nil
}

// Limits of the HTTP server.
const (
	headerTime   = 10 * time.Second
	idleTime     = 2 * time.Minute
	headerBytes  = 64 << 10
	shutdownTime = 2 * time.Second
)

// Serve listens, calls ready with the link that lets one browser in, and serves until ctx ends,
// which is no error.
func (s *Server) Serve(ctx context.Context, ready func(link string)) error {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", s.options.listen())
	if err != nil {
		return fmt.Errorf("listen for the desk: %w", err)
	}
	pages, err := config.Listen(ctx, "tcp", s.options.replay())
	if err != nil {
		return errors.Join(fmt.Errorf("listen for the replay: %w", err), l.Close())
	}
	_, port, err := net.SplitHostPort(pages.Addr().String())
	if err != nil {
		return errors.Join(err, l.Close(), pages.Close())
	}
	s.port.Store(port)
	group, ctx := errgroup.WithContext(ctx)
	s.indexing.mu.Lock()
	s.indexing.start = func(work func(context.Context)) { group.Go(func() error { work(ctx); return nil }) }
	s.indexing.mu.Unlock()
	if s.options.Depot != nil {
		group.Go(func() error { s.options.Depot.Run(ctx); return nil })
	}
	s.serve(ctx, group, l, s.handler())
	s.serve(ctx, group, pages, s.replay)
	ready(s.Link(s.visitAddress(l.Addr())))
	return group.Wait()
}

// serve has the group serve at l until ctx ends.
func (s *Server) serve(ctx context.Context, group *errgroup.Group, l net.Listener, h http.Handler) {
	server := &http.Server{
		Handler: bodyFirst(h, bodyTime), ReadHeaderTimeout: headerTime, IdleTimeout: idleTime,
		MaxHeaderBytes: headerBytes,
		BaseContext:    func(net.Listener) context.Context { return ctx },
		ErrorLog:       slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	serve := server.Serve
	if s.options.Certificate != nil {
		server.TLSConfig = &tls.Config{GetCertificate: s.options.Certificate, MinVersion: tls.VersionTLS12}
		serve = func(l net.Listener) error { return server.ServeTLS(l, "", "") }
	}
	group.Go(func() error {
		if err := serve(l); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve at %s: %w", l.Addr(), err)
		}
		return nil
	})
	group.Go(func() error {
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer cancel()
		if err := server.Shutdown(last); err != nil {
			return server.Close()
		}
		return nil
	})
}

// replayRoot is where a browser that asks the desk finds the captures of a harvest, "" where
// nothing replays.
func (s *Server) replayRoot(r *http.Request, harvest string) string {
	port, _ := s.port.Load().(string)
	if port == "" {
		return ""
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = strings.Trim(r.Host, "[]")
	}
	at := s.options.scheme() + "://" + net.JoinHostPort(host, port)
	if s.options.ReplayURL != "" {
		at = strings.TrimRight(s.options.ReplayURL, "/")
	}
	return at + "/" + s.replay.Key + "/" + url.PathEscape(harvest) + "/"
}

// visitAddress is where a browser finds what listens at an address: a name that was given, this
// machine where all addresses are listened on, or the address itself.
func (s *Server) visitAddress(a net.Addr) string {
	host, port, err := net.SplitHostPort(a.String())
	if err != nil {
		return a.String()
	}
	if len(s.options.Names) > 0 {
		host = s.options.Names[0]
	} else if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// Link is the address that lets one browser in, once, at a desk that is reached at host and port.
func (s *Server) Link(address string) string {
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	return s.options.scheme() + "://" + address + "/enter?token=" + url.QueryEscape(s.sessions.link)
}

func (o *Options) scheme() string {
	if o.Certificate != nil {
		return "https"
	}
	return "http"
}

// handler serves the desk.
func (s *Server) handler() http.Handler {
	mux, door, begins := http.NewServeMux(), gate{s}, beginner{s}
	mux.HandleFunc("GET /enter", door.enter)
	mux.HandleFunc("POST /enter", door.enter)
	mux.HandleFunc("POST /leave", door.leave)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("ok\n")) // who asked is gone if this fails
	})
	mux.HandleFunc("GET /metrics", s.metrics)
	mux.HandleFunc("GET /new", begins.drafts)
	mux.HandleFunc("POST /new", begins.drafts)
	mux.HandleFunc("POST /new/check", begins.checks)
	mux.HandleFunc("GET /harvests/{harvest}/yaml", begins.drafts)
	mux.HandleFunc("POST /harvests/{harvest}/yaml", begins.drafts)
	mux.HandleFunc("POST /harvests/{harvest}/runs", s.served(begins.acts))
	mux.HandleFunc("GET /static/desk.css", static("desk.css", "text/css; charset=utf-8"))
	for _, name := range []string{"live.js", "dial.js", "draft.js", "renew.js"} {
		mux.HandleFunc("GET /static/"+name, static(name, "text/javascript; charset=utf-8"))
	}
	for _, path := range []string{"/static/icon.svg", "/favicon.ico"} { // a picture names no icon
		mux.HandleFunc("GET "+path, static("icon.svg", "image/svg+xml"))
	}
	mux.HandleFunc("GET /static/schema.json", begins.schema)
	for _, v := range views {
		mux.HandleFunc("GET "+v.page, s.shows(v))
		mux.HandleFunc("GET "+v.api, s.tells(v))
	}
	mux.HandleFunc("POST /harvests/{harvest}/mirrors", s.filled(s.decideForm))
	mux.HandleFunc("POST "+apiRoot+"/harvests/{harvest}/mirrors", posted(s, s.decide))
	mux.HandleFunc("POST /harvests/{harvest}/control", s.filled(begins.orderForm))
	mux.HandleFunc("POST "+apiRoot+"/harvests/{harvest}/orders", posted(s, s.order))
	mux.HandleFunc("POST /harvests/{harvest}/decisions", s.filled(s.ruleForm))
	mux.HandleFunc("POST "+apiRoot+"/harvests/{harvest}/decisions", posted(s, s.ruleOn))
	mux.HandleFunc("POST /harvests/{harvest}/search", s.filled(s.indexForm))
	mux.HandleFunc("POST "+apiRoot+"/harvests/{harvest}/search", s.answers(s.indexAPI))
	mux.HandleFunc("POST /harvests/{harvest}/quality", s.filled(s.wantForm))
	mux.HandleFunc("POST "+apiRoot+"/harvests/{harvest}/quality", posted(s, s.wish))
	mux.HandleFunc("GET /harvests/{harvest}/events", s.served(s.events))
	mux.HandleFunc("GET /harvests/{harvest}/find", s.served(s.find))
	mux.HandleFunc("GET /harvests/{harvest}/sites/{site}/files/{file}", s.served(s.siteFile))
	mux.HandleFunc("GET /harvests/{harvest}/sites/{site}/picture.svg", posterOf(s))
	mux.HandleFunc("GET /harvests/{harvest}/sites/{site}/scales/{form}", s.served(s.scaleFile))
	mux.HandleFunc("GET /harvests/{harvest}/archive/{file}", s.served(s.archiveFile))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, r, notFound("There is no such page."))
	})
	return door.guard(mux)
}

func static(name, mime string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		text, err := staticFiles.ReadFile("static/" + name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", mime)
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		_, _ = w.Write(text) // who asked is gone if this fails
	}
}
