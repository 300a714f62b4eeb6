package novelty

import (
	"iter"
	"strings"

	"watershed/page"
)

// tells is what an argument of a host's pages tells by its values: a list of articles names each of them once
// for each menu around it, so that most addresses bring nothing, and each new article does.
type tells struct {
	pages int     // that had a value which no page before them had
	fresh float64 // part of their text that was new, a mean that forgets
}

const (
	// tellsEnough is how much of the text has to be new. Of such pages alone a place that was stopped
	// asks: that another argument, a session for instance, has new values with each of them says little.
	tellsEnough  = .1
	tellsFrom    = 3  // pages
	tellsForgets = 25 // pages
	mostTells    = 1 << 16
)

// valuesOf gives the arguments of an address by keys: of host, last part of the path and name, and with the
// value.
func valuesOf(u page.URL) iter.Seq2[uint64, uint64] {
	return func(yield func(name, value uint64) bool) {
		path, query, _ := strings.Cut(u.PathQuery(), "?")
		of := string(u.Host()) + path[strings.LastIndexByte(path, '/'):] + "?"
		for arg := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' }) {
			name, _, _ := strings.Cut(arg, "=")
			if !yield(uint64(page.URL(of+numberless(name, 0)).Key()), uint64(page.URL(of+arg).Key())) {
				return
			}
		}
	}
}

// learnValues takes over how much of a page's text was new to its host.
func (m *Monitor) learnValues(u page.URL, fresh float64) {
	for name, value := range valuesOf(u) {
		if m.known[value] {
			continue
		}
		m.remember(value)
		t, ok := m.values[name]
		if !ok && len(m.values) >= mostTells {
			clear(m.values)
		}
		t.pages++
		t.fresh += (fresh - t.fresh) / float64(min(t.pages, tellsForgets))
		m.values[name] = t
	}
}

// bringsValue reports an address with a value that no page had, of an argument whose new values bring
// something.
func (m *Monitor) bringsValue(u page.URL) bool {
	for name, value := range valuesOf(u) {
		if t := m.values[name]; t.pages >= tellsFrom && t.fresh >= tellsEnough && !m.known[value] {
			return true
		}
	}
	return false
}
