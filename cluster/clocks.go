package cluster

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// clocks are what the clocks of the other nodes of a broker say, seen from one of them. Members trust the
// clock of the broker's leader, which may be any of them; of the nodes the majority knows the time.
type clocks struct {
	own   string
	nodes int // with this one
	heard map[string]reading
	wrong int // times that the majority said so, one after the other
}

// reading is how far the clock of a node was ahead, and when that was heard.
type reading struct {
	ahead time.Duration
	at    time.Time
}

const (
	clockTime = time.Second     // from one telling to the next
	clockLife = 5 * time.Second // for which a reading counts
	// mostWrong is how often the majority says that a clock is wrong until that is believed: what stood
	// still on its way comes late.
	mostWrong = 5
)

// judge is the error of this node where more than half of all nodes agree on a time that is not its own;
// else told is whose clock is another.
func (c *clocks) judge(now time.Time) (told string, err error) {
	var others []string
	var ahead []time.Duration
	for name, r := range c.heard {
		if now.Sub(r.at) < clockLife {
			if ahead = append(ahead, r.ahead); r.ahead.Abs() > mostSkew {
				others = append(others, fmt.Sprintf("%s by %s", name, r.ahead.Round(time.Second)))
			}
		}
	}
	slices.Sort(ahead)
	slices.Sort(others)
	most := c.nodes/2 + 1
	for i := 0; i+most <= len(ahead); i++ {
		low, high := ahead[i], ahead[i+most-1]
		if high-low > mostSkew || low <= mostSkew && high >= -mostSkew {
			continue
		}
		if c.wrong++; c.wrong < mostWrong {
			return "", nil
		}
		way := "behind"
		if low < 0 {
			low, way = -high, "ahead of"
		}
		return "", fmt.Errorf("node %s: %w: it is %s %s those of %d other nodes: %s", c.own, ErrClock,
			low.Round(time.Second), way, most, setClock)
	}
	c.wrong = 0
	return strings.Join(others, ", "), nil
}

// compare has the nodes of a broker tell each other what their clocks say until the context ends, or the
// clock of this one is wrong.
func compare(ctx context.Context, conn *nats.Conn, cluster, own string, nodes int, log *slog.Logger) error {
	subject := "watershed-clocks." + cluster
	news := make(chan *nats.Msg, 64)
	sub, err := conn.ChanSubscribe(subject, news)
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }() // the server may be gone
	c := &clocks{own: own, nodes: nodes, heard: map[string]reading{}}
	tick := time.NewTicker(clockTime)
	defer tick.Stop()
	for before := ""; ; {
		select {
		case <-ctx.Done():
			return nil
		case msg := <-news:
			now := time.Now()
			name, text, _ := strings.Cut(string(msg.Data), " ")
			if says, err := strconv.ParseInt(text, 10, 64); err == nil && name != own {
				c.heard[name] = reading{time.Unix(0, says).Sub(now.Round(0)), now}
			}
		case <-tick.C:
			told, err := c.judge(time.Now())
			if err != nil {
				return err
			}
			if told != "" && before == "" {
				log.Warn("clocks of other nodes are ahead of that of this one, or behind: set them by NTP",
					"node", own, "ahead", told)
			}
			before = told
			text := own + " " + strconv.FormatInt(time.Now().UnixNano(), 10)
			_ = conn.Publish(subject, []byte(text)) // the next time tells again
		}
	}
}
