package acceptance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"
)

// KillAnalyze runs lab replicas analyze and kills it without warning at random moments, again and
// again, then lets it come to its end, and compares all that it wrote with what a run wrote that
// nobody disturbed. Then it damages the catalog in three ways, each of which a question must tell.
type KillAnalyze struct {
	Program string `placeholder:"FILE"`
	From    string `required:""`
	Dir     string `required:"" placeholder:"DIR"`
	Times   int    `default:"20"`
	Memory  string `default:"4MiB"`
	Seed    uint64 `default:"1"`
}

// Run is the command.
func (c *KillAnalyze) Run(out io.Writer) error {
	if c.Program == "" {
		program, err := os.Executable()
		if err != nil {
			return err
		}
		c.Program = program
	}
	if err := os.Mkdir(c.Dir, 0o777); err != nil {
		return err
	}
	k := analyzeKiller{program: c.Program, memory: c.Memory, rng: rand.New(rand.NewPCG(c.Seed, 0)), out: out}
	calm, disturbed := filepath.Join(c.Dir, "calm"), filepath.Join(c.Dir, "disturbed")
	paths := strings.Split(c.From, ",")
	for i, path := range paths {
		start := time.Now()
		if out, err := k.command(path, calm, i > 0).CombinedOutput(); err != nil {
			return fmt.Errorf("the analysis that nobody disturbs: %w\n%s", err, out)
		}
		if err := k.disturb(path, disturbed, i > 0, c.Times, time.Since(start)); err != nil {
			return err
		}
	}
	different, files, err := compareFolders(calm, disturbed)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "killed %d times; %d files, %d of them different: %s\n", k.killed, files, len(different),
		strings.Join(different, " "))
	if len(different) > 0 {
		return errors.New("the folders differ")
	}
	return k.damage(paths[0], disturbed)
}

type analyzeKiller struct {
	program, memory string
	rng             *rand.Rand
	killed          int
	out             io.Writer
}

func (k *analyzeKiller) command(path, out string, add bool) *exec.Cmd {
	args := []string{"replicas", "analyze", "-q", "--memory", k.memory, "-o", out, "--from", path}
	if add {
		args = append(args, "--add")
	}
	return exec.Command(k.program, args...)
}

// disturb kills an analysis at moments between its beginning and somewhat behind its end, then lets
// it end. A run that ended is not begun again: it would be another sweep.
func (k *analyzeKiller) disturb(path, out string, add bool, times int, whole time.Duration) error {
	for range times {
		cmd := k.command(path, out, add)
		var said bytes.Buffer
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			return err
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		timer := time.NewTimer(time.Duration(k.rng.Int64N(int64(whole + whole/8))))
		select {
		case err := <-done:
			timer.Stop()
			if err != nil {
				return fmt.Errorf("begun again after %d kills: %w\n%s", k.killed, err, said.String())
			}
			return nil
		case <-timer.C:
		}
		if err := cmd.Process.Kill(); err != nil {
			return err
		}
		<-done // it was killed: that is its error
		k.killed++
	}
	if said, err := k.command(path, out, add).CombinedOutput(); err != nil {
		return fmt.Errorf("let to its end after %d kills: %w\n%s", k.killed, err, said)
	}
	return nil
}

// changing are the files that tell times, and so differ from run to run.
var changing = []string{"report.txt"}

// compareFolders names the files that one folder has and the other not, or that differ.
func compareFolders(a, b string) (different []string, files int, err error) {
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
			return nil, 0, err
		}
	}
	for name := range names {
		x, errX := os.ReadFile(filepath.Join(a, name))
		y, errY := os.ReadFile(filepath.Join(b, name))
		if errX != nil || errY != nil || !sameFile(name, x, y) {
			different = append(different, name)
		}
	}
	slices.Sort(different)
	return different, len(names), nil
}

// sameFile compares two files of a name. The figures of a sweep are in no summary.json where the
// analysis was killed just before its end, which then only wrote the tables.
func sameFile(name string, x, y []byte) bool {
	if bytes.Equal(x, y) || slices.Contains(changing, name) {
		return true
	}
	var a, b map[string]any
	if name != "summary.json" || json.Unmarshal(x, &a) != nil || json.Unmarshal(y, &b) != nil {
		return false
	}
	if a["sweep"] == nil || b["sweep"] == nil {
		delete(a, "sweep")
		delete(b, "sweep")
	}
	return reflect.DeepEqual(a, b)
}

// damage changes a byte in the middle of the sketches, cuts the file short, and puts another file
// in its place: an analysis that adds a sweep must fail each time with the file's name, and end
// well once the file is what it was.
func (k *analyzeKiller) damage(from, out string) error {
	path := filepath.Join(out, "catalog", "pages-0001.dat")
	whole, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	changed := slices.Clone(whole)
	changed[len(changed)/2] ^= 1
	for _, x := range []struct {
		name string
		text []byte
	}{
		{"a changed byte", changed},
		{"a file cut short", whole[:len(whole)/2]},
		{"a foreign file", []byte("%PDF-1.4\n%%EOF\n")},
	} {
		if err := os.WriteFile(path, x.text, 0o666); err != nil {
			return err
		}
		said, err := k.command(from, out, true).CombinedOutput()
		fmt.Fprintf(k.out, "%s: %s", x.name, said)
		if err == nil || !bytes.Contains(said, []byte("pages-0001.dat")) ||
			bytes.Contains(said, []byte("goroutine ")) {
			return fmt.Errorf("%s is not told", x.name)
		}
	}
	if err := os.WriteFile(path, whole, 0o666); err != nil {
		return err
	}
	if said, err := k.command(from, out, true).CombinedOutput(); err != nil {
		return fmt.Errorf("after the file is what it was: %w\n%s", err, said)
	}
	return nil
}
