package configs

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
)

// Schema is the JSON Schema (draft 2020-12) of a harvest, for editors that complete and check YAML:
// every key with the text that reference.yaml has on it, and its default. Rules that it cannot
// express, such as that no two sites have the same name, are checked by Load.
func Schema() ([]byte, error) {
	r := jsonschema.Reflector{
		FieldNameTag: "yaml", DoNotReference: true, RequiredFromJSONSchemaTags: true,
		Mapper: scalarSchema,
	}
	s := r.Reflect(&Harvest{})
	s.Title = "Watershed harvest"
	describe(s, "", comments(string(Reference())), defaults())
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	return append(out, '\n'), nil
}

// required has the keys that a group, "" for the harvest, must have. An entry of sites may name a
// list in their place, or a keyword and a superset in that of seeds.
var required = map[string][]string{
	"":                   {"harvest", "operator", "sites"},
	"operator":           {"name", "contact"},
	"sites[]":            {"name", "seeds"},
	"sites[].links[]":    {"from", "do"},
	"politeness.hosts[]": {"match"},
	"network.resolve[]":  {"match", "address"},
}

// require says in the schema which keys a group must have.
func require(s *jsonschema.Schema, path string) {
	switch keys := required[path]; {
	case path == "sites[]":
		s.AnyOf = []*jsonschema.Schema{
			{Required: keys},
			{Required: []string{"list"}},
			{Required: []string{"name", "keyword", "superset"}},
		}
	case keys != nil:
		s.Required = keys
	}
}

// defaults gives the default of each option that has one, by its key.
func defaults() map[string]any {
	values := map[string]any{}
	note := func(key string, v reflect.Value) {
		switch _, written := scalars[v.Type()]; {
		case written || v.Kind() == reflect.String:
			if text := format(v); text != `""` {
				values[key] = text
			}
		case v.Kind() != reflect.Slice && v.Kind() != reflect.Map:
			values[key] = v.Interface()
		}
	}
	h, s := Default(), defaultSite()
	walk("", reflect.ValueOf(h), note)
	walk("sites[]", reflect.ValueOf(s), note)
	return values
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

// describe gives each option the text that the reference has on it, its default, and the keys it
// cannot do without.
func describe(s *jsonschema.Schema, path string, texts map[string]string, values map[string]any) {
	if text := texts[path]; text != "" {
		s.Description = text
	}
	if v, ok := values[path]; ok {
		s.Default = v
	}
	require(s, path)
	if s.Items != nil {
		describe(s.Items, path+"[]", texts, values)
	}
	if s.Properties == nil {
		return
	}
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		describe(p.Value, join(path, p.Key), texts, values)
	}
}

// comments gives the comment above each key of a YAML text, by the key's path, "[]" for an item of
// a list. The text is block style, as reference.yaml is.
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
