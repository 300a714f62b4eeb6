package ui

import (
	"cmp"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"

	"watershed/page"
	"watershed/sitemap"
)

// ScaleRow is a scale of a list.
type ScaleRow struct {
	Index int `json:"index"`
	// an α of it: of the map's own scale the map's, else the middle on the logarithmic axis
	At      float64 `json:"at"`
	Least   float64 `json:"least"`
	Most    float64 `json:"most"`
	Pages   int     `json:"pages"`
	Known   int     `json:"known"`
	More    int     `json:"more"`    // pages than in the map's own; negative for fewer
	Fetches int64   `json:"fetches"` // at Least, at most
	Below   int     `json:"below"`   // places below the seeds that are outside
}

// blockChange is what a block gains or loses at a scale.
type blockChange struct {
	Name  string `json:"name"` // "" for pages without a block
	Pages int    `json:"pages"`
}

// scaleRows is how many scales a page has.
const scaleRows = 40

// scaleAt is the α that an address asks for, the map's own where it asks for none, and the index of
// its scale.
func (x *siteMap) scaleAt(q *query) (float64, int, error) {
	text := q.value("at")
	if text == "" {
		return x.Alpha(), x.Scale, nil
	}
	alpha, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, 0, badRequest("at is a number, a value of α")
	}
	k, err := x.ScaleAt(alpha)
	if err != nil {
		return 0, 0, badRequest("%v", err)
	}
	return alpha, k, nil
}

func (x *siteMap) scaleRow(i int) ScaleRow {
	c := &x.Scales[i]
	at := x.Alpha()
	if i != x.Scale {
		at = middle(c)
	}
	return ScaleRow{
		Index: i, At: at, Least: c.Least, Most: c.Most, Pages: c.Pages, Known: c.Known,
		More: c.Pages - x.Scales[x.Scale].Pages, Fetches: c.Fetches, Below: x.outsideBelow(i),
	}
}

// middle of a scale on the logarithmic axis, with three digits where these are of the scale.
func middle(c *sitemap.Scale) float64 {
	at := math.Sqrt(c.Least * c.Most)
	if short, err := strconv.ParseFloat(strconv.FormatFloat(at, 'g', 3, 64), 64); err == nil &&
		short >= c.Least && short < c.Most {
		return short
	}
	if at >= c.Least && at < c.Most {
		return at
	}
	return c.Least
}

func (x *siteMap) blockName(k int) string {
	if k < 0 || k >= len(x.Map.Blocks) {
		return ""
	}
	return x.Map.Blocks[k].Name
}

// blockCome is how many pages of a block come in at a scale; the block -1 is none.
type blockCome struct{ block, pages int }

// countBlocks fills in when the pages of each block come in.
func (x *siteMap) countBlocks() {
	counts := make([]map[int]int, len(x.Scales))
	x.comes = make([][]blockCome, len(x.Scales))
	x.blockSince = slices.Repeat([]int{len(x.Scales)}, len(x.Map.Blocks))
	for _, list := range []sitemap.Members{x.Members, x.Wider} {
		for _, p := range list.All() {
			k := max(p.Scale, 0)
			if k >= len(counts) {
				continue
			}
			if counts[k] == nil {
				counts[k] = map[int]int{}
			}
			counts[k][p.Block]++
			if p.Block >= 0 && p.Block < len(x.blockSince) && p.State != "redirect" {
				x.blockSince[p.Block] = min(x.blockSince[p.Block], k)
			}
		}
	}
	for k, pages := range counts {
		for block, n := range pages {
			x.comes[k] = append(x.comes[k], blockCome{block, n})
		}
	}
}

// memberScale is the first scale at which a URL is a page of the site.
func (x *siteMap) memberScale(u page.URL) (int, bool) {
	for _, list := range []sitemap.Members{x.Members, x.Wider} {
		if i, ok := list.Find(u); ok {
			return list.At(i).Scale, true
		}
	}
	return 0, false
}

// scaleFile serves the boundary at the scale that "at" names, for other programs.
func (s *Server) scaleFile(w http.ResponseWriter, q *query) error {
	at, err := s.mapAt(q)
	if err != nil {
		return err
	}
	name := q.request.PathValue("form")
	form, ok := sitemap.FormOf(name)
	if !ok {
		return notFound("The forms are surt, regex, csv, urls and json.")
	}
	w.Header().Set("Content-Type", form.MIME)
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+filepath.Ext(cmp.Or(form.File,
		"urls.txt"))+`"`)
	if err := form.Write(at, w); err != nil {
		s.log.Debug("an export was not sent to its end", "cause", err) // who asked is gone
	}
	return nil
}

// mapAt is the map of the site that an address names, at the scale that it names.
func (s *Server) mapAt(q *query) (*sitemap.Map, error) {
	dir, _, err := s.siteDir(q)
	if err != nil {
		return nil, err
	}
	x, err := s.maps.get(filepath.Join(dir, "map.json"), readSiteMap)
	if err != nil {
		return nil, err
	}
	if q.value("at") == "" {
		return x.Map, nil
	}
	alpha, _, err := x.scaleAt(q)
	if err != nil {
		return nil, err
	}
	return x.At(alpha)
}
