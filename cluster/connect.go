package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Broker says where the broker of a cluster is, and how to enter it.
type Broker struct {
	Name        string   // of the cluster
	Servers     []string // nats://host:port
	Copies      int      // of the bucket: on how many nodes it lies
	Key         string   // that all nodes and harvests have in common; "" for none
	Credentials string   // file of NATS; "" for none
	TLS         *tls.Config
	Own         bool // its nodes are those of RunNode
	// Patient has a broker waited for that does not listen yet, as long as one may take that is started at
	// the same time.
	Patient bool
	// Late, if not nil, is called once when the broker is waited for: it does not listen yet, or more than
	// half of its nodes listen, and have chosen no leader.
	Late func(err error)
}

// user is the name that goes with the key.
const user = "watershed"

// readyTime is how long a broker is waited for that is being started, or chooses a leader.
const readyTime = 20 * time.Second

// A node that does not answer mostPings, each pingTime after the one before, is taken for gone, and another
// one asked: a line that is cut says nothing. That is sooner than a session is lost.
const (
	pingTime  = time.Second
	mostPings = 3
)

// With has work done as a member of a cluster, which messages name who. The context of the work ends
// with ErrClock where the machine's clock is wrong. Its error tells what to do where the broker cannot
// be entered.
func With(ctx context.Context, b Broker, who string, log *slog.Logger,
	work func(context.Context, *Member) error,
) error {
	var why atomic.Pointer[error]
	options := append(b.options(who),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { why.Store(&err) }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { why.Store(&err) }))
	c, err := b.enter(ctx, options)
	if err != nil {
		return err
	}
	defer c.Close()
	js, err := jetstream.New(c)
	if err != nil {
		return err
	}
	return b.decided(ctx, func() error {
		kv, stream, err := b.open(ctx, js)
		if err != nil {
			return err
		}
		return with(ctx, keyValue{kv, stream, c, &why}, who, log, func(ctx context.Context, m *Member) error {
			m.Office = &Office{member: m, name: b.Name, conn: c, js: js, copy: b.Copies}
			if b.Own {
				m.Office.most = mostFiles
			}
			return work(ctx, m)
		})
	})
}

// decided enters a broker, and tries again for insistTime where that cannot decide, though more than half of
// its nodes listen: they may take long to choose a leader.
func (b *Broker) decided(ctx context.Context, enter func() error) error {
	late := b.Late
	for end := time.Now().Add(insistTime); ; {
		err := enter()
		if !errors.Is(err, errUndecided) {
			return err
		}
		var most bool
		if most, err = b.undecided(ctx, err); !most || time.Now().After(end) {
			return err
		}
		if late != nil {
			late(err)
			late = nil
		}
	}
}

// options are those of a connection, which messages name who.
func (b *Broker) options(who string) []nats.Option {
	options := []nats.Option{
		nats.Name(who), nats.Timeout(renewTime), nats.MaxReconnects(-1), nats.ReconnectWait(time.Second / 2),
		nats.ReconnectBufSize(-1),   // what cannot be sent now is not sent
		nats.IgnoreAuthErrorAbort(), // by a node with another key, while the others do not answer
		nats.PingInterval(pingTime), nats.MaxPingsOutstanding(mostPings),
		nats.ReconnectHandler(func(c *nats.Conn) {
			if b.apart(c) {
				_ = c.ForceReconnect() // to another one; a connection that is closed needs none
			}
		}),
	}
	if b.TLS != nil {
		options = append(options, nats.Secure(b.TLS))
	}
	if b.Key != "" {
		options = append(options, nats.UserInfo(user, b.Key))
	}
	if b.Credentials != "" {
		options = append(options, nats.UserCredentials(b.Credentials))
	}
	return options
}

// apart reports a connection to a server that is in no cluster, where what is written is to lie on several
// nodes: it would decide beside the others.
func (b *Broker) apart(c *nats.Conn) bool {
	return b.Copies > 1 && c.ConnectedServerName() != "" && c.ConnectedClusterName() == ""
}

// enter connects to one of the broker's nodes.
func (b *Broker) enter(ctx context.Context, options []nats.Option) (*nats.Conn, error) {
	late := b.Late
	soon := time.Now().Add(3 * time.Second)
	for end := time.Now().Add(readyTime); ; pause(ctx, time.Second/2) {
		c, err := connect(ctx, strings.Join(b.Servers, ","), options)
		switch {
		case err == nil && b.apart(c):
			defer c.Close()
			return nil, fmt.Errorf("cluster %s: node %s at %s is a broker of its own: nodes in the "+
				"cluster's YAML must be the same on all machines, and servers of NATS must form a cluster",
				b.Name, c.ConnectedServerName(), c.ConnectedUrlRedacted())
		case err == nil && b.Own && c.ConnectedClusterName() != "" && c.ConnectedClusterName() != b.Name:
			defer c.Close() // it would keep the turns of another name apart
			return nil, fmt.Errorf("cluster %s: the broker at %s is of cluster %s: the cluster's YAML must "+
				"have the same name under cluster on all machines", b.Name, strings.Join(b.Servers, ", "),
				c.ConnectedClusterName())
		case err == nil:
			return c, nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, syscall.ECONNRESET) && time.Now().Before(soon): // it is just beginning to listen
		case !b.Patient, !errors.Is(err, nats.ErrNoServers), time.Now().After(end):
			return nil, b.explain(err)
		case late != nil:
			late(b.explain(err))
			late = nil
		}
	}
}

