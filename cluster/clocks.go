package cluster

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// clocks are what the clocks of the other nodes of a broker say, seen from one of them. Members trust the
// clock of the broker's leader, which may be any of them; of the nodes the majority knows the time. Nodes
// tell their lists of nodes with it.
type clocks struct {
	own    string
	others []string // the other nodes
	heard  map[string]reading
	wrong  int // times that the majority said so, one after the other

	list   string               // a hash of the nodes that this one knows of
	unlike map[string]time.Time // nodes that said last that they know of others, and when
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
	// mostUnlike bounds the nodes that are remembered for another list.
	mostUnlike = 16
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
	most := (len(c.others)+1)/2 + 1
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

// hear takes over what a node says. Who is none of the nodes does not count, but that it has another list.
func (c *clocks) hear(said string, now time.Time) {
	var name, list string
	var says int64
	if n, _ := fmt.Sscanf(said, "%s %d %s", &name, &says, &list); n < 3 || name == c.own {
		return
	}
	if slices.Contains(c.others, name) {
		c.heard[name] = reading{time.Unix(0, says).Sub(now.Round(0)), now}
	}
	if list == c.list {
		delete(c.unlike, name)
	} else if len(c.unlike) < mostUnlike {
		c.unlike[name] = now
	}
}

// otherwise names the nodes that know of other nodes than this one, or of other addresses of them.
func (c *clocks) otherwise(now time.Time) string {
	maps.DeleteFunc(c.unlike, func(_ string, at time.Time) bool { return now.Sub(at) >= clockLife })
	return strings.Join(slices.Sorted(maps.Keys(c.unlike)), ", ")
}

// listed is a hash of a list of nodes, whatever its order.
func listed(nodes []Node) string {
	nodes = slices.Clone(nodes)
	slices.SortFunc(nodes, func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, nodes)))
}

// compare has the nodes of a broker tell each other what their clocks say, and which nodes they know of,
// until the context ends, or the clock of this one is wrong.
func compare(ctx context.Context, conn *nats.Conn, cluster, own string, nodes []Node, log *slog.Logger,
) error {
	subject := "watershed-clocks." + cluster
	news := make(chan *nats.Msg, 64)
	sub, err := conn.ChanSubscribe(subject, news)
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }() // the server may be gone
	c := &clocks{
		own: own, others: otherThan(own, nodes), heard: map[string]reading{},
		list: listed(nodes), unlike: map[string]time.Time{},
	}
	tick := time.NewTicker(clockTime)
	defer tick.Stop()
	for before, unlike := "", ""; ; {
		select {
		case <-ctx.Done():
			return nil
		case msg := <-news:
			c.hear(string(msg.Data), time.Now())
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
			if now := c.otherwise(time.Now()); now != unlike {
				if unlike = now; now != "" {
					log.Warn("the cluster's YAML lists other nodes, or addresses, on other machines: nodes "+
						"must be the same on all of them", "node", own, "otherwise at", now)
				}
			}
			text := fmt.Sprintf("%s %d %s", own, time.Now().UnixNano(), c.list)
			_ = conn.Publish(subject, []byte(text)) // the next time tells again
		}
	}
}

// skew is the error of a clock that was sent before the broker wrote, and is read after that.
func skew(who string, sent, written time.Time) error {
	off, way := time.Until(written), "behind"
	if off <= mostSkew {
		if off, way = sent.Sub(written), "ahead of"; off <= mostSkew {
			return nil
		}
	}
	return fmt.Errorf("%w: that of %s is %s %s that of the broker: %s", ErrClock, who,
		off.Round(time.Second), way, setClock)
}

// setClock is what to do about a wrong clock.
const setClock = "set it by NTP, on systemd by timedatectl set-ntp true, and start again"

// doubts are when the clock of this machine was found to be wrong.
type doubts struct {
	since, last time.Time // zero while it is right
}

// add takes over what a comparison of clocks said, and reports a clock that is found wrong for long, again
// and again: a single renewal may be one that a leader wrote whose own clock is wrong.
func (d *doubts) add(err error) (wrong bool) {
	now := time.Now()
	switch {
	case !errors.Is(err, ErrClock):
		*d = doubts{}
		return false
	case d.since.IsZero() || now.Sub(d.last) > leaseTime:
		d.since = now
	}
	d.last = now
	return now.Sub(d.since) > doubtTime
}
