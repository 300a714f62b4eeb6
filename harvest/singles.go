package harvest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"watershed/frontier"
	"watershed/internal/disk"
	"watershed/page"
	"watershed/replica"
	"watershed/replica/catalog"
)

// Copies is the harvest's list of single pages that the next run leaves out because another page
// has the same text, and of those that it must ask for because only left out pages link to them:
// docs/formats/replicas.md. Each run makes it anew; it may be removed, or lines of it.
func (f Folder) Copies() string { return filepath.Join(string(f), "copies.tsv") }

// copiesHead is the first line of the file.
const copiesHead = "# watershed copies 1"

// singles are the single pages that a run leaves out.
type singles struct {
	mu     sync.Mutex                  // guards stand, which the frontier asks while pages are learnt
	stand  map[page.URL]catalog.Single // of pages left out
	by     map[page.URL][]page.URL     // the pages left out for a page
	ask    []page.URL                  // what only pages left out lead to
	sample []page.URL                  // what is fetched nevertheless
	asked  map[page.URL]bool           // both
}

// readSingles reads the list. A file that is not there is an empty one.
func readSingles(path string) (s *singles, err error) {
	s = &singles{stand: map[page.URL]catalog.Single{}, asked: map[page.URL]bool{}}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("read the list of copies: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if err := s.line(n, lines.Text()); err != nil {
			return s, fmt.Errorf("%s: line %d: %w", path, n, err)
		}
	}
	return s, lines.Err()
}

// line takes one line of the list.
func (s *singles) line(n int, text string) error {
	if n == 1 && text != copiesHead {
		return fmt.Errorf("it is %q, not %q", text, copiesHead)
	}
	if text == "" || text[0] == '#' {
		return nil
	}
	f := strings.Split(text, "\t")
	switch {
	case f[0] == "ask" && len(f) == 2:
		u, err := canonical(f[1])
		s.ask = append(s.ask, u)
		return err
	case f[0] == "copy" && len(f) == 5:
		u, err1 := canonical(f[1])
		stand, err2 := canonical(f[2])
		r, err3 := strconv.ParseFloat(f[3], 64)
		sweeps, err4 := strconv.Atoi(f[4])
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			return err
		}
		s.stand[u] = catalog.Single{URL: u, Stand: stand, Resemblance: r, Sweeps: sweeps}
		return nil
	}
	return fmt.Errorf("%d fields that begin with %q are neither a copy nor a page to be asked for", len(f),
		f[0])
}

// canonical reads a URL that is to be canonical.
func canonical(text string) (page.URL, error) {
	u, err := page.ParseURL(text)
	if err == nil && string(u) != text {
		err = fmt.Errorf("%q is not canonical; that would be %q", text, u)
	}
	return u, err
}

// writeSingles writes the list.
func writeSingles(d disk.FS, path string, list []catalog.Single, ask []page.URL) error {
	return disk.WriteFile(d, path, 0o644, func(out io.Writer) error {
		w := bufio.NewWriter(out)
		fmt.Fprintf(w, "%s\n# copy\turl\tstands for it\tresemblance\truns\n", copiesHead)
		for i := range list {
			x := &list[i]
			fmt.Fprintf(w, "copy\t%s\t%s\t%.3f\t%d\n", x.URL, x.Stand, x.Resemblance, x.Sweeps)
		}
		for _, u := range ask {
			fmt.Fprintf(w, "ask\t%s\n", u)
		}
		return w.Flush()
	})
}

// openSingles reads which pages the run leaves out one by one, without the seeds. Later setApart
// takes off those for which the table has a stand by now, and those whose stand the table leaves
// out.
func (c *copies) openSingles() error {
	s, err := readSingles(c.h.folder.Copies())
	if err != nil {
		return err
	}
	for _, u := range c.h.seeds() {
		delete(s.stand, u)
	}
	for u, x := range s.stand {
		if _, chain := s.stand[x.Stand]; chain || c.h.plan.Replicas.Singles == 0 {
			delete(s.stand, u)
		}
	}
	c.singles.stand, c.singles.ask, c.singles.asked = s.stand, s.ask, s.asked
	return nil
}

// drawSingles draws the sample of them that is fetched nevertheless, and notes the pages that must
// be asked for.
func (c *copies) drawSingles() {
	s := &c.singles
	left := slices.Collect(maps.Keys(s.stand))
	// copies of one page together, so that it is fetched for all of them
	by := func(u page.URL) page.URL { return s.stand[u].Stand }
	sample, _ := c.opts.Draw(left, by, uint64(c.h.record.Number))
	for _, u := range sample {
		delete(s.stand, u)
	}
	s.sample = sample
	for _, u := range slices.Concat(s.ask, sample) {
		s.asked[u] = true
	}
	s.by = map[page.URL][]page.URL{}
	for u, x := range s.stand {
		s.by[x.Stand] = append(s.by[x.Stand], u)
	}
}

// seeds are those of all sites.
func (h *Harvest) seeds() (list []page.URL) {
	for i := range h.plan.Sites {
		list = append(list, h.plan.Sites[i].Seeds...)
	}
	return list
}