// connect connects to one of some servers until the context ends. An attempt that is under way then, which
// waits renewTime for each server at most, comes to its end by itself.
func connect(ctx context.Context, servers string, options []nats.Option) (*nats.Conn, error) {
	var c *nats.Conn
	var err error
	connected := make(chan struct{})
	go func() {
		defer close(connected)
		c, err = nats.Connect(servers, options...)
	}()
	select {
	case <-connected:
		return c, err
	case <-ctx.Done():
		go func() {
			<-connected
			c.Close() // also where there is none
		}()
		return nil, context.Cause(ctx)
	}
}

// explain tells what to do about a broker that cannot be entered.
func (b *Broker) explain(err error) error {
	return fmt.Errorf("cluster %s: the broker at %s: %w: %s", b.Name, strings.Join(b.Servers, ", "), err,
		remedy(err))
}

// remedy is what to do where a server cannot be entered.
func remedy(err error) string {
	switch text := err.Error(); {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired):
		return "it refuses this machine: the key, or the credentials, must be the same on all machines"
	case strings.Contains(text, "x509"), strings.Contains(text, "tls"):
		return "it and this machine do not trust each other: tls.authority must have signed the " +
			"certificates of all machines, for their names or addresses, and none may have ended"
	}
	return "see that its nodes run (watershed node) and that a firewall lets this machine reach them"
}

// open gives the bucket of the cluster, which the first member makes, and the stream in which it lies.
func (b *Broker) open(ctx context.Context, js jetstream.JetStream) (kv jetstream.KeyValue,
	in jetstream.Stream, err error,
) {
	config := jetstream.KeyValueConfig{
		Bucket: "turns-" + b.Name, Description: "turns at hosts and addresses, of watershed",
		Storage: jetstream.FileStorage, Replicas: b.Copies,
	}
	for end := time.Now().Add(readyTime); ; pause(ctx, time.Second/2) {
		asking, cancel := context.WithTimeout(ctx, renewTime)
		if kv, err = bucketOf(asking, js, config); err == nil {
			in, err = js.Stream(asking, streamOf(config.Bucket))
		}
		cancel()
		switch {
		case err == nil:
			return kv, in, nil
		case ctx.Err() != nil:
			return nil, nil, context.Cause(ctx)
		case time.Now().After(end):
			return nil, nil, fmt.Errorf("%w: %w", errUndecided, err)
		}
	}
}

// undecided tells which nodes do not listen of a broker that cannot decide, or let this machine not in;
// most reports that more than half of them do.
func (b *Broker) undecided(ctx context.Context, err error) (most bool, why error) {
	listen := 0
	var silent, hints []string
	for _, at := range b.Servers {
		switch c, err := connect(ctx, at, b.options("a look at this node")); {
		case err == nil:
			c.Close()
			listen++
		case ctx.Err() != nil:
			return false, context.Cause(ctx)
		case errors.Is(err, nats.ErrNoServers):
			silent = append(silent, at)
		default:
			hints = append(hints, fmt.Sprintf("%s: %v: %s", at, err, remedy(err)))
		}
	}
	if len(silent) > 0 {
		hints = slices.Insert(hints, 0, strings.Join(silent, ", ")+
			" did not answer: start watershed node there, or mend the line")
	}
	if len(hints) == 0 {
		hints = append(hints, "all of its nodes listen: see that they reach each other, and what their logs "+
			"say; the guide has what to do when two of them have lost their disks")
	}
	most = 2*listen > len(b.Servers)
	return most, fmt.Errorf("cluster %s: %w: more than half of its nodes must run, and %d where the cluster "+
		"is new: %s", b.Name, err, b.Copies, strings.Join(hints, "; "))
}

// bucketOf opens a bucket, made if need be, all of which the leader of its stream answers.
func bucketOf(ctx context.Context, js jetstream.JetStream, config jetstream.KeyValueConfig) (
	jetstream.KeyValue, error,
) {
	kv, err := js.KeyValue(ctx, config.Bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		kv, err = js.CreateKeyValue(ctx, config)
	}
	if err != nil {
		return nil, err
	}
	if changed, err := adjust(ctx, js, streamOf(config.Bucket), 0); err != nil || !changed {
		return kv, err
	}
	return js.KeyValue(ctx, config.Bucket)
}

func streamOf(bucket string) string { return "KV_" + bucket }

// adjust has the leader of a stream answer all that is read, bounds its bytes where most is more than 0, and
// reports that it was otherwise: any other node may answer with what was there before a write that has
// succeeded.
func adjust(ctx context.Context, js jetstream.JetStream, stream string, most int64,
) (changed bool, err error) {
	s, err := js.Stream(ctx, stream)
	if err != nil {
		return false, err
	}
	config := s.CachedInfo().Config
	if !config.AllowDirect && (most <= 0 || config.MaxBytes == most) {
		return false, nil
	}
	config.AllowDirect = false
	if most > 0 {
		config.MaxBytes = most
	}
	_, err = js.UpdateStream(ctx, config)
	return true, err
}
