package sketchbench

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"watershed/lab/testweb"
	"watershed/replica/sketch"
)

// shares are the parts of a host's pages at which a feature is called its template; 0 means no
// template: the full text.
var shares = [...]float64{0, .1, .2, .5}

// Template learns the template of each host and prints, for each kind of pair in neardups.tsv, how
// many reach a resemblance of .5 by full text, and by main text.
type Template struct {
	Web string `arg:""`
}

// Run is the command.
func (c *Template) Run(out io.Writer) error {
	dir := os.DirFS(c.Web)
	w, err := openWeb(dir)
	if err != nil {
		return err
	}
	defer w.bodies.Close() //nolint:errcheck // only read
	hosts, sketches, err := learn(w)
	if err != nil {
		return err
	}
	common := make(map[string][len(shares)][]uint64)
	for host, x := range hosts {
		var lists [len(shares)][]uint64
		for i, share := range shares[1:] {
			lists[i+1] = x.template(share)
		}
		common[host] = lists
	}
	type kind struct {
		pairs                 int
		reached, insufficient [len(shares)]int
	}
	kinds := make(map[string]*kind)
	err = testweb.Rows(dir, "neardups.tsv", 5, func(f []string) error {
		x, okX := sketches[strings.TrimPrefix(f[0], "http://")]
		y, okY := sketches[strings.TrimPrefix(f[1], "http://")]
		if !okX || !okY {
			return nil
		}
		name := f[3] + " " + f[4]
		if kinds[name] == nil {
			kinds[name] = new(kind)
		}
		k := kinds[name]
		k.pairs++
		for i := range shares {
			a, b := x.Without(common[hostOf(f[0])][i]), y.Without(common[hostOf(f[1])][i])
			e, err := sketch.Resemblance(&a, &b)
			if err != nil {
				return err
			}
			switch verdictOf(e, .5) {
			case reached:
				k.reached[i]++
			case insufficient:
				k.insufficient[i]++
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%-32s %6s", "pairs of resemblance .5 or more", "pairs")
	for _, s := range shares {
		fmt.Fprintf(out, " | share %.1f", s)
	}
	fmt.Fprintln(out, " (of them insufficient)")
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		k := kinds[name]
		fmt.Fprintf(out, "%-32s %6d", name, k.pairs)
		for i := range shares {
			fmt.Fprintf(out, " | %5d %4d", k.reached[i], k.insufficient[i])
		}
		fmt.Fprintln(out)
	}
	return nil
}

func hostOf(url string) string {
	host, _, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	return host
}

// learn sketches every page, and counts the features of each host's different texts.
func learn(w *web) (map[string]*common, map[string]sketch.Sketch, error) {
	b, err := sketch.NewBuilder(sketch.Options{NoSuper: true, NoSimHash: true})
	if err != nil {
		return nil, nil, err
	}
	hosts, sketches := make(map[string]*common), make(map[string]sketch.Sketch)
	type text struct {
		host    string
		lexical uint64
	}
	seen := make(map[text]bool)
	for _, url := range slices.Sorted(maps.Keys(w.pages)) {
		body, _, err := w.page(url)
		if err != nil {
			return nil, nil, err
		}
		s := sketchHTML(b, body)
		sketches[url] = s
		host := hostOf(url)
		if hosts[host] == nil {
			if hosts[host], err = newCommon(4096); err != nil {
				return nil, nil, err
			}
		}
		if t := (text{host, s.Lexical}); !seen[t] {
			seen[t] = true
			hosts[host].Add(&s)
		}
	}
	return hosts, sketches, nil
}
