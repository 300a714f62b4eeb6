package control

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"watershed/page"
)

// The actions that an order may ask for.
const (
	Pause  = "pause"  // no new requests; what is being fetched comes to its end
	Resume = "resume" // goes on
	// ends the process as an interrupt does; the same harvest goes on where it stopped
	Stop = "stop"
	// least pause between two requests to Host, to every host for "" or EachHost; 0 takes it back
	Delay = "delay"
	// of pages, bytes or seconds (Limit) of the harvest, or of pages or bytes of Host; 0 is no
	// limit
	Limit     = "limit"
	Decisions = "decisions" // reads the harvest's decisions again and settles what is new
	Explain   = "explain"   // says why URL is in or out, at the scale Alpha
	Present   = "present"   // says when the run was drawn last as it stands, and has it drawn anew
)

// The phases of a run that gets an order.
const (
	Opening    = "opening"    // it reads what it did before
	Crawling   = "crawling"   // or is about to
	Delivering = "delivering" // it writes maps, archive and reports
)

// The quantities that a limit may bound.
const (
	Pages   = "pages"
	Files   = "files"
	Bytes   = "bytes"
	Seconds = "time" // in seconds
)

// EachHost is the Host of a limit that holds for every host by itself.
const EachHost page.Host = "*"

// Order is what a run is asked.
type Order struct {
	Do   string `json:"do"`
	By   string `json:"by,omitempty"`   // who says so
	Note string `json:"note,omitempty"` // and why

	Host    page.Host `json:"host,omitempty"`    // of Delay and Limit
	Seconds float64   `json:"seconds,omitempty"` // of Delay
	Limit   string    `json:"limit,omitempty"`   // of Limit: Pages, Files, Bytes or Seconds
	Value   int64     `json:"value,omitempty"`   // of Limit

	URL   page.URL `json:"url,omitempty"`   // of Explain
	Alpha float64  `json:"alpha,omitempty"` // of Explain; 0 is that of the map
}

// Longest is the longest delay and the longest limit of time that may be set.
const Longest = 366 * 24 * time.Hour

// maxText is how many bytes a name or note may have, as those of decisions.
const maxText = 500

// Validate reports an order that cannot be carried out by any run: an error that wraps ErrOrder.
func (o *Order) Validate() error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrOrder, fmt.Sprintf(format, args...))
	}
	if max(len(o.By), len(o.Note)) > maxText {
		return wrong("a name or note is longer than %d bytes", maxText)
	}
	switch o.Do {
	case Pause, Resume, Stop, Decisions, Present:
		return nil
	case Explain:
		if o.URL == "" {
			return wrong("explain needs a url")
		}
		return nil
	case Delay:
		if !(o.Seconds >= 0 && o.Seconds <= Longest.Seconds()) {
			return wrong("a delay is 0 seconds or more, a year at most")
		}
		return nil
	case Limit:
		switch {
		case o.Value < 0:
			return wrong("a limit is 0, for none, or more")
		case o.Limit == Seconds && o.Host != "":
			return wrong("a host has no limit of time")
		case o.Limit == Seconds && o.Value > int64(Longest/time.Second):
			return wrong("a limit of time is a year at most")
		case o.Limit != Pages && o.Limit != Files && o.Limit != Bytes && o.Limit != Seconds:
			return wrong("a limit is one of pages, files, bytes or time")
		}
		return nil
	}
	return wrong("%q", o.Do)
}

// Pause of a Delay order.
func (o *Order) Pause() time.Duration {
	return time.Duration(math.Round(o.Seconds * float64(time.Second)))
}

// Subject names what an order that changes a run changes: of two on one subject the later holds.
func (o *Order) Subject() string {
	switch o.Do {
	case Delay:
		if o.Host == EachHost {
			return Delay + " "
		}
		return Delay + " " + string(o.Host)
	case Limit:
		return Limit + " " + o.Limit + " " + string(o.Host)
	}
	return Pause // which a stop ends, too
}

// Entry is a change that a run made, as logs/orders.jsonl has it, a line each.
type Entry struct {
	Time   time.Time `json:"time"`
	By     string    `json:"by"`
	Do     string    `json:"do"`
	What   string    `json:"what"` // in words: "delay of www.example.org"
	Old    string    `json:"old,omitempty"`
	New    string    `json:"new,omitempty"`
	Effect string    `json:"effect,omitempty"` // what came of it: "12 URLs left the queue"
	Note   string    `json:"note,omitempty"`
	Visits uint64    `json:"visits"` // that the run had by then
	Order  *Order    `json:"order,omitempty"`
}

// String tells an entry in a line.
func (e Entry) String() string {
	text := fmt.Sprintf("%s by %s: %s", e.Time.UTC().Format(time.DateTime), e.By, e.What)
	if e.Old != "" || e.New != "" {
		text += fmt.Sprintf(", %s -> %s", cmp.Or(e.Old, "none"), cmp.Or(e.New, "none"))
	}
	if e.Effect != "" {
		text += "; " + e.Effect
	}
	if e.Note != "" {
		text += " (" + e.Note + ")"
	}
	return text
}

// Answer is what a run says to an order.
type Answer struct {
	Done  []Entry         `json:"done,omitempty"`  // the changes that it made
	Reply json.RawMessage `json:"reply,omitempty"` // to a question
	Later string          `json:"later,omitempty"` // the order is taken, and carried out later: when
	Error string          `json:"error,omitempty"`
	// the order cannot be carried out; else something went wrong
	Refused bool   `json:"refused,omitempty"`
	Phase   string `json:"phase,omitempty"` // in which it cannot be carried out
	Ended   bool   `json:"ended,omitempty"` // no more orders are taken
}
