package replicas

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"watershed/internal/console"
	"watershed/lab/questions"
	"watershed/page"
	"watershed/replica/catalog"
)

// Changes tells what changed between two sweeps of archives that others made; watershed changes
// tells it of a harvest's own runs, with what its maps and its ledger know besides.
type Changes struct {
	catalogFlag
	Older uint32 `placeholder:"N"`
	Newer uint32 `placeholder:"N"`
	All   bool
}

// change is a change by addresses.
type change struct {
	Kind        questions.ChangeKind
	From, To    page.URL
	Resemblance float64
}

// changeJSON is a change as JSON has it.
type changeJSON struct {
	Kind        string   `json:"kind"`
	From        page.URL `json:"from,omitempty"`
	To          page.URL `json:"to,omitempty"`
	Resemblance float64  `json:"resemblance"`
}

func (c *Changes) Run(ctx context.Context, s console.Streams) error {
	return c.with(ctx, func(k *catalog.Catalog, x *questions.Collection) error {
		older, newer, err := c.sweeps(k)
		if err != nil {
			return err
		}
		var tally changeTally
		var found []change
		for _, m := range x.Changes(older.Number, newer.Number) {
			tally.add(&m)
			if c.All || m.Kind != questions.Unchanged {
				from, to := m.URLs()
				found = append(found, change{m.Kind, from, to, m.Resemblance})
			}
		}
		slices.SortFunc(found, func(a, b change) int {
			return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
		})
		if c.JSON {
			list := make([]changeJSON, len(found))
			for i, x := range found {
				list[i] = changeJSON{x.Kind.String(), x.From, x.To, x.Resemblance}
			}
			return console.JSON(s.Out, list)
		}
		fmt.Fprintf(s.Out, "sweep %d to %d:%s\n", older.Number, newer.Number, tally)
		if err := tally.write(s.Out, older, newer); err != nil {
			return err
		}
		return writeChanges(s.Out, found)
	})
}

func writeChanges(out io.Writer, list []change) error {
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, x := range list {
		fmt.Fprintf(w, "%s\t%.3f\t%s", x.Kind, x.Resemblance, cmp.Or(x.From, x.To))
		if x.From != "" && x.To != "" && x.To != x.From {
			fmt.Fprintf(w, " -> %s", x.To)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// changeTally counts pages by what became of them, and adds up how much of their text stayed.
type changeTally struct {
	pages       [questions.Born + 1]int
	resemblance [questions.Born + 1]float64
}

func (t *changeTally) add(x *questions.Change) {
	t.pages[x.Kind]++
	t.resemblance[x.Kind] += x.Resemblance
}

// String tells how many pages are of each kind.
func (t changeTally) String() string {
	var b strings.Builder
	for k, n := range t.pages {
		if n > 0 {
			fmt.Fprintf(&b, " %d %s,", n, questions.ChangeKind(k))
		}
	}
	return strings.TrimSuffix(b.String(), ",")
}

// month is the time by which rates are told.
const month = 30 * 24 * time.Hour

// write tells how often pages change, move, are born and die, and how much they change. Source:
// Broder, Glassman, Manasse, Zweig, Syntactic Clustering of the Web, 1997, section 6.5.
func (t *changeTally) write(out io.Writer, older, newer catalog.SweepInfo) error {
	between := time.Unix(newer.Last, 0).Sub(time.Unix(older.Last, 0))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\tpages\tof the older sweep\tin 30 days\tmean resemblance\n")
	before := 0
	for _, n := range t.pages[:questions.Born] {
		before += n
	}
	for k, n := range t.pages {
		if n == 0 {
			continue
		}
		share := float64(n) / float64(max(before, 1))
		rate, likeness := "", ""
		if between >= 24*time.Hour && questions.ChangeKind(k) != questions.Unchanged {
			rate = fmt.Sprintf("%.1f %%", 100*share*float64(month)/float64(between))
		}
		if k := questions.ChangeKind(k); k != questions.Died && k != questions.Born {
			likeness = fmt.Sprintf("%.3f", t.resemblance[k]/float64(n))
		}
		fmt.Fprintf(w, "%s\t%d\t%.1f %%\t%s\t%s\n", questions.ChangeKind(k), n, 100*share, rate, likeness)
	}
	return w.Flush()
}

// sweeps are the two that are compared.
func (c *Changes) sweeps(x *catalog.Catalog) (older, newer catalog.SweepInfo, err error) {
	list := x.Sweeps()
	if len(list) < 2 {
		return older, newer,
			fmt.Errorf("%s holds %d sweep: changes are told between two; replicas analyze --add adds one",
				c.In, len(list))
	}
	older, newer = list[len(list)-2], list[len(list)-1]
	for _, side := range []struct {
		number uint32
		sweep  *catalog.SweepInfo
	}{{c.Older, &older}, {c.Newer, &newer}} {
		if side.number == 0 {
			continue
		}
		i := slices.IndexFunc(list, func(s catalog.SweepInfo) bool { return s.Number == side.number })
		if i < 0 {
			return older, newer, fmt.Errorf("%s has no sweep %d: its sweeps are %s", c.In, side.number,
				tellSweeps(list))
		}
		*side.sweep = list[i]
	}
	if older.Number >= newer.Number {
		return older, newer, fmt.Errorf("sweep %d is not before sweep %d; there are %s", older.Number,
			newer.Number, tellSweeps(list))
	}
	return older, newer, nil
}

func tellSweeps(list []catalog.SweepInfo) string {
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = fmt.Sprint(s.Number)
	}
	return strings.Join(names, ", ")
}
