package fetch

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watershed/page"
)

// saying makes a fetcher whose server says the same on each connection, and is heard to its end.
func saying(t *testing.T, o Options, raw string) (f *Fetcher, said chan struct{}) {
	near := local()
	near.Memory, near.SpoolDir = o.Memory, o.SpoolDir
	said = make(chan struct{}, 16)
	return piped(t, near, func(c net.Conn) {
		if say(c, raw) {
			said <- struct{}{}
		}
	}), said
}

// A body without room waits until another exchange is closed. The server is heard to its end
// before, and the wait is not in the duration of the exchange.
func TestBodiesWaitForRoom(t *testing.T) {
	text := strings.Repeat("x", 100_000)
	for name, raw := range map[string]string{
		"length": length("", text),
		"chunks": ok("Transfer-Encoding: chunked\r\n", "186a0\r\n"+text+"\r\n0\r\n\r\n"),
		"gzip":   length("Content-Encoding: gzip\r\n", gzipped(text)),
		"spool":  length("", strings.Repeat(text, 30)),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, said := saying(t, Options{Memory: 1 << 20, SpoolDir: t.TempDir()}, raw)
				first := f.Worker().Fetch(t.Context(), Request{URL: "http://a.example/"})
				<-said
				second := make(chan *page.Exchange, 1)
				go func() { second <- f.Worker().Fetch(t.Context(), Request{URL: "http://b.example/"}) }()
				<-said
				<-time.After(time.Hour)
				synctest.Wait()
				select {
				case <-second:
					t.Fatal("a second body was read, though the first has all room")
				default:
				}
				if err := first.Close(); err != nil {
					t.Fatal(err)
				}
				x := <-second
				if x.Err != nil || !bytes.Equal(x.Body.Bytes, first.Body.Bytes) || x.Duration > time.Minute {
					t.Errorf("%v, body of %d bytes after %v", x.Err, len(x.Body.Bytes), x.Duration)
				}
				if err := x.Close(); err != nil {
					t.Fatal(err)
				}
				if !f.budget.room.TryAcquire(f.budget.size) {
					t.Error("room is not given back")
				}
			})
		})
	}
}

// Small bodies pass where large ones wait, and the wait of a large one ends with its context.
func TestSmallBodiesPass(t *testing.T) {
	f, _ := saying(t, Options{Memory: 1 << 20}, length("", strings.Repeat("x", unasked)))
	if !f.budget.room.TryAcquire(f.budget.size) {
		t.Fatal("no room at first")
	}
	x := f.Worker().Fetch(t.Context(), Request{URL: "http://a.example/"})
	if x.Err != nil || len(x.Body.Bytes) != unasked {
		t.Errorf("%v, body of %d bytes", x.Err, len(x.Body.Bytes))
	}
	f, said := saying(t, Options{Memory: 1 << 20}, length("", strings.Repeat("x", unasked+1)))
	f.budget.room.TryAcquire(f.budget.size)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-said
		cancel()
	}()
	x = f.Worker().Fetch(ctx, Request{URL: "http://a.example/"})
	if !errors.Is(x.Err, context.Canceled) || x.Body.Bytes != nil {
		t.Errorf("%v, body of %d bytes", x.Err, len(x.Body.Bytes))
	}
}

// However many bodies are asked for, those that are read at once never weigh more than the budget.
func TestBudget(t *testing.T) {
	b := newBudget(1 << 20)
	var held []*share
	sum := func() (n int64) {
		for _, s := range held {
			n += s.taken
		}
		return n
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // who finds no room does not wait
	for n := int64(1); n < 1<<40; n *= 3 {
		s, err := b.take(ctx, n)
		if err == nil {
			held = append(held, s)
			s.cut(n / 2)
		}
		if sum() > b.size {
			t.Fatalf("%d of %d bytes are taken", sum(), b.size)
		}
		if err != nil {
			held[0].cut(0)
			held = held[1:]
		}
	}
	for _, s := range held {
		s.cut(0)
		s.cut(0)
	}
	if _, err := b.take(ctx, 1<<40); err != nil {
		t.Errorf("a body larger than all room, alone: %v", err)
	}
}
