package configs

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
)

// Schema is the JSON Schema (draft 2020-12) of a harvest, for editors that complete and check YAML: every key with the text
// that reference.yaml has on it. What it cannot say, such as that no two sites have one name, Load checks.
func Schema() ([]byte, error) {
	texts := comments(string(Reference()))
	r := jsonschema.Reflector{FieldNameTag: "yaml", DoNotReference: true, RequiredFromJSONSchemaTags: true, Mapper: scalarSchema}
	s := r.Reflect(&Harvest{})
	s.Title = "Watershed harvest"
	s.Required = []string{"harvest", "operator", "sites"}
	describe(s, "", texts)
	if op, ok := s.Properties.Get("operator"); ok {
		op.Required = []string{"name", "contact"}
	}
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	return append(out, '\n'), nil
}

// scalarSchema is the schema of a value that is written as one word.
func scalarSchema(t reflect.Type) *jsonschema.Schema {
	if known := words(t); known != nil {
		s := &jsonschema.Schema{Type: "string"}
		for _, v := range known {
			s.Enum = append(s.Enum, v)
		}
		return s
	}
	kind, ok := scalars[t]
	if !ok {
		return nil
	}
	text := &jsonschema.Schema{Type: "string", Pattern: kind.pattern}
	if kind.example != "" {
		text.Examples = []any{kind.example}
	}
	switch t {
	case reflect.TypeFor[Size](): // bytes may go without a unit
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{text, {Type: "integer", Minimum: "0"}}}
	case reflect.TypeFor[Duration](): // and so may no time at all
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{text, {Const: 0}}}
	}
	return text
}

// describe gives each option the text that the reference has on it. Pointers are options that may be left out.
func describe(s *jsonschema.Schema, path string, texts map[string]string) {
	if s == nil {
		return
	}
	if text := texts[path]; text != "" {
		s.Description = text
	}
	if s.Items != nil {
		describe(s.Items, path+"[]", texts)
	}
	if s.Properties == nil {
		return
	}
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		key := p.Key
		if path != "" {
			key = path + "." + key
		}
		describe(p.Value, key, texts)
	}
}

// comments gives the comment above each key of a YAML text, by the key's path, "[]" for an item of a list. The text is
// block style, as reference.yaml is.
func comments(text string) map[string]string {
	type level struct {
		indent int
		path   string
	}
	found := map[string]string{}
	var open []level
	var above []string
	for line := range strings.Lines(text) {
		body := strings.TrimSpace(line)
		indent := len(line) - len(strings.TrimLeft(line, " "))
		item := strings.HasPrefix(body, "- ")
		if item {
			body = strings.TrimSpace(body[2:])
			for len(open) > 0 && open[len(open)-1].indent >= indent {
				open = open[:len(open)-1]
			}
			if len(open) > 0 {
				open = append(open, level{indent, open[len(open)-1].path + "[]"})
			}
			indent += 2
		}
		if rest, ok := strings.CutPrefix(body, "#"); ok {
			above = append(above, strings.TrimSpace(rest))
			continue
		}
		name, _, ok := strings.Cut(body, ":")
		if body == "" || !ok || strings.ContainsAny(name, " \"'[{") {
			above = nil
			continue
		}
		for len(open) > 0 && open[len(open)-1].indent >= indent {
			open = open[:len(open)-1]
		}
		path := name
		if len(open) > 0 {
			path = open[len(open)-1].path + "." + name
		}
		found[path] = strings.Join(above, " ")
		above = nil
		open = append(open, level{indent, path})
	}
	return found
}
