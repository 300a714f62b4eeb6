package ui

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"

	"watershed/page"
)

// GraphModel is a site as a graph: its groups and the links between them, or the pages of one group
// with the groups that they are linked with. A group is a block of the map or, where a map has
// none, a directory of a host. Where a vertex lies tells when it belongs: the widest scale lies
// outside, and what belongs at one is enclosed by one line.
type GraphModel struct {
	Run      string   `json:"run"`
	Present  *Present `json:"present,omitempty"`
	Folder   string   `json:"folder"`
	Site     string   `json:"site"`
	Boundary string   `json:"boundary"`
	// the links are those that were seen; otherwise those that the map names
	Complete bool `json:"complete"`

	// the group whose pages these are; nil for the groups of the site
	Open   *graphGroup `json:"open,omitempty"`
	Prefix string      `json:"prefix,omitempty"` // of the pages, where they were narrowed
	// groups, or pages that the filter lets pass; the picture has graphNodes of them at most
	Known int `json:"known"`

	Nodes []GraphNode `json:"nodes"`
	Edges []graphEdge `json:"edges"` // graphEdges at most, those of most weight
	Tied  int         `json:"tied"`  // pairs of nodes that links join
	Rings []graphRing `json:"rings"` // from the middle out

	// scales between which the dial moves, the narrowest first; empty where there are none
	Stops []ScaleRow `json:"stops"`
	At    float64    `json:"at"`    // α of the scale looked at, 0 where there are none
	Stop  int        `json:"stop"`  // index in Stops of it, or of the next wider one that is there
	Alpha float64    `json:"alpha"` // of the map's own scale

	list    // of the nodes that the table has; the picture has all of Nodes
	context *siteChart
	chosen  *ScaleRow // looked at; nil where there are no scales
	dial    dial
}

// graphGroup names a group.
type graphGroup struct {
	Number int     `json:"number"`
	Name   string  `json:"name"`
	Pages  int     `json:"pages"`
	Links  int     `json:"links"`           // between its pages
	Cut    float64 `json:"cut"`             // capacity of the cut within it
	Why    string  `json:"why,omitempty"`   // of the map's block
	Share  float64 `json:"share,omitempty"` // of the map's block
}

// GraphNode is a vertex of the picture: a group, or a page.
type GraphNode struct {
	Label string   `json:"label"` // fit to be shown: no control characters, cut
	Group *int     `json:"group,omitempty"`
	URL   page.URL `json:"url,omitempty"` // of a page; "" where it is too long to be asked for

	// Parts are the pages by when they begin to belong, and as what: At is an index in Stops, or -1
	// for what never does.
	Parts []graphPart `json:"parts"`
	Pages int         `json:"pages"`
	Links int         `json:"links"` // to and from others
	Cut   float64     `json:"cut"`   // capacity of the edges of the cut at it
	Seed  bool        `json:"seed,omitempty"`
	MCL   mclOpinion  `json:"mcl"` // how many of its pages the Markov clusters put inside and outside
	Why   string      `json:"why,omitempty"`

	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Radius float64 `json:"radius"`
	Ring   int     `json:"ring"`
}

// mclOpinion counts pages by what the Markov clusters say; pages that were not fetched are in none.
type mclOpinion struct {
	In  int `json:"in"`
	Out int `json:"out"`
}

// graphPart is a number of pages that come in at one stop.
type graphPart struct {
	At    int    `json:"at"`
	Kind  string `json:"kind"`
	Pages int    `json:"pages"`
}

// graphEdge is what the links from one node to another are together.
type graphEdge struct {
	From  int     `json:"from"` // index of a node
	To    int     `json:"to"`
	Links int     `json:"links"`
	Cut   float64 `json:"cut,omitempty"` // capacity of the cut, at the map's own scale
}

// graphRing is a band of the picture.
type graphRing struct {
	Inner float64 `json:"inner"`
	Outer float64 `json:"outer"`
}

// Bounds of a picture.
const (
	graphNodes      = 2000
	graphEdges      = 6000
	graphNeighbours = 40 // groups beside the pages of one
	graphStops      = 400
	maxAsked        = 8 << 10 // bytes of a URL that another view can be asked for
)

func graphModel(s *Server, q *query) (any, error) {
	dir, present, err := s.siteDir(q)
	if err != nil {
		return nil, err
	}
	number, err := q.page()
	if err != nil {
		return nil, err
	}
	g, err := s.chartOf(dir)
	if err != nil {
		return nil, err
	}
	at, chosen, err := g.scaleAt(q)
	if err != nil {
		return nil, err
	}
	open := q.value("open")
	if name := q.value("block"); name != "" && open == "" {
		open = strconv.Itoa(slices.Index(g.groups, name))
	}
	drawn, err := g.drawn(open, q.value("prefix"))
	if err != nil {
		return nil, err
	}
	m := *drawn
	m.Run, m.Present, m.Folder = q.run.Name(), present, filepath.Base(dir)
	if len(m.Stops) > 0 {
		status, err := s.readStatus(q.run)
		if err != nil {
			return nil, err
		}
		row := g.scaleRow(chosen)
		m.At, m.Stop, m.chosen, m.dial = at, m.stop(chosen), &row, g.dialAt(at, chosen, status)
	}
	m.list, _, _ = pageOf(number, len(m.Nodes))
	return m, nil
}

