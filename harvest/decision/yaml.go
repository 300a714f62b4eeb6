package decision

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/goccy/go-yaml"

	"watershed/internal/yamlbound"
	"watershed/page"
)

// Version of the file.
const Version = 1

// yamlList is a list as YAML has it: docs/formats/decisions.md.
type yamlList struct {
	Version   int            `yaml:"version"`
	Decisions []yamlDecision `yaml:"decisions"`
	Withdrawn []yamlDecision `yaml:"withdrawn,omitempty"`
}

type yamlDecision struct {
	Do    text     `yaml:"do"`
	Site  text     `yaml:"site,omitempty"`
	Rule  text     `yaml:"rule,omitempty"`
	Alpha float64  `yaml:"alpha,omitempty"`
	By    text     `yaml:"by,omitempty"`
	Time  text     `yaml:"time,omitempty"`
	Note  text     `yaml:"note,omitempty"`
	End   *yamlEnd `yaml:"end,omitempty"`
}

type yamlEnd struct {
	By   text `yaml:"by,omitempty"`
	Time text `yaml:"time,omitempty"`
	Note text `yaml:"note,omitempty"`
}

// text is a string that is quoted unless it is a word of this format, so that it reads back equal
// whatever it holds.
type text string

var word = regexp.MustCompile(`^(in|out|soft|exclude|alpha)$`)

// MarshalYAML writes a word or a JSON string, which is one of YAML too.
func (s text) MarshalYAML() ([]byte, error) {
	if word.MatchString(string(s)) {
		return []byte(s), nil
	}
	return json.Marshal(string(s))
}

const heading = "# What was decided on this harvest by hand. It stands over the harvest's YAML, in this " +
	"run and in later ones.\n"

// Write writes the list as YAML.
func (l *List) Write(w io.Writer) error {
	y := yamlList{Version: Version, Decisions: []yamlDecision{}}
	for i := range l.Decisions {
		y.Decisions = append(y.Decisions, yamlOf(&l.Decisions[i]))
	}
	for i := range l.Withdrawn {
		x := yamlOf(&l.Withdrawn[i].Decision)
		end := l.Withdrawn[i].End
		x.End = &yamlEnd{text(end.By), text(timeText(end.Time)), text(end.Note)}
		y.Withdrawn = append(y.Withdrawn, x)
	}
	_, err := io.WriteString(w, heading)
	if err == nil {
		err = yaml.NewEncoder(w, yaml.IndentSequence(true)).Encode(y)
	}
	if err != nil {
		return fmt.Errorf("write the decisions: %w", err)
	}
	return nil
}

func yamlOf(d *Decision) yamlDecision {
	return yamlDecision{
		Do: text(d.Do), Site: text(d.Site), Rule: text(d.Rule.String()), Alpha: d.Alpha, By: text(d.By),
		Time: text(timeText(d.Time)), Note: text(d.Note),
	}
}

// Read reads a list. The error wraps ErrDecision; it tells which decision is malformed, or the line
// where the YAML is wrong.
func Read(in []byte) (*List, error) {
	if _, err := yamlbound.Parse(in); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrDecision, yaml.FormatError(err, false, false))
	}
	var y yamlList
	if err := yaml.UnmarshalWithOptions(in, &y, yaml.Strict()); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: %s", ErrDecision, yaml.FormatError(err, false, false))
	}
	if y.Version != Version { // an empty file is none that Write has written: its decisions are lost
		return nil, fmt.Errorf("%w: version is %d, not %d", ErrDecision, y.Version, Version)
	}
	l := &List{}
	var errs []error
	for i := range y.Decisions {
		d, err := y.Decisions[i].decision()
		if err != nil {
			errs = append(errs, fmt.Errorf("%w: decision %d: %w", ErrDecision, i+1, err))
		}
		l.Decisions = append(l.Decisions, d)
	}
	for i := range y.Withdrawn {
		d, err := y.Withdrawn[i].decision()
		x := Withdrawn{Decision: d}
		if end := y.Withdrawn[i].End; end != nil {
			var failed error
			x.End = Change{By: string(end.By), Note: string(end.Note)}
			x.End.Time, failed = timeOf(end.Time)
			err = errors.Join(err, failed)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%w: withdrawn decision %d: %w", ErrDecision, i+1, err))
		}
		l.Withdrawn = append(l.Withdrawn, x)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return l, l.Validate()
}

func (y *yamlDecision) decision() (d Decision, err error) {
	d = Decision{
		Do: string(y.Do), Site: string(y.Site), Alpha: y.Alpha, By: string(y.By),
		Note: string(y.Note),
	}
	if d.Time, err = timeOf(y.Time); err != nil || y.Rule == "" {
		return d, err
	}
	d.Rule, err = page.ParseRule(string(y.Rule))
	return d, err
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func timeOf(s text) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, string(s)); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time; write 2026-11-21 or 2026-11-21T08:00:00Z", string(s))
}
