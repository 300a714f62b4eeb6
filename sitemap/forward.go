package sitemap

import (
	"slices"
	"strings"

	"watershed/graph"
	"watershed/page"
)

// An entry page may be no page but a way to one: a refresh that takes every visitor elsewhere, or a
// frameset, as domains have that are forwarded to a directory of some provider. A seed of that kind
// stands for its target, as a seed that redirects does. Other pages of the kind stay pages of their
// own: their links join them to their targets.

// mostFrames is how many frames of a frameset are followed; framesets made for readers had two to
// five.
const mostFrames = 8

// learnForward notes where a page takes its visitors.
func (w *web) learnForward(id graph.ID, is state, v *page.Visit) {
	delete(w.forwards, id)
	if is != alive {
		return
	}
	var targets []graph.ID
	for _, u := range forwarding(v.Links, v.URL) {
		targets = append(targets, w.find(u))
	}
	if len(targets) == 0 {
		return
	}
	if w.forwards == nil {
		w.forwards = make(map[graph.ID][]graph.ID)
	}
	w.forwards[id] = targets
}

// forwarding gives the frames of a frameset, or the target of a refresh beside which a page has no
// link elsewhere.
func forwarding(links []page.Link, self page.URL) (frames []page.URL) {
	var refresh page.URL
	elsewhere := false
	for i := range links {
		switch l := &links[i]; {
		case l.URL == self || !l.Kind.Joins() || l.Kind == page.Canonical:
		case l.Kind == page.Frame && strings.HasPrefix(l.Context, "frame/"):
			if len(frames) < mostFrames && !slices.Contains(frames, l.URL) {
				frames = append(frames, l.URL)
			}
		case l.Kind == page.Refresh && refresh == "":
			refresh = l.URL
		}
	}
	if len(frames) > 0 || refresh == "" {
		return frames
	}
	for i := range links {
		l := &links[i]
		elsewhere = elsewhere || l.Kind.Joins() && l.Kind != page.Canonical && l.URL != self &&
			l.URL != refresh
	}
	if elsewhere {
		return nil
	}
	return []page.URL{refresh}
}

// lead reports whether one of some URLs is a page, or takes its visitors there, by redirects or else.
func (w *web) lead(some []page.URL, to graph.ID) bool {
	var queue []graph.ID
	for _, u := range some {
		queue = append(queue, w.find(u))
	}
	seen := make(map[graph.ID]bool)
	for len(queue) > 0 {
		id := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if id == to {
			return true
		}
		if id == graph.None || seen[id] {
			continue
		}
		seen[id] = true
		queue = append(queue, w.forwards[id]...)
		if w.state[id] == moved {
			queue = append(queue, w.links.pages(id)[0])
		}
	}
	return false
}
