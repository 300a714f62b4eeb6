// Package sketchbench measures package replica/sketch: its speed, and the error of its estimates
// against exact resemblance. Each exported type is a command of the laboratory.
package sketchbench

import (
	"fmt"
	"io"

	"watershed/lab/kit/rusage"
	"watershed/lab/testweb"
	"watershed/replica/sketch"
)

// Speed sketches plain text in several ways and prints MB/s of processor time.
type Speed struct {
	Texts  string `arg:""`
	Width  int    `default:"5"`
	Rounds int    `default:"3"`
}

func (c *Speed) Run(out io.Writer) error {
	docs, _, bytes, err := testweb.Documents(c.Texts)
	if err != nil {
		return err
	}
	size := float64(bytes) / 1e6
	for _, o := range []sketch.Options{
		{},
		{NoSuper: true},
		{Bits: 64},
	} {
		o.Width = c.Width
		b, err := sketch.NewBuilder(o)
		if err != nil {
			return err
		}
		best := 0.0
		var s sketch.Sketch
		for range c.Rounds {
			start := rusage.CPU()
			for _, d := range docs {
				b.Text(d)
				b.Finish(&s)
			}
			best = max(best, size/(rusage.CPU()-start).Seconds())
		}
		fmt.Fprintf(out, "%-24v super=%-5v %d documents %.1f MB: %.1f MB/s\n", s.Scheme,
			!o.NoSuper, len(docs), size, best)
	}
	return nil
}
