package control

import "errors"

var (
	// ErrNoRun says that no run takes orders.
	ErrNoRun = errors.New("no run of the harvest is under way that takes orders")
	// ErrOrder says that an order is not one.
	ErrOrder = errors.New("no such order")
)

// RefusedError is what a run answered to an order that it did not carry out.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return e.Reason }

// PhaseError is what a run answered to an order that has no sense while it is opened or delivered.
// It wraps ErrNoRun: for what was asked it is as if none were under way.
type PhaseError struct {
	Phase  string // Opening or Delivering
	Reason string
}

func (e *PhaseError) Error() string { return e.Reason }

// Unwrap gives ErrNoRun.
func (e *PhaseError) Unwrap() error { return ErrNoRun }
