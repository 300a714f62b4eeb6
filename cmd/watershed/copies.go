package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"watershed/configs"
	"watershed/harvest"
	"watershed/internal/console"
	"watershed/page"
	"watershed/replica"
)

// copiesCommand works on a harvest's table of replicas: mirrored hosts and directories, and
// replicated collections.
type copiesCommand struct {
	List    copiesList    `cmd:""`
	Verify  copiesVerify  `cmd:""`
	Confirm copiesConfirm `cmd:""`
	Reject  copiesReject  `cmd:""`
	Reopen  copiesReopen  `cmd:""`
	Check   copiesCheck   `cmd:""`
	Import  copiesImport  `cmd:""`
}

type copiesList struct {
	File  string `arg:""`
	Name  string `arg:"" optional:""`
	State string `enum:",proposed,confirmed,pruned,expired,reopened,rejected" default:"" placeholder:"STATE"`
	Out   string `short:"o" placeholder:"FILE"`
	JSON  bool   `name:"json"`
}

func (c *copiesList) Run(s console.Streams, config *configs.Harvest) error {
	t, err := harvest.ReadTable(folderOf(config).Replicas())
	if err != nil {
		return err
	}
	if c.Out != "" {
		return harvest.WriteTable(c.Out, t)
	}
	list, err := c.entries(t)
	switch {
	case err != nil:
		return err
	case c.JSON:
		return console.JSON(s.Out, list)
	case c.Name != "":
		return showEntry(s.Out, &list[0])
	}
	w := console.NewTable(s.Out)
	for _, e := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t= %s\t%s\n", e.State, levelText(e.Level), e.From, e.To,
			agreement(&e.Evidence))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.Out, "%d of %d entries\n", len(list), t.Len())
	return err
}

// entries are those that are asked for.
func (c *copiesList) entries(t *replica.Table) (list []replica.Entry, err error) {
	if c.Name != "" {
		e, ok := t.Get(c.Name)
		if !ok {
			return nil, &replica.EntryError{From: c.Name, Cause: replica.ErrUnknown}
		}
		return []replica.Entry{e}, nil
	}
	var state replica.State
	if c.State != "" {
		if state, err = replica.ParseState(c.State); err != nil {
			return nil, err
		}
	}
	for _, e := range t.All() {
		if c.State == "" || e.State == state {
			list = append(list, e)
		}
	}
	return orEmpty(list), nil
}

func levelText(level int) string {
	if level == 0 {
		return "-"
	}
	return fmt.Sprintf("level %d", level)
}

func agreement(v *replica.Evidence) string {
	var parts []string
	switch {
	case v.Common > 0:
		parts = append(parts, fmt.Sprintf("%d of %d pages in common", v.Common, v.Pages))
	case v.Pages > 0:
		parts = append(parts, console.Plural(v.Pages, "page", "pages"))
	}
	if v.Tested > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d compared agree", v.Agreed, v.Tested))
	}
	if v.Harvests > 0 {
		parts = append(parts, "so did "+console.Plural(v.Harvests, "sample", "samples")+" in a row")
	}
	return strings.Join(parts, ", ")
}

// showEntry prints all that the table has on a replica.
func showEntry(out io.Writer, e *replica.Entry) error {
	w := console.NewTable(out)
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s\t%s\n", key, value)
		}
	}
	line("copy", e.From)
	line("original", e.To)
	line("state", decided(e.State, " since ", e.Decided, e.By))
	line("level", levelText(e.Level))
	line("found by", e.Method)
	line("found", day(e.Found))
	line("agreed last", day(e.Verified))
	line("evidence", agreement(&e.Evidence))
	if v := e.Evidence; v.Resemblance+v.Containment+v.Purity > 0 {
		line("", fmt.Sprintf("mean resemblance %.3f, containment %.3f, purity %.3f", v.Resemblance,
			v.Containment, v.Purity))
	}
	line("note", e.Note)
	for _, h := range e.History {
		line("before", strings.TrimSuffix(decided(h.State, " from ", h.Time, h.By)+": "+h.Note, ": "))
	}
	return w.Flush()
}

// decided tells a state, and who decided on it when; a proposal is nobody's decision.
func decided(state replica.State, since string, at time.Time, by string) string {
	text := state.String()
	if !at.IsZero() {
		text += since + day(at)
	}
	if by != "" {
		text += ", by " + by
	}
	return text
}

func day(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format(time.DateOnly)
}

// verdict is what a person says of an entry.
type verdict struct {
	File string `arg:""`
	Name string `arg:""`
	Note string `placeholder:"TEXT"`
}

func (d *verdict) change() replica.Change {
	return replica.Change{Time: time.Now(), By: whoami(), Note: d.Note}
}

