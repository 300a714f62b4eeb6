package quality

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"watershed/harvest"
	"watershed/page"
)

// sitesOf tells each page its site, as the tables of its run's sites have it, and counts the pages of
// each. A table is read once, line by line.
func sitesOf(ctx context.Context, folder harvest.Folder, pages []Page) ([]Site, error) {
	byRun := map[string]map[page.URL]*Page{}
	for i := range pages {
		p := &pages[i]
		if byRun[p.Run] == nil {
			byRun[p.Run] = map[page.URL]*Page{}
		}
		byRun[p.Run][p.URL] = p
	}
	for run, of := range byRun {
		tables, err := harvest.Run(filepath.Join(string(folder), run)).SiteFiles("pages.csv")
		if err != nil {
			return nil, err
		}
		for _, path := range tables {
			_, name, _ := strings.Cut(filepath.Base(filepath.Dir(path)), "-") // "000-name"
			for line, err := range harvest.Lines(path) {
				if err = cmp.Or(ctx.Err(), err); err != nil {
					return nil, fmt.Errorf("read %s: %w", path, err)
				}
				fields, err := csv.NewReader(bytes.NewReader(line)).Read()
				if err == nil && len(fields) > 1 && fields[1] == "member" && of[page.URL(fields[0])] != nil {
					of[page.URL(fields[0])].Site = name
				}
			}
		}
	}
	sites := []Site{}
	for i := range pages {
		p := &pages[i]
		at := slices.IndexFunc(sites, func(s Site) bool { return s.Name == p.Site })
		if at < 0 {
			at = len(sites)
			sites = append(sites, Site{Name: p.Site, Pages: map[Verdict]int{}})
		}
		sites[at].Pages[p.Verdict()]++
		if p.Again != nil {
			sites[at].Again++
		}
	}
	slices.SortFunc(sites, func(a, b Site) int { return cmp.Compare(a.Name, b.Name) })
	return sites, nil
}
