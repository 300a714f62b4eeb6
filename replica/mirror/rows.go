package mirror

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// ReadRows calls f for the columns of each line of a table that is no comment; tabs stand between
// them. f tells what is wrong, or nothing. The error names the line, or is the reader's.
func ReadRows(r io.Reader, columns int, f func([]string) string) error {
	return eachLine(r, columns, func(string) {}, f)
}

// eachLine is ReadRows, which hands comments to comment.
func eachLine(r io.Reader, columns int, comment func(string), f func([]string) string) error {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 1<<16), 1<<20)
	for n := 1; in.Scan(); n++ {
		line := strings.TrimSuffix(in.Text(), "\r")
		if line == "" {
			continue
		}
		if line[0] == '#' {
			comment(line)
			continue
		}
		row := strings.Split(line, "\t")
		if len(row) < columns {
			return fmt.Errorf("line %d: %d columns, fewer than %d", n, len(row), columns)
		}
		if what := f(row); what != "" {
			return fmt.Errorf("line %d: %s", n, what)
		}
	}
	return in.Err()
}
