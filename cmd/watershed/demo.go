package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"watershed/archive"
	"watershed/configs"
	"watershed/crawler/draw"
	"watershed/demo"
	"watershed/harvest"
	"watershed/internal/console"
	"watershed/page"
	"watershed/sitemap"
)

type demoCommand struct {
	Dir   string `default:"harvests"`
	Again bool
	Keep  bool
	Nodes int `placeholder:"3"`
}

func (c *demoCommand) Run(ctx context.Context, s console.Streams) error {
	if c.Nodes != 0 {
		return c.shared(ctx, s)
	}
	folder := harvest.Folder(filepath.Join(c.Dir, demoName))
	epoch, err := c.prepare(folder, s.Err)
	if err != nil {
		return err
	}
	web := demo.New(demo.Options{Epoch: epoch})
	return web.Serve(ctx, func(ctx context.Context) error {
		file := filepath.Join(c.Dir, demoName+".yaml")
		if err := os.WriteFile(file, demoYAML(web), 0o666); err != nil {
			return fmt.Errorf("write the demo's harvest: %w", err)
		}
		config, err := load(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.Err, "serving %d hosts at port %d of loopback; harvesting %d sites of them by %s\n",
			len(web.Hosts()), web.Port(), len(config.Sites), file)
		err = runHarvest(ctx, s, file, &config, folder, newReporter(s.Err, false, false), how{})
		if err != nil && !onlyUndrawn(err) {
			return err
		}
		if err := demoResult(s.Out, web, &config, file, folder); err != nil {
			return err
		}
		return c.linger(ctx, s.Out, file)
	})
}

// onlyUndrawn reports a run that has lost nothing but pages that no browser drew: whoever has none that runs
// has the rest of the demo.
func onlyUndrawn(err error) bool {
	var lost *lossError
	if !errors.As(err, &lost) {
		return false
	}
	rest := lost.losses
	rest.Drawings = 0
	return !rest.Any()
}

// demoName is that of the harvest in the bundled YAML, and of its folder.
const demoName = "demo"

// prepare makes room for a demo, and gives the epoch of the web that the demo harvests: each demo
// that came to its end is an epoch. An interrupted demo goes on in its epoch.
func (c *demoCommand) prepare(folder harvest.Folder, out io.Writer) (epoch int, err error) {
	if err := os.MkdirAll(c.Dir, 0o777); err != nil {
		return 0, err
	}
	runs, err := folder.Runs()
	if err != nil {
		return 0, err
	}
	for _, r := range runs {
		if _, err := os.Stat(filepath.Join(r.Reports(), "report.json")); err == nil {
			epoch++
		}
	}
	if c.Again || epoch < len(runs) {
		return epoch, nil
	}
	return 0, moveAside(folder, out)
}

// demoYAML is the bundled harvest, with the places where its hosts are. Hosts that the web has not
// are at the address of one that answers for none, so that nothing is asked of the real web. Where
// there is no browser nothing is to be drawn.
func demoYAML(web *demo.Web) []byte {
	text, err := configs.Example(demoName)
	if err != nil {
		panic("watershed: " + err.Error()) // it is bundled
	}
	if _, none := draw.Find(""); none != nil {
		text = bytes.Replace(text, []byte("draw: auto"), []byte("draw: never"), 1)
	}
	var b strings.Builder
	b.Write(text)
	fmt.Fprintf(&b, "\nnetwork:\n  allow_private: [127.0.0.0/8]\n  dial_ports: {80: %d}\n  resolve:\n",
		web.Port())
	hosts := web.Hosts()
	for _, h := range slices.Sorted(maps.Keys(hosts)) {
		fmt.Fprintf(&b, "    - match: %s\n      address: %s\n", h, hosts[h])
	}
	b.WriteString("    - match: \"*\"\n      address: 127.0.0.1\n")
	return []byte(b.String())
}

// demoResult compares the maps with the truth, and says where to look.
func demoResult(out io.Writer, web *demo.Web, config *configs.Harvest, file string,
	folder harvest.Folder,
) error {
	run, err := folder.Last()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nThis web was made for the demo, so that the truth about it is known:\n")
	for i, s := range config.Sites {
		m, err := harvest.ReadMap(filepath.Join(run.Site(i, s.Name), "map.json"))
		if err != nil {
			return err
		}
		judge(out, web, m)
	}
	if err := errors.Join(demoDrawn(out, file, run), demoManners(out, web, config)); err != nil {
		return err
	}
	inside := page.URL("http://osage.example/verso/")
	fmt.Fprintf(out, "\nTry next:\n")
	for _, next := range []string{
		command("explain", file, string(inside)),
		command("explain", file, "http://people.campus.example/"),
		command("skipped", file),
		command("ui", file),
		command("warc", "check", run.Archive()),
		command("demo", "--again", "--dir", filepath.Dir(file)),
	} {
		if _, err := fmt.Fprintf(out, "  %s\n", next); err != nil {
			return err
		}
	}
	return nil
}

// demoDrawn tells what became of the page that a script draws.
func demoDrawn(out io.Writer, file string, run harvest.Run) error {
	index, err := archive.OpenIndex(run.Index())
	if err != nil {
		return err
	}
	shows := "has no text"
	d, err := archive.FindDrawing(index, run.Archive(), string(demo.Drawn))
	switch _, none := draw.Find(""); {
	case d != nil:
		shows = fmt.Sprintf("shows %q", d.Text)
	case none != nil:
		shows += ": " + none.Error()
	default:
		shows += ": " + command("report", file, "losses") + " tells why"
	}
	_, to := fmt.Fprintf(out, "The page %s, which a script draws, %s.\n", demo.Drawn, shows)
	return errors.Join(err, index.Close(), to)
}

// judge compares a map with the truth.
func judge(out io.Writer, web *demo.Web, m *sitemap.Map) (found, all int) {
	truth, _ := web.Site(m.Site) // a site it does not know has no pages
	found, strays := compare(web, truth, m)
	fmt.Fprintf(out, "  site %-24s %d of its %d pages found, on %s; %s of others taken for its own\n", m.Site,
		found, len(truth.Pages), console.Plural(len(truth.Hosts), "host", "hosts"),
		console.Plural(strays, "page", "pages"))
	return found, len(truth.Pages)
}

// demoManners tells what the servers saw of the harvest.
func demoManners(out io.Writer, web *demo.Web, config *configs.Harvest) error {
	rep := web.Politeness(config.Politeness.MinDelay.Std())
	requests, most := 0, 0
	for _, h := range rep.Hosts {
		requests, most = requests+h.Requests, max(most, h.InFlight)
	}
	_, err := fmt.Fprintf(out, "Its servers saw %d requests on %d hosts: at most %d at once to a host, %d "+
		"sooner than they allow, %d for the same page again, %d against robots.txt.\n",
		requests, len(rep.Hosts), most, len(rep.Hasty), len(rep.Repeats), len(rep.Disallowed))
	return err
}

// compare counts the pages of a site that a map has, and those it has of others.
func compare(web *demo.Web, truth demo.Site, m *sitemap.Map) (found, strays int) {
	for _, x := range m.Members.All() {
		if _, ok := slices.BinarySearch(truth.Pages, x.URL); ok {
			found++
		} else if web.Owner(x.URL) != truth.Name {
			strays++
		}
	}
	return found, strays
}

// linger serves on where that is wanted.
func (c *demoCommand) linger(ctx context.Context, out io.Writer, file string) error {
	if !c.Keep {
		return nil
	}
	if _, err := fmt.Fprintf(out, "\nThe web is served until you interrupt; harvest it again with\n  %s\n",
		command("harvest", file)); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}
