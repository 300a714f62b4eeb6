package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"watershed/internal/disk"
)

// Node is a node of a cluster's broker.
type Node struct {
	Name    string
	Clients string // host:port at which harvests ask
	Peers   string // host:port at which other nodes do
}

// roomTime is how often a node whose streams have no room looks whether there is some, of leastRoom bytes.
const (
	roomTime  = 5 * time.Second
	leastRoom = 64 << 20
)

// RunNode runs the node of that name until the context ends. Its streams lie in folder; where there is no
// room for them the node stands still until there is.
func RunNode(ctx context.Context, b Broker, name, folder string, nodes []Node, log *slog.Logger) error {
	for {
		err := runNode(ctx, &b, name, folder, nodes, log)
		if !errors.Is(err, errNoRoom) {
			return err
		}
		log.Error("the disk of the broker's folder is full: this node decides nothing, and the others go "+
			"on; make room, and it comes back by itself", "node", name, "folder", folder,
			"bytes needed", leastRoom)
		for ctx.Err() == nil {
			if free, ok := disk.Free(folder); !ok || free >= leastRoom {
				break
			}
			pause(ctx, roomTime)
		}
		if ctx.Err() != nil {
			return nil
		}
	}
}

func runNode(ctx context.Context, b *Broker, name, folder string, nodes []Node, log *slog.Logger) error {
	var own Node
	var routes []*url.URL
	for _, n := range nodes {
		if n.Name == name {
			own = n
			continue
		}
		routes = append(routes, &url.URL{
			Scheme: "nats-route", Host: n.Peers, User: url.UserPassword(user, b.Key),
		})
	}
	o := &server.Options{
		ServerName: name, NoSigs: true, JetStream: true, StoreDir: folder,
		JetStreamMaxMemory: 64 << 20, JetStreamMaxStore: maxStore, SyncAlways: true,
		Username: user, Password: b.Key, TLSConfig: b.TLS, TLS: b.TLS != nil, TLSVerify: b.TLS != nil,
		PingInterval: pingTime, MaxPingsOut: mostPings,
	}
	if b.TLS != nil {
		o.TLSTimeout = renewTime.Seconds()
	}
	var err error
	if o.Host, o.Port, err = hostPort(own.Clients); err != nil {
		return err
	}
	if len(routes) > 0 {
		o.Cluster = server.ClusterOpts{
			Name: b.Name, Username: user, Password: b.Key, TLSConfig: b.TLS, TLSTimeout: renewTime.Seconds(),
			PoolSize: -1, NoAdvertise: true, PingInterval: pingTime, MaxPingsOut: mostPings,
		}
		if o.Cluster.Host, o.Cluster.Port, err = hostPort(own.Peers); err != nil {
			return err
		}
		o.Routes = routes
	}
	for _, at := range []string{own.Clients, own.Peers} {
		if err := free(ctx, at); err != nil {
			return fmt.Errorf("node %s: %w: another program listens there, or the address is not this "+
				"machine's: nodes in the cluster's YAML says where each node is", name, err)
		}
	}
	if err := b.certified(own); err != nil {
		return fmt.Errorf("node %s: %w", name, err)
	}
	held, err := Hold("folder", folder, log)
	if err != nil {
		return fmt.Errorf("node %s: %w", name, err)
	}
	defer func() { _ = held.Close() }() // the end of the lock
	// The server would tell neither the folder nor the cause.
	if err := disk.Writable(folder); err != nil {
		return fmt.Errorf("node %s: folder: %s cannot be written: %w", name, folder, err)
	}
	s, err := server.NewServer(o)
	if err != nil {
		return fmt.Errorf("node %s: %w", name, err)
	}
	s.SetLogger(&logger{Logger: log.With("node", name), told: map[string]time.Time{}}, false, false)
	s.Start()
	defer s.WaitForShutdown()
	defer s.Shutdown()
	if !s.ReadyForConnections(readyTime) {
		return fmt.Errorf("node %s does not listen at %s; its log says why", name, own.Clients)
	}
	return observe(ctx, s, b, nodes, log)
}

