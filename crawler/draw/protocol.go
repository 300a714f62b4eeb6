package draw

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// channel speaks the Chrome DevTools Protocol over the two pipes of --remote-debugging-pipe: JSON
// messages, each ended by a NUL. There is no port that another program could connect to. It is safe
// for concurrent use.
type channel struct {
	out  io.WriteCloser
	done chan struct{} // closed when the browser's pipe ends

	mu      sync.Mutex // guards what follows, and the order of writes
	last    int64
	waiting map[int64]chan message
	heard   map[string]func(method string, params json.RawMessage) // by session; "" has the browser's own
}

// message is a command, its answer, or an event.
type message struct {
	ID      int64           `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// maxMessage bounds a message from the browser, in bytes. The texts and links that Draw asks for are
// bounded in the page.
const maxMessage = 64 << 20

func newChannel(out io.WriteCloser) *channel {
	return &channel{
		out: out, done: make(chan struct{}), waiting: map[int64]chan message{},
		heard: map[string]func(string, json.RawMessage){},
	}
}

// listen reads the browser's messages until its pipe ends. It passes over those that are too long: a page
// may tell the console what it likes.
func (c *channel) listen(in io.Reader) {
	defer close(c.done)
	pipe, line, long := bufio.NewReaderSize(in, 64<<10), []byte(nil), false
	for {
		piece, err := pipe.ReadSlice(0)
		if long = long || len(line)+len(piece) > maxMessage; !long {
			line = append(line, piece...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return // a message without an end is none
		}
		var m message
		if !long && json.Unmarshal(line[:len(line)-1], &m) == nil {
			c.take(m)
		}
		line, long = line[:0], false
	}
}

func (c *channel) take(m message) {
	c.mu.Lock()
	waiting, heard := c.waiting[m.ID], c.heard[m.Session]
	delete(c.waiting, m.ID)
	c.mu.Unlock()
	switch {
	case m.Method == "" && waiting != nil:
		waiting <- m
	case m.Method != "" && heard != nil:
		heard(m.Method, m.Params)
	}
}

// hear has the events of a session go to a function, which must not wait for the browser; nil ends
// that.
func (c *channel) hear(session string, fn func(method string, params json.RawMessage)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if fn == nil {
		delete(c.heard, session)
		return
	}
	c.heard[session] = fn
}

// errGone is the error of a browser that has ended.
var errGone = errors.New("the browser has ended")

// call sends a command and waits for its result, which goes to result if that is not nil.
func (c *channel) call(ctx context.Context, session, method string, params, result any) error {
	answer, err := c.send(session, method, params)
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, context.Cause(ctx))
	case <-c.done:
		return errGone
	case m := <-answer:
		switch {
		case m.Error != nil:
			return fmt.Errorf("%s: %.300s", method, m.Error.Message)
		case result == nil:
			return nil
		}
		if err := json.Unmarshal(m.Result, result); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		return nil
	}
}

// send sends a command. The answer comes over the channel, once.
func (c *channel) send(session, method string, params any) (<-chan message, error) {
	if params == nil {
		params = struct{}{}
	}
	said, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	line, err := json.Marshal(message{ID: c.last, Session: session, Method: method, Params: said})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	answer := make(chan message, 1) // so that take never waits
	c.waiting[c.last] = answer
	if _, err := c.out.Write(append(line, 0)); err != nil {
		delete(c.waiting, c.last)
		return nil, fmt.Errorf("%s: %w", method, errGone)
	}
	return answer, nil
}
