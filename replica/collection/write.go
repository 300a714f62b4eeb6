package collection

import (
	"bufio"
	"fmt"
	"io"
)

// collectionsHeader is the first line of what WriteCollections writes.
const collectionsHeader = "#collection\tcardinality\tsize\torigin\treplica\thost\tprefix\tpages\t" +
	"similar\tmoved\tnearby\tknown\tcoverage\tcontainment\tpurity\tlinks\tlinks_common\tin_links"

// mappingHeader is the first line of what WriteMapping writes.
const mappingHeader = "#collection\treplica\tpage\toriginal\tlikeness"

// WriteCollections writes a line a replica, tab-separated, in the order of the result; replica 1 is
// the representative. Columns are told in docs/formats/collections.md. Canonical URLs hold neither
// tabs nor line ends.
func (r *Result) WriteCollections(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, collectionsHeader) // a bufio.Writer keeps its error for Flush
	for i := range r.Collections {
		c := &r.Collections[i]
		for j := range c.Replicas {
			p := &c.Replicas[j]
			e := p.Evidence
			fmt.Fprintf(b, "%d\t%d\t%d\t%s\t%d\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%.4f\t%.4f\t%.4f\t%d\t%d\t%d\n",
				c.ID, c.Cardinality(), c.Size, c.Origin, j+1, p.Host, p.Prefix, len(p.Pairs), e.Similar,
				e.Moved, e.Nearby,
				e.Known, e.Coverage(), e.containment(), e.Purity(), e.Links, e.LinksCommon, e.InLinks)
		}
	}
	return b.Flush()
}

// WriteMapping writes a line a mapped page, but for those of representatives, which stand for
// themselves. pages are those of the Input.
func (r *Result) WriteMapping(w io.Writer, pages []Page) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, mappingHeader)
	for i := range r.Collections {
		c := &r.Collections[i]
		for j := range c.Replicas[1:] {
			for _, p := range c.Replicas[j+1].Pairs {
				if int(p.Page) >= len(pages) || int(p.Original) >= len(pages) {
					return fmt.Errorf("%w: %d pages are not those of the search", errInput, len(pages))
				}
				fmt.Fprintf(b, "%d\t%d\t%s\t%s\t%s\n", c.ID, j+2, pages[p.Page].URL,
					pages[p.Original].URL, p.Likeness)
			}
		}
	}
	return b.Flush()
}
