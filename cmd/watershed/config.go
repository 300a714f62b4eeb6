package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"watershed/configs"
	"watershed/harvest"
	"watershed/harvest/decision"
	"watershed/harvest/depot"
	"watershed/internal/console"
	"watershed/page"
)

type configCommand struct {
	Check   configCheck   `cmd:""`
	Show    configShow    `cmd:""`
	Example configExample `cmd:""`
}

// load reads a harvest; what is wrong with it ends the command with exitConfig.
func load(path string) (configs.Harvest, error) {
	if err := there(path); err != nil {
		return configs.Harvest{}, err
	}
	h, err := configs.Load(path)
	if err == nil {
		return h, nil
	}
	if info, statErr := os.Stat(path); statErr == nil && info.IsDir() {
		return h, notYAML(path, "a folder, and no YAML of a harvest")
	}
	return h, &exitError{code: exitConfig, err: peers(path, err)}
}

// harvestNamed reads the harvest whose YAML the command line names.
func harvestNamed(call *kong.Context) (*configs.Harvest, error) {
	i := slices.IndexFunc(call.Path, func(p *kong.Path) bool {
		return p.Positional != nil && p.Positional.Name == "file"
	})
	h, err := load(call.Path[i].Positional.Target.String())
	return &h, err
}

// notYAML is the error of a folder where a YAML is needed: that it is something else, or which YAML is
// meant.
func notYAML(path, is string) error {
	said := meant(path)
	if said == "" {
		said = fmt.Sprintf("%s is %s: %s prints one", path, is, command("config", "example"))
	}
	return &exitError{exitUsage, errors.New(said)}
}

// meant tells of a folder that lies in that of a harvest, or holds it, where the harvest's YAML lies: it
// is looked for there and above.
func meant(path string) string {
	folder, _ := filepath.Abs(path) // "" lies nowhere
	within := func(path, dir string) bool {
		return strings.HasPrefix(path+string(filepath.Separator), dir+string(filepath.Separator))
	}
	for dir := folder; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		files, _ := os.ReadDir(dir) // who may not read it is told less
		for _, f := range files {
			if !depot.IsYAML(f.Name()) {
				continue
			}
			yaml := filepath.Join(dir, f.Name())
			h, err := configs.Load(yaml)
			if err != nil {
				continue
			}
			home, err := filepath.Abs(h.Folder())
			switch {
			case err != nil || within(yaml, home): // a run has a copy of its YAML
			case within(folder, home):
				return fmt.Sprintf("%s is a folder of harvest %s: name its YAML, %s", path, h.Harvest, yaml)
			case within(home, folder):
				return fmt.Sprintf("%s is a folder: name a YAML in %s", path, dir)
			}
		}
	}
	return ""
}

// noRuns refuses the folder of a harvest, or of a run, where one of harvests is named: the YAMLs in it are
// tables and copies.
func noRuns(dir string) error {
	whole, _ := filepath.Abs(dir) // a run's name may be that of the working directory
	if runs, _ := harvest.Folder(dir).Runs(); len(runs) == 0 && harvest.Run(whole).Number() == 0 {
		return nil // what cannot be read is told by whoever reads it
	}
	return notYAML(dir, "a folder of runs, and has no YAML of a harvest")
}

type configCheck struct {
	File string `arg:""`
}

func (c *configCheck) Run(s console.Streams, h *configs.Harvest) error {
	warnOf(s, c.File, h)
	_, err := fmt.Fprintf(s.Out, "%s: harvest %s, %s: in order\n", c.File, h.Harvest,
		console.Plural(len(h.Sites), "site", "sites"))
	return err
}

// warnOf warns of what is in order in a YAML, and most likely not meant.
func warnOf(s console.Streams, file string, h *configs.Harvest) {
	warnExposed(s, h.ExposedSecrets())
	warnNamesakes(s, file, h)
	warnStrangers(s, file, h)
	warnStray(s, file, h)
}

// warnExposed warns of files with secrets that everybody on the machine may read.
func warnExposed(s console.Streams, files []string) {
	for _, path := range files {
		fmt.Fprintf(s.Err,
			"warning: everybody on this machine can read the secret in %s; chmod o= %[1]s\n", path)
	}
}

