package sitemap

import (
	"slices"

	"watershed/graph"
)

// links keeps the links of the visited URLs, one record after the other in one slice: the lengths
// of three lists, then the lists. A record that is replaced stays behind as waste. It takes 4 bytes
// a URL known, 12 a URL visited and 4 a link, one more where distances are measured.
type links struct {
	at  []uint32 // 1 + position of the record, 0 for none
	all []graph.ID
	far []uint8 // parallel to all: distance of the URLs that a link joins; only where it is measured
}

// lists are the links of a URL by their use, each list without repetitions.
type lists struct {
	pages []graph.ID // arcs of the graph; of a URL that redirects, the target
	parts []graph.ID // requisites
	leads []graph.ID // what makes a page known without being evidence: sitemap entries, feeds, nofollow links
}

func (l lists) equal(m lists) bool {
	return slices.Equal(l.pages, m.pages) && slices.Equal(l.parts, m.parts) && slices.Equal(l.leads, m.leads)
}

// recordHead is the length of a record before its lists.
const recordHead = 3

// set replaces the links of a URL.
func (l *links) set(id graph.ID, x lists) {
	if int(id) < len(l.at) {
		l.at[id] = 0
	}
	if len(x.pages)+len(x.parts)+len(x.leads) == 0 {
		return
	}
	for int(id) >= len(l.at) {
		l.at = append(l.at, 0)
	}
	l.at[id] = uint32(len(l.all) + 1)
	l.all = append(l.all, graph.ID(len(x.pages)), graph.ID(len(x.parts)), graph.ID(len(x.leads)))
	l.all = append(append(append(l.all, x.pages...), x.parts...), x.leads...)
}

// list gives one list of a URL, by its place in the head, and where in all it begins. The caller
// does not change it.
func (l *links) list(id graph.ID, k int) (start int, list []graph.ID) {
	if int(id) >= len(l.at) || l.at[id] == 0 {
		return 0, nil
	}
	head := int(l.at[id]) - 1
	start = head + recordHead
	for i := range k {
		start += int(l.all[head+i])
	}
	return start, l.all[start : start+int(l.all[head+k])]
}

func (l *links) pages(id graph.ID) []graph.ID { _, list := l.list(id, 0); return list }
func (l *links) parts(id graph.ID) []graph.ID { _, list := l.list(id, 1); return list }
func (l *links) leads(id graph.ID) []graph.ID { _, list := l.list(id, 2); return list }

// of gives all links of a URL.
func (l *links) of(id graph.ID) lists { return lists{l.pages(id), l.parts(id), l.leads(id)} }

// measure notes the distances of the links of a URL between pages.
func (l *links) measure(id graph.ID, distance func(to graph.ID) uint8) {
	start, list := l.list(id, 0)
	if missing := len(l.all) - len(l.far); missing > 0 {
		l.far = append(l.far, make([]uint8, missing)...)
	}
	for i, to := range list {
		l.far[start+i] = distance(to)
	}
}

// distances of the links between pages, in their order; nil where they are not measured.
func (l *links) distances(id graph.ID) []uint8 {
	start, list := l.list(id, 0)
	if start+len(list) > len(l.far) {
		return nil
	}
	return l.far[start : start+len(list)]
}

// distinct removes repetitions, in place; the first of equal ones stays.
func distinct[T comparable](list []T) []T {
	if len(list) > 16 {
		seen := make(map[T]struct{}, len(list))
		return slices.DeleteFunc(list, func(x T) bool {
			_, repeated := seen[x]
			seen[x] = struct{}{}
			return repeated
		})
	}
	n := 0
	for _, x := range list {
		if !slices.Contains(list[:n], x) {
			list[n] = x
			n++
		}
	}
	return list[:n]
}
