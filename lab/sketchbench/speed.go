// Package sketchbench measures package replica/sketch: its speed, and the error of its estimates
// against exact resemblance. Each exported type is a command of the laboratory.
package sketchbench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"

	"watershed/lab/kit/rusage"
	"watershed/replica/sketch"
)

// Speed sketches plain text in several ways and prints MB/s of processor time.
type Speed struct {
	Texts  string `arg:""`
	Width  int    `default:"5"`
	Rounds int    `default:"3"`
}

func (c *Speed) Run(out io.Writer) error {
	docs, size, err := readDocs(c.Texts)
	if err != nil {
		return err
	}
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

// readDocs reads one document a line, after the first tab.
func readDocs(name string) (docs [][]byte, size float64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close() //nolint:errcheck // only read
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		_, text, _ := bytes.Cut(lines.Bytes(), []byte("\t"))
		docs = append(docs, bytes.Clone(text))
		size += float64(len(text)) / 1e6
	}
	return docs, size, lines.Err()
}
