package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// Bounds of an exchange.
const (
	maxOrder   = 64 << 10 // bytes
	maxAnswer  = 64 << 20
	orderTime  = 10 * time.Second // to send an order, once connected
	answerTime = 5 * time.Minute  // to be told what came of it: one may have to wait for others
)

// longestPath is what the address of a socket holds on every system that has them (sockaddr_un: 104
// bytes on macOS with the zero at the end, 108 on Linux).
const longestPath = 103

// Listener takes orders at a socket.
type Listener struct {
	net  *net.UnixListener
	path string
	dir  string // that was made for the socket, "" for none
}

// Listen makes a socket at path, in place of one that a process which died has left. The caller
// sees to it that no other process listens there: it has the harvest's store.
func Listen(path string) (*Listener, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("take the former socket away: %w", err)
	}
	l := &Listener{path: path}
	at := path
	if len(at) > longestPath {
		dir, err := os.MkdirTemp("", "watershed-")
		if err != nil {
			return nil, fmt.Errorf("make a folder for the socket: %w", err)
		}
		l.dir, at = dir, filepath.Join(dir, "socket")
	}
	var err error
	if l.net, err = net.ListenUnix("unix", &net.UnixAddr{Name: at, Net: "unix"}); err != nil {
		return nil, errors.Join(fmt.Errorf("listen for orders: %w", err), l.Close())
	}
	if err := os.Chmod(at, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("listen for orders: %w", err), l.Close())
	}
	if l.dir != "" {
		if err := os.Symlink(at, path); err != nil {
			return nil, errors.Join(fmt.Errorf("name the socket: %w", err), l.Close())
		}
	}
	return l, nil
}

// Close ends listening and takes the socket away. It may be called twice.
func (l *Listener) Close() error {
	var errs []error
	if l.net != nil {
		if err := l.net.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	if err := os.Remove(l.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, err)
	}
	if l.dir != "" {
		errs = append(errs, os.RemoveAll(l.dir))
	}
	return errors.Join(errs...)
}

// Serve takes orders until ctx ends, and returns when the last answer is sent. It closes the
// listener. carryOut is called for each order as it comes, so that one may be answered while
// another takes its time.
func (l *Listener) Serve(ctx context.Context, carryOut func(Order) Answer) error {
	stop := context.AfterFunc(ctx, func() { _ = l.net.Close() }) // Close below tells
	defer stop()
	var open sync.WaitGroup
	defer open.Wait()
	for {
		c, err := l.net.AcceptUnix()
		if err != nil {
			if ctx.Err() != nil {
				err = nil
			}
			return errors.Join(err, l.Close())
		}
		open.Go(func() {
			defer func() { _ = c.Close() }() // the other side has its answer, or is gone
			unblock := context.AfterFunc(ctx, func() { _ = c.SetReadDeadline(time.Now()) })
			defer unblock()
			serve(c, func(o Order) Answer {
				if ctx.Err() != nil {
					return Answer{Error: ErrNoRun.Error(), Ended: true}
				}
				return carryOut(o)
			})
		})
	}
}

// serve reads one order and writes its answer. Who sends no order, or does not wait for the answer,
// gets none.
func serve(c net.Conn, carryOut func(Order) Answer) {
	if c.SetReadDeadline(time.Now().Add(orderTime)) != nil {
		return
	}
	line, err := bufio.NewReader(io.LimitReader(c, maxOrder)).ReadBytes('\n')
	if err != nil {
		return
	}
	var o Order
	var a Answer
	if err := json.Unmarshal(line, &o); err != nil {
		a = Answer{Error: fmt.Sprintf("%v: %v", ErrOrder, err), Refused: true}
	} else if err := o.Validate(); err != nil {
		a = Answer{Error: err.Error(), Refused: true}
	} else {
		a = carryOut(o)
	}
	text, err := json.Marshal(a)
	if err != nil {
		text, _ = json.Marshal(Answer{Error: err.Error()}) // a string has a JSON form
	}
	if c.SetWriteDeadline(time.Now().Add(orderTime)) == nil {
		_, _ = c.Write(append(text, '\n')) // who asked is gone if this fails
	}
}

// Ask gives an order to the run that listens at path, and waits for its answer. The error is
// ErrNoRun, a *PhaseError that wraps it, ErrOrder, a *RefusedError, or what went wrong on the way.
func Ask(ctx context.Context, path string, o Order) (a Answer, err error) {
	if err := o.Validate(); err != nil {
		return a, err
	}
	if to, err := os.Readlink(path); err == nil {
		path = to
	}
	if len(path) > longestPath {
		return a, ErrNoRun // nobody can listen there
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED),
		errors.Is(err, syscall.ENOTDIR):
		return a, ErrNoRun
	case err != nil:
		return a, fmt.Errorf("ask the run: %w", err)
	}
	defer func() { _ = c.Close() }() // nothing is buffered
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Now()) })
	defer stop()
	if err := c.SetDeadline(time.Now().Add(answerTime)); err != nil {
		return a, fmt.Errorf("ask the run: %w", err)
	}
	text, err := json.Marshal(o)
	if err == nil {
		_, err = c.Write(append(text, '\n'))
	}
	switch {
	case errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET): // it ended just now
		return a, ErrNoRun
	case err != nil:
		return a, fmt.Errorf("ask the run: %w", err)
	}
	in := json.NewDecoder(io.LimitReader(c, maxAnswer))
	switch err := in.Decode(&a); {
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET): // it ended meanwhile
		return a, ErrNoRun
	case err != nil && ctx.Err() != nil:
		return a, ctx.Err()
	case err != nil:
		return a, fmt.Errorf("the run's answer: %w", err)
	case a.Ended:
		return a, ErrNoRun
	case a.Phase != "":
		return a, &PhaseError{a.Phase, a.Error}
	case a.Refused:
		return a, &RefusedError{a.Error}
	case a.Error != "":
		return a, errors.New(a.Error)
	}
	return a, nil
}
