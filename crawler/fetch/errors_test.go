package fetch

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
)

// TestInWords: a failure of the network is told by what the other side did, without our own address.
func TestInWords(t *testing.T) {
	here := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 41254}
	there := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80}
	op := func(what string, err error) error {
		x := &net.OpError{Op: what, Net: "tcp", Source: here, Addr: there, Err: err}
		if what == "dial" {
			x.Source = nil
		}
		return x
	}
	for _, c := range []struct {
		kind, cause error
		want        string
	}{
		{
			ErrLost, op("read", os.NewSyscallError("read", syscall.ECONNRESET)),
			"connection broke before a whole head came: the server reset it",
		},
		{
			ErrLost, op("write", os.NewSyscallError("write", syscall.EPIPE)),
			"connection broke before a whole head came: the server closed it",
		},
		{ErrCutShort, io.ErrUnexpectedEOF, "connection broke before the whole body came: the server closed " +
			"it"},
		{
			errConnect, op("dial", os.NewSyscallError("connect", syscall.ECONNREFUSED)),
			"no connection: 192.0.2.1:80 refused it",
		},
		{
			errConnect, op("dial", os.NewSyscallError("connect", syscall.EHOSTUNREACH)),
			"no connection: no way leads to 192.0.2.1:80",
		},
		{
			errTLS, op("remote error", errors.New("tls: handshake failure")),
			"no secure connection: tls: handshake failure",
		},
		{
			errConnect, fmt.Errorf("tunnel: %w", op("read", os.NewSyscallError("read", syscall.ECONNRESET))),
			"no connection: tunnel: the server reset it",
		},
		{ErrLost, errors.New("other"), "connection broke before a whole head came: other"},
	} {
		if got := (&Error{Kind: c.kind, Cause: c.cause}).Error(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
