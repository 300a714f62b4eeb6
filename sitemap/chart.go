package sitemap

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"watershed/page"
)

// Chart is the web below a map: the pages that the map names (members, pages outside, pages of wider scales), and the links
// between them as the site saw them, redirects followed. It holds no reference to the survey. Equal surveys give equal charts.
type Chart struct {
	Pages []Charted // by URL, each once
}

// Charted is a page of a chart.
type Charted struct {
	URL     page.URL `json:"url"`
	Cluster Cluster  `json:"cluster,omitempty"` // what the Markov clusters say of it
	To      []uint32 `json:"to,omitempty"`      // indices in Pages, ascending, each once; of a redirect, where it leads
}

// Find gives the index of a page, -1 for one that the chart does not have. It costs O(log pages).
func (c *Chart) Find(u page.URL) int {
	if i, ok := find(c.Pages, u, func(x *Charted) page.URL { return x.URL }); ok {
		return i
	}
	return -1
}

// Draw is Map, with the chart below it. It costs what Map costs, and O(links) more.
func (s *Survey) Draw(site string) (m *Map, c *Chart, ok bool) {
	i, ok := s.names[site]
	if !ok {
		return nil, nil, false
	}
	m, settled := s.sites[i].drawn()
	return m, settled.chart(m), true
}

// chart collects the pages that m names, and their links.
func (s *settlement) chart(m *Map) *Chart {
	c := &Chart{}
	for i := range m.Members {
		c.Pages = append(c.Pages, Charted{URL: m.Members[i].URL})
	}
	for i := range m.Outside {
		c.Pages = append(c.Pages, Charted{URL: m.Outside[i].URL})
	}
	for i := range m.Wider {
		c.Pages = append(c.Pages, Charted{URL: m.Wider[i].URL})
	}
	slices.SortFunc(c.Pages, func(a, b Charted) int { return cmp.Compare(a.URL, b.URL) })
	c.Pages = slices.CompactFunc(c.Pages, func(a, b Charted) bool { return a.URL == b.URL })
	number := make([]uint32, len(s.b.places)) // 1 + index in the chart
	for p := range s.b.places {
		number[p] = uint32(c.Find(s.b.web.text[s.b.places[p].id]) + 1)
	}
	for p, n := range number {
		if n == 0 {
			continue
		}
		x := &c.Pages[n-1]
		if s.net != nil {
			x.Cluster = s.opinion(uint32(p))
		}
		for _, v := range s.leadsTo(uint32(p)) {
			if to := number[v]; to > 0 && to != n {
				x.To = append(x.To, to-1)
			}
		}
		slices.Sort(x.To)
		x.To = slices.Compact(x.To)
	}
	return c
}

// leadsTo are the places that a place links to, or where its redirect leads.
func (s *settlement) leadsTo(p uint32) []uint32 {
	pl := &s.b.places[p]
	if pl.is(isAnswered) && s.b.web.state[pl.id] == moved {
		if to := s.b.resolve(pl.id); to != none && to != p {
			return []uint32{to}
		}
		return nil
	}
	return s.allLinks(p)
}

// WriteLines writes the chart in UTF-8, a JSON object a line: first how many pages follow, then the pages in their order, the
// numbers of "to" being those of the lines, from 0.
//
//	{"version":1,"pages":3}
//	{"url":"http://docs.site.example/","cluster":"in","to":[1,2]}
//	{"url":"http://www.site.example/","cluster":"in","to":[0]}
//	{"url":"http://www.site.example/a"}
func (c *Chart) WriteLines(w io.Writer) error {
	out := bufio.NewWriter(w)
	_, err := fmt.Fprintf(out, "{\"version\":%d,\"pages\":%d}\n", chartVersion, len(c.Pages))
	for i := 0; i < len(c.Pages) && err == nil; i++ {
		var text []byte
		if text, err = json.Marshal(&c.Pages[i]); err == nil {
			_, err = fmt.Fprintf(out, "%s\n", text)
		}
	}
	if err = errors.Join(err, out.Flush()); err != nil {
		return fmt.Errorf("write chart: %w", err)
	}
	return nil
}

// chartVersion is that of the format.
const chartVersion = 1

// maxChartLine bounds a line of a chart, in bytes: a URL of 2 MB and a million links.
const maxChartLine = 32 << 20

// ReadChart reads what WriteLines writes. The error tells of a line that is none, of pages out of order, and of links that lead
// nowhere. It costs O(pages + links).
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
		return nil, fmt.Errorf("read chart: version %d is not %d, or the number of pages is none", head.Version, chartVersion)
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
		return nil, fmt.Errorf("read chart: %d pages of %d: %w", len(c.Pages), *head.Pages, io.ErrUnexpectedEOF)
	}
	return c, nil
}

// readCharted reads a page's line. Its links stand last and are read apart from the rest: it takes a tenth of the time. A line
// that was not written by WriteLines is read as any JSON.
func readCharted(line []byte, pages uint64) (x Charted, err error) {
	const mark = `,"to":[`
	rest := line
	var to []uint32
	if i := bytes.LastIndex(line, []byte(mark)); i >= 0 && bytes.HasSuffix(line, []byte("]}")) {
		var ok bool
		if to, ok = readNumbers(line[i+len(mark) : len(line)-len("]}")]); ok {
			rest = append(line[:i:i], '}')
		}
	}
	if err = json.Unmarshal(rest, &x); err != nil {
		return x, err
	}
	x.To = append(x.To, to...)
	for i, v := range x.To {
		if uint64(v) >= pages || i > 0 && x.To[i-1] >= v {
			return x, fmt.Errorf("its link to page %d", v)
		}
	}
	return x, nil
}

// readNumbers reads numbers with commas between them; not ok for any other text, which also no JSON text has within a string
// that it ends.
func readNumbers(text []byte) ([]uint32, bool) {
	list := make([]uint32, 0, bytes.Count(text, []byte{','})+1)
	n, digits := uint64(0), 0
	for _, c := range append(text[:len(text):len(text)], ',') {
		switch {
		case c == ',' && digits > 0 && n <= math.MaxUint32:
			list = append(list, uint32(n))
			n, digits = 0, 0
		case '0' <= c && c <= '9' && digits < 10:
			n, digits = 10*n+uint64(c-'0'), digits+1
		default:
			return nil, false
		}
	}
	return list, true
}
