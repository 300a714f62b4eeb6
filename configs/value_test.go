package configs

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseDuration(t *testing.T) {
	tests := []struct {
		in, out string // out "" for an error
		want    time.Duration
	}{
		{"0", "0s", 0},
		{"500ms", "500ms", 500 * time.Millisecond},
		{"2s", "2s", 2 * time.Second},
		{"1h30m", "1h30m", 90 * time.Minute},
		{"90m", "1h30m", 90 * time.Minute},
		{"1.5h", "1h30m", 90 * time.Minute},
		{"3d", "3d", 72 * time.Hour},
		{"72h", "3d", 72 * time.Hour},
		{"2w", "14d", 14 * day},
		{"1.5d", "1d12h", 36 * time.Hour},
		{"0.3d", "7h12m", 432 * time.Minute},
		{"1w2d3h", "9d3h", 219 * time.Hour},
		{"250µs", "250us", 250 * time.Microsecond},
		{" 2s ", "2s", 2 * time.Second},
		{"", "", 0},
		{"2", "", 0},
		{"5dm", "", 0},
		{"36501d", "", 0},
		{"-2s", "", 0},
		{"+2s", "", 0},
		{"1h-2s", "", 0},
		{"1.2.3d", "", 0},
		{"99999w", "", 0},
		{"2 s", "", 0},
		{"s", "", 0},
		{"1.2.3s", "", 0},
		{"2parsecs", "", 0},
		{"200000w", "", 0},
		{"1e3s", "", 0},
	}
	for _, tt := range tests {
		d, err := ParseDuration(tt.in)
		if (err == nil) != (tt.out != "") || err == nil && (d.Std() != tt.want || d.String() != tt.out) {
			t.Errorf("ParseDuration(%q) = %s, %v; want %q", tt.in, d, err, tt.out)
		}
	}
}

func TestParseSize(t *testing.T) {
	tests := []struct {
		in, out string // out "" for an error
		want    Size
	}{
		{"0", "0B", 0},
		{"20GB", "20GB", 20_000_000_000},
		{"5GiB", "5GiB", 5 << 30},
		{"64 kib", "64KiB", 64 << 10},
		{"1.5MB", "1500kB", 1_500_000},
		{"1_000", "1kB", 1000},
		{"1025", "1025B", 1025},
		{"1000KiB", "1024kB", 1_024_000},
		{"2TB", "2TB", 2_000_000_000_000},
		{"", "", 0},
		{"GB", "", 0},
		{"-1GB", "", 0},
		{"1.5B", "", 0},
		{"3 apples", "", 0},
		{"20k", "", 0},
		{"9999999TB", "", 0},
	}
	for _, tt := range tests {
		s, err := ParseSize(tt.in)
		if (err == nil) != (tt.out != "") || err == nil && (s != tt.want || s.String() != tt.out) {
			t.Errorf("ParseSize(%q) = %s, %v; want %q", tt.in, s, err, tt.out)
		}
	}
}

// A value that is written is read as the same value, and the schema's pattern agrees with the
// parser.
func TestScalarsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Duration(rapid.Int64Range(0, int64(20*52*7*day)).Draw(t, "span"))
		text, _ := d.MarshalText() // never fails
		var again Duration
		if err := again.UnmarshalText(text); err != nil || again != d {
			t.Fatalf("%d ns is written %s, read as %d, %v", d, text, again, err)
		}
		s := Size(rapid.Int64Range(0, 1<<50).Draw(t, "size"))
		text, _ = s.MarshalText() // never fails
		var size Size
		if err := size.UnmarshalText(text); err != nil || size != s {
			t.Fatalf("%d bytes are written %s, read as %d, %v", s, text, size, err)
		}
	})
}

func TestNearest(t *testing.T) {
	words := []string{"min_delay", "max_delay", "delay_factor", "robots", "hosts", "seeds", "url"}
	for _, tt := range []struct{ in, want string }{
		{"min_dealy", "min_delay"},
		{"min-delay", "min_delay"},
		{"MinDelay", "min_delay"},
		{"robot", "robots"},
		{"seed", "seeds"},
		{"uri", "url"},
		{"proxy", ""},
		{"", ""},
		{strings.Repeat("x", 100), ""},
	} {
		if got := nearest(tt.in, words); got != tt.want {
			t.Errorf("nearest(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// The distance is a metric where it is exact, but for the triangle inequality, which swaps of
// neighbours break.
func TestDistance(t *testing.T) {
	word := rapid.StringMatching(`[abc]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := distance(a, b, 99)
		if d != distance(b, a, 99) || (d == 0) != (a == b) || d > max(len(a), len(b)) {
			t.Errorf("distance(%q, %q) = %d, the other way %d", a, b, d, distance(b, a, 99))
		}
	})
}

// TestUserInURL: an address that would log in is refused without telling the password, and so is a
// proxy whose password the copies of the file would hold.
func TestUserInURL(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"seed": {
			`sites: [{name: a, seeds: ["http://ann:hunter2@a.example/"]}]`,
			"user name or a password",
		},
		"characteristic": {
			`sites: [{name: a, seeds: ["http://a.example/"], characteristic: ` +
				`["http:\\\\ann:hunter2@a.example"]}]`, "user name or a password",
		},
		"rule": {
			`sites: [{name: a, seeds: ["http://a.example/"], include: ` +
				`["prefix:http://ann:hunter2@a.example/"]}]`, "user name or a password",
		},
		"proxy": {`sites: [{name: a, seeds: ["http://a.example/"]}]
network: {proxy: "socks5://ann:hunter2@h"}`, "no address of an HTTP proxy"},
		"proxy by escapes": {`sites: [{name: a, seeds: ["http://a.example/"]}]
network: {proxy: "http:\x2f/ann:hun\x74er2@h"}`, "copies of this file would hold them"},
		"proxy with a quote": {`sites: [{name: a, seeds: ["http://a.example/"]}]
network: {proxy: "http://ann:h'unter2@h:1"}`, "copies of this file would hold them"},
	} {
		_, err := Parse("a.yaml",
			[]byte("harvest: a\noperator: {name: A, contact: \"mailto:a@a.example\"}\n"+c.text+"\n"))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