// keptGraphs is how many pictures of a site are kept.
const keptGraphs = 8

// drawn gives the picture of all groups, or of the pages of the group that open numbers, narrowed
// to a prefix. Who gets it does not change what it refers to.
func (g *siteChart) drawn(open, prefix string) (*GraphModel, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := open + " " + prefix
	for i, k := range g.kept {
		if k.key == key {
			g.kept = slices.Insert(slices.Delete(g.kept, i, i+1), 0, k)
			return k.model, nil
		}
	}
	m := &GraphModel{
		Site: g.Site, Boundary: g.Boundary, Complete: g.complete, Prefix: prefix,
		Nodes: []GraphNode{}, Edges: []graphEdge{}, Rings: []graphRing{}, Stops: []ScaleRow{},
		Alpha: g.Alpha(), context: g,
	}
	if n := len(g.Scales); n > 0 {
		for _, i := range longestScales(g.Scales, graphStops, g.Scale, g.Proposed, n-1) {
			m.Stops = append(m.Stops, g.scaleRow(i))
		}
	}
	d, err := m.draft(open)
	if err != nil {
		return nil, err
	}
	d.picture(m)
	g.kept = slices.Insert(g.kept[:min(len(g.kept), keptGraphs-1)], 0, keptGraph{key, m})
	return m, nil
}

type keptGraph struct {
	key   string
	model *GraphModel
}

// stop is where the dial has what belongs from a scale on.
func (m *GraphModel) stop(scale int) int {
	if scale == never || len(m.Stops) == 0 {
		return min(scale, 0)
	}
	i, _ := slices.BinarySearchFunc(m.Stops, scale, func(r ScaleRow, scale int) int {
		return cmp.Compare(r.Index, scale)
	})
	return min(i, len(m.Stops)-1)
}

// Rows are the nodes of the page of the table that is looked at.
func (m GraphModel) Rows() []graphRow {
	_, from, to := pageOf(m.Page, len(m.Nodes))
	rows := make([]graphRow, 0, to-from)
	for i := from; i < to; i++ {
		rows = append(rows, graphRow{&m.Nodes[i], m.Stop})
	}
	return rows
}

// graphRow is a node as the table has it, at the scale looked at.
type graphRow struct {
	*GraphNode
	stop int
}

// Belong counts the pages that belong at the scale.
func (r graphRow) Belong() (n int) {
	for _, p := range r.Parts {
		if p.At != never && p.At <= r.stop {
			n += p.Pages
		}
	}
	return n
}

// Kind is what most of those pages are that belong at the scale or, where none does, of all.
func (r graphRow) Kind() string {
	counts, inside := map[string]int{}, r.Belong() > 0
	for _, p := range r.Parts {
		belongs := p.At != never && p.At <= r.stop
		switch {
		case belongs == inside && (inside || p.At == never):
			counts[p.Kind] += p.Pages
		case !inside:
			counts[kindOutside] += p.Pages
		}
	}
	best := kindOutside
	for _, k := range kinds {
		if counts[k] > counts[best] {
			best = k
		}
	}
	return best
}

// Number is that of the node's group; it has one.
func (r graphRow) Number() int { return *r.Group }

// Clusters tells what the Markov clusters say of the node.
func (r graphRow) Clusters() string {
	switch in, out := r.MCL.In, r.MCL.Out; {
	case in+out == 0:
		return "not asked"
	case out == 0:
		return "in"
	case in == 0:
		return "out"
	default:
		return count(in) + " in, " + count(out) + " out"
	}
}

// Since is the scale from which on pages of the node belong, nil for none.
func (r graphRow) Since(stops []ScaleRow) *ScaleRow {
	for _, p := range r.Parts {
		if p.At >= 0 && p.At < len(stops) {
			return &stops[p.At]
		}
	}
	return nil
}

// Chosen is the scale looked at, nil where there are none.
func (m GraphModel) Chosen() *ScaleRow { return m.chosen }

// Dial leads to the next boundaries.
func (m GraphModel) Dial() dial { return m.dial }

// Data is where the model is to be had as JSON.
func (m GraphModel) Data(v *shown) (string, error) {
	address, err := v.With()
	return apiRoot + address, err
}
