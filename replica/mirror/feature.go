package mirror

import "math"

// feature is a number from 0 to 1 that speaks for or against a pair. Features do not depend on how many hosts there are, so
// that weights fitted on one web serve another.
type feature int

// For two hosts of term vectors a and b, cosine is a·b/√(a·a b·b) and cover is a·b/min(a·a, b·b): of the host that is known
// less well, the part that the other has too.
const (
	bias feature = iota
	pathsCosine
	pathsCover
	pathsCount // log(1 + common paths) / log(1 + 1000)
	prefixCosine
	prefixCover
	shinglesCosine
	shinglesCover
	stageCosine
	hostsCosine
	graphCosine // hconn2
	graphCover
	sameAddress // 1 / other hosts of the address
	sameNetwork // 1 / other hosts of the network
	linksFor    // of pathsCover, how much of their links common paths have in common, added up / (tested + 2)
	linksAgainst
	contentAlike // clusters of alike pages in common / (pages of the smaller host + fewPages)
	contentSame  // of pathsCover, how alike the pages at equal paths are, added up / (pages + 2)
	contentAgainst
	collectionPart // how much more than half of both hosts the collections are that they have in common: less lies on strangers
	declaredFirst
	noLinks     = declaredFirst + feature(kinds) // what is not known: the bias of hosts without arcs
	noAddresses = noLinks + 1
	noContent   = noLinks + 2
	noDeclared  = noLinks + 3
	features    = noLinks + 4
)

// Features is a vector of features.
type Features [features]float64

// names are those of features, as they are written in files.
var names = func() (n [features]string) {
	copy(n[:], []string{
		"bias", "paths.cosine", "paths.cover", "paths.count", "prefix.cosine", "prefix.cover", "shingles.cosine", "shingles.cover",
		"stage1.cosine", "hosts.cosine", "hconn2.cosine", "hconn2.cover", "address", "network", "links.for", "links.against",
		"content.alike", "content.same", "content.against", "collection",
	})
	for k := range kinds {
		n[declaredFirst+feature(k)] = "declared." + k.String()
	}
	n[noLinks], n[noAddresses], n[noContent], n[noDeclared] = "no.links", "no.addresses", "no.content", "no.declared"
	return n
}()

// FeatureNames are the names of features, in order.
func FeatureNames() []string { return names[:] }

// sign is what is demanded of a weight: evidence for a pair never lowers its probability, evidence against never raises it.
func (f feature) sign() int {
	switch {
	case f == linksAgainst || f == contentAgainst:
		return -1
	case f == bias || f >= noLinks:
		return 0
	}
	return 1
}

// index finds pairs in the rankings.
type index [methods]map[uint64]uint32

func (e *engine) index() *index {
	var x index
	for _, m := range []Method{Hosts, Paths, Prefix, Shingles, Stage1, HConn2, Content} {
		x[m] = make(map[uint64]uint32, len(e.vectors[m].pairs))
		for i, p := range e.vectors[m].pairs {
			x[m][p.key()] = uint32(i)
		}
	}
	return &x
}

// raw is what a ranking has of a pair before its normaliser.
func (e *engine) raw(x *index, m Method, key uint64) (cosine, cover float64, count uint64) {
	i, ok := x[m][key]
	if !ok {
		return 0, 0, 0
	}
	a, b := unpair(key)
	v := &e.vectors[m]
	w, sa, sb := v.raw[i].weight, v.self[a], v.self[b]
	if sa <= 0 || sb <= 0 {
		return 0, 0, 0
	}
	return min(1, w/math.Sqrt(sa*sb)), min(1, w/min(sa, sb)), v.raw[i].count
}

// features describes a pair. Without below, what is known of content and declared is as if unknown.
func (e *engine) features(x *index, key uint64, withBelow bool) (f Features) {
	f[bias] = 1
	var common uint64
	f[pathsCosine], f[pathsCover], common = e.raw(x, Paths, key)
	f[pathsCount] = min(1, math.Log1p(float64(common))/math.Log1p(1000))
	f[prefixCosine], f[prefixCover], _ = e.raw(x, Prefix, key)
	f[shinglesCosine], f[shinglesCover], _ = e.raw(x, Shingles, key)
	f[stageCosine], _, _ = e.raw(x, Stage1, key)
	f[hostsCosine], _, _ = e.raw(x, Hosts, key)
	e.linkFeatures(&f, x, key)
	if e.address == nil {
		f[noAddresses] = 1
	} else if r := e.address[key]; true {
		f[sameAddress], f[sameNetwork] = inverse(r.same), inverse(r.network)
	}
	if withBelow {
		e.belowFeatures(&f, x, key)
	} else {
		f[noContent], f[noDeclared] = 1, 1
	}
	return f
}

// inverse is 1 / other hosts of a cluster, 0 for no cluster.
func inverse(size int) float64 {
	if size < 2 {
		return 0
	}
	return 1 / float64(size-1)
}

// linkFeatures tells of links. A host that links to no other host that is looked at says nothing of its likeness to others.
func (e *engine) linkFeatures(f *Features, x *index, key uint64) {
	a, b := unpair(key)
	if arcs := e.vectors[HConn2].self; arcs == nil || arcs[a] <= 0 || arcs[b] <= 0 {
		f[noLinks] = 1
	} else {
		f[graphCosine], f[graphCover], _ = e.raw(x, HConn2, key)
	}
	if c := e.conn[key]; c.tested > 0 {
		n := float64(c.tested)
		f[linksFor], f[linksAgainst] = f[pathsCover]*c.shared/(n+2), f[pathsCover]*(n-c.shared)/(n+2)
	}
}

// belowFeatures tells of content and declarations. Pages at equal paths are alike on mirrors; on hosts that one program made, they
// are not.
func (e *engine) belowFeatures(f *Features, x *index, key uint64) {
	a, b := unpair(key)
	if e.below.pages == nil || e.below.pages[a] == 0 || e.below.pages[b] == 0 {
		f[noContent] = 1
	} else {
		least := float64(min(e.below.pages[a], e.below.pages[b]))
		_, _, alike := e.raw(x, Content, key)
		f[contentAlike] = min(1, float64(alike)/(least+fewPages))
		same := e.below.same[key]
		n := float64(same.pages)
		f[contentSame], f[contentAgainst] = f[pathsCover]*same.sum/(n+2), f[pathsCover]*(n-same.sum)/(n+2)
	}
	f[collectionPart] = max(0, 2*min(1, e.below.collections[key])-1)
	if e.below.declared == nil {
		f[noDeclared] = 1
		return
	}
	for k, strength := range e.below.declared[key] {
		f[declaredFirst+feature(k)] = strength
	}
}
