package sitemap

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// Row is the mean of a method's scores over the sites of a class.
type Row struct {
	Web       string  `json:"web,omitempty"`
	Method    string  `json:"method"`
	Class     string  `json:"class"`
	Sites     int     `json:"sites"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	Outside   float64 `json:"outside"` // pages of other sites fetched, per page of the true sites
}

// Rows sums the scores of a method up: a row a class in alphabetic order; then "large", those of any class that have more
// pages than the links of their entry page can pay for, where there are some; then "all".
func (e *Evaluation) Rows(method string, scores []Score) []Row {
	byClass := make(map[string][]Score)
	var large []Score
	for _, s := range scores {
		byClass[s.Site.Class] = append(byClass[s.Site.Class], s)
		if e.large(s.Site) {
			large = append(large, s)
		}
	}
	var rows []Row
	for _, class := range sortedKeys(byClass) {
		rows = append(rows, row(method, class, byClass[class]))
	}
	if len(large) > 0 {
		rows = append(rows, row(method, "large", large))
	}
	return append(rows, row(method, "all", scores))
}

func row(method, class string, scores []Score) Row {
	r := Row{Method: method, Class: class, Sites: len(scores)}
	pages := 0
	for _, s := range scores {
		r.Precision += s.Precision / float64(len(scores))
		r.Recall += s.Recall / float64(len(scores))
		r.F1 += s.F1 / float64(len(scores))
		r.Outside += float64(s.Outside)
		pages += len(s.Site.pages)
	}
	r.Outside /= float64(max(1, pages))
	return r
}

// Format is how tables are written.
type Format uint8

const (
	Text Format = iota
	CSV
	JSON // an object a line
)

// WriteRows writes rows of comparisons.
func WriteRows(w io.Writer, f Format, rows []Row) error {
	lines := make([][]string, len(rows))
	for i, r := range rows {
		lines[i] = []string{r.Web, r.Method, r.Class, strconv.Itoa(r.Sites), three(r.Precision), three(r.Recall), three(r.F1), three(r.Outside)}
	}
	return write(w, f, []string{"web", "method", "class", "sites", "precision", "recall", "f1", "outside"}, lines, rows)
}

func three(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }

// write writes a table: lines below a heading, or the rows themselves as JSON.
func write[T any](w io.Writer, f Format, heading []string, lines [][]string, rows []T) error {
	var err error
	switch f {
	case JSON:
		out := json.NewEncoder(w)
		for i := range rows {
			if err = out.Encode(rows[i]); err != nil {
				break
			}
		}
	case CSV:
		out := csv.NewWriter(w)
		_ = out.Write(heading) // Error tells of it
		_ = out.WriteAll(lines)
		err = out.Error()
	default:
		err = writeColumns(w, append([][]string{heading}, lines...))
	}
	if err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// writeColumns pads columns to the widest of their cells.
func writeColumns(w io.Writer, lines [][]string) error {
	width := make([]int, len(lines[0]))
	for _, l := range lines {
		for i, cell := range l {
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	for _, l := range lines {
		text := ""
		for i, cell := range l {
			if i == len(l)-1 {
				text += cell
				break
			}
			text += fmt.Sprintf("%-*s  ", width[i], cell)
		}
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
	}
	return nil
}
