//go:build !unix

package acceptance

import (
	"errors"
	"os"
)

// freeze stops a process where it is, until thaw.
func (p *process) freeze() error { return errors.New("processes cannot be stopped on this system") }
func (p *process) thaw() error   { return nil }

func mostResident(*os.ProcessState) int64 { return 0 }
