package harvest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"watershed/harvest/decision"
	"watershed/internal/disk"
	"watershed/lab/kit/crashdisk"
	"watershed/page"
	"watershed/replica"
	"watershed/replica/sketch"
	"watershed/sitemap"
)

var (
	drillSeed = flag.Uint64("crash.seed", 1, "seed of the crash drill")
	drillKeep = flag.String("crash.keep", "", "folder for the disks on which the crash drill failed")
)

const (
	drillPoints = 1000 // crashes
	busyPoints  = 500  // operations of deliveries at which the process dies, the power fails, or both
	shortPoints = 40   // with -short
)

// TestCrash records a harvest that is interrupted, delivered at a limit, finished, decided on,
// crawled again, extended, and loses its state. Then, for crashes all over the record, it builds
// the disk that the crash leaves, lets the harvest go on, and compares it with the one that nothing
// disturbed.
//
// A failure tells the crash. The same seed chooses the same crashes, but the order in which two
// workers fetch differs a little from record to record; -crash.keep keeps the disks as they were.
func TestCrash(t *testing.T) {
	d := record(t)
	d.judgeRecord(t)
	points := d.points()
	t.Logf("%d operations, %d crashes; stages begin at %v", d.disk.Len(), len(points), d.starts)
	const lanes = 2
	for lane := range lanes {
		t.Run(fmt.Sprintf("lane %d", lane), func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			for i := lane; i < len(points); i += lanes {
				t.Run(points[i].String(), func(t *testing.T) { d.crash(t, s, points[i]) })
			}
		})
	}
}

// scene is a web and the plan of a harvest of it, which change from stage to stage.
type scene struct {
	web  *web
	plan Plan
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{web: new(web)}
	s.plan = s.web.start(t, sitemap.Site{Name: "A", Seeds: []page.URL{"http://a.example/"}})
	s.reset()
	return s
}

// reset puts web and plan back to the first stage. The pages are long enough that a WARC file holds
// a few.
func (s *scene) reset() {
	s.web.onPage = nil
	s.web.pages = map[string]string{
		"a.example/": links("/one", "/two", "/old", "/print/1", "/secret", "/gone",
			"http://b.example/") + noise(1),
		"a.example/one":        links("/", "/two") + `<img src="http://cdn.example/logo.txt">` + noise(2),
		"a.example/two":        links("/one", "/same1", "/same2", "/print/2") + noise(3),
		"a.example/same1":      "<p>the same text under two addresses</p>",
		"a.example/same2":      "<p>the same text under two addresses</p>",
		"a.example/old":        "-> /new",
		"a.example/new":        links("/", "/three") + noise(4),
		"a.example/three":      links("/") + noise(5),
		"a.example/print/1":    links("/") + noise(6),
		"a.example/print/2":    links("/") + noise(7),
		"a.example/robots.txt": "User-agent: *\nDisallow: /secret\n",
		"b.example/":           links("/more") + noise(8),
		"cdn.example/logo.txt": "a picture",
	}
	p := &s.plan
	p.Sites[0].Include = nil
	p.Extend, p.WACZ, p.KeepOutside = false, true, true
	p.Archive.MaxBytes, p.Store.MemTableBytes = 3000, 1<<20 // to make larger ones takes a tenth of the time
	p.Crawl.Workers, p.Crawl.Sketch, p.Crawl.SaveEvery = 2, new(sketch.Options), 5*time.Millisecond
	p.Replicas.Find = true
}

// noise is a text that does not become much smaller when it is compressed.
func noise(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	for range 150 {
		fmt.Fprintf(&b, "w%x ", r.Uint32())
	}
	return "<p>" + b.String()
}

// stage is a part of the scenario.
type stage struct {
	name string
	ends bool // a run is finished with it
	// what is different from the stage before; nil for nothing
	set  func(s *scene)
	play func(t *testing.T, d *drill)                // what happens where nothing disturbs
	redo func(t *testing.T, s *scene, folder Folder) // what is done after a crash in it; nil for nothing
}

