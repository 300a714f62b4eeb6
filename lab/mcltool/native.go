package mcltool

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"watershed/graph"
	"watershed/mcl"
)

// readMatrix reads a graph in the native matrix format of the reference program (mcxio). Text
// before the header is skipped.
//
//	(mclheader
//	mcltype matrix
//	dimensions 3x3
//	)
//	(mcldoms
//	10 20 30 $
//	)
//	(mclmatrix
//	begin
//	10 20:0.5 $      column 10 has the entry 0.5 in row 20
//	20 10:0.5 30 $   an entry without a value is 1
//	30 20 $
//	)
//
// The section mcldoms is optional and 0, 1, 2, … without it; # begins a comment. domain[v] is the
// number that the text gives to vertex v; it ascends. Of w(u,v) and w(v,u) the larger one counts. A
// *syntaxError tells what cannot be read.
func readMatrix(r io.Reader) (g *mcl.Graph, domain []int, err error) {
	in := matrixReader{}
	var edges []graph.Edge
	in.entry = func(column, row int, value float64) error {
		edges = append(edges, graph.Edge{From: graph.ID(column), To: graph.ID(row), Weight: value})
		return nil
	}
	if err := in.read(r); err != nil {
		return nil, nil, err
	}
	if !slices.Equal(in.rowDomain, in.columnDomain) {
		return nil, nil, fmt.Errorf("%w: a graph has the same rows and columns", mcl.ErrGraph)
	}
	g, err = mcl.NewGraph(len(in.rowDomain), edges, mcl.JoinMax)
	return g, in.rowDomain, err
}

// A matrixReader takes the native format apart, token by token.
type matrixReader struct {
	entry func(column, row int, value float64) error // called with positions in the domains

	rowDomain, columnDomain []int
	rowAt, columnAt         map[int]int // position of a number; nil if the domain is 0, 1, 2, …

	rows, columns int // of the header
	section       string
	state         func(m *matrixReader, token string) error
	domain        []int // of the section being read
	column        int   // of the column being read
	done          bool
}

