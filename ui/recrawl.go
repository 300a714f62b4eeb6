package ui

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"watershed/harvest"
	"watershed/internal/disk"
)

// recrawl is what a recrawl was expected to cost and what it cost.
type recrawl struct {
	Forecast *harvest.Forecast `json:"forecast,omitempty"` // told when the run began
	Outcome  *harvest.Outcome  `json:"outcome,omitempty"`  // told when it had ended; without the forecast
}

// readJSON reads a small file; what is not there is nil.
func readJSON[T any](path string) (*T, error) {
	value, err := disk.ReadJSON[T](path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return value, err
}

// readRecrawl reads the files of the run that a query names.
func readRecrawl(q *query) (x recrawl, err error) {
	if x.Forecast, err = readJSON[harvest.Forecast](filepath.Join(q.run.Reports(), "forecast.json")); err !=
		nil {
		return x, err
	}
	if x.Outcome, err = readJSON[harvest.Outcome](filepath.Join(q.run.Reports(), "recrawl.json")); err !=
		nil {
		return x, err
	}
	if x.Outcome != nil {
		x.Forecast, x.Outcome.Forecast = cmp.Or(x.Outcome.Forecast, x.Forecast), nil
		x.Outcome.Reopened, x.Outcome.Verified = append([]string{}, x.Outcome.Reopened...),
			append([]string{}, x.Outcome.Verified...)
	}
	return x, nil
}

// Taken is a number of seconds for people.
func (recrawl) Taken(seconds int64) string { return (time.Duration(seconds) * time.Second).String() }
