package control

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serving listens at path and serves until the function that is returned is called.
func serving(t *testing.T, path string, carryOut func(Order) Answer) (stop func()) {
	t.Helper()
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- l.Serve(ctx, carryOut) }()
	return sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestOrdersAndAnswers(t *testing.T) {
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), strings.Repeat("long", 40))} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "control.sock")
		if _, err := Ask(t.Context(), path, Order{Do: Pause}); !errors.Is(err, ErrNoRun) {
			t.Errorf("nobody listens: %v", err)
		}
		const browsers = 8
		var come sync.WaitGroup
		come.Add(browsers)
		stop := serving(t, path, func(o Order) Answer {
			switch o.Do {
			case Pause:
				come.Done()
				come.Wait() // no order keeps another one from being answered
				return Answer{Done: []Entry{{By: o.By, Do: o.Do, Note: o.Note}}}
			case Explain:
				return Answer{Reply: []byte(`{"url":"` + string(o.URL) + `"}`)}
			case Stop:
				return Answer{Error: "not now", Refused: true}
			}
			return Answer{Error: "it broke"}
		})
		var all sync.WaitGroup
		for i := range browsers {
			all.Go(func() {
				by := fmt.Sprintf("browser %d", i)
				if a, err := Ask(context.Background(), path, Order{Do: Pause, By: by}); err != nil ||
					len(a.Done) != 1 || a.Done[0].By != by {
					t.Errorf("%+v %v", a, err)
				}
			})
		}
		all.Wait()
		if a, err := Ask(t.Context(), path, Order{Do: Explain, URL: "http://a.example/"}); err != nil ||
			string(a.Reply) != `{"url":"http://a.example/"}` {
			t.Errorf("%s %v", a.Reply, err)
		}
		var refused *RefusedError
		if _, err := Ask(t.Context(), path, Order{Do: Stop}); !errors.As(err, &refused) ||
			err.Error() != "not now" {
			t.Errorf("refused: %v", err)
		}
		if _, err := Ask(t.Context(), path, Order{Do: Resume}); err == nil || err.Error() != "it broke" {
			t.Errorf("broken: %v", err)
		}
		if _, err := Ask(t.Context(), path, Order{Do: "dance"}); !errors.Is(err, ErrOrder) {
			t.Errorf("no order: %v", err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the socket is %v, %v: others may give orders", info.Mode(), err)
		}
		stop()
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the socket is still there: %v", err)
		}
		if _, err := Ask(t.Context(), path, Order{Do: Pause}); !errors.Is(err, ErrNoRun) {
			t.Errorf("nobody listens any more: %v", err)
		}
	}
}

// TestStrangers: what is no order gets an answer that says so, and who says nothing holds nobody
// up.
func TestStrangers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "control.sock")
	stop := serving(t, path, func(Order) Answer { return Answer{} })
	silent, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for text, want := range map[string]string{
		"GET / HTTP/1.1\r\n\r\n": `"refused":true`, "{}\n": `no such order`,
		`{"do":"delay","seconds":-1}` + "\n":   "0 seconds or more",
		strings.Repeat("x", maxOrder+1) + "\n": "",
	} {
		c, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = c.Write([]byte(text)) // the other side may close before it has read all
		answer := make([]byte, 1000)
		n, _ := c.Read(answer)
		if !strings.Contains(string(answer[:n]), want) || (n == 0) != (want == "") {
			t.Errorf("%.20q: %s, want %s", text, answer[:n], want)
		}
		c.Close()
	}
	if _, err := Ask(t.Context(), path, Order{Do: Resume}); err != nil {
		t.Error(err)
	}
	stop() // although one still says nothing
}

// TestLeftBehind: the socket of a process that died is taken away; one that is asked for in vain
// ends with the context.
func TestLeftBehind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "control.sock")
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	dead.Close()
	if _, err := Ask(t.Context(), path, Order{Do: Pause}); !errors.Is(err, ErrNoRun) {
		t.Errorf("a dead one: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stop := serving(t, path, func(Order) Answer {
		cancel()
		<-ctx.Done()
		return Answer{}
	})
	defer stop()
	if _, err := Ask(ctx, path, Order{Do: Pause}); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	if _, err := Listen(filepath.Join(path, "x")); err == nil {
		t.Error("listens below a file")
	}
}

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		o  Order
		ok bool
	}{
		{Order{Do: Pause}, true},
		{Order{Do: Decisions}, true},
		{Order{Do: Delay, Seconds: 5}, true},
		{Order{Do: Delay, Host: "a.example"}, true},
		{Order{Do: Delay, Seconds: -1}, false},
		{Order{Do: Delay, Seconds: 1e12}, false},
		{Order{Do: Limit, Limit: Pages, Value: 5}, true},
		{Order{Do: Limit, Limit: Bytes, Host: EachHost}, true},
		{Order{Do: Limit, Limit: Seconds, Value: 60}, true},
		{Order{Do: Limit, Limit: Seconds, Value: 1 << 40}, false},
		{Order{Do: Limit, Limit: Seconds, Host: "a.example"}, false},
		{Order{Do: Limit, Limit: "depth"}, false},
		{Order{Do: Limit, Limit: Pages, Value: -5}, false},
		{Order{Do: Pause, Note: strings.Repeat("x", 500)}, true},
		{Order{Do: Pause, Note: strings.Repeat("x", 501)}, false},
		{Order{Do: Explain}, false},
		{Order{Do: Explain, URL: "http://a.example/"}, true},
		{Order{}, false},
	} {
		if err := tt.o.Validate(); (err == nil) != tt.ok || err != nil && !errors.Is(err, ErrOrder) {
			t.Errorf("%+v: %v", tt.o, err)
		}
	}
}

func TestEntryInALine(t *testing.T) {
	e := Entry{
		Time: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC), By: "anna", What: "limit of pages",
		New: "5 pages", Effect: "3 URLs are back", Note: "enough",
	}
	if got, want := e.String(), "2026-11-21 10:00:00 by anna: limit of pages, none -> 5 pages; 3 URLs are "+
		"back (enough)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestEndsMeanwhile: a run that ends before it has read an order is no run, wherever the order is.
func TestEndsMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "control.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	accepted := make(chan error, 1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				accepted <- err
				return
			}
			_ = c.Close() // what was not read resets the connection
		}
	}()
	for range 200 {
		if _, err := Ask(t.Context(), path, Order{Do: Pause}); !errors.Is(err, ErrNoRun) {
			t.Fatalf("an end meanwhile: %v", err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	<-accepted
}