func (m *matrixReader) read(r io.Reader) error {
	m.rows, m.columns, m.state = -1, -1, (*matrixReader).open
	err := eachLine(r, func(line []byte) error {
		line, _, _ = bytes.Cut(line, []byte{'#'})
		for token := range bytes.FieldsSeq(line) {
			if err := m.state(m, string(token)); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && !m.done {
		return fmt.Errorf("%w: the matrix ends early", mcl.ErrGraph)
	}
	return err
}

// open waits for the beginning of a section.
func (m *matrixReader) open(token string) error {
	m.section = token
	switch token {
	case "(mclheader":
		m.state = (*matrixReader).header
	case "(mclrows", "(mclcols", "(mcldoms":
		if m.rows < 0 {
			return fmt.Errorf("%s comes before the dimensions", token)
		}
		m.domain, m.state = nil, (*matrixReader).number
	case "(mclmatrix":
		return m.begin()
	default:
		if m.rows < 0 { // words before the header, as the examples of the reference program have them
			return nil
		}
		return fmt.Errorf("expected a section, found %q", token)
	}
	return nil
}

// header reads "mcltype matrix dimensions RxC )".
func (m *matrixReader) header(token string) error {
	switch token {
	case "mcltype", "matrix", "dimensions":
		return nil
	case ")":
		if m.rows < 0 {
			return errors.New("the header has no dimensions")
		}
		m.state = (*matrixReader).open
		return nil
	}
	var rows, columns int
	if n, err := fmt.Sscanf(token+" ", "%dx%d ", &rows, &columns); n != 2 || err != nil {
		return fmt.Errorf("expected dimensions such as 3x3, found %q", token)
	}
	if rows < 0 || columns < 0 || rows > mcl.MaxVertices || columns > mcl.MaxVertices {
		return fmt.Errorf("dimensions %s are above %d", token, mcl.MaxVertices)
	}
	m.rows, m.columns = rows, columns
	return nil
}

// number reads a domain up to its $.
func (m *matrixReader) number(token string) error {
	if token == "$" {
		m.state = (*matrixReader).closeDomain
		return nil
	}
	n, err := strconv.Atoi(token)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is not a number of a domain", token)
	}
	if len(m.domain) > 0 && n <= m.domain[len(m.domain)-1] {
		return fmt.Errorf("domain does not ascend at %d", n)
	}
	if len(m.domain) == max(m.rows, m.columns) {
		return errors.New("domain is longer than its dimension")
	}
	m.domain = append(m.domain, n)
	return nil
}

func (m *matrixReader) closeDomain(token string) error {
	if token != ")" {
		return fmt.Errorf("expected the end of a domain, found %q", token)
	}
	if m.section != "(mclcols" {
		if len(m.domain) != m.rows {
			return fmt.Errorf("domain has %d numbers for %d rows", len(m.domain), m.rows)
		}
		m.rowDomain, m.rowAt = m.domain, positions(m.domain)
	}
	if m.section != "(mclrows" {
		if len(m.domain) != m.columns {
			return fmt.Errorf("domain has %d numbers for %d columns", len(m.domain), m.columns)
		}
		m.columnDomain, m.columnAt = m.domain, positions(m.domain)
	}
	m.state = (*matrixReader).open
	return nil
}

func positions(domain []int) map[int]int {
	at := make(map[int]int, len(domain))
	for i, n := range domain {
		at[n] = i
	}
	return at
}

// begin starts the matrix proper; domains that were not given are 0, 1, 2, ….
func (m *matrixReader) begin() error {
	if m.rows < 0 {
		return errors.New("the matrix comes before its header")
	}
	if m.rowAt == nil {
		m.rowDomain = upTo(m.rows)
	}
	if m.columnAt == nil {
		m.columnDomain = upTo(m.columns)
	}
	m.state = func(m *matrixReader, token string) error {
		if token != "begin" {
			return fmt.Errorf("expected begin, found %q", token)
		}
		m.state = (*matrixReader).columnNumber
		return nil
	}
	return nil
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// columnNumber reads the number at the head of a column, or the end of the matrix.
func (m *matrixReader) columnNumber(token string) error {
	if token == ")" {
		m.done = true
		m.state = func(_ *matrixReader, token string) error {
			return fmt.Errorf("unexpected %q after the matrix", token)
		}
		return nil
	}
	column, _, err := position(token, m.columnAt, m.columns)
	if err != nil {
		return fmt.Errorf("column %w", err)
	}
	m.column, m.state = column, (*matrixReader).columnEntry
	return nil
}

// columnEntry reads one entry of a column, or its end.
func (m *matrixReader) columnEntry(token string) error {
	if token == "$" {
		m.state = (*matrixReader).columnNumber
		return nil
	}
	row, value, err := position(token, m.rowAt, m.rows)
	if err != nil {
		return fmt.Errorf("row %w", err)
	}
	return m.entry(m.column, row, value)
}

// position reads "7" or "7:0.5": the place of the number in its domain, and the value, 1 if there
// is none.
func position(token string, at map[int]int, size int) (int, float64, error) {
	name, text, valued := bytes.Cut([]byte(token), []byte{':'})
	n, err := strconv.Atoi(string(name))
	if err != nil {
		return 0, 0, fmt.Errorf("%q is not a number", name)
	}
	p, ok := n, n >= 0 && n < size
	if at != nil {
		p, ok = at[n]
	}
	if !ok {
		return 0, 0, fmt.Errorf("%d is not in the domain", n)
	}
	value := 1.0
	if valued {
		if value, err = parseWeight(text); err != nil {
			return 0, 0, fmt.Errorf("%d: %w", n, err)
		}
	}
	return p, value, nil
}

// writeClusterMatrix writes the clusters of r in the native format, the largest first.
func writeClusterMatrix(w io.Writer, r mcl.Result) error {
	return writeNative(w, len(r.Labels), len(r.Clusters), func(out *bufio.Writer, column int) {
		for _, v := range r.Clusters[column] {
			fmt.Fprintf(out, " %d", v)
		}
	})
}

func writeNative(w io.Writer, rows, columns int, column func(out *bufio.Writer, c int)) error {
	out := bufio.NewWriter(w) // remembers its first error for Flush
	fmt.Fprintf(out, "(mclheader\nmcltype matrix\ndimensions %dx%d\n)\n(mclmatrix\nbegin\n", rows, columns)
	for c := range columns {
		fmt.Fprintf(out, "%d", c)
		column(out, c)
		fmt.Fprintf(out, " $\n")
	}
	fmt.Fprintf(out, ")\n")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write matrix: %w", err)
	}
	return nil
}