// otherThan names the nodes but one.
func otherThan(own string, nodes []Node) (others []string) {
	for _, n := range nodes {
		if n.Name != own {
			others = append(others, n.Name)
		}
	}
	return others
}

func hostPort(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err == nil {
		port, err = strconv.Atoi(text)
	}
	return host, port, err
}

// certified reports a certificate of a node that the other nodes would refuse, each time that one connects.
func (b *Broker) certified(own Node) error {
	if b.TLS == nil {
		return nil
	}
	for _, pair := range b.TLS.Certificates {
		between := x509.NewCertPool()
		for _, der := range pair.Certificate[1:] {
			if c, err := x509.ParseCertificate(der); err == nil {
				between.AddCert(c)
			}
		}
		for _, at := range []string{own.Clients, own.Peers} {
			host, _, _ := net.SplitHostPort(at) // a node that is alone has no peers, and any host will do
			for _, use := range []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth} {
				_, err := pair.Leaf.Verify(x509.VerifyOptions{
					Roots: b.TLS.RootCAs, Intermediates: between, DNSName: host,
					KeyUsages: []x509.ExtKeyUsage{use},
				})
				if err != nil {
					return fmt.Errorf("tls.certificate: %w: the others would refuse it; tls.authority must "+
						"have signed it, for %s (subjectAltName), and for servers and clients "+
						"(extendedKeyUsage, if it has that)", err, host)
				}
			}
		}
	}
	return nil
}

// Hold takes the folder that a key of the cluster's YAML names for this process, until it is closed: two
// nodes in one would destroy each other's streams, and count each other's shards as their own.
func Hold(key, folder string, log *slog.Logger) (*os.File, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	f, err := os.Open(folder)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	err = disk.Lock(f, disk.TryAlone)
	if errors.Is(err, disk.ErrLocked) {
		_ = f.Close()
		return nil, fmt.Errorf("%s: %s: %w: another node uses it; each node on a machine needs a folder "+
			"of its own, and so a YAML of its own", key, folder, err)
	}
	if err != nil { // of a disk without locks
		log.Warn("the folder cannot be locked: see that no other node uses it", key, folder, "cause", err)
	}
	return f, nil
}

// free reports an address that cannot be listened at: the server would end the process.
func free(ctx context.Context, address string) error {
	if address == "" {
		return nil
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return l.Close()
}

// observe tells whether the nodes can decide, each time that changes, until the context ends, the clock of
// this one is wrong, or its disk is full.
func observe(ctx context.Context, s *server.Server, b *Broker, nodes []Node, log *slog.Logger) error {
	c, err := nats.Connect("", nats.InProcessServer(s), nats.UserInfo(user, b.Key), nats.MaxReconnects(-1))
	if err != nil {
		return err
	}
	defer c.Close()
	js, err := jetstream.New(c)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return compare(ctx, c, b.Name, s.Name(), nodes, log) })
	if b.TLS != nil {
		group.Go(func() error { return warn(ctx, b.TLS, s.Name(), log) })
	}
	group.Go(func() error { return decide(ctx, s, js, otherThan(s.Name(), nodes), log) })
	return group.Wait()
}

// warnTime is how long before its end a certificate is told of, each day.
const warnTime = 30 * 24 * time.Hour

// warn tells that the certificate of a node ends soon, until the context ends: those of all machines may end
// on the same day, and with them the cluster.
func warn(ctx context.Context, c *tls.Config, node string, log *slog.Logger) error {
	for ; ctx.Err() == nil; pause(ctx, 24*time.Hour) {
		for _, x := range c.Certificates {
			if end := x.Leaf.NotAfter; time.Until(end) < warnTime {
				log.Warn("the certificate of this machine ends soon: have tls.certificate name a new one, "+
					"on each machine, and start the nodes again, one after the other", "node", node,
					"end", end)
			}
		}
	}
	return nil
}

