package ui

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"watershed/archive"
	"watershed/configs"
	"watershed/page"
	"watershed/sitemap"
	"watershed/store"
)

// SettingsModel is the harvest.yaml that a run had, and what all options were.
type SettingsModel struct {
	Run     string    `json:"run"`
	Lines   []string  `json:"lines"`           // of the file
	Options []setting `json:"options"`         // empty where the file cannot be read alone
	Cause   string    `json:"cause,omitempty"` // why it cannot
}

// setting is an option of a harvest.
type setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Line  int    `json:"line,omitempty"` // that sets it; 0 where the default holds
	File  string `json:"file,omitempty"` // whose line it is, where that is a list of sites
}

// shownSites is of how many sites the page has the options: those of 3,000 sites are 13 MB, for which a
// browser takes half a minute.
const shownSites = 50

// Rows are the options that the page shows.
func (m SettingsModel) Rows() []setting {
	return slices.DeleteFunc(slices.Clone(m.Options), func(o setting) bool {
		number, _, _ := strings.Cut(strings.TrimPrefix(o.Key, "sites["), "]")
		n, err := strconv.Atoi(number)
		return err == nil && n >= shownSites
	})
}

// Cut reports that the page leaves out the options of sites.
func (m SettingsModel) Cut() bool { return len(m.Rows()) < len(m.Options) }

// settings are those of a run, read.
type settings struct {
	lines   []string
	options []setting
	harvest *configs.Harvest // nil where the file cannot be read alone
	cause   error
}

// readSettings reads a run's harvest.yaml. A file that needs others beside it, such as lists of
// sites, is read as the harvest's YAML is now, where that is still the same; else it has lines and
// no options.
func readSettings(path string, now *configs.Harvest) (*settings, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	text = []byte(page.Redact(string(text))) // earlier versions kept it as it was
	x := &settings{lines: strings.Split(strings.TrimRight(string(text), "\n"), "\n")}
	if h, err := configs.Parse(path, text); err == nil {
		x.harvest = &h
	} else if !same(text, now) {
		x.cause = err
		return x, nil
	} else if list := newerList(path, now); list != "" {
		x.cause = fmt.Errorf("%s was changed after the run had begun: the options that it had are not "+
			"known any more", list)
		return x, nil
	} else {
		x.harvest = now
	}
	for _, o := range x.harvest.Effective() {
		file, line := x.place(o.Key)
		x.options = append(x.options, setting{o.Key, o.Value, line, file})
	}
	return x, nil
}

// same reports that a harvest was read of a file that has this text, but for user names and
// passwords.
func same(text []byte, now *configs.Harvest) bool {
	if now == nil {
		return false
	}
	current, err := os.ReadFile(now.File())
	return err == nil && page.Redact(string(current)) == string(text)
}

// newerList is a list of sites that was changed after a run had kept its harvest.yaml; "" for none.
func newerList(kept string, now *configs.Harvest) string {
	run, err := os.Stat(kept)
	for _, file := range now.Files() {
		if list, e := os.Stat(file); file != now.File() && errors.Join(err, e) == nil &&
			list.ModTime().After(run.ModTime()) {
			return filepath.Base(file)
		}
	}
	return ""
}

// settingsOf the run that a query names.
func (s *Server) settingsOf(q *query) (*settings, error) {
	return s.settings.get(q.run.Config(), func(path string) (*settings, error) {
		return readSettings(path, q.harvest.Config)
	})
}

// place is the line that sets an option or a group of them, 0 for none, and the list of sites that
// has it, "" for the YAML.
func (x *settings) place(key string) (file string, line int) {
	if x.harvest == nil {
		return "", 0
	}
	p, _ := x.harvest.Where(key)
	if p.File != "" && p.File != x.harvest.File() {
		file = filepath.Base(p.File)
	}
	return file, p.Line
}

func settingsModel(s *Server, q *query) (any, error) {
	run, err := q.need()
	if err != nil {
		return nil, err
	}
	x, err := s.settingsOf(q)
	if err != nil {
		return nil, err
	}
	m := SettingsModel{
		Run: run.Name(), Lines: append([]string{}, x.lines...),
		Options: append([]setting{}, x.options...),
	}
	if x.cause != nil {
		m.Cause, _, _ = strings.Cut(x.cause.Error(), "\n")
	}
	return m, nil
}

// Source is what made a rule by which a URL was left out.
type Source struct {
	// Kind is option (of the harvest's YAML), robots (a site's robots.txt), replica (the table of
	// replicas), or boundary (the map).
	Kind string `json:"kind"`
	Key  string `json:"key,omitempty"`  // of the option
	Line int    `json:"line,omitempty"` // of the run's harvest.yaml, or of File; 0 where the default holds
	File string `json:"file,omitempty"` // a list of sites
	Of   string `json:"of,omitempty"`   // the host of robots.txt, the replica, or the block
	Site string `json:"site,omitempty"` // the folder of the site whose block it is

	left page.URL // that the block left out
}

// Kinds of sources.
const (
	sourceOption   = "option"
	sourceRobots   = "robots"
	sourceReplica  = "replica"
	sourceBoundary = "boundary"
)

// Text is the source for people.
func (s Source) Text() string {
	switch s.Kind {
	case sourceRobots:
		return "robots.txt of " + plain(s.Of, shortText)
	case sourceReplica:
		return "decision on " + plain(s.Of, shortText)
	case sourceBoundary:
		return "block " + plain(s.Of, shortText)
	}
	if s.Line > 0 {
		return fmt.Sprintf("line %d of %s", s.Line, cmp.Or(plain(s.File, shortText), "harvest.yaml"))
	}
	return "default of " + s.Key
}

