package sitemap

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"

	"watershed/graph"
	"watershed/page"
)

// Chart is the web below a map: the pages that the map names (members, pages outside, pages of
// wider scales), and the links between them as the site saw them, redirects followed. It holds no
// reference to the survey. Equal surveys give equal charts.
type Chart struct {
	Pages []Charted // by URL, each once
}

// Charted is a page of a chart.
type Charted struct {
	URL     page.URL `json:"url"`
	Cluster Cluster  `json:"cluster,omitempty"` // what the Markov clusters say of it
	Moved   bool     `json:"redirect,omitempty"`
	// indices in Pages, ascending, each once; of a redirect, where it leads
	To []uint32 `json:"to,omitempty"`
}

// Find gives the index of a page, -1 for one that the chart does not have. It costs O(log pages).
func (c *Chart) Find(u page.URL) int {
	i, ok := sort.Find(len(c.Pages), func(i int) int { return cmp.Compare(u, c.Pages[i].URL) })
	if !ok {
		return -1
	}
	return i
}

// Draw is Map, and writes the chart below it as Chart.WriteLines would. It costs what Map costs,
// O(links) more, and 12 bytes of memory a page beside the map; the chart itself is never held. The
// error is that of Map or of w.
func (s *Survey) Draw(site string, w io.Writer) (*Map, error) {
	d, err := s.drawn(site)
	if err != nil {
		return nil, err
	}
	return d.m, d.writeChart(w)
}

// writeChart writes the pages that the map names, and their links.
func (d *drawing) writeChart(w io.Writer) error {
	s, b := d.s, d.b
	pages := d.charted()
	number := make([]uint32, len(b.places)) // 1 + index in the chart
	for i, id := range pages {
		if p := b.find(id); p != none {
			number[p] = uint32(i + 1)
		}
	}
	out := newChartWriter(w, len(pages))
	var to []uint32
	for i, id := range pages {
		x := Charted{URL: b.web.text(id)}
		if p := b.find(id); p != none {
			if s.net != nil {
				x.Cluster = d.opinion(p)
			}
			x.Moved = b.places[p].is(isAnswered) && b.web.state[id] == moved
			to = to[:0]
			for _, v := range s.leadsTo(p) {
				if n := number[v]; n > 0 && n != uint32(i+1) {
					to = append(to, n-1)
				}
			}
			slices.Sort(to)
			x.To = slices.Compact(to)
		}
		out.write(&x)
	}
	return out.close()
}

// charted are the pages that the map names, by their URLs.
func (d *drawing) charted() []graph.ID {
	b := d.b
	pages := make([]graph.ID, 0, d.m.Members.Len()+len(d.m.Outside)+d.m.Wider.Len())
	for _, p := range d.byURL {
		if id := b.places[p].id; d.named.has(id) {
			pages = append(pages, id)
		}
	}
	n := len(pages)
	for i := range d.m.Outside { // a rule may leave links to pages that the site does not know
		if id := b.web.find(d.m.Outside[i].URL); b.find(id) == none {
			pages = append(pages, id)
		}
	}
	if len(pages) > n {
		slices.SortFunc(pages, func(x, y graph.ID) int { return cmp.Compare(b.web.text(x), b.web.text(y)) })
	}
	return pages
}

// leadsTo are the places that a place links to, or where its redirect leads.
func (s *settlement) leadsTo(p uint32) []uint32 {
	if s.redirects(p) {
		if to := s.book.resolve(s.book.places[p].id); to != none && to != p {
			return []uint32{to}
		}
		return nil
	}
	return s.allLinks(p)
}

// Tell adds to an explanation by the map the facts that the chart has of the page: the opinion of
// the clusters, and which pages and redirects of the map lead to it. It costs O(pages·log links of a page).
func (c *Chart) Tell(m *Map, e *Explanation) {
	n := c.Find(e.URL)
	if n < 0 {
		return
	}
	e.Cluster = c.Pages[n].Cluster
	if c.Pages[n].Moved {
		return // a link to it is one to where it leads
	}
	var by linkers // in the order of their URLs, as the pages are
	for i := range c.Pages {
		if _, leads := slices.BinarySearch(c.Pages[i].To, uint32(n)); leads {
			by.add(m, c.Pages[i].URL, c.Pages[i].Moved)
		}
	}
	e.LinkedBy = by.linked()
}

