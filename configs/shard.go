package configs

import (
	"fmt"
	"hash/fnv"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Shards is into how many parts the sites of a harvest are divided at most where several machines share
// it.
const Shards = 256

// ShardCount is into how many parts, a power of two, the sites of a harvest are divided that nodes begin
// to share: each has some four sites, since a process that harvests one small site takes more time for
// its start and its delivery than for the site; few sites have each its own, as they may be large.
func (h *Harvest) ShardCount() int {
	const few, each = 16, 4
	if len(h.Sites) <= few {
		return Shards
	}
	count := few
	for count < Shards && count*each < len(h.Sites) {
		count *= 2
	}
	return count
}

// ShardOf is which of so many shards a site belongs to, by the registrable domain of its first seed: a
// site stays in its shard when others come or go. Of less than one it is shard 0.
func (s *Site) ShardOf(count int) int {
	key := s.Name
	if len(s.Seeds) > 0 {
		key = s.Seeds[0].Host().Registrable()
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(key)) // never fails
	return int(sum.Sum32() % uint32(max(count, 1)))
}

// Shard is the YAML by which a machine of a cluster harvests the sites of one shard. A harvest that
// is read from it is named NAME-017, for shard 17 of harvest NAME.
type Shard struct {
	Shard   int  `yaml:"shard"`
	Count   int  `yaml:"count"`   // of the harvest's shards
	Of      Path `yaml:"of"`      // the YAML of the harvest
	Dir     Path `yaml:"dir"`     // in place of its archive.dir
	Cluster Path `yaml:"cluster"` // in place of its politeness.cluster
	// Former is how many runs the shard had at most, on any machine: whose numbers are given.
	Former int    `yaml:"former"`
	Node   string `yaml:"node"` // that harvests it
}

// YAML is the text of the file.
func (x *Shard) YAML() []byte {
	return fmt.Appendf(nil, "# Written by watershed node.\nshard: %d\ncount: %d\nof: %q\ndir: %q\n"+
		"cluster: %q\nformer: %d\nnode: %q\n", x.Shard, x.Count, x.Of, x.Dir, x.Cluster, x.Former, x.Node)
}

// shardKey begins a line of a shard's YAML, and of no harvest's.
var shardKey = regexp.MustCompile(`(?m)^shard:`)

func loadShard(path string, data []byte, read func(string) ([]byte, error)) (Harvest, error) {
	d, root, ok := document(path, data)
	if !ok {
		return Harvest{}, d.errs
	}
	var x Shard
	d.structure("", root, reflect.ValueOf(&x).Elem())
	c := checker{decoder: d}
	if x.Count > Shards || x.Shard < 0 || x.Shard >= x.Count || x.Former < 0 || x.Former > math.MaxInt16 ||
		x.Of == "" && !c.failed("of") {
		c.at("shard", "watershed node writes this file", "shard %d of %d, after %d runs, of the harvest %q: "+
			"there is none", x.Shard, x.Count, x.Former, x.Of)
	}
	if len(d.errs) > 0 {
		return Harvest{}, d.errs.sorted(path, d.unkept)
	}
	dir := filepath.Dir(path)
	of := string(x.Of.from(dir))
	data, err := read(of)
	if err != nil {
		return Harvest{}, fmt.Errorf("read harvest: %w", err)
	}
	h, err := parse(of, data, read, "politeness.cluster")
	if err != nil {
		return h, err
	}
	h.Harvest = ShardName(h.Harvest, x.Shard)
	h.retain(func(s *Site) bool { return s.ShardOf(x.Count) == x.Shard })
	h.whole, h.former, h.node = of, x.Former, x.Node
	h.Archive.Dir, h.Politeness.Cluster = x.Dir.from(dir), x.Cluster.from(dir)
	h.Limits.DiskWait = 0 // another node may have room now
	if len(h.Sites) == 0 {
		c.at("shard", "watershed node writes this file", "shard: no site of %s is of shard %d", of, x.Shard)
		return h, d.errs.sorted(path, d.unkept)
	}
	return h, nil
}

// Whole is the YAML of the harvest of which this one is a shard, "" for none.
func (h *Harvest) Whole() string { return h.whole }

// Former is how many runs a shard had at most on other machines, or on a disk that was lost: their numbers
// are given.
func (h *Harvest) Former() int { return h.former }

// Node is the node that harvests the shard, "" where the YAML does not say it.
func (h *Harvest) Node() string { return h.node }

// ShardName names the harvest of a shard.
func ShardName(harvest string, shard int) string { return fmt.Sprintf("%s-%03d", harvest, shard) }

// Numbers are those of so many shards that have sites, in order.
func (h *Harvest) Numbers(count int) (shards []int) {
	for i := range h.Sites {
		shards = append(shards, h.Sites[i].ShardOf(count))
	}
	slices.Sort(shards)
	return slices.Compact(shards)
}

// Shared checks that several machines can share a harvest, and gives the files, relative to the YAML's
// folder, that they need of it.
func (h *Harvest) Shared() (files []string, err error) {
	d := decoder{file: h.file, origins: h.origins}
	c := checker{decoder: &d, h: h}
	if !inSubject(h.Harvest) {
		c.at("harvest", "two dots beside each other are for a harvest on one machine",
			"harvest: %q cannot name what machines share", h.Harvest)
	}
	for _, l := range []struct {
		key   string
		bound int64
	}{
		{"limits.pages", h.Limits.Pages},
		{"limits.files", h.Limits.Files},
		{"limits.bytes", h.Limits.Bytes.Bytes()},
	} {
		if _, set := h.Where(l.key); set && l.bound > 0 {
			c.at(l.key, "bound its sites: sites[…].limits", "%s bounds a harvest on one machine alone", l.key)
		}
	}
	dir := filepath.Dir(h.file)
	local := func(key string, p Path) {
		rel, err := filepath.Rel(dir, string(p))
		if p != "" && !strings.HasPrefix(string(p), "~/") &&
			(!filepath.IsAbs(string(p)) || err == nil && filepath.IsLocal(rel)) {
			c.at(key, "an absolute path outside of the YAML's folder, with the same file on each machine",
				"%s: %s is not sent to other machines", key, p)
		}
	}
	local("archive.key", h.Archive.Key)
	local("network.hosts_file", h.Network.HostsFile)
	local("copies.table", h.Copies.Table)
	lists := map[string]bool{filepath.Clean(h.file): true}
	for i := range h.Sites {
		local(fmt.Sprintf("sites[%d].login.cookies", i), h.Sites[i].Login.Cookies)
		if p, ok := h.origins[fmt.Sprintf("sites[%d].name", i)]; ok {
			lists[filepath.Clean(p.File)] = true
		}
	}
	for file := range lists {
		rel, err := filepath.Rel(dir, file)
		if err != nil || !filepath.IsLocal(rel) {
			c.at("sites", "put the list into the folder of the YAML", "%s lies elsewhere than the YAML", file)
			continue
		}
		files = append(files, rel)
	}
	if len(d.errs) > 0 {
		return nil, d.errs.sorted(h.file, d.unkept)
	}
	return files, nil
}
