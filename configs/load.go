package configs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ReadFile reads a file that a person wrote whole, but of one that is longer than any of use, or has
// no end, only so much that its length tells.
func ReadFile(path string) (data []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, maxList+1))
}

// Load reads the harvest in the file at path, and the lists of sites that it names; that of one shard
// where the file is a Shard. The error is
// Errors for whatever is wrong in the text, and an *fs.PathError, wrapped, when the file itself
// cannot be read.
func Load(path string) (Harvest, error) {
	data, err := ReadFile(path)
	if err != nil {
		return Harvest{}, fmt.Errorf("read harvest: %w", err)
	}
	return Compose(path, data)
}

// Parse reads a harvest out of memory; name stands for the file in messages, and its folder is
// where relative paths begin. It reads nothing else: a site with a list is an error. The error is
// Errors.
func Parse(name string, data []byte) (Harvest, error) {
	return parse(name, data, nil)
}

// parse reads a harvest, and with read also the lists that it names; the files under some keys need not be
// there.
func parse(name string, data []byte, read func(string) ([]byte, error), unused ...string) (Harvest, error) {
	d, root, ok := document(name, data)
	if !ok {
		return Harvest{}, d.errs
	}
	h := d.decode(root)
	c := checker{decoder: d, h: &h}
	h.resolvePaths(filepath.Dir(name))
	c.lists(read)
	c.check()
	if read != nil {
		for key, file := range map[string]Path{
			"archive.key":        h.Archive.Key,
			"politeness.cluster": h.Politeness.Cluster,
			"network.hosts_file": h.Network.HostsFile,
			"copies.table":       h.Copies.Table,
		} {
			if !slices.Contains(unused, key) {
				c.exists(key, file)
			}
		}
	}
	if len(d.errs) > 0 {
		return Harvest{}, d.errs.sorted(name, d.unkept)
	}
	h.retain(func(s *Site) bool { return s.List == "" })
	return h, nil
}

// resolvePaths makes relative paths that the file gives count from its folder.
func (h *Harvest) resolvePaths(dir string) {
	h.Archive.Dir = h.Archive.Dir.from(dir)
	h.Network.HostsFile = h.Network.HostsFile.from(dir)
	h.Archive.Key = h.Archive.Key.from(dir)
	h.Politeness.Cluster = h.Politeness.Cluster.from(dir)
	h.Politeness.SharedDir = h.Politeness.SharedDir.from(dir)
	h.Copies.Table = h.Copies.Table.from(dir)
	for i := range h.Sites {
		h.Sites[i].List = h.Sites[i].List.from(dir)
		h.Sites[i].Login.Cookies = h.Sites[i].Login.Cookies.from(dir)
	}
}

func (p Path) from(dir string) Path {
	if p == "" || filepath.IsAbs(string(p)) || strings.HasPrefix(string(p), "~/") {
		return p
	}
	return Path(filepath.Join(dir, string(p)))
}
