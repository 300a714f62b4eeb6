package configs

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"watershed/page"
)

// A list of sites is a file of its own, named by an entry of sites: whose other keys hold for all
// of them.
//
// A text file (.txt) has one address a line, each a site that is named by its host and path; empty
// lines and lines that begin with "#" are skipped.
//
// A table (.csv, or .tsv) has a first row with the columns name and seed, and if wanted any of
// listColumns; commas, semicolons and tabs separate, whichever the first row has. An empty cell
// leaves what the entry says. Several seeds, rules or pages stand in one cell with spaces between,
// or in further rows of the same name.

// maxList bounds a list, in bytes: some hundred thousand sites.
const maxList = 64 << 20

// listColumns are the columns of a table by the key of the site that each sets.
var listColumns = []string{
	"name", "seed", "boundary", "keyword", "characteristic", "include", "exclude",
	"pages", "files", "bytes", "depth",
}

// lists replaces every entry that names a list by the sites in it, which come after the others:
// keys of the entries stay valid until these are dropped.
func (c *checker) lists(read func(string) ([]byte, error)) {
	for i := range c.h.Sites {
		s, key := c.h.Sites[i], fmt.Sprintf("sites[%d]", i)
		if s.List == "" {
			continue
		}
		if s.Name != "" || len(s.Seeds) > 0 {
			c.at(key+".list", "put the list into an entry of its own",
				"%s: a list names its own sites, so name and seeds cannot stand beside it", key)
			continue
		}
		if read == nil {
			c.at(key+".list", "", "%s.list: this harvest is not in a file, so it has no lists", key)
			continue
		}
		data, err := read(string(s.List))
		switch {
		case err != nil:
			c.at(key+".list", "a relative path counts from the folder of the YAML", "%s.list: %v", key, err)
		case len(data) > maxList:
			c.at(key+".list", "", "%s.list: %s has more than %s", key, s.List, Size(maxList))
		default:
			c.list(key, &s, normal(data))
		}
	}
}

func (c *checker) list(key string, entry *Site, text string) {
	file := string(entry.List)
	if !utf8.ValidString(text) {
		c.at(key+".list", "save the file as UTF-8", "%s.list: %s is not UTF-8", key, file)
		return
	}
	c.sources[file] = strings.Split(text, "\n")
	before := len(c.errs)
	l := list{
		checker: c, file: file, entry: entry, first: len(c.h.Sites), byName: map[string]int{},
		given: map[string]Position{},
	}
	walk(key, reflect.ValueOf(*entry), func(leaf string, _ reflect.Value) {
		if p, ok := c.origins[leaf]; ok && leaf != key+".list" {
			l.given[strings.TrimPrefix(leaf, key)] = p
		}
	})
	switch strings.ToLower(filepath.Ext(file)) {
	case ".txt":
		l.text()
	case ".csv", ".tsv":
		l.table(text)
	default:
		c.at(key+".list", "", "%s.list: %s is neither a .csv nor a .txt file", key, file)
		return
	}
	if len(c.h.Sites) == l.first && len(c.errs) == before {
		c.at(key+".list", "", "%s.list: %s has no sites", key, file)
	}
}

// list reads one file of sites. Origins of the sites are those of the entry, overridden by what a
// row sets.
type list struct {
	*checker
	file   string
	entry  *Site
	given  map[string]Position // origins of what the entry says, by the keys below it
	first  int                 // index in h.Sites of the first site from this file
	byName map[string]int      // index in h.Sites
}

func (l *list) wrong(p Position, hint, format string, args ...any) {
	l.add(l.errorAt("", p, hint, fmt.Sprintf(format, args...)))
}

func (l *list) text() {
	for i, line := range l.sources[l.file] {
		address := strings.TrimSpace(line)
		if address == "" || address[0] == '#' {
			continue
		}
		p := Position{l.file, i + 1, utf8.RuneCountInString(line[:strings.Index(line, address)]) + 1}
		u, err := parseURL(address)
		if err != nil {
			l.bad(p, err)
			continue
		}
		seed := u.(page.URL)
		name := siteName(seed)
		if j, twice := l.byName[name]; twice {
			first := l.origins[fmt.Sprintf("sites[%d].name", j)]
			l.wrong(p, fmt.Sprintf("it names the site %s as line %d does", name, first.Line),
				"%s is there twice", seed)
			continue
		}
		k := l.site(name, p)
		l.set(k, "seeds", p)
		l.set(k, "seeds[0]", p)
		l.h.Sites[k].Seeds = []page.URL{seed}
		l.spell(address)
	}
}

