package harvest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"watershed/internal/console"
	"watershed/internal/disk"
	"watershed/page"
	"watershed/store"
)

// Forecast has the expected cost of a recrawl, by the cost of the run before, and the cost that
// replicas in force spare it.
type Forecast struct {
	Run      int   `json:"run"`
	Requests int   `json:"requests"` // of pages and requisites
	Bytes    int64 `json:"bytes"`    // at most: of pages that have not changed only a head comes
	Seconds  int64 `json:"seconds"`  // at least: the host that takes longest, at the pace of the run before

	Spared        int   `json:"spared"` // requests that replicas would have cost
	SparedBytes   int64 `json:"sparedBytes"`
	SparedSeconds int64 `json:"sparedSeconds"` // of the time that hosts are busy, summed over all hosts
	Sampled       int   `json:"sampled"`       // pages of replicas that are fetched nevertheless
	Replicas      int   `json:"replicas"`      // in force
}

// String tells it in a line, and another one where replicas are in force.
func (f *Forecast) String() string {
	text := fmt.Sprintf("expected: %s, at most %s, at least %s", requests(f.Requests),
		console.Size(f.Bytes), span(f.Seconds))
	if f.Replicas > 0 {
		text += fmt.Sprintf("\nspared: %s of %s, %s, %s of their hosts' time; pages of them that are "+
			"sampled: %d", requests(f.Spared), console.Plural(f.Replicas, "copy", "copies"),
			console.Size(f.SparedBytes), span(f.SparedSeconds), f.Sampled)
	}
	return text
}

func requests(n int) string { return console.Plural(n, "request", "requests") }

func span(seconds int64) string { return (time.Duration(seconds) * time.Second).String() }

// pace is the number of requests to a host in a run, and the time that they took.
type pace struct {
	first, last time.Time
	requests    int
	kept        int // of these and those of the runs that it extends, expected again
	spared      int

	most int     // requests of one run
	gap  float64 // seconds between two of them, on average
}

// end ends a run: the pace is that of the run with most requests.
func (p *pace) end() {
	if p.requests > max(p.most, 1) {
		p.most, p.gap = p.requests, p.last.Sub(p.first).Seconds()/float64(p.requests-1)
	}
	p.requests = 0
}

// forecaster reckons what recrawls cost, and what copies spare them.
type forecaster struct {
	*ground
	copies *room
}

// foretell writes the forecast of a recrawl that begins, or that was interrupted before it had one.
func (x *forecaster) foretell() error {
	if !x.recrawls() || exists(x.forecastFile()) {
		return nil
	}
	f, err := x.forecast(x.record.Number)
	if err != nil {
		return err
	}
	return x.write(x.forecastFile(), func(w io.Writer) error { return json.NewEncoder(w).Encode(f) })
}

// read gives the forecast of the run, as it was made when the run began; nil for one that is no
// recrawl.
func (x *forecaster) read() (*Forecast, error) {
	return disk.FindJSON[Forecast](x.forecastFile())
}

func (x *forecaster) forecastFile() string { return x.run.path("reports", "forecast.json") }

