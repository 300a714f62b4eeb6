package ui

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"watershed/harvest"
	"watershed/harvest/decision"
	"watershed/page"
	"watershed/report"
	"watershed/sitemap"
)

// siteMap is the map of a site, with what the views count in it.
type siteMap struct {
	*sitemap.Map

	comes      [][]blockCome // pages that come in at each scale, by block
	blockSince []int         // by block: the scale from which on a page of it belongs
	turns      []placeTurns
	crosses    map[string]float64
	below      []belowSince
}

// Place is a directory of a host and how many URLs the map has in it.
type Place struct {
	Host      string `json:"host"`
	Prefix    string `json:"prefix"`    // of its URLs
	Inside    int    `json:"inside"`    // pages that were fetched
	Pinned    int    `json:"pinned"`    // pages that were fetched and belong by a rule of the archivist
	Missing   int    `json:"missing"`   // pages and requisites that belong and were not fetched
	Pruned    int    `json:"pruned"`    // pages that were left out because a copy of them is held
	Requisite int    `json:"requisite"` // requisites that were fetched
	// pages outside, with their requisites, that were captured as the site's context
	Context int `json:"context"`
	// pages that the site links to and that neither belong nor are context
	Outside int `json:"outside"`
	// pages that the site links to and that a rule of the archivist keeps out
	Excluded int `json:"excluded"`
}

// Belong is how many of them belong to the site.
func (p Place) Belong() int { return p.Inside + p.Pinned + p.Missing + p.Pruned + p.Requisite }

// URLs is their number.
func (p Place) URLs() int { return p.Belong() + p.Context + p.Outside + p.Excluded }

func readSiteMap(path string) (*siteMap, error) {
	m, err := harvest.ReadMap(path)
	if err != nil {
		return nil, fmt.Errorf("map of the site: %w", err)
	}
	x := &siteMap{Map: m, turns: turnsOf(m), crosses: crossings(m)}
	x.countBlocks()
	x.countBelow()
	return x, nil
}

// had are the states of what is held.
func had(state string) bool { return state == "fetched" || state == "redirect" }

// siteFolders are the folders of a run's sites, in order.
func siteFolders(run harvest.Run) ([]string, error) {
	entries, err := os.ReadDir(run.Sites())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []string
	for _, e := range entries {
		if e.IsDir() {
			list = append(list, e.Name())
		}
	}
	return list, err
}

// siteDir is the folder of the site that an address names, and how old its map is; nil for what was
// delivered.
func (s *Server) siteDir(q *query) (string, *Present, error) {
	if _, err := q.need(); err != nil {
		return "", nil, err
	}
	run, present, err := s.shown(q, patience)
	if err != nil {
		return "", nil, err
	}
	folders, err := siteFolders(run)
	if err != nil {
		return "", nil, err
	}
	i := slices.Index(folders, q.request.PathValue("site"))
	switch {
	case len(folders) == 0:
		return "", nil, notFound(noMaps)
	case i < 0:
		return "", nil, notFound("The run has no map of such a site.")
	}
	return filepath.Join(run.Sites(), folders[i]), present, nil
}

// noMaps says when there are maps.
const noMaps = "Maps are drawn while a run is under way, and when it has ended or reached a limit; this " +
	"one was stopped before."

// SitesModel is the sites of a run.
type SitesModel struct {
	Run     string   `json:"run,omitempty"`
	Present *Present `json:"present,omitempty"`
	// pages, requisites, hosts or received: the greatest first; name: by name; "" as in the harvest
	Sort  string         `json:"sort,omitempty"`
	Sites []*report.Site `json:"sites"` // empty where the run neither was delivered nor goes on

	list  `json:"-"`
	Shown []*report.Site `json:"-"` // on this page of the list; a program has all
}

