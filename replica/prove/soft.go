package prove

import "strings"

// soft is how a directory answers for pages that nobody has made: nil where it tells that there are
// none.
type soft struct {
	end
	least float64 // how much an error resembles it
}

// slack is how much less an error page may resemble another than two of them each other: two
// standard errors of a sketch of 128 values.
const slack = .08

// probed asks for the siblings of a trial, and reports whether all is known that is to be known.
// The second sibling of a directory is asked for only where the first was there.
func (p *Prover) probed(t *trial) bool {
	complete := true
	for side, probes := range t.probes {
		for _, x := range probes {
			dir := t.sides[side].base + x.dir
			if _, known := p.softs[dir]; known {
				continue
			}
			first, ok := p.await(t, x.siblings[0])
			if ok && first.state != fine {
				p.softs[dir] = nil
				continue
			}
			var second end
			if ok {
				second, ok = p.await(t, x.siblings[1])
			}
			if !ok {
				complete = false
				continue
			}
			p.softs[dir] = p.softOf(first, second)
		}
	}
	return complete
}

// softOf compares the answers for two random siblings. Where they are two different pages, both of them
// there, everything is, as in an endless space.
func (p *evidence) softOf(first, second end) *soft {
	if second.state != fine {
		return nil
	}
	outcome, r := p.compare(first, second)
	if outcome != FM && outcome != FS && outcome != HS {
		return nil
	}
	return &soft{first, max(p.opts.Similar, r-slack)}
}

// isSoft reports that a page is an error although it was answered with success: it resembles what
// its directory, or one above, says of pages that nobody has made.
func (p *evidence) isSoft(t *trial, side int, path string, e end) bool {
	if path == "" {
		return false
	}
	for _, x := range t.probes[side] {
		s := p.softs[t.sides[side].base+x.dir]
		if s == nil || !strings.HasPrefix(path, x.dir) {
			continue
		}
		if outcome, r := p.compare(e, s.end); outcome == FM || r >= s.least {
			return true
		}
	}
	return false
}
