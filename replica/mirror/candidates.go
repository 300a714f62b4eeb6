package mirror

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Candidate is a pair of a ranking that is worth a test: From may be a mirror of To, of which more
// URLs are known.
type Candidate struct {
	Rank     int        `json:"rank"` // in the ranking, from 1
	From     string     `json:"from"`
	To       string     `json:"to"`
	Score    float64    `json:"score"` // of the fused rankings a probability
	Evidence []Evidence `json:"evidence"`
}

// Candidates gives the first pairs of a ranking, at most so many, whose score is at least least.
// Not safe for concurrent use.
func (r *Result) Candidates(m Method, least float64, most int) []Candidate {
	var list []Candidate
	for i, p := range r.Ranking(m) {
		if i == most || p.Score < least {
			break
		}
		a, b := r.e.hosts.list[p.A], r.e.hosts.list[p.B]
		if a.URLs > b.URLs || a.URLs == b.URLs && a.Name < b.Name {
			a, b = b, a
		}
		list = append(list, Candidate{
			Rank: i + 1, From: a.Name, To: b.Name, Score: p.Score,
			Evidence: r.Explain(p),
		})
	}
	return list
}

// Because is the evidence as text: each feature with its value and what it adds to the logarithm of
// the odds.
func (c *Candidate) Because() string {
	var b strings.Builder
	for i, x := range c.Evidence {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%s=%.3g(%+.2f)", x.Name, x.Value, x.Adds)
	}
	return b.String()
}

// WriteCandidates writes candidates as CSV with the columns from, to, rank, score and evidence, in
// the form of the table of replicas: from is the mirror.
func WriteCandidates(w io.Writer, list []Candidate) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"from", "to", "rank", "score", "evidence"}}
	for _, c := range list {
		rows = append(rows, []string{c.From, c.To, strconv.Itoa(c.Rank), strconv.FormatFloat(c.Score, 'g', 6,
			64), c.Because()})
	}
	return out.WriteAll(rows)
}

// WriteCandidates prints candidates for people, and how many hosts were compared.
func (r *Result) WriteCandidates(out io.Writer, list []Candidate) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i := range list {
		c := &list[i]
		fmt.Fprintf(w, "%.3f\t%s\t= %s\t%s\n", c.Score, c.From, c.To, c.Because())
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%d pairs; %d of %d hosts, with %d URLs, were compared\n",
		len(list), r.Report.KeptHosts, r.Report.Hosts, r.Report.KeptURLs)
	return err
}
