package configs

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Cluster is the YAML of a cluster, the same on all its machines.
type Cluster struct {
	Cluster     string   `yaml:"cluster"` // its name
	Nodes       []Node   `yaml:"nodes"`   // of its broker; none where the broker is another's
	Folder      Path     `yaml:"folder"`  // where the node of a machine keeps its streams
	Key         Secret   `yaml:"key"`     // that all nodes and harvests have in common
	TLS         TLSFiles `yaml:"tls"`
	NATS        []string `yaml:"nats"`        // nats://host:port of another's broker
	Credentials Path     `yaml:"credentials"` // for that broker
	Harvests    Path     `yaml:"harvests"`    // where a machine keeps shards; "" for the broker alone
	Room        int      `yaml:"room"`        // shards that it harvests at a time
	Patience    Duration `yaml:"patience"`    // for which shards wait for a node that is gone

	dir string
}

// Node is a node of the broker.
type Node struct {
	Name    string `yaml:"name"`
	Clients string `yaml:"clients"` // host:port for harvests
	Peers   string `yaml:"peers"`   // host:port for other nodes
}

// TLSFiles are files in PEM form.
type TLSFiles struct {
	Certificate Path `yaml:"certificate"`
	Key         Path `yaml:"key"`
	Authority   Path `yaml:"authority"`
}

// LoadCluster reads the cluster in the file at path. Its errors are those of Load.
func LoadCluster(path string) (Cluster, error) {
	data, err := ReadFile(path)
	if err != nil {
		return Cluster{}, fmt.Errorf("read cluster: %w", err)
	}
	d, root, ok := document(path, data)
	if !ok {
		return Cluster{}, d.errs
	}
	x := Cluster{dir: filepath.Dir(path), Room: 4, Patience: Duration(10 * time.Minute)}
	d.structure("", root, reflect.ValueOf(&x).Elem())
	for _, p := range []*Path{
		&x.Folder, &x.Harvests, &x.Credentials,
		&x.TLS.Certificate, &x.TLS.Key, &x.TLS.Authority,
	} {
		*p = p.from(x.dir)
	}
	checkCluster(&checker{decoder: d}, &x)
	if len(d.errs) > 0 {
		return Cluster{}, d.errs.sorted(path, d.unkept)
	}
	return x, nil
}

// Secret reads the key of the cluster.
func (x *Cluster) Secret() (string, error) {
	key, err := x.Key.Reveal(x.dir)
	if err == nil && key != "" && len(key) < leastKey {
		err = fmt.Errorf("it has %d characters, fewer than %d", len(key), leastKey)
	}
	if err != nil {
		return "", fmt.Errorf("key: %w", err)
	}
	return key, nil
}

// leastKey is how long the key of a cluster is at least.
const leastKey = 16

// clusterName is what becomes part of the names of the broker's streams, which have no dots.
var clusterName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$`)

// inSubject reports a name that subjects of the broker can have, which have something between two dots.
func inSubject(name string) bool {
	return fileName.MatchString(name) && !strings.Contains(name+".", "..")
}

// Named is the error of a name that no node can have.
func (x *Cluster) Named(node string) error {
	if !inSubject(node) {
		return fmt.Errorf("%q is no name of a node, which has %s", node, fileNameHint)
	}
	return nil
}

func checkCluster(c *checker, x *Cluster) {
	if !clusterName.MatchString(x.Cluster) && !c.failed("cluster") {
		c.at("cluster", "letters, digits, hyphens and underscores, at most 80, a letter or digit first",
			"cluster: %q is no name of a cluster", x.Cluster)
	}
	for _, f := range []struct {
		key  string
		path Path
	}{
		{"tls.certificate", x.TLS.Certificate},
		{"tls.key", x.TLS.Key},
		{"tls.authority", x.TLS.Authority},
		{"credentials", x.Credentials},
	} {
		c.exists(f.key, f.path)
	}
	t := x.TLS
	if t != (TLSFiles{}) && (t.Certificate == "" || t.Key == "" || t.Authority == "") && !c.failed("tls") {
		c.at("tls", "each machine shows its own certificate, which authority has signed",
			"tls: certificate, key and authority are needed together")
	}
	c.atLeast("room", int64(x.Room), 1)
	if x.Patience < 0 && !c.failed("patience") {
		c.at("patience", "for example 10m", "patience: %s is less than nothing", x.Patience.Std())
	}
	if len(x.NATS) > 0 {
		if len(x.Nodes) > 0 && !c.failed("nodes") {
			c.at("nats", "leave out nodes, or nats", "nodes are a broker of its own, and nats is another's")
		}
		for i, at := range x.NATS {
			checkServer(c, fmt.Sprintf("nats[%d]", i), at)
		}
		return
	}
	if c.failed("nodes") {
		return
	}
	if n := len(x.Nodes); n != 1 && n != 3 && n != 5 {
		c.at("nodes", "three may lose one node, five may lose two, and one is for trials",
			"nodes: %d are listed, and a broker has 1, 3 or 5", n)
	}
	if x.Key == "" && !c.failed("key") {
		c.at("key", "openssl rand -hex 32 >cluster.key, the same on all machines; key: file:cluster.key",
			"key is required")
	}
	if x.Folder == "" && !c.failed("folder") {
		c.at("folder", "for example folder: /var/lib/watershed/broker", "folder is required")
	}
	checkNodes(c, x)
}

// checkServer checks the address of a server of NATS. Messages name it, so that it has no password.
func checkServer(c *checker, key, at string) {
	u, err := url.Parse(at)
	switch {
	case err == nil && u.User != nil:
		c.at(key, "credentials names a file that NATS wrote for a user",
			"%s: a user or password does not belong there, as messages have the address", key)
	case err != nil, !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme), u.Hostname() == "",
		u.Port() == "":
		c.at(key, "such as nats://nats.library.example:4222, or tls:// with certificates",
			"%s is no address of a server", key) // without what may have a password
	}
}

func checkNodes(c *checker, x *Cluster) {
	seen := map[string]bool{}
	for i, n := range x.Nodes {
		key := fmt.Sprintf("nodes[%d]", i)
		if !inSubject(n.Name) {
			c.at(key+".name", fileNameHint, "%s.name: %q is no name of a node", key, n.Name)
		}
		for _, a := range []struct{ name, address string }{{".clients", n.Clients}, {".peers", n.Peers}} {
			host, _, err := net.SplitHostPort(a.address)
			if a.address == "" && a.name == ".peers" && len(x.Nodes) == 1 {
				continue
			}
			if err != nil || host == "" {
				c.at(key+a.name, "such as 10.0.0.1:4222 for clients, and 10.0.0.1:6222 for peers",
					"%s%s: %q is no host and port", key, a.name, a.address)
			} else if ip, _ := netip.ParseAddr(host); x.TLS.Authority == "" && !ip.IsLoopback() {
				c.at(key+a.name, "tls: {certificate: …, key: …, authority: …}",
					"%s%s: the key would go over the network in the clear: tls is required", key, a.name)
			}
		}
		for _, is := range []string{n.Name, n.Clients, n.Peers} {
			if is != "" && seen[is] {
				c.at(key, "", "%s: %s stands there twice", key, is)
			}
			seen[is] = true
		}
	}
}
