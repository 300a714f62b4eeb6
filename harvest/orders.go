package harvest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"watershed/archive"
	"watershed/crawler"
	"watershed/frontier"
	"watershed/harvest/control"
	"watershed/page"
	"watershed/store"
)

// Orders is the log of the changes made by hand while the run went on.
func (r Run) Orders() string { return r.path("logs", "orders.jsonl") }

// ReadOrders reads the log of a run's orders, empty where there is none. A line that a crash cut
// short is left out.
func ReadOrders(run Run) (list []control.Entry, err error) {
	f, err := os.Open(run.Orders())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the orders: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for lines := bufio.NewReader(f); err == nil; {
		var line []byte
		var e control.Entry
		if line, err = lines.ReadBytes('\n'); json.Unmarshal(line, &e) == nil {
			list = append(list, e)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return list, err
}

// ErrStopped says that an order ended the crawl. All is saved; the next start goes on.
var ErrStopped = errors.New("stopped by order")

// clerk carries out what archivists order while the run crawls, and notes it.
type clerk struct {
	*view
	crawl   *crawler.Crawler
	archive *archive.Writer
	noted   int        // orders
	step    sync.Mutex // held by an order, and by what Crawl does between two crawls
}

// note keeps an entry in the run's log of orders, and in its archive.
func (c *clerk) note(e *control.Entry) error {
	e.Time = e.Time.UTC().Truncate(time.Millisecond)
	e.Visits = c.crawl.Visits()
	text, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("note an order: %w", err)
	}
	if err := c.append(text); err != nil {
		return fmt.Errorf("note an order: %w", err)
	}
	c.log.Info("order", "by", e.By, "do", e.Do, "what", e.What, "old", e.Old, "new", e.New, "effect",
		e.Effect, "note", e.Note)
	c.noted++
	uri := fmt.Sprintf("metadata://watershed/%s/run-%04d/orders/%d", c.plan.Name, c.record.Number, c.noted)
	if _, err := c.archive.Write(archive.Resource(uri, "application/json", e.Time, text)); err != nil {
		c.log.Warn("an order is not in the archive, only in its log", "cause", err)
	}
	return nil
}

// append writes a line to the run's log of orders, and has it on disk. A line that a crash cut short is
// ended before.
func (c *clerk) append(text []byte) error {
	f, err := c.disk().OpenFile(c.run.Orders(), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o666)
	if err != nil {
		return err
	}
	size, err := f.Seek(0, io.SeekEnd)
	last := []byte{'\n'}
	if err == nil && size > 0 {
		_, err = f.ReadAt(last, size-1)
	}
	line := append(slices.Clone(text), '\n')
	if last[0] != '\n' {
		line = append([]byte{'\n'}, line...)
	}
	if err == nil {
		_, err = f.Write(line)
	}
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil && size == 0 {
		err = c.disk().SyncDir(c.run.Logs())
	}
	return err
}

// recall carries out again those orders in the run's log that hold for the whole run: limits, the
// delay of all hosts, a pause. An order that the YAML does not allow any more is told and passed over.
func (c *clerk) recall(list []control.Entry) error {
	paused := false
	for i := range list {
		o := list[i].Order
		switch {
		case o == nil:
		case o.Do == control.Pause:
			paused = true
		case o.Do == control.Resume, o.Do == control.Stop:
			paused = false
		case o.Do == control.Limit, o.Do == control.Delay && o.Host == "":
			var refused *control.RefusedError
			if _, _, _, err := c.change(o); errors.As(err, &refused) {
				c.log.Warn("an order of this run does not hold any more", "by", list[i].By, "cause", err)
			} else if err != nil {
				return fmt.Errorf("order of %s: %w", list[i].Time, err)
			}
		}
	}
	if paused {
		c.crawl.Pause()
	}
	return nil
}

// carryOut does what an order asks, one at a time. The caller has seen to it that the run is open
// for it.
func (c *clerk) carryOut(o *control.Order) (control.Answer, error) {
	c.step.Lock()
	defer c.step.Unlock()
	return c.obey(o)
}

func (c *clerk) obey(o *control.Order) (a control.Answer, err error) {
	switch o.Do {
	case control.Explain:
		err := c.crawl.Between(func() error { // no page is committed while the maps are drawn
			x, err := c.Explain(o.URL, o.Alpha)
			if err == nil {
				a.Reply, err = json.Marshal(x)
			}
			return err
		})
		return a, err
	case control.Decisions:
		list, err := ReadDecisions(c.folder.Decisions())
		if err != nil {
			return a, err
		}
		c.decided = list
		a.Done, err = c.settle()
		return a, err
	}
	if o.Do == control.Delay && o.Host == control.EachHost {
		o.Host = "" // it comes to the same
	}
	e := control.Entry{Time: time.Now(), By: o.By, Do: o.Do, Note: o.Note, Order: o}
	if e.What, e.Old, e.New, err = c.change(o); err != nil || e.Old == e.New && e.Old != "" {
		return a, err
	}
	if err := c.note(&e); err != nil {
		return a, err
	}
	a.Done = []control.Entry{e}
	return a, nil
}

// change makes a change, and tells its subject, the value before and the value after.
func (c *clerk) change(o *control.Order) (what, before, after string, err error) {
	switch o.Do {
	case control.Pause, control.Resume:
		before, after = stateWord(c.crawl.Held()), stateWord(o.Do == control.Pause)
		if o.Do == control.Pause {
			c.crawl.Pause()
		} else {
			c.crawl.Resume()
		}
		return "the crawl", before, after, nil
	case control.Stop:
		return "the crawl", stateWord(c.crawl.Held()), "stopped", nil
	case control.Delay:
		return c.changeDelay(o.Host, o.Pause())
	case control.Limit:
		return c.changeLimit(o)
	}
	return "", "", "", fmt.Errorf("%w: %q", control.ErrOrder, o.Do)
}

func stateWord(held bool) string {
	if held {
		return "paused"
	}
	return "running"
}

// changeDelay sets a least pause, never below what the YAML and robots.txt ask for.
func (c *clerk) changeDelay(host page.Host, d time.Duration) (what, before, after string, err error) {
	if host == "" {
		what = "delay of all hosts"
		if floor := c.plan.Frontier.Delay(); d > 0 && d < floor {
			return what, "", "",
				&control.RefusedError{
					Reason: fmt.Sprintf("%s: %v is less than the %v of politeness.min_delay; only the "+
						"harvest's YAML can lower that", what, d, floor),
				}
		}
		before = delayText(c.frontier.LeastDelay())
		c.frontier.SetDelay(d)
		return what, before, delayText(d), nil
	}
	what = "delay of " + string(host)
	info, known := c.frontier.Host(host)
	if !known {
		what += ", which the run has not met so far"
	}
	if d > 0 && d < info.Floor {
		return what, "", "",
			&control.RefusedError{Reason: fmt.Sprintf("%s: %v is less than the %v that its robots.txt or "+
				"the harvest's YAML asks for; only the YAML can lower that", what, d, info.Floor)}
	}
	err = c.store.Update(func(tx *store.Tx) error { return c.frontier.SetHostDelay(tx, host, d) })
	return what, delayText(info.MinDelay), delayText(d), err
}

func delayText(d time.Duration) string {
	if d == 0 {
		return "as configured"
	}
	return d.String()
}

// changeLimit sets a limit for the rest of the run.
func (c *clerk) changeLimit(o *control.Order) (what, before, after string, err error) {
	if o.Limit == control.Seconds {
		before := limitText(o.Limit, int64(c.crawl.Time()/time.Second))
		c.crawl.SetTime(time.Duration(o.Value) * time.Second)
		return "limit of time", before, limitText(o.Limit, o.Value), nil
	}
	all, own := c.frontier.Limits("")
	set := c.frontier.SetLimits
	limits, what := all, "limit of "+o.Limit
	if o.Host != "" {
		host := o.Host
		what += " of " + string(host)
		limits = own
		if host == control.EachHost {
			host, what = "", "limit of "+o.Limit+" of each host"
		} else {
			_, limits = c.frontier.Limits(host)
		}
		set = func(l frontier.Limits) error {
			_, err := c.frontier.SetHostLimits(host, l)
			return err
		}
	}
	value := map[string]*int64{
		control.Pages: &limits.Pages, control.Files: &limits.Files, control.Bytes: &limits.Bytes,
	}[o.Limit]
	before, *value = limitText(o.Limit, *value), o.Value
	return what, before, limitText(o.Limit, o.Value), set(limits)
}

func limitText(kind string, n int64) string {
	switch {
	case n == 0:
		return "none"
	case kind == control.Seconds:
		return (time.Duration(min(n, math.MaxInt64/int64(time.Second))) * time.Second).String()
	}
	return strconv.FormatInt(n, 10) + " " + kind
}