// warnNamesakes warns of other YAMLs beside a harvest's that put runs into the same folder, as a copy does
// whose name was left as it was.
func warnNamesakes(s console.Streams, file string, h *configs.Harvest) {
	files, _ := os.ReadDir(filepath.Dir(file)) // who may not read it is told less
	self, err := os.Stat(file)
	if err != nil {
		return
	}
	for _, f := range files {
		path := filepath.Join(filepath.Dir(file), f.Name())
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || os.SameFile(self, info) || !depot.IsYAML(f.Name()) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(text, []byte(h.Harvest)) {
			continue
		}
		if other, err := configs.Load(path); err == nil && other.Folder() == h.Folder() {
			fmt.Fprintf(s.Err, "warning: %s names its harvest %s, too, so that the runs of both are in %s: "+
				"where two harvests are meant, give one of them another name\n",
				visible(path), h.Harvest, visible(h.Folder()))
		}
	}
}

// warnStrangers warns of a YAML that shares no site with the last run in its folder, which was another
// harvest's then.
func warnStrangers(s console.Streams, file string, h *configs.Harvest) {
	last, err := folderOf(h).Last()
	if err != nil {
		return
	}
	was, err := configs.Load(last.Config())
	if err != nil || len(was.Sites) == 0 { // its lists may lie elsewhere
		return
	}
	for i := range h.Sites {
		for k := range was.Sites {
			now, then := &h.Sites[i], &was.Sites[k]
			if now.Name == then.Name || slices.ContainsFunc(now.Seeds, func(u page.URL) bool {
				return slices.Contains(then.Seeds, u)
			}) {
				return
			}
		}
	}
	fmt.Fprintf(s.Err, "warning: %s has none of the sites of %s, the last run of its name in %s: "+
		"where two harvests are meant, give one of them another name\n",
		visible(file), last.Name(), visible(h.Folder()))
}

// warnStray warns of decisions on sites that the YAML does not have, as after one was renamed.
func warnStray(s console.Streams, file string, h *configs.Harvest) {
	l, err := harvest.ReadDecisions(folderOf(h).Decisions())
	if err != nil {
		return // who runs the harvest is told
	}
	for i := range l.Decisions {
		d := &l.Decisions[i]
		if hasSite(h, d.Site) == nil {
			continue
		}
		subject := decision.Alpha
		if d.Do != decision.Alpha {
			subject = d.Rule.String()
		}
		fmt.Fprintf(s.Err, "warning: a decision does not count, for %s has no site %q: %s; where the site "+
			"was renamed decide anew, and take this back: %s\n", visible(file), d.Site, visible(d.String()),
			visible(command("decide", "withdraw", file, subject, "--site="+d.Site)))
	}
}

type configShow struct {
	File string `arg:""`
	JSON bool   `name:"json"`
}

func (c *configShow) Run(s console.Streams, h *configs.Harvest) error {
	file := folderOf(h).Decisions()
	decided, err := harvest.ReadDecisions(file)
	if err != nil {
		return err
	}
	options := h.Effective()
	for i := range decided.Decisions {
		d := &decided.Decisions[i]
		options = append(options, configs.Option{
			Key:   fmt.Sprintf("decisions[%d]", i),
			Value: d.Value() + ": " + d.Subject(), Origin: file + ", " + d.Who(),
		})
	}
	if c.JSON {
		return console.JSON(s.Out, options)
	}
	table := console.NewTable(s.Out)
	for _, o := range options {
		fmt.Fprintf(table, "%s\t%s\t%s\n", o.Key, o.Value, o.Origin)
	}
	return table.Flush()
}

// schemaName is the example that is the JSON Schema of all.
const schemaName = "schema"

type configExample struct {
	Name string `arg:"" optional:""`
}

func (c *configExample) Run(s console.Streams) error {
	var text []byte
	var err error
	switch c.Name {
	case "":
		_, err = fmt.Fprintln(s.Out, strings.Join(append(configs.Examples(), schemaName), "\n"))
		return err
	case schemaName:
		text, err = configs.Schema()
	default:
		if text, err = configs.Example(c.Name); err != nil {
			err = &exitError{exitUsage, fmt.Errorf("%w, %s", err, schemaName)}
		}
	}
	if err == nil {
		_, err = console.Whole(s.Out).Write(text)
	}
	return err
}
