package ui

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"watershed/archive"
	"watershed/page"
)

// skipIndex knows where each line of a skipped.jsonl lies, and what it can be filtered by: 24 bytes
// a line, and each distinct rule, host and prefix once. Its lines are in the order of hosts and
// prefixes. It does not change once it is made.
//
// A line that is no JSON is counted in damaged.
type skipIndex struct {
	path     string
	lines    []skipLine
	reasons  names
	rules    names
	hosts    names
	sites    names
	prefixes names
	damaged  int
}

type skipLine struct {
	at     int64
	rule   uint32
	host   uint32
	prefix uint32
	reason uint16
	site   uint16
}

// names numbers texts.
type names struct {
	list []string
	of   map[string]uint32
}

func (n *names) number(text string) uint32 {
	if i, ok := n.of[text]; ok {
		return i
	}
	if n.of == nil {
		n.of = map[string]uint32{}
	}
	i := uint32(len(n.list))
	n.list = append(n.list, text)
	n.of[text] = i
	return i
}

// ranks are the places of the texts in their order, by number.
func (n *names) ranks() []uint32 {
	order := make([]uint32, len(n.list))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(n.list[a], n.list[b]) })
	ranks := make([]uint32, len(order))
	for rank, i := range order {
		ranks[i] = uint32(rank)
	}
	return ranks
}

// maxSkipLine bounds a line, in bytes: a URL of 2 MB may come from the web.
const maxSkipLine = 16 << 20

// readSkips indexes a skipped.jsonl. It reads the file once.
func readSkips(path string) (x *skipIndex, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	x = &skipIndex{path: path}
	r := bufio.NewReaderSize(f, 1<<20)
	for at := int64(0); ; {
		line, err := readLine(r)
		if errors.Is(err, io.EOF) && !json.Valid(line) {
			x.damaged += min(1, len(line)) // its end is missing
		} else {
			x.learn(line, at)
		}
		at += int64(len(line))
		if errors.Is(err, io.EOF) {
			x.sort()
			return x, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
	}
}

// sort puts the lines in the order of their hosts and prefixes; within these they stay as they are
// in the file.
func (x *skipIndex) sort() {
	hosts, prefixes := x.hosts.ranks(), x.prefixes.ranks()
	slices.SortStableFunc(x.lines, func(a, b skipLine) int {
		return cmp.Or(cmp.Compare(hosts[a.host], hosts[b.host]), cmp.Compare(prefixes[a.prefix],
			prefixes[b.prefix]), cmp.Compare(a.at, b.at))
	})
}

// readLine reads a line with its end; what it gives is good until the next call.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	long := bytes.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(long) > maxSkipLine {
			return nil, fmt.Errorf("a line of more than %d bytes", maxSkipLine)
		}
		line, err = r.ReadSlice('\n')
		long = append(long, line...)
	}
	return long, err
}

func (x *skipIndex) learn(line []byte, at int64) {
	var s struct { // of archive.Skipped what can be filtered by; to decode its evidence takes as long again
		URL    page.Spelling `json:"url"`
		Time   time.Time     `json:"ts"`
		Reason string        `json:"reason"`
		Rule   string        `json:"rule"`
		Site   string        `json:"site"`
	}
	if err := json.Unmarshal(line, &s); err != nil {
		if len(bytes.TrimSpace(line)) > 0 {
			x.damaged++
		}
		return
	}
	named, _ := s.URL.URL()
	host, prefix := placeOf([]byte(named))
	x.lines = append(x.lines, skipLine{
		at: at, rule: x.rules.number(s.Rule), host: x.hosts.number(string(host)),
		prefix: x.prefixes.number(string(prefix)),
		reason: uint16(x.reasons.number(s.Reason)), site: uint16(x.sites.number(s.Site)),
	})
}

// placeOf is the host of a URL, and the prefix under which it is counted: host and first directory.
func placeOf(url []byte) (host, prefix []byte) {
	begin := bytes.Index(url, []byte("://"))
	if begin < 0 {
		return nil, url[:min(len(url), 64)]
	}
	begin += 3
	end := bytes.IndexByte(url[begin:], '/')
	if end < 0 {
		return url[begin:], url
	}
	host = url[begin : begin+end]
	path := url[begin+end+1:]
	if i := bytes.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	if i := bytes.IndexByte(path, '/'); i >= 0 {
		return host, url[:begin+end+1+i+1]
	}
	return host, url[:begin+end+1]
}

