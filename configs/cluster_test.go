package configs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoadCluster(t *testing.T) {
	const three = "nodes:\n" +
		"  - {name: one, clients: '127.0.0.1:1', peers: '127.0.0.1:2'}\n" +
		"  - {name: two, clients: '127.0.0.1:3', peers: '127.0.0.1:4'}\n" +
		"  - {name: three, clients: '127.0.0.1:5', peers: '127.0.0.1:6'}\n"
	const rest = "cluster: library\nfolder: broker\nkey: file:cluster.key\n"
	tests := []struct {
		name, text, want string // want "" for none
	}{
		{"whole", rest + three, ""},
		{"another's broker", "cluster: library\nnats: ['nats://broker.example:4222']\n", ""},
		{"dots", "cluster: a.b\nfolder: x\nkey: env:K\n" + three, "is no name of a cluster"},
		{"a password", "cluster: a\nnats: ['nats://me:geheim@b.example:4222']\n", "does not belong there"},
		{
			"half a password", "cluster: a\nnats: ['nats://me:ge%heim@b.example:4222']\n",
			"nats[0] is no address of a server",
		},
		{"a server without a port", "cluster: a\nnats: ['nats://b.example']\n", "no address of a server"},
		{"a server without a scheme", "cluster: a\nnats: ['b.example:4222']\n", "no address of a server"},
		{"wrong key", rest + three + "foldr: x\n", `did you mean "folder"?`},
		{"no name", three + "folder: x\nkey: env:K\n", "is no name of a cluster"},
		{"no key", "cluster: library\nfolder: x\n" + three, "openssl rand"},
		{"key in the YAML", "cluster: library\nfolder: x\nkey: geheim\n" + three, "file:PATH"},
		{"no folder", "cluster: library\nkey: env:K\n" + three, "folder is required"},
		{"no nodes", rest, "a broker has 1, 3 or 5"},
		{"in the clear", rest + "nodes: [{name: one, clients: '10.0.0.1:4222'}]\n", "tls is required"},
		{"no port", rest + "nodes: [{name: one, clients: '127.0.0.1'}]\n", "is no host and port"},
		{"twice", rest + strings.ReplaceAll(three, "two", "one"), "one stands there twice"},
		{"nothing after a dot", rest + strings.ReplaceAll(three, "two", "two."), `"two." is no name`},
		{"half of TLS", rest + three + "tls: {key: cluster.key}\n", "are needed together"},
		{"no such file", rest + three + "credentials: none.creds\n", "no such file"},
		{"harvests", rest + three + "harvests: h\nroom: 2\npatience: 1m\n", ""},
		{"no room", rest + three + "harvests: h\nroom: 0\n", "room"},
		{"impatient", rest + three + "patience: -1m\n", "patience"},
		{"both", rest + three + "nats: ['nats://broker.example:4222']\n", "leave out nodes, or nats"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			files := map[string]string{"cluster.yaml": tt.text, "cluster.key": "0123456789abcdef\n"}
			for name, text := range files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			x, err := LoadCluster(filepath.Join(dir, "cluster.yaml"))
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) ||
					strings.Contains(err.Error(), "heim@") {
					t.Errorf("%v, want %q", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if key, err := x.Secret(); err != nil || x.Key != "" && key != "0123456789abcdef" {
				t.Errorf("key %q, %v", key, err)
			}
			if x.Folder != "" && x.Folder != Path(filepath.Join(dir, "broker")) {
				t.Errorf("the folder is %s", x.Folder)
			}
		})
	}
}

// TestShards: each site is in exactly one of the shards of a harvest, by the YAML that a node writes,
// however many the shards are; small harvests have a shard for each site, large ones some four sites in
// each.
func TestShards(t *testing.T) {
	for _, sites := range []int{1, 16, 17, 100} {
		var text strings.Builder
		text.WriteString("harvest: h\noperator: {name: N, contact: \"mailto:n@example.org\"}\n" +
			"politeness: {cluster: own.yaml}\nsites:\n")
		for i := range sites {
			fmt.Fprintf(&text, "  - {name: s%d, seeds: [\"http://www.s%d.example/\"]}\n", i, i)
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "h.yaml"), []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		own := filepath.Join(dir, "own.yaml") // of the machine that asks: a node has another
		if err := os.WriteFile(own, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		whole, err := Load(filepath.Join(dir, "h.yaml"))
		if err = errors.Join(err, os.Remove(own)); err != nil {
			t.Fatal(err)
		}
		count, found := whole.ShardCount(), 0
		numbers := whole.Numbers(count)
		for _, n := range numbers {
			file := filepath.Join(dir, "shard.yaml")
			part := Shard{Shard: n, Count: count, Of: "h.yaml", Dir: ".", Cluster: "c", Former: 7}
			if err := os.WriteFile(file, part.YAML(), 0o600); err != nil {
				t.Fatal(err)
			}
			h, err := Load(file)
			if err != nil || len(h.Sites) == 0 || h.Former() != 7 || h.Limits.DiskWait != 0 ||
				h.Politeness.Cluster != Path(filepath.Join(dir, "c")) {
				t.Fatalf("shard %d of %d, after %d runs: %v", n, count, h.Former(), err)
			}
			found += len(h.Sites)
			if each := sites / count; sites > 16 && each < 7 && len(h.Sites) > 20 {
				t.Errorf("of %d sites %d are in one shard", sites, len(h.Sites))
			}
		}
		if found != sites || sites > 16 && len(numbers) > max(16, sites/2) {
			t.Errorf("of %d sites %d are in %d of %d shards", sites, found, len(numbers), count)
		}
		whole.Harvest = "a..b" // records of the broker have no such names
		if _, err := whole.Shared(); err == nil || !strings.Contains(err.Error(), "cannot name what") {
			t.Errorf("a harvest %s may be shared: %v", whole.Harvest, err)
		}
	}
}
