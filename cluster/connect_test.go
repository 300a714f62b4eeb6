package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"watershed/lab/kit/bomb"
	"watershed/lab/kit/ports"
)

// TestWith has two members meet at a node of their own, and one with a wrong key be refused.
func TestWith(t *testing.T) {
	at := ports.Free(t, 1)[0]
	b := Broker{Name: "trial", Servers: []string{"nats://" + at}, Copies: 1, Key: "0123456789abcdef"}
	quiet := slog.New(slog.DiscardHandler)
	none := func(context.Context, *Member) error { return nil }
	err := With(t.Context(), b, "one", quiet, none)
	if err == nil || !strings.Contains(err.Error(), "its nodes run") {
		t.Errorf("without a node: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	dir := t.TempDir()
	patient, told := b, 0
	patient.Patient = true
	patient.Late = func(error) { // the node is started when it has been missed
		told++
		go func() { ended <- RunNode(ctx, b, "a", dir, []Node{{Name: "a", Clients: at}}, quiet) }()
	}
	if err = With(t.Context(), patient, "one", quiet, none); err != nil || told != 1 {
		t.Fatalf("told %d times that the node is late: %v", told, err)
	}
	err = With(t.Context(), b, "one", quiet, func(ctx context.Context, one *Member) error {
		return With(ctx, b, "two", quiet, func(_ context.Context, two *Member) error {
			for one.Enter("a.example", time.Minute) > 0 {
				time.Sleep(soon)
			}
			one.Leave("a.example", time.Minute, true)
			for two.Enter("b.example", 0) > 0 { // the broker tells in order
				time.Sleep(soon)
			}
			if wait := two.Enter("a.example", time.Second); wait == 0 {
				t.Error("two asks a host that rests")
			}
			return nil
		})
	})
	if err != nil {
		t.Error(err)
	}
	checkReadFromLeader(t, b)
	checkApart(t, b)
	checkQuestions(t, b)
	checkRemoved(t, b)
	err = With(t.Context(), b, "one", quiet, func(ctx context.Context, one *Member) error {
		if err := one.Office.Send(ctx, "h/1", strings.NewReader("brought")); err != nil {
			return err
		}
		if err := one.Office.Remove(ctx, "h/0", "h/1"); err != nil {
			return err
		}
		_, err := one.Office.Fetch(ctx, "h/1", dir)
		return err
	})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that was removed: %v", err)
	}
	wrong := b
	wrong.Key = "fedcba9876543210"
	err = With(t.Context(), wrong, "x", quiet, none)
	if err == nil || !strings.Contains(err.Error(), "the key") {
		t.Errorf("with a wrong key: %v", err)
	}
	err = RunNode(t.Context(), b, "a", dir, []Node{{Name: "a", Clients: at}}, quiet)
	if err == nil || !strings.Contains(err.Error(), "another program listens") {
		t.Errorf("a second node: %v", err)
	}
	beside := []Node{{Name: "b", Clients: "127.0.0.1:0"}}
	err = RunNode(t.Context(), b, "b", dir, beside, quiet)
	if err == nil || !strings.Contains(err.Error(), "another node uses it") {
		t.Errorf("a second node in the folder of the first: %v", err)
	}
	wrong.Servers = append(wrong.Servers, "nats://127.0.0.1:1")
	most, err := wrong.undecided(t.Context(), errUndecided)
	if most || !strings.Contains(err.Error(), "new: nats://127.0.0.1:1 did") {
		t.Errorf("a node that does not listen is not named: %v", err)
	}
	for missing, want := range []int{3, 1} { // attempts, the third of which finds a leader
		half, tries, told := b, 0, 0
		half.Servers = append(slices.Clone(b.Servers), []string{"nats://127.0.0.1:1"}[:missing]...)
		half.Late = func(error) { told++ }
		err := half.decided(t.Context(), func() error {
			if tries++; tries == 3 {
				return nil
			}
			return errUndecided
		})
		if tries != want || told != want/2 || (err == nil) != (want == 3) {
			t.Errorf("%d of %d nodes listen, and it is tried %d times: %v", 1, missing+1, tries, err)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// checkRemoved has a key be removed without a trace, but not what was written since. A record that was
// removed is written again by whoever knows only that.
func checkRemoved(t *testing.T, b Broker) {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	err := With(t.Context(), b, "one", quiet, func(ctx context.Context, m *Member) error {
		before := m.Board()
		const key = "harvest.h"
		if err := m.Change(before, key, HarvestRecord{Round: 1, Count: 256}); err != nil {
			return err
		}
		one := m.Board()
		if err := m.replace(one, key, nil); err != nil {
			return err
		}
		removed := m.Board()
		if err := m.records.remove(ctx, key, one.revs[key]); err != nil {
			return err
		}
		if e, err := m.records.get(ctx, key); err != nil || len(e.value) > 0 {
			t.Errorf("what was written since is %q: %v", e.value, err)
		}
		if err := m.records.remove(ctx, key, removed.revs[key]); err != nil {
			return err
		}
		if e, err := m.records.get(ctx, key); err == nil {
			t.Errorf("%+v is left", e)
		}
		if err := m.Change(one, key, HarvestRecord{Round: 2, Count: 256}); !errors.Is(err, errStale) {
			t.Errorf("over what has been removed: %v", err)
		}
		return m.Change(removed, key, HarvestRecord{Round: 3, Count: 256})
	})
	if err != nil {
		t.Error(err)
	}
}

// checkQuestions has a node be asked what no node asks, and then be asked as nodes do; an answer without
// end ends whoever asks.
func checkQuestions(t *testing.T, b Broker) {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	err := With(t.Context(), b, "one", quiet, func(ctx context.Context, m *Member) error {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		subject, ready := m.Office.subject("a"), make(chan error, 1)
		go func() {
			ready <- m.Office.Answer(ctx, "a", func(ctx context.Context, q Question, out, _ io.Writer) int {
				for q.Harvest == "endless" && ctx.Err() == nil {
					_, _ = out.Write(make([]byte, 1<<20)) // never fails
				}
				return 3
			})
		}()
		ask := func() (int, error) {
			return m.Office.Ask(ctx, "a", Question{Harvest: "h"}, io.Discard, io.Discard)
		}
		for _, err := ask(); errors.Is(err, nats.ErrNoResponders); _, err = ask() {
			time.Sleep(soon) // until it listens
		}
		deep := bomb.Nested("[")[:1<<19]
		for _, text := range [][]byte{
			nil, []byte("null"), []byte("\xff"), deep, slices.Concat([]byte(`{"args":`), deep),
			slices.Concat([]byte(`{"args":["x"`), bomb.Nested(`,"x"`)[:1<<19], []byte("]}")),
		} {
			if err := m.Office.conn.Publish(subject, text); err != nil {
				return err
			}
		}
		if err := m.Office.conn.Publish(subject, bomb.Nested("[")); !errors.Is(err, nats.ErrMaxPayload) {
			t.Errorf("a question of 10 MB: %v", err)
		}
		code, err := ask()
		if code != 3 || err != nil {
			t.Errorf("after what no node asks: %d, %v", code, err)
		}
		sub, err := m.Office.conn.Subscribe(m.Office.subject("b"), func(msg *nats.Msg) { // one is lost
			last := nats.Header{codeHeader: {"0"}, countHeader: {"2"}}
			for _, header := range []nats.Header{{streamHeader: {"out"}}, last} {
				reply := &nats.Msg{Subject: msg.Reply, Header: header}
				if header.Get(codeHeader) == "" {
					reply.Data = []byte("half")
				}
				_ = m.Office.conn.PublishMsg(reply) // whoever asks tells
			}
		})
		if err != nil {
			return err
		}
		_, err = m.Office.Ask(ctx, "b", Question{Harvest: "h"}, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), "1 messages came, of 2") {
			t.Errorf("half an answer: %v", err)
		}
		if err := sub.Unsubscribe(); err != nil {
			return err
		}
		_, err = m.Office.Ask(ctx, "a", Question{Harvest: "endless"}, full{}, io.Discard)
		if !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "see that") {
			t.Errorf("an answer without end: %v", err)
		}
		stop()
		return <-ready
	})
	if err != nil {
		t.Error(err)
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// checkApart enters a broker of a single node by the YAML of a machine that knows of three.
func checkApart(t *testing.T, b Broker) {
	t.Helper()
	b.Copies = 3
	quiet := slog.New(slog.DiscardHandler)
	err := With(t.Context(), b, "one", quiet, func(context.Context, *Member) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "node a at "+b.Servers[0]+" is a broker of its own") {
		t.Errorf("a broker of its own: %v", err)
	}
}

// started is a server of NATS on loopback that takes connections.
func started(t *testing.T, o *server.Options) *server.Server {
	t.Helper()
	o.Host, o.NoSigs, o.NoLog = "127.0.0.1", true, true
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(readyTime) {
		t.Fatal("not ready")
	}
	return s
}

// TestApart: who has lost its server goes to no broker of its own, but waits for one of the cluster.
func TestApart(t *testing.T) {
	serve := func(name string, port int, cluster server.ClusterOpts) *server.Server {
		return started(t, &server.Options{ServerName: name, Port: port, Cluster: cluster})
	}
	cluster := server.ClusterOpts{Name: "trial", Host: "127.0.0.1", Port: -1}
	of, own := serve("of", -1, cluster), serve("own", -1, server.ClusterOpts{})
	defer own.Shutdown()
	at := of.Addr().(*net.TCPAddr)
	b := Broker{Name: "trial", Copies: 3}
	options := append(b.options("one"), nats.DontRandomize())
	c, err := nats.Connect(of.ClientURL()+","+own.ClientURL(), options...)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	of.Shutdown()
	until := func(what string, is func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !is(); time.Sleep(soon) {
			if time.Now().After(end) {
				t.Fatal(what)
			}
		}
	}
	until("it does not look for another server", func() bool { return c.Stats().Reconnects > 0 })
	of = serve("of", at.Port, cluster)
	defer of.Shutdown()
	until("it stays with a broker of its own", func() bool { return c.ConnectedServerName() == "of" })
}

// TestOtherName: whoever names the cluster otherwise than its nodes do is refused, as turns of two names are
// kept apart.
func TestOtherName(t *testing.T) {
	s := started(t, &server.Options{
		ServerName: "of", Port: -1, Cluster: server.ClusterOpts{Name: "trial", Host: "127.0.0.1", Port: -1},
	})
	defer s.Shutdown()
	b := Broker{Name: "trail", Copies: 3, Own: true, Servers: []string{s.ClientURL()}}
	work := func(context.Context, *Member) error { return nil }
	err := With(t.Context(), b, "one", slog.New(slog.DiscardHandler), work)
	said := "cluster trail: the broker at " + s.ClientURL() + " is of cluster trial"
	if err == nil || !strings.Contains(err.Error(), said) {
		t.Errorf("another name: %v", err)
	}
}

// checkReadFromLeader opens the bucket and the store of files: what is read there is no other node's older
// copy.
func checkReadFromLeader(t *testing.T, b Broker) {
	t.Helper()
	err := With(t.Context(), b, "one", slog.New(slog.DiscardHandler),
		func(ctx context.Context, m *Member) error {
			if err := m.Office.Send(ctx, "h/1", strings.NewReader("brought")); err != nil {
				return err
			}
			for _, name := range []string{"KV_turns-trial", "OBJ_harvests-trial"} {
				stream, err := m.Office.js.Stream(ctx, name)
				if err != nil {
					return err
				}
				if stream.CachedInfo().Config.AllowDirect {
					t.Errorf("any node answers what is read of %s", name)
				}
			}
			return nil
		})
	if err != nil {
		t.Error(err)
	}
}

// TestFull: a file for which the broker has no room is refused, and files that are sent beside each other,
// which may take more, leave room for turns and for who comes.
func TestFull(t *testing.T) {
	const most, each = 16 << 20, 12 << 20
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir(),
		JetStreamMaxStore: most + most/4,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer s.Shutdown()
	if !s.ReadyForConnections(readyTime) {
		t.Fatal("not ready")
	}
	b := Broker{Name: "trial", Servers: []string{s.ClientURL()}, Copies: 1}
	quiet := slog.New(slog.DiscardHandler)
	err = With(t.Context(), b, "one", quiet, func(ctx context.Context, m *Member) error {
		if _, err := m.Office.files(ctx); err != nil { // without a bound, as builds of before made it
			return err
		}
		m.Office.most = most
		file := bytes.NewReader(make([]byte, each))
		if err := m.Office.Send(ctx, "h/1", file); err != nil {
			return err
		}
		if err := m.Office.Send(ctx, "h/2", file); !errors.Is(err, ErrFull) {
			t.Errorf("a file too much: %v", err)
		}
		files, err := m.Office.files(ctx)
		if err != nil {
			return err
		}
		sent := make(chan error, 1)
		go func() {
			_, err := files.PutBytes(ctx, "h/3", make([]byte, each))
			sent <- err
		}()
		for rev := uint64(0); len(sent) == 0 && err == nil; {
			if rev, err = m.records.put(ctx, "node.n", NodeRecord{}, rev); err != nil {
				t.Errorf("a record, while there is no room for files: %v", err)
			}
		}
		if <-sent == nil {
			t.Error("files take all")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// fetched has the file h/1 fetched, which must hold a text.
func fetched(ctx context.Context, t *testing.T, m *Member, text []byte) error {
	t.Helper()
	file, err := m.Office.Fetch(ctx, "h/1", t.TempDir())
	if err != nil {
		return err
	}
	got, err := io.ReadAll(file)
	if !bytes.Equal(got, text) {
		t.Errorf("%d bytes of the file came", len(got))
	}
	return errors.Join(err, file.Close())
}

// TestSlowFiles: a file for which the way to the broker is slow is sent once.
func TestSlowFiles(t *testing.T) {
	s := started(t, &server.Options{Port: -1, JetStream: true, StoreDir: t.TempDir()})
	defer s.Shutdown()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	defer all.Wait()
	defer func() { _ = l.Close() }() // ends the loop
	all.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			broker, err := net.Dial("tcp4", strings.TrimPrefix(s.ClientURL(), "nats://"))
			if err != nil {
				t.Error(err)
				return
			}
			carry := func(to, from net.Conn, wait time.Duration) {
				for buf := make([]byte, 64<<10); ; time.Sleep(wait) {
					n, err := from.Read(buf)
					if _, e := to.Write(buf[:n]); err != nil || e != nil {
						_ = errors.Join(to.Close(), from.Close()) // the other one may have
						return
					}
				}
			}
			all.Go(func() { carry(client, broker, 0) })
			all.Go(func() { carry(broker, client, 64*time.Millisecond) }) // a megabyte a second
		}
	})
	b := Broker{Name: "trial", Servers: []string{"nats://" + l.Addr().String()}, Copies: 1}
	quiet := slog.New(slog.DiscardHandler)
	err = With(t.Context(), b, "one", quiet, func(ctx context.Context, m *Member) error {
		text := bytes.Repeat([]byte("captured "), 8<<20/9)
		from := &slowed{ReadSeeker: bytes.NewReader(text)}
		if err := m.Office.Send(ctx, "h/1", from); err != nil {
			return err
		}
		if from.begun != 1 {
			t.Errorf("it was sent %d times", from.begun)
		}
		return fetched(ctx, t, m, text)
	})
	if err != nil {
		t.Error(err)
	}
}

// slowed tells of its first reading, and counts how often its file is read from the begin.
type slowed struct {
	io.ReadSeeker
	first func()
	begun int
}

func (r *slowed) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekStart {
		r.begun++
	}
	return r.ReadSeeker.Seek(offset, whence)
}

func (r *slowed) Read(p []byte) (int, error) {
	if r.first != nil {
		r.first()
		r.first = nil
	}
	return r.ReadSeeker.Read(p)
}

// TestUnfinishedFiles: parts of a file that was not sent to its end go, and no file goes with them.
func TestUnfinishedFiles(t *testing.T) {
	s := started(t, &server.Options{Port: -1, JetStream: true, StoreDir: t.TempDir()})
	defer s.Shutdown()
	b := Broker{Name: "trial", Servers: []string{s.ClientURL()}, Copies: 1}
	quiet := slog.New(slog.DiscardHandler)
	err := With(t.Context(), b, "one", quiet, func(ctx context.Context, m *Member) error {
		text := bytes.Repeat([]byte("captured "), 80_000)
		for range 2 { // the second in place of the first
			if err := m.Office.Send(ctx, "h/1", bytes.NewReader(text)); err != nil {
				return err
			}
		}
		broken := errors.New("broken")
		sending, stop := context.WithCancelCause(ctx)
		err := m.Office.Send(sending, "h/1", &slowed{
			ReadSeeker: bytes.NewReader(text), first: func() { stop(broken) },
		})
		if err == nil {
			t.Error("it was sent although nobody wanted it any more")
		}
		stream, err := m.Office.stream(ctx)
		if err != nil {
			return err
		}
		parts := func() uint64 {
			info, err := stream.Info(ctx)
			if err != nil {
				t.Error(err)
				return 0
			}
			return info.State.Msgs
		}
		want := uint64(len(text)/mostChunk + 2)        // and its entry
		if err := m.Office.sweep(ctx, 0); err != nil { // on a busy machine parts are stored behind the purge
			return err
		}
		if n := parts(); n != want {
			t.Errorf("%d messages are stored, want %d", n, want)
		}
		for range 5 { // whoever sent them died
			if _, err := m.Office.js.Publish(ctx, m.Office.partsOf("dead"), text[:mostChunk]); err != nil {
				return err
			}
		}
		for _, c := range []struct {
			age  time.Duration
			more uint64
		}{{time.Hour, 5}, {0, 0}} {
			if err := m.Office.sweep(ctx, c.age); err != nil {
				return err
			}
			if n := parts(); n != want+c.more {
				t.Errorf("%d messages are stored after %s, want %d", n, c.age, want+c.more)
			}
		}
		return fetched(ctx, t, m, text)
	})
	if err != nil {
		t.Error(err)
	}
}

// TestSmallMessages: files and answers go through a broker that takes no messages of the usual length.
func TestSmallMessages(t *testing.T) {
	s := started(t, &server.Options{
		Port: -1, JetStream: true, StoreDir: t.TempDir(), MaxPayload: 32 << 10,
	})
	defer s.Shutdown()
	b := Broker{Name: "trial", Servers: []string{s.ClientURL()}, Copies: 1}
	text := bytes.Repeat([]byte("captured "), 40_000)
	quiet := slog.New(slog.DiscardHandler)
	err := With(t.Context(), b, "one", quiet, func(ctx context.Context, m *Member) error {
		sending, stop := context.WithTimeout(ctx, readyTime)
		defer stop()
		if err := m.Office.Send(sending, "h/1", bytes.NewReader(text)); err != nil {
			return err
		}
		if err := fetched(ctx, t, m, text); err != nil {
			return err
		}
		answering, end := context.WithCancel(ctx)
		var all sync.WaitGroup
		defer all.Wait()
		defer end()
		all.Go(func() {
			_ = m.Office.Answer(answering, "a", func(_ context.Context, _ Question, out, _ io.Writer) int {
				_, _ = out.Write(text) // never fails
				return 0
			}) // until it is told to end
		})
		for {
			var out bytes.Buffer
			_, err := m.Office.Ask(ctx, "a", Question{Harvest: "h"}, &out, io.Discard)
			if errors.Is(err, nats.ErrNoResponders) {
				time.Sleep(soon) // until it listens
				continue
			}
			if err == nil && !bytes.Equal(out.Bytes(), text) {
				t.Errorf("%d bytes of the answer came", out.Len())
			}
			return err
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// TestWrongKeyBeside: a member comes back to a node that was gone for a while, though the other one that it
// asked meanwhile, again and again, has another key; that is told.
func TestWrongKeyBeside(t *testing.T) {
	begin := func(port int, key string) *server.Server {
		return started(t, &server.Options{
			Port: port, JetStream: true, StoreDir: t.TempDir(), Username: user, Password: key,
		})
	}
	const key = "0123456789abcdef"
	right, wrong := begin(-1, key), begin(-1, "another key")
	defer wrong.Shutdown()
	b := Broker{
		Name: "trial", Servers: []string{right.ClientURL(), wrong.ClientURL()}, Copies: 1, Key: key,
	}
	quiet := slog.New(slog.DiscardHandler)
	err := With(t.Context(), b, "one", quiet, func(ctx context.Context, m *Member) error {
		conn, port := m.Office.conn, right.Addr().(*net.TCPAddr).Port
		until := func(what string, is func() bool) {
			t.Helper()
			for end := time.Now().Add(readyTime); !is(); pause(ctx, soon) {
				if conn.IsClosed() || time.Now().After(end) {
					t.Fatalf("%s: not so: %v, %v", what, conn.Status(), conn.LastError())
				}
			}
		}
		right.Shutdown()
		until("the other one is asked repeatedly", func() bool {
			z, err := wrong.Varz(nil)
			return err == nil && z.TotalConnections >= 4
		})
		until("the cause is told", func() bool {
			_, err := m.records.put(ctx, "wish.1", wish{}, 0)
			return err != nil && strings.Contains(err.Error(), "it refuses this machine: the key")
		})
		right = begin(port, key)
		until("the member has come back", conn.IsConnected)
		want := wrong.ClientURL() + ": nats: Authorization Violation: it refuses this machine: the key"
		if _, err := b.undecided(t.Context(), errUndecided); !strings.Contains(err.Error(), want) {
			t.Errorf("where the broker cannot decide, said is %s", err)
		}
		return nil
	})
	right.Shutdown()
	if err != nil {
		t.Error(err)
	}
}

// TestBrokenOff: whoever asks for the broker goes at once when he is told to, though its nodes say nothing.
func TestBrokenOff(t *testing.T) {
	for name, ask := range map[string]func(context.Context, *Broker) error{
		"entered": func(ctx context.Context, b *Broker) error {
			return With(ctx, *b, "one", slog.New(slog.DiscardHandler), nil)
		},
		"looked at": func(ctx context.Context, b *Broker) error {
			_, err := b.undecided(ctx, errUndecided)
			return err
		},
	} {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		b := &Broker{Name: "c", Copies: 3}
		var asked atomic.Int64
		for range 3 {
			l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			b.Servers = append(b.Servers, "nats://"+l.Addr().String())
			go func() {
				c, err := l.Accept()
				if err != nil {
					return
				}
				asked.Add(1)
				stop()
				_, _ = c.Read(make([]byte, 1)) // until the other side goes
				_ = c.Close()
			}()
			defer func() { _ = l.Close() }()
		}
		if err := ask(ctx, b); !errors.Is(err, context.Canceled) || asked.Load() != 1 {
			t.Errorf("%s: %v, %d nodes were asked", name, err, asked.Load())
		}
	}
}

// TestUndecided: a broker that cannot decide is told so, after having been asked for a while.
func TestUndecided(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker()
		l := sound(b)
		l.down = true
		err := with(t.Context(), l, "one", slog.New(slog.DiscardHandler), nil)
		if !errors.Is(err, errUndecided) {
			t.Error(err)
		}
	})
}

// mute is a line whose first watches tell nothing, or nothing after the first entry, as when the node dies
// that was to tell.
type mute struct {
	*line
	left int
}

func (l *mute) watch(ctx context.Context, tell func(entry), mark func()) error {
	if l.left--; l.left < 0 {
		return l.line.watch(ctx, tell, mark)
	}
	if l.left == 0 {
		tell(entry{key: "protocol", value: []byte(protocol), rev: 1, time: time.Now()})
	}
	<-ctx.Done()
	return ctx.Err()
}

// TestMute: who comes while the broker chooses a leader is let in when it tells what it has.
func TestMute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &mute{sound(newBroker()), 3}
		err := with(t.Context(), l, "one", slog.New(slog.DiscardHandler),
			func(context.Context, *Member) error { return nil })
		if err != nil {
			t.Error(err)
		}
	})
}

// late is a line on which a renewal is made after the member has given it up. Meanwhile another one is
// refused, as JetStream does it.
type late struct {
	*line
	on, under atomic.Bool // a renewal is under way
}

func (l *late) put(ctx context.Context, key string, value []byte, rev uint64) (uint64, error) {
	now, err := l.get(ctx, key)
	switch {
	case !l.on.Load() || !strings.HasPrefix(key, "session.") || err != nil || now.rev != rev:
		return l.line.put(ctx, key, value, rev)
	case l.under.Swap(true):
		return 0, errStale
	}
	time.AfterFunc(renewTime+time.Second/2, func() {
		_, _ = l.write(key, value, rev) // none is before it
		l.under.Store(false)
	})
	<-ctx.Done()
	return 0, errLine
}

// TestLateRenewals: a session goes on whose renewals are made, but late, as by a broker with slow disks.
func TestLateRenewals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &late{line: sound(newBroker())}
		err := with(t.Context(), l, "one", slog.New(slog.DiscardHandler),
			func(ctx context.Context, m *Member) error {
				l.on.Store(true)
				right := m.Right()
				if pause(ctx, 2*time.Minute); right.Err() != nil {
					t.Error(context.Cause(right))
				}
				return nil
			})
		if err != nil {
			t.Error(err)
		}
	})
}

