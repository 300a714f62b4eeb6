package acceptance

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// states attacks the state of harvests, of those under way and of those that have come to their
// end.
func (d *drill) states() error {
	for _, t := range d.templates {
		if strings.HasSuffix(t.name, "early") {
			continue // it is there to be an older state
		}
		attacks := []attack{
			{"folder removed", func(s site, _ *rand.Rand) (bool, error) {
				return true, os.RemoveAll(s.state())
			}},
			{"folder emptied", emptied},
		}
		for _, file := range []string{
			"MANIFEST", "*.sst", "*.mem", "*.vlog", "KEYREGISTRY", "DISCARD", "LOCK", "../checkpoint",
		} {
			for _, x := range damages {
				attacks = append(attacks, attack{file + " " + x.name, inState(file, x.do)})
			}
		}
		last := map[string]older{} // of each kind, the one that is least old
		for _, x := range t.old {
			last[strings.Join(strings.Fields(x.name)[1:2], " ")] = x
		}
		for _, x := range []struct{ kind, name string }{
			{"crawling", "older, taken while crawling"},
			{"delivering", "older, taken while delivering"},
			{"finished", "older, from before the run"},
		} {
			if old, ok := last[x.kind]; ok {
				attacks = append(attacks, attack{x.name, swapped(old)})
			}
		}
		for i, a := range attacks {
			if d.short && (i+int(sum64(t.name)%3))%3 != 0 {
				continue
			}
			if err := d.against("state:", t, a, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// swapped puts an older state in the place of what there is.
func swapped(x older) func(site, *rand.Rand) (bool, error) {
	return func(s site, rng *rand.Rand) (bool, error) {
		if err := os.RemoveAll(s.state()); err != nil {
			return false, err
		}
		return true, copyFolder(x.dir, s.state(), rng, 0)
	}
}

func emptied(s site, _ *rand.Rand) (bool, error) {
	if err := os.RemoveAll(s.state()); err != nil {
		return false, err
	}
	return true, os.Mkdir(s.state(), 0o777)
}

// damage does something to a file; it is false where there is nothing to do it to.
type damage func(path string, rng *rand.Rand) (done bool, err error)

// damages are those of a file.
var damages = []struct {
	name string
	do   damage
}{
	{"with 4 bytes flipped", flip(4)},
	{"with 64 bytes flipped", flip(64)},
	{"halved", change(halved)},
	{"emptied", func(path string, _ *rand.Rand) (bool, error) { return true, os.Truncate(path, 0) }},
	{"removed", removed},
}

// inState does something to one file of the state that has anything in it: one has nothing in it that is
// the log to come next.
func inState(pattern string, do damage) func(site, *rand.Rand) (bool, error) {
	return func(s site, rng *rand.Rand) (bool, error) {
		files, err := filepath.Glob(filepath.Join(s.state(), pattern))
		if err != nil {
			return false, err
		}
		return do.toOne(rng, slices.DeleteFunc(files, func(path string) bool {
			info, err := os.Stat(path)
			return err == nil && info.Size() == 0
		}))
	}
}

// toOne does something to one of some files.
func (do damage) toOne(rng *rand.Rand, files []string) (bool, error) {
	rng.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	for _, path := range files {
		if done, err := do(path, rng); done || err != nil {
			return done, err
		}
	}
	return false, nil
}

// flip changes so many bytes in a row, where the file has anything but zeros; false where it has
// not.
func flip(n int) damage {
	return change(func(b []byte, rng *rand.Rand) []byte {
		at := rng.IntN(max(len(b)-n, 1))
		for i := at; i < min(at+n, len(b)); i++ {
			b[i] ^= byte(1 + rng.IntN(255))
		}
		return b
	})
}

// change rewrites the part of a file in front of the zeros at its end; false where there is none.
func change(do func([]byte, *rand.Rand) []byte) damage {
	return func(path string, rng *rand.Rand) (bool, error) {
		whole, err := os.ReadFile(path)
		if err != nil {
			return false, err
		}
		used := bytes.TrimRight(whole, "\x00")
		zeros := whole[len(used):]
		if len(used) < 16 { // the head of a log, and nothing in it
			return false, nil
		}
		return true, os.WriteFile(path, append(do(bytes.Clone(used), rng), zeros...), 0o666)
	}
}
