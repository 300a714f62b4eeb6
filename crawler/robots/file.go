package robots

import (
	"encoding/json"
	"fmt"
	"time"

	"watershed/page"
)

// File is the robots.txt of an origin, as it was fetched. It is not changed once it was made.
type File struct {
	Origin  string    // scheme and host, "https://example.org:8443"
	URL     page.URL  // where it was found, after redirects
	Status  int       // of the last answer, or one of the page.Status constants
	Cause   string    // what Status means for the rules; "" for a robots.txt that was read
	Fetched time.Time // of the Rules; zero when there are none
	Until   time.Time // then it is to be fetched again
	Failing time.Time // since when it could not be reached; zero when it could
	Tries   int       // without success since then
	Rules   *Rules    // nil while nothing may be fetched
}

// Origin is the key under which a URL's robots.txt is kept.
func Origin(u page.URL) string { return u.Scheme() + "://" + string(u.Host()) }

// stored is the form in which a File is kept: JSON, the rules as the lines that are theirs.
type stored struct {
	Origin   string    `json:"origin"`
	URL      page.URL  `json:"url,omitempty"`
	Status   int       `json:"status"`
	Cause    string    `json:"cause,omitempty"`
	Fetched  time.Time `json:"fetched,omitzero"`
	Until    time.Time `json:"until"`
	Failing  time.Time `json:"failing,omitzero"`
	Tries    int       `json:"tries,omitempty"`
	Known    bool      `json:"known"`
	Agent    string    `json:"agent,omitempty"`
	Delay    int64     `json:"delayMs,omitempty"`
	Sitemaps []string  `json:"sitemaps,omitempty"`
	Rules    []lineOf  `json:"rules,omitempty"`
}

type lineOf struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// MarshalBinary makes the form in which a File can be stored, of about the size of the rules that
// concern us. The File that UnmarshalBinary reads from it judges every URL as f does.
func (f *File) MarshalBinary() ([]byte, error) {
	s := stored{
		Origin: f.Origin, URL: f.URL, Status: f.Status, Cause: f.Cause, Fetched: f.Fetched.UTC(),
		Until:   f.Until.UTC(),
		Failing: f.Failing.UTC(), Tries: f.Tries, Known: f.Rules != nil,
	}
	if r := f.Rules; r != nil {
		s.Agent, s.Delay, s.Sitemaps = r.agent, r.delay.Milliseconds(), r.sitemaps
		for _, rule := range r.rules {
			s.Rules = append(s.Rules, lineOf{rule.number, rule.text})
		}
	}
	return json.Marshal(s)
}

// UnmarshalBinary reads the form that MarshalBinary makes.
func (f *File) UnmarshalBinary(b []byte) error {
	var s stored
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("read stored robots.txt: %w", err)
	}
	*f = File{
		Origin: s.Origin, URL: s.URL, Status: s.Status, Cause: s.Cause, Fetched: s.Fetched, Until: s.Until,
		Failing: s.Failing, Tries: s.Tries,
	}
	if !s.Known {
		return nil
	}
	g := group{agent: s.Agent, there: true}
	for _, l := range s.Rules {
		parsed, ok := parseLine(l.Text)
		if !ok || parsed.field != allow && parsed.field != disallow {
			return fmt.Errorf("read stored robots.txt of %s: line %d is no rule: %.80q", s.Origin,
				l.Line, l.Text)
		}
		parsed.number = l.Line
		g.rule(parsed)
	}
	f.Rules = g.close(nil)
	f.Rules.delay, f.Rules.sitemaps = time.Duration(s.Delay)*time.Millisecond, s.Sitemaps
	return nil
}

// size is about the memory of a File, in bytes.
func (f *File) size() int {
	n := 512 + len(f.Origin) + len(f.URL)
	if f.Rules != nil {
		for i := range f.Rules.rules {
			r := &f.Rules.rules[i]
			n += 96 + len(r.text) + r.octets + 16*len(r.parts)
		}
		for _, s := range f.Rules.sitemaps {
			n += 16 + len(s)
		}
	}
	return n
}
