package main

import (
	"flag"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"watershed/internal/testweb"

	"golang.org/x/net/dns/dnsmessage"
)

// nameserver answers for the names of a hosts file, and says of all others that they do not exist. It runs until it is
// killed.
func nameserver(args []string) error {
	flags := flag.NewFlagSet("dns", flag.ContinueOnError)
	hosts := flags.String("hosts", "", "hosts file of the web")
	listen := flags.String("listen", "127.0.0.1:8853", "UDP address")
	if err := flags.Parse(args); err != nil {
		return err
	}
	names := map[string]netip.Addr{}
	err := testweb.FileRows(*hosts, 2, func(f []string) error {
		a, err := netip.ParseAddr(f[0])
		names[strings.ToLower(f[1])+"."] = a
		return err
	})
	if err != nil {
		return err
	}
	conn, err := net.ListenPacket("udp", *listen)
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
