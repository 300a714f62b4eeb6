package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Of the maxStore bytes of a broker's node files take mostFiles, and an eighth more where several are sent at
// once: when all is taken nothing can be written in the bucket either, and no harvest asks for anything.
const maxStore, mostFiles = 4 << 30, 3 << 30

// files opens the store of files that nodes send each other: the YAML of harvests, decisions, and indexes
// and reports of shards. The leader of its stream answers all that is read.
func (o *Office) files(ctx context.Context) (jetstream.ObjectStore, error) {
	bucket := o.bucket()
	most := int64(-1) // none
	if o.most > 0 {
		most = o.most + o.most/8
	}
	files, err := o.js.ObjectStore(ctx, bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		files, err = o.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{
			Bucket: bucket, Description: "files of harvests, of watershed", Storage: jetstream.FileStorage,
			Replicas: o.copy, MaxBytes: most,
		})
	}
	if err != nil {
		return nil, err
	}
	if changed, err := adjust(ctx, o.js, "OBJ_"+bucket, most); err != nil || !changed {
		return files, err
	}
	return o.js.ObjectStore(ctx, bucket)
}

const (
	// stallTime is how long a file may stand still on its way, and insistTime for how long it is sent
	// again, or a record written again, while the broker is out of reach or chooses a leader.
	stallTime, insistTime = 20 * time.Second, 2 * time.Minute
	// mostChunk is how many bytes of a file go into a message, which has stallTime: 6.4 KiB a second
	// are enough.
	mostChunk = 128 << 10
)

// Send keeps a file with the broker, in place of one of that name. The error wraps ErrFull where there is no
// room for it.
func (o *Office) Send(ctx context.Context, name string, from io.ReadSeeker) error {
	var full error
	err := o.member.Insist(ctx, func(*Board) error {
		length, err := from.Seek(0, io.SeekEnd)
		if err == nil {
			_, err = from.Seek(0, io.SeekStart)
		}
		if err != nil {
			return err
		}
		return o.moving(ctx, func(ctx context.Context, files jetstream.ObjectStore, moved func()) error {
			if err := o.room(ctx, files, length); errors.Is(err, ErrFull) {
				full = err
				return nil
			} else if err != nil {
				return err
			}
			return o.put(ctx, files, name, from, moved)
		})
	})
	if err = cmp.Or(full, err); err != nil {
		return fmt.Errorf("send %s to the cluster: %w", name, err)
	}
	return nil
}

// room is an error where a file of so many bytes has no room, which wraps ErrFull.
func (o *Office) room(ctx context.Context, files jetstream.ObjectStore, length int64) error {
	for swept := false; ; swept = true {
		status, err := files.Status(ctx)
		if err != nil || o.most == 0 || status.Size()+uint64(length) <= uint64(o.most) {
			return err
		}
		if swept {
			return fmt.Errorf("%w: it keeps %d bytes, and %d at most", ErrFull, status.Size(), o.most)
		}
		if err := o.sweep(ctx, insistTime); err != nil {
			return err
		}
	}
}

