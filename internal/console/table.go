package console

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Table lays out what is written to it in columns: cells end with a tab, rows with a line feed. All
// is written when it is flushed. On a terminal too narrow for a row, cells are broken into lines;
// nothing is cut. The last cell of a row is as long as it is, and no other cell is aligned by it.
type Table struct {
	// Head says that the first row is headings. Where columns would become too narrow to be read,
	// each row is told as headings and cells by turns then.
	Head bool

	out  io.Writer
	text bytes.Buffer
}

// NewTable is a table that is written to out.
func NewTable(out io.Writer) *Table { return &Table{out: out} }

// Write takes cells and rows.
func (t *Table) Write(p []byte) (int, error) { return t.text.Write(p) }

const (
	gutter   = 2   // blanks between columns
	padded   = 100 // columns to which cells are filled up in a pipe
	readable = 12  // columns of the terminal that a cell needs at least, unless it is shorter
)

// Flush lays out what was written so far. Time and memory are linear in its length.
func (t *Table) Flush() error {
	defer t.text.Reset()
	var rows [][]string
	for line := range strings.Lines(t.text.String()) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	natural, width := widths(rows), Width(t.out)
	if len(rows) == 0 || width == 0 {
		return t.plain(rows, natural)
	}
	total := gutter * (len(natural) - 1)
	for _, n := range natural {
		total += n
	}
	fitting := natural
	if total > width {
		fitting = shrink(natural, width-gutter*(len(natural)-1))
	}
	var b strings.Builder
	if slices.Max(fitting) < min(slices.Max(natural), readable) && t.Head {
		list(&b, rows)
	} else {
		for _, row := range rows {
			layOut(&b, row, fitting)
		}
	}
	_, err := io.WriteString(t.out, b.String())
	return err
}

// plain writes rows as wide as they are. A cell of more than padded columns has no others aligned by
// it: addresses may have 2,000 characters.
func (t *Table) plain(rows [][]string, natural []int) error {
	var b strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", max(min(natural[i], padded)-Columns(cell), 0)+gutter))
			}
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(t.out, b.String())
	return err
}

// widths are the columns of the terminal that the widest cell of each column takes.
func widths(rows [][]string) (list []int) {
	for _, row := range rows {
		for i, cell := range row {
			if i == len(list) {
				list = append(list, 0)
			}
			list[i] = max(list[i], Columns(cell))
		}
	}
	return list
}

// shrink makes the widest columns narrower until all take most columns of the terminal together, if
// that can be done with one for each.
func shrink(natural []int, most int) []int {
	limit := 1
	for sum := 0; ; limit++ { // the most that a column may take
		sum = 0
		for _, n := range natural {
			sum += min(n, limit+1)
		}
		if sum > most || limit > most {
			break
		}
	}
	list, spare := make([]int, len(natural)), most
	for i, n := range natural {
		list[i] = min(n, limit)
		spare -= list[i]
	}
	for i, n := range natural {
		if more := min(n-list[i], spare); more > 0 {
			list[i] += more
			break
		}
	}
	return list
}

// layOut writes a row in columns of given widths, in as many lines as its cells need.
func layOut(b *strings.Builder, row []string, widths []int) {
	cells, lines := make([][]string, len(row)), 1
	for i, text := range row {
		cells[i] = Wrap(text, max(widths[i], 1))
		lines = max(lines, len(cells[i]))
	}
	for k := range lines {
		var line strings.Builder
		for i, cell := range cells {
			text := ""
			if k < len(cell) {
				text = cell[k]
			}
			line.WriteString(text)
			if i < len(cells)-1 {
				line.WriteString(strings.Repeat(" ", max(widths[i]-Columns(text), 0)+gutter))
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// list writes each row but the first as a line of headings and cells.
func list(b *strings.Builder, rows [][]string) {
	for _, row := range rows[1:] {
		for i, cell := range row {
			if i < len(rows[0]) && cell != "" {
				fmt.Fprintf(b, "%s %s  ", rows[0][i], cell)
			}
		}
		b.WriteByte('\n')
	}
}