// slowly is a line on which a removal takes its time, as with slow disks.
type slowly struct{ *line }

func (slowly) remove(ctx context.Context, _ string, _ uint64) error {
	pause(ctx, 10*time.Millisecond)
	return ctx.Err()
}

// TestManyEnded: who comes after very many harvests have ended does not wait until their sessions are
// removed.
func TestManyEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker()
		for i := range 3000 {
			if _, err := b.write(fmt.Sprintf("session.%d", i), []byte(`{"ended":true}`), 0); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(2 * keepEnded)
		if _, err := b.write("node.n", []byte("{}"), 0); err != nil { // by whose time that is known
			t.Fatal(err)
		}
		start := time.Now()
		err := with(t.Context(), slowly{sound(b)}, "one", slog.New(slog.DiscardHandler),
			func(context.Context, *Member) error { return nil })
		if took := time.Since(start); err != nil || took > renewTime {
			t.Errorf("after %v: %v", took, err)
		}
	})
}

// TestNothingIsLeft: of sessions that ended long ago nothing is left when another member has come, nor of
// records that were removed; of those that ended lately the others are still to hear.
func TestNothingIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker()
		write := func(key, value string) {
			if _, err := b.write(key, []byte(value), 0); err != nil {
				t.Fatal(err)
			}
		}
		write("session.old", `{"ended":true}`)
		write("shard.h.001", "")
		write("node.n", "{}")
		time.Sleep(2 * keepEnded)
		write("session.new", `{"ended":true}`)
		write("shard.h.002", "")
		err := with(t.Context(), sound(b), "one", slog.New(slog.DiscardHandler),
			func(context.Context, *Member) error { return nil })
		if err != nil {
			t.Error(err)
		}
		for key, want := range map[string]bool{
			"session.old": false, "shard.h.001": false,
			"session.new": true, "shard.h.002": true, "node.n": true,
		} {
			if (b.last[key] > 0) != want {
				t.Errorf("%s is left: %v", key, !want)
			}
		}
	})
}

