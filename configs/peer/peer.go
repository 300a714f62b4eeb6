// Package peer reads the configurations of other crawlers, and makes drafts of harvests of them.
//
// It knows the YAML of Browsertrix Crawler and of brozzler, Heritrix 3's crawler-beans.cxml, its
// seeds files and lists of SURTs, and the doit.log of an HTTrack project. An
// option with an equal becomes a setting of the draft; each other one that says something other
// than its default becomes a Note with its place. An option that the draft leaves open has the
// default of a harvest. Nothing that a file says loosens the manners of a harvest: robots.txt stays obeyed,
// delays are only made longer.
package peer

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"watershed/configs"
	"watershed/page"
)

// Program is whose configuration a file is; "" for none that is known.
type Program string

// The programs whose files are read.
const (
	Browsertrix Program = "Browsertrix"
	Brozzler    Program = "brozzler"
	Heritrix    Program = "Heritrix"
	HTTrack     Program = "HTTrack"
	Seeds       Program = "a list of seeds or SURTs"
)

// Note is something that has no equal in a harvest, or needs a look.
type Note struct {
	File string
	Line int // from 1
	What string
	Say  string
}

func (n Note) String() string { return fmt.Sprintf("%s:%d: %s: %s", n.File, n.Line, n.What, n.Say) }

// Import is what a file says: a draft without an operator where the file names none, and what did
// not get into it, in the order of the file.
type Import struct {
	Program Program
	Draft   configs.Draft
	Notes   []Note
}

// Errors of Read.
var (
	ErrUnknown = errors.New("neither of Browsertrix, brozzler, Heritrix or HTTrack, nor a list of seeds " +
		"or SURTs")
	errNoSeeds = errors.New("it names no address where a harvest could begin")
)

// Bounds of what is read.
const (
	maxFile = 16 << 20 // bytes of a file
	maxYAML = 1 << 20  // bytes of YAML, as of a harvest's
	// seeds, rules and notes in sum: as many values as the YAML of a harvest may have
	maxTaken = 200_000
	// rules of all seeds, each of which has those of its file
	maxSpread = 20 * maxTaken
)

// Sniff tells by the content whose configuration a file is. It takes linear time.
func Sniff(data []byte) Program {
	head := data[:min(len(data), 64<<10)]
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, "\ufeff \t\r\n"), []byte("\n"))
	switch {
	case bytes.HasPrefix(line, []byte("<")):
		if bytes.Contains(head, []byte("org.archive.")) || bytes.Contains(head, []byte("<beans")) {
			return Heritrix
		}
		return ""
	case bytes.Contains(head, launched):
		return HTTrack
	}
	if len(data) <= maxYAML {
		if root, err := parseYAML(data); err == nil {
			return sniffYAML(root)
		}
	}
	if isSeeds(data) {
		return Seeds
	}
	return ""
}

// launched stands in each doit.log, below the command.
var launched = []byte("launch httrack")

// Read reads the file of the given path out of data. open reads a file that it names, such as a
// list of seeds; relative names have the file's folder in front. The error is ErrUnknown,
// errNoSeeds, wrapped, or says where the file is broken.
func Read(path string, data []byte, open func(string) ([]byte, error)) (*Import, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("read %s: it has more than %d bytes", path, maxFile)
	}
	r := &reader{file: path, open: open}
	r.Program = Sniff(data)
	var err error
	switch r.Program {
	case Browsertrix, Brozzler:
		err = r.yaml(data)
	case Heritrix:
		err = r.beans(data)
	case HTTrack:
		r.httrack(data)
	case Seeds:
		r.seeds(path, string(data), 1)
		r.flush()
	default:
		err = ErrUnknown
		if len(data) > maxYAML {
			err = fmt.Errorf("%w, and YAML of more than %d bytes is not read", err, maxYAML)
		}
	}
	switch {
	case err != nil:
	case r.taken > maxTaken:
		err = fmt.Errorf("it has more than %d seeds, rules and lines that are none", maxTaken)
	case r.spread > maxSpread:
		err = fmt.Errorf("it has more than %d rules, each counted for each seed", maxSpread)
	case len(r.Draft.Sites) == 0:
		err = errNoSeeds
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	r.Draft.Harvest = Name(r.Draft.Harvest, r.Draft.Sites[0].Name)
	return &r.Import, nil
}

// reader gathers what a file says.
type reader struct {
	Import
	file string
	open func(string) ([]byte, error)

	started []start
	taken   int // seeds, rules and notes
	spread  int // rules of all seeds
}

// start is a seed with what holds for it.
type start struct {
	seed string
	url  page.URL
	configs.DraftSite
}

// more counts what is taken, and reports that there is room for it.
func (r *reader) more() bool {
	r.taken++
	return r.taken <= maxTaken
}

func (r *reader) note(line int, what, format string, args ...any) {
	if !r.more() {
		return
	}
	r.Notes = append(r.Notes, Note{r.file, line, what, fmt.Sprintf(format, args...)})
}