// siteOrders are by what sites can be sorted.
var siteOrders = map[string]func(a, b *report.Site) int{
	"name":       func(a, b *report.Site) int { return cmp.Compare(a.Name, b.Name) },
	"pages":      func(a, b *report.Site) int { return cmp.Compare(b.Pages, a.Pages) },
	"requisites": func(a, b *report.Site) int { return cmp.Compare(b.Requisites, a.Requisites) },
	"hosts":      func(a, b *report.Site) int { return cmp.Compare(b.Hosts, a.Hosts) },
	"received":   func(a, b *report.Site) int { return cmp.Compare(b.Bytes, a.Bytes) },
}

// column heads a column of a table that can be sorted by it.
type column struct {
	Name   string
	Sort   string // what is asked for to sort by it; "" where it cannot be
	Number bool
	Sorted string // ascending or descending, where it is
}

// Columns are those of the list of sites.
func (m SitesModel) Columns() []column {
	list := []column{
		{"Site", "name", false, ""},
		{"Title", "", false, ""},
		{"Pages", "pages", true, ""},
		{"Required files", "requisites", true, ""},
		{"Hosts", "hosts", true, ""},
		{"Received", "received", true, ""},
		{"Boundary", "", false, ""},
		{"Boundary found", "", false, ""},
	}
	for i := range list {
		switch {
		case list[i].Sort == "" || list[i].Sort != m.Sort:
		case list[i].Number:
			list[i].Sorted = "descending"
		default:
			list[i].Sorted = "ascending"
		}
	}
	return list
}

func sitesModel(s *Server, q *query) (any, error) {
	m := SitesModel{Sites: []*report.Site{}, Sort: q.value("sort")}
	order, known := siteOrders[m.Sort]
	if m.Sort != "" && !known {
		return nil, badRequest("sort is name, pages, requisites, hosts or received")
	}
	number, err := q.page()
	if err != nil || q.run == "" {
		return m, err
	}
	m.Run = q.run.Name()
	run, present, err := s.shown(q, patience)
	if err != nil {
		return nil, err
	}
	m.Present = present
	r, _, err := readReport(run)
	m.Sites = append(m.Sites, r.Sites...)
	if known {
		slices.SortStableFunc(m.Sites, order)
	}
	var from, to int
	m.list, from, to = pageOf(number, len(m.Sites))
	m.Shown = m.Sites[from:to]
	return m, err
}

// SiteModel is where a site ends.
type SiteModel struct {
	Run         string               `json:"run"`
	Present     *Present             `json:"present,omitempty"`
	Folder      string               `json:"folder"`
	Site        string               `json:"site"`
	Boundary    string               `json:"boundary"`
	Seeds       []page.URL           `json:"seeds"`
	Title       string               `json:"title,omitempty"`
	Names       []string             `json:"names"`
	Keywords    []string             `json:"keywords"`
	Settled     bool                 `json:"settled"`
	Known       int                  `json:"known"`
	Members     int                  `json:"members"`
	Requisites  int                  `json:"requisites"`
	Outside     int                  `json:"outside"`
	Context     int                  `json:"context"` // URLs outside that are captured with the site
	Certificate *sitemap.Certificate `json:"certificate,omitempty"`
	// the first hundred: those inside, then those that share most
	Blocks     []sitemap.Block     `json:"blocks"`
	Left       []sitemap.LeftBelow `json:"leftBelow"` // places below the seeds that are outside
	Cut        []sitemap.CutEdge   `json:"cut"`       // the hundred dearest
	CutEdges   int                 `json:"cutEdges"`
	Scales     []sitemap.Scale     `json:"scales"`
	Scale      int                 `json:"scale"`  // index of the boundary drawn
	At         float64             `json:"at"`     // α of the scale looked at; 0 for none
	Places     []Place             `json:"places"` // at that scale, the two hundred fullest
	PlaceCount int                 `json:"placeCount"`

	Prefix string `json:"prefix,omitempty"` // of the pages listed
	Which  string `json:"which"`            // inside, requisite, missing, outside or context
	list
	URLs []sitePage `json:"urls"`

	Files []string `json:"-"` // for other programs, those that the site's folder has

	Region string  `json:"-"` // asked for: a place, a host, or an address
	Panel  *region `json:"-"` // that tells of it; nil where none was asked for

	Dial dial `json:"-"` // leads to the next boundaries

	Before  int  `json:"-"` // run against which changes are known; 0 for none
	Changes bool `json:"-"` // the picture shows them

	chosen    int // index of the scale looked at
	all       []Place
	past      map[string]*placePast // by prefix; nil where changes are not shown
	crosses   map[string]float64
	decisions *decision.List
}

