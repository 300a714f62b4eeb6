package replay

import (
	"bufio"
	"cmp"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"watershed/archive"
	"watershed/harvest"
	"watershed/page"
)

// captureQuery is a question to the index, in the words of the CDX server API that pywb and its
// like ask by. Source: pywb's manual, CDXJ Server API.
type captureQuery struct {
	key     string // exact, or with which keys begin
	prefix  bool
	domain  bool // key is a host's, and those of its subdomains begin with it
	limit   int
	closest time.Time // orders by distance; zero orders by key and time
	reverse bool
}

// Bounds of an answer, in lines.
const (
	maxCaptures = 100_000
	maxSorted   = 10_000 // of one that is sorted otherwise than the index is
)

// readCaptureQuery reads url, matchType (exact, prefix, host, domain; or "*" at an end of the url),
// limit, sort (closest, reverse) and closest.
func readCaptureQuery(q url.Values) (c captureQuery, err error) {
	text, match := q.Get("url"), q.Get("matchType")
	if rest, ok := strings.CutSuffix(text, "*"); ok && match == "" {
		text, match = rest, "prefix"
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := page.ParseURL(text)
	if err != nil {
		return c, errors.New("url is no address of a web page")
	}
	c.key = u.SURT()
	switch match {
	case "", "exact":
	case "prefix":
		c.prefix = true
	case "host":
		c.key, c.prefix = c.key[:strings.IndexByte(c.key, ')')+1], true
	case "domain":
		c.key, c.prefix, c.domain = c.key[:strings.IndexByte(c.key, ')')], true, true
	default:
		return c, errors.New("matchType is exact, prefix, host or domain")
	}
	c.limit = maxCaptures
	if text := q.Get("limit"); text != "" {
		if c.limit, err = strconv.Atoi(text); err != nil || c.limit < 1 {
			return c, errors.New("limit is a number from 1 on")
		}
		c.limit = min(c.limit, maxCaptures)
	}
	switch q.Get("sort") {
	case "":
	case "reverse":
		c.reverse = true
	case "closest":
		if text := q.Get("closest"); text == "" {
			c.reverse = true
		} else {
			digits := (text + "00000101000000"[min(len(text), 14):])[:14]
			if c.closest, err = time.Parse(timeForm, digits); err != nil {
				return c, errors.New("closest is a time of 4 to 14 digits")
			}
		}
	default:
		return c, errors.New("sort is closest or reverse")
	}
	return c, nil
}

// captures answers a question to the indexes of all runs with lines of CDXJ.
func (s *Server) captures(w http.ResponseWriter, r *http.Request, folder harvest.Folder) {
	c, err := readCaptureQuery(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	lines, err := c.collect(folder)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/x-cdxj; charset=utf-8")
	out := bufio.NewWriter(w)
	var line []byte
	for _, e := range lines {
		line = e.Append(line[:0])
		_, _ = out.Write(line) // who asked is gone if this fails
	}
	_ = out.Flush()
}

// collect gives the entries that are the answer, in the order that is asked for. At a time it holds
// those and what it reads of one run.
func (c *captureQuery) collect(folder harvest.Folder) ([]*archive.Entry, error) {
	runs, err := folder.Runs()
	if err != nil {
		return nil, err
	}
	most := maxSorted
	if c.closest.IsZero() && !c.reverse {
		most = c.limit
	}
	var lines []*archive.Entry
	for _, run := range runs {
		if lines, err = c.add(lines, run, most); err != nil {
			return nil, err
		}
		slices.SortStableFunc(lines, c.compare)
		keep := min(len(lines), most, c.limit)
		clear(lines[keep:])
		lines = lines[:keep]
	}
	return lines, nil
}

// compare puts entries into the order that is asked for.
func (c *captureQuery) compare(a, b *archive.Entry) int {
	by := cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Timestamp, b.Timestamp))
	switch {
	case !c.closest.IsZero():
		return cmp.Or(cmp.Compare(c.distance(a), c.distance(b)), by)
	case c.reverse:
		return -by
	}
	return by
}

// distance is the time between a capture and the time asked for, in seconds.
func (c *captureQuery) distance(e *archive.Entry) int64 {
	t, err := e.Time()
	if err != nil {
		return 1 << 40
	}
	return int64(t.Sub(c.closest).Abs() / time.Second)
}

func (c *captureQuery) add(lines []*archive.Entry, run harvest.Run, most int) (_ []*archive.Entry,
	err error,
) {
	index, err := archive.OpenIndex(run.Index())
	if errors.Is(err, fs.ErrNotExist) {
		return lines, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	entries := index.Key(c.key)
	if c.prefix {
		entries = index.Prefix(c.key)
	}
	n := 0
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		if c.domain && !strings.ContainsRune("),:", rune((e.Key + " ")[len(c.key)])) {
			continue // of a longer name, as example2.org for example.org
		}
		if n++; n > most {
			break
		}
		lines = append(lines, e)
	}
	return lines, nil
}
