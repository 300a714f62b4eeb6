package prove

import (
	"maps"
	"slices"
)

// clusters hold what follows from the verdicts: a union-find over names that mirror each other, and
// mismatches between the sets (Bharat, Broder, Dean, Henzinger 2000, section 4.1.2):
//
//	MIRROR(A,B) and MIRROR(B,C)   then MIRROR(A,C)
//	MIRROR(A,B) and MISMATCH(B,C) then MISMATCH(A,C)
//
// Invariant: a set within which a mismatch was found is in conflict; nothing is inferred from it.
type clusters struct {
	parent   map[string]string
	members  map[string][]string // by root; none for a set of one
	links    map[string][]link   // mirrors found, as a forest
	differs  map[string]map[string]bool
	conflict map[string]bool // by root
}

type link struct {
	to    string
	class Class
}

func newClusters() *clusters {
	return &clusters{
		parent: map[string]string{}, members: map[string][]string{}, links: map[string][]link{},
		differs: map[string]map[string]bool{}, conflict: map[string]bool{},
	}
}

func (c *clusters) find(name string) string {
	for c.parent[name] != "" { // few, as a smaller set joins a larger one
		name = c.parent[name]
	}
	return name
}

// of gives the names that mirror one, itself among them, in order.
func (c *clusters) of(name string) []string {
	list := slices.Clone(c.members[c.find(name)])
	if list == nil {
		list = []string{name}
	}
	slices.Sort(list)
	return list
}

// learn takes over a verdict. It reports a contradiction with what followed from the others.
func (c *clusters) learn(p Pair, class Class) (contradicts bool) {
	a, b := c.find(p.A), c.find(p.B)
	switch {
	case class.whole() && a != b:
		contradicts = c.differs[a][b]
		c.links[p.A] = append(c.links[p.A], link{p.B, class})
		c.links[p.B] = append(c.links[p.B], link{p.A, class})
		c.join(a, b, contradicts)
	case class == Mismatch && a == b:
		c.conflict[a] = true
		return true
	case class == Mismatch:
		c.differ(a, b)
		c.differ(b, a)
	}
	return contradicts
}

func (c *clusters) differ(a, b string) {
	if c.differs[a] == nil {
		c.differs[a] = map[string]bool{}
	}
	c.differs[a][b] = true
}

// join makes one set of two, the smaller into the larger.
func (c *clusters) join(a, b string, conflict bool) {
	size := func(r string) int { return max(len(c.members[r]), 1) + len(c.differs[r]) }
	if size(a) < size(b) {
		a, b = b, a
	}
	c.conflict[a] = conflict || c.conflict[a] || c.conflict[b]
	for _, r := range []string{a, b} {
		if c.members[r] == nil {
			c.members[r] = []string{r}
		}
	}
	c.members[a] = append(c.members[a], c.members[b]...)
	delete(c.members, b)
	delete(c.conflict, b)
	c.parent[b] = a
	for _, d := range slices.Sorted(maps.Keys(c.differs[b])) {
		delete(c.differs[d], b)
		if d != a {
			c.differ(a, d)
			c.differ(d, a)
		}
	}
	delete(c.differs, b)
}

// infer gives what follows for a pair.
func (c *clusters) infer(p Pair) (Class, bool) {
	a, b := c.find(p.A), c.find(p.B)
	switch {
	case c.conflict[a] || c.conflict[b]:
		return Undetermined, false
	case a == b:
		return c.worst(p.A, p.B), true
	case c.differs[a][b]:
		return Mismatch, true
	}
	return Undetermined, false
}

// worst is the worst class on the way between two mirrors of a set: what is identical to an
// equivalent page is equivalent.
func (c *clusters) worst(from, to string) Class {
	best := map[string]Class{from: Level1}
	queue := []string{from}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		if name == to {
			return best[name]
		}
		for _, l := range c.links[name] {
			if _, been := best[l.to]; !been {
				best[l.to] = max(best[name], l.class)
				queue = append(queue, l.to)
			}
		}
	}
	return Level3 // never: a set is connected by its links
}
