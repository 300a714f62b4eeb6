package copies

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"watershed/page"
	"watershed/replica"
)

// rules are aliases written by hand, whose patterns hold for hosts as they come to be known. The
// zero value has none.
//
// A page's links are learnt before anything that they lead to is wanted, so that a host that a
// pattern names is a copy from its first page on.
type rules struct {
	aliases *replica.Aliases       // nil where no rule is a pattern
	asked   map[page.Host]struct{} // hosts that were looked at
	room    *Room
}

// learn looks at the hosts of a visit and its links.
func (r *rules) learn(v *page.Visit) {
	if r.aliases == nil {
		return
	}
	r.meet(v.URL.Host())
	for i := range v.Links {
		r.meet(v.Links[i].URL.Host())
	}
}

// meet applies the rules to a host that may not have been seen before. A host that would stand for
// itself by its rule, by way of others, is fetched.
func (r *rules) meet(h page.Host) {
	if _, asked := r.asked[h]; asked || r.room.err != nil {
		return
	}
	r.asked[h] = struct{}{}
	e, ok := r.aliases.Of(h, byPlan())
	if !ok || holds(r.room.Table, &e) {
		return
	}
	err := r.room.Table.Put(e)
	r.room.changed = r.room.changed || err == nil
	if err != nil && !errors.Is(err, replica.ErrCircle) {
		r.room.err = err
	}
}

// holds reports that a table has the same entry already.
func holds(t *replica.Table, e *replica.Entry) bool {
	old, there := t.Get(e.From)
	return there && old.To == e.To && old.State.InForce()
}

// byPlan is the author of decisions that stand in the harvest's YAML.
func byPlan() replica.Change { return replica.Change{Time: time.Now(), By: "harvest file"} }

// alias takes rules written by hand, in the grammar of replica.Aliases, into the table. Rules that
// say what the table says already change nothing; a rule that says the opposite turns the pair
// round. Patterns hold at once for the hosts that met gives, which is asked only where there are
// patterns, and for others when they are met.
func (r *Room) alias(text []string, met func() ([]page.Host, error)) error {
	a, err := replica.ParseAliases(strings.NewReader(strings.Join(text, "\n")))
	if err != nil {
		return fmt.Errorf("copies.aliases: %w", err)
	}
	x := rules{room: r, asked: map[page.Host]struct{}{}}
	var hosts []page.Host
	if a.Patterns() {
		if hosts, err = met(); err != nil {
			return err
		}
		for _, e := range r.Table.All() {
			if replica.IsHost(e.From) {
				hosts = append(hosts, page.Host(e.From))
			}
		}
		slices.Sort(hosts)
		hosts = slices.Compact(hosts)
		x.aliases = a
		for _, h := range hosts {
			x.asked[h] = struct{}{}
		}
	}
	t, err := a.Table(hosts, byPlan())
	if err != nil {
		return fmt.Errorf("copies.aliases: %w", err)
	}
	for _, e := range t.All() {
		if holds(r.Table, &e) {
			continue
		}
		if err := r.Table.Turn(e, byPlan()); err != nil {
			return fmt.Errorf("copies.aliases: %w", err)
		}
	}
	r.rules = x
	return nil
}
