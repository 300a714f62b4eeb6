package fetch

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// dnsClient is a stub resolver (RFC 1034, 5.3.1). It is ours because the standard library tells
// neither the TTL nor the records of an answer, and an archive keeps both.
type dnsClient struct {
	servers []netip.AddrPort
}

// answer is the answer of a name server for a name.
type answer struct {
	addrs  []netip.Addr
	ttl    time.Duration // the smallest of its records
	lines  string        // its records, a line each
	server string
}

const (
	dnsWait    = 3 * time.Second // for an answer from one server
	dnsRounds  = 2               // through the list of servers
	dnsPayload = 1232            // bytes of UDP that cross all networks unfragmented (DNS flag day 2020)
)

// lookup asks for IPv4 and IPv6 addresses at once. Without an error, no addresses means that the
// name has none; an error means that no server could tell.
func (d *dnsClient) lookup(ctx context.Context, name string) (answer, error) {
	q, err := dnsmessage.NewName(name + ".")
	if err == nil {
		_, _, err = query(q, dnsmessage.TypeA)
	}
	if err != nil {
		return answer{}, nil // no name server can have it: a label of more than 63 bytes, for example
	}
	var last answer
	for range dnsRounds {
		for _, s := range d.servers {
			a, e := d.ask(ctx, s, q)
			a.server = s.String()
			if e == nil {
				return a, nil
			}
			if ctx.Err() != nil {
				return a, ctx.Err()
			}
			last, err = a, e
		}
	}
	return last, err
}

// ask puts both questions to one server.
func (d *dnsClient) ask(ctx context.Context, server netip.AddrPort, name dnsmessage.Name) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, dnsWait)
	defer cancel()
	var out answer
	var failed error
	types := [...]dnsmessage.Type{dnsmessage.TypeA, dnsmessage.TypeAAAA}
	for _, r := range d.udp(ctx, server, name, types[:]) {
		if r.err == nil && r.header.Truncated {
			r = d.tcp(ctx, server, name, r.kind)
		}
		if r.err == nil {
			r.err = out.add(r)
		}
		if r.err == nil {
			continue
		}
		r.err = fmt.Errorf("%s: %w", strings.TrimPrefix(r.kind.String(), "Type"), r.err)
		if failed == nil {
			failed = r.err
		} else {
			failed = fmt.Errorf("%w; %w", failed, r.err) // on one line, as tables have it
		}
	}
	if len(out.addrs) > 0 {
		return out, nil
	}
	return out, failed
}

// reply is the answer to one question.
type reply struct {
	kind   dnsmessage.Type
	header dnsmessage.Header
	msg    []byte
	err    error
}

func query(name dnsmessage.Name, kind dnsmessage.Type) (uint16, []byte, error) {
	id := uint16(rand.Uint32())
	b := dnsmessage.NewBuilder(nil, dnsmessage.Header{ID: id, RecursionDesired: true})
	var edns dnsmessage.ResourceHeader
	err := errors.Join(
		b.StartQuestions(),
		b.Question(dnsmessage.Question{Name: name, Type: kind, Class: dnsmessage.ClassINET}),
		b.StartAdditionals(),
		edns.SetEDNS0(dnsPayload, dnsmessage.RCodeSuccess, false),
		b.OPTResource(edns, dnsmessage.OPTResource{}),
	)
	if err != nil {
		return 0, nil, err
	}
	msg, err := b.Finish()
	return id, msg, err
}

// matches reads the head of a message and reports whether it answers a question.
func (r *reply) matches(msg []byte, id uint16, name dnsmessage.Name) bool {
	var p dnsmessage.Parser
	h, err := p.Start(msg)
	if err != nil || !h.Response || h.ID != id {
		return false
	}
	q, err := p.Question()
	if err != nil || q.Type != r.kind || q.Class != dnsmessage.ClassINET ||
		!strings.EqualFold(q.Name.String(), name.String()) {
		return false
	}
	r.header, r.msg, r.err = h, append([]byte(nil), msg...), nil
	return true
}

