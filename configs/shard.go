package configs

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// Shards is into how many parts the sites of a harvest are divided where several machines share it.
const Shards = 256

// ShardOf is the shard to which a site belongs, by the registrable domain of its first seed: a site
// stays in its shard when others come or go.
func (s *Site) ShardOf() int {
	key := s.Name
	if len(s.Seeds) > 0 {
		key = s.Seeds[0].Host().Registrable()
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(key)) // never fails
	return int(sum.Sum32() % Shards)
}

// Shard is the YAML by which a machine of a cluster harvests the sites of one shard. A harvest that
// is read from it is named NAME-017, for shard 17 of harvest NAME.
type Shard struct {
	Shard   int  `yaml:"shard"`
	Of      Path `yaml:"of"`      // the YAML of the harvest
	Dir     Path `yaml:"dir"`     // in place of its archive.dir
	Cluster Path `yaml:"cluster"` // in place of its politeness.cluster
}

// YAML is the text of the file.
func (x *Shard) YAML() []byte {
	return fmt.Appendf(nil, "# Written by watershed node.\nshard: %d\nof: %q\ndir: %q\ncluster: %q\n",
		x.Shard, x.Of, x.Dir, x.Cluster)
}

// shardKey begins a line of a shard's YAML, and of no harvest's.
var shardKey = regexp.MustCompile(`(?m)^shard:`)

// loadShard reads the harvest of a shard.
func loadShard(path string, data []byte, read func(string) ([]byte, error)) (Harvest, error) {
	d, root, ok := document(path, data)
	if !ok {
		return Harvest{}, d.errs
	}
	var x Shard
	d.structure("", root, reflect.ValueOf(&x).Elem())
	c := checker{decoder: d}
	if x.Shard < 0 || x.Shard >= Shards {
		c.at("shard", "watershed node writes this file", "shard: %d is none of 0 to %d", x.Shard, Shards-1)
	}
	if x.Of == "" && !c.failed("of") {
		c.at("of", "watershed node writes this file", "of is required: the YAML of the harvest")
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
	h, err := parse(of, data, read)
	if err != nil {
		return h, err
	}
	h.narrow(x.Shard)
	h.whole = of
	h.Archive.Dir, h.Politeness.Cluster = x.Dir.from(dir), x.Cluster.from(dir)
	if len(h.Sites) == 0 {
		c.at("shard", "watershed node writes this file", "shard: no site of %s is of shard %d", of, x.Shard)
		return h, d.errs.sorted(path, d.unkept)
	}
	return h, nil
}

// narrow leaves only the sites of a shard.
func (h *Harvest) narrow(shard int) {
	h.Harvest = ShardName(h.Harvest, shard)
	to := map[int]int{}
	var sites []Site
	for i := range h.Sites {
		if h.Sites[i].ShardOf() == shard {
			to[i] = len(sites)
			sites = append(sites, h.Sites[i])
		}
	}
	h.Sites = sites
	origins := make(map[string]Position, len(h.origins))
	for key, p := range h.origins {
		rest, ok := strings.CutPrefix(key, "sites[")
		number, rest, _ := strings.Cut(rest, "]")
		if i, err := strconv.Atoi(number); ok && err == nil {
			k, kept := to[i]
			if !kept {
				continue
			}
			key = fmt.Sprintf("sites[%d]%s", k, rest)
		}
		origins[key] = p
	}
	h.origins = origins
}

// Whole is the YAML of the harvest of which this one is a shard, "" for none.
func (h *Harvest) Whole() string { return h.whole }

// ShardName names the harvest of a shard.
func ShardName(harvest string, shard int) string { return fmt.Sprintf("%s-%03d", harvest, shard) }

// Shared checks that several machines can share a harvest, and gives its shards that have sites, in
// order, and the files, relative to the YAML's folder, that they need of it.
func (h *Harvest) Shared() (shards []int, files []string, err error) {
	d := decoder{file: h.file, origins: h.origins}
	c := checker{decoder: &d, h: h}
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
	used := map[int]bool{}
	lists := map[string]bool{filepath.Clean(h.file): true}
	for i := range h.Sites {
		used[h.Sites[i].ShardOf()] = true
		local(fmt.Sprintf("sites[%d].login.cookies", i), h.Sites[i].Login.Cookies)
		if p, ok := h.origins[fmt.Sprintf("sites[%d].name", i)]; ok {
			lists[filepath.Clean(p.File)] = true
		}
	}
	for n := range Shards {
		if used[n] {
			shards = append(shards, n)
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
		return nil, nil, d.errs.sorted(h.file, d.unkept)
	}
	return shards, files, nil
}

// isShard reports the YAML of a shard.
func isShard(data []byte) bool { return shardKey.Match(bytes.TrimPrefix(data, []byte("\ufeff"))) }
