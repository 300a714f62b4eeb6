package draw

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// inNamespace tells the test that it runs in a network namespace of its own.
const inNamespace = "WATERSHED_NAMESPACE"

// network is a namespace with a wire on whose other end nobody answers, and a way to all addresses over
// it. Version 6 is off, for it speaks by itself.
const network = `set -e
echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6
ip link set lo up
ip link add name wire0 type veth peer name wire1
ip addr add 10.9.9.1/24 dev wire0
ip link set wire0 up
ip link set wire1 up
ip neigh add 10.9.9.2 lladdr 02:00:00:00:00:02 dev wire0
ip route add default via 10.9.9.2
exec "$0" -test.run '^TestPastProxy$' -test.v`

// TestNamespace runs TestPastProxy in a network of its own, where whatever a page tries comes to be seen.
func TestNamespace(t *testing.T) {
	if testing.Short() || os.Getuid() != 0 {
		t.Skip("a namespace is made by root alone, and not in short tests")
	}
	start(t, Options{}) // skips without a browser
	for _, name := range []string{"unshare", "ip"} {
		if _, err := exec.LookPath(name); err != nil {
			if os.Getenv("WATERSHED_BROWSER") != "" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "unshare", "-n", "sh", "-c", network, os.Args[0])
	cmd.Env = append(os.Environ(), inNamespace+"=1")
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil || !strings.Contains(string(out), "--- PASS: TestPastProxy") {
		t.Error(err)
	}
}

// wire hears all packets of a namespace.
type wire struct {
	fd   int
	done chan struct{}

	mu   sync.Mutex
	past map[string]bool // protocol and address of those that are not to or from the proxy
}

// tap begins to hear.
func tap(t *testing.T, proxy netip.AddrPort) *wire {
	t.Helper()
	all := binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, unix.ETH_P_ALL))
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM, int(all))
	if err != nil {
		t.Fatal(err)
	}
	patience := unix.Timeval{Usec: 100_000}
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &patience); err != nil {
		t.Fatal(err)
	}
	w := &wire{fd: fd, done: make(chan struct{}), past: map[string]bool{}}
	stop, heard := make(chan struct{}), w.done
	go func() {
		defer close(heard)
		packet := make([]byte, 1<<16)
		for {
			n, _, err := unix.Recvfrom(fd, packet, 0)
			if err == nil {
				w.hear(packet[:n], proxy)
				continue
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	t.Cleanup(func() {
		close(stop)
		<-heard
		if err := unix.Close(fd); err != nil {
			t.Error(err)
		}
	})
	return w
}

// nowhere is the port that Browser.flags gives as a proxy to what belongs to no tab: nobody listens.
const nowhere = 1

// hear notes a packet (RFC 791, 3.1; RFC 8200, 3), unless it is TCP with the proxy, or with nobody.
func (w *wire) hear(p []byte, proxy netip.AddrPort) {
	var protocol byte
	var to netip.Addr
	var ports []byte
	switch {
	case len(p) >= 24 && p[0]>>4 == 4:
		protocol, to = p[9], netip.AddrFrom4([4]byte(p[16:20]))
		ports = p[min(int(p[0]&15)*4, len(p)-4):]
	case len(p) >= 44 && p[0]>>4 == 6:
		protocol, to, ports = p[6], netip.AddrFrom16([16]byte(p[24:40])), p[40:]
	default:
		return
	}
	from, at := binary.BigEndian.Uint16(ports), binary.BigEndian.Uint16(ports[2:])
	fine := []uint16{proxy.Port(), nowhere}
	if protocol == unix.IPPROTO_TCP && to == proxy.Addr() &&
		(slices.Contains(fine, from) || slices.Contains(fine, at)) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.past[fmt.Sprintf("protocol %d to %s", protocol, netip.AddrPortFrom(to, at))] = true
}

func (w *wire) log() (list []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for line := range w.past {
		list = append(list, line)
	}
	slices.Sort(list)
	return list
}

// TestPastProxy draws a page that tries each way out that a page has, and wants that no packet but those
// of the proxy is seen.
func TestPastProxy(t *testing.T) {
	if os.Getenv(inNamespace) == "" {
		t.Skip("TestNamespace runs it")
	}
	tab := start(t, Options{})
	proxy, err := netip.ParseAddrPort(tab.proxy.address())
	if err != nil {
		t.Fatal(err)
	}
	w := tap(t, proxy)
	d := drawn(t, tab, "http://a.example/", &web{pages: map[string]string{
		"http://a.example/": `<!doctype html><title>t</title>
<link rel=dns-prefetch href=//dns.example><link rel=preconnect href=https://8.8.4.4>
<link rel=prefetch href=http://8.8.4.5/><link rel=stylesheet href=http://[2001:db8::1]/s.css>
<img src=http://127.0.0.1:8099/a.png><img src=http://localhost:8099/b.png><img src=http://[::1]:8099/c.png>
<img src=https://10.0.0.1/d.png><iframe src=http://192.168.0.1/></iframe>
<a href=https://8.8.4.6/ ping=http://8.8.4.7/>a</a><form action=http://8.8.4.8/ method=post></form>
<video src=http://8.8.4.9/v.mp4></video>
<script type=speculationrules>{"prefetch": [{"source": "list", "urls": ["https://8.8.5.1/"]}],
  "prerender": [{"source": "list", "urls": ["http://a.example/next"]}]}</script>
<script>
const attempt = f => { try { const p = f(); if (p && p.catch) p.catch(() => 0); } catch (_) { } };
attempt(() => fetch('https://8.8.5.2/', {mode: 'no-cors'}));
attempt(() => fetch('http://metadata.internal/', {method: 'PUT', mode: 'no-cors'}));
attempt(() => new WebSocket('ws://8.8.5.3/'));
attempt(() => new WebSocket('wss://8.8.5.4/'));
attempt(() => new EventSource('http://8.8.5.5/'));
attempt(() => new WebTransport('https://8.8.5.6:4433/').ready);
attempt(() => navigator.sendBeacon('http://8.8.5.7/', 'x'));
attempt(() => new Worker(URL.createObjectURL(new Blob(["fetch('http://8.8.5.8/')"]))));
attempt(() => window.open('http://8.8.5.9/'));
attempt(() => document.forms[0].submit());
attempt(async () => {
  const c = new RTCPeerConnection({iceServers: [{urls: ['stun:8.8.6.1:3478', 'stun:stun.example']},
    {urls: 'turn:8.8.6.2:3478?transport=tcp', username: 'a', credential: 'b'}]});
  c.createDataChannel('x');
  await c.setLocalDescription(await c.createOffer());
});
addEventListener('pagehide', () => navigator.sendBeacon('http://8.8.6.3/', 'y'));
document.querySelector('a').click();
</script>`,
	}})
	if len(d.Asked) < 8 {
		t.Errorf("the page tried %d things only: %v", len(d.Asked), d.Asked)
	}
	for _, line := range w.log() {
		t.Errorf("past the proxy: %s", line)
	}
	for _, a := range d.Asked {
		t.Logf("asked of the proxy: %s %s%s", a.Method, a.URL, a.Text)
	}

	// the wire hears whatever leaves
	c, err := net.Dial("udp", "8.8.8.8:53")
	if err == nil {
		_, err = c.Write([]byte("x"))
	}
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for end := time.Now().Add(time.Minute); !slices.Contains(w.log(), "protocol 17 to 8.8.8.8:53"); {
		if time.Now().After(end) {
			t.Fatal("a packet that left was not heard")
		}
		time.Sleep(10 * time.Millisecond)
	}
}
