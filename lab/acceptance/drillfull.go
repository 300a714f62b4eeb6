package acceptance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"watershed/internal/disk"
)

// mostFilled is how much may be free on a disk that is to be filled, leftFree how much is left of it
// for a harvest, and diskFullCode the exit code of the program on a full disk.
const (
	mostFilled   = 4 << 30
	leftFree     = 360 << 20 // the program wants 272 MiB free
	diskFullCode = 3
)

// filling fills the disk, waits until the program has ended, and makes room again. Room that
// the program does not need is taken before, so that the rest is filled at once.
func (d *drill) filling() (err error) {
	free, ok := disk.Free(d.work)
	if !ok || free > mostFilled {
		return fmt.Errorf("%d bytes are free in %s: give --work in a small file system, as by "+
			"mount -t tmpfs -o size=1g", free, d.work)
	}
	ballast := filepath.Join(d.work, "ballast")
	if free > leftFree {
		if err := os.WriteFile(ballast, make([]byte, free-leftFree), 0o666); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.Remove(ballast)) }()
	}
	return d.striking(blow{"full", d.fill, func(st step, o outcome) bool {
		return o.code == diskFullCode || st.lab && o.code == 1
	}})
}

// fill takes all room that is left, and that is given back, as long as a process goes on.
func (d *drill) fill(p *process) (o outcome, err error) {
	f, err := os.Create(filepath.Join(d.work, "fill"))
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	hung := time.Now().Add(longestRun)
	for zeros := make([]byte, 1<<20); time.Now().Before(hung); {
		for err == nil {
			_, err = f.Write(zeros) // the last one as far as it goes
		}
		if !errors.Is(err, syscall.ENOSPC) {
			return o, err
		}
		if err = nil; p.ended(tick.C) {
			break
		}
	}
	return p.end(), nil
}
