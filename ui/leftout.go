package ui

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"

	"watershed/harvest"
)

// LeftOut tells what a run left out as the desk does, without a desk: groups and lines of what
// passes the filter, of each at most most or, with 0, all; no lines where groups alone are wanted. It
// reads the ledger once, and again those lines.
func LeftOut(run harvest.Run, from harvest.Shown, f SkipFilter, most int, groups bool,
) (*SkippedModel, error) {
	x, err := readSkips(filepath.Join(from.Logs(), "skipped.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil,
			fmt.Errorf("%w: what was left out is written while a run crawls, and when it has ended or "+
				"reached a limit", err)
	}
	if err != nil {
		return nil, err
	}
	m, chosen, err := x.model(run.Name(), f, cmp.Or(most, math.MaxInt))
	if err != nil {
		return nil, err
	}
	if d := from.Drawing; d != nil {
		m.Present = &Present{Time: d.Time, Visits: d.Visits, Live: from.Live}
	}
	m.list = list{Page: 1, Pages: 1, Total: len(chosen)}
	if groups {
		return &m, nil
	}
	return &m, m.fill(x, chosen[:min(cmp.Or(most, math.MaxInt), len(chosen))], nil)
}

// MergeLeftOut makes one answer of those on the parts of a harvest: sums and lines are of parts, groups of
// those answers that have all of them. Of each kind it has at most most or, with 0, all.
func MergeLeftOut(run string, parts, groups []*SkippedModel, most int) *SkippedModel {
	most = cmp.Or(most, math.MaxInt)
	m := &SkippedModel{Run: run, list: list{Page: 1, Pages: 1}, Lines: []SkippedLine{}}
	for _, p := range parts {
		m.All, m.Damaged, m.Captured = m.All+p.All, m.Damaged+p.Damaged, m.Captured+p.Captured
		m.Total, m.Filter, m.Lines = m.Total+p.Total, p.Filter, append(m.Lines, p.Lines...)
	}
	slices.SortStableFunc(m.Lines, func(a, b SkippedLine) int {
		host, prefix := placeOf([]byte(a.URL))
		host2, prefix2 := placeOf([]byte(b.URL))
		return cmp.Or(bytes.Compare(host, host2), bytes.Compare(prefix, prefix2))
	})
	m.Lines = m.Lines[:min(len(m.Lines), most)]
	merge := func(of func(*SkippedModel) []Group) []Group {
		counts := map[string]int{}
		for _, p := range groups {
			for _, g := range of(p) {
				counts[g.Name] += g.URLs
			}
		}
		return frequent(counts)
	}
	m.Reasons = merge(func(p *SkippedModel) []Group { return p.Reasons })
	m.Hosts = merge(func(p *SkippedModel) []Group { return p.Hosts })
	m.Rules = merge(func(p *SkippedModel) []Group { return p.Rules })
	m.Sites = merge(func(p *SkippedModel) []Group { return p.Sites })
	m.Prefixes = merge(func(p *SkippedModel) []Group { return p.Prefixes })
	m.cut(most)
	return m
}
