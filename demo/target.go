package demo

import (
	"bufio"
	"bytes"
	"net"
	"net/http"
	"regexp"
)

// anyTarget is a listener by which net/http also serves what it refuses: a target with a "%" that
// begins no escape, which browsers send and other servers answer. The request is handed on with a
// target that net/http can read, and the one that was asked for in a field of its head.
type anyTarget struct{ net.Listener }

func (l anyTarget) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &targetConn{Conn: c, in: bufio.NewReader(c)}, nil
}

const targetField = "Demo-Target"

// target is what a request asked for, as it was written.
func target(r *http.Request) string {
	if t := r.Header.Get(targetField); t != "" {
		return t
	}
	return r.RequestURI
}

// targetConn rewrites request lines, until a request comes that may have a body.
type targetConn struct {
	net.Conn
	in   *bufio.Reader
	line []byte // that has come in part
	out  []byte // that waits to be read
	asIs bool
}

// Read gives line after line. A read that was cut short by a deadline is gone on with by the next.
func (c *targetConn) Read(p []byte) (int, error) {
	for len(c.out) == 0 {
		if c.asIs {
			return c.in.Read(p)
		}
		part, err := c.in.ReadSlice('\n')
		c.line = append(c.line, part...)
		if err != nil && err != bufio.ErrBufferFull {
			return 0, err
		}
		if err == nil {
			m := requestLine.FindSubmatch(c.line)
			c.asIs = m != nil && string(m[1]) != http.MethodGet && string(m[1]) != http.MethodHead
			c.out, c.line = readable(m, c.line), nil
		}
	}
	n := copy(p, c.out)
	c.out = c.out[n:]
	return n, nil
}

var (
	requestLine = regexp.MustCompile(`^([A-Z]+) (/[^ ]*) (HTTP/1\.[01])\r?\n$`)
	noEscape    = regexp.MustCompile(`%([^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)`)
)

// readable is a line that net/http can read; m are the parts of a request line, else nil.
func readable(m [][]byte, line []byte) []byte {
	if m == nil || !noEscape.Match(m[2]) {
		return line
	}
	plain := bytes.ReplaceAll(m[2], []byte("%"), []byte("%25"))
	return bytes.Join([][]byte{
		m[1], []byte(" "), plain, []byte(" "), m[3],
		[]byte("\r\n" + targetField + ": "), m[2], []byte("\r\n"),
	}, nil)
}
