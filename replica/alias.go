package replica

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"watershed/page"
)

// ReadAliases reads a list of aliases written by hand, one rule a line:
//
//	mirror.example = www.example
//	www1.example, www2.example = www.example
//	http://a.example/copy/ = http://b.example/original/
//
// Empty lines and what follows "#" are passed over; the last rule for a name wins. This is HTTrack's grammar of host
// aliases, with directories besides; its patterns ("*.example = www.example") need the hosts that they are to match, so
// hosts gives them (nil: a pattern is an error). A scheme before a host without a path is read and dropped: a host entry
// holds for all schemes. The entries are confirmed, at the time and by the name given. Errors are *LineError.
func ReadAliases(r io.Reader, hosts []page.Host, c Change) (*Table, error) {
	t := new(Table)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := t.addAlias(line, hosts, c); err != nil {
			return nil, &LineError{n, err}
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read aliases: %w", err)
	}
	return t, nil
}

// addAlias adds one rule of the grammar that ReadAliases tells.
func (t *Table) addAlias(rule string, hosts []page.Host, c Change) error {
	left, right, found := strings.Cut(rule, "=")
	if !found || strings.Contains(right, "=") && !strings.Contains(right, "/") {
		return fmt.Errorf("%q has not the form \"alias = host\"", rule)
	}
	to, err := aliasName(right)
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(left, ",") {
		from, err := expand(name, hosts)
		if err != nil {
			return err
		}
		for _, f := range from {
			if f == to {
				continue // a pattern that matches the host itself
			}
			e := Entry{From: f, To: to, State: Confirmed, Method: "alias", Found: c.Time, Decided: c.Time, Verified: c.Time, By: c.By, Note: c.Note}
			if err := t.Put(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// expand gives the hosts that a pattern matches, or the name itself.
func expand(name string, hosts []page.Host) ([]string, error) {
	if !strings.Contains(name, "*") {
		from, err := aliasName(name)
		return []string{from}, err
	}
	pattern, err := page.ParseHostPattern(strings.TrimSpace(name))
	if err != nil {
		return nil, err
	}
	if hosts == nil {
		return nil, fmt.Errorf("the pattern %q needs a list of hosts; name them one by one", strings.TrimSpace(name))
	}
	var list []string
	for _, h := range hosts {
		if pattern.Match(h) {
			list = append(list, string(h))
		}
	}
	return list, nil
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
