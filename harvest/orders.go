package harvest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"time"

	"watershed/archive"
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
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e control.Entry
		if json.Unmarshal(lines.Bytes(), &e) == nil {
			list = append(list, e)
		}
	}
	return list, lines.Err()
}

// ErrStopped says that an order ended the crawl. All is saved; the next start goes on.
var ErrStopped = errors.New("stopped by order")

// note keeps an entry in the run's log of orders, and in its archive.
func (h *Harvest) note(e *control.Entry) error {
	e.Time = e.Time.UTC().Truncate(time.Millisecond)
	e.Visits = max(h.crawl.Visits(), uint64(h.Visits))
	text, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("note an order: %w", err)
	}
	f, err := h.disk().OpenFile(h.run.Orders(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("note an order: %w", err)
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("note an order: %w", err)
	}
	h.log.Info("order", "by", e.By, "do", e.Do, "what", e.What, "old", e.Old, "new", e.New, "effect",
		e.Effect, "note", e.Note)
	h.noted++
	uri := fmt.Sprintf("metadata://watershed/%s/run-%04d/orders/%d", h.plan.Name, h.record.Number, h.noted)
	if _, err := h.archive.Write(archive.Resource(uri, "application/json", e.Time, text)); err != nil {
		h.log.Warn("an order is not in the archive, only in its log", "cause", err)
	}
	return nil
}

// recall carries out again those orders in the run's log that hold for the whole run: limits, the
// delay of all hosts, a pause.
func (h *Harvest) recall() error {
	list, err := ReadOrders(h.run)
	if err != nil {
		return err
	}
	h.noted = len(list)
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
			if _, _, _, err := h.change(o); err != nil {
				return fmt.Errorf("order of %s: %w", list[i].Time, err)
			}
		}
	}
	if paused {
		h.crawl.Pause()
		h.Paused = true
	}
	return nil
}

// obey carries an order out. The caller has seen to it that the harvest is open for it.
func (h *Harvest) obey(o *control.Order) (a control.Answer, err error) {
	switch o.Do {
	case control.Explain:
		x, err := h.Explain(o.URL, o.Alpha)
		if err == nil {
			a.Reply, err = json.Marshal(x)
		}
		return a, err
	case control.Decisions:
		list, err := ReadDecisions(h.folder.Decisions())
		if err != nil {
			return a, err
		}
		h.decided = list
		a.Done, err = h.settle()
		return a, err
	}
	if o.Do == control.Delay && o.Host == control.EachHost {
		o.Host = "" // it comes to the same
	}
	e := control.Entry{Time: time.Now(), By: o.By, Do: o.Do, Note: o.Note, Order: o}
	if e.What, e.Old, e.New, err = h.change(o); err != nil || e.Old == e.New && e.Old != "" {
		return a, err
	}
	if err := h.note(&e); err != nil {
		return a, err
	}
	a.Done = []control.Entry{e}
	return a, nil
}

// change makes a change, and tells its subject, the value before and the value after.
func (h *Harvest) change(o *control.Order) (what, before, after string, err error) {
	switch o.Do {
	case control.Pause, control.Resume:
		before, after = stateWord(h.crawl.Held()), stateWord(o.Do == control.Pause)
		if o.Do == control.Pause {
			h.crawl.Pause()
		} else {
			h.crawl.Resume()
		}
		return "the crawl", before, after, nil
	case control.Stop:
		return "the crawl", stateWord(h.crawl.Held()), "stopped", nil
	case control.Delay:
		return h.changeDelay(o.Host, o.Pause())
	case control.Limit:
		return h.changeLimit(o)
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
func (h *Harvest) changeDelay(host page.Host, d time.Duration) (what, before, after string, err error) {
	if host == "" {
		what = "delay of all hosts"
		if floor := h.plan.Frontier.Delay(); d > 0 && d < floor {
			return what, "", "",
				&control.RefusedError{
					Reason: fmt.Sprintf("%s: %v is less than the %v of politeness.min_delay; only the "+
						"harvest's YAML can lower that", what, d, floor),
				}
		}
		before = delayText(h.frontier.LeastDelay())
		h.frontier.SetDelay(d)
		return what, before, delayText(d), nil
	}
	what = "delay of " + string(host)
	info, known := h.frontier.Host(host)
	if !known {
		return what, "", "",
			&control.RefusedError{Reason: fmt.Sprintf("%s: the run knows no such host", what)}
	}
	if floor := h.frontier.Floor(host); d > 0 && d < floor {
		return what, "", "",
			&control.RefusedError{Reason: fmt.Sprintf("%s: %v is less than the %v that its robots.txt or "+
				"the harvest's YAML asks for; only the YAML can lower that", what, d, floor)}
	}
	err = h.store.Update(func(tx *store.Tx) error { return h.frontier.SetHostDelay(tx, host, d) })
	return what, delayText(info.MinDelay), delayText(d), err
}

func delayText(d time.Duration) string {
	if d == 0 {
		return "as configured"
	}
	return d.String()
}

// changeLimit sets a limit for the rest of the run.
func (h *Harvest) changeLimit(o *control.Order) (what, before, after string, err error) {
	if o.Limit == control.Seconds {
		before := limitText(o.Limit, int64(h.crawl.Time()/time.Second))
		h.crawl.SetTime(time.Duration(o.Value) * time.Second)
		return "limit of time", before, limitText(o.Limit, o.Value), nil
	}
	all, own := h.frontier.Limits("")
	set := h.frontier.SetLimits
	limits, what := all, "limit of "+o.Limit
	if o.Host != "" {
		host := o.Host
		what += " of " + string(host)
		limits = own
		if host == control.EachHost {
			host, what = "", "limit of "+o.Limit+" of each host"
		} else {
			_, limits = h.frontier.Limits(host)
		}
		set = func(l frontier.Limits) error {
			_, err := h.frontier.SetHostLimits(host, l)
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
