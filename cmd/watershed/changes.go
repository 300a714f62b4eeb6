package main

import (
	"errors"
	"fmt"
	"io/fs"

	"watershed/drift"
	"watershed/harvest"
	"watershed/internal/console"
	"watershed/store"
)

type changesCommand struct {
	File  string `arg:""`
	Older int    `arg:"" optional:""`
	Newer int    `arg:"" optional:""`
	JSON  bool   `name:"json"`
	CSV   bool   `name:"csv"`
	clusterFlag
}

func (c *changesCommand) Run(s console.Streams) error {
	config, err := load(c.File)
	if err != nil {
		return err
	}
	return examine(&config, func(e *harvest.Examination) error {
		older, newer := c.Older, c.Newer
		if newer == 0 {
			newer = e.Number()
		}
		if older == 0 {
			older = newer - 1
		}
		if older < 1 || older >= newer || newer > e.Number() {
			why := "there is only one run so far"
			if e.Number() > 1 {
				why = fmt.Sprintf("run %d with run %d; the older one comes first, and the harvest has %d",
					older, newer, e.Number())
			}
			return fmt.Errorf("nothing to compare: %s", why)
		}
		for _, number := range []int{older, newer} {
			if _, err := runOf(c.File, number); err != nil {
				return err
			}
		}
		r, err := e.Changes(older, newer)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%w: they are drawn when a run has ended or reached a limit", err)
		case err != nil:
			return err
		}
		return c.print(s, r)
	})
}

func (c *changesCommand) print(s console.Streams, r *drift.Report) error {
	switch {
	case c.JSON:
		return console.JSON(s.Out, r)
	case c.CSV:
		return r.WriteCSV(console.Whole(s.Out))
	}
	return r.WriteText(s.Out)
}

// forecastCommand says what the next recrawl will cost.
type forecastCommand struct {
	File string `arg:""`
	JSON bool   `name:"json"`
}

func (c *forecastCommand) Run(s console.Streams) error {
	config, err := load(c.File)
	if err != nil {
		return err
	}
	last, err := folderOf(&config).Last()
	if err != nil {
		return err
	}
	var f *harvest.Forecast
	err = examine(&config, func(e *harvest.Examination) (err error) {
		f, err = e.Forecast()
		return err
	})
	switch {
	case errors.Is(err, store.ErrLocked):
		return errors.New("a run is under way: what the next one costs is told when it has ended")
	case err != nil:
		return err
	case !last.Finished(): // and it was not gone through
		return fmt.Errorf("run %d goes on with the next harvest: what the one after it costs is told when "+
			"it has ended", last.Number())
	case c.JSON:
		return console.JSON(s.Out, f)
	}
	_, err = fmt.Fprintln(s.Out, f)
	return err
}