// stages are the scenario.
func stages(t *testing.T) []stage {
	t.Helper()
	include := rule(t, "host:b.example")
	finish := func(t *testing.T, d *drill) { d.deliver(t, 0) }
	goOn := func(t *testing.T, s *scene, folder Folder) { run(t, folder, s.plan) }
	return []stage{
		{
			name: "begin", play: func(t *testing.T, d *drill) { d.interrupt(t, 8) },
			set: func(s *scene) { s.plan.Sites[0].Include = []page.Rule{include} },
		},
		{
			name: "limit", play: func(t *testing.T, d *drill) { d.deliver(t, 10) },
			set: func(s *scene) { s.plan.Sites[0].Include = nil }, // what was captured of it is left outside
		},
		{
			name: "finish", ends: true, play: finish, redo: goOn,
			set: func(s *scene) { s.plan.Sites[0].Include = []page.Rule{include} }, // and kept after all
		},
		{
			name: "decide", play: func(t *testing.T, d *drill) { exclude(t, d.disk, d.folder) },
			redo: func(t *testing.T, _ *scene, folder Folder) { exclude(t, disk.OS{}, folder) },
		},
		{
			name: "import", play: func(t *testing.T, d *drill) { propose(t, d.disk, d.folder) },
			redo: func(t *testing.T, _ *scene, folder Folder) { propose(t, disk.OS{}, folder) },
		},
		{name: "recrawl", ends: true, play: finish, redo: goOn, set: func(s *scene) {
			s.plan.Sites[0].Include = nil
			s.web.pages["a.example/one"] = links("/", "/two", "/four") + noise(9)
			s.web.pages["a.example/four"] = links("/") + noise(10)
			delete(s.web.pages, "a.example/three")
		}},
		{name: "extend", ends: true, play: finish, redo: goOn, set: func(s *scene) {
			s.web.pages["b.example/more"] = links("/") + noise(11)
			s.plan.Extend, s.plan.Sites[0].Include = true, []page.Rule{include}
		}},
		{
			name: "lose the state",
			set:  func(s *scene) { s.plan.Extend, s.plan.WACZ, s.plan.KeepOutside = false, false, false },
			play: func(t *testing.T, d *drill) {
				check(t, d.disk.RemoveAll(d.folder.State()))
				d.deliver(t, 4)
			},
		},
		{name: "lose it again", ends: true, redo: goOn, play: func(t *testing.T, d *drill) {
			check(t, d.disk.RemoveAll(d.folder.State()))
			d.deliver(t, 0)
		}},
	}
}

// exclude decides something by hand.
func exclude(t *testing.T, d disk.FS, folder Folder) {
	t.Helper()
	check(t, folder.editDecisions(d, func(l *decision.List) error {
		at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
		_, err := l.Put(decision.Decision{
			Do: decision.Exclude, Rule: rule(t, "prefix:http://a.example/print/"), By: "anna", Time: at,
		})
		return err
	}))
}

