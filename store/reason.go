package store

import "fmt"

// State is how far a URL has come in a run. The numbers are stored and never change their meaning.
// A lease is not a state here: it lives in the frontier's memory, so that a process that dies
// leaves the URL pending.
type State uint8

const (
	Unknown State = iota // never seen in this run
	Known                // seen, but nobody wants it: the boundary does not ask for it
	Pending              // wanted and waiting in its host's queue
	Done                 // fetched
	Failed               // given up after its tries; Reason says why
	Skipped              // not to be fetched; Reason says why
	States               // how many there are
)

var stateNames = [States]string{"unknown", "known", "pending", "done", "failed", "skipped"}

func (s State) String() string {
	if s >= States {
		return fmt.Sprintf("State(%d)", uint8(s))
	}
	return stateNames[s]
}

// Reason says why a URL was skipped or given up. The numbers are stored and the names are printed
// in reports: neither changes its meaning.
type Reason uint8

const (
	NoReason      Reason = iota
	OutOfBoundary        // the computed or chosen boundary keeps it out
	Excluded             // a rule of the archivist keeps it out
	Robots               // robots.txt forbids it
	LimitPages           // a limit on the number of pages of host, site or harvest
	LimitBytes           // a limit on bytes
	LimitDepth           // too many links away from the seed
	_                    // "limitTime", which nothing sets; its number stays taken
	TrapRepeat           // path segments repeat
	TrapQuery            // the same argument stands in the query again and again
	TrapDepth            // the path has too many segments
	TrapLength           // the URL is too long
	TrapHops             // too many hops from the seed
	LowNovelty           // its directory brings nothing new
	Mirror               // its host or directory is a mirror of another
	Collection           // it lies in a replicated collection
	Private              // the host's address is private and not allowed
	NoFollow             // only links that ask not to be followed lead to it
	Collision            // its key is that of another URL
	Unreachable          // robots.txt could not be had
	DNS                  // the host name has no address
	Connect              // no connection
	Lost                 // the connection broke
	Timeout              // no answer in time
	Refused              // no answer that could be understood
	Throttled            // the host answered 429 or 503 to every try
	HostGivenUp          // the host failed too often in a row
	Copy                 // another page has the same text
	Unread               // it was fetched, and not all of it was read for links
	LimitFiles           // a limit on the number of files of host, site or harvest
	File                 // no URL has it: Totals count under it the fetched URLs that are files
	Loop                 // its server redirects it to itself, however it is spelled
	Login                // the login of its site could not be had
	Redirect             // no URL has it: Totals count under it the fetched URLs that led elsewhere
	TrapHosts            // its domain has too many hosts already
	TrapNested           // its domain has too many files that only files of files need
	Reasons              // how many there are
)

var reasonNames = [Reasons]string{
	"", "outOfBoundary", "excluded", "robots", "limitPages", "limitBytes", "limitDepth",
	"limitTime", "trapRepeat",
	"trapQuery", "trapDepth", "trapLength", "trapHops", "lowNovelty", "mirror", "collection",
	"private", "nofollow",
	"collision", "unreachable", "dns", "connect", "lost", "timeout", "refused", "throttled", "hostGivenUp",
	"copy", "unread", "limitFiles", "file",
	"redirectLoop", "login", "redirect", "trapHosts", "trapNested",
}

// reasonSays are the reasons as clauses for people.
var reasonSays = [Reasons]string{
	"", "the boundary leaves it out", "a rule of the harvest keeps it out", "robots.txt forbids it",
	"a limit of pages was reached",
	"a limit of bytes was reached", "it is too many links away from a seed",
	"the time of the harvest was over", "parts of its path repeat themselves",
	"an argument of its address repeats itself", "its path is too deep", "its address is too long",
	"it is too many hops away from a seed",
	"hardly anything new came from its place", "a mirror of it is held", "a replicated collection has it",
	"its host has a private address, which network.allow_private does not list",
	"only links that ask not to be followed lead to it", "its number is that of another address",
	"robots.txt could not be had",
	"the name of its host is not known", "no connection came about", "the connection broke",
	"no answer came in time", "the answer could not be understood",
	"the host asked to be left alone", "its host was given up", "another page has the same text",
	"not all of it was read", "a limit of files was reached", "it is no page",
	"its redirects lead nowhere", "the login of its site was refused, or has expired",
	"it leads elsewhere", "its domain has too many hosts",
	"files of its domain need files without end",
}

// Says is the reason as a clause for people: "robots.txt forbids it".
func (r Reason) Says() string {
	if r >= Reasons {
		return r.String()
	}
	return reasonSays[r]
}

// Unanswered reports a reason by which a URL fails that says nothing of its page.
func (r Reason) Unanswered() bool { return r >= Unreachable && r <= HostGivenUp && r != Refused }

// Stood reports a reason that names a page which stands for the one that is left out.
func (r Reason) Stood() bool { return r == Mirror || r == Collection || r == Copy }

func (r Reason) String() string {
	if r >= Reasons {
		return fmt.Sprintf("Reason(%d)", uint8(r))
	}
	return reasonNames[r]
}

// ParseReason finds the reason of a name that String gave.
func ParseReason(name string) (Reason, bool) {
	for r, n := range reasonNames {
		if n == name && r > 0 {
			return Reason(r), true
		}
	}
	return NoReason, false
}
