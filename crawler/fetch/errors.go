package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"syscall"

	"watershed/page"
)

// The kinds of failure. An Exchange's Err is one of them by errors.Is, mostly as an *Error that has
// the cause as well; or the context's own error where the caller ended the fetch.
var (
	errRequest  = errors.New("no request that can be sent")
	errDNS      = errors.New("host name has no address")
	errPrivate  = errors.New("address is not public")
	errConnect  = errors.New("no connection")
	errTLS      = errors.New("no secure connection")
	ErrLost     = errors.New("connection broke before a whole head came")
	ErrTimeout  = errors.New("took too long")
	errHead     = errors.New("head is longer than fetch.max_head allows")
	errNotHTTP  = errors.New("answer is not HTTP")
	ErrBody     = errors.New("body is longer than its limit")
	ErrCutShort = errors.New("connection broke before the whole body came")
	errFraming  = errors.New("length of the body is told wrongly")
	ErrSpool    = errors.New("response cannot be kept on disk") // our own failure, not the page's
	// an ErrTimeout, too; a later request may bring more
	ErrStalled = errors.New("nothing more of the body came")
)

// Error is a failure of one kind, with its cause.
type Error struct {
	Kind  error // one of the package's errors
	Cause error // may be nil
}

func (e *Error) Error() string {
	if e.Cause == nil {
		return e.Kind.Error()
	}
	return e.Kind.Error() + ": " + inWords(e.Cause)
}

// inWords is the text of a cause. Of an error of the network it says what the other side did; our own
// address and port, and the system call, say nothing to those who read it.
func inWords(err error) string {
	who, own := "the server", err.Error()
	var op *net.OpError
	if errors.As(err, &op) {
		if own = op.Error(); op.Op == "dial" && op.Addr != nil {
			who = op.Addr.String()
		}
	}
	for _, x := range []struct {
		is   error
		text string
	}{
		{syscall.ECONNRESET, who + " reset it"},
		{syscall.ECONNREFUSED, who + " refused it"},
		{syscall.EPIPE, who + " closed it"},
		{io.EOF, who + " closed it"},
		{io.ErrUnexpectedEOF, who + " closed it"},
		{syscall.ETIMEDOUT, who + " did not answer"},
		{syscall.ENETUNREACH, "no way leads to " + who},
		{syscall.EHOSTUNREACH, "no way leads to " + who},
	} {
		if errors.Is(err, x.is) {
			return strings.Replace(err.Error(), own, x.text, 1)
		}
	}
	if op != nil {
		return strings.Replace(err.Error(), own, op.Err.Error(), 1)
	}
	return own
}

// Unwrap lets errors.Is and errors.As see kind and cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// privateError says that a host's address is one that a harvest may not reach unless it is listed
// in AllowPrivate. It is errPrivate.
type privateError struct {
	Host  page.Host // may be empty
	Addr  netip.Addr
	Block string // the block of addresses, in the words of the IANA registry
}

func (e *privateError) Error() string {
	name := ""
	if e.Host != "" && e.Host.Name() != e.Addr.String() {
		name = string(e.Host) + " is at "
	}
	return fmt.Sprintf("%s%s (%s): %v; to harvest it, list it in network.allow_private", name, e.Addr,
		e.Block, errPrivate)
}

// Is reports errPrivate.
func (e *privateError) Is(target error) bool { return target == errPrivate }

// DNSError says why a name has no address. It is errDNS.
type DNSError struct {
	Host page.Host
	// the name servers say that there is no such name or no address for it; asking again is of no
	// use
	NotFound bool
	Cause    error  // of a lookup that failed
	Server   string // who was asked last
}

func (e *DNSError) Error() string {
	switch {
	case e.NotFound:
		return fmt.Sprintf("%s: no such name", e.Host)
	case e.Server != "":
		return fmt.Sprintf("%s: name server %s: %s", e.Host, e.Server, inWords(e.Cause))
	}
	return fmt.Sprintf("%s: %s", e.Host, inWords(e.Cause))
}

// Is reports errDNS.
func (e *DNSError) Is(target error) bool { return target == errDNS }

func (e *DNSError) Unwrap() error { return e.Cause }

// StatusOf is the page.Status constant of an exchange that brought no response, 0 for nil and for
// an error that left a response (a body cut short, for example). An error of another package, such
// as the context's, is StatusTimeout when a deadline passed, else StatusRefused.
func StatusOf(err error) int {
	if err == nil {
		return 0
	}
	for _, s := range []struct {
		kind   error
		status int
	}{
		{errPrivate, page.StatusPrivate},
		{errDNS, page.StatusDNS},
		{errConnect, page.StatusConnect},
		{errTLS, page.StatusConnect},
		{ErrLost, page.StatusLost},
		{ErrBody, 0},
		{ErrCutShort, 0},
		{errFraming, 0},
		{ErrTimeout, page.StatusTimeout},
		{context.DeadlineExceeded, page.StatusTimeout},
	} {
		if errors.Is(err, s.kind) {
			return s.status
		}
	}
	return page.StatusRefused
}
