package rankings

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"watershed/replica/mirror"
)

// because is the evidence as text: each feature with its value and what it adds to the logarithm of
// the odds.
func because(evidence []mirror.Evidence) string {
	var b strings.Builder
	for i, x := range evidence {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%s=%.3g(%+.2f)", x.Name, x.Value, x.Adds)
	}
	return b.String()
}

// WriteCandidates writes candidates as CSV with the columns from, to, rank, score and evidence, in
// the form of the table of replicas: from is the mirror.
func WriteCandidates(w io.Writer, list []mirror.Candidate) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"from", "to", "rank", "score", "evidence"}}
	for _, c := range list {
		rows = append(rows, []string{c.From, c.To, strconv.Itoa(c.Rank), strconv.FormatFloat(c.Score, 'g', 6,
			64), because(c.Evidence)})
	}
	return out.WriteAll(rows)
}

// PrintCandidates prints candidates for people, and how many hosts were compared.
func PrintCandidates(out io.Writer, r *mirror.Result, list []mirror.Candidate) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i := range list {
		c := &list[i]
		fmt.Fprintf(w, "%.3f\t%s\t= %s\t%s\n", c.Score, c.From, c.To, because(c.Evidence))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%d pairs; %d of %d hosts, with %d URLs, were compared\n",
		len(list), r.Report.KeptHosts, r.Report.Hosts, r.Report.KeptURLs)
	return err
}

// WriteWeights writes a line for each feature: its name and weight, separated by a tab.
func WriteWeights(out io.Writer, w mirror.Weights) error {
	for i, x := range w {
		if _, err := fmt.Fprintf(out, "%s\t%.4f\n", mirror.FeatureName(i), x); err != nil {
			return err
		}
	}
	return nil
}
