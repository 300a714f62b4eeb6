package suites

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"text/scanner"

	"watershed/crawler/robots"
	"watershed/page"
)

// Robots is the command that reads the .textproto files of
// https://github.com/google/robotstxt-spec-test: what a reader of robots.txt is expected to say.
type Robots struct {
	Files []string `arg:""`
}

// Run judges each case, and prints those with another outcome and the sums of the files.
func (c *Robots) Run(out io.Writer) error {
	var all tally
	for _, root := range c.Files {
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".textproto" {
				return err
			}
			sum, err := judgeRobots(out, path)
			all.right, all.all = all.right+sum.right, all.all+sum.all
			return err
		})
		if err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "all: %s\n", all)
	if all.right < all.all {
		return ErrDisagrees
	}
	return nil
}

func judgeRobots(out io.Writer, path string) (tally, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return tally{}, err
	}
	var sum tally
	for _, c := range readSpecification(text) {
		got := c.got()
		if sum.count(got == c.want); got != c.want {
			fmt.Fprintf(out, "for %q, %q is %s, and the suite wants %s\n%s", c.agent, c.url, got, c.want,
				quoted(c.text))
		}
	}
	fmt.Fprintf(out, "%s: %s\n", filepath.Base(path), sum)
	return sum, nil
}

// readSpecification reads the cases of a file. Strings that stand one after the other are one; their
// escapes are as in Go.
func readSpecification(text []byte) (cases []robotsCase) {
	var c robotsCase
	comment := regexp.MustCompile(`(?m)^\s*#.*$`)
	all := tokens(comment.ReplaceAll(text, nil))
	for i := 0; i+2 < len(all); i++ {
		if all[i+1] != ":" {
			continue
		}
		switch value := joined(all[i+2:]); all[i] {
		case "robotstxt":
			c.text = value
		case "testurl":
			c.url = value
		case "useragent":
			c.agent = value
		case "expected_outcome":
			c.want = strings.ToLower(all[i+2])
			cases = append(cases, c)
		}
	}
	return cases
}

// tokens are those of a text in the text form of protocol buffers.
func tokens(text []byte) (all []string) {
	var s scanner.Scanner
	s.Init(bytes.NewReader(text))
	s.Error = func(*scanner.Scanner, string) {} // what is odd is no string, and no case
	s.Mode = scanner.ScanIdents | scanner.ScanFloats | scanner.ScanStrings
	for t := s.Scan(); t != scanner.EOF; t = s.Scan() {
		all = append(all, s.TokenText())
	}
	return all
}

// joined is the text of the strings that tokens begin with.
func joined(all []string) string {
	var b strings.Builder
	for _, t := range all {
		part, err := strconv.Unquote(t)
		if err != nil {
			break
		}
		b.WriteString(part)
	}
	return b.String()
}

// quoted are the lines of a robots.txt, at most ten.
func quoted(text string) string {
	var b strings.Builder
	lines := strings.SplitAfter(strings.TrimRight(text, "\r\n"), "\n")
	for i, line := range lines {
		if i == 10 {
			fmt.Fprintf(&b, "    (%d more)\n", len(lines)-i)
			break
		}
		fmt.Fprintf(&b, "    %q\n", line)
	}
	return b.String()
}

// robotsCase is what a suite expects of one robots.txt for one crawler: the verdict on a URL.
type robotsCase struct {
	text, agent, url string
	want             string // "allowed" or "disallowed"
}

// got is what our reader says. A crawler is known by its product token, the name without a version
// (RFC 9309, 2.2.1).
func (c robotsCase) got() string {
	product, _, _ := strings.Cut(c.agent, "/")
	u, err := page.ParseURL(c.url)
	switch {
	case err != nil:
		return "no URL"
	case robots.Parse([]byte(c.text), product).Check(u).Allowed:
		return "allowed"
	}
	return "disallowed"
}
