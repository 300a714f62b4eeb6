package acceptance

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// blow is what is done to a step under way.
type blow struct {
	name string
	hit  func(*process) (outcome, error) // returns when the process has ended
	// ended reports that the process ended by that, and not before by itself
	ended func(step, outcome) bool
}

// killing kills the program.
func (d *drill) killing() error {
	return d.striking(blow{
		"kill", func(p *process) (outcome, error) { return p.kill(), nil },
		func(_ step, o outcome) bool { return o.code == killedCode },
	})
}

// striking goes through all steps again and again, and strikes each of them some times before it lets
// it come to its end.
func (d *drill) striking(with blow) error {
	d.blow = with
	killed := 0
	for round := 0; killed < d.kills && (round == 0 || killed > 0); round++ {
		s, err := d.fresh(fmt.Sprintf("%s-%d", with.name, round))
		if err != nil {
			return err
		}
		for i, st := range d.steps() {
			if d.match != "" && !strings.Contains(with.name+" "+st.name, d.match) {
				st.share = 0
			}
			d.web.epoch.Store(int64(st.epoch))
			by := d.chance(fmt.Sprint(with.name+" ", round, st.name))
			n, err := d.killStep(s, i, st, by, d.kills-killed)
			if err != nil {
				return err
			}
			killed += n
		}
		if err := os.RemoveAll(string(s)); err != nil {
			return err
		}
	}
	return nil
}

// killStep strikes a step some times, lets it end, and judges.
func (d *drill) killStep(s site, i int, st step, rng *rand.Rand, most int) (killed int, err error) {
	before, err := s.runs()
	if err != nil {
		return 0, err
	}
	held, err := deliveredBy(before)
	if err != nil {
		return 0, err
	}
	r := d.row(d.blow.name + " " + st.name + " …then let to its end")
	r.times++
	if err := st.prepare(s); err != nil {
		return 0, err
	}
	ended := false
	if most = min(st.share, most); st.many != "" {
		killed, err = d.disturbMany(r, s, st, most, rng, d.took[i])
	} else {
		next := func() moment { return d.momentOf(s, st, rng, d.took[i]) }
		killed, ended, err = d.disturb(r, s, st, most, next)
	}
	if err != nil {
		return killed, err
	}
	for i := 0; !ended && i < starts; i++ { // each that fails counts; the next step needs this one's end
		p, err := d.begin(st, s)
		if err != nil {
			return killed, err
		}
		if ended, err = d.ended(r, s, st, p.end(), killed); err != nil {
			return killed, err
		}
	}
	return killed, d.judgeStep(r, s, i, st, len(before), held)
}

// disturb starts a step again and again and strikes it at some moment, until it was struck so often
// or came to its end.
func (d *drill) disturb(
	r *row, s site, st step, n int, next func() moment,
) (killed int, ended bool, err error) {
	for tries := 0; killed < n && tries < manyCommands; tries++ {
		m := next()
		p, err := d.begin(st, s)
		if err != nil {
			return killed, false, err
		}
		var o outcome
		if !p.await(m, s) {
			o = p.end()
		} else if o, err = d.blow.hit(p); err != nil {
			return killed, false, err
		}
		if !d.blow.ended(st, o) { // it came to its end before
			ended, err := d.ended(r, s, st, o, killed)
			if st.makes != "" && err == nil {
				continue // it can be given again
			}
			return killed, ended, err
		}
		d.row(d.blow.name+" "+st.name+" "+m.name).times++
		killed++
	}
	return killed, false, nil
}

// disturbMany strikes commands of a kind that is soon at its end, each with an argument of its own,
// and looks whether the harvest's folder has what those said that came to their end.
func (d *drill) disturbMany(
	r *row, s site, st step, n int, rng *rand.Rand, took time.Duration,
) (killed int, err error) {
	var done []string
	for i := 0; killed < n && i < manyCommands; i++ {
		p, err := d.begin(st.numbered(i), s)
		if err != nil {
			return killed, err
		}
		var o outcome
		if p.await(moment{after: time.Duration(rng.Int64N(int64(took)))}, s) {
			if o, err = d.blow.hit(p); err != nil {
				return killed, err
			}
		} else {
			o = p.end()
		}
		if d.blow.ended(st, o) {
			d.row(d.blow.name+" "+st.name+" anywhere").times++
			killed++
			continue
		}
		r.ended(st, o, killed)
		done = append(done, manyHost(i))
	}
	return killed, d.named(r, s, st.file, done...)
}

