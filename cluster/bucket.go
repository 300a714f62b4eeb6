package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// bucket is what a member knows of the broker. A write replaces the revision rev of a key, 0 for
// none, and gives the new one; errStale means that it was refused, any other error that nobody knows
// whether it took place.
type bucket interface {
	put(ctx context.Context, key string, value []byte, rev uint64) (uint64, error)
	get(ctx context.Context, key string) (entry, error)
	// remove removes what was written of a key until a revision. It leaves no mark, and no watch tells it.
	remove(ctx context.Context, key string, rev uint64) error
	// watch tells the present entries of all keys, then mark, then each new one, until the context ends.
	watch(ctx context.Context, tell func(entry), mark func()) error
}

// entry is a value of a key.
type entry struct {
	key   string
	value []byte // empty for a key that was removed
	rev   uint64
	time  time.Time // of the writing, by the broker's clock
}

var errStale = errors.New("somebody else has written it")

// records are those of a bucket, as JSON. Whoever writes or reads one waits no longer than until the next
// renewal.
type records struct {
	bucket
}

func (r records) put(ctx context.Context, key string, x any, rev uint64) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, renewTime)
	defer cancel()
	text, err := json.Marshal(x)
	if err != nil {
		return 0, err
	}
	return r.bucket.put(ctx, key, text, rev)
}

func (r records) get(ctx context.Context, key string) (entry, error) {
	ctx, cancel := context.WithTimeout(ctx, renewTime)
	defer cancel()
	return r.bucket.get(ctx, key)
}

// keyValue is a bucket of JetStream.
type keyValue struct {
	kv     jetstream.KeyValue
	stream jetstream.Stream // in which it lies
	conn   *nats.Conn
	why    *atomic.Pointer[error] // the last error of the connection itself, such as of another key
}

func (b keyValue) put(ctx context.Context, key string, value []byte, rev uint64) (uint64, error) {
	write := b.kv.Update
	if rev == 0 { // Create replaces a mark that the key was removed, too
		write = func(ctx context.Context, key string, value []byte, _ uint64) (uint64, error) {
			return b.kv.Create(ctx, key, value)
		}
	}
	next, err := write(ctx, key, value, rev)
	if errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
		return 0, errStale
	}
	if cause := b.why.Load(); err != nil && cause != nil && !b.conn.IsConnected() {
		err = fmt.Errorf("%w: %s", *cause, remedy(*cause)) // that nothing can be sent says less
	}
	return next, err
}

func (b keyValue) get(ctx context.Context, key string) (entry, error) {
	e, err := b.kv.Get(ctx, key)
	if err != nil {
		return entry{}, err
	}
	return entryOf(e), nil
}

func (b keyValue) remove(ctx context.Context, key string, rev uint64) error {
	return b.stream.Purge(ctx, jetstream.WithPurgeSubject("$KV."+b.kv.Bucket()+"."+key),
		jetstream.WithPurgeSequence(rev+1)) // which is not included
}

func (b keyValue) watch(ctx context.Context, tell func(entry), mark func()) error {
	w, err := b.kv.WatchAll(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = w.Stop() }() // the connection may be gone
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, ok := <-w.Updates():
			switch {
			case !ok:
				return nats.ErrConnectionClosed
			case e == nil:
				mark()
			default:
				tell(entryOf(e))
			}
		}
	}
}

func entryOf(e jetstream.KeyValueEntry) entry {
	return entry{key: e.Key(), value: e.Value(), rev: e.Revision(), time: e.Created()}
}
