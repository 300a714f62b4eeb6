package judge

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"watershed/graph"
	"watershed/mcl"
	"watershed/page"
	"watershed/sitemap"
)

// SiteRow is a row of Table 1 of Senellart 2003: one site, according to different methods.
type SiteRow struct {
	Method    string  `json:"method"`
	Size      int     `json:"size"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
}

// Table1 judges the paper's methods, and ours, on one site. The paper's recalls do not fit
// together: relevant pages, size · precision / recall, come to 538, 967, 824, 996, 993, 498 and 996
// in its seven rows. Here they do.
func (e *Evaluation) Table1(s TruthSite) []SiteRow {
	inflate := func(r float64) func(*sitemap.Options) {
		return func(o *sitemap.Options) { o.Process.Inflation = r }
	}
	toll := func(o *sitemap.Options) { o.Process.Toll = sitemap.EpsilonShare }
	named := make(map[string]Method)
	for _, m := range Methods() {
		named[m.Name] = m
	}
	methods := []Method{named["flow alone"], named["flow alone, ε .01"]}
	for _, r := range []float64{1.2, 2} {
		name := "MCL " + strconv.FormatFloat(r, 'f', 1, 64)
		methods = append(methods, preset(name, sitemap.PaperClusters, inflate(r)),
			preset(name+" + flow", sitemap.Senellart2003, inflate(r)),
			preset(name+" + flow, ε .01", sitemap.Senellart2003, inflate(r), toll))
	}
	for _, name := range []string{"prefix", "two prefixes", Recommended, "ceiling"} {
		methods = append(methods, named[name])
	}
	rows := make([]SiteRow, len(methods))
	for i, m := range methods {
		sc := e.Score(m, s)
		rows[i] = SiteRow{m.Name, sc.Size, sc.Precision, sc.Recall}
	}
	return rows
}

// WriteTable1 writes rows of Table 1.
func WriteTable1(w io.Writer, f Format, rows []SiteRow) error {
	lines := make([][]string, len(rows))
	for i, r := range rows {
		lines[i] = []string{r.Method, strconv.Itoa(r.Size), three(r.Precision), three(r.Recall)}
	}
	return write(w, f, []string{"method", "size", "precision", "recall"}, lines, rows)
}

// ClusterRow is a row of Table 2 of Senellart 2003: a cluster drawn at random, as the flow extends
// it.
type ClusterRow struct {
	Cluster   int      `json:"cluster"` // its pages
	Size      int      `json:"size"`    // with those that the flow adds
	Prefixes  []string `json:"prefixes"`
	Keywords  []string `json:"keywords"` // tokens of the URLs that tell the set best from the rest of the web
	Title     string   `json:"title"`    // for a hand to fill in
	Site      string   `json:"site"`     // the true site of most of its pages
	Precision float64  `json:"precision"`
	Recall    float64  `json:"recall"`
}

// Clusters are the Markov clusters of all HTML pages of a web, too large ones clustered again
// (Senellart 2003, section 4.2.1), the largest first.
func (e *Evaluation) Clusters(ctx context.Context) (Clusters, error) {
	t := e.Truth
	c := Clusters{truth: t}
	number := make([]int32, len(t.urls))
	for v := range t.urls {
		number[v] = -1
		if t.site[v] >= 0 {
			number[v] = int32(len(c.pages))
			c.pages = append(c.pages, int32(v))
		}
	}
	var edges []graph.Edge
	for i, u := range c.pages {
		for _, v := range t.links[u] {
			if number[v] >= 0 {
				edges = append(edges, graph.Edge{From: graph.ID(i), To: graph.ID(number[v]), Weight: 1})
			}
		}
	}
	result, err := e.Options.Process.Cluster(ctx, len(c.pages), edges)
	if err != nil {
		return c, fmt.Errorf("cluster %d pages: %w", len(c.pages), err)
	}
	c.result = result
	return c, nil
}

// Clusters are those of a whole web.
type Clusters struct {
	truth  *Truth
	pages  []int32 // by vertex
	result mcl.Result
}

// Sizes are those of all clusters, the largest first.
func (c Clusters) Sizes() []int {
	sizes := make([]int, len(c.result.Clusters))
	for i, list := range c.result.Clusters {
		sizes[i] = len(list)
	}
	slices.SortFunc(sizes, func(a, b int) int { return cmp.Compare(b, a) })
	return sizes
}

// Table2 draws clusters of more than 50 pages at random, five in the paper, and lets the flow
// extend each.
func (e *Evaluation) Table2(c Clusters, count int) []ClusterRow {
	const least = 50
	var large [][]graph.ID
	for _, list := range c.result.Clusters {
		if len(list) > least {
			large = append(large, list)
		}
	}
	draw := newTwister(cmp.Or(e.Seed, 5))
	var rows []ClusterRow
	for range min(count, len(large)) {
		i := int(draw.below(uint32(len(large))))
		list := large[i]
		large = slices.Delete(large, i, i+1)
		rows = append(rows, e.extend(c, list))
	}
	return rows
}

func (e *Evaluation) extend(c Clusters, cluster []graph.ID) ClusterRow {
	t := e.Truth
	o := e.Options
	o.Preset = sitemap.PaperFlow
	site := sitemap.Site{Name: "cluster", MaxPages: len(cluster) + e.maxPages()}
	for _, v := range cluster {
		site.Seeds = append(site.Seeds, t.urls[c.pages[v]])
	}
	row := ClusterRow{Cluster: len(cluster)}
	sv, _, err := e.survey(site, o)
	if err != nil {
		return row // the options are validated by whoever evaluates
	}
	inside := e.members(sv, site.Name)
	row.Size = len(inside)
	row.Prefixes, row.Keywords = t.prefixes(inside), t.tellingTokens(inside)
	votes := make(map[int32]int)
	best := int32(-1)
	for _, v := range inside {
		if k := t.site[v]; k >= 0 {
			if votes[k]++; best < 0 || votes[k] > votes[best] || votes[k] == votes[best] && k < best {
				best = k
			}
		}
	}
	if best >= 0 {
		row.Site = t.sites[best].Name
		row.Precision = float64(votes[best]) / float64(len(inside))
		row.Recall = float64(votes[best]) / float64(len(t.sites[best].pages))
	}
	return row
}

// prefixes are the directories, three at most, that hold a tenth or more of some pages, each as
// deep as it can be while a directory in it has not four fifths of its pages.
func (t *Truth) prefixes(pages []int32) []string {
	count := make(map[string]int)
	for _, v := range pages {
		dir := t.urls[v].Directory()
		for root := string(t.urls[v].Root()); ; dir = dir[:strings.LastIndexByte(dir[:len(dir)-1], '/')+1] {
			count[dir]++
			if len(dir) <= len(root) {
				break
			}
		}
	}
	narrower := make(map[string]bool) // a directory in it has nearly all of its pages
	for dir, n := range count {
		if up := dir[:strings.LastIndexByte(dir[:len(dir)-1], '/')+1]; 5*n >= 4*count[up] {
			narrower[up] = true
		}
	}
	list := slices.DeleteFunc(sortedKeys(count), func(d string) bool {
		return 10*count[d] < len(pages) || narrower[d]
	})
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
	return list[:min(3, len(list))]
}

// tellingTokens are the three tokens of URLs that tell some pages best from the rest of the web, by
// F1.
func (t *Truth) tellingTokens(pages []int32) []string {
	in := make(map[int32]bool, len(pages))
	for _, v := range pages {
		in[v] = true
	}
	return t.tokens(len(pages), func(v int32) (counts, own bool) { return t.site[v] >= 0, in[v] }, 3)
}

// tokens gives the tokens of URLs that tell own pages, as many as total, best from the others that
// count.
func (t *Truth) tokens(total int, which func(v int32) (counts, own bool), most int) []string {
	mine, all := make(map[string]int), make(map[string]int)
	for v, u := range t.urls {
		counts, own := which(int32(v))
		if !counts {
			continue
		}
		for _, w := range urlWords(u) {
			all[w]++
			mine[w] += b2i(own)
		}
	}
	list := slices.DeleteFunc(sortedKeys(mine), func(w string) bool { return mine[w] == 0 })
	score := func(w string) float64 { return 2 * float64(mine[w]) / float64(total+all[w]) }
	slices.SortStableFunc(list, func(a, b string) int {
		return cmp.Or(cmp.Compare(score(b), score(a)), cmp.Compare(len(b), len(a)))
	})
	return list[:min(most, len(list))]
}

// urlWords are the distinct tokens of a URL, hosts cut at dots too, in lower case.
func urlWords(u page.URL) []string {
	words := strings.FieldsFunc(strings.ToLower(string(u)), func(r rune) bool {
		return strings.ContainsRune("/:?=&#.", r)
	})
	slices.Sort(words)
	return slices.Compact(words)
}

// WriteTable2 writes rows of Table 2.
func WriteTable2(w io.Writer, f Format, rows []ClusterRow) error {
	lines := make([][]string, len(rows))
	for i, r := range rows {
		lines[i] = []string{
			strconv.Itoa(r.Cluster), strconv.Itoa(r.Size), three(r.Precision),
			three(r.Recall), r.Title, r.Site, strings.Join(r.Keywords, " "), strings.Join(r.Prefixes, " "),
		}
	}
	return write(w, f, []string{
		"cluster", "size", "precision", "recall", "title", "site", "keywords",
		"prefixes",
	}, lines, rows)
}
