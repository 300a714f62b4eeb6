package suites

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"watershed/crawler/robots"
	"watershed/page"
)

// Robots is the command that reads what others expect of a reader of robots.txt:
//
//   - the .textproto files of https://github.com/google/robotstxt-spec-test;
//   - robots_test.cc of https://github.com/google/robotstxt;
//   - SimpleRobotRulesParserTest.java of https://github.com/crawler-commons/crawler-commons;
//   - RobotstxtTest.java of https://github.com/internetarchive/heritrix3.
type Robots struct {
	Files []string `arg:""`
}

// Run judges each case, and prints those with another outcome and the sums of the files.
func (c *Robots) Run(out io.Writer) error {
	var all tally
	for _, root := range c.Files {
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || readers[filepath.Ext(path)] == nil {
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

// readers read the cases of a file, by how its name ends, and count the expectations that are of
// another form than they can read.
var readers = map[string]func(path string, text []byte) (cases []robotsCase, unread int){
	".textproto": func(_ string, text []byte) ([]robotsCase, int) { return readSpecification(text) },
	".cc":        readSource,
	".java":      readSource,
}

func judgeRobots(out io.Writer, path string) (tally, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return tally{}, err
	}
	cases, unread := readers[filepath.Ext(path)](path, text)
	var sum tally
	for _, c := range cases {
		got := c.got()
		if sum.count(got == c.want); got != c.want {
			fmt.Fprintf(out, "%s: for %q, %q is %s, and the suite wants %s\n%s", c.name, c.agent, c.url, got,
				c.want, quoted(c.text))
		}
	}
	fmt.Fprintf(out, "%s: %s", filepath.Base(path), sum)
	if unread > 0 {
		fmt.Fprintf(out, "; %d expectations were not read", unread)
	}
	fmt.Fprintln(out)
	return sum, nil
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

// robotsCase is what a suite expects of one robots.txt for one crawler: the verdict on a URL, or
// the Crawl-delay.
type robotsCase struct {
	name, text, agent, url string

	delay bool
	want  string // "allowed", "disallowed", or a delay in words
}

func verdict(allowed bool) string {
	if allowed {
		return "allowed"
	}
	return "disallowed"
}

// got is what our reader says. A crawler is known by its product token, the name without a version
// (RFC 9309, 2.2.1).
func (c robotsCase) got() string {
	product, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(c.agent, "Mozilla "), " 99.9"), "/")
	rules := robots.Parse([]byte(c.text), product)
	if c.delay {
		return fmt.Sprintf("a delay of %.0f ms", rules.CrawlDelay().Seconds()*1000)
	}
	u, err := page.ParseURL(c.url)
	if err != nil {
		return "no URL"
	}
	return verdict(rules.Check(u).Allowed)
}
