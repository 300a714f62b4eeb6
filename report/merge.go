package report

import "slices"

// Merge makes one report of those of the parts of a harvest, each with sites of its own, which it may
// change. A URL that several parts know counts in each. Nothing is said of the ending while a part is under
// way.
func Merge(parts []*Tables) *Report {
	r := &Report{}
	underWay := len(parts) == 0
	for _, p := range parts {
		r.Harvest, r.Run = p.Harvest, p.Run
		r.Seeds, r.Sites = append(r.Seeds, p.Seeds...), append(r.Sites, p.Sites...)
		r.Missing = append(r.Missing, p.Missing...)
		for _, h := range p.Hosts {
			r.host(h.Host).merge(h)
		}
		for _, l := range p.MIME {
			at(&r.mimes, l.Name).merge(l.Count)
		}
		for _, l := range p.Status {
			at(&r.status, l.Name).merge(l.Count)
		}
		for _, s := range p.Skipped {
			to := at(&r.reasons, s.Reason)
			to.Reason, to.URLs = s.Reason, to.URLs+s.URLs
			to.Example = slices.Concat(to.Example, s.Example)
			to.Example = to.Example[:min(len(to.Example), 3)]
		}
		underWay = underWay || p.Ending == nil
	}
	if underWay {
		return r
	}
	r.Ending = &Ending{Ended: Complete}
	for _, p := range parts {
		e := *p.Ending
		if e.Ended == Failed && len(p.Sites) > 0 && !hasPages(p.Sites) && hasPages(r.Sites) {
			e.Ended, e.Cause = WithLosses, "" // as where a site of several has none
		}
		r.Ending.merge(&e)
	}
	return r
}

func hasPages(sites []*Site) bool {
	return slices.ContainsFunc(sites, func(s *Site) bool { return s.Pages > 0 })
}

func (c *Count) merge(o Count) {
	c.URLs += o.URLs
	c.Bytes += o.Bytes
}

func (h *Host) merge(o *Host) {
	h.Fetched.merge(o.Fetched)
	h.Novel.merge(o.Novel)
	h.Duplicate.merge(o.Duplicate)
	h.NotModified.merge(o.NotModified)
	h.Failed += o.Failed
	h.Robots += o.Robots
	h.Skipped += o.Skipped
	h.Remaining += o.Remaining
}

// worse are the ways in which a part ends, each worse than the one before: the whole ends by the worst.
var worse = []Ended{Complete, Limited, WithLosses, Interrupted, Failed}

func (e *Ending) merge(o *Ending) {
	if slices.Index(worse, o.Ended) > slices.Index(worse, e.Ended) {
		e.Ended, e.Cause, e.Limit = o.Ended, o.Cause, o.Limit
	}
	others := o.counts()
	for i, c := range e.counts() {
		*c.n += *others[i].n
	}
	e.Lost = append(e.Lost, o.Lost...)
	e.Lost = e.Lost[:min(len(e.Lost), MaxLost)]
	e.Idle, e.Left = append(e.Idle, o.Idle...), append(e.Left, o.Left...)
	e.Logins, e.Wide = append(e.Logins, o.Logins...), append(e.Wide, o.Wide...)
	e.Shrunk, e.Alone = append(e.Shrunk, o.Shrunk...), append(e.Alone, o.Alone...)
	e.Missed = append(e.Missed, o.Missed...)
	e.Moved, e.Damaged = append(e.Moved, o.Moved...), append(e.Damaged, o.Damaged...)
}
