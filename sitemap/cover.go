package sitemap

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"watershed/page"
)

// Form is one in which a map is written for other programs.
type Form struct {
	Name  string
	File  string // in the folder of a site; "" for none
	MIME  string
	Write func(*Map, io.Writer) error
}

// Forms are all of them.
var Forms = []Form{
	{"json", "map.json", "application/json", (*Map).WriteJSON},
	{"csv", "pages.csv", "text/csv; charset=utf-8", (*Map).WriteCSV},
	{"surt", "surt.txt", "text/plain; charset=utf-8", (*Map).WriteSURTs},
	{"regex", "regex.txt", "text/plain; charset=utf-8", (*Map).WriteRegexes},
	{"urls", "", "text/plain; charset=utf-8", (*Map).WriteURLs},
}

// FormOf finds a form by its name.
func FormOf(name string) (f Form, ok bool) {
	i := slices.IndexFunc(Forms, func(f Form) bool { return f.Name == name })
	if i < 0 {
		return f, false
	}
	return Forms[i], true
}

// cover gives a short list of directories that hold most members, and calls single with each member
// that none of them holds. A directory of the list is that of a block which is all inside: no page
// below it is known to be outside. The list has host and path, without schemes. single may be
// called twice with a page.
func (m *Map) cover(single func(u string)) (dirs []string) {
	add := func(dir string) {
		if dir != "" && !m.others.below("http://"+dir) && !m.others.below("https://"+dir) {
			dirs = append(dirs, dir)
		}
	}
	if m.Boundary == HostOnly.String() {
		for _, s := range m.Seeds {
			dirs = append(dirs, schemeless(s.Root()))
		}
	}
	for _, s := range m.Seeds {
		if i, ok := m.Members.Find(s); ok && m.Boundary != List.String() && m.Members.At(i).Block <= 0 {
			add(directoryOf(m, s))
		}
	}
	for _, d := range m.Prefix {
		if isSister(m, page.URL("http://"+d)) {
			add(d)
		}
	}
	for k, b := range m.Blocks {
		if k > 0 && b.Inside > 1 {
			add(b.Name)
		}
	}
	dirs = outermost(dirs)
	for _, x := range m.Members.All() {
		u := schemeless(x.URL)
		if j, ok := slices.BinarySearch(dirs, u); ok || j > 0 && strings.HasPrefix(u, dirs[j-1]) {
			continue
		}
		single(u)
	}
	return dirs
}

// outermost sorts prefixes and leaves out those that another one holds.
func outermost(prefixes []string) []string {
	slices.Sort(prefixes)
	n := 0
	for _, p := range prefixes {
		if n == 0 || !strings.HasPrefix(p, prefixes[n-1]) {
			prefixes[n] = p
			n++
		}
	}
	return prefixes[:n]
}

// domainsOf gives those of the seeds where these draw the boundary.
func domainsOf(m *Map) []string {
	var list []string
	if m.Boundary == Domain.String() {
		for _, s := range m.Seeds {
			list = append(list, s.Host().Registrable())
		}
		slices.Sort(list)
	}
	return slices.Compact(list)
}

func schemeless(u page.URL) string {
	_, rest, _ := strings.Cut(string(u), "://")
	return rest
}

// WriteSURTs writes a list of SURT prefixes that hold the site's pages, one a line, as Heritrix
// (SurtPrefixedDecideRule) and brozzler take them: directories of which all that is known belongs,
// and single URLs. A page that nobody has seen yet falls inside where its directory does.
func (m *Map) WriteSURTs(w io.Writer) error {
	var lines []string
	add := func(s string) {
		host, path, _ := strings.Cut(s, "/")
		name, port := page.Host(host).Name(), page.Host(host).Port()
		if port != "" {
			port = ":" + port
		}
		lines = append(lines, "http://("+surtName(name)+port+")/"+path)
	}
	for _, d := range domainsOf(m) {
		lines = append(lines, "http://("+surtName(d))
	}
	for _, d := range m.cover(add) {
		add(d)
	}
	return writeLines(w, m.Site, "SURTs", lines)
}

// surtName is a host name with its labels reversed, each with a comma behind it; an address stays
// as it is.
func surtName(name string) string {
	if _, isAddress := page.Host(name).Address(); isAddress {
		return name
	}
	labels := strings.Split(name, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ",") + ","
}

// WriteRegexes writes the same as regular expressions, one a line, as Browsertrix takes them for
// --include.
func (m *Map) WriteRegexes(w io.Writer) error {
	var lines []string
	for _, d := range domainsOf(m) {
		lines = append(lines, `^https?://([^/]+\.)?`+regexp.QuoteMeta(d)+`(:\d+)?/`)
	}
	single := func(u string) { lines = append(lines, "^https?://"+regexp.QuoteMeta(u)+"$") }
	for _, d := range m.cover(single) {
		lines = append(lines, "^https?://"+regexp.QuoteMeta(d))
	}
	return writeLines(w, m.Site, "expressions", lines)
}

// writeLines writes lines in their order, each once.
func writeLines(w io.Writer, site, what string, lines []string) error {
	slices.Sort(lines)
	out := bufio.NewWriter(w)
	for _, line := range slices.Compact(lines) {
		_, _ = out.WriteString(line + "\n") // Flush tells of it
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write %s of site %s: %w", what, site, err)
	}
	return nil
}