// forecast reckons what a run will cost by the run before it.
func (x *forecaster) forecast(n store.Run) (*Forecast, error) {
	f := &Forecast{Run: int(n), Replicas: len(x.copies.InForce())}
	hosts := map[page.Host]*pace{}
	err := x.store.View(func(tx *store.Tx) error {
		runs, err := lineage(tx, n-1)
		if err != nil {
			return err
		}
		told := map[page.Key]bool{} // by a later run than the one that is read
		for i, run := range runs {
			if err := x.foreseeRun(tx, f, hosts, run, told, i+1 < len(runs)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("forecast: %w", err)
	}
	for _, p := range hosts {
		f.Seconds = max(f.Seconds, int64(p.gap*float64(p.kept)))
		f.SparedSeconds += int64(p.gap * float64(p.spared))
	}
	return f, nil
}

// lineage is a run, the one that it extends, and so on: a recrawl asks again for what all have.
func lineage(tx *store.Tx, run store.Run) (list []store.Run, err error) {
	extends := map[store.Run]store.Run{}
	for r, err := range tx.Runs() {
		if err != nil {
			return nil, err
		}
		extends[r.Number] = r.Extends
	}
	for ; run != 0; run = extends[run] {
		list = append(list, run)
	}
	return list, nil
}

// foreseeRun counts the URLs that a run fetched, and those that it left out already, unless told has
// them. With note it adds them to told.
func (x *forecaster) foreseeRun(tx *store.Tx, f *Forecast, hosts map[page.Host]*pace, run store.Run,
	told map[page.Key]bool, note bool,
) error {
	var own []page.Key
	one := func(v *page.Visit, fetched bool) error {
		if told[v.URL.Key()] {
			return nil
		}
		if note {
			own = append(own, v.URL.Key())
		}
		return x.foresee(tx, f, hosts, v, fetched)
	}
	for v, err := range x.store.Heads(run, 0) {
		if err == nil && v.Status > 0 {
			err = one(v, true)
		}
		if err != nil {
			return err
		}
	}
	for u, err := range x.store.URLs(run) {
		if err == nil && u.State == store.Skipped && u.Reason.Stood() {
			err = one(&page.Visit{URL: u.URL}, false)
		}
		if err != nil {
			return err
		}
	}
	for _, key := range own {
		told[key] = true
	}
	for _, p := range hosts {
		p.end()
	}
	return nil
}

// foresee counts a URL of the run before; fetched tells whether that asked for it.
func (x *forecaster) foresee(tx *store.Tx, f *Forecast, hosts map[page.Host]*pace, v *page.Visit,
	fetched bool,
) error {
	p := hosts[v.URL.Host()]
	if p == nil {
		p = &pace{}
		hosts[v.URL.Host()] = p
	}
	if fetched {
		if p.last = v.Time; p.requests == 0 {
			p.first = v.Time
		}
		p.requests++
	}
	out, sampled, err := x.copies.Foresee(tx, v.URL)
	if err != nil {
		return err
	}
	bytes := v.Size
	if v.Status == http.StatusNotModified {
		former, _, err := tx.Capture(v.URL)
		if err != nil {
			return err
		}
		bytes = former.Size
	}
	if out && !sampled {
		p.spared++
		f.Spared++
		f.SparedBytes += bytes
		return nil
	}
	p.kept++
	f.Requests++
	f.Bytes += bytes
	if sampled {
		f.Sampled++
	}
	return nil
}

// Outcome is the real cost of a recrawl, beside its forecast.
type Outcome struct {
	Forecast    *Forecast `json:"forecast,omitempty"`
	Requests    int       `json:"requests"`
	Bytes       int64     `json:"bytes"`
	Seconds     int64     `json:"seconds"`
	LeftOut     int       `json:"leftOut"`     // URLs left out in favour of a representative
	NotModified int       `json:"notModified"` // answered by 304
	Duplicates  int       `json:"duplicates"`  // other payloads that were held already
	Reopened    []string  `json:"reopened"`    // replicas that no longer agreed
	Verified    []string  `json:"verified"`    // replicas whose sample agreed
}

// tellOutcome writes reports/recrawl.json.
func (x *forecaster) tellOutcome(l *ledger) error {
	if !x.recrawls() {
		return nil
	}
	o := Outcome{Reopened: []string{}, Verified: []string{}}
	var err error
	if o.Forecast, err = x.read(); err != nil {
		return err
	}
	var first, last time.Time
	for v, err := range x.store.Heads(x.record.Number, 0) {
		if err != nil {
			return err
		}
		if v.Status <= 0 {
			continue
		}
		if o.Requests++; o.Requests == 1 {
			first = v.Time
		}
		last = v.Time
		o.Bytes += v.Size
		switch {
		case v.Status == 304:
			o.NotModified++
		case v.Revisit:
			o.Duplicates++
		}
	}
	o.Seconds = int64(last.Sub(first).Seconds())
	err = l.leftOut(func(*store.URL, *store.Entry) error { o.LeftOut++; return nil })
	if err != nil {
		return err
	}
	for _, e := range x.copies.Table.All() {
		switch {
		case !e.Decided.Before(x.record.Started) && e.By == "sample":
			o.Reopened = append(o.Reopened, e.From)
		case e.State.InForce() && e.Verified.After(x.record.Started):
			o.Verified = append(o.Verified, e.From)
		}
	}
	path := x.run.path("reports", "recrawl.json")
	return x.write(path, func(w io.Writer) error { return console.JSON(w, o) })
}
