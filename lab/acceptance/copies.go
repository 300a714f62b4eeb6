package acceptance

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"watershed/internal/disjoint"
	"watershed/lab/collections"
	"watershed/lab/testweb"
	"watershed/page"
)

// Copies prints, for each run of a harvest, how many of the pages that it fetched are similar to
// another one that it fetched, by each measure of Cho, Shivakumar and Garcia-Molina (section 5.1,
// Figure 11: a page counts when it has a replica, originals count too), by whom they were copied;
// the least that any crawl could reach that leaves out only pages of which it holds a likeness; and
// how alike to what the run fetched the pages are that the first run fetched and this one did not. In
// the end it tells of which pairs the harvest's table holds the original for the copy.
type Copies struct {
	Web     string `required:"" placeholder:"DIR"`
	Harvest string `required:"" placeholder:"DIR"`
	Floors  bool   `default:"true" negatable:""`
	Only    int    `name:"run"`
}

func (c *Copies) Run(out io.Writer) error {
	truth, err := collections.ReadTruth(os.DirFS(c.Web))
	if err != nil {
		return err
	}
	j := copyJudge{number: truth.Number, truth: truth, content: map[string][]uint32{}}
	if j.relations, err = readRelations(c.Web, truth); err != nil {
		return err
	}
	runs, err := filepath.Glob(filepath.Join(c.Harvest, "run-*"))
	if err != nil || len(runs) == 0 {
		return fmt.Errorf("no runs below %s (%v)", c.Harvest, err)
	}
	fetched := make([]fetch, len(runs))
	read := make([]bool, len(truth.Pages))
	for i, run := range runs {
		if fetched[i], err = j.fetched(run); err != nil {
			return err
		}
		for _, p := range fetched[i].pages {
			read[p] = true
		}
	}
	if j.texts, err = readTexts(truth, c.Web, read); err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i, run := range runs {
		f := fetched[i].withText(j.texts)
		fmt.Fprintf(w, "\n%s: %d pages", filepath.Base(run), len(f.pages))
		if len(f.others) > 0 {
			fmt.Fprintf(w, ", and the bytes of %d by other URLs, which the truth does not have",
				len(f.others))
		}
		fmt.Fprintln(w)
		if i > 0 {
			j.lost(w, fetched[0].withText(j.texts).pages, f)
		} else if c.Floors {
			j.floors(w, f.pages)
		}
		if c.Only != 0 && c.Only != i+1 {
			continue
		}
		if err := j.run(w, run, f.pages); err != nil {
			return err
		}
	}
	return cmp.Or(w.Flush(), originals(out, c.Web, c.Harvest))
}

// copyJudge knows what is a copy of what, and what the runs looked at so far were given.
type copyJudge struct {
	*texts
	truth     *collections.Truth
	number    func(page.URL) (p uint32, ok bool)
	relations *relations
	content   map[string][]uint32 // pages by the digests that the archive has of them
}

// run tells of one run.
func (j *copyJudge) run(w *tabwriter.Writer, run string, fetched []uint32) error {
	j.similarPages(w, fetched)
	rules, err := readRules(run)
	if err != nil {
		return err
	}
	kept := slices.DeleteFunc(slices.Clone(fetched), func(p uint32) bool {
		return rules.cover(j.truth.Pages[p].URL)
	})
	if len(kept) < len(fetched) {
		fmt.Fprintf(w, "without the %d pages that lie in what was left out, fetched as samples or because "+
			"the replica alone has them:\n", len(fetched)-len(kept))
		j.similarPages(w, kept)
	}
	return nil
}

// fetch is what a run was given, or told unchanged: pages of the truth, and such whose bytes it was
// given by another URL, which the truth does not have, as of a demonstration with a query.
type fetch struct{ pages, others []uint32 }

// withText is the same without the pages that have no text.
func (f fetch) withText(t *texts) fetch {
	empty := func(p uint32) bool { return t.sketches[p].Empty() }
	return fetch{
		slices.DeleteFunc(slices.Clone(f.pages), empty),
		slices.DeleteFunc(slices.Clone(f.others), empty),
	}
}

// fetched reads which pages a run was given. The runs before it have been read.
func (j *copyJudge) fetched(run string) (f fetch, err error) {
	file, err := os.Open(filepath.Join(run, "logs", "crawl.log"))
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	var unknown []string // digests of what the truth does not have
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 10 || fields[1] != "200" && fields[1] != "304" {
			continue
		}
		digest := fields[9]
		if p, ok := j.number(page.URL(fields[3])); ok {
			f.pages = append(f.pages, p)
			j.content[digest] = append(j.content[digest], p)
		} else {
			unknown = append(unknown, digest)
		}
	}
	for _, digest := range unknown {
		f.others = append(f.others, j.content[digest]...)
	}
	slices.Sort(f.pages)
	slices.Sort(f.others)
	f.pages, f.others = slices.Compact(f.pages), slices.Compact(f.others)
	return f, lines.Err()
}

