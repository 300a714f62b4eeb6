package replica

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"watershed/page"
)

// Entry says that To stands for From. Its files have the names of the fields in lower case.
type Entry struct {
	// a host ("mirror.example", "mirror.example:8080") or a directory ("http://a.example/copy/")
	From string `json:"from"`
	To   string `json:"to"` // of the same kind

	State State `json:"state"`
	// 1 to 5; 0 where nobody classified it, as for a replicated collection
	Level    int      `json:"level,omitempty" yaml:",omitempty"`
	Method   string   `json:"method,omitempty" yaml:",omitempty"` // such as "collection", "alias", "hand"
	Evidence Evidence `json:"evidence,omitzero" yaml:",omitempty"`

	Found    time.Time `json:"found,omitzero" yaml:",omitempty"`    // when it was proposed first
	Decided  time.Time `json:"decided,omitzero" yaml:",omitempty"`  // when it came to its state
	Verified time.Time `json:"verified,omitzero" yaml:",omitempty"` // by a test or sample that agreed
	By       string    `json:"by,omitempty" yaml:",omitempty"`      // "rule", "sample", or a person
	Note     string    `json:"note,omitempty" yaml:",omitempty"`    // why, in a few words
	History  []Change  `json:"history,omitempty" yaml:",omitempty"` // the earlier states, oldest first
}

// ByHand reports an entry that somebody wrote, rather than one that was found and then trusted.
func (e *Entry) ByHand() bool { return e.Method == "" || e.Method == "alias" || e.Method == "hand" }

// ByRule reports an entry in force that no person has written or confirmed.
func (e *Entry) ByRule() bool {
	return !e.ByHand() && slices.Contains([]string{"rule", "test", "inference"}, e.decision().By)
}

// decision is the change by which the entry came to its state, of one that was pruned that by which it
// was confirmed.
func (e *Entry) decision() Change {
	for _, c := range slices.Backward(e.History) {
		if e.State == Pruned && c.State == Confirmed {
			return c
		}
	}
	return Change{e.State, e.Decided, e.By, e.Note}
}

// Evidence has the figures measured of a replica. Zero means not measured.
type Evidence struct {
	Pages       int     `json:"pages,omitempty" yaml:",omitempty"`       // known pages of the replica
	Common      int     `json:"common,omitempty" yaml:",omitempty"`      // of these, with a counterpart
	Tested      int     `json:"tested,omitempty" yaml:",omitempty"`      // pages compared by content
	Agreed      int     `json:"agreed,omitempty" yaml:",omitempty"`      // of these, similar
	Harvests    int     `json:"harvests,omitempty" yaml:",omitempty"`    // in a row whose samples agreed
	Resemblance float64 `json:"resemblance,omitempty" yaml:",omitempty"` // mean of those compared, 0 to 1
	// how much of the replica the representative holds, 0 to 1
	Containment float64 `json:"containment,omitempty" yaml:",omitempty"`
	// share of the pages below From that belong to the replica, 0 to 1
	Purity float64 `json:"purity,omitempty" yaml:",omitempty"`
}

// Change is a state that an entry was in.
type Change struct {
	State State     `json:"state"`
	Time  time.Time `json:"time,omitzero" yaml:",omitempty"` // when it came to it
	By    string    `json:"by,omitempty" yaml:",omitempty"`
	Note  string    `json:"note,omitempty" yaml:",omitempty"`
}

// limits of texts, so that a table stays a table.
const (
	maxName    = 8 << 10
	maxNote    = 2 << 10
	maxHistory = 100
)

// Validate reports an entry that says nothing, or something impossible: ErrOverlap and others, in
// an *EntryError.
func (e *Entry) Validate() error {
	if err := e.validate(); err != nil {
		return &EntryError{e.From, err}
	}
	return nil
}

func (e *Entry) validate() error {
	for _, text := range []string{e.From, e.To} {
		if err := validName(text); err != nil {
			return err
		}
	}
	switch {
	case IsHost(e.From) != IsHost(e.To):
		return fmt.Errorf("%q and %q are not two hosts and not two directories", e.From, e.To)
	case strings.HasPrefix(e.To, e.From) && (e.From == e.To || !IsHost(e.From)),
		!IsHost(e.From) && strings.HasPrefix(e.From, e.To):
		return fmt.Errorf("%w: %q and %q", ErrOverlap, e.From, e.To)
	case int(e.State) >= len(stateNames):
		return fmt.Errorf("%s is unknown", e.State)
	case e.Level < 0 || e.Level > 5:
		return fmt.Errorf("level %d is not between 1 and 5, nor 0 for none", e.Level)
	}
	for _, text := range e.texts() {
		if err := validText(text); err != nil {
			return err
		}
	}
	return e.Evidence.validate()
}

// texts are those that people read.
func (e *Entry) texts() []string {
	list := []string{e.Method, e.By, e.Note}
	for _, c := range e.History {
		list = append(list, c.By, c.Note)
	}
	return list
}

// validText reports a text that would not stand in one line of a table.
func validText(text string) error {
	switch {
	case len(text) > maxNote:
		return fmt.Errorf("a text is longer than %d bytes", maxNote)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return fmt.Errorf("the text %q has control characters, or is not UTF-8", text)
	}
	return nil
}

