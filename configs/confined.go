package configs

import (
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// apart are the groups of options that a confined harvest may not have, with what they would reach.
var apart = []struct{ key, reach string }{
	{"notify", "mail servers and addresses of this machine's network"},
	{"upload", "stores with this machine's keys"},
	{"network", "machines other than those that the web names"},
	{"archive.key", "a key of this machine"},
	{"browser.program", "programs of this machine"},
	{"browser.user", "users of this machine"},
	{"politeness.shared_dir", "folders of this machine"},
	{"politeness.cluster", "a broker with this machine's key"},
	{"login", "secrets of this machine"},
}

// Confined is Compose for text from hands that are trusted with harvests, and with nothing else of
// the machine, such as those of a browser. It refuses, with the place, each option that reaches
// further than the folder of path: secrets, logins, notices, uploads, all of network but those
// private networks that are given, a program to be run, an archive elsewhere, and a file that is
// not below the folder, also where it only seems to be by a symbolic link. Nothing of that is read
// to find it out. Of a list of sites that is wrong it tells the line, and nothing that stands there:
// the file may be anything.
func Confined(path string, text []byte, private []netip.Prefix) (Harvest, error) {
	d, root, ok := document(path, text)
	if !ok {
		return Harvest{}, d.errs
	}
	h := d.decode(root)
	c := checker{decoder: d, h: &h}
	before := len(d.errs) + d.unkept
	c.confine(filepath.Dir(path), private)
	if len(d.errs)+d.unkept > before {
		return Harvest{}, d.errs.sorted(path, d.unkept)
	}
	h, err := parse(path, text, ReadFile) // a shard's YAML is none: it names a file elsewhere
	if list, ok := errors.AsType[Errors](err); ok {
		for _, e := range list {
			if e.File != path {
				*e = Error{Position: Position{File: e.File, Line: e.Line}, Message: "this line is no site"}
			}
		}
	}
	return h, err
}

func (c *checker) confine(dir string, private []netip.Prefix) {
	const hint = "only who has the shell of this machine may write that, into the YAML itself"
	for key := range c.origins {
		name := key[strings.LastIndex(key, "]")+1:]
		name = strings.TrimPrefix(name, ".") // of a site's options the key within it
		for _, x := range apart {
			if name == x.key && key != "network" {
				c.at(key, hint, "%s is not taken from a browser: it reaches %s", key, x.reach)
			} else if x.key == "network" && strings.HasPrefix(key, "network.") &&
				strings.Count(key, ".") == 1 && !strings.HasPrefix(key, "network.allow_private") {
				c.at(key, hint, "%s is not taken from a browser: it reaches %s", key, x.reach)
			}
		}
	}
	for i, p := range c.h.Network.AllowPrivate {
		if !slices.ContainsFunc(private, func(in netip.Prefix) bool {
			return in.Contains(p.Addr()) && in.Bits() <= p.Bits()
		}) {
			key := fmt.Sprintf("network.allow_private[%d]", i)
			c.at(key, "start the desk with --allow-private "+p.String(),
				"network.allow_private: %s is not fetched from for a browser", p)
		}
	}
	if filepath.Clean(string(c.h.Archive.Dir)) != "." && !c.failed("archive") {
		c.at("archive.dir", "write archive: {dir: .}", "archive.dir: the harvest lies beside its YAML, in .")
	}
	walk("", reflect.ValueOf(c.h).Elem(), func(key string, v reflect.Value) {
		p, is := v.Interface().(Path)
		if is && p != "" && key != "archive.dir" && !c.failed(key) && !within(dir, string(p)) {
			c.at(key, "put the file there, and write its name alone",
				"%s: %q is not in the folder of the harvests", key, p)
		}
	})
}

// within reports that a relative path stays below a folder, wherever links on it lead. A path on
// which nothing is yet stays.
func within(dir, path string) bool {
	if !filepath.IsLocal(path) || strings.HasPrefix(path, "~/") {
		return false
	}
	real, err := filepath.EvalSymlinks(filepath.Join(dir, path))
	if err != nil {
		return true // it is not there, or leads nowhere: nothing can be read
	}
	home, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	to, err := filepath.Rel(home, real)
	return err == nil && filepath.IsLocal(to)
}
