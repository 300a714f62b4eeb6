package harvest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"watershed/crawler"
	"watershed/frontier"
	"watershed/harvest/control"
	"watershed/internal/disk"
)

// Drawing says when a run under way was drawn as it stood. Its folder, present/NUMBER in that of
// the run, has sites, logs/skipped.jsonl and reports, as the folder of a delivered run has. URLs
// that still wait are not among those left out.
type Drawing struct {
	Number int       `json:"number"` // from 1
	Time   time.Time `json:"time"`   // when it was begun
	Visits uint64    `json:"visits"` // that the run had by then
	Took   float64   `json:"took"`   // seconds
}

// Presented is a run's answer to control.Present.
type Presented struct {
	*Drawing         // the last one; nil while there is none
	Next     float64 `json:"next"`            // seconds until another one is begun at the soonest
	Trouble  string  `json:"error,omitempty"` // why the last attempt brought none
}

// Between two drawings a run rests at least drawingRest, and drawingShare times as long as the last
// one took: drawing takes a fiftieth of one processor at most, however large the web is and however
// many look.
const (
	drawingRest  = 3 * time.Second
	drawingShare = 50
)

// drawer draws a run under way when somebody asks, for those who look at its files. It is safe for
// concurrent use.
type drawer struct {
	*ground
	frontier *frontier.Frontier
	crawl    *crawler.Crawler
	atlas    *atlas

	mu      sync.Mutex // guards what follows
	asked   chan struct{}
	last    *Drawing
	next    time.Time // not before
	trouble string
}

func (d *drawer) present() (a control.Answer, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case d.asked <- struct{}{}:
	default: // somebody else has asked, or nothing draws
	}
	a.Reply, err = json.Marshal(Presented{
		Drawing: d.last, Next: max(0, time.Until(d.next).Seconds()),
		Trouble: d.trouble,
	})
	return a, err
}

// during runs a crawl; meanwhile the run is drawn whenever somebody asks for it.
func (d *drawer) during(ctx context.Context, crawl func(context.Context) error) error {
	asked := make(chan struct{}, 1) // who asks while one is under way gets another one
	last, err := readDrawing(d.run)
	if err != nil {
		return err
	}
	d.mu.Lock()
	d.asked, d.last = asked, last
	d.mu.Unlock()
	drawing, end := context.WithCancel(ctx)
	var group errgroup.Group
	group.Go(func() error { d.drawAsAsked(drawing, asked); return nil })
	err = crawl(ctx)
	end()
	return errors.Join(err, group.Wait())
}

// drawAsAsked draws whenever it is asked, until ctx ends. A drawing that fails does not end the
// harvest.
func (d *drawer) drawAsAsked(ctx context.Context, asked <-chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-asked:
		}
		d.mu.Lock()
		rest := time.NewTimer(time.Until(d.next))
		d.mu.Unlock()
		select {
		case <-ctx.Done():
			rest.Stop()
			return
		case <-rest.C:
		}
		x, err := d.draw(ctx)
		if ctx.Err() != nil {
			return
		}
		d.mu.Lock()
		d.trouble = ""
		if err != nil {
			d.trouble = err.Error()
		} else {
			d.last = x
		}
		d.next = time.Now().Add(max(drawingRest, drawingShare*time.Duration(x.Took*float64(time.Second))))
		d.mu.Unlock()
		if err != nil {
			d.log.Warn("the run was not drawn as it stands", "cause", err)
		}
	}
}

// draw writes a drawing, names it as the last one, and removes the drawing before the last one, so
// that readers of the last one may come to the end. No page is committed while the map of a site is
// drawn; the rest is done beside the crawl.
func (d *drawer) draw(ctx context.Context) (x *Drawing, err error) {
	x = &Drawing{
		Number: 1, Time: time.Now().UTC().Truncate(time.Millisecond),
		Visits: d.crawl.Visits(),
	}
	if d.last != nil { // written by this goroutine alone
		x.Number = d.last.Number + 1
	}
	defer func(begun time.Time) { x.Took = time.Since(begun).Seconds() }(time.Now())
	to := d.run.drawing(x.Number)
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("draw the run: %w", err), os.RemoveAll(string(to)))
		}
	}()
	for _, dir := range []string{to.Sites(), to.Logs(), to.Reports()} {
		if err := makeEmpty(d.disk(), dir); err != nil {
			return x, err
		}
	}
	maps, err := d.atlas.drawTo(ctx, to, func(draw func()) error {
		return d.crawl.Between(func() error { draw(); return nil })
	})
	if err == nil {
		err = errors.Join(d.atlas.writeTo(to, maps), disk.SyncAll(d.disk(), to.Sites()))
	}
	if err != nil {
		return x, err
	}
	r := newReport(d.ground, d.frontier)
	for v, err := range d.store.Visits(d.record.Number, 0) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return x, err
		}
		r.learn(v)
	}
	if err := r.writeTo(ctx, to, maps, true); err != nil {
		return x, err
	}
	x.Took = time.Since(x.Time).Seconds()
	if err := d.write(d.run.DrawingFile(), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(x)
	}); err != nil {
		return x, err
	}
	if err := os.RemoveAll(string(d.run.drawing(x.Number - 2))); err != nil {
		d.log.Warn("an old drawing is not taken away", "cause", err)
	}
	return x, nil
}

