package extract

import "golang.org/x/net/html/atom"

// A page of a few kilobytes can be made so that its tree, built as the HTML standard says, has
// millions of nodes: formatting elements that are left open are opened anew in each block that
// follows. Others make the parser slow: by hundreds of attributes on a tag, which are compared each
// with each, or by many html and body tags, whose attributes are gathered on one node. Such pages
// are read by Scan.

const (
	maxReopened   = 1 << 20 // nodes, about 130 MB
	maxRoots      = 16      // html and body tags
	maxFormatting = 32      // attributes of one formatting element
	// "Noah's Ark": so many formatting elements with equal attributes stay open (HTML standard,
	// 13.2.4.3)
	maxAlike    = 3
	endTagNodes = 8 * 4 // what the adoption agency algorithm clones at most for one end tag (13.2.6.4.7)
)

// tame reports whether the tree of a page is bounded in size and takes linear time to build. It
// counts an upper bound of the nodes that may be opened anew, so it never takes a page for tame
// that is not.
func (c *collector) tame(text string) bool {
	s := &c.scanner
	s.reset(text)
	s.skim = true
	open, heaviest, reopened, roots := 0, 1, 0, 0
	alike := map[string]int{}
	for s.next() {
		reopened += open
		switch {
		case reopened > maxReopened, s.count >= maxAttrs, roots > maxRoots:
			return false
		case s.kind == textRun:
		case s.atom == atom.Html || s.atom == atom.Body:
			roots++
		case !formatting(s.atom):
		case s.kind == endTag:
			reopened += endTagNodes * heaviest
		case s.count > maxFormatting:
			return false
		default:
			weight := 1 + s.count/2 // two attributes take as much memory as a node
			heaviest = max(heaviest, weight)
			if s.atom != atom.A && alike[s.source] < maxAlike { // a new anchor closes the last
				alike[s.source]++
				open += weight
			}
		}
	}
	return true
}

// formatting reports an element that is opened anew. Source: HTML standard, 13.2.4.2.
func formatting(a atom.Atom) bool {
	switch a {
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small,
		atom.Strike, atom.Strong,
		atom.Tt, atom.U:
		return true
	}
	return false
}