// leftRules are the hosts and directories by which a run left pages out.
type leftRules []string

// readRules reads mirrors.json of a run; a run that left nothing out has none.
func readRules(run string) (leftRules, error) {
	text, err := os.ReadFile(filepath.Join(run, "mirrors.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var m struct {
		Rules []struct {
			From string `json:"from"`
		} `json:"rules"`
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("mirrors.json of %s: %w", run, err)
	}
	var list leftRules
	for _, r := range m.Rules {
		list = append(list, r.From)
	}
	return list, nil
}

func (r leftRules) cover(u page.URL) bool {
	return slices.ContainsFunc(r, func(from string) bool {
		return string(u.Host()) == from || strings.HasPrefix(string(u), from)
	})
}

// similarPages prints the table of measures, and of whom those pages are copies.
func (j *copyJudge) similarPages(w *tabwriter.Writer, fetched []uint32) {
	fmt.Fprintf(w, "measure\tsimilar\tof fetched\ttoo many\t%s\n", strings.Join(relationNames, "\t"))
	for _, l := range likenesses {
		h := j.hold(l, fetched)
		sets := disjoint.New[uint32](len(j.sketches))
		count := map[string]int{}
		similar := 0
		for _, p := range fetched {
			partners := h.partners(p)
			if len(partners) == 0 {
				continue
			}
			similar++
			count[j.relation(p, partners)]++
			for _, q := range partners {
				sets.Union(p, q)
			}
		}
		roots := map[uint32]bool{}
		for _, p := range fetched {
			roots[sets.Find(p)] = true
		}
		fmt.Fprintf(w, "%s\t%d\t%.1f%%\t%d", l.name, similar, percent(similar, len(fetched)),
			len(fetched)-len(roots))
		for _, name := range relationNames {
			fmt.Fprintf(w, "\t%d", count[name])
		}
		fmt.Fprintln(w)
	}
}

// relation is how a page is related to the most alike of those that are similar to it.
func (j *copyJudge) relation(p uint32, partners []uint32) string {
	best := slices.MaxFunc(partners, func(a, b uint32) int {
		return cmp.Compare(j.resemblance(p, a), j.resemblance(p, b))
	})
	return j.relations.between(p, best)
}

// lost prints how alike the pages of the first run that this one left out are to what it fetched.
func (j *copyJudge) lost(w *tabwriter.Writer, first []uint32, f fetch) {
	fetched := slices.Concat(f.pages, f.others)
	slices.Sort(fetched)
	h := j.hold(likeness{least: 1e-9}, slices.Compact(fetched))
	bands := []float64{.95, .8, .5, 0}
	count := make([]int, len(bands)+1)
	for _, p := range first {
		if _, ok := slices.BinarySearch(fetched, p); ok {
			continue
		}
		if w := j.whole[p]; w != 0 && len(h.whole[w]) > 0 {
			count[0]++ // the same text, which spares the rest
			continue
		}
		best := 0.
		for _, q := range h.partners(p) {
			best = max(best, j.resemblance(p, q))
		}
		for i, b := range bands {
			if best >= b {
				count[i+1]++
				break
			}
		}
		if best < bands[2] {
			fmt.Fprintf(w, "lost\t%s\tresemblance %.3f\n", j.truth.Pages[p].URL, best)
		}
	}
	fmt.Fprintf(w, "left out, of the first run's pages: same text fetched %d, resemblance >= .95 %d, >= .8 "+
		"%d, >= .5 %d, less (lost) %d\n",
		count[0], count[1], count[2], count[3], count[4])
}

// floors prints what is left by each measure when as many pages as can be are left out whose
// likeness to a page that is fetched is at least so much: page by page, in the order of how many
// others each stands for.
func (j *copyJudge) floors(w *tabwriter.Writer, fetched []uint32) {
	fmt.Fprint(w, "least that stays similar when all is left out that a fetched page is like\npages left "+
		"out that are\tfetched")
	for _, l := range likenesses {
		fmt.Fprintf(w, "\t%s", l.name)
	}
	fmt.Fprintln(w)
	for _, rule := range likenesses {
		if rule.least == 0 && rule.chunk != collections.WholeDocument {
			continue
		}
		kept := j.keep(rule, fetched)
		fmt.Fprintf(w, "%s\t%d", rule.name, len(kept))
		for _, l := range likenesses {
			h := j.hold(l, kept)
			n := 0
			for _, p := range kept {
				if len(h.partners(p)) > 0 {
					n++
				}
			}
			fmt.Fprintf(w, "\t%.1f%%", percent(n, len(kept)))
		}
		fmt.Fprintln(w)
	}
	for _, least := range []float64{0, .8} {
		kept := j.originals(fetched, least)
		fmt.Fprintf(w, "one page of those that mirrors and collections have under one path, and what is "+
			"not %.1f like it: %d pages\n", least, len(kept))
		j.similarPages(w, kept)
	}
}

// originals are the pages but those that are so much like another one that is their original by the
// truth. Of copies of what was not fetched the first one is taken for the original.
func (j *copyJudge) originals(pages []uint32, least float64) (kept []uint32) {
	first := map[page.URL]uint32{}
	for _, p := range pages {
		u := j.truth.Pages[p].URL
		of := j.relations.original(u)
		if _, there := first[of]; !there || u == of {
			first[of] = p
		}
	}
	return slices.DeleteFunc(slices.Clone(pages), func(p uint32) bool {
		q := first[j.relations.original(j.truth.Pages[p].URL)]
		return p != q && j.resemblance(p, q) >= least
	})
}

// keep are pages such that every other page is similar to one of them: greedily, those with most
// similar pages first.
func (j *copyJudge) keep(rule likeness, pages []uint32) []uint32 {
	h := j.hold(rule, pages)
	partners := make(map[uint32][]uint32, len(pages))
	for _, p := range pages {
		partners[p] = h.partners(p)
	}
	order := slices.Clone(pages)
	slices.SortStableFunc(order, func(a, b uint32) int {
		return cmp.Compare(len(partners[b]), len(partners[a]))
	})
	out := map[uint32]bool{}
	var kept []uint32
	for _, p := range order {
		if out[p] {
			continue
		}
		kept = append(kept, p)
		for _, q := range partners[p] {
			out[q] = true
		}
	}
	slices.Sort(kept)
	return kept
}

func percent(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return 100 * float64(a) / float64(b)
}

// relationNames are how two pages may be related, by the tables of the truth.
var relationNames = []string{
	"mirror 1", "mirror 2", "mirror 3", "mirror 4", "mirror 5", "collection",
	"same work", "same host", "other",
}

// relations tell how pages are related.
type relations struct {
	truth   *collections.Truth
	level   map[[2]page.Host]string
	mirrors map[page.Host][]page.Host // the originals of a host
	site    map[page.URL]string
}

func readRelations(dir string, truth *collections.Truth) (*relations, error) {
	r := &relations{
		truth: truth, level: map[[2]page.Host]string{}, mirrors: map[page.Host][]page.Host{},
		site: map[page.URL]string{},
	}
	tables := os.DirFS(dir)
	err := testweb.Rows(tables, "mirrors.tsv", 3, func(f []string) error {
		if f[2] == "0" || f[2] == "?" {
			return nil
		}
		a, b := page.Host(f[0]), page.Host(f[1])
		r.level[[2]page.Host{a, b}], r.level[[2]page.Host{b, a}] = f[2], f[2]
		r.mirrors[b] = append(r.mirrors[b], a)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r, testweb.Rows(tables, "sites.tsv", 2, func(f []string) error {
		work, _, _ := strings.Cut(f[1], "@")
		r.site[page.URL(f[0])], _, _ = strings.Cut(work, "~")
		return nil
	})
}

// between says how two pages are related. Two mirrors of one original are as near as the farther
// one of them is to it.
func (r *relations) between(p, q uint32) string {
	a, b := r.truth.Pages[p].URL, r.truth.Pages[q].URL
	if x, y := r.collection(a), r.collection(b); x != "" && x == y {
		return "collection"
	}
	switch ha, hb := a.Host(), b.Host(); {
	case ha == hb:
		return "same host"
	case r.level[[2]page.Host{ha, hb}] != "":
		return "mirror " + r.level[[2]page.Host{ha, hb}]
	default:
		for _, o := range r.mirrors[ha] {
			if slices.Contains(r.mirrors[hb], o) {
				return "mirror " + max(r.level[[2]page.Host{ha, o}], r.level[[2]page.Host{hb, o}])
			}
		}
	}
	if r.site[a] == r.site[b] {
		return "same work"
	}
	return "other"
}

func (r *relations) collection(u page.URL) string { return r.place(u).Target }

// place is the collection in which a page lies.
func (r *relations) place(u page.URL) collections.Copy {
	for _, c := range r.truth.Copies {
		if strings.HasPrefix(string(u), c.Prefix) {
			return c
		}
	}
	return collections.Copy{}
}

// original is where the original of a page would be, by the tables of mirrors and collections.
func (r *relations) original(u page.URL) page.URL {
	if c := r.place(u); c.Target != "" {
		i := slices.IndexFunc(r.truth.Copies, func(o collections.Copy) bool { return o.Target == c.Target })
		u = page.URL(r.truth.Copies[i].Prefix + string(u[len(c.Prefix):]))
	}
	if of := r.mirrors[u.Host()]; len(of) > 0 {
		return r.original(page.URL("http://" + string(of[0]) + u.PathQuery()))
	}
	return u
}