// siteName names a site of a text list: "www.example.org", "www.example.org/~ann".
func siteName(u page.URL) string {
	return strings.TrimRight(string(u.Host())+u.PathQuery(), "/")
}

// bad reports an error of a scalar's parser.
func (l *list) bad(p Position, err error) {
	var h hinted
	errors.As(err, &h)
	l.wrong(p, h.hint, "%v", err)
}

// site makes a site like the entry and gives its index.
func (l *list) site(name string, p Position) int {
	s := *l.entry
	s.List, s.Name, s.Seeds = "", name, nil
	s.Characteristic = append([]page.URL(nil), s.Characteristic...)
	s.Include = append([]page.Rule(nil), s.Include...)
	s.Exclude = append([]page.Rule(nil), s.Exclude...)
	s.Links = append([]LinkRule(nil), s.Links...)
	k := len(l.h.Sites)
	l.h.Sites = append(l.h.Sites, s)
	l.byName[name] = k
	to := fmt.Sprintf("sites[%d]", k)
	for key, at := range l.given {
		l.origins[to+key] = at
	}
	l.origins[to] = p
	l.set(k, "name", p)
	return k
}

// set notes where an option of site k comes from.
func (l *list) set(k int, key string, p Position) { l.origins[fmt.Sprintf("sites[%d].%s", k, key)] = p }

func (l *list) table(text string) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = separator(l.sources[l.file])
	r.Comment = '#'
	r.TrimLeadingSpace = true
	r.FieldsPerRecord = -1
	var columns []string
	for {
		row, err := r.Read()
		if row == nil && err != nil {
			if pe, ok := errors.AsType[*csv.ParseError](err); ok {
				l.wrong(Position{l.file, pe.Line, pe.Column}, "", "%v", pe.Err)
			}
			return // a parse error loses the place; io.EOF is the end
		}
		if columns == nil {
			if columns = l.header(r, row); columns == nil {
				return
			}
			continue
		}
		l.row(r, columns, row)
	}
}

// separator is what the first row that says something is split by.
func separator(lines []string) rune {
	for _, line := range lines {
		if strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		best, most := ',', 0
		for _, c := range ",;\t" {
			if n := strings.Count(line, string(c)); n > most {
				best, most = c, n
			}
		}
		return best
	}
	return ','
}

// cell is the place of field i of the row read last.
func (l *list) cell(r *csv.Reader, i int) Position {
	line, column := r.FieldPos(i)
	if src := l.sources[l.file]; line <= len(src) && column-1 <= len(src[line-1]) {
		column = utf8.RuneCountInString(src[line-1][:column-1]) + 1
	}
	return Position{l.file, line, column}
}

// firstRow says what a table begins with.
const firstRow = "the first row names the columns, for example name,seed,boundary,keyword"

// header checks the first row and gives its columns, nil if it is no header.
func (l *list) header(r *csv.Reader, row []string) []string {
	columns, before := make([]string, len(row)), len(l.errs)
	for i, cell := range row {
		name := strings.ToLower(strings.TrimSpace(cell))
		switch {
		case !slices.Contains(listColumns, name):
			hint := cmp.Or(meant(name, listColumns),
				firstRow+"; the columns are "+strings.Join(listColumns, ", "))
			if strings.Contains(name, "://") {
				hint = firstRow + "; a list of addresses alone ends in .txt"
			}
			l.wrong(l.cell(r, i), hint, "no column is named %q", cell)
		case slices.Contains(columns[:i], name):
			l.wrong(l.cell(r, i), "", "the column %q is there twice", name)
		}
		columns[i] = name
	}
	if len(l.errs) > before {
		return nil
	}
	for _, need := range []string{"name", "seed"} {
		if !slices.Contains(columns, need) {
			l.wrong(l.cell(r, 0), firstRow, "there is no column %q", need)
			return nil
		}
	}
	return columns
}

