package ui

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"watershed/archive"
	"watershed/page"
	"watershed/sitemap"
)

// ExplainModel is why a URL is in or out.
type ExplainModel struct {
	Run     string             `json:"run"`
	Asked   string             `json:"asked"`
	URL     page.URL           `json:"url,omitempty"` // canonical; "" where nothing was asked
	Sites   []SiteExplanation  `json:"sites"`
	Skipped []*archive.Skipped `json:"skipped"` // lines of skipped.jsonl
}

// SiteExplanation is why, for one site.
type SiteExplanation struct {
	Site    string              `json:"site"`
	Folder  string              `json:"folder"`
	Text    string              `json:"text"`
	Details []string            `json:"details"`
	Data    sitemap.Explanation `json:"data"`
	Scale   *ScaleRow           `json:"scale,omitempty"` // the first at which the URL belongs; nil where none is known
}

// firstScale is the scale at which a URL comes in.
func (x *siteMap) firstScale(e *sitemap.Explanation) *ScaleRow {
	i := slices.IndexFunc(x.Scales, func(c sitemap.Scale) bool { return c.Most == e.Since })
	if i < 0 {
		return nil
	}
	row := x.scaleRow(i)
	return &row
}

func explainModel(s *Server, q *query) (any, error) {
	run, err := q.need()
	if err != nil {
		return nil, err
	}
	m := ExplainModel{Run: run.Name(), Asked: q.value("url"), Sites: []SiteExplanation{}, Skipped: []*archive.Skipped{}}
	if m.Asked == "" {
		return m, nil
	}
	if m.URL, err = page.ParseURL(m.Asked); err != nil {
		return nil, badRequest("This is no address of a web page: %v", err)
	}
	folders, err := siteFolders(run)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		x, err := s.maps.get(filepath.Join(run.Sites(), folder, "map.json"), readSiteMap)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		e := x.Explain(m.URL)
		m.Sites = append(m.Sites, SiteExplanation{Site: x.Site, Folder: folder, Text: e.String(), Details: append([]string{}, e.Details()...), Data: e, Scale: x.firstScale(&e)})
	}
	index, err := s.skips.get(filepath.Join(run.Logs(), "skipped.jsonl"), readSkips)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	found, err := index.find(m.URL)
	m.Skipped = append(m.Skipped, found...)
	return m, err
}