// udp asks all questions over one socket and waits for all answers.
func (d *dnsClient) udp(ctx context.Context, server netip.AddrPort, name dnsmessage.Name,
	kinds []dnsmessage.Type,
) []reply {
	replies := make([]reply, len(kinds))
	ids := make([]uint16, len(kinds))
	all := func(err error) []reply {
		for i := range replies {
			if replies[i].msg == nil {
				replies[i].err = err
			}
		}
		return replies
	}
	for i, k := range kinds {
		replies[i].kind = k
	}
	c, done, err := d.dial(ctx, "udp", server)
	if err != nil {
		return all(err)
	}
	defer done()
	for i, k := range kinds {
		var msg []byte
		if ids[i], msg, err = query(name, k); err != nil {
			return all(err)
		}
		if _, err := c.Write(msg); err != nil {
			return all(err)
		}
	}
	buf := make([]byte, dnsPayload)
	for missing := len(kinds); missing > 0; {
		n, err := c.Read(buf)
		if err != nil {
			return all(err)
		}
		for i := range replies {
			if replies[i].msg == nil && replies[i].matches(buf[:n], ids[i], name) {
				missing--
			}
		}
	}
	return replies
}

// tcp repeats a question whose answer was too long for UDP (RFC 7766).
func (d *dnsClient) tcp(ctx context.Context, server netip.AddrPort, name dnsmessage.Name,
	kind dnsmessage.Type,
) reply {
	r := reply{kind: kind}
	c, done, err := d.dial(ctx, "tcp", server)
	if err != nil {
		r.err = err
		return r
	}
	defer done()
	id, msg, err := query(name, kind)
	if err == nil {
		_, err = c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(msg))), msg...))
	}
	var size [2]byte
	if err == nil {
		_, err = io.ReadFull(c, size[:])
	}
	buf := make([]byte, binary.BigEndian.Uint16(size[:]))
	if err == nil {
		_, err = io.ReadFull(c, buf)
	}
	if err == nil && !r.matches(buf, id, name) {
		err = errors.New("answer to another question")
	}
	r.err = err
	return r
}

// dial opens a socket that ends with the context.
func (d *dnsClient) dial(ctx context.Context, network string, server netip.AddrPort) (net.Conn,
	func(), error,
) {
	var dialer net.Dialer
	c, err := dialer.DialContext(ctx, network, server.String())
	if err != nil {
		return nil, nil, err
	}
	// closed already, if it fails
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	return c, func() {
		stop()
		_ = c.Close() // all that was to be read has been read
	}, nil
}

// add takes the records of a reply. The error is one after which another server should be asked.
func (a *answer) add(r reply) error {
	switch r.header.RCode {
	case dnsmessage.RCodeSuccess, dnsmessage.RCodeNameError:
	default:
		return errors.New(strings.TrimPrefix(r.header.RCode.String(), "RCode"))
	}
	var p dnsmessage.Parser
	if _, err := p.Start(r.msg); err != nil {
		return err
	}
	if err := p.SkipAllQuestions(); err != nil {
		return err
	}
	for {
		h, err := p.AnswerHeader()
		if errors.Is(err, dnsmessage.ErrSectionDone) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := a.record(&p, h); err != nil {
			return err
		}
	}
}

func (a *answer) record(p *dnsmessage.Parser, h dnsmessage.ResourceHeader) error {
	var value string
	switch h.Type {
	case dnsmessage.TypeA:
		v, err := p.AResource()
		if err != nil {
			return err
		}
		a.addrs = append(a.addrs, netip.AddrFrom4(v.A))
		value = netip.AddrFrom4(v.A).String()
	case dnsmessage.TypeAAAA:
		v, err := p.AAAAResource()
		if err != nil {
			return err
		}
		a.addrs = append(a.addrs, netip.AddrFrom16(v.AAAA))
		value = netip.AddrFrom16(v.AAAA).String()
	case dnsmessage.TypeCNAME:
		v, err := p.CNAMEResource()
		if err != nil {
			return err
		}
		value = v.CNAME.String()
	default:
		return p.SkipAnswer()
	}
	ttl := time.Duration(h.TTL) * time.Second
	if a.lines == "" || ttl < a.ttl {
		a.ttl = ttl
	}
	line := fmt.Sprintf("%s\t%d\tIN\t%s\t%s\n", h.Name, h.TTL, strings.TrimPrefix(h.Type.String(), "Type"),
		value)
	if !strings.Contains("\n"+a.lines, "\n"+line) { // an alias is in the answers to both questions
		a.lines += line
	}
	return nil
}
