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

// argument is one of an address, by keys: of host, last part of the path and name, and with the value.
type argument struct {
	name, value uint64
	number      bool // so is its value
}

// valuesOf gives the arguments of an address.
func valuesOf(u page.URL) iter.Seq[argument] {
	return func(yield func(argument) bool) {
		path, query, _ := strings.Cut(u.PathQuery(), "?")
		of := string(u.Host()) + path[strings.LastIndexByte(path, '/'):] + "?"
		for arg := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' }) {
			name, value, _ := strings.Cut(arg, "=")
			if !yield(argument{
				uint64(page.URL(of + numberless(name, 0)).Key()), uint64(page.URL(of + arg).Key()),
				value != "" && strings.Trim(value, "0123456789") == "",
			}) {
				return
			}
		}
	}
}

// learnValues takes over how much of a page's text was new to its host, and whether any line of it was. That
// is enough where a number stands for the page, as for a short record: other values may name several things,
// and the page then says which.
func (m *Monitor) learnValues(u page.URL, fresh float64, said bool) {
	for a := range valuesOf(u) {
		if m.known[a.value] {
			continue
		}
		m.remember(a.value)
		t, ok := m.values[a.name]
		if !ok && len(m.values) >= mostTells {
			clear(m.values)
		}
		t.pages++
		told := fresh
		if said && a.number {
			told = 1
		}
		t.fresh += (told - t.fresh) / float64(min(t.pages, tellsForgets))
		m.values[a.name] = t
	}
}

// bringsValue reports an address with a value that no page had, of an argument whose new values bring
// something.
func (m *Monitor) bringsValue(u page.URL) bool {
	for a := range valuesOf(u) {
		if t := m.values[a.name]; t.pages >= tellsFrom && t.fresh >= tellsEnough && !m.known[a.value] {
			return true
		}
	}
	return false
}
