package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"watershed/configs"
	"watershed/harvest"
	"watershed/internal/console"
	"watershed/sitemap"
	"watershed/store"
)

type scalesCommand struct {
	File   string   `arg:""`
	Site   string   `arg:"" optional:""`
	At     *float64 `placeholder:"ALPHA"`
	Export string   `enum:",surt,regex,csv,urls,json" default:"" placeholder:"FORM"`
	All    bool
	JSON   bool `name:"json"`
}

// scaleRows is how many scales are printed unless all are wanted.
const scaleRows = 24

func (c *scalesCommand) Run(ctx context.Context, s console.Streams) error {
	maps, err := c.maps(ctx, s)
	if err != nil {
		return err
	}
	if c.Export != "" && len(maps) > 1 {
		return &exitError{code: exitUsage, err: errors.New("--export is for one site: name it")}
	}
	for i, m := range maps {
		at := m
		if c.At != nil {
			if at, err = m.At(*c.At); err != nil {
				return &exitError{code: exitUsage, err: err}
			}
		}
		if i > 0 && !c.JSON {
			fmt.Fprintln(s.Out)
		}
		if err := c.print(s.Out, m, at); err != nil {
			return err
		}
	}
	return nil
}

// maps are those of the last run: as it was delivered, as it stands while it is under way, or drawn
// from what is known.
func (c *scalesCommand) maps(ctx context.Context, s console.Streams) ([]*sitemap.Map, error) {
	if filepath.Ext(c.File) == ".json" {
		m, err := harvest.ReadMap(c.File)
		if err == nil && c.Site != "" && c.Site != m.Site {
			err = fmt.Errorf("%s is the map of site %q", c.File, m.Site)
		}
		return []*sitemap.Map{m}, err
	}
	config, err := load(c.File)
	if err != nil {
		return nil, err
	}
	maps, err := c.drawn(ctx, s, &config)
	if err != nil || c.Site == "" {
		return maps, err
	}
	var names []string
	for _, m := range maps {
		if m.Site == c.Site {
			return []*sitemap.Map{m}, nil
		}
		names = append(names, m.Site)
	}
	return nil, noSite(c.Site, names)
}

// noSite refuses the name of a site that is none of those that there are.
func noSite(name string, there []string) error {
	return &exitError{exitUsage, fmt.Errorf("no site %q: there are %s", name, strings.Join(there, ", "))}
}

// drawn reads the maps of the last run, or draws them where it was stopped before it was delivered.
func (c *scalesCommand) drawn(ctx context.Context, s console.Streams,
	config *configs.Harvest,
) ([]*sitemap.Map, error) {
	folder := folderOf(config)
	run, err := folder.Last()
	if err != nil {
		return nil, err
	}
	x, err := folder.Shown(ctx, run, 0)
	if err != nil {
		return nil, err
	}
	if x.Drawing != nil && !x.Live { // it was stopped, or is opened or delivered just now
		maps, err := examinedMaps(config)
		if !errors.Is(err, store.ErrLocked) {
			return maps, err
		}
	}
	if x.Live || x.Drawing != nil {
		if _, x, err = shownRun(ctx, s, config, 0); err != nil {
			return nil, err
		}
		run = x.Run
	}
	var maps []*sitemap.Map
	for i, site := range config.Sites {
		m, err := harvest.ReadMap(filepath.Join(run.Site(i, site.Name), "map.json"))
		if errors.Is(err, os.ErrNotExist) {
			maps, err := examinedMaps(config)
			if errors.Is(err, store.ErrLocked) {
				err = fmt.Errorf("the run is being opened or delivered; ask again in a while: %w", err)
			}
			return maps, err
		}
		if err != nil {
			return nil, err
		}
		maps = append(maps, m)
	}
	return maps, nil
}

func examinedMaps(config *configs.Harvest) (maps []*sitemap.Map, err error) {
	err = examine(config, func(e *harvest.Examination) (err error) {
		maps, err = e.Maps()
		return err
	})
	return maps, err
}

// print writes what the flags want of a map m and of the map at the scale chosen.
func (c *scalesCommand) print(out io.Writer, m, at *sitemap.Map) error {
	if form, ok := sitemap.FormOf(c.Export); ok {
		return form.Write(at, console.Whole(out))
	}
	if c.JSON {
		return printScales(out, m)
	}
	rows := scaleRows
	if c.All {
		rows = 0
	}
	if err := m.WriteScaleTable(out, rows); err != nil || c.At == nil {
		return err
	}
	return c.advise(out, m, at)
}

// scalesAnswer is how far a site reaches, as JSON has it.
type scalesAnswer struct {
	Site   string          `json:"site"`
	Alpha  float64         `json:"alpha"` // of the harvest
	Scale  int             `json:"scale"` // index of the one that the map is drawn at
	Scales []sitemap.Scale `json:"scales"`
}

func printScales(out io.Writer, m *sitemap.Map) error {
	return console.JSON(out, scalesAnswer{m.Site, m.Alpha(), m.Scale, m.Scales})
}

// advise says what the chosen scale has, and how to harvest it.
func (c *scalesCommand) advise(out io.Writer, m, at *sitemap.Map) error {
	more, than := at.Members.Len()-m.Members.Len(), "more"
	if more < 0 {
		more, than = -more, "fewer"
	}
	fmt.Fprintf(out, "at alpha %g: %s and %s belong, %s %s than at %g\n", *c.At,
		console.Plural(at.Members.Len(), "page", "pages"),
		console.Plural(len(at.Requisites), "required file", "required files"),
		console.Plural(more, "page", "pages"), than, m.Alpha())
	if at.Scale <= m.Scale {
		_, err := fmt.Fprintln(out, "nothing is to be fetched for it")
		return err
	}
	sc := &m.Scales[at.Scale]
	_, err := fmt.Fprintf(out, "%d of them were not fetched. A harvest with boundary.alpha %g fetches %d "+
		"pages at most, and a few samples:\nset it in the YAML, then: %s\n",
		sc.Known, *c.At, m.Fetches(*c.At), command("harvest", "--extend", c.File))
	return err
}