// Address is where the desk shows it.
func (s Source) Address(v *shown) (string, error) {
	switch s.Kind {
	case sourceRobots:
		return v.To("captures", "text", s.Of+"/robots.txt")
	case sourceReplica:
		return v.To("mirrors", "from", s.Of)
	case sourceBoundary:
		address, err := v.To("sites/"+s.Site, "region", s.left)
		return address + "#region", err
	}
	address, err := v.To("settings")
	if s.Line > 0 && s.File == "" {
		return fmt.Sprintf("%s#L%d", address, s.Line), err
	}
	return address + "#" + s.Key, err
}

// ruleBook finds the sources of rules.
type ruleBook struct {
	settings *settings
	folders  map[string]string // of sites, by name
}

// ruleBook of the run that a query names. A run whose files are not all there has fewer sources.
func (s *Server) ruleBook(q *query) (*ruleBook, error) {
	b := &ruleBook{settings: &settings{}, folders: map[string]string{}}
	x, err := s.settingsOf(q)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil {
		b.settings = x
	}
	r, _, err := readReport(q.run)
	for _, site := range r.Sites {
		b.folders[site.Name] = site.Folder
	}
	return b, err
}

// optionsOf are the options behind what the store says of a URL; SITE stands for that of its site.
var optionsOf = map[store.Reason]string{
	store.LimitPages: "SITE.limits.pages", store.LimitFiles: "SITE.limits.files",
	store.LimitBytes: "SITE.limits.bytes",
	store.LimitDepth: "SITE.limits.depth",
	store.TrapHops:   "traps.max_hops", store.TrapRepeat: "traps.max_repeated_segments",
	store.TrapQuery: "traps.max_repeated_segments",
	store.TrapDepth: "traps.max_path_depth", store.TrapLength: "traps.max_url_length",
	store.LowNovelty: "traps.min_novelty", store.TrapHosts: "traps.max_hosts",
	store.TrapNested: "traps.max_nested",
	store.Private:    "network.allow_private", store.NoFollow: "politeness.nofollow",
	store.Throttled:   "politeness.retry.attempts",
	store.HostGivenUp: "politeness.retry.host_attempts",
}

// source of the rule by which a URL was left out, nil where none is known, or there is no book.
func (b *ruleBook) source(s *archive.Skipped) *Source {
	if b == nil {
		return nil
	}
	switch s.Reason {
	case archive.ReasonRobots:
		return &Source{Kind: sourceRobots, Of: string(s.URL.Host())}
	case archive.ReasonMirror:
		if from := strings.TrimPrefix(s.Rule, "prune "); from != "" && from != "copy" {
			return &Source{Kind: sourceReplica, Of: from}
		}
		return nil
	case archive.ReasonOutOfScope:
		block, ok := strings.CutPrefix(s.Rule, "boundary of block ")
		switch folder := b.folders[s.Site]; {
		case ok && folder != "":
			return &Source{Kind: sourceBoundary, Of: block, Site: folder, left: s.URL}
		case !ok && s.Rule != "":
			return b.option(s.Site, "SITE.boundary")
		}
		return nil
	case archive.ReasonExcluded:
		return b.excluded(s)
	}
	why, _ := s.Evidence["why"].(string) // else the limit of a site
	reason, known := store.ParseReason(why)
	if !known && s.Reason == archive.ReasonLimit {
		reason = store.LimitPages
	}
	key := optionsOf[reason]
	if strings.HasPrefix(s.Rule, "host ") {
		key = strings.Replace(key, "SITE.limits", "limits.host", 1)
	} else if strings.HasPrefix(s.Rule, "the harvest: ") {
		key = strings.TrimPrefix(key, "SITE.")
	}
	return b.option(s.Site, key)
}

// option is the source of that name.
func (b *ruleBook) option(site, key string) *Source {
	if rest, ok := strings.CutPrefix(key, "SITE"); ok {
		i := b.site(site)
		if i < 0 {
			return nil
		}
		key = fmt.Sprintf("sites[%d]%s", i, rest)
	}
	if key == "" || b.settings.harvest == nil {
		return nil
	}
	file, line := b.settings.place(key)
	return &Source{Kind: sourceOption, Key: key, Line: line, File: file}
}

// site is the number of a site in the YAML, -1 for none.
func (b *ruleBook) site(name string) int {
	if b.settings.harvest == nil {
		return -1
	}
	return slices.IndexFunc(b.settings.harvest.Sites, func(x configs.Site) bool { return x.Name == name })
}

// excluded finds the rule of the archivist.
func (b *ruleBook) excluded(s *archive.Skipped) *Source {
	i := b.site(s.Site)
	if i < 0 {
		return nil
	}
	for j, r := range b.settings.harvest.Sites[i].Exclude {
		if r.String() == s.Rule {
			return b.option(s.Site, fmt.Sprintf("SITE.exclude[%d]", j))
		}
	}
	for j, r := range b.settings.harvest.Sites[i].Links {
		if (sitemap.LinkRule{From: r.From, To: r.To}).String() == s.Rule {
			return b.option(s.Site, fmt.Sprintf("SITE.links[%d]", j))
		}
	}
	return nil
}
