package replica

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// column is one column of a table as CSV.
type column struct {
	name  string
	write func(*Entry) string
	read  func(*Entry, string) error
}

var columns = []column{
	textColumn("from", func(e *Entry) *string { return &e.From }),
	textColumn("to", func(e *Entry) *string { return &e.To }),
	{"state", func(e *Entry) string {
		return e.State.String()
	}, func(e *Entry, s string) error { return readState(&e.State, s) }},
	countColumn("level", func(e *Entry) *int { return &e.Level }),
	textColumn("method", func(e *Entry) *string { return &e.Method }),
	countColumn("pages", func(e *Entry) *int { return &e.Evidence.Pages }),
	countColumn("common", func(e *Entry) *int { return &e.Evidence.Common }),
	countColumn("tested", func(e *Entry) *int { return &e.Evidence.Tested }),
	countColumn("agreed", func(e *Entry) *int { return &e.Evidence.Agreed }),
	countColumn("harvests", func(e *Entry) *int { return &e.Evidence.Harvests }),
	shareColumn("resemblance", func(e *Entry) *float64 { return &e.Evidence.Resemblance }),
	shareColumn("containment", func(e *Entry) *float64 { return &e.Evidence.Containment }),
	shareColumn("purity", func(e *Entry) *float64 { return &e.Evidence.Purity }),
	timeColumn("found", func(e *Entry) *time.Time { return &e.Found }),
	timeColumn("decided", func(e *Entry) *time.Time { return &e.Decided }),
	timeColumn("verified", func(e *Entry) *time.Time { return &e.Verified }),
	textColumn("by", func(e *Entry) *string { return &e.By }),
	textColumn("note", func(e *Entry) *string { return &e.Note }),
	{
		"history", func(e *Entry) string { return formatHistory(e.History) },
		func(e *Entry, s string) (err error) {
			e.History, err = readHistory(s)
			return err
		},
	},
}

func textColumn(name string, field func(*Entry) *string) column {
	return column{name, func(e *Entry) string {
		return *field(e)
	}, func(e *Entry, s string) error { *field(e) = s; return nil }}
}

func countColumn(name string, field func(*Entry) *int) column {
	return column{
		name, func(e *Entry) string { return unless0(*field(e) == 0, strconv.Itoa(*field(e))) },
		func(e *Entry, s string) (err error) {
			if s != "" {
				*field(e), err = strconv.Atoi(s)
			}
			return err
		},
	}
}

func shareColumn(name string, field func(*Entry) *float64) column {
	return column{name, func(e *Entry) string {
		return unless0(*field(e) == 0, strconv.FormatFloat(*field(e), 'g', -1, 64))
	}, func(e *Entry, s string) (err error) {
		if s != "" {
			*field(e), err = strconv.ParseFloat(s, 64)
		}
		return err
	}}
}

func timeColumn(name string, field func(*Entry) *time.Time) column {
	return column{
		name, func(e *Entry) string { return formatTime(*field(e)) },
		func(e *Entry, s string) error { return readTime(field(e), s) },
	}
}

func unless0(zero bool, text string) string {
	if zero {
		return ""
	}
	return text
}

// formatHistory writes changes as quadruples of CSV fields, one a line.
func formatHistory(changes []Change) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	for _, c := range changes {
		// a strings.Builder takes everything
		_ = w.Write([]string{c.State.String(), formatTime(c.Time), c.By, c.Note})
	}
	w.Flush()
	return b.String()
}

func readHistory(text string) ([]Change, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = 4
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	var changes []Change
	for _, row := range rows {
		c := Change{By: row[2], Note: row[3]}
		if err := errors.Join(readState(&c.State, row[0]), readTime(&c.Time, row[1])); err != nil {
			return nil, fmt.Errorf("history: %w", err)
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// WriteCSV writes the table below a line of headings, sorted by replica: docs/formats/replicas.md.
func (t *Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	row := make([]string, len(columns))
	for i, c := range columns {
		row[i] = c.name
	}
	err := out.Write(row)
	for _, e := range t.All() {
		for i, c := range columns {
			row[i] = c.write(&e)
		}
		err = errors.Join(err, out.Write(row))
	}
	out.Flush()
	if err = errors.Join(err, out.Error()); err != nil {
		return fmt.Errorf("write the table of replicas: %w", err)
	}
	return nil
}

// ReadCSV reads what WriteCSV writes; of the columns only from and to are needed, in any order.
// Errors name the line. An entry without a state is confirmed.
func ReadCSV(r io.Reader) (*Table, error) {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	head, err := in.Read()
	if err != nil {
		return nil, inLine(1, fmt.Errorf("the line of headings: %w", err))
	}
	fields := make([]*column, len(head))
	for i, name := range head {
		k := slices.IndexFunc(columns, func(c column) bool {
			return c.name == strings.TrimSpace(strings.ToLower(name))
		})
		if k < 0 {
			return nil, inLine(1, fmt.Errorf("unknown column %q", name))
		}
		if slices.Contains(fields[:i], &columns[k]) {
			return nil, inLine(1, fmt.Errorf("column %q comes twice", name))
		}
		fields[i] = &columns[k]
	}
	if !slices.Contains(fields, &columns[0]) || !slices.Contains(fields, &columns[1]) {
		return nil, inLine(1, errors.New("the columns \"from\" and \"to\" are needed"))
	}
	t := new(Table)
	var errs []error
	for {
		row, err := in.Read()
		if err == io.EOF {
			return t, errors.Join(errs...)
		}
		if err != nil {
			return t, errors.Join(append(errs, fmt.Errorf("read the table of replicas: %w", err))...)
		}
		n, _ := in.FieldPos(0)
		if err := t.readRow(fields, row); err != nil {
			errs = append(errs, inLine(n, err))
		}
	}
}

func (t *Table) readRow(fields []*column, row []string) error {
	e := Entry{State: Confirmed}
	for i, c := range fields {
		if err := c.read(&e, row[i]); err != nil {
			return fmt.Errorf("column %q: %w", c.name, err)
		}
	}
	if _, twice := t.entries[e.From]; twice {
		return &EntryError{e.From, errors.New("a second entry for the same replica")}
	}
	return t.Put(e)
}
