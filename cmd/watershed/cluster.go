package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"watershed/cluster"
	"watershed/configs"
	"watershed/harvest"
	"watershed/internal/console"
)

// nodeCommand runs a node of a cluster: of its broker, and for shards of harvests.
type nodeCommand struct {
	File   string `arg:""`
	Name   string `placeholder:"NAME"`
	Drain  bool
	Forget string `placeholder:"HARVEST"`
}

func (c *nodeCommand) Run(ctx context.Context, s console.Streams) error {
	config, b, err := brokerOf(c.File)
	if err != nil {
		return err
	}
	if c.Forget != "" {
		return forgetHarvest(ctx, s, c.File, c.Forget)
	}
	host, _ := os.Hostname() // a machine without one gives --name
	name := cmp.Or(c.Name, host)
	if err := config.Named(name); err != nil {
		return &exitError{exitConfig, err}
	}
	if c.Drain {
		return drainNode(ctx, s, c.File, name)
	}
	nodes := make([]cluster.Node, len(config.Nodes))
	for i, n := range config.Nodes {
		nodes[i] = cluster.Node(n)
	}
	warnExposed(s, config.ExposedSecrets())
	broker := slices.ContainsFunc(nodes, func(n cluster.Node) bool { return n.Name == name })
	if !broker && config.Harvests == "" {
		return &exitError{exitConfig, fmt.Errorf("%s has no node %q of the broker, and no folder for "+
			"harvests: give --name with one of its nodes, list it, or set harvests", c.File, name)}
	}
	log := slog.New(slog.NewTextHandler(console.Whole(s.Err), nil))
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	group, both := errgroup.WithContext(serving)
	if broker {
		group.Go(func() error {
			return cluster.RunNode(serving, b, name, string(config.Folder), nodes, log)
		})
	}
	group.Go(func() error {
		defer stop() // the broker is needed to the end
		work, end := context.WithCancel(ctx)
		defer end()
		defer context.AfterFunc(both, end)()
		if config.Harvests == "" {
			<-work.Done()
			return nil
		}
		if err := os.MkdirAll(string(config.Harvests), 0o777); err != nil { // for whoever may read it
			return err
		}
		if !broker || !oneFolder(string(config.Folder), string(config.Harvests)) { // held by the broker
			held, err := cluster.Hold("harvests", string(config.Harvests), log)
			if err != nil {
				return fmt.Errorf("node %s: %w", name, err)
			}
			defer func() { _ = held.Close() }() // the end of the lock
		}
		return workShards(work, c.File, name, &config, b, log)
	})
	return group.Wait()
}

// oneFolder reports that two paths lead to one folder, which is there.
func oneFolder(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// brokerOf reads the YAML of a cluster, and what that names.
func brokerOf(file string) (config configs.Cluster, b cluster.Broker, err error) {
	if err = there(file); err != nil {
		return config, b, err
	}
	if config, err = configs.LoadCluster(file); err != nil {
		return config, b, &exitError{exitConfig, err}
	}
	b = cluster.Broker{
		Name: config.Cluster, Servers: config.NATS, Copies: 3, Credentials: string(config.Credentials),
		Own: len(config.Nodes) > 0,
	}
	if b.Key, err = config.Secret(); err != nil {
		return config, b, &exitError{exitConfig, fmt.Errorf("%s: %w", file, err)}
	}
	for _, n := range config.Nodes {
		b.Servers = append(b.Servers, "nats://"+n.Clients)
		b.Copies = min(3, len(config.Nodes))
	}
	if t := config.TLS; t.Authority != "" {
		b.TLS, err = cluster.TLS(string(t.Certificate), string(t.Key), string(t.Authority))
	}
	return config, b, err
}

// inCluster has work done with the turns of the harvest's cluster, if it has one.
func inCluster(ctx context.Context, c *configs.Harvest, plan *harvest.Plan, log *slog.Logger,
	work func(context.Context) error,
) error {
	if c.Politeness.Cluster == "" {
		return work(ctx)
	}
	_, b, err := brokerOf(string(c.Politeness.Cluster))
	if err != nil {
		return err
	}
	b.Patient = true
	b.Late = func(err error) { log.Warn("the cluster is waited for", "cause", err) }
	host, _ := os.Hostname() // for messages alone
	who := fmt.Sprintf("%s, harvest %s", host, c.Harvest)
	return cluster.With(ctx, b, who, log, func(ctx context.Context, m *cluster.Member) error {
		plan.Frontier.Turns = m
		if c.Node() == "" {
			return work(ctx)
		}
		return whileOwned(ctx, m, c.Harvest, c.Node(), log, work)
	})
}

// ownedEvery is how often the harvest of a shard looks whether the shard is its node's still.
const ownedEvery = 5 * time.Second

// takenOver tells, look by look at the node that has a shard, that another one has taken it over. A member
// may be told late that its own node has it, as the part of the broker that it asks may lag behind.
func takenOver(own string) func(node string) bool {
	seen := false
	return func(node string) bool {
		seen = seen || node == own
		return seen && node != own
	}
}

// whileOwned has a shard harvested until another node has taken it over: a node that hangs ends no harvest.
func whileOwned(ctx context.Context, m *cluster.Member, shard, own string, log *slog.Logger,
	work func(context.Context) error,
) error {
	node := func() string {
		b := m.Board()
		for id := range b.Shards {
			if id.String() == shard {
				return b.At(id).Node
			}
		}
		return ""
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(ownedEvery)
		defer tick.Stop()
		for over := takenOver(own); ; {
			now := node()
			if over(now) {
				log.Warn("another node has taken the shard over: its harvest ends here", "shard", shard,
					"node", now, "before", own)
				end()
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	})
	err := work(ctx)
	end()
	watching.Wait()
	return err
}
