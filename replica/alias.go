package replica

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"watershed/page"
)

// Aliases are rules written by hand, one a line:
//
//	mirror.example = www.example
//	www1.example, *.mirrors.example = www.example
//	http://a.example/copy/ = http://b.example/original/
//
// Empty lines and what follows "#" are passed over; the last rule for a name wins. This is
// HTTrack's grammar of host aliases, with directories besides. A pattern holds for the hosts that
// it matches, as soon as they are known. A scheme before a host without a path is read and dropped:
// a host entry holds for all schemes. The zero value has no rules. It is not changed once read.
type Aliases struct{ rules []aliasRule }

// aliasRule is a name or a pattern, and the host or directory that stands for it.
type aliasRule struct {
	line    int
	from    string           // a host or directory, or empty
	pattern page.HostPattern // in place of from
	to      string
}

// ParseAliases reads rules. Errors name the line.
func ParseAliases(r io.Reader) (*Aliases, error) {
	a := new(Aliases)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := a.add(line, n); err != nil {
			return nil, inLine(n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read aliases: %w", err)
	}
	return a, nil
}

// ReadAliases reads rules and gives the entries that they make, as Aliases.Table does; but where
// hosts are nil, a pattern is an error. Errors name the line.
func ReadAliases(r io.Reader, hosts []page.Host, c Change) (*Table, error) {
	a, err := ParseAliases(r)
	if err != nil {
		return nil, err
	}
	if p := a.firstPattern(); p != nil && hosts == nil {
		return nil, inLine(p.line, fmt.Errorf("the pattern %q needs a list of the hosts that there are",
			p.pattern))
	}
	return a.Table(hosts, c)
}

// add adds the rules of one line.
func (a *Aliases) add(line string, n int) error {
	left, right, found := strings.Cut(line, "=")
	if !found || strings.Contains(right, "=") && !strings.Contains(right, "/") {
		return fmt.Errorf("%q has not the form \"alias = host\"", line)
	}
	to, err := aliasName(right)
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(left, ",") {
		rule := aliasRule{line: n, to: to}
		if strings.Contains(name, "*") {
			rule.pattern, err = page.ParseHostPattern(strings.TrimSpace(name))
			if err == nil && !IsHost(to) {
				err = fmt.Errorf("the pattern %q stands for hosts, and %q is a directory", rule.pattern, to)
			}
		} else {
			rule.from, err = aliasName(name)
		}
		if err != nil {
			return err
		}
		a.rules = append(a.rules, rule)
	}
	return nil
}

func (a *Aliases) firstPattern() *aliasRule {
	for i := range a.rules {
		if a.rules[i].pattern != "" {
			return &a.rules[i]
		}
	}
	return nil
}

// Patterns reports whether hosts that come to be known may have rules.
func (a *Aliases) Patterns() bool { return a.firstPattern() != nil }

// names reports whether a rule is for a host. None is for the host that stands for others by it,
// though its pattern may match that.
func (r *aliasRule) names(h page.Host) bool {
	if r.to == string(h) {
		return false
	}
	if r.pattern == "" {
		return r.from == string(h)
	}
	return r.pattern.Match(h)
}

// Of gives the entry for a host, confirmed at the time and by the name given: that of the last rule
// that is for it.
func (a *Aliases) Of(h page.Host, c Change) (Entry, bool) {
	for i := len(a.rules) - 1; i >= 0; i-- {
		if r := &a.rules[i]; r.names(h) {
			return r.entry(string(h), c), true
		}
	}
	return Entry{}, false
}

func (r *aliasRule) entry(from string, c Change) Entry {
	return Entry{
		From: from, To: r.to, State: Confirmed, Method: "alias", Found: c.Time, Decided: c.Time,
		Verified: c.Time, By: c.By, Note: c.Note,
	}
}

// Table gives the entries for all names in the rules and for those of the hosts that patterns
// match. They are confirmed, at the time and by the name given. Errors name the line: of names
// that stand for each other.
func (a *Aliases) Table(hosts []page.Host, c Change) (*Table, error) {
	t := new(Table)
	for i := range a.rules {
		r := &a.rules[i]
		var from []string
		switch {
		case r.pattern != "":
			for _, h := range hosts {
				if r.names(h) {
					from = append(from, string(h))
				}
			}
		case r.from != r.to:
			from = append(from, r.from)
		}
		for _, f := range from {
			if old := t.entries[f]; old != nil && old.To == r.to && old.Note == c.Note {
				continue // an earlier rule said so
			}
			if err := t.Put(r.entry(f, c)); err != nil {
				return nil, inLine(r.line, err)
			}
		}
	}
	return t, nil
}

// aliasName reads a host, with or without a scheme, or a directory, and gives it in canonical form.
func aliasName(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", errors.New("a name is missing")
	}
	address, host := text, false
	if _, rest, ok := strings.Cut(text, "://"); ok {
		host = !strings.Contains(rest, "/")
	} else {
		address, host = "http://"+text, !strings.Contains(text, "/")
	}
	u, err := page.ParseURL(address)
	if err != nil {
		return "", fmt.Errorf("%q is no host and no directory: %w", text, err)
	}
	if host {
		return string(u.Host()), nil
	}
	if !strings.Contains(text, "://") {
		return "", fmt.Errorf("%q has a path and no scheme; write http://%s or https://%s", text, text, text)
	}
	if !strings.HasSuffix(string(u), "/") {
		return "", fmt.Errorf("the directory %q does not end with /", text)
	}
	return string(u), nil
}