// errNoRoom is the error of a node whose streams have no room.
var errNoRoom = errors.New("no room for the broker's streams")

// decide tells whether the nodes can decide.
func decide(ctx context.Context, s *server.Server, js jetstream.JetStream, others []string, log *slog.Logger,
) error {
	told, whole, exceeds := "", false, false
	for ctx.Err() == nil {
		asking, cancel := context.WithTimeout(ctx, renewTime)
		_, err := js.AccountInfo(asking)
		var lacks string
		if err == nil && !whole { // a node that once has all keeps up
			if lacks = s.Healthz(nil).Error; lacks == "" {
				lacks = behind(ctx, s, js)
			}
			whole = lacks == ""
		}
		cancel()
		if ctx.Err() != nil {
			break
		}
		if !s.JetStreamEnabled() { // it disables itself when it cannot write
			return errNoRoom
		}
		missing, counted := unreached(s, others), counts(s)
		if surplus := counted > len(others)+1; surplus != exceeds {
			if exceeds = surplus; surplus {
				log.Warn("the broker counts more nodes than the cluster's YAML lists, and decides only "+
					"while more than half of them run: one that another has replaced under a new name is "+
					"counted still; the guide has how a machine is replaced", "node", s.Name(), "counted",
					counted)
			}
		}
		if now := fmt.Sprint(err == nil, missing, lacks == ""); now != told {
			told = now
			list := strings.Join(missing, ", ")
			switch {
			case err != nil && list == "":
				log.Warn("the broker does not decide yet, though its nodes reach each other: they choose a "+
					"leader, which takes some seconds; where it lasts, the guide has what to do when the "+
					"disks of two are lost", "node", s.Name(), "cause", err)
			case err != nil:
				log.Warn("the broker cannot decide: more than half of its nodes must reach each other",
					"node", s.Name(), "not reached", list, "cause", err)
			case list != "":
				log.Warn("the broker is ready, but not all of its nodes are: see that they run, that a "+
					"firewall lets them reach each other, and that nodes in the cluster's YAML is the same "+
					"on all of them",
					"node", s.Name(), "not reached", list)
			case lacks != "":
				log.Info("the broker decides, but this node does not have all that the others have: stop no "+
					"other node, and remove no other's disk, until it is ready", "node", s.Name(),
					"lacks", lacks)
			default:
				log.Info("the broker is ready", "node", s.Name())
			}
		}
		pause(ctx, time.Second)
	}
	return nil
}

// leadersTime is for how long the leaders of streams are asked: the server itself waits four seconds for
// those that say nothing.
const leadersTime = 2 * renewTime

// behind tells of which stream a server has not all that its leader has: Healthz is content with a stream
// between two attempts to catch up.
func behind(ctx context.Context, s *server.Server, js jetstream.JetStream) string {
	ctx, stop := context.WithTimeout(ctx, leadersTime)
	defer stop()
	last := map[string]uint64{} // sequence, by stream
	streams := js.ListStreams(ctx)
	for x := range streams.Info() {
		last[x.Config.Name] = x.State.LastSeq
	}
	if err := streams.Err(); err != nil {
		return err.Error()
	}
	here, err := s.Jsz(&server.JSzOptions{Accounts: true, Streams: true}) // asked for after it
	if err != nil {
		return err.Error()
	}
	for _, a := range here.AccountDetails {
		for _, x := range a.Streams {
			want, ok := last[x.Name]
			if !ok {
				return "stream " + x.Name + ": its leader does not answer"
			}
			if x.State.LastSeq < want {
				return fmt.Sprintf("stream %s: messages to %d of %d", x.Name, x.State.LastSeq, want)
			}
		}
	}
	return ""
}

