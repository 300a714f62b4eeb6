// Package store keeps one harvest's state.
package store
