package decision

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"watershed/page"
)

func rule(t interface {
	Helper()
	Fatal(...any)
}, text string,
) page.Rule {
	t.Helper()
	r, err := page.ParseRule(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestLastOneHolds(t *testing.T) {
	var l List
	for _, d := range []Decision{
		{Do: In, Rule: rule(t, "prefix:http://a.example/"), By: "anna"},
		{Do: Out, Rule: rule(t, "url:http://a.example/x"), Site: "one", By: "anna"},
		{Do: Alpha, Alpha: 0.5},
		{Do: Alpha, Alpha: 0.2, Site: "one"},
		{Do: Exclude, Rule: rule(t, "host:b.example")},
		{Do: Exclude, Rule: rule(t, "host:b.example"), Site: "one"},
		{Do: Soft, Rule: rule(t, "prefix:http://a.example/"), By: "berta", Note: "not that sure"},
	} {
		if changed, err := l.Put(d); err != nil || !changed {
			t.Fatalf("%s: %v %v", d.String(), changed, err)
		}
	}
	if changed, err := l.Put(Decision{
		Do: Soft, Rule: rule(t, "prefix:http://a.example/"),
		By: "carla",
	}); changed || err != nil {
		t.Errorf("the same again: %v %v", changed, err)
	}
	if len(l.Withdrawn) != 1 || l.Withdrawn[0].Do != In || l.Withdrawn[0].End.By != "berta" ||
		l.Withdrawn[0].End.Note != "replaced by soft" {
		t.Errorf("withdrawn %+v", l.Withdrawn)
	}
	one, two := l.Of("one"), l.Of("two")
	if len(one.Pins) != 2 || one.Pins[0].Do != Out || one.Pins[1].Do != Soft || one.Alpha != 0.2 ||
		len(one.Exclude) != 1 {
		t.Errorf("one: %+v", one)
	}
	if len(two.Pins) != 1 || two.Alpha != 0.5 || len(two.Exclude) != 1 || len(l.Barred()) != 1 {
		t.Errorf("two: %+v, barred %v", two, l.Barred())
	}
	if about := l.About("one", "http://a.example/x"); len(about) != 2 || about[0].Do != Soft {
		t.Errorf("about: %+v", about)
	}
	if about := l.About("two", "http://b.example/"); len(about) != 1 || about[0].Do != Exclude ||
		about[0].Site != "" {
		t.Errorf("about: %+v", about)
	}
	// whatever pin it is
	if err := l.Withdraw(Decision{Do: In, Rule: rule(t, "prefix:http://a.example/")},
		Change{By: "dora"}); err != nil {
		t.Error(err)
	}
	if err := l.Withdraw(Decision{Do: Alpha, Site: "two"}, Change{}); !errors.Is(err, ErrUnknown) {
		t.Errorf("nothing there: %v", err)
	}
	if got, want := l.Decisions[0].String(), "out url:http://a.example/x for site one, by anna"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestValidate(t *testing.T) {
	r := rule(t, "host:a.example")
	for _, d := range []Decision{
		{},
		{Do: "maybe", Rule: r},
		{Do: In},
		{Do: Alpha},
		{Do: Alpha, Alpha: -1},
		{Do: Alpha, Alpha: 1e9},
		{Do: Alpha, Alpha: 1, Rule: r},
		{Do: Out, Rule: r, Alpha: 1},
		{Do: Out, Rule: r, Note: strings.Repeat("x", 501)},
		{Do: Out, Rule: r, By: "a\r\nWARC-Type: x"},
	} {
		if err := d.Validate(); !errors.Is(err, ErrDecision) {
			t.Errorf("%+v: %v", d, err)
		}
		if _, err := new(List).Put(d); !errors.Is(err, ErrDecision) {
			t.Errorf("put %+v: %v", d, err)
		}
	}
	l := List{Decisions: []Decision{{Do: Out, Rule: r}}}
	for _, c := range []Change{{Note: strings.Repeat("x", 501)}, {By: "a\r\nb"}} {
		if err := l.Withdraw(l.Decisions[0], c); !errors.Is(err, ErrDecision) {
			t.Errorf("withdraw, %+v: %v", c, err)
		}
	}
}

func TestRead(t *testing.T) {
	l, err := Read([]byte("version: 1\ndecisions:\n  - do: exclude\n    rule: " +
		"prefix:http://A.example/a/../b/\n    time: 2026-11-21\n    by: anna\n"))
	if err != nil || len(l.Decisions) != 1 || l.Decisions[0].Rule.String() != "prefix:http://a.example/b/" ||
		l.Decisions[0].Time.Day() != 21 {
		t.Errorf("by hand: %+v %v", l, err)
	}
	for text, want := range map[string]string{
		"":              "version is 0, not 1",
		"decisions: []": "version is 0", "version: 2": "version is 2",
		"version: 1\ndecision: []": `unknown field "decision"`, "{": "no decision",
		"version: 1\ndecisions: [{do: in, rule: " +
			"nonsense}]": "decision 1: rule",
		"version: 1\ndecisions: [{do: alpha, alpha: 1}, {do: alpha, " +
			"alpha: 0.2}]": "decision 2: no decision: alpha for each site was decided before",
		"version: 1\ndecisions: [{do: alpha, alpha: 1, " +
			"time: now}]": "is no time",
		"version: 1\nwithdrawn: [{do: alpha, alpha: 1, end: " +
			"{time: then}}]": "withdrawn decision 1",
		"version: 1\ndecisions: [{do: in, rule: \"url:http://a.example/\", site: one, " +
			"colour: red}]": "unknown field",
	} {
		if _, err := Read([]byte(text)); !errors.Is(err, ErrDecision) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// drawList makes some decisions and takes some back.
func drawList(t *rapid.T) *List {
	l := &List{}
	at := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for i := range rapid.IntRange(0, 12).Draw(t, "decisions") {
		d := Decision{
			Do:   rapid.SampledFrom([]string{In, Out, Soft, Exclude, Alpha}).Draw(t, "do"),
			Site: rapid.SampledFrom([]string{"", "one", "true", "- x: y #"}).Draw(t, "site"),
			By:   rapid.StringMatching(`[ -~ä]{0,20}`).Draw(t, "by"),
			Note: rapid.StringMatching(`[ -~ü]{0,20}`).Draw(t, "note"),
			Time: at.Add(time.Duration(i) * time.Minute),
		}
		if d.Do == Alpha {
			d.Alpha = rapid.Float64Range(LeastAlpha, MostAlpha).Draw(t, "alpha")
		} else {
			d.Rule = rule(t,
				rapid.SampledFrom([]string{
					"url:http://a.example/", "host:*.a.example", `regex:/x\d+"'$`,
					"surt:org,example)/",
				}).Draw(t, "rule"))
		}
		if rapid.IntRange(0, 3).Draw(t, "withdraw") == 0 {
			if err := l.Withdraw(d, Change{By: d.By, Time: d.Time, Note: d.Note}); err != nil &&
				!errors.Is(err, ErrUnknown) {
				t.Fatal(err)
			}
		} else if _, err := l.Put(d); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// TestRoundTrip: what is written reads back equal, and the difference of two lists leads from one
// to the other.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawList(t)
		var b bytes.Buffer
		if err := l.Write(&b); err != nil {
			t.Fatal(err)
		}
		again, err := Read(b.Bytes())
		if err != nil {
			t.Fatalf("%v\n%s", err, b.Bytes())
		}
		same := cmp.Options{cmpopts.EquateEmpty()}
		if d := cmp.Diff(describe(l), describe(again), same); d != "" {
			t.Fatalf("%s\n%s", d, b.Bytes())
		}
		other := drawList(t)
		put, withdrawn := Difference(l, other)
		for _, d := range withdrawn {
			if err := l.Withdraw(d, Change{}); err != nil {
				t.Fatal(err)
			}
		}
		for _, d := range put {
			if changed, err := l.Put(d); err != nil || !changed {
				t.Fatalf("%s: %v %v", d.String(), changed, err)
			}
		}
		if p, w := Difference(l, other); len(p)+len(w) > 0 {
			t.Fatalf("still to put %v, to withdraw %v", p, w)
		}
	})
}

// describe tells all of a list in lines.
func describe(l *List) (lines []string) {
	for i := range l.Decisions {
		lines = append(lines, l.Decisions[i].String())
	}
	for _, w := range l.Withdrawn {
		lines = append(lines, w.Decision.String()+" ended "+w.End.Time.String()+w.End.By+w.End.Note)
	}
	return lines
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("version: 1\ndecisions: [{do: in, rule: \"url:http://a.example/\"}]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := Read(text)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := l.Write(&b); err != nil {
			t.Fatal(err)
		}
		again, err := Read(b.Bytes())
		if err != nil {
			t.Fatalf("%v\n%s", err, b.Bytes())
		}
		if d := cmp.Diff(describe(l), describe(again)); d != "" {
			t.Fatal(d)
		}
	})
}

func TestRuleOf(t *testing.T) {
	for _, tt := range []struct {
		text  string
		below bool
		want  string
	}{
		{"http://A.example/x", false, "url:http://a.example/x"},
		{" https://a.example/x/ ", true, "prefix:https://a.example/x/"},
		{"domain:a.example", true, "domain:a.example"},
		{"a.example", false, ""},
		{"", false, ""},
	} {
		if r, err := RuleOf(tt.text, tt.below); r.String() != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%q: %s %v, want %q", tt.text, r, err, tt.want)
		}
	}
}
