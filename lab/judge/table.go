package judge

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
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
	Below     int     `json:"below"`   // sites on which a crawl of the prefix is better by more than 0.05
}

// Rows sums the scores of a method, of one evaluation or of several, up: a row a class in
// alphabetic order; then "large", those of any class that have more pages than the links of their
// entry page can pay for, where there are some; then "all".
func Rows(method string, scores []Score) []Row {
	byClass := make(map[string][]Score)
	var large []Score
	for _, s := range scores {
		byClass[s.Site.Class] = append(byClass[s.Site.Class], s)
		if s.Large {
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
		r.Below += b2i(s.BelowPrefix())
		pages += len(s.Site.pages)
	}
	r.Outside /= float64(max(1, pages))
	return r
}

// WriteWide writes a line a method: for each web mean F1 of the sites on several hosts, mean F1 of
// all, pages of other sites fetched for each true one, and, where there are any, with a minus sign
// the number of sites on which a crawl of the prefix is better by more than 0.05.
func WriteWide(w io.Writer, f Format, rows []Row) error {
	heading := []string{"method"}
	column := make(map[string]int)
	line := make(map[string]int)
	var lines [][]string
	for _, r := range rows {
		if column[r.Web] == 0 {
			column[r.Web] = len(heading)
			heading = append(heading, r.Web)
		}
		if _, ok := line[r.Method]; !ok {
			line[r.Method] = len(lines)
			lines = append(lines, []string{r.Method})
		}
	}
	for i := range lines {
		lines[i] = append(lines[i], make([]string, len(heading)-1)...)
	}
	for _, r := range rows {
		cell := &lines[line[r.Method]][column[r.Web]]
		switch r.Class {
		case "multi":
			*cell = three(r.F1) + " "
		case "all":
			*cell += three(r.F1) + " " + three(r.Outside)
			if r.Below > 0 {
				*cell += " -" + strconv.Itoa(r.Below)
			}
		}
	}
	return write(w, f, heading, lines, rows)
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
		lines[i] = []string{
			r.Web, r.Method, r.Class, strconv.Itoa(r.Sites), three(r.Precision),
			three(r.Recall), three(r.F1), three(r.Outside), strconv.Itoa(r.Below),
		}
	}
	return write(w, f, []string{
		"web", "method", "class", "sites", "precision", "recall", "f1", "outside",
		"below",
	}, lines, rows)
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
		out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, l := range append([][]string{heading}, lines...) {
			fmt.Fprintln(out, strings.Join(l, "\t"))
		}
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}
