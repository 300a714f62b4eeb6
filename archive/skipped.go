package archive

import (
	"encoding/json"
	"fmt"
	"time"

	"watershed/page"
)

// Reason says why a URL that was known was not archived. The words are those of Browsertrix'
// skippedPages.jsonl where it has one, so that its readers understand ours.
type Reason string

const (
	ReasonOutOfScope Reason = "outOfScope"              // the boundary, or no rule that takes it in
	ReasonExcluded   Reason = "outOfScopeUserExclusion" // a rule of the archivist
	ReasonRobots     Reason = "robotsTxt"
	ReasonNoFollow   Reason = "noFollow"   // robots meta or rel, where the policy keeps it
	ReasonLimit      Reason = "pageLimit"  // of site, host or harvest; or the run stopped
	ReasonFileLimit  Reason = "fileLimit"  // likewise
	ReasonByteLimit  Reason = "byteLimit"  // likewise
	ReasonDepth      Reason = "depthLimit" // too many hops
	ReasonTrap       Reason = "trap"       // repeated segments, length, depth of the path
	ReasonLowNovelty Reason = "lowNovelty" // pages of that prefix say nothing new
	ReasonMirror     Reason = "mirror"     // a representative stands for it
	// its payload is held under another URL and it was left out for that
	ReasonDuplicate   Reason = "duplicate"
	ReasonRateLimited Reason = "rateLimited" // the host asked to be left alone
	ReasonRedirect    Reason = "redirectToExcluded"
	ReasonPrivate     Reason = "privateAddress"
	ReasonScheme      Reason = "scheme"
	ReasonFailed      Reason = "failed" // tried, and nothing came
	// archived, but not all of its links were read: reading it ended the process, or it is too long,
	// or broken
	ReasonUnread Reason = "unread"
	// archived, and taken for an error though it was answered with success: no page of the site
	ReasonSoftError Reason = "softError"
)

// Reasons are all reasons, in the order above.
func Reasons() []Reason {
	return []Reason{
		ReasonOutOfScope, ReasonExcluded, ReasonRobots, ReasonNoFollow, ReasonLimit, ReasonFileLimit,
		ReasonByteLimit, ReasonDepth, ReasonTrap, ReasonLowNovelty, ReasonMirror, ReasonDuplicate,
		ReasonRateLimited, ReasonRedirect, ReasonPrivate, ReasonScheme, ReasonFailed, ReasonUnread,
		ReasonSoftError,
	}
}

// Skipped is a line of skipped.jsonl: a URL that was left out, or archived unread or as an error, why,
// and what shows it.
type Skipped struct {
	// as it was asked for or linked to
	URL    page.URL  `json:"url"`
	Time   time.Time `json:"ts"`
	Reason Reason    `json:"reason"`
	// of the archivist, of robots.txt, or the limit's name
	Rule string `json:"rule,omitempty"`
	// by reason: cut edges, representative, status, number of tries
	Evidence map[string]any `json:"evidence,omitempty"`
	Via      page.URL       `json:"via,omitempty"`
	Hops     string         `json:"hops,omitempty"`
	Depth    int            `json:"depth"`
	Seed     bool           `json:"seed,omitempty"`
	Site     string         `json:"site,omitempty"`

	Spelled page.Spelling `json:"-"`
}

// ParseSkipped reads a line of skipped.jsonl.
func ParseSkipped(line []byte) (*Skipped, error) {
	s := new(Skipped)
	if err := json.Unmarshal(line, s); err != nil {
		return nil, err
	}
	s.URL, s.Spelled = page.Spelling(s.URL).URL()
	return s, nil
}

// Append appends the line with its LF. The error says that Evidence has no JSON form.
func (s *Skipped) Append(b []byte) ([]byte, error) {
	line := *s
	line.URL = page.URL(s.URL.As(s.Spelled))
	line.Time = line.Time.UTC().Truncate(time.Millisecond)
	text, err := json.Marshal(&line)
	if err != nil {
		return b, fmt.Errorf("skipped %s: %w", s.URL, err)
	}
	return append(append(b, text...), '\n'), nil
}
