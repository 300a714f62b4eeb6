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
		return fmt.Errorf("the browser does not run as root; browser.user: %w", err)
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
