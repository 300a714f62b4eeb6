// Package replicas finds copies among the pages of archives, by all parameters of the papers, and
// answers questions on what was found: A. Broder, S. Glassman, M. Manasse, G. Zweig, Syntactic
// clustering of the Web, 1997; J. Cho, N. Shivakumar, H. Garcia-Molina, Finding replicated web
// collections, 2000. Each exported type is a command of the laboratory.
package replicas

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"watershed/internal/console"
	"watershed/lab/questions"
	"watershed/page"
	"watershed/replica/catalog"
)

// catalogFlag names the catalog that a question goes to.
type catalogFlag struct {
	In   string `default:"replicas" placeholder:"PATH"`
	JSON bool   `name:"json"`
}

// with reads the catalog for a call.
func (c *catalogFlag) with(ctx context.Context,
	ask func(*catalog.Catalog, *questions.Collection) error,
) (err error) {
	dir, err := c.folder()
	if err != nil {
		return err
	}
	x, err := catalog.Open(dir, catalog.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	all, err := questions.Read(ctx, x)
	if err != nil {
		return err
	}
	return ask(x, all)
}

func (c *catalogFlag) folder() (string, error) {
	if _, err := os.Stat(c.In); err != nil {
		return "", fmt.Errorf("%w; --in names the folder that replicas analyze wrote, or a harvest's", err)
	}
	for _, dir := range []string{filepath.Join(c.In, catalogName), c.In} {
		if isCatalog(dir) {
			return dir, nil
		}
	}
	return "", fmt.Errorf("%s: %w", c.In, catalog.ErrNone)
}

// about reads the catalog for a question about a page.
func (c *catalogFlag) about(ctx context.Context, text string,
	ask func(page.URL, *questions.Collection) error,
) error {
	u, err := page.ParseURL(text)
	if err != nil {
		return err
	}
	return c.with(ctx, func(_ *catalog.Catalog, x *questions.Collection) error { return ask(u, x) })
}

// Cluster lists the pages of a page's cluster, of all sweeps.
type Cluster struct {
	catalogFlag
	URL string `arg:""`
}

// memberJSON is a document of a cluster as JSON has it.
type memberJSON struct {
	URL      page.URL  `json:"url"`
	Sweep    uint32    `json:"sweep"`
	Time     time.Time `json:"time"`
	Relation string    `json:"relation"`
}

func memberOf(m *questions.Match) memberJSON {
	return memberJSON{m.URL, m.Sweep, time.Unix(m.Time, 0).UTC(), m.Relation.String()}
}

func (c *Cluster) Run(ctx context.Context, s console.Streams) error {
	return c.about(ctx, c.URL, func(u page.URL, x *questions.Collection) error {
		number, members, err := x.ClusterOf(u)
		if err != nil {
			return err
		}
		if number == 0 {
			members = nil
		}
		list := make([]memberJSON, len(members))
		for i, m := range members {
			list[i] = memberOf(&m)
		}
		if c.JSON {
			return console.JSON(s.Out, list)
		}
		if number == 0 {
			_, err := fmt.Fprintln(s.Out, "like no other page")
			return err
		}
		fmt.Fprintf(s.Out, "cluster %d, %d documents, the representative first\n", number, len(list))
		w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
		for _, m := range list {
			fmt.Fprintf(w, "sweep %d\t%s\t%s\t%s\n", m.Sweep, m.Time.Format(time.DateOnly), m.Relation, m.URL)
		}
		return w.Flush()
	})
}

// Found says where a page is now: the lost and found.
type Found struct {
	catalogFlag
	URL string `arg:""`
}

// placeJSON is a place as JSON has it.
type placeJSON struct {
	memberJSON
	Resemblance float64 `json:"resemblance"`
}

func (c *Found) Run(ctx context.Context, s console.Streams) error {
	return c.about(ctx, c.URL, func(u page.URL, x *questions.Collection) error {
		last, err := x.Latest(u)
		if err != nil {
			return err
		}
		places, err := x.Found(u)
		if err != nil {
			return err
		}
		list := make([]placeJSON, len(places))
		for i, p := range places {
			list[i] = placeJSON{memberOf(&p), p.Resemblance.Value}
		}
		if c.JSON {
			return console.JSON(s.Out, list)
		}
		if len(list) == 0 || len(list) == 1 && list[0].URL == u {
			_, err := fmt.Fprintf(s.Out, "%s was in sweep %d last; nothing like it is anywhere else\n",
				u, last.Sweep)
			return err
		}
		w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
		for _, p := range list {
			fmt.Fprintf(w, "sweep %d\t%s\t%.3f\t%s\t%s\n", p.Sweep, p.Time.Format(time.DateOnly),
				p.Resemblance, p.Relation, p.URL)
		}
		return w.Flush()
	})
}
