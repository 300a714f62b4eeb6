package copies

import (
	"testing"

	"watershed/page"
	"watershed/replica"
)

// TestSiblings: where single pages are not asked for, one is left out for that of another copy of its
// original alone, and only if copies are left out at all.
func TestSiblings(t *testing.T) {
	table := new(replica.Table)
	for from, to := range map[string]string{
		"m.example": "www.example", "n.example": "www.example", "o.example": "other.example",
	} {
		if err := table.Put(replica.Entry{From: from, To: to, State: replica.Confirmed}); err != nil {
			t.Fatal(err)
		}
	}
	const u = "http://m.example/1"
	for _, c := range []struct {
		stand  page.URL
		single float64
		skip   []int
		want   page.URL
	}{
		{stand: "http://n.example/1", want: "http://n.example/1"},
		{stand: "http://n.example/1", skip: []int{}},
		{stand: "http://n.example/2", want: "http://www.example/1"},
		{stand: "http://o.example/1", want: "http://www.example/1"},
		{stand: "http://p.example/1", want: "http://www.example/1"},
		{stand: "http://p.example/1", single: .8, want: "http://p.example/1"},
	} {
		s := stands{
			Table: table, Singles: map[page.URL]Single{u: {Stand: c.stand}},
			opt: Options{Single: c.single, Table: replica.Options{Skip: c.skip}}.withDefaults(),
		}
		if x, ok := s.of(u); ok != (c.want != "") || ok && x.stand != c.want || ok && x.level < DefaultLevel {
			t.Errorf("%+v: %v, %+v", c, ok, x)
		}
	}
}