// propose imports a replica that is not in force.
func propose(t *testing.T, d disk.FS, folder Folder) {
	t.Helper()
	check(t, folder.editTable(d, func(table *replica.Table) error {
		_, err := table.Propose(replica.Entry{From: "http://b.example/copy/", To: "http://a.example/orig/"})
		return err
	}))
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// drill is the record of the scenario.
type drill struct {
	disk   *crashdisk.Disk
	folder Folder
	scene  *scene
	stages []stage
	starts []int             // the operation with which each stage begins
	wants  []map[string]bool // what is captured after each stage: see capturedBy
	edited [][2]string       // the file that each stage edits, before and after
	pieces []piece           // that were delivered
	busy   []bool            // by operation: it belongs to a delivery
}

// piece is a file that was delivered.
type piece struct {
	path  string // below the folder
	since int    // the operation before which the delivery had returned
	final bool   // the run was finished: the file never changes again
	text  []byte
}

// record plays the scenario.
func record(t *testing.T) *drill {
	t.Helper()
	root := crashdisk.Folder(t)
	c, err := crashdisk.New(root, crashdisk.Options{Foreign: "state*"})
	check(t, err)
	d := &drill{disk: c, folder: Folder(root), scene: newScene(t), stages: stages(t)}
	d.scene.plan.Disk = c
	d.scene.plan.Store.Synced = func(uint64) { _ = c.Snapshot() } // Err tells
	for _, s := range d.stages {
		if s.set != nil {
			s.set(d.scene)
		}
		c.Phase(s.name)
		d.starts = append(d.starts, c.Len())
		before := edited(d.folder, s.name)
		s.play(t, d)
		d.edited = append(d.edited, [2]string{before, edited(d.folder, s.name)})
		d.wants = append(d.wants, capturedBy(t, d.folder))
	}
	check(t, errors.Join(c.Snapshot(), c.Err()))
	return d
}

// edits is the file that a stage edits; "" for none.
func edits(folder Folder, stage string) string {
	switch stage {
	case "decide":
		return folder.Decisions()
	case "import":
		return folder.Replicas()
	}
	return ""
}

// edited is the content of the file that a stage edits; "" for none.
func edited(folder Folder, stage string) string {
	text, err := os.ReadFile(edits(folder, stage))
	if err != nil {
		return ""
	}
	return string(text)
}

// interrupt begins a run and stops at a request.
func (d *drill) interrupt(t *testing.T, request int) {
	t.Helper()
	d.scene.web.stopAt(t, d.folder, d.scene.plan, request)
}

// deliver goes on with the run, up to a request or, for 0, to its end, and delivers.
func (d *drill) deliver(t *testing.T, request int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d.scene.web.requests = nil
	d.scene.web.onPage = func(n int) {
		if n == request {
			cancel()
		}
	}
	h, err := Open(d.folder, d.scene.plan)
	check(t, err)
	crawled := h.Crawl(ctx)
	finished := crawled == nil
	if finished != (request == 0) {
		t.Fatalf("the crawl ended with %v", crawled)
	}
	begun := d.disk.Len()
	x, err := h.Deliver(t.Context(), crawled)
	check(t, errors.Join(err, d.keep(x, finished), h.Close()))
	d.busy = append(d.busy, make([]bool, d.disk.Len()-len(d.busy))...)
	for i := begun; i < len(d.busy); i++ {
		d.busy[i] = true
	}
}

// keep remembers what was delivered.
func (d *drill) keep(x *Delivered, finished bool) error {
	if x == nil {
		return nil // the delivery has told why
	}
	list, err := filepath.Glob(filepath.Join(x.Run.Outside(), "*.warc.gz"))
	list = append(append(list, x.Files...), x.Run.Index())
	if x.Package != "" {
		list = append(list, x.Package)
	}
	for _, path := range list {
		text, failed := os.ReadFile(path)
		rel, wrong := filepath.Rel(string(d.folder), path)
		err = errors.Join(err, failed, wrong)
		d.pieces = append(d.pieces, piece{path: rel, since: d.disk.Len(), final: finished, text: text})
	}
	return err
}

// points chooses the crashes. At busyPoints operations of the deliveries, spread evenly, the power
// fails, and at every second of them the process dies; the others are spread evenly, too, two power
// cuts for each death of the process.
func (d *drill) points() (list []crashdisk.Crash) {
	add := func(at int, power bool) {
		list = append(list, crashdisk.Crash{At: at, Power: power, Seed: *drillSeed + uint64(len(list))})
	}
	total := d.disk.Len() + 1
	if testing.Short() {
		for i := range shortPoints {
			add(i*total/shortPoints, i%3 > 0)
		}
		return list
	}
	var busy, rest []int
	for at := range total {
		if at < len(d.busy) && d.busy[at] {
			busy = append(busy, at)
		} else {
			rest = append(rest, at)
		}
	}
	step := max(1, (len(busy)+busyPoints-1)/busyPoints) // another seed begins at another place
	for i := int(*drillSeed) % step; i < len(busy); i += step {
		add(busy[i], true)
		if i/step%2 == 0 {
			add(busy[i], false)
		}
	}
	n := max(drillPoints-len(list), drillPoints/4)
	for i := range n {
		add(rest[i*len(rest)/n], i%3 > 0)
	}
	return list
}

// stageOf is the stage in which a crash happens.
func (d *drill) stageOf(c crashdisk.Crash) int {
	i, found := slices.BinarySearch(d.starts, c.At)
	if !found {
		i--
	}
	return i
}

// crash builds the disk after a crash, has the harvest go on, and judges both.
func (d *drill) crash(t *testing.T, s *scene, c crashdisk.Crash) {
	t.Helper()
	folder := Folder(crashdisk.Folder(t))
	check(t, d.disk.Build(c, string(folder)))
	n := d.stageOf(c)
	defer func() {
		if t.Failed() {
			d.tellFailure(t, c, d.stages[n].name)
		}
	}()
	d.judgeEdits(t, folder, n)
	d.judgePieces(t, folder, c, "after the crash")
	end := d.goOn(t, s, folder, n)
	d.judgePieces(t, folder, c, "in the end")
	judgeFolder(t, folder, d.wants[end])
}

// tellFailure tells how to see a failure again.
func (d *drill) tellFailure(t *testing.T, c crashdisk.Crash, stage string) {
	t.Helper()
	t.Logf("%v, stage %q: %s", c, stage, d.disk.Describe(c.At))
	if *drillKeep == "" {
		return
	}
	dir := filepath.Join(*drillKeep, fmt.Sprintf("%d-%v-%d", c.At, c.Power, c.Seed))
	if err := errors.Join(os.MkdirAll(dir, 0o777), d.disk.Build(c, dir)); err != nil {
		t.Error(err)
	}
	t.Logf("kept in %s", dir)
}

// goOn does what is done after a crash in a stage, up to the end of a run, and gives the stage with
// which that is.
func (d *drill) goOn(t *testing.T, s *scene, folder Folder, n int) int {
	t.Helper()
	s.reset()
	for i := 0; ; i++ {
		x := &d.stages[i]
		if x.set != nil {
			x.set(s)
		}
		if i >= n && x.redo != nil {
			x.redo(t, s, folder)
		}
		if i >= n && x.ends {
			return i
		}
	}
}