// TestClock: a member whose clock is wrong is told so, and one whose clock is set wrong withdraws.
func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker()
		quiet := slog.New(slog.DiscardHandler)
		work := func(ctx context.Context, m *Member) error {
			b.mu.Lock()
			b.skew = -time.Minute
			b.mu.Unlock()
			<-ctx.Done()
			return ctx.Err()
		}
		start := time.Now()
		if err := with(t.Context(), sound(b), "one", quiet, work); !errors.Is(err, ErrClock) {
			t.Errorf("a clock that was set: %v", err)
		}
		if took := time.Since(start); took < leaseTime || took > 2*doubtTime {
			t.Errorf("it was seen after %v", took)
		}
		for _, way := range []string{"1m0s ahead of", "1m0s behind"} {
			if err := with(t.Context(), sound(b), "one", quiet, work); err == nil ||
				!strings.Contains(err.Error(), "that of one is "+way) {
				t.Errorf("%s: %v", way, err)
			}
			b.skew = -b.skew
		}
	})
}

// TestProtocol: a program that speaks another protocol is refused while one of those is alive that use
// the bucket, also where it was killed; then the protocol is that of the newcomer.
func TestProtocol(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker()
		if _, err := b.write("protocol", []byte("0"), 0); err != nil {
			t.Fatal(err)
		}
		one := []byte(`{"who":"one, harvest gemo"}`)
		rev, err := b.write("session.ONE", one, 0)
		if err != nil {
			t.Fatal(err)
		}
		renewing, die := context.WithCancel(t.Context())
		go func() {
			for pause(renewing, renewTime); renewing.Err() == nil; pause(renewing, renewTime) {
				rev, _ = b.write("session.ONE", one, rev) // nobody else writes it
			}
		}()
		quiet, worked := slog.New(slog.DiscardHandler), false
		work := func(context.Context, *Member) error {
			worked = true
			return nil
		}
		err = with(t.Context(), sound(b), "new", quiet, work)
		want := "protocol \"0\", and this program (new) speaks"
		said := fmt.Sprint(err)
		if !strings.Contains(said, want) || !strings.Contains(said, "one, harvest gemo") {
			t.Errorf("%v, want %s", err, want)
		}
		die()
		synctest.Wait()
		start := time.Now()
		if err := with(t.Context(), sound(b), "new", quiet, work); err != nil || !worked {
			t.Error(worked, err)
		}
		if took := time.Since(start); took < leaseTime {
			t.Errorf("a program that was killed counted as ended after %v", took)
		}
		if e, err := sound(b).get(t.Context(), "protocol"); err != nil || string(e.value) != protocol {
			t.Errorf("%s, %v", e.value, err)
		}
	})
}