// drawing is the folder of a drawing.
func (r Run) drawing(n int) Run { return Run(r.path("present", fmt.Sprintf("%04d", n))) }

// DrawingFile is the file that names the last drawing of a run under way. It is replaced whole.
func (r Run) DrawingFile() string { return r.path("present", "present.json") }

// readDrawing reads which is the last drawing of a run; nil where there is none.
func readDrawing(run Run) (*Drawing, error) {
	return disk.FindJSON[Drawing](run.DrawingFile())
}

// undraw removes the drawings: the delivered files replace them.
func (r Run) undraw() error {
	err := errors.Join(os.RemoveAll(r.DrawingFile()), os.RemoveAll(filepath.Dir(r.DrawingFile())))
	if err != nil {
		return fmt.Errorf("take the drawings of the run away: %w", err)
	}
	return nil
}

// Shown is the folder in which a run's maps, reports and list of left out URLs are to be read.
type Shown struct {
	Run              // its own folder, or that of its last drawing
	Drawing *Drawing // nil for what was delivered
	Live    bool     // the run is under way, and draws itself anew when it is asked again
}

// shownEvery is the time between two looks for a new drawing.
const shownEvery = 50 * time.Millisecond

// Shown finds the files that show a run of the harvest. A run under way is asked for a drawing.
// Shown waits for it as long as patience lasts, and for the run's first drawing until ctx ends:
// drawing takes up to a few seconds for each 100,000 pages, and then rests for fifty times as long.
// Without patience it does not wait at all. It may be called by any process.
func (f Folder) Shown(ctx context.Context, run Run, patience time.Duration) (Shown, error) {
	s := Shown{Run: run}
	var err error
	if s.Drawing, err = readDrawing(run); err != nil {
		return s, err
	}
	if last, err := f.Last(); err != nil || last != run {
		return s.in(run), err
	}
	a, err := f.Order(ctx, control.Order{Do: control.Present})
	if errors.Is(err, control.ErrNoRun) {
		return s.in(run), nil
	}
	var p Presented
	if err == nil {
		err = json.Unmarshal(a.Reply, &p)
	}
	if err != nil {
		return s, fmt.Errorf("ask the run how it stands: %w", err)
	}
	s.Live = true
	if patience <= 0 || s.Drawing != nil && p.Next > patience.Seconds() {
		return s.in(run), nil
	}
	return s.await(ctx, f, run, patience)
}

// await waits for a drawing that is newer than the one that s has.
func (s Shown) await(ctx context.Context, f Folder, run Run, patience time.Duration) (Shown, error) {
	old := s.Drawing
	tick, over := time.NewTicker(shownEvery), time.NewTimer(patience)
	defer tick.Stop()
	defer over.Stop()
	for n := 0; ; n++ {
		x, err := readDrawing(run)
		if err != nil {
			return s, err
		}
		if x != nil && (old == nil || x.Number != old.Number) {
			s.Drawing = x
			return s.in(run), nil
		}
		select {
		case <-ctx.Done():
			return s, ctx.Err()
		case <-over.C:
			if old != nil {
				return s.in(run), nil
			}
		case <-tick.C:
		}
		if n%20 == 19 { // it may have ended meanwhile, or be unable to draw
			var p Presented
			a, err := f.Order(ctx, control.Order{Do: control.Present})
			if errors.Is(err, control.ErrNoRun) {
				s.Live = false
				return s.in(run), nil
			}
			if err == nil {
				err = json.Unmarshal(a.Reply, &p)
			}
			if err == nil && p.Trouble != "" {
				err = errors.New(p.Trouble)
			}
			if err != nil {
				return s, fmt.Errorf("ask the run how it stands: %w", err)
			}
		}
	}
}

// in has the drawing's folder in the place of the run's, where there is a drawing.
func (s Shown) in(run Run) Shown {
	s.Run = run
	if x, err := readDrawing(run); err == nil { // it may have come or gone since
		s.Drawing = x
	}
	if s.Drawing != nil {
		s.Run = run.drawing(s.Drawing.Number)
	}
	return s
}

// DrawnAt is when the drawing was begun that a file names (Run.DrawingFile).
func DrawnAt(file string) (time.Time, error) {
	x, err := disk.ReadJSON[Drawing](file)
	if err != nil {
		return time.Time{}, err
	}
	return x.Time, nil
}
