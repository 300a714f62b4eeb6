package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// template is a harvest as it stood at a moment: frozen while a run went on, or between two runs.
type template struct {
	name      string
	site      site
	running   bool             // a run was under way
	delivered delivered        // of the runs that had come to their end
	old       []older          // states that are older than that of the template
	ended     int              // runs that had come to their end
	want      map[capture]bool // that all runs together must have in the end
	brought   map[capture]bool // of these, what the runs behind the ended ones must have
	epoch     int              // of the web
}

// older is a copy of a state folder that was made before.
type older struct{ name, dir string }

// step is a command of the harvest that nobody disturbs, and of those that are killed.
type step struct {
	name  string
	epoch int
	args  []string // a word "YAML" stands for the path of the description, DIR/ for its folder
	many  string   // with a number, stands for the last word in commands of the same kind; "" for none
	file  string   // of the harvest's folder that names something in the end
	names string   // what it names
	lab   bool     // it is a command of the laboratory
	runs  bool     // it makes a run, which tells of its phases
	loses bool     // the state is lost before it, and made anew from the archives
	share int      // of the kills, of each round

	archives int // how many of the last args name the archives to analyze

	makes  string // files that it makes, as a pattern in the site's folder, "" for none
	stores bool   // it uploads what the runs delivered
}

// manyCommands is how many commands of a kind there are that is soon at its end, at most.
const manyCommands = 12

// manyHost is the host that the command of a number is about.
func manyHost(i int) string { return fmt.Sprintf("n%d.more.example", i) }

// steps are what is done with a harvest, in order.
func (d *drill) steps() []step {
	first := filepath.Join(d.calm.harvest(), "run-0001", "archive")
	return []step{
		{name: "crawl", args: []string{"harvest", "YAML"}, runs: true, share: 8},
		{
			name: "decide", args: []string{"decide", "in", "YAML", "host:" + annexHost},
			many: "host:n%d.more.example",
			file: "decisions.yaml", names: annexHost, share: 3,
		},
		{
			name: "import", args: []string{"copies", "import", "YAML", "DIR/aliases.txt"},
			many: "DIR/aliases-%d.txt",
			file: "replicas.yaml", names: twinHost, share: 3,
		},
		{name: "extend", args: []string{"harvest", "--extend", "YAML"}, runs: true, share: 5},
		{name: "recrawl", epoch: 1, args: []string{"harvest", "YAML"}, runs: true, share: 8},
		{name: "rebuild", epoch: 1, args: []string{"harvest", "YAML"}, runs: true, loses: true, share: 5},
		{
			name: "analyze", epoch: 1, lab: true, share: 3,
			args: []string{
				"replicas", "analyze", "-q", "--memory", "4MiB", "-o", "DIR/replicas", "--from", first,
			},
			archives: 2,
		},
		{
			name: "index", epoch: 1, args: []string{"cdxj", "--out", "DIR/all.cdxj", "DIR/" + drillName},
			makes: "all.cdxj", share: 3,
		},
		{
			name: "package", epoch: 1, args: []string{"wacz", "YAML"},
			makes: drillName + "/run-*/*.wacz", share: 3,
		},
		{name: "upload", epoch: 1, args: []string{"upload", "YAML"}, stores: true, share: 4},
	}
}

// numbered is one of many commands of the kind.
func (st step) numbered(i int) step {
	st.args = slices.Clone(st.args)
	st.args[len(st.args)-1] = fmt.Sprintf(st.many, i)
	return st
}

// prepare takes from a site what the step is to do without.
func (st step) prepare(s site) error {
	if !st.loses {
		return nil
	}
	return os.RemoveAll(s.state())
}

// command are the words of a step for a site.
func (st step) command(s site) []string {
	words := slices.Clone(st.args)
	for i, w := range words {
		if w == "YAML" {
			words[i] = s.yaml()
		} else if rest, ok := strings.CutPrefix(w, "DIR/"); ok {
			words[i] = filepath.Join(string(s), rest)
		}
	}
	return words
}

// fresh makes the folder of a harvest that was not begun.
func (d *drill) fresh(name string) (site, error) {
	s := site(filepath.Join(d.work, name))
	if err := os.Mkdir(string(s), 0o777); err != nil {
		return "", err
	}
	_, err := d.web.yaml(string(s))
	return s, err
}