// SkipFilter chooses among what was left out; "" lets all pass.
type SkipFilter struct {
	Reason string `json:"reason,omitempty"`
	Host   string `json:"host,omitempty"`
	Rule   string `json:"rule,omitempty"`
	Site   string `json:"site,omitempty"`
	Prefix string `json:"prefix,omitempty"` // the URL begins so
}

// chosen gives the numbers of the lines that pass. It costs O(lines), and where the prefix is
// deeper than those that are counted, a read of each line below it.
func (x *skipIndex) chosen(f SkipFilter) ([]int, error) {
	one := func(n *names, text string) (uint32, bool) {
		if text == "" {
			return 0, true
		}
		i, ok := n.of[text]
		return i, ok
	}
	reason, ok1 := one(&x.reasons, f.Reason)
	host, ok2 := one(&x.hosts, f.Host)
	rule, ok3 := one(&x.rules, f.Rule)
	site, ok4 := one(&x.sites, f.Site)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return nil, nil
	}
	below := make([]uint8, len(x.prefixes.list)) // 0 no, 1 all of it, 2 to be read
	for i, p := range x.prefixes.list {
		switch {
		case strings.HasPrefix(p, f.Prefix):
			below[i] = 1
		case strings.HasPrefix(f.Prefix, p):
			below[i] = 2
		}
	}
	var list, doubtful []int
	for i := range x.lines {
		l := &x.lines[i]
		if f.Reason != "" && uint32(l.reason) != reason || f.Host != "" && l.host != host ||
			f.Rule != "" && l.rule != rule || f.Site != "" && uint32(l.site) != site || below[l.prefix] == 0 {
			continue
		}
		if below[l.prefix] == 2 {
			doubtful = append(doubtful, i)
			continue
		}
		list = append(list, i)
	}
	if len(doubtful) == 0 {
		return list, nil
	}
	err := x.read(doubtful, func(k int, s *archive.Skipped) {
		if strings.HasPrefix(string(s.URL), f.Prefix) {
			list = append(list, doubtful[k])
		}
	})
	slices.Sort(list)
	return list, err
}

// read decodes lines of the file, in the order in which they lie there, and calls yield with the
// place of each in the list and the line.
func (x *skipIndex) read(list []int, yield func(int, *archive.Skipped)) (err error) {
	order := make([]int, len(list)) // of the file
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Compare(x.lines[list[a]].at, x.lines[list[b]].at)
	})
	f, err := os.Open(x.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r := bufio.NewReaderSize(nil, 64<<10)
	at := int64(-1)
	for _, k := range order {
		i := list[k]
		if at != x.lines[i].at {
			if _, err := f.Seek(x.lines[i].at, io.SeekStart); err != nil {
				return err
			}
			r.Reset(f)
		}
		line, err := r.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read %s: %w", x.path, err)
		}
		at = x.lines[i].at + int64(len(line))
		s, err := archive.ParseSkipped(line)
		if err != nil {
			return fmt.Errorf("%s at %d: %w: it was changed while it was read", x.path, x.lines[i].at, err)
		}
		yield(k, s)
	}
	return nil
}

// Group is how many of the chosen URLs share something.
type Group struct {
	Name string `json:"name"`
	URLs int    `json:"urls"`
}

// groups counts lines by what number gives, the most frequent first.
func (x *skipIndex) groups(list []int, n *names, number func(*skipLine) uint32) []Group {
	counts := make([]int, len(n.list))
	for _, i := range list {
		counts[number(&x.lines[i])]++
	}
	named := map[string]int{}
	for i, c := range counts {
		if c > 0 {
			named[n.list[i]] = c
		}
	}
	return frequent(named)
}

// frequent are groups, the most frequent first.
func frequent(counts map[string]int) []Group {
	groups := []Group{}
	for name, c := range counts {
		groups = append(groups, Group{name, c})
	}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(b.URLs-a.URLs, strings.Compare(a.Name, b.Name))
	})
	return groups
}

// find gives the lines of one URL.
func (x *skipIndex) find(u page.URL) (found []*archive.Skipped, err error) {
	list, err := x.chosen(SkipFilter{Host: string(u.Host()), Prefix: string(u)})
	if err != nil {
		return nil, err
	}
	err = x.read(list, func(_ int, s *archive.Skipped) {
		if s.URL == u {
			found = append(found, s)
		}
	})
	return found, err
}
