//go:build unix

package draw

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
	"time"

	"watershed/internal/disk"
)

// alone has a command run in a process group of its own, and where Watershed runs as root as
// another user, as Chromium's sandbox asks. profile becomes that user's.
func alone(cmd *exec.Cmd, profile, name string) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() != 0 {
		return nil
	}
	name = cmp.Or(name, "nobody")
	u, err := user.Lookup(name)
	if err != nil {
		return fmt.Errorf("browser.user: the browser does not run as root: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return fmt.Errorf("number of user %s: %w", name, err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return fmt.Errorf("group of user %s: %w", name, err)
	}
	if uid == 0 {
		return fmt.Errorf("browser.user %s is root; name another user", name)
	}
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return os.Chown(profile, int(uid), int(gid))
}

// killGroup kills a process and those that it has started.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended
	}
}

// sweep takes away the profiles in a folder that no process holds, but for those that have changed
// since a time: a process may have made them just now. It leaves those of other users alone, and
// whatever else it cannot take away.
func sweep(dir string, before time.Time) {
	found, _ := disk.List(dir, profiles, "") // the browser that is to start does without
	for _, path := range found {
		if info, err := os.Lstat(path); err != nil || !info.IsDir() || info.ModTime().After(before) {
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		if disk.Lock(f, disk.TryAlone) == nil {
			_ = os.RemoveAll(path) // the browser that is to start does without
		}
		_ = f.Close() // it was only held
	}
}