// ended adds how a step ended that was not killed any more, and reports that it needs no other
// start. An analysis that was killed after its sweep, and before the last of its tables, is
// searched again, as the program then says.
func (d *drill) ended(r *row, s site, st step, o outcome, killed int) (well bool, err error) {
	r.ended(st, o, killed)
	if st.archives > 0 && st.harmless(o) {
		st.args = st.args[:len(st.args)-st.archives]
		p, err := d.begin(st, s)
		if err != nil {
			return false, err
		}
		o = p.end()
		r.ended(st, o, killed)
	}
	return st.well(o), nil
}

// ended adds how a start of a step ended.
func (r *row) ended(st step, o outcome, killed int) {
	if st.harmless(o) {
		o.code = 0
	}
	r.heard(o)
	if o.code != 0 {
		r.broken++
		r.note("exit code %d after %d kills: %s", o.code, killed, tail(o.said, 400))
	}
}

// well tells that a step needs no other start.
func (st *step) well(o outcome) bool { return o.code == 0 || st.harmless(o) }

// harmless tells that a step had come to its end when it was killed, so that there was nothing more
// to do for the last start.
func (st *step) harmless(o outcome) bool {
	switch st.name {
	case "extend":
		return strings.Contains(o.said, "nothing was captured")
	case "analyze":
		return strings.Contains(o.said, "--add adds a sweep")
	}
	return false
}

// momentOf chooses when to kill: half of the times somewhere, half in a phase that the run tells
// of, or when it begins another file.
func (d *drill) momentOf(s site, st step, rng *rand.Rand, took time.Duration) moment {
	some := func(most time.Duration) time.Duration { return time.Duration(rng.Int64N(int64(most) + 1)) }
	if !st.runs {
		return moment{name: "anywhere", after: some(took + took/8)}
	}
	switch rng.IntN(10) {
	case 0:
		return inPhase("opening", s, some(100*time.Millisecond))
	case 1:
		return rotation(s, some(50*time.Millisecond))
	case 2:
		return inPhase("crawling", s, some(took/4))
	case 3, 4:
		return inPhase("delivering", s, some(took/8))
	}
	return moment{name: "anywhere", after: some([]time.Duration{took / 10, took / 2, took}[rng.IntN(3)])}
}

// judgeStep compares what a step left with what the undisturbed one left.
func (d *drill) judgeStep(r *row, s site, i int, st step, before int, held delivered) error {
	runs, err := s.runs()
	if err != nil {
		return err
	}
	for path := range held {
		if made, _ := filepath.Match(filepath.Join(string(s), st.makes), path); made {
			delete(held, path) // it is made anew, with another date
		}
	}
	harmed, err := held.harmed(s)
	if err != nil {
		return err
	}
	r.harmed(harmed)
	if err := d.whole(r, s, st); err != nil {
		return err
	}
	if st.stores {
		return d.stored(r, s, runs)
	}
	if st.name == "analyze" {
		if left := leftovers(s.harvest()); len(left) > 0 {
			swept := d.row(d.blow.name + " …files left over when all is done")
			swept.broken += len(left)
			swept.note("%s", strings.Join(left, " "))
		}
		return r.compareAnalyses(filepath.Join(string(d.calm), "replicas"),
			filepath.Join(string(s), "replicas"))
	}
	got, err := captures(runs, before)
	if err != nil {
		return err
	}
	r.lacks(lacking(d.brought[i], got), true)
	if st.runs {
		return d.check(r, runs[before:])
	}
	return d.named(r, s, st.file, st.names)
}

// named looks for names in a file of the harvest's folder.
func (d *drill) named(r *row, s site, file string, names ...string) error {
	if len(names) == 0 || file == "" {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(s.harvest(), file))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, name := range names {
		if !strings.Contains(string(text), name) {
			r.lost++
			r.untold++
			r.note("%s does not name %s", file, name)
		}
	}
	return nil
}

