package acceptance

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// wires are the network of a drill whose nodes run in namespaces of their own, as on machines of
// their own: this machine has the web's addresses, and routes between the nodes.
type wires struct {
	undo    []string // what takes them away, last first
	forward []byte   // what said before whether this machine routes; nil where nothing was changed
}

// Addresses of the wires: the web's, a node's, and this machine's towards a node.
const (
	wiredWeb = "10.79.0."
	wiredNet = "10.79.0.0/16"
)

func spaceOf(i int) string { return fmt.Sprintf("drill-n%d", i) }
func wireOf(i int) string  { return fmt.Sprintf("drill%d", i) }
func wiredAt(i int) string { return fmt.Sprintf("10.79.1.%d", 1+i) }
func hubOf(i int) string   { return fmt.Sprintf("10.79.2.%d", 1+i) }

// ip gives a command to iproute2.
func ip(command string) error {
	out, err := exec.Command("ip", strings.Fields(command)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ip %s: %w: %s", command, err, bytes.TrimSpace(out))
	}
	return nil
}

// add does something that undo takes back.
func (w *wires) add(do, undo string) error {
	err := ip(do)
	if err == nil && undo != "" {
		w.undo = append(w.undo, undo)
	}
	return err
}

// forwarding is the file that tells whether this machine routes.
const forwarding = "/proc/sys/net/ipv4/ip_forward"

// wire makes the network; it needs root.
func (w *wires) wire(web []string) (err error) {
	for _, a := range web {
		if err := w.add("addr add "+a+"/32 dev lo", "addr del "+a+"/32 dev lo"); err != nil {
			return err
		}
	}
	for i := range nodeCount {
		space, wire, hub, node := spaceOf(i), wireOf(i), hubOf(i), wiredAt(i)
		for _, x := range [][2]string{
			{"netns add " + space, "netns del " + space}, // and with it the wire
			{"link add " + wire + " type veth peer name eth0 netns " + space, ""},
			{"addr add " + hub + "/32 dev " + wire, ""},
			{"link set " + wire + " up", ""},
			{"route add " + node + "/32 dev " + wire, ""},
			{"-n " + space + " addr add " + node + "/32 dev eth0", ""},
			{"-n " + space + " link set eth0 up", ""},
			{"-n " + space + " link set lo up", ""},
			{"-n " + space + " route add " + hub + "/32 dev eth0", ""},
			{"-n " + space + " route add default via " + hub + " dev eth0", ""},
		} {
			if err := w.add(x[0], x[1]); err != nil {
				return err
			}
		}
	}
	if w.forward, err = os.ReadFile(forwarding); err != nil {
		return err
	}
	return os.WriteFile(forwarding, []byte("1"), 0o644)
}

// cut takes the wires away.
func (w *wires) cut() (err error) {
	if w.forward != nil {
		err = os.WriteFile(forwarding, w.forward, 0o644)
	}
	for len(w.undo) > 0 {
		last := len(w.undo) - 1
		err = errors.Join(err, ip(w.undo[last]))
		w.undo = w.undo[:last]
	}
	return err
}

// partition has nodes share harvests, and meanwhile parts a node from the others, or each from each,
// for half a minute: all reach the web, and those that give orders, as before.
func (d *drill) partition() error {
	return d.farm("partition", func(f *farm) error {
		f.rest = partedRest
		if err := f.share("whole", 0, nil); err != nil {
			return err
		}
		for i := range 3 {
			err := f.share(fmt.Sprint("parted-", i), 1, func() error { return f.part(i % 2) })
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// partedFor is for how long nodes are parted, partedRest for how long hosts rest meanwhile, so that a
// harvest takes longer.
const (
	partedFor  = 30 * time.Second
	partedRest = 150 * time.Millisecond
)

// part parts node 0 from the others, or each from each.
func (f *farm) part(each int) (err error) {
	name := []string{"a node parted for 30 s", "each node parted from each for 30 s"}[each]
	f.d.row(name).times++
	var w wires
	defer func() { err = errors.Join(err, w.cut()) }()
	for i := range nodeCount {
		for j := range nodeCount {
			if i == j || each == 0 && i*j != 0 {
				continue
			}
			rule := fmt.Sprintf("from %s to %s blackhole", wiredAt(i), wiredAt(j))
			if err := w.add("rule add "+rule, "rule del "+rule); err != nil {
				return err
			}
			way := fmt.Sprintf("route get %s from %s iif %s", wiredAt(j), wiredAt(i), wireOf(i))
			if ip(way) == nil {
				return fmt.Errorf("%s still finds a way", way)
			}
		}
	}
	time.Sleep(partedFor)
	return nil
}

// certify writes an authority, and a certificate by it with its key for the addresses of all nodes.
func (f *farm) certify() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "drill"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for i := range nodeCount {
		c.IPAddresses = append(c.IPAddresses, net.ParseIP(wiredAt(i)))
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return errors.Join(
		os.WriteFile(filepath.Join(f.dir, "machine.pem"), public, 0o666),
		os.WriteFile(filepath.Join(f.dir, "machine.key"),
			pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600),
	)
}
