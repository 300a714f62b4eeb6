package frontier

import (
	"net/netip"
	"testing"
	"time"

	"watershed/store"
)

// TestAddressHeldAlone has three hosts at one address: while one is being fetched from, and for as
// long as the address rests then, the others wait, those that are known to be there and one that is
// only found to be.
func TestAddressHeldAlone(t *testing.T) {
	s := stepped(t, Options{
		AddressDelay: 10 * time.Second,
		Politeness:   Politeness{Min: time.Second, Max: time.Second},
	})
	one := []netip.Addr{netip.MustParseAddr("192.0.2.1")}
	resolved := func(l *Lease) bool {
		t.Helper()
		_, ok, err := s.Resolved(l, one, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	add(t, s.Frontier, wanted("http://a.example/1", "http://a.example/2", "http://b.example/1",
		"http://b.example/2")...)
	a := s.mustLease()
	if !resolved(a) {
		t.Fatal("nobody else is there")
	}
	if b := s.mustLease(); resolved(b) {
		t.Fatalf("%s is leased while %s is", b.URL, a.URL)
	}
	finish(t, s.Frontier, a, Outcome{Status: 200})
	l := s.mustLease()
	if l.Address != one[0] || s.clk.t.Sub(epoch) != 10*time.Second {
		t.Fatalf("%+v at %v", l, s.clk.t)
	}
	s.clk.t = s.clk.t.Add(time.Minute)
	if other, _, err := s.next(); other != nil || err != nil {
		t.Fatalf("%v is leased while %s is, %v", other, l.URL, err)
	}
	finish(t, s.Frontier, l, Outcome{Status: 200})
	add(t, s.Frontier, wanted("http://c.example/")...)
	if c := s.mustLease(); c.Host != "c.example" || resolved(c) {
		t.Fatalf("%s is leased while the address rests", c.URL)
	}
	if next := s.mustLease(); next.Address != one[0] || s.clk.t.Sub(epoch) != 80*time.Second {
		t.Fatalf("%+v at %v", next, s.clk.t)
	}
}

// TestAddressOfOverlap: a transaction that changes a host while a lease of it is told another address
// does not bring the former one back, at which another host may be asked.
func TestAddressOfOverlap(t *testing.T) {
	s := stepped(t, Options{Politeness: Politeness{Min: time.Second, Max: time.Second}})
	at := func(l *Lease, address string) {
		t.Helper()
		addrs := []netip.Addr{netip.MustParseAddr(address)}
		if _, ok, err := s.Resolved(l, addrs, time.Hour); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	add(t, s.Frontier, wanted("http://a.example/1", "http://a.example/2")...)
	l := s.mustLease()
	at(l, "192.0.2.1")
	finish(t, s.Frontier, l, Outcome{Status: 200})
	s.clk.t = s.clk.t.Add(2 * time.Hour)
	l = s.mustLease()
	update(t, s.Frontier, func(tx *store.Tx) error {
		err := s.SetHostDelay(tx, "a.example", time.Minute)
		at(l, "192.0.2.2")
		return err
	})
	if h, _ := s.Host("a.example"); h.Address.String() != "192.0.2.2" {
		t.Errorf("the host is at %s", h.Address)
	}
	add(t, s.Frontier, wanted("http://a.example/3")...)
	finish(t, s.Frontier, l, Outcome{Status: 200})
	if l = s.mustLease(); l.Address.String() != "192.0.2.2" {
		t.Errorf("asked at %s", l.Address)
	}
}
