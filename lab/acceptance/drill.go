package acceptance

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"watershed/lab/kit/bucket"
)

// Drill is the crash drill with the finished program: it serves a web of its own, harvests it
// once undisturbed, then kills, swaps, damages and copies, and tells what was lost by it. See
// "After a crash" in docs/ARCHITECTURE.md.
type Drill struct {
	Program string `placeholder:"FILE"`
	Work    string `placeholder:"DIR"`
	Seed    uint64 `default:"1"`
	Kills   int    `default:"200"`
	Short   bool
	Only    string `default:"kill,state,spool,copy"`
	Match   string
}

func (c *Drill) Run(out io.Writer) error {
	lab, err := os.Executable()
	if err != nil {
		return err
	}
	d := &drill{
		program: c.Program, lab: lab, work: c.Work, seed: c.Seed, kills: c.Kills,
		short: c.Short, match: c.Match,
		out: out, table: map[string]*row{},
		store: bucket.Store{Bucket: "drill", AccessKey: storeKey},
	}
	parts := strings.Split(c.Only, ",")
	for _, p := range parts {
		if d.parts()[p] == nil {
			return fmt.Errorf("there is no part %q", p)
		}
	}
	return d.drill(parts)
}

// drill is a drill under way.
type drill struct {
	program, work string
	lab           string // the laboratory, which analyzes
	seed          uint64
	kills         int
	short         bool
	match         string
	blow          blow // of the part under way
	web           *drillWeb
	wires         *wires       // nil where all are on loopback
	store         bucket.Store // that the runs are uploaded to
	made          []made       // by the step under way
	out           io.Writer

	calm      site               // the harvest that nobody disturbs
	templates []*template        // what it was at some moments
	brought   []map[capture]bool // captures of each step of it
	took      []time.Duration    // each step of it
	table     map[string]*row
	order     []string
}

// row is a line of the table: what was done, and what came of it.
type row struct {
	times, lost, untold, changed, reused, broken, crashed int
	codes                                                 map[int]int
	said                                                  map[string]int
	notes                                                 []string
}

// row finds or makes a line.
func (d *drill) row(name string) *row {
	if d.table[name] == nil {
		d.table[name] = &row{codes: map[int]int{}, said: map[string]int{}}
		d.order = append(d.order, name)
	}
	return d.table[name]
}

// heard adds how a process ended.
func (r *row) heard(o outcome) {
	r.codes[o.code]++
	for _, m := range o.messages() {
		r.said[m]++
	}
	if o.crashed() {
		r.crashed++
		r.note("crashed: %s", tail(o.said, 600))
	}
}

// note keeps something to be read below the table.
func (r *row) note(format string, args ...any) {
	if r.notes = append(r.notes, fmt.Sprintf(format, args...)); len(r.notes) > 5 {
		r.notes = r.notes[:5]
	}
}

// bad tells whether anything happened that must not.
func (r *row) bad() bool { return r.untold+r.changed+r.reused+r.broken+r.crashed > 0 }

func tail(s string, n int) string { return s[max(0, len(s)-n):] }

// chance is the random source of one attack, so that each can be repeated alone.
func (d *drill) chance(name string) *rand.Rand {
	return rand.New(rand.NewPCG(d.seed, sum64(name)))
}

func (d *drill) drill(parts []string) (err error) {
	if d.work == "" {
		if d.work, err = os.MkdirTemp("", "drill-"); err != nil {
			return err
		}
		defer func() {
			if err == nil {
				err = os.RemoveAll(d.work)
			}
		}()
	} else if err := os.Mkdir(d.work, 0o777); err != nil {
		return err
	}
	if d.work, err = filepath.Abs(d.work); err != nil {
		return err
	}
	if err := d.build(); err != nil {
		return err
	}
	store := httptest.NewServer(&d.store)
	defer store.Close()
	d.web = &drillWeb{pages: 150, net: loopWeb, store: store.URL}
	if slices.Contains(parts, "partition") {
		d.web.net, d.wires = wiredWeb, &wires{}
		_, addresses := d.web.hosts()
		defer func() { err = errors.Join(err, d.wires.cut()) }()
		if err := d.wires.wire(addresses); err != nil {
			return err
		}
	}
	if d.short {
		d.web.pages, d.kills = 50, (d.kills+4)/5
	}
	return d.web.serve(func() error { return d.through(parts) })
}

// build builds the program where none is given.
func (d *drill) build() error {
	if d.program != "" {
		path, err := exec.LookPath(d.program)
		if err == nil {
			d.program, err = filepath.Abs(path)
		}
		return err
	}
	d.program = filepath.Join(d.work, "watershed")
	said, err := exec.Command("go", "build", "-o", d.program, "watershed/cmd/watershed").CombinedOutput()
	if err != nil {
		return fmt.Errorf("build the program: %w\n%s", err, said)
	}
	return nil
}

// parts are those that a drill may have, by their names.
func (d *drill) parts() map[string]func() error {
	return map[string]func() error{
		"kill": d.killing, "state": d.states, "spool": d.spools, "copy": d.copying, "full": d.filling,
		"nodes": d.nodes, "rolling": d.rolling, "partition": d.partition,
	}
}

// through goes through the parts of the drill, and tells what came of them even where the drill
// itself fails.
func (d *drill) through(parts []string) error {
	begun := time.Now()
	err := d.undisturbed()
	for _, p := range parts {
		if err == nil {
			err = d.parts()[p]()
		}
	}
	bad := d.tell()
	fmt.Fprintf(d.out, "seed %d, %s\n", d.seed, time.Since(begun).Round(time.Second))
	if err == nil && len(d.order) == 0 {
		err = errors.New("nothing was attacked: no attack has that name, or there was nothing to do it to")
	}
	if err == nil && bad > 0 {
		err = fmt.Errorf("%d lines of the table tell of what must not happen; see %s", bad, d.work)
	}
	return err
}

// tell prints the table, and counts its lines that must not be.
func (d *drill) tell() (bad int) {
	table := tabwriter.NewWriter(d.out, 0, 8, 2, ' ', 0)
	fmt.Fprint(table, "attack\ttimes\tcaptures lost\tof them untold\tdelivered files changed\t",
		"numbers reused\tchecks failed\tcrashes\texit codes\t\n")
	slices.Sort(d.order)
	for _, name := range d.order {
		r := d.table[name]
		verdict := ""
		if r.bad() {
			bad++
			verdict = "BAD"
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\n",
			name, r.times, r.lost, r.untold, r.changed, r.reused, r.broken, r.crashed,
			codes(r.codes), verdict)
	}
	_ = table.Flush() // to the terminal
	for _, name := range d.order {
		r := d.table[name]
		for _, m := range slices.Sorted(maps.Keys(r.said)) {
			fmt.Fprintf(d.out, "%s: said %d times: %s\n", name, r.said[m], m)
		}
		for _, n := range r.notes {
			fmt.Fprintf(d.out, "%s: note: %s\n", name, n)
		}
	}
	return bad
}

// codes are exit codes with how often each came, "0x12 9x1".
func codes(count map[int]int) string {
	var list []string
	for _, c := range slices.Sorted(maps.Keys(count)) {
		list = append(list, fmt.Sprintf("%dx%d", c, count[c]))
	}
	return strings.Join(list, " ")
}

var errDrill = errors.New("the harvest that nobody disturbs is not whole")
