package control

import "errors"

var (
	// ErrNoRun says that no run takes orders: none is under way, or it is being opened or delivered.
	ErrNoRun = errors.New("no run of the harvest takes orders now: none is under way, or it is being opened or delivered")
	// ErrOrder says that an order is not one.
	ErrOrder = errors.New("no such order")
)

// RefusedError is what a run answered to an order that it did not carry out.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return e.Reason }
