package depot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"watershed/harvest/control"
)

// How says what a start does.
type How struct {
	Extend bool  // asks only for what the last archive has not
	rule   bool  // by the schedule
	Look   int64 // pauses after so many URLs, so that a person can look; 0 for never
}

// Start begins a run of a harvest, or goes on with one that was interrupted. The error is
// ErrUnderWay, ErrUnknown, ErrBroken, ErrShard, or says why no process was begun. How the process ends
// is told by Harvest.Start.
func (d *Depot) Start(ctx context.Context, name string, how How) error {
	h, err := d.find(name)
	if err != nil {
		return err
	}
	if h.Err != nil {
		return fmt.Errorf("%w: %w", ErrBroken, h.Err)
	}
	if h.Config.Whole() != "" {
		return ErrShard
	}
	if takesOrders(ctx, h.Folder.Socket()) {
		return ErrUnderWay
	}
	args := []string{"harvest", "--quiet"}
	if how.Extend {
		args = append(args, "--extend")
	}
	if how.Look > 0 {
		args = append(args, "--look", strconv.FormatInt(how.Look, 10))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.starts[h.File]; s != nil {
		if d.look(h.File, s); !s.Ended {
			return ErrUnderWay
		}
	}
	out, err := d.root.OpenFile(logOf(h.File), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("begin the run: %w", err)
	}
	cmd := exec.Command(d.options.Program, append(args, "--", d.path(h.File))...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = d.options.Dir, out, out, alone()
	err = cmd.Start()
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("begin the run: %w", err)
	}
	s := &Start{At: d.options.Now(), ByRule: how.rule, name: name, pid: cmd.Process.Pid}
	d.starts[h.File] = s
	d.options.Log.Info("a run was begun", "harvest", name, "process", s.pid)
	return cmd.Process.Release()
}

// look notes how a start ended, if it has. No goroutine waits for it, since it may outlive the
// process; a child that has ended takes next to nothing until it is looked at. The caller holds mu.
func (d *Depot) look(file string, s *Start) {
	if s.Ended {
		return
	}
	code, ended := endOf(s.pid)
	if !ended {
		return
	}
	s.Ended, s.Code, s.Said = true, code, d.said(file)
	s.Wrong = !slices.Contains(d.options.Orderly, code)
	d.options.Log.Info("a run has ended", "harvest", s.name, "code", code)
}

// logOf is the file for what the starts of a harvest print.
func logOf(file string) string { return strings.TrimSuffix(file, filepath.Ext(file)) + ".log" }

// said is the end of what the last start of a harvest printed; nothing where that cannot be read,
// which is no worse than a program that says nothing.
func (d *Depot) said(file string) string {
	f, err := d.root.Open(logOf(file))
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // read only
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	text, err := io.ReadAll(io.NewSectionReader(f, max(info.Size()-maxSaid, 0), maxSaid))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// takesOrders reports that a process takes orders for a harvest.
func takesOrders(ctx context.Context, socket string) bool {
	_, err := control.Ask(ctx, socket, control.Order{Do: control.Present})
	var phase *control.PhaseError
	return err == nil || errors.As(err, &phase) || !errors.Is(err, control.ErrNoRun)
}
