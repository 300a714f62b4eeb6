package configs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The reference has every option of the structs, no other, at its default, and a comment on each.
func TestReference(t *testing.T) {
	h, err := Parse("reference.yaml", Reference())
	if err != nil {
		t.Fatal(err)
	}
	written := comments(string(Reference()))
	for _, key := range Keys() {
		if text, ok := written[key]; !ok && !strings.HasSuffix(key, "[]") {
			t.Errorf("reference.yaml lacks %s", key)
		} else if text == "" && !strings.HasSuffix(key, "[]") {
			t.Errorf("reference.yaml says nothing of %s", key)
		}
	}
	fallback := Default()
	byKey := map[string]string{}
	for _, o := range fallback.Effective() {
		byKey[o.Key] = o.Value
	}
	for _, o := range h.Effective() {
		want, ok := byKey[o.Key]
		example := strings.HasPrefix(o.Key, "harvest") || strings.HasPrefix(o.Key, "operator") || strings.Contains(o.Key, "[") || strings.HasPrefix(o.Key, "network.resolve") || strings.HasPrefix(o.Key, "politeness.hosts")
		if ok && !example && o.Value != want {
			t.Errorf("reference.yaml has %s: %s, the default is %s", o.Key, o.Value, want)
		}
	}
}

const head = "harvest: gemo\noperator:\n  name: Library\n  contact: mailto:a@b.example\nsites:\n  - name: Gemo\n    seeds: [http://www.gemo.example/]\n"

func TestMistakes(t *testing.T) {
	tests := []struct{ name, text, place, say string }{
		{"unknown key", head + "politeness:\n  min_dealy: 2s\n", "h.yaml:9:3", "min_delay"},
		{"unknown key at the top", head + "polites: {}\n", "h.yaml:8:1", "politeness"},
		{"wrong type", head + "fetch:\n  workers: many\n", "h.yaml:9:12", "many"},
		{"bad duration", head + "politeness:\n  min_delay: 2 parsecs\n", "h.yaml:9:14", "parsecs"},
		{"span without a unit", head + "politeness:\n  min_delay: 2\n", "h.yaml:9:14", ""},
		{"bad size", head + "limits:\n  bytes: 20 apples\n", "h.yaml:9:10", "apples"},
		{"duplicate key", head + "harvest: again\n", "h.yaml:8:1", "harvest"},
		{"tab", "harvest: a\n\toperator: b\n", "h.yaml:2", ""},
		{"bad seed", "harvest: gemo\noperator:\n  name: L\n  contact: mailto:a@b.example\nsites:\n  - name: G\n    seeds: [\"ftp://x.example/\"]\n", "h.yaml:7:13", "ftp"},
		{"bad rule", strings.TrimSuffix(head, "\n") + "\n    include: [\"hots:a.example\"]\n", "h.yaml:8:15", "host"},
		{"bad expression", strings.TrimSuffix(head, "\n") + "\n    exclude: [\"regex:(\"]\n", "h.yaml:8:15", ""},
		{"no such word", strings.TrimSuffix(head, "\n") + "\n    boundary: logicl\n", "h.yaml:8:15", "logical"},
		{"no operator", "harvest: gemo\nsites:\n  - name: G\n    seeds: [http://a.example/]\n", "h.yaml", "operator"},
		{"no contact", "harvest: gemo\noperator:\n  name: L\nsites:\n  - name: G\n    seeds: [http://a.example/]\n", "h.yaml", "contact"},
		{"no site", "harvest: gemo\noperator:\n  name: L\n  contact: mailto:a@b.example\n", "h.yaml", "sites"},
		{"two sites of one name", head + "  - name: Gemo\n    seeds: [http://b.example/]\n", "h.yaml:8", "Gemo"},
		{"a name that is no file name", strings.Replace(head, "harvest: gemo", "harvest: ../gemo", 1), "h.yaml:1", "harvest"},
		{"robots ignored without a reason", head + "politeness:\n  robots: ignore\n", "h.yaml:9", "robots_reason"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("h.yaml", []byte(tt.text))
			if err == nil {
				t.Fatal("it is taken for good")
			}
			if got := err.Error(); !strings.Contains(got, tt.place) || !strings.Contains(got, tt.say) {
				t.Errorf("want %s and %q in:\n%s", tt.place, tt.say, got)
			}
		})
	}
}

// All mistakes of a file are told at once.
func TestAllMistakes(t *testing.T) {
	_, err := Parse("h.yaml", []byte(head+"politeness:\n  min_dealy: 2s\nlimits:\n  bytes: apples\n"))
	var all Errors
	if !errors.As(err, &all) || len(all) != 2 {
		t.Errorf("want 2 mistakes: %v", err)
	}
}

func TestLists(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("sites.txt", "# comment\nhttp://a.example/\n\nhttp://b.example/x/\n")
	write("sites.csv", "name,seed,boundary\nA,http://a.example/,host\nB,http://b.example/,\n")
	base := "harvest: gemo\noperator:\n  name: L\n  contact: mailto:a@b.example\nsites:\n"
	for _, list := range []string{"sites.txt", "sites.csv"} {
		h, err := Load(write("h.yaml", base+"  - list: "+list+"\n    boundary: prefix\n"))
		if err != nil {
			t.Fatal(err)
		}
		if len(h.Sites) != 2 || h.Sites[0].Seeds[0] != "http://a.example/" || h.Sites[1].Boundary != BoundaryPrefix {
			t.Errorf("%s: %+v", list, h.Sites)
		}
	}
	write("bad.csv", "name,seed\nA,ftp://a.example/\n")
	if _, err := Load(write("h.yaml", base+"  - list: bad.csv\n")); err == nil || !strings.Contains(err.Error(), "bad.csv:2") {
		t.Errorf("a bad line of a list: %v", err)
	}
}

// No text makes Parse panic.
func FuzzParse(f *testing.F) {
	f.Add(head)
	f.Add(string(Reference()))
	f.Add("a: &a [*a]\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = Parse("h.yaml", []byte(text))
	})
}
