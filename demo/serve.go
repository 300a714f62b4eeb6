package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"watershed/page"
)

// start serves the web until stop is called, which ends open connections, waits for all that
// serves, and may be called twice. Each host listens at its own address of 127.77.0.0/16; where
// there is none but 127.0.0.1, all do there and are told apart by the Host header. A web can be
// started again after it was stopped.
func (w *Web) start() (stop func() error, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.serving {
		return nil, errors.New("start web: it is served already")
	}
	addrs := apart(w.order)
	listeners, err := listen(addrs)
	if errors.Is(err, syscall.EADDRNOTAVAIL) {
		addrs = together(w.order)
		listeners, err = listen(addrs)
	}
	if err != nil {
		return nil, fmt.Errorf("start web: %w", err)
	}
	w.addrs, w.serving = addrs, true
	w.port = listeners[0].Addr().(*net.TCPAddr).AddrPort().Port()
	return w.serve(listeners), nil
}

// Serve serves the web while f runs.
func (w *Web) Serve(ctx context.Context, f func(context.Context) error) (err error) {
	stop, err := w.start()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	return f(ctx)
}

func (w *Web) serve(listeners []net.Listener) (stop func() error) {
	server := &http.Server{Handler: w, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() { ended <- server.Serve(anyTarget{l}) }()
	}
	return sync.OnceValue(func() error {
		err := server.Close()
		for range listeners {
			if e := <-ended; !errors.Is(e, http.ErrServerClosed) {
				err = errors.Join(err, e)
			}
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.serving = false
		return err
	})
}

// apart gives each host an address of its own.
func apart(hosts []page.Host) map[page.Host]netip.Addr {
	out := map[page.Host]netip.Addr{}
	for i, h := range hosts {
		out[h] = netip.AddrFrom4([4]byte{127, 77, byte(i / 250), byte(1 + i%250)})
	}
	return out
}

// together gives all hosts one address.
func together(hosts []page.Host) map[page.Host]netip.Addr {
	out := map[page.Host]netip.Addr{}
	for _, h := range hosts {
		out[h] = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return out
}

// portTries is how many ports are tried: one that is free at one address may be taken at another.
const portTries = 20

// listen opens one port at all addresses.
func listen(addrs map[page.Host]netip.Addr) (out []net.Listener, err error) {
	for range portTries {
		if out, err = listenOnce(addrs); !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
	}
	return out, err
}

func listenOnce(addrs map[page.Host]netip.Addr) ([]net.Listener, error) {
	var out []net.Listener
	var port uint16
	seen := map[netip.Addr]bool{}
	for _, a := range addrs {
		if seen[a] {
			continue
		}
		seen[a] = true
		l, err := net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(netip.AddrPortFrom(a, port)))
		if err != nil {
			for _, l := range out {
				err = errors.Join(err, l.Close())
			}
			return nil, err
		}
		out = append(out, l)
		port = l.Addr().(*net.TCPAddr).AddrPort().Port()
	}
	return out, nil
}
