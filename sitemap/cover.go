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

// cover is a short list of prefixes that holds all members and no page known not to be one: the directory of a block of
// which all is inside, and single URLs for the rest. Schemes are left out; prefixes are host and path.
func (m *Map) cover() (dirs, single []string) {
	outside := make([]string, 0, len(m.others))
	for _, u := range m.others {
		outside = append(outside, schemeless(u))
	}
	slices.Sort(outside)
	free := func(dir string) bool {
		i, _ := slices.BinarySearch(outside, dir)
		return i == len(outside) || !strings.HasPrefix(outside[i], dir)
	}
	add := func(dir string) {
		if dir != "" && free(dir) {
			dirs = append(dirs, dir)
		}
	}
	if m.Boundary == HostOnly.String() {
		for _, s := range m.Seeds {
			dirs = append(dirs, schemeless(s.Root()))
		}
	}
	for _, s := range m.Seeds {
		if i := m.member(s); i >= 0 && m.Boundary != List.String() && m.Members[i].Block <= 0 {
			add(schemeless(page.URL(s.Directory())))
		}
	}
	for k, b := range m.Blocks {
		if k > 0 && b.Inside > 1 {
			add(b.Name)
		}
	}
	dirs = outermost(dirs)
	for i := range m.Members {
		u := schemeless(m.Members[i].URL)
		if j, ok := slices.BinarySearch(dirs, u); ok || j > 0 && strings.HasPrefix(u, dirs[j-1]) {
			continue
		}
		single = append(single, u)
	}
	slices.Sort(single)
	return dirs, slices.Compact(single)
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

// domains are those of the seeds where these draw the boundary.
func (m *Map) domains() []string {
	var list []string
	if m.Boundary == Domain.String() {
		for _, s := range m.Seeds {
			list = append(list, s.Host().Registrable())
		}
		slices.Sort(list)
	}
	return slices.Compact(list)
}

// member gives the index of a member, -1 for none.
func (m *Map) member(u page.URL) int {
	i, ok := slices.BinarySearchFunc(m.Members, u, func(x Member, u page.URL) int { return strings.Compare(string(x.URL), string(u)) })
	if !ok {
		return -1
	}
	return i
}

func schemeless(u page.URL) string {
	_, rest, _ := strings.Cut(string(u), "://")
	return rest
}

// WriteSURTs writes a list of SURT prefixes that hold the site's pages, one a line, as Heritrix (SurtPrefixedDecideRule) and
// brozzler take them: directories of which all that is known belongs, and single URLs. A page that nobody has seen yet falls
// inside where its directory does.
func (m *Map) WriteSURTs(w io.Writer) error {
	dirs, single := m.cover()
	var lines []string
	for _, d := range m.domains() {
		lines = append(lines, "http://("+surtName(d))
	}
	for _, s := range append(dirs, single...) {
		host, path, _ := strings.Cut(s, "/")
		name, port := page.Host(host).Name(), page.Host(host).Port()
		if port != "" {
			port = ":" + port
		}
		lines = append(lines, "http://("+surtName(name)+port+")/"+path)
	}
	return m.writeLines(w, "SURTs", lines)
}

// surtName is a host name with its labels reversed, each with a comma behind it; an address stays as it is.
func surtName(name string) string {
	if _, isAddress := page.Host(name).Address(); isAddress {
		return name
	}
	labels := strings.Split(name, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ",") + ","
}

// WriteRegexes writes the same as regular expressions, one a line, as Browsertrix takes them for --include.
func (m *Map) WriteRegexes(w io.Writer) error {
	dirs, single := m.cover()
	var lines []string
	for _, d := range m.domains() {
		lines = append(lines, `^https?://([^/]+\.)?`+regexp.QuoteMeta(d)+`(:\d+)?/`)
	}
	for _, d := range dirs {
		lines = append(lines, "^https?://"+regexp.QuoteMeta(d))
	}
	for _, u := range single {
		lines = append(lines, "^https?://"+regexp.QuoteMeta(u)+"$")
	}
	return m.writeLines(w, "expressions", lines)
}

func (m *Map) writeLines(w io.Writer, what string, lines []string) error {
	slices.Sort(lines)
	out := bufio.NewWriter(w)
	for _, l := range lines {
		_, _ = out.WriteString(l + "\n") // Flush tells of it
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write %s of site %s: %w", what, m.Site, err)
	}
	return nil
}