// set has the draft say an option of the harvest.
func (r *reader) set(key string, value any) {
	r.Draft.Settings = append(r.Draft.Settings, configs.Setting{Key: key, Value: value})
}

// begin takes a seed with the settings of its site.
func (r *reader) begin(line int, seed string, settings ...configs.Setting) {
	for _, s := range settings {
		if rules, is := s.Value.([]string); is {
			r.spread += len(rules)
		}
	}
	if !r.more() || r.spread > maxSpread {
		return
	}
	u, err := page.ParseURL(seed)
	switch {
	case err != nil:
		r.note(line, seed, "no web address that can be harvested: %v", err)
	case page.HasUser(seed):
		r.note(line, string(u), "the user name and password in the address are left out")
		r.started = append(r.started, start{string(u), u, configs.DraftSite{Settings: settings}})
	default:
		r.started = append(r.started, start{seed, u, configs.DraftSite{Settings: settings}})
	}
}

// beside reads a file that this one names.
func (r *reader) beside(name string) (path string, data []byte, err error) {
	if r.open == nil {
		return name, nil, errors.New("it is not read from here")
	}
	if path = name; !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(r.file), filepath.FromSlash(path))
	}
	if data, err = r.open(path); err == nil && len(data) > maxFile {
		err = fmt.Errorf("it has more than %d bytes", maxFile)
	}
	return path, data, err
}

// flush makes sites of the seeds: those of a host whose settings are equal are one site, and so are
// all of which nothing but themselves is wanted.
func (r *reader) flush() {
	at := map[string]int{}
	names := map[string]int{}
	had := map[string]bool{} // seeds behind the numbers of their sites
	for _, s := range r.started {
		key, label := fmt.Sprint(s.Settings), string(s.url.Host())
		if len(s.Settings) == 1 && fmt.Sprint(s.Settings) == fmt.Sprint(pagesAlone) {
			label = "Pages"
		}
		i, known := at[label+key]
		if !known {
			i = len(r.Draft.Sites)
			at[label+key] = i
			if names[label]++; names[label] > 1 {
				label = fmt.Sprintf("%s %d", label, names[label])
			}
			r.Draft.Sites = append(r.Draft.Sites, configs.DraftSite{Name: label, Settings: s.Settings})
		}
		if key := fmt.Sprint(i, " ", s.seed); !had[key] {
			had[key] = true
			r.Draft.Sites[i].Seeds = append(r.Draft.Sites[i].Seeds, s.seed)
		}
	}
	r.started = nil
}

// pagesAlone are the settings of seeds of which nothing but themselves is wanted.
var pagesAlone = []configs.Setting{{Key: "boundary", Value: "list"}}

// mostHops is the most that extra_hops takes.
const (
	mostHops = 10
	hopsNo   = "extra_hops is 10 at most"
)

// rule is a rule of our kind, "" where it cannot be one, which is noted.
func (r *reader) rule(line int, what, rule string) string {
	if !r.more() {
		return ""
	}
	if _, err := page.ParseRule(rule); err != nil {
		if e, ok := errors.AsType[*page.RuleError](err); ok {
			r.note(line, what, "%s: %s", rule, e.Reason)
		}
		return ""
	}
	return rule
}

// whole is an expression that the whole address must match, where ours is found anywhere in it.
func whole(expression string) string {
	if strings.HasPrefix(expression, "^") && strings.HasSuffix(expression, "$") {
		return "regex:" + expression
	}
	return "regex:^(?:" + expression + ")$"
}

// notInName are the characters that become one hyphen in a harvest's name.
var notInName = regexp.MustCompile(`[^A-Za-z0-9._]+`)

// Name is the first of some texts that can name a harvest.
func Name(texts ...string) string {
	for _, t := range texts {
		t = strings.Trim(notInName.ReplaceAllString(t, "-"), "-._")
		if t = strings.Trim(t[:min(len(t), 60)], "-._"); t != "" {
			return t
		}
	}
	return "imported"
}

// lines are the lines of a text, without the signs that end them.
func lines(text string) []string {
	text = strings.TrimPrefix(text, "\ufeff")
	return strings.Split(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n")
}

// add appends a setting where it has a value.
func add(list []configs.Setting, key string, values []string) []configs.Setting {
	if len(values) == 0 {
		return list
	}
	return append(list, configs.Setting{Key: key, Value: values})
}

// scopeRules are the rules of a scope.
type scopeRules struct{ include, exclude []string }

// take takes a rule that keeps out what it fits, or lets it in; "" is none.
func (x *scopeRules) take(rule string, out bool) {
	switch {
	case rule == "":
	case out:
		x.exclude = append(x.exclude, rule)
	default:
		x.include = append(x.include, rule)
	}
}

// addTo appends the settings of the rules.
func (x *scopeRules) addTo(list []configs.Setting) []configs.Setting {
	return add(add(list, "include", x.include), "exclude", x.exclude)
}