func (v *Evidence) validate() error {
	if min(v.Pages, v.Common, v.Tested, v.Agreed, v.Harvests) < 0 {
		return errors.New("a count in the evidence is negative")
	}
	if v.Common > v.Pages || v.Agreed > v.Tested {
		return fmt.Errorf("the evidence has more pages in common (%d of %d) or in agreement (%d of %d) "+
			"than there are", v.Common, v.Pages, v.Agreed, v.Tested)
	}
	for _, share := range []float64{v.Resemblance, v.Containment, v.Purity} {
		if math.IsNaN(share) || share < 0 || share > 1 {
			return fmt.Errorf("a share of %g in the evidence is not between 0 and 1", share)
		}
	}
	return nil
}

// validName refuses a text that is neither a host nor a directory in canonical form.
func validName(text string) error {
	address, kind := text, "directory"
	if IsHost(text) {
		address, kind = "http://"+text+"/", "host"
	}
	u, err := page.ParseURL(address)
	switch {
	case text == "" || len(text) > maxName:
		return fmt.Errorf("a name of %d bytes is not one", len(text))
	case err != nil:
		return fmt.Errorf("%q is no %s: %w", text, kind, err)
	case string(u) != address:
		return fmt.Errorf("%q is no canonical %s; that would be %q", text, kind,
			strings.TrimSuffix(strings.TrimPrefix(string(u), "http://"), "/"))
	case !strings.HasSuffix(address, "/"):
		return fmt.Errorf("%q does not end with /", text)
	}
	return nil
}

// IsHost reports that a name of an entry is a host, not a directory.
func IsHost(name string) bool { return !strings.Contains(name, "/") }

// Covers reports whether u lies in the replica.
func (e *Entry) Covers(u page.URL) bool {
	if IsHost(e.From) {
		return string(u.Host()) == e.From
	}
	return strings.HasPrefix(string(u), e.From)
}

// Stand is the URL that stands for u, which the entry covers: the same path on the other host, with
// the scheme of u, or the same rest below the other directory.
func (e *Entry) Stand(u page.URL) page.URL {
	if IsHost(e.From) {
		return page.URL(u.Scheme() + "://" + e.To + u.PathQuery())
	}
	return page.URL(e.To) + u[len(e.From):]
}

// Twin is the page of the replica of which u is the representative's; ok is false where u is not
// the representative's.
func (e *Entry) Twin(u page.URL) (twin page.URL, ok bool) {
	back := Entry{From: e.To, To: e.From}
	if !back.Covers(u) {
		return "", false
	}
	return back.Stand(u), true
}

// Between is the entry that leads from the replica of a name in which a URL lies to where its twin lies,
// however many entries of the table lead there. A single page, and one of a host of which a directory
// is a replica of another one, lies in the directory from which on both have the same path.
func Between(name string, u, twin page.URL) Entry {
	least := len(u.Root())
	switch {
	case name == "":
	case !IsHost(name):
		least = len(name)
	case u.PathQuery() == twin.PathQuery():
		return Entry{From: name, To: string(twin.Host())}
	}
	from := len(u)
	for at := from; at >= least && strings.HasSuffix(string(twin), string(u[at-1:])); at-- {
		if u[at-1] == '/' {
			from = at
		}
	}
	return Entry{From: string(u[:from]), To: strings.TrimSuffix(string(twin), string(u[from:]))}
}

// Beside is the plain address in a replica, as its page u writes it, of what the twin of u leads to. Where
// that keeps to its own scheme, so does u.
func (e *Entry) Beside(u, twin, to page.URL) (page.URL, bool) {
	t, ok := e.Twin(to)
	if ok && IsHost(e.From) && to.Scheme() == twin.Scheme() {
		t = page.URL(u.Scheme()) + t[len(t.Scheme()):]
	}
	return t, ok
}

// String tells it in one line.
func (e *Entry) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s = %s: %s", e.From, e.To, e.State)
	if e.Level > 0 {
		fmt.Fprintf(&b, ", level %d", e.Level)
	}
	if e.Evidence.Tested > 0 {
		fmt.Fprintf(&b, ", %d of %d pages agree", e.Evidence.Agreed, e.Evidence.Tested)
	}
	if e.Note != "" {
		b.WriteString(", " + e.Note)
	}
	return b.String()
}

// move takes the entry to another state.
func (e *Entry) move(to State, c Change) error {
	if e.State == to && to != Confirmed {
		return nil
	}
	if e.State != to && !slices.Contains(next[e.State], to) {
		return &EntryError{e.From, fmt.Errorf("%w: %s to %s", ErrState, e.State, to)}
	}
	if e.State != to {
		e.History = append(e.History, Change{e.State, e.Decided, e.By, e.Note})
		if extra := len(e.History) - maxHistory; extra > 0 {
			e.History = slices.Delete(e.History, 0, extra)
		}
	}
	e.State, e.Decided, e.By, e.Note = to, c.Time, c.By, cmp.Or(c.Note, e.Note)
	return nil
}