// sitePage is a URL of a map.
type sitePage struct {
	URL   page.URL `json:"url"`
	Why   string   `json:"why"`
	State string   `json:"state,omitempty"`
	Note  string   `json:"note,omitempty"`
}

// Says is why, for people.
func (p sitePage) Says() string { return sitemap.Says(p.Why) }

// Rows that a site's page has of each table.
const (
	blockRows = 100
	cutRows   = 100
	placeRows = 200
)

// decidedRows is how many decisions the page of a site has.
const decidedRows = 20

// Decided are the last decisions by hand on the site's pages, and on its scale.
func (m SiteModel) Decided() []decision.Decision {
	list := slices.DeleteFunc(slices.Clone(m.decisions.Decisions), func(d decision.Decision) bool {
		return d.Site != "" && d.Site != m.Site
	})
	return list[max(0, len(list)-decidedRows):]
}

func siteModel(s *Server, q *query) (any, error) {
	dir, present, err := s.siteDir(q)
	if err != nil {
		return nil, err
	}
	n, err := q.page()
	if err != nil {
		return nil, err
	}
	x, err := s.maps.get(filepath.Join(dir, "map.json"), readSiteMap)
	if err != nil {
		return nil, err
	}
	m := SiteModel{
		Run: q.run.Name(), Present: present, Folder: filepath.Base(dir), Site: x.Site, Boundary: x.Boundary,
		Seeds: append([]page.URL{}, x.Seeds...), Title: x.Title,
		Names: append([]string{}, x.Names...), Keywords: []string{}, Settled: x.Converged,
		Known:   x.Known,
		Members: x.Members.Len(), Requisites: len(x.Requisites), Outside: len(x.Outside),
		Context: len(x.Context), Certificate: x.Certificate,
		CutEdges: len(x.Cut), Scales: append([]sitemap.Scale{}, x.Scales...), Scale: x.Scale,
		Prefix: q.value("prefix"), Which: q.value("which"), Region: q.value("region"), crosses: x.crosses,
	}
	for _, k := range x.Keywords {
		m.Keywords = append(m.Keywords, k.Term)
	}
	for _, name := range slices.Sorted(maps.Keys(siteFiles)) {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			m.Files = append(m.Files, name)
		}
	}
	m.Left = append([]sitemap.LeftBelow{}, x.LeftBelow()...)
	m.dearest(x)
	if m.At, m.chosen, err = x.scaleAt(q); err != nil {
		return nil, err
	}
	status, err := s.readStatus(q.run)
	if err != nil {
		return nil, err
	}
	m.Dial, m.all = x.dialAt(m.chosen, status), x.placesAt(m.chosen)
	m.Places, m.PlaceCount = m.all[:min(len(m.all), placeRows)], len(m.all)
	if err = m.recall(s, q, x); err != nil {
		return nil, err
	}
	if m.decisions, err = harvest.ReadDecisions(q.harvest.Folder.Decisions()); err != nil {
		return nil, err
	}
	if m.Region != "" {
		if m.Panel, err = m.regionAt(s, q, x); err != nil {
			return nil, err
		}
	}
	err = m.listPages(x, n)
	return m, err
}

// Moved reports that another boundary than the map's is looked at.
func (m SiteModel) Moved() bool { return len(m.Scales) > 0 && m.chosen != m.Scale }

// Here is how many pages belong at the scale looked at.
func (m SiteModel) Here() int {
	if !m.Moved() {
		return m.Members
	}
	return m.Dial.Rows[m.Dial.Place].Pages
}

