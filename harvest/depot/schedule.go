package depot

import (
	"context"
	"errors"
	"slices"
	"time"

	"watershed/internal/disk"
)

// tickEvery is how often is looked for harvests that are due; rules of cron count minutes.
const tickEvery = 20 * time.Second

// ahead is how far ahead of the clock a time may lie that was written by another machine's clock, or in
// another zone.
const ahead = 24 * time.Hour

// Run begins the runs that are due, by the schedules of the YAMLs, until ctx ends:
//
//   - A time counts from the last of these on: the YAML was changed, the last run told how it stands,
//     a start was tried. So a time that was missed, while nothing kept the folder, is made up for
//     once; times during a run are left out; a change of the YAML holds from then on; and what fails
//     at once is tried again at its next time.
//   - A time of these that lies more than a day ahead is of a clock that was wrong: it does not count.
//   - An interrupted run goes on at the next time. A pause by hand holds over it.
//   - Schedules begin a single run at a time; others wait until it has ended or is paused, and that
//     which was due first is the next. A run that a person begins is begun beside it.
//   - A YAML that is not in order begins nothing, until it is.
func (d *Depot) Run(ctx context.Context) {
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	for {
		if err := d.begin(ctx); err != nil && ctx.Err() == nil {
			d.options.Log.Error("no run was begun by its schedule", "cause", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// begin begins the run that was due first, unless another one goes on that was begun so.
func (d *Depot) begin(ctx context.Context) error {
	list, err := d.List()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(list, func(h Harvest) bool {
		return h.Start != nil && h.Start.ByRule && !h.Start.Ended && !h.last().halted()
	}) {
		return nil
	}
	now := d.options.Now()
	due := slices.DeleteFunc(list, func(h Harvest) bool { return h.Next.IsZero() || h.Next.After(now) })
	slices.SortStableFunc(due, func(a, b Harvest) int { return a.Next.Compare(b.Next) })
	for i := range due {
		h := &due[i]
		d.mu.Lock()
		d.tried[h.File] = now
		d.mu.Unlock()
		err := d.Start(ctx, h.Name, How{rule: true})
		switch {
		case errors.Is(err, ErrUnderWay):
			d.options.Log.Info("a time is left out, since the harvest is under way", "harvest", h.Name)
		case err != nil:
			return err
		default:
			d.options.Log.Info("begun by its schedule", "harvest", h.Name, "due", h.Next)
			return nil
		}
	}
	return nil
}

// standing is what a run tells of itself in status.json, as far as schedules need it.
type standing struct {
	Time   time.Time `json:"time"`
	Held   bool
	Paused bool
}

// halted reports a run that waits for a person.
func (s standing) halted() bool { return s.Held || s.Paused }

// last is what the last run tells; nothing where there is none, or where its file cannot be read.
func (h *Harvest) last() (s standing) {
	run, err := h.Folder.Last()
	if err != nil {
		return s
	}
	x, err := disk.ReadJSON[standing](run.Status())
	if err != nil {
		return s
	}
	return *x
}

// next is when the harvest's next run begins by its schedule, zero for never: none begins where machines of
// a cluster harvest the same. The caller holds mu.
func (d *Depot) next(h *Harvest) time.Time {
	if h.Config == nil || h.Config.Schedule == "" || h.Config.Whole() != "" || h.Folder.Shared() {
		return time.Time{}
	}
	now := d.options.Now()
	if d.opened.After(now) {
		d.opened = now
	}
	var from time.Time
	for _, t := range []time.Time{h.Since, h.last().Time, d.tried[h.File]} {
		if t.After(from) && t.Sub(now) <= ahead {
			from = t
		}
	}
	if from.IsZero() {
		from = d.opened
	}
	return h.Config.Schedule.After(from.In(now.Location()))
}
