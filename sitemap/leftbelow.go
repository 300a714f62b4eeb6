package sitemap

import (
	"slices"
	"strings"

	"watershed/page"
)

// LeftBelow is a place below a seed's directory whose pages are not of the site, or a place on another
// host that somebody may miss.
type LeftBelow struct {
	Name string `json:"name"` // host and directory
	// Pages are those known of it and outside. A harvest that takes the place in may find more.
	Pages int    `json:"pages"`
	Why   string `json:"why"`
	// Include is the rule that takes the place in, under include of the site, or keeps it out, under exclude.
	Include page.Rule `json:"include"`
	// pages of the site that name the place, where that is on another host
	Named int `json:"named,omitempty"`
}

// LeftBelow lists the places below the seeds' directories that are outside, by name: directories
// that are sites of their own, and the part of a host without directories that is another's. A place of
// which a page or two are inside, as by a rule that names them, is out with the others. Places that a
// rule excludes are not among them. It costs O(blocks × seeds), and gives nothing where the
// boundary is a simple predicate.
func (m *Map) LeftBelow() (list []LeftBelow) {
	for i := range m.Blocks {
		if x, ok := m.leftBelow(&m.Blocks[i]); ok {
			list = append(list, x)
		}
	}
	return list
}

// leastFolded is how many places with names of one stem share a rule.
const leastFolded = 3

// Left lists the places of LeftBelow and Beside. Places below the seeds whose names have a stem in
// common, as issue1/ and issue2/ or ~ann/ and ~bob/, are one with it, where no other place begins so.
func (m *Map) Left() (list []LeftBelow) {
	below := m.LeftBelow()
	stems, at := make(map[string]int), make(map[string]int) // at: by stem in list, -1 for apart
	for _, x := range below {
		stems[stemOf(x.Name)]++
	}
	for _, x := range below {
		stem := stemOf(x.Name)
		i, again := at[stem]
		if again && i >= 0 {
			list[i].Pages += x.Pages
			continue
		}
		if !again {
			at[stem] = -1
			if stems[stem] >= leastFolded { // else thousands of places would be compared with each other
				if rule, ok := foldedRule(stem, below); ok {
					at[stem] = len(list)
					x.Name, x.Include = stem+"*", rule
				}
			}
		}
		list = append(list, x)
	}
	return append(list, m.Beside...)
}

// foldedRule is the rule about the places of a stem, unless a place of another stem begins so, too.
func foldedRule(stem string, below []LeftBelow) (rule page.Rule, ok bool) {
	if slices.ContainsFunc(below, func(x LeftBelow) bool {
		return strings.HasPrefix(x.Name, stem) && stemOf(x.Name) != stem
	}) {
		return rule, false
	}
	rule, err := page.ParseRule("prefix:" + stem)
	return rule, err == nil
}

// stemOf is the name of a place without what follows the first digit of its last directory, or "~"; the
// name itself where that begins with a digit or has none. The digits of hosts and of escapes are not meant.
func stemOf(name string) string {
	last := 1 + strings.LastIndexByte(strings.TrimSuffix(name, "/"), '/')
	i := strings.IndexAny(name[last:], "~%0123456789")
	if last > 0 && (i > 0 && name[last+i] != '%' || strings.HasPrefix(name[last:], "~")) {
		return name[:last+max(i, 1)]
	}
	return name
}

// leftBelow reports whether a block is a place that LeftBelow lists.
func (m *Map) leftBelow(b *Block) (x LeftBelow, ok bool) {
	if !b.mostlyOut() || m.Boundary != Logical.String() {
		return x, false
	}
	for _, s := range m.Seeds {
		dir := directoryOf(m, s)
		if dir == "" && s.Query() != "" && slices.ContainsFunc(m.Prefix, func(tenant string) bool {
			return strings.HasPrefix(tenant, schemeless(page.URL(s.Directory()))+"?")
		}) {
			dir = schemeless(page.URL(s.Directory())) // where others are tenants, too
		}
		if dir == "" || !strings.HasPrefix(b.Name, dir) {
			continue
		}
		return leftBelow(b.Name, b.Known-b.Inside, b.Why)
	}
	return x, false
}

