//go:build !linux

package store

import "errors"

func fullDisk(string, string) error { return errors.New("mount: only on Linux") }
