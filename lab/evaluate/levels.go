package evaluate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"watershed/lab/rankings"
	"watershed/replica/prove"
)

// levels prints what levels the tests of mirrors gave to pairs whose levels are known, as Bharat
// and Broder's Table 2 with the truth beside it. Pairs of which nothing is known, or that cannot be
// judged, are left out.
func (c *Mirrors) levels(out io.Writer) error {
	path := c.Truth
	if info, err := os.Stat(path); err != nil {
		return err
	} else if info.IsDir() {
		path = filepath.Join(path, "mirrors.tsv")
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	truth, err := rankings.ReadTruth(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	found, err := readVerified(c.Verified)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Verified, err)
	}
	var table rankings.Confusion
	truth.Judged(func(a, b string, l rankings.Level) {
		class, tested := found[[2]string{a, b}]
		switch {
		case !tested || l == rankings.Unknown || l == rankings.Inferred:
		case l == rankings.Mismatch:
			table.Add(prove.Mismatch, class)
		default:
			table.Add(prove.Class(l), class)
		}
	})
	if err := table.WriteText(out); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "%d pairs, exact %.3f\n", table.Total(), table.Exact()); err != nil {
		return err
	}
	if c.CSV == "" {
		return nil
	}
	return writeFile(c.CSV, table.WriteCSV)
}

// readVerified reads the verdicts of copies verify --json; the lesser name of a pair comes first.
func readVerified(path string) (map[[2]string]prove.Class, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var verified struct {
		Proved []struct {
			A, B  string
			Class prove.Class
		}
	}
	if err := json.Unmarshal(text, &verified); err != nil {
		return nil, err
	}
	found := map[[2]string]prove.Class{}
	for _, p := range verified.Proved {
		found[[2]string{min(p.A, p.B), max(p.A, p.B)}] = p.Class
	}
	return found, nil
}