// making looks, after a blow, at what a step makes: an index is kept by its sum, and a package has
// the program check it.
func (d *drill) making(r *row, s site, st step) error {
	if st.makes == "" {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(string(s), st.makes))
	for _, path := range files {
		if filepath.Ext(path) == ".wacz" {
			err = errors.Join(err, d.checkFiles(r, path))
			continue
		}
		sum, e := sumOf(path)
		d.made = append(d.made, made{path, sum})
		err = errors.Join(err, e)
	}
	return err
}

// made is a file that was there when a step that makes it was struck.
type made struct {
	path string
	sum  [sha256.Size]byte
}

// whole counts the files that were there when a step was struck and that are others at its end, and
// is not content where it made none.
func (d *drill) whole(r *row, s site, st step) error {
	if st.makes == "" {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(string(s), st.makes))
	err = errors.Join(err, d.making(r, s, st))
	if len(files) == 0 {
		r.broken++
		r.note("there is no %s", st.makes)
	}
	for _, m := range d.made {
		if last := d.made[len(d.made)-1]; m.sum != last.sum {
			r.harmed([]string{m.path})
		}
	}
	d.made = nil
	return err
}

// stored looks whether the store has what the runs delivered.
func (d *drill) stored(r *row, s site, runs []string) error {
	sums, err := deliveredBy(runs)
	if err != nil {
		return err
	}
	objects := d.store.Objects()
	for path, sum := range sums {
		rest, err := filepath.Rel(s.harvest(), path)
		if err != nil {
			return err
		}
		o, ok := objects[filepath.ToSlash(filepath.Join(filepath.Base(string(s)), drillName, rest))]
		if !ok || sha256.Sum256(o.Bytes) != sum {
			r.lost++
			r.untold++
			r.note("the store has no %s", rest)
		}
	}
	return nil
}

// leftovers are files in a harvest's folder that a killed command left.
func leftovers(dir string) []string {
	list, _ := filepath.Glob(filepath.Join(dir, ".new-*")) // the pattern is good
	more, _ := filepath.Glob(filepath.Join(dir, "*.new"))  // as above
	return append(list, more...)
}

// compareAnalyses compares what two analyses wrote, file by file, but for the catalog that they wrote
// it from: its tables are numbered by how often the clusters were formed.
func (r *row) compareAnalyses(calm, disturbed string) error {
	different, err := compareFolders(calm, disturbed)
	if err != nil {
		return err
	}
	different = slices.DeleteFunc(different, func(name string) bool {
		return strings.HasPrefix(name, "catalog"+string(filepath.Separator))
	})
	if len(different) > 0 {
		r.broken++
		r.note("analyses differ in %s", strings.Join(different, " "))
	}
	return nil
}

// lacks counts captures that are not there. They are lost without a message where the program said
// that all is well.
func (r *row) lacks(list []capture, untold bool) {
	r.lost += len(list)
	if untold {
		r.untold += len(list)
	}
	if len(list) > 0 {
		r.note("%d captures lack, the first is %s", len(list), list[0])
	}
}

// harmed counts delivered files that are not what they were.
func (r *row) harmed(list []string) {
	r.changed += len(list)
	if len(list) > 0 {
		r.note("%d delivered files changed, the first is %s", len(list), list[0])
	}
}

// check has the program check the WARC files of runs.
func (d *drill) check(r *row, runs []string) error {
	for _, run := range runs {
		files, err := filepath.Glob(filepath.Join(run, "archive", "*.warc.gz"))
		if err != nil {
			return err
		}
		if len(files) == 0 {
			continue
		}
		if err := d.checkFiles(r, files...); err != nil {
			return err
		}
	}
	return nil
}

func (d *drill) checkFiles(r *row, files ...string) error {
	o, err := d.run(append([]string{"warc", "check"}, files...)...)
	if err == nil && o.code != 0 {
		r.broken++
		r.note("warc check of %s: exit code %d: %s", files[0], o.code, tail(o.said, 300))
	}
	return err
}

// compareFolders names the files that one folder has and the other not, or that differ.
func compareFolders(a, b string) (different []string, err error) {
	names := map[string]bool{}
	for _, dir := range []string{a, b} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				name, e := filepath.Rel(dir, path)
				names[name], err = true, e
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for name := range names {
		x, errX := os.ReadFile(filepath.Join(a, name))
		y, errY := os.ReadFile(filepath.Join(b, name))
		if errX != nil || errY != nil || !bytes.Equal(x, y) {
			different = append(different, name)
		}
	}
	slices.Sort(different)
	return different, nil
}
