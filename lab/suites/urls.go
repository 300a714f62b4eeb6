package suites

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"watershed/page"
)

// ErrDisagrees is what a command ends with where a case of a suite has another outcome than the
// suite wants.
var ErrDisagrees = errors.New("there are cases with another outcome than the suite wants")

// URLs is the command that reads the URL test data of the web platform tests
// (https://github.com/web-platform-tests/wpt, url/resources/urltestdata.json).
type URLs struct {
	File string `arg:""`
}

// Run judges each case, and prints those with another outcome and the sums.
func (c *URLs) Run(out io.Writer) error {
	text, err := os.ReadFile(c.File)
	if err != nil {
		return err
	}
	cases, err := readURLCases(text)
	if err != nil {
		return fmt.Errorf("read %s: %w", c.File, err)
	}
	var web, other tally
	for _, t := range cases {
		sum := &web
		if !t.web() {
			sum = &other
		}
		got, want := t.got(), t.want()
		if sum.count(got == want); got != want {
			fmt.Fprintf(out, "%s\n  is    %q\n  wants %q\n", t, got, want)
		}
	}
	fmt.Fprintf(out, "http and https, or no URL:  %s\n", web)
	fmt.Fprintf(out, "refused as other schemes:   %s\n", other)
	if web.right < web.all || other.right < other.all {
		return ErrDisagrees
	}
	return nil
}

// tally counts cases.
type tally struct{ right, all int }

func (t *tally) count(right bool) {
	t.all++
	if right {
		t.right++
	}
}

func (t tally) String() string { return fmt.Sprintf("%d of %d as the suite wants", t.right, t.all) }

// urlCase is a case of the test data: a reference, the page that it stands in, and the URL that the
// standard makes of both.
type urlCase struct {
	Input   string  `json:"input"`
	Base    *string `json:"base"`
	Href    string  `json:"href"`
	Failure bool    `json:"failure"`
}

func (t urlCase) String() string {
	if t.Base == nil {
		return strconv.Quote(t.Input)
	}
	return fmt.Sprintf("%q in a page at %q", t.Input, *t.Base)
}

// readURLCases reads the list, in which comments are strings between the cases.
func readURLCases(text []byte) ([]urlCase, error) {
	var rows []json.RawMessage
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, err
	}
	var cases []urlCase
	for _, row := range rows {
		if row[0] != '{' {
			continue
		}
		var c urlCase
		if err := json.Unmarshal(row, &c); err != nil {
			return nil, err
		}
		cases = append(cases, c.asWeb())
	}
	return cases, nil
}

// asWeb is a case about a web socket as one about a page: the standard parses both alike.
func (t urlCase) asWeb() urlCase {
	if t.Base != nil && strings.HasPrefix(*t.Base, "http") {
		return t
	}
	t.Input = webSocket.ReplaceAllString(t.Input, "http$1")
	t.Href = webSocket.ReplaceAllString(t.Href, "http$1")
	return t
}

var webSocket = regexp.MustCompile(`^ws(s?:)`)

// web reports a case whose URL is of the schemes that are harvested, or that has none and whose
// reference or page is of them.
func (t urlCase) web() bool {
	if !t.Failure {
		return isWeb(t.Href)
	}
	input := strings.ToLower(strings.TrimLeft(t.Input, " \t\n"))
	return strings.HasPrefix(input, "http") || t.Base != nil && strings.HasPrefix(*t.Base, "http")
}

// want is the URL that is to be asked for: without what no request has, the fragment and the user's
// name; "" where there is no such URL.
func (t urlCase) want() string {
	if t.Failure || !isWeb(t.Href) {
		return ""
	}
	href, _, _ := strings.Cut(t.Href, "#")
	scheme, rest, _ := strings.Cut(href, "://")
	host := rest[:strings.IndexByte(rest, '/')]
	return scheme + "://" + rest[strings.LastIndexByte(host, '@')+1:]
}

func (t urlCase) got() string {
	if t.Base != nil {
		if base, spelled, err := page.ParseSpelled(*t.Base); err == nil {
			return spell(base.ResolveSpelled(t.Input, spelled))
		}
	}
	return spell(page.ParseSpelled(t.Input))
}

func spell(u page.URL, s page.Spelling, err error) string {
	if err != nil {
		return ""
	}
	return u.As(s)
}

func isWeb(href string) bool {
	return strings.HasPrefix(href, "http://") || strings.HasPrefix(href, "https://")
}
