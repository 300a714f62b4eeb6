package ui

import (
	"context"
	"sync"
	"time"

	"watershed/harvest"
	"watershed/harvest/control"
)

// Present says that a view shows a run which was not delivered, as it stood at a time.
type Present struct {
	Time   time.Time `json:"time"`
	Visits uint64    `json:"visits"` // that the run had by then
	Live   bool      `json:"live"`   // it is under way, and may be shown anew in a while
}

// patience is how long a view waits for the present state of a run that could be shown by an older
// one, too.
const patience = time.Second

// shown is where the maps, reports and left out of the run are that is looked at, and how old they
// are: nil for what was delivered. A view that can do without does not wait.
func (s *Server) shown(q *query, wait time.Duration) (harvest.Run, *Present, error) {
	if q.run == "" {
		return "", nil, nil
	}
	x, err := q.harvest.Folder.Shown(q.request.Context(), q.run, wait)
	if err != nil {
		return q.run, nil, err
	}
	live := x.Live
	if !live && q.run.Name() == q.runs[len(q.runs)-1] { // it may be delivered just now
		status, err := s.readStatus(q.run)
		if err != nil {
			return q.run, nil, err
		}
		live = status != nil && status.Live
	}
	q.watch = &watch{Live: live}
	if live {
		if q.watch.Status, err = s.readStatus(q.run); err != nil {
			return q.run, nil, err
		}
	}
	if x.Drawing != nil {
		q.watch.Present = &Present{Time: x.Drawing.Time, Visits: x.Drawing.Visits, Live: live}
	}
	return x.Run, q.watch.Present, nil
}

// watch is what the page of a run that was not delivered says of it.
type watch struct {
	*Present         // nil where it has shown nothing yet
	Live     bool    // it is under way
	Status   *Status // nil where it is not, or tells nothing yet
	Acts     runActs
}

// Stamp tells apart two states of a run, "" for none.
func (w *watch) Stamp() string {
	var drawn time.Time
	if w.Present != nil {
		drawn = w.Time
	}
	return stamp(drawn, w.Status != nil && w.Status.Held)
}

func stamp(drawn time.Time, held bool) string {
	text := ""
	if !drawn.IsZero() {
		text = drawn.UTC().Format(time.RFC3339Nano)
	}
	if held {
		text += " paused"
	}
	return text
}

// watchedRuns is of how many runs it is held how they stand.
const watchedRuns = 16

// nudgeEvery is how often a run is asked to show itself anew while pages watch it, however many
// they are.
const nudgeEvery = 5 * time.Second

// nudges remember when a run was asked last. They are safe for concurrent use.
type nudges struct {
	mu sync.Mutex // guards what follows
	at map[harvest.Folder]time.Time
}

// nudge asks the run under way to show itself anew, unless it was asked a moment ago.
func (s *Server) nudge(ctx context.Context, f harvest.Folder) {
	now := s.options.Now()
	n := &s.nudges
	n.mu.Lock()
	due := now.Sub(n.at[f]) >= nudgeEvery
	if due {
		if n.at == nil {
			n.at = map[harvest.Folder]time.Time{}
		}
		n.at[f] = now
	}
	n.mu.Unlock()
	if due {
		// a run that does not answer is shown as it was
		_, _ = f.Order(ctx, control.Order{Do: control.Present})
	}
}