// undisturbed goes through all steps once, and keeps what the harvest was at some moments of its
// runs.
func (d *drill) undisturbed() (err error) {
	if d.calm, err = d.fresh("calm"); err != nil {
		return err
	}
	for _, st := range d.steps() {
		d.web.epoch.Store(int64(st.epoch))
		begun := time.Now()
		before, err := d.calm.runs()
		if err != nil {
			return err
		}
		first := len(d.templates)
		if err := st.prepare(d.calm); err != nil {
			return err
		}
		p, err := d.begin(st, d.calm)
		if err != nil {
			return err
		}
		if st.name == "crawl" || st.name == "recrawl" {
			if err := d.freezeAll(p, st, before); err != nil {
				return err
			}
		}
		if o := p.end(); o.code != 0 {
			return fmt.Errorf("%w: %s: exit code %d\n%s", errDrill, st.name, o.code, tail(o.said, 2000))
		}
		if err := d.judgeCalm(st, before, first, time.Since(begun)); err != nil {
			return err
		}
	}
	return nil
}

// judgeCalm notes what a step of the undisturbed harvest brought, which is what its templates must
// come to.
func (d *drill) judgeCalm(st step, before []string, first int, took time.Duration) error {
	d.took = append(d.took, took)
	after, err := d.calm.runs()
	if err != nil {
		return err
	}
	brought, err := captures(after, len(before))
	if err != nil {
		return err
	}
	d.brought = append(d.brought, brought)
	all, err := captures(after, 0)
	if err != nil {
		return err
	}
	if st.name == "crawl" {
		has := map[string]bool{}
		for c := range all {
			has[c.URL] = true
		}
		for _, u := range d.web.mustHave() {
			if !has[u] {
				return fmt.Errorf("%w: %s has no capture", errDrill, u)
			}
		}
	}
	if st.name == "crawl" || st.name == "recrawl" {
		if err := d.keep(st, st.name+" finished", false, after); err != nil {
			return err
		}
	}
	for _, t := range d.templates[first:] {
		t.want = all
		if t.running {
			t.brought = brought
		}
	}
	fmt.Fprintf(d.out, "undisturbed %s: %d captures, %d in all runs, %s\n",
		st.name, len(brought), len(all), took.Round(100*time.Millisecond))
	return nil
}

// freezeAll freezes a run at some moments, each time for as long as its folder is copied.
func (d *drill) freezeAll(p *process, st step, before []string) error {
	pages := int64(len(d.web.siteNames()) * d.web.pages)
	indexed := func(s site) bool {
		_, err := os.Stat(filepath.Join(s.lastRun(), "indexes", "index.cdxj"))
		return err == nil && len(before) < d.countRuns(s)
	}
	for _, x := range []struct {
		name string
		m    moment
	}{
		{"crawling early", visited(pages/6, d.calm)},
		{"crawling", visited(pages/2, d.calm)},
		{"delivering", inPhase("delivering", d.calm, 0)},
		{"delivering late", moment{there: indexed}},
	} {
		if !p.await(x.m, d.calm) {
			fmt.Fprintf(d.out, "undisturbed %s: ended before it was %s\n", st.name, x.name)
			continue
		}
		if err := p.freeze(); err != nil {
			return err
		}
		if err := d.keep(st, st.name+" "+x.name, true, before); err != nil {
			return err
		}
		if err := p.thaw(); err != nil {
			return err
		}
	}
	return nil
}

func (d *drill) countRuns(s site) int {
	runs, _ := s.runs() // the pattern is good
	return len(runs)
}

// keep copies the undisturbed harvest as it is now. Runs that are told have ended, and are
// delivered.
func (d *drill) keep(st step, name string, running bool, ended []string) error {
	s := site(filepath.Join(d.work, fmt.Sprintf("template-%d", len(d.templates))))
	if err := copyFolder(string(d.calm), string(s), d.chance(name), 0); err != nil {
		return err
	}
	sums, err := deliveredBy(ended)
	if err != nil {
		return err
	}
	t := &template{
		name: name, site: s, running: running, ended: len(ended), delivered: sums.under(d.calm, s),
		epoch: st.epoch,
	}
	for _, x := range d.templates {
		t.old = append(t.old, older{name: x.name, dir: x.site.state()})
	}
	d.templates = append(d.templates, t)
	return nil
}
