package corpus

import (
	"github.com/zeebo/xxh3"

	"watershed/page"
)

// capture has the facts of a capture that are kept from one pass to the next. It holds no string,
// so that millions cost the garbage collector nothing.
type capture struct {
	key     page.Key // of the URL
	payload uint64   // hash of the payload digest, 0 for none
	refers  uint64   // of a revisit: moment of the capture it refers to, 0 for none
	time    int64    // nanoseconds since 1970
	offset  int64
	length  int64 // 0: cannot be sought
	origin  int32 // of a revisit: index of the capture it stands for, -1 for none
	file    int32
	number  int32 // of the record in its file
	status  int16
	revisit bool
	left    bool // not to be read
}

// moment names the capture of a URL at a time.
func moment(u page.Key, nanoseconds int64) uint64 {
	return uint64(u) ^ uint64(nanoseconds)*0x9e3779b97f4a7c15 | 1
}

// digestKey names a payload digest; two labels of one digest that differ in their spelling are two.
func digestKey(label string) uint64 {
	if label == "" {
		return 0
	}
	return xxh3.HashString(label) | 1
}

// rank is how well an answer serves as the page of its URL.
func rank(status int16) int {
	switch {
	case status == 200:
		return 4
	case status > 200 && status < 300:
		return 3
	case status >= 300 && status < 400 && status != 304:
		return 2
	case status >= 400:
		return 1
	}
	return 0
}

// resolve finds out what each revisit stands for: the capture that it names, else one of the same
// payload, else, where the server said that nothing had changed, the one of its URL before it.
func (c *Corpus) resolve() {
	if c.stats.Revisits == 0 {
		return
	}
	moments, payloads, urls := map[uint64]int32{}, map[uint64]int32{}, map[page.Key]int32{}
	for i := range c.captures {
		x := &c.captures[i]
		if x.revisit {
			continue
		}
		here := c.sought(int32(i)) // else another one that can be sought serves better
		at := moment(x.key, x.time)
		if o, ok := moments[at]; !ok || here || !c.sought(o) {
			moments[at] = int32(i)
		}
		if o, ok := payloads[x.payload]; x.payload != 0 && (!ok || here && !c.sought(o)) {
			payloads[x.payload] = int32(i)
		}
		if o, ok := urls[x.key]; !ok || c.serves(int32(i), o) {
			urls[x.key] = int32(i)
		}
	}
	for i := range c.captures {
		x := &c.captures[i]
		if !x.revisit {
			continue
		}
		x.origin = -1
		if o, ok := moments[x.refers]; ok && x.refers != 0 {
			x.origin = o
		} else if o, ok := payloads[x.payload]; ok && x.payload != 0 {
			x.origin = o
		} else if o, ok := urls[x.key]; ok && x.payload == 0 {
			x.origin = o
		}
		if x.origin >= 0 && (x.status == 0 || x.status == 304) {
			x.status = c.captures[x.origin].status
		}
		if x.origin < 0 || !c.sought(x.origin) { // it would take reading all before the original
			x.origin = -1
			c.stats.Unresolved++
		}
	}
}

// sought reports whether the record of a capture can be read without those before it.
func (c *Corpus) sought(i int32) bool {
	x := &c.captures[i]
	return x.length > 0 && !c.files[x.file].stream
}

// better reports whether capture i serves better than j as the page of their URL.
func (c *Corpus) better(i, j int32) bool {
	a, b := &c.captures[i], &c.captures[j]
	if ra, rb := c.rank(a), c.rank(b); ra != rb {
		return ra > rb
	}
	return a.time > b.time || a.time == b.time && i > j
}

// serves reports whether capture i serves better than j as what a revisit of their URL stands for: of two of
// one rank that which can be sought.
func (c *Corpus) serves(i, j int32) bool {
	if here := c.sought(i); here != c.sought(j) && c.rank(&c.captures[i]) == c.rank(&c.captures[j]) {
		return here
	}
	return c.better(i, j)
}

// rank is that of the status; a revisit that cannot be read comes after captures that can.
func (c *Corpus) rank(x *capture) int {
	r := 2 * rank(x.status)
	if x.revisit && x.origin < 0 && x.status < 300 {
		r--
	}
	return r
}

// choose leaves out all captures but the best of each URL.
func (c *Corpus) choose() {
	best := make(map[page.Key]int32)
	for i := range c.captures {
		x := &c.captures[i]
		if x.left {
			continue
		}
		if j, ok := best[x.key]; !ok || c.better(int32(i), j) {
			best[x.key] = int32(i)
		}
	}
	c.stats.URLs = len(best)
	if c.opt.All {
		return
	}
	for i := range c.captures {
		c.captures[i].left = c.captures[i].left || best[c.captures[i].key] != int32(i)
	}
}
