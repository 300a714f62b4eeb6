package robots

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"watershed/page"
)

// File is the robots.txt of an origin, as it was fetched. It is not changed once it was made.
type File struct {
	Origin  string    // scheme and host, "https://example.org:8443"
	URL     page.URL  // where it was found, after redirects
	Status  int       // of the last answer, or one of the page.Status constants
	Cause   string    // what Status means for the rules; "" for a robots.txt that was read whole
	Fetched time.Time // of the Rules; zero when there are none
	Until   time.Time // then it is to be fetched again
	Failing time.Time // since when it could not be reached; zero when it could
	Tries   int       // without success since then
	Rules   *Rules    // nil while nothing may be fetched
}

// read reports that the rules come from a robots.txt, perhaps one that cannot be reached now, and are
// not assumed for want of one.
func (f *File) read() bool {
	return f.Rules != nil && !f.Fetched.IsZero() && (f.Status/100 == 2 || !f.Failing.IsZero())
}

// Origin is the key under which a URL's robots.txt is kept.
func Origin(u page.URL) string { return u.Scheme() + "://" + string(u.Host()) }

// stored is the JSON of the form in which a File is kept: see MarshalBinary. Earlier forms have the
// lists in it.
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
	Lists    bool      `json:"lists,omitempty"` // site maps and rules follow in a line of their own
	Sitemaps []string  `json:"sitemaps,omitempty"`
	Rules    []lineOf  `json:"rules,omitempty"`
}

type lineOf struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// MarshalBinary makes the form in which a File can be stored: a line of JSON, then the site maps and
// the rules that concern us, each after its length, rules also after the number of their line beyond
// that of the rule before. The lists take three bytes more than each text. The File that
// UnmarshalBinary reads from it judges every URL as f does.
func (f *File) MarshalBinary() ([]byte, error) {
	s := stored{
		Origin: f.Origin, URL: f.URL, Status: f.Status, Cause: f.Cause, Fetched: f.Fetched.UTC(),
		Until:   f.Until.UTC(),
		Failing: f.Failing.UTC(), Tries: f.Tries, Known: f.Rules != nil,
	}
	r := f.Rules
	if r == nil {
		return json.Marshal(s)
	}
	s.Agent, s.Delay, s.Lists = r.agent, r.delay.Milliseconds(), true
	b, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	b = binary.AppendUvarint(append(b, '\n'), uint64(len(r.sitemaps)))
	for _, u := range r.sitemaps {
		b = appendText(b, u)
	}
	last := 0
	for i := range r.rules {
		b = appendText(binary.AppendVarint(b, int64(r.rules[i].number-last)), r.rules[i].text)
		last = r.rules[i].number
	}
	return b, nil
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// lists reads what follows the line of JSON.
func (s *stored) lists(b []byte) error {
	r := bytes.NewReader(b)
	text := func() (string, error) {
		n, err := binary.ReadUvarint(r)
		if err != nil || n > uint64(r.Len()) {
			return "", errCut
		}
		part := b[len(b)-r.Len():][:n]
		_, err = r.Seek(int64(n), io.SeekCurrent)
		return string(part), err
	}
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return errCut
	}
	for ; n > 0; n-- {
		u, err := text()
		if err != nil {
			return err
		}
		s.Sitemaps = append(s.Sitemaps, u)
	}
	for last := int64(0); r.Len() > 0; {
		step, err := binary.ReadVarint(r)
		if err != nil {
			return errCut
		}
		last += step
		rule, err := text()
		if err != nil {
			return err
		}
		s.Rules = append(s.Rules, lineOf{int(last), rule})
	}
	return nil
}

var errCut = errors.New("it is cut off")

// UnmarshalBinary reads the form that MarshalBinary makes.
func (f *File) UnmarshalBinary(b []byte) error {
	var s stored
	head, lists, _ := bytes.Cut(b, []byte{'\n'})
	err := json.Unmarshal(head, &s)
	if err == nil && s.Lists {
		err = s.lists(lists)
	}
	if err != nil {
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