// TestLeaderClock: the clock of a leader that was a minute off for some seconds lets nobody ask a host
// sooner than it has rested.
func TestLeaderClock(t *testing.T) {
	for _, off := range []time.Duration{time.Minute, -time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			b, quiet := newBroker(), slog.New(slog.DiscardHandler)
			enter := func(m *Member) {
				for wait := soon; wait > 0; time.Sleep(wait) {
					wait = m.Enter("a.example", time.Minute)
				}
			}
			var asked time.Time
			err := with(t.Context(), sound(b), "one", quiet, func(_ context.Context, m *Member) error {
				enter(m)
				b.setSkew(min(off, 0)) // behind, it writes that the host rests
				m.Leave("a.example", time.Minute, true)
				asked = time.Now()
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			b.setSkew(max(off, 0)) // ahead, it writes something later
			if _, err := b.write("node.n", []byte("{}"), 0); err != nil {
				t.Fatal(err)
			}
			back := time.AfterFunc(10*time.Second, func() { b.setSkew(0) })
			defer back.Stop()
			err = with(t.Context(), sound(b), "two", quiet, func(_ context.Context, m *Member) error {
				enter(m)
				if rested := time.Since(asked); rested < time.Minute {
					t.Errorf("off by %v: asked after %v", off, rested)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// unheard is a broker that does not answer.
type unheard struct{ jetstream.JetStream }

func (unheard) ObjectStore(ctx context.Context, _ string) (jetstream.ObjectStore, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestStalled: of a broker that says nothing that is said, and not that a context was cancelled.
func TestStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, start := &Office{js: unheard{}}, time.Now()
		err := o.moving(t.Context(), nil)
		if !errors.Is(err, errStalled) || time.Since(start) != stallTime {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}