// often is the part of a site's pages from which on a place that they name, and that leads back, is
// told; of a stranger's pages as many must. Blogs and platforms that all pages name do not lead back, and
// the maker of a site's software does on its home page (docs/boundary-measured.md).
const often = 0.25

// addBeside lists the places on hosts that no seed lies on, of which a good part is outside, that many
// pages of the site name, by block, and that lead back. It leaves out the whole of which the seed is a
// part, and what lies beside the seed in that: who names a part means it.
func (d *drawing) addBeside(names []int) {
	m, t := d.m, &d.b.web.dirs
	for k, n := range names {
		b, rival, back := &m.Blocks[k], d.s.shares.rivals[k], 0.
		if !d.s.shares.akin[k] {
			back = often * float64(b.Known)
		}
		if k == int(prefixBlock) || n == 0 || float64(n) < often*float64(m.Pages) ||
			b.To == 0 || b.To < back || 10*(b.Known-b.Inside) < b.Known ||
			rival > 0 && 2*rival > b.Share || d.b.onSeedHost(t.nodes[d.s.blocks.list[k].dir].root) {
			continue
		}
		if x, ok := leftBelow(b.Name, b.Known-b.Inside, b.Why); ok {
			x.Named = n
			m.Beside = append(m.Beside, x)
		}
	}
}

// leftBelow makes what is told of a place; a name that no rule has is not listed.
func leftBelow(name string, pages int, why string) (x LeftBelow, ok bool) {
	rule, err := page.ParseRule("prefix:" + name)
	return LeftBelow{Name: name, Pages: pages, Why: why, Include: rule}, err == nil
}

// mostlyOut reports a block of whose known pages fewer than half belong.
func (b *Block) mostlyOut() bool { return 2*b.Inside < b.Known }

// blockAround gives the block in which a URL lies that is in none of the lists, the deepest one that lies
// below the directory of a seed, where a seed is given; -1 for none.
func blockAround(m *Map, u, seed page.URL) (block int) {
	deepest := ""
	if block = -1; seed != "" {
		deepest = directoryOf(m, seed)
	}
	for i := range m.Blocks {
		if name := m.Blocks[i].Name; i != int(prefixBlock) && len(name) > len(deepest) &&
			strings.HasPrefix(schemeless(u), name) {
			deepest, block = name, i
		}
	}
	return block
}

// place is where a block lies: all known pages there that are not of the site, those of blocks
// within it, too, because the rule takes these in as well; nil where it would be a page or none.
func (m *Map) place(b *Block) *LeftBelow {
	x, ok := leftBelow(b.Name, 0, b.Why)
	for i := range m.Blocks {
		if k := &m.Blocks[i]; strings.HasPrefix(k.Name, b.Name) {
			x.Pages += k.Known - k.Inside
		}
	}
	if !ok || x.Pages < 2 {
		return nil
	}
	return &x
}

// placeInside is where a page that belongs lies: its block, and in the seeds' directories its own
// directory, with all pages of the site there, which the rule would keep out; nil where that holds a
// seed, or no other page.
func placeInside(m *Map, e *Explanation) *LeftBelow {
	name := schemeless(page.URL(e.URL.Directory()))
	if e.Block != nil && e.block != int(prefixBlock) {
		name = e.Block.Name
	}
	for _, s := range m.Seeds {
		if strings.HasPrefix(schemeless(s), name) {
			return nil
		}
	}
	x, ok := leftBelow(name, 0, "")
	for _, scheme := range []string{"http://", "https://"} {
		for _, member := range m.Members.From(scheme + name) {
			if !strings.HasPrefix(string(member.URL), scheme+name) {
				break
			}
			x.Pages++
		}
	}
	if !ok || x.Pages < 2 {
		return nil
	}
	return &x
}

// Exclusion is what to write in the YAML, under the site, to keep the place out.
func (x LeftBelow) Exclusion() string { return `exclude: ["` + x.Include.String() + `"]` }

// Line is what to write in the YAML, under the site, to take the place in.
func (x LeftBelow) Line() string { return `include: ["` + x.Include.String() + `"]` }
