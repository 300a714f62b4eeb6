package drift

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"watershed/internal/console"
	"watershed/sitemap"
)

// report puts the report together.
func (c *comparison) report() *Report {
	r := &Report{
		Old: c.older.Number, New: c.newer.Number, OldTime: c.older.Time, NewTime: c.newer.Time,
		Sites: []SiteDrift{}, Rates: []Rate{}, Changes: append([]Change{}, c.changes...),
	}
	slices.SortFunc(r.Changes, compareChanges)
	merged := map[[2]string]*Rate{}
	for _, x := range c.rates {
		key := [2]string{x.Site, x.Group}
		if merged[key] == nil {
			merged[key] = &Rate{Site: x.Site, Group: x.Group}
		}
		merged[key].Add(*x)
	}
	for _, x := range merged {
		r.Rates = append(r.Rates, *x)
	}
	slices.SortFunc(r.Rates, compareRates)
	at := map[string]int{} // the sites by their names
	for i, m := range c.older.Maps {
		s := SiteDrift{Name: c.siteOf(i), Counts: map[Kind]int{}, Before: m.Members.Fetched()}
		if c.same[i] > 0 {
			s.Counts[Unchanged] = c.same[i]
		}
		if s.Name != m.Site {
			s.Was = m.Site
		}
		had := blocksInside(m)
		if k := c.successor[i]; k >= 0 {
			s.After = c.newer.Maps[k].Members.Fetched()
			have := blocksInside(c.newer.Maps[k])
			if m.Boundary == c.newer.Maps[k].Boundary { // else one of them has no blocks, or others
				s.Joined, s.Left = without(have, had), without(had, have)
			}
		} else {
			s.Absent, s.Left = true, had
		}
		at[s.Name] = len(r.Sites)
		r.Sites = append(r.Sites, s)
	}
	for k, m := range c.newer.Maps {
		if c.forerunner[k] < 0 {
			at[m.Site] = len(r.Sites)
			r.Sites = append(r.Sites, SiteDrift{
				Name: m.Site, Counts: map[Kind]int{},
				After: m.Members.Fetched(), Joined: blocksInside(m),
			})
		}
	}
	for _, ch := range r.Changes {
		r.Sites[at[ch.Site]].Counts[ch.Kind]++
	}
	return r
}

// Merge makes one report of those on the parts of a harvest, each with sites of its own, from the first of
// the older runs to the last of the newer ones.
func Merge(parts []*Report) *Report {
	r := &Report{Sites: []SiteDrift{}, Rates: []Rate{}, Changes: []Change{}}
	for _, p := range parts {
		if r.OldTime.IsZero() || p.OldTime.Before(r.OldTime) {
			r.OldTime = p.OldTime
		}
		if p.NewTime.After(r.NewTime) {
			r.NewTime = p.NewTime
		}
		r.Old, r.New = p.Old, p.New
		r.Sites, r.Rates = append(r.Sites, p.Sites...), append(r.Rates, p.Rates...)
		r.Changes = append(r.Changes, p.Changes...)
	}
	slices.SortFunc(r.Rates, compareRates)
	slices.SortStableFunc(r.Changes, compareChanges)
	return r
}

func compareChanges(a, b Change) int {
	return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.Kind, b.Kind))
}

// blocksInside names the blocks that have pages inside, sorted.
func blocksInside(m *sitemap.Map) (names []string) {
	for i := range m.Blocks {
		if m.Blocks[i].Inside > 0 {
			names = append(names, m.Blocks[i].Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// without gives those of a that are not in b; both are sorted.
func without(a, b []string) (rest []string) {
	for _, x := range a {
		if _, in := slices.BinarySearch(b, x); !in {
			rest = append(rest, x)
		}
	}
	return rest
}

// WriteText prints the report for people, without the list of pages.
func (r *Report) WriteText(w io.Writer) error {
	p := bufio.NewWriter(w) // keeps the first error
	fmt.Fprintf(p, "from run %d (%s) to run %d (%s)\n", r.Old, r.OldTime.UTC().Format(time.DateOnly), r.New,
		r.NewTime.UTC().Format(time.DateOnly))
	for i := range r.Sites {
		s := &r.Sites[i]
		switch {
		case s.Absent:
			fmt.Fprintf(p, "site %s: not in run %d, %s before\n", s.Name, r.New, pages(s.Before))
		case s.Was != "":
			fmt.Fprintf(p, "site %s, %s before: %s, %d before\n", s.Name, s.Was, pages(s.After), s.Before)
		default:
			fmt.Fprintf(p, "site %s: %s, %d before\n", s.Name, pages(s.After), s.Before)
		}
		for k := range kinds {
			if n := s.Counts[k]; n > 0 {
				fmt.Fprintf(p, "  %-9s %d\n", k, n)
			}
		}
		for _, b := range s.Joined {
			fmt.Fprintf(p, "  joined    %s\n", b)
		}
		for _, b := range s.Left {
			fmt.Fprintf(p, "  left      %s\n", b)
		}
	}
	head := "how often pages change, by group; the last column is when one of ten will have changed\n"
	for i := range r.Rates {
		x := &r.Rates[i]
		rate, low, high := x.PerDay()
		if math.IsNaN(rate) {
			continue
		}
		p.WriteString(head)
		head = ""
		after, _ := x.Interval(.1)
		fmt.Fprintf(p, "  %-24s %-40s %5d of %5d changed in %.1f days: %.4f a day (%.4f to %.4f), %s\n",
			x.Site, x.Group, x.Changed, x.Visits, x.Days, rate, low, high, days(after))
	}
	return p.Flush()
}

func pages(n int) string { return console.Plural(n, "page", "pages") }

func days(d time.Duration) string { return fmt.Sprintf("%.1f days", d.Hours()/24) }

// WriteCSV writes a line for each change below one of headings: kind, url, to, site, resemblance,
// how, status.
func (r *Report) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	err := out.Write([]string{"kind", "url", "to", "site", "resemblance", "how", "status"})
	for i := range r.Changes {
		c := &r.Changes[i]
		like, status := "", ""
		if c.Resemblance >= 0 {
			like = strconv.FormatFloat(c.Resemblance, 'f', 4, 64)
		}
		if c.Status != 0 {
			status = strconv.Itoa(c.Status)
		}
		err = errors.Join(err, out.Write([]string{
			c.Kind.String(), string(c.URL), string(c.To), c.Site, like,
			c.How, status,
		}))
	}
	out.Flush()
	return errors.Join(err, out.Error())
}
