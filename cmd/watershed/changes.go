package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"

	"watershed/drift"
	"watershed/harvest"
	"watershed/internal/console"
)

type changesCommand struct {
	File  string `arg:""`
	Older int    `arg:"" optional:""`
	Newer int    `arg:"" optional:""`
	JSON  bool   `name:"json"`
	CSV   bool   `name:"csv"`
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
			return fmt.Errorf("nothing to compare: run %d with run %d; the harvest has %d", older,
				newer, e.Number())
		}
		r, err := e.Changes(older, newer)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%w: they are drawn when a run has ended or reached a limit", err)
		case err != nil:
			return err
		case c.JSON:
			return console.JSON(s.Out, r)
		case c.CSV:
			return r.WriteCSV(console.Whole(s.Out))
		}
		return r.WriteText(s.Out)
	})
}

type ratesCommand struct {
	File  string  `arg:""`
	Share float64 `default:"0.1"`
	JSON  bool    `name:"json"`
}

func (c *ratesCommand) Run(s console.Streams) error {
	config, err := load(c.File)
	if err != nil {
		return err
	}
	if !(c.Share > 0 && c.Share < 1) {
		return fmt.Errorf("--share is %g; it lies between 0 and 1", c.Share)
	}
	rates, err := folderOf(&config).ReadRates()
	if err != nil {
		return err
	}
	if c.JSON {
		return console.JSON(s.Out, orEmpty(rates))
	}
	if len(rates) == 0 {
		_, err := fmt.Fprintln(s.Out, "nothing is known before the second run")
		return err
	}
	w := console.NewTable(s.Out)
	w.Head = true
	fmt.Fprintln(w, "site\tgroup\tvisits\tchanged\ta day\tbetween\tnext visit after")
	for i := range rates {
		printRate(w, &rates[i], c.Share)
	}
	return w.Flush()
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

type forecastCommand struct {
	File string `arg:""`
	JSON bool   `name:"json"`
}

func (c *forecastCommand) Run(s console.Streams) error {
	config, err := load(c.File)
	if err != nil {
		return err
	}
	return examine(&config, func(e *harvest.Examination) error {
		f, err := e.Forecast()
		switch {
		case err != nil:
			return err
		case c.JSON:
			return console.JSON(s.Out, f)
		}
		_, err = fmt.Fprintln(s.Out, f)
		return err
	})
}
