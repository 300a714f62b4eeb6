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
	Version  int     `yaml:"version"`
	Replicas []Entry `yaml:"replicas"`
}

var plain = regexp.MustCompile(`^[a-z][-a-z0-9./:_]*$`)

// reserved are plain words that YAML takes for something else.
var reserved = []string{"null", "true", "false", "yes", "no", "on", "off", "y", "n"}

// writing has texts quoted unless they are plain words, so that they read back equal whatever they
// hold, as JSON strings, which are ones of YAML too; and numbers as the shortest decimal that reads
// back equal.
var writing = []yaml.EncodeOption{
	yaml.IndentSequence(true),
	yaml.CustomMarshaler(func(s string) ([]byte, error) {
		if plain.MatchString(s) && !strings.HasSuffix(s, ":") && !slices.Contains(reserved, s) {
			return []byte(s), nil
		}
		return json.Marshal(s)
	}),
	yaml.CustomMarshaler(func(x float64) ([]byte, error) {
		return strconv.AppendFloat(nil, x, 'g', -1, 64), nil
	}),
	yaml.CustomMarshaler(func(t time.Time) ([]byte, error) { return json.Marshal(formatTime(t)) }),
	yaml.CustomMarshaler(State.MarshalText),
}

// reading has dates with or without the time of day, and states by their names.
var reading = []yaml.DecodeOption{
	yaml.Strict(),
	yaml.CustomUnmarshaler(func(t *time.Time, text []byte) error { return ofText(text, t, readTime) }),
	yaml.CustomUnmarshaler(func(s *State, text []byte) error { return ofText(text, s, readState) }),
}

// UnmarshalYAML reads a change of a table; a state that is not told is Confirmed.
func (c *Change) UnmarshalYAML(read func(any) error) error {
	type plain Change // has no reader of its own
	x := plain{State: Confirmed}
	err := read(&x)
	*c = Change(x)
	return err
}

// ofText reads a value of YAML as text, and that as something else.
func ofText[T any](in []byte, to *T, read func(*T, string) error) error {
	var text string
	if err := yaml.Unmarshal(in, &text); err != nil {
		return err
	}
	return read(to, text)
}

// WriteYAML writes the table, sorted by replica: docs/formats/replicas.md.
func (t *Table) WriteYAML(w io.Writer) error {
	out := yamlTable{Version, t.All()}
	if err := yaml.NewEncoder(w, writing...).Encode(out); err != nil {
		return fmt.Errorf("write the table of replicas: %w", err)
	}
	return nil
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
// refuses; they are joined, each with the line of the entry. An entry without a state is
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
		return nil, inLine(1, errors.New("the table of replicas is empty; it begins with \"version: 1\""))
	}
	if len(parsed.Docs) > 1 {
		return nil, inLine(line(parsed.Docs[1].Body),
			errors.New("a second document in the table of replicas"))
	}
	root, ok := parsed.Docs[0].Body.(*ast.MappingNode)
	if !ok {
		return nil, inLine(line(parsed.Docs[0].Body),
			errors.New("not a table of replicas: keys \"version\" and \"replicas\" are expected"))
	}
	entries, err := t.readRoot(root)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, n := range entries {
		if err := t.readEntry(n); err != nil {
			errs = append(errs, inLine(line(n), err))
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
			return nil, inLine(line(kv.Key), err)
		}
	}
	if version != Version {
		return nil, inLine(line(root), fmt.Errorf("the table has another version: %d; this program reads %d",
			version, Version))
	}
	return entries, nil
}

func (t *Table) readEntry(n ast.Node) error {
	e := Entry{State: Confirmed}
	if err := yaml.NodeToValue(n, &e, reading...); err != nil {
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
