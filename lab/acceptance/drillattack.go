package acceptance

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// attack is something done to a copy of a template before it goes on. do is false where there is
// nothing to do it to.
type attack struct {
	name string
	do   func(s site, rng *rand.Rand) (done bool, err error)
}

// against attacks a copy of a template, and goes on with it as an operator would.
func (d *drill) against(part string, t *template, a attack, try int) error {
	name := part + " " + a.name
	full := fmt.Sprintf("%s of %s, try %d", name, t.name, try)
	if d.match != "" && !strings.Contains(full, d.match) {
		return nil
	}
	rng := d.chance(full)
	s := site(filepath.Join(d.work, "attacked"))
	if err := copyFolder(string(t.site), string(s), rng, 0); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(string(s)) }() // the next attack fails where it cannot be removed
	done, err := a.do(s, rng)
	if err != nil || !done {
		return err
	}
	state := "finished"
	if t.running {
		state = "interrupted"
	}
	r := d.row(name + " (" + state + ")")
	r.times++
	noted := len(r.notes)
	d.web.epoch.Store(int64(t.epoch))
	if err := d.goOn(r, s, t, part == "state:"); err != nil {
		return fmt.Errorf("%s: %w", full, err)
	}
	for i := noted; i < len(r.notes); i++ {
		r.notes[i] = full + ": " + r.notes[i]
	}
	return nil
}

// goOn goes on with a copy of a template that was attacked, then harvests once more, and judges
// what there is. seeded tells that no run may fetch the seeds again: each had them, and its
// captures were not touched.
func (d *drill) goOn(r *row, s site, t *template, seeded bool) error {
	before, err := s.runs()
	if err != nil {
		return err
	}
	since := time.Now()
	o, err := d.operate(r, s)
	if err != nil {
		return err
	}
	if err := d.judgeCaptures(r, s, t, o.code == 0); err != nil {
		return err
	}
	if _, err = d.operate(r, s); err != nil {
		return err
	}
	if seeded {
		again, err := reused(before, since)
		if err != nil {
			return err
		}
		if r.reused += len(again); len(again) > 0 {
			r.note("begun again under its number: %s", strings.Join(again, " "))
		}
	}
	harmed, err := t.delivered.under(t.site, s).harmed(s)
	if err != nil {
		return err
	}
	r.harmed(harmed)
	runs, err := s.runs()
	if err != nil {
		return err
	}
	return d.check(r, runs)
}

// judgeCaptures looks for what all runs must have, and the runs behind those that had ended.
func (d *drill) judgeCaptures(r *row, s site, t *template, silent bool) error {
	runs, err := s.runs()
	if err != nil {
		return err
	}
	all, err := captures(runs, 0)
	if err != nil {
		return err
	}
	later, err := captures(runs, t.ended)
	if err != nil {
		return err
	}
	for c := range t.brought {
		if !later[c] {
			delete(all, c)
		}
	}
	r.lacks(lacking(t.want, all), silent)
	return nil
}

// starts is how often an operator starts a harvest that does not come to its end.
const starts = 4

// operate does as an operator does: it starts the harvest, does what the message advises, as
// printed, and starts it again, until it comes to its end.
func (d *drill) operate(r *row, s site) (o outcome, err error) {
	args := []string{"harvest", s.yaml()}
	for i := range starts {
		if o, err = d.run(args...); err != nil {
			return o, err
		}
		r.heard(o)
		if o.code == 0 {
			return o, nil
		}
		if args, err = d.advised(r, s, o, i); err != nil {
			return o, err
		}
	}
	r.broken++
	r.note("still exit code %d after %d starts: %s", o.code, starts, tail(o.said, 400))
	return o, nil
}

// Advice that is understood: a folder to be moved away, the name of a flag, and a command that is
// printed as it is to be typed.
var (
	moveAway    = regexp.MustCompile(`move (this folder|\S+) (away|aside)`)
	folderNamed = regexp.MustCompile(`open state (\S+?):`)
	aCommand    = regexp.MustCompile("watershed ((harvest|warc|state|repair|mirrors|decide) [^\n;`]*)")
)

// advised does what a message advises, and returns the command to start next.
func (d *drill) advised(r *row, s site, o outcome, times int) (args []string, err error) {
	again := []string{"harvest", s.yaml()}
	if m := moveAway.FindStringSubmatch(o.said); m != nil {
		folder := m[1]
		if folder == "this folder" {
			folder = s.state()
			if named := folderNamed.FindStringSubmatch(o.said); named != nil {
				folder = named[1]
			}
		}
		r.said["(done as advised: "+m[0]+")"]++
		err := os.Rename(folder, fmt.Sprintf("%s.away-%d", s.harvest(), times))
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return again, err
	}
	_, complaint, _ := strings.Cut(o.said, "watershed: ")
	if m := aCommand.FindStringSubmatch(complaint); m != nil {
		r.said["(done as advised: watershed "+m[2]+" …)"]++
		return strings.Fields(strings.TrimRight(m[1], " .)\"")), nil
	}
	if strings.Contains(o.said, "--fresh") {
		r.said["(done as advised: --fresh)"]++
		return []string{"harvest", "--fresh", s.yaml()}, nil
	}
	return again, nil
}
