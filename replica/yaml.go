package replica

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"watershed/internal/yamlbound"
)

// Version of the table's files.
const Version = 1

// yamlTable is a table as YAML has it: see docs/formats/replicas.md.
type yamlTable struct {
	Version  int         `yaml:"version"`
	Replicas []yamlEntry `yaml:"replicas"`
}

type yamlEntry struct {
	From     text          `yaml:"from"`
	To       text          `yaml:"to"`
	State    text          `yaml:"state,omitempty"`
	Level    int           `yaml:"level,omitempty"`
	Method   text          `yaml:"method,omitempty"`
	Evidence *yamlEvidence `yaml:"evidence,omitempty"`
	Found    text          `yaml:"found,omitempty"`
	Decided  text          `yaml:"decided,omitempty"`
	Verified text          `yaml:"verified,omitempty"`
	By       text          `yaml:"by,omitempty"`
	Note     text          `yaml:"note,omitempty"`
	History  []yamlChange  `yaml:"history,omitempty"`
}

type yamlEvidence struct {
	Pages       int    `yaml:"pages,omitempty"`
	Common      int    `yaml:"common,omitempty"`
	Tested      int    `yaml:"tested,omitempty"`
	Agreed      int    `yaml:"agreed,omitempty"`
	Resemblance number `yaml:"resemblance,omitempty"`
	Containment number `yaml:"containment,omitempty"`
	Purity      number `yaml:"purity,omitempty"`
}

type yamlChange struct {
	State text `yaml:"state"`
	Time  text `yaml:"time,omitempty"`
	By    text `yaml:"by,omitempty"`
	Note  text `yaml:"note,omitempty"`
}

// number is a floating point number that keeps its last bit.
type number float64

// MarshalYAML writes the shortest decimal that reads back equal.
func (n number) MarshalYAML() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(n), 'g', -1, 64), nil
}

// text is a string that is quoted unless it is a plain word, so that it reads back equal whatever
// it holds.
type text string

var plain = regexp.MustCompile(`^[a-z][-a-z0-9./:_]*$`)

// MarshalYAML writes a plain word or a JSON string, which is one of YAML too.
func (s text) MarshalYAML() ([]byte, error) {
	if plain.MatchString(string(s)) && !strings.HasSuffix(string(s), ":") &&
		!slices.Contains(reserved, string(s)) {
		return []byte(s), nil
	}
	return json.Marshal(string(s))
}

// reserved are plain words that YAML takes for something else.
var reserved = []string{"null", "true", "false", "yes", "no", "on", "off", "y", "n"}

// WriteYAML writes the table, sorted by replica: docs/formats/replicas.md.
func (t *Table) WriteYAML(w io.Writer) error {
	out := yamlTable{Version: Version, Replicas: make([]yamlEntry, 0, t.Len())}
	for _, e := range t.All() {
		out.Replicas = append(out.Replicas, e.yaml())
	}
	if err := yaml.NewEncoder(w, yaml.IndentSequence(true)).Encode(out); err != nil {
		return fmt.Errorf("write the table of replicas: %w", err)
	}
	return nil
}

func (e *Entry) yaml() yamlEntry {
	y := yamlEntry{
		From: text(e.From), To: text(e.To), State: text(e.State.String()), Level: e.Level,
		Method: text(e.Method),
		Found:  text(formatTime(e.Found)), Decided: text(formatTime(e.Decided)),
		Verified: text(formatTime(e.Verified)), By: text(e.By), Note: text(e.Note),
	}
	if v := e.Evidence; v != (Evidence{}) {
		y.Evidence = &yamlEvidence{
			v.Pages, v.Common, v.Tested, v.Agreed, number(v.Resemblance),
			number(v.Containment), number(v.Purity),
		}
	}
	for _, c := range e.History {
		y.History = append(y.History, yamlChange{
			text(c.State.String()), text(formatTime(c.Time)), text(c.By),
			text(c.Note),
		})
	}
	return y
}

