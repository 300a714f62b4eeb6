package mirror

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// ReadRows calls f for the columns of each line of a table that is no comment; tabs stand between
// them. f tells what is wrong, or nothing. The error is a *LineError or the reader's.
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
			return &LineError{n, strconv.Itoa(len(row)) + " columns, fewer than " + strconv.Itoa(columns)}
		}
		if what := f(row); what != "" {
			return &LineError{n, what}
		}
	}
	return in.Err()
}
