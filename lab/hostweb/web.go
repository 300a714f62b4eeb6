package hostweb

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"

	"watershed/lab/rankings"
)

// Web is a generated web. It may be read by any number of goroutines.
type Web struct {
	o     Options
	hosts []host
	words []string
	truth *rankings.Truth
}

// host is a host and which site it shows.
type host struct {
	name     string
	site     uint64 // of the tree; hosts of one site are mirrors
	pages    int    // of the site
	program  int    // that made its paths, −1 for none
	guest    int    // document set, −1 for none
	level    int    // 0 for an original
	original int
	misspelt bool
	ip       netip.Addr
	known    float64
	drift    float64 // of content
	links    float64 // drift of links
	cover    float64 // part of the site's directories, for level 4
}

// New makes a web. The error is an errOptions.
func New(o Options) (*Web, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	w := &Web{o: o.withDefaults(), truth: rankings.NewTruth()}
	rnd := rand.New(rand.NewPCG(w.o.Seed, 1))
	w.words = vocabulary(rnd)
	w.originals(rnd)
	w.mirrors(rnd)
	w.misspell(rnd)
	w.addresses(rnd)
	slices.SortFunc(w.hosts, func(a, b host) int { return strings.Compare(a.name, b.name) })
	w.hosts = slices.CompactFunc(w.hosts, func(a, b host) bool { return a.name == b.name })
	w.judge()
	return w, nil
}

// vocabulary is made of syllables, the commoner words first.
func vocabulary(rnd *rand.Rand) []string {
	syllables := strings.Fields("ba ca de di fo ga hi in ka la ma me mi na no or pa pe ra re ri sa si so " +
		"ta te ti to ur va ve wi za tion ment ing er al ic")
	common := strings.Fields("docs index images news archive software people linux pub info about products " +
		"download src faq manual home test data help java lib papers projects staff research events links " +
		"art music books")
	seen := make(map[string]bool)
	words := slices.Clone(common)
	for _, c := range common {
		seen[c] = true
	}
	for len(words) < 20_000 {
		var b strings.Builder
		for range 2 + rnd.IntN(3) {
			b.WriteString(syllables[rnd.IntN(len(syllables))])
		}
		if !seen[b.String()] {
			seen[b.String()] = true
			words = append(words, b.String())
		}
	}
	return words
}

// word draws a word, the rank's logarithm being even: Zipf's law.
func (w *Web) word(x uint64) string {
	u := float64(x>>11) / (1 << 53)
	return w.words[int(math.Exp(u*math.Log(float64(len(w.words)))))-1]
}

var tlds = strings.Fields("com com com com org edu edu net de uk jp fr ca gov")

func (w *Web) originals(rnd *rand.Rand) {
	n := int(float64(w.o.Hosts) * (1 - w.o.MirrorShare*w.mirrorPart()))
	family := ""
	left := 0
	for i := range n {
		if left == 0 && rnd.Float64() < families/4 {
			left = 2 + rnd.IntN(7)
			family = w.word(rnd.Uint64()) + w.word(rnd.Uint64()) + "." + tlds[rnd.IntN(len(tlds))]
		}
		known := w.o.Known + (1-w.o.Known)*rnd.Float64()
		h := host{
			site: rnd.Uint64(), pages: w.size(rnd, known), program: -1, guest: -1,
			original: i, known: known,
		}
		if left > 0 {
			left--
			h.name = w.word(rnd.Uint64()) + "." + family
		} else {
			h.name = []string{"www.", "www.", "www.", "", "ftp.", "home."}[rnd.IntN(6)] +
				w.word(rnd.Uint64()) + w.word(rnd.Uint64()) + "." + tlds[rnd.IntN(len(tlds))]
		}
		if rnd.Float64() < w.o.Lookalike {
			h.program = rnd.IntN(w.o.Programs)
		}
		if rnd.Float64() < w.o.Guests {
			h.guest = rnd.IntN(w.o.Hosts/25 + 2)
		}
		w.hosts = append(w.hosts, h)
	}
}

// size draws the number of a site's pages: what is known of the original follows Pareto's law
// between MinURLs and MostURLs.
func (w *Web) size(rnd *rand.Rand, known float64) int {
	least, mean := float64(w.o.MinURLs), float64(w.o.MeanURLs)
	power := mean / (mean - least)
	return int(min(float64(mostURLs), least*math.Pow(1-rnd.Float64(), -1/power)) / known)
}

// mirrorPart is how many of the hosts that have a mirror are no original.
func (w *Web) mirrorPart() float64 { m := w.meanCluster(); return (m - 1) / m }

func (w *Web) meanCluster() float64 {
	sum, weight := 0.0, 0.0
	for k := 2; k <= clusterMost; k++ {
		p := math.Pow(float64(k), -clusterPower)
		sum, weight = sum+p*float64(k), weight+p
	}
	return sum / weight
}

func (w *Web) clusterSize(rnd *rand.Rand) int {
	total := 0.0
	for k := 2; k <= clusterMost; k++ {
		total += math.Pow(float64(k), -clusterPower)
	}
	x := rnd.Float64() * total
	for k := 2; k < clusterMost; k++ {
		if x -= math.Pow(float64(k), -clusterPower); x < 0 {
			return k
		}
	}
	return clusterMost
}

