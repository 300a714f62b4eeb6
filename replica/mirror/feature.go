package mirror

import (
	"math"
)

// feature is a number from 0 to 1 that speaks for or against a pair. Features do not depend on how
// many hosts there are, so that weights fitted on one web serve another.
type feature int

// For two hosts of term vectors a and b, cosine is a·b/√(a·a b·b) and cover is a·b/min(a·a, b·b):
// of the host that is known less well, the part that the other has too. They look at terms that
// count; telling is a·b of what it would be if all terms of that host were common to no third: 1
// for two mirrors, and less the more hosts share what they have, which one program may have made on
// all of them.
const (
	bias feature = iota
	pathsCosine
	pathsCover
	pathsTelling
	pathsCount // log(1 + common paths) / log(1 + 1000)
	prefixCosine
	prefixCover
	prefixTelling
	prefixCount // log(1 + common prefixes) / log(1 + 100): of 1,000 URLs, 69 are kept
	shinglesCosine
	shinglesCover
	shinglesTelling
	shinglesCount // as prefix.count: many pages of few kinds of names tell little
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
	// how much more than half of both hosts the collections are that they have in common: less lies
	// on strangers
	collectionPart
	declaredFirst
	// paths.cosine to hosts.cosine where URLs are all that is known of the pair
	aloneFirst  = declaredFirst + feature(kinds)
	noLinks     = aloneFirst + graphCosine - pathsCosine // what is not known: the bias of hosts without arcs
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
		"bias", "paths.cosine", "paths.cover", "paths.telling", "paths.count", "prefix.cosine",
		"prefix.cover", "prefix.telling",
		"prefix.count", "shingles.cosine", "shingles.cover", "shingles.telling", "shingles.count",
		"stage1.cosine", "hosts.cosine",
		"hconn2.cosine", "hconn2.cover", "address", "network", "links.for", "links.against", "content.alike",
		"content.same",
		"content.against", "collection",
	})
	for k := range kinds {
		n[declaredFirst+feature(k)] = "declared." + k.String()
	}
	for f := pathsCosine; f < graphCosine; f++ {
		n[f.alone()] = "alone." + n[f]
	}
	n[noLinks], n[noAddresses], n[noContent], n[noDeclared] = "no.links", "no.addresses",
		"no.content", "no.declared"
	return n
}()

// alone is a feature of URLs for the case that only URLs are known. It has a weight of its own:
// where links and contents are known, too, these tell sites that one program made from mirrors;
// where they are not, the paths must.
func (f feature) alone() feature { return aloneFirst + f - pathsCosine }

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

// match is how much two hosts have in common by one ranking, before its normaliser.
type match struct {
	cosine, cover, telling float64
	count                  uint64
}

func (e *engine) match(x *index, m Method, key uint64) match {
	i, ok := x[m][key]
	if !ok {
		return match{}
	}
	a, b := unpair(key)
	v := &e.vectors[m]
	w, sa, sb := v.raw[i].weight, v.self[a], v.self[b]
	if sa <= 0 || sb <= 0 {
		return match{}
	}
	return match{
		cosine: min(1, w/math.Sqrt(sa*sb)), cover: min(1, w/min(sa, sb)), count: v.raw[i].count,
		telling: min(1, w/(v.most*float64(min(v.size[a], v.size[b])))),
	}
}

// features describes a pair. Without below, what is known of content and declared is as if unknown.
func (e *engine) features(x *index, key uint64, withBelow bool) (f Features) {
	f[bias] = 1
	paths, prefix, shingles := e.match(x, Paths, key), e.match(x, Prefix, key), e.match(x, Shingles, key)
	f[pathsCosine], f[pathsCover], f[pathsTelling] = paths.cosine, paths.cover, paths.telling
	f[pathsCount], f[prefixCount], f[shinglesCount] = outOf(1000, paths.count), outOf(100, prefix.count),
		outOf(100, shingles.count)
	f[prefixCosine], f[prefixCover], f[prefixTelling] = prefix.cosine, prefix.cover, prefix.telling
	f[shinglesCosine], f[shinglesCover], f[shinglesTelling] = shingles.cosine, shingles.cover,
		shingles.telling
	f[stageCosine] = e.match(x, Stage1, key).cosine
	f[hostsCosine] = e.match(x, Hosts, key).cosine
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
	if f[noLinks]+f[noContent] == 2 && e.conn[key].tested == 0 {
		urls := f[pathsCosine:graphCosine]
		copy(f[aloneFirst:], urls)
		clear(urls)
	}
	return f
}

// outOf is the logarithm of a number in parts of that of another.
func outOf(most, n uint64) float64 { return min(1, math.Log1p(float64(n))/math.Log1p(float64(most))) }

// inverse is 1 / other hosts of a cluster, 0 for no cluster.
func inverse(size int) float64 {
	if size < 2 {
		return 0
	}
	return 1 / float64(size-1)
}

// linkFeatures tells of links. A host that links to no other host that is looked at says nothing of
// its likeness to others.
func (e *engine) linkFeatures(f *Features, x *index, key uint64) {
	a, b := unpair(key)
	if arcs := e.vectors[HConn2].self; arcs == nil || arcs[a] <= 0 || arcs[b] <= 0 {
		f[noLinks] = 1
	} else {
		arcs := e.match(x, HConn2, key)
		f[graphCosine], f[graphCover] = arcs.cosine, arcs.cover
	}
	if c := e.conn[key]; c.tested > 0 {
		n := float64(c.tested)
		f[linksFor], f[linksAgainst] = f[pathsCover]*c.shared/(n+2), f[pathsCover]*(n-c.shared)/(n+2)
	}
}

// belowFeatures tells of content and declarations. Pages at equal paths are alike on mirrors; on
// hosts that one program made, they are not.
func (e *engine) belowFeatures(f *Features, x *index, key uint64) {
	a, b := unpair(key)
	if e.below.pages == nil || e.below.pages[a] == 0 || e.below.pages[b] == 0 {
		f[noContent] = 1
	} else {
		least := float64(min(e.below.pages[a], e.below.pages[b]))
		alike := e.match(x, Content, key).count
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

// FeatureName is the name of a feature, by its place in Features and Weights.
func FeatureName(i int) string { return names[i] }
