package fetch

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"syscall"

	"watershed/page"
)

// dialer opens connections, to checked addresses only.
type dialer struct {
	opt   Options
	tls   *tls.Config
	tcp   func(ctx context.Context, to string) (net.Conn, error) // to is an address and port
	proxy func(ctx context.Context, to string) (net.Conn, error) // to may be a name
}

// newDialer makes a dialer that asks check about each address once more when the socket is about to
// connect, so that no way around it is left.
func newDialer(o Options, check func(page.Host, netip.Addr) error) *dialer {
	own := net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: false}, // idle ones do not live long enough to need it
		Control: func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil {
				return err
			}
			return check("", to.Addr())
		},
	}
	var plain net.Dialer
	return &dialer{
		opt: o,
		tls: tlsConfig(),
		tcp: func(ctx context.Context, to string) (net.Conn, error) {
			return own.DialContext(ctx, "tcp", to)
		},
		proxy: func(ctx context.Context, to string) (net.Conn, error) {
			return plain.DialContext(ctx, "tcp", to)
		},
	}
}

// dial opens a connection for exchanges with the host of u. The error is of kind errConnect, errTLS
// or errPrivate, or the context's.
func (d *dialer) dial(ctx context.Context, key poolKey, u page.URL) (*conn, error) {
	within, cancel := context.WithTimeout(ctx, d.opt.ConnectTimeout)
	defer cancel()
	c, err := d.open(within, key, u)
	if err == nil {
		return c, nil
	}
	if e := ctx.Err(); e != nil {
		return nil, e
	}
	if within.Err() != nil {
		kind := errConnect
		if errors.Is(err, errTLS) {
			kind = errTLS
		}
		return nil, &Error{Kind: kind, Cause: fmt.Errorf("not within %v", d.opt.ConnectTimeout)}
	}
	if private := (*privateError)(nil); errors.As(err, &private) {
		private.Host = u.Host()
		return nil, private
	}
	if own := (*Error)(nil); errors.As(err, &own) {
		return nil, err
	}
	return nil, &Error{Kind: errConnect, Cause: err}
}

func (d *dialer) open(ctx context.Context, key poolKey, u page.URL) (*conn, error) {
	var tcp net.Conn
	var err error
	if d.opt.Proxy != nil {
		tcp, err = d.proxy(ctx, proxyAddress(d.opt.Proxy))
	} else {
		tcp, err = d.tcp(ctx, netip.AddrPortFrom(key.addr, d.port(u)).String())
	}
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: tcp, tcp: tcp, key: key, remote: peer(tcp), proxied: d.opt.Proxy != nil}
	if err := d.secure(ctx, c, u); err != nil {
		c.discard()
		return nil, err
	}
	return c, nil
}

// secure adds the layers above TCP: TLS to a proxy, the tunnel through it, TLS to the host.
func (d *dialer) secure(ctx context.Context, c *conn, u page.URL) error {
	if p := d.opt.Proxy; p != nil {
		if p.Scheme == "https" {
			if _, err := d.handshake(ctx, c, p.Hostname()); err != nil {
				return err
			}
		}
		if c.key.tls {
			if err := d.tunnel(ctx, c, u); err != nil {
				return err
			}
		}
	}
	if !c.key.tls {
		return nil
	}
	state, err := d.handshake(ctx, c, u.Host().Name())
	if err != nil {
		return err
	}
	c.tls = facts(state, u.Host().Name())
	return nil
}

func (d *dialer) handshake(ctx context.Context, c *conn, name string) (tls.ConnectionState, error) {
	cfg := d.tls.Clone()
	cfg.ServerName = name
	t := tls.Client(c.Conn, cfg)
	if err := t.HandshakeContext(ctx); err != nil {
		return tls.ConnectionState{}, &Error{Kind: errTLS, Cause: err}
	}
	c.Conn = t
	return t.ConnectionState(), nil
}

// tunnel asks the proxy for a connection to the URL's host (RFC 9110, 9.3.6).
func (d *dialer) tunnel(ctx context.Context, c *conn, u page.URL) error {
	to := net.JoinHostPort(u.Host().Name(), strconv.Itoa(int(d.port(u))))
	ask := "CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\nUser-Agent: " + d.opt.UserAgent + "\r\n" +
		credentials(d.opt.Proxy) + "\r\n"
	// the error is that of the read or write it ends
	stop := context.AfterFunc(ctx, func() { _ = c.tcp.Close() })
	defer stop()
	if _, err := c.Conn.Write([]byte(ask)); err != nil {
		return fmt.Errorf("ask proxy for %s: %w", to, err)
	}
	br := bufio.NewReader(c.Conn)
	raw, err := readLines(br, d.opt.MaxHead)
	if err != nil {
		return fmt.Errorf("answer of proxy for %s: %w", to, err)
	}
	h, err := parseHead(raw)
	switch {
	case err != nil:
		return fmt.Errorf("answer of proxy for %s: %w", to, err)
	case h.status/100 != 2:
		return fmt.Errorf("proxy refuses %s: %d", to, h.status)
	case br.Buffered() > 0:
		return fmt.Errorf("proxy speaks before %s was asked", to)
	}
	return nil
}

// port is the port to dial for a URL.
func (d *dialer) port(u page.URL) uint16 {
	n := uint16(80)
	if u.Scheme() == "https" {
		n = 443
	}
	if p, err := strconv.ParseUint(u.Host().Port(), 10, 16); err == nil {
		n = uint16(p)
	}
	if to, ok := d.opt.DialPorts[n]; ok {
		return to
	}
	return n
}

func proxyAddress(p *url.URL) string {
	port := p.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[p.Scheme]
	}
	return net.JoinHostPort(p.Hostname(), port)
}

// credentials is the header field with the user of a proxy, "" when its URL names none.
func credentials(p *url.URL) string {
	if p == nil || p.User == nil {
		return ""
	}
	password, _ := p.User.Password()
	return "Proxy-Authorization: Basic " +
		base64.StdEncoding.EncodeToString([]byte(p.User.Username()+":"+password)) + "\r\n"
}

func peer(c net.Conn) netip.AddrPort {
	if t, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		a := t.AddrPort()
		return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
	}
	return netip.AddrPort{}
}
