package notify

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/wneessen/go-mail"
)

// TLS says how a mail server is spoken to.
type TLS string

const (
	StartTLS    TLS = "starttls" // encrypted before anything else is said; no mail goes without
	ImplicitTLS TLS = "tls"      // encrypted from the first byte
	NoTLS       TLS = "none"     // in clear
)

// Mail sends news to people.
type Mail struct {
	Server   string // host and port; a port left out is 587, or 465 for ImplicitTLS
	From     string
	To       []string
	TLS      TLS
	User     string // "" does not log in
	Password string
}

func (m *Mail) String() string { return "mail" }

// send hands a message to the server.
func (m *Mail) send(ctx context.Context, n News) error {
	message := mail.NewMsg()
	if err := errors.Join(message.From(m.From), message.To(m.To...)); err != nil {
		return fmt.Errorf("%w: %w", errFinal, err)
	}
	message.SetDateWithValue(n.Time)
	message.Subject(n.Subject)
	message.SetMessageID()
	message.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no answers by machines
	message.SetBodyString(mail.TypeTextPlain, n.Text)
	host, port, err := net.SplitHostPort(m.Server)
	if err != nil {
		host, port = m.Server, ""
	}
	options := []mail.Option{mail.WithTLSPolicy(mail.TLSMandatory), mail.WithPort(587)}
	switch m.TLS {
	case ImplicitTLS:
		options = []mail.Option{mail.WithSSL(), mail.WithPort(465)}
	case NoTLS:
		options = []mail.Option{mail.WithTLSPolicy(mail.NoTLS), mail.WithPort(25)}
	}
	if number, err := strconv.Atoi(port); err == nil {
		options = append(options, mail.WithPort(number))
	}
	if m.User != "" {
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(m.User),
			mail.WithPassword(m.Password))
		if m.TLS == NoTLS { // to the machine itself, say
			options = append(options, mail.WithSMTPAuth(mail.SMTPAuthPlainNoEnc))
		}
	}
	var tie func() bool
	options = append(options, mail.WithDialContextFunc(func(dialing context.Context, network, address string,
	) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(dialing, network, address)
		if err != nil {
			return nil, err
		}
		if m.TLS == ImplicitTLS {
			conn = tls.Client(conn, &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12})
		}
		tie = context.AfterFunc(ctx, func() { _ = conn.Close() }) // the library reads on when ctx has ended
		return conn, nil
	}))
	defer func() {
		if tie != nil {
			tie()
		}
	}()
	client, err := mail.NewClient(host, options...)
	if err != nil {
		return fmt.Errorf("%w: %w", errFinal, err)
	}
	if err := client.DialAndSendWithContext(ctx, message); err != nil {
		return fmt.Errorf("to %s: %w", strings.Join(m.To, ", "), m.redact(err))
	}
	return nil
}

// redact makes sure that no error tells the password, whatever a server repeats.
func (m *Mail) redact(err error) error {
	text := err.Error()
	if m.Password != "" {
		text = strings.ReplaceAll(text, m.Password, "redacted")
	}
	if strings.Contains(text, "does not support STARTTLS") {
		return fmt.Errorf("%w: the server encrypts nothing (no STARTTLS), and no mail is sent in clear "+
			"unless notify.mail.tls is none", errFinal)
	}
	var sent *mail.SendError
	if errors.As(err, &sent) && !sent.IsTemp() && sent.Reason == mail.ErrSMTPRcptTo {
		return fmt.Errorf("%w: %s", errFinal, text)
	}
	return errors.New(text)
}