// dearest fills in the blocks and the links of the cut.
func (m *SiteModel) dearest(x *siteMap) {
	m.Blocks = slices.Clone(x.Blocks)
	slices.SortStableFunc(m.Blocks, func(a, b sitemap.Block) int {
		if (a.Inside > 0) != (b.Inside > 0) {
			return b.Inside - a.Inside
		}
		return cmp.Compare(b.Share, a.Share)
	})
	m.Blocks = append([]sitemap.Block{}, m.Blocks[:min(len(m.Blocks), blockRows)]...)
	m.Cut = slices.Clone(x.Cut)
	slices.SortStableFunc(m.Cut, func(a, b sitemap.CutEdge) int {
		return cmp.Compare(b.Capacity, a.Capacity)
	})
	m.Cut = append([]sitemap.CutEdge{}, m.Cut[:min(len(m.Cut), cutRows)]...)
}

// isNear reports a block that belongs in part, or has something that speaks for it.
func isNear(b *sitemap.Block) bool {
	return b.Inside > 0 || b.Share > 0 || b.Kin > 0 || b.Copied > 0 || b.Owned > 0
}

// Near are the blocks that belong in part, or have something that speaks for them.
func (m SiteModel) Near() []sitemap.Block {
	return slices.DeleteFunc(slices.Clone(m.Blocks), func(b sitemap.Block) bool { return !isNear(&b) })
}

// Far are the other blocks.
func (m SiteModel) Far() []sitemap.Block {
	return slices.DeleteFunc(slices.Clone(m.Blocks), func(b sitemap.Block) bool { return isNear(&b) })
}

// maxRule bounds a rule in a form, in bytes.
const maxRule = 4000

// blockRule is the rule that has the pages of a block, "" where there is none: those of the seeds'
// own directory, whose block has no place in its name.
func blockRule(name string) string {
	if !strings.Contains(name, "/") || len(name) > maxRule {
		return ""
	}
	rule, err := page.ParseRule("prefix:" + name)
	if err != nil {
		return ""
	}
	return rule.String()
}

// seedBlock is the block of the seeds' own directory.
const seedBlock = "prefix"

// blockText is the name of a block for people, as markup.
func blockText(name string) template.HTML {
	switch name {
	case "":
		name = "no block"
	case seedBlock:
		name = "the seed's own directory"
	}
	return isolated(name, longText)
}

// listPages fills in the page of the list that is asked for.
func (m *SiteModel) listPages(x *siteMap, number int) error {
	var count int
	var url func(int) page.URL
	var row func(int) sitePage
	switch m.Which {
	case "", "inside":
		m.Which, count = "inside", x.Members.Len()
		url = func(i int) page.URL { return x.Members.At(i).URL }
		row = func(i int) sitePage {
			p := x.Members.At(i)
			return sitePage{p.URL, fmt.Sprint(p.Why), p.State, p.Note}
		}
	case "requisite":
		count = len(x.Requisites)
		url = func(i int) page.URL { return x.Requisites[i].URL }
		row = func(i int) sitePage { return requisitePage(&x.Requisites[i]) }
	case "missing":
		list := x.missing()
		count = len(list)
		url = func(i int) page.URL { return list[i].URL }
		row = func(i int) sitePage { return list[i] }
	case "outside":
		count = len(x.Outside)
		url = func(i int) page.URL { return x.Outside[i].URL }
		row = func(i int) sitePage {
			p := &x.Outside[i]
			return sitePage{p.URL, p.Reason, "", p.Note}
		}
	case "context":
		count = len(x.Context)
		url = func(i int) page.URL { return x.Context[i].URL }
		row = func(i int) sitePage {
			p := &x.Context[i]
			note := "by " + string(p.From)
			if p.Requisite {
				note = "of " + string(p.From)
			}
			if p.Note != "" {
				note += "; " + p.Note
			}
			return sitePage{p.URL, p.Why(), p.State, note}
		}
	default:
		return badRequest("which is inside, requisite, missing, outside or context")
	}
	begin := 0 // of what has the prefix, by URL
	if m.Prefix != "" {
		begin = sort.Search(count, func(i int) bool { return string(url(i)) >= m.Prefix })
		count = begin + sort.Search(count-begin, func(i int) bool {
			return !strings.HasPrefix(string(url(begin+i)), m.Prefix)
		})
	}
	var from, to int
	m.list, from, to = pageOf(number, count-begin)
	m.URLs = []sitePage{}
	for i := from; i < to; i++ {
		m.URLs = append(m.URLs, row(begin+i))
	}
	return nil
}

