package mcltool

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"watershed/graph"
	"watershed/mcl"
)

// ReadABC reads the label format of the reference program (mcxio, "label format"): a line is an
// edge of two labels and an optional weight, default 1. A line with a tab is split at its tabs, so
// that labels may hold blanks, any other line at white space; empty lines and those that begin with
// # are skipped. Labels are numbered in order of first sight, and of the repetitions of an edge, in
// either direction, the largest weight counts, as with mcl --abc.
//
// A line that cannot be read gives a *syntaxError. Memory is 16 bytes a line and the labels, then
// that of the Graph.
func ReadABC(r io.Reader) (*mcl.Graph, []string, error) {
	in := abcReader{ids: make(map[string]graph.ID)}
	if err := eachLine(r, in.line); err != nil {
		return nil, nil, err
	}
	g, err := mcl.NewGraph(len(in.labels), in.edges, mcl.JoinMax)
	if err != nil {
		return nil, nil, err
	}
	return g, in.labels, nil
}

// A syntaxError tells where a text cannot be read.
type syntaxError struct {
	Line   int // counted from 1
	Reason string
}

// Error is "line 7: weight "x" is not a number".
func (e *syntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

type abcReader struct {
	ids    map[string]graph.ID
	labels []string
	edges  []graph.Edge
}

// line reads one line; the error is a reason without the line's number.
func (in *abcReader) line(text []byte) error {
	trimmed := bytes.TrimSpace(text)
	if len(trimmed) == 0 || trimmed[0] == '#' {
		return nil
	}
	a, b, weight, err := splitABC(text)
	if err != nil {
		return err
	}
	w := 1.0
	if len(weight) > 0 {
		if w, err = parseWeight(weight); err != nil {
			return err
		}
	}
	in.edges = append(in.edges, graph.Edge{From: in.id(a), To: in.id(b), Weight: w})
	return nil
}

func (in *abcReader) id(label []byte) graph.ID {
	if id, ok := in.ids[string(label)]; ok {
		return id
	}
	id := graph.ID(len(in.labels))
	in.labels = append(in.labels, string(label))
	in.ids[in.labels[id]] = id
	return id
}

// splitABC gives the fields of a line that is not blank.
func splitABC(line []byte) (a, b, weight []byte, err error) {
	cut := cutField
	if bytes.IndexByte(line, '\t') >= 0 {
		cut = cutTab
	}
	a, rest := cut(line)
	b, rest = cut(rest)
	weight, rest = cut(rest)
	switch {
	case len(a) == 0 || len(b) == 0:
		return nil, nil, nil, errors.New("an edge needs two labels")
	case len(bytes.TrimSpace(rest)) > 0:
		return nil, nil, nil, fmt.Errorf("unexpected %q after the weight", bytes.TrimSpace(rest))
	}
	return a, b, weight, nil
}

// cutField cuts the first field off white-separated text.
func cutField(text []byte) (field, rest []byte) {
	text = bytes.TrimLeft(text, white)
	if end := bytes.IndexAny(text, white); end >= 0 {
		return text[:end], text[end:]
	}
	return text, nil
}

const white = " \t\r\n\v\f"

// cutTab cuts the first field off tab-separated text, without the white space around it.
func cutTab(text []byte) (field, rest []byte) {
	field, rest, _ = bytes.Cut(text, []byte{'\t'})
	return bytes.TrimSpace(field), rest
}

func parseWeight(text []byte) (float64, error) {
	w, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 0, fmt.Errorf("weight %q is not a number", text)
	}
	if !(w >= 0 && w <= math.MaxFloat32) {
		return 0, fmt.Errorf("weight %s is not between 0 and %g", text, math.MaxFloat32)
	}
	return w, nil
}

// maxLine bounds the memory that one line takes: a label is a URL, but a cluster on a line may have
// all of them.
const maxLine = 1 << 28

// eachLine calls f with every line of r, without its end, and puts the number of the line into f's
// error. The line is valid during the call only.
func eachLine(r io.Reader, f func(line []byte) error) error {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 1<<16), maxLine)
	n := 0
	for in.Scan() {
		n++
		if err := f(in.Bytes()); err != nil {
			return &syntaxError{Line: n, Reason: err.Error()}
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return &syntaxError{Line: n + 1, Reason: fmt.Sprintf("longer than %d bytes", maxLine)}
	}
	if in.Err() != nil {
		return fmt.Errorf("read line %d: %w", n+1, in.Err())
	}
	return nil
}

// WriteClusters writes the clusters of r as the reference program does with --abc: one a line,
// labels separated by tabs. labels[v] is the label of vertex v.
func WriteClusters(w io.Writer, r mcl.Result, labels []string) error {
	if len(labels) != len(r.Labels) {
		return fmt.Errorf("%w: %d labels for %d vertices", mcl.ErrGraph, len(labels), len(r.Labels))
	}
	out := bufio.NewWriter(w)
	for i, c := range r.Clusters {
		for k, v := range c {
			if k > 0 {
				out.WriteByte('\t') // an error of out stays and comes back from Flush
			}
			out.WriteString(labels[v])
		}
		if err := out.WriteByte('\n'); err != nil {
			return fmt.Errorf("write cluster %d: %w", i, err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write clusters: %w", err)
	}
	return nil
}
