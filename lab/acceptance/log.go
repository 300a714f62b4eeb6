package acceptance

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"watershed/lab/testweb"
)

// request is one line of the access log.
type request struct {
	start, end time.Duration
	path       string
	status     int
}

// Politeness judges a server's access log: no host is asked twice at once, nor sooner than the
// delay after the last answer, and no URL twice but robots.txt and what was answered with 429 or
// 5xx.
type Politeness struct {
	Access string        `required:"" placeholder:"FILE"`
	Delay  time.Duration `default:"100ms"`
}

func (c *Politeness) Run(out io.Writer) error {
	hosts := map[string][]request{}
	err := testweb.FileRows(c.Access, 6, func(f []string) error {
		r, err := parseRequest(f)
		hosts[f[2]] = append(hosts[f[2]], r)
		return err
	})
	if err != nil {
		return err
	}
	var requests, overlaps, early, repeats int
	smallest := time.Hour
	for host, list := range hosts {
		slices.SortFunc(list, func(a, b request) int { return int(a.start - b.start) })
		requests += len(list)
		seen := map[string]int{}
		for i, r := range list {
			if old, ok := seen[r.path]; ok && old < 429 && r.path != "/robots.txt" {
				repeats++
				fmt.Fprintf(out, "again: %s%s (answered %d before)\n", host, r.path, old)
			}
			seen[r.path] = r.status
			if i == 0 {
				continue
			}
			gap := r.start - list[i-1].end
			smallest = min(smallest, gap)
			switch {
			case gap < 0:
				overlaps++
				fmt.Fprintf(out, "at once: %s%s and %s\n", host, r.path, list[i-1].path)
			case gap < c.Delay:
				early++
				fmt.Fprintf(out, "early: %s%s after %v\n", host, r.path, gap)
			}
		}
	}
	fmt.Fprintf(out, "%d requests to %d hosts: %d at once, %d sooner than %v (smallest gap %v), %d "+
		"URLs again\n", requests, len(hosts), overlaps, early, c.Delay, smallest, repeats)
	if overlaps+early+repeats > 0 {
		return errors.New("the harvest was impolite")
	}
	return nil
}

func parseRequest(f []string) (request, error) {
	start, err1 := strconv.ParseInt(f[0], 10, 64)
	end, err2 := strconv.ParseInt(f[1], 10, 64)
	status, err3 := strconv.Atoi(f[5])
	r := request{
		start: time.Duration(start) * time.Microsecond, end: time.Duration(end) * time.Microsecond,
		path: f[4], status: status,
	}
	return r, errors.Join(err1, err2, err3)
}
