package evaluate

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"watershed/lab/collections"
	"watershed/page"
	"watershed/replica/growth"
	"watershed/replica/sketch"
)

// Growth feeds a web to the growth of collections as a crawl would visit it: host by host in turn,
// each from its front page on by its links. It tells how early copies are known, and what would come
// of putting back the rest of each.
type Growth struct {
	Web         string  `required:"" placeholder:"DIR"`
	Pages       int     `placeholder:"N"`
	Containment float64 `placeholder:"SHARE"`
	Purity      float64 `placeholder:"SHARE"`
	Shape       float64 `placeholder:"SHARE"`
	Each        bool
}

// Run is the command.
func (c *Growth) Run(out io.Writer) error {
	truth, err := collections.ReadTruth(os.DirFS(c.Web))
	if err != nil {
		return fmt.Errorf("%s: %w", c.Web, err)
	}
	pages := map[page.URL]*page.Visit{}
	for v, err := range visitsOf(c.Web, truth) {
		if err != nil {
			return err
		}
		kept := *v
		pages[v.URL] = &kept
	}
	g, err := growth.New(growth.Options{
		Pages: c.Pages, Containment: c.Containment, Purity: c.Purity, Shape: c.Shape,
	})
	if err != nil {
		return err
	}
	r := rest{
		pages: pages, visited: map[page.URL]bool{}, back: map[page.URL]growth.Copy{},
		known: map[string]growth.Copy{},
	}
	for _, v := range crawlOrder(pages) {
		if _, put := r.back[v.URL]; put {
			continue
		}
		list, err := g.Add(v)
		if err != nil {
			return err
		}
		r.visited[v.URL] = true
		for _, x := range list {
			if found, ok := g.Measure(x, func(_, _ string) int { return 0 }); ok {
				r.putBack(&found)
			}
		}
	}
	return r.write(out, c.Each)
}

// crawlOrder gives the pages host by host in turn, each host's from its front page on by its links;
// what nothing leads to comes at its host's end.
func crawlOrder(pages map[page.URL]*page.Visit) []*page.Visit {
	hosts := map[page.Host][]page.URL{}
	for u := range pages {
		hosts[u.Host()] = append(hosts[u.Host()], u)
	}
	var queues [][]page.URL
	names := make([]page.Host, 0, len(hosts))
	for h := range hosts {
		names = append(names, h)
	}
	slices.Sort(names)
	for _, h := range names {
		slices.SortFunc(hosts[h], func(a, b page.URL) int {
			return cmp.Or(cmp.Compare(strings.Count(string(a), "/"), strings.Count(string(b), "/")),
				cmp.Compare(a, b))
		})
		queues = append(queues, byLinks(hosts[h], pages))
	}
	var list []*page.Visit
	for turn, more := 0, true; more; turn++ {
		more = false
		for _, q := range queues {
			if turn < len(q) {
				list, more = append(list, pages[q[turn]]), true
			}
		}
	}
	return list
}

// byLinks is a breadth-first order of a host's pages.
func byLinks(list []page.URL, pages map[page.URL]*page.Visit) (order []page.URL) {
	seen := map[page.URL]bool{}
	for _, start := range list {
		for queue := []page.URL{start}; len(queue) > 0; queue = queue[1:] {
			u := queue[0]
			if seen[u] || pages[u] == nil || u.Host() != start.Host() {
				continue
			}
			seen[u] = true
			order = append(order, u)
			for i := range pages[u].Links {
				queue = append(queue, pages[u].Links[i].URL)
			}
		}
	}
	return order
}

// rest is what is put back.
type rest struct {
	pages   map[page.URL]*page.Visit
	visited map[page.URL]bool
	back    map[page.URL]growth.Copy // pages put back
	known   map[string]growth.Copy   // places, as they were when they were known first
	late    []string                 // in that order
}

// putBack puts the pages of a copy back that were not visited, but for those of a place that stands
// for another one already.
func (r *rest) putBack(c *growth.Copy) {
	if _, there := r.known[c.Place]; there {
		return
	}
	for _, x := range r.known {
		if strings.HasPrefix(x.Of, c.Place) || strings.HasPrefix(c.Of, x.Place) {
			return
		}
	}
	r.known[c.Place] = *c
	r.late = append(r.late, c.Place)
	for u := range r.pages {
		if _, put := r.back[u]; !put && strings.HasPrefix(string(u), c.Place) && !r.visited[u] {
			r.back[u] = *c
		}
	}
}

// verdicts on the pages put back, by what lies under the same path of the other place.
type verdict struct{ all, alike, similar, other, missing int }

func (r *rest) write(out io.Writer, each bool) error {
	var sum verdict
	byPlace := map[string]verdict{}
	for u, c := range r.back {
		v := byPlace[c.Place]
		x, err := r.judge(u, &c)
		if err != nil {
			return err
		}
		v.add(x)
		sum.add(x)
		byPlace[c.Place] = v
	}
	right := 0
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, place := range r.late {
		c, v := r.known[place], byPlace[place]
		if v.alike+v.similar >= v.other+v.missing {
			right++
		}
		if each {
			fmt.Fprintf(w, "%s\t%s\t%d pages, %d twins\tcontainment %.2f\tpurity %.2f\tshape %.2f\t%s\n",
				c.Place, c.Of, c.Pages, c.Twins, c.Containment, c.Purity, c.Shape, v)
		}
	}
	_, err := fmt.Fprintf(w, "%d of %d pages visited; %d copies known, %d rightly; put back: %s\n",
		len(r.visited), len(r.pages), len(r.late), right, sum)
	if err != nil {
		return err
	}
	return w.Flush()
}

func (v verdict) String() string {
	return fmt.Sprintf("%d pages, %d alike (.8), %d similar (.5), %d others, %d missing", v.all, v.alike,
		v.similar, v.other, v.missing)
}

func (v *verdict) add(x verdict) {
	v.all += x.all
	v.alike += x.alike
	v.similar += x.similar
	v.other += x.other
	v.missing += x.missing
}

// judge compares a page that was put back with the one that would stand for it.
func (r *rest) judge(u page.URL, c *growth.Copy) (verdict, error) {
	stand := r.pages[page.URL(c.Of+strings.TrimPrefix(string(u), c.Place))]
	x := verdict{all: 1}
	if stand == nil {
		x.missing = 1
		return x, nil
	}
	var a, b sketch.Sketch
	if stand.Digest == r.pages[u].Digest {
		x.alike = 1
		return x, nil
	}
	if err := a.Decode(stand.Sketch); err != nil {
		return x, err
	}
	if err := b.Decode(r.pages[u].Sketch); err != nil {
		return x, err
	}
	e, err := sketch.Resemblance(&a, &b)
	switch {
	case e.Value >= .8:
		x.alike = 1
	case e.Value >= .5:
		x.similar = 1
	default:
		x.other = 1
	}
	return x, err
}
