package acceptance

import (
	"fmt"
	"net"
	"net/netip"
	"strings"

	"watershed/lab/testweb"

	"golang.org/x/net/dns/dnsmessage"
)

// NameServer answers for the names of a hosts file, and says of all others that they do not exist.
// It runs until it is killed.
type NameServer struct {
	Hosts  string `required:"" placeholder:"FILE"`
	Listen string `default:"127.0.0.1:8853"`
}

func (c *NameServer) Run() error {
	names := map[string]netip.Addr{}
	err := testweb.FileRows(c.Hosts, 2, func(f []string) error {
		a, err := netip.ParseAddr(f[0])
		names[strings.ToLower(f[1])+"."] = a
		return err
	})
	if err != nil {
		return err
	}
	conn, err := net.ListenPacket("udp", c.Listen)
	if err != nil {
		return err
	}
	defer conn.Close()
	buf := make([]byte, 4096)
	for {
		n, from, err := conn.ReadFrom(buf)
		if err != nil {
			return err
		}
		if answer, err := answerFor(buf[:n], names); err == nil {
			if _, err := conn.WriteTo(answer, from); err != nil {
				return fmt.Errorf("answer %s: %w", from, err)
			}
		}
	}
}

// answerFor answers one query.
func answerFor(query []byte, names map[string]netip.Addr) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil {
		return nil, err
	}
	m.Response, m.Authoritative = true, true
	m.Additionals = nil
	if len(m.Questions) != 1 {
		m.RCode = dnsmessage.RCodeFormatError
		return m.Pack()
	}
	q := m.Questions[0]
	a, known := names[strings.ToLower(q.Name.String())]
	if !known {
		m.RCode = dnsmessage.RCodeNameError
		return m.Pack()
	}
	if q.Type == dnsmessage.TypeA {
		m.Answers = append(m.Answers, dnsmessage.Resource{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 3600},
			Body:   &dnsmessage.AResource{A: a.As4()},
		})
	}
	return m.Pack()
}