// mirrors gives some originals mirrors until there are enough hosts.
func (w *Web) mirrors(rnd *rand.Rand) {
	originals := len(w.hosts)
	order := rnd.Perm(originals)
	for _, i := range order {
		if len(w.hosts) >= w.o.Hosts {
			return
		}
		for range w.clusterSize(rnd) - 1 {
			w.hosts = append(w.hosts, w.mirror(rnd, i))
		}
	}
}

func (w *Web) mirror(rnd *rand.Rand, of int) host {
	h := w.hosts[of]
	h.original = of
	h.known = w.o.Known + (1-w.o.Known)*rnd.Float64()
	x := rnd.Float64()
	for h.level = 1; h.level < 5; h.level++ {
		if x -= w.o.Levels[h.level-1]; x < 0 {
			break
		}
	}
	h.drift = rnd.Float64() * w.o.ContentDrift
	h.links = rnd.Float64() * w.o.LinkDrift
	switch h.level {
	case 1:
		h.drift, h.links = h.drift/4, h.links/4
	case 4:
		h.cover = .35 + .35*rnd.Float64()
	case 5:
		h.drift, h.links = .6+.4*rnd.Float64(), .3+.4*rnd.Float64()
	}
	h.name = w.mirrorName(rnd, w.hosts[of].name)
	return h
}

func (w *Web) mirrorName(rnd *rand.Rand, name string) string {
	labels := strings.Split(name, ".")
	domain := strings.Join(labels[max(0, len(labels)-2):], ".")
	if rnd.Float64() >= relatedName {
		return []string{"www.", "mirror.", "ftp.", ""}[rnd.IntN(4)] + w.word(rnd.Uint64()) +
			w.word(rnd.Uint64()) + "." + tlds[rnd.IntN(len(tlds))]
	}
	switch rnd.IntN(4) {
	case 0:
		return fmt.Sprintf("www%d.%s", 2+rnd.IntN(8), domain)
	case 1:
		return fmt.Sprintf("%s.%s.%s", labels[max(0, len(labels)-2)], w.word(rnd.Uint64()),
			tlds[rnd.IntN(len(tlds))])
	case 2:
		return w.word(rnd.Uint64()) + "." + domain
	}
	return strings.Join(labels[:len(labels)-1], ".") + "." + tlds[rnd.IntN(len(tlds))]
}

// misspell adds names that do not exist, with URLs that people wrote wrongly.
func (w *Web) misspell(rnd *rand.Rand) {
	for range int(float64(w.o.Hosts)*misspelt + .5) {
		i := rnd.IntN(len(w.hosts))
		h := w.hosts[i]
		if h.misspelt || len(h.name) < 8 {
			continue
		}
		at := 1 + rnd.IntN(len(h.name)-5)
		h.name = h.name[:at] + h.name[at+1:]
		h.misspelt, h.known, h.ip = true, min(h.known, .5), netip.Addr{}
		if !strings.Contains(h.name, "..") {
			w.hosts = append(w.hosts, h)
		}
	}
}

func (w *Web) addresses(rnd *rand.Rand) {
	address := func() netip.Addr {
		x := rnd.Uint32()
		return netip.AddrFrom4([4]byte{byte(1 + x>>24%222), byte(x >> 16), byte(x >> 8), byte(1 + x%254)})
	}
	networks := make(map[string]netip.Addr)
	var shared netip.Addr
	left := 0
	for i := range w.hosts {
		h := &w.hosts[i]
		if h.misspelt {
			continue
		}
		if h.level > 0 {
			at := w.hosts[h.original].ip
			switch x := rnd.Float64(); {
			case x < sharedAddress:
				h.ip = at
				continue
			case x < sharedAddress+sharedNetwork:
				h.ip = neighbour(at, rnd)
				continue
			}
		}
		_, domain, _ := strings.Cut(h.name, ".")
		if strings.Count(domain, ".") > 0 && networks[domain].IsValid() {
			h.ip = neighbour(networks[domain], rnd)
			continue
		}
		h.ip = address()
		if rnd.Float64() < virtual {
			if left == 0 {
				shared = address()
				left = 2 + int(min(float64(virtualMost-2), math.Pow(1-rnd.Float64(), -2)-1))
			}
			left--
			h.ip = shared
		}
		networks[domain] = h.ip
	}
}

// neighbour is another address of the same network.
func neighbour(a netip.Addr, rnd *rand.Rand) netip.Addr {
	b := a.As4()
	b[3] = byte(1 + rnd.IntN(254))
	return netip.AddrFrom4(b)
}

// judge tells the truth: hosts of one site are mirrors; misspelt hosts cannot be judged.
func (w *Web) judge() {
	sites := make(map[uint64][]host)
	for _, h := range w.hosts {
		sites[h.site] = append(sites[h.site], h)
	}
	for _, hosts := range sites {
		for i, a := range hosts {
			for _, b := range hosts[i+1:] {
				level := rankings.Inferred
				switch {
				case a.misspelt || b.misspelt:
					level = rankings.Unknown
				case a.level == 0 || b.level == 0:
					level = rankings.Level(max(a.level, b.level))
				}
				w.truth.Set(a.name, b.name, level)
			}
		}
	}
}

// Truth tells which hosts are mirrors. The caller must not change it.
func (w *Web) Truth() *rankings.Truth { return w.truth }

// Hosts is the number of hosts.
func (w *Web) Hosts() int { return len(w.hosts) }
