package harvest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"watershed/drift"
	"watershed/page"
	"watershed/sitemap"
	"watershed/store"
)

// history compares the runs of a harvest.
type history struct{ *ground }

// tellChanges compares a run that has ended with the run before, and adds the result to the
// harvest's change rates. The first run is not compared.
func (h history) tellChanges(maps []*sitemap.Map) error {
	n := h.Number()
	if !h.recrawls() { // an extension asks for nothing again
		return nil
	}
	r, err := h.compare(n-1, n, maps)
	// a number may stand for a run that captured nothing
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNoRun) || errors.Is(err, errMap) {
		h.log.Warn("the run before left no maps, so that nothing can be compared", "run", n-1, "cause", err)
		return nil
	}
	if err != nil {
		return err
	}
	if err := h.addRates(r, n); err != nil {
		return err
	}
	return h.writeChanges(r)
}

// writeChanges writes reports/changes.txt, .csv and .json.
func (h history) writeChanges(x *drift.Report) error {
	for name, write := range map[string]func(io.Writer) error{
		"changes.txt": x.WriteText, "changes.csv": x.WriteCSV,
		"changes.json": func(w io.Writer) error { return json.NewEncoder(w).Encode(x) },
	} {
		if err := h.write(h.run.path("reports", name), write); err != nil {
			return err
		}
	}
	return nil
}

// compare compares two runs. maps are those of the newer one; nil reads them.
func (h history) compare(older, newer int, maps []*sitemap.Map) (*drift.Report, error) {
	a, err := h.sweep(older, nil)
	if err != nil {
		return nil, err
	}
	b, err := h.sweep(newer, maps)
	if err != nil {
		return nil, err
	}
	b.LeftOut = h.leftOutOf(store.Run(newer))
	return drift.Compare(a, b)
}

// sweep is a run in the form in which runs are compared, with all that the runs have which it extends.
func (h history) sweep(n int, maps []*sitemap.Map) (drift.Sweep, error) {
	s := drift.Sweep{Number: n, Maps: maps}
	run := h.folder.Run(n)
	if maps == nil {
		var err error
		if s.Maps, err = run.Maps(); err != nil {
			return s, err
		}
	}
	found := false
	for r, err := range h.runs() {
		if err != nil {
			return s, err
		}
		if int(r.Number) == n {
			s.Time, found = r.Started, true
		}
	}
	if !found {
		return s, fmt.Errorf("the harvest has no run %d: %w", n, ErrNoRun)
	}
	var whole []store.Run
	err := h.store.View(func(tx *store.Tx) (err error) {
		whole, err = lineage(tx, store.Run(n))
		return err
	})
	s.Visits = func() iter.Seq2[*page.Visit, error] {
		return func(yield func(*page.Visit, error) bool) {
			for _, r := range slices.Backward(whole) { // the first run first
				for v, err := range h.store.Visits(r, 0) {
					if !yield(v, err) {
						return
					}
				}
			}
		}
	}
	return s, err
}

// Maps reads the maps of a run that was delivered. The error is fs.ErrNotExist where there are
// none.
func (r Run) Maps() ([]*sitemap.Map, error) {
	files, err := r.SiteFiles("map.json")
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("the maps of %s: %w", r, fs.ErrNotExist)
	}
	var maps []*sitemap.Map
	for _, path := range files {
		m, err := ReadMap(path)
		if err != nil {
			return nil, err
		}
		maps = append(maps, m)
	}
	return maps, nil
}

// leftOutOf gives the page that stood for a URL that a run left out.
func (h history) leftOutOf(run store.Run) func(page.URL) (page.URL, bool) {
	return func(u page.URL) (stand page.URL, ok bool) {
		err := h.store.View(func(tx *store.Tx) error {
			x, found, err := tx.Entry(run, u.Key())
			if found && x.Reason.Stood() {
				stand, ok = x.Representative, true
			}
			return err
		})
		return stand, ok && err == nil
	}
}

// Rates is the harvest's file of change rates, over all its runs.
func (f Folder) Rates() string { return filepath.Join(string(f), "rates.json") }

// ratesFile keeps the figures of each run, so that adding them again changes nothing.
type ratesFile struct {
	Version int                     `json:"version"` // 1
	Runs    map[string][]drift.Rate `json:"runs"`
}

// ReadRates gives how often the pages of each group change, summed over the runs.
func (f Folder) ReadRates() ([]drift.Rate, error) {
	x, err := f.readRates()
	if err != nil {
		return nil, err
	}
	var sum []drift.Rate
	at := map[[2]string]int{}                              // by site and group
	for _, run := range slices.Sorted(maps.Keys(x.Runs)) { // the sum of days hangs on the order
		for _, r := range x.Runs[run] {
			i, ok := at[[2]string{r.Site, r.Group}]
			if !ok {
				i = len(sum)
				at[[2]string{r.Site, r.Group}] = i
				sum = append(sum, drift.Rate{Site: r.Site, Group: r.Group})
			}
			sum[i].Add(r)
		}
	}
	slices.SortFunc(sum, func(a, b drift.Rate) int {
		return strings.Compare(a.Site+"\x00"+a.Group, b.Site+"\x00"+b.Group)
	})
	return sum, nil
}

func (f Folder) readRates() (ratesFile, error) {
	x := ratesFile{Version: 1, Runs: map[string][]drift.Rate{}}
	text, err := os.ReadFile(f.Rates())
	if errors.Is(err, fs.ErrNotExist) {
		return x, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &x)
	}
	if err == nil && x.Version != 1 {
		err = fmt.Errorf("version %d is not 1", x.Version)
	}
	if err == nil && x.Runs == nil {
		err = errors.New("runs are null")
	}
	if err != nil {
		return x, fmt.Errorf("read %s: %w: move it away, and how often pages change is learnt anew",
			f.Rates(), err)
	}
	return x, nil
}

// addRates adds what a run shows of how often pages change. A site that was renamed keeps what is known of
// it.
func (h history) addRates(r *drift.Report, run int) error {
	x, err := h.folder.readRates()
	if err != nil {
		h.log.Warn("how often pages change was not kept", "run", run, "cause", err)
		return nil
	}
	names := map[string]string{}
	for i := range r.Sites {
		names[r.Sites[i].Was] = r.Sites[i].Name
	}
	for _, rates := range x.Runs {
		for i := range rates {
			rates[i].Site = cmp.Or(names[rates[i].Site], rates[i].Site)
		}
	}
	x.Runs[fmt.Sprint(run)] = r.Rates
	return h.write(h.folder.Rates(), func(w io.Writer) error { return json.NewEncoder(w).Encode(x) })
}
