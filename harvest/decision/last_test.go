package decision

import (
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestLast: lists that tell one home the last on each subject, and hear it from there, come to the same,
// whatever was decided in which of them, and whenever they tell it: the latest holds.
func TestLast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lists := make([]List, 3)
		latest := map[string]Last{}
		home := map[string]Last{}
		tell := func(l *List) {
			known := ByKey(l.ForEach())
			for key, x := range known {
				if old, there := home[key]; there && x.Replaces(&old) || !there && x.End == nil {
					home[key] = x
				}
			}
			for key, x := range home {
				if old, there := known[key]; there && x.Replaces(&old) || !there && x.End == nil {
					l.Take(x)
				}
			}
		}
		for second := range rapid.IntRange(1, 20).Draw(t, "steps") {
			l := &lists[rapid.IntRange(0, 2).Draw(t, "list")]
			host := rapid.SampledFrom([]string{"host:a.example", "host:b.example"}).Draw(t, "rule")
			d := Decision{
				Do:   rapid.SampledFrom([]string{In, Out, Exclude}).Draw(t, "what"),
				Rule: rule(t, host), Time: time.Unix(int64(second+1), 0),
			}
			if rapid.Bool().Draw(t, "hears") {
				tell(l)
			}
			if found := l.Find(d); found != nil && rapid.Bool().Draw(t, "withdraw") {
				end := Change{Time: d.Time}
				latest[d.Key()] = Last{*found, &end}
				if err := l.Withdraw(d, end); err != nil {
					t.Fatal(err)
				}
			} else if changed, err := l.Put(d); err != nil {
				t.Fatal(err)
			} else if changed {
				latest[d.Key()] = Last{Decision: d}
			}
		}
		for range 3 {
			for i := range lists {
				tell(&lists[i])
			}
		}
		for i := range lists {
			if err := lists[i].Validate(); err != nil {
				t.Fatal(err)
			}
			holds := map[string]string{}
			for _, d := range lists[i].Decisions {
				holds[d.Key()] = d.Do
			}
			want := map[string]string{}
			for key, x := range latest {
				if x.End == nil {
					want[key] = x.Do
				}
			}
			if !maps.Equal(holds, want) {
				t.Fatalf("list %d: %v hold, and not %v", i, holds, want)
			}
			inTime := func(x, y Decision) int { return x.Time.Compare(y.Time) }
			if !slices.IsSortedFunc(lists[i].Decisions, inTime) {
				t.Fatalf("list %d is not in order: %v", i, lists[i].Decisions)
			}
		}
	})
}

// TestClockBehind: a decision holds that was made when another one on its subject was known, or that was
// withdrawn, though the clock of whoever made that is ahead; the order is that in which they were made.
func TestClockBehind(t *testing.T) {
	ahead := time.Date(2026, 1, 1, 12, 0, 20, 0, time.UTC)
	behind := ahead.Add(-20 * time.Second)
	rule, err := RuleOf("host:a.example", false)
	if err != nil {
		t.Fatal(err)
	}
	there, l := Last{Decision: Decision{Do: Out, Rule: rule, By: "a", Time: ahead}}, &List{}
	l.Take(there)
	for _, do := range []string{In, Out} {
		if _, err := l.Put(Decision{Do: do, Rule: rule, By: "b", Time: behind}); err != nil {
			t.Fatal(err)
		}
		made := l.ForEach()[0]
		if !made.Replaces(&there) {
			t.Errorf("%s, and it is not later than %s", &made.Decision, &there.Decision)
		}
		if err := l.Withdraw(made.Decision, Change{By: "b", Time: behind}); err != nil {
			t.Fatal(err)
		}
		if there = l.ForEach()[0]; there.End == nil || !there.Replaces(&made) {
			t.Errorf("%s is not withdrawn: %+v", &made.Decision, there.End)
		}
		l = &List{}
		l.Take(there)
	}
}
