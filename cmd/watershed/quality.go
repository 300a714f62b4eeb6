package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"watershed/configs"
	"watershed/harvest"
	"watershed/internal/console"
	"watershed/page"
	"watershed/quality"
)

// qualityCommand checks a sample of pages.
type qualityCommand struct {
	File   string `arg:""`
	Pages  int    `default:"20"`
	Seed   uint64 `default:"1"`
	Number int    `name:"run" placeholder:"NUMBER"`
	Draw   bool
	Fetch  bool
	JSON   bool `name:"json"`
}

func (c *qualityCommand) Run(ctx context.Context, s console.Streams, config *configs.Harvest) error {
	folder := folderOf(config)
	o := quality.Options{Pages: c.Pages, Seed: c.Seed}
	if c.Number != 0 {
		run, err := runOf(folder, c.Number)
		if err != nil {
			return err
		}
		o.Runs = []harvest.Run{run}
	}
	if c.Draw {
		o.Draw = drawOf(config, userAgent(config))
		o.Draw.Follow = -1 // which links a page followed hangs on the pages before it
		o.Drawn = func(u page.URL) { fmt.Fprintf(s.Err, "drawing %q out of the archive\n", string(u)) }
	}
	err := o.Validate()
	if c.Pages == 0 { // which stands for the default there
		err = fmt.Errorf("--pages is 0; it lies between 1 and %d", quality.MaxPages)
	}
	if err != nil {
		return &exitError{code: exitUsage, err: err}
	}
	r, err := quality.Check(ctx, folder, o)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w: pages are sampled when a run has ended or reached a limit", folder, err)
	}
	if err != nil {
		return err
	}
	if c.Draw {
		if err := r.Keep(folder, time.Now()); err != nil {
			return err
		}
	}
	if c.JSON {
		err = console.JSON(s.Out, r)
	} else {
		err = r.WriteText(s.Out)
	}
	if err != nil || !c.Fetch {
		return err
	}
	wanted := r.Wanted(time.Now(), "watershed quality")
	if err := folder.Want(wanted); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.Err, "%d URLs are asked of the next run: %s\n",
		len(wanted), command("harvest", "--extend", c.File))
	return err
}
