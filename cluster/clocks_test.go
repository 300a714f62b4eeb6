package cluster

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestJudge: a clock is wrong where more than half of all nodes say so, and agree, for some time.
func TestJudge(t *testing.T) {
	for _, tc := range []struct {
		name  string
		nodes string // with this one, a
		ahead map[string]time.Duration
		wrong string // "" for a right clock
		told  string
	}{
		{"all agree", "abc", map[string]time.Duration{"b": 0, "c": time.Second}, "", ""},
		{
			"behind two", "abc",
			map[string]time.Duration{"b": time.Minute, "c": time.Minute},
			"1m0s behind", "",
		},
		{
			"ahead of two", "abc",
			map[string]time.Duration{"b": -time.Minute, "c": -time.Hour + 59*time.Minute},
			"1m0s ahead of", "",
		},
		{"another is wrong", "abc", map[string]time.Duration{"b": 0, "c": time.Minute}, "", "c by 1m0s"},
		{"one against one", "abc", map[string]time.Duration{"b": time.Minute}, "", "b by 1m0s"},
		{
			"three times", "abc",
			map[string]time.Duration{"b": time.Minute, "c": -time.Minute},
			"",
			"b by 1m0s, c by -1m0s",
		},
		{
			"strangers", "abc",
			map[string]time.Duration{"x": time.Hour, "y": time.Hour, "a": time.Hour},
			"", "",
		},
		{
			"three of five", "abcde",
			map[string]time.Duration{"b": 0, "c": time.Hour, "d": time.Hour, "e": time.Hour},
			"1h0m0s behind", "",
		},
		{
			"two of five", "abcde",
			map[string]time.Duration{"b": 0, "c": 0, "d": time.Hour, "e": time.Hour},
			"",
			"d by 1h0m0s, e by 1h0m0s",
		},
	} {
		now := time.Now()
		c := &clocks{
			own: "a", others: strings.Split(tc.nodes, "")[1:], heard: map[string]reading{}, list: "l",
		}
		for name, d := range tc.ahead {
			c.hear(fmt.Sprint(name, " ", now.Add(d).UnixNano(), " l"), now)
		}
		for i := range mostWrong {
			told, err := c.judge(now)
			if i < mostWrong-1 && err != nil {
				t.Errorf("%s: believed after %d times", tc.name, i+1)
			}
			if i < mostWrong-1 {
				continue
			}
			if told != tc.told || (tc.wrong != "") != errors.Is(err, ErrClock) ||
				err != nil && !strings.Contains(err.Error(), "node a: the clock is wrong: it is "+tc.wrong) {
				t.Errorf("%s: %q, %v", tc.name, told, err)
			}
		}
		if _, err := c.judge(now.Add(clockLife)); err != nil {
			t.Errorf("%s: by readings of nodes that are gone: %v", tc.name, err)
		}
	}
}

// TestOtherwise: nodes that know of other nodes than this one, or of other addresses, are named for as
// long as they say so, in whatever order their lists are.
func TestOtherwise(t *testing.T) {
	own := []Node{{"a", "a:1", "a:2"}, {"b", "b:1", "b:2"}, {"c", "c:1", "c:2"}}
	now := time.Now()
	c := &clocks{own: "a", list: listed(own), unlike: map[string]time.Time{}}
	says := func(name string, at time.Time, nodes ...Node) string {
		c.hear(fmt.Sprintf("%s %d %s", name, at.UnixNano(), listed(nodes)), at)
		return c.otherwise(at)
	}
	moved := Node{"c", "c:1", "c:3"}
	for _, tc := range []struct {
		name  string
		after time.Duration
		nodes []Node
		want  string
	}{
		{"b", 0, []Node{own[2], own[0], own[1]}, ""},
		{"b", 0, []Node{own[0], own[1], moved}, "b"},
		{"x", 0, []Node{own[0], own[1], {"x", "x:1", "x:2"}}, "b, x"},
		{"b", 0, own, "x"},
		{"b", clockLife, own, ""},
		{"a", clockLife, nil, ""}, // its own words
	} {
		if said := says(tc.name, now.Add(tc.after), tc.nodes...); said != tc.want {
			t.Errorf("%s says %v: otherwise at %q, want %q", tc.name, tc.nodes, said, tc.want)
		}
	}
	for i := range 2 * mostUnlike {
		says(fmt.Sprint("n", i), now.Add(clockLife))
	}
	if n := len(c.unlike); n != mostUnlike {
		t.Errorf("%d strangers are remembered", n)
	}
}

// TestDoubt: a clock is wrong when it is found so all the time; two leaders whose clocks are wrong for a
// short time each, half a minute apart, say nothing of it.
func TestDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d doubts
		for range 5 {
			if d.add(ErrClock) {
				t.Error("believed after single readings")
			}
			time.Sleep(leaseTime + time.Second)
		}
		wrong := false
		for range doubtTime/renewTime + 2 {
			wrong = d.add(ErrClock)
			time.Sleep(renewTime)
		}
		if !wrong {
			t.Error("not believed after a row of them")
		}
	})
}
