package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"

	"watershed/configs"
	"watershed/drift"
	"watershed/harvest"
	"watershed/internal/console"
	"watershed/store"
)

type changesCommand struct {
	File  string `arg:""`
	Older *int   `arg:"" optional:""`
	Newer *int   `arg:"" optional:""`
	JSON  bool   `name:"json"`
	CSV   bool   `name:"csv"`
	clusterFlag
}

// AfterApply checks what the parser cannot.
func (c *changesCommand) AfterApply() error {
	for _, n := range []*int{c.Older, c.Newer} {
		if n != nil && *n < 1 {
			return fmt.Errorf("no run %d: they are counted from 1", *n)
		}
	}
	return nil
}

// runs are the numbers of the runs to compare, of which last is the latest.
func (c *changesCommand) runs(last int) (older, newer int) {
	if newer = last; c.Newer != nil {
		newer = *c.Newer
	}
	if older = newer - 1; c.Older != nil {
		older = *c.Older
	}
	return older, newer
}

func (c *changesCommand) Run(s console.Streams, config *configs.Harvest) error {
	return examine(config, func(e *harvest.Examination) error {
		older, newer := c.runs(e.Number())
		if older < 1 || older >= newer || newer > e.Number() {
			why := "there is only one run so far"
			if e.Number() > 1 {
				why = fmt.Sprintf("run %d with run %d; the older one comes first, and the harvest has %d",
					older, newer, e.Number())
			}
			return fmt.Errorf("nothing to compare: %s", why)
		}
		for _, number := range []int{older, newer} {
			if _, err := runOf(folderOf(config), number); err != nil {
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

func printRate(w io.Writer, r *drift.Rate, share float64) {
	rate, low, high := r.PerDay()
	if math.IsNaN(rate) {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t-\t-\tless than an hour lies between the visits\n", r.Site, r.Group,
			r.Visits, r.Changed)
		return
	}
	after, _ := r.Interval(share)
	fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%.4f\t%.4f and %.4f\t%.1f days\n", r.Site, r.Group, r.Visits, r.Changed,
		rate, low, high, after.Hours()/24)
}

// forecastCommand says what the next recrawl will cost, and when it is worth its while.
type forecastCommand struct {
	File  string  `arg:""`
	Share float64 `default:"0.1"`
	JSON  bool    `name:"json"`
}

// forecastAnswer is a forecast, as JSON has it, with how often pages change. Until a run has ended there is
// no forecast, and rates alone stand there.
type forecastAnswer struct {
	*harvest.Forecast
	Rates []drift.Rate `json:"rates"` // of groups of pages, empty before the next recrawl
}

func (c *forecastCommand) Run(s console.Streams, config *configs.Harvest) error {
	if !(c.Share > 0 && c.Share < 1) {
		return &exitError{exitUsage, fmt.Errorf("--share is %g; it lies between 0 and 1", c.Share)}
	}
	folder := folderOf(config)
	rates, err := folder.ReadRates()
	if err != nil {
		return err
	}
	last, err := folder.Last()
	if err != nil {
		return err
	}
	var f *harvest.Forecast
	err = examine(config, func(e *harvest.Examination) (err error) {
		f, err = e.Forecast()
		return err
	})
	switch {
	case errors.Is(err, store.ErrLocked):
		fmt.Fprintln(s.Err, "a run is under way: what the next one costs is told when it has ended")
	case err != nil:
		return err
	case !last.Finished(): // and it was not gone through
		f = nil
		fmt.Fprintf(s.Err, "run %d goes on with the next harvest: what the one after it costs is told when "+
			"it has ended\n", last.Number())
	}
	if c.JSON {
		return console.JSON(s.Out, forecastAnswer{f, orEmpty(rates)})
	}
	if f != nil {
		fmt.Fprintln(s.Out, f)
	}
	return printRates(s.Out, rates, c.Share)
}

// printRates prints how often pages change, and when that part of them will have changed.
func printRates(out io.Writer, rates []drift.Rate, share float64) error {
	if len(rates) == 0 {
		_, err := fmt.Fprintln(out, "how often pages change is not known before the next recrawl")
		return err
	}
	w := console.NewTable(out)
	w.Head = true
	fmt.Fprintln(w, "site\tgroup\tvisits\tchanged\ta day\tbetween\tnext visit after")
	for i := range rates {
		printRate(w, &rates[i], share)
	}
	return w.Flush()
}
