// Command sketchbench measures package replica/sketch: its speed, and the error of its estimates against exact resemblance.
//
//	sketchbench speed [-width 5] DOCS.tsv       one document a line, "truth TAB text", as the peers' benches take
//	sketchbench error [-svg FILE] WEB           the pages of a built test web and its neardups.tsv
//	sketchbench template WEB                    the same pairs by full text and by main text
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"

	"watershed/internal/rusage"
	"watershed/replica/sketch"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sketchbench:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "speed":
			return speed(args[1:], out)
		case "error":
			return estimateError(args[1:], out)
		case "template":
			return templates(args[1:], out)
		}
	}
	return fmt.Errorf("usage: sketchbench speed DOCS.tsv | error WEB [-svg FILE] | template WEB")
}

// speed sketches plain text with several selections and prints MB/s of processor time.
func speed(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("speed", flag.ContinueOnError)
	width := flags.Int("width", 5, "tokens in a shingle")
	rounds := flags.Int("rounds", 3, "rounds, of which the best counts")
	html := flags.Bool("html", false, "documents are HTML")
	if err := flags.Parse(args); err != nil {
		return err
	}
	docs, size, err := readDocs(flags.Arg(0))
	if err != nil {
		return err
	}
	for _, o := range []sketch.Options{
		{},
		{NoSimHash: true, NoSuper: true},
		{Selection: sketch.Mod},
		{Selection: sketch.ModSize},
		{Selection: sketch.Mod, NoSimHash: true, NoSuper: true},
		{Bits: 64},
	} {
		o.Width = *width
		b, err := sketch.NewBuilder(o)
		if err != nil {
			return err
		}
		best := 0.0
		var s sketch.Sketch
		for range *rounds {
			start := rusage.CPU()
			for _, d := range docs {
				if *html {
					b.HTML(d)
				} else {
					b.Text(d)
				}
				b.Finish(&s)
			}
			best = max(best, size/(rusage.CPU()-start).Seconds())
		}
		fmt.Fprintf(out, "%-24v super=%-5v simhash=%-5v %d documents %.1f MB: %.1f MB/s\n", s.Scheme, !o.NoSuper, !o.NoSimHash, len(docs), size, best)
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