// put writes a file in the form of an object store of JetStream (NATS ADR-20), one part after the other;
// moved is told of each that is stored. ObjectStore.Put has all of them on their way and waits five seconds
// for each, too short for a large file where the disks of the brokers are slow.
func (o *Office) put(ctx context.Context, files jetstream.ObjectStore, name string, from io.Reader,
	moved func(),
) (err error) {
	before, err := files.GetInfo(ctx, name)
	if err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
		return err
	}
	js, err := jetstream.New(o.conn, jetstream.WithDefaultTimeout(stallTime))
	if err != nil {
		return err
	}
	x := jetstream.ObjectInfo{
		ObjectMeta: jetstream.ObjectMeta{
			Name: name, Opts: &jetstream.ObjectMetaOptions{ChunkSize: uint32(o.part(mostChunk))},
		},
		Bucket: o.bucket(), NUID: rand.Text(),
	}
	entered := false // the entry of the file was sent, and may be there though nobody says so
	defer func() {
		if err != nil && (!entered || errors.As(err, new(*jetstream.APIError))) {
			ending, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer stop()
			// Parts that no file names only take room, until sweep finds them.
			_ = o.purge(ending, o.partsOf(x.NUID))
		}
	}()
	sum := sha256.New()
	for buf := make([]byte, x.Opts.ChunkSize); ; {
		n, err := io.ReadFull(from, buf)
		if n > 0 {
			_, _ = sum.Write(buf[:n]) // never fails
			x.Size, x.Chunks = x.Size+uint64(n), x.Chunks+1
			if _, err := js.Publish(ctx, o.partsOf(x.NUID), buf[:n]); err != nil {
				return err
			}
			moved()
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	x.Digest = jetstream.GetObjectDigestValue(sum)
	text, err := json.Marshal(x)
	if err != nil {
		return err
	}
	entered = true
	_, err = js.PublishMsg(ctx, &nats.Msg{
		Subject: o.entryOf(base64.URLEncoding.EncodeToString([]byte(name))), Data: text,
		Header: nats.Header{jetstream.MsgRollup: {jetstream.MsgRollupSubject}},
	})
	if err == nil && before != nil {
		_ = o.purge(ctx, o.partsOf(before.NUID)) // as above
	}
	return err
}

// sweep removes the parts of files of which none was stored for so long and that whoever sent them left
// unfinished: it died, or the broker was out of reach when it gave up.
func (o *Office) sweep(ctx context.Context, age time.Duration) error {
	stream, err := o.stream(ctx)
	if err != nil {
		return err
	}
	// The parts are listed before the files: whatever comes between the two is not swept.
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(o.partsOf(">")))
	if err != nil {
		return err
	}
	// The leader tells of the files, too, as it answers what is read (see files): List asks any node, which
	// may not have all of them yet.
	entries, err := stream.Info(ctx, jetstream.WithSubjectFilter(o.entryOf(">")))
	if err != nil {
		return err
	}
	for subject := range entries.State.Subjects {
		var x jetstream.ObjectInfo
		msg, err := stream.GetLastMsgForSubject(ctx, subject)
		if err == nil {
			err = json.Unmarshal(msg.Data, &x)
		}
		if err != nil {
			return err
		}
		delete(info.State.Subjects, o.partsOf(x.NUID))
	}
	for subject := range info.State.Subjects {
		last, err := stream.GetLastMsgForSubject(ctx, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err == nil && time.Since(last.Time) >= age {
			err = o.purge(ctx, subject)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// purge removes all messages of a subject from the store of files.
func (o *Office) purge(ctx context.Context, subject string) error {
	ctx, stop := context.WithTimeout(ctx, stallTime)
	defer stop()
	stream, err := o.stream(ctx)
	if err != nil {
		return err
	}
	return stream.Purge(ctx, jetstream.WithPurgeSubject(subject))
}

func (o *Office) bucket() string { return "harvests-" + o.name }

func (o *Office) stream(ctx context.Context) (jetstream.Stream, error) {
	return o.js.Stream(ctx, "OBJ_"+o.bucket())
}

// entryOf is the subject of the entry of a file, by its name in base64.
func (o *Office) entryOf(name string) string { return "$O." + o.bucket() + ".M." + name }

// partsOf is the subject of the parts of a file.
func (o *Office) partsOf(id string) string { return "$O." + o.bucket() + ".C." + id }

// Fetch reads a file that the broker keeps into a file of a folder that has no name there, which the
// caller closes. The error wraps os.ErrNotExist for none.
func (o *Office) Fetch(ctx context.Context, name, folder string) (to *os.File, err error) {
	if to, err = os.CreateTemp(folder, ".fetched-*"); err != nil {
		return nil, err
	}
	err = errors.Join(os.Remove(to.Name()), o.member.Insist(ctx, func(*Board) error {
		if _, err := to.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if err := to.Truncate(0); err != nil {
			return err
		}
		return o.moving(ctx, func(ctx context.Context, files jetstream.ObjectStore, moved func()) error {
			from, err := files.Get(ctx, name)
			if errors.Is(err, jetstream.ErrObjectNotFound) {
				return os.ErrNotExist
			}
			if err == nil {
				_, err = io.Copy(to, &moves{from: from, moved: moved})
				err = errors.Join(err, from.Close())
			}
			return err
		})
	}))
	if err == nil {
		_, err = to.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("fetch %s from the cluster: %w", name, err), to.Close())
	}
	return to, nil
}

// Remove has the broker keep files no longer; one that it does not have is none.
func (o *Office) Remove(ctx context.Context, names ...string) error {
	files, err := o.files(ctx)
	for _, name := range names {
		if err == nil {
			err = files.Delete(ctx, name)
		}
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			err = nil
		}
	}
	return err
}

// removeAll has the broker keep the files no longer whose names begin so.
func (o *Office) removeAll(ctx context.Context, prefix string) error {
	files, err := o.files(ctx)
	if err == nil {
		err = o.sweep(ctx, insistTime)
	}
	if err != nil {
		return err
	}
	list, err := files.List(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoObjectsFound) {
		return err
	}
	var names []string
	for _, x := range list {
		if strings.HasPrefix(x.Name, prefix) {
			names = append(names, x.Name)
		}
	}
	return o.Remove(ctx, names...)
}

// moving has work done with the store of files, and breaks it off where nothing has moved for long:
// a broker that has lost its leader says nothing.
func (o *Office) moving(ctx context.Context,
	work func(ctx context.Context, files jetstream.ObjectStore, moved func()) error,
) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	stalled := time.AfterFunc(stallTime, func() { stop(errStalled) })
	defer stalled.Stop()
	files, err := o.files(ctx)
	if err == nil {
		err = work(ctx, files, func() { stalled.Reset(stallTime) })
	}
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, errStalled) {
		return cause
	}
	return err
}

// errStalled is the error of a file that stood still on its way.
var errStalled = fmt.Errorf("the broker has neither taken nor given anything for %s", stallTime)

// moves tells that something was read.
type moves struct {
	from  io.Reader
	moved func()
}

func (r *moves) Read(p []byte) (int, error) {
	r.moved()
	return r.from.Read(p)
}
