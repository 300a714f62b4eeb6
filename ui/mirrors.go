package ui

import (
	"cmp"
	"slices"

	"watershed/harvest"
	"watershed/replica"
)

// MirrorsModel is the table of replicas of a harvest.
type MirrorsModel struct {
	All     int             `json:"all"`
	State   string          `json:"state,omitempty"` // filters
	From    string          `json:"from,omitempty"`
	States  []Group         `json:"states"`
	Entries []replica.Entry `json:"entries"`
	list
}

// mirrorsPage is how many entries a page has; each has a form.
const mirrorsPage = 25

// Choices are what may be decided of an entry.
func (m MirrorsModel) Choices(e replica.Entry) []string {
	switch e.State {
	case replica.Proposed:
		return []string{"confirm", "reject"}
	case replica.Confirmed, replica.Pruned:
		return []string{"reopen", "reject"}
	case replica.Expired, replica.Reopened:
		return []string{"confirm", "reject"}
	case replica.Rejected:
		return []string{"confirm"}
	}
	return nil
}

func mirrorsModel(_ *Server, q *query) (any, error) {
	number, err := q.page()
	if err != nil {
		return nil, err
	}
	t, err := harvest.ReadTable(q.harvest.Folder.Replicas())
	if err != nil {
		return nil, err
	}
	m := MirrorsModel{All: t.Len(), State: q.value("state"), From: q.value("from"), States: []Group{}}
	if m.State != "" {
		if _, err := replica.ParseState(m.State); err != nil {
			return nil, badRequest("%v", err)
		}
	}
	counts := map[replica.State]int{}
	chosen := []replica.Entry{}
	for _, e := range t.All() {
		counts[e.State]++
		if (m.State == "" || m.State == e.State.String()) && (m.From == "" || m.From == e.From) {
			chosen = append(chosen, e)
		}
	}
	for state := replica.Proposed; state <= replica.Rejected; state++ {
		if counts[state] > 0 {
			m.States = append(m.States, Group{state.String(), counts[state]})
		}
	}
	var from, to int
	// what waits for a decision first
	slices.SortStableFunc(chosen, func(a, b replica.Entry) int { return cmp.Compare(a.State, b.State) })
	m.list, from, to = pageBy(number, len(chosen), mirrorsPage)
	m.Entries = chosen[from:to]
	return m, nil
}

// Decision is what a person says of an entry of the table of replicas.
type Decision struct {
	From   string `json:"from"`   // the replica
	Action string `json:"action"` // confirm, reject or reopen
	Level  int    `json:"level"`  // of confirm, 1 to 5; 0 leaves it as it is
	Note   string `json:"note"`
	By     string `json:"by"` // "archivist" where it is empty
}

// maxNote bounds note and name, in characters.
const maxNote = 500

// decide puts a decision into the table. It gives the entry as it is then.
func (a *actions) decide(q *query, d Decision) (e replica.Entry, err error) {
	if d.Level < 0 || d.Level > 5 {
		return e, badRequest("level is 0 to 5")
	}
	c := replica.Change{Time: a.options.Now()}
	c.By, c.Note = q.person(d.By, d.Note)
	var act func(*replica.Table) error
	switch d.Action {
	case "confirm":
		act = func(t *replica.Table) error { return t.Insist(d.From, d.Level, c) }
	case "reject":
		act = func(t *replica.Table) error { return t.Reject(d.From, c) }
	case "reopen":
		act = func(t *replica.Table) error { return t.Reopen(d.From, c) }
	default:
		return e, badRequest("action is confirm, reject or reopen")
	}
	err = q.harvest.Folder.EditTable(func(t *replica.Table) error {
		if _, ok := t.Get(d.From); !ok {
			return &replica.EntryError{From: d.From, Cause: replica.ErrUnknown}
		}
		err := act(t)
		e, _ = t.Get(d.From) // it was there
		return err
	})
	if err == nil {
		a.log.Info("decided on a replica", "harvest", q.harvest.Name, "replica", d.From, "action", d.Action,
			"by", c.By, "note", c.Note)
	}
	return e, err
}

// decideForm takes a decision from the desk's form.
func (a *actions) decideForm(q *query) (to string, err error) {
	r := q.request
	_, err = a.decide(q, Decision{
		From: r.PostFormValue("from"), Action: r.PostFormValue("action"),
		Note: r.PostFormValue("note"), By: r.PostFormValue("by"),
	})
	return q.same("mirrors"), err
}
