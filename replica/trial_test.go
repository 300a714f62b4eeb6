package replica

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"watershed/page"
)

func TestTrial(t *testing.T) {
	e := confirmed("m.example", "w.example")
	stand := func(u page.URL) (page.URL, bool) { return e.Stand(u), true }
	// "": not fetched; "404", "dns", ">": a redirect; else the text of the page
	type answer struct{ mirror, original string }
	visit := func(host, text string, i int) *page.Visit {
		v := &page.Visit{
			URL: page.URL(fmt.Sprintf("http://%s/%d", host, i)), Status: 200, Title: text,
			Digest: page.SumDigest([]byte(text + host)),
		}
		switch text {
		case "404":
			v.Status = 404
		case "dns":
			v.Status = page.StatusDNS
		case ">":
			v.Status = 301
			v.Links = []page.Link{{Kind: page.Redirect, URL: page.URL(fmt.Sprintf("http://w.example/%d", i))}}
		}
		return v
	}
	same, other := answer{"a", "a"}, answer{"a", "b"}
	for _, c := range []struct {
		name    string
		answers []answer
		want    []Verdict
	}{
		{
			"agrees",
			[]answer{same, same, same},
			[]Verdict{{"m.example", true, Evidence{Tested: 3, Agreed: 3, Resemblance: 1}}},
		},
		{
			"one of three differs",
			[]answer{same, other, same},
			[]Verdict{{"m.example", true, Evidence{Tested: 3, Agreed: 2, Resemblance: 2. / 3}}},
		},
		{
			"two of three differ",
			[]answer{other, same, other},
			[]Verdict{{"m.example", false, Evidence{Tested: 3, Agreed: 1, Resemblance: 1. / 3}}},
		},
		{
			"told as soon as nothing can change it",
			[]answer{other, other, {}},
			[]Verdict{{"m.example", false, Evidence{Tested: 2}}},
		},
		{"waits for the last", []answer{same, same, {"a", ""}}, nil},
		{
			"what the mirror has no more is not lost",
			[]answer{{"404", "a"}, same, {"dns", "a"}},
			[]Verdict{{"m.example", true, Evidence{Tested: 1, Agreed: 1, Resemblance: 1}}},
		},
		{
			"what the mirror alone has is",
			[]answer{{"a", "404"}, {"a", "dns"}, same},
			[]Verdict{{"m.example", false, Evidence{Tested: 2}}},
		},
		{
			"a mirror that leads to the original",
			[]answer{{">", "a"}, {">", "404"}, {">", "a"}},
			[]Verdict{{"m.example", true, Evidence{Tested: 3, Agreed: 3, Resemblance: 1}}},
		},
		{"nothing could be compared", []answer{{"404", "404"}, {"dns", "a"}, {"404", "a"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			trial := NewTrial(Options{}, func(a, b *page.Visit) float64 {
				if a.Title == b.Title {
					return 1
				}
				return 0
			})
			var sample []page.URL
			for i := range c.answers {
				sample = append(sample, page.URL(fmt.Sprintf("http://m.example/%d", i)))
			}
			trial.Add("m.example", sample, nil, stand)
			if n := len(trial.Wants()); n != 2*len(sample) {
				t.Errorf("wants %d pages", n)
			}
			for i, a := range c.answers {
				if a.mirror != "" {
					trial.Learn(visit("m.example", a.mirror, i))
				}
				if a.original != "" {
					trial.Learn(visit("w.example", a.original, i))
				}
			}
			if d := cmp.Diff(c.want, trial.Verdicts()); d != "" {
				t.Error(d)
			}
			if trial.Wants() != nil || trial.Verdicts() != nil {
				t.Error("told twice")
			}
		})
	}
}

// A sample in which some differ calls the reserve; one in which all agree does not.
func TestTrialReserve(t *testing.T) {
	e := confirmed("m.example", "w.example")
	stand := func(u page.URL) (page.URL, bool) { return e.Stand(u), true }
	for _, c := range []struct {
		name           string
		differ         func(i int) bool
		fetched, agree int
		verdict        bool
	}{
		{"all agree", func(int) bool { return false }, 3, 3, true},
		{"one by chance", func(i int) bool { return i == 1 }, 15, 14, true},
		{"every other", func(i int) bool { return i%2 == 0 }, 15, 0, false},
		{"all differ", func(int) bool { return true }, 15, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			trial := NewTrial(Options{}, func(a, b *page.Visit) float64 {
				if a.Title == b.Title {
					return 1
				}
				return 0
			})
			var pages []page.URL
			for i := range 15 {
				pages = append(pages, page.URL(fmt.Sprintf("http://m.example/%d", i)))
			}
			trial.Add("m.example", pages[:3], pages[3:], stand)
			fetched := 0
			var verdicts []Verdict
			for wants := trial.Wants(); len(wants) > 0; wants = trial.Wants() {
				for _, u := range wants {
					v := &page.Visit{URL: u, Status: 200}
					if u.Host() == "m.example" {
						fetched++
						var i int
						if _, err := fmt.Sscanf(string(u), "http://m.example/%d", &i); err != nil {
							t.Fatal(err)
						}
						if c.differ(i) {
							v.Title = "other"
						}
					}
					trial.Learn(v)
				}
				verdicts = append(verdicts, trial.Verdicts()...)
			}
			if len(verdicts) != 1 || verdicts[0].Agrees != c.verdict ||
				c.verdict && verdicts[0].Evidence.Agreed != c.agree || fetched > c.fetched {
				t.Errorf("fetched %d, verdicts %+v", fetched, verdicts)
			}
		})
	}
}