// counts is how many nodes the broker knows of, gone or not; 0 where a node is alone.
func counts(s *server.Server) int {
	x, err := s.Jsz(nil)
	if err != nil || x.Meta == nil {
		return 0
	}
	return x.Meta.Size
}

// unreached are the nodes to which there is no connection.
func unreached(s *server.Server, others []string) (missing []string) {
	z, err := s.Routez(nil)
	if err != nil {
		return others
	}
	for _, name := range others {
		if !slices.ContainsFunc(z.Routes, func(r *server.RouteInfo) bool { return r.RemoteName == name }) {
			missing = append(missing, name)
		}
	}
	return missing
}

// TLS gives the configuration of both sides of each connection: both show certificates, which the
// authority has signed.
func TLS(certificate, key, authority string) (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("tls: %w", err)
	}
	if now, x := time.Now(), pair.Leaf; now.After(x.NotAfter) || now.Before(x.NotBefore) {
		return nil, fmt.Errorf("tls.certificate: %s is good from %s to %s UTC: the cluster would refuse it; "+
			"have tls.authority sign a new one, and start the node of this machine again", certificate,
			x.NotBefore.UTC().Format(time.DateTime), x.NotAfter.UTC().Format(time.DateTime))
	}
	text, err := os.ReadFile(authority)
	if err != nil {
		return nil, fmt.Errorf("tls.authority: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("tls.authority: %s has no certificate in PEM form", authority)
	}
	return &tls.Config{
		Certificates: []tls.Certificate{pair}, RootCAs: pool, ClientCAs: pool,
		ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12,
	}, nil
}

// logger has the server tell what is not in order: of each thing once a minute, and with the place in
// the cluster's YAML where it has one.
type logger struct {
	*slog.Logger

	mu   sync.Mutex
	told map[string]time.Time // when, by the text without its numbers or by its cause
}

// wrongIn says what is wrong in the cluster's YAML where the server says something; "" drops what
// others say better: a key is no password of a person, and observe tells what is decided.
var wrongIn = []struct{ says, cause string }{
	{"Plaintext passwords detected", ""},
	{"Waiting for routing", ""},
	{"has not established contact with a meta leader", ""},
	{"Authorization Violation", wrongKey},
	{"authentication error", wrongKey},
	{"cluster name", "a node that asks, or is asked, belongs to another cluster: the cluster's YAML must " +
		"have the same name under cluster, and the same nodes, on all machines"},
	{"tls: ", "a connection could not be made safe; between machines of the cluster, tls in its YAML must " +
		"name certificates of one authority on all of them"},
}

// mostTold bounds the kinds of text that are remembered.
const mostTold = 256

const wrongKey = "a node has another key: key in the cluster's YAML must lead to the same key on all machines"

func (l *logger) Noticef(string, ...any) {}
func (l *logger) Debugf(string, ...any)  {}
func (l *logger) Tracef(string, ...any)  {}

func (l *logger) Warnf(format string, v ...any) { l.tell(slog.LevelWarn, fmt.Sprintf(format, v...)) }

func (l *logger) Errorf(format string, v ...any) { l.tell(slog.LevelError, fmt.Sprintf(format, v...)) }

func (l *logger) Fatalf(format string, v ...any) { l.tell(slog.LevelError, fmt.Sprintf(format, v...)) }

func (l *logger) tell(level slog.Level, said string) {
	text := "broker: " + said
	kind := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, said)
	for _, w := range wrongIn {
		if !strings.Contains(said, w.says) {
			continue
		}
		if w.cause == "" {
			return
		}
		text, kind, level = fmt.Sprintf("%s (broker: %s)", w.cause, said), w.cause, slog.LevelError
		break
	}
	l.mu.Lock()
	again := time.Since(l.told[kind]) < time.Minute
	if !again {
		if len(l.told) == mostTold {
			clear(l.told)
		}
		l.told[kind] = time.Now()
	}
	l.mu.Unlock()
	if !again {
		l.Log(context.Background(), level, text)
	}
}
