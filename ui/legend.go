package ui

import (
	"fmt"
	"html/template"
	"strings"
)

// patterns are those of the kinds that are told apart by more than their colours in a treemap, by
// the names of their elements.
var patterns = map[string]string{
	kindPinned: "pattern-pinned", kindMissing: "pattern-missing", kindPruned: "pattern-pruned",
	kindExcluded: "pattern-excluded", kindRequisite: "pattern-requisite", kindContext: "pattern-context",
}

// patternPaths draw them, in squares of eight units.
var patternPaths = map[string]string{
	kindPinned: "M4 0V8", kindMissing: "M-2 2 2 -2M0 8 8 0M6 10 10 6", kindPruned: "M3 4H5",
	kindExcluded: "M0 0 8 8M0 8 8 0", kindRequisite: "M0 4H8", kindContext: "M0 4H8M4 0V8",
}

// kindNames are the kinds for people.
var kindNames = map[string]string{
	kindInside: "inside", kindPinned: "inside by a rule", kindMissing: "belongs, not captured",
	kindPruned: "left out as a copy", kindRequisite: "required file",
	kindContext: "outside, captured as context", kindOutside: "outside, linked from the site",
	kindExcluded: "kept out by a rule",
}

// legendKey is an entry of a legend: the class that has the colour, the pattern over it, "" for
// none, and what it means.
type legendKey struct{ class, pattern, text string }

// kindKey is the entry of a kind.
func kindKey(kind string) legendKey { return legendKey{kind, patterns[kind], kindNames[kind]} }

// keys are the entries of what was drawn.
func (p *sitePicture) keys() (keys []legendKey) {
	in, out := p.parts(new(Place))
	for _, part := range append(in, out...) {
		if p.has[part.legendKey] {
			keys = append(keys, part.legendKey)
		}
	}
	return keys
}

// definition is the element of the pattern.
func (k *legendKey) definition() string {
	return fmt.Sprintf(`<pattern id="%s" width="8" height="8" patternUnits="userSpaceOnUse"><path `+
		`d="%s"/></pattern>`, k.pattern, patternPaths[k.class])
}

// legend has the patterns, and tells what they mean. A page has one.
func legend(keys []legendKey) template.HTML {
	var b strings.Builder
	b.WriteString(`<svg class="defs" width="0" height="0" aria-hidden="true"><defs>`)
	for _, k := range keys {
		if k.pattern != "" {
			b.WriteString(k.definition())
		}
	}
	b.WriteString(`</defs></svg><ul class="legend">`)
	for _, k := range keys {
		fmt.Fprintf(&b,
			`<li><svg width="24" height="16" aria-hidden="true"><rect class="%s" width="24" height="16"/>`,
			k.class)
		if k.pattern != "" {
			fmt.Fprintf(&b, `<rect class="pattern" fill="url(#%s)" width="24" height="16"/>`, k.pattern)
		}
		fmt.Fprintf(&b, `</svg> %s</li>`, k.text)
	}
	b.WriteString("</ul>")
	return template.HTML(b.String())
}
