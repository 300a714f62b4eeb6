//go:build !linux

package store

// trim leaves it to the system which pages of the tables stay in memory.
func (s *Store) trim() {}
