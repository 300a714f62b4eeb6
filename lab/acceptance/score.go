package acceptance

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Score prints, for each site of a finished run, precision, recall and F1 of its pages and how many
// pages of other sites were fetched for each true one, beside a crawl that the truth itself bounds.
type Score struct {
	Web    string `required:"" placeholder:"DIR"`
	Folder string `name:"run" required:"" placeholder:"DIR"`
}

func (c *Score) Run(out io.Writer) error {
	t, err := readTruth(c.Web)
	if err != nil {
		return err
	}
	links, err := readLinks(c.Web)
	if err != nil {
		return err
	}
	folders, err := filepath.Glob(filepath.Join(c.Folder, "sites", "*", "map.json"))
	if err != nil || len(folders) == 0 {
		return fmt.Errorf("no sites/*/map.json below %s (%v)", c.Folder, err)
	}
	sums := map[string]*sum{}
	fmt.Fprintf(out, "%-44s %-6s %6s %6s | %5s %5s %5s | %6s\n", "site", "kind", "true", "found", "P", "R",
		"F1", "ceil")
	for _, path := range folders {
		name, members, err := readMap(path)
		if err != nil {
			return err
		}
		pages := t.pages[name]
		if len(pages) == 0 {
			continue
		}
		p, r, f := t.judge(name, members)
		own := func(u string) bool { return t.site[u] == name }
		_, _, most := t.judge(name, crawl(links, pages[0], own))
		fmt.Fprintf(out, "%-44.44s %-6s %6d %6d | %5.3f %5.3f %5.3f | %6.3f\n", name, t.kind[name],
			len(pages), len(members), p, r, f, most)
		for _, k := range []string{t.kind[name], "all"} {
			if sums[k] == nil {
				sums[k] = &sum{}
			}
			sums[k].add(p, r, f, most)
		}
	}
	for k, s := range sums {
		fmt.Fprintf(out, "mean %-46s %2.0f sites     | %5.3f %5.3f %5.3f | %6.3f\n", k, s.n,
			s.p/s.n, s.r/s.n, s.f/s.n, s.most/s.n)
	}
	return t.outside(out, c.Folder)
}

// sum adds up the figures of several sites.
type sum struct{ n, p, r, f, most float64 }

func (s *sum) add(p, r, f, most float64) {
	s.n++
	s.p, s.r, s.f, s.most = s.p+p, s.r+r, s.f+f, s.most+most
}

// readMap gives a site's name and its member pages from the run's map.
func readMap(path string) (string, []string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", nil, err
	}
	var m struct {
		Site    string `json:"site"`
		Members []struct {
			URL   string `json:"url"`
			State string `json:"state"`
		} `json:"members"`
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return "", nil, fmt.Errorf("%s: %w", path, err)
	}
	var urls []string
	for _, x := range m.Members {
		if x.State == "fetched" {
			urls = append(urls, x.URL)
		}
	}
	return m.Site, urls, nil
}

// judge compares found pages with those of a site. Only pages that the truth knows count.
func (t *truth) judge(site string, found []string) (p, r, f float64) {
	hit, known := 0, 0
	for _, u := range found {
		if s, ok := t.site[u]; ok {
			known++
			if s == site {
				hit++
			}
		}
	}
	if known > 0 {
		p = float64(hit) / float64(known)
	}
	r = float64(hit) / float64(len(t.pages[site]))
	if p+r > 0 {
		f = 2 * p * r / (p + r)
	}
	return p, r, f
}

// outside counts, from the run's crawl.log, the fetched pages that belong to none of the harvest's
// sites.
func (t *truth) outside(w io.Writer, run string) error {
	f, err := os.Open(filepath.Join(run, "logs", "crawl.log"))
	if err != nil {
		return err
	}
	defer f.Close()
	maps, err := filepath.Glob(filepath.Join(run, "sites", "*", "map.json"))
	if err != nil {
		return err
	}
	wanted, total := map[string]bool{}, 0
	for _, path := range maps {
		name, _, err := readMap(path)
		if err != nil {
			return err
		}
		wanted[name] = true
		total += len(t.pages[name])
	}
	in, out := 0, 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		field := strings.Fields(lines.Text())
		if len(field) < 4 || !strings.HasPrefix(field[1], "2") {
			continue
		}
		if site, ok := t.site[field[3]]; ok && wanted[site] {
			in++
		} else if ok {
			out++
		}
	}
	fmt.Fprintf(w, "pages fetched of the harvest's sites %d, of others %d: %.3f outside fetches a true "+
		"page (%d)\n", in, out, float64(out)/float64(max(total, 1)), total)
	return lines.Err()
}

// crawl follows links from home as far as ok lets it.
func crawl(links map[string][]string, home string, ok func(string) bool) []string {
	seen := map[string]bool{home: true}
	queue := []string{home}
	for i := 0; i < len(queue); i++ {
		for _, v := range links[queue[i]] {
			if !seen[v] && ok(v) {
				seen[v] = true
				queue = append(queue, v)
			}
		}
	}
	return queue
}
