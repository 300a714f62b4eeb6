package configs

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("harvest.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("harvest.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// value is a YAML text as a JSON validator sees it.
func value(t *testing.T, text []byte) any {
	t.Helper()
	js, err := yaml.YAMLToJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(js)))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Another validator finds every example in order, and what Load refuses out of order.
func TestSchema(t *testing.T) {
	s := compiled(t)
	for _, name := range Examples() {
		text, err := Example(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(value(t, text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := "harvest: a\noperator: {name: A, contact: mailto:a@b.example}\nsites: [{name: A, seeds: " +
		"[http://a.example/]}]\n"
	if err := s.Validate(value(t, []byte(good))); err != nil {
		t.Errorf("the smallest harvest: %v", err)
	}
	for name, extra := range map[string]string{
		"unknown key":  "polite: {}\n",
		"wrong type":   "limits: {pages: many}\n",
		"bad duration": "limits: {time: 2 parsecs}\n",
		"bad size":     "limits: {bytes: 20 apples}\n",
		"bad word":     "archive: {outside: burn}\n",
	} {
		if s.Validate(value(t, []byte(good+extra))) == nil {
			t.Errorf("%s: the schema takes %q", name, extra)
		}
	}
}

// Every option that the schema has is described.
func TestSchemaDescribes(t *testing.T) {
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	var walk func(path string, node map[string]any)
	walk = func(path string, node map[string]any) {
		if path != "" && !strings.HasSuffix(path, "[]") && node["description"] == nil {
			t.Errorf("%s has no description", path)
		}
		if items, ok := node["items"].(map[string]any); ok {
			walk(path+"[]", items)
		}
		properties, _ := node["properties"].(map[string]any)
		for k, v := range properties {
			walk(strings.TrimPrefix(path+"."+k, "."), v.(map[string]any))
		}
	}
	walk("", doc)
}
