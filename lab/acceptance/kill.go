package acceptance

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Kill runs a harvest and kills it without warning at random moments, again and again, then lets it
// come to its end, and compares what it captured with a run that nobody disturbed. Both are
// described by the same YAML but for archive.dir.
type Kill struct {
	Program   string        `required:"" placeholder:"FILE"`
	Disturbed string        `required:"" placeholder:"FILE"`
	Folder    string        `name:"run" required:"" placeholder:"DIR"`
	Calm      string        `required:"" placeholder:"DIR"`
	Times     int           `default:"20"`
	Longest   time.Duration `default:"3s"`
	Seed      uint64        `default:"1"`
}

// Run is the command.
func (c *Kill) Run(out io.Writer) error {
	rng := rand.New(rand.NewPCG(c.Seed, 0))
	killed := 0
	for i := range c.Times {
		after := 200*time.Millisecond + time.Duration(rng.Int64N(int64(c.Longest)))
		ended, err := runFor(c.Program, c.Disturbed, after, i == 0)
		if err != nil {
			return err
		}
		if ended {
			break
		}
		killed++
	}
	if err := exec.Command(c.Program, "harvest", "-q", c.Disturbed).Run(); err != nil {
		return fmt.Errorf("last start: %w", err)
	}
	a, err := captured(c.Folder)
	if err != nil {
		return err
	}
	b, err := captured(c.Calm)
	if err != nil {
		return err
	}
	missing, extra := 0, 0
	for u := range b {
		if !a[u] {
			missing++
			fmt.Fprintln(out, "missing:", u)
		}
	}
	for u := range a {
		if !b[u] {
			extra++
			fmt.Fprintln(out, "extra:", u)
		}
	}
	fmt.Fprintf(out, "killed %d times; %d captures, %d in the run that nobody disturbed: %d missing, "+
		"%d more\n", killed, len(a), len(b), missing, extra)
	if missing+extra > 0 {
		return errors.New("the runs differ")
	}
	return nil
}

// runFor starts the harvest and kills it after so long; ended tells that it came to its end by
// itself.
func runFor(program, yaml string, after time.Duration, fresh bool) (ended bool, err error) {
	args := []string{"harvest", "-q", yaml}
	if fresh {
		args = []string{"harvest", "-q", "--fresh", yaml}
	}
	cmd := exec.Command(program, args...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return false, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	timer := time.NewTimer(after)
	defer timer.Stop()
	select {
	case err := <-done:
		return err == nil, err
	case <-timer.C:
		if err := cmd.Process.Kill(); err != nil {
			return false, err
		}
		<-done // it was killed: that is its error
		return false, nil
	}
}

// captured are the addresses in the index of a run.
func captured(run string) (map[string]bool, error) {
	f, err := os.Open(filepath.Join(run, "indexes", "index.cdxj"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	urls := map[string]bool{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), `"url":`); ok {
			rest = strings.TrimLeft(rest, ` "`)
			u, _, _ := strings.Cut(rest, `"`)
			urls[u] = true
		}
	}
	return urls, lines.Err()
}
