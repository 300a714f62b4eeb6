package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"go.uber.org/goleak"
)

// server is a mail server that keeps what it gets.
type server struct {
	mu       sync.Mutex
	mails    []string
	to       []string
	logins   []string
	password string // "" wants none
	gone     string // a recipient who is not here
}

func (s *server) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{s: s}, nil }

type session struct {
	s  *server
	in bool
}

func (x *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (x *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		x.s.mu.Lock()
		defer x.s.mu.Unlock()
		x.s.logins = append(x.s.logins, user)
		if password != x.s.password {
			return errors.New("no: " + password) // servers that repeat what they were told are met
		}
		x.in = true
		return nil
	}), nil
}

func (x *session) Mail(string, *smtp.MailOptions) error {
	if x.s.password != "" && !x.in {
		return smtp.ErrAuthRequired
	}
	return nil
}

func (x *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if to == x.s.gone {
		return &smtp.SMTPError{Code: 550, Message: "nobody here"}
	}
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	x.s.to = append(x.s.to, to)
	return nil
}

func (x *session) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	x.s.mails = append(x.s.mails, string(b))
	return err
}
func (*session) Reset()        {}
func (*session) Logout() error { return nil }

// serve runs the mail server on loopback and gives its address.
func (s *server) serve(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	x := smtp.NewServer(s)
	x.AllowInsecureAuth = true
	x.ErrorLog = discard{}
	done := make(chan struct{})
	go func() { defer close(done); _ = x.Serve(l) }()
	t.Cleanup(func() { _ = x.Close(); <-done })
	return l.Addr().String()
}

type discard struct{}

func (discard) Printf(string, ...any) {}
func (discard) Println(...any)        {}

// leaks checks at the end of a test, when its servers are closed, that no goroutine is left.
func leaks(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
}

func quick() Options {
	return Options{
		On: []Kind{Ended}, Pause: time.Millisecond, Timeout: 5 * time.Second,
		Grace: 20 * time.Second,
	}
}

var told = News{
	Kinds: []Kind{Ended}, Harvest: "h", Run: "run-0001", Subject: "Harvest h: Ünd complete",
	Text: "All is well.\n",
	Time: time.Date(2026, 5, 3, 1, 2, 3, 0, time.UTC),
}

// TestTold: mail and webhook arrive, whole and signed.
func TestTold(t *testing.T) {
	leaks(t)
	mails := &server{password: "s3cret"}
	var body []byte
	var head http.Header
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		head = r.Header
	}))
	defer hook.Close()
	o := quick()
	o.Mail = &Mail{
		Server: mails.serve(t), From: "w@library.example", To: []string{
			"ann@library.example",
			"bob@library.example",
		},
		TLS: NoTLS, User: "ann", Password: "s3cret",
	}
	o.Webhook = &Webhook{URL: hook.URL, Secret: "key"}
	failure := errors.New("the harvest's own")
	if err := With(t.Context(), o, func(x *Teller) error {
		x.Tell(told)
		x.Tell(News{Kinds: []Kind{Disk}, Subject: "not wanted"})
		return failure
	}); err != failure {
		t.Errorf("With gives %v", err)
	}
	slices.Sort(mails.to)
	if len(mails.mails) != 2 || strings.Join(mails.to, " ") != "ann@library.example bob@library.example" ||
		!strings.Contains(mails.mails[0], "All is well.") || !strings.Contains(mails.mails[0],
		"=?UTF-8?q?") ||
		!strings.Contains(mails.mails[0], "Auto-Submitted: auto-generated") {
		t.Errorf("mails %q to %q", mails.mails, mails.to)
	}
	var got News
	if err := json.Unmarshal(body, &got); err != nil || got.Harvest != "h" || got.Text != told.Text ||
		head.Get(SignatureField) != Signature("key", body) || head.Get(KindField) != "ended" {
		t.Errorf("%v %s %v", err, body, head)
	}
}

// TestOneRecipientGone: who is to be told is told, also where another one has left the house, and the one
// who could not be told is named.
func TestOneRecipientGone(t *testing.T) {
	mails := &server{gone: "bob@library.example"}
	o := quick()
	o.Mail = &Mail{
		Server: mails.serve(t), From: "w@library.example", TLS: NoTLS,
		To: []string{"ann@library.example", "bob@library.example", "cy@library.example"},
	}
	var failed []string
	o.Failed = func(by string, _ News, cause error) { failed = append(failed, by+": "+cause.Error()) }
	if err := With(t.Context(), o, func(x *Teller) error { x.Tell(told); return nil }); err != nil {
		t.Error(err)
	}
	slices.Sort(mails.to)
	if strings.Join(mails.to, " ") != "ann@library.example cy@library.example" || len(mails.mails) != 2 {
		t.Errorf("%d mails to %q", len(mails.mails), mails.to)
	}
	if len(failed) != 1 || !strings.Contains(failed[0], "bob@library.example") {
		t.Errorf("failed: %q", failed)
	}
}

