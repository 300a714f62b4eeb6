//go:build !unix

package main

// writeNoCore has nothing to do: there are no cores.
func writeNoCore() {}