func requisitePage(p *sitemap.Requisite) sitePage {
	return sitePage{p.URL, "needed by " + string(p.For), p.State, p.Note}
}

// missing are the pages and requisites that belong and are not held, by URL.
func (x *siteMap) missing() (list []sitePage) {
	for _, p := range x.Members.All() {
		if memberKind(&p) == kindMissing {
			list = append(list, sitePage{p.URL, fmt.Sprint(p.Why), p.State, p.Note})
		}
	}
	for i := range x.Requisites {
		if !had(x.Requisites[i].State) {
			list = append(list, requisitePage(&x.Requisites[i]))
		}
	}
	slices.SortFunc(list, func(a, b sitePage) int { return cmp.Compare(a.URL, b.URL) })
	return list
}

// picture is the site as land, and what it links to as the shore.
func (m SiteModel) picture() *sitePicture {
	return &sitePicture{
		width: mapWidth, land: landHeight, places: m.all, past: m.past, crosses: m.crosses,
		link: func(string) (string, error) { return "", nil },
		decided: func(prefix string) string {
			rule := blockRule(prefix[strings.Index(prefix, "://")+3:])
			for _, d := range m.decisions.Decisions {
				if (d.Site == "" || d.Site == m.Site) && d.Do != decision.Alpha && d.Rule.String() == rule {
					return decidedNames[d.Do]
				}
			}
			return ""
		},
	}
}

// Picture is that for the page, where each region leads to its panel.
func (m SiteModel) Picture(v *shown) (template.HTML, error) {
	outside, err := v.With("which", "outside", "prefix", "")
	if err != nil {
		return "", err
	}
	p := m.picture()
	p.others = outside + "#pages"
	p.link = func(prefix string) (string, error) {
		address, err := v.With("region", prefix)
		return address + "#region", err
	}
	if m.Panel != nil {
		p.open = m.Panel.Prefix
	}
	height, err := p.draw()
	if err != nil || height == 0 {
		return "", err
	}
	// All that came from the web was escaped where it was written.
	return template.HTML(fmt.Sprintf(`<div class="scroll picture" tabindex="0" role="region" `+
		`aria-label="Picture"><svg class="treemap" viewBox="0 0 %g %g" role="group" aria-label="Picture of `+
		`the site by host and directory; the table below has the same numbers">%s</svg></div>`,
		p.width, height, p.b.String())) + legend(p.keys()), nil
}

// decidedNames are what was decided by hand, as the picture says it.
var decidedNames = map[string]string{
	decision.In: "taken in", decision.Out: "left out", decision.Soft: "counts as near",
	decision.Exclude: "excluded",
}

// siteFiles are what a site's folder has for others, and their media types.
var siteFiles = func() map[string]string {
	files := map[string]string{"sitemap.xml": "application/xml", "scales.csv": "text/csv; charset=utf-8"}
	for _, f := range sitemap.Forms {
		files[f.File] = f.MIME
	}
	delete(files, "")
	return files
}()

// siteFile serves one of them.
func (s *Server) siteFile(w http.ResponseWriter, q *query) error {
	dir, _, err := s.siteDir(q)
	if err != nil {
		return err
	}
	name := q.request.PathValue("file")
	mime, ok := siteFiles[name]
	if !ok {
		return notFound("A site has no such file.")
	}
	return download(w, q.request, filepath.Join(dir, name), mime)
}