// WriteLines writes the chart in UTF-8, a JSON object a line: first how many pages follow, then the
// pages in their order, the numbers of "to" being those of the lines, from 0.
//
//	{"version":1,"pages":3}
//	{"url":"http://docs.site.example/","cluster":"in","to":[1,2]}
//	{"url":"http://www.site.example/","cluster":"in","to":[0]}
//	{"url":"http://www.site.example/a","redirect":true,"to":[1]}
func (c *Chart) WriteLines(w io.Writer) error {
	out := newChartWriter(w, len(c.Pages))
	for i := range c.Pages {
		out.write(&c.Pages[i])
	}
	return out.close()
}

// chartWriter writes a chart line by line.
type chartWriter struct {
	out  *bufio.Writer
	line *json.Encoder
	err  error
}

func newChartWriter(w io.Writer, pages int) *chartWriter {
	out := bufio.NewWriterSize(w, 64<<10)
	x := &chartWriter{out: out, line: json.NewEncoder(out)}
	_, x.err = fmt.Fprintf(x.out, "{\"version\":%d,\"pages\":%d}\n", chartVersion, pages)
	return x
}

// write writes a page.
func (w *chartWriter) write(x *Charted) {
	if w.err == nil {
		w.err = w.line.Encode(x)
	}
}

func (w *chartWriter) close() error {
	if err := errors.Join(w.err, w.out.Flush()); err != nil {
		return fmt.Errorf("write chart: %w", err)
	}
	return nil
}

// chartVersion is that of the format.
const chartVersion = 1

// maxChartLine bounds a line of a chart, in bytes: a URL of 2 MB and a million links.
const maxChartLine = 32 << 20

// ReadChart reads what WriteLines writes. The error tells of a malformed line, of pages out of
// order, and of links that lead nowhere. It costs O(pages + links).
func ReadChart(r io.Reader) (*Chart, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxChartLine)
	var head struct {
		Version int  `json:"version"`
		Pages   *int `json:"pages"`
	}
	if !lines.Scan() {
		return nil, fmt.Errorf("read chart: %w", cmp.Or(lines.Err(), io.ErrUnexpectedEOF))
	}
	if err := json.Unmarshal(lines.Bytes(), &head); err != nil {
		return nil, fmt.Errorf("read chart: %w", err)
	}
	if head.Version != chartVersion || head.Pages == nil || *head.Pages < 0 || *head.Pages > math.MaxUint32 {
		return nil, fmt.Errorf("read chart: version %d is not %d, or the number of pages is none",
			head.Version, chartVersion)
	}
	c := &Chart{}
	for lines.Scan() {
		x, err := readCharted(lines.Bytes(), uint64(*head.Pages))
		if err == nil && len(c.Pages) > 0 && c.Pages[len(c.Pages)-1].URL >= x.URL {
			err = fmt.Errorf("%.200s is out of order", x.URL)
		}
		if err != nil {
			return nil, fmt.Errorf("read chart: page %d: %w", len(c.Pages), err)
		}
		c.Pages = append(c.Pages, x)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read chart: %w", err)
	}
	if len(c.Pages) != *head.Pages {
		return nil, fmt.Errorf("read chart: %d pages of %d: %w", len(c.Pages), *head.Pages,
			io.ErrUnexpectedEOF)
	}
	return c, nil
}

// readCharted reads a page's line. A line as WriteLines writes it is read in a tenth of the time that
// JSON takes; any other is read as JSON.
func readCharted(line []byte, pages uint64) (x Charted, err error) {
	if object(line, x.field) != len(line) {
		x = Charted{}
		if err = json.Unmarshal(line, &x); err != nil {
			return x, err
		}
	}
	for i, v := range x.To {
		if uint64(v) >= pages || i > 0 && x.To[i-1] >= v {
			return x, fmt.Errorf("its link to page %d", v)
		}
	}
	return x, nil
}

// field is the field of a page that has a name in JSON.
func (x *Charted) field(key []byte) any {
	switch string(key) {
	case "url":
		return &x.URL
	case "cluster":
		return (*string)(&x.Cluster)
	case "redirect":
		return &x.Moved
	case "to":
		return &x.To
	}
	return nil
}
