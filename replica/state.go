package replica

import (
	"fmt"
	"slices"
)

// State tells how far an entry is trusted.
type State uint8

// The states, in the order in which an entry usually goes through them.
const (
	Proposed  State = iota // found, not proved
	Confirmed              // proved by a test, or by the archivist
	Pruned                 // confirmed, and a harvest has left something out because of it
	Expired                // too long ago: to be proved again
	Reopened               // the sample no longer agrees: fetched again
	Rejected               // not a replica, says the archivist or a test
)

var stateNames = [...]string{"proposed", "confirmed", "pruned", "expired", "reopened", "rejected"}

func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("state %d", uint8(s))
}

// MarshalText implements encoding.TextMarshaler, for JSON.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// ParseState reads what String writes.
func ParseState(text string) (State, error) {
	if i := slices.Index(stateNames[:], text); i >= 0 {
		return State(i), nil
	}
	return 0, fmt.Errorf("state %q is none of %q", text, stateNames)
}

// InForce reports that replicas in this state are left out.
func (s State) InForce() bool { return s == Confirmed || s == Pruned }

// next are the states to which an entry may go from each.
var next = [...][]State{
	Proposed:  {Confirmed, Rejected},
	Confirmed: {Pruned, Expired, Reopened, Rejected},
	Pruned:    {Confirmed, Expired, Reopened, Rejected},
	Expired:   {Confirmed, Reopened, Rejected},
	Reopened:  {Confirmed, Rejected},
	Rejected:  {Confirmed},
}