// whoami is who gives a command: the name in WATERSHED_BY, else that by which the system knows the
// user.
func whoami() string {
	if by := os.Getenv("WATERSHED_BY"); by != "" {
		return by
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "archivist"
}

// edit changes the table and prints the entry as it is then, and others that have another state by that.
func (d *verdict) edit(s console.Streams, config *configs.Harvest, change func(*replica.Table) error) error {
	var list []replica.Entry
	err := folderOf(config).EditTable(func(t *replica.Table) error {
		before := map[string]replica.State{}
		for _, e := range t.All() {
			before[e.From] = e.State
		}
		err := change(t)
		e, _ := t.Get(d.Name)
		list = append(list, e)
		for _, e := range t.All() {
			if old, there := before[e.From]; there && old != e.State && e.From != d.Name {
				list = append(list, e)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	for i := range list {
		if _, err := fmt.Fprintln(s.Out, list[i].String()); err != nil {
			return err
		}
	}
	return nil
}

type copiesConfirm struct {
	verdict
	To    string `placeholder:"NAME"`
	Level int    `placeholder:"LEVEL"`
}

func (c *copiesConfirm) Run(s console.Streams, config *configs.Harvest) error {
	if err := c.known(config); err != nil {
		return err
	}
	return c.edit(s, config, func(t *replica.Table) error {
		d := c.change()
		old, there := t.Get(c.Name)
		if c.To != "" && old.To != c.To {
			e := replica.Entry{
				From: c.Name, To: c.To, State: replica.Confirmed, Level: c.Level,
				Method: "hand", Found: d.Time, Decided: d.Time, Verified: d.Time, By: d.By, Note: d.Note,
			}
			if there {
				e.History = append(old.History, replica.Change{
					State: old.State, Time: old.Decided,
					By: old.By, Note: old.Note,
				})
			}
			return t.Turn(e, d)
		}
		return t.Insist(c.Name, c.Level, d)
	})
}

// known refuses an original on a host that no run has met, where there was a run: it would stand for
// the copy with nothing.
func (c *copiesConfirm) known(config *configs.Harvest) error {
	if c.To == "" {
		return nil
	}
	hosts, err := folderOf(config).Hosts()
	if err != nil || len(hosts) == 0 {
		return err
	}
	name := page.Host(c.To)
	if !replica.IsHost(c.To) {
		name = page.URL(c.To).Host()
	}
	if !slices.Contains(hosts, name) {
		return fmt.Errorf("confirm %s: no run has met the host of %s; copies.aliases holds for hosts that "+
			"come later", c.Name, c.To)
	}
	return nil
}

type copiesReject struct{ verdict }

func (c *copiesReject) Run(s console.Streams, config *configs.Harvest) error {
	return c.edit(s, config, func(t *replica.Table) error { return t.Reject(c.Name, c.change()) })
}

type copiesReopen struct{ verdict }

func (c *copiesReopen) Run(s console.Streams, config *configs.Harvest) error {
	return c.edit(s, config, func(t *replica.Table) error { return t.Reopen(c.Name, c.change()) })
}

type copiesImport struct {
	File  string `arg:""`
	Table string `arg:"" type:"existingfile"`
}

func (c *copiesImport) Run(s console.Streams, config *configs.Harvest) error {
	folder := folderOf(config)
	more, err := readReplicas(c.Table, folder)
	if err != nil {
		return err
	}
	more.Date(replica.Change{Time: time.Now(), By: filepath.Base(c.Table)})
	return folder.EditTable(func(t *replica.Table) error {
		before := t.All()
		if err := t.Merge(more); err != nil {
			return fmt.Errorf("nothing was taken over: %w", err)
		}
		return tellImport(s.Out, before, more, t)
	})
}

// tellImport prints what became of the entries of a table that was read, and of those that were there.
func tellImport(out io.Writer, before []replica.Entry, read, t *replica.Table) error {
	var lines []string
	known, added := map[string]bool{}, 0
	for _, e := range before {
		known[e.From] = true
		if now, there := t.Get(e.From); !there || e.State.InForce() && !now.State.InForce() {
			lines = append(lines, fmt.Sprintf("ended, for what was read says otherwise: %s", &e))
		}
	}
	for _, e := range read.All() {
		now, there := t.Get(e.From)
		if there && !known[e.From] {
			added++
		}
		if e.State == replica.Proposed && now.To != e.To {
			lines = append(lines, fmt.Sprintf("not taken, for the table says otherwise: %s", &e))
		}
	}
	lines = append([]string{fmt.Sprintf("%s read, %d of them new",
		console.Plural(read.Len(), "entry", "entries"), added)}, lines...)
	_, err := fmt.Fprintln(out, strings.Join(lines, "\n"))
	return err
}

// readReplicas reads a table or, where the name ends otherwise, a list of aliases. Aliases with
// patterns apply to the hosts that the runs of the harvest know.
func readReplicas(path string, folder harvest.Folder) (*replica.Table, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml", ".csv":
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
		return harvest.ReadTable(path)
	}
	text, err := harvest.ReadFile(path)
	if err != nil {
		return nil, err
	}
	a, err := replica.ParseAliases(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var known []page.Host
	if a.Patterns() {
		if known, err = folder.Hosts(); err != nil {
			return nil, err
		}
	}
	t, err := replica.ReadAliases(bytes.NewReader(text), known, replica.Change{
		Time: time.Now(),
		By:   filepath.Base(path),
	})
	switch {
	case err != nil && known == nil && a.Patterns():
		return nil, fmt.Errorf("%s: %w (the harvest knows of no hosts yet; copies.aliases holds for hosts "+
			"that come later)", path, err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// orEmpty is the list, or one without entries, which JSON has as [] and not as null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