func (y *yamlEntry) entry() (e Entry, err error) {
	e = Entry{
		From: string(y.From), To: string(y.To), Level: y.Level, Method: string(y.Method),
		By: string(y.By), Note: string(y.Note),
	}
	if v := y.Evidence; v != nil {
		e.Evidence = Evidence{
			v.Pages, v.Common, v.Tested, v.Agreed, float64(v.Resemblance),
			float64(v.Containment), float64(v.Purity),
		}
	}
	errs := []error{
		readState(&e.State, string(y.State)), readTime(&e.Found, string(y.Found)),
		readTime(&e.Decided, string(y.Decided)), readTime(&e.Verified, string(y.Verified)),
	}
	for _, h := range y.History {
		c := Change{By: string(h.By), Note: string(h.Note)}
		errs = append(errs, readState(&c.State, string(h.State)), readTime(&c.Time, string(h.Time)))
		e.History = append(e.History, c)
	}
	return e, errors.Join(errs...)
}

func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func readTime(t *time.Time, s string) error {
	if s == "" {
		return nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if got, err := time.Parse(layout, s); err == nil {
			*t = got.UTC()
			return nil
		}
	}
	return fmt.Errorf("%q is no date; write 2026-11-21 or 2026-11-21T08:00:00Z", s)
}

// readState reads a state; one that is not told is that of a rule written by hand: confirmed.
func readState(to *State, s string) (err error) {
	if s == "" {
		*to = Confirmed
		return nil
	}
	*to, err = ParseState(s)
	return err
}

// ReadYAML reads what WriteYAML writes. Unknown keys are errors, and so are entries that Table.Put
// refuses; they are *lineError, joined, with the line of the entry. An entry without a state is
// confirmed.
func ReadYAML(file []byte) (t *Table, err error) {
	defer func() {
		if r := recover(); r != nil { // the parser has panicked on odd input before
			t, err = nil, fmt.Errorf("read the table of replicas: the file could not be parsed: %v", r)
		}
	}()
	parsed, err := yamlbound.Parse(file)
	if err != nil {
		return nil, fmt.Errorf("read the table of replicas: %w", err)
	}
	t = new(Table)
	if len(parsed.Docs) == 0 || parsed.Docs[0].Body == nil {
		return nil, &lineError{1, errors.New("the table of replicas is empty; it begins with \"version: 1\"")}
	}
	if len(parsed.Docs) > 1 {
		return nil, &lineError{
			parsed.Docs[1].Body.GetToken().Position.Line,
			errors.New("a second document in the table of replicas"),
		}
	}
	root, ok := parsed.Docs[0].Body.(*ast.MappingNode)
	if !ok {
		return nil, &lineError{
			line(parsed.Docs[0].Body),
			errors.New("not a table of replicas: keys \"version\" and \"replicas\" are expected"),
		}
	}
	entries, err := t.readRoot(root)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, n := range entries {
		if err := t.readEntry(n); err != nil {
			errs = append(errs, &lineError{line(n), err})
		}
	}
	return t, errors.Join(errs...)
}

// readRoot checks the version and gives the nodes of the entries.
func (t *Table) readRoot(root *ast.MappingNode) ([]ast.Node, error) {
	var entries []ast.Node
	version := 0
	for _, kv := range root.Values {
		var err error
		switch key := kv.Key.String(); key {
		case "version":
			err = yaml.NodeToValue(kv.Value, &version)
		case "replicas":
			switch list := kv.Value.(type) {
			case *ast.SequenceNode:
				entries = list.Values
			case *ast.NullNode:
			default:
				err = errors.New("\"replicas\" is not a list")
			}
		default:
			err = fmt.Errorf("unknown key %q; \"version\" and \"replicas\" are expected", key)
		}
		if err != nil {
			return nil, &lineError{line(kv.Key), err}
		}
	}
	if version != Version {
		return nil,
			&lineError{line(root), fmt.Errorf("%w: %d; this program reads %d", errVersion, version, Version)}
	}
	return entries, nil
}

func (t *Table) readEntry(n ast.Node) error {
	var y yamlEntry
	if err := yaml.NodeToValue(n, &y, yaml.Strict()); err != nil {
		return err
	}
	e, err := y.entry()
	if err != nil {
		return err
	}
	if _, twice := t.entries[e.From]; twice {
		return &EntryError{e.From, errors.New("a second entry for the same replica")}
	}
	return t.Put(e)
}

// line of a node.
func line(n ast.Node) int {
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 {
		n = m.Values[0].Key
	}
	if n.GetToken() == nil {
		return 1
	}
	return n.GetToken().Position.Line
}
