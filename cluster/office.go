package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Office is what a member has of the broker beside its bucket: files, and questions to nodes.
type Office struct {
	member *Member
	name   string // of the cluster
	conn   *nats.Conn
	js     jetstream.JetStream
	copy   int
	most   int64 // bytes of the files; 0 where the broker is another's, which has bounds of its own
}

// ErrFull is the error of a broker that keeps so many files that one more has no room.
var ErrFull = errors.New("the broker has no room for the file")

// Of the maxStore bytes of a broker's node files take mostFiles, and an eighth more where several are sent at
// once: when all is taken nothing can be written in the bucket either, and no harvest asks for anything.
const maxStore, mostFiles = 4 << 30, 3 << 30

// files opens the store of files that nodes send each other: the YAML of harvests, decisions, and indexes
// and reports of shards. The leader of its stream answers all that is read.
func (o *Office) files(ctx context.Context) (jetstream.ObjectStore, error) {
	bucket := "harvests-" + o.name
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
			status, err := files.Status(ctx)
			if err != nil {
				return err
			}
			if most := uint64(o.most); most > 0 && status.Size()+uint64(length) > most {
				full = fmt.Errorf("%w: it keeps %d bytes, and %d at most", ErrFull, status.Size(), most)
				return nil
			}
			_, err = files.Put(ctx, jetstream.ObjectMeta{
				Name: name, Opts: &jetstream.ObjectMetaOptions{ChunkSize: uint32(o.part(mostChunk))},
			}, &moves{from: from, moved: moved})
			return err
		})
	})
	if err = cmp.Or(full, err); err != nil {
		return fmt.Errorf("send %s to the cluster: %w", name, err)
	}
	return nil
}

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
	var names []string
	files, err := o.files(ctx)
	var list []*jetstream.ObjectInfo
	if err == nil {
		list, err = files.List(ctx)
	}
	if errors.Is(err, jetstream.ErrNoObjectsFound) {
		return nil
	}
	for _, x := range list {
		if strings.HasPrefix(x.Name, prefix) {
			names = append(names, x.Name)
		}
	}
	if err != nil {
		return err
	}
	return o.Remove(ctx, names...)
}

// moving has work done with the store of files, and breaks it off where nothing has moved for long:
// a broker that has lost its leader says nothing.
func (o *Office) moving(ctx context.Context,
	work func(ctx context.Context, files jetstream.ObjectStore, moved func()) error,
) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	stalled := time.AfterFunc(stallTime, stop)
	defer stalled.Stop()
	files, err := o.files(ctx)
	if err != nil {
		return err
	}
	return work(ctx, files, func() { stalled.Reset(stallTime) })
}

// moves tells that something was read.
type moves struct {
	from  io.Reader
	moved func()
}

func (r *moves) Read(p []byte) (int, error) {
	r.moved()
	return r.from.Read(p)
}

// Question asks a node to run a command for a shard.
type Question struct {
	Harvest string   `json:"harvest"`
	Shard   int      `json:"shard"`
	Args    []string `json:"args"`         // of the command line; FileArg stands for the YAML of the shard
	By      string   `json:"by,omitempty"` // who gives the command
}

// FileArg stands for the YAML of a shard among the arguments of a Question.
const FileArg = "<file>"

const (
	// beatTime is how often a node says that it is still at work on a question, and silenceTime how long
	// whoever asks waits for that.
	beatTime, silenceTime = 3 * time.Second, 15 * time.Second
	// mostReply is how many bytes of an answer go into a message, and mostChunk how many of a file.
	mostReply, mostChunk = 256 << 10, 128 << 10
)

// part is how many bytes go into a message, of so many at most: another's broker may take few, headers
// included.
func (o *Office) part(most int) int { return min(most, int(o.conn.MaxPayload()/2)) }

func (o *Office) subject(node string) string { return "watershed." + o.name + "." + node }

// The header of an answer's messages.
const (
	streamHeader = "Stream"   // out or err
	codeHeader   = "Code"     // the exit code, in the last one
	countHeader  = "Messages" // so many came before with something in them, in the last one
)

// Answer has questions answered until the context ends. The answers run beside each other.
func (o *Office) Answer(ctx context.Context, node string,
	answer func(ctx context.Context, q Question, out, err io.Writer) (code int),
) error {
	sub, err := o.conn.Subscribe(o.subject(node), func(msg *nats.Msg) {
		go func() {
			var count atomic.Int64
			send := func(header nats.Header, data []byte) { // whoever asks waits no longer than silenceTime
				_ = o.conn.PublishMsg(&nats.Msg{Subject: msg.Reply, Data: data, Header: header})
			}
			reply := func(stream string, data []byte) {
				if len(data) > 0 {
					count.Add(1)
				}
				send(nats.Header{streamHeader: {stream}}, data)
			}
			var q Question
			if json.Unmarshal(msg.Data, &q) != nil {
				return
			}
			working, done := context.WithCancel(ctx)
			defer done()
			go func() {
				for working.Err() == nil {
					reply("out", nil)
					pause(working, beatTime)
				}
			}()
			most := o.part(mostReply)
			code := answer(working, q, replies{reply, "out", most}, replies{reply, "err", most})
			send(nats.Header{
				codeHeader: {strconv.Itoa(code)}, countHeader: {strconv.FormatInt(count.Load(), 10)},
			}, nil)
		}()
	})
	if err != nil {
		return err
	}
	<-ctx.Done()
	return sub.Unsubscribe()
}

// replies sends what is written.
type replies struct {
	reply  func(stream string, data []byte)
	stream string
	most   int // bytes of a message
}

func (r replies) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		part := p[:min(len(p), r.most)]
		r.reply(r.stream, bytes.Clone(part))
		p = p[len(part):]
	}
	return n, nil
}

// Ask has a node run a command for a shard, and gives its exit code. An answer of which something was lost
// on its way is an error.
func (o *Office) Ask(ctx context.Context, node string, q Question, out, errs io.Writer,
) (code int, err error) {
	inbox := o.conn.NewInbox()
	sub, err := o.conn.SubscribeSync(inbox)
	if err != nil {
		return 0, err
	}
	defer func() { _ = sub.Unsubscribe() }() // the connection may be gone
	text, err := json.Marshal(q)
	if err == nil {
		err = o.conn.PublishRequest(o.subject(node), inbox, text)
	}
	for count := 0; err == nil; {
		var msg *nats.Msg
		waiting, cancel := context.WithTimeout(ctx, silenceTime)
		msg, err = sub.NextMsgWithContext(waiting)
		cancel()
		to := out
		switch {
		case err != nil:
			continue
		case len(msg.Data) == 0 && msg.Header.Get("Status") == "503":
			err = nats.ErrNoResponders
			continue
		case msg.Header.Get(codeHeader) != "":
			sent := msg.Header.Get(countHeader) // none by a node of before, which is upgraded later
			if sent != "" && sent != strconv.Itoa(count) {
				return 0, fmt.Errorf("of the answer of node %s for shard %d of %s %d messages came, of %s",
					node, q.Shard, q.Harvest, count, sent)
			}
			return strconv.Atoi(msg.Header.Get(codeHeader))
		case msg.Header.Get(streamHeader) == "err":
			to = errs
		}
		if len(msg.Data) > 0 {
			count++
		}
		if _, err := to.Write(msg.Data); err != nil {
			return 0, fmt.Errorf("the answer of node %s for shard %d of %s: %w", node, q.Shard, q.Harvest,
				err)
		}
	}
	return 0, fmt.Errorf("node %s does not answer for shard %d of %s: %w: see that watershed node runs there",
		node, q.Shard, q.Harvest, err)
}
