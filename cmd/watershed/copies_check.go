package main

import (
	"context"
	"fmt"

	"watershed/configs"
	"watershed/holdings"
	"watershed/internal/console"
	"watershed/page"
	"watershed/ui"
)

// copiesCheck opens what stands for each URL that a run left out, and compares it.
type copiesCheck struct {
	File   string `arg:""`
	Number int    `name:"run" placeholder:"NUMBER"`
}

func (c *copiesCheck) Run(ctx context.Context, s console.Streams, config *configs.Harvest) error {
	run, from, err := shownRun(ctx, s, config, c.Number)
	if err != nil {
		return err
	}
	m, err := ui.LeftOut(run, from, ui.SkipFilter{Reason: "mirror"}, 0, false)
	if err != nil {
		return err
	}
	reader, err := holdings.NewReader(folderOf(config))
	if err != nil {
		return err
	}
	level := float64(config.Copies.Mean)
	if single := float64(config.Copies.Singles); single > 0 {
		level = min(level, single)
	}
	wrong := m.Damaged
	for i := range m.Lines {
		if err := ctx.Err(); err != nil {
			return err
		}
		l := &m.Lines[i]
		why, err := reader.Disagrees(run.Name(), l.URL, page.URL(l.Representative()), level)
		if err != nil {
			return err
		}
		if why != "" {
			wrong++
			fmt.Fprintf(s.Out, "%s\t%s\n", visible(string(l.URL)), visible(why))
		}
	}
	fmt.Fprintf(s.Out, "%d URLs that %s left out as copies, %d wrong\n", len(m.Lines), run.Name(), wrong)
	if wrong > 0 {
		return fmt.Errorf("%d of the pages left out have nothing that stands for them", wrong)
	}
	return nil
}
