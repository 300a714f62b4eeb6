package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
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
	// mostReply is how many bytes of an answer go into a message.
	mostReply = 256 << 10
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
			if sent := msg.Header.Get(countHeader); sent != strconv.Itoa(count) {
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
