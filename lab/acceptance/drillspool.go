package acceptance

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// spools damages files of the spool of runs that were interrupted.
func (d *drill) spools() error {
	attacks := []attack{
		{"a file deleted", inSpool(false, removed)},
		{"a file halved", inSpool(false, change(halved))},
		{"the tail cut", inSpool(false, change(shortened))},
		{"64 bytes flipped", inSpool(false, flip(64))},
		{"4 KiB of zeros", inSpool(false, change(zeroed))},
		{"a register removed", inSpool(true, removed)},
		{"a register damaged", inSpool(true, flip(64))},
		{"all files deleted", allSpool},
	}
	for _, t := range d.templates {
		if !t.running {
			continue
		}
		for i, a := range attacks {
			for try := range 2 {
				if d.short && (try > 0 || (i+int(sum64(t.name)%3))%3 != 0) {
					continue
				}
				if err := d.against("spool:", t, a, try); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// inSpool does something to one WARC file of the spool, or to one register.
func inSpool(register bool, do damage) func(site, *rand.Rand) (bool, error) {
	return func(s site, rng *rand.Rand) (bool, error) {
		files, err := filepath.Glob(filepath.Join(s.lastRun(), "spool", "*.warc.gz*"))
		if err != nil {
			return false, err
		}
		return do.toOne(rng, slices.DeleteFunc(files, func(path string) bool {
			return strings.HasSuffix(path, ".register") != register
		}))
	}
}

func allSpool(s site, _ *rand.Rand) (bool, error) {
	files := s.spooled()
	for _, path := range files {
		if err := os.Remove(path); err != nil {
			return false, err
		}
	}
	return len(files) > 0, nil
}

func removed(path string, _ *rand.Rand) (bool, error) { return true, os.Remove(path) }

func halved(b []byte, _ *rand.Rand) []byte { return b[:len(b)/2] }

func shortened(b []byte, rng *rand.Rand) []byte {
	return b[:len(b)-1-rng.IntN(min(len(b)-1, 8192))]
}

func zeroed(b []byte, rng *rand.Rand) []byte {
	const n = 4096
	at := rng.IntN(max(len(b)-n, 1))
	clear(b[at:min(at+n, len(b))])
	return b
}

// copying copies harvests while they run, frozen or not, and goes on with the copy.
func (d *drill) copying() error {
	times := 12
	if d.short {
		times = 3
	}
	d.web.epoch.Store(0)
	for i := range times {
		for _, frozen := range []bool{true, false} {
			if err := d.copyOf(i, frozen); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *drill) copyOf(i int, frozen bool) error {
	name := "copy: live, files in any order"
	if frozen {
		name = "copy: frozen"
	}
	if d.match != "" && !strings.Contains(name, d.match) {
		return nil
	}
	rng := d.chance(fmt.Sprint(name, i))
	s, err := d.fresh("copied")
	if err != nil {
		return err
	}
	p, err := d.start("harvest", s.yaml())
	if err != nil {
		return err
	}
	m := moment{after: d.took[0]/20 + time.Duration(rng.Int64N(int64(d.took[0])))}
	if i%3 == 2 {
		m = inPhase("delivering", s, time.Duration(rng.Int64N(int64(d.took[0]/8))))
	}
	p.await(m, s)
	phase := s.status().Phase
	pause := 10 * time.Millisecond
	if frozen {
		if pause, err = 0, p.freeze(); err != nil {
			return err
		}
	}
	to := site(filepath.Join(d.work, "copy"))
	if err := copyFolder(string(s), string(to), rng, pause); err != nil {
		return err
	}
	p.kill()
	r := d.row(name)
	r.times++
	noted := len(r.notes)
	if err := d.goOn(r, to, &template{site: to, want: d.brought[0]}, false); err != nil {
		return fmt.Errorf("%s, %d: %w", name, i, err)
	}
	for j := noted; j < len(r.notes); j++ {
		r.notes[j] = fmt.Sprintf("number %d, %s: %s", i, phase, r.notes[j])
	}
	for _, x := range []site{s, to} {
		if err := os.RemoveAll(string(x)); err != nil {
			return err
		}
	}
	return nil
}
