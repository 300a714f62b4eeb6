package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"watershed/cluster"
	"watershed/demo"
	"watershed/harvest"
	"watershed/internal/console"
	"watershed/internal/disk"
)

// demoNode is a node of the demo's cluster.
type demoNode struct {
	name, file string
	clients    string // host:port
	kill       func() // as a power failure does
}

// shared has nodes on loopback harvest the demo's web. A node is killed on the way.
func (c *demoCommand) shared(ctx context.Context, s console.Streams) error {
	if c.Nodes != 3 && c.Nodes != 5 {
		return &exitError{exitUsage, fmt.Errorf("--nodes: %d cannot lose one and go on: 3 or 5", c.Nodes)}
	}
	dir := filepath.Join(c.Dir, "nodes")
	if err := moveAside(harvest.Folder(dir), s.Err); err != nil {
		return err
	}
	nodes, err := demoCluster(dir, c.Nodes)
	if err != nil {
		return err
	}
	web := demo.New(demo.Options{})
	return web.Serve(ctx, func(ctx context.Context) error {
		file := filepath.Join(dir, demoName+".yaml")
		if err := os.WriteFile(file, demoYAML(web), 0o666); err != nil {
			return fmt.Errorf("write the demo's harvest: %w", err)
		}
		for _, n := range nodes {
			if err := n.start(); err != nil {
				return err
			}
			defer n.kill()
		}
		if err := allThere(ctx, nodes); err != nil {
			return err
		}
		last := nodes[len(nodes)-1]
		killing, stop := context.WithCancel(ctx)
		defer stop()
		go func() {
			for len(web.Log()) < demoKill {
				select {
				case <-killing.Done():
					return
				case <-time.After(10 * time.Millisecond):
				}
			}
			last.kill()
			fmt.Fprintf(s.Err, "node %s is killed, and its disk is gone\n", last.name)
			_ = os.RemoveAll(filepath.Join(dir, last.name)) // what is left of it nobody reads
		}()
		h := harvestCommand{From: []string{file}, clusterFlag: clusterFlag{nodes[0].file}}
		if err := h.Run(ctx, s); err != nil {
			return err
		}
		return demoShards(s, web, filepath.Join(dir, demoName, "round-0001"))
	})
}

// allThere waits until each node takes shards.
func allThere(ctx context.Context, nodes []*demoNode) error {
	quiet := console.Streams{Err: io.Discard} // they have just been started
	there := func(ctx context.Context, m *cluster.Member) error {
		for end := time.Now().Add(time.Minute); ; {
			news := m.News()
			if b := m.Board(); len(b.Nodes) == len(nodes) {
				return nil
			}
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-news:
			case <-time.After(time.Until(end)):
				return fmt.Errorf("not all nodes are there after a minute: their logs are beside %s",
					nodes[0].file)
			}
		}
	}
	return atCluster(ctx, quiet, nodes[0].file, demoName, true, there)
}

// demoKill is after how many requests a node of the demo is killed: in the midst of its shard.
const demoKill = 60

// demoShards compares what the shards brought with the truth.
func demoShards(s console.Streams, web *demo.Web, folder string) error {
	shards, err := disk.List(folder, demoName+"-", "")
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "\nThis web was made for the demo, so that the truth about it is known:\n")
	missing := 0
	for _, shard := range shards {
		maps, err := harvest.Run(shard).Maps()
		if err != nil {
			return err
		}
		for _, m := range maps {
			found, all := judge(s.Out, web, m)
			missing += all - found
		}
	}
	if missing > 0 {
		return fmt.Errorf("%d pages are missing", missing)
	}
	_, err = fmt.Fprintf(s.Out, "Nothing is missing. The nodes' logs are in %s\n",
		filepath.Dir(filepath.Dir(folder)))
	return err
}

// demoCluster writes the YAML of each node.
func demoCluster(dir string, count int) (nodes []*demoNode, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "cluster.key"), []byte(rand.Text()+"\n"), 0o600); err != nil {
		return nil, err
	}
	list := ""
	for i := range count {
		n := &demoNode{name: fmt.Sprintf("n%d", i+1)}
		peers := ""
		for _, at := range []*string{&n.clients, &peers} {
			l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
			if err != nil {
				return nil, err
			}
			defer func() { err = errors.Join(err, l.Close()) }() // only now, so that no port is given twice
			*at = l.Addr().String()
		}
		n.file = filepath.Join(dir, n.name+".yaml")
		list += fmt.Sprintf("  - {name: %s, clients: %q, peers: %q}\n", n.name, n.clients, peers)
		nodes = append(nodes, n)
	}
	for _, n := range nodes {
		text := fmt.Sprintf("cluster: demo\nkey: file:cluster.key\nfolder: %s/broker\n"+
			"harvests: %s/harvests\n"+
			"patience: 2s\nnodes:\n%s", n.name, n.name, list)
		if err := os.WriteFile(n.file, []byte(text), 0o666); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

// start starts the process of a node.
func (n *demoNode) start() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	out, err := os.Create(n.file[:len(n.file)-len("yaml")] + "log")
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(running, program, "node", "--name", n.name, n.file)
	cmd.Stdout, cmd.Stderr = out, out
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := runBound(cmd); cmd.ProcessState == nil {
			fmt.Fprintln(out, err) // it did not begin, and is missed by allThere
		}
		_ = out.Close() // its log
	}()
	n.kill = func() {
		stop() // it may have ended
		<-ended
	}
	return nil
}
