package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"watershed/configs"
	"watershed/harvest"
	"watershed/internal/console"
	"watershed/internal/disk"
	"watershed/report"
	"watershed/ui"
)

// skippedCommand asks the ledger of what was left out, as the desk's page of that name does.
type skippedCommand struct {
	File   string `arg:""`
	Reason string `enum:",${reasons}" default:"" placeholder:"WORD"`
	Host   string `placeholder:"HOST"`
	Rule   string `placeholder:"TEXT"`
	Site   string `placeholder:"NAME"`
	Prefix string `placeholder:"URL"`
	By     string `enum:",reason,host,rule,site,prefix" default:"" placeholder:"WHAT"`
	Number int    `name:"run" placeholder:"NUMBER"`
	Limit  int    `default:"50"`
	JSON   bool   `name:"json"`
	clusterFlag
}

// AfterApply checks what the parser cannot.
func (c *skippedCommand) AfterApply() error {
	if c.Limit < 0 || c.Number < 0 {
		return errors.New("--limit and --run are not negative")
	}
	return nil
}

// filter is the question that the flags are.
func (c *skippedCommand) filter() ui.SkipFilter {
	return ui.SkipFilter{Reason: c.Reason, Host: c.Host, Rule: c.Rule, Site: c.Site, Prefix: c.Prefix}
}

func (c *skippedCommand) Run(ctx context.Context, s console.Streams, config *configs.Harvest) error {
	run, from, err := shownRun(ctx, s, config, c.Number)
	if err != nil {
		return err
	}
	m, err := ui.LeftOut(run, from, c.filter(), c.Limit, c.By != "")
	if err == nil && m.Total == 0 {
		err = c.siteIsThere(config, from)
	}
	if err != nil {
		return err
	}
	return c.print(s, m)
}

func (c *skippedCommand) print(s console.Streams, m *ui.SkippedModel) error {
	switch {
	case c.JSON:
		return console.JSON(s.Out, m)
	case c.By != "":
		return c.printGroups(s, m)
	}
	return c.printLines(s, m)
}

// siteIsThere refuses the name of a site that neither the run nor the YAML has.
func (c *skippedCommand) siteIsThere(config *configs.Harvest, from harvest.Shown) error {
	if c.Site == "" {
		return nil
	}
	var names []string
	for i := range config.Sites {
		names = append(names, config.Sites[i].Name)
	}
	told, err := disk.ReadJSON[report.Tables](filepath.Join(from.Reports(), "report.json"))
	if err == nil { // else the YAML alone is known
		for _, x := range told.Sites {
			if !slices.Contains(names, x.Name) {
				names = append(names, x.Name)
			}
		}
	}
	if slices.Contains(names, c.Site) {
		return nil
	}
	return noSite(c.Site, names)
}

// printLines names the site on whose behalf a URL was left out, for it may well be in the archive
// on behalf of another.
func (c *skippedCommand) printLines(s console.Streams, m *ui.SkippedModel) error {
	w := console.NewTable(s.Out)
	for _, l := range m.Lines {
		why := cmp.Or(l.Rule, l.Detail())
		if r := l.Representative(); r != "" {
			why = r + " stands for it"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", l.Reason, cmp.Or(l.Site, "-"),
			visible(string(l.URL)), visible(why))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return c.printSum(s, m, len(m.Lines), "--limit 0 prints all, --by prefix counts them")
}

func (c *skippedCommand) printGroups(s console.Streams, m *ui.SkippedModel) error {
	groups := map[string][]ui.Group{
		"reason": m.Reasons, "host": m.Hosts, "rule": m.Rules, "site": m.Sites,
		"prefix": m.Prefixes,
	}[c.By]
	shown := 0
	for _, g := range groups {
		shown += g.URLs
		if _, err := fmt.Fprintf(s.Out, "%8d  %s\n", g.URLs, visible(cmp.Or(g.Name, "-"))); err != nil {
			return err
		}
	}
	return c.printSum(s, m, shown, "--limit 0 prints all")
}

// printSum says how many lines were asked for of those in the ledger, how many of them are of what was
// captured, and where there are more than are printed.
func (c *skippedCommand) printSum(s console.Streams, m *ui.SkippedModel, shown int, more string) error {
	text := fmt.Sprintf("%d of the %d lines in the ledger of %s", m.Total, m.All, m.Run)
	if m.Captured > 0 {
		text += fmt.Sprintf("; %d are of captures that are taken for errors or were not read in full",
			m.Captured)
	}
	if shown < m.Total {
		text += fmt.Sprintf("; %d are shown, %s", shown, more)
	}
	if m.Damaged > 0 {
		text += "; " + console.Plural(int64(m.Damaged), "line", "lines") + " of the ledger cannot be read"
	}
	_, err := fmt.Fprintln(s.Out, text)
	return err
}