// TestSignature holds the signature against one that openssl made:
// printf '{"a":1}' | openssl dgst -sha256 -hmac key
func TestSignature(t *testing.T) {
	const want = "sha256=88a67f24bbcdaed0e6c997404bb79a743baf44c6bab2f4c27328e3009d22e342"
	if got := Signature("key", []byte(`{"a":1}`)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestInsists: a webhook that fails for a time is asked again, one that refuses is not, and none is
// asked more often than is said; a redirect is not followed.
func TestInsists(t *testing.T) {
	for _, x := range []struct {
		name    string
		answers []int
		want    int32
	}{
		{"down for a time", []int{503, 500, 200}, 3},
		{"down for good", []int{503, 503, 503, 503}, 3},
		{"refused", []int{403, 200}, 1},
		{"too many requests", []int{429, 204}, 2},
		{"a redirect", []int{302, 200}, 1},
	} {
		t.Run(x.name, func(t *testing.T) {
			var asked atomic.Int32
			hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Location", "/other")
				w.WriteHeader(x.answers[asked.Add(1)-1])
			}))
			defer hook.Close()
			o := quick()
			o.Webhook = &Webhook{URL: hook.URL}
			if err := With(t.Context(), o, func(x *Teller) error { x.Tell(told); return nil }); err != nil {
				t.Error(err)
			}
			if n := asked.Load(); n != x.want {
				t.Errorf("asked %d times, want %d", n, x.want)
			}
		})
	}
}

// TestNeverBlocks: servers that are silent, gone, or want another password stop nobody, and no
// secret is logged.
func TestNeverBlocks(t *testing.T) {
	leaks(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and never says a word
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	var log bytes.Buffer
	o := quick()
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	o.Grace, o.Timeout = 50*time.Millisecond, time.Hour
	o.Webhook = &Webhook{URL: "http://" + silent.Addr().String() + "/t0ken"}
	o.Mail = &Mail{
		Server: silent.Addr().String(), From: "w@a.example", To: []string{"a@a.example"},
		TLS: NoTLS,
	}
	count, failed := 0, map[string]int{}
	o.Failed = func(by string, _ News, cause error) {
		if failed[by]++; !errors.Is(cause, errLate) && !errors.Is(cause, errDropped) {
			t.Errorf("%s: %v", by, cause)
		}
	}
	if err := With(t.Context(), o, func(x *Teller) error {
		for range 10 * queued {
			x.Tell(told)
			count++
		}
		return nil
	}); err != nil || count != 10*queued {
		t.Errorf("%d, %v", count, err)
	}
	if failed["mail"] != count || failed["webhook"] != count {
		t.Errorf("of %d news that did not arrive is told: %v", count, failed)
	}
	ctx, stop := context.WithCancel(t.Context())
	o.Grace = time.Hour
	if err := With(ctx, o, func(x *Teller) error { x.Tell(told); stop(); return nil }); err != nil {
		t.Error(err) // within a second, or the test does not end
	}
	mails := &server{password: "other"}
	o = quick()
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	o.Mail = &Mail{
		Server: mails.serve(t), From: "w@a.example", To: []string{"a@a.example"}, TLS: NoTLS, User: "ann",
		Password: "hunter2secret",
	}
	o.Webhook = &Webhook{URL: "http://127.0.0.1:1/t0ken"}
	if err := With(t.Context(), o, func(x *Teller) error { x.Tell(told); return nil }); err != nil {
		t.Error(err)
	}
	if s := log.String(); !strings.Contains(s, "could not be told") || strings.Contains(s, "hunter2") ||
		strings.Contains(s, "t0ken") {
		t.Errorf("the log has\n%s", s)
	}
}

// TestNoMailInClear: without STARTTLS neither a mail nor a password goes to a server.
// News that find room tell how many before them found none.
func TestNewsBehindDropped(t *testing.T) {
	x := &Teller{opt: quick().withDefaults(), queue: make(chan News, 1)}
	text := func() string { return (<-x.queue).Text }
	for range 3 {
		x.Tell(told)
	}
	if got := text(); got != told.Text {
		t.Errorf("the first says %q", got)
	}
	x.Tell(told)
	if got := text(); !strings.HasPrefix(got, told.Text) || !strings.Contains(got, ": 2.") {
		t.Errorf("the one behind says %q", got)
	}
	x.Tell(told)
	if got := text(); got != told.Text {
		t.Errorf("the next one says %q", got)
	}
}

func TestNoMailInClear(t *testing.T) {
	mails := &server{}
	var log bytes.Buffer
	o := quick()
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	o.Mail = &Mail{
		Server: mails.serve(t), From: "w@a.example", To: []string{"a@a.example"}, TLS: StartTLS, User: "ann",
		Password: "s3cret",
	}
	if err := With(t.Context(), o, func(x *Teller) error { x.Tell(told); return nil }); err != nil {
		t.Error(err)
	}
	if len(mails.mails)+len(mails.logins) > 0 || !strings.Contains(log.String(), "notify.mail.tls is none") {
		t.Errorf("mails %q, logins %q, log %s", mails.mails, mails.logins, &log)
	}
}

// TestNobody: where nobody is to be told, telling is free.
func TestNobody(t *testing.T) {
	if err := With(t.Context(), Options{On: []Kind{Ended}}, func(x *Teller) error {
		if x != nil {
			t.Error("there is a teller")
		}
		x.Tell(told)
		return nil
	}); err != nil {
		t.Error(err)
	}
}