// copyOf is the page that stands for a page that is left out by itself.
func (c *copies) copyOf(u page.URL) (page.URL, string) {
	c.singles.mu.Lock()
	defer c.singles.mu.Unlock()
	x, ok := c.singles.stand[u]
	if !ok {
		return "", ""
	}
	return x.Stand, fmt.Sprintf("resemblance %.3f in the last %d runs that had it", x.Resemblance, x.Sweeps)
}

// wantsOfSingles gives the pages to be asked for because all pages that link to them are left out,
// and the samples.
func (c *copies) wantsOfSingles() (list []frontier.Candidate) {
	for _, u := range c.singles.ask {
		if _, _, out := c.table.Resolve(u); !out {
			list = append(list, frontier.Candidate{URL: u, Wanted: true})
		}
	}
	for _, u := range c.singles.sample {
		list = append(list, frontier.Candidate{URL: u, Wanted: true, Forced: true})
	}
	c.singles.ask, c.singles.sample = nil, nil
	return list
}

// findSingles makes the list for the next run.
func (h *Harvest) findSingles(ctx context.Context, f *catalog.Finding, now time.Time) (int, error) {
	out, stoodFor, err := h.leftOutBy(f)
	if err != nil {
		return 0, err
	}
	held := func(u page.URL) bool {
		i, ok := f.Lookup(u)
		return ok && out[i]
	}
	var list []catalog.Single
	if h.plan.Replicas.Singles > 0 && h.plan.Replicas.Confirm {
		rule := h.singleRule(f, stoodFor, now)
		rule.Held = held
		if list, err = f.Singles(ctx, rule); err != nil {
			return 0, fmt.Errorf("look for pages with the text of others: %w", err)
		}
	}
	single := map[page.URL]bool{}
	for i := range list {
		single[list[i].URL] = true
	}
	ask, err := f.Unreached(ctx, h.seeds(), func(u page.URL) bool { return single[u] || held(u) })
	if err != nil {
		return 0, fmt.Errorf("look for pages that only pages left out lead to: %w", err)
	}
	return len(list), writeSingles(h.disk(), h.folder.Copies(), list, ask)
}

// leftOutBy tells which pages of a finding the table leaves out from now on, and for which page:
// those that it covers, without those for which no page stands, or no page that is like them (see
// setApart).
func (h *Harvest) leftOutBy(f *catalog.Finding) (out []bool, by map[page.URL][]page.URL, err error) {
	out, by = make([]bool, len(f.Pages)), map[page.URL][]page.URL{}
	for i := range f.Pages {
		u := f.Pages[i].URL
		stand, e, covered := h.copies.table.Resolve(u)
		if !covered {
			continue
		}
		j, held := f.Lookup(stand)
		if held && !e.ByHand() && f.Pages[i].Text {
			r, err := f.Resemblance(uint32(i), j)
			if err != nil {
				return nil, nil, fmt.Errorf("compare %s with what stands for it: %w", u, err)
			}
			held = r >= h.copies.opts.Similar
		}
		if out[i] = held; held {
			by[stand] = append(by[stand], u)
		}
	}
	return out, by, nil
}

// singleRule says which single pages the next run leaves out. Pages that stood for others go on
// standing. Seeds are fetched in any case, so they are the first choice to stand; a page that
// stands for others by the table is left out only for a page that these others are like, too.
func (h *Harvest) singleRule(f *catalog.Finding, stoodFor map[page.URL][]page.URL,
	now time.Time,
) catalog.SingleRule {
	r := &h.plan.Replicas
	rule := catalog.SingleRule{
		Resemblance: r.Singles, Sweeps: r.SingleRuns, Stands: map[page.URL]bool{}, Fixed: map[page.URL]bool{},
		Bound: map[page.URL]catalog.Standing{},
	}
	old, err := readSingles(h.folder.Copies())
	if err != nil {
		h.log.Warn("the list of copies cannot be used and is made anew", "cause", err)
	}
	for _, x := range old.stand {
		rule.Stands[x.Stand] = true
	}
	for u, list := range stoodFor {
		rule.Bound[u] = catalog.Standing{For: list, Unseen: 1}
	}
	for _, e := range h.copies.table.InForce(h.copies.opts.Skip) {
		h.standing(f, &e, rule.Bound)
	}
	for _, u := range h.seeds() {
		rule.Fixed[u] = true
	}
	if age := h.copies.opts.Expire; age > 0 {
		rule.Oldest = now.Add(-age).Unix()
	}
	return rule
}

// standing notes the pages that stand for pages that an entry of the table leaves out, and how like
// them unseen pages will be that the entry may leave out later.
func (h *Harvest) standing(f *catalog.Finding, e *replica.Entry, into map[page.URL]catalog.Standing) {
	prefixes := []string{e.To}
	if replica.IsHost(e.To) {
		prefixes = []string{"http://" + e.To + "/", "https://" + e.To + "/"}
	}
	for _, prefix := range prefixes {
		lo, hi := f.Under(prefix)
		for i := lo; i < hi; i++ {
			u := f.Pages[i].URL
			s, known := into[u]
			if !known {
				s.Unseen = 1
			}
			if twin, ok := e.Twin(u); ok {
				if _, seen := f.Lookup(twin); !seen {
					s.Unseen = min(s.Unseen, e.Evidence.Resemblance)
				}
			}
			into[u] = s
		}
	}
}