func (l *list) row(r *csv.Reader, columns, row []string) {
	if len(row) > len(columns) {
		l.wrong(l.cell(r, len(columns)), "put a cell that has a separator in it in quotes",
			"the row has %d cells, the first row %d", len(row), len(columns))
		return
	}
	cells := map[string]int{}
	for i := range row {
		if row[i] = strings.TrimSpace(row[i]); row[i] != "" {
			cells[columns[i]] = i
		}
	}
	if len(cells) == 0 {
		return
	}
	i, ok := cells["name"]
	if !ok {
		l.wrong(l.cell(r, 0), "", "the row has no name")
		return
	}
	k, again := l.byName[row[i]]
	if !again {
		k = l.site(row[i], l.cell(r, i))
	}
	if _, ok := cells["seed"]; !ok && !again {
		l.wrong(l.cell(r, i), "", "the row has no seed")
		l.h.Sites[k].Seeds = append(l.h.Sites[k].Seeds, "") // told; not once more
	}
	for name, i := range cells {
		l.assign(k, name, row[i], l.cell(r, i), again)
	}
}

// assign sets one option of site k from a cell. In a further row of a site lists grow and single
// values must not differ.
func (l *list) assign(k int, column, cell string, p Position, again bool) {
	s := &l.h.Sites[k]
	var err error
	key := column
	before := map[string]int{
		"seeds": len(s.Seeds), "characteristic": len(s.Characteristic),
		"include": len(s.Include), "exclude": len(s.Exclude),
	}
	switch column {
	case "name":
		return
	case "seed":
		key = "seeds"
		err = l.addresses(&s.Seeds, cell)
	case "characteristic":
		err = l.addresses(&s.Characteristic, cell)
	case "include":
		err = appendWords(&s.Include, cell, parseRule)
	case "exclude":
		err = appendWords(&s.Exclude, cell, parseRule)
	default:
		if again {
			l.wrong(p, "only seed, characteristic, include and exclude may stand in further rows of a site",
				"%s of %s was given before", column, s.Name)
			return
		}
		key, err = single(s, column, cell)
	}
	if err != nil {
		l.bad(p, err)
		if column == "seed" && len(s.Seeds) == 0 {
			s.Seeds = append(s.Seeds, "") // told; not once more
		}
		return
	}
	if first, isList := before[key]; isList {
		for i := range strings.Fields(cell) {
			l.set(k, fmt.Sprintf("%s[%d]", key, first+i), p)
		}
	}
	l.set(k, key, p)
}

// addresses appends the URLs that stand in a cell with spaces between.
func (l *list) addresses(to *[]page.URL, cell string) error {
	for word := range strings.FieldsSeq(cell) {
		l.spell(word)
	}
	return appendWords(to, cell, parseURL)
}

// appendWords appends the values that stand in a cell with spaces between.
func appendWords[T any](to *[]T, cell string, parse func(string) (any, error)) error {
	for word := range strings.FieldsSeq(cell) {
		v, err := parse(word)
		if err != nil {
			return err
		}
		*to = append(*to, v.(T))
	}
	return nil
}

// single sets an option that has one value, and gives its key.
func single(s *Site, column, cell string) (key string, err error) {
	switch column {
	case "boundary":
		if known := s.Boundary.Values(); !slices.Contains(known, cell) {
			return "", hinted{
				fmt.Errorf("boundary: %q is none of %s", cell, strings.Join(known, ", ")),
				meant(cell, known),
			}
		}
		s.Boundary = BoundaryRule(cell)
	case "keyword":
		s.Keyword = cell
	case "bytes":
		s.Limits.Bytes, err = ParseSize(cell)
		return "limits.bytes", err
	case "pages", "files", "depth":
		n, err := strconv.ParseInt(cell, 10, 32)
		if err != nil || n < 0 {
			return "", fmt.Errorf("%s: want a whole number, not %q", column, cell)
		}
		switch column {
		case "pages":
			s.Limits.Pages = n
		case "files":
			s.Limits.Files = n
		default:
			s.Limits.Depth = int(n)
		}
		return "limits." + column, nil
	}
	return column, nil
}

// retain keeps the sites that are wanted, and numbers the origins of their options anew.
func (h *Harvest) retain(wanted func(*Site) bool) {
	number := map[string]string{} // of those that are kept
	var kept []Site
	for i := range h.Sites {
		if wanted(&h.Sites[i]) {
			number[fmt.Sprintf("sites[%d]", i)] = fmt.Sprintf("sites[%d]", len(kept))
			kept = append(kept, h.Sites[i])
		}
	}
	h.Sites = kept
	origins := make(map[string]Position, len(h.origins))
	for key, p := range h.origins {
		head, rest, ok := strings.Cut(key, "]")
		if !ok || !strings.HasPrefix(key, "sites[") {
			origins[key] = p
		} else if to := number[head+"]"]; to != "" {
			origins[to+rest] = p
		}
	}
	h.origins = origins
}
